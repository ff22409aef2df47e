"""Files as streams of bytes or text: compressed ones too, in the encoding that fits; what is no table is refused."""

import bz2
import codecs
import difflib
import gzip
import importlib
import io
import lzma
import zipfile
import zlib
from contextlib import contextmanager
from pathlib import Path

from ..core.checks import shown

__all__ = ["check_content", "encoding_of", "existing", "needed", "opened", "plain_suffix", "text_of"]

COMPRESSED = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
FORMATS = "CSV, TSV, .xlsx, .parquet, .arff, .npz or .npy"
NOT_TABLES = {
    b"\x89PNG": "a picture (PNG)",
    b"\xff\xd8\xff": "a picture (JPEG)",
    b"GIF8": "a picture (GIF)",
    b"BM": "a picture (BMP)",
    b"RIFF": "a picture or sound (RIFF)",
    b"II*\x00": "a picture (TIFF)",
    b"MM\x00*": "a picture (TIFF)",
    b"%PDF": "a PDF document",
    b"\x80": "a pickle, which could run any code when it is loaded",
    b"\xd0\xcf\x11\xe0": "an encrypted or an old Excel file (.xls)",
}
PACKED = {
    b"PK\x03\x04": "a ZIP archive or an Excel file",
    b"\x1f\x8b": "compressed with gzip",
    b"PAR1": "a Parquet file",
}
PICKLES = {".pkl", ".pickle", ".joblib", ".pt", ".pth"}
OTHERS = {".xls", ".ods", ".json", ".mat", ".rds", ".rdata", ".sav", ".dta", ".sas7bdat", ".h5", ".hdf5", ".feather"}
BLOCK = 1 << 20  # bytes read at once


def existing(path, name="path"):
    """`path` as the Path of a file that is there and may hold a table."""
    try:
        path = Path(path)
        there = path.exists()
    except (TypeError, ValueError, OSError):
        raise ValueError(f"`{name}` must be the path of a file; got {shown(path)}. Check its spelling.") from None
    if not there:
        raise ValueError(f"`{name}` must name an existing file; got {shown(str(path))}. {_nearest_file(path)}")
    if path.is_dir():
        raise ValueError(f"`{name}` must name a file; {shown(str(path))} is a folder. Add the name of a file in it.")
    if not path.is_file():
        raise ValueError(f"`{name}` must name a file; {shown(str(path))} is none. Copy its content into a file first.")
    if path.stat().st_size == 0:
        raise ValueError(f"`{name}` must name a file with content; {path.name!r} is empty. Write or download it again.")
    _check_suffix(path, name)
    return path


def _nearest_file(path):
    """Advice for a file that is not there."""
    if not path.parent.is_dir():
        return f"There is no folder {shown(str(path.parent))}."
    names = sorted(file.name for file in path.parent.iterdir() if file.is_file())
    lower = {name.lower(): name for name in names}
    if near := difflib.get_close_matches(path.name.lower(), lower, n=1, cutoff=0.5):
        return f"Did you mean {lower[near[0]]!r}?"
    return f"The folder {shown(str(path.parent.resolve()))} has {len(names)} files, none of a similar name."


def _check_suffix(path, name):
    suffix = plain_suffix(path)
    if suffix in PICKLES:
        raise ValueError(
            f"`{name}` must be a table; {path.name!r} is a pickle, which could run any code when it is loaded. "
            "Load it yourself and write it with `to_parquet` or `to_csv`."
        )
    if suffix in OTHERS or suffix == ".tar":
        raise ValueError(f"`{name}` must be {FORMATS}; got {suffix!r}. Save the table as one of these first.")


