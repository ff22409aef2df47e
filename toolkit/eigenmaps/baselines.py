"""CS, S-LapEig and S-LE: baselines of SLE-ML that compare classes as equal or not.

CS and S-LE are included to show where they fail. A warning says what is degenerate
about a result.
"""

from dataclasses import KW_ONLY

import numpy as np
from scipy import linalg, sparse

from ..core import (
    BLOCK_ENTRIES,
    TINY,
    Fraction,
    NotNegative,
    OptionalPositive,
    check_memory,
    even_blocks,
    fix_signs,
    heat_weights,
    mean_squared_distance,
    nearest_graph,
    pad_zeros,
    parameters,
    row_blocks,
    squared_distances,
    symmetric_eigenpairs,
    symmetrize,
    warn,
)
from .graphmap import Eigenmap, GraphMap


class _ByClass:
    """Base class of the three: one class per sample.

    A new sample has the class of most of its nearest neighbours. Subclasses define
    `_coordinates(squared, classes)`: the positions (m, k) of new samples with squared
    distances (m, n) to the training samples and predicted class numbers (m,).
    """

    _multilabel = False

    def _prepare_extension(self, X, labels, labelled):
        """Refuse unlabelled samples, and keep the class of each; see `GraphMap`."""
        if not labelled.all():
            raise ValueError(
                f"`y` holds unlabelled samples (-1), {np.sum(~labelled)} of them; this"
                " method needs the class of each. SLEML and CCDR take unlabelled"
                " samples."
            )
        self._class_of = labels.Y.argmax(axis=1)
        super()._prepare_extension(X, labels, labelled)

    def _extend(self, X):
        """Positions (m, k) of new samples X (m, d)."""
        Z = np.empty((len(X), self.n_components))
        for block in row_blocks(len(X), len(self._X), BLOCK_ENTRIES):
            squared = _squared(X[block], self._X)
            classes = self._predictor.predict(X[block])
            Z[block] = self._coordinates(squared, classes)
            # A sample equal to a training sample has its position.
            i, j = np.nonzero(squared == 0)
            Z[block.start + i] = self.embedding_[j]
        return Z


