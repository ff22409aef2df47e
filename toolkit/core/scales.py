"""One warning about features on different scales, wherever distances between samples enter."""

from contextlib import contextmanager

import numpy as np

from .estimators import warn
from .scaling import about_median

__all__ = ["DISTANCES", "scales_are_told", "warn_of_scales"]


MAX_SCALE_RATIO = 100.0  # of the spreads of two features: distances then hardly see the smaller one
DISTANCES = "distances between samples hardly depend on the latter"
NORMAL_80 = 2.563  # standard deviations that hold the middle 80 % of a normal distribution
ENOUGH_ENTRIES = 2**20  # of a table of which every k-th row tells the spreads well enough

_telling = [True]


def warn_of_scales(X, estimator=None, name="X", *, limit=MAX_SCALE_RATIO, so=DISTANCES):
    """Warn if features (n, d) spread so differently that distances between samples see hardly more than some.

    The larger spread is a standard deviation, or what the middle 80 % of the samples say of it; the smaller one is
    taken among the samples that differ from the feature's median, so that a column of zeros and ones has 1, however
    rare the ones. Standardised data never warn, constant features do not count. The names of features are those of
    `estimator`, or of a table given as such.
    `so` says what follows of a ratio above `limit`.

    Examples
    --------
    >>> import warnings
    >>> import pandas as pd
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     named = pd.DataFrame(columns=["hue", "proline"])
    ...     warn_of_scales(np.array([[0.1, 200.0], [0.3, 900.0], [0.2, 100.0]]), named)
    >>> print(str(caught[0].message)[:65])
    `X`: "proline" spreads about 2,000 times as far as "hue", so that
    """
    if not _telling[-1]:
        return
    X = X[:: max(1, X.size // ENOUGH_ENTRIES)]
    about, unit, varying = about_median(X)
    if np.sum(varying) < 2:
        return
    low, high = np.quantile(about, [0.1, 0.9], axis=0)
    spread = unit * np.minimum(about.std(axis=0), (high - low) / NORMAL_80)  # a few outliers do not count
    differ = np.count_nonzero(about, axis=0)
    among = unit * np.sqrt(np.sum(about**2, axis=0) / np.maximum(differ, 1))
    far, near = int(np.argmax(spread)), int(np.argmin(np.where(varying & (among > 0), among, np.inf)))
    if not spread[far] > limit * among[near]:
        return
    ratio = float(f"{spread[far] / among[near]:.{1 + (limit < 10)}g}")
    names = getattr(estimator, "feature_names_in_", getattr(estimator, "columns", None))
    first, second = (f'"{names[j]}"' if names is not None else f"feature {j}" for j in (far, near))
    warn(
        f"`{name}`: {first} spreads about {ratio:,g} times as far as {second}, so that "
        f"{so}. Unless all share one unit, scale them first, for example with "
        "sklearn.preprocessing.StandardScaler."
    )


@contextmanager
def scales_are_told():
    """Within, :func:`warn_of_scales` is silent: the same samples have been looked at."""
    _telling.append(False)
    try:
        yield
    finally:
        _telling.pop()
