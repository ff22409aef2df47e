"""Files as streams of bytes or text, also of .gz; other formats are refused.

Texts are read in the encoding that fits.
"""

import gzip
import io
import os
import zipfile
import zlib
from contextlib import contextmanager
from pathlib import Path

from ..core import and_list, did_you_mean, short_repr

BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError)
FORMATS = "CSV, TSV, .xlsx, .parquet, .arff, .npz or .npy"
PICKLE = "a pickle, which could run any code when it is loaded"
COMPRESSED = "compressed, but not as .gz"
# What a file is that is refused by its suffix: no first bytes tell it.
REFUSED_SUFFIXES = {
    ".pkl": PICKLE,
    ".pickle": PICKLE,
    ".joblib": PICKLE,
    ".json": "JSON",
    ".zip": COMPRESSED,
    ".bz2": COMPRESSED,
    ".xz": COMPRESSED,
}
PAGE = "a page of the web (HTML or XML), perhaps instead of a download"
# What a file is, by its first bytes in lower case, after blanks.
REFUSED_BYTES = {
    b"\x89png": "a picture (PNG)",
    b"%pdf": "a PDF document",
    b"\x80": PICKLE,
    b"\xd0\xcf\x11\xe0": "an encrypted or an old Excel file (.xls)",
    b"pk\x03\x04": "a ZIP archive or an Excel file",
    b"<!doctype": PAGE,
    b"<html": PAGE,
    b"<?xml": PAGE,
    b"<svg": PAGE,
}
BLANKS = b"\xef\xbb\xbf \t\r\n"
N_FIRST_BYTES = 4096  # enough for a mark or a line of names
UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
OTHER_ENCODING = "`--encoding` chooses another, such as cp1251 or shift_jis."


def existing_file(path, name="path"):
    """`path` as the Path of a file that is there and may hold a table."""
    try:
        path = Path(path)
        is_file = path.is_file()
    except (TypeError, ValueError, OSError):
        raise ValueError(
            f"`{name}` must be the path of a file; got {short_repr(path)}. Check its"
            " spelling."
        ) from None
    if not is_file:
        folder = path.parent
        if not folder.is_dir():
            raise ValueError(
                f"`{name}` must name an existing file; there is no folder"
                f" {str(folder)!r}."
            )
        names = sorted(os.listdir(folder))
        raise ValueError(
            f"`{name}` must name an existing file; {path.name or str(path)!r} is none."
            f" Its folder has {and_list(names)}.{did_you_mean(path.name, names)}"
        )
    format_phrase = REFUSED_SUFFIXES.get(plain_suffix(path))
    if format_phrase:
        raise ValueError(
            f"`{name}` must be {FORMATS}; {path.name!r} is {format_phrase}. Save the"
            " table as one of these first."
        )
    return path


def plain_suffix(path):
    """The suffix in lower case, without that of a compression: ".csv" of "a.CSV.gz"."""
    return Path(path.name.lower().removesuffix(".gz")).suffix


@contextmanager
def open_file(path, encoding=None):
    """The uncompressed bytes of a file as a stream, or its lines in an encoding.

    A broken file is refused.
    """
    try:
        opener = open
        if path.suffix.lower() == ".gz":
            opener = gzip.open
        with opener(path, "rb") as stream:
            if encoding:
                stream = io.TextIOWrapper(stream, encoding, newline="")
            yield stream
    except BROKEN as error:
        raise reading_error(path, error) from None


def check_content(path, mark=None):
    """The first bytes of a file that begins with `mark`, or of one that may be text."""
    with open_file(path) as stream:
        head = stream.read(N_FIRST_BYTES)
    problem = None
    for first_bytes, format_phrase in REFUSED_BYTES.items():
        if head.lstrip(BLANKS).lower().startswith(first_bytes):
            problem = format_phrase
    if mark:
        if head.startswith(mark):
            problem = None
        elif problem is None:
            problem = f"no {path.suffix} file"
    elif not head.strip(BLANKS):
        problem = "empty"
    if problem:
        raise ValueError(
            f"`path` must be {FORMATS}; {path.name!r} is {problem}. Write or download"
            " it again, or give it the suffix that says what it is."
        )
    return head


def encoding_of(path, encoding):
    """The encoding of a text, and a list of a sentence if it is not UTF-8.

    The whole file is decoded to be sure.
    """
    head = check_content(path)
    problem = ""
    for candidate, notes in _candidates(head, encoding).items():
        try:
            with open_file(path, candidate) as lines:
                # Zero bytes are in no text.
                if not any("\0" in line for line in lines):
                    return candidate, notes
            problem = "binary data, or UTF-32"
        except UnicodeError as error:
            problem = str(error)
    raise ValueError(
        f"`path` has an unreadable encoding: {path.name!r} is no text ({problem}). Save"
        f" it as UTF-8; {OTHER_ENCODING}"
    )


def _candidates(head, encoding):
    """The encodings that a text may have, each with a list of notes.

    Parameters
    ----------
    head : bytes
        First bytes of the text.
    encoding : str or None
        The encoding that the caller names.
    """
    if encoding:
        try:
            "".encode(encoding)
        except (LookupError, TypeError):
            raise ValueError(
                "`encoding` must name one that Python knows, such as cp1251; got"
                f" {short_repr(encoding)}."
            ) from None
        return {encoding: []}
    first_bytes = head[:2]
    # An ASCII letter in two bytes has a zero byte.
    if first_bytes in UTF_16_MARKS or 0 in first_bytes:
        order = ""
        if first_bytes[:1] == b"\0":
            order = "-be"
        if first_bytes[1:] == b"\0":
            order = "-le"
        return {f"utf-16{order}": ["The text is encoded in UTF-16."]}
    # Every byte is a letter in Windows-1252, which is tried last.
    note = (
        "The text is not UTF-8: read as Windows-1252. Look at its accents;"
        f" {OTHER_ENCODING}"
    )
    return {"utf-8-sig": [], "cp1252": [note]}


def reading_error(path, reason, remedy="Write or download it again."):
    """The ValueError about a file that its reader refuses, in one line."""
    words = " ".join(str(reason).split())
    if not words:
        words = type(reason).__name__
    return ValueError(
        f"`path` cannot be read: {path.name!r} is broken, locked or of another format"
        f" ({short_repr(words)}). {remedy}"
    )
