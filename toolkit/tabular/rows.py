"""Rows of a table as numbers: all columns for `look`, those without gaps for `show`."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import issparse
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.preprocessing import StandardScaler

from ..core import as_frame, check_table
from ..core.mixed import MISSING, category_encoder, number_encoder
from .cells import check_size, one_line
from .column_tests import permute_cells
from .columns import CLASS_OF_KIND, categories_of, read_columns
from .headers import check_names

# Indicators of a column: of more categories the rarest share one.
MOST_CATEGORIES = 20


@dataclass(frozen=True, kw_only=True)
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
    # The cosine of centred columns is r = a'b / (|a| |b|).
    X_centred = X - X.mean(axis=0)
    Y_centred = Y - Y.mean(axis=0)
    return np.abs(cosine_similarity(X_centred.T, Y_centred.T))


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
        Kind of each column, such as "number", "category" or "date".

    Returns
    -------
    data : NumericTable
        The columns as numbers, with their names.

    Examples
    --------
    >>> import pandas as pd
    >>> sizes = [1.0, 2.0, float("nan")]
    >>> raw = pd.DataFrame({"size": sizes, "colour": ["red", "blue", "red"]})
    >>> table = prepare_rows(raw, {"size": "number", "colour": "category"})
    >>> table.names, table.parents.tolist()
    (['size', 'size missing', 'colour = red'], [0, 0, 1])
    """
    # The copy leaves the caller's table as it is.
    features = features[list(kinds)]
    categories = categories_of(kinds)
    numeric = features.columns.drop(categories).tolist()
    blocks = []
    names = []
    parents = []
    # 1. all columns that become one number each, together
    for name in numeric:
        as_numbers = CLASS_OF_KIND[kinds[name]].as_numbers
        features[name] = as_numbers(features[name])
    if numeric:
        encoder = number_encoder(marks_missing=True)
        blocks.append(encoder.fit_transform(features[numeric]))
        with_gaps = [numeric[j] for j in encoder[-1].indicator_.features_]
        names += numeric + [f"{name} {MISSING}" for name in with_gaps]
        parents += numeric + with_gaps
    # 2. categories, a gap being one
    for name in categories:
        encoder = category_encoder(
            most_categories=MOST_CATEGORIES, drop="if_binary"
        )
        blocks.append(encoder.fit_transform(features[[name]].fillna(MISSING)))
        for indicator_name in encoder.get_feature_names_out():
            names.append(indicator_name)
            parents.append(name)
    # 3. in the order of the columns
    parents = features.columns.get_indexer(parents)
    order = np.argsort(parents, kind="stable")
    return NumericTable(
        X=np.hstack(blocks)[:, order],
        names=[names[j] for j in order],
        columns=list(kinds),
        parents=parents[order],
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class NumericSamples:
    """Samples as numbers, and what became of the columns of a table.

    Attributes
    ----------
    A : ndarray of shape (n, p)
        Standardised numbers, p >= 2.
    left_out : dict of str to str
        Reason why a column is left out.
    kinds : dict of str to str
        Kinds of the other columns, as in :class:`Table`; empty for an array.
    """

    A: np.ndarray
    left_out: dict
    kinds: dict


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
    samples : NumericSamples
        The samples as numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> samples = read_rows(pd.DataFrame({"size": [1, 2], "at": ["x y", "z"]}))
    >>> samples.A.shape, samples.left_out, samples.kinds
    ((2, 2), {'at': 'free text'}, {'size': 'number'})
    """
    left_out = {}
    kinds = {}
    if hasattr(X, "columns"):
        frame = X.to_pandas() if hasattr(X, "to_pandas") else X
        names = [one_line(str(name)) for name in frame]
        check_names(names, "X", "it")
        columns = read_columns(frame.set_axis(names, axis=1))
        values = {}
        for name, column in columns.items():
            if column.not_in_map:
                left_out[name] = column.not_in_map
                continue
            if column.is_number:
                check_size(column.values, "X")
            values[name] = column.values
            kinds[name] = column.kind
        A = np.empty((len(X), 0))
        if values:
            A = prepare_rows(as_frame(values), kinds).X
    else:
        A = check_table(X, min_rows=2, sparse=True)
        if issparse(A):
            A = A.toarray()
        A = StandardScaler().fit_transform(A)
    if A.shape[1] == 1:
        # A plane has two axes.
        A = np.hstack([A, np.zeros_like(A)])
    return NumericSamples(A=A, left_out=left_out, kinds=kinds)
