"""Which stored measurements are out of date: the claim's rule, its data or the code it stands on has changed since.

An entry of the ledger keeps `rule`, a digest of the claim's table in ``claims.toml``, `code`, digests of the modules
that the experiment stands on (see `toolkit.claims.sources`), and `data`, checksums of the data sets.
"""

import json
from dataclasses import asdict
from functools import cache

from .. import datasets
from .claim import SCALES, load
from .files import project_root
from .sources import code_of, digest, experiments, measures

__all__ = ["available_data", "digests", "experiment_of", "why_digests_differ", "why_stale"]

# Fields of a claim that are words about it and decide nothing; of readings only names and the main one count.
NOT_RULE = {"title", "where", "reason", "mended", "readings", "why"}


@cache
def _experiments():
    return experiments(root) if (root := project_root()) else {}


def experiment_of(id):
    """The experiment that measures a claim, None if there is none or the package is an installed wheel."""
    return _experiments().get(id)


def digests(id):
    """Digests `rule` and `code` of a claim as it would be measured now, texts; empty where nothing measures it."""
    experiment = experiment_of(id)
    if experiment is None:
        return {}
    claim = load()[id]
    rule = {name: value for name, value in asdict(claim).items() if name not in NOT_RULE}
    if claim.readings:
        rule["readings"] = [claim.main.name, *sorted(reading.name for reading in claim.readings)]
    code = " ".join(f"{name}:{found}" for name, found in code_of(experiment).items())
    return {"rule": digest(json.dumps(rule, sort_keys=True)), "code": code}


def why_stale(id, entry, scale="default"):
    """Why an entry, of the ledger or of a run, does not say what a measurement would give now; "" if it does.

    `scale` is the least that counts. "" also where nothing can be measured: no experiment, or unavailable data.

    Examples
    --------
    >>> why_stale("FI-11", {"reason": "not measured yet", "verdict": "not checked"})
    ''
    """
    now, (available, missing) = digests(id), available_data(load()[id], _checksum_here)
    if not now or missing:
        return ""
    if "measured" not in entry:
        return "its data are at hand now" if entry["reason"].startswith("no data") else entry["reason"]
    if SCALES.index(entry["scale"]) < SCALES.index(scale):
        return f"measured at {entry['scale']} scale"
    stored = entry.get("data", {})
    changed = [name for name in available if stored.get(name) != available[name]]
    reasons = [f"data: {', '.join(changed)}"] if changed else []
    return "; ".join([*reasons, *why_digests_differ(entry, now)])


def why_digests_differ(entry, now):
    """What has changed since an entry was measured: the rule, and the modules that are new, gone or different.

    Examples
    --------
    >>> why_digests_differ({"rule": "1", "code": "linalg:a graphs:b"}, {"rule": "1", "code": "linalg:c graphs:b"})
    ['code: linalg']
    """
    reasons = []
    if entry.get("rule") != now["rule"]:
        reasons.append("rule" if "rule" in entry else "no digest of the rule")
    parts = set(entry.get("code", "").split()) ^ set(now["code"].split())
    names = sorted({part.partition(":")[0] for part in parts if measures(part.partition(":")[0])})
    return reasons + ([f"code: {', '.join(names)}"] if names else [])


def available_data(claim, checksum=None):
    """Checksums (12 hex digits by name) of a claim's data sets that can be loaded, and the required ones that cannot.

    `checksum` of a name is by default `toolkit.datasets.checksums`; an `OSError` means that the set is unavailable.
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
