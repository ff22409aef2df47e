"""Base class of all embedders: how samples are read, starting maps, and progress."""

from abc import ABC, abstractmethod
from dataclasses import KW_ONLY
from typing import Annotated, Literal

import numpy as np
from scipy import sparse

from ..core import (
    EPSILON,
    EmbeddingMap,
    Flag,
    check_distances,
    check_integer,
    check_lengths,
    check_memory,
    check_n_components,
    fit_method,
    fix_signs,
    magnitude,
    off_diagonal,
    pad_zeros,
    parameters,
    rule,
    safe_root,
    squared_distances,
    symmetric_eigenpairs,
    training_samples,
    warn,
)

# A search by products may leave this fraction of the largest distance from a sample to
# itself.
SEARCH_ROUNDING = 1e-3
Iterations = Annotated[int, rule(check_integer, high=10**6)]


class EmbedInput:
    """Samples as an embedder reads them: vectors `X` (n, d), or distances `D` (n, n).

    Vectors are stored about their mean as `X` and about their median as `vectors`;
    `mean` (d,) is that of the data. Sparse distances are a `graph`.
    """

    def __init__(self, X=None, *, D=None):
        if X is not None:
            # an outlier must not cost the others precision
            center = np.median(X, axis=0)
            self.vectors = X - center
            offset = self.vectors.mean(axis=0)
            self.mean = center + offset
            X = self.vectors - offset
        self.X = X
        self.graph = None
        if sparse.issparse(D):
            self.graph = D
        self._D = D
        data = D if X is None else X
        self.n = data.shape[0]

    def squared(self):
        """Squared distances (n, n)."""
        if self._D is None:
            return squared_distances(self.vectors, self.vectors)
        return self._D**2

    def distances(self, rows=slice(None)):
        """Distances (n, n), or those of some rows to all."""
        if self._D is not None:
            return self._D[rows]
        squared = squared_distances(self.vectors[rows], self.vectors)
        return np.sqrt(squared)

    def rescale(self):
        """The samples over their largest value, and that value.

        Squares then neither overflow nor vanish.
        """
        if self.X is None:
            unit = float(self._D.max())
            if unit == 0:
                unit = 1.0
            return EmbedInput(D=self._D / unit), unit
        unit = float(magnitude(self.X))
        # Samples that are all equal differ from their mean by rounding.
        if unit <= 4 * EPSILON * magnitude(self.mean):
            return EmbedInput(np.zeros_like(self.X)), 1.0
        return EmbedInput(self.X / unit), unit

    def gram(self):
        """Scalar products about the mean, (n, n): of distances by double centring."""
        if self.X is not None:
            return self.X @ self.X.T
        G = self._D**2
        G *= -0.5
        rows = G.mean(axis=0)
        G -= rows
        G -= rows[:, None]
        G += rows.mean()
        return G


