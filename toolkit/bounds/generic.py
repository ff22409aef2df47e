"""Bounds on the relevance of features by feature selection, for any criterion.

Backward elimination and greedy forward search, Algorithms 1 and 2 of the thesis. The
lower bound of a feature is what is lost without it; the upper bound is the most that it
gains over the sets of other features that the greedy search visits.
"""

from numbers import Real

import numpy as np
from joblib import delayed

from ..core import (
    about_mean,
    check_callable,
    check_flag,
    check_integer,
    check_magnitude,
    check_numbers,
    check_same_length,
    check_table,
    check_target,
    class_column,
    feature_names,
    require,
    results,
    safe_root,
    short_repr,
)
from .base import Bounds, result_class

# The penalties are fractions of the largest squared singular value.
LEFT_OUT_PENALTIES = np.logspace(-4, 2, 7)


@result_class
class GenericBounds(Bounds):
    """Bounds in units of the criterion; unpacks as ``lower, upper``.

    Kinds are "always helps", "sometimes helps" and "never helps".

    Parameters
    ----------
    lower, upper : ndarray of shape (d,)
        Lower and upper bound of each feature.
    level : ndarray of shape (d,) or None, default=None
        Null level of each feature.
    names : list of str or None, default=None
        Names of the features, if X was a DataFrame.
    error, empty : float
        Criterion with all features and with none.
    n_evaluations : int
        Number of evaluations of the criterion.

    Examples
    --------
    >>> x = np.arange(6.0)
    >>> found = generic_bounds(np.column_stack([x, x**2]), x)
    >>> found.names is None, found.lower.shape
    (True, (2,))
    """

    error: float
    empty: float
    n_evaluations: int
    does = "helps"


def linear_error(X, y):
    """Compute the training error of linear regression with an intercept.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        With d = 0 the error is the variance of the target.
    y : ndarray of shape (n,)
        Target values.

    Returns
    -------
    error : float
        Mean squared error.

    Examples
    --------
    >>> y = np.array([0.0, 1.0, 2.0])
    >>> bool(linear_error(np.empty((3, 0)), y) == y.var())
    True
    """
    X = check_numbers(X, "X", shape=("n", "d"))
    y = check_target(y, len(X))
    check_magnitude(X, squares=True)
    check_magnitude(y, "y", squares=True)
    A = about_mean(X)
    b = y - y.mean()
    w = np.linalg.lstsq(A, b, rcond=None)[0]
    residual = b - A @ w
    return float(np.mean(residual**2))


def left_out_error(X, y):
    """Compute the leave-one-out error of ridge regression, in closed form.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        With d = 0 each sample is predicted by the mean of the others.
    y : array-like of shape (n,)
        Real target; or classes, as indicators whose squared errors are summed.

    Returns
    -------
    error : float
        Mean squared error, the least over seven penalties; through this choice noise
        features gain a little, too.

    Examples
    --------
    >>> y = np.arange(20) % 2
    >>> classes = y.astype(str)
    >>> bool(left_out_error(y[:, None], classes) < 0.01)
    True
    >>> bool(left_out_error(np.empty((20, 0)), classes) < 0.01)
    False
    """
    X = check_numbers(X, "X", shape=("n", "d"))
    check_magnitude(X, squares=True)
    if np.asarray(y).dtype.kind in "iuf":
        y = check_numbers(y, "y")
    else:
        classes = class_column(y)
        is_of_class = classes[:, None] == np.unique(classes)
        y = is_of_class.astype(float)
    n = len(X)
    check_same_length(X, y)
    y = y.reshape(n, -1)
    residual = about_mean(y)
    A = about_mean(X)
    deviation = np.sqrt(np.mean(A**2, axis=0))
    largest = np.abs(X).max(axis=0, initial=0)
    varying = deviation > 1e-12 * largest
    if not varying.any():
        # The mean of the other samples predicts.
        left_out = residual * n / (n - 1)
        return float(np.sum(left_out**2) / n)
    A = A[:, varying] / deviation[varying]
    # Squared singular values from the smaller product; the least penalty, 1e-4 of the
    # largest, hides its rounding.
    if A.shape[1] <= n:
        squares, V = np.linalg.eigh(A.T @ A)
        P = A @ V
    else:
        squares, U = np.linalg.eigh(A @ A.T)
        P = U * safe_root(squares)
    # Each penalty has a hat matrix, whose diagonal is the leverage, (n, penalties).
    penalties = LEFT_OUT_PENALTIES * squares[-1]
    penalised = np.maximum(squares, 0)[:, None] + penalties
    shrinkage = 1 / penalised
    leverage = P**2 @ shrinkage + 1 / n
    coefficients = shrinkage.T[:, :, None] * (P.T @ residual)
    fitted = P @ coefficients  # (penalties, n, k)
    # The error without a sample is its residual over one minus its leverage.
    remainder = 1 - np.minimum(leverage.T, 1 - 1e-9)
    left_out = (residual - fitted) / remainder[:, :, None]
    errors = np.sum(left_out**2, axis=(1, 2)) / n
    return float(errors.min())


