"""Base class of all embedders: samples given as vectors or as distances, starting maps, progress of the descent."""

import io
import re
import sys
from abc import ABC, abstractmethod
from contextlib import contextmanager, redirect_stdout

import numpy as np
import scipy.sparse
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)

from ..core.arrays import check_table
from ..core.checks import (
    check_callable,
    check_distances,
    check_flag,
    check_integer,
    check_lengths,
    check_n_components,
    check_option,
    check_seed,
)
from ..core.estimators import restore_on_failure, training_samples, warn
from ..core.graphs import squared_distances
from ..core.linalg import fix_signs, symmetric_eigenpairs
from ..core.memory import check_memory
from ..core.parameters import parameters
from ..core.progress import progress
from ..core.scaling import warn_of_scales

MAX_ITERATIONS = 10**6


class EmbedInput:
    """Samples as an embedder reads them: vectors `X` (n, d), or distances `D` (n, n), sparse as a `graph`.

    Vectors are kept about their mean as `X` and about their median as `vectors`; `mean`
    (d,) is that of the data.
    """

    def __init__(self, X=None, *, D=None):
        if X is not None:
            # an outlier must not cost the others precision
            center = np.median(X, axis=0)
            self.vectors = X - center
            middle = self.vectors.mean(axis=0)
            self.mean = center + middle
            X = self.vectors - middle
        self.X = X
        self.graph = D if scipy.sparse.issparse(D) else None
        self._D = D
        self.n = (D if X is None else X).shape[0]

    def squared(self):
        """Squared distances (n, n)."""
        return (
            squared_distances(self.vectors, self.vectors)
            if self._D is None
            else self._D**2
        )

    def distances(self):
        """Distances (n, n)."""
        return np.sqrt(self.squared()) if self._D is None else self._D

    def in_own_unit(self):
        """The samples over their largest value, and that value: squares then neither overflow nor vanish."""
        if self.X is None:
            unit = float(self._D.max()) or 1.0
            return EmbedInput(D=self._D / unit), unit
        unit = float(np.abs(self.X).max())
        # all equal: what is left is rounding
        if unit <= 4 * np.finfo(float).eps * np.abs(self.mean).max():
            return EmbedInput(np.zeros_like(self.X)), 1.0
        return EmbedInput(self.X / unit), unit

    def gram(self):
        """Scalar products about the mean, (n, n): of the vectors, or by double centring of squared distances."""
        if self.X is not None:
            return self.X @ self.X.T
        G = -0.5 * self._D**2
        rows = G.mean(axis=0)
        G -= rows
        G -= rows[:, None]
        return G + rows.mean()


