"""Base classes of the Fisher metrics: distances, matrices, and nearest neighbours.

The Fisher information matrix J(x) of a model's prediction at x makes the data space a
Riemannian manifold, with the metric g_x(u, v) = u^T (J(x) + lam I) v. Its geodesics are
approximated by straight lines and by shortest paths over samples: thesis, sections
2.3.2 and 2.3.3.
"""

from abc import ABC, abstractmethod

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..core import (
    FLAG,
    JOBS,
    MapEstimator,
    ScoreClassifier,
    by_blocks,
    check_integer,
    check_memory,
    check_n_neighbors,
    check_option,
    new_samples,
    one_step,
    parameters,
    row_blocks,
    squared_distances,
)
from .neighbors import fisher_knn
from .paths import graph_distances, line_distances, min_plus_product
from .softmax_models import fisher_factors

MOST_SEGMENTS = 10_000
ENTRIES_KEPT = 2**20  # logits at once: in larger blocks they take longer


@parameters(kw_only=True)
class FisherMetric(MapEstimator, ABC):
    """Subclasses set `_X`, training samples as of `_samples`, and `_lam`.

    They give `factors`, `_segment_lengths(A, B, n_segments)`, the symmetrised lengths
    (2.18) from samples A to B, or among A if B is None, and `_n_kernels`, how many
    numbers say where a sample is to the model.
    """

    _labels_required = True

    n_jobs: JOBS = None
    verbose: FLAG = False

    # where memory does not suffice
    _memory_remedy = (
        "fit a sample and place the rest with toolkit.kernelmap.KernelMap"
    )
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
        path : {"line", "graph", "local"}, default="line"
            The straight line in `n_segments` segments (2.18), both directions averaged;
            the shortest path over the training samples, whose edges are such lines; or
            one segment, with the matrices of its two ends (2.17).
        n_segments : int, default=4
            Up to 10,000.

        Returns
        -------
        ndarray of shape (n, n) or (n, q)
            Lengths, not squared; (n, n) is symmetric with zero diagonal.
        """
        check_is_fitted(self)
        check_option(path, "path", ("line", "graph", "local"))
        T = check_integer(n_segments, "n_segments", 1, MOST_SEGMENTS)
        if path == "local":
            T = 1  # Eq. (2.17): its root is (2.18) with one segment
        training = self._X
        A = training if X is None else self._samples(X)
        B = None if X_new is None else self._samples(X_new, "X_new")
        n = len(A)
        q = n if B is None else len(B)
        m = len(training)
        self._check_memory(n, q)
        if path == "graph":
            self._check_memory(n, m)
            self._check_memory(m, max(m, q))
        D = self._segment_lengths(A, B, T)
        if path != "graph":
            return D
        # by way of the training samples, where that is shorter
        known = np.array_equal(A, training)
        edges = D
        onward = D
        if not known or B is not None:
            edges = self._segment_lengths(training, None, T)
        if not known:
            to_training = self._segment_lengths(A, training, T)
            onward = to_training.T
            if B is not None:
                onward = self._segment_lengths(training, B, T)
        with one_step(self, "shortest paths"):
            paths = graph_distances(edges)
            if not known:
                paths = min_plus_product(to_training, paths)
            elif B is None:
                return paths
            D = np.minimum(D, min_plus_product(paths, onward))
        if B is None:
            D = np.minimum(D, D.T)
            np.fill_diagonal(D, 0.0)
        return D

    @by_blocks
    def transform(self, X):
        """Distances (m, n) from samples X (m, n_features) to the n samples of `fit`.

        As ``distances(X, X_of_fit)``. They are what
        ``KNeighborsClassifier(metric="precomputed")`` takes in a pipeline, `KernelMap`
        for new samples.
        """
        X = self._samples(X)
        self._check_memory(len(X), len(self._X))
        return self._segment_lengths(X, self._X, 4)

    def fit_transform(self, X, y=None):
        """Fit, and return the distances (n, n) of the samples."""
        return self.fit(X, y).distances()

    @property
    def _n_features_out(self):
        return len(self._X)

    def matrix(self, X):
        """Fisher matrices J(x) + lam I.

        Parameters
        ----------
        X : array-like of shape (m, n_features)

        Returns
        -------
        ndarray of shape (m, n_features, n_features)
            Symmetric and positive semi-definite. Without `lam` the rank is c - 1 at
            most for c classes, and 2 for a real-valued target.
        """
        F = self.factors(X)
        # Eq. (2.14), for a Parzen window Eq. (2.20)
        J = F.transpose(0, 2, 1) @ F
        return J + self._lam * np.eye(F.shape[2])

    @abstractmethod
    def factors(self, X):
        """Factors F (m, c, n_features) of the matrices without `lam`, J(x) = F^T F."""

    def _samples(self, X, name="X"):
        """New samples with the features of `fit`, as the methods below take them."""
        return new_samples(self, X, name)

    def _check_memory(self, n, q):
        """Refuse distances (n, q) that there is no memory for, with their logits."""
        arrays = self._arrays + 2.5 * self._n_kernels * (n + q) / (n * q)
        check_memory(
            "An array of all distances",
            n,
            q,
            arrays=arrays,
            remedy=f"To go without them, {self._memory_remedy}.",
        )


class ClassFisher(ScoreClassifier, FisherMetric):
    """Subclasses set `_components` and give `_logits(X)` (n, m).

    Their gradients are `_weights()` (m, n_features). Those without vectors also give
    squared distances.
    """

    _memory_remedy = (
        "ask for nearest neighbours only, by `knn_distances` and with few"
        " `n_centers`, or " + FisherMetric._memory_remedy
    )

    @by_blocks
    def predict_proba(self, X):
        """Probabilities p(c | x) (m, c), as in `classes_`, for X (m, n_features).

        Their change is what the metric measures. `score` is the accuracy of the most
        probable class: it says how well the model behind the metric predicts, not how
        well neighbours in the metric do.
        """
        check_is_fitted(self)
        return self._by_rows(self._components.probabilities, self._samples(X))

    _scores = predict_proba

    def factors(self, X):
        """Factors F (m, c, n_features) of the matrices without `lam`, J(x) = F^T F."""
        return self._by_rows(
            lambda Z: fisher_factors(Z, self._weights(), self._components),
            self._samples(X),
        )

    def knn_distances(self, X=None, n_neighbors=15, *, n_segments=4):
        """Straight-line distances to the nearest neighbours only, without n x n arrays.

        Parameters
        ----------
        X : array-like of shape (n, n_features), optional
            The training samples by default.
        n_neighbors : int, default=15
        n_segments : int, default=4
            Up to 10,000.

        Returns
        -------
        csr_matrix of shape (n, n)
            `n_neighbors` lengths per row; not symmetric. `knn_share_` then holds the
            fraction of all pairs whose length had to be computed.

        Notes
        -----
        Those of :meth:`distances`. A bound by the probabilities spares most pairs where
        these vary and `n_segments` resolves how they do. A trial, the lengths from 32
        samples to a quarter of the others, tells: where it finds a length shorter than
        any path can be, or little to spare, all pairs are measured, in the time of
        `distances` or less, and a fraction of its memory. Rows go by tiles, each a
        task: under ``joblib.parallel_config("dask")`` on the workers of a cluster. The
        time is in proportion to the number of centres, so that many samples need
        `n_centers`, and to that of samples; where most are certain of their class, to
        its square.
        """
        check_is_fitted(self)
        X = self._X if X is None else self._samples(X)
        k = check_n_neighbors(n_neighbors, len(X))
        T = check_integer(n_segments, "n_segments", 1, MOST_SEGMENTS)
        roots = 2 * np.sqrt(self._by_rows(self._components.probabilities, X))
        # coordinates in which no distance exceeds the Fisher length
        at = np.hstack([roots, *self._vectors(X)]) if self._lam else roots
        graph, self.knn_share_ = fisher_knn(self, X, at, k, T)
        return graph

    @property
    def _n_kernels(self):
        return len(self._components.codes)

    def _by_rows(self, function, X):
        """`function` of the logits (n, m) of X, in blocks of moderate size."""
        blocks = row_blocks(len(X), self._n_kernels, ENTRIES_KEPT)
        return np.concatenate(
            [function(self._logits(X[rows])) for rows in blocks]
        )

    def _segment_lengths(self, A, B, n_segments, *numbers):
        more = None
        if self._lam:
            more = self._lam * self._squared(A, A if B is None else B, *numbers)
        return line_distances(
            self._logits(A),
            self._components,
            None if B is None else self._logits(B),
            n_segments=n_segments,
            more=more,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )

    def _squared(self, A, B, rows=None, columns=None):
        """Squared Euclidean distances (n, q), of samples with these row numbers."""
        return squared_distances(A - self._mean, B - self._mean)

    def _squared_pairs(self, A, B, rows, columns):
        """Squared Euclidean distances (p,) of rows of A and B (p, d)."""
        return np.sum((A - B) ** 2, axis=1)

    def _vectors(self, X):
        """Vectors (n, d) of the lengths that `lam` adds, [] where there are none."""
        return [np.sqrt(self._lam) * (X - self._mean)]
