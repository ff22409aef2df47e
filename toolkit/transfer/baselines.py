"""Baselines for transfer without target labels or correspondences: optimal transport and point set registration.

Both are as their packages deliver them, POT and pycpd (``pip install -e ".[compare]"`` in the clone). Neither draws
random numbers, so neither takes a seed.
"""

import warnings
from importlib import import_module

import numpy as np
from sklearn.metrics import pairwise_distances
from sklearn.svm import SVC

__all__ = ["gromov_wasserstein", "linear_svm", "pot_coupling", "rigid_registration"]

SIGNS = ((1, 1), (-1, -1), (1, -1), (-1, 1))  # of the two target axes: half a turn and reflections


def gromov_wasserstein(X_source, X_target, y_source, *, epsilon=None):
    """Labels (m,) of the target: for each sample the class that sends it the largest mass.

    Parameters
    ----------
    X_source, X_target : ndarray of shape (n, d1) and (m, d2)
    y_source : ndarray of shape (n,)
    epsilon : float > 0 or None, weight of the entropy; None is without (conditional gradient)
    """
    T = pot_coupling(X_source, X_target, epsilon=epsilon)[0]
    classes, codes = np.unique(y_source, return_inverse=True)
    return classes[(np.eye(len(classes))[codes].T @ T).argmax(axis=0)]


def pot_coupling(X_source, X_target, *, epsilon=None):
    """Gromov-Wasserstein coupling (n, m) of Euclidean distances by POT, and its loss, which needs no label.

    Each distance matrix is divided by the median of its non-zero entries, as the spaces have different units. POT
    starts from the product of uniform masses. Its many warnings that Sinkhorn did not converge are suppressed: the
    steps go on.
    """
    gromov = _package("ot.gromov")
    D_source, D_target = (D / np.median(D[D > 0]) for D in map(pairwise_distances, (X_source, X_target)))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sinkhorn did not converge")
        if epsilon is None:
            T, log = gromov.gromov_wasserstein(D_source, D_target, log=True)
        else:
            T, log = gromov.entropic_gromov_wasserstein(D_source, D_target, epsilon=epsilon, log=True)
    if not (np.isfinite(T).all() and (T.sum(axis=0) > 0).all()):
        raise FloatingPointError(f"the coupling at epsilon {epsilon} is not finite or leaves out target samples")
    return T, float(log["gw_dist"])


def rigid_registration(source_map, target_map, y_source, *, starts=SIGNS):
    """Target coordinates (m, 2) rotated, scaled and shifted onto the source's, and their labels by `linear_svm`.

    A rotation cannot reflect, where it ends depends on where it starts, and the sign of a principal axis is arbitrary.
    So it starts at each of `starts`, signs of the two target axes. Kept is the start that ends with the smallest
    variance sigma2 of the mixture, which needs no label. (The package's objective ``q`` comes to n + n log sigma2 at
    the end, the same order.)
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # of its source, when first compiled
        pycpd = _package("pycpd")
    source_map, target_map = np.asarray(source_map, float), np.asarray(target_map, float)
    runs = [pycpd.RigidRegistration(X=source_map, Y=target_map * np.array(signs)) for signs in starts]
    for run in runs:
        run.register()
    registered = min(runs, key=lambda run: run.sigma2).TY
    return registered, linear_svm(source_map, y_source, registered)


def linear_svm(source_map, y_source, coordinates):
    """Labels by a linear support vector machine, one class versus one, as in section 5.3 of the thesis."""
    return SVC(kernel="linear").fit(source_map, y_source).predict(coordinates)


def _package(name):
    """A package that comes with the extra `compare`."""
    try:
        return import_module(name)
    except ImportError as error:
        remedy = 'pip install -e ".[compare]" in the clone'
        raise ImportError(f"Comparisons need the packages POT and pycpd: {remedy} ({error}).") from error
