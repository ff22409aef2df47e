"""Columns of a table that name persons, places or other groups of rows."""

import re
from dataclasses import dataclass, field, replace

import numpy as np

from ..core import import_pandas, name_list
from ..validation.keys import Key
from ..validation.naming import MOST_KEYS, named_groups
from .rows import prepare_rows

# A year in an identifier, with what separates it: P011-2019, 2019/P011.
YEAR = re.compile(r"[\W_]*(?<!\d)(?:19|20)\d\d(?!\d)[\W_]*")

FEWEST_SETS = 3
MOST_SETS_PER_ROW = 0.75


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
        if not self.column:
            return []
        return [self.column, *self.finer, *self.crossed]

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


def names_of_rows(columns, features, *, rows, target, units, kept=()):
    """Find the columns of a table that name groups of rows.

    Parameters
    ----------
    columns : dict of str to Column
        Columns to be tested, as they were read; neither target nor declared groups.
    features : DataFrame of shape (n, d)
        The columns that may be features.
    rows : ndarray of int, shape (n,)
        Numbers of the rows of the features in the given table.
    target : Target
        Target of these rows.
    units : ndarray of int, shape (n,)
        Rows of one number are known to belong together: one of each is used.
    kept : list of str, default=()
        Columns whose values are fixed.

    Returns
    -------
    names : RowNames
        Columns that were tested, and those that name groups.
    """
    sets = []
    for name, column in columns.items():
        part = -1
        if name in features:
            part = features.columns.get_loc(name)
        key = _key_of(name, column, rows, part)
        if key is not None:
            sets.append(key)
    keys = _finest_keys(sets)
    tested = RowNames(
        candidates=[key.name for key in keys], kept=list(kept), sets=sets
    )
    if not keys:
        return tested
    kinds = {name: columns[name].kind for name in features}
    data = prepare_rows(features, kinds)
    first = np.unique(units, return_index=True)[1]
    keys_of_units = []
    for key in keys:
        key_of_units = key.at(first)
        if key_of_units.is_repeated:
            keys_of_units.append(key_of_units)
    named = named_groups(
        target[first], data.X[first], data.parents, keys_of_units
    )
    if named is None:
        return tested
    column = named.key.name
    is_category = False
    if column in features:
        is_category = columns[column].has_indicators
    crossed = []
    not_features = []
    for key in named.names:
        if key.name not in (column, *named.finer):
            crossed.append(key.name)
        is_feature = key.name in features and key.name not in kept
        if is_feature and columns[key.name].is_number:
            not_features.append(key.name)
    return replace(
        tested,
        column=column,
        groups=next(key.groups for key in keys if key.name == column),
        is_category=is_category,
        finer=named.finer,
        crossed=crossed,
        not_features=not_features,
    )


def _finest_keys(sets):
    """The keys that are tested: the finest ones are the most likely names."""
    keys = [key for key in sets if key.is_repeated]
    keys.sort(key=lambda key: -len(key.levels))
    return keys[:MOST_KEYS]


def _key_of(name, column, rows, part):
    """The key that a column is, None if its values make no sets of rows."""
    if column.is_measured:
        numbers = column.values.iloc[rows].to_numpy(float)
        if np.mod(numbers[~np.isnan(numbers)], 1).any():
            return None
        key = Key(name=name, values=numbers, is_number=True, part=part)
    elif column.is_word:
        words = column.words.iloc[rows]
        key = _key_of_words(name, words, part)
        if len(key.levels) > len(rows) / 2:
            without_year = words.str.replace(YEAR, "", regex=True)
            key = _key_of_words(name, without_year, part)
    else:
        return None
    most_sets = MOST_SETS_PER_ROW * len(rows)
    if FEWEST_SETS <= len(key.levels) <= most_sets:
        return key
    return None


def _key_of_words(name, words, part):
    pd = import_pandas()
    codes = pd.factorize(words, sort=True)[0].astype(float)
    values = np.where(codes < 0, np.nan, codes)
    return Key(name=name, values=values, is_number=False, part=part)


def _quoted(names):
    return name_list(names, 4)
