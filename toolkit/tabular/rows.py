"""Rows of a table as numbers: every column for `look`, those that need no filling for `show`."""

from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import issparse
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from ..core.arrays import check_table
from ..core.mixed import column_kind

# of a column: of more the rarest share a 0/1 column, and `show` leaves it out
MOST_CATEGORIES = 20
MISSING = "missing"
WHY_NOT = {
    "dates": "dates",
    "nothing": "nothing but gaps",
    "others": "neither numbers nor words",
}


@dataclass(frozen=True)
class NumericTable:
    """A table as numbers.

    Attributes
    ----------
    X : ndarray of shape (n, p), of mean 0 and standard deviation 1 where a column holds numbers, else 0 or 1
    names : list of p str
        A column's own name, "name = category", or "name missing" for the 0/1 column
        that marks missing values.
    columns : list of d str, the columns of the table
    parents : ndarray of int, shape (p,), number of the column that each comes from
    """

    X: np.ndarray
    names: list
    columns: list
    parents: np.ndarray

    def of(self, column):
        """What became of one column of the table, (n, q)."""
        return self.X[:, self.parents == self.columns.index(column)]

    def without(self, columns):
        """What became of all but some columns."""
        left_out = [j for j, name in enumerate(self.columns) if name in columns]
        return self.X[:, ~np.isin(self.parents, left_out)]


def prepare_rows(features, kinds):
    """A table of raw columns as numbers; the target has no part in it.

    Numbers are standardised, dates as days; missing ones become the median and are
    marked. Categories become 0/1 columns, one of two categories only, and the rarest of
    more than 20 one together.

    Parameters
    ----------
    features : DataFrame of shape (n, d)
    kinds : dict of str to str, "number", "category" or "date" of each column

    Returns
    -------
    NumericTable

    Examples
    --------
    >>> import pandas as pd
    >>> raw = pd.DataFrame({"size": [1.0, 2.0, float("nan")], "colour": ["red", "blue", "red"]})
    >>> found = prepare_rows(raw, {"size": "number", "colour": "category"})
    >>> found.names, found.parents.tolist()
    (['size', 'size missing', 'colour = red'], [0, 0, 1])
    """
    dates = [name for name, kind in kinds.items() if kind == "date"]
    seconds = {
        name: features[name].to_numpy("datetime64[s]") - np.datetime64(0, "s")
        for name in dates
    }
    features = features.assign(
        **{name: values / np.timedelta64(1, "D") for name, values in seconds.items()}
    )
    numeric = [name for name, kind in kinds.items() if kind != "category"]
    blocks, names, parents = [], [], []
    if numeric:
        imputer = SimpleImputer(
            strategy="median", add_indicator=True, keep_empty_features=True
        )
        blocks.append(
            make_pipeline(StandardScaler(), imputer).fit_transform(features[numeric])
        )
        gaps = [numeric[j] for j in imputer.indicator_.features_]
        names += numeric + [f"{name} {MISSING}" for name in gaps]
        parents += numeric + gaps
    for name in kinds:
        if name not in numeric:
            encoder = OneHotEncoder(
                drop="if_binary", max_categories=MOST_CATEGORIES, sparse_output=False,
                feature_name_combiner="{} = {}".format,
            )  # fmt: skip
            blocks.append(encoder.fit_transform(features[[name]].fillna(MISSING)))
            names += encoder.get_feature_names_out().tolist()
            parents += [name] * blocks[-1].shape[1]
    parents = np.array([list(kinds).index(name) for name in parents])
    order = np.argsort(parents, kind="stable")
    X = np.asarray(np.hstack(blocks), dtype=float)[:, order]
    return NumericTable(X, [names[j] for j in order], list(kinds), parents[order])


