"""Numbers, dates and times as people write them, read from words.

A number may have a unit, a currency, brackets or a trailing minus for negative ones,
thousands, a decimal comma, or a limit such as `<0.5`.
"""

import re
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from ..core import and_list, check_option, count_phrase, import_pandas

# these may be categories, but are no numbers
MISSING_NUMBERS = {"none", ".", "missing", "unknown"}
ENOUGH = 0.95  # of the values: numbers or dates, so that others become missing
PLAIN = re.compile(
    r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|[+-]?inf(?:inity)?", re.I | re.A
)
# with a decimal point; thousands in threes, or in twos above three as in India
NUMBER = re.compile(
    r"(?:\d+\.?\d*|\.\d+|[1-9]\d{0,2}([, '])\d{3}(?:\1\d{3})*(?:\.\d*)?"
    r"|[1-9]\d?(?:,\d\d)+,\d{3}(?:\.\d*)?)(?:e[+-]?\d+)?|inf(?:inity)?",
    re.I | re.A,
)
CURRENCY = (
    r"[A-Z]{0,3}[$€£¥₹₽₩₺₪₫₴฿]|Rs\.?|Fr\.|kr\.?|zł|EUR|USD|GBP|CHF|JPY|CNY|INR|AUD|CAD"
    r"|NZD|SEK|NOK|DKK|PLN|CZK|HUF|RON|BGN|RUB|UAH|TRY|BRL|MXN|ZAR|SGD|HKD|KRW|ILS|THB"
)
PARTS = rf"""(?x)^
    (?P<limit>[<>≤≥~≈]=?|(?i:ca\.?|approx\.?|about)(?=[\s\d]))?\s*
    (?P<open>\()?\s*(?P<sign>[+-])?\s*(?P<before>{CURRENCY})?\s*
    (?P<inner>[+-])?\s*(?P<bracket>\()?
    (?P<core>(?:[0-9][0-9.,'\ ]*|[.,][0-9]+)(?:[eE][+-]?[0-9]+|[dD][+-][0-9]+)?
        |(?i:inf(?:inity)?))
    (?P<dash>(?<=[.,])--?)?\s*
    (?P<after>[%‰′″]|[°º]\s?[A-Z]?|{CURRENCY}
        |(?:×|[^\W\d_])[^\s]{{0,11}}(?:\ [^\s]{{1,8}})?)?
    \s*(?P<behind>-)?(?P<close>\))?$"""
# a number would lose the zeros in front, or digits
CODE = re.compile(r"[+-]?0\d+|[+-]?\d{16,}", re.A)
# minus and thousands
TYPESET = {
    0x2212: "-",
    0x2013: "-",
    0xA0: " ",
    0x202F: " ",
    0x2009: " ",
    0x2019: "'",
}
COMMA = {ord(","): ".", ord("."): ","}
SIGNS = (
    {"separated thousands": r"\d[,' ]\d{3}"},
    {"a decimal comma": ",", "separated thousands": r"\d[.' ]\d{3}"},
)
# of thousands, and of numbers below 0
TWO_WAYS = ((r"\d[,' ]\d{3}(?!\d)", r"(?<![\d.,])\d{4}"), (r"\(", "^[-\u2212]"))
FACTORS = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "B": 1e9}
LIMITS = {"<": "below", "≤": "below", ">": "above", "≥": "above"}
# words that begin with a number, but for codes
NEARLY = r"(?:[A-Z]{3}|[^\w\s])*\s*(?!00)\d(?:[\W\d]|[A-Z]?[^\W\d_A-Z]+|(?<=\s)[A-Z]+)*"
PAIR = r"(\d+\.?\d*)\s*/\s*(\d+\.?\d*)"
ISO = r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}.*)?"
# once all separators are "-", and months are the first letters of English ones
PART = r"(?:\d{1,4}|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
DATE = (
    rf"{PART}-{PART}(?:-\d{{2,4}})?"
    r"(?:-\d{1,2}:\d\d(?::\d\d)?(?:-?[ap]m)?)?"
)
SEPARATOR = (
    r"[\s./,-]+|(?<=\d)(?=[a-zäéû]{3})|(?<=[a-zäéû]{3})(?=\d)|(?<=\d{4}):"
)
WEEKDAY = r"^(?:mon|tue|wed|thu|fri|sat|sun)-"
# German and French ones by their first letters
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
DATES = {
    "%d-%m-%Y": "day-month-year",
    "%d-%b-%Y": "day-month-year",
    "%m-%d-%Y": "month-day-year",
    "%b-%d-%Y": "month-day-year",
    "%Y-%m-%d": "year-month-day",
    "%m-%Y": "month-year",
    "%b-%Y": "month-year",
    "%Y-%m": "year-month",
}
PLURAL = r"(?<=\w\w)s$"
TIME = (
    r"(?i)-?(?:\d+ days?,?\s)?\d+[:h][0-5]\d(?::[0-5]\d)?(?:\.\d+)?\s*(?:[ap]\.?m\.?)?"
    r"|(?:\d+\s*(?:days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)\s*)+"
)
# as pandas has them
TIMES = {
    r"(?<=\d)h(?=\d\d$)": ":",
    r"(hr|min|sec)s": r"\1",
    r"^(\D*\d+:\d\d)$": r"\1:00",
    r"^(\d+:\d\d\.\d+)$": r"0:\1",
}
CLOCKS = ("", "-%H:%M", "-%H:%M:%S", "-%I:%M-%p", "-%I:%M:%S-%p")
is_number = PLAIN.fullmatch  # whether a word is a number as programs write it


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
        return self.decimal or {".": ",", ",": "."}.get(self.thousands)


