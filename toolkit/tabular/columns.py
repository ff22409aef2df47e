"""What the values of a column are: numbers, categories, dates or free text; which words mean a missing value."""

import re
from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import cached_property
from numbers import Real

import numpy as np

from .text import count_phrase, missing_note, one_line, short_list

MISSING = {"", "na", "n/a", "#n/a", "<na>", "nan", "nat", "null", "?", "-", "--"}
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
is_number = PLAIN.fullmatch  # whether a word is a number as programs write it
PLAIN_TYPES = (str, bytes, Real, Decimal, np.bool_, date, time, timedelta)


@dataclass(frozen=True, eq=False)
class Column:
    """A column as it was read: `kind` is "number", "category", "date", "text" or "other"."""

    given: object  # Series, as it was
    kind: str
    values: object  # Series: floats, str with NaN, or dates
    said: list
    flags: bool = False  # numbers that were True and False

    @cached_property
    def words(self):
        """The given values as text, NaN where one is missing."""
        return missing_words(words_of(self.given))[0]

    @cached_property
    def value_words(self):
        """The values as text, NaN where one is missing."""
        return words_of(
            self.values.map({0.0: "False", 1.0: "True"}) if self.flags else self.values
        )

    def in_short(self):
        """The smallest, median and largest value, or the most frequent ones."""
        values = self.values.dropna()
        if values.empty or self.kind == "other":
            return ""
        if self.kind in ("number", "date"):
            chosen = values.quantile(
                [0, 0.5, 1], "linear" if self.kind == "number" else "lower"
            )
            low, middle, high = (
                chosen.map("{:.6g}".format)
                if self.kind == "number"
                else words_of(chosen)
            )
            return f"{low} to {high}, median {middle}"
        counts = [
            f"{value} ({count})"
            for value, count in values.sort_values().value_counts().items()
        ]
        return ", ".join([*counts[:3], "..."] if len(counts) > 3 else counts)

    def identifier_reason(self, present):
        """Why it names the rows and is no feature, "" if it does not; `present`: values without gaps."""
        distinct = present.nunique()
        if distinct < ENOUGH * len(present):
            return ""
        if self.kind == "text" and present.str.len().max() <= LONGEST:
            return f"identifier: {distinct:,} different values in {len(present):,} rows"
        if self.kind != "number" or np.any(np.mod(present, 1)):
            return ""
        if np.mean(np.diff(np.unique(present)) == 1) >= MOSTLY:
            return (
                f"identifier: whole numbers that count through, {present.min():.0f} to"
                f" {present.max():.0f}"
            )
        words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", present.name)
        # patient and ID, of patientID
        says_so = any(word.lower() in NAMES for word in words)
        return (
            f"identifier: {distinct:,} different whole numbers, and its name says so"
            if says_so
            else ""
        )


def words_of(series):
    """The values of a Series as text without blanks at the ends, NaN where one is missing; 3.0 is the word 3."""
    words = series.astype(object).map(_word, na_action="ignore").astype(object)
    return words.where(words.notna(), np.nan)


def _word(value):
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    if isinstance(value, datetime) and value.time() == time.min:
        value = value.date()
    return one_line(
        value.decode("utf-8", errors="replace")
        if isinstance(value, bytes)
        else str(value)
    )


def missing_words(words):
    """Words with NaN for those that mean a missing value, and a Counter of those."""
    gaps = words.str.casefold().isin(MISSING)
    return words.mask(gaps), Counter(words[gaps])


def read_column(series):
    """A column of any table as a Column."""
    return Column(series, *_read(series))


def _read(series):
    """Kind, values and sentences of a column, and whether its numbers were True and False."""
    import pandas as pd
    from pandas.api import types

    dtype, name, said = series.dtype, series.name, []
    if types.is_object_dtype(dtype) or types.is_complex_dtype(dtype):
        values = series.dropna()
        if strange := [
            type(value).__name__
            for value in values
            if not isinstance(value, PLAIN_TYPES)
        ]:
            return "other", series, [f"it holds values of type {strange[0]}"]
        if len(values) and all(isinstance(value, date) for value in values):
            series = pd.to_datetime(series, errors="coerce", utc=True).dt.tz_localize(
                None
            )
    elif types.is_timedelta64_dtype(dtype):
        return (
            "number",
            series.dt.total_seconds(),
            [f"`{name}` holds durations: taken as seconds."],
        )
    elif isinstance(dtype, pd.PeriodDtype):
        series = series.dt.to_timestamp()
    elif isinstance(dtype, pd.DatetimeTZDtype):
        series = series.dt.tz_convert("UTC").dt.tz_localize(None)
        said.append(f"`{name}` has a time zone: taken in UTC.")
    if types.is_datetime64_dtype(series.dtype):
        return "date", series.astype("datetime64[us]"), said
    if types.is_numeric_dtype(dtype) and not (
        types.is_integer_dtype(dtype) and (series.abs() >= 2**53).any()
    ):
        values = pd.Series(
            series.to_numpy(dtype=float, na_value=np.nan), series.index, name=name
        )
        return "number", values, said, types.is_bool_dtype(dtype)
    words, missing = missing_words(words_of(series))
    if missing:
        said.append(f"`{name}`: {missing_note(missing)}")
    return (
        _category(words, said)
        if isinstance(dtype, pd.CategoricalDtype)
        else _read_words(words, said)
    )


