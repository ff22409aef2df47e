"""CS, S-LapEig and S-LE: the methods that SLE-ML is compared with. They compare classes as equal or not.

CS and S-LE are here to show where they fail; what is degenerate about a result is said
in a warning.
"""

from dataclasses import KW_ONLY

import numpy as np
import scipy.sparse
from sklearn.neighbors import KNeighborsClassifier

from ..core.checks import check_positive
from ..core.estimators import warn
from ..core.graphs import mean_squared_distance, nearest, squared_distances, symmetrize
from ..core.linalg import fix_signs, symmetric_eigenpairs
from ..core.memory import check_memory
from ..core.parameters import parameters
from ..core.progress import progress
from ..core.scaling import row_blocks
from .graphmap import Eigenmap, GraphMap
from .labelgraph import N_VOTERS

PAIRS_PER_BLOCK = 4_000_000  # entries of one block of a matrix of distances
MAX_SAMPLES = 10_000  # of S-LE, which needs n x n arrays


class _ByClass:
    """What the three share: one class per sample, of new samples that of most of their nearest neighbours."""

    _multilabel = False

    def _prepare_extension(self, X, labels, labelled):
        if not labelled.all():
            raise ValueError(
                f"`y` holds unlabelled samples (-1), {np.sum(~labelled)} of them; this"
                " method needs the class of each. SLEML and CCDR take unlabelled"
                " samples."
            )
        self._X = np.array(X)
        self._class_of = labels.Y.argmax(axis=1)
        self._predictor = KNeighborsClassifier(min(N_VOTERS, len(X))).fit(
            self._X, self._class_of
        )

    def _extend(self, X):
        placed = np.empty((len(X), self.n_components))
        for block in row_blocks(len(X), len(self._X), PAIRS_PER_BLOCK):
            rows = X[block]
            squared = _squared(rows, self._X)
            placed[block] = self._place(squared, self._predictor.predict(rows))
            i, j = np.nonzero(squared == 0)
            placed[block.start + i] = self.embedding_[j]
        return placed


