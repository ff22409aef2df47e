"""Columns that may name groups of rows: words, or numbers in an order."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from .intervals import FEWEST_GROUPS

FEWEST_NUMBERS = 12
# Most different words, and numbers, for each row that has a value.
MOST_WORDS_PER_ROW = 0.5
MOST_NUMBERS_PER_ROW = 0.75


@dataclass(frozen=True, kw_only=True)
class Key:
    """A column that may name groups of rows.

    Parameters
    ----------
    name : str
        Name of the column.
    values : ndarray of float, shape (n,)
        Its numbers, or codes of its words; NaN where one is missing.
    is_number : bool
        Whether these are numbers, whose order and differences mean something.
    part : int, default=-1
        Number of the table's column that it is; -1 if it is no feature.

    Attributes
    ----------
    codes : ndarray of int, shape (n,)
        Number of the value of each row from 0, -1 where it is missing.
    levels : ndarray of float, shape (n_values,)
        Different values.

    Examples
    --------
    >>> key = Key(name="site", values=np.array([7.0, 7.0, np.nan]), is_number=True)
    >>> key.codes.tolist(), key.groups.tolist()
    ([0, 0, -1], [0, 0, -3])
    """

    name: str
    values: np.ndarray
    is_number: bool
    part: int = -1

    @cached_property
    def levels(self):
        return np.unique(self.values[~np.isnan(self.values)])

    @cached_property
    def codes(self):
        codes = np.searchsorted(self.levels, self.values)
        return np.where(np.isnan(self.values), -1, codes)

    @property
    def groups(self):
        """Groups (n,) of rows of one value; a row without a value is a group."""
        codes = self.codes
        single_groups = -1 - np.arange(len(codes))
        return np.where(codes < 0, single_groups, codes)

    @property
    def is_repeated(self):
        """Whether its values repeat often enough to be tested."""
        n_values = len(self.levels)
        n_rows = np.sum(self.codes >= 0)
        if self.is_number:
            return FEWEST_NUMBERS <= n_values <= MOST_NUMBERS_PER_ROW * n_rows
        return FEWEST_GROUPS <= n_values <= MOST_WORDS_PER_ROW * n_rows

    def at(self, rows):
        """Return the same column at some rows, by their numbers (n_rows,)."""
        return replace(self, values=self.values[rows])

    def determines(self, other):
        """Return whether rows of one value have one value of another key."""
        has_value = self.codes >= 0
        pairs = np.column_stack([self.codes, other.codes])[has_value]
        return len(np.unique(pairs, axis=0)) == len(self.levels)

    def is_nested(self, other):
        """Return whether one of two keys determines the other."""
        return self.determines(other) or other.determines(self)

    def sample(self, most_rows, rng):
        """Draw random words or adjacent numbers, and return numbers of their rows."""
        rows = np.flatnonzero(self.codes >= 0)
        if len(rows) <= most_rows:
            return rows
        codes = self.codes[rows]
        order = rng.permutation(len(self.levels))
        if self.is_number:
            order = np.roll(np.arange(len(order)), -order[0])
        n_rows = np.bincount(codes)[order].cumsum()
        n_chosen = max(FEWEST_NUMBERS, np.searchsorted(n_rows, most_rows))
        return rows[np.isin(codes, order[:n_chosen])]
