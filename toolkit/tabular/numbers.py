"""Numbers as people write them, read from words.

A number may have a unit, a currency, brackets or a trailing minus for negative ones,
thousands, a decimal comma, or a limit such as `<0.5`.
"""

import re
from dataclasses import dataclass, replace

import numpy as np

from ..core import and_list, value_list
from .cells import (
    OTHER_MARK,
    UNDECIDED,
    distinct_words,
    is_most,
    loss_note,
    two_ways,
)

# These words may be categories, but are no numbers.
MISSING_NUMBERS = {"none", ".", "missing", "unknown"}
PLAIN = re.compile(
    r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|[+-]?inf(?:inity)?", re.I | re.A
)
# The decimal mark is a point. Thousands are in threes, or in twos above three, as in
# India.
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
# A number would lose the zeros in front, or digits.
CODE_WORD = re.compile(r"[+-]?0\d+|[+-]?\d{16,}", re.A)
# Typeset signs of minus and of thousands, and what is typed for them.
TYPESET = {
    0x2212: "-",
    0x2013: "-",
    0xA0: " ",
    0x202F: " ",
    0x2009: " ",
    0x2019: "'",
}
SWAP_MARKS = {ord(","): ".", ord("."): ","}
# What is said about numbers of each decimal mark, and the pattern that shows it.
SIGNS = {
    ".": {"separated thousands": r"\d[,' ]\d{3}"},
    ",": {"a decimal comma": ",", "separated thousands": r"\d[.' ]\d{3}"},
}
FACTORS = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "B": 1e9}
LIMITS = {"<": "below", "≤": "below", ">": "above", "≥": "above"}
# Words that begin with a number, but for codes.
NEARLY = r"(?:[A-Z]{3}|[^\w\s])*\s*(?!00)\d(?:[\W\d]|[A-Z]?[^\W\d_A-Z]+|(?<=\s)[A-Z]+)*"
PAIR = r"(\d+\.?\d*)\s*/\s*(\d+\.?\d*)"
PLURAL = r"(?<=\w\w)s$"
MOST_CHECKED = 1000  # words that are compared with other ways of writing
is_number = PLAIN.fullmatch  # whether a word is a number as programs write it


@dataclass(frozen=True, kw_only=True, eq=False)
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
        "below" or "above" for each word that is a limit, NaN for others.
    is_bare : bool
        Whether the words have neither limits nor units, and one way of writing.
    """

    values: object
    comma: bool | None
    how: str
    lost: list
    limits: object
    is_bare: bool


@dataclass(frozen=True, kw_only=True, eq=False)
class _Marked:
    """Different words as numbers, by the decimal mark that is chosen.

    Attributes
    ----------
    values, other_values : Series of floats
        The numbers by this mark, and by the other one.
    mark : "." or ","
        The mark.
    comma : bool or None
        Whether more words have a decimal comma; None if as many have a point.
    is_mixed : bool
        Whether the words have both decimal marks.
    """

    values: object
    other_values: object
    mark: str
    comma: bool | None
    is_mixed: bool


def is_numeric(word):
    """Whether a word is a number, with a decimal point or comma."""
    unsigned = word.translate(TYPESET).lstrip("+-")
    if NUMBER.fullmatch(unsigned):
        return True
    return NUMBER.fullmatch(unsigned.translate(SWAP_MARKS)) is not None


def _floats(cores):
    """Numbers (n,) with a decimal point and thousands; NaN of other words."""
    numbers = cores[cores.str.fullmatch(NUMBER)]
    digits = numbers.str.replace("[, ']", "", regex=True)
    return digits.astype(float).reindex(cores.index)


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
    >>> numbers = read_numbers(pd.Series(["1.250,50 €", "-30 €"]))
    >>> numbers.values.tolist(), numbers.how
    ([1250.5, -30.0], " with a decimal comma and separated thousands; left out: '€'")
    """
    counts = words.value_counts(sort=False)
    is_gap = counts.index.str.casefold().isin(MISSING_NUMBERS)
    real_counts = counts[~is_gap]
    distinct = real_counts.index.to_series().astype(object)
    if not is_most(real_counts, ~distinct.str.fullmatch(CODE_WORD)):
        return None
    if not notation.mark and _are_plain(distinct):
        lost_counts = counts.drop(real_counts.index)
        return Numbers(
            values=words.map(distinct.astype(float)),
            comma=False,
            how="",
            lost=loss_note(words.name, lost_counts, "number"),
            limits=words.map({}),
            is_bare=True,
        )
    if true_numbers is None:
        true_numbers = words[:0].astype(float)
    n_true = true_numbers.count()
    # 1. the number, its sign, and what stands around it
    parts = _parts(distinct)
    factor, unit_notes = _unit(parts, real_counts)
    parts["core"] = parts["core"].where(factor.notna(), "").str.strip()
    # 2. with a point or a comma, whichever more words have
    marked = _choose_mark(parts["core"], real_counts, notation, true_numbers)
    # Limits alone are words; true numbers have no unit.
    if not n_true and (parts["limit"] != "").all():
        return None
    if n_true and unit_notes and true_numbers.any():
        return None
    signs = parts[["sign", "inner", "behind"]]
    is_negative = (parts["brackets"] != "") | signs.eq("-").any(axis=1)
    signed = marked.values * factor * np.where(is_negative, -1, 1)
    numbers = signed.dropna()
    if not is_most(real_counts, distinct.index.isin(numbers.index), n_true):
        return None
    # 3. how they are written
    parts = parts.loc[numbers.index]
    notes = [*unit_notes]
    if marked.is_mixed:
        notes.insert(0, "some have a decimal comma, others a point")
    if marked.comma is None and not notation.mark:
        notes += _other_reading(marked, parts["core"])
    lost_counts = counts.drop(numbers.index)
    is_bare = not (
        unit_notes
        or marked.is_mixed
        or parts["limit"].any()
        or two_ways(distinct)
    )
    limits = parts["limit"].str[:1].map(LIMITS)
    return Numbers(
        values=words.map(numbers),
        comma=marked.comma,
        how=_how(parts, marked, notes),
        lost=loss_note(words.name, lost_counts, "number"),
        limits=words.map(limits),
        is_bare=is_bare,
    )