@parameters(kw_only=True)
class Embedder(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator, ABC):
    """A map of given samples: vectors (n, d) by default, distances (n, n) with ``metric="precomputed"``."""

    metric: str = "euclidean"
    verbose: bool = False

    _takes_graphs = False
    _magnitude = True  # "squares": values whose squares vanish are refused
    _arrays = 0  # of shape (n, n) that there are at once
    _least_iterations = 1
    _spared = ""  # what else helps beside a sample

    @property
    def _n_features_out(self):
        return self.embedding_.shape[1]

    def __getattr__(self, name):
        message = f"{type(self).__name__!r} object has no attribute {name!r}"
        if name == "transform":
            message += (
                ": it maps the samples of `fit` only."
                " toolkit.kernelmap.KernelMap().fit(X, embedding_) maps new ones,"
                " toolkit.embed.ParametricTSNE does so by itself"
            )
        raise AttributeError(message, name=name, obj=self)

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
        given = (
            check_option(self.metric, "metric", ("euclidean", "precomputed"))
            == "precomputed"
        )
        X = training_samples(
            self, X, sparse=given and self._takes_graphs, magnitude=self._magnitude
        )
        check_callable(
            getattr(self, "callback", None),
            "callback",
            "a function of (iteration, cost)",
        )
        check_flag(self.verbose, "verbose")
        step = f"{type(self).__name__} of {X.shape[0]:,} samples"
        remedy = (
            f"Map a sample{self._spared}, and place the rest with"
            " toolkit.kernelmap.KernelMap."
        )
        arrays = self._all_pairs(given and not scipy.sparse.issparse(X))
        check_memory(step, X.shape[0], arrays=arrays, remedy=remedy)
        samples = self._read(X)
        if hasattr(self, "n_components"):
            check_n_components(
                self.n_components, samples.n - 1, self.n_features_in_, "n_samples - 1"
            )
        if hasattr(self, "max_iter"):
            check_integer(
                self.max_iter, "max_iter", self._least_iterations, MAX_ITERATIONS
            )
        self._embed(samples)
        return self

    def fit_transform(self, X, y=None):
        """Map the samples and return `embedding_`, shape (n, n_components)."""
        return self.fit(X).embedding_

    @abstractmethod
    def _embed(self, samples):
        """Compute everything from an EmbedInput, then set the fitted attributes."""

    def _all_pairs(self, distances):
        """How many arrays (n, n) there are at once; `distances`: whether X is such an array itself."""
        return self._arrays

    @contextmanager
    def _watched(self, total, what):
        """A function of (iteration, cost) that moves the bar of `verbose` and calls `callback`."""
        with progress(total, what, self.verbose) as done:
            before = 0

            def tell(iteration, cost):
                nonlocal before
                done(iteration - before)
                before = iteration
                if self.callback is not None:
                    self.callback(iteration, cost)

            yield tell

    @contextmanager
    def _watched_by_lines(self, total, what, pattern):
        """`verbose` for a library whose printed lines match the two groups of `pattern`, iteration and cost."""
        if not self.verbose and self.callback is None:
            yield 0
            return
        with self._watched(total, what) as tell, redirect_stdout(_Lines(tell, pattern)):
            yield 2

    def _starting_map(self, samples, n_components, **rules):
        with progress(1, "start", self.verbose):
            return starting_map(
                self.init, samples, n_components, self.random_state, **rules
            )

    def _read(self, X):
        if self.metric == "precomputed":
            return EmbedInput(
                D=_checked_graph(X) if scipy.sparse.issparse(X) else check_distances(X)
            )
        warn_of_scales(X, self)
        if _like_distances(X):
            seen = (
                "`X` looks like a matrix of distances (square, symmetric, not negative,"
                " zero diagonal)"
            )
            warn(
                f"{seen} but is read as vectors; for distances set"
                ' metric="precomputed".'
            )
        return EmbedInput(X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        tags.input_tags.sparse = self._takes_graphs and self.metric == "precomputed"
        return tags


@parameters(kw_only=True)
class IterativeEmbedder(Embedder):
    """An embedder whose map is improved step by step, maybe from a random start."""

    random_state: object = None
    callback: object = None


class _Lines(io.TextIOBase):
    """What a library prints: a stream that calls `tell(iteration, cost)` instead of showing it."""

    def __init__(self, tell, pattern):
        self.tell = tell
        self.pattern = pattern
        self.shown = sys.stdout
        self.rest = ""

    def write(self, text):
        *lines, self.rest = (self.rest + text).split("\n")
        for line in lines:
            if found := re.search(self.pattern, line):
                with redirect_stdout(self.shown):  # so that a callback may print
                    self.tell(int(found[1]), float(found[2]))
        return len(text)


def _like_distances(X):
    square = X.shape[0] == X.shape[1] and X.shape[0] > 2
    return (
        square
        and not X.diagonal().any()
        and X.min() >= 0
        and X.max() > 0
        and np.allclose(X, X.T, rtol=1e-8, atol=0)
    )


def _checked_graph(W):
    """Sparse distances (n, n) as a csr_matrix without diagonal."""
    if W.shape[0] != W.shape[1]:
        raise ValueError(
            "`X` must be a square matrix of distances, shape (n, n); got shape"
            f" {W.shape}."
        )
    check_lengths(W.data)
    if W.diagonal().any():
        raise ValueError(
            "`X` must have a zero diagonal: no sample has a distance from itself."
        )
    W = scipy.sparse.csr_matrix(off_diagonal(W), shape=W.shape)
    stored = W.copy()
    stored.data = np.ones_like(W.data)
    both = stored.multiply(stored.T)  # pairs that are stored in both directions
    gap = abs(W.multiply(both) - W.T.multiply(both)).tocoo()
    if gap.max() > 1e-8 * W.max():
        largest = np.argmax(gap.data)
        i, j = gap.row[largest], gap.col[largest]
        raise ValueError(
            f"`X` must be symmetric where both directions are stored; entries ({i},"
            f" {j}) and ({j}, {i}) are {W[i, j]:.6g} and {W[j, i]:.6g}. If that is"
            " meant, take their mean."
        )
    return W


def off_diagonal(W):
    """Values and (rows, columns) of the stored entries of a sparse matrix outside its diagonal, zeros included."""
    W = W.tocoo()
    off = W.row != W.col
    return W.data[off], (W.row[off], W.col[off])


def classical_map(samples, n_components):
    """Coordinates (n, n_components) and eigenvalues of classical multidimensional scaling; of vectors, their PCA.

    Directions of negative eigenvalues, which only distances of no Euclidean space have,
    get zeros.
    """
    X = samples.X
    if X is not None and X.shape[1] < len(X):
        values, vectors = symmetric_eigenpairs(X.T @ X, min(n_components, X.shape[1]))
        more = (0, n_components - len(values))
        Z = np.pad(X @ vectors, ((0, 0), more))
        # signs as for distances
        return Z * fix_signs(Z), np.pad(np.maximum(values, 0), more)
    values, vectors = symmetric_eigenpairs(samples.gram(), n_components)
    return vectors * np.sqrt(np.maximum(values, 0)), values


class EuclideanPart:
    """Coordinates `X` (n, r) for distances: those of all positive eigenvalues of their scalar products.

    Euclidean distances are kept; of others the part of the negative eigenvalues is left
    out.
    """

    def __init__(self, samples):
        squared = samples.squared()
        self._means = squared.mean(axis=0)
        self._mean = squared.mean()
        values, vectors = symmetric_eigenpairs(samples.gram())
        kept = values > 1e-12 * max(values[0], 0)
        kept[0] = True  # all samples equal: one coordinate of zeros
        root = np.sqrt(np.maximum(values[kept], 0))
        self.X = vectors[:, kept] * root
        self._to_coordinates = np.divide(
            vectors[:, kept], root, where=root > 0, out=np.zeros_like(self.X)
        )

    def coordinates(self, squared):
        """Of new samples (m, r), from squared distances to the samples (m, n)."""
        G = -0.5 * (
            squared - squared.mean(axis=1, keepdims=True) - self._means + self._mean
        )
        return G @ self._to_coordinates


def is_named(init):
    """Whether a start is to be computed; otherwise `init` should be the map itself."""
    return init is None or (isinstance(init, str) and init in ("pca", "random"))


def starting_map(init, samples, n_components, random_state, *, size=None, limit=1e100):
    """Map (n, n_components) where a descent starts: "pca" (classical scaling), "random" (None of a graph), or `init`.

    `size` is the standard deviation of the first coordinate of a computed start,
    `limit` the largest number in a given.
    """
    rng = check_seed(random_state)
    if is_named(init):
        if init == "random" or init is None and samples.graph is not None:
            Z = rng.normal(size=(samples.n, n_components))
        elif samples.graph is None:
            Z = classical_map(samples, n_components)[0]
        else:
            raise ValueError(
                '`init` "pca" needs all distances, and `X` holds some; use "random" or'
                " a map."
            )
        if size is None:
            return Z
        deviation = Z[:, 0].std()
        # add noise: coincident starting points (all inliers, beside one distant
        # outlier) could never separate
        noise = 1e-2 * size * np.random.default_rng(0).normal(size=Z.shape)
        return Z * (size / deviation if deviation > 0 else 0) + noise
    shape = (samples.n, n_components)
    Z = check_table(
        init,
        "init",
        shape=shape,
        rule=f'"pca", "random" or finite numbers of shape {shape}',
    ).copy()
    largest = np.abs(Z).max()
    extent = np.ptp(Z, axis=0).max()
    if largest > limit or not extent:
        raise ValueError(
            f"`init` must hold positions that differ, with numbers up to {limit:g}; its"
            f" largest is {largest:.3g}, its extent {extent:.3g}. Rescale it, or leave"
            " it out."
        )
    return Z


def in_unit(init, Z, unit):
    """The starting map `Z` of `init`, divided by the unit of the distances if it was given."""
    if is_named(init):
        return Z
    with np.errstate(over="ignore"):
        Z = Z / unit
    if not (ratio := np.abs(Z).max()) <= 1e100:
        raise ValueError(
            f"`init` must be in units of the distances, which are about {unit:.3g}; got"
            f" values up to {ratio:.3g} times that. Rescale it."
        )
    return Z