def _read_words(words, said):
    """Words as numbers, dates, categories or free text."""
    name, counts = words.name, words.value_counts(sort=False)
    flags = words.str.casefold().map({"true": 1.0, "false": 0.0}).astype(float)
    if len(counts) and flags.notna().sum() == counts.sum():
        return "number", flags, said, True
    values, _, how, lost = read_numbers(words)
    if values is not None:
        return (
            "number",
            values,
            [*said, *([f"`{name}`: numbers {how}."] if how else []), *lost],
        )
    dates, how = _read_dates(counts)
    if dates is not None:
        said += [f"`{name}`: dates{how}."] if how else []
        return (
            "date",
            words.map(dates),
            said + _loss_note(name, counts.drop(dates.index), "date"),
        )
    if numbers := counts[[is_number(word) is not None for word in counts.index]].sum():
        others = count_phrase(counts.sum() - numbers, "other word")
        said.append(
            f"`{name}`: {count_phrase(numbers, 'number')} among {others}: all are taken as"
            " words."
        )
    return _category(words, said)


def _category(words, said):
    """Words of few kinds as categories, others as free text."""
    few = words.nunique() <= min(MOST_CATEGORIES, len(words) / 2)
    return "category" if few else "text", words, said


def is_numeric(word):
    """Whether a word is a number, with a decimal point or comma."""
    word = word.translate(TYPESET)
    return bool(NUMBER.fullmatch(word) or NUMBER.fullmatch(word.translate(COMMA)))


def _numbers(words):
    """Those of distinct words that are numbers with a decimal point."""
    return (
        words[words.str.fullmatch(NUMBER)]
        .str.replace("[, ']", "", regex=True)
        .astype(float)
    )


def read_numbers(words, likely=False):
    """A Series of words as numbers, if at least 95 % are, and how they are written.

    Parameters
    ----------
    words : Series of str
    likely : bool, whether words such as 1,234 have a decimal comma, where no other word tells

    Returns
    -------
    values : Series of floats, or None
    comma : bool, whether the words have a decimal comma, or None where they do not tell
    how : str, in words
    lost : list of str, a sentence about words that are no numbers, if there are some
    """
    counts = words.value_counts(sort=False)
    real = counts[~counts.index.str.casefold().isin(MISSING_NUMBERS)]
    distinct = real.index.to_series().astype(object)
    codes = real[[CODE.fullmatch(word) is not None for word in distinct]]
    if real.empty or codes.sum() > (1 - ENOUGH) * real.sum():
        return None, None, "", []
    if not likely and all(map(is_number, distinct)):  # as below, sooner
        told = (
            False
            if any(
                NUMBER.fullmatch(word.translate(COMMA)) is None
                for word in distinct[:1000]
            )
            else None
        )
        lost = counts.drop(real.index)
        kept = words.mask(words.isin(lost.index)) if len(lost) else words
        return kept.astype(float), told, "", _loss_note(words.name, lost, "number")
    distinct = distinct.str.translate(TYPESET)
    read = [_numbers(distinct), _numbers(distinct.str.translate(COMMA))]
    point, comma = (real[numbers.index].sum() for numbers in read)
    told = None if point == comma else comma > point
    with_comma = int(likely if told is None else told)
    numbers = read[with_comma]
    if numbers.empty or real[numbers.index].sum() < ENOUGH * real.sum():
        return None, None, "", []
    signs = SIGNS[with_comma].items()
    how = " and ".join(
        what for what, sign in signs if distinct[numbers.index].str.contains(sign).any()
    )
    lost = _loss_note(words.name, counts.drop(numbers.index), "number")
    return words.map(numbers), told, f"with {how}" if how else "", lost


def _loss_note(name, lost, what):
    """What is said about the words of a Series of counts that have become missing values."""
    if lost.empty:
        return []
    words = short_list(map(repr, lost.index), 3)
    return [
        f"`{name}`: {count_phrase(lost.sum(), 'value')} became missing, no {what}: {words}."
    ]


def _read_dates(counts):
    """Dates by word in the format that fits most, and which one; None if none fits nearly all of the words counted."""
    import pandas as pd

    words, tries = counts.index.to_series().astype(object), {}
    formats = DATES if words.str.contains(r"\d").mean() >= ENOUGH / 2 else ()
    for main in formats:
        given = words[words.str.fullmatch(ISO)] if main == "ISO8601" else words
        dates = pd.Series(pd.NaT, words.index, dtype="datetime64[us]")
        for form in dict.fromkeys((main, main.replace("%b", "%B"))):
            for clock in ("", " %H:%M", " %H:%M:%S"):
                read = pd.to_datetime(
                    given, format=form + clock, errors="coerce", utc=True
                )
                dates = dates.fillna(read.dt.tz_localize(None).astype("datetime64[us]"))
        dates = dates.dropna()
        if counts[dates.index].sum() >= ENOUGH * counts.sum():
            tries[DATES[main]] = dates
    if not tries:
        return None, ""
    name = max(tries, key=lambda key: counts[tries[key].index].sum())
    other = next(
        (
            f"; {key[2:]} is possible, too"
            for key in tries
            if not tries[key].equals(tries[name])
        ),
        "",
    )
    return tries[name], name + other