@parameters
class ConstraintScoreMap(_ByClass, Eigenmap):
    """CS (Tai2019, section 2.3): draws a class together and pushes classes apart; the features have no part in it.

    Minimises sum_ij |z_i - z_j|^2 w^M_ij - beta sum_ij |z_i - z_j|^2 w^C_ij, w^M = 1
    for pairs of one class, w^C = 1 for the others. Every class becomes one point, and
    with three or more classes nothing decides where the points lie: all arrangements
    are solutions, which a warning says. Here they are the corners of a polygon, in the
    order of the classes, regular where classes are of one size.

    Parameters
    ----------
    n_components : int, default=2
    beta : float >= 0, default=1.0
        Weight of the pairs from different classes.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components), with Z^T Z = n I
    eigenvalues_ : ndarray of shape (n_components,), of L^M - beta L^C, rising, without the constant's 0

    Examples
    --------
    >>> import warnings
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> with warnings.catch_warnings(action="ignore"):
    ...     Z = ConstraintScoreMap().fit_transform(X, y)
    >>> len(np.unique(Z.round(6), axis=0))
    3
    """

    _: KW_ONLY
    beta: float = 1.0

    def _check_parameters(self):
        check_positive(self.beta, "beta", zero=True)

    def _fit(self, X, labels, labelled):
        n = len(X)
        counts = np.bincount(self._class_of)
        c = len(counts)
        k = min(self.n_components, c - 1)
        zeros = self.n_components - k
        if c > 2 or zeros:
            reason = f"{c} classes give {k} coordinates, the other {zeros} are zero"
            if c > 2:
                reason = (
                    f"{c - 1} equal eigenvalues leave the arrangement of the classes"
                    " arbitrary, here a polygon"
                )
            warn(
                f"CS puts each class at one point, whatever `X` is, and {reason}. Use"
                " SLEML for a map of the data."
            )
        # On vectors that are constant on the classes W^M has no part in the Laplacian
        # of W^M - beta W^C, which is beta (N N^T - n diag N), N the class sizes: any
        # such vector of mean 0 is a solution, with eigenvalue -beta n.
        turns = 2 * np.pi / c * np.outer(np.arange(c), np.arange(1, c // 2 + 1))
        waves = np.stack([np.cos(turns), np.sin(turns)], axis=2).reshape(c, -1)[:, :k]
        root = np.sqrt(counts)[:, None]
        Q = np.linalg.qr(root * np.column_stack([np.ones(c), waves]))[0]
        U = np.pad(Q[:, 1:] / root * np.sqrt(n), ((0, 0), (0, zeros)))
        self._points = U * fix_signs(U)
        self.embedding_ = self._points[self._class_of]
        self.eigenvalues_ = np.pad(np.full(k, -self.beta * n), (0, zeros))

    def _place(self, squared, classes):
        return self._points[classes]


@parameters
class SLapEig(_ByClass, GraphMap):
    """S-LapEig (Tai2019, section 2.4): a Laplacian eigenmap of distances shortened within classes, stretched between.

    d^2 = 1 - exp(-|x_i - x_j|^2 / tau2) within a class, exp(|x_i - x_j|^2 / tau2)
    between classes (there at least 1, so that every sample of the own class is nearer);
    weights exp(-d^2 / sigma2). With labels in the distance itself there is no balance
    to set.

    Parameters
    ----------
    n_components : int, default=2
    n_neighbors : int or None, default=None
        None: 1.5 times the mean class size. Neighbours are those in the changed
        distance: first the own class.
    sigma2 : float > 0 or None, default=None
        Width of the heat weights. None: the mean of the changed squared distance over
        all pairs.
    tau2 : float > 0 or None, default=None
        Width within the changed distance. None: the square of the mean Euclidean
        distance of all pairs.
    verbose : bool, default=False
        Show a progress bar of the samples whose neighbours are found.

    Attributes
    ----------
    embedding_, eigenvalues_, graph_, n_neighbors_, residual_ : as in :class:`~toolkit.eigenmaps.SLEML`
    sigma2_, tau2_ : the values used

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> SLapEig().fit_transform(X, y).shape
    (150, 2)
    """

    _: KW_ONLY
    tau2: float = None

    def _build(self, X, labels, labelled):
        n = len(X)
        index = self._class_of
        self.n_neighbors_ = self._number_of_neighbors(n, labels, labelled)
        check_memory(
            "The graph of neighbours",
            n,
            self.n_neighbors_,
            arrays=8,
            remedy="Lower `n_neighbors`.",
        )
        blocks = np.array_split(np.arange(n), max(1, n * n // PAIRS_PER_BLOCK))
        self.tau2_ = self.tau2
        if self.tau2 is None:
            mean_distance = sum(
                np.sqrt(_squared(X[block], X)).sum() for block in blocks
            ) / (n * (n - 1))
            self.tau2_ = mean_distance**2 or 1.0
        columns, changed, total = [], [], 0.0
        with progress(n, "neighbours", self.verbose) as done:
            for block in blocks:
                d2 = self._changed(_squared(X[block], X), index[block], index)
                total += d2.sum()
                d2[np.arange(len(block)), block] = np.inf
                for row in d2:
                    columns.append(nearest(row, self.n_neighbors_))
                    changed.append(row[columns[-1]])
                done(len(block))
        self.sigma2_ = total / (n * (n - 1)) if self.sigma2 is None else self.sigma2
        links = (
            np.repeat(np.arange(n), [len(near) for near in columns]),
            np.concatenate(columns),
        )
        weights = self._weights(np.concatenate(changed))
        self.graph_ = symmetrize(scipy.sparse.csr_matrix((weights, links), (n, n)))

    def _changed(self, squared, a, b):
        """Changed squared distances (m, n) of samples of the classes `a` (m,) and `b` (n,)."""
        # exp(100) is larger than any distance needs to be
        ratio = np.minimum(squared / self.tau2_, 100)
        return np.where(a[:, None] == b, 1 - np.exp(-ratio), np.exp(ratio))

    def _weights(self, changed):
        return np.maximum(np.exp(-changed / self.sigma2_), 1e-12)

    def _place(self, squared, classes):
        d2 = self._changed(squared, classes, self._class_of)
        placed = np.empty((len(d2), self.embedding_.shape[1]))
        for i, row in enumerate(d2):
            near = nearest(row, self.n_neighbors_)
            w = self._weights(row[near])
            placed[i] = w @ self.embedding_[near] / w.sum()
        return placed / np.maximum(1 - self.eigenvalues_, 0.1)


@parameters
class SLE(_ByClass, Eigenmap):
    """S-LE (Tai2019, section 2.5): pushes near samples of other classes away, draws those of the same class together.

    Maximises beta sum_ij |z_i - z_j|^2 w^B_ij - (1 - beta) sum_ij |z_i - z_j|^2 w^W_ij
    subject to Z^T D^W Z = I. w^W is the similarity s of near pairs of one class, w^B is
    1 for near pairs of different classes (i near j, or j near i), as in the method's
    original paper. Near are the samples that are more similar than the mean similarity,
    about half of all, and each sample itself: little is left of the neighbourhoods, and
    the balance `beta` follows the number of classes. Needs n x n arrays.

    Parameters
    ----------
    n_components : int, default=2
    beta : float in [0, 1], default=0.5
        Weight of the push between classes against the pull within classes.
    sigma2 : float > 0 or None, default=None
        Width of the similarity. None: the mean squared distance of all pairs.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
    eigenvalues_ : ndarray of shape (n_components,), falling: the criterion is maximised

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> SLE(beta=0.1).fit_transform(X, y).shape
    (150, 2)
    """

    _: KW_ONLY
    beta: float = 0.5
    sigma2: float = None
    verbose: bool = False

    def _fit(self, X, labels, labelled):
        n = len(X)
        k = self.n_components
        if n > MAX_SAMPLES:
            raise ValueError(
                f"`X` must hold at most {MAX_SAMPLES:,} samples, for S-LE needs n x n"
                f" arrays; got {n:,}."
            )
        check_memory(
            "The similarities of all pairs",
            n,
            arrays=8,
            remedy="Fit a sample; `transform` maps the rest.",
        )
        self.sigma2_ = (
            self.sigma2 if self.sigma2 is not None else mean_squared_distance(X) or 1.0
        )
        S = np.exp(-_squared(X, X) / self.sigma2_)
        S = (S + S.T) / 2
        self._mean_similarity = S.mean(axis=1)
        near = S > self._mean_similarity[:, None]
        near |= near.T
        np.fill_diagonal(near, True)
        same = self._class_of[:, None] == self._class_of
        W_W = S * (near & same)
        W_B = (near & ~same).astype(float)
        D_W = W_W.sum(axis=1)
        D_B = W_B.sum(axis=1)
        if not W_B.any() or self.beta == 0:
            warn(
                "S-LE has nothing to push apart, for `beta` is 0 or no near pair lies"
                " between classes: it only draws classes together, and the first"
                " coordinates merely separate their connected components."
            )
        A = self.beta * (np.diag(D_B) - W_B) - (1 - self.beta) * (np.diag(D_W) - W_W)
        root = np.sqrt(D_W)
        A = A / root[:, None] / root
        constant = root / np.linalg.norm(root)
        scale = np.abs(A).sum(axis=1).max()
        # the constant vector goes to the end
        A -= 2 * scale * np.outer(constant, constant)
        with progress(1, "eigenvectors", self.verbose) as done:
            values, V = symmetric_eigenpairs((A + A.T) / 2, k + 1)
            done()
        if values[k - 1] - values[k] <= 1e-9 * scale:
            warn(
                f"S-LE: eigenvalues {k} and {k + 1} are equal ({values[k]:.4g}); the"
                " map is one of many. Change `beta` or `sigma2`."
            )
        Z = V[:, :k] / root[:, None] * np.sqrt(D_W.sum())
        self.embedding_ = Z * fix_signs(Z)
        self.eigenvalues_ = values[:k]
        self._beta = self.beta

    def _place(self, squared, classes):
        s = np.exp(-squared / self.sigma2_)
        near = (s > s.mean(axis=1, keepdims=True)) | (s > self._mean_similarity)
        same = classes[:, None] == self._class_of
        w_w = s * (near & same)
        w_b = (near & ~same).astype(float)
        w = (1 - self._beta) * w_w - self._beta * w_b
        # [beta L^B - (1 - beta) L^W - mu D^W] z = 0, the row of the new sample
        d_w = w_w.sum(axis=1) + 1
        d_b = w_b.sum(axis=1)
        own = (
            self.eigenvalues_ * d_w[:, None]
            + ((1 - self._beta) * w_w.sum(axis=1) - self._beta * d_b)[:, None]
        )
        floor = 0.1 * np.abs(w).sum(axis=1, keepdims=True) + np.finfo(float).tiny
        own = np.where(np.abs(own) < floor, np.copysign(floor, own), own)
        return w @ self.embedding_ / own


def _squared(A, B):
    center = B.mean(axis=0)
    return squared_distances(A - center, B - center)