@parameters
class ConstraintScoreMap(_ByClass, Eigenmap):
    """CS (Tai2019, section 2.3): constraint scores of the classes alone.

    It contracts each class and separates the classes; the features are not used.
    Minimises ``sum_ij |z_i - z_j|^2 w^M_ij - beta sum_ij |z_i - z_j|^2 w^C_ij``, w^M =
    1 for pairs of one class, w^C = 1 for the others. Every class becomes one point.
    With three or more classes the positions of these points are arbitrary: all
    arrangements are solutions, which a warning says. Here they are the corners of a
    polygon, in the order of the classes, regular where classes are of one size.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the map.
    beta : float >= 0, default=1.0
        Weight of the pairs from different classes.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Positions of the samples, with Z^T Z = n I.
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues of L^M - beta L^C, rising, without the constant's 0.

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
    beta: NotNegative = 1.0

    def _fit(self, X, labels, labelled):
        """CS in closed form: a point for each class."""
        n = len(X)
        counts = np.bincount(self._class_of)
        c = len(counts)
        k = min(self.n_components, c - 1)
        zeros = self.n_components - k
        if c > 2 or zeros:
            warn(
                "CS puts each class at one point, whatever `X` is. The arrangement of"
                f" {c} classes is arbitrary, here a polygon, and {zeros} coordinates"
                " are zero. Use SLEML for a map of the data."
            )
        # W^M has no part in the Laplacian of W^M - beta W^C on vectors that are
        # constant on the classes. It is beta (N N^T - n diag N) there, N the class
        # sizes: any such vector of mean 0 is a solution, with eigenvalue -beta n.
        fourier = linalg.dft(c)[:, 1 : c // 2 + 1]
        waves = fourier.copy().view(float)
        root = np.sqrt(counts)[:, None]
        columns = np.column_stack([np.ones(c), waves[:, :k]])
        Q, _ = np.linalg.qr(root * columns)
        U = Q[:, 1:] / root * np.sqrt(n)
        U = pad_zeros(U, self.n_components)
        self._points = U * fix_signs(U)
        self.embedding_ = self._points[self._class_of]
        eigenvalues = np.full(k, -self.beta * n)
        self.eigenvalues_ = pad_zeros(eigenvalues, self.n_components)

    def _coordinates(self, squared, classes):
        """The points (m, k) of the classes (m,); distances have no influence."""
        return self._points[classes]


@parameters
class SLapEig(_ByClass, GraphMap):
    """S-LapEig (Tai2019, section 2.4): Laplacian eigenmap of supervised distances.

    They are shortened within classes and stretched between classes: ``d^2 = 1 -
    exp(-|x_i - x_j|^2 / tau2)`` within a class, ``exp(|x_i - x_j|^2 / tau2)`` between
    classes (there at least 1, so that every sample of the same class is nearer);
    weights exp(-d^2 / sigma2). The labels are part of the distance, so there is no
    balance to set.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the map.
    tau2 : float > 0 or None, default=None
        Width within the supervised distance. None: the square of the mean Euclidean
        distance of all pairs.
    n_neighbors : int or None, default=None
        Number of neighbours in the supervised distance: first those of the same class.
        None: 1.5 times the mean class size.
    sigma2 : float > 0 or None, default=None
        Width of the heat weights. None: the mean of the squared supervised distance
        over all pairs.
    verbose : bool, default=False
        Whether to show a progress bar of the samples whose neighbours are found.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Positions of the samples. The squares of each coordinate have the mean 1,
        weighted by the degrees D of the graph.
    eigenvalues_ : ndarray of shape (n_components,)
        Values mu of L z = mu D z, rising, without the constant's 0.
    graph_ : csr_matrix of shape (n_samples, n_samples)
        The weights of the graph.
    n_neighbors_ : int
        Number of neighbours used.
    sigma2_, tau2_ : float
        Widths used.
    residual_ : float
        Largest residual of the eigenvectors.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> SLapEig().fit_transform(X, y).shape
    (150, 2)
    """

    _: KW_ONLY
    tau2: OptionalPositive = None

    def _feature_graph(self, X):
        """The graph (n, n) of nearest neighbours in the supervised distances."""
        n = len(X)
        check_memory(
            "The graph of neighbours",
            n,
            self.n_neighbors_,
            arrays=8,
            remedy="Lower `n_neighbors`.",
        )
        n_pairs = n * (n - 1)
        blocks = even_blocks(n, n, BLOCK_ENTRIES)
        self.tau2_ = self.tau2
        if self.tau2 is None:
            mean_distance = _distance_sum(X, blocks) / n_pairs
            self.tau2_ = mean_distance**2
        if self.tau2_ == 0:
            self.tau2_ = 1.0
        parts = []
        total = 0.0
        with self._bar("neighbours", n) as done:
            for block in blocks:
                squared = _squared(X[block], X)
                d2 = self._supervised(squared, self._class_of[block])
                total += d2.sum()
                d2[np.arange(len(block)), block] = np.inf
                parts.append(self._nearest(d2))
                done(len(block))
        self.sigma2_ = self.sigma2
        if self.sigma2 is None:
            self.sigma2_ = total / n_pairs
        distances = sparse.vstack(parts, format="csr")
        return symmetrize(heat_weights(distances, self.sigma2_))

    def _supervised(self, squared, classes):
        """Squared supervised distances (m, n) of samples of the classes (m,).

        `squared` (m, n) are their squared distances to the training samples.
        """
        # exp(100) is larger than any distance needs to be.
        ratio = np.minimum(squared / self.tau2_, 100)
        same_class = classes[:, None] == self._class_of
        return np.where(same_class, 1 - np.exp(-ratio), np.exp(ratio))

    def _nearest(self, d2):
        """Distances to the nearest, as a sparse matrix, from squared ones (m, n)."""
        return nearest_graph([d2], self.n_neighbors_, d2.shape)

    def _coordinates(self, squared, classes):
        """Positions (m, k) by neighbours in supervised distances, see `_ByClass`."""
        distances = self._nearest(self._supervised(squared, classes))
        weights = heat_weights(distances, self.sigma2_)
        degrees = weights.sum(axis=1).A1
        means = weights @ self.embedding_ / degrees[:, None]
        shrinkage = np.maximum(1 - self.eigenvalues_, 0.1)
        return means / shrinkage


@parameters
class SLE(_ByClass, Eigenmap):
    """S-LE (Tai2019, section 2.5): separates near samples of different classes.

    It increases the distances of near samples of different classes and decreases those
    of the same class. Maximises ``beta sum_ij |z_i - z_j|^2 w^B_ij - (1 - beta) sum_ij
    |z_i - z_j|^2 w^W_ij`` subject to Z^T D^W Z = I. w^W is the similarity s of near
    pairs of one class, w^B is 1 for near pairs of different classes (i near j, or j
    near i), as in the method's original paper. Near are the samples that are more
    similar than the mean similarity, about half of all, and each sample itself. So
    little of the neighbourhoods is preserved, and a suitable `beta` depends on the
    number of classes. Needs n x n arrays.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the map.
    beta : float in [0, 1], default=0.5
        Weight of the repulsion between classes against the attraction within classes.
    sigma2 : float > 0 or None, default=None
        Width of the similarity. None: the mean squared distance of all pairs.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Positions of the samples.
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues, falling: the criterion is maximised.
    sigma2_ : float
        Width used.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> SLE(beta=0.1).fit_transform(X, y).shape
    (150, 2)
    """

    _: KW_ONLY
    beta: Fraction = 0.5
    sigma2: OptionalPositive = None

    def _fit(self, X, labels, labelled):
        """S-LE: affinities of near pairs within and between classes, eigenvectors."""
        check_memory(
            "The similarities of all pairs",
            len(X),
            arrays=8,
            remedy="Fit a sample; `transform` maps the rest.",
        )
        self._beta = self.beta
        self.sigma2_ = self.sigma2
        if self.sigma2 is None:
            self.sigma2_ = mean_squared_distance(X)
        if self.sigma2_ == 0:
            self.sigma2_ = 1.0
        S = np.exp(-_squared(X, X) / self.sigma2_)
        S = (S + S.T) / 2
        # A pair is near where it is more similar than the mean similarity of either.
        self._mean_similarity = S.mean(axis=1)
        is_near = S > self._mean_similarity[:, None]
        is_near |= is_near.T
        np.fill_diagonal(is_near, True)
        W_W, W_B = self._weights(S, is_near, self._class_of)
        D_W = W_W.sum(axis=1)
        D_B = W_B.sum(axis=1)
        if not W_B.any() or self.beta == 0:
            warn(
                "S-LE has no pairs to separate: `beta` is 0, or no near pair is between"
                " classes. It only contracts classes, and the first coordinates"
                " separate their connected components."
            )
        # A is beta L^B - (1 - beta) L^W.
        A = self.beta * (np.diag(D_B) - W_B)
        L_W = np.diag(D_W) - W_W
        A -= (1 - self.beta) * L_W
        # The map has the largest of A v = value D^W v but for the constant.
        k = self.n_components
        root = np.sqrt(D_W)
        A = A / root[:, None] / root
        constant = root / np.linalg.norm(root)
        scale = np.abs(A).sum(axis=1).max()
        # The constant vector goes to the end.
        A -= 2 * scale * np.outer(constant, constant)
        values, V = symmetric_eigenpairs((A + A.T) / 2, k + 1)
        if values[k - 1] - values[k] <= 1e-9 * scale:
            warn(
                f"S-LE: eigenvalues {k} and {k + 1} are equal ({values[k]:.4g}); the"
                " map is one of many. Change `beta` or `sigma2`."
            )
        self.eigenvalues_ = values[:k]
        Z = V[:, :k] / root[:, None] * np.sqrt(D_W.sum())
        self.embedding_ = Z * fix_signs(Z)

    def _weights(self, S, is_near, classes):
        """Weights within and between classes, of samples of the classes (m,).

        S and `is_near` (m, n) are the similarities to the training samples, and which
        of the pairs are near.
        """
        same_class = classes[:, None] == self._class_of
        within = is_near & same_class
        between = is_near & ~same_class
        return S * within, between.astype(float)

    def _coordinates(self, squared, classes):
        """Positions (m, k) by the eigenvector equation's new row, see `_ByClass`."""
        s = np.exp(-squared / self.sigma2_)
        is_near = s > s.mean(axis=1, keepdims=True)
        is_near |= s > self._mean_similarity
        w_w, w_b = self._weights(s, is_near, classes)
        # The row of the new sample is [beta L^B - (1 - beta) L^W - mu D^W] z = 0.
        w = (1 - self._beta) * w_w - self._beta * w_b
        d_w = w_w.sum(axis=1, keepdims=True)
        diagonal = self.eigenvalues_ * (d_w + 1) + w.sum(axis=1, keepdims=True)
        floor = 0.1 * np.abs(w).sum(axis=1, keepdims=True)
        floor += TINY
        size = np.maximum(np.abs(diagonal), floor)
        divisor = np.copysign(size, diagonal)
        return w @ self.embedding_ / divisor


def _distance_sum(X, blocks):
    """Sum of the distances of all ordered pairs, by blocks of rows."""
    total = 0
    for block in blocks:
        total = total + np.sqrt(_squared(X[block], X)).sum()
    return total


def _squared(A, B):
    """Squared distances (m, n) of samples A (m, d) and B (n, d)."""
    center = B.mean(axis=0)
    return squared_distances(A - center, B - center)
