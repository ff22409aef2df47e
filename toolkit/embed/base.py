"""What all embedders share: samples as vectors or as distances, a start, and a way to watch the descent."""

from abc import ABC, abstractmethod

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array, validate_data

from ..core.checks import check_distances, check_lengths, check_magnitude, check_n_components
from ..core.estimators import restore_on_failure, warn
from ..core.graphs import squared_distances
from ..core.linalg import fix_signs, symmetric_eigenpairs

__all__ = ["Embedder", "EuclideanPart", "Samples", "classical_map", "squared_to_new", "starting_map"]


class Samples:
    """Samples as an embedder reads them.

    Attributes
    ----------
    n : int
    X : ndarray of shape (n, d), vectors about their mean, or None
    vectors : ndarray of shape (n, d), the same about their median
    mean : ndarray of shape (d,)
    graph : csr_matrix of shape (n, n), lengths to some neighbours where only those are known, or None
    """

    def __init__(self, X=None, *, D=None, graph=None):
        if X is not None:
            center = np.median(X, axis=0)  # a far sample must not cost the others their digits
            self.vectors = X - center
            middle = self.vectors.mean(axis=0)
            self.mean, X = center + middle, self.vectors - middle
        self.X = X
        self.graph, self._D = graph, D
        self.n = len(X) if X is not None else (D if graph is None else graph).shape[0]

    def squared(self):
        """Squared distances (n, n)."""
        return squared_distances(self.vectors, self.vectors) if self._D is None else self._D**2

    def distances(self):
        """Distances (n, n)."""
        return np.sqrt(self.squared()) if self._D is None else self._D

    def in_own_unit(self):
        """The samples over their largest value, and that value: squares then neither overflow nor vanish.

        Examples
        --------
        >>> scaled, unit = Samples(np.array([[1e-200], [3e-200]])).in_own_unit()
        >>> scaled.X.tolist(), unit
        ([[-1.0], [1.0]], 1e-200)
        """
        if self.graph is not None:
            unit = float(self.graph.data.max(initial=0.0)) or 1.0
            return Samples(graph=self.graph / unit), unit
        if self.X is None:
            unit = float(self._D.max()) or 1.0
            return Samples(D=self._D / unit), unit
        unit = float(np.abs(self.X).max())
        if unit <= 4 * np.finfo(float).eps * np.abs(self.mean).max():  # all equal: what is left is rounding
            return Samples(np.zeros_like(self.X)), 1.0
        return Samples(self.X / unit), unit

    def gram(self):
        """Scalar products about the mean, (n, n): of the vectors, or by double centring of squared distances."""
        if self.X is not None:
            return self.X @ self.X.T
        G = -0.5 * self._D**2
        rows = G.mean(axis=0)
        G -= rows
        G -= rows[:, None]
        return G + rows.mean()