UNDECIDED = Notation()


@dataclass(frozen=True, eq=False)
class Numbers:
    """Words as numbers.

    Attributes
    ----------
    values : Series of floats
        The numbers.
    comma : bool or None
        Whether the words have a decimal comma; None where it cannot be decided.
    how : str
        How they are written, in words behind "numbers".
    lost : list of str
        A sentence about words that are no numbers, if there are some.
    limits : Series of str
        "below", "above" or "" for each word.
    is_bare : bool
        Whether the words have neither limits nor units, and one way of writing.
    """

    values: object
    comma: bool | None
    how: str
    lost: list
    limits: object
    is_bare: bool


def is_numeric(word):
    """Whether a word is a number, with a decimal point or comma."""
    word = word.translate(TYPESET).lstrip("+-")
    return any(map(NUMBER.fullmatch, (word, word.translate(COMMA))))


def _is_most(counts, chosen, others=0):
    """Whether nearly all of the values are of the words chosen, or others."""
    return others + counts[chosen].sum() >= ENOUGH * (others + counts.sum())


def _distinct(words):
    """How often each word occurs, and the different words as a Series by themselves."""
    counts = words.value_counts(sort=False)
    return counts, counts.index.to_series().astype(object)


def loss_note(name, lost, what):
    """A sentence about the counts of words that became missing values, if any did."""
    if lost.empty:
        return []
    words = and_list(map(repr, lost.index), 3)
    values = count_phrase(lost.sum(), "value")
    return [f"`{name}`: {values} became missing, no {what}: {words}."]


def _floats(cores):
    """Numbers (n,) with a decimal point and thousands; NaN of other words."""
    numbers = cores[cores.str.fullmatch(NUMBER)]
    numbers = numbers.str.replace("[, ']", "", regex=True).astype(float)
    return numbers.reindex(cores.index)


def two_ways(words):
    """Find pairs of notations that both occur in a column, and which a word has.

    Pairs are two separators of thousands, or brackets and a minus sign. For each, a
    boolean Series: True for the first of the two, NaN for words with neither.
    """
    found = []
    for signs in TWO_WAYS:
        one, other = (words.str.contains(sign) for sign in signs)
        if one.any() and other.any():
            found.append(one.where(one | other))
    return found


