"""``python -m toolkit measure``: measure the claims whose stored entry is out of date.

Experiments, which are tests with the fixture `check_claim`, run with pytest, several at
a time. They leave what they measured in ``reports/claims``, and what is there and up to
date is not measured again. No tracked file is changed: `make refresh` writes the
ledger.
"""

import subprocess
import sys
import time
from argparse import ArgumentParser
from pathlib import Path

from .. import claims
from ..claims.claim import SCALES
from ..claims.show import print_worse
from ..claims.stale import experiment_of, why_stale
from ..core.files import project_root
from .execute import kernel_environment
from .processes import POLL_SECONDS, Family, Stop, cores
from .project import EXPERIMENTS, Usage, only_one

GRACE_SECONDS = 5  # for the tests to end by themselves
QUIET = ["-v", "--no-header", "--color=no", "-p", "no:cacheprovider", "-m", ""]


def main(argv=None):
    """Run the command; its exit code.

    0 if all is as stored, 1 if a verdict is another one or an entry stays out of date,
    2 for wrong use, and 128 plus the number of the signal that stopped it.
    """
    options = _parser().parse_args(argv)
    root = project_root()
    try:
        if root is None:
            raise Usage("It needs a clone: the experiments are not in the wheel.")
        folder = (options.out or root / "reports").resolve() / "claims"
        with only_one(folder), Stop() as stop:
            stored = claims.stored_ledger()
            wanted, failed = (
                _wanted(stored, claims.read_fragments(folder), options),
                False,
            )
            # each at the scale of its entry, if that is the larger one
            for scale in SCALES:
                ids = [id for id in wanted if _scale_of(stored[id], options) == scale]
                if ids or scale == options.scale:
                    failed |= _measure(
                        ids, root, folder / EXPERIMENTS, scale, options, stop
                    )
            if stop:
                print(
                    "Interrupted: what has been measured so far is kept.",
                    file=sys.stderr,
                )
                return stop.code
    except ValueError as error:  # also of the ledger, which refuses a fragment
        print(f"toolkit measure: {error}", file=sys.stderr)
        return 2
    return _tell(wanted, folder, options, failed)


def _scale_of(entry, options):
    return max(entry.get("scale", options.scale), options.scale, key=SCALES.index)


def _measure(wanted, root, folder, scale, options, stop):
    """Run the experiments of some claims at one scale; whether one failed."""
    tests = sorted({experiment_of(id).test for id in wanted})
    counted = "1 claim" if len(wanted) == 1 else f"{len(wanted)} claims"
    why = (
        " (`python -m toolkit claims --stale` says why)"
        if wanted
        else ": every stored entry is up to date"
    )
    print(
        f"{counted} to measure at {scale} scale, by {len(tests)} tests{why}.",
        flush=True,
    )
    if not tests or stop:
        return False
    environment = kernel_environment(
        TOOLKIT_CLAIMS_DIR=str(folder),
        TOOLKIT_SCALE=scale,
        TOOLKIT_MEASURE="1",
        TOOLKIT_FIGURES=None,
        TOOLKIT_TEST_ORDER=None,  # that is for tests
        # then a new verdict is no failure
        TOOLKIT_REFRESH="1" if options.refresh else None,
        MPLBACKEND="agg",
    )
    # one test alone spreads its own work over the cores
    jobs = min(options.jobs or cores(), len(tests))
    spread = (
        ["-n", str(jobs), "--dist", "loadgroup"] if jobs > 1 else ["-p", "no:xdist"]
    )
    command = [
        sys.executable,
        "-m",
        "pytest",
        *spread,
        *QUIET,
        "--durations=20",
        *tests,
    ]
    return _run(command, environment, root, stop)


def _wanted(stored, fresh, options):
    """Ids of the claims to be measured, in the order of the ledger."""
    for word in options.only:
        if not any(id.startswith(word) for id in stored):
            raise Usage(f"No claim's id begins with {word!r}.")
    ids = [
        id
        for id in stored
        if id.startswith(tuple(options.only or [""])) and experiment_of(id)
    ]
    if not options.force:
        ids = [id for id in ids if why_stale(id, stored[id], options.scale)]
        ids = [
            id
            for id in ids
            if id not in fresh
            or why_stale(id, fresh[id], _scale_of(stored[id], options))
        ]
    return ids


def _tell(wanted, folder, options, failed):
    """Print the table and what is not as stored; return the exit code."""
    stored, fresh = claims.stored_ledger(), claims.read_fragments(folder)
    fresh = {
        id: entry
        for id, entry in fresh.items()
        if not why_stale(id, entry, _scale_of(stored[id], options))
    }
    print(claims.format_table(claims.table(stored, fresh, options.only or None)))
    worse = [] if options.refresh else print_worse(stored, fresh)
    left = [
        id
        for id in wanted
        if id not in fresh and why_stale(id, stored[id], options.scale)
    ]
    for id in left:
        print(
            f"{id} stays out of date: {why_stale(id, stored[id], options.scale)}.",
            file=sys.stderr,
        )
    return int(bool(failed or worse or left))


def _run(command, environment, root, stop):
    """Run a command, which says itself how far it is; whether it failed.

    A signal to this process ends the command with all that it started.
    """
    place = {
        "env": environment,
        "cwd": root,
        "start_new_session": True,
        "stdin": subprocess.DEVNULL,
    }
    with subprocess.Popen(command, **place) as process:
        family = Family(process.pid)
        while process.poll() is None:
            family.look()
            if stop:
                family.end(GRACE_SECONDS)
            time.sleep(POLL_SECONDS)
        family.end()
    return process.returncode not in (0, 5)


def _parser():
    says = "Measure the claims whose stored entry is out of date."
    parser = ArgumentParser("python -m toolkit measure", description=says)
    add = parser.add_argument
    add("--force", action="store_true", help="measure all, also what is up to date")
    add(
        "--only",
        action="append",
        default=[],
        metavar="ID",
        help="only ids that begin so; repeatable",
    )
    add("--scale", choices=SCALES, default="default", help="how much is computed")
    add("--jobs", type=int, metavar="N", help="at once (default: cores)")
    add(
        "--out",
        type=Path,
        metavar="DIR",
        help="where the results go (default: reports)",
    )
    add(
        "--refresh",
        action="store_true",
        help="only record: a new verdict is no failure",
    )
    return parser
