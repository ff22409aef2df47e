"""Raw rows and numbers: tables with gaps, text and categories as metrics and maps need them, and the way back."""

from dataclasses import dataclass
from numbers import Number

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ..core.arrays import check_table
from ..core.checks import LARGEST, shown
from ..core.estimators import restore_on_failure
from ..core.frames import check_columns

__all__ = ["RawRows", "as_rows", "is_raw"]

MOST_CATEGORIES = 255  # of a column, as many as histogram gradient boosting takes
LARGEST_WHOLE = 2**53  # beyond, floats are no longer exact
MISSING = "missing"


class RawRows(TransformerMixin, BaseEstimator):
    """Rows of a table with numbers, text, categories and gaps as points, and points as such rows.

    A column of numbers is standardised, with the median in its gaps. Any other column becomes one indicator, 0 or 1,
    per category that occurs; a gap is a category of its own. On the way back a number is a number again, whole in a
    column of integers, and the category is that of the largest indicator: columns, dtypes and categories are those of
    the table of `fit`. Only gaps among numbers do not return.

    Attributes
    ----------
    n_features_in_ : int, d
    feature_names_in_ : ndarray of shape (d,), only of a DataFrame

    Notes
    -----
    Two different categories are sqrt(2) apart, as two numbers that differ by 1.4 standard deviations.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"age": [30.0, None, 50.0, 30.0], "city": ["Bern", "Rome", None, "Rome"]})
    >>> rows = RawRows().fit(X)
    >>> rows.get_feature_names_out().tolist()
    ['age', 'city_Bern', 'city_Rome', 'city_missing']
    >>> rows.transform(X).round(1).tolist()[:2]
    [[-0.6, 1.0, 0.0, 0.0], [-0.6, 0.0, 1.0, 0.0]]
    >>> rows.inverse_transform([[0.0, 0.2, 0.5, 0.3]]).values.tolist()
    [[35.0, 'Rome']]
    """

    @restore_on_failure
    def fit(self, X, y=None):
        """Read what the columns of a table X (n, d), a pandas DataFrame or an array, hold; `y` is ignored."""
        rows = as_rows(X)
        columns = _columns(rows)
        vars(self).pop("feature_names_in_", None)
        self.n_features_in_, self._frame = len(columns), type(rows) if hasattr(rows, "columns") else None
        self._dtype = None if self._frame else rows.dtype
        if self._frame is not None:
            self.feature_names_in_ = np.asarray(rows.columns, dtype=object)
        self._parts = [(_numbers if _is_number(column) else _categories)(name, column) for name, column in columns]
        return self

    def transform(self, X):
        """Points (m, k) of the rows of a table X (m, d) with the columns of `fit`."""
        check_is_fitted(self)
        rows = as_rows(X)
        if self._frame is not None and not hasattr(rows, "columns"):
            raise ValueError(f"`X` must be a DataFrame with the columns of `fit`; got {type(X).__name__}.")
        check_columns(getattr(rows, "columns", None), self)
        columns = _columns(rows)
        if len(columns) != self.n_features_in_:
            raise ValueError(f"`X` must have {self.n_features_in_} columns, those of `fit`; got {len(columns)}.")
        return np.hstack([part.encode(column) for part, (_, column) in zip(self._parts, columns, strict=True)])

    def inverse_transform(self, X):
        """Rows of points X (m, k): a DataFrame or an array of shape (m, d), as `fit` was given."""
        check_is_fitted(self)
        P = check_table(X, shape=("m", sum(part.width for part in self._parts)))
        ends = np.cumsum([0] + [part.width for part in self._parts])
        columns = [part.decode(P[:, i:j]) for part, i, j in zip(self._parts, ends, ends[1:], strict=False)]
        if self._frame is not None:
            return self._frame(dict(zip(self.feature_names_in_, columns, strict=True)))
        table = np.empty((len(P), len(columns)), dtype=self._dtype)
        for j, column in enumerate(columns):
            table[:, j] = column
        return table

    def get_feature_names_out(self, input_features=None):
        """Names of the coordinates of points, (k,): those of columns of numbers, and "column_category"."""
        check_is_fitted(self)
        return np.array([name for part in self._parts for name in part.names], dtype=object)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        return tags


