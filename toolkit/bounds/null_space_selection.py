"""Model selection for the null space: errors against the effective dimension."""

import copy
from dataclasses import dataclass
from functools import partial

import numpy as np
from joblib import delayed

from ..core import (
    check_columns,
    check_integer,
    check_number,
    check_same_length,
    check_table,
    check_target,
    class_column,
    require,
    results,
    suppress_scale_warning,
)
from .equivalence import equivalence
from .linear import metric_bounds_of, metric_rows

# So many effective dimensions are tried by default.
MAX_DIMENSIONS = 30


@dataclass(frozen=True, kw_only=True)
class NullSpaceChoice:
    """Errors for each size of the null space, and the size chosen.

    Parameters
    ----------
    null_space, effective_dimension : int
        Chosen numbers of directions ignored and used.
    effective_dimensions : ndarray of shape (m,)
        All effective dimensions tried, ascending.
    train_error, error : ndarray of shape (m,)
        Means over the 2 d regularised mappings, on the training samples and on the
        others.
    average_train_error, average_error : ndarray of shape (m,)
        Errors of the average regularised mapping, on the same samples.
    original : (float, float)
        Errors of the mapping as trained.
    bounds : tuple of MetricBounds
        One per size.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import LinearRegression
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = LinearRegression().fit(X[::2], y[::2])
    >>> choice = choose_null_space(model, X[::2], y[::2], X[1::2], y[1::2])
    >>> choice.null_space + choice.effective_dimension
    10
    """

    null_space: int
    effective_dimension: int
    effective_dimensions: np.ndarray
    train_error: np.ndarray
    error: np.ndarray
    average_train_error: np.ndarray
    average_error: np.ndarray
    original: tuple[float, float]
    bounds: tuple


def choose_null_space(
    model,
    X,
    y,
    X_other,
    y_other,
    *,
    null_spaces=None,
    slack=1.01,
    tolerance=None,
    n_jobs=None,
    verbose=False,
):
    """Choose the largest null space with (nearly) the smallest error on other samples.

    Schulz 2017, section 4.3.5. For each size all 2 d regularised mappings replace the
    trained one in the model; their errors are averaged. Errors are 1 - score: the
    fraction of wrong classes, or 1 - R^2 of a regressor.

    Prototypes move so that their images stay, as those of the data do: otherwise
    regularised mappings may move their images far from those of the data.

    Parameters
    ----------
    model : fitted estimator
        A GMLVQ, LMNN or another model with ``lambda_`` and ``with_metric(Omega)``; or
        linear with ``coef_``.
    X, y : array-like of shape (n, d), array-like of shape (n,)
        Training samples with classes or targets, which decide on equivalence.
    X_other, y_other : array-like of shape (m, d), array-like of shape (m,)
        Validation samples that decide the choice; the error on these is too optimistic
        afterwards.
    null_spaces : sequence of int, optional
        Sizes to try; by default all with an effective dimension from 1 to the rank of
        X, at most 30.
    slack : float >= 1, default=1.01
        Equivalent weights may have an L1 norm of up to slack times the least.
    tolerance : float >= 0, optional
        The largest null space is chosen whose error is at most that much above the
        smallest. By default 0.01 for regressors and one standard error for classifiers,
        sqrt(e (1 - e) / m) for the smallest error e on m samples.
    n_jobs : int or None, default=None
        Number of parallel jobs of joblib; None means 1, -1 all cores.
    verbose : bool, default=False
        Whether to show a progress bar.

    Returns
    -------
    choice : NullSpaceChoice
        The chosen size, and the errors of all sizes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from toolkit.lvq import GMLVQ
    >>> X, y = load_iris(return_X_y=True)
    >>> X = (X - X.mean(axis=0)) / X.std(axis=0)
    >>> model = GMLVQ(rank=2).fit(X[::2], y[::2])
    >>> choice = choose_null_space(model, X[::2], y[::2], X[1::2], y[1::2])
    >>> choice.effective_dimensions.tolist(), choice.error.shape
    ([1, 2, 3, 4], (4,))
    """
    slack = check_number(slack, "slack", 1)
    tolerance = check_number(tolerance, "tolerance", 0, optional=True)
    parts = _check_parts(model, X, y, X_other, y_other)
    relations = _relations(X, null_spaces)
    rows, with_rows = _mapping(model, X, relations[0])
    jobs = (
        delayed(_errors)(with_rows, rows, relation, slack, parts)
        for relation in relations
    )
    bar = len(relations), "sizes", verbose
    errors = []
    bounds = []
    for errors_of_size, bounds_of_size in results(jobs, n_jobs, bar=bar):
        errors.append(errors_of_size)
        bounds.append(bounds_of_size)
    errors = np.array(errors)
    train_error, error, average_train_error, average_error = errors.T
    smallest_error = error.min()
    if tolerance is None:
        tolerance = 0.01
        if hasattr(model, "classes_"):
            # The tolerance is one standard error of a proportion.
            variance = smallest_error * (1 - smallest_error)
            tolerance = np.sqrt(variance / len(X_other))
    # The first is the largest null space.
    is_good = error <= smallest_error + tolerance + 1e-12
    best = relations[np.argmax(is_good)]
    dimensions = [relation.effective_dimension for relation in relations]
    train_part, other_part = parts
    original = _error(model, *train_part), _error(model, *other_part)
    return NullSpaceChoice(
        null_space=best.null_space,
        effective_dimension=best.effective_dimension,
        effective_dimensions=np.array(dimensions),
        train_error=train_error,
        error=error,
        average_train_error=average_train_error,
        average_error=average_error,
        original=original,
        bounds=tuple(bounds),
    )


