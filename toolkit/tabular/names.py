"""Names of the rows of a table, and which rows belong together.

They do if they are equal or have the same name, or if a column names persons, places or
other groups of rows.
"""

import re
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ..core import and_list, import_pandas, name_list
from ..validation.naming import MOST_KEYS, named_groups
from ..validation.trials import Key
from .columns import read_column
from .rows import prepare_rows

# A year in an identifier, with what separates it: P011-2019, 2019/P011.
YEAR = re.compile(r"[\W_]*(?<!\d)(?:19|20)\d\d(?!\d)[\W_]*")

FEWEST_SETS = 3
MOST_SETS_PER_ROW = 0.75
MOST_EQUAL_BY_CHANCE = 0.05  # proportion of the rows, if equal rows are copies


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
            text += f" (finer: {name_list(self.finer, 4)})"
        if self.crossed:
            text += f"; so are those of {name_list(self.crossed, 4)}"
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
        # The part is -1 of a column that is no feature.
        part = features.columns.get_indexer([name])[0]
        key = _key_of(name, column, rows, part)
        if key is not None:
            sets.append(key)
    # The finest keys are the most likely names.
    keys = [key for key in sets if key.is_repeated]
    keys.sort(key=lambda key: -len(key.levels))
    keys = keys[:MOST_KEYS]
    tested = RowNames(
        candidates=[key.name for key in keys], kept=list(kept), sets=sets
    )
    if not keys:
        return tested
    data = prepare_rows(
        features, {name: columns[name].kind for name in features}
    )
    first = np.unique(units, return_index=True)[1]
    keys_of_units = [key.at(first) for key in keys]
    named = named_groups(
        target[first],
        data.X[first],
        data.parents,
        [key for key in keys_of_units if key.is_repeated],
    )
    if named is None:
        return tested
    column = named.key.name
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
        is_category=column in features and columns[column].is_word,
        finer=named.finer,
        crossed=crossed,
        not_features=not_features,
    )


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
    if FEWEST_SETS <= len(key.levels) <= MOST_SETS_PER_ROW * len(rows):
        return key
    return None


def _key_of_words(name, words, part):
    pd = import_pandas()
    codes = pd.factorize(words, sort=True)[0].astype(float)
    return Key(
        name=name,
        values=np.where(codes < 0, np.nan, codes),
        is_number=False,
        part=part,
    )


def numbered_rows(index):
    """Names of the rows of a table by their numbers in the file, or from 1."""
    numbers = range(1, len(index) + 1)
    if index.name == "row":
        numbers = index
    return [f"row {number}" for number in numbers]


def ids_of_rows(index, row_id, columns, exclusions):
    """Find what the rows of a table are called.

    Parameters
    ----------
    index : Index of length n
        Index of the table; its words name the rows if no column does.
    row_id : str or None
        Column that the caller names.
    columns : dict of str to Column
        Columns of the table; an identifier names the rows, one of text first.
    exclusions : dict of str to Exclusion
        Columns that are no features.

    Returns
    -------
    words : Series of str
        The name of each row as it was given, NaN where it has none.
    notes : list of str
        Sentences about where the names are from, and which of them repeat.
    """
    if row_id is None:
        row_id = _identifier(columns, exclusions)
    if row_id is None:
        source = "the index"
        is_word = [isinstance(label, str) for label in index]
        words = read_column(index.to_series().where(is_word)).words
    else:
        source = f"`{row_id}`"
        words = columns[row_id].words
    notes = []
    if words.notna().any():
        notes.append(f"The rows are named by {source}.")
    repeated = words[words.duplicated()].dropna().unique()
    if len(repeated):
        notes.append(
            f"{source} repeats {and_list(repeated)}. These rows stay together in every"
            " split."
        )
    return words, notes


def _identifier(columns, exclusions):
    """The first identifier of words, otherwise the first of numbers, or None."""
    identifiers = [
        name
        for name, exclusion in exclusions.items()
        if exclusion.is_identifier
    ]
    for name in identifiers:
        if columns[name].is_word:
            return name
    return next(iter(identifiers), None)


