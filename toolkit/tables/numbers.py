"""Numbers in text: decimal comma or point, separated thousands, percent signs, currencies."""

import re
from collections import Counter

import numpy as np

__all__ = ["STYLES", "is_number", "numbers_in", "styles_of"]

PLAIN = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|[+-]?inf(?:inity)?", re.I | re.A)
STYLES = {
    "point": re.compile(r"[+-]?(?:(?:\d+|\d{1,3}([, '])\d{3}(?:\1\d{3})*)(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?", re.I | re.A),
    "comma": re.compile(r"[+-]?(?:(?:\d+|\d{1,3}([. '])\d{3}(?:\1\d{3})*)(?:,\d*)?|,\d+)(?:e[+-]?\d+)?", re.I | re.A),
}
UNITS = r"[€$£¥₹%]|EUR|USD|GBP|CHF|JPY"
UNIT = re.compile(rf"(?P<sign>[+-]?)\s*(?P<before>{UNITS})?\s*(?P<body>[^\s€$£¥₹%].*?)\s*(?P<after>{UNITS})?", re.I)
CODE = re.compile(r"[+-]?0\d+|[+-]?\d{16,}", re.A)  # a number would lose the zeros in front, or digits
ODD = str.maketrans({"\u2212": "-", "\u00a0": " ", "\u202f": " ", "\u2009": " ", "\u2019": "'"})


def is_number(word):
    """Whether a word is a number as programs write it."""
    return PLAIN.fullmatch(word) is not None


def styles_of(words):
    """How many of the words are numbers with a decimal point, and how many with a decimal comma."""
    bodies = [_parts(word)[0] for word in words]
    return {style: sum(_value(body, style) is not None for body in bodies) for style in STYLES}


def numbers_in(words, counts, style=None):
    """Values of distinct words (NaN: none) and how these are written, "" for a plain number.

    Parameters
    ----------
    words : list of str, distinct
    counts : list of int, how often each occurs
    style : "point", "comma" or None
        How ambiguous words such as 1,234 are meant; None is the decimal point.

    Returns
    -------
    values : ndarray of shape (len(words),)
    how : str

    Examples
    --------
    >>> numbers_in(["12,5", "1.234", "n. b."], [1, 1, 1])
    (array([  12.5, 1234. ,    nan]), 'with a decimal comma and separated thousands')
    """
    codes = sum(n for word, n in zip(words, counts, strict=True) if CODE.fullmatch(word))
    if codes > 0.05 * sum(counts):
        return np.full(len(words), np.nan), ""
    if all(map(PLAIN.fullmatch, words)) and style != "comma":
        return np.array([float(word) for word in words]), ""
    bodies, units = zip(*map(_parts, words), strict=True) if words else ((), ())
    read = {s: [_value(body, s) for body in bodies] for s in STYLES}
    parsed = {s: sum(n for v, n in zip(read[s], counts, strict=True) if v is not None) for s in STYLES}
    if parsed["point"] != parsed["comma"]:
        style = max(parsed, key=parsed.get)
    values = read[style or "point"]
    unit = _unit(units, values, counts)
    fits = [
        v is not None and (u == unit or u == "" and (unit != "%" or v == 0)) for v, u in zip(values, units, strict=True)
    ]
    values = [v if fit else np.nan for v, fit in zip(values, fits, strict=True)]
    return np.array(values, dtype=float), _how(bodies, fits, style or "point", unit)


def _parts(word):
    """(number, unit) of a word; the unit of a plain number is ""."""
    word = word.translate(ODD).strip()
    found = UNIT.fullmatch(word)
    if not found or found["before"] and found["after"]:
        return word, ""
    return found["sign"] + found["body"], (found["before"] or found["after"] or "").upper()


def _value(body, style):
    """The number that a word says in a style, or None."""
    if PLAIN.fullmatch(body) and (style == "point" or "." not in body):
        return float(body)
    if not STYLES[style].fullmatch(body):
        return None
    thousands, decimal = (",", ".") if style == "point" else (".", ",")
    plain = body.replace(" ", "").replace("'", "").replace(thousands, "").replace(decimal, ".")
    return float(plain)


def _unit(units, values, counts):
    """The unit of most of the numbers that have one, if these are more than a few; "" for none."""
    tally = Counter()
    for unit, value, count in zip(units, values, counts, strict=True):
        if value is not None:
            tally[unit] += count
    return tally.most_common(1)[0][0] if tally else ""


def _how(bodies, fits, style, unit):
    """How the numbers that fit are written."""
    kept = [body for body, fit in zip(bodies, fits, strict=True) if fit]
    how = []
    if style == "comma" and any("," in body for body in kept):
        how.append("a decimal comma")
    if any(re.search(r"\d[ ']\d" + (r"|,\d" if style == "point" else r"|\.\d"), body) for body in kept):
        how.append("separated thousands")
    if unit == "%":
        how.append("a percent sign (12 % is 12)")
    elif unit:
        how.append(f"the currency {unit}")
    return f"with {' and '.join(how)}" if how else ""
