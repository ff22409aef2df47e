"""The stored ledger ``figures/claims.json``: every claim with its last trusted measurement.

An entry has `published` and `verdict`, then either `reason` (why nothing was measured)
or `measured`, `tol`, `spread`, `readings` (the same by the name of each reading),
`note`, `seed`, `scale`, `data` (first hex digits of the checksums), `source`, the
digests of what the measurement stands on (`toolkit.claims.stale.digests`), and
`restamped`, the dates on which the digest of its code was renewed without a
measurement, each with the reason, as far as they apply.
"""

import json
import math
from pathlib import Path

from ..core.files import PACKAGE, project_root, write_json
from .claim import NOT_CHECKED, SCALES, VERDICTS, load
from .stale import digests, experiment_of, golden_of, why_digests_differ


def committed(path=None):
    """The stored ledger, complete: claims without an entry read "not checked" with the reason.

    Parameters
    ----------
    path : path-like, default None
        A file written by `merge`; need not exist. None takes the project's or the one
        shipped in the wheel.

    Returns
    -------
    dict of dict, by id

    Examples
    --------
    >>> committed("no-such-file.json")["SL-07"]
    {'published': 0.458, 'reason': 'not measured yet', 'verdict': 'not checked'}
    """
    path = (
        Path(path)
        if path is not None
        else (project_root() or PACKAGE) / "figures" / "claims.json"
    )
    stored = _read(path) if path.is_file() else {}
    return {
        id: _checked(stored[id], id, path) if id in stored else _blank(claim)
        for id, claim in load().items()
    }


def read_fragments(folders):
    """The fragments that `record` left, by id; of several for one claim the measured one of the largest scale.

    Parameters
    ----------
    folders : path-like or sequence of path-like
        Searched with their subfolders; one that does not exist counts as empty.

    Examples
    --------
    >>> read_fragments("no-such-folder")
    {}
    """
    return {id: found[0] for id, found in _gather(folders).items()}


def merge(fragment_dirs, ledger_path):
    """Bring fragments into the stored ledger. This alone writes it.

    A smaller scale never replaces a larger one, a fragment that measured nothing never
    replaces a measurement, and one whose rule or code has changed since is passed over.
    All claims are listed, those that nobody measured too.

    Parameters
    ----------
    fragment_dirs : path-like or sequence of path-like
    ledger_path : path-like, created if it does not exist

    Returns
    -------
    dict of pairs of str : for the id of each entry that changed, the verdicts before and after

    Raises
    ------
    ValueError
        If a file is not a fragment of a known claim, or two sources measured one claim
        at the same scale.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     merge([], Path(folder, "claims.json")), Path(folder, "claims.json").is_file()
    ({}, True)
    """
    stored, gathered, merged = committed(ledger_path), _gather(fragment_dirs), {}
    for id, claim in load().items():
        old, found = (
            stored[id],
            [entry for entry in gathered.get(id, []) if not _superseded(entry)],
        )
        if (
            len(found) > 1
            and "measured" in found[1]
            and found[0]["scale"] == found[1]["scale"]
        ):
            sources = " and ".join(
                str(entry.get("source") or "an unnamed source") for entry in found[:2]
            )
            raise ValueError(
                f"{id} is measured twice at {found[0]['scale']} scale, by {sources};"
                " keep one of them."
            )
        merged[id] = old
        if found and _rank(found[0]) >= _rank(old):
            merged[id] = {key: value for key, value in found[0].items() if key != "id"}
            merged[id] |= digests(id) if "code" in found[0] else {}
        elif "measured" not in old and not old["reason"].startswith("no data"):
            merged[id] = _blank(claim)
    write_json(Path(ledger_path), merged)
    return {
        id: (stored[id]["verdict"], new["verdict"])
        for id, new in merged.items()
        if new != stored[id]
    }


def restamp(ledger_path, why, date):
    """Renew the digests of entries whose code has changed, where golden results show that no number has.

    The caller compares the golden results first (``python -m tests.golden``). Rule,
    experiment and data are never renewed. An entry is refused where a golden result of
    what it reaches was added, dropped or renewed since it was measured, or where there
    is none.

    Parameters
    ----------
    ledger_path : path-like
    why : str, what was done to the code
    date : str

    Returns
    -------
    renewed : list of str, ids
    refused : dict of str, the reason by id
    """
    stored, renewed, refused = committed(ledger_path), [], {}
    for id, entry in stored.items():
        now = digests(id) if "measured" in entry else {}
        changed = why_digests_differ(entry, now) if now else []
        if changed and changed != ["code"]:
            refused[id] = f"changed: {', '.join(changed)}"
        elif changed and not golden_of(experiment_of(id)):
            refused[id] = "no golden result stands on its code"
        elif changed and entry.get("golden") != now["golden"]:
            refused[id] = (
                "a golden result was added, dropped or renewed since it was measured"
            )
        elif changed:
            renewed.append(id)
            entry |= {
                "code": now["code"],
                "restamped": [*entry.get("restamped", []), f"{date}: {why}"],
            }
    if renewed:
        write_json(Path(ledger_path), stored)
    return renewed, refused


