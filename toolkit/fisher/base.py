"""Base classes of the Fisher metrics: distances, matrices, and nearest neighbours.

The Fisher information matrix J(x) of a model's prediction at x makes the data space a
Riemannian manifold. Its metric is g_x(u, v) = u^T (J(x) + lam I) v. Its geodesics are
approximated by straight lines and by shortest paths over samples: thesis, sections
2.3.2 and 2.3.3.
"""

from abc import ABC, abstractmethod
from dataclasses import KW_ONLY

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..core import (
    Flag,
    Jobs,
    MapEstimator,
    ScoreClassifier,
    by_blocks,
    check_integer,
    check_memory,
    check_n_neighbors,
    check_option,
    new_samples,
    parameters,
    row_blocks,
    squared_distances,
)
from .neighbors import fisher_knn
from .paths import graph_distances, line_distances, min_plus_product
from .softmax_models import fisher_factors

MOST_SEGMENTS = 10_000
# Logits at once: larger blocks take longer.
ENTRIES_KEPT = 2**20


@parameters
class FisherMetric(MapEstimator, ABC):
    """Base class of Fisher metrics.

    Subclasses set `_X`, training samples as of `_samples`, and `_lam`. They give
    `factors`, `_segment_lengths` and `_n_logits`.
    """

    _labels_required = True

    _: KW_ONLY
    n_jobs: Jobs = None
    verbose: Flag = False

    # Messages give this advice where memory does not suffice.
    _memory_remedy = (
        "fit a sample and place the rest with toolkit.kernelmap.KernelMap"
    )
    # So many arrays of the size of the result exist at once.
    _arrays = 6.5

    def distances(self, X=None, X_new=None, *, path="line", n_segments=4):
        """Compute Fisher distances among samples, or from samples to other ones.

        Parameters
        ----------
        X : array-like of shape (n, n_features) or None, default=None
            Samples of the rows; None: the training samples.
        X_new : array-like of shape (q, n_features) or None, default=None
            Samples of the columns; None: those of the rows. From new samples to those
            of `fit`: :meth:`transform`.
        path : {"line", "graph", "local"}, default="line"
            The straight line in `n_segments` segments (2.18), both directions averaged;
            the shortest path over the training samples, whose edges are such lines; or
            one segment, with the matrices of its two ends (2.17).
        n_segments : int, default=4
            Number of segments of a line, at most 10,000.

        Returns
        -------
        D : ndarray of shape (n, n) or (n, q)
            Lengths, not squared; (n, n) is symmetric with zero diagonal.

        Raises
        ------
        ValueError
            If `path` or `n_segments` is not allowed, or if memory does not suffice for
            the arrays of all pairs.
        """
        check_is_fitted(self)
        check_option(path, "path", ("line", "graph", "local"))
        T = check_integer(n_segments, "n_segments", 1, MOST_SEGMENTS)
        if path == "local":
            T = 1  # Eq. (2.17): its root is (2.18) with one segment
        X_training = self._X
        A = X_training if X is None else self._samples(X)
        B = None if X_new is None else self._samples(X_new, "X_new")
        n = len(A)
        q = n if B is None else len(B)
        m = len(X_training)
        self._check_memory(n, q)
        if path == "graph":
            self._check_memory(n, m)
            self._check_memory(m, max(m, q))
        D = self._segment_lengths(A, B, T)
        if path != "graph":
            return D
        # Paths by way of the training samples may be shorter.
        is_training = np.array_equal(A, X_training)
        edges = D
        if not is_training or B is not None:
            edges = self._segment_lengths(X_training, None, T)
        D_onward = D
        if not is_training:
            D_to_training = self._segment_lengths(A, X_training, T)
            D_onward = D_to_training.T
            if B is not None:
                D_onward = self._segment_lengths(X_training, B, T)
        with self._bar("shortest paths"):
            paths = graph_distances(edges)
            if not is_training:
                paths = min_plus_product(D_to_training, paths)
            elif B is None:
                return paths
            D = np.minimum(D, min_plus_product(paths, D_onward))
        if B is None:
            D = np.minimum(D, D.T)
            np.fill_diagonal(D, 0.0)
        return D

    @by_blocks
    def transform(self, X):
        """Compute distances from samples to the samples of `fit`.

        They are those of ``distances(X, X_of_fit)``. A pipeline passes them to
        ``KNeighborsClassifier(metric="precomputed")``; `toolkit.kernelmap.KernelMap`
        uses them for new samples.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Samples.

        Returns
        -------
        D : ndarray of shape (n_queries, n_samples)
            Straight-line distances to the n_samples samples of `fit`.
        """
        X = self._samples(X)
        self._check_memory(len(X), len(self._X))
        return self._segment_lengths(X, self._X, 4)

    def fit_transform(self, X, y=None):
        """Fit the metric and return the distances of the samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,), default=None
            Target: classes (or values), one per sample.

        Returns
        -------
        D : ndarray of shape (n_samples, n_samples)
            Straight-line distances, symmetric with zero diagonal.
        """
        return self.fit(X, y).distances()

    @property
    def _n_features_out(self):
        return len(self._X)

    def matrix(self, X):
        """Compute the Fisher matrices J(x) + lam I of samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        J : ndarray of shape (n_samples, n_features, n_features)
            Symmetric and positive semi-definite matrices. Without `lam` the rank is c -
            1 at most for c classes, and 2 for a real-valued target.
        """
        F = self.factors(X)
        # Eq. (2.14), for a Parzen window Eq. (2.20)
        J = F.transpose(0, 2, 1) @ F
        return J + self._lam * np.eye(F.shape[2])

    @abstractmethod
    def factors(self, X):
        """Compute factors F of the Fisher matrices without `lam`, J(x) = F^T F.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        F : ndarray of shape (n_samples, n_rows, n_features)
            One factor per sample.
        """

    @property
    @abstractmethod
    def _n_logits(self):
        """The number m of values by which the model describes a sample.

        Logits of class probabilities, or the kernels of a Gaussian process.
        """

    @abstractmethod
    def _segment_lengths(self, A, B, n_segments):
        """Symmetrised lengths (2.18) of straight lines in `n_segments` segments.

        From samples A (n, d) to samples B (q, d), shape (n, q), or among A if B is
        None, shape (n, n).
        """

    def _keep(self, X):
        """Store what distances need of the training samples and the parameters."""
        self._lam = self.lam
        self._X = X.copy()
        self._mean = X.mean(axis=0)

    def _samples(self, X, name="X"):
        """New samples with the features of `fit`, as the methods below take them."""
        return new_samples(self, X, name)

    def _check_memory(self, n, q):
        """Refuse distances (n, q) that there is no memory for, with their logits."""
        logits = 2.5 * self._n_logits * (n + q) / (n * q)
        check_memory(
            "An array of all distances",
            n,
            q,
            arrays=self._arrays + logits,
            remedy=f"To go without them, {self._memory_remedy}.",
        )


