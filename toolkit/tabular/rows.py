"""Rows of a table as numbers: all columns for `look`, those without gaps for `show`."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import issparse
from sklearn.impute import SimpleImputer
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from ..core import as_frame, check_table
from .column_measures import permute_cells
from .columns import check_size, read_columns
from .headers import check_names, one_line

MOST_CATEGORIES = 20  # of a column: of more the rarest share a 0/1 column
MISSING = "missing"
WHY_NOT = {"text": "free text", "other": "neither numbers nor words"}


@dataclass(frozen=True)
class NumericTable:
    """A table as numbers.

    Attributes
    ----------
    X : ndarray of shape (n, p)
        Numbers: of mean 0 and standard deviation 1 where a column holds numbers, else 0
        or 1.
    names : list of p str
        Names of the columns of X. They are the table's own, "name = category", or
        "name missing" for the 0/1 column that marks missing values.
    columns : list of d str
        The columns of the table.
    parents : ndarray of int, shape (p,)
        Number of the table's column that each column of X comes from.
    """

    X: np.ndarray
    names: list
    columns: list
    parents: np.ndarray

    def of(self, column):
        """Return the numbers that one column of the table was converted to, (n, q)."""
        return self.X[:, self.parents == self.columns.index(column)]

    def __getitem__(self, rows):
        """Return the table of some rows, by their numbers (m,)."""
        return replace(self, X=self.X[rows])

    def is_of(self, columns):
        """Return which columns of X (p,) some columns of the table are converted to."""
        return np.isin(np.array(self.columns)[self.parents], list(columns))

    def permuted(self, columns, order):
        """Return the numbers with the cells of some columns in another order.

        Parameters
        ----------
        columns : iterable of str
            Columns whose cells are permuted, those of all parts together.
        order : ndarray of int, shape (n,)
            Number of the row whose cells each row gets.

        Returns
        -------
        X : ndarray of shape (n, p)
            Numbers; those of other columns stay.
        """
        return permute_cells(self.X, self.is_of(columns), order)

    def relatedness(self, y, rows=slice(None)):
        """Compute the largest correlation (d,) of the parts of each column with y.

        That is with a value, with one of its classes or with one of its labels. Only
        the given rows are used.
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
    X = X - X.mean(axis=0)
    return np.abs(cosine_similarity(X.T, (Y - Y.mean(axis=0)).T))


def prepare_rows(features, kinds):
    """Convert a table of raw columns to numbers; the target is not used.

    Numbers are standardised, dates as days; missing ones become the median and are
    marked. Categories become 0/1 columns, one of two categories only, and the rarest of
    more than 20 one together.

    Parameters
    ----------
    features : DataFrame of shape (n_rows, n_columns)
        Raw columns.
    kinds : dict of str to str
        "number", "category" or "date" per column.

    Returns
    -------
    data : NumericTable
        The columns as numbers, with their names.

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


def read_rows(X):
    """Convert samples to numbers, with reasons for columns that are left out.

    Columns of a DataFrame are read, and become numbers, as in a table; those of free
    text, and of other values, are left out.

    Parameters
    ----------
    X : array-like, sparse matrix or DataFrame of shape (n, d)
        Samples.

    Returns
    -------
    A : ndarray of shape (n, p)
        Standardised numbers, p >= 2.
    left_out : dict of str to str
        Reason why a column is left out.
    kinds : dict of str to str
        Kinds of the other columns, as in :class:`Table`; empty for an array.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"size": [1, 2], "at": ["x y", "z"]})
    >>> A, left_out, kinds = read_rows(frame)
    >>> A.shape, left_out, kinds
    ((2, 2), {'at': 'free text'}, {'size': 'number'})
    """
    left_out = {}
    kinds = {}
    if hasattr(X, "columns"):
        frame = X.to_pandas() if hasattr(X, "to_pandas") else X
        names = check_names([one_line(str(name)) for name in frame], "X", "it")
        values = {}
        for name, column in read_columns(frame.set_axis(names, axis=1)).items():
            if column.kind in WHY_NOT:
                left_out[name] = WHY_NOT[column.kind]
                continue
            values[name] = column.values
            if column.kind == "number":
                check_size(column.values, "X")
            kinds[name] = column.kind
        A = np.empty((len(X), 0))
        if values:
            A = prepare_rows(as_frame(values), kinds).X
    else:
        A = check_table(X, min_rows=2, sparse=True)
        A = A.toarray() if issparse(A) else A
        A = StandardScaler().fit_transform(A)
    if A.shape[1] == 1:  # a plane has two axes
        A = np.hstack([A, np.zeros_like(A)])
    return A, left_out, kinds
