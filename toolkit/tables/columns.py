"""What the values of a column are: numbers, categories, dates or free text; which words mean a missing value."""

import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import date, datetime
from numbers import Integral, Number

import numpy as np

from ..core.checks import shown
from .numbers import is_number, numbers_in

__all__ = ["Column", "counted", "listed", "missing_words", "one_line", "read_column", "words_of"]

MISSING = {"", "na", "n/a", "#n/a", "<na>", "nan", "nat", "null", "?", "-", "--"}
MISSING_NUMBERS = {"none", ".", "missing", "unknown"}  # these may be categories, but are no numbers
ENOUGH = 0.95  # of the values: as numbers or dates they are read, the others become missing
MOST_CATEGORIES = 50
FORMATS = {
    "day.month.year": ["%d.%m.%Y", "%d.%m.%y"],
    "day/month/year": ["%d/%m/%Y"],
    "month/day/year": ["%m/%d/%Y"],
    "year/month/day": ["%Y/%m/%d"],
    "day-month-year": ["%d-%m-%Y"],
    "day month year": ["%d %b %Y", "%d %B %Y", "%d-%b-%Y"],
    "month day, year": ["%b %d, %Y", "%B %d, %Y"],
}
ISO = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}.*)?", re.A)
CLOCK = re.compile(r"(.*\d)[T ]+(\d{1,2}:\d{2}(?::\d{2})?)", re.A)


@dataclass(frozen=True, eq=False)
class Column:
    """A column as it was read: `kind` is "number", "category", "date", "text" or "other"."""

    kind: str
    values: object  # Series: floats, str with NaN, or dates
    said: list = field(default_factory=list)
    flags: bool = False  # numbers that were True and False


def counted(n, noun):
    """A number with its noun: "1 row", "1,200 rows"."""
    return f"{n:,} {noun}{'s' * (n != 1)}"


def listed(names, most=5):
    """The first of some names, and how many more there are."""
    names = [str(name) for name in names]
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")


def words_of(series):
    """The values of a column as text without blanks at the ends, NaN where a value is missing; an object Series.

    Whole numbers have no decimal point, so that 3 and 3.0 are the same word.
    """
    import pandas as pd

    values = series.to_numpy(dtype=object, na_value=np.nan)
    words = [np.nan if gap else _word(value) for value, gap in zip(values, pd.isna(series).to_numpy(), strict=True)]
    return pd.Series(np.array([*words, None], dtype=object)[:-1], index=series.index, name=series.name, dtype=object)


def _word(value):
    if isinstance(value, bytes):
        value = value.decode("utf-8", errors="replace")
    if isinstance(value, Number) and not isinstance(value, bool | complex | np.bool_ | np.complexfloating):
        try:
            whole = isinstance(value, Integral) or abs(value) < 1e15 and value == int(value)
            return str(int(value)) if whole else str(value)
        except (OverflowError, ValueError):  # infinite, or of thousands of digits
            return str(float(value)) if abs(value) == np.inf else shown(value)
    return one_line(str(value))


def one_line(text):
    """Text without line breaks and other characters that cannot be seen, and without blanks at the ends."""
    if text.isprintable():
        return text.strip()
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def missing_words(words):
    """Words with NaN for those that mean a missing value, and a Counter of those."""
    import pandas as pd

    codes, distinct = pd.factorize(words.to_numpy(dtype=object))
    gaps = [word.casefold() in MISSING for word in distinct]
    if not any(gaps):
        return words, Counter()
    counts = np.bincount(codes[codes >= 0], minlength=len(distinct))
    found = Counter({w or "an empty field": int(n) for w, n, gap in zip(distinct, counts, gaps, strict=True) if gap})
    return words.mask(np.array([*gaps, False])[codes], np.nan), found