@dataclass(frozen=True)
class _NumberPart:
    """A column of numbers."""

    name: str
    median: float
    mean: float
    scale: float
    dtype: object
    series: type | None  # of a DataFrame's columns
    width = 1

    @property
    def names(self):
        return [self.name]

    def encode(self, column):
        if not _is_number(column) and not all(map(_is_gap, column.tolist())):
            raise ValueError(f"`X`: column {self.name!r} must hold numbers, as those in `fit`; got other values.")
        values = _floats(self.name, column)
        return ((np.where(np.isnan(values), self.median, values) - self.mean) / self.scale)[:, None]

    def decode(self, P):
        values = P[:, 0] * self.scale + self.mean
        if self.dtype.kind in "iu":
            limits = np.iinfo(getattr(self.dtype, "numpy_dtype", self.dtype))
            values = np.clip(np.rint(values), max(limits.min, -LARGEST_WHOLE), min(limits.max, LARGEST_WHOLE))
        return values.astype(self.dtype) if self.series is None else self.series(values).astype(self.dtype).array


@dataclass(frozen=True)
class _CategoryPart:
    """A column of categories, by number; `examples` holds one entry of each, in the dtype of the column."""

    name: str
    codes: dict
    examples: object

    @property
    def width(self):
        return len(self.codes)

    @property
    def names(self):
        return [f"{self.name}_{MISSING if category is None else category}" for category in self.codes]

    def encode(self, column):
        keys = _keys(self.name, column)
        for row, key in enumerate(keys):
            if key not in self.codes:
                got = f"has {'no value' if key is None else shown(key)} at row {row}"
                known = ", ".join("no value" if each is None else shown(each) for each in list(self.codes)[:5])
                raise ValueError(
                    f"`X`: column {self.name!r} {got}, which no sample of `fit` has; they have {known}"
                    f"{', ...' * (len(self.codes) > 5)}. Leave such rows out."
                )
        return np.eye(len(self.codes))[[self.codes[key] for key in keys]]

    def decode(self, P):
        codes = P.argmax(axis=1)
        return self.examples.iloc[codes].array if hasattr(self.examples, "iloc") else self.examples[codes]


def is_raw(X):
    """Whether a table holds text, categories of pandas or gaps, in columns that are not refused for other reasons.

    Examples
    --------
    >>> is_raw([[1.0, 2.0]]), is_raw(np.array([[1.0, np.nan]])), is_raw([["red", 2.0]])
    (False, True, True)
    """
    if hasattr(X, "tocsr"):
        return False
    if hasattr(X, "columns"):
        if len(set(X.columns)) < len(X.columns):
            return False
        columns = [X[name] for name in X.columns]
        if any(str(getattr(column, "dtype", "")) == "category" for column in columns):
            return True
        columns = [np.asarray(column) for column in columns]
    else:
        try:
            A = X if isinstance(X, np.ndarray) else np.asarray(X, dtype=object)
        except ValueError:  # rows of different lengths
            return False
        if np.ma.is_masked(A) or A.ndim != 2 or any(isinstance(v, list | tuple | dict) for v in A[:1].flat):
            return False
        if A.dtype.kind not in "fOUS":
            return False
        columns = [A] if A.dtype.kind == "f" else list(A.T)
    return any(_holds_gaps_or_words(column) for column in columns)


def as_rows(X):
    """A table whose rows can be counted and picked: a data frame as it is, anything else as an array (n, d)."""
    if hasattr(X, "columns"):
        if len(set(X.columns)) < len(X.columns):
            twice = next(name for name in X.columns if list(X.columns).count(name) > 1)
            raise ValueError(f"`X` must have columns of different names; {str(twice)!r} occurs more than once.")
        return X
    A = X if isinstance(X, np.ndarray) else np.asarray(X, dtype=object)
    if A.ndim != 2:
        raise ValueError(f"`X` must be a table, one row per sample; got shape {A.shape}.")
    return A