class Embedder(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator, ABC):
    """A map of given samples: vectors (n, d) by default, distances (n, n) with ``metric="precomputed"``."""

    _takes_graphs = False

    @property
    def _n_features_out(self):
        return self.embedding_.shape[1]

    @restore_on_failure
    def fit(self, X, y=None):
        """Map the samples.

        Parameters
        ----------
        X : array-like of shape (n, d); with ``metric="precomputed"`` distances (n, n), lengths and not squares
        y : ignored

        Returns
        -------
        self
        """
        X = validate_data(
            self,
            X,
            dtype=np.float64,
            ensure_min_samples=2,
            accept_sparse="csr" if self._takes_graphs and self.metric == "precomputed" else False,
        )
        callback = getattr(self, "callback", None)
        if callback is not None and not callable(callback):
            raise ValueError(f"`callback` must be a function of (iteration, cost), or None; got {callback!r}.")
        self._embed(self._samples(X))
        return self

    def fit_transform(self, X, y=None):
        """Map the samples and return `embedding_`, shape (n, n_components)."""
        return self.fit(X).embedding_

    @abstractmethod
    def _embed(self, samples):
        """Compute everything, then set the fitted attributes."""

    def _samples(self, X):
        if self.metric not in ("euclidean", "precomputed"):
            raise ValueError(f'`metric` must be "euclidean" or "precomputed"; got {self.metric!r}.')
        if self.metric == "precomputed":
            if scipy.sparse.issparse(X):
                return Samples(graph=_checked_graph(X))
            D = check_distances(X, name="X")
            check_magnitude(D)
            return Samples(D=D)
        check_magnitude(X)
        if _like_distances(X):
            warn(
                "`X` looks like a matrix of distances (square, symmetric, not negative, zero diagonal) but is read as "
                'vectors; for distances set metric="precomputed".'
            )
        return Samples(X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        tags.input_tags.sparse = self._takes_graphs and self.metric == "precomputed"
        return tags


def _like_distances(X):
    square = X.shape[0] == X.shape[1] and X.shape[0] > 2
    return square and not X.diagonal().any() and X.min() >= 0 and X.max() > 0 and np.allclose(X, X.T, rtol=1e-8, atol=0)


def _checked_graph(W):
    if W.shape[0] != W.shape[1]:
        raise ValueError(f"`X` must be a square matrix of distances, shape (n, n); got shape {W.shape}.")
    check_lengths(W.data)
    if W.diagonal().any():
        raise ValueError("`X` must have a zero diagonal: no sample has a distance from itself.")
    W = W.tocoo()
    off = W.row != W.col
    W = scipy.sparse.csr_matrix((W.data[off], (W.row[off], W.col[off])), shape=W.shape)
    stored = W.copy()
    stored.data = np.ones_like(W.data)
    both = stored.multiply(stored.T)  # pairs that are stored in both directions
    gap = abs(W.multiply(both) - W.T.multiply(both)).tocoo()
    if gap.nnz and gap.data.max() > 1e-8 * W.data.max():
        worst = int(np.argmax(gap.data))
        i, j = gap.row[worst], gap.col[worst]
        raise ValueError(
            f"`X` must be symmetric where both directions are stored; entries ({i}, {j}) and ({j}, {i}) are "
            f"{W[i, j]:.6g} and {W[j, i]:.6g}. If that is meant, take their mean."
        )
    return W


def classical_map(samples, n_components):
    """Classical multidimensional scaling: coordinates whose scalar products are as near as can be to the given ones.

    Parameters
    ----------
    samples : Samples
    n_components : int

    Returns
    -------
    Z : ndarray of shape (n, n_components)
        For vectors their principal components. Directions of negative eigenvalues, which only distances of no Euclidean
        space have, get zeros.
    eigenvalues : ndarray of shape (n_components,)

    Examples
    --------
    >>> Z, values = classical_map(Samples(np.array([[0.0, 0], [2, 0], [0, 0], [2, 0]])), 1)
    >>> Z.ravel().tolist(), values.tolist()
    ([1.0, -1.0, 1.0, -1.0], [4.0])
    """
    X = samples.X
    if X is not None and X.shape[1] < len(X):
        d = X.shape[1]
        values, vectors = symmetric_eigenpairs(X.T @ X, min(n_components, d))
        Z = np.zeros((len(X), n_components))
        Z[:, : len(values)] = X @ vectors
        Z *= fix_signs(Z)  # as for distances
        return Z, np.pad(np.maximum(values, 0), (0, n_components - len(values)))
    values, vectors = symmetric_eigenpairs(samples.gram(), n_components)
    return vectors * np.sqrt(np.maximum(values, 0)), values


class EuclideanPart:
    """Coordinates for distances: those of all positive eigenvalues of their scalar products.

    Parameters
    ----------
    samples : Samples of distances

    Attributes
    ----------
    X : ndarray of shape (n, r)
        Distances of a Euclidean space are kept; of others the part of the negative eigenvalues is left out.

    Examples
    --------
    >>> D = np.array([[0.0, 3, 5], [3, 0, 4], [5, 4, 0]])
    >>> part = EuclideanPart(Samples(D=D))
    >>> bool(np.allclose(part.coordinates(D**2), part.X))
    True
    """

    def __init__(self, samples):
        squared = samples.squared()
        self._means, self._mean = squared.mean(axis=0), squared.mean()
        values, vectors = symmetric_eigenpairs(samples.gram())
        kept = values > 1e-12 * max(values[0], 0)
        kept[0] = True  # all samples equal: one coordinate of zeros
        root = np.sqrt(np.maximum(values[kept], 0))
        self.X = vectors[:, kept] * root
        self._to_coordinates = np.divide(vectors[:, kept], root, where=root > 0, out=np.zeros_like(self.X))

    def coordinates(self, squared):
        """Of new samples, from squared distances to the samples (m, n)."""
        G = -0.5 * (squared - squared.mean(axis=1, keepdims=True) - self._means + self._mean)
        return G @ self._to_coordinates


def starting_map(init, samples, n_components, random_state, *, size=None, default="pca", most=1e100):
    """Where a descent starts.

    Parameters
    ----------
    init : "pca", "random", None or array-like of shape (n, n_components)
        Classical scaling (principal components), a normal sample, the `default` of the two, or a given map.
    samples : Samples
    n_components : int
    random_state : int, RandomState or None
    size : float, optional
        Standard deviation of the first coordinate of a start that is not given.
    default : {"pca", "random"}
    most : float
        The largest number that a given map may hold.

    Returns
    -------
    ndarray of shape (n, n_components)

    Examples
    --------
    >>> starting_map([[0, 1]], Samples(np.ones((2, 3))), 2, None)
    Traceback (most recent call last):
    ...
    ValueError: `init` must be "pca", "random" or finite numbers of shape (2, 2); got shape (1, 2).
    """
    init = default if init is None else init
    rng = check_random_state(random_state)
    if isinstance(init, str) and init in ("pca", "random"):
        if init == "pca" and samples.graph is not None:
            raise ValueError('`init` "pca" needs all distances, and `X` holds some; use "random" or a map.')
        if init == "random":
            Z = rng.normal(size=(samples.n, n_components))
        else:
            Z = classical_map(samples, n_components)[0]
        if size is None:
            return Z
        spread = Z[:, 0].std()
        # some noise besides: samples that share a place, as all others do beside a far one, could not part
        noise = 1e-2 * size * np.random.default_rng(0).normal(size=Z.shape)
        return Z * (size / spread if spread > 0 else 0) + noise
    wanted = (samples.n, n_components)
    try:
        Z = check_array(init, dtype=np.float64, copy=True)
    except (TypeError, ValueError):
        raise ValueError(f'`init` must be "pca", "random" or finite numbers of shape {wanted}.') from None
    if Z.shape != wanted:
        raise ValueError(f'`init` must be "pca", "random" or finite numbers of shape {wanted}; got shape {Z.shape}.')
    largest = np.abs(Z).max()
    if largest > most or not np.ptp(Z, axis=0).any():
        raise ValueError(
            f"`init` must hold places that differ, with numbers up to {most:g}; its largest is {largest:.3g}, its "
            f"extent {np.ptp(Z, axis=0).max():.3g}. Rescale it, or leave it out."
        )
    return Z


def check_dimension(n_components, samples):
    """`n_components` as an int below the number of samples."""
    return check_n_components(
        n_components, samples.n - 1, samples.n if samples.X is None else samples.X.shape[1], "n_samples - 1"
    )


def squared_to_new(estimator, X):
    """Squared distances (m, n) of new samples to those of `fit` from their distances."""
    X = validate_data(estimator, X, dtype=np.float64, reset=False)
    check_lengths(X)
    return X**2
