"""Samples, target, groups and splits on which maps are judged, each checked once."""

from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import issparse

from ..core import (
    check_columns,
    check_integer,
    check_same_length,
    check_same_order,
    check_table,
    class_column,
    label_array,
    pick_rows,
    refuse_lazy,
    require,
    short_repr,
    stack_rows,
)
from ..core.arrays import from_column
from ..core.mixed import MixedColumns, has_mixed_columns
from .splits import check_splits, folds, is_pairs, splits_of_cv
from .targets import as_target

FEWEST_ROWS = 4  # Two folds then have two training rows each.


@dataclass(frozen=True, kw_only=True)
class Problem:
    """Rows with their targets, and which are held out.

    Attributes
    ----------
    X : ndarray or DataFrame of shape (n, d)
        Samples.
    labels : ndarray of shape (n,) or (n, n_labels)
        The target as it was given, to which maps are fitted.
    target : Target
        The same with classes as numbers, in the order in which they come first.
    groups : ndarray of shape (n,)
        Rows of equal values depend on each other.
    is_grouped : bool
        Whether groups were given; else each row is one.
    splits : list of (ndarray of int, ndarray of int)
        Training rows and held-out rows.
    """

    X: object = field(repr=False)
    labels: np.ndarray = field(repr=False)
    target: object
    groups: np.ndarray = field(repr=False)
    is_grouped: bool
    splits: list = field(repr=False)


def problem_of_test(X, y, X_test, y_test, groups):
    """A `Problem` with one split: some rows, and rows to be held out."""
    X, labels = check_samples(X, y)
    if X_test is None or y_test is None:
        raise ValueError(
            "`X_test` and `y_test` must be given together; got only one of them."
        )
    X_test, labels_test = check_samples(
        X_test, y_test, ("X_test", "y_test"), like=X
    )
    has_same_form = labels.shape[1:] == labels_test.shape[1:]
    if not has_same_form or _dtype_kind(labels) != _dtype_kind(labels_test):
        raise ValueError(
            "`y_test` must hold targets of the kind of `y`; got shapes"
            f" {labels_test.shape} and {labels.shape}, dtypes {labels_test.dtype} and"
            f" {labels.dtype}. Give both in one form."
        )
    n = len(X)
    X = stack_rows(X, X_test)
    labels = np.concatenate([labels, labels_test])
    units = check_groups(groups, len(X), "`X` and `X_test` together")
    target = target_by_first_rows(labels)
    if target.is_value:
        differ = np.ptp(labels_test) > 0
        rule = "values that differ, since errors are in standard deviations"
        require(differ, "y_test", rule, labels_test)
    splits = [(np.arange(n), np.arange(n, len(X)))]
    is_grouped = groups is not None
    return Problem(
        X=X,
        labels=labels,
        target=target,
        groups=units,
        is_grouped=is_grouped,
        splits=check_splits(splits, units, is_grouped, "X_test"),
    )


def problem_of_folds(X, y, groups, *, cv, n_splits, n_repeats, max_rows, seed):
    """A `Problem` with folds, or with the splits of `cv`."""
    X, labels = check_samples(X, y)
    require(
        len(X) >= FEWEST_ROWS, "X", f"{FEWEST_ROWS} samples or more", len(X)
    )
    units = check_groups(groups, len(X), "`X`")
    is_grouped = groups is not None
    target = target_by_first_rows(labels)
    n_splits = check_integer(n_splits, "n_splits", 2)
    n_repeats = check_integer(n_repeats, "n_repeats")
    max_rows = check_integer(max_rows, "max_rows", 2)
    if is_pairs(cv):
        # Pairs of row numbers are about all rows.
        rows = np.arange(len(X))
    else:
        rows = target.sample(max_rows, seed)
    target = target.with_sample(rows)
    sample = target[rows]
    n_groups = len(np.unique(units[rows]))
    require(n_groups > 1, "groups", "at least two groups", n_groups)
    if cv is None:
        splits = []
        for repeat in range(n_repeats):
            splits += folds(sample, units[rows], n_splits, seed + repeat)
        argument = "groups" if is_grouped else "n_splits"
    else:
        known_groups = units[rows] if is_grouped else None
        splits = splits_of_cv(cv, pick_rows(X, rows), sample, known_groups)
        argument = "cv"
    splits = check_splits(splits, units[rows], is_grouped, argument)
    splits = [(rows[train], rows[test]) for train, test in splits]
    return Problem(
        X=X,
        labels=labels,
        target=target,
        groups=units,
        is_grouped=is_grouped,
        splits=splits,
    )


