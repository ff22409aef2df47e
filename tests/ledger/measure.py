"""``python -m toolkit measure``: measure the claims whose stored entry is out of date.

Experiments, which are tests with the fixture `check_claim`, run with pytest, several at
a time. They leave what they measured in ``reports/claims``, and what is there and up to
date is not measured again. No tracked file is changed: `make refresh` writes the
ledger.
"""

import subprocess
import sys
import time

from joblib import cpu_count

from toolkit import claims
from toolkit.arguments import SCALES
from toolkit.claims.claim import ids_that_begin
from toolkit.claims.show import print_error, print_worse
from toolkit.core import project_root
from toolkit.report.execute import kernel_environment
from toolkit.report.processes import POLL_SECONDS, caught_signals, end_group
from toolkit.report.project import exclusive_lock

from .stale import experiment_of, why_stale

# Options of pytest by which all tests run, the slow ones too.
PYTEST_OPTIONS = [
    "-v",
    "--no-header",
    "--color=no",
    "-p",
    "no:cacheprovider",
    "-m",
    "",
    "--durations=20",
]
SECONDS_TO_END = 5  # time for the tests to end by themselves after a signal
NO_TESTS_COLLECTED = 5  # an exit code of pytest


def run(options):
    """Run the command; its exit code.

    0 if all is as stored, 1 if a verdict is another one or an entry stays out of date,
    2 for wrong use, and 128 plus the number of the signal that stopped it.
    """
    reports = options.out or project_root() / "reports"
    folder = reports.resolve() / "claims"
    kept = "what has been measured so far is kept"
    with exclusive_lock(folder), caught_signals(kept) as stop:
        stored = claims.stored_ledger()
        ids = _ids_to_measure(stored, folder, options)
        has_failed = False
        # Each is measured at the scale of its entry, if that is the larger one.
        for scale in SCALES:
            ids_of_scale = [
                id for id in ids if _scale_of(stored[id], options) == scale
            ]
            if ids_of_scale or scale == options.scale:
                has_failed |= _measure(
                    ids_of_scale, folder, scale, options, stop
                )
    return _print_results(stored, ids, folder, options, has_failed)


def _ids_to_measure(stored, folder, options):
    """The chosen claims whose stored entry is out of date, or all with ``--force``.

    What an earlier run has left in `folder` is not measured again.
    """
    current_results = _current_results(stored, folder, options)
    ids = []
    only = "" if options.only is None else options.only
    for id in ids_that_begin(only):
        if experiment_of(id) is None:
            continue
        is_stale = id not in current_results and why_stale(
            id, stored[id], options.scale
        )
        if options.force or is_stale:
            ids.append(id)
    return ids


def _scale_of(entry, options):
    """The larger one of the scales of an entry and of the command."""
    entry_scale = entry.get("scale", options.scale)
    return max(entry_scale, options.scale, key=SCALES.index)


def _measure(ids, folder, scale, options, stop):
    """Run the experiments of some claims at one scale; whether one failed."""
    tests = sorted({experiment_of(id) for id in ids})
    print(
        f"{len(ids)} claims to measure at {scale} scale, by {len(tests)} tests"
        " (`python -m toolkit claims --stale` says why).",
        flush=True,
    )
    if not tests or stop:
        return False
    environment = kernel_environment(
        TOOLKIT_CLAIMS_DIR=str(folder / "experiments"),
        TOOLKIT_SCALE=scale,
        TOOLKIT_MEASURE="1",
        TOOLKIT_FIGURES=None,
        # Another order of the tests is for looking at the tests.
        TOOLKIT_TEST_ORDER=None,
        # A new verdict is no failure of a refresh.
        TOOLKIT_REFRESH="1" if options.refresh else None,
        MPLBACKEND="agg",
    )
    n_jobs = min(options.jobs or cpu_count(), len(tests))
    if n_jobs > 1:
        workers = ["-n", str(n_jobs), "--dist", "loadgroup"]
    else:
        # One test alone spreads its own work over the cores.
        workers = ["-p", "no:xdist"]
    command = [
        sys.executable,
        "-m",
        "pytest",
        *workers,
        *PYTEST_OPTIONS,
        *tests,
    ]
    return _run(command, environment, stop)


def _current_results(stored, folder, options):
    """The results in a folder that are up to date, by id."""
    return {
        id: entry
        for id, entry in claims.read_fragments(folder).items()
        if not why_stale(id, entry, _scale_of(stored[id], options))
    }


def _print_results(stored, ids, folder, options, has_failed):
    """Print the table and what is not as stored; return the exit code."""
    results = _current_results(stored, folder, options)
    only = "" if options.only is None else options.only
    rows = claims.table(stored, results, only)
    print(claims.format_table(rows))
    # A refresh stores verdicts that got worse.
    worse_ids = [] if options.refresh else print_worse(stored, results)
    for id in ids:
        reason = why_stale(id, stored[id], options.scale)
        if reason and id not in results:
            has_failed = True
            print_error(f"{id} stays out of date: {reason}.")
    return int(has_failed or bool(worse_ids))


def _run(command, environment, stop):
    """Run a command, which says itself how far it is; whether it failed.

    A signal to this process ends the command with all that it started.
    """
    with subprocess.Popen(
        command,
        env=environment,
        cwd=project_root(),
        start_new_session=True,
        stdin=subprocess.DEVNULL,
    ) as process:
        while process.poll() is None:
            if stop:
                end_group(process.pid, SECONDS_TO_END)
            time.sleep(POLL_SECONDS)
    end_group(process.pid)
    return process.returncode not in (0, NO_TESTS_COLLECTED)
