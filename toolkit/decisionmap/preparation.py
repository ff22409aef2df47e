"""Raw rows as points: transformers of a pipeline, or given; columns of codes."""

from contextlib import suppress

import numpy as np
from scipy import sparse
from sklearn.exceptions import NotFittedError

from ..core import (
    check_is_fitted,
    check_memory,
    check_part,
    check_table,
    evaluate,
    short_repr,
)
from ..core.mixed import MixedColumns
from .certainty import as_pipeline


def split_model(model, prepare, rows):
    """The fitted transformer of rows, and the model of its points.

    The latter is None where only rows can be given to a model.

    `prepare` is the transformer of the user, or None.
    """
    model = as_pipeline(model)
    n = len(model)
    if prepare is None:
        prepare = MixedColumns()
        if n > 1:
            prepare = model[:-1]
    first = as_pipeline(prepare)
    k = len(first)
    if k < n and list(first) == list(model)[:k]:
        # `prepare` is the beginning of the pipeline: the rest is the model of points.
        if k == n - 1:
            return first, model[-1]
        return first, model[k:]
    prepare = _fit_transformer(prepare, rows)
    if hasattr(prepare, "inverse_transform"):
        return prepare, None
    # `prepare` may be another encoder that makes the same numbers.
    if n > 1 and _are_alike(prepare, model[:-1], rows):
        return prepare, model[-1]
    raise ValueError(
        "`prepare` must have `inverse_transform`, which makes rows of the grid's"
        " points, or be what the steps of `model` before its last are, `model[:-1]`;"
        f" got {short_repr(prepare)} for {type(model[-1]).__name__}."
        " `prepare=MixedColumns()` of toolkit.decisionmap serves every model of rows."
    )


def _fit_transformer(prepare, rows):
    """The transformer itself if it is fitted, else a clone fitted to the rows."""
    with suppress(NotFittedError, TypeError):
        check_is_fitted(prepare)
        return prepare
    prepare = check_part(prepare, "prepare", "fit", "transform")
    return evaluate(prepare.fit, rows, "`prepare` cannot be fitted to `X`")


def _are_alike(prepare, other, rows):
    """Whether two transformers make the same numbers of rows."""
    try:
        A = check_table(as_dense(prepare.transform(rows)))
        B = check_table(as_dense(other.transform(rows)))
    except (TypeError, ValueError):
        return False
    return A.shape == B.shape and np.allclose(A, B)


def as_dense(table):
    """A table as an array, if there is room for it."""
    if not sparse.issparse(table):
        return table
    check_memory(
        "The prepared table",
        *table.shape,
        arrays=2,
        remedy="Give a `prepare` that makes fewer columns, such as one with"
        " TruncatedSVD, or fewer samples.",
    )
    return table.toarray()


def find_codes(model, rows):
    """The numbers, rising, of each column of which a model refuses all others."""
    codes = {}
    for key in getattr(rows, "columns", range(rows.shape[1])):
        column = _columns(rows)[:, key]
        probe = rows[:2].copy()
        # Words have no next one, and models have errors of any kind.
        with suppress(Exception):
            is_filled = column == column
            numbers = np.unique(column[is_filled])
            _columns(probe)[:, key] = numbers[-1] + 1
            codes[key] = numbers
            model.predict(probe)
            del codes[key]
    return codes


def with_known_codes(points, frame, codes):
    """Rows of points (m, d), in some columns with the nearest of known numbers.

    `frame` makes rows of the points; `codes` are the known numbers, rising, by column.
    """
    rows = frame(points).copy()
    columns = _columns(rows)
    for key, numbers in codes.items():
        middles = (numbers[1:] + numbers[:-1]) / 2
        nearest = np.searchsorted(middles, columns[:, key])
        columns[:, key] = numbers[nearest]
    return rows


def _columns(rows):
    """What picks columns of rows, by name or by number."""
    return getattr(rows, "loc", rows)