def read_column(series):
    """A column of any table as a Column.

    Parameters
    ----------
    series : Series of length n

    Returns
    -------
    Column, whose `values` are floats, str or dates, with NaN or NaT where one is missing

    Examples
    --------
    >>> import pandas as pd
    >>> read_column(pd.Series(["1,5", "2,25", "?"], name="width")).values.tolist()
    [1.5, 2.25, nan]
    """
    import pandas as pd
    from pandas.api import types

    dtype = series.dtype
    if types.is_complex_dtype(dtype):
        return Column("other", series, [f"`{series.name}` holds complex numbers."])
    if types.is_bool_dtype(dtype) and not isinstance(dtype, pd.CategoricalDtype):
        return Column("number", _floats(series), flags=True)
    if types.is_numeric_dtype(dtype):
        exact = not types.is_integer_dtype(dtype) or series.dropna().abs().max() < 2**53 or series.dropna().empty
        return Column("number", _floats(series)) if exact else _read_words(words_of(series))
    if isinstance(dtype, pd.PeriodDtype):
        return Column("date", series.dt.to_timestamp().astype("datetime64[us]"))
    if types.is_datetime64_any_dtype(dtype):
        return Column("date", _dates(series), _about_zone(series))
    if types.is_timedelta64_dtype(dtype):
        seconds = series.dt.total_seconds().astype(float)
        return Column("number", seconds, [f"`{series.name}` holds durations: taken as seconds."])
    if isinstance(dtype, pd.CategoricalDtype):
        words, missing = missing_words(words_of(series))
        return _category(words, _about_missing(series.name, missing))
    return _read_objects(series)


def _floats(series):
    import pandas as pd

    return pd.Series(series.to_numpy(dtype=float, na_value=np.nan), index=series.index, name=series.name)


def _dates(series):
    """Dates in microseconds, of which the year 9999 has no too many; with a time zone: in UTC."""
    if getattr(series.dtype, "tz", None) is not None:
        series = series.dt.tz_convert("UTC").dt.tz_localize(None)
    return series.astype("datetime64[us]")


def _about_zone(series):
    return [f"`{series.name}` has a time zone: taken in UTC."] if getattr(series.dtype, "tz", None) is not None else []


def _about_missing(name, missing):
    if not missing:
        return []
    words = ", ".join(f"{n} {word if word == 'an empty field' else repr(word)}" for word, n in missing.items())
    return [f"`{name}`: read as missing: {words}."]


def _read_objects(series):
    """A column of Python's objects: of one type, or of words."""
    import pandas as pd

    present = series[series.notna().to_numpy()]
    values = present.tolist()
    strange = [v for v in values if not isinstance(v, str | bytes | Number | bool | np.bool_ | date | _clock_types())]
    if strange or any(isinstance(v, complex | np.complexfloating) for v in values):
        what = type(strange[0]).__name__ if strange else "complex"
        return Column("other", series, [f"`{series.name}` holds values of type {what}."])
    if values and all(isinstance(v, datetime | date) for v in values):
        try:
            dates = pd.to_datetime(series, utc=True).dt.tz_localize(None)
        except (ValueError, TypeError, OverflowError):
            return _read_words(words_of(series))
        return Column("date", dates.astype("datetime64[us]"))
    return _read_words(words_of(series))


def _clock_types():
    from datetime import time, timedelta

    return time | timedelta


