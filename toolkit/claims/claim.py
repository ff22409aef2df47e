"""The published claims: the entries of ``claims.toml``, whose head says what each field means, read and checked."""

import difflib
import re
import tomllib
from dataclasses import MISSING, dataclass, fields
from functools import cache
from pathlib import Path

import numpy as np

__all__ = [
    "DIFFERS",
    "NOT_CHECKED",
    "PAPERS",
    "REPRODUCED",
    "SCALES",
    "VERDICTS",
    "Claim",
    "Mended",
    "Reading",
    "find",
    "load",
]

SCALES = ("quick", "default", "paper")  # how much a run computes, least first
VERDICTS = REPRODUCED, DIFFERS, NOT_CHECKED = ("reproduced", "differs", "not checked")  # best first
PAPERS = {
    "kudo": "Kudo, Kimura, Haindl and Tenmoto (2016): Simultaneous Visualization of Samples, Features and Multi-Labels",
    "sleml": "Tai, Kudo, Tanaka, Imai and Kimura (2019): A Supervised Laplacian Eigenmap Algorithm for Visualization "
    "of Multi-label Data: SLE-ML",
    "self": "Kitamura and Sugiyama (2007): Dimensionality Reduction of Partially Labeled Multimodal Data",
    "gmlvq": "Biehl, Bunte, Schleif, Schneider and Villmann (2012): Large Margin Linear Discriminative Visualization "
    "by Matrix Relevance Learning",
    "schulz": "Schulz (2017): Discriminative Dimensionality Reduction: Variations, Applications, Interpretations",
}
ALLOWED = {
    "paper": tuple(PAPERS),
    "kind": ("number", "order", "identity", "qualitative", "open"),
    "compare": ("within", "at_most", "at_least", "rule"),
}
CLAIMS = Path(__file__).with_name("claims.toml")


@dataclass(frozen=True)
class Reading:
    """A protocol that the source leaves open, one of several by which a claim is measured."""

    name: str
    source: str  # what in the source speaks for it
    decides: str = ""  # of the main one, whose verdict is the claim's: why
    fitted: str = ""  # what print it was chosen to meet, if it was
    confirmed: str = ""  # by what other print, without which a fitted one stays a side reading


@dataclass(frozen=True)
class Mended:
    """A rule of ours that asked more, or less, than the source says."""

    before: str
    verdict: str
    why: str


@dataclass(frozen=True)
class Claim:
    """One published claim; the head of ``claims.toml`` says what each field means.

    Examples
    --------
    >>> claim = find("SL-07")
    >>> claim.paper, claim.kind, claim.expected
    ('kudo', 'number', 0.458)
    """

    id: str
    paper: str
    where: str
    title: str
    kind: str
    published: float | list | str
    compare: str
    rule: str
    data: list
    optional: tuple = ()
    expected: float | list | None = None
    tol: float | list | None = None
    available: bool = True
    reason: str = ""
    instead: str = ""
    readings: tuple[Reading, ...] = ()
    mended: Mended | None = None
    why: str = ""

    @property
    def main(self):
        """The reading that decides; None where there is one way to read the claim."""
        return next((reading for reading in self.readings if reading.decides), None)


def load(path=None):
    """All claims by their id, in the order of the file.

    Parameters
    ----------
    path : path-like, default None
        Another file in the form of ``claims.toml``.

    Examples
    --------
    >>> load()["SL-07"].expected
    0.458
    """
    return dict(_load(Path(path) if path else CLAIMS))


def find(id):
    """The claim of an id; a ValueError lists close ids where there is none.

    Examples
    --------
    >>> find("SL-03").where
    'III-A, example'
    """
    claims = load()
    if not isinstance(id, str) or id not in claims:
        near = ", ".join(difflib.get_close_matches(str(id).upper(), claims, n=3)) or "none"
        raise ValueError(f"`id` must be one of the {len(claims)} in claims.toml; got {id!r}. Close ids: {near}.")
    return claims[id]


@cache
def _load(path):
    entries = tomllib.loads(path.read_text(encoding="utf-8"))
    return {id: _checked(id, entry) for id, entry in entries.items()}


def _checked(id, entry):
    def need(holds, field, says):
        if not holds:
            raise ValueError(f"Claim {id}: `{field}` {says}; got {entry.get(field)!r}.")

    need(re.fullmatch(r"[A-Z]{2}-\d\d", id), "id", f"must look like SL-07, not {id}")
    known = {field.name: field for field in fields(Claim) if field.name != "id"}
    for name in entry:
        need(name in known, name, f"is not a field; there are {', '.join(known)}")
    for name, field in known.items():
        need(name in entry or field.default is not MISSING, name, "is missing")
    for name, allowed in ALLOWED.items():
        need(entry[name] in allowed, name, f"must be one of {', '.join(allowed)}")
    for name in ("where", "title", "rule"):
        need(isinstance(entry[name], str) and entry[name].strip(), name, "must be a text")
    need(entry["data"] and all(isinstance(d, str) for d in entry["data"]), "data", "must be a list of names")
    for name in ("expected", "tol"):
        need((name in entry) == (entry["compare"] != "rule"), name, "goes with a numeric `compare`, and only so")
    if entry["compare"] != "rule":
        shapes = np.shape(entry["expected"]), np.shape(entry["tol"])
        need(shapes[1] in ((), shapes[0]), "tol", "must be one number or as many as `expected` has")
        need(np.all(np.asarray(entry["tol"]) >= 0), "tol", "must not be negative")
    unavailable = not entry.get("available", True)
    need(bool(entry.get("reason")) == unavailable, "reason", "goes with `available = false`, and only so")
    need(unavailable or not entry.get("instead"), "instead", "goes with `available = false` only")
    entry = dict(entry)
    try:
        readings = entry["readings"] = tuple(Reading(**reading) for reading in entry.get("readings", ()))
        entry["mended"] = Mended(**entry["mended"]) if "mended" in entry else None
    except TypeError as error:
        raise ValueError(
            f"Claim {id}: `readings` and `mended` must have the fields of their classes: {error}."
        ) from None
    names = {reading.name for reading in readings}
    need(len(names) == len(readings) != 1, "readings", "must be two or more, by name")
    main = [reading for reading in readings if reading.decides]
    need(len(main) == (1 if readings else 0), "readings", "must have one that says in `decides` why it is the main one")
    sound = all(reading.confirmed for reading in main if reading.fitted)
    need(sound, "readings", "must not let one decide that was chosen to meet the print and is `confirmed` by no other")
    need(entry["mended"] is None or entry["mended"].verdict in VERDICTS, "mended", "must name the verdict before")
    return Claim(id=id, **entry)
