"""Baselines for transfer without target labels or correspondences: optimal transport
and point set registration.

Both are as their packages deliver them, POT and pycpd. Neither draws random numbers, so
neither takes a seed.
"""

import warnings

import numpy as np
from sklearn.metrics import pairwise_distances

from toolkit.transfer.confidence import linear_svm

# of the two target axes: half a turn and reflections
SIGNS = (1, 1), (-1, -1), (1, -1), (-1, 1)


def gromov_wasserstein(X_source, X_target, y_source, *, epsilon=None):
    """Labels (m,) of the target: for each sample the class that sends it the largest
    mass.

    The masses are the Gromov-Wasserstein coupling of Euclidean distances, each matrix
    divided by the median of its non-zero entries, as the spaces have different units.
    `epsilon` is the weight of the entropy; None is without (conditional gradient).
    POT's many warnings that Sinkhorn did not converge are suppressed: the steps go on.
    """
    from ot import gromov

    D_source, D_target = (
        D / np.median(D[D > 0])
        for D in map(pairwise_distances, (X_source, X_target))
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sinkhorn did not converge")
        if epsilon is None:
            T = gromov.gromov_wasserstein(D_source, D_target)
        else:
            T = gromov.entropic_gromov_wasserstein(
                D_source, D_target, epsilon=epsilon
            )
    if not (np.isfinite(T).all() and (T.sum(0) > 0).all()):
        raise FloatingPointError(
            f"the coupling at epsilon {epsilon} is not finite or leaves out samples"
        )
    classes, codes = np.unique(y_source, return_inverse=True)
    return classes[(np.eye(len(classes))[codes].T @ T).argmax(0)]


def rigid_registration(source_map, target_map, y_source):
    """Target coordinates (m, 2) rotated, scaled and shifted onto the source's, and
    their labels by `linear_svm`.

    A rotation cannot reflect, where it ends depends on where it starts, and the sign of
    a principal axis is arbitrary. So it starts at all four signs of the two target
    axes. Kept is the start that ends with the smallest variance sigma2 of the mixture,
    which needs no label. (The package's objective ``q`` comes to n + n log sigma2 at
    the end, the same order.)
    """
    with warnings.catch_warnings():
        # of its source, when first compiled
        warnings.simplefilter("ignore", SyntaxWarning)
        import pycpd
    runs = [
        pycpd.RigidRegistration(X=source_map, Y=target_map * signs)
        for signs in SIGNS
    ]
    for run in runs:
        run.register()
    registered = min(runs, key=lambda run: run.sigma2).TY
    return registered, linear_svm(source_map, y_source, registered)
