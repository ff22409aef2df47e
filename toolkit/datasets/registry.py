"""The registry of data sets: shape, kind, licence, source and checksum of each (registry.toml)."""

import difflib
import functools
import tomllib
from dataclasses import dataclass
from pathlib import Path


class DatasetUnavailable(FileNotFoundError):
    """The data of a set are unavailable on this machine; the message says where to get them and where to put them."""


class DatasetDamaged(DatasetUnavailable):
    """A file is there but is not what it should be; never a reason to go on with other data."""


@dataclass(frozen=True)
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
    keys: tuple = ()  # names of further arrays of the file that the Bunch hands on
    note: str = ""
    split_numbers: bool = False  # an IDA set: official sizes and row numbers of a split
    least_class_size: int = 1  # smaller classes are left out
    about: bool = False  # the shape is known roughly
    missing: bool = False  # values below 0 stand for missing ones
    sparse: bool = False  # the data are loaded as a sparse matrix
    column: str = ""  # of several target columns the one that is loaded

    @property
    def file(self):
        return f"{self.name}.npz"

    @property
    def description(self):
        lines = [
            self.title,
            f"Licence: {self.licence}.",
            f"Cite: {self.citation}.",
            f"Source: {self.source}.",
        ]
        return "\n".join([*lines, self.note]).rstrip()


@functools.cache
def registry():
    """All entries by name, in the order of the file."""
    tables = tomllib.loads(
        Path(__file__).with_name("registry.toml").read_text(encoding="utf-8")
    )
    return {
        name: Entry(name, **table | {"shape": tuple(table["shape"])})
        for name, table in tables.items()
    }


def entry(name):
    """The entry of a name, or a ValueError that lists what comes near it."""
    try:
        return registry()[name]
    except (KeyError, TypeError):
        near = difflib.get_close_matches(str(name), registry(), n=3) or list(registry())
        raise ValueError(
            f"`name` must be a known data set; got {name!r}. Did you mean:"
            f" {', '.join(near)}?"
        ) from None
