"""What the values of a column are: numbers, categories, dates or free text; which words mean a missing value."""

import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from numbers import Real

import numpy as np

from .wording import counted, listed, missing_said, one_line

__all__ = ["MISSING", "Column", "identifier_reason", "is_number", "is_numeric", "missing_words", "read_column"]
__all__ += ["read_numbers", "words_of"]

MISSING = {"", "na", "n/a", "#n/a", "<na>", "nan", "nat", "null", "?", "-", "--"}
MISSING_NUMBERS = {"none", ".", "missing", "unknown"}  # these may be categories, but are no numbers
ENOUGH = 0.95  # of the values: numbers or dates, so that others become missing; different ones of an identifier
MOST_CATEGORIES = 50
DATES = ("ISO8601", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%d-%m-%Y", "%d %b %Y", "%b %d, %Y")
ISO = r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}.*)?"
MOSTLY = 0.9  # of the differences between its sorted whole numbers are 1
LONGEST = 60  # characters of a name; longer words are free text
NAMES = {"id", "ids", "name", "key", "index", "nr", "no", "code", "uuid"}

PLAIN = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|[+-]?inf(?:inity)?", re.I | re.A)
NUMBER = re.compile(rf"{PLAIN.pattern}|[+-]?\d{{1,3}}([, '])\d{{3}}(?:\1\d{{3}})*(?:\.\d*)?", re.I | re.A)
CODE = re.compile(r"[+-]?0\d+|[+-]?\d{16,}", re.A)  # a number would lose the zeros in front, or digits
POINT = {0x2212: "-", 0xA0: " ", 0x202F: " ", 0x2009: " ", 0x2019: "'"}  # as typesetters write minus and thousands
COMMA = POINT | {ord(","): ".", ord("."): ","}
is_number = PLAIN.fullmatch  # whether a word is a number as programs write it
PLAIN_TYPES = (str, bytes, Real, Decimal, np.bool_, date, time, timedelta)


@dataclass(frozen=True, eq=False)
class Column:
    """A column as it was read: `kind` is "number", "category", "date", "text" or "other"."""

    kind: str
    values: object  # Series: floats, str with NaN, or dates
    said: list = field(default_factory=list)
    flags: bool = False  # numbers that were True and False


def words_of(series):
    """The values of a Series as text without blanks at the ends, NaN where one is missing; 3.0 is the word 3."""
    words = series.astype(object).map(_word, na_action="ignore")
    return words.astype(object).where(words.notna(), np.nan)


def _word(value):
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    if isinstance(value, datetime) and value.time() == time.min:
        value = value.date()
    return one_line(value.decode("utf-8", errors="replace") if isinstance(value, bytes) else str(value))


def _distinct(words):
    """(codes, distinct, counts) of a Series of str; missing values have the code -1."""
    codes, distinct = words.factorize()
    return codes, list(distinct), np.bincount(codes[codes >= 0], minlength=len(distinct))


def missing_words(words):
    """Words with NaN for those that mean a missing value, and a Counter of those."""
    gaps = words.str.casefold().isin(MISSING)
    return words.mask(gaps), Counter(words[gaps])


def read_column(series):
    """A column of any table as a Column."""
    import pandas as pd
    from pandas.api import types

    dtype, name = series.dtype, series.name
    if types.is_object_dtype(dtype) or types.is_complex_dtype(dtype):
        values = series.dropna()
        if strange := [type(value).__name__ for value in values if not isinstance(value, PLAIN_TYPES)]:
            return Column("other", series, [f"`{name}` holds values of type {strange[0]}."])
        if len(values) and all(isinstance(value, date) for value in values):
            series = pd.to_datetime(series, errors="coerce", utc=True).dt.tz_localize(None)
    elif types.is_timedelta64_dtype(dtype):
        return Column("number", series.dt.total_seconds(), [f"`{name}` holds durations: taken as seconds."])
    elif isinstance(dtype, pd.PeriodDtype):
        series = series.dt.to_timestamp()
    if types.is_datetime64_any_dtype(series.dtype):
        said = []
        if isinstance(dtype, pd.DatetimeTZDtype):
            series = series.dt.tz_convert("UTC").dt.tz_localize(None)
            said.append(f"`{name}` has a time zone: taken in UTC.")
        return Column("date", series.astype("datetime64[us]"), said)
    if types.is_numeric_dtype(dtype) and not (types.is_integer_dtype(dtype) and (series.abs() >= 2**53).any()):
        values = pd.Series(series.to_numpy(dtype=float, na_value=np.nan), series.index, name=name)
        return Column("number", values, flags=types.is_bool_dtype(dtype))
    words, missing = missing_words(words_of(series))
    said = [f"`{name}`: {missing_said(missing)}"] if missing else []
    return _category(words, said) if isinstance(dtype, pd.CategoricalDtype) else _read_words(words, said)


def _read_words(words, said):
    """Words as numbers, dates, categories or free text."""
    name, (codes, distinct, counts) = words.name, _distinct(words)
    if distinct and {word.casefold() for word in distinct} <= {"true", "false"}:
        return Column("number", words.str.casefold().map({"true": 1.0, "false": 0.0}).astype(float), said, flags=True)
    values, _, how, lost = read_numbers(words)
    if values is not None:
        return Column("number", values, [*said, *([f"`{name}`: numbers {how}."] if how else []), *lost])
    dates, how = _read_dates(distinct, counts)
    if dates is not None:
        said += [f"`{name}`: dates, {how}."] if how else []
        said += _about_lost(name, dates.isna(), distinct, counts, "date")
        return Column("date", dates.reindex(codes).set_axis(words.index).rename(name), said)
    if numbers := int(counts[[bool(is_number(word)) for word in distinct]].sum()):
        others = counted(int(counts.sum()) - numbers, "other word")
        said.append(f"`{name}`: {counted(numbers, 'number')} among {others}: all are taken as words.")
    return _category(words, said)


