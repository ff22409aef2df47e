"""Messages about files and tables: what is read as missing, why a file is refused."""

from contextlib import contextmanager

from ..core import and_list, count_phrase, short_repr

MOST_NOTES = 5  # in an error


def missing_note(counts):
    """The words of a Counter that were read as missing."""
    words = [
        f"{n:,} {word!r}" if word else count_phrase(n, "empty field")
        for word, n in counts.most_common()
    ]
    return f"read as missing: {and_list(words)}."


def reading_error(path, why, remedy="Write or download it again."):
    """The ValueError about a file that its reader refuses, in one line."""
    why = short_repr(" ".join(str(why).split()) or type(why).__name__)
    return ValueError(
        f"`path` cannot be read: {path.name!r} is broken, locked or of another format"
        f" ({why}). {remedy}"
    )


@contextmanager
def errors_with(notes):
    """Errors within end with the first of the notes that are there by then."""
    try:
        yield
    except ValueError as error:
        known = " ".join(notes[:MOST_NOTES])
        raise ValueError(f"{error} {known}".rstrip()) from None
