"""One low-rank projection for all samples, and a matrix of its own for each class within it."""

import numpy as np

from ..core.checks import check_n_components
from ..core.descent import lbfgs
from ..core.linalg import fix_signs, thin_svd
from .classifier import DistanceClassifier, checked_descent
from .cost import glvq_cost
from .plane import PlaneMixin

__all__ = ["ClasswiseGMLVQ"]


class ClasswiseGMLVQ(PlaneMixin, DistanceClassifier):
    """GMLVQ in a common plane in which each class measures distances by itself: an open end of Biehl2012.

    Parameters
    ----------
    prototypes_per_class : int or dict from class to int, default=1
    rank : int, default=2
        Dimensions of the common projection; the map shows all of them.
    prototype_init : {"means", "kmeans"}, default="means"
        As for :class:`GMLVQ`.
    omega_init : {"pca", "random"}, default="pca"
        As for :class:`GMLVQ`; the class-wise matrices start from the identity.
    tol : float, default=1e-4
        L-BFGS stops when no entry of the gradient is larger (prototypes in units of the data's spread), or where the
        cost hardly falls any more: a share tol^2 / 100 a step.
    max_iter : int, default=1000
    class_weight : None, "balanced" or dict from class to number > 0, default=None
        Weight of a sample in the mean cost, by its class; balanced: each class counts the same. Without it a rare
        class may end with no region at all.
    random_state : int, RandomState or None
        Decides everything random: several prototypes of a class, random starts; a number makes fits repeat.

    Attributes
    ----------
    prototypes_ : ndarray of shape (p, n_features)
    prototype_labels_ : ndarray of shape (p,)
    components_ : ndarray of shape (rank, n_features), orthonormal rows that span the projection
    class_matrices_ : ndarray of shape (c, rank, rank)
        Metric of each class in the map: the squared distance of z to a prototype v of class c is
        (z - v)^T class_matrices_[c] (z - v).
    mean_ : ndarray of shape (n_features,)
    classes_ : ndarray of shape (c,)
    history_ : dict of arrays with one entry a step: ``cost``, ``error``
    n_iter_ : int

    Notes
    -----
    d(x, w) = |Psi_c^T Omega^T (x - w)|^2 for a prototype w of class c, in the cost (6), with sum Omega_ij^2 = 1 and
    the squares of each Psi_c summing to the rank.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> ClasswiseGMLVQ().fit(*load_iris(return_X_y=True)).class_matrices_.shape
    (3, 2, 2)
    """

    def __init__(
        self,
        prototypes_per_class=1,
        *,
        rank=2,
        prototype_init="means",
        omega_init="pca",
        tol=1e-4,
        max_iter=1000,
        class_weight=None,
        random_state=None,
    ):
        self.prototypes_per_class = prototypes_per_class
        self.rank = rank
        self.prototype_init = prototype_init
        self.omega_init = omega_init
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.random_state = random_state

    def _checked(self, samples):
        d = samples.X.shape[1]
        M = check_n_components(self.rank, samples.rank, d, "the rank of the centred X", name="rank")
        return checked_descent(self, self.max_iter) | {"_M": M}

    def _descend(self, samples, W, rng):
        M, c, steps = self._M, len(self.classes_), []
        Omega = samples.initial_matrix(M, self.omega_init, rng)

        def objective(arrays):
            W, A, B = arrays
            length, lengths = np.linalg.norm(A), np.linalg.norm(B, axis=(1, 2), keepdims=True) / np.sqrt(M)
            Omega, Psi = A / length, B / lengths
            cost = glvq_cost(samples, W, self._w_codes, Omega @ Psi)
            by_omega = np.sum(cost.grad_omegas @ Psi.transpose(0, 2, 1), axis=0)
            by_psi = Omega.T @ cost.grad_omegas
            # along the spheres on which Omega and each Psi lie
            by_omega = (by_omega - np.sum(by_omega * Omega) * Omega) / length
            by_psi = (by_psi - np.sum(by_psi * Psi, axis=(1, 2), keepdims=True) * Psi / M) / lengths
            return cost.value, [cost.grad_W, by_omega, by_psi], cost.error

        W, A, B = lbfgs(
            objective,
            [W, Omega, np.tile(np.eye(M), (c, 1, 1))],
            tol=self._tol,
            max_iter=self._max_iter,
            watch=lambda value, _, error: steps.append((value, error)),
        )
        Psi = B / np.linalg.norm(B, axis=(1, 2), keepdims=True) * np.sqrt(M)
        omegas = A / np.linalg.norm(A) @ Psi
        U, _, _ = thin_svd(A)
        inner = U.T @ omegas
        U = samples.outside(U)
        signs = fix_signs(U)
        inner *= signs[:, None]
        self.components_ = (U * signs).T
        self.class_matrices_ = inner @ inner.transpose(0, 2, 1)
        self._omegas = self.components_.T @ inner
        self._n_features_out = M
        self._store_prototypes(samples, W)
        self.history_ = dict(zip(("cost", "error"), np.array(steps).T, strict=True))
        self.n_iter_ = len(steps) - 1

    def _matrices(self):
        return [(self._w_codes == c, Omega) for c, Omega in enumerate(self._omegas)]