def _read_words(words):
    """Words as numbers, dates, categories or free text."""
    import pandas as pd

    words, missing = missing_words(words)
    said, name = _about_missing(words.name, missing), words.name
    codes, distinct = pd.factorize(words.to_numpy(dtype=object))
    counts = np.bincount(codes[codes >= 0], minlength=len(distinct))
    if len(distinct) == 0:
        return Column("category", words, said)
    if {word.casefold() for word in distinct} <= {"true", "false"}:
        flags = words.map(lambda word: float(word.casefold() == "true"), na_action="ignore")
        return Column("number", flags.astype(float), said, flags=True)
    values, how = _numbers(distinct, counts)
    gaps = [np.isnan(v) and word.casefold() in MISSING_NUMBERS for v, word in zip(values, distinct, strict=True)]
    read, lost = counts[~np.isnan(values)].sum(), counts[np.isnan(values) & ~np.array(gaps)].sum()
    if read and read >= ENOUGH * (read + lost):
        if how:
            said.append(f"`{name}`: numbers {how}.")
        failed = [repr(word) for word, value in zip(distinct, values, strict=True) if np.isnan(value)]
        if failed:
            said.append(
                f"`{name}`: {counted(int(counts.sum() - read), 'value')} that "
                f"{'is' if counts.sum() - read == 1 else 'are'} "
                f"no number became missing ({listed(failed, 3)})."
            )
        return Column("number", pd.Series(np.append(values, np.nan)[codes], index=words.index, name=name), said)
    if (found := _read_dates(distinct, counts)) is not None:
        dates, how = found
        said += [f"`{name}`: dates, {how}."] * bool(how)
        if lost := int(counts[dates.isna()].sum()):
            failed = [repr(word) for word, gap in zip(distinct, dates.isna(), strict=True) if gap]
            said.append(
                f"`{name}`: {counted(lost, 'value')} that {'is' if lost == 1 else 'are'} no date became "
                f"missing "
                f"({listed(failed, 3)})."
            )
        return Column(
            "date", pd.Series(dates.take(codes, allow_fill=True, fill_value=pd.NaT), index=words.index, name=name), said
        )
    if read:
        said.append(
            f"`{name}`: {counted(int(read), 'number')} among "
            f"{counted(int(counts.sum() - read), 'other word')}: "
            "all are taken as words."
        )
    return _category(words, said)


def _numbers(distinct, counts):
    """Values of words, where words that mean a missing number do not count against numbers."""
    values = np.full(len(distinct), np.nan)
    real = [i for i, word in enumerate(distinct) if word.casefold() not in MISSING_NUMBERS]
    values[real], how = numbers_in([distinct[i] for i in real], [counts[i] for i in real])
    return values, how


def _category(words, said):
    distinct = words.nunique()
    kind = "category" if distinct <= MOST_CATEGORIES and distinct <= len(words) / 2 else "text"
    return Column(kind, words, said)


def _read_dates(distinct, counts):
    """Dates of words in the first format that fits nearly all, and which one, or None."""
    import pandas as pd

    if (
        counts[[any(c.isdigit() for c in word) and not is_number(word) for word in distinct]].sum()
        < ENOUGH * counts.sum()
    ):
        return None
    fits = np.array([ISO.fullmatch(word) is not None for word in distinct])
    tries = {}
    if counts[fits].sum() >= ENOUGH * counts.sum():
        iso = pd.to_datetime(pd.Series(distinct).where(fits), format="ISO8601", errors="coerce", utc=True)
        tries[""] = pd.DatetimeIndex(iso.dt.tz_localize(None).astype("datetime64[us]"))
    else:
        days, times = _clock(distinct)
        for name, formats in FORMATS.items():
            dates = pd.Series(pd.NaT, index=range(len(distinct)), dtype="datetime64[us]")
            for form in formats:
                read = pd.to_datetime(pd.Series(days), format=form, errors="coerce").astype("datetime64[us]")
                dates = dates.fillna(read)
            tries[name] = pd.DatetimeIndex(dates + times)
    tries = {name: dates for name, dates in tries.items() if counts[~dates.isna()].sum() >= ENOUGH * counts.sum()}
    if not tries:
        return None
    name = max(tries, key=lambda key: counts[~tries[key].isna()].sum())
    other = [key for key in tries if key != name and not tries[key].equals(tries[name])]
    return tries[name], f"{name}; {other[0]} is possible, too" if other else name


def _clock(words):
    """Days and times of day of words such as 24.12.2020 18:30."""
    import pandas as pd

    found = [CLOCK.fullmatch(word) for word in words]
    days = [match[1].strip() if match else word for match, word in zip(found, words, strict=True)]
    clocks = [match[2] if match else "0:00" for match in found]
    full = pd.Series([clock if clock.count(":") == 2 else f"{clock}:00" for clock in clocks])
    return days, pd.to_timedelta(full, errors="coerce").astype("timedelta64[us]")
