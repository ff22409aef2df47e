"""Tables of numbers, text, categories and missing values as vectors, and back."""

from numbers import Number, Real

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.validation import check_is_fitted, validate_data

from .arrays import check_table
from .frames import check_columns, is_missing
from .matrices import check_magnitude
from .parameters import fit_method, parameters
from .rows import as_rows
from .words import short_repr

# Categories of a column: as many as histogram gradient boosting takes.
MOST_DISTINCT = 255
LARGEST_WHOLE = 2**53  # beyond, floats are no longer exact
MISSING = "missing"


@parameters
class MixedColumns(TransformerMixin, BaseEstimator):
    """Encoder of tables with columns of any kind as vectors, with an inverse transform.

    A column of numbers is standardised, with the median instead of missing values. Any
    other column becomes one indicator, 0 or 1, per category that occurs; "missing" is a
    separate category. In the inverse transform a number is a number again, an integer
    in a column of integers, and the category is that of the largest indicator. Columns,
    dtypes and categories are those of the table of `fit`. Only missing numbers are not
    reproduced.

    Attributes
    ----------
    n_features_in_ : int
        Number of columns of the table.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the columns; only after a fit on a DataFrame.
    parents_ : ndarray of int, shape (n_coordinates,)
        Number of the column that each coordinate of a vector comes from.

    Notes
    -----
    Two different categories have the distance sqrt(2), as two numbers that differ by
    1.4 standard deviations.

    Examples
    --------
    >>> import pandas as pd
    >>> city = ["Bern", "Rome", None, "Rome"]
    >>> X = pd.DataFrame({"age": [30.0, None, 50.0, 30.0], "city": city})
    >>> columns = MixedColumns().fit(X)
    >>> columns.get_feature_names_out().tolist()
    ['age', 'city_Bern', 'city_Rome', 'city_missing']
    >>> columns.transform(X).round(1).tolist()[:2]
    [[-0.6, 1.0, 0.0, 0.0], [-0.6, 0.0, 1.0, 0.0]]
    >>> columns.inverse_transform([[0.0, 0.2, 0.5, 0.3]]).values.tolist()
    [[35.0, 'Rome']]
    """

    @fit_method
    def fit(self, X, y=None):
        """Learn the encoding of the columns of a table.

        Parameters
        ----------
        X : pandas DataFrame or array-like of shape (n_samples, n_features)
            Table.
        y : object, default=None
            Ignored.

        Returns
        -------
        self : MixedColumns
            The fitted encoder.

        Raises
        ------
        ValueError
            If a column holds dates, lists, numbers beyond 1e100, or more than 255
            categories.
        """
        rows = as_rows(X)
        # This sets the number and the names of columns.
        validate_data(self, rows, skip_check_array=True)
        self._empty = rows[:0]
        self._encoders = []
        # One entry of each category is kept, in the dtype of its column; None is that
        # of a column of numbers.
        self._examples = []
        self._names = []
        parents = []
        for j, (name, column) in enumerate(_columns(rows)):
            kind, values = column_kind(column)
            if kind == "numbers":
                encoder = number_encoder()
                encoder.fit(_numbers(name, kind, values))
                examples = None
                names = [name]
            else:
                _check_categories(name, column, kind, values)
                encoder = category_encoder()
                indicators = encoder.fit_transform(_keys(values))
                entries = getattr(column, "array", column)
                examples = entries[indicators.argmax(axis=0)]
                names = [
                    f"{name}_{MISSING if is_missing(value) else value}"
                    for value in examples.tolist()
                ]
            self._encoders.append(encoder)
            self._examples.append(examples)
            self._names += names
            parents.extend(j for _ in names)
        self.parents_ = np.array(parents)
        return self

    def transform(self, X):
        """Encode the rows of a table as vectors.

        Parameters
        ----------
        X : pandas DataFrame or array-like of shape (n_samples, n_features)
            Table with the columns of `fit`.

        Returns
        -------
        P : ndarray of shape (n_samples, n_coordinates)
            One vector per row.

        Raises
        ------
        ValueError
            If the columns are not those of `fit`, or hold a category that no row of
            `fit` has.
        """
        check_is_fitted(self)
        rows = as_rows(X)
        if hasattr(self._empty, "columns") and not hasattr(rows, "columns"):
            raise ValueError(
                "`X` must be a DataFrame with the columns of `fit`; got"
                f" {type(X).__name__}."
            )
        check_columns(getattr(rows, "columns", None), self)
        validate_data(self, rows, reset=False, skip_check_array=True)
        blocks = []
        for (name, column), encoder, examples in zip(
            _columns(rows), self._encoders, self._examples, strict=True
        ):
            kind, values = column_kind(column)
            if examples is None:
                blocks.append(encoder.transform(_numbers(name, kind, values)))
                continue
            blocks.append(encoder.transform(_keys(values)))
            for row in np.flatnonzero(~blocks[-1].any(axis=1))[:1]:
                value_phrase = "no value"
                if values[row] is not None:
                    value_phrase = short_repr(values[row])
                categories = np.asarray(examples).tolist()
                raise ValueError(
                    f"`X`: column {name!r} has {value_phrase} at row {row}, which no"
                    f" sample of `fit` has; they have {short_repr(categories)}. Leave"
                    " such rows out."
                )
        return np.hstack(blocks)

    def inverse_transform(self, P):
        """Decode vectors as rows of a table.

        Parameters
        ----------
        P : array-like of shape (n_samples, n_coordinates)
            Vectors.

        Returns
        -------
        X : DataFrame or ndarray of shape (n_samples, n_features)
            Table of the type that `fit` was given.
        """
        check_is_fitted(self)
        P = check_table(P, "P", shape=("m", len(self.parents_)))
        columns = []
        for j, (_, column) in enumerate(_columns(self._empty)):
            points = P[:, self.parents_ == j]
            if self._examples[j] is None:
                numbers = self._encoders[j][-1].inverse_transform(points)[:, 0]
                if column.dtype.kind in "iu":
                    numbers = _whole_numbers(numbers, column.dtype)
                columns.append(numbers)
            else:
                columns.append(self._examples[j][points.argmax(axis=1)])
        if hasattr(self._empty, "columns"):
            columns = dict(zip(self._empty.columns, columns, strict=True))
            return type(self._empty)(columns).astype(self._empty.dtypes)
        return np.column_stack(columns).astype(self._empty.dtype)

    def get_feature_names_out(self, input_features=None):
        """Return the names of the coordinates: the column, or "column_category".

        Parameters
        ----------
        input_features : object, default=None
            Ignored.

        Returns
        -------
        names : ndarray of shape (n_coordinates,)
            Names of the coordinates.
        """
        check_is_fitted(self)
        return np.array(self._names, dtype=object)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


