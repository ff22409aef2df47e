"""Common parts of synthetic data sets: checks of arguments, groups, shapes, names."""

import functools
import inspect

import numpy as np
from sklearn.utils import Bunch

from ...core import LARGEST, check_integer, check_number, check_seed

# Limits of numbers; squares of what is drawn are finite.
FROM_0 = (0, LARGEST)
ABOVE_0 = (1 / LARGEST, LARGEST)
MOST_ENTRIES = 10**9  # numbers in the features of a set: 8 GB
# Rules of arguments that have one rule wherever they occur.
RULES = {
    "n_samples": 3,
    "n_features": 2,
    "n_classes": 1,
    "n_noise": 0,
    "noise_scale": FROM_0,
    "jitter": FROM_0,
    "noise": FROM_0,
}


def check_arguments(**special_rules):
    """Decorator of a maker: its arguments are checked and converted by rules.

    A rule is an integer, the least of a count, or the limits of a number. Those of
    `own` replace `RULES`. `random_state` is handed on as a RandomState.
    """

    def decorate(make):
        signature = inspect.signature(make)

        @functools.wraps(make)
        def maker(*args, **kwargs):
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            values = bound.arguments
            # Samples come first; their number limits the other counts.
            largest_count = None
            for name, rule in (RULES | special_rules).items():
                if name not in values:
                    continue
                if isinstance(rule, tuple):
                    values[name] = check_number(values[name], name, *rule)
                    continue
                values[name] = check_integer(
                    values[name], name, rule, largest_count
                )
                if largest_count is None:
                    largest_count = MOST_ENTRIES // values["n_samples"]
            values["random_state"] = check_seed(values["random_state"])
            return make(*bound.args, **bound.kwargs)

        return maker

    return decorate


def groups(n, n_groups, rng):
    """Groups of one size, up to 1, in random order (n,)."""
    return rng.permutation(np.arange(n) % n_groups)


def spiral(n, rng):
    """Ranks in random order (n,), and angles of a Fibonacci spiral at them (n,).

    The spiral is rotated at random.
    """
    ranks = rng.permutation(n)
    angles = ranks * np.pi * (3 - np.sqrt(5))
    return ranks, angles + rng.uniform(0, 2 * np.pi)


def in_unit_ball(n, rng):
    """Points uniform in the unit ball (n, 3)."""
    X = rng.randn(n, 3)
    directions = X / np.linalg.norm(X, axis=1, keepdims=True)
    # The volume grows with the third power of the radius.
    radius = rng.rand(n, 1) ** (1 / 3)
    return directions * radius


def polar(radius, angle):
    """Points of the plane (n, 2)."""
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def corners(radius):
    """Corners of an equilateral triangle around the origin (3, 2)."""
    angles = np.pi / 2 + 2 * np.pi * np.arange(3) / 3
    return polar(radius, angles)


def names(n, noun="x"):
    """x1, x2, ... or "class 1", "class 2", ... (n,)."""
    return np.array([f"{noun}{j + 1}" for j in range(n)])


def bunch_of(X, target, target_names=None, **truth):
    """The Bunch of a set.

    `target_names` is a list, a noun for classes numbered from 0, or None for real
    values. A target of truth values becomes the classes 0 and 1.
    """
    if target.dtype == bool:
        target = target.astype(int)
    if isinstance(target_names, str):
        target_names = names(target.max() + 1, f"{target_names} ")
    if target_names is not None:
        truth["target_names"] = np.array(target_names)
    return Bunch(
        data=X, target=target, feature_names=names(X.shape[1]), **truth
    )
