"""Intervals, also in words, p-values and permutations, with groups of rows as units.

Rows that depend on each other are one unit: of a bootstrap, of a standard error, of a
permutation.
"""

import numpy as np
from scipy.stats import norm, t

from ..core import percent

INTERVAL_LEVEL = 0.9  # of every interval that is printed
# Standard errors of cross-validated losses are too small by this factor, as folds share
# training rows.
WIDER = 1.15
N_BOOTSTRAPS = 400
N_PERMUTED_TARGETS = 19
SMALLEST_P = 1 / (1 + N_PERMUTED_TARGETS)
# A test ends once so many permuted targets are as good as the true one.
ENOUGH_AS_GOOD = 5
FEWEST_GROUPS = 6


def simultaneous_level(n_intervals):
    """Compute the level of intervals that hold together with a probability of 0.9.

    Parameters
    ----------
    n_intervals : int
        How many intervals there are.

    Returns
    -------
    level : float
        Level of each of them (Bonferroni).

    Examples
    --------
    >>> round(simultaneous_level(3), 3)
    0.967
    """
    return 1 - (1 - INTERVAL_LEVEL) / n_intervals


def units_of(groups):
    """Numbers (n,) of the groups, from 0."""
    return np.unique(groups, return_inverse=True)[1]


def row_weights(groups):
    """How often (N_BOOTSTRAPS, n) each row is in bootstrap samples of the groups."""
    units = units_of(groups)
    n_units = units.max() + 1
    rng = np.random.default_rng(0)
    probabilities = np.full(n_units, 1 / n_units)
    counts = rng.multinomial(n_units, probabilities, size=N_BOOTSTRAPS)
    return counts[:, units]


def standard_error(values, groups):
    """Compute the standard error of a mean, with groups as units.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Values whose mean is taken.
    groups : array-like of shape (n,)
        Values with equal entries here depend on each other.

    Returns
    -------
    error : float
        Standard error of the mean.

    Examples
    --------
    >>> values = np.array([0.0, 0.0, 1.0, 1.0])
    >>> standard_error(values, [0, 1, 2, 3]) < standard_error(values, [0, 0, 1, 1])
    True
    """
    sums = np.bincount(units_of(groups), values - values.mean())
    n_units = len(sums)
    variance = (sums**2).sum() * n_units / max(n_units - 1, 1)
    return float(WIDER * np.sqrt(variance) / len(values))


def difference(target, losses, subtracted_losses, groups, level=INTERVAL_LEVEL):
    """Compute the difference of two errors on the same rows, with its interval.

    Parameters
    ----------
    target : Target
        Target of the rows, whose errors are compared.
    losses : ndarray of shape (n,)
        Losses of each row for the first error.
    subtracted_losses : ndarray of shape (n,)
        Losses of each row for the error that is subtracted.
    groups : ndarray of shape (n,)
        Rows of equal values depend on each other.
    level : float, default=0.9
        Level of the interval.

    Returns
    -------
    gain : float
        First error minus the second.
    interval : (float, float)
        Ends of the interval of the difference.

    Examples
    --------
    >>> from toolkit.validation import as_target
    >>> target = as_target(np.arange(4) % 2, 4)
    >>> difference(target, np.ones(4), np.zeros(4), np.arange(4))
    (1.0, (1.0, 1.0))
    """
    gain = target.error(losses) - target.error(subtracted_losses)
    resampled_errors = target.resampled(losses, groups)
    resampled_gains = resampled_errors - target.resampled(
        subtracted_losses, groups
    )
    # Bootstrap samples without rows to be predicted have no error.
    is_finite = np.isfinite(resampled_gains)
    deviation = np.std(resampled_gains[is_finite])
    half_width = norm.ppf((1 + level) / 2) * WIDER * deviation
    return float(gain), (float(gain - half_width), float(gain + half_width))


def permutations_of(y, groups, is_declared, rng):
    """Return ways to permute a target that leave dependence among rows as it is.

    Parameters
    ----------
    y : ndarray of shape (n,) or (n, l)
        Target of the rows.
    groups : ndarray of shape (n,)
        Groups of the rows.
    is_declared : bool
        Whether rows of a group depend on each other; they may only be equal.
    rng : numpy Generator
        Random number generator that draws the permutations.

    Returns
    -------
    ways : dict of str to function without arguments
        Each call returns row numbers (n,), in whose order the target is permuted. Whole
        groups are permuted where the target is constant in each; otherwise one way
        permutes within groups, another between groups of similar size. With fewer than
        six groups there is none.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> list(permutations_of(np.arange(20), np.arange(20) // 2, True, rng))
    ['rows within groups', 'groups of like size']
    """
    units = units_of(groups)
    n = len(units)
    sizes = np.bincount(units)
    starts = np.cumsum(sizes) - sizes
    by_unit = np.argsort(units, kind="stable")
    members = np.split(by_unit, starts[1:])
    is_constant = all(np.all(y[rows] == y[rows[0]]) for rows in members)
    if len(members) == n or not (is_declared or is_constant):
        return {"rows": lambda: rng.permutation(n)}
    if len(members) < FEWEST_GROUPS:
        return {}

    place_in_group = np.empty(n, dtype=int)
    place_in_group[by_unit] = np.arange(n) - starts[units[by_unit]]

    def between():
        """Each group gets the targets of another one of about its size."""
        # Groups of equal size are in an order by chance.
        by_size = np.lexsort([rng.random(len(sizes)), sizes])
        other_group = np.empty(len(sizes), dtype=int)
        n_parts = len(sizes) // FEWEST_GROUPS
        for similar_groups in np.array_split(by_size, n_parts):
            other_group[similar_groups] = rng.permutation(similar_groups)
        group_of_row = other_group[units]
        # A smaller group is used again from its first row.
        places = place_in_group % sizes[group_of_row]
        return by_unit[starts[group_of_row] + places]

    def within():
        """Each row gets the target of another one of its group."""
        order = np.empty(n, dtype=int)
        for rows in members:
            order[rows] = rng.permutation(rows)
        return order

    if is_constant:
        return {"whole groups": between}
    return {"rows within groups": within, "groups of like size": between}