def number_encoder(*, marks_missing=False):
    """Return a pipeline that standardises numbers, the median being that of gaps.

    Parameters
    ----------
    marks_missing : bool, default=False
        Whether each column with gaps gets another one of 0 and 1 behind all numbers,
        which marks them. Then the numbers are standardised by those that are there,
        otherwise with the median in the gaps.

    Returns
    -------
    encoder : Pipeline
        An imputer and a scaler, not fitted.

    Examples
    --------
    >>> X = np.array([[1.0], [3.0], [np.nan]])
    >>> number_encoder(marks_missing=True).fit_transform(X).tolist()
    [[-1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    """
    imputer = SimpleImputer(
        strategy="median",
        add_indicator=marks_missing,
        keep_empty_features=marks_missing,
    )
    if marks_missing:
        return make_pipeline(StandardScaler(), imputer)
    return make_pipeline(imputer, StandardScaler())


def category_encoder(*, most_categories=None, drop=None):
    """Return an encoder of categories as indicators, 0 or 1.

    Parameters
    ----------
    most_categories : int, optional
        Number of indicators of a column; of more categories, the rarest share one.
    drop : "if_binary", optional
        One indicator, in place of two, for a column of two categories.

    Returns
    -------
    encoder : OneHotEncoder
        The encoder, not fitted. It names indicators "column = category".

    Examples
    --------
    >>> encoder = category_encoder(drop="if_binary")
    >>> encoder.fit_transform([["red"], ["blue"], ["red"]]).tolist()
    [[1.0], [0.0], [1.0]]
    """
    encoder = OneHotEncoder(
        max_categories=most_categories,
        drop=drop,
        handle_unknown="ignore",
        sparse_output=False,
        feature_name_combiner="{} = {}".format,
    )
    return encoder.set_output(transform="default")


