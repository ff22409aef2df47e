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

from ..core import and_list, short_repr
from .messages import reading_error

BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError)
FORMATS = "CSV, TSV, .xlsx, .parquet, .arff, .npz or .npy"
PICKLE = "a pickle, which could run any code when it is loaded"
# what no first bytes tell
OTHERS = {".pkl": PICKLE, ".pickle": PICKLE, ".joblib": PICKLE, ".json": "JSON"}
OTHERS |= dict.fromkeys((".zip", ".bz2", ".xz"), "compressed, but not as .gz")
PAGE = "a page of the web (HTML or XML), perhaps instead of a download"
# in lower case, after blanks
MARKS = {
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
        names = sorted(os.listdir(folder)) if folder.is_dir() else []
        raise ValueError(
            f"`{name}` must name an existing file; {path.name or str(path)!r} is none."
            f" Its folder has {and_list(names)}."
        )
    if what := OTHERS.get(plain_suffix(path)):
        raise ValueError(
            f"`{name}` must be {FORMATS}; {path.name!r} is {what}. Save the table as"
            " one of these first."
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
        opener = gzip.open if path.suffix.lower() == ".gz" else open
        with opener(path, "rb") as stream:
            if encoding:
                stream = io.TextIOWrapper(stream, encoding, newline="")
            yield stream
    except BROKEN as error:
        raise reading_error(path, error) from None


def check_content(path, mark=None):
    """The first bytes of a file that begins with `mark`, or of one that may be text."""
    with open_file(path) as stream:
        # enough for a mark or a line of names
        head = stream.read(4096)
    # what the first bytes say
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    found = [MARKS[one] for one in MARKS if start.startswith(one)]
    if mark:
        found = (
            [] if head.startswith(mark) else [f"no {path.suffix} file", *found]
        )
    elif not start:
        found = ["empty"]
    if found:
        raise ValueError(
            f"`path` must be {FORMATS}; {path.name!r} is {found[-1]}. Write or download"
            " it again, or give it the suffix that says what it is."
        )
    return head


def encoding_of(path, encoding):
    """The encoding of a text, and a list of a sentence if it is not UTF-8.

    The whole file is decoded to be sure.
    """
    head = check_content(path)
    other = "`--encoding` chooses another, such as cp1251 or shift_jis."
    tries = {
        "utf-8-sig": [],
        # every byte is a letter there: tried last
        "cp1252": [
            f"The text is not UTF-8: read as Windows-1252. Look at its accents; {other}"
        ],
    }
    # of an ASCII letter in two bytes
    if head[:2] in (b"\xff\xfe", b"\xfe\xff") or 0 in head[:2]:
        order = {head[:1]: "-be", head[1:2]: "-le"}.get(b"\0", "")
        tries = {f"utf-16{order}": ["The text is encoded in UTF-16."]}
    if encoding:
        try:
            "".encode(encoding)
        except (LookupError, TypeError):
            raise ValueError(
                "`encoding` must name one that Python knows, such as cp1251; got"
                f" {short_repr(encoding)}."
            ) from None
        tries = {encoding: []}
    for encoding, notes in tries.items():
        try:
            with open_file(path, encoding) as lines:
                # zero bytes are in no text
                if not any("\0" in line for line in lines):
                    return encoding, notes
            why = "binary data, or UTF-32"
        except UnicodeError as error:
            why = str(error)
    raise ValueError(
        f"`path` has an unreadable encoding: {path.name!r} is no text ({why}). Save it"
        f" as UTF-8; {other}"
    )
