"""Comparison of the errors of two classifiers or maps on the same samples."""

import numpy as np

from ..core import check_flags, check_fraction, require
from .intervals import INTERVAL_LEVEL, difference
from .targets import Classes


def compare_misses(misses, other_misses, level=INTERVAL_LEVEL):
    """Compare the errors of two classifiers or maps on the same samples.

    Parameters
    ----------
    misses : array-like of bool, shape (n_samples,)
        Whether the first one misclassifies each sample.
    other_misses : array-like of bool, shape (n_samples,)
        Whether the second one does.
    level : float, default=0.9
        Level of the interval of the difference.

    Returns
    -------
    text : str
        By how much the first error is larger or smaller, with the interval. If that
        contains 0, the difference is not decided.

    Examples
    --------
    >>> compare_misses([True, False, False, False] * 50, [False] * 200)
    'larger by 25 percentage points (90 % interval 19 to 31)'
    """
    first = check_flags(misses, "misses", np.size(misses))
    second = check_flags(other_misses, "other_misses", np.size(misses))
    require(len(first) > 0, "misses", "of a sample or more", misses)
    check_fraction(level, "level", ends=False)
    target = Classes(np.arange(len(first)) % 2)
    gain = difference(target, first, second, np.arange(len(first)), level)
    return target.difference_phrase(*gain, level)
