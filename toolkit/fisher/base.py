"""Base classes of the Fisher metrics: distances and matrices (all metrics), nearest neighbours (metrics of classes).

The Fisher information matrix J(x) of what a model says at x makes the data space a Riemannian manifold, with the metric
g_x(u, v) = u^T (J(x) + lam I) v. Its geodesics are approximated by straight lines and by shortest paths over samples:
thesis, sections 2.3.2 and 2.3.3.
"""

from abc import ABC, abstractmethod
from functools import partial

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ..core.checks import check_integer, check_option, check_positive
from ..core.estimators import new_samples
from ..core.graphs import squared_distances
from .density import fisher_factors
from .neighbors import fisher_knn
from .paths import graph_distances, line_distances, through

__all__ = ["ClassFisher", "FisherMetric"]


class FisherMetric(BaseEstimator, ABC):
    """Subclasses give factors of the matrices and lengths of lines, and set `_X`, training samples as of `_checked`."""

    def distances(self, X=None, X_new=None, *, path="line", n_segments=4):
        """Fisher distances among samples, or from samples to others.

        Parameters
        ----------
        X : array-like of shape (n, n_features), optional
            The training samples by default.
        X_new : array-like of shape (q, n_features), optional
        path : {"line", "graph", "local"}
            The straight line in `n_segments` segments (2.18), both directions averaged; the shortest path over the
            training samples, whose edges are such lines; or one segment, with the matrices of its two ends (2.17).
        n_segments : int, default=4

        Returns
        -------
        ndarray of shape (n, n), symmetric with zero diagonal, or (n, q)
            Lengths, not squared.
        """
        check_is_fitted(self)
        local = check_option(path, "path", ("line", "graph", "local")) == "local"
        T = 1 if local else check_integer(n_segments, "n_segments")  # Eq. (2.17): its root is (2.18) with one segment
        A = self._X if X is None else self._checked(X)
        B = None if X_new is None else self._checked(X_new, "X_new")
        D = self._lines(A, B, T)
        if path != "graph":
            return D
        training = self._X
        if A is training or (A.shape == training.shape and np.array_equal(A, training)):
            paths = graph_distances(D if B is None else self._lines(A, None, T))
            return paths if B is None else np.minimum(D, through(paths, D))
        to_training = self._lines(A, training, T)
        left = through(to_training, graph_distances(self._lines(training, None, T)))
        D = np.minimum(D, through(left, to_training.T if B is None else self._lines(training, B, T)))
        if B is None:
            D = np.minimum(D, D.T)
            np.fill_diagonal(D, 0.0)
        return D

    def matrix(self, X):
        """Fisher matrices J(x) + lam I.

        Parameters
        ----------
        X : array-like of shape (m, n_features)

        Returns
        -------
        ndarray of shape (m, n_features, n_features), symmetric, positive semi-definite
            Without `lam` the rank is c - 1 at most for c classes, and 2 for a real-valued target.
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

    def _check_lam(self):
        self._lam = check_positive(self.lam, "lam", zero=True)

    @abstractmethod
    def _lines(self, A, B, n_segments):
        """Symmetrised lengths (2.18) from samples A to B, or among A if B is None."""


class ClassFisher(FisherMetric):
    """Subclasses set `_components` and give logits and slopes; those without vectors also give squared distances."""

    def predict_proba(self, X):
        """Probabilities p(c | x) whose change the metric measures, (m, c) as in `classes_`, for X (m, n_features)."""
        check_is_fitted(self)
        return self._components.probabilities(self._logits(self._checked(X)))

    def factors(self, X):
        """Factors F of the Fisher matrices without `lam`, J(x) = F^T F, (m, c, n_features), for X (m, n_features)."""
        check_is_fitted(self)
        return fisher_factors(self._logits(self._checked(X)), self._slopes(), self._components)

    def knn_distances(self, X=None, n_neighbors=15, *, n_segments=4):
        """Straight-line distances to the nearest neighbours only, without an n x n array.

        Parameters
        ----------
        X : array-like of shape (n, n_features), optional
            The training samples by default.
        n_neighbors : int, default=15
        n_segments : int, default=4

        Returns
        -------
        csr_matrix of shape (n, n), `n_neighbors` lengths per row; not symmetric
            `knn_share_` then holds the fraction of all pairs whose length had to be computed.

        Notes
        -----
        Those of :meth:`distances`, as far as `n_segments` resolves how the probabilities change: a narrow window in few
        segments makes lengths shorter than any path, and then a neighbour may be missed.
        """
        check_is_fitted(self)
        X = self._X if X is None else self._checked(X)
        graph, self.knn_share_ = fisher_knn(
            self._logits(X),
            self._components,
            check_integer(n_neighbors, "n_neighbors", 1, len(X) - 1),
            squared=partial(self._squared_block, X) if self._lam else None,
            n_segments=check_integer(n_segments, "n_segments"),
            lam=self._lam,
            n_jobs=self.n_jobs,
        )
        return graph

    def _lines(self, A, B, n_segments):
        return line_distances(
            self._logits(A),
            self._components,
            None if B is None else self._logits(B),
            n_segments=n_segments,
            squared=self._squared(A, A if B is None else B) if self._lam else None,
            lam=self._lam,
            n_jobs=self.n_jobs,
        )

    @abstractmethod
    def _logits(self, X):
        """(n, m)."""

    @abstractmethod
    def _slopes(self):
        """(m, n_features)."""

    def _squared(self, A, B):
        """Squared Euclidean distances (n, q)."""
        return squared_distances(A - self._mean, B - self._mean)

    def _squared_block(self, X, rows, columns):
        return self._squared(X[rows], X[columns])
