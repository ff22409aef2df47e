"""Words of messages, summaries and pages: numbers, fractions, counts and lists."""


def number_phrase(value, digits, whole=1):
    """A number from 0 to `whole` in words, as one of these two only if it is equal.

    Examples
    --------
    >>> [number_phrase(value, 2) for value in (0.0, 0.314, 0.998, 1e-5)]
    ['0.00', '0.31', '0.998', '< 0.0001']
    """
    for decimals in range(digits, digits + 3):
        text = f"{value:.{decimals}f}"
        if float(text) not in (0, whole) or abs(value - float(text)) < 1e-9:
            return text
    step = 10.0**-decimals
    return f"< {step:g}" if value < step else f"> {whole - step:g}"


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


def and_list(names, most=8):
    """Names in a sentence; of more than `most` how many others there are.

    Examples
    --------
    >>> and_list(["age", "size", "hue"]), and_list("abcd", most=2)
    ('age, size and hue', 'a, b and 2 others')
    """
    names = [str(name) for name in names]
    if not names:
        return "none"
    if len(names) > most:
        names[most:] = [count_phrase(len(names) - most, "other")]
    parts = [", ".join(names[:-1]), names[-1]]
    return " and ".join(part for part in parts if part)


def capital(text):
    """A text with a capital letter at the start."""
    return text[0].upper() + text[1:]
