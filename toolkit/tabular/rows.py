"""Rows of a table as numbers: all columns for `look`, those without gaps for `show`."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import issparse
from sklearn.impute import SimpleImputer
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from ..core import check_table
from ..core.mixed import column_kind
from .text import check_names, short_list

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
    X : ndarray of shape (n, p)
        Of mean 0 and standard deviation 1 where a column holds numbers, else 0 or 1.
    names : list of p str
        A column's own name, "name = category", or "name missing" for the 0/1 column
        that marks missing values.
    columns : list of d str, the columns of the table
    parents : ndarray of int, shape (p,)
        Number of the column that each comes from.
    """

    X: np.ndarray
    names: list
    columns: list
    parents: np.ndarray

    def of(self, column):
        """What became of one column of the table, (n, q)."""
        return self.X[:, self.parents == self.columns.index(column)]

    def without(self, columns):
        """What became of all but some columns; a constant where none is left."""
        kept = ~np.isin(np.array(self.columns)[self.parents], list(columns))
        return self.X[:, kept] if kept.any() else np.zeros((len(self.X), 1))

    def relatedness(self, y, rows=slice(None)):
        """Largest correlation (d,) of any part of each column with the target of rows.

        With a value, one of its classes or one of its labels.
        """
        Y = y.reshape(len(y), -1)
        if y.dtype.kind not in "fiu":
            Y = Y == np.unique(y)
        largest = correlations(self.X[rows], Y.astype(float)).max(axis=1)
        strength = np.zeros(len(self.columns))
        np.maximum.at(strength, self.parents, largest)
        return strength


def correlations(X, Y):
    """Absolute correlations (p, l), 0 where one of the two is constant."""
    # r = a'b / (|a| |b|) of centred columns
    A = X - X.mean(axis=0)
    B = Y - Y.mean(axis=0)
    return np.abs(cosine_similarity(A.T, B.T))


def prepare_rows(features, kinds):
    """A table of raw columns as numbers; the target has no part in it.

    Numbers are standardised, dates as days; missing ones become the median and are
    marked. Categories become 0/1 columns, one of two categories only, and the rarest of
    more than 20 one together.

    Parameters
    ----------
    features : DataFrame of shape (n, d)
    kinds : dict of str to str
        "number", "category" or "date" of each column.

    Returns
    -------
    NumericTable

    Examples
    --------
    >>> import pandas as pd
    >>> sizes = [1.0, 2.0, float("nan")]
    >>> raw = pd.DataFrame({"size": sizes, "colour": ["red", "blue", "red"]})
    >>> found = prepare_rows(raw, {"size": "number", "colour": "category"})
    >>> found.names, found.parents.tolist()
    (['size', 'size missing', 'colour = red'], [0, 0, 1])
    """
    # a copy: the caller's table stays as it is
    features = features[list(kinds)]
    numeric = [name for name, kind in kinds.items() if kind != "category"]
    blocks = []
    names = []
    parents = []
    # 1. dates as days, then all numbers together
    for name in numeric:
        if kinds[name] == "date":
            dates = features[name].to_numpy("datetime64[s]") - np.datetime64(
                0, "s"
            )
            features[name] = dates / np.timedelta64(1, "D")
    if numeric:
        imputer = SimpleImputer(
            strategy="median", add_indicator=True, keep_empty_features=True
        )
        pipeline = make_pipeline(StandardScaler(), imputer)
        blocks.append(pipeline.fit_transform(features[numeric]))
        gaps = [numeric[j] for j in imputer.indicator_.features_]
        names += numeric + [f"{name} {MISSING}" for name in gaps]
        parents += numeric + gaps
    # 2. categories, a gap being one
    for name in features.columns.drop(numeric):
        encoder = OneHotEncoder(
            drop="if_binary",
            max_categories=MOST_CATEGORIES,
            sparse_output=False,
            feature_name_combiner="{} = {}".format,
        )
        blocks.append(encoder.fit_transform(features[[name]].fillna(MISSING)))
        categories = encoder.get_feature_names_out().tolist()
        names += categories
        parents += [name] * len(categories)
    # 3. in the order of the columns
    parents = features.columns.get_indexer(parents)
    order = np.argsort(parents, kind="stable")
    X = np.hstack(blocks)[:, order]
    return NumericTable(
        X, [names[j] for j in order], list(kinds), parents[order]
    )


