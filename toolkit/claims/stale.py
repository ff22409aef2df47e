"""Which stored measurements are out of date: the claim's rule, its data or the code it stands on has changed since.

An entry of the ledger keeps `rule`, a digest of the claim's table in ``claims.toml``, `code`, digests of the modules
that the experiment stands on (see `toolkit.claims.sources`), and `data`, checksums of the data sets.
"""

import json
from dataclasses import asdict
from functools import cache
from pathlib import Path

from toolkit import datasets
from toolkit.claims.claim import SCALES, load
from toolkit.claims.sources import NOT_MEASURING, code_of, digest, experiments

__all__ = ["data_at_hand", "digests", "experiment_of", "project_root", "why_digests_differ", "why_stale"]

NOT_RULE = {"title", "where", "reason"}
"""Fields of a claim that are words about it: they decide nothing."""


def project_root():
    """The project's folder if the package stands in it, None for an installed wheel."""
    root = Path(__file__).resolve().parents[2]
    return root if (root / "pyproject.toml").is_file() else None


@cache
def _experiments():
    return experiments(root) if (root := project_root()) else {}


def experiment_of(id):
    """The experiment that measures a claim, None if there is none or the package is an installed wheel.

    Examples
    --------
    >>> experiment_of("FI-11") is None  # its data were never published
    True
    """
    return _experiments().get(id)


def digests(id):
    """Digests `rule` and `code` of a claim as it would be measured now, texts; empty where nothing measures it.

    Examples
    --------
    >>> sorted(digests("FI-11"))
    []
    """
    experiment = experiment_of(id)
    if experiment is None:
        return {}
    rule = {name: value for name, value in asdict(load()[id]).items() if name not in NOT_RULE}
    code = " ".join(f"{name}:{found}" for name, found in code_of(experiment).items())
    return {"rule": digest(json.dumps(rule, sort_keys=True)), "code": code}


def why_stale(id, entry, scale="default"):
    """Why an entry, stored or of a run, does not say what a measurement would give now; "" if it does.

    Parameters
    ----------
    id : str
    entry : dict, from `committed` or `read_fragments`
    scale : {"quick", "default", "paper"}, the least that counts

    Returns
    -------
    str
        "" also where nothing can be measured: no experiment, or data that are not at hand.

    Examples
    --------
    >>> why_stale("FI-11", {"reason": "not measured yet", "verdict": "not checked"})
    ''
    """
    now, (at_hand, missing) = digests(id), data_at_hand(load()[id], _checksum_here)
    if not now or missing:
        return ""
    if "measured" not in entry:
        return "its data are at hand now" if entry["reason"].startswith("no data") else entry["reason"]
    if SCALES.index(entry["scale"]) < SCALES.index(scale):
        return f"measured at {entry['scale']} scale"
    stored = entry.get("data", {})
    changed = [name for name in at_hand if stored.get(name) != at_hand[name]]
    reasons = [f"data: {', '.join(changed)}"] if changed else []
    return "; ".join([*reasons, *why_digests_differ(entry, now)])


def why_digests_differ(entry, now):
    """What an entry was measured with that is another now: the rule, the modules that are new, gone or changed.

    Examples
    --------
    >>> why_digests_differ({"rule": "1", "code": "linalg:a graphs:b"}, {"rule": "1", "code": "linalg:c graphs:b"})
    ['code: linalg']
    """
    reasons = []
    if entry.get("rule") != now["rule"]:
        reasons.append("rule" if "rule" in entry else "no digest of the rule")
    parts = set(entry.get("code", "").split()) ^ set(now["code"].split())
    names = {part.partition(":")[0] for part in parts} - NOT_MEASURING
    return reasons + ([f"code: {', '.join(sorted(names))}"] if names else [])


def data_at_hand(claim, checksum=None):
    """Data sets of a claim, optional ones included, that can be loaded.

    Parameters
    ----------
    claim : Claim
    checksum : callable, by default `toolkit.datasets.checksums`
        Of a name; an `OSError` means that the set cannot be had.

    Returns
    -------
    checksums : dict of str to str, 12 hex digits by name
    missing : list of str, those without which the claim cannot be measured
    """
    found, missing = {}, []
    for name in [*claim.data, *claim.optional] if claim.available else []:
        if name != "synthetic":
            try:
                found[name] = (checksum or datasets.checksums)(name)[:12]
            except OSError:
                missing += [name] if name in claim.data else []
    return found, missing


@cache
def _here():
    return {row["name"] for row in datasets.list_datasets() if row["status"] not in ("missing", "downloadable")}


@cache
def _checksum_here(name):
    """Of a set on this machine: a look at the ledger downloads nothing."""
    if name not in _here():
        raise OSError(name)
    return datasets.checksums(name)