def check_samples(X, y, names=("X", "y"), *, like=None):
    """Samples (n, d) as an array or DataFrame, and their target as an array.

    `like` are samples whose columns these must have.
    """
    x_name, y_name = names
    refuse_lazy(X, x_name)
    if issparse(X):
        raise ValueError(
            f"`{x_name}` must be a dense table, one row per sample; got a sparse matrix"
            f" of shape {X.shape}. Give {x_name}.toarray()."
        )
    is_mixed = False
    # A signalling NaN of `decimal` cannot be compared; as a number it is refused.
    with suppress(ArithmeticError):
        is_mixed = has_mixed_columns(X)
    is_empty = 0 in getattr(X, "shape", ())
    if is_mixed and not is_empty:
        table = _check_mixed(X, x_name)
    else:
        table = _check_numeric(X, x_name)
    if like is not None:
        _check_like(table, like, x_name)
    labels = label_array(y, y_name)
    if labels.ndim < 2 or labels.shape[1] == 1:
        labels = class_column(y, y_name)
    if labels.dtype.kind == "c":
        raise ValueError(
            f"`{y_name}` must hold classes or real numbers; got complex numbers."
        )
    check_same_length(table, labels, names)
    check_same_order(X, y, names)
    return table, labels


def _check_mixed(X, name):
    """A table with numbers, words and missing values, which can be encoded."""
    table = X if hasattr(X, "iloc") else np.asarray(X)
    try:
        MixedColumns().fit(table)
    except ValueError as error:
        raise ValueError(str(error).replace("`X", f"`{name}", 1)) from None
    return table


def _check_numeric(X, name):
    """Finite numbers (n, d): a DataFrame as it is, an array in its precision."""
    try:
        table = check_table(X, name)
    except TypeError as error:
        raise ValueError(str(error)) from None
    if hasattr(X, "iloc"):
        return X
    dtype = getattr(X, "dtype", np.dtype(object))
    if dtype.kind in "biuf" and dtype.itemsize <= 8:
        return np.asarray(X)
    return table


def _check_like(table, like, name):
    """Refuse samples with other columns than those of `like`."""
    if hasattr(table, "iloc") != hasattr(like, "iloc"):
        raise ValueError(
            f"`{name}` must be a DataFrame if `X` is one, else an array; got"
            f" {type(table).__name__} and {type(like).__name__}. Give both in one form."
        )
    check_columns(getattr(table, "columns", None), like, name)
    if table.shape[1] != like.shape[1]:
        raise ValueError(
            f"`{name}` must have the columns of `X`; got {table.shape[1]} and"
            f" {like.shape[1]} columns. Give the same features."
        )


def _dtype_kind(labels):
    """Kind of a dtype, the same for all numbers and truth values."""
    kind = labels.dtype.kind
    return "number" if kind in "biuf" else kind


def check_groups(groups, n_rows, samples_name):
    """Groups as numbers (n_rows,), each row for itself where none are given."""
    if groups is None:
        return np.arange(n_rows)
    values = label_array(
        groups, "groups", remedy="Make each of these rows a group"
    )
    values = from_column(values)
    if values.shape != (n_rows,):
        raise ValueError(
            f"`groups` must be a value for each row of {samples_name}, shape"
            f" ({n_rows},); got shape {values.shape}."
        )
    try:
        return np.unique(values, return_inverse=True)[1]
    except TypeError:
        raise ValueError(
            "`groups` must hold values of one kind, numbers or words; got"
            f" {short_repr(values.tolist())}. Convert them by groups.astype(str)."
        ) from None


def target_by_first_rows(labels):
    """A `Target` whose classes are numbered by the rows in which they come first.

    Then other names of the classes change nothing, and classes that come sorted keep
    their numbers.
    """
    target = as_target(labels, len(labels))
    if target.kind != "classes":
        return target
    _, first_rows, codes = np.unique(
        target.y, return_index=True, return_inverse=True
    )
    order = np.argsort(first_rows)
    names = [target.names[code] for code in order]
    return type(target)(np.argsort(order)[codes], names)
