"""Base classes of the Fisher metrics: distances and matrices (all metrics), nearest neighbours (metrics of classes).

The Fisher information matrix J(x) of what a model says at x makes the data space a
Riemannian manifold, with the metric g_x(u, v) = u^T (J(x) + lam I) v. Its geodesics are
approximated by straight lines and by shortest paths over samples: thesis, sections
2.3.2 and 2.3.3.
"""

from abc import ABC, abstractmethod

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.utils.validation import check_is_fitted

from ..core.checks import (
    check_flag,
    check_integer,
    check_jobs,
    check_option,
    check_positive,
)
from ..core.estimators import by_blocks, new_samples
from ..core.graphs import check_n_neighbors, squared_distances
from ..core.memory import check_memory
from ..core.parameters import parameters
from ..core.progress import progress
from ..core.scaling import row_blocks
from .density import fisher_factors
from .neighbors import fisher_knn, spread
from .paths import graph_distances, line_distances, through

MOST_SEGMENTS = 10_000
ENTRIES_KEPT = 2**20  # logits at once: in larger blocks they take longer


@parameters(kw_only=True)
class FisherMetric(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator, ABC
):
    """Subclasses set `_X`, training samples as of `_checked`, and give `factors` and two more.

    `_lines(A, B, n_segments)` are symmetrize lengths (2.18) from samples A to B, or
    among A if B is None; `_n_kernels` is how many numbers say where a sample is to the
    model.
    """

    n_jobs: int = None
    verbose: bool = False

    # where memory does not suffice
    _spared = "fit a sample and place the rest with toolkit.kernelmap.KernelMap"
    _arrays = 6.5  # of the size of the result that there are at once

    def distances(self, X=None, X_new=None, *, path="line", n_segments=4):
        """Fisher distances among samples, or from samples to other ones.

        Parameters
        ----------
        X : array-like of shape (n, n_features), optional
            Samples of the rows; the training samples by default.
        X_new : array-like of shape (q, n_features), optional
            Samples of the columns; those of the rows by default. From new samples to
            those of `fit`: :meth:`transform`.
        path : {"line", "graph", "local"}
            The straight line in `n_segments` segments (2.18), both directions averaged;
            the shortest path over the training samples, whose edges are such lines; or
            one segment, with the matrices of its two ends (2.17).
        n_segments : int, default=4, up to 10,000

        Returns
        -------
        ndarray of shape (n, n), symmetric with zero diagonal, or (n, q)
            Lengths, not squared.
        """
        check_is_fitted(self)
        check_option(path, "path", ("line", "graph", "local"))
        T = check_integer(n_segments, "n_segments", 1, MOST_SEGMENTS)
        if path == "local":
            T = 1  # Eq. (2.17): its root is (2.18) with one segment
        training = self._X
        A = training if X is None else self._checked(X)
        B = None if X_new is None else self._checked(X_new, "X_new")
        n, q, m = (
            len(A if samples is None else samples) for samples in (A, B, training)
        )
        self._check_memory(n, q)
        if path != "graph":
            return self._lines(A, B, T)
        self._check_memory(n, m)
        self._check_memory(m, max(m, q))
        D = self._lines(A, B, T)
        if np.array_equal(A, training):
            edges = D if B is None else self._lines(A, None, T)
            with progress(1, "shortest paths", self.verbose):
                paths = graph_distances(edges)
                return paths if B is None else np.minimum(D, through(paths, D))
        to_training = self._lines(A, training, T)
        edges = self._lines(training, None, T)
        onward = to_training.T if B is None else self._lines(training, B, T)
        with progress(1, "shortest paths", self.verbose):
            D = np.minimum(
                D, through(through(to_training, graph_distances(edges)), onward)
            )
        if B is None:
            D = np.minimum(D, D.T)
            np.fill_diagonal(D, 0.0)
        return D

    @by_blocks
    def transform(self, X):
        """Distances (m, n) from samples X (m, n_features) to the n samples of `fit`, ``distances(X, X_of_fit)``.

        They are what ``KNeighborsClassifier(metric="precomputed")`` takes in a
        pipeline, `KernelMap` for new samples.
        """
        check_is_fitted(self)
        X = self._checked(X)
        self._check_memory(len(X), len(self._X))
        return self._lines(X, self._X, 4)

    def fit_transform(self, X, y=None):
        """Fit, and return the distances (n, n) of the samples, as by :meth:`distances`."""
        return self.fit(X, y).distances()

    @property
    def _n_features_out(self):
        return len(self._X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def matrix(self, X):
        """Fisher matrices J(x) + lam I.

        Parameters
        ----------
        X : array-like of shape (m, n_features)

        Returns
        -------
        ndarray of shape (m, n_features, n_features), symmetric, positive semi-definite
            Without `lam` the rank is c - 1 at most for c classes, and 2 for a
            real-valued target.
        """
        F = self.factors(X)
        J = F.transpose(0, 2, 1) @ F  # Eq. (2.14), for a Parzen window Eq. (2.20)
        return J + self._lam * np.eye(F.shape[2])

    @abstractmethod
    def factors(self, X):
        """Factors F of the Fisher matrices without `lam`, J(x) = F^T F, one (c, n_features) per row of X."""

    def _checked(self, X, name="X"):
        """New samples with the features of `fit`, as an array that the methods below take."""
        return new_samples(self, X, name)

    def _check_settings(self):
        """Check what all metrics have."""
        self._lam = check_positive(self.lam, "lam", zero=True)
        check_jobs(self.n_jobs)
        check_flag(self.verbose, "verbose")

    def _check_memory(self, n, q):
        """Refuse distances (n, q) for which there is no memory, with the logits at m kernels that they come from."""
        arrays = self._arrays + 2.5 * self._n_kernels * (n + q) / (n * q)
        check_memory(
            "An array of all distances",
            n,
            q,
            arrays=arrays,
            remedy=f"To go without them, {self._spared}.",
        )


class ClassFisher(ClassifierMixin, FisherMetric):
    """Subclasses set `_components` and give `_logits(X)` (n, m) and `_slopes()` (m, n_features).

    Those without vectors also give squared distances.
    """

    _spared = (
        "ask for nearest neighbours only, by `knn_distances` and with few"
        " `n_centers`, or " + FisherMetric._spared
    )

    @by_blocks
    def predict_proba(self, X):
        """Probabilities p(c | x) whose change the metric measures, (m, c) as in `classes_`, for X (m, n_features)."""
        check_is_fitted(self)
        return self._by_rows(self._components.probabilities, self._checked(X))

    @by_blocks
    def predict(self, X):
        """The most probable classes (m,) of samples X (m, n_features), by the probabilities that the metric measures.

        `score` is the share of samples for which they are right. It says how well the
        model behind the metric predicts, not how well neighbours in the metric do.
        """
        most_probable = self.predict_proba(X).argmax(axis=1)
        return self.classes_[most_probable]

    def factors(self, X):
        """Factors F of the Fisher matrices without `lam`, J(x) = F^T F, (m, c, n_features), for X (m, n_features)."""
        check_is_fitted(self)
        return self._by_rows(
            lambda Z: fisher_factors(Z, self._slopes(), self._components),
            self._checked(X),
        )

    def knn_distances(self, X=None, n_neighbors=15, *, n_segments=4):
        """Straight-line distances to the nearest neighbours only, without an n x n array.

        Parameters
        ----------
        X : array-like of shape (n, n_features), optional
            The training samples by default.
        n_neighbors : int, default=15
        n_segments : int, default=4, up to 10,000

        Returns
        -------
        csr_matrix of shape (n, n), `n_neighbors` lengths per row; not symmetric
            `knn_share_` then holds the fraction of all pairs whose length had to be
            computed.

        Notes
        -----
        Those of :meth:`distances`, as far as `n_segments` resolves how the
        probabilities change: a narrow window in few segments makes lengths shorter than
        any path, and then a neighbour may be missed (eight segments missed none in our
        tests). Rows go by tiles, each a task: under ``joblib.parallel_config("dask")``
        on the workers of a cluster. The time is in proportion to the number of centres,
        so that many samples need `n_centers`, and to that of samples where
        probabilities vary; where most samples are certain of their class, to its
        square.
        """
        check_is_fitted(self)
        X = self._X if X is None else self._checked(X)
        k = check_n_neighbors(n_neighbors, len(X))
        n_segments = check_integer(n_segments, "n_segments", 1, MOST_SEGMENTS)
        at = spread(
            self._by_rows(self._components.probabilities, X),
            self._lam,
            self._vectors(X),
        )
        graph, self.knn_share_ = fisher_knn(self, X, at, k, n_segments=n_segments)
        return graph

    @property
    def _n_kernels(self):
        return len(self._components.codes)

    def _by_rows(self, function, X):
        """`function` of the logits (n, m) of X, in blocks of moderate size."""
        blocks = row_blocks(len(X), self._n_kernels, ENTRIES_KEPT)
        if len(blocks) < 2:
            return function(self._logits(X))
        return np.concatenate([function(self._logits(X[rows])) for rows in blocks])

    def _lines(self, A, B, n_segments):
        return line_distances(
            self._logits(A),
            self._components,
            None if B is None else self._logits(B),
            n_segments=n_segments,
            squared=self._squared(A, A if B is None else B) if self._lam else None,
            lam=self._lam,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )

    def _squared(self, A, B, rows=None, columns=None):
        """Squared Euclidean distances (n, q), of samples with these row numbers where such are given."""
        return squared_distances(A - self._mean, B - self._mean)

    def _squared_pairs(self, A, B, rows, columns):
        """Squared Euclidean distances (p,) of rows of A and B (p, d), with these row numbers."""
        return np.sum((A - B) ** 2, axis=1)

    def _vectors(self, X):
        """What Euclidean distances are measured in, (n, d); None where samples are no vectors."""
        return X - self._mean
