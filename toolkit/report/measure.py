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

from .. import claims
from ..arguments import SCALES
from ..claims.claim import ids_that_begin
from ..claims.show import print_error, print_worse
from ..claims.stale import experiment_of, why_stale
from ..core import project_root
from .execute import kernel_environment
from .processes import POLL_SECONDS, caught_signals, end_group
from .project import exclusive_lock

# all tests, the slow ones, too
QUIET = ["-v", "--no-header", "--color=no", "-p", "no:cacheprovider", "-m", ""]


def run(options):
    """Run the command; its exit code.

    0 if all is as stored, 1 if a verdict is another one or an entry stays out of date,
    2 for wrong use, and 128 plus the number of the signal that stopped it.
    """
    root = project_root()
    if root is None:
        raise ValueError(
            "It needs a clone: the experiments are not in the wheel."
        )
    folder = (options.out or root / "reports").resolve() / "claims"
    kept = "what has been measured so far is kept"
    with exclusive_lock(folder), caught_signals(kept) as stop:
        stored = claims.stored_ledger()
        current = _current(stored, folder, options)
        ids = [
            id
            for id in ids_that_begin(options.only or "")
            if experiment_of(id)
            and (
                options.force
                or id not in current
                and why_stale(id, stored[id], options.scale)
            )
        ]
        failed = False
        # each at the scale of its entry, if that is the larger one
        for scale in SCALES:
            some = [i for i in ids if _scale_of(stored[i], options) == scale]
            if some or scale == options.scale:
                failed |= _measure(some, folder, scale, options, stop)
    return _print_results(stored, ids, folder, options, failed)


def _scale_of(entry, options):
    return max(
        entry.get("scale", options.scale), options.scale, key=SCALES.index
    )


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
        TOOLKIT_TEST_ORDER=None,  # that is for tests
        # then a new verdict is no failure
        TOOLKIT_REFRESH="1" if options.refresh else None,
        MPLBACKEND="agg",
    )
    # one test alone spreads its own work over the cores
    jobs = min(options.jobs or cpu_count(), len(tests))
    workers = f"-n {jobs} --dist loadgroup" if jobs > 1 else "-p no:xdist"
    words = [*workers.split(), *QUIET, "--durations=20"]
    command = [sys.executable, "-m", "pytest", *words, *tests]
    return _run(command, environment, stop)


def _current(stored, folder, options):
    """The results in a folder that are up to date, by id."""
    return {
        id: entry
        for id, entry in claims.read_fragments(folder).items()
        if not why_stale(id, entry, _scale_of(stored[id], options))
    }


def _print_results(stored, ids, folder, options, failed):
    """Print the table and what is not as stored; return the exit code."""
    new = _current(stored, folder, options)
    print(claims.format_table(claims.table(stored, new, options.only or "")))
    # a refresh stores them
    worse = [] if options.refresh else print_worse(stored, new)
    for id in ids:
        why = why_stale(id, stored[id], options.scale)
        if why and id not in new:
            failed = True
            print_error(f"{id} stays out of date: {why}.")
    return int(bool(failed or worse))


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
                # seconds for the tests to end by themselves
                end_group(process.pid, 5)
            time.sleep(POLL_SECONDS)
    end_group(process.pid)
    return process.returncode not in (0, 5)
