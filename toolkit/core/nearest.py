"""The name that a mistyped one was probably meant to be."""

from difflib import SequenceMatcher

# Two names are near above this proportion of common characters (0.6 in `difflib`).
LEAST_RATIO = 0.6


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
