"""Renewing the digests of code that was changed without changing a number."""

import datetime
import json
import subprocess
import sys
from functools import cache
from pathlib import Path

from toolkit.claims import stored_ledger
from toolkit.claims.show import print_error
from toolkit.core import project_root, read_json, write_json

from .stale import digests, experiment_of, golden_of, why_stale


def run(reason):
    """Renew digests where the golden results are equal; the exit code."""
    root = project_root()
    compare_golden_results = [sys.executable, "-m", "tests.golden", "--exact"]
    if subprocess.run(compare_golden_results, cwd=root).returncode:
        print_error(
            "Golden results are missing or differ, so that numbers may have changed:"
            " nothing was renewed."
        )
        return 1
    ledger_path = root / "figures" / "claims.json"
    renewed, refused = restamp(ledger_path, reason, datetime.date.today())
    for id, reason_of_refusal in refused.items():
        print(
            f"{id} is not renewed: {reason_of_refusal}. `make claims` measures it."
        )
    print(f"{len(renewed)} entries renewed, {len(refused)} refused.")
    return 0


@cache
def golden_when_stored(golden_digest):
    """{id: digest of the numbers} of the golden results that an entry was stored with.

    They are those of the commit that brought the entry's digest of all golden results
    into the ledger. Empty where the history has none.
    """
    root = project_root()
    history = ["git", "log", "--reverse", "--format=%H", f"-S{golden_digest}"]
    ledger = ["--", "figures/claims.json"]
    commits = _output_of([*history, *ledger], root).split()
    if not commits:
        return {}
    index = _output_of(
        ["git", "show", f"{commits[0]}:tests/golden/index.json"], root
    )
    return {id: digest for id, (_, digest) in json.loads(index or "{}").items()}


def _output_of(command, folder):
    """What a command prints, "" where it fails."""
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return run.stdout


def restamp(ledger_path, reason, date, golden_before=golden_when_stored):
    """Renew digests of changed code, where golden results show the same numbers.

    The caller compares the golden results first (``python -m tests.golden``). Rule,
    experiment and data are never renewed. An entry is refused where a golden result of
    what it reaches was added, dropped or renewed since it was measured, or where there
    is none. Functions may have moved to files that the experiment reaches or not: that
    is no change where all golden results have the numbers of `golden_before`, and none
    of these was dropped. Where rule, experiment, data and code are all unchanged, the
    digest of the golden results is renewed: these come from the very code that was
    measured.

    Parameters
    ----------
    ledger_path : path-like
    reason : str
        What was done to the code.
    date : datetime.date
    golden_before : function of str, default=golden_when_stored
        {id: digest of the numbers} of the golden results with which an entry was
        stored, by its digest of these.

    Returns
    -------
    renewed : list of str
        Ids.
    refused : dict of str
        The reason by id.
    """
    stored = stored_ledger(ledger_path)
    renewed = []
    refused = {}
    for id, entry in stored.items():
        if "measured" not in entry:
            continue
        digests_now = digests(id)
        changed = [
            kind
            for kind, digest in digests_now.items()
            if entry.get(kind) != digest
        ]
        stale_because = why_stale(id, entry)
        if not stale_because:
            if changed == ["golden"]:
                renewed.append(id)
                entry |= digests_now
            continue
        reason_of_refusal = _reason_of_refusal(
            id, stale_because, changed, golden_before, entry.get("golden")
        )
        if reason_of_refusal:
            refused[id] = reason_of_refusal
        else:
            renewed.append(id)
            entry["code"] = digests_now["code"]
            entry["golden"] = digests_now["golden"]
            entry.setdefault("restamped", []).append(f"{date}: {reason}")
    write_json(Path(ledger_path), stored)
    return renewed, refused


def _reason_of_refusal(
    id, stale_because, changed, golden_before, stored_digest
):
    """Why the digests of an entry that is out of date are not renewed, or ""."""
    if stale_because != "code":
        return f"changed: {stale_because}"
    golden_results = golden_of(experiment_of(id))
    if not golden_results:
        return "no golden result depends on its code"
    if "golden" in changed:
        results_before = golden_before(stored_digest)
        are_equal = all(
            results_before.get(golden_id) == digest
            for golden_id, digest in golden_results
        )
        if not are_equal or results_before.keys() - _golden_ids():
            return "a golden result was added, dropped or renewed since it was measured"
    return ""


def _golden_ids():
    """The ids of all golden results."""
    index = project_root() / "tests" / "golden" / "index.json"
    return read_json(index).keys()
