"""Columns of a table that name persons, places or other groups of rows."""

import re
from dataclasses import dataclass, field

import numpy as np

from ..core import and_list, import_pandas
from ..validation.keys import Key
from ..validation.naming import MOST_KEYS, named_groups
from .rows import prepare_rows
from .targets import task_of

# A year in an identifier, with what separates it: P011-2019, 2019/P011.
YEAR = re.compile(r"[\W_]*(?<!\d)(?:19|20)\d\d(?!\d)[\W_]*")

FEWEST_SETS, MOST_SETS_PER_ROW = 3, 0.75


@dataclass(frozen=True, kw_only=True)
class RowNames:
    """Columns that name groups of rows.

    Attributes
    ----------
    candidates : list of str
        Columns that were tested, since their values repeat.
    column : str
        The column that names groups of rows that are alike; "" if there is none. Of
        nested ones this is the coarsest.
    groups : ndarray of int, shape (n,), or None
        These groups.
    is_category : bool
        Whether this column stays a feature, as its values may be kinds of rows.
    finer : list of str
        Other such columns, each value of which belongs to one group.
    crossed : list of str
        Other such columns.
    not_features : list of str
        Columns of numbers that are names.
    kept : list of str
        Columns whose values are said to be fixed: the verdict is about these values,
        and they stay features.
    sets : list of Key
        Columns whose values repeat, those of few values included.
    """

    candidates: list
    column: str = ""
    groups: object = None
    is_category: bool = False
    finer: list = field(default_factory=list)
    crossed: list = field(default_factory=list)
    not_features: list = field(default_factory=list)
    kept: list = field(default_factory=list)
    sets: list = field(default_factory=list)

    @property
    def decides(self):
        """Whether the verdict is about new values of the column."""
        return self.column != "" and self.column not in self.kept

    @property
    def names(self):
        """All columns that name groups of rows."""
        return [self.column, *self.finer, *self.crossed] if self.column else []

    @property
    def sentence(self):
        """The finding in words."""
        n_values = len(np.unique(self.groups))
        text = (
            f"`{self.column}` has {n_values:,} values; rows of one value are alike, in"
            " the other columns or in the target"
        )
        if self.finer:
            text += f" (finer: {_quoted(self.finer)})"
        if self.crossed:
            text += f"; so are those of {_quoted(self.crossed)}"
        return text


def names_of_rows(columns, features, kinds, rows, y, task, units, kept=()):
    """Find the columns of a table that name groups of rows.

    Parameters
    ----------
    columns : dict of str to Column
        Columns to be tested, as they were read; neither target nor declared groups.
    features : DataFrame of shape (n, d)
        The columns that may be features.
    kinds : dict of str to str
        Kinds of the features.
    rows : ndarray of int, shape (n,)
        Numbers of the rows of the features in the given table.
    y : ndarray of shape (n,) or (n, l)
        Target of these rows.
    task : "classes", "value" or "labels"
        Kind of the target.
    units : ndarray of int, shape (n,)
        Rows of one number are known to belong together: one of each is used.
    kept : list of str, default=()
        Columns whose values are fixed.

    Returns
    -------
    names : RowNames
        Columns that were tested, and those that name groups.
    """
    position = {name: j for j, name in enumerate(features)}
    sets = [
        key
        for name, column in columns.items()
        for key in _keys(name, column, rows, position.get(name, -1))
    ]
    # The finest columns are the most likely names.
    keys = [key for key in sets if key.is_repeated]
    keys.sort(key=lambda key: -len(key.levels))
    keys = keys[:MOST_KEYS]
    tested = {"candidates": [key.name for key in keys], "kept": list(kept)}
    named = None
    if keys:
        data = prepare_rows(features, kinds)
        first = np.unique(units, return_index=True)[1]
        keys_of_units = [key.at(first) for key in keys]
        named = named_groups(
            task_of(task, y)[first],
            data.X[first],
            data.parents,
            [key for key in keys_of_units if key.is_repeated],
        )
    if named is None:
        return RowNames(**tested, sets=sets)
    column = named.key.name
    names = [key.name for key in named.names]
    return RowNames(
        **tested,
        sets=sets,
        column=column,
        groups=next(key for key in keys if key.name == column).groups,
        is_category=kinds.get(column) == "category",
        finer=named.finer,
        crossed=[name for name in names if name not in (column, *named.finer)],
        not_features=[
            name
            for name in names
            if kinds.get(name) == "number" and name not in kept
        ],
    )


def _keys(name, column, rows, part):
    """The key that a column is, if its words or whole numbers make sets of rows."""
    if column.kind == "number" and not column.flags:
        numbers = column.values.iloc[rows].to_numpy(float)
        if np.mod(numbers[~np.isnan(numbers)], 1).any():
            return
        key = Key(name=name, values=numbers, is_number=True, part=part)
    elif column.kind in ("category", "text"):
        words = column.words.iloc[rows]
        key = _key_of_words(name, words, part)
        if len(key.levels) > len(rows) / 2:
            key = _key_of_words(
                name, words.str.replace(YEAR, "", regex=True), part
            )
    else:
        return
    if FEWEST_SETS <= len(key.levels) <= MOST_SETS_PER_ROW * len(rows):
        yield key


def _key_of_words(name, words, part):
    pd = import_pandas()
    codes = pd.factorize(words, sort=True)[0].astype(float)
    values = np.where(codes < 0, np.nan, codes)
    return Key(name=name, values=values, is_number=False, part=part)


def _quoted(names):
    return and_list([f"`{name}`" for name in names], 4)