@parameters
class Embedder(EmbeddingMap, ABC):
    """Base class of maps of given samples.

    Parameters
    ----------
    metric : {"euclidean", "precomputed"}, default="euclidean"
        Whether `fit` gets vectors (n_samples, n_features) or distances (n_samples,
        n_samples).
    verbose : bool, default=False
        Whether to show a progress bar.
    """

    _: KW_ONLY
    metric: Literal["euclidean", "precomputed"] = "euclidean"
    verbose: Flag = False

    _magnitude = True  # "squares": values whose squares vanish are refused
    # arrays (n, n) at once, for vectors and for distances
    _n_dense_matrices = (0, 0)
    _memory_hint = ""  # what else helps than a sample

    def __getattr__(self, name):
        message = f"{type(self).__name__!r} object has no attribute {name!r}"
        if name == "transform":
            message += (
                ": it maps the samples of `fit` only."
                " toolkit.kernelmap.KernelMap().fit(X, embedding_) maps new ones,"
                " toolkit.embed.ParametricTSNE does so by itself"
            )
        raise AttributeError(message, name=name, obj=self)

    # Checks and the result alone: all steps of a method are in its `_embed`.
    @fit_method
    def fit(self, X, y=None):
        """Compute the map of the samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples. With ``metric="precomputed"`` distances (n_samples, n_samples),
            lengths and not squares.
        y : object, default=None
            Ignored.

        Returns
        -------
        self : object
            The fitted map.

        Raises
        ------
        ValueError
            If a parameter violates its rule, if distances are negative or not
            symmetric, or if memory does not suffice for the arrays of all pairs.
        """
        X = training_samples(self, X, magnitude=self._magnitude)
        self._check_memory(X)
        samples = self._read(X)
        if hasattr(self, "n_components"):
            check_n_components(
                self.n_components,
                samples.n - 1,
                self.n_features_in_,
                "n_samples - 1",
            )
        self._embed(samples)
        return self

    @abstractmethod
    def _embed(self, samples):
        """Compute the map of an `EmbedInput` of n samples.

        It sets `embedding_` (n, k) and the other fitted attributes; nothing is
        returned.
        """

    def _check_memory(self, X):
        """Refuse samples X for whose arrays of all pairs there is no memory."""
        for_vectors, for_distances = self._n_dense_matrices
        arrays = for_vectors
        if self.metric == "precomputed" and not sparse.issparse(X):
            arrays = for_distances
        n = X.shape[0]
        check_memory(
            f"{type(self).__name__} of {n:,} samples",
            n,
            arrays=arrays,
            remedy=f"Map a sample{self._memory_hint}, and place the rest with"
            " toolkit.kernelmap.KernelMap.",
        )

    def _principal_map(self, samples, n_components):
        """The classical map (n, n_components), from which a descent starts."""
        with self._bar("start"):
            return classical_map(samples, n_components)[0]

    def _read(self, X):
        """The EmbedInput of the array or sparse matrix that `fit` was given."""
        if sparse.issparse(X):
            return EmbedInput(D=_check_graph(X))
        # The layout in memory decides the order of sums.
        X = np.ascontiguousarray(X)
        if self.metric == "precomputed":
            return EmbedInput(D=check_distances(X))
        if (
            X.shape[0] == X.shape[1] > 2
            and not X.diagonal().any()
            and X.min() >= 0
            and X.max() > 0
            and np.allclose(X, X.T, rtol=1e-8, atol=0)
        ):
            warn(
                "`X` looks like a matrix of distances (square, symmetric, not negative,"
                " zero diagonal) but is read as vectors; for distances set"
                ' metric="precomputed".'
            )
        return EmbedInput(X)


def _check_graph(W):
    """Sparse distances (n, n) as a csr_matrix without diagonal."""
    if W.shape[0] != W.shape[1]:
        raise ValueError(
            "`X` must be a square matrix of distances, shape (n, n); got shape"
            f" {W.shape}."
        )
    check_lengths(W.data)
    self_distance = W.diagonal().max()
    if self_distance > SEARCH_ROUNDING * W.max():
        raise ValueError(
            "`X` must have a zero diagonal: no sample has a distance from itself; got"
            f" {self_distance:.3g}."
        )
    W = sparse.csr_matrix(off_diagonal(W), shape=W.shape)
    stored_pairs = W.copy()
    stored_pairs.data = np.ones_like(W.data)
    # Pairs that are stored in one direction only have no entry here.
    two_way = W.multiply(stored_pairs.T)
    gap = abs(two_way - two_way.T).max()
    if gap > 1e-8 * W.max():
        raise ValueError(
            "`X` must be symmetric where both directions are stored; they differ by up"
            f" to {gap:.3g}. If that is meant, take their mean."
        )
    return W


def classical_map(samples, n_components):
    """Coordinates (n, n_components) and eigenvalues of classical scaling.

    Of vectors it is principal component analysis. Directions of negative eigenvalues,
    which only distances of no Euclidean space have, get zeros.
    """
    X = samples.X
    if X is not None and X.shape[1] < len(X):
        rank = min(n_components, X.shape[1])
        values, vectors = symmetric_eigenpairs(X.T @ X, rank)
        values = pad_zeros(np.maximum(values, 0), n_components)
        Z = pad_zeros(X @ vectors, n_components)
        # The signs are those of the map of the same distances.
        return Z * fix_signs(Z), values
    values, vectors = symmetric_eigenpairs(samples.gram(), n_components)
    return vectors * safe_root(values), values
