"""What the values of a column are: numbers, categories, dates or free text.

Which words mean a missing value is decided here, too.
"""

import re
from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import cached_property
from itertools import product
from numbers import Real

import numpy as np

from ..core import LARGEST
from .text import and_list, count_phrase, missing_note, one_line

MISSING = {
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
# these may be categories, but are no numbers
MISSING_NUMBERS = {"none", ".", "missing", "unknown"}
# of the values: numbers or dates, so that others become missing; different ones of an
# identifier
ENOUGH = 0.95
MOST_CATEGORIES = 50
DATES = {
    "ISO8601": "",
    "%d.%m.%Y": ", day.month.year",
    "%d/%m/%Y": ", day/month/year",
    "%m/%d/%Y": ", month/day/year",
    "%Y/%m/%d": ", year/month/day",
    "%d-%m-%Y": ", day-month-year",
    "%d %b %Y": ", day month year",
    "%b %d, %Y": ", month day, year",
}
CLOCKS = ("", " %H:%M", " %H:%M:%S")
ISO = r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}.*)?"
MOSTLY = 0.9  # of the differences between its sorted whole numbers are 1
LONGEST = 60  # characters of a name; longer words are free text
NAMES = {"id", "ids", "name", "key", "index", "nr", "no", "code", "uuid"}

PLAIN = re.compile(
    r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|[+-]?inf(?:inity)?", re.I | re.A
)
NUMBER = re.compile(
    rf"{PLAIN.pattern}|[+-]?\d{{1,3}}([, '])\d{{3}}(?:\1\d{{3}})*(?:\.\d*)?",
    re.I | re.A,
)
# a number would lose the zeros in front, or digits
CODE = re.compile(r"[+-]?0\d+|[+-]?\d{16,}", re.A)
# minus and thousands
TYPESET = {0x2212: "-", 0xA0: " ", 0x202F: " ", 0x2009: " ", 0x2019: "'"}
COMMA = {ord(","): ".", ord("."): ","}
SIGNS = (
    {"separated thousands": r"\d[,' ]\d"},
    {"a decimal comma": ",", "separated thousands": r"\d[.' ]\d{3}"},
)
BARS = " ▁▂▃▄▅▆▇█"
is_number = PLAIN.fullmatch  # whether a word is a number as programs write it
PLAIN_TYPES = (str, bytes, Real, Decimal, np.bool_, date, time, timedelta)


@dataclass(frozen=True, eq=False)
class Column:
    """A column as it was read.

    Attributes
    ----------
    raw : Series, as it was
    kind : "number", "category", "date", "text" or "other"
    values : Series of floats, str with NaN, or dates
    notes : list of str, sentences about how it was read
    flags : bool, whether its numbers were True and False
    """

    raw: object
    kind: str
    values: object
    notes: list
    flags: bool = False

    @cached_property
    def words(self):
        """The raw values as text, NaN where one is missing."""
        return missing_words(words_of(self.raw))[0]

    @cached_property
    def value_words(self):
        """The values as text, NaN where one is missing."""
        flags = {0.0: "False", 1.0: "True"}
        return words_of(self.values.map(flags) if self.flags else self.values)

    def in_short(self):
        """The smallest, median and largest value, or the most frequent ones."""
        values = self.values.dropna()
        if values.empty or self.kind == "other":
            return ""
        if self.kind == "number":
            extent = values.quantile([0, 0.5, 1]).map("{:.6g}".format)
        elif self.kind == "date":
            extent = words_of(values.quantile([0, 0.5, 1], "lower"))
        else:
            counts = values.sort_values().value_counts()
            words = [f"{value} ({count})" for value, count in counts.items()]
            return ", ".join([*words[:3], "..."] if len(words) > 3 else words)
        return "{0} to {2}, median {1}".format(*extent)

    def histogram(self):
        """Counts in ten intervals, or of the most frequent values, as small bars."""
        values = self.values.dropna()
        if values.empty or self.kind == "other":
            return ""
        if self.kind in ("number", "date"):
            numbers = values.astype("int64") if self.kind == "date" else values
            numbers = numbers.to_numpy(float) - float(numbers.min())
            bins = 9.999 * numbers / max(numbers.max(), 1e-300)
            counts = np.bincount(bins.astype(int), minlength=10)
        else:
            counts = values.value_counts().to_numpy()[:10]
        heights = np.ceil(counts / counts.max() * (len(BARS) - 1))
        return "".join(BARS[int(height)] for height in heights)

    def is_identifier(self, present):
        """Whether it names the rows and is no feature.

        Parameters
        ----------
        present : Series, the values that are not missing
        """
        if present.nunique() < ENOUGH * len(present):
            return False
        if self.kind == "text":
            return present.str.len().max() <= LONGEST
        if self.kind != "number" or np.any(np.mod(present, 1)):
            return False
        # whole numbers that count through, or whose name says so: patient and ID, of
        # patientID
        steps = np.diff(np.unique(present))
        words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", present.name)
        named = any(word.lower() in NAMES for word in words)
        return named or np.mean(steps == 1) >= MOSTLY


