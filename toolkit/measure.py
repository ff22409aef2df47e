"""``python -m toolkit measure``: measure the claims whose stored entry is out of date.

Experiments of ``tests/claims`` run with pytest, several at a time; notebooks run as reports. Both leave what they
measured in ``reports/claims``, and what is there and up to date is not measured again. No tracked file is changed:
`make refresh` writes the ledger.
"""

import argparse
import contextlib
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

from toolkit import claims
from toolkit.claims.claim import SCALES
from toolkit.claims.stale import experiment_of, project_root, why_stale
from toolkit.execute import kernel_environment

__all__ = ["main"]

EXPERIMENTS = "experiments"  # folder of their results beside those of the notebooks
GRACE = 20  # seconds for the tests to end by themselves


def main(argv=None):
    """Run the command; 0 if all is as stored, 1 if a verdict is another one, or an entry stays out of date."""
    options = _parser().parse_args(argv)
    root = project_root()
    if root is None:
        print("toolkit measure needs a clone: the experiments are not in the wheel.", file=sys.stderr)
        return 2
    out = (options.out or root / "reports").resolve()
    folder = out / "claims"
    wanted = _wanted(claims.committed(), claims.read_fragments(folder), options)
    sources = [experiment_of(id) for id in wanted]
    tests = sorted({source.name for source in sources if source.test})
    notebooks = sorted({source.name for source in sources if not source.test})
    sizes = f"{len(tests)} tests, {len(notebooks)} notebooks"
    why = " (`python -m toolkit claims --stale` says why)" if wanted else ": every stored entry is up to date"
    print(f"{len(wanted)} claim{'s' * (len(wanted) != 1)} to measure, by {sizes}{why}.", flush=True)
    environment = kernel_environment(
        TOOLKIT_CLAIMS_DIR=str(folder / EXPERIMENTS),
        TOOLKIT_SCALE=options.scale,
        TOOLKIT_MEASURE="1",
        TOOLKIT_REFRESH="1" if options.refresh else None,  # then a new verdict is no failure
        TOOLKIT_FIGURES=None,
        MPLBACKEND="agg",
    )
    failed, closing = 0, ""
    if notebooks:
        report = [sys.executable, "-m", "toolkit", "report", *notebooks, "--scale", options.scale]
        report += ["--out", str(out), "--force"]
        failed |= _run(report, environment, root)[0]
    if tests:
        spread = ["-n", str(options.jobs), "--dist", "loadgroup"] if options.jobs > 1 else ["-p", "no:xdist"]
        quiet = ["-v", "--no-header", "--color=no", "-p", "no:cacheprovider", "--durations=20", "-m", ""]
        command = [sys.executable, "-m", "pytest", *spread, *quiet, *tests]
        code, closing = _run(command, environment, root)
        failed |= code
    return _tell(wanted, folder, options, failed, closing)


def _wanted(stored, fresh, options):
    """Ids of the claims to be measured, in the order of the ledger."""
    if unknown := [word for word in options.only if not any(id.startswith(word) for id in stored)]:
        raise SystemExit(f"toolkit measure: no claim's id begins with {unknown[0]!r}.")
    ids = [id for id in stored if id.startswith(tuple(options.only or [""])) and experiment_of(id)]
    if options.force:
        return ids
    return [
        id
        for id in ids
        if why_stale(id, stored[id], options.scale)
        and (id not in fresh or why_stale(id, fresh[id], options.scale))
    ]


def _tell(wanted, folder, options, failed, closing):
    """Print the table, what is not as stored, and pytest's closing line; return the exit code."""
    stored, fresh = claims.committed(), claims.read_fragments(folder)
    fresh = {id: entry for id, entry in fresh.items() if not why_stale(id, entry, options.scale)}
    print(claims.format_table(claims.table(stored, fresh, options.only or None)))
    worse = [id for id in claims.check(stored, fresh) if not options.refresh]
    left = [id for id in wanted if id not in fresh and why_stale(id, stored[id], options.scale)]
    for id in worse:
        print(
            f"{id} got worse: {stored[id]['verdict']} is stored, this run {fresh[id]['verdict']}.",
            file=sys.stderr,
        )
    for id in left:
        print(f"{id} stays out of date: {why_stale(id, stored[id], options.scale)}.", file=sys.stderr)
    if closing:
        print(closing)
    return 1 if failed or worse or left else 0


def _run(command, environment, root):
    """Run a command and show what it prints; its exit code and its last line between ``=`` signs.

    Whatever ends this process, Ctrl-C, SIGTERM or SIGHUP, ends the command first.
    """
    closing = ""
    options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "text": True, "errors": "replace"}
    with (
        _raising(signal.SIGTERM, signal.SIGHUP),
        subprocess.Popen(command, env=environment, cwd=root, **options) as process,
    ):
        try:
            for line in process.stdout:
                print(line, end="", flush=True)
                if re.fullmatch(r"=+ .*\b(passed|failed|skipped|error)\b.* =+\n?", line):
                    closing = line.rstrip()
            return process.wait() not in (0, 5), closing
        except BaseException:
            process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(GRACE)
            process.kill()
            raise


@contextlib.contextmanager
def _raising(*signals):
    """Within, these signals end the process by an exception, as Ctrl-C does, with exit code 128 + number."""

    def stop(number, frame):
        raise SystemExit(128 + number)

    before = {number: signal.signal(number, stop) for number in signals}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _parser():
    parser = argparse.ArgumentParser(
        prog="python -m toolkit measure", description="Measure the claims whose stored entry is out of date."
    )
    parser.add_argument("--force", action="store_true", help="measure all, also what is up to date")
    parser.add_argument(
        "--only", action="append", default=[], metavar="ID", help="only ids that begin so; repeatable"
    )
    parser.add_argument("--scale", choices=SCALES, default="default", help="how much is computed")
    parser.add_argument(
        "--jobs", type=int, default=_cores(), metavar="N", help="experiments at once (default: cores)"
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="where the results go (default: reports)")
    parser.add_argument("--refresh", action="store_true", help="only record: a new verdict is no failure")
    return parser


def _cores():
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