def _category(words, said):
    """Words of few kinds as categories, others as free text."""
    few = words.nunique() <= min(MOST_CATEGORIES, len(words) / 2)
    return Column("category" if few else "text", words, said)


def is_numeric(word):
    """Whether a word is a number, with a decimal point or comma."""
    return not np.isnan([_number(word, False), _number(word, True)]).all()


def _number(word, comma):
    word = word.translate(COMMA if comma else POINT)
    return float(re.sub("[, ']", "", word)) if NUMBER.fullmatch(word) else np.nan


def numbers_in(words, counts, likely=False):
    """Values of distinct words (NaN: none), whether they have a decimal comma, and how they are written.

    The comma is None where words such as 1,234 do not tell; `likely` says what they are then.
    """
    if counts[[CODE.fullmatch(word) is not None for word in words]].sum() > (1 - ENOUGH) * counts.sum():
        return np.full(len(words), np.nan), None, ""
    if not likely and all(map(is_number, words)):  # as below, sooner
        tells = any(np.isnan(_number(word, True)) for word in words[:1000])
        return np.array(words, dtype=float), False if tells else None, ""
    read = [np.array([_number(word, comma) for word in words], dtype=float) for comma in (False, True)]
    point, comma = (counts[~np.isnan(values)].sum() for values in read)
    values = read[int(likely if point == comma else comma > point)]
    kept = [word.translate(POINT) for word, value in zip(words, values, strict=True) if value == value]
    thousands = r"\d[.' ]\d{3}" if values is read[True] else r"\d[,' ]\d"
    how = []
    if values is read[True] and any("," in word for word in kept):
        how.append("a decimal comma")
    if any(re.search(thousands, word) for word in kept):
        how.append("separated thousands")
    return values, None if point == comma else bool(comma > point), f"with {' and '.join(how)}" if how else ""


def read_numbers(words, likely=False):
    """A Series of words as numbers, None if fewer than 95 % are, with what `numbers_in` tells and what was lost."""
    codes, distinct, counts = _distinct(words)
    real = np.array([word.casefold() not in MISSING_NUMBERS for word in distinct], dtype=bool)
    values = np.full(len(distinct) + 1, np.nan)
    values[:-1][real], comma, how = numbers_in(np.array(distinct, dtype=object)[real], counts[real], likely)
    lost = np.isnan(values[:-1])
    if lost.all() or counts[~lost].sum() < ENOUGH * counts[real].sum():
        return None, None, "", []
    found = type(words)(values[codes], words.index, name=words.name)
    return found, comma, how, _about_lost(words.name, lost, distinct, counts, "number")


def _about_lost(name, lost, distinct, counts, what):
    if not any(lost):
        return []
    words = listed([repr(word) for word, gap in zip(distinct, lost, strict=True) if gap], 3)
    return [f"`{name}`: {counted(int(counts[lost].sum()), 'value')} became missing, no {what}: {words}."]


def _read_dates(distinct, counts):
    """Dates of distinct words in the format that fits most of them, and which one; None if none fits nearly all."""
    import pandas as pd

    words, tries = pd.Series(distinct, dtype=object), {}
    formats = DATES if words.str.contains(r"\d", regex=True).mean() >= ENOUGH / 2 else ()
    for main in formats:
        dates, given = pd.Series(pd.NaT, words.index, dtype="datetime64[us]"), words
        forms = [main, main.replace("%b", "%B")]
        forms = [form + clock for form in forms for clock in ("", " %H:%M", " %H:%M:%S")]
        if main == "ISO8601":
            forms, given = [main], words.where(words.str.fullmatch(ISO))
        for form in forms:
            read = pd.to_datetime(given, format=form, errors="coerce", utc=True)
            dates = dates.fillna(read.dt.tz_localize(None).astype("datetime64[us]"))
        if counts[dates.notna()].sum() >= ENOUGH * counts.sum():
            tries[re.sub("%[mb]", "month", main.replace("%d", "day").replace("%Y", "year"))] = dates
    if not tries:
        return None, ""
    name = max(tries, key=lambda key: counts[tries[key].notna()].sum())
    other = [f"; {key} is possible, too" for key in tries if not tries[key].equals(tries[name])]
    return tries[name], name.replace("ISO8601", "") + "".join(other[:1])


def identifier_reason(name, kind, present):
    """Why a column names the rows and is no feature, "" if it does not; `present` is a Series without gaps."""
    distinct = present.nunique()
    if distinct < ENOUGH * len(present):
        return ""
    if kind == "text" and present.str.len().max() <= LONGEST:
        return f"identifier: {distinct:,} different values in {len(present):,} rows"
    if kind != "number" or not np.all(np.mod(present, 1) == 0):
        return ""
    if np.mean(np.diff(np.unique(present)) == 1) >= MOSTLY:
        return f"identifier: whole numbers that count through, {present.min():.0f} to {present.max():.0f}"
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)  # patient and ID, of patientID
    says_so = any(word.lower() in NAMES for word in words)
    return f"identifier: {distinct:,} different whole numbers, and its name says so" if says_so else ""