def check_size(values, argument):
    """Refuse infinite numbers in a Series, and those whose squares overflow."""
    for row, value in values[values.abs() > LARGEST].items():
        raise ValueError(
            f"`{argument}` must hold finite numbers up to {LARGEST:g}; column"
            f" `{values.name}` is {value:g} in {row}. Mend or empty it, or drop it."
        )


def words_of(series):
    """The values of a Series as text in one line, NaN where one is missing.

    3.0 is the word 3, and a time at midnight its date.
    """
    words = series.astype(object).map(_word, na_action="ignore").astype(object)
    return words.where(words.notna(), np.nan)


def _word(value):
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    elif isinstance(value, datetime) and value.time() == time.min:
        value = value.date()
    elif isinstance(value, bytes):
        value = value.decode("utf-8", errors="replace")
    return one_line(str(value))


def missing_words(words):
    """Words with NaN for those that mean a missing value, and a Counter of those."""
    gaps = words.str.casefold().isin(MISSING)
    return words.mask(gaps), Counter(words[gaps])


def read_column(series):
    """A column of any table as a Column."""
    return Column(series, *_read(series))


def _read(series):
    """Kind, values and notes of a column, and whether its numbers were flags."""
    import pandas as pd
    from pandas.api import types

    dtype = series.dtype
    name = series.name
    notes = []
    # 1. dates, durations and values that are none of a table
    if types.is_timedelta64_dtype(dtype):
        notes.append(f"`{name}` holds durations: taken as seconds.")
        return "number", series.dt.total_seconds(), notes
    if isinstance(dtype, pd.PeriodDtype):
        series = series.dt.to_timestamp()
    elif isinstance(dtype, pd.DatetimeTZDtype):
        notes.append(f"`{name}` has a time zone: taken in UTC.")
    is_date = types.is_datetime64_any_dtype(series)
    if types.is_object_dtype(dtype) or types.is_complex_dtype(dtype):
        values = series.dropna()
        for value in values:
            if not isinstance(value, PLAIN_TYPES):
                kind = type(value).__name__
                return "other", series, [f"it holds values of type {kind}"]
        is_date = len(values) and all(isinstance(v, date) for v in values)
    if is_date:
        dates = pd.to_datetime(series, errors="coerce", utc=True)
        return "date", _in_utc(dates), notes
    # 2. numbers, but for integers that floats would round
    rounds = types.is_integer_dtype(dtype) and (series.abs() >= 2**53).any()
    if types.is_numeric_dtype(dtype) and not rounds:
        flags = types.is_bool_dtype(dtype)
        return "number", series.astype(float), notes, flags
    # 3. words
    words, missing = missing_words(words_of(series))
    if missing:
        notes.append(f"`{name}`: {missing_note(missing)}")
    if not isinstance(dtype, pd.CategoricalDtype):
        if found := _read_words(words, notes):
            return found
    # of few kinds, or free text
    few = words.nunique() <= min(MOST_CATEGORIES, len(words) / 2)
    return "category" if few else "text", words, notes


def _in_utc(dates):
    return dates.dt.tz_localize(None).astype("datetime64[us]")


def _read_words(words, notes):
    """Words as numbers or dates, or None."""
    name = words.name
    counts = words.value_counts(sort=False)
    flags = words.str.casefold().map({"true": 1.0, "false": 0.0}).astype(float)
    if len(counts) and flags.notna().sum() == counts.sum():
        return "number", flags, notes, True
    kind = "number"
    values, _, how, lost = read_numbers(words)
    if values is None:
        kind = "date"
        values, how, lost = _read_dates(words, counts)
    if values is not None:
        how = [f"`{name}`: {kind}s{how}."] if how else []
        return kind, values, notes + how + lost
    numbers = counts[counts.index.map(is_number).notna()].sum()
    if numbers:
        notes.append(
            f"`{name}`: {numbers:,} of {counts.sum():,} values are numbers: all are"
            " taken as words."
        )
    return None


