"""Losses of rows, and errors with intervals, as functions of arrays.

Errors are fractions of wrong classes; of several labels the fraction of wrong labels
(Hamming loss); of real values the root mean squared error over the standard deviation.
Scores, which decide between models and on p-values, are Brier scores of probabilities,
and squared errors.
"""

import numpy as np
from scipy.stats import norm, t

from .intervals import WIDER


def class_losses(y, predicted):
    """Return 1 for each wrong class and 0 for each right one, (n,)."""
    return (y != predicted).astype(float)


def label_losses(Y, predicted):
    """Return the fraction of wrong labels of each row, (n,)."""
    gaps = np.abs(Y - predicted)
    return gaps.reshape(len(gaps), -1).mean(axis=1)


def squared_losses(y, predicted):
    """Return the squared error of each row, (n,)."""
    return (y - predicted) ** 2


def brier_scores(indicators, probabilities):
    """Return the Brier score of each row, (n,), from two arrays (n, n_classes)."""
    return ((probabilities - indicators) ** 2).sum(axis=1)


def mean_squares(Y, predictions):
    """Return the mean squared error of each row, (n,), of one column or of several."""
    squares = (Y - predictions) ** 2
    return squares.reshape(len(squares), -1).mean(axis=1)


def mean_loss(losses, weights):
    """Return weighted means of losses (n,), NaN left out.

    Parameters
    ----------
    losses : ndarray of shape (n,)
        Losses of the rows.
    weights : ndarray of shape (n,) or (b, n)
        Weights of the rows, 0 where the loss is NaN; one set per mean.

    Returns
    -------
    means : float or ndarray of shape (b,)
        One mean per set of weights.
    """
    sums = np.sum(np.nan_to_num(losses) * weights, axis=-1)
    return sums / weights.sum(axis=-1)


def standardised_error(losses, y, weights):
    """Return the root of the mean squared error, in standard deviations of y (n,).

    Parameters are those of `mean_loss`; mean and variance of y have the same weights.
    """
    mean = np.average(np.broadcast_to(y, weights.shape), -1, weights)
    squares = (y - mean[..., None]) ** 2 * weights
    sums = np.sum(np.nan_to_num(losses) * weights, axis=-1)
    return np.sqrt(sums / squares.sum(axis=-1))


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


def overfitted_interval(error, upper_end, baseline):
    """Return a symmetric interval that is wider where an error exceeds the baseline.

    Its half width is the hypotenuse of that to the upper end and of the excess.
    """
    excess = max(error - baseline, 0)
    half_width = np.hypot(upper_end - error, excess)
    return max(0.0, float(error - half_width)), float(error + half_width)


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
