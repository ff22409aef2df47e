"""Raw columns as numbers: scaled, missing values filled and marked, categories as 0/1 columns, dates as days."""

from dataclasses import dataclass

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from ..core.arrays import as_frame

__all__ = ["Prepared", "preparation", "prepared"]

MOST_CATEGORIES = 20  # of a column; the rarest share a 0/1 column
MISSING = "missing"


@dataclass(frozen=True)
class Prepared:
    """A table as numbers.

    Attributes
    ----------
    X : ndarray of shape (n, p), of mean 0 and standard deviation 1 where a column holds numbers, else 0 or 1
    names : list of p str
        A column's own name, "name = category", or "name missing" for the 0/1 column that marks missing values.
    columns : list of d str, the columns of the table
    parents : ndarray of int, shape (p,), number of the column that each comes from
    transformer : the fitted ColumnTransformer, which takes raw rows
    """

    X: np.ndarray
    names: list
    columns: list
    parents: np.ndarray
    transformer: ColumnTransformer

    def without(self, columns):
        """The same without some columns of the table, as an array."""
        kept = [j for j, name in enumerate(self.columns) if name not in set(columns)]
        return self.X[:, np.isin(self.parents, kept)]

    def of(self, column):
        """What became of one column of the table, (n, q)."""
        return self.X[:, self.parents == self.columns.index(column)]

    def frame(self):
        """A pandas DataFrame of `X`."""
        return as_frame(dict(zip(self.names, self.X.T, strict=True)))


def preparation(features, kinds):
    """A transformer, not fitted, that makes numbers of raw columns.

    Parameters
    ----------
    features : DataFrame of shape (n, d)
    kinds : dict of str to str, "number", "category" or "date" of each column

    Returns
    -------
    ColumnTransformer
        One step for all numbers without missing values, one for each other column.
    """
    numbers = [name for name, kind in kinds.items() if kind == "number" and features[name].notna().all()]
    steps = [("numbers", make_pipeline(StandardScaler(), _filled()), numbers)] if numbers else []
    for name, kind in kinds.items():
        if kind == "category":
            indicators = OneHotEncoder(
                drop="if_binary", handle_unknown="infrequent_if_exist", max_categories=MOST_CATEGORIES,
                sparse_output=False, feature_name_combiner=_named,
            )  # fmt: skip
            step = make_pipeline(SimpleImputer(strategy="constant", fill_value=MISSING), indicators)
        elif kind == "date":
            days = FunctionTransformer(_days, feature_names_out="one-to-one")
            step = make_pipeline(days, StandardScaler(), _filled(mark=True))
        elif name not in numbers:
            step = make_pipeline(StandardScaler(), _filled(mark=True))
        else:
            continue
        steps.append((f"column {name}", step, [name]))
    return ColumnTransformer(steps, verbose_feature_names_out=False)


def _filled(mark=False):
    return SimpleImputer(strategy="median", add_indicator=mark, keep_empty_features=True)


def _named(column, category):
    return f"{column} = {category}"


def _days(dates):
    """Days since 1970, NaN where a date is missing."""
    columns = [dates[name].to_numpy("datetime64[s]") for name in dates.columns]
    return np.column_stack([np.where(np.isnat(c), np.nan, c.astype(np.int64) / 86400) for c in columns])


def prepared(features, kinds):
    """A table of raw columns as numbers; the target has no part in it.

    Parameters
    ----------
    features, kinds : as for :func:`preparation`

    Returns
    -------
    Prepared

    Examples
    --------
    >>> import pandas as pd
    >>> raw = pd.DataFrame({"size": [1.0, 2.0, float("nan")], "colour": ["red", "blue", "red"]})
    >>> found = prepared(raw, {"size": "number", "colour": "category"})
    >>> found.names, found.parents.tolist()
    (['size', 'size missing', 'colour = red'], [0, 0, 1])
    """
    transformer, columns = preparation(features, kinds), list(kinds)
    X = np.asarray(transformer.fit_transform(features[columns]), dtype=float)
    names, parents = list(transformer.get_feature_names_out()), np.empty(X.shape[1], dtype=int)
    for step, _, of in transformer.transformers_:
        where = range(*transformer.output_indices_[step].indices(X.shape[1]))
        parents[list(where)] = [columns.index(name) for name in (of if step == "numbers" else of * len(where))]
    order = np.argsort(parents, kind="stable")
    marks = [name.startswith("missingindicator_") for name in names]
    names = [f"{columns[parents[j]]} {MISSING}" if marks[j] else names[j] for j in order]
    return Prepared(X[:, order], names, columns, parents[order], transformer)