def _check_parts(model, X, y, X_other, y_other):
    """Both sets of samples with classes or targets; DataFrames stay as they are."""
    is_metric = hasattr(model, "with_metric") and hasattr(model, "lambda_")
    is_known = is_metric or hasattr(model, "coef_")
    rule = "a fitted GMLVQ, LMNN or linear model with `coef_`"
    require(is_known, "model", rule, model)
    classes = getattr(model, "classes_", None)
    shape = "n", model.n_features_in_
    parts = []
    for A, labels, suffix in ((X, y, ""), (X_other, y_other, "_other")):
        name = f"y{suffix}"
        n = len(check_table(A, f"X{suffix}", min_rows=2, shape=shape))
        if classes is None:
            labels = check_target(labels, n, name)
        else:
            labels = class_column(labels, name)
            check_same_length(range(n), labels, (f"X{suffix}", name))
            if not np.isin(labels, classes).any():
                got = np.unique(labels)[:5].tolist()
                raise ValueError(
                    f"`{name}` must hold classes that `model` was fitted to,"
                    f" {classes[:5].tolist()}; got {got}."
                )
        parts.append((A, labels))
    return parts


def _relations(X, null_spaces):
    """An `Equivalence` per size of the null space, the largest first."""
    exact = equivalence(X)
    limit = int(exact.varying.sum()) - 1
    if null_spaces is None:
        n_sizes = min(exact.effective_dimension, MAX_DIMENSIONS)
        null_spaces = limit - np.arange(n_sizes)
    is_valid = np.ndim(null_spaces) == 1 and len(null_spaces) > 0
    rule = "a sequence of integers, at least one"
    require(is_valid, "null_spaces", rule, null_spaces)
    sizes = {
        check_integer(size, "null_spaces", 0, limit) for size in null_spaces
    }
    with suppress_scale_warning():
        return [equivalence(X, size) for size in sorted(sizes, reverse=True)]


def _mapping(model, X, relation):
    """The rows of the model's mapping, and a function: the model with others.

    `relation` is the `Equivalence` of the samples X (n, d).
    """
    check_columns(relation.names, model)
    if not hasattr(model, "with_metric"):
        rows = np.atleast_2d(model.coef_).astype(float)
        return rows, partial(_with_weights, model, np.mean(X, axis=0))
    rows = metric_rows(model, relation)
    return rows, partial(model.with_metric, like=rows)


def _with_weights(model, mean, Omega):
    """A copy of a linear model with other weights, and the same value at the mean.

    `Omega` (r, d) are the weights, `mean` (d,) is that of the samples.
    """
    changed = copy.copy(model)
    change = np.atleast_2d(model.coef_) - Omega
    changed.coef_ = Omega.reshape(np.shape(model.coef_))
    shift = change @ np.asarray(mean)
    shift = np.reshape(shift, np.shape(model.intercept_))
    changed.intercept_ = model.intercept_ + shift
    return changed


def _errors(with_rows, rows, relation, slack, parts):
    """Errors of the regularised mappings and their average on both parts; bounds.

    The errors (4,) are mean errors of the mappings, then those of their average.

    `with_rows` gives the model with another mapping, `rows` (r, d) are those of the
    model's own; `relation` is an `Equivalence`, `slack` that of `metric_bounds`. The
    parts are pairs of samples and labels.
    """
    bounds = metric_bounds_of(rows, relation, slack)

    def errors_on_parts(Omega):
        """Errors (2,) on both parts of a model with the mapping Omega (r, d)."""
        changed = with_rows(Omega)
        return [_error(changed, A, labels) for A, labels in parts]

    errors = [errors_on_parts(Omega) for Omega in bounds.mappings]
    mean_errors = np.mean(errors, axis=0)
    errors_of_average = errors_on_parts(bounds.average)
    return [*mean_errors, *errors_of_average], bounds


def _error(model, X, y):
    """Fraction of wrong classes, or 1 - R^2 of a regressor."""
    return 1 - float(model.score(X, y))
