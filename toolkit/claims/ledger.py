"""The stored ledger ``figures/claims.json``: each claim with its last measurement.

An entry has `published` and `verdict`, then either `reason` (why nothing was measured)
or `measured`, `tol`, `spread`, `readings` (the same by the name of each reading),
`note`, `seed`, `scale`, `data` (first hex digits of the checksums), `source`, the
digests of what the measurement depends on (`toolkit.claims.stale.digests`), and
`restamped`, the dates on which the digest of its code was renewed without a
measurement, each with the reason. Keys that do not apply are absent.
"""

import json
from pathlib import Path

from ..arguments import SCALES
from ..core import PACKAGE, project_root, write_json
from .claim import NOT_CHECKED, load
from .stale import digests, experiment_of, golden_of, why_stale


def stored_ledger(path=None):
    """Read the stored table of claims.

    Claims without an entry are "not checked".

    Parameters
    ----------
    path : path-like, default=None
        A file written by `merge`; need not exist. None takes the project's or the one
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
    path = Path(path or (project_root() or PACKAGE) / "figures" / "claims.json")
    stored = _read(path) if path.is_file() else {}
    return {id: stored.get(id, _blank(claim)) for id, claim in load().items()}


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
    fragments = [_read(path) for path in sorted(Path(folder).rglob("*.json"))]
    return {one["id"]: one for one in fragments if one.get("id") in load()}


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

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "claims.json")
    ...     merge("no-such-folder", path)
    ...     path.is_file()
    True
    """
    stored = stored_ledger(ledger_path)
    fragments = read_fragments(folder)
    write_json(
        Path(ledger_path),
        {
            id: _merge_entry(claim, stored[id], fragments.get(id))
            for id, claim in load().items()
        },
    )


def _merge_entry(claim, old, fragment):
    """The entry of a claim after a run, which left this fragment or None."""
    # what was measured with another rule or other code is passed over, and a smaller
    # scale than that of the ledger
    has_code = fragment and "code" in fragment
    is_stale = has_code and why_stale(claim.id, fragment, "quick")
    if fragment and not is_stale and _rank(fragment) >= _rank(old):
        entry = fragment | (digests(claim.id) if has_code else {})
        del entry["id"]
        return entry
    # missing data stay the reason until somebody has them
    if "measured" in old or old["reason"].startswith("no data"):
        return old
    return _blank(claim)


def restamp(ledger_path, why, date):
    """Renew digests of changed code, where golden results show the same numbers.

    The caller compares the golden results first (``python -m tests.golden``). Rule,
    experiment and data are never renewed. An entry is refused where a golden result of
    what it reaches was added, dropped or renewed since it was measured, or where there
    is none. Where rule, experiment, data and code are all unchanged, the digest of the
    golden results is renewed: these come from the very code that was measured.

    Parameters
    ----------
    ledger_path : path-like
    why : str
        What was done to the code.
    date : datetime.date

    Returns
    -------
    renewed : list of str
        Ids.
    refused : dict of str
        The reason by id.
    """
    stored = stored_ledger(ledger_path)
    renewed, refused = [], {}
    for id, entry in stored.items():
        if "measured" not in entry:
            continue
        reason = why_stale(id, entry)
        now = digests(id)
        changed = [kind for kind in now if entry.get(kind) != now[kind]]
        if not reason:
            if changed == ["golden"]:
                renewed.append(id)
                entry |= now
        elif reason != "code":
            refused[id] = f"changed: {reason}"
        elif not golden_of(experiment_of(id)):
            refused[id] = "no golden result depends on its code"
        elif "golden" in changed:
            refused[id] = (
                "a golden result was added, dropped or renewed since it was measured"
            )
        else:
            renewed.append(id)
            entry["code"] = now["code"]
            entry.setdefault("restamped", []).append(f"{date}: {why}")
    write_json(Path(ledger_path), stored)
    return renewed, refused


def _blank(claim):
    return {
        "published": claim.published,
        "reason": claim.reason or "not measured yet",
        "verdict": NOT_CHECKED,
    }


def _rank(entry):
    """Unmeasured entries come below every scale."""
    return SCALES.index(entry["scale"]) if "measured" in entry else -1


def _read(path):
    try:
        return dict(json.loads(path.read_text("utf-8")))
    except (ValueError, TypeError) as error:
        raise ValueError(
            f"{path} must hold one JSON object of the claims ledger: {error}. Delete or"
            " restore it."
        ) from None