def _are_plain(distinct):
    """Whether words are numbers as programs write them, and not otherwise, too."""
    if distinct.map(is_number).isna().any():
        return False
    unsigned = distinct[:MOST_CHECKED].str.lstrip("+-")
    return not unsigned.str.translate(SWAP_MARKS).str.fullmatch(NUMBER).all()


def _parts(distinct):
    """The parts of the different words; no core of one with an open bracket."""
    parts = distinct.str.translate(TYPESET).str.extract(PARTS).fillna("")
    brackets = parts["open"] + parts["bracket"]
    is_closed = (brackets != "") == (parts["close"] != "")
    core = parts["core"].where(is_closed, "")
    core = core.str.replace("[dD]", "e", regex=True)
    return parts.assign(core=core, brackets=brackets)


def _unit(parts, counts):
    """The factor of each word, NaN where its unit is not the main one, and notes."""
    core = parts["core"]
    has_core = core != ""
    unit = parts["after"].str.replace(PLURAL, "", regex=True)
    # The letter mu has two codes.
    unit = unit.str.replace("\u00b5", "\u03bc")
    # 5K, but not 5 K, is 5000.
    factor = unit.map(FACTORS).where(~core.str.endswith(" "))
    notes = []
    if unit[has_core].nunique() > 1 and factor[has_core].notna().all():
        notes.append("k, M and B are thousands, millions and billions")
        unit = ""
    else:
        factor = 1.0
    unit = parts["before"] + unit
    main_unit = ""
    if has_core.any():
        units = unit[has_core]
        main_unit = counts[units.index].groupby(units).sum().idxmax()
    # A zero needs no unit.
    is_bare_zero = (unit == "") & core.str.fullmatch("[0.,]+")
    fits = (unit == main_unit) | is_bare_zero
    if main_unit:
        notes.append(f"left out: {main_unit!r}")
    return fits.map({True: 1.0}) * factor, notes


def _choose_mark(cores, counts, notation, true_numbers):
    """Cores as numbers, with the decimal mark that more words have."""
    by_point = _floats(cores)
    by_comma = _floats(cores.str.translate(SWAP_MARKS))
    n_by_point = counts[by_point.notna()].sum()
    n_by_comma = counts[by_comma.notna()].sum()
    n_true = true_numbers.count()
    comma = None
    if n_by_comma != n_by_point:
        comma = bool(n_by_comma > n_by_point)
    if notation.mark:
        has_comma = notation.mark == ","
    elif comma is not None:
        has_comma = comma
    elif n_true:
        has_fraction = np.mod(true_numbers.dropna(), 1).any()
        has_comma = has_fraction == cores.str.contains(",").any()
    else:
        has_comma = notation.likely
    values = by_point
    other_values = by_comma
    if has_comma:
        values = by_comma
        other_values = by_point
    is_mixed = not (notation.mark or is_most(counts, values.notna(), n_true))
    if is_mixed:
        # Both are decimal marks, so that 1,234 has a fraction.
        values = values.combine(other_values, np.fmin)
    return _Marked(
        values=values,
        other_values=other_values,
        mark="," if has_comma else ".",
        comma=comma,
        is_mixed=is_mixed,
    )


