"""A column of a table: what every kind of column has and does."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from datetime import date, time, timedelta
from decimal import Decimal
from functools import cached_property
from numbers import Real

import numpy as np

from ..core import percent, short_repr
from .cells import missing_words, words_of

# Proportion of the values of an identifier that differ.
MOSTLY_DIFFERENT = 0.95
MOST_MISSING = 0.99  # proportion of missing values of a feature
MOST_MISSING_NAMES = 0.5  # proportion of missing values of an identifier

BARS = " ▁▂▃▄▅▆▇█"
MOST_BARS = 10
SMALLEST_RANGE = 1e-300  # in place of 0, to divide by
PLAIN_TYPES = (str, bytes, Real, Decimal, np.bool_, date, time, timedelta)


@dataclass(frozen=True)
class Exclusion:
    """A column that is no feature.

    Attributes
    ----------
    sentence : str
        Why, for the reader.
    is_identifier : bool
        Whether its values name the rows.
    """

    sentence: str
    is_identifier: bool = False


@dataclass(frozen=True, kw_only=True, eq=False)
class Column(ABC):
    """A column as it was read.

    Attributes
    ----------
    raw : Series
        The values before reading.
    values : Series
        Values as floats, str with NaN, or dates.
    notes : list of str
        Sentences about how it was read.
    kind : str
        Name of the kind, as in :class:`Table`.
    is_number : bool
        Whether the values are numbers.
    is_measured : bool
        Whether they are numbers that are no flags.
    is_word : bool
        Whether the values are words, each of which becomes a column of 0 and 1.
    can_be_target : bool
        Whether its values may be classes or numbers to predict.
    not_in_map : str
        Why the kind is neither a feature nor in the maps of :func:`toolkit.show`; "" if
        it may be.
    is_like_number : bool
        Whether most words begin like numbers that could not be read.
    """

    raw: object
    values: object
    notes: list = field(default_factory=list)

    is_number = False
    is_measured = False
    is_word = False
    can_be_target = True
    not_in_map = ""
    is_like_number = False

    @classmethod
    @abstractmethod
    def read(cls, cells, notation):
        """The cells as a column of this kind, None if they are of another one."""

    @staticmethod
    def as_numbers(values):
        """The values as numbers, if the kind has no indicators."""
        return values

    @staticmethod
    def as_shown(values):
        """The values as a page shows them in a table of rows."""
        return values

    @staticmethod
    def as_colored(values):
        """The values as an explorer takes them, by which it colours rows."""
        return values

    @property
    def name(self):
        """Name of the column."""
        return self.raw.name

    @property
    def has_notation(self):
        """Whether the raw words are values that can be written in several ways."""
        return self.raw.dtype.kind not in "biufmM"

    @property
    def limit(self):
        """A word that is a limit such as "<0.5", None if there is none."""
        return None

    @cached_property
    def words(self):
        """The raw values as text, NaN where one is missing."""
        words, _ = missing_words(words_of(self.raw))
        return words

    @cached_property
    def value_words(self):
        """The values as text, NaN where one is missing."""
        return words_of(self.values)

    @property
    def class_words(self):
        """The words that are classes if the column is the target."""
        return self.value_words

    def parts(self):
        """The columns that it becomes, by name."""
        return {self.name: self}

    def renamed(self, name):
        """The column with another name."""
        return replace(
            self, raw=self.raw.rename(name), values=self.values.rename(name)
        )

    def as_category(self):
        """The column whose words are categories, however many they are."""
        return self

    def feature_values(self, rows):
        """The values of some rows, by their numbers, as those of a feature."""
        return self.values.iloc[rows].reset_index(drop=True)

    def summary(self):
        """The extent of the values, or the most frequent ones, and bars of counts.

        The counts are in ten intervals, or of the most frequent values.
        """
        present = self.values.dropna()
        if present.empty:
            return "", ""
        counts = self._counts(present)
        heights = np.ceil(counts / counts.max() * (len(BARS) - 1))
        bars = [BARS[int(height)] for height in heights]
        return self._extent(present), "".join(bars)

    def _extent(self, present):
        """The extent of the values in words."""
        raise NotImplementedError

    def _counts(self, present):
        """Numbers of the values in ten intervals of equal width."""
        above_smallest = present.to_numpy(float) - float(present.min())
        value_range = max(above_smallest.max(), SMALLEST_RANGE)
        intervals = (MOST_BARS - 0.001) * above_smallest / value_range
        return np.bincount(intervals.astype(int), minlength=MOST_BARS)

    def exclusion(self, rows):
        """Why it is no feature of some rows, None if it is one.

        Infinite values are refused.
        """
        present = self.values.iloc[rows].dropna()
        missing = 1 - len(present) / len(rows)
        if present.empty:
            return Exclusion("all values are missing")
        if missing > MOST_MISSING:
            return Exclusion(f"{percent(missing, 1)} of the values are missing")
        n_distinct = present.nunique()
        if n_distinct == 1:
            word = self.value_words[present.index[0]]
            return Exclusion(f"constant: {short_repr(word)}")
        values_phrase = f"{n_distinct:,} different values"
        if missing <= MOST_MISSING_NAMES and self._names_rows(present):
            return Exclusion(f"identifier: {values_phrase}", is_identifier=True)
        if self.not_in_map:
            return Exclusion(f"{self.not_in_map}: {values_phrase}")
        return None

    def _names_rows(self, present):
        """Whether the values that are not missing are an identifier of the rows."""
        return False

    def feature_notes(self, rows):
        """Sentences about the column, if it is a feature of some rows."""
        return []


@dataclass(frozen=True, kw_only=True, eq=False)
class OtherColumn(Column):
    """A column of values that are none of a table, such as lists.

    Attributes
    ----------
    type_name : str
        Type of the first of these values.
    """

    kind = "other"
    can_be_target = False
    not_in_map = "neither numbers nor words"
    type_name: str

    @classmethod
    def read(cls, cells, notation):
        """Values of which one is of a strange type."""
        if not cells.are_objects:
            return None
        for value in cells.series.dropna():
            if not isinstance(value, PLAIN_TYPES):
                return cls(
                    raw=cells.raw,
                    values=cells.series,
                    type_name=type(value).__name__,
                )
        return None

    @property
    def has_notation(self):
        return False

    def summary(self):
        return "", ""

    def exclusion(self, rows):
        return Exclusion(f"it holds values of type {self.type_name}")


def are_different(present):
    """Whether nearly all values differ."""
    return present.nunique() >= MOSTLY_DIFFERENT * len(present)


def quantile_phrase(quantiles):
    """Smallest, largest and middle value in words."""
    smallest, median, largest = quantiles
    return f"{smallest} to {largest}, median {median}"