@dataclass(frozen=True)
class Rows:
    """What a table holds of n samples; `read_rows` makes one.

    Attributes
    ----------
    numbers : ndarray of shape (n, q)
    words : ndarray of str, shape (n, w), columns of few kinds of words
    code : list of str, lines that get `A`, the numbers, and `W`, the words, of `X`
    left_out : dict of str to str, why a column is in neither
    """

    numbers: np.ndarray
    words: np.ndarray
    code: list
    left_out: dict = field(default_factory=dict)

    def encode(self, fitted, scale):
        """Numbers (n, p), p >= 2, standardised if `scale`, with 0/1 columns of words; and the code that makes them."""
        A, W, code = self.numbers, self.words, []
        if scale and A.shape[1]:
            A = StandardScaler().fit(A[fitted]).transform(A)
            code.append("A = StandardScaler().fit(A[fitted]).transform(A)")
        if W.shape[1]:
            W = (
                OneHotEncoder(handle_unknown="ignore", sparse_output=False)
                .fit(W[fitted])
                .transform(W)
            )
            A = np.hstack([A, W])
            code.append(
                'W = OneHotEncoder(handle_unknown="ignore",'
                " sparse_output=False).fit(W[fitted]).transform(W)"
            )
            code.append("A = np.hstack([A, W])")
        if A.shape[1] == 1:
            A = np.hstack([A, np.zeros((len(A), 1))])
            code.append(
                "A = np.hstack([A, np.zeros((len(A), 1))])  # a plane has two axes"
            )
        if not np.ptp(A[fitted], axis=0).any():
            raise ValueError(
                "`X` must hold samples that differ; all that a map is fitted to are"
                " equal. Add columns."
            )
        return A, code


def read_rows(X):
    """The numbers and words of an array, sparse matrix or data frame X of shape (n, d) as `Rows`.

    Examples
    --------
    >>> import pandas as pd
    >>> day = pd.Timestamp("2024-05-01")
    >>> rows = read_rows(pd.DataFrame({"size": [1, 2], "hue": ["red", "blue"], "day": [day, day]}))
    >>> rows.numbers.shape, rows.words.shape, rows.left_out
    ((2, 1), (2, 1), {'day': 'dates'})
    """
    if not hasattr(X, "columns"):
        A = check_table(X, least=2, sparse=True)
        A, code = (
            (A.toarray(), "X.toarray().astype(float)")
            if issparse(X)
            else (A, "np.asarray(X, dtype=float)")
        )
        return Rows(A, np.empty((len(A), 0), dtype=str), [f"A = {code}"])
    columns = list(X.columns)
    if len(set(columns)) < len(columns):
        twice = next(name for name in columns if columns.count(name) > 1)
        raise ValueError(
            f"`X` must have columns of different names; {twice!r} comes twice. Rename"
            " one."
        )
    numbers, words, left_out = [], [], {}
    for name in columns:
        kind, values = column_kind(X[name])
        different = len({str(value) for value in values if value is not None})
        if kind in ("numbers", "flags"):
            numbers.append(name)
            if gaps := values.count(None):
                remedy = (
                    "Fill them, for example by X.fillna(X.median(numeric_only=True)),"
                    " or call toolkit.look, which does"
                )
                raise ValueError(
                    f"`X` must have no missing numbers; column {name!r} has {gaps}"
                    f" (NaN). {remedy}."
                )
        elif kind == "words" and different <= MOST_CATEGORIES:
            words.append(name)
        else:
            left_out[str(name)] = WHY_NOT.get(kind, f"{different} different words")
    if not numbers and not words:
        got = (
            "; ".join(f"{name}: {why}" for name, why in left_out.items()) or "no column"
        )
        raise ValueError(
            f"`X` must have columns of numbers, or of at most {MOST_CATEGORIES} kinds"
            f" of words; got {got}."
        )
    which = "X" if len(numbers) == len(columns) else f"X[{numbers!r}]"
    A = (
        check_table(np.asarray(X[numbers], dtype=float), least=2)
        if numbers
        else np.empty((len(X), 0))
    )
    code = [f"A = np.asarray({which}, dtype=float)"]
    if words:
        code.append(f"W = np.asarray(X[{words!r}]).astype(str)")
    W = np.asarray(X[words]).astype(str) if words else np.empty((len(X), 0), dtype=str)
    return Rows(A, W, code, left_out)
