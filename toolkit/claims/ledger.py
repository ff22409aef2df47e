"""The stored ledger ``figures/claims.json``: each claim with its last measurement.

An entry has `published` and `verdict`, then either `reason` (why nothing was measured)
with the data sets that were `missing`, or `measured`, `tol`, `spread`, `readings` (the
same by the name of each reading), `note`, `seed`, `scale`, `data` (first hex digits of
the checksums), `source`, the digests of what the measurement depends on
(``tests/ledger/stale.py``), and `restamped`, the dates on which the digest of its code
was renewed without a measurement, each with the reason. Keys that do not apply are
absent.
"""

import json
from pathlib import Path

from ..core import PACKAGE, project_root
from .claim import NOT_CHECKED, load


def stored_ledger(path=None):
    """Read the stored table of claims.

    Claims without an entry are "not checked".

    Parameters
    ----------
    path : path-like, default=None
        A file of entries; need not exist. None takes the project's or the one
        shipped in the wheel.

    Returns
    -------
    entries : dict of str to dict
        Entries of all claims by id.

    Examples
    --------
    >>> stored_ledger("no-such-file.json")["SL-07"]
    {'published': 0.458, 'reason': 'not measured yet', 'verdict': 'not checked'}
    """
    if path is None:
        root = project_root()
        folder = PACKAGE if root is None else root
        path = folder / "figures" / "claims.json"
    path = Path(path)
    stored = _read(path) if path.is_file() else {}
    return {
        id: stored.get(id, blank_entry(claim)) for id, claim in load().items()
    }


def read_fragments(folder):
    """Read the fragments that `record` wrote to a folder and its subfolders.

    Parameters
    ----------
    folder : path-like
        Where the fragments are; one that does not exist counts as empty.

    Returns
    -------
    fragments : dict of str to dict
        Fragments of known claims by id.

    Examples
    --------
    >>> read_fragments("no-such-folder")
    {}
    """
    fragments = {}
    for path in sorted(Path(folder).rglob("*.json")):
        fragment = _read(path)
        if fragment.get("id") in load():
            fragments[fragment["id"]] = fragment
    return fragments


def blank_entry(claim):
    """The entry of a claim that was never measured."""
    return {
        "published": claim.published,
        "reason": claim.reason or "not measured yet",
        "verdict": NOT_CHECKED,
    }


def _read(path):
    try:
        return dict(json.loads(path.read_text("utf-8")))
    except (ValueError, TypeError) as error:
        raise ValueError(
            f"{path} must hold one JSON object of the claims ledger: {error}. Delete or"
            " restore it."
        ) from None