def plain_suffix(path):
    """The suffix in lower case, without that of a compression: ".csv" of "a.CSV.gz"."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    if suffixes and suffixes[-1] in {*COMPRESSED, ".zip"}:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


@contextmanager
def opened(path):
    """The uncompressed bytes of a file as a stream, which says what is wrong when it is broken."""
    suffix = path.suffix.lower()
    try:
        if suffix == ".zip":
            with zipfile.ZipFile(path) as archive, archive.open(_only_member(archive, path)) as stream:
                yield stream
        else:
            with COMPRESSED.get(suffix, open)(path, "rb") as stream:
                yield stream
    except (gzip.BadGzipFile, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError) as error:
        why = " ".join(str(error).split()) or type(error).__name__
        raise ValueError(
            f"`path` cannot be read: {path.name!r} is broken or no {suffix or 'readable'} file ({shown(why)}). "
            "Download or write it again."
        ) from None


def _only_member(archive, path):
    members = [m for m in archive.infolist() if not m.is_dir() and not m.filename.startswith("__MACOSX")]
    if len(members) != 1:
        listed = ", ".join(m.filename for m in members[:3]) or "none"
        raise ValueError(
            f"`path` must be an archive of one file; {path.name!r} has {len(members)} ({listed}). Unpack it."
        )
    if members[0].flag_bits & 1:
        raise ValueError(f"`path` must not be encrypted; {path.name!r} asks for a password. Unpack it first.")
    return members[0]


def check_content(path):
    """Refuse files that are no tables, whatever their names say; returns the first bytes."""
    with opened(path) as stream:
        head = stream.read(4096)
    if not head.strip():
        raise ValueError(f"`path` must name a file with content; {path.name!r} is empty. Write or download it again.")
    what = next((what for mark, what in NOT_TABLES.items() if head.startswith(mark) and _binary(head, mark)), "")
    if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:14].lower().startswith((b"<!doctype", b"<html", b"<?xml", b"<svg")):
        what = "a page of the web (HTML or XML), perhaps instead of a download"
    if what:
        raise ValueError(f"`path` must be a table; {path.name!r} is {what}. Give {FORMATS}.")
    return head


def _binary(head, mark):
    """Whether a mark that text may begin with, too, is meant: such files hold bytes that text does not."""
    return len(mark) > 2 or mark == b"\x80" or b"\x00" in head


def encoding_of(path):
    """The encoding of a text, and a sentence if it is not UTF-8; the whole file is decoded once to be sure."""
    head = check_content(path)
    for mark, what in PACKED.items():
        if head.startswith(mark):
            raise ValueError(f"`path` must be text; {path.name!r} is {what}. Give the file the suffix that says so.")
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        raise ValueError(f"`path` must be UTF-8 or UTF-16; {path.name!r} is UTF-32. Save it as UTF-8.")
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        _check_decodes(path, "utf-16")
        return "utf-16", "The text is encoded in UTF-16."
    even, odd = head[::2].count(0), head[1::2].count(0)
    if max(even, odd) > 0.4 * len(head) / 2 and min(even, odd) == 0:
        encoding = "utf-16-le" if odd else "utf-16-be"
        _check_decodes(path, encoding)
        return encoding, "The text is encoded in UTF-16, without a mark that says so."
    if b"\x00" in head:
        raise ValueError(f"`path` must be a table; {path.name!r} holds binary data, no text. Give {FORMATS}.")
    if _decodes(path, "utf-8-sig") is None:
        return "utf-8-sig", ""
    _check_decodes(path, "cp1252")
    return "cp1252", "The text is not UTF-8: read as Windows-1252 (Western European). Check its accents."


def _check_decodes(path, encoding):
    if error := _decodes(path, encoding):
        raise ValueError(
            f"`path` has an unreadable encoding: {path.name!r} is neither UTF-8 nor {encoding} ({error}). "
            "Save it as UTF-8."
        )


def _decodes(path, encoding):
    """What keeps the file from being text in this encoding, None if nothing does."""
    decoder = codecs.getincrementaldecoder(encoding)()
    with opened(path) as stream:
        try:
            while block := stream.read(BLOCK):
                decoder.decode(block)
            decoder.decode(b"", final=True)
        except UnicodeError as error:
            return getattr(error, "reason", str(error))
    return None


@contextmanager
def text_of(path, encoding):
    """The text of a file as a stream of lines."""
    with opened(path) as stream:
        yield io.TextIOWrapper(stream, encoding=encoding, newline="")


def needed(package, what):
    """An optional package, or an ImportError that says how to get it."""
    try:
        return importlib.import_module(package)
    except ImportError:
        raise ImportError(f'{what} needs {package}; install it with `pip install -e ".[table]"`.') from None