def _how(parts, marked, remarks):
    """How the words are written, in words behind "numbers"."""
    signs = []
    if not marked.is_mixed:
        for sign, pattern in SIGNS[marked.mark].items():
            if parts["core"].str.contains(pattern).any():
                signs.append(sign)
    how = ""
    if signs:
        how = f" with {and_list(signs)}"
    notes = [how, *remarks]
    if (parts["brackets"] + parts["behind"]).any():
        notes.append("brackets or a minus behind mean negative ones")
    limits = parts["limit"]
    if limits.any():
        in_front = limits[limits != ""].unique()
        notes.append(f"left out in front: {value_list(in_front)}")
    return "; ".join(notes)


def _other_reading(marked, cores):
    """How a word is read that has another reading, and the option that decides."""
    numbers = marked.values
    other_numbers = marked.other_values
    has_two = numbers.notna() & other_numbers.notna()
    is_ambiguous = has_two & (numbers != other_numbers)
    if not is_ambiguous.any():
        return []
    is_fraction = (numbers.abs() < other_numbers.abs())[is_ambiguous]
    # All are written with three decimals.
    if is_fraction.all() and not cores.str.isdecimal().any():
        return []
    word = is_ambiguous.idxmax()
    option = f"--decimal {OTHER_MARK[marked.mark]}"
    return [
        f"{word!r} is read as {numbers[word]:.12g}, but as"
        f" {other_numbers[word]:.12g} with `{option}`"
    ]


def read_all_numbers(columns, notation):
    """Numbers of several columns of words, in one convention where words allow two.

    Parameters
    ----------
    columns : dict of str to Series of str
    notation : Notation

    Returns
    -------
    numbers_of : dict of str to Numbers or None
        Numbers by column.
    mark : str or None
        The decimal mark, where the caller or all columns that tell say it.
    """
    unlikely = replace(notation, likely=False)
    numbers_of = {}
    commas = set()
    for name, words in columns.items():
        numbers = read_numbers(words, unlikely)
        numbers_of[name] = numbers
        if numbers and numbers.comma is not None:
            commas.add(numbers.comma)
    mark = notation.mark
    if len(commas) == 1 and not mark:
        mark = "," if True in commas else "."
    if notation.mark or len(commas) == 2 or not (commas or notation.likely):
        return numbers_of, mark
    decided = replace(notation, decimal=mark)
    for name, numbers in numbers_of.items():
        if numbers and numbers.comma is None:
            numbers_of[name] = read_numbers(columns[name], decided)
    if mark is None:
        mark = ","
    return numbers_of, mark


def read_pairs(words):
    """Words such as 120/80 as two Series by name, of numbers; none if most are others.

    None also where all may be dates, and 3/4 the third of April.
    """
    counts, distinct = distinct_words(words)
    pairs = distinct.str.extract(f"^{PAIR}$").astype(float)
    is_pair = pairs.notna().all(axis=1)
    if counts.empty or not is_most(counts, is_pair):
        return {}
    numbers = pairs[is_pair]
    has_month = (numbers <= 12).any(axis=1).all()
    if has_month and (numbers < 100).all(axis=None):
        return {}
    return {f"{words.name} {j + 1}": words.map(pairs[j]) for j in pairs}


def strange_words(words):
    """A note on words that are nearly numbers, and whether most of them are."""
    counts = words.value_counts()
    distinct = counts.index.to_series().astype(object)
    is_plain = distinct.map(is_number).notna()
    is_like_number = distinct.str.fullmatch(NEARLY) | is_plain
    are_mostly = counts[is_like_number].sum() > counts.sum() / 2
    if not (are_mostly or is_plain.any()):
        return [], False
    codes = distinct[distinct.str.fullmatch(CODE_WORD)].tolist()
    if codes and is_plain.all():
        problem = (
            f"a number would lose zeros in front of {codes[0]!r}, or digits"
        )
    else:
        problem = _strange_phrase(distinct, counts, is_plain)
    note = f"`{words.name}`: {problem}; all are taken as words."
    return [note], are_mostly and not codes


def _strange_phrase(distinct, counts, is_plain):
    """Which words cannot be read, and how many others are numbers."""
    strange = distinct
    if not is_plain.all():
        strange = distinct[~is_plain]
    # One word of each kind comes first.
    kinds = strange.str.replace(r"[\d.,]+", "0", regex=True)
    order = np.argsort(kinds.duplicated(), kind="stable")
    examples = value_list(strange.iloc[order], 3)
    return (
        f"{examples} cannot be read as numbers, dates or times"
        f" ({counts[is_plain].sum():,} of {counts.sum():,} values are numbers)"
    )
