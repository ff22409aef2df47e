"""Class-wise GMLVQ: one low-rank projection for all samples, and a Mahalanobis metric of each class within it."""

from dataclasses import KW_ONLY

import numpy as np

from ..core.checks import check_n_components
from ..core.descent import lbfgs
from ..core.linalg import fix_signs, thin_svd
from ..core.parameters import parameters
from .classifier import DistanceClassifier, PrototypeMap, history_of
from .cost import glvq_cost


@parameters
class ClasswiseGMLVQ(PrototypeMap, DistanceClassifier):
    """GMLVQ in a common plane in which each class measures distances by itself: an open end of Biehl2012.

    Parameters
    ----------
    prototypes_per_class : int or dict from class to int, default=1
    rank : int, default=2, dimensions of the common projection; the map shows all of them
    omega_init : {"pca", "random"}, default="pca"
        As in :class:`GMLVQ`; the class-wise matrices start from the identity.
    max_iter : int, default=1000
    prototype_init, tol, class_weight, random_state, verbose : as in :class:`GLVQ`
        Start of the prototypes, end of L-BFGS, weights of the classes in the cost, the
        seed, and a progress bar.

    Attributes
    ----------
    prototypes_, prototype_labels_, classes_, mean_, history_, n_iter_ : as in :class:`GLVQ`
    components_ : ndarray of shape (rank, n_features), orthonormal rows that span the projection
    class_matrices_ : ndarray of shape (c, rank, rank)
        Metric of each class in the map: the squared distance of z to a prototype v of
        class c is (z - v)^T class_matrices_[c] (z - v).

    Notes
    -----
    d(x, w) = |Psi_c Omega (x - w)|^2 for a prototype w of class c, in the cost (6),
    with sum Omega_ij^2 = 1 and the squares of each Psi_c summing to the rank.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> ClasswiseGMLVQ().fit(*load_iris(return_X_y=True)).class_matrices_.shape
    (3, 2, 2)
    """

    _: KW_ONLY
    rank: int = 2
    omega_init: str = "pca"

    def _checked(self, samples):
        d = samples.X.shape[1]
        M = check_n_components(
            self.rank, samples.rank, d, "the rank of the centred X", name="rank"
        )
        return super()._checked(samples) | {"_M": M}

    def _descend(self, samples, W, rng):
        M, c = self._M, len(self.classes_)

        # The descent holds W and the transposes of A and B, multiples of Omega and of
        # all Psi, as in GMLVQ.
        def normalised(A_t, B_t):
            length, lengths = (
                np.linalg.norm(A_t),
                np.linalg.norm(B_t, axis=(1, 2), keepdims=True) / np.sqrt(M),
            )
            return A_t / length, B_t / lengths, length, lengths

        def objective(arrays):
            Omega_t, Psi_t, length, lengths = normalised(*arrays[1:])
            cost = glvq_cost(samples, arrays[0], self._w_codes, (Omega_t @ Psi_t).mT)
            by_omega = np.sum(cost.grad_omegas.mT @ Psi_t.mT, axis=0)
            by_psi = Omega_t.T @ cost.grad_omegas.mT
            # along the spheres on which Omega and each Psi lie
            by_omega = (by_omega - np.sum(by_omega * Omega_t) * Omega_t) / length
            by_psi = (
                by_psi - np.sum(by_psi * Psi_t, axis=(1, 2), keepdims=True) * Psi_t / M
            ) / lengths
            return cost.value, [cost.grad_W, by_omega, by_psi], cost.error

        start = [
            W,
            samples.initial_matrix(M, self.omega_init, rng).T,
            np.tile(np.eye(M), (c, 1, 1)),
        ]
        [W, *matrices], steps = lbfgs(
            objective, start, what="ClasswiseGMLVQ", **self._descent
        )
        Omega_t, Psi_t, *_ = normalised(*matrices)
        V, _, _ = thin_svd(matrices[0])
        inner = (V.T @ (Omega_t @ Psi_t)).mT  # (c, M, M)
        V = samples.outside(V.T).T
        signs = fix_signs(V)
        inner = inner * signs
        self.components_ = (V * signs).T
        self.class_matrices_ = inner.mT @ inner
        self._omegas = inner @ self.components_
        self._store(samples, W, history_of(steps, "cost", "error"))

    def _matrices(self):
        return [(self._w_codes == c, Omega) for c, Omega in enumerate(self._omegas)]
