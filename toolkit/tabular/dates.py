"""Dates, clock times and durations as people write them, read from words."""

import re
from itertools import product

from ..core import import_pandas
from .cells import UNDECIDED, distinct_words, is_most, loss_note

ISO = r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}.*)?"
# Dates once all separators are "-", and months are the first letters of English ones.
PART = r"(?:\d{1,4}|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
DATE = (
    rf"{PART}-{PART}(?:-\d{{2,4}})?"
    r"(?:-\d{1,2}:\d\d(?::\d\d)?(?:-?[ap]m)?)?"
)
SEPARATOR = (
    r"[\s./,-]+|(?<=\d)(?=[a-zäéû]{3})|(?<=[a-zäéû]{3})(?=\d)|(?<=\d{4}):"
)
WEEKDAY = r"^(?:mon|tue|wed|thu|fri|sat|sun)-"
# German and French months by their first letters.
MONTHS = {
    "mär": "mar",
    "mai": "may",
    "okt": "oct",
    "dez": "dec",
    "fév": "feb",
    "avr": "apr",
    "juin": "jun",
    "jui": "jul",
    "aoû": "aug",
    "déc": "dec",
}
FORMATS_OF_ORDER = {
    "day-month-year": ["%d-%m-%Y", "%d-%b-%Y"],
    "month-day-year": ["%m-%d-%Y", "%b-%d-%Y"],
    "year-month-day": ["%Y-%m-%d"],
    "month-year": ["%m-%Y", "%b-%Y"],
    "year-month": ["%Y-%m"],
}
MOST_TRIED = 300  # words by which the formats are chosen
CLOCK = r"-?(?:\d+ days?,?\s)?\d+[:h][0-5]\d(?::[0-5]\d)?(?:\.\d+)?\s*(?:[ap]\.?m\.?)?"
DURATION = (
    r"(?:\d+\s*(?:days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)\s*)+"
)
TIME = re.compile(f"{CLOCK}|{DURATION}", re.I)
# Replacements that make times such as pandas reads them.
PANDAS_TIMES = {
    r"(?<=\d)h(?=\d\d$)": ":",
    r"(hr|min|sec)s": r"\1",
    r"^(\D*\d+:\d\d)$": r"\1:00",
    r"^(\d+:\d\d\.\d+)$": r"0:\1",
}
CLOCK_FORMATS = ("", "-%H:%M", "-%H:%M:%S", "-%I:%M-%p", "-%I:%M:%S-%p")


def read_dates(words, notation=UNDECIDED):
    """A Series of words as dates if at least 95 % are some, otherwise None; and notes.

    The order of day, month and year is the one that fits most of them. Sentences say
    which it is, whether another one is possible, and which words are no dates.
    """
    counts, distinct = distinct_words(words)
    if counts.empty:
        return None, []
    dates_in_order = _orders(counts, distinct)
    if not dates_in_order:
        return None, []

    def evidence_for(order):
        # What the caller says weighs more than the number of words that fit.
        is_wanted = notation.dates and order.startswith(notation.dates)
        return bool(is_wanted), counts[dates_in_order[order].index].sum()

    order = max(dates_in_order, key=evidence_for)
    dates = dates_in_order[order]
    how = ""
    if order:
        how = f", {order}"
    if not notation.dates:
        how += _other_order(dates_in_order, dates)
    notes = loss_note(words.name, counts.drop(dates.index), "date")
    if how:
        notes.insert(0, f"`{words.name}`: dates{how}.")
    return words.map(dates), notes


def _orders(counts, distinct):
    """The different words as dates by each order that nearly all of them have."""
    iso = in_utc(distinct[distinct.str.fullmatch(ISO)], "ISO8601")
    dates_in_order = {"": iso.dropna()}
    parts = distinct.str.casefold().str.replace(SEPARATOR, "-", regex=True)
    parts = parts.str.replace("[^\\W\\d_]{3,}", _month, regex=True)
    parts = parts.str.replace(WEEKDAY, "", regex=True)
    if is_most(counts, parts.str.fullmatch(DATE)):
        for order, formats in FORMATS_OF_ORDER.items():
            dates_in_order[order] = _dates_in(formats, parts)
    return {
        order: dates
        for order, dates in dates_in_order.items()
        if is_most(counts, dates.index)
    }


def _other_order(dates_in_order, dates):
    """Words for an order that gives other dates, and the option that chooses it."""
    for order, other_dates in dates_in_order.items():
        if not other_dates.equals(dates):
            option = f"--dates {order.partition('-')[0]}"
            return f"; {order} is possible, too: `{option}`"
    return ""


def _month(match):
    """The first three letters of an English month, for those of a match."""
    word = match[0]
    first_letters = word[:3]
    return MONTHS.get(word, MONTHS.get(first_letters, first_letters))


def in_utc(values, form=None):
    """Values as dates in UTC, in a format of their words; NaT of others."""
    pd = import_pandas()
    dates = pd.to_datetime(values, format=form, errors="coerce", utc=True)
    return dates.dt.tz_localize(None).astype("datetime64[us]")


def _dates_in(formats, words):
    """The words, with "-" between their parts, that are dates in some formats."""
    pd = import_pandas()
    all_formats = list(formats)
    for form in formats:
        # Years of two digits: 00 to 68 are 20xx; "03-04" is no date.
        if re.search("%[dbB]", form):
            all_formats.append(form.replace("%Y", "%y"))
    # All words are read only in formats that some of them have.
    tried = words[:: len(words) // MOST_TRIED + 1]
    dates = [words[:0]]
    for parts in product(all_formats, CLOCK_FORMATS):
        form = "".join(parts)
        if in_utc(tried, form).notna().any():
            dates.append(in_utc(words, form).dropna())
    return pd.concat(dates).groupby(level=0).first()


def read_times(words, pattern=TIME):
    """Words such as 12:30, 1:30 PM or 2h 30m as seconds, None if most are others.

    And a list of a sentence about words that are lost.

    Parameters
    ----------
    words : Series of str
    pattern : compiled regular expression
        What nearly all words are.
    """
    pd = import_pandas()
    counts, distinct = distinct_words(words)
    if counts.empty or not is_most(counts, distinct.str.fullmatch(pattern)):
        return None, []
    times_of_pandas = distinct
    for part, replacement in PANDAS_TIMES.items():
        times_of_pandas = times_of_pandas.str.replace(
            part, replacement, regex=True
        )
    times = pd.to_timedelta(times_of_pandas, errors="coerce")
    bare = distinct.str.replace(r"[\s.]", "", regex=True)
    for form in ("%I:%M%p", "%I:%M:%S%p"):
        clock = pd.to_datetime(bare, format=form, errors="coerce")
        times = times.fillna(clock - pd.Timestamp(1900, 1, 1))
    lost = loss_note(words.name, counts[times.isna()], "time")
    return words.map(times.dt.total_seconds()), lost