@dataclass(frozen=True)
class Rows:
    """What a table holds of n samples; `read_rows` makes one.

    Attributes
    ----------
    numbers : ndarray of shape (n, q)
    words : ndarray of str, shape (n, w)
        Columns of few kinds of words.
    code : list of str
        Lines that get `A`, the numbers, and `W`, the words, of `X`.
    left_out : dict of str to str
        Why a column is in neither.
    """

    numbers: np.ndarray
    words: np.ndarray
    code: list
    left_out: dict

    def encode(self, fitted, scale):
        """Numbers (n, p), p >= 2, standardised if `scale`, and the code of that.

        Words become 0/1 columns.
        """
        # scaled by the fitted samples alone
        A = self.numbers
        code = []
        if scale and A.shape[1]:
            A = StandardScaler().fit(A[fitted]).transform(A)
            code.append("A = StandardScaler().fit(A[fitted]).transform(A)")
        if self.words.shape[1]:
            encoder = OneHotEncoder(
                handle_unknown="ignore", sparse_output=False
            )
            code += [
                f"W = {encoder}.fit(W[fitted]).transform(W)".replace("'", '"'),
                "A = np.hstack([A, W])",
            ]
            encoder.fit(self.words[fitted])
            A = np.hstack([A, encoder.transform(self.words)])
        if A.shape[1] == 1:
            A = np.hstack([A, np.zeros((len(A), 1))])
            code.append(
                "A = np.hstack([A, np.zeros((len(A), 1))])  # a plane has two axes"
            )
        if not np.ptp(A[fitted], axis=0).any():
            others = short_list(
                f"{one}: {why}" for one, why in self.left_out.items()
            )
            raise ValueError(
                "`X` must hold samples that differ in numbers, or in at most"
                f" {MOST_CATEGORIES} kinds of words; all that a map is fitted to are"
                f" equal, and left out: {others or 'nothing'}. Add columns."
            )
        return A, code


def read_rows(X):
    """The numbers and words of an array, sparse matrix or data frame X as `Rows`.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"size": [1, 2], "hue": ["red", "blue"]})
    >>> rows = read_rows(X.assign(day=pd.Timestamp("2024-05-01")))
    >>> rows.numbers.shape, rows.words.shape, rows.left_out
    ((2, 1), (2, 1), {'day': 'dates'})
    """
    if not hasattr(X, "columns"):
        A = check_table(X, least=2, sparse=True)
        code = "A = np.asarray(X, dtype=float)"
        if issparse(X):
            A = A.toarray()
            code = "A = X.toarray().astype(float)"
        return Rows(A, np.empty((len(A), 0), dtype=str), [code], {})
    # a data frame: numbers, few kinds of words, and others
    columns = check_names(list(X.columns), "X", "it")
    numbers = []
    words = []
    left_out = {}
    for name in columns:
        kind, values = column_kind(X[name])
        n_distinct = len({str(value) for value in values if value is not None})
        if kind in ("numbers", "flags"):
            numbers.append(name)
            if gaps := values.count(None):
                raise ValueError(
                    f"`X` must have no missing numbers; column {name!r} has {gaps}"
                    " (NaN). Fill them, for example by"
                    " X.fillna(X.median(numeric_only=True)), or call toolkit.look,"
                    " which does."
                )
        elif kind == "words" and n_distinct <= MOST_CATEGORIES:
            words.append(name)
        else:
            left_out[str(name)] = WHY_NOT.get(
                kind, f"{n_distinct} different words"
            )
    # the same as code
    which = "X" if len(numbers) == len(columns) else f"X[{numbers!r}]"
    code = [f"A = np.asarray({which}, dtype=float)"]
    A = W = np.empty((len(X), 0))
    if numbers:
        A = check_table(np.asarray(X[numbers], dtype=float), least=2)
    if words:
        W = np.asarray(X[words]).astype(str)
        code.append(f"W = np.asarray(X[{words!r}]).astype(str)")
    return Rows(A, W, code, left_out)
