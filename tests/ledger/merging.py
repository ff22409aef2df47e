"""Writing the stored table of claims: what a run has measured is merged into it."""

import os
from pathlib import Path

from toolkit.arguments import SCALES
from toolkit.claims import load, read_fragments, stored_ledger
from toolkit.claims.ledger import blank_entry
from toolkit.core import read_json, write_json

from .stale import digests, why_stale


def merge(folder, ledger_path):
    """Merge fragments into the stored table of claims.

    Only this function writes it. A smaller scale never replaces a larger one, and a
    fragment without a measurement never replaces a measurement. Fragments whose rule or
    code has changed since are ignored. All claims are listed, also those without a
    measurement.

    Parameters
    ----------
    folder : path-like
        Where the fragments are; one that does not exist counts as empty.
    ledger_path : path-like
        File of the stored table; created if it does not exist.

    Raises
    ------
    ValueError
        If a file holds no JSON object.
    """
    stored = stored_ledger(ledger_path)
    fragments = read_fragments(folder)
    entries = {
        id: _merged_entry(claim, stored[id], fragments.get(id))
        for id, claim in load().items()
    }
    write_json(Path(ledger_path), entries)


def _merged_entry(claim, stored, fragment):
    """The entry of a claim after a run, which left this fragment or None."""
    if fragment is not None and _replaces(claim, stored, fragment):
        entry = dict(fragment)
        del entry["id"]
        if "code" in fragment:
            entry |= digests(claim.id)
        return entry
    # Missing data stay the reason until somebody has them.
    if "measured" in stored or "missing" in stored:
        return stored
    return blank_entry(claim)


def _replaces(claim, stored, fragment):
    """Whether a fragment takes the place of a stored entry."""
    # What was measured with another rule or other code is passed over.
    if "code" in fragment and why_stale(claim.id, fragment, "quick"):
        return False
    return _rank(fragment) >= _rank(stored)


def _rank(entry):
    """The rank of an entry's scale; unmeasured entries come below all of them."""
    return SCALES.index(entry["scale"]) if "measured" in entry else -1


def stamp_fragment(id):
    """Add digests to what `record` has just left for a claim, if it left something.

    Results of quick scale get none: they never reach the ledger.
    """
    folder = os.environ.get("TOOLKIT_CLAIMS_DIR")
    if not folder:
        return
    path = Path(folder) / f"{id}.json"
    fragment = read_json(path)
    if fragment["scale"] != "quick":
        write_json(path, fragment | digests(id))