class ClassFisher(ScoreClassifier, FisherMetric):
    """Base class of Fisher metrics of class probabilities.

    Subclasses set `_components` and give `_logits` and `_logit_gradients`. Those
    without vectors also give squared distances.
    """

    _memory_remedy = (
        "ask for nearest neighbours only, by `knn_distances` and with few"
        " `n_centers`, or " + FisherMetric._memory_remedy
    )

    @by_blocks
    def predict_proba(self, X):
        """Compute the class probabilities p(c | x), whose change the metric measures.

        `score` is the accuracy of the most probable class. It measures how well the
        model behind the metric predicts, not how well neighbours in the metric do.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        P : ndarray of shape (n_samples, n_classes)
            Probabilities of the classes, in the order of `classes_`.
        """
        check_is_fitted(self)
        return self._by_rows(self._components.probabilities, self._samples(X))

    _scores = predict_proba

    def factors(self, X):
        """Compute factors F of the Fisher matrices without `lam`, J(x) = F^T F.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        F : ndarray of shape (n_samples, n_classes, n_features)
            One factor per sample.
        """
        X = self._samples(X)
        gradients = self._logit_gradients()
        return self._by_rows(
            lambda Z: fisher_factors(Z, gradients, self._components), X
        )

    def knn_distances(self, X=None, n_neighbors=15, *, n_segments=4):
        """Compute straight-line distances to the nearest neighbours only.

        No n x n arrays are formed.

        Parameters
        ----------
        X : array-like of shape (n, n_features) or None, default=None
            Samples; None: the training samples.
        n_neighbors : int, default=15
            Number of neighbours of each sample.
        n_segments : int, default=4
            Number of segments of a line, at most 10,000.

        Returns
        -------
        graph : csr_matrix of shape (n, n)
            `n_neighbors` lengths per row; not symmetric. `knn_fraction_` then holds the
            fraction of all pairs whose length was computed.

        Notes
        -----
        The lengths are those of :meth:`distances`. A bound by the probabilities
        excludes most pairs if these vary and `n_segments` resolves how they do. For
        more than 2,048 samples, and 256 for each neighbour, lengths from 32 samples to
        a quarter of the others are computed first, as a trial. If one of them is below
        the bound, or the bound excludes too few pairs, all pairs are measured. Up to
        2,048 samples that takes what `distances` does and, to choose the nearest, a few
        percent; for more, less time and a fraction of its memory.

        The rows are split into tiles, each a task: under
        ``joblib.parallel_config("dask")`` they run on the workers of a cluster. The
        time is proportional to the number of centres, so that many samples need
        `n_centers`, and to the number of samples. If the class probabilities of most
        samples are near 0 or 1, it is proportional to the square of that number.
        """
        check_is_fitted(self)
        X = self._X if X is None else self._samples(X)
        k = check_n_neighbors(n_neighbors, len(X))
        T = check_integer(n_segments, "n_segments", 1, MOST_SEGMENTS)
        euclidean_vectors = []
        if self._lam:
            euclidean_vectors = self._vectors(X)

        def coordinates():
            """In which no distance exceeds the Fisher length."""
            P = self._by_rows(self._components.probabilities, X)
            return np.hstack([2 * np.sqrt(P), *euclidean_vectors])

        graph, self.knn_fraction_ = fisher_knn(self, X, coordinates, k, T)
        return graph

    @abstractmethod
    def _logits(self, X):
        """Logits (n, m) of samples X (n, d), as of `_samples`."""

    @abstractmethod
    def _logit_gradients(self):
        """Gradients (m, n_features) of the logits, which are affine."""

    @property
    def _n_logits(self):
        return len(self._components.codes)

    def _by_rows(self, function, X):
        """`function` of the logits (n, m) of X, in blocks of moderate size."""
        blocks = row_blocks(len(X), self._n_logits, ENTRIES_KEPT)
        parts = [function(self._logits(X[rows])) for rows in blocks]
        return np.concatenate(parts)

    def _segment_lengths(self, A, B, n_segments, rows=None, columns=None):
        """Lengths of lines as of the base class; with numbers of the samples, if given.

        The numbers are those of the rows of A and B among the samples whose squared
        distances `_squared` gives.
        """
        Z_new = None
        ends = A
        if B is not None:
            Z_new = self._logits(B)
            ends = B
        numbers = () if rows is None else (rows, columns)
        return line_distances(
            self._logits(A),
            self._components,
            Z_new,
            n_segments=n_segments,
            ridge=self._ridge(self._squared, A, ends, *numbers),
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )

    def _ridge(self, squared_of, *samples_and_numbers):
        """What `lam` adds to squared lengths, (n, q) or (p,); None where it is 0.

        `squared_of` is the method `_squared`, which gives squared Euclidean distances
        (n, q) of all pairs, or `_squared_pairs`, those (p,) of single pairs. It is
        called with the further arguments: samples A and B, and their row numbers.
        """
        if not self._lam:
            return None
        return self._lam * squared_of(*samples_and_numbers)

    def _squared(self, A, B, rows=None, columns=None):
        """Squared Euclidean distances (n, q) of samples A (n, d) to B (q, d).

        `rows` (n,) and `columns` (q,) are their numbers among the training samples, for
        subclasses without vectors.
        """
        return squared_distances(A - self._mean, B - self._mean)

    def _squared_pairs(self, A, B, rows, columns):
        """Squared Euclidean distances (p,) of rows of A and B (p, d).

        `rows` and `columns` (p,) are their numbers, as for `_squared`.
        """
        differences = A - B
        return np.sum(differences**2, axis=1)

    def _vectors(self, X):
        """Vectors (n, d) of the lengths that `lam` adds, [] where there are none."""
        return [np.sqrt(self._lam) * (X - self._mean)]
