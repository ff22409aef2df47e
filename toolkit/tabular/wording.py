"""Words of notes and messages: counts with their noun, short lists, text in one line, what several places refuse."""

from collections import Counter

from ..core.checks import shown

__all__ = ["broken", "check_names", "counted", "listed", "missing_said", "one_line"]


def counted(n, noun, verbs=("", "")):
    """A number with its noun, and the verb of one and of several: "1 row has", "1,200 classes have"."""
    plural = noun + ("es" if noun.endswith("s") else "s")
    return f"{n:,} {noun if n == 1 else plural} {verbs[n != 1]}".rstrip()


def listed(names, most=5):
    """The first of some names, and how many more there are."""
    names = [str(name) for name in names]
    return ", ".join(names[:most]) + (f" and {len(names) - most:,} more" if len(names) > most else "")


def one_line(text):
    """Text without line breaks and other characters that cannot be seen, and without blanks at the ends."""
    if text.isprintable():
        return text.strip()
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def missing_said(found):
    """The words of a Counter that were read as missing."""
    words = [f"{n:,} {repr(word) if word else 'empty field' + 's' * (n > 1)}" for word, n in found.most_common()]
    return f"read as missing: {listed(words, 8)}."


def broken(path, why, remedy="Write or download it again."):
    """The ValueError about a file that its reader refuses, in one line."""
    why = shown(" ".join(str(why).split()) or type(why).__name__)
    return ValueError(f"`path` cannot be read: {path.name!r} is broken, locked or of another format ({why}). {remedy}")


def check_names(names, argument, owner):
    """The names of columns, if none comes twice."""
    if repeated := [shown(name) for name, count in Counter(names).items() if count > 1]:
        what = f"{owner} repeats {listed(repeated)}"
        raise ValueError(f"`{argument}` must have columns of different names; {what}. Rename them.")
    return names
