"""Names of columns: without hidden characters, and each only once."""

from collections import Counter

from ..core import and_list, import_pandas, sanitize_text, short_repr


def one_line(text):
    """Text without characters that cannot be seen and without blanks at the ends."""
    text = sanitize_text(text)
    if text.isprintable():
        return text.strip()
    for character in set(text):
        if not character.isprintable():
            text = text.replace(character, " ")
    return " ".join(text.split())


def check_names(names, argument, owner):
    """The names of columns, if none comes twice."""
    counts = Counter(names)
    repeated = [short_repr(name) for name in counts if counts[name] > 1]
    if repeated:
        raise ValueError(
            f"`{argument}` must have columns of different names; {owner} repeats"
            f" {and_list(repeated)}. Rename them."
        )
    return names


def unique_names(names):
    """The names with " (2)", " (3)", ... behind repeats."""
    pd = import_pandas()
    names = pd.Series(names, dtype=object)
    while names.duplicated().any():
        # A new name may repeat an old one: then they are counted again.
        k = names.groupby(names).cumcount() + 1
        numbered = names + " (" + k.astype(str) + ")"
        names = names.where(k == 1, numbered)
    return names.tolist()