def group_words(column, rows, names):
    """The declared groups of some rows as words; each row has one.

    Parameters
    ----------
    column : Column
        Column of the groups.
    rows : ndarray of int, shape (n,)
        Numbers of the rows.
    names : ndarray of str, shape (n_all,)
        Names of all rows.
    """
    words = column.words.iloc[rows]
    if words.isna().any():
        unnamed = and_list(names[rows][words.isna()], 3)
        raise ValueError(
            f"`groups` must have a value in each row; `{column.name}` has none in"
            f" {unnamed}. Fill it in."
        )
    return words


def codes_of_rows(values):
    """A number for each row of a Series or DataFrame, equal where rows are.

    A missing value is equal to another one.
    """
    pd = import_pandas()
    return pd.util.hash_pandas_object(values, index=False)


def copies(features):
    """A number for each row, equal where rows are; NaN where chance makes rows equal.

    That is where more than a twentieth of the rows would have an equal one if columns
    with the values of the different rows were independent, or where a single column has
    fewer different values than half of the rows.
    """
    pd = import_pandas()
    codes = codes_of_rows(features)
    distinct_rows = features[~codes.duplicated()]
    no_copies = pd.Series(np.nan, features.index)
    is_single_column = features.shape[1] == 1
    if is_single_column and len(distinct_rows) < len(features) / 2:
        return no_copies
    n_distinct = len(distinct_rows)
    n_pairs = max(n_distinct * (n_distinct - 1), 1)
    n_others = len(features) - 1
    equal_by_chance = 1.0  # probability that two rows are equal
    for name in features:
        counts = distinct_rows[name].value_counts(dropna=False)
        n_equal_pairs = float(np.sum(counts * (counts - 1)))
        equal_by_chance *= n_equal_pairs / n_pairs
        has_equal_row = 1 - (1 - equal_by_chance) ** n_others
        if has_equal_row <= MOST_EQUAL_BY_CHANCE:
            return codes
    return no_copies


def copy_notes(features, y):
    """Sentences about rows that repeat another one, with its target or another one."""
    pd = import_pandas()
    codes = codes_of_rows(features)
    n_repeated = codes.duplicated().sum()
    if n_repeated and copies(features).isna().all():
        return [
            "The columns have so few values that rows are equal by chance"
            f" ({n_repeated:,} of {len(codes):,} repeat another one): they count as"
            " different rows. If they are copies, remove them."
        ]
    n_same_target = pd.DataFrame(y).assign(codes=codes).duplicated().sum()
    n_other_target = n_repeated - n_same_target
    notes = []
    if n_same_target:
        repeat = f"{n_same_target:,} rows repeat"
        if n_same_target == 1:
            repeat = "1 row repeats"
        notes.append(
            f"{repeat} features and target of another row: kept, and on its side of"
            " every split."
        )
    if n_other_target:
        notes.append(
            "Rows with the features of another row, but another target:"
            f" {n_other_target:,}."
        )
    return notes


def joined_groups(keys):
    """Number groups of rows that agree in any of the keys, or by way of other rows.

    Parameters
    ----------
    keys : list of Series of length n
        A value for each row; NaN agrees with nothing.

    Returns
    -------
    groups : ndarray of int, shape (n,)
        Number of the group of each row.
    """
    pd = import_pandas()
    n = len(keys[0])
    rows = pd.Series(range(n))
    # The edges of the graph join each row with the first one of its key.
    first_rows = []
    for key in keys:
        first = rows.groupby(key.to_numpy()).transform("first")
        first_rows.append(first.fillna(rows))
    ends = pd.concat(first_rows).astype(int)
    edges = (np.ones(len(ends)), (ends.index, ends))
    _, groups = connected_components(coo_array(edges, (n, n)), directed=False)
    return groups
