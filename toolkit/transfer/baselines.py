"""What one would otherwise try for transfer without target labels or correspondences: couplings and registration.

Both are as their packages deliver them, POT and pycpd (``pip install "didi-toolkit[compare]"``). Neither draws random
numbers, so neither takes a seed.
"""

import warnings

import numpy as np
from sklearn.metrics import pairwise_distances
from sklearn.svm import SVC

__all__ = ["affine_registration", "coupling", "gromov_wasserstein", "linear_svm", "rigid_registration"]

HALF_TURN = ((1, 1), (-1, -1))
MIRRORED = ((1, -1), (-1, 1))


def gromov_wasserstein(X_source, X_target, y_source, *, epsilon=None):
    """Labels of the target: for each sample the class that sends it the largest mass.

    Parameters
    ----------
    X_source : array (n, d1)
    X_target : array (m, d2)
    y_source : array (n,)
    epsilon : float > 0 or None, weight of the entropy; None is without (conditional gradient)

    Returns
    -------
    array (m,)
    """
    return _labels_by_mass(coupling(X_source, X_target, epsilon=epsilon)[0], y_source)


def coupling(X_source, X_target, *, epsilon=None):
    """Gromov-Wasserstein coupling (n, m) of Euclidean distances, and its loss, which needs no label.

    The spaces have units of their own, so each distance matrix is divided by the median of its non-zero entries. POT
    starts from the product of uniform masses. Its many warnings that Sinkhorn did not converge are left out: the steps
    go on.
    """
    from ot import gromov

    D_source, D_target = _in_own_unit(X_source), _in_own_unit(X_target)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sinkhorn did not converge")
        if epsilon is None:
            T, log = gromov.gromov_wasserstein(D_source, D_target, log=True)
        else:
            T, log = gromov.entropic_gromov_wasserstein(D_source, D_target, epsilon=epsilon, log=True)
    if not (np.isfinite(T).all() and (T.sum(axis=0) > 0).all()):
        raise FloatingPointError(f"the coupling at epsilon {epsilon} is not finite or leaves out target samples")
    return T, float(log["gw_dist"])


def rigid_registration(source_places, target_places, y_source, *, starts=HALF_TURN + MIRRORED):
    """Target places (m, 2) turned, scaled and shifted onto the source's, and their labels by `linear_svm`.

    A rotation cannot mirror, and where it ends depends on where it starts, while which way a principal axis points is
    arbitrary. So it starts at each of `starts`, signs of the two target axes: by default all four. Kept is the start
    that ends with the smallest variance sigma2 of the mixture, which needs no label. (The package's objective ``q``
    comes to n + n log sigma2 at the end, the same order.)
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # of its source, when first compiled
        from pycpd import RigidRegistration

    return _registration(RigidRegistration, source_places, target_places, y_source, starts)


def affine_registration(source_places, target_places, y_source, *, starts=HALF_TURN + MIRRORED):
    """The same with any linear map B and a shift.

    pycpd 2.0.0 sums ``q`` as if B were symmetric, sigma2 rightly. It stops by ``q``, so often only after 100 steps.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        from pycpd import AffineRegistration

    return _registration(AffineRegistration, source_places, target_places, y_source, starts)


def linear_svm(source_places, y_source, places):
    """Labels by a linear support vector machine, one class versus one, as in section 5.3 of the thesis."""
    return SVC(kernel="linear").fit(source_places, y_source).predict(places)


def _registration(method, source_places, target_places, y_source, starts):
    source_places, target_places = np.asarray(source_places, float), np.asarray(target_places, float)
    runs = [method(X=source_places, Y=target_places * np.array(signs)) for signs in starts]
    for run in runs:
        run.register()
    places = min(runs, key=lambda run: run.sigma2).TY
    return places, linear_svm(source_places, y_source, places)


def _in_own_unit(X):
    D = pairwise_distances(X)
    return D / np.median(D[D > 0])


def _labels_by_mass(T, y_source):
    classes, codes = np.unique(y_source, return_inverse=True)
    return classes[(np.eye(len(classes))[codes].T @ T).argmax(axis=0)]
