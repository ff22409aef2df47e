"""How large a null space: the errors of a model with regularised mappings against the effective dimension."""

import copy
from dataclasses import dataclass
from functools import partial

import numpy as np
from joblib import delayed
from sklearn.utils.validation import check_array

from ..core.checks import check_positive
from ..core.parallel import results
from .arguments import check_columns, checked_slack
from .equivalence import equivalence
from .metric import checked_rows, metric_bounds_of

__all__ = ["NullSpaceChoice", "choose_null_space"]

MOST = 30
"""Effective dimensions tried by default."""


@dataclass(frozen=True)
class NullSpaceChoice:
    """Errors for each size of the null space, and the size chosen.

    Attributes
    ----------
    null_space, effective_dimension : int, as chosen
    effective_dimensions : ndarray of shape (m,), rising
    train_error, error : ndarray of shape (m,)
        Means over the 2 d regularised mappings, on the training samples and on the others.
    average_train_error, average_error : ndarray of shape (m,), of the averaged regularised map
    original : (float, float), errors of the mapping as trained
    bounds : tuple of MetricBounds, one a size
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
    keep_images=True,
    known=None,
    n_jobs=None,
    callback=None,
):
    """The largest null space with the smallest error on other samples, by the scheme of section 4.3.5.

    For each size all 2 d regularised mappings take the place of the trained one in the model; their errors are
    averaged. Errors are 1 - score: the share of wrong classes, or 1 - R^2 of a regressor.

    Parameters
    ----------
    model : fitted GMLVQ, LMNN or another model with ``lambda_`` and ``with_metric(Omega)``; or linear with ``coef_``
    X, y : training samples with classes or targets, which decide on equivalence
    X_other, y_other : samples that choose
        They have been looked at then: the error there flatters, further samples are needed to judge the choice.
    null_spaces : sequence of int, optional
        Sizes to try. By default all with an effective dimension from 1 to the rank of X, at most 30.
    slack : float >= 1, default=1.01
    tolerance : float >= 0, optional
        The largest null space is taken whose error is at most that much above the smallest; by default .01 for
        regressors and for classifiers one standard error, sqrt(e (1 - e) / m) for the smallest error e on m samples.
    keep_images : bool, default=True
        Whether prototypes move so that their images stay, as those of the data do. False: they stay where they are, and
        regularised mappings may throw their images far from the data's; errors then jump with the size.
    known : NullSpaceChoice, optional
        An earlier choice for the same mapping, training samples and slack: sizes that it tried are not solved again.
    n_jobs : int, optional
        Processes for joblib, over sizes.
    callback : callable, optional
        Called with the number of sizes done, for a progress bar.

    Returns
    -------
    NullSpaceChoice

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from toolkit.lvq import GMLVQ
    >>> X, y = load_iris(return_X_y=True)
    >>> X = (X - X.mean(axis=0)) / X.std(axis=0)
    >>> choice = choose_null_space(GMLVQ(rank=2).fit(X[::2], y[::2]), X[::2], y[::2], X[1::2], y[1::2])
    >>> choice.effective_dimensions.tolist(), choice.error.shape
    ([1, 2, 3, 4], (4,))
    """
    if not hasattr(model, "with_metric") and not hasattr(model, "coef_"):
        raise ValueError(
            "`model` must be a fitted GMLVQ or LMNN, whose metric can be replaced, or a fitted linear model with "
            f"`coef_`; got {model!r}."
        )
    slack = checked_slack(slack)
    if tolerance is not None:
        tolerance = check_positive(tolerance, "tolerance", zero=True)
    parts = []
    for A, labels, suffix in ((X, y, ""), (X_other, y_other, "_other")):
        size = check_array(A, dtype=np.float64, input_name=f"X{suffix}").shape
        parts.append((A, _labels(labels, size[0], f"y{suffix}")))  # a DataFrame as it is: the model knows its columns
    d, d_other = (np.shape(A)[1] for A, _ in parts)
    if d_other != d:
        raise ValueError(f"`X_other` must have {d} features, as `X` has; got {d_other}.")
    widest = equivalence(X)
    if null_spaces is None:
        d, I = int(widest.varying.sum()), widest.effective_dimension
        null_spaces = d - np.arange(1, min(I, MOST) + 1)
    null_spaces = np.unique(null_spaces)[::-1]
    if not len(null_spaces):
        raise ValueError("`null_spaces` must hold at least one size.")
    same = [equivalence(X, m) for m in null_spaces.tolist()]
    check_columns(model, widest.names)
    linear = not hasattr(model, "with_metric")
    rows = np.atleast_2d(model.coef_).astype(float) if linear else checked_rows(model, widest)
    if rows.shape[1] != d:
        raise ValueError(f"`X` must have {rows.shape[1]} features, as `model` was fitted to; got {d}.")
    if linear:
        replaced = partial(_with_weights, model, np.mean(X, axis=0))
    else:
        replaced = partial(model.with_metric, like=rows) if keep_images else model.with_metric
    classes = getattr(model, "classes_", None)
    for suffix, (_, labels) in zip(("", "_other"), parts, strict=True):
        if classes is not None and not np.isin(labels, classes).any():
            raise ValueError(
                f"`y{suffix}` must hold classes that `model` knows, {classes[:5].tolist()}; got "
                f"{np.unique(labels)[:5].tolist()}."
            )
    solved = dict(zip(known.effective_dimensions.tolist(), known.bounds, strict=True)) if known else {}
    jobs = (delayed(_errors)(replaced, rows, s, slack, parts, solved.get(s.effective_dimension)) for s in same)
    curves, bounds = [], []
    for errors, found in results(jobs, n_jobs):
        curves.append(errors)
        bounds.append(found)
        if callback is not None:
            callback(len(curves))
    train, error, average_train, average = np.array(curves).T
    least = error.min()
    if tolerance is None:
        tolerance = 0.01 if classes is None else np.sqrt(least * (1 - least) / len(parts[1][1]))
    best = int(np.argmax(error <= least + tolerance + 1e-12))  # the first has the largest null space
    dimensions = np.array([s.effective_dimension for s in same])
    return NullSpaceChoice(
        null_space=int(null_spaces[best]),
        effective_dimension=int(dimensions[best]),
        effective_dimensions=dimensions,
        train_error=train,
        error=error,
        average_train_error=average_train,
        average_error=average,
        original=tuple(_error(model, *part) for part in parts),
        bounds=tuple(bounds),
    )


def _with_weights(model, mean, Omega):
    """A copy of a linear model with other weights and the same value at the mean of the samples."""
    other = copy.copy(model)
    change = np.atleast_2d(model.coef_) - Omega
    other.coef_ = Omega.reshape(np.shape(model.coef_))
    other.intercept_ = model.intercept_ + np.reshape(change @ np.asarray(mean), np.shape(model.intercept_))
    return other


def _errors(replaced, rows, same, slack, parts, bounds=None):
    """Mean errors of the regularised mappings on both parts and those of their average; and the bounds."""
    bounds = metric_bounds_of(rows, same, slack) if bounds is None else bounds
    each = [[_error(replaced(Omega), *part) for part in parts] for Omega in bounds.mappings]
    average = replaced(bounds.average)
    return [*np.mean(each, axis=0), *(_error(average, *part) for part in parts)], bounds


def _error(model, X, y):
    if hasattr(model, "classes_"):
        return float(np.mean(model.predict(X) != y))
    return 1 - float(model.score(X, y))


def _labels(y, n, name):
    y = np.asarray(y)
    if y.shape != (n,):
        raise ValueError(f"`{name}` must hold one class a sample, shape ({n},); got {y.shape}.")
    return y
