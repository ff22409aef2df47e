"""Values as text: in one line of a message, or in a picture."""

from .missing import is_missing


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
