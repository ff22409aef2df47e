"""The data sets (registry.toml), and the file of each, checked by its checksum."""

import functools
import hashlib
import os
import tomllib
from dataclasses import dataclass
from pathlib import Path

from ..core import PACKAGE, did_you_mean, project_root


class DatasetUnavailable(FileNotFoundError):
    """Error: the data of a set are unavailable; the message names source and folder.

    Examples
    --------
    >>> from toolkit.datasets import fetch
    >>> try:
    ...     path = fetch("landsat")
    ... except DatasetUnavailable as error:
    ...     print(error)
    """


class DatasetDamaged(DatasetUnavailable):
    """Error: a file differs from its checksum or format; it is not used.

    Examples
    --------
    >>> from toolkit.datasets import fetch
    >>> try:
    ...     path = fetch("landsat")
    ... except DatasetDamaged as error:
    ...     print(error)
    """


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One data set."""

    name: str
    title: str
    kind: str  # "classes", "multilabel", "regression", "similarity" or "series"
    shape: tuple  # of the data
    # number of classes, labels or target columns; 0 where it is not known
    n_targets: int
    licence: str
    citation: str
    source: str
    # checksum of `<name>.npz`; None where the file is not known
    sha256: str | None = None
    # address and checksum of the training and the test part, where they can be
    # downloaded
    parts: tuple = ()
    shipped: bool = False  # comes with the project
    sklearn: bool = False  # comes with scikit-learn
    scale: float = 1.0  # divisor of the stored features
    # names of further arrays of the file that the Bunch hands on
    keys: tuple = ()
    note: str = ""
    # an IDA set: official sizes and row numbers of a split
    split_numbers: bool = False
    least_class_size: int = 1  # smaller classes are left out
    about: bool = False  # the shape is known roughly
    missing: bool = False  # values below 0 stand for missing ones
    sparse: bool = False  # the data are loaded as a sparse matrix
    column: str = ""  # of several target columns the one that is loaded

    @property
    def file(self):
        return f"{self.name}.npz"

    @property
    def arrays(self):
        """Names of the arrays in the file, in words."""
        if self.kind == "series":
            return "x"
        if self.kind == "similarity":
            return "S, y"
        has_target_matrix = self.kind == "multilabel" or self.column
        target = "Y" if has_target_matrix else "y"
        shape = " x ".join([str(length) for length in self.shape])
        return ", ".join([f"X of shape {shape}", target, *self.keys])


@functools.cache
def registry():
    """All entries by name, in the order of the file."""
    text = Path(__file__).with_name("registry.toml").read_text("utf-8")
    entries = {}
    for name, table in tomllib.loads(text).items():
        table["shape"] = tuple(table["shape"])
        entries[name] = Entry(name=name, **table)
    return entries


def entry(name):
    """The entry of a name, or a ValueError that lists the known ones."""
    try:
        return registry()[name]
    except (KeyError, TypeError):
        raise ValueError(
            f"`name` must be one of {', '.join(registry())}; got {name!r}."
            + did_you_mean(name, registry())
        ) from None


def shipped_folder():
    """The files shipped with the project, in its folder or inside the wheel."""
    beside = PACKAGE.parent / "data"
    return beside if (beside / "landsat.npz").is_file() else PACKAGE / "data"


def cache_folder():
    """The user's cache, `$TOOLKIT_CACHE` if it is set; it need not exist yet."""
    folder = os.environ.get("TOOLKIT_CACHE")
    if not folder:
        caches = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
        folder = f"{caches}/didi-toolkit"
    return Path(folder).expanduser()


def data_folders():
    """The folders of `$TOOLKIT_DATA`.

    A relative one counts from the project root, a missing one is an error.
    """
    for word in os.environ.get("TOOLKIT_DATA", "").split(os.pathsep):
        if not word:
            continue
        folder = (project_root() or Path.cwd()) / Path(word).expanduser()
        if not folder.is_dir():
            raise ValueError(
                f"`TOOLKIT_DATA` must name existing folders; {word!r} is none (looked"
                f" at {folder})."
            )
        yield folder


def places():
    """The folders in which a file is looked for, in order, with their names."""
    folders = [(folder, "folder") for folder in data_folders()]
    folders.append((shipped_folder(), "shipped"))
    folders.append((cache_folder(), "cached"))
    return folders


def find(entry):
    """Path and origin of the file of `entry`, or (None, None).

    The origin is "folder", "shipped" or "cached". A file with another checksum is
    `DatasetDamaged`, except in the cache, where users put what they have converted from
    the source.
    """
    for folder, origin in places():
        path = folder / entry.file
        if path.is_file():
            # A file that was converted from the source has the same arrays, not the
            # same bytes: the checksums that zip keeps of its members guard it.
            is_converted = origin == "cached" and not entry.shipped
            if entry.sha256 and not is_converted:
                _check_checksum(path, entry)
            return path, origin
    return None, None


def _check_checksum(path, entry):
    """Refuse a file that is not that of the `Entry`."""
    checksum = hashlib.sha256(path.read_bytes()).hexdigest()
    if checksum != entry.sha256:
        raise DatasetDamaged(
            f"{path} is not the file that is wanted: its SHA-256 is {checksum},"
            f" expected {entry.sha256}. Delete it, or put the right one there (from"
            f" {entry.source})."
        )
