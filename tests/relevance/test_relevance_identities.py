"""Identities of the cost of a metric, thesis, section 4.2.4."""

import numpy as np
from claims.relevance_sets import bimodal_class
from literal import central_differences
from numpy.linalg import norm
from sklearn.decomposition import PCA

from toolkit import claims
from toolkit.core.scaling import median_centred
from toolkit.relevance.cost import Neighborhoods, energy


def test_cost_does_not_change_under_rotations_and_has_the_printed_gradient(
    check_claim,
):
    toy = bimodal_class(0, 60)
    X = median_centred(toy.data).X
    Z = median_centred(PCA(2).fit_transform(toy.data)).X
    rng = np.random.default_rng(0)
    turned = []
    wrong = []
    unfixed = []
    shrunk = []
    for k in (5, 10, 20):
        fixed = Neighborhoods(X, Z, k, 0.5)

        def anew(A, k=k):  # widths in the data set again at each Omega
            Y = X @ A.T
            cost = Neighborhoods(Y, Z, k, 0.5)(Y)[0]
            return cost + np.sum(A**2)

        for _ in range(5):
            Omega = rng.normal(size=(3, 3))
            R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
            value, gradient = energy(Omega, X, fixed, 1.0)
            turned_cost = energy(R @ Omega, X, fixed, 1.0)[0]
            turned += [abs(turned_cost / value - 1)]
            turned_norms = np.sum((R @ Omega) ** 2, axis=0)
            turned += [
                np.abs(turned_norms / np.sum(Omega**2, axis=0) - 1).max()
            ]
            numerical = central_differences(
                lambda A, fixed=fixed: energy(A, X, fixed, 1.0)[0],
                Omega,
                h=1e-5,
            )
            largest = np.abs(numerical).max()
            wrong.append(np.abs(gradient - numerical).max() / largest)
            at_own = Neighborhoods(X @ Omega.T, Z, k, 0.5)
            numerical = central_differences(anew, Omega, h=1e-5)
            printed = energy(Omega, X, at_own, 1.0)[1]
            unfixed.append(norm(printed - numerical) / norm(numerical))
            penalty = np.sum(Omega**2)
            shrunk.append(
                abs(anew(Omega) - penalty - anew(Omega / 10) + penalty / 100)
            )
    claims.start(seed=0)
    measured = [float(max(turned)), float(max(wrong))]
    note = (
        "widths of the data fixed at Omega = I. Were they set anew at each Omega, "
        "(4.9) would lack their "
        f"derivative and be {np.median(unfixed):.0%} off (median of 15 random metrics, "
        f"{min(unfixed):.0%} to "
        f"{max(unfixed):.0%}: how much depends on the metric); and the cost without "
        "penalty would not see the scale: "
        f"at Omega / 10 it is the same to {max(shrunk):.0e}, so that the penalty would "
        "shrink it"
    )
    check_claim("RE-26", measured, note=note)
    assert (
        max(turned) < 1e-10
        and max(wrong) < 1e-7
        and max(shrunk) < 1e-6
        and np.median(unfixed) > 0.1
    )
