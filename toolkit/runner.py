"""Several processes at once under one progress bar: a time limit each, and an end that loses nothing finished.

A job is a command. It may tell about itself on its standard output with one JSON object a line, as
`toolkit.execute` does: ``{"cell": i}`` moves the bar, ``{"error": {...}}`` says why it failed. Other lines are kept
for the report of a failure.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Job", "Outcome", "run_jobs"]

GRACE = 10  # seconds that a process gets to end by itself (and to end its kernel) before it is killed


@dataclass
class Job:
    """A command to run.

    Attributes
    ----------
    name : str
    command : list of str
    environment : dict of str
    folder : Path
        Where the job leaves its files; its error stream goes to ``stderr.txt`` there.
    steps : int
        How many steps it tells about, for the bar.
    cwd : Path or None
    fine : tuple of int
        Exit codes that mean success.
    """

    name: str
    command: list
    environment: dict
    folder: Path
    steps: int = 1
    cwd: Path | None = None
    fine: tuple = (0,)


@dataclass
class Outcome:
    """How a job ended: `error` is None, or a dict with ``cell`` (or None), ``name``, ``says`` and ``lines``."""

    seconds: float
    error: dict | None = None

    @property
    def ok(self):
        return self.error is None


def run_jobs(jobs, n_jobs, timeout, finished, stream=None):
    """Run `jobs`, at most `n_jobs` at a time.

    Parameters
    ----------
    jobs : list of Job
    n_jobs : int
    timeout : float
        Seconds allowed to each job.
    finished : callable
        ``finished(job, outcome) -> outcome`` is called for each job that ended by itself or by its time limit, one
        call at a time, as soon as it has ended: what is done there is kept when a later job is interrupted.
    stream : file, optional
        Where progress is shown, by default the error stream: a bar on a terminal, else a line for each job.

    Returns
    -------
    dict of str to Outcome, bool
        Outcomes by job name, and whether the user interrupted (then some jobs have no outcome).
    """
    outcomes, running, stopped = {}, set(), threading.Event()
    one_at_a_time = threading.Lock()

    with _Progress(jobs, stream or sys.stderr) as progress, ThreadPoolExecutor(n_jobs) as pool:

        def work(job):
            outcome = _run(job, timeout, progress, running, stopped)
            if outcome is None:
                return
            with one_at_a_time:
                try:
                    outcome = finished(job, outcome)
                except (
                    Exception
                ) as error:  # what comes after the run may fail too, and must not fail the others
                    outcome.error = {
                        "cell": None,
                        "name": type(error).__name__,
                        "says": str(error),
                        "lines": [],
                    }
                outcomes[job.name] = outcome
            progress.finish(job, outcome)

        pending = {pool.submit(work, job) for job in jobs}
        try:
            while pending:
                done, pending = wait(pending, timeout=0.5)
                for future in done:
                    future.result()
                progress.refresh()
        except KeyboardInterrupt:
            stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)
            for process in list(running):
                process.terminate()  # all at once, then each gets its time
            for process in list(running):
                _end(process)
    return outcomes, stopped.is_set()


def _run(job, timeout, progress, running, stopped):
    """Run one job to its end; None when the user stopped it."""
    if stopped.is_set():
        return None
    begin, error, cell, too_long = time.monotonic(), None, None, threading.Event()
    tail = deque(maxlen=40)
    with (
        open(job.folder / "stderr.txt", "w+", encoding="utf-8", errors="replace") as errors,
        subprocess.Popen(
            job.command,
            env=job.environment,
            cwd=job.cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            errors="replace",
            start_new_session=True,  # Ctrl-C goes to the runner alone, which decides what to end
        ) as process,
    ):
        running.add(process)
        if stopped.is_set():  # the interrupt came between the first look and the start
            _end(process)
        limit = threading.Timer(timeout, lambda: (too_long.set(), _end(process)))
        limit.start()
        for line in process.stdout:
            event = _parse(line)
            if event is None:
                tail.append(line.rstrip())
            elif "cell" in event:
                cell = event["cell"]
                progress.step(job, cell)
            else:
                error = event.get("error", error)
        process.wait()
        limit.cancel()
        running.discard(process)
        errors.seek(0)
        tail.extend(errors.read().splitlines()[-20:])
    if stopped.is_set():
        return None
    seconds = time.monotonic() - begin
    if too_long.is_set():
        error = {"cell": cell, "name": "Timeout", "says": f"passed the limit of {timeout:g} s", "lines": []}
    elif process.returncode not in job.fine and error is None:
        says = f"the process ended with exit code {process.returncode}"
        error = {"cell": cell, "name": "Failure", "says": says, "lines": list(tail)}
    return Outcome(seconds, error)


def _parse(line):
    if line.startswith("{"):
        with contextlib.suppress(ValueError):
            return json.loads(line)
    return None


def _end(process):
    """End a process and, should it not obey, all of its group."""
    with contextlib.suppress(ProcessLookupError):
        process.terminate()  # the worker alone: it then ends its kernel
    try:
        process.wait(GRACE)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


class _Progress:
    """One bar over the steps of all jobs, or, where the stream is no terminal, one line a job."""

    def __init__(self, jobs, stream):
        self.stream, self.lock = stream, threading.Lock()
        self.steps = {job.name: job.steps for job in jobs}
        self.at, self.whole = {}, 0  # cell reached in each running job; steps of the finished ones
        self.bar = None

    def __enter__(self):
        if self.steps and self.stream.isatty():
            from tqdm import tqdm

            layout = "{percentage:3.0f}% |{bar:24}| {n_fmt}/{total_fmt} cells, {elapsed}{postfix}"
            self.bar = tqdm(
                total=sum(self.steps.values()), bar_format=layout, file=self.stream, dynamic_ncols=True
            )
        return self

    def __exit__(self, *_):
        if self.bar is not None:
            self.bar.close()

    def step(self, job, cell):
        with self.lock:
            self.at[job.name] = cell
            self._show()

    def finish(self, job, outcome):
        said = "done" if outcome.ok else f"FAILED: {outcome.error['name']}: {outcome.error['says'][:200]}"
        line = f"{job.name}: {said} ({outcome.seconds:.1f} s)"
        with self.lock:
            self.at.pop(job.name, None)
            self.whole += job.steps
            if self.bar is None:
                print(line, file=self.stream, flush=True)
            else:
                self.bar.write(line, file=self.stream)
                self._show()

    def refresh(self):
        """Let the elapsed time move on while no cell ends."""
        if self.bar is not None:
            with self.lock:
                self.bar.refresh()

    def _show(self):
        if self.bar is None:
            return
        self.bar.n = self.whole + sum(self.at.values())
        self.bar.set_postfix_str(", ".join(f"{n} cell {c + 1}/{self.steps[n]}" for n, c in self.at.items()))