def read_numbers(words, notation=UNDECIDED, true_numbers=None):
    """A Series of words as Numbers if at least 95 % are some, otherwise None.

    Parameters
    ----------
    words : Series of str
    notation : Notation
        It counts where words such as 1,234 are all that there is.
    true_numbers : Series of floats, optional
        True numbers of the same column, NaN at the words: they count, and fractions
        among them say that words have some, too.

    Examples
    --------
    >>> import pandas as pd
    >>> found = read_numbers(pd.Series(["1.250,50 €", "-30 €"]))
    >>> found.values.tolist(), found.how
    ([1250.5, -30.0], " with a decimal comma and separated thousands; left out: '€'")
    """
    counts = words.value_counts(sort=False)
    real = counts[~counts.index.str.casefold().isin(MISSING_NUMBERS)]
    distinct = real.index.to_series().astype(object)
    known = 0 if true_numbers is None else true_numbers.count()
    if not _is_most(real, ~distinct.str.fullmatch(CODE)):
        return None
    if not notation.mark and all(map(is_number, distinct)):
        # as programs write them: as below, sooner
        some = distinct[:1000].str.lstrip("+-").str.translate(COMMA)
        if not some.str.fullmatch(NUMBER).all():
            numbers = words.map(distinct.astype(float))
            lost = loss_note(words.name, counts.drop(real.index), "number")
            return Numbers(numbers, False, "", lost, words.map({}), True)
    # 1. the number, its sign, and what stands around it
    parts = distinct.str.translate(TYPESET).str.extract(PARTS).fillna("")
    brackets = parts["open"] + parts["bracket"] != ""
    is_whole = brackets == (parts["close"] != "")
    core = (
        parts["core"].where(is_whole, "").str.replace("[dD]", "e", regex=True)
    )
    factor, signs = _unit(parts, core, real)
    core = core.where(factor.notna(), "").str.strip()
    # 2. with a point or a comma, whichever more words have
    readings = [_floats(core), _floats(core.str.translate(COMMA))]
    by_point, by_comma = (real[one.notna()].sum() for one in readings)
    comma = None if by_point == by_comma else bool(by_comma > by_point)
    choice = notation.likely if comma is None else comma
    if notation.mark:
        choice = notation.mark == ","
    elif comma is None and known:
        has_fraction = np.mod(true_numbers.dropna(), 1).any()
        choice = has_fraction == core.str.contains(",").any()
    choice = bool(choice)
    read, other = readings[choice], readings[not choice]
    has_both = not (notation.mark or _is_most(real, read.notna(), known))
    if has_both:
        # both are decimal marks, so that 1,234 has a fraction
        read = read.combine(other, np.fmin)
    # limits alone are words; true numbers have no unit
    if (
        not known
        and (parts["limit"] != "").all()
        or known
        and signs
        and true_numbers.any()
    ):
        return None
    minus = brackets | parts[["sign", "inner", "behind"]].eq("-").any(axis=1)
    numbers = (read * factor * np.where(minus, -1, 1)).dropna()
    if not _is_most(real, distinct.index.isin(numbers.index), known):
        return None
    # 3. how they are written
    parts, core = parts.loc[numbers.index], core[numbers.index]
    marks = not has_both and [
        what
        for what, sign in SIGNS[choice].items()
        if core.str.contains(sign).any()
    ]
    notes = ["some have a decimal comma, others a point"] * has_both + signs
    if comma is None and not notation.mark:
        notes += _other_reading(read, other, core, choice)
    if (parts["open"] + parts["bracket"] + parts["behind"]).any():
        notes.append("brackets or a minus behind mean negative ones")
    limits = parts["limit"]
    if limits.any():
        found = and_list(map(repr, limits[limits != ""].unique()))
        notes.append(f"left out in front: {found}")
    how = f" with {and_list(marks)}" if marks else ""
    how = "; ".join([how, *notes])
    lost = loss_note(words.name, counts.drop(numbers.index), "number")
    bare = not (signs or has_both or limits.any() or two_ways(distinct))
    limits = limits.str[:1].map(LIMITS)
    return Numbers(
        words.map(numbers), comma, how, lost, words.map(limits), bare
    )


def _unit(parts, core, counts):
    """The factor of each word, NaN where its unit is not the main one, and notes."""
    unit = parts["after"].str.replace(PLURAL, "", regex=True)
    unit = unit.str.replace("\u00b5", "\u03bc")  # two letters mu
    # 5K, but not 5 K, is 5000
    factor = unit.map(FACTORS).where(~core.str.endswith(" "))
    signs = []
    if unit[core != ""].nunique() > 1 and factor[core != ""].notna().all():
        signs.append("k, M and B are thousands, millions and billions")
        unit = ""
    else:
        factor = 1.0
    unit = parts["before"] + unit
    some = unit[core != ""]
    main = counts[some.index].groupby(some).sum().idxmax() if len(some) else ""
    # zero needs no unit
    fits = (unit == main) | (unit == "") & core.str.fullmatch("[0.,]+")
    if main:
        signs.append(f"left out: {main!r}")
    return fits.map({True: 1.0}) * factor, signs


def _other_reading(numbers, others, core, choice):
    """How a word is read that has another reading, and the option that decides."""
    both = numbers.notna() & others.notna() & (numbers != others)
    are_decimals = (numbers.abs() < others.abs())[both]
    # all written with three decimals
    if not both.any() or are_decimals.all() and not core.str.isdecimal().any():
        return []
    word = both.idxmax()
    other = f"{others[word]:.12g} with `--decimal {',.'[choice]}`"
    return [f"{word!r} is read as {numbers[word]:.12g}, but as {other}"]


def read_all_numbers(columns, notation):
    """Numbers of several columns of words, in one convention where words allow two.

    Parameters
    ----------
    columns : dict of str to Series of str
    notation : Notation

    Returns
    -------
    found : dict of str to Numbers or None
    mark : str or None
        The decimal mark, where the caller or all columns that tell say it.
    """
    unlikely = replace(notation, likely=False)
    found = {
        name: read_numbers(words, unlikely) for name, words in columns.items()
    }
    tells = {one.comma for one in found.values() if one} - {None}
    mark = notation.mark
    if len(tells) == 1:
        mark = mark or ("," if True in tells else ".")
    if notation.mark or len(tells) == 2 or not (tells or notation.likely):
        return found, mark
    decided = replace(notation, decimal=mark)
    for name, one in found.items():
        if one and one.comma is None:
            found[name] = read_numbers(columns[name], decided)
    return found, mark or ","


