"""Model selection for the null space: errors of regularised mappings against the effective dimension."""

import copy
from dataclasses import dataclass
from functools import partial

import numpy as np
from joblib import delayed

from ..core.arrays import as_frame, check_columns, check_table, check_target
from ..core.checks import (
    check_callable,
    check_flag,
    check_integer,
    check_number,
    check_same_length,
    short_repr,
)
from ..core.labels import class_column
from ..core.progress import results
from ..core.scaling import suppress_scale_warning
from .equivalence import equivalence
from .linear import checked_rows, metric_bounds_of

MAX_DIMENSIONS = 30  # so many effective dimensions are tried by default


@dataclass(frozen=True)
class NullSpaceChoice:
    """Errors for each size of the null space, and the size chosen.

    Attributes
    ----------
    null_space, effective_dimension : int, as chosen
    effective_dimensions : ndarray of shape (m,), rising
    train_error, error : ndarray of shape (m,)
        Means over the 2 d regularised mappings, on the training samples and on the
        others.
    average_train_error, average_error : ndarray of shape (m,), of the averaged regularised map
    original : (float, float), errors of the mapping as trained
    bounds : tuple of MetricBounds, one per size
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

    def to_frame(self):
        """The errors as a pandas DataFrame, one row per effective dimension."""
        columns = ("train_error", "error", "average_train_error", "average_error")
        null_spaces = (
            self.null_space + self.effective_dimension - self.effective_dimensions
        )
        errors = {"null_space": null_spaces} | {
            name: getattr(self, name) for name in columns
        }
        return as_frame(errors, self.effective_dimensions, "effective_dimension")


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
    verbose=False,
):
    """Choose the largest null space with (nearly) the smallest error on other samples (Schulz 2017, section 4.3.5).

    For each size all 2 d regularised mappings take the place of the trained one in the
    model; their errors are averaged. Errors are 1 - score: the fraction of wrong
    classes, or 1 - R^2 of a regressor.

    Parameters
    ----------
    model : fitted GMLVQ, LMNN or another model with ``lambda_`` and ``with_metric(Omega)``; or linear with ``coef_``
    X, y : training samples with classes or targets, which decide on equivalence
    X_other, y_other : samples that choose; the error on these is too optimistic afterwards
    null_spaces : sequence of int, by default all with an effective dimension from 1 to the rank of X, at most 30
    slack : float >= 1, default=1.01
    tolerance : float >= 0, optional
        The largest null space is taken whose error is at most that much above the
        smallest; by default .01 for regressors and for classifiers one standard error,
        sqrt(e (1 - e) / m) for the smallest error e on m samples.
    keep_images : bool, default=True
        Whether prototypes move so that their images stay, as those of the data do.
        False: prototypes stay, and regularised mappings may move their images far from
        those of the data; errors then jump with the size.
    known : NullSpaceChoice, optional
        An earlier choice for the same mapping, training samples and slack: sizes that
        it tried are not solved again.
    n_jobs : int, optional, processes for joblib, over sizes
    callback : callable, optional, called with the number of sizes done
    verbose : bool, default=False, show a progress bar

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
    slack = check_number(slack, "slack", 1)
    tolerance = check_number(tolerance, "tolerance", 0, none=True)
    check_flag(keep_images, "keep_images")
    check_callable(callback, "callback", "a function of the number of sizes done")
    if known is not None and not isinstance(known, NullSpaceChoice):
        raise ValueError(
            f"`known` must be an earlier NullSpaceChoice, or None; got {short_repr(known)}."
        )
    parts = _checked_parts(model, X, y, X_other, y_other)
    relations, rows, replaced = _asked(model, X, null_spaces, keep_images)
    solved = (
        dict(zip(known.effective_dimensions.tolist(), known.bounds, strict=True))
        if known
        else {}
    )
    jobs = (
        delayed(_errors)(
            replaced, rows, r, slack, parts, solved.get(r.effective_dimension)
        )
        for r in relations
    )
    found = []
    for errors_and_bounds in results(
        jobs, n_jobs, bar=([1] * len(relations), "sizes", verbose)
    ):
        found.append(errors_and_bounds)
        if callback is not None:
            callback(len(found))
    curves, bounds = zip(*found, strict=True)
    curves = np.array(curves).T
    best = _best(
        curves[1], tolerance, len(X_other) if hasattr(model, "classes_") else None
    )
    return NullSpaceChoice(
        relations[best].null_space,
        relations[best].effective_dimension,
        np.array([r.effective_dimension for r in relations]),
        *curves,
        tuple(_error(model, *part) for part in parts),
        bounds,
    )


