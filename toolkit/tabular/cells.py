"""Cells of a column as words, true numbers and true dates, and the notation of words.

Which words mean a missing value is decided here, and which notation only one class has.
"""

import re
from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from functools import cached_property
from numbers import Real

import numpy as np

from ..core import (
    LARGEST,
    and_list,
    check_option,
    count_phrase,
    import_pandas,
    sanitize_text,
    value_list,
)

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
# Two patterns each: of thousands, and of numbers below 0.
TWO_WAYS = ((r"\d[,' ]\d{3}(?!\d)", r"(?<![\d.,])\d{4}"), (r"\(", "^[-\u2212]"))
# Proportion of the values that are numbers or dates, so that others become missing.
ENOUGH = 0.95
OTHER_MARK = {".": ",", ",": "."}
# Probability that all rows of a notation are of one class, below which it is no chance.
RARE_BY_CHANCE = 1e-3


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
    are_words : bool
        Whether the cells are read as words, as their type says nothing.

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
        has_type = [
            self.are_dates,
            self.are_durations,
            self.are_numbers,
            self.is_declared,
        ]
        self.are_words = not any(has_type)

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


def missing_note(counts):
    """The words of a Counter that were read as missing."""
    words = []
    for word, n in counts.most_common():
        if word:
            words.append(f"{n:,} {word!r}")
        else:
            words.append(count_phrase(n, "empty field"))
    return f"read as missing: {and_list(words)}."


def one_line(text):
    """Text without characters that cannot be seen and without blanks at the ends."""
    text = sanitize_text(text)
    if text.isprintable():
        return text.strip()
    for character in set(text):
        if not character.isprintable():
            text = text.replace(character, " ")
    return " ".join(text.split())


def two_ways(words):
    """Find pairs of notations that both occur in a column, and which a word has.

    Pairs are two separators of thousands, or brackets and a minus sign. For each, a
    boolean Series: True for the first of the two, NaN for words with neither.
    """
    pairs = []
    for first_sign, second_sign in TWO_WAYS:
        has_first = words.str.contains(first_sign)
        has_second = words.str.contains(second_sign)
        if has_first.any() and has_second.any():
            pairs.append(has_first.where(has_first | has_second))
    return pairs


@dataclass(frozen=True)
class Notation:
    """Settings for words that can be read in two ways.

    Attributes
    ----------
    decimal : "." or ",", optional
        The decimal mark, as the caller says.
    thousands : ".", ",", " " or "'", optional
        Separator of thousands; a point or a comma is then no decimal mark.
    dates : "day", "month" or "year", optional
        First part of dates, as the caller says.
    likely : bool
        Whether numbers such as 1.234 have a decimal comma where it cannot be decided.
    """

    decimal: str | None = None
    thousands: str | None = None
    dates: str | None = None
    likely: bool = False

    def __post_init__(self):
        check_option(self.decimal, "decimal", (".", ",", None))
        check_option(self.thousands, "thousands", (".", ",", " ", "'", None))
        check_option(self.dates, "dates", ("day", "month", "year", None))
        if self.decimal and self.decimal == self.thousands:
            raise ValueError(
                f"`decimal` and `thousands` must differ; got {self.decimal!r} for both."
            )

    @property
    def mark(self):
        """The decimal mark, where the caller says it."""
        if self.decimal:
            return self.decimal
        return OTHER_MARK.get(self.thousands)


UNDECIDED = Notation()


def is_most(counts, is_chosen, n_true=0):
    """Whether nearly all values are of the words chosen, or true numbers.

    Parameters
    ----------
    counts : Series of int
        How often each word occurs.
    is_chosen : Series or array of bool
        Whether each word is chosen.
    n_true : int, default=0
        Number of values that are no words.
    """
    n_values = n_true + counts.sum()
    return n_true + counts[is_chosen].sum() >= ENOUGH * n_values


def distinct_words(words):
    """How often each word occurs, and the different words as a Series by themselves."""
    counts = words.value_counts(sort=False)
    return counts, counts.index.to_series().astype(object)


def loss_note(name, lost_counts, noun):
    """A sentence about the counts of words that became missing values, if any did."""
    if lost_counts.empty:
        return []
    return [
        f"`{name}`: {count_phrase(lost_counts.sum(), 'value')} became missing, no"
        f" {noun}: {value_list(lost_counts.index, 3)}."
    ]


def notation_notes(columns, classes):
    """Sentences on columns that have another notation in one class.

    Parameters
    ----------
    columns : iterable of Column
    classes : Series of str, NaN where one is missing

    Returns
    -------
    notes : list of str
        A sentence for each such column.
    """
    frequencies = classes.value_counts(normalize=True)
    notes = []
    for column in columns:
        if column.has_notation:
            is_known = column.values.notna() & classes.notna()
            raw = column.raw[is_known]
            for rows, name in _rows_of_one_class(raw, classes, frequencies):
                notes.append(
                    f"`{column.name}`: values written like {rows.iloc[0]!r}"
                    f" ({len(rows):,}) are all of the class {name!r}; the notation may"
                    " give the target away."
                )
                # One notation of a column is enough.
                break
    return notes


def _rows_of_one_class(raw, classes, frequencies):
    """The raw values of each notation that only one class has, with the class."""
    for notation in [raw.map(_notation_of), *two_ways(raw.astype(str))]:
        for _, rows in raw.groupby(notation):
            classes_of_rows = classes[rows.index].unique()
            if len(classes_of_rows) == 1:
                probability = frequencies[classes_of_rows[0]] ** len(rows)
                if probability < RARE_BY_CHANCE:
                    yield rows, classes_of_rows[0]


def _notation_of(value):
    """The decimal mark and what stands around a number, "number" of a true one."""
    if not isinstance(value, str):
        return "number"
    marks = re.findall(r"[.,](?=\d)", value)
    around = re.sub(r"[\d.,'+() -]|[ap]m$|s$", "", value.casefold())
    notation = "".join([around, *marks[-1:]])
    if not notation:
        return None
    return notation