def p_value(true, scores, *, ask_worst=False):
    """Compute the p-value of a score `true` from scores of permuted targets.

    Once five of these are as good, the rest is not evaluated: p = 5 / number, else
    (1 + those as good) / (1 + number). With `ask_worst`, where the first five are as
    good, more are evaluated until one is worse: p = number / (1 + number). Then p = 1
    only if all are as good, by chance with a probability of 1 / (1 + all).
    """
    n_as_good = 0
    n = 0
    for n, score in enumerate(scores, 1):
        is_as_good = bool(score <= true)
        n_as_good += is_as_good
        are_all_as_good = n_as_good == n
        if n_as_good < ENOUGH_AS_GOOD or (ask_worst and are_all_as_good):
            continue
        if is_as_good:
            return n_as_good / n
        return n / (1 + n)
    return (1 + n_as_good) / (1 + n)


def bootstrap_interval(error, resampled_errors, level):
    """Return an interval around an error, as wide as bootstrapped errors (b,) vary.

    It is not narrower than that of a normal distribution with their variance. Errors
    that are NaN, of bootstrap samples without rows to be predicted, are left out.
    """
    resampled_errors = resampled_errors[np.isfinite(resampled_errors)]
    half_width = np.quantile(abs(resampled_errors - error), level)
    normal_quantile = norm.ppf((1 + level) / 2)
    normal_half_width = normal_quantile * WIDER * resampled_errors.std()
    half_width = max(half_width, normal_half_width)
    return float(max(0.0, error - half_width)), float(error + half_width)


def wilson_interval(losses, groups, level, weights=None):
    """Return Wilson's interval of a fraction, of as many rows as there are groups.

    Parameters
    ----------
    losses : ndarray of shape (n,)
        0 or 1 for each row; rows with NaN are left out.
    groups : ndarray of shape (n,)
        Rows of equal values depend on each other.
    level : float
        Level of the interval.
    weights : ndarray of shape (n,), optional
        Weights of the rows.

    Returns
    -------
    interval : (float, float)
        Lower and upper end.
    """
    has_loss = np.isfinite(losses)
    n_units = len(np.unique(groups[has_loss]))
    tail = (1 + level) / 2
    quantile = norm.ppf(tail)
    if n_units < has_loss.sum():
        quantile = t.ppf(tail, max(n_units - 1, 1))
    losses = losses[has_loss]
    if weights is not None:
        weights = weights[has_loss]
        # So many rows of equal weight have the same variance; without losses the
        # weights of all rows decide.
        weighted = weights * (losses + 1e-9)
        n_units *= weighted.sum() / (weighted @ weights)
    q = (WIDER * quantile) ** 2 / n_units
    error = np.average(losses, weights=weights)
    half_width = np.sqrt(q * (error * (1 - error) + q / 4))
    low = (error + q / 2 - half_width) / (1 + q)
    high = (error + q / 2 + half_width) / (1 + q)
    return float(low), float(high)


def error_text(error, is_value):
    """An error in percent; of values in standard deviations.

    Examples
    --------
    >>> error_text(0.314, False), error_text(0.314, True)
    ('31 %', '0.31')
    """
    if is_value:
        return f"{error:.2f}"
    digits = 1 if 0 < abs(error) < 0.0995 else 0
    return percent(error, digits)


def interval_text(interval, is_value):
    """An interval of an error in words.

    Examples
    --------
    >>> interval_text((0.08, 0.18), False)
    '8.0 to 18 %'
    """
    low, high = interval
    low_text = error_text(low, is_value).removesuffix(" %")
    return f"{low_text} to {error_text(high, is_value)}"


def difference_text(difference, interval, level, is_value):
    """A difference of two errors in words, with its interval.

    Examples
    --------
    >>> difference_text(-0.02, (-0.03, -0.01), 0.9, True)
    'smaller by 0.02 standard deviations (90 % interval 0.01 to 0.03)'
    """
    comparative = "larger"
    low, high = interval
    if difference < 0:
        comparative = "smaller"
        difference = -difference
        low, high = sorted((-low, -high))
    number, low, high = (
        error_text(value, is_value).removesuffix(" %")
        for value in (difference, low, high)
    )
    unit = "standard deviations" if is_value else "percentage points"
    interval = f"{percent(level)} interval {low} to {high}"
    return f"{comparative} by {number} {unit} ({interval})"
