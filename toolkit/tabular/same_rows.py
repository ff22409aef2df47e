"""Rows of a table that belong together: repeated, of one name, or of one group."""

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ..core import import_pandas

MOST_EQUAL_BY_CHANCE = 0.05  # proportion of the rows, if equal rows are copies


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
    rows = pd.DataFrame(y).assign(codes=codes)
    n_same_target = rows.duplicated().sum()
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
