"""Messages about files and tables: what is read as missing, why a file is refused."""

from contextlib import contextmanager

from ..core import and_list, count_phrase, short_repr

MOST_NOTES = 5  # in an error


def missing_note(counts):
    """The words of a Counter that were read as missing."""
    words = []
    for word, n in counts.most_common():
        if word:
            words.append(f"{n:,} {word!r}")
        else:
            words.append(count_phrase(n, "empty field"))
    return f"read as missing: {and_list(words)}."


def reading_error(path, reason, remedy="Write or download it again."):
    """The ValueError about a file that its reader refuses, in one line."""
    words = " ".join(str(reason).split())
    if not words:
        words = type(reason).__name__
    return ValueError(
        f"`path` cannot be read: {path.name!r} is broken, locked or of another format"
        f" ({short_repr(words)}). {remedy}"
    )


@contextmanager
def errors_with(notes_so_far):
    """Errors within end with the first of the notes that a list holds by then."""
    try:
        yield
    except ValueError as error:
        notes = " ".join(notes_so_far[:MOST_NOTES])
        raise ValueError(f"{error} {notes}".rstrip()) from None
