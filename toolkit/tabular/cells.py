"""Cells of a column as words, true numbers and true dates.

Which words mean a missing value is decided here, too.
"""

from collections import Counter
from datetime import date, datetime, time
from decimal import Decimal
from functools import cached_property
from numbers import Real

import numpy as np

from ..core import LARGEST, import_pandas
from .headers import one_line
from .messages import missing_note

MISSING_WORDS = {
    "",
    "na",
    "n/a",
    "#n/a",
    "<na>",
    "nan",
    "nat",
    "null",
    "?",
    "-",
    "--",
}
SIGNED = ["+", "++"]  # words beside which "-" is a value
LARGEST_EXACT = 2**53  # whole numbers up to here are exact as floats
LARGEST_WHOLE_WORD = 1e15  # whole floats up to here are written without a point
FLAG_NUMBERS = {"true": 1.0, "false": 0.0}


class Cells:
    """The cells of a column of any table, for the classes of columns that read them.

    Parameters
    ----------
    raw : Series
        The column.

    Attributes
    ----------
    name : str
        Name of the column.
    series : Series
        The column, with periods as the dates at which they start.
    are_dates, are_durations, are_numbers, are_flags : bool
        What the cells are by the type of the column; numbers are those that floats do
        not round, True and False included.
    are_objects : bool
        Whether the type allows any value, or complex numbers.
    is_declared : bool
        Whether the type says that the words are categories.

    Examples
    --------
    >>> import pandas as pd
    >>> cells = Cells(pd.Series(["1.5", 2.0, None], name="size"))
    >>> cells.words.tolist(), cells.true_numbers.tolist()
    (['1.5', '2', nan], [nan, 2.0, nan])
    """

    def __init__(self, raw):
        pd = import_pandas()
        types = pd.api.types
        dtype = raw.dtype
        self.raw = raw
        self.name = raw.name
        self.series = raw
        if isinstance(dtype, pd.PeriodDtype):
            self.series = raw.dt.to_timestamp()
        self.are_dates = types.is_datetime64_any_dtype(self.series.dtype)
        self.are_durations = types.is_timedelta64_dtype(dtype)
        self.are_numbers = types.is_numeric_dtype(dtype)
        if types.is_integer_dtype(dtype):
            self.are_numbers = not (raw.abs() >= LARGEST_EXACT).any()
        self.are_flags = self.are_numbers and types.is_bool_dtype(dtype)
        self.are_objects = types.is_object_dtype(dtype)
        if types.is_complex_dtype(dtype):
            self.are_objects = True
        self.is_declared = isinstance(dtype, pd.CategoricalDtype)

    @property
    def are_words(self):
        """Whether the cells are read as words, as their type says nothing."""
        if self.are_dates or self.are_durations or self.are_numbers:
            return False
        return not self.is_declared

    @cached_property
    def _words_and_gaps(self):
        declared = ()
        if self.is_declared:
            declared = words_of(self.raw.cat.categories.to_series())
        return missing_words(words_of(self.series), declared)

    @property
    def words(self):
        """All cells as words, NaN where one is missing."""
        return self._words_and_gaps[0]

    @property
    def notes(self):
        """A sentence about words that mean missing values, if there are some."""
        gaps = self._words_and_gaps[1]
        return [f"`{self.name}`: {missing_note(gaps)}"] if gaps else []

    @cached_property
    def _is_number(self):
        return self.series.astype(object).map(_is_exact_number).astype(bool)

    @cached_property
    def _is_date(self):
        return self.series.astype(object).map(_is_date).astype(bool)

    @property
    def has_true_numbers(self):
        """Whether some cells are numbers that floats do not round."""
        return self._is_number.any()

    @property
    def has_true_dates(self):
        """Whether some cells are dates."""
        return self._is_date.any()

    @cached_property
    def true_numbers(self):
        """The numbers among the cells as floats, NaN elsewhere."""
        return self.series.astype(object).where(self._is_number).astype(float)

    @property
    def true_dates(self):
        """The dates among the cells, NaN elsewhere."""
        return self.series.astype(object).where(self._is_date)

    @cached_property
    def mere_words(self):
        """Words of the cells that are neither numbers nor dates, NaN elsewhere."""
        return self.words.mask(self._is_number | self._is_date)

    @cached_property
    def flags(self):
        """1 and 0 for the words true and false, NaN for others."""
        return self.mere_words.str.casefold().map(FLAG_NUMBERS).astype(float)


def _is_exact_number(value):
    """Whether a value is a number that floats do not round, and no flag."""
    if isinstance(value, Decimal):
        value = float(value)
    is_real = isinstance(value, Real) and not isinstance(value, bool)
    return is_real and abs(value) < LARGEST_EXACT


def _is_date(value):
    """Whether a value is a date; NaT is none."""
    return isinstance(value, date) and value == value


def words_of(series):
    """The values of a Series as text in one line, NaN where one is missing.

    3.0 is the word 3, and a time at midnight its date.
    """
    words = series.astype(object).map(_word, na_action="ignore").astype(object)
    return words.where(words.notna(), np.nan)


def _word(value):
    if isinstance(value, float):
        if value.is_integer() and abs(value) < LARGEST_WHOLE_WORD:
            value = int(value)
    elif isinstance(value, datetime):
        if value.time() == time.min:
            value = value.date()
    elif isinstance(value, bytes):
        value = value.decode("utf-8", errors="replace")
    return one_line(str(value))


def missing_words(words, declared=()):
    """Words with NaN for those that mean a missing value, and a Counter of those.

    Words declared as categories are values, and so is - in a column with +.
    """
    values = set(declared) - {""}
    if words.isin(SIGNED).any():
        values |= {"-", "--"}
    means_missing = words.str.casefold().isin(MISSING_WORDS)
    is_gap = means_missing & ~words.isin(values)
    return words.mask(is_gap), Counter(words[is_gap])


def check_size(values, argument):
    """Refuse infinite numbers in a Series, and those whose squares overflow."""
    for row, value in values[values.abs() > LARGEST].items():
        raise ValueError(
            f"`{argument}` must hold finite numbers up to {LARGEST:g}; column"
            f" `{values.name}` is {value:g} in {row}. Correct or empty it, or drop it."
        )
