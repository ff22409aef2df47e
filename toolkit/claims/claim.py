"""The published claims: the entries of ``claims.toml``, whose head says what each field means, read and checked."""

import difflib
import re
import tomllib
from dataclasses import dataclass, fields
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
    return dict(_load(Path(path or CLAIMS)))


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
    readings = entry.get("readings", ())
    try:
        own = {"readings": tuple(Reading(**reading) for reading in readings)}
        own |= {"mended": Mended(**entry["mended"])} if "mended" in entry else {}
        claim = Claim(id, **entry | own)
    except TypeError as error:
        own = ", ".join(field.name for field in fields(Claim))
        says = f"`readings` and `mended` must have the fields of their classes, the claim {own}"
        raise ValueError(f"Claim {id}: {says}: {error}.") from None

    def need(holds, field, says):
        if not holds:
            raise ValueError(f"Claim {id}: `{field}` {says}; got {entry.get(field)!r}.")

    need(re.fullmatch(r"[A-Z]{2}-\d\d", id), "id", f"must look like SL-07, not {id}")
    for name, allowed in ALLOWED.items():
        need(entry[name] in allowed, name, f"must be one of {', '.join(allowed)}")
    for name in ("where", "title", "rule"):
        need(isinstance(entry[name], str) and entry[name].strip(), name, "must be a text")
    need(claim.data and all(isinstance(name, str) for name in claim.data), "data", "must be a list of names")
    is_numeric = claim.compare != "rule"
    for name in ("expected", "tol"):
        need((name in entry) == is_numeric, name, "goes with a numeric `compare`, and only so")
    if is_numeric:
        fits = np.shape(claim.tol) in ((), np.shape(claim.expected))
        need(fits, "tol", "must be one number or as many as `expected` has")
        need(np.min(claim.tol) >= 0, "tol", "must not be negative")
    need(bool(claim.reason) != claim.available, "reason", "goes with `available = false`, and only so")
    need(not (claim.instead and claim.available), "instead", "goes with `available = false` only")
    names = {reading.name for reading in claim.readings}
    need(len(names) == len(readings) != 1, "readings", "must be two or more, by name")
    main = [reading for reading in claim.readings if reading.decides]
    need(len(main) == bool(readings), "readings", "must have one that says in `decides` why it is the main one")
    sound = all(reading.confirmed for reading in main if reading.fitted)
    need(sound, "readings", "must not let one decide that was chosen to meet the print and is `confirmed` by no other")
    need(claim.mended is None or claim.mended.verdict in VERDICTS, "mended", "must name the verdict before")
    return claim
