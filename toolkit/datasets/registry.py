"""What is known of each data set: shape, kind, licence, source, checksum (from registry.toml)."""

import difflib
import functools
import tomllib
from dataclasses import dataclass
from pathlib import Path

__all__ = ["DatasetDamaged", "DatasetUnavailable", "Entry", "entry", "registry"]


class DatasetUnavailable(FileNotFoundError):
    """The data of a set are unavailable on this machine; the message says where to get them and where to put them."""


class DatasetDamaged(DatasetUnavailable):
    """A file is there but is not what it should be; never a reason to go on with other data."""


@dataclass(frozen=True)
class Entry:
    """One data set.

    Attributes
    ----------
    name, title, licence, citation, source, note : str
    kind : {"classes", "multilabel", "regression", "similarity", "series"}
    shape : tuple of int, of the data
    n_targets : int, number of classes, labels or target columns; 0 where it is not known
    sha256 : str or None, checksum of `<name>.npz`; None where the file is not known
    shipped, sklearn : bool, comes with the project; with scikit-learn
    scale : float, divisor of the stored features
    keys : tuple of str, further arrays of the file that the Bunch hands on
    split_numbers : bool, an IDA set: official sizes and row numbers of a split
    least_class_size : int, smaller classes are left out
    about : bool, the shape is known roughly
    """

    name: str
    title: str
    kind: str
    shape: tuple
    n_targets: int
    licence: str
    citation: str
    source: str
    sha256: str | None = None
    shipped: bool = False
    sklearn: bool = False
    scale: float = 1.0
    keys: tuple = ()
    note: str = ""
    split_numbers: bool = False
    least_class_size: int = 1
    about: bool = False

    @property
    def file(self):
        return f"{self.name}.npz"

    @property
    def description(self):
        lines = [self.title, f"Licence: {self.licence}.", f"Cite: {self.citation}.", f"Source: {self.source}."]
        return "\n".join(lines + ([self.note] if self.note else []))


@functools.cache
def registry():
    """All entries by name, in the order of the file."""
    with (Path(__file__).parent / "registry.toml").open("rb") as file:
        tables = tomllib.load(file)
    return {
        name: Entry(name, **{k: tuple(v) if isinstance(v, list) else v for k, v in table.items()})
        for name, table in tables.items()
    }


def entry(name):
    """The entry of a name, or a ValueError that lists what comes near it."""
    try:
        return registry()[name]
    except (KeyError, TypeError):
        near = difflib.get_close_matches(str(name), registry(), n=3) or list(registry())
        raise ValueError(f"`name` must be a known data set; got {name!r}. Did you mean: {', '.join(near)}?") from None