def _columns(rows):
    """(name, column) of each column: a Series of pandas, or an array (n,)."""
    if not hasattr(rows, "columns"):
        return [(str(j), rows[:, j]) for j in range(rows.shape[1])]
    if not hasattr(rows, "iloc"):
        raise ValueError(
            f"`X` must be a pandas DataFrame or an array, where rows are to be made of points; got {type(rows)}. "
            "Convert it with `to_pandas()`, or give a Pipeline whose first steps turn it into numbers."
        )
    return [(str(name), rows[name]) for name in rows.columns]


def _numbers(name, column):
    values = _floats(name, column)
    median = float(np.nanmedian(values))
    values = np.where(np.isnan(values), median, values)
    spread = float(values.std())
    varies = spread > 1e-12 * np.abs(values).max()  # a constant, but for rounding, keeps its unit
    series = type(column) if hasattr(column, "iloc") else None
    return _NumberPart(name, median, float(values.mean()), spread if varies else 1.0, column.dtype, series)


def _categories(name, column):
    keys = _keys(name, column)
    first = {}
    for row, key in enumerate(keys):
        first.setdefault(key, row)
    if len(first) > MOST_CATEGORIES:
        raise ValueError(
            f"`X`: column {name!r} has {len(first)} different values, more than {MOST_CATEGORIES} categories. Leave it "
            "out or group them, or give a Pipeline whose first steps turn the column into numbers."
        )
    order = sorted(first, key=lambda key: (key is None, type(key).__name__, str(key)))
    rows = [first[key] for key in order]
    examples = column.iloc[rows] if hasattr(column, "iloc") else column[rows]
    return _CategoryPart(name, {key: code for code, key in enumerate(order)}, examples)


def _keys(name, column):
    """Categories of the rows; None where there is none."""
    if column.dtype.kind in "mMcV":
        what = "dates or times" if column.dtype.kind in "mM" else "complex numbers or raw bytes"
        raise ValueError(f"`X`: column {name!r} holds {what}. Turn them into numbers first, such as years.")
    keys = [None if _is_gap(value) else value for value in column.tolist()]
    try:
        set(keys)
    except TypeError:
        odd = next(key for key in keys if not isinstance(key, str | Number | None))
        raise ValueError(f"`X`: column {name!r} must hold numbers or categories; got {shown(odd)}.") from None
    return keys


def _is_number(column):
    """Whether a column holds numbers, at least one, beside gaps."""
    if str(column.dtype) == "category":
        return False
    if column.dtype.kind in "iuf":
        return not all(map(_is_gap, column.tolist()))
    if column.dtype.kind != "O":
        return False
    values = [value for value in column.tolist() if not _is_gap(value)]
    return bool(values) and all(_is_real(value) for value in values)


def _is_real(value):
    return isinstance(value, Number) and not isinstance(value, bool | np.bool_ | complex)


def _floats(name, column):
    """Numbers as floats, NaN in gaps."""
    values = np.array([np.nan if _is_gap(value) else float(value) for value in column.tolist()])
    largest = np.abs(values[~np.isnan(values)]).max(initial=0.0)
    if not largest <= LARGEST:
        rule = f"must hold finite numbers up to {LARGEST:g}"
        raise ValueError(f"`X`: column {name!r} {rule}; got {largest:.3g}. Rescale it, or leave such rows out.")
    return values


def _is_gap(value):
    try:
        return value is None or bool(value != value)
    except (TypeError, ValueError):  # pandas' NA neither equals nor differs
        return not isinstance(value, list | tuple | dict | np.ndarray)


def _holds_gaps_or_words(column):
    if column.dtype.kind == "f":
        return bool(np.isnan(column).any())
    if column.dtype.kind in "USmM":
        return True
    return column.dtype.kind == "O" and not all(_is_real(v) or isinstance(v, bool | np.bool_) for v in column.tolist())