def _checked_parts(model, X, y, X_other, y_other):
    """Both sets of samples with their classes or targets; DataFrames stay, as the model knows their columns."""
    if not hasattr(model, "coef_") and not (
        hasattr(model, "with_metric") and hasattr(model, "lambda_")
    ):
        raise ValueError(
            "`model` must be a fitted GMLVQ, LMNN or linear model with `coef_`; got"
            f" {short_repr(model)}."
        )
    parts, classes = [], getattr(model, "classes_", None)
    for A, labels, suffix in ((X, y, ""), (X_other, y_other, "_other")):
        n = len(
            check_table(A, f"X{suffix}", least=2, shape=("n", model.n_features_in_))
        )
        name = f"y{suffix}"
        if classes is None:
            labels = check_target(labels, n, name)
        else:
            labels = class_column(labels, name)
            check_same_length(range(n), labels, (f"X{suffix}", name))
            if not np.isin(labels, classes).any():
                given = np.unique(labels)[:5].tolist()
                raise ValueError(
                    f"`{name}` must hold classes that `model` knows,"
                    f" {classes[:5].tolist()}; got {given}."
                )
        parts.append((A, labels))
    return parts


def _asked(model, X, null_spaces, keep_images):
    """An `Equivalence` per size, the largest first; the rows of the model's mapping; a function that replaces them."""
    exact = equivalence(X)
    most = int(exact.varying.sum()) - 1
    if null_spaces is None:
        null_spaces = most - np.arange(min(exact.effective_dimension, MAX_DIMENSIONS))
    if np.ndim(null_spaces) != 1 or not len(null_spaces):
        raise ValueError(
            "`null_spaces` must be a sequence of integers, at least one; got"
            f" {short_repr(null_spaces)}."
        )
    sizes = sorted(
        {check_integer(size, "null_spaces", 0, most) for size in null_spaces},
        reverse=True,
    )
    with suppress_scale_warning():
        relations = [equivalence(X, size) for size in sizes]
    check_columns(exact.names, model)
    if hasattr(model, "with_metric"):
        rows = checked_rows(model, exact)
        return (
            relations,
            rows,
            partial(model.with_metric, like=rows) if keep_images else model.with_metric,
        )
    rows = np.atleast_2d(model.coef_).astype(float)
    return relations, rows, partial(_with_weights, model, np.mean(X, axis=0))


def _with_weights(model, mean, Omega):
    """A copy of a linear model with other weights and the same value at the mean of the samples."""
    other = copy.copy(model)
    change = np.atleast_2d(model.coef_) - Omega
    other.coef_ = Omega.reshape(np.shape(model.coef_))
    other.intercept_ = model.intercept_ + np.reshape(
        change @ np.asarray(mean), np.shape(model.intercept_)
    )
    return other


def _errors(replaced, rows, relation, slack, parts, bounds=None):
    """Mean errors of the regularised mappings on both parts and those of their average; and the bounds."""
    bounds = metric_bounds_of(rows, relation, slack) if bounds is None else bounds
    each = [
        [_error(replaced(Omega), *part) for part in parts] for Omega in bounds.mappings
    ]
    average = replaced(bounds.average)
    return [*np.mean(each, axis=0), *(_error(average, *part) for part in parts)], bounds


def _error(model, X, y):
    """Fraction of wrong classes, or 1 - R^2 of a regressor."""
    return (
        float(np.mean(model.predict(X) != y))
        if hasattr(model, "classes_")
        else 1 - float(model.score(X, y))
    )


def _best(error, tolerance, n_classified):
    """Index of the largest null space, the first, with an error within `tolerance` of the least."""
    least = error.min()
    if tolerance is None:
        tolerance = (
            0.01
            if n_classified is None
            else np.sqrt(least * (1 - least) / n_classified)
        )
    return int(np.argmax(error <= least + tolerance + 1e-12))
