"""What synthetic data sets share: generators, groups of one size, shapes, names."""

from numbers import Real

import numpy as np
from sklearn.utils import Bunch, check_random_state

from ...core.checks import check_integer

__all__ = ["bunch_of", "check_between", "corners", "generator", "groups", "in_unit_ball", "names", "polar"]


def generator(random_state):
    """`check_random_state` with a message that names the argument."""
    try:
        return check_random_state(random_state)
    except ValueError:
        rule = "an integer from 0 to 2**32 - 1, a RandomState or None"
        raise ValueError(f"`random_state` must be {rule}; got {random_state!r}.") from None


def groups(n, n_groups, random_state):
    """Groups of one size, up to 1, in random order (n,), and the generator for the rest."""
    check_integer(n, "n_samples", n_groups)
    rng = generator(random_state)
    return rng.permutation(np.arange(n) % n_groups), rng


def check_between(value, name, high, *, zero=True):
    """A number from 0 to below `high`; 0 itself only with `zero`."""
    number = isinstance(value, Real) and not isinstance(value, bool)
    if not number or not 0 <= value < high or (value == 0 and not zero):
        raise ValueError(f"`{name}` must be a number in {'[' if zero else '('}0, {high}); got {value!r}.")


def in_unit_ball(n, rng):
    """Points uniform in the unit ball (n, 3)."""
    X = rng.normal(size=(n, 3))
    return X / np.linalg.norm(X, axis=1, keepdims=True) * rng.uniform(size=(n, 1)) ** (1 / 3)


def polar(radius, angle):
    """Points of the plane (n, 2)."""
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def corners(radius):
    """Corners of an equilateral triangle around the origin (3, 2)."""
    return polar(radius, np.pi / 2 + 2 * np.pi * np.arange(3) / 3)


def names(n, noun="x"):
    """x1, x2, ... or "class 1", "class 2", ... (n,)."""
    return np.array([f"{noun}{j + 1}" for j in range(n)])


def bunch_of(X, target, target_names=None, **truth):
    """The Bunch of a set; `target_names` is a list, or a noun for classes numbered from 0; None: the target is real."""
    if isinstance(target_names, str):
        target_names = names(target.max() + 1, f"{target_names} ")
    named = {} if target_names is None else {"target_names": np.array(target_names)}
    return Bunch(data=X, target=target, feature_names=names(X.shape[1]), **named, **truth)
