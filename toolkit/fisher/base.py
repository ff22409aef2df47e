"""What every Fisher metric offers: distances; and those with classes matrices too, all from the logits of a density."""

from abc import ABC, abstractmethod
from functools import partial
from numbers import Integral

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from ..core.checks import check_magnitude, check_n_components, check_positive
from .density import fisher_factors
from .neighbors import knn_graph
from .paths import graph_distances, line_distances, through

__all__ = ["ClassFisher", "FisherMetric", "check_n_segments", "check_path", "checked_samples", "products"]


def check_path(path):
    if not isinstance(path, str) or path not in ("line", "graph", "local"):
        raise ValueError(f'`path` must be "line", "graph" or "local"; got {path!r}.')
    return path


def check_n_segments(n_segments):
    if not isinstance(n_segments, Integral) or isinstance(n_segments, bool) or n_segments < 1:
        raise ValueError(f"`n_segments` must be an integer >= 1; got {n_segments!r}.")
    return int(n_segments)


def checked_samples(estimator, X, name="X"):
    """New samples with the features of `fit`."""
    try:
        X = validate_data(estimator, X, dtype=np.float64, reset=False)
        check_magnitude(X)
    except ValueError as error:
        raise ValueError(f"`{name}`: {error}") from None
    return X


def products(factors, lam):
    """Matrices F^T F + lam I, (n, d, d), (2.16), from factors (n, c, d).

    Examples
    --------
    >>> products(np.array([[[1.0, 2.0]]]), 1.0).tolist()
    [[[2.0, 2.0], [2.0, 5.0]]]
    """
    return factors.transpose(0, 2, 1) @ factors + lam * np.eye(factors.shape[2])


class FisherMetric(BaseEstimator, ABC):
    """Subclasses give the lengths of straight lines; paths over the training samples are made of them."""

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
        T = 1 if check_path(path) == "local" else check_n_segments(n_segments)
        A = self._training() if X is None else self._checked(X)
        B = None if X_new is None else self._checked(X_new, "X_new")
        D = self._lines(A, B, T)
        if path != "graph":
            return D
        training = self._training()
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

    def _start(self):
        self._lam = check_positive(self.lam, "lam", zero=True)

    def _checked(self, X, name="X"):
        """Samples as an array that the methods below take."""
        return checked_samples(self, X, name)

    @abstractmethod
    def _training(self):
        """The training samples, as `_checked` gives them."""

    @abstractmethod
    def _lines(self, A, B, n_segments):
        """Symmetrised lengths (2.18) from samples A to B, or among A if B is None."""


class ClassFisher(FisherMetric):
    """Subclasses give logits, slopes and Euclidean distances of samples."""

    def predict_proba(self, X):
        """The probabilities p(c | x) whose change the metric measures.

        Parameters
        ----------
        X : array-like of shape (m, n_features)

        Returns
        -------
        ndarray of shape (m, c), in the order of `classes_`
        """
        check_is_fitted(self)
        return self._components.probabilities(self._logits(self._checked(X)))

    def matrix(self, X):
        """Fisher matrices (2.14), with lam I added.

        Parameters
        ----------
        X : array-like of shape (m, n_features)

        Returns
        -------
        ndarray of shape (m, n_features, n_features), symmetric, positive semi-definite
            Without `lam` of rank c - 1 at most.
        """
        return products(self.factors(X), self._lam)

    def factors(self, X):
        """Factors of the Fisher matrices without `lam`: J(x) = F^T F, in c d numbers a sample instead of d^2.

        Parameters
        ----------
        X : array-like of shape (m, n_features)

        Returns
        -------
        ndarray of shape (m, c, n_features)
        """
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
        csr_matrix of shape (n, n), `n_neighbors` lengths a row; not symmetric
            `knn_share_` then holds the part of all pairs whose length had to be computed.

        Notes
        -----
        Those of :meth:`distances`, as far as `n_segments` resolves how the probabilities change: a narrow window in few
        segments makes lengths shorter than any path, and then a neighbour may be missed.
        """
        check_is_fitted(self)
        X = self._training() if X is None else self._checked(X)
        k = check_n_components(n_neighbors, len(X) - 1, X.shape[1], "the number of others", name="n_neighbors")
        graph, self.knn_share_ = knn_graph(
            self._logits(X),
            self._components,
            k,
            squared=partial(self._squared_part, X) if self._lam else None,
            n_segments=check_n_segments(n_segments),
            lam=self._lam,
            n_jobs=self.n_jobs,
        )
        return graph

    def _squared_part(self, X, rows, columns):
        return self._squared(X[rows], X[columns])

    def _lines(self, A, B, n_segments):
        squared = None
        if self._lam:
            squared = self._squared(A, A if B is None else B)
        return line_distances(
            self._logits(A),
            self._components,
            None if B is None else self._logits(B),
            n_segments=n_segments,
            squared=squared,
            lam=self._lam,
            n_jobs=self.n_jobs,
        )

    @abstractmethod
    def _logits(self, X):
        """(n, m)."""

    @abstractmethod
    def _slopes(self):
        """(m, n_features)."""

    @abstractmethod
    def _squared(self, A, B):
        """Squared Euclidean distances (n, q)."""