def is_numeric(word):
    """Whether a word is a number, with a decimal point or comma."""
    word = word.translate(TYPESET)
    return any(map(NUMBER.fullmatch, (word, word.translate(COMMA))))


def _numbers(words):
    """Those of distinct words that are numbers with a decimal point."""
    numbers = words[words.str.fullmatch(NUMBER)]
    return numbers.str.replace("[, ']", "", regex=True).astype(float)


def read_numbers(words, likely=False):
    """A Series of words as numbers, if at least 95 % are, and how they are written.

    Parameters
    ----------
    words : Series of str
    likely : bool, default=False
        Whether words such as 1,234 have a decimal comma, where no other word tells.

    Returns
    -------
    values : Series of floats, or None
    comma : bool or None
        Whether the words have a decimal comma; None where they do not tell.
    how : str, in words behind "numbers"
    lost : list of str
        A sentence about words that are no numbers, if there are some.
    """
    counts = words.value_counts(sort=False)
    real = counts[~counts.index.str.casefold().isin(MISSING_NUMBERS)]
    distinct = real.index.to_series().astype(object)
    codes = real[distinct.map(CODE.fullmatch).notna()].sum()
    if real.empty or codes > (1 - ENOUGH) * real.sum():
        return None, None, "", []
    how = ""
    if not likely and all(map(is_number, distinct)):
        # as programs write them: as below, sooner
        numbers = distinct.astype(float)
        some = distinct[:1000].str.translate(COMMA)
        comma = None if some.str.fullmatch(NUMBER).all() else False
    else:
        # with a point or a comma, whichever more words have
        distinct = distinct.str.translate(TYPESET)
        readings = [_numbers(distinct), _numbers(distinct.str.translate(COMMA))]
        by_point, by_comma = (real[found.index].sum() for found in readings)
        comma = None if by_point == by_comma else by_comma > by_point
        choice = int(likely if comma is None else comma)
        numbers = readings[choice]
        if real[numbers.index].sum() < ENOUGH * real.sum():
            return None, None, "", []
        signs = [
            what
            for what, sign in SIGNS[choice].items()
            if distinct[numbers.index].str.contains(sign).any()
        ]
        how = f" with {' and '.join(signs)}" if signs else ""
    lost = _loss_note(words.name, counts.drop(numbers.index), "number")
    return words.map(numbers), comma, how, lost


def _loss_note(name, lost, what):
    """A sentence about the counts of words that became missing values, if any did."""
    if lost.empty:
        return []
    words = and_list(map(repr, lost.index), 3)
    values = count_phrase(lost.sum(), "value")
    return [f"`{name}`: {values} became missing, no {what}: {words}."]


def _read_dates(words, counts):
    """Dates in the format that fits most of the words, which one, and what is lost.

    None if none fits nearly all of them.
    """
    import pandas as pd

    distinct = counts.index.to_series().astype(object)
    if counts.empty or distinct.str.contains(r"\d").mean() < ENOUGH / 2:
        return None, "", []
    readings = {}
    for form, name in DATES.items():
        is_iso = form == "ISO8601"
        some = distinct[distinct.str.fullmatch(ISO)] if is_iso else distinct
        # months by their short or whole names, with a time or without
        days = {form, form.replace("%b", "%B")}
        read = [
            pd.to_datetime(some, format=day + clock, errors="coerce", utc=True)
            for day, clock in product(days, CLOCKS)
        ]
        dates = pd.concat(read).dropna().groupby(level=0).first()
        dates = _in_utc(dates)
        if counts[dates.index].sum() >= ENOUGH * counts.sum():
            readings[name] = dates
    if not readings:
        return None, "", []
    how = max(readings, key=lambda name: counts[readings[name].index].sum())
    dates = readings[how]
    others = [name for name in readings if not readings[name].equals(dates)]
    if others:
        how += f"; {others[0][2:]} is possible, too"
    lost = _loss_note(words.name, counts.drop(dates.index), "date")
    return words.map(dates), how, lost