def read_dates(words, notation):
    """Words as dates, in the order of day, month and year that fits most of them.

    Returns
    -------
    values : Series of dates, or None where nearly all of the words are others
    how : str, the order, and another that is possible, in words behind "dates"
    lost : list of str
        A sentence about other words.
    """
    counts, distinct = _distinct(words)
    iso = in_utc(distinct[distinct.str.fullmatch(ISO)], "ISO8601")
    readings = {"": iso.dropna()}
    plain = distinct.str.casefold().str.replace(SEPARATOR, "-", regex=True)
    plain = plain.str.replace("[^\\W\\d_]{3,}", _month, regex=True)
    plain = plain.str.replace(WEEKDAY, "", regex=True)
    if _is_most(counts, plain.str.fullmatch(DATE)):
        for order in dict.fromkeys(DATES.values()):
            readings[order] = _dates_in(order, plain)
    readings = {
        order: dates
        for order, dates in readings.items()
        if len(counts) and _is_most(counts, dates.index)
    }
    if not readings:
        return None, "", []
    # as the caller says, otherwise what fits most of them
    first = notation.dates or "none"
    how = max(
        readings,
        key=lambda order: (
            order.startswith(first),
            counts[readings[order].index].sum(),
        ),
    )
    dates = readings[how]
    others = [order for order in readings if not readings[order].equals(dates)]
    lost = loss_note(words.name, counts.drop(dates.index), "date")
    how = how and f", {how}"
    if others and not notation.dates:
        option = others[0].partition("-")[0]
        how += f"; {others[0]} is possible, too: `--dates {option}`"
    return words.map(dates), how, lost


def _month(match):
    """The first three letters of an English month, for those of a match."""
    word = match[0]
    return MONTHS.get(word, MONTHS.get(word[:3], word[:3]))


def in_utc(values, form=None):
    """Values as dates in UTC, in a format of their words; NaT of others."""
    pd = import_pandas()
    dates = pd.to_datetime(values, format=form, errors="coerce", utc=True)
    return dates.dt.tz_localize(None).astype("datetime64[us]")


def _dates_in(order, words):
    """The words, with "-" between their parts, that are dates in an order."""
    pd = import_pandas()
    forms = [form for form, what in DATES.items() if what == order]
    # years of two digits: 00 to 68 are 20xx; "03-04" is no date
    short = [
        form.replace("%Y", "%y") for form in forms if re.search("%[dbB]", form)
    ]
    # all words only in forms that some of them have
    some = words[:: len(words) // 300 + 1]
    read = [
        in_utc(words, form).dropna()
        for form in map("".join, product({*forms, *short}, CLOCKS))
        if in_utc(some, form).notna().any()
    ]
    return pd.concat([words[:0], *read]).groupby(level=0).first()


def read_times(words):
    """Words such as 12:30, 1:30 PM or 2h 30m as seconds, None if most are others.

    And a list of a sentence about words that are lost.
    """
    pd = import_pandas()
    counts, distinct = _distinct(words)
    if counts.empty or not _is_most(counts, distinct.str.fullmatch(TIME)):
        return None, []
    long = distinct
    for pattern, text in TIMES.items():
        long = long.str.replace(pattern, text, regex=True)
    times = pd.to_timedelta(long, errors="coerce")
    short = distinct.str.replace(r"[\s.]", "", regex=True)
    for form in ("%I:%M%p", "%I:%M:%S%p"):
        clock = pd.to_datetime(short, format=form, errors="coerce")
        times = times.fillna(clock - pd.Timestamp(1900, 1, 1))
    lost = loss_note(words.name, counts[times.isna()], "time")
    return words.map(times.dt.total_seconds()), lost


def read_pairs(words):
    """Words such as 120/80 as two Series by name, of numbers; none if most are others.

    None also where all may be dates, and 3/4 the third of April.
    """
    counts, distinct = _distinct(words)
    pairs = distinct.str.extract(f"^{PAIR}$").astype(float)
    is_pair = pairs.notna().all(axis=1)
    if counts.empty or not _is_most(counts, is_pair):
        return {}
    found = pairs[is_pair]
    if (found <= 12).any(axis=1).all() and (found < 100).all(axis=None):
        return {}
    return {f"{words.name} {j + 1}": words.map(pairs[j]) for j in pairs}
