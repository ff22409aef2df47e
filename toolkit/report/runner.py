"""Notebooks executed in parallel under one progress bar, with limits on each; a signal ends them, finished ones stay.

The limit is in processor time of a notebook with all that it starts, so that a loaded
machine fails nothing. A notebook that uses no processor time at all for long waits for
something that does not come, and is ended too.
"""

import sys
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path

from .execute import execute
from .processes import POLL_SECONDS, Family

IDLE_SECONDS = 600.0  # without progress, after which a notebook counts as hanging
# part of a core below which that is no progress: kernels at rest poll their channels
MIN_LOAD = 0.005


@dataclass(eq=False)
class Execution:
    """A notebook file to be executed, and how far that came.

    Its kernel starts in `cwd` with `environment`. `expected` are the seconds of each
    cell the last time. `nb` is the notebook as executed so far, `cell` the index of the
    cell that runs, `error` what `fail` notes, or None.
    """

    name: str
    notebook: Path
    cwd: Path
    environment: dict
    parameters: dict = field(default_factory=dict)
    expected: list = field(default_factory=lambda: [1.0])
    nb: dict | None = None
    cell: int = 0
    error: dict | None = None
    family: Family | None = None
    used: float = 0.0  # processor time when it was last seen to grow
    idle: int = 0  # looks since then

    @property
    def steps(self):
        """Seconds of each cell."""
        return [
            (cell.metadata.get("papermill") or {}).get("duration") or 0.0
            for cell in self.nb.cells
        ]

    def fail(self, name, says, cell=None, lines=()):
        """Note why it failed: the exception, its message, the cell, the traceback; the first reason counts."""
        self.error = self.error or {
            "name": name,
            "says": says,
            "cell": cell,
            "lines": list(lines),
        }

    def end(self):
        if self.family is not None:
            self.family.end()

    def watch(self, limit, idle):
        """End it where it has used more processor time than `limit`, or none for `idle` seconds."""
        if self.family is None:
            return
        self.family.look()
        self.idle += 1
        if self.family.seconds - self.used > MIN_LOAD * idle:
            self.used, self.idle = self.family.seconds, 0
        if self.family.seconds > limit:
            says = (
                f"used more than the limit of {limit:g} s of processor time; allow more"
                " with TIMEOUT=SECONDS (make)"
            )
            self.fail("Timeout", f"{says} or --timeout SECONDS", self.cell)
            self.end()
        elif self.idle * POLL_SECONDS > idle:
            says = (
                f"used no processor time for {idle:g} s: it waits for something that"
                " does not come"
            )
            self.fail("Hang", says, self.cell)
            self.end()


def run_notebooks(
    runs, n_jobs, limit, stop, finished=lambda run: None, idle=IDLE_SECONDS
):
    """Execute `runs`, at most `n_jobs` at a time; those that came to an end, by themselves or by a limit.

    ``finished(run)`` is called for each of these as soon as it has ended: what is done
    there is kept when `stop`, the signals that ask for an end, interrupts a later one.
    Its own errors are those of that notebook.
    """
    from tqdm import tqdm

    layout = "{percentage:3.0f}% |{bar:24}| {elapsed}, {remaining} left{postfix}"
    total = sum(sum(run.expected) for run in runs)
    shown = {
        "total": total,
        "smoothing": 0,
        "bar_format": layout,
        "dynamic_ncols": True,
        "disable": None,
    }
    ended = []
    with tqdm(**shown) as bar, ThreadPoolExecutor(n_jobs) as pool:

        def say(run, what):
            tqdm.write(f"{run.name}: {what}", file=sys.stderr)

        def work(run):
            if stop:
                return
            if bar.disable:
                say(run, "started")
            try:
                execute(run)
            finally:
                run.end()  # what it left behind

        waiting = {pool.submit(work, run): run for run in runs}
        try:
            while waiting:
                done, _ = wait(
                    waiting, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED
                )
                for future in done:
                    run = waiting.pop(future)
                    future.result()
                    if not stop:
                        _conclude(run, finished)
                        ended.append(run)
                        say(
                            run,
                            f"{'FAILED' if run.error else 'done'}, {len(ended)} of"
                            f" {len(runs)}",
                        )
                for run in waiting.values():
                    run.watch(limit, idle)
                    if stop:
                        run.end()
                # cells that have ended move the bar by what they took the last time
                bar.n = total - sum(
                    sum(run.expected[run.cell :]) for run in waiting.values()
                )
                running = [run for run in waiting.values() if run.nb is not None]
                bar.set_postfix_str(
                    "; ".join(
                        f"{run.name} cell {run.cell + 1}/{len(run.nb.cells)}"
                        for run in running
                    )
                )
        finally:
            for future, run in waiting.items():
                future.cancel()
                run.end()
    return ended


def _conclude(run, finished):
    try:
        finished(run)
    except Exception as error:  # it must not fail the others
        run.fail(type(error).__name__, str(error))
