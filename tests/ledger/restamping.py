"""Renewing the digests of code that was changed without changing a number."""

import datetime
import json
import subprocess
import sys
from pathlib import Path

from toolkit.claims import stored_ledger
from toolkit.claims.show import print_error
from toolkit.core import project_root, write_json

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
    renewed, refused = restamp(
        ledger_path, reason, datetime.date.today(), golden_of_ledger(root)
    )
    for id, reason_of_refusal in refused.items():
        print(
            f"{id} is not renewed: {reason_of_refusal}. `make claims` measures it."
        )
    print(f"{len(renewed)} entries renewed, {len(refused)} refused.")
    return 0


def golden_of_ledger(root):
    """{id: digest of the numbers} of the golden results when the ledger was written.

    That is at the last commit of the ledger. Empty in a clone without its history.
    """
    last_commit = [
        "git",
        "log",
        "-1",
        "--format=%H",
        "--",
        "figures/claims.json",
    ]
    commit = subprocess.check_output(last_commit, cwd=root, text=True).strip()
    show_index = ["git", "show", f"{commit}:tests/golden/index.json"]
    index = subprocess.run(show_index, cwd=root, capture_output=True, text=True)
    if index.returncode:
        return {}
    return {id: digest for id, (_, digest) in json.loads(index.stdout).items()}


def restamp(ledger_path, reason, date, golden_before=()):
    """Renew digests of changed code, where golden results show the same numbers.

    The caller compares the golden results first (``python -m tests.golden``). Rule,
    experiment and data are never renewed. An entry is refused where a golden result of
    what it reaches was added, dropped or renewed since it was measured, or where there
    is none. A result that only its function brought along, moved to another file, is
    no change where the numbers are those of `golden_before`. Where rule, experiment, data and code are all unchanged, the digest of the
    golden results is renewed: these come from the very code that was measured.

    Parameters
    ----------
    ledger_path : path-like
    reason : str
        What was done to the code.
    date : datetime.date
    golden_before : dict of str, default=()
        Digests of the golden results by id when the ledger was written.

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
            id, stale_because, changed, golden_before
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


def _reason_of_refusal(id, stale_because, changed, golden_before):
    """Why the digests of an entry that is out of date are not renewed, or ""."""
    if stale_because != "code":
        return f"changed: {stale_because}"
    golden_results = golden_of(experiment_of(id))
    if not golden_results:
        return "no golden result depends on its code"
    are_equal = golden_before and all(
        golden_before.get(golden_id) == digest
        for golden_id, digest in golden_results
    )
    if "golden" in changed and not are_equal:
        return "a golden result was added, dropped or renewed since it was measured"
    return ""
