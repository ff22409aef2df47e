"""Where the file of a data set is, and whether it is the right one."""

import hashlib
import os
from pathlib import Path

from ..core.files import PACKAGE, project_root
from .registry import DatasetDamaged


def shipped_folder():
    """The files that come with the project, beside the package or inside the wheel."""
    beside = PACKAGE.parent / "data"
    return beside if (beside / "landsat.npz").is_file() else PACKAGE / "data"


def cache_folder():
    """The user's cache, `$TOOLKIT_CACHE` if it is set; it need not exist yet."""
    usual = (
        Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        / "didi-toolkit"
    )
    return _folder("TOOLKIT_CACHE", os.environ.get("TOOLKIT_CACHE") or usual)


def data_folders():
    """The folders of `$TOOLKIT_DATA`; a relative one counts from the project root, a missing one is an error."""
    folders = []
    for word in filter(None, os.environ.get("TOOLKIT_DATA", "").split(os.pathsep)):
        folder = (project_root() or Path.cwd()) / _folder("TOOLKIT_DATA", word)
        if not folder.is_dir():
            raise ValueError(
                f"`TOOLKIT_DATA` must name existing folders; {word!r} is none (looked"
                f" at {folder})."
            )
        folders.append(folder)
    return folders


def _folder(variable, word):
    """The path that an environment variable names, its home written out; a ValueError if there can be none."""
    try:
        folder = Path(word).expanduser()
        folder.exists()
    except (OSError, RuntimeError, ValueError) as error:
        # too long a name, a user whom nobody knows
        raise ValueError(
            f"`{variable}` must name a folder; got {word[:80]!r}: {error}."
        ) from None
    return folder


def sha256_of(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def note_of(path):
    """Where the checksum of a file that was converted into the cache is noted, beside it."""
    return path.with_name(path.name + ".sha256")


def find(entry):
    """Path and origin ("folder", "shipped", "cached") of the file of `entry`, or (None, None); DatasetDamaged."""
    folders = [(folder, "folder") for folder in data_folders()]
    folders += [(shipped_folder(), "shipped"), (cache_folder(), "cached")]
    for folder, origin in folders:
        path = folder / entry.file
        if path.is_file():
            noted = origin == "cached" and note_of(path).is_file()
            wanted = (
                note_of(path).read_text(encoding="ascii", errors="replace").strip()
                if noted
                else entry.sha256
            )
            if wanted and (got := sha256_of(path)) != wanted:
                rule = (
                    f"{path} is not the file that is wanted: its SHA-256 is {got},"
                    f" expected {wanted}"
                )
                raise DatasetDamaged(
                    f"{rule}. Delete it, or put the right one there (from"
                    f" {entry.source})."
                )
            return path, origin
    return None, None