def compare_runs(stored, fresh):
    """How the verdicts of a run compare with the stored ones.

    Parameters
    ----------
    stored, fresh : dict of dict, by id, from `committed` and `read_fragments`

    Returns
    -------
    dict of str : for each id in `fresh` "same", "better", "worse", or "no data" where the run could not measure

    Examples
    --------
    >>> compare_runs({"SL-07": {"verdict": "differs"}}, {"SL-07": {"verdict": "reproduced", "measured": 0.459}})
    {'SL-07': 'better'}
    """
    changes = {}
    for id, entry in fresh.items():
        step = VERDICTS.index(entry["verdict"]) - VERDICTS.index(stored[id]["verdict"])
        change = "worse" if step > 0 else "better" if step else "same"
        changes[id] = change if "measured" in entry else "no data"
    return changes


def check(stored, fresh):
    """Ids of the claims whose verdict in this run is worse than the stored one.

    Examples
    --------
    >>> check({"SL-07": {"verdict": "reproduced"}}, {"SL-07": {"verdict": "differs", "measured": 0.4}})
    ['SL-07']
    """
    return [
        id for id, change in compare_runs(stored, fresh).items() if change == "worse"
    ]


def _blank(claim):
    return {
        "published": claim.published,
        "reason": claim.reason or "not measured yet",
        "verdict": NOT_CHECKED,
    }


def _superseded(fragment):
    """Whether the code or the rule has changed since the fragment was left."""
    now = digests(fragment["id"])
    return bool(now and "code" in fragment and why_digests_differ(fragment, now))


def _rank(entry):
    """Unmeasured entries come below every scale."""
    return SCALES.index(entry["scale"]) if "measured" in entry else -1


def _gather(folders):
    """All fragments by id, the most trusted first, whatever the order of the folders."""
    folders = [folders] if isinstance(folders, str | Path) else folders
    gathered = {}
    for path in sorted(
        {path for folder in folders for path in Path(folder).rglob("*.json")}
    ):
        entry = _read(path)
        id = entry.get("id")
        if id not in list(load()):
            raise ValueError(
                f"{path} must be a fragment of a claim in claims.toml; its id is"
                f" {id!r}. Delete it."
            )
        gathered.setdefault(id, []).append(_checked(entry, id, path, "scale"))
    for found in gathered.values():
        found.sort(key=lambda entry: (-_rank(entry), entry.get("source", "")))
    return gathered


def _checked(entry, id, path, *needed):
    """An entry whose fields are as the head of this module says; `needed` are those that it must have besides."""
    entry = entry if isinstance(entry, dict) else {}
    needed = {"verdict", "scale" if "measured" in entry else "reason", *needed}
    for field, fits in FIELDS.items():
        if (field in entry or field in needed) and not fits(entry.get(field)):
            wrong = f"the {field} of {id} is {entry.get(field)!r}"
            raise ValueError(
                f"{path} must hold what `toolkit.claims.record` leaves; {wrong}. Delete"
                " or restore it."
            )
    return entry


def _are_numbers(value):
    values = value if isinstance(value, list) else [value]
    return all(isinstance(v, int | float) and -math.inf < v < math.inf for v in values)


def _is_text(value):
    return isinstance(value, str)


FIELDS = {
    "verdict": VERDICTS.__contains__,
    "scale": SCALES.__contains__,
    "measured": _are_numbers,
}
FIELDS |= {
    "spread": _are_numbers,
    "reason": _is_text,
    "note": _is_text,
    "source": _is_text,
}


def _read(path):
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(
            f"{path} must be a JSON file of the claims ledger: {error}. Delete or"
            " restore it."
        ) from None
    if not isinstance(content, dict):
        raise ValueError(
            f"{path} must hold one JSON object; got a {type(content).__name__}. Delete"
            " or restore it."
        )
    return content
