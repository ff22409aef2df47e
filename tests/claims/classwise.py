"""Class-wise GMLVQ: a common projection, and a Mahalanobis metric per class in it.

An open end of Biehl2012, of which a claim asks how much it gains.
"""

from dataclasses import KW_ONLY
from typing import Literal

import numpy as np

from toolkit.core import (
    CentredMap,
    check_n_components,
    fix_signs,
    lbfgs,
    parameters,
    thin_svd,
)
from toolkit.lvq.classifier import DistanceClassifier
from toolkit.lvq.cost import glvq_cost


@parameters
class ClasswiseGMLVQ(CentredMap, DistanceClassifier):
    """GMLVQ in a common plane with a metric per class: an open end of Biehl2012.

    Parameters
    ----------
    prototypes_per_class : int or dict from class to int, default=1
    rank : int, default=2
        Dimensions of the common projection; the map shows all of them.
    omega_init : {"pca", "random"}, default="pca"
        As in :class:`GMLVQ`; the class-wise matrices start from the identity.
    max_iter : int, default=1000
    tol, random_state, verbose : as in :class:`GLVQ`
        End of L-BFGS, the seed, and a progress bar.

    Attributes
    ----------
    prototypes_, prototype_labels_, classes_, mean_ : as in :class:`GLVQ`
    history_, n_iter_ : as in :class:`GLVQ`
    components_ : ndarray of shape (rank, n_features)
        Orthonormal rows that span the projection.
    class_matrices_ : ndarray of shape (c, rank, rank)
        Metric of each class in the map: the squared distance of z to a prototype v of
        class c is (z - v)^T class_matrices_[c] (z - v).

    Notes
    -----
    d(x, w) = |Psi_c Omega (x - w)|^2 for a prototype w of class c, in the cost (6),
    with sum Omega_ij^2 = 1 and the squares of each Psi_c summing to the rank.
    """

    _: KW_ONLY
    rank: object = 2
    omega_init: Literal["pca", "random"] = "pca"

    def _train(self, samples, W, rng):
        M = check_n_components(
            self.rank,
            samples.rank,
            self.n_features_in_,
            "the rank of the centred X",
            name="rank",
        )

        # Omega = A / |A| and Psi_c = sqrt(M) B_c / |B_c|; arrays are transposed
        def normalise(A, B):
            length = np.linalg.norm(A)
            lengths = np.linalg.norm(B, axis=(1, 2), keepdims=True) / np.sqrt(M)
            return A / length, B / lengths, length, lengths

        def objective(arrays):
            Omega, Psi, length, lengths = normalise(*arrays[1:])
            cost = glvq_cost(
                samples, arrays[0], self._w_codes, (Omega @ Psi).mT
            )
            by_omega = np.sum(cost.grad_omegas.mT @ Psi.mT, axis=0)
            by_psi = Omega.T @ cost.grad_omegas.mT
            # along the spheres on which Omega and each Psi lie
            by_omega = (by_omega - np.sum(by_omega * Omega) * Omega) / length
            along = np.sum(by_psi * Psi, axis=(1, 2), keepdims=True) * Psi / M
            by_psi = (by_psi - along) / lengths
            return cost.value, [cost.grad_W, by_omega, by_psi], cost.error

        # Start: the plane of principal directions, Euclidean in it for all classes
        start = [
            W,
            samples.initial_matrix(M, self.omega_init, rng).T,
            np.tile(np.eye(M), (len(self.classes_), 1, 1)),
        ]
        [W, A, B], steps = lbfgs(self, objective, start)
        # Canonical form: orthonormal rows span the plane, the rest is in the metrics
        Omega, Psi, *_ = normalise(A, B)
        V, _, _ = thin_svd(A)
        inner = (V.T @ (Omega @ Psi)).mT  # (c, M, M)
        V = samples.to_features(V.T).T
        signs = fix_signs(V)
        inner = inner * signs
        self.components_ = (V * signs).T
        self.class_matrices_ = inner.mT @ inner
        self._omegas = inner @ self.components_
        self._store(samples, W, steps)

    def _matrices(self):
        return [
            (self._w_codes == c, Omega) for c, Omega in enumerate(self._omegas)
        ]
