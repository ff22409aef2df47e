"""Words and values in messages, summaries and pages; the name a mistyped one meant."""

from difflib import SequenceMatcher

from .frames import is_missing

# Two names are near above this proportion of common characters (0.6 in `difflib`).
LEAST_RATIO = 0.6
SECONDS_OF_UNIT = {"d": 86400, "h": 3600, "min": 60}


def number_phrase(value, digits, upper=1):
    """A number from 0 to `upper` in words, as one of these two only if it is equal.

    Examples
    --------
    >>> [number_phrase(value, 2) for value in (0.0, 0.314, 0.998, 1e-5)]
    ['0.00', '0.31', '0.998', '< 0.0001']
    """
    for decimals in range(digits, digits + 3):
        text = f"{value:.{decimals}f}"
        if float(text) not in (0, upper) or abs(value - float(text)) < 1e-9:
            return text
    step = 10.0**-decimals
    if value < step:
        return f"< {step:g}"
    return f"> {upper - step:g}"


def percent(fraction, digits=0):
    """A fraction in words: "97 %".

    Examples
    --------
    >>> percent(0.97), percent(0.998)
    ('97 %', '99.8 %')
    """
    return f"{number_phrase(100 * fraction, digits, 100)} %"


def count_phrase(n, noun):
    """A number with its noun: "1 row", "1,200 classes"."""
    if n == 1:
        return f"{n:,} {noun}"
    ending = "es" if noun.endswith("s") else "s"
    return f"{n:,} {noun}{ending}"


def and_list(names, limit=8):
    """Names in a sentence; of more than `limit` how many others there are.

    Examples
    --------
    >>> and_list(["age", "size", "hue"]), and_list("abcd", limit=2)
    ('age, size and hue', 'a, b and 2 others')
    """
    names = [str(name) for name in names]
    if not names:
        return "none"
    if len(names) > limit:
        names[limit:] = [count_phrase(len(names) - limit, "other")]
    return join_words([", ".join(names[:-1]), names[-1]], " and ")


def value_list(values, limit=8):
    """Values in a sentence, as code has them.

    Examples
    --------
    >>> value_list(["3 kg", 2.0])
    "'3 kg' and 2.0"
    """
    return and_list([repr(value) for value in values], limit)


def name_list(names, limit=8):
    """Names in a sentence, each between backticks.

    Examples
    --------
    >>> name_list(["age", "size"])
    '`age` and `size`'
    """
    return and_list([f"`{name}`" for name in names], limit)


def join_words(words, separator=" "):
    """The words that are not empty, in one text."""
    return separator.join(word for word in words if word)


def capital(text):
    """A text with a capital letter at the start."""
    return text[0].upper() + text[1:]


def short_repr(value):
    """A value as messages show it: in one line of moderate length."""
    text = " ".join(repr(value).split())
    if len(text) > 80:
        return f"{text[:60]} ... ({type(value).__name__})"
    return text


def sanitize_text(text):
    """Text as fonts can show it, halves of surrogate pairs replaced; none of None.

    Examples
    --------
    >>> sanitize_text("a\\ud800") == "a\\ufffd"
    True
    """
    if is_missing(text):
        return ""
    return (
        str(text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    )


def did_you_mean(word, names):
    """End of a message: the nearest of some names, "" where none is near.

    Upper and lower case do not count.

    Parameters
    ----------
    word : object
        What was given in place of a name.
    names : iterable of object
        All names that are allowed; those that are no text are compared as text.

    Returns
    -------
    hint : str
        A sentence after a space, or "".

    Examples
    --------
    >>> did_you_mean("Riks", ["age", "risk"])
    ' Did you mean `risk`?'
    >>> did_you_mean("height", ["age", "risk"])
    ''
    """
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(str(word).lower())
    nearest, largest_ratio = None, LEAST_RATIO
    for name in map(str, names):
        matcher.set_seq1(name.lower())
        # The first of several names that are equally near wins.
        if matcher.quick_ratio() > largest_ratio:
            ratio = matcher.ratio()
            if ratio > largest_ratio:
                nearest, largest_ratio = name, ratio
    return "" if nearest is None else f" Did you mean `{nearest}`?"


def duration_phrase(seconds):
    """A duration in words.

    Examples
    --------
    >>> [duration_phrase(seconds) for seconds in (4800.0, 5400.0, 0.25, -90000.0)]
    ['1 h 20 min', '1 h 30 min', '0.25 s', '-1 d 1 h']
    """
    words = []
    rest_of_seconds = abs(seconds)
    for unit, length in SECONDS_OF_UNIT.items():
        count, rest_of_seconds = divmod(rest_of_seconds, length)
        if count:
            words.append(f"{count:.0f} {unit}")
    if rest_of_seconds or not words:
        words.append(f"{rest_of_seconds:.6g} s")
    sign = "-" if seconds < 0 else ""
    return sign + " ".join(words)