def generic_bounds(
    X,
    y,
    criterion=linear_error,
    *,
    n_steps=6,
    upper=True,
    n_jobs=None,
    verbose=False,
):
    """Compute bounds by feature selection, for any criterion.

    Lower bounds follow from Algorithm 1, upper bounds from Algorithm 2.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Samples.
    y : array-like of shape (n,)
        Real targets; or classes, if `criterion` compares those.
    criterion : callable, default=linear_error
        ``criterion(X, y)`` is the error of a set of features, the smaller the better;
        without columns, that of no feature. With in-sample errors every feature helps;
        with errors on held-out samples a lower bound can be negative.
        `left_out_error` is a fast criterion of this kind, for targets and classes; the
        last example is one for any model.
    n_steps : int >= 1, default=6
        The search adds n_steps - 1 features and removes them again (NB_FB_STEPS).
    upper : bool, default=True
        Whether to run Algorithm 2; otherwise `upper` is NaN.
    n_jobs : int or None, default=None
        Number of parallel jobs of joblib; None means 1, -1 all cores.
    verbose : bool, default=False
        Whether to show a progress bar.

    Returns
    -------
    bounds : GenericBounds
        After at most 2 d^2 n_steps + 2 evaluations; unpacks as ``lower, upper``.

    Notes
    -----
    Algorithm 2 as printed takes its backward maximum over the candidates; it must be
    over the selected features. Ties go to the first feature.

    References
    ----------
    Schulz (2017), section 4.3.1.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> lower, upper = generic_bounds(X, X[:, 0] + 2 * X[:, 1])
    >>> int(lower.argmax()), bool((lower <= upper).all())
    (1, True)
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> def error(X, y):  # with a constant column: of no feature, too
    ...     A = np.column_stack([X, np.ones(len(X))])
    ...     return 1 - cross_val_score(KNeighborsClassifier(), A, y).mean()
    >>> generic_bounds(X, np.where(X[:, 2] > 0, "up", "down"), error).upper.argmax()
    np.int64(2)
    """
    names = feature_names(X)
    rule = "a function of X and y that returns an error"
    check_callable(criterion, "criterion", rule)
    X = check_table(X, min_rows=2)
    y = class_column(y)
    check_same_length(X, y)
    if y.dtype.kind in "biuf":
        y = check_target(y)
    elif criterion is linear_error:
        raise ValueError(
            "`y` must hold numbers for the default `criterion`; got"
            f" {short_repr(y[0].item())}. Of classes give `criterion` an error, such as"
            " `left_out_error` or one minus a cross-validated score."
        )
    d = X.shape[1]
    steps = check_integer(n_steps, "n_steps", 1, 10**6)
    upper = check_flag(upper, "upper")
    error = _error(criterion, X, y)
    n_evaluations = 1
    empty = np.nan
    if upper:
        empty = _error(criterion, X[:, :0], y)
        n_evaluations = 2
    tasks = (
        delayed(_feature_bounds)(
            j=j,
            X=X,
            y=y,
            criterion=criterion,
            error=error,
            empty=empty,
            n_steps=steps,
            with_upper=upper,
        )
        for j in range(d)
    )
    bar = d, "features", verbose
    bounds = np.empty((2, d))
    for j, (ends, count) in enumerate(results(tasks, n_jobs, bar=bar)):
        bounds[:, j] = ends
        n_evaluations += count
    return GenericBounds(
        lower=bounds[0],
        upper=bounds[1],
        error=error,
        empty=empty,
        n_evaluations=n_evaluations,
        names=names,
    )


def _feature_bounds(*, j, X, y, criterion, error, empty, n_steps, with_upper):
    """Lower and upper bound of feature j, as a pair, and the number of evaluations.

    `criterion` (X, y) is the error of features; `error` is that with all of them,
    `empty` that without any. `n_steps` limits the number of features that are selected;
    without `with_upper` the upper bound is NaN.
    """

    def c(features):
        """Error with the set `features` of column numbers only."""
        return _error(criterion, X[:, sorted(features)], y)

    other_features = set(range(X.shape[1])) - {j}
    lower = c(other_features) - error  # Algorithm 1
    if not with_upper:
        return (lower, np.nan), 1
    # Algorithm 2: forward search, then backward elimination
    upper = max(lower, empty - c({j}))
    n_evaluations = 2
    selected = set()
    n_forward = min(n_steps - 1, len(other_features))
    for step in range(2 * n_forward):
        choices = selected
        if step < n_forward:
            choices = other_features - selected
        gains = {}
        for k in sorted(choices):
            # The sets are compared with k added, or removed.
            changed = selected ^ {k}
            gains[k] = c(changed) - c(changed | {j})
        best = max(gains, key=gains.get)
        upper = max(upper, gains[best])
        selected = selected ^ {best}
        n_evaluations += 2 * len(gains)
    return (lower, upper), n_evaluations


def _error(criterion, X, y):
    """A value of the criterion as a finite float."""
    value = criterion(X, y)
    is_valid = isinstance(value, Real) and np.isfinite(value)
    rule = "a function that returns a finite number, also for X of shape (n, 0)"
    require(is_valid, "criterion", rule, value)
    return float(value)