def has_mixed_columns(X):
    """Whether a table holds anything else than numbers, or missing values.

    Examples
    --------
    >>> tables = [[1.0, 2.0]], np.array([[1.0, np.nan]]), [["red", 2.0]]
    >>> [has_mixed_columns(table) for table in tables]
    [False, True, True]
    """
    try:
        columns = _columns(as_rows(X))
    except (TypeError, ValueError):
        return False
    kinds = [column_kind(column) for _, column in columns]
    for kind, values in kinds:
        if kind not in ("numbers", "flags") or None in values:
            return True
    return False


def column_kind(column):
    """Kind and values of a column of any data frame or array.

    Returns
    -------
    kind : str
        "numbers", "flags", "words" (also of categories), "dates", "nothing" but missing
        values, or "others".
    values : list of length n
        None where one is missing.

    Examples
    --------
    >>> column_kind(np.array([1.5, np.nan]))
    ('numbers', [1.5, None])
    """
    values = np.asarray(column, dtype=object).tolist()
    types = set()
    for j, value in enumerate(values):
        if is_missing(value):
            values[j] = None
        else:
            types.add(type(value))
    dtype = str(column.dtype).lower()
    if dtype.startswith(("date", "time", "duration", "period")):
        return "dates", values
    if not types:
        return "nothing", values
    if dtype == "category" or types == {str}:
        return "words", values
    if types == {bool}:
        return "flags", values
    for value_type in types:
        is_number = issubclass(value_type, Number)
        if not is_number or issubclass(value_type, bool | complex):
            return "others", values
    return "numbers", values


def _columns(rows):
    """(name, column) of each column, a Series of pandas or an array (n,)."""
    if isinstance(rows, np.ndarray):
        columns = enumerate(rows.T)
    elif hasattr(rows, "items"):
        columns = rows.items()
    else:
        raise ValueError(
            f"`X` must be a pandas DataFrame or an array; got {type(rows)}. Convert it"
            " with `to_pandas()`."
        )
    return [(str(name), column) for name, column in columns]


def _numbers(name, kind, values):
    """Numbers as floats (n, 1), NaN where missing.

    `name` is that of the column, `kind` what its values are.
    """
    if kind not in ("numbers", "nothing"):
        raise ValueError(
            f"`X`: column {name!r} must hold numbers, as those in `fit`; got other"
            " values."
        )
    numbers = np.array(values, dtype=float)[:, None]
    check_magnitude(numbers[~np.isnan(numbers)], f"X[{name!r}]")
    return numbers


def _whole_numbers(numbers, dtype):
    """Numbers as whole ones within the limits of a type."""
    limits = np.iinfo(getattr(dtype, "numpy_dtype", dtype))
    lower = max(limits.min, -LARGEST_WHOLE)
    upper = min(limits.max, LARGEST_WHOLE)
    return np.rint(numbers).clip(lower, upper)


def _check_categories(name, column, kind, values):
    """Refuse what is neither numbers nor categories, and too many of these."""
    problem = None
    if kind == "dates" or column.dtype.kind in "cV":
        problem = column.dtype
    try:
        count = len(set(values))
    except TypeError as error:
        problem = error
    if problem:
        raise ValueError(
            f"`X`: column {name!r} must hold numbers or categories; got {problem}."
            " Turn it into numbers first, such as years."
        )
    if count > MOST_DISTINCT:
        raise ValueError(
            f"`X`: column {name!r} has {count} different values, more than"
            f" {MOST_DISTINCT} categories. Leave it out or group them, or give a"
            " Pipeline whose first steps turn the column into numbers."
        )


def _keys(values):
    """Texts for categories (n, 1), None where missing.

    OneHotEncoder does not sort texts among numbers.
    """
    texts = []
    for value in values:
        # 1, 1.0 and True are one category.
        if isinstance(value, Real | np.bool_):
            value = float(value)
        if value is not None:
            value = str(value)
        texts.append(value)
    return np.array(texts, dtype=object)[:, None]
