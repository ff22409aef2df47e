"""Processes run in parallel under one progress bar, with limits on each; a signal ends them, finished ones are kept.

A job is a command. It may tell about itself on its standard output with one JSON object per line, as
`toolkit.report.execute` does: ``{"cell": i}`` moves the bar, ``{"error": {...}}`` says why it failed. Other lines are
kept for the report of a failure.

Limits are in processor time of the job with all that it started, so that a loaded machine fails nothing. The clock
counts for a job that uses no processor time at all: it waits for something that does not come.
"""

import contextlib
import json
import subprocess
import sys
import threading
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from .processes import PIPES, Family, Stop, how_it_ended
from .progress import Progress

__all__ = ["Job", "Outcome", "concluded", "failure", "run_jobs"]

POLL_SECONDS = 0.5  # between two looks at the processes
GRACE_SECONDS = 10.0  # for a process to end by itself, and to save what it has, before it is killed
IDLE_SECONDS = 600.0  # without progress, after which a job counts as hanging
MIN_LOAD = 0.005  # part of a core below which that is no progress: kernels at rest poll their channels


@dataclass
class Job:
    """A command, and the folder for its files; its error stream goes to ``stderr.txt`` there.

    It tells about `steps` steps, numbered from 0; `expected` are the seconds of each the last time, empty if unknown.
    `cwd` is the folder in which it starts, None for this process's.
    """

    name: str
    command: list
    environment: dict
    folder: Path
    steps: int = 1
    expected: list | tuple = ()
    cwd: str | None = None


@dataclass
class Outcome:
    """How a job ended: `seconds` by the clock and of each of its steps, `processor` time, and a `failure` or None."""

    seconds: float
    error: dict | None = None
    processor: float = 0.0
    steps: list | tuple = ()

    @property
    def ok(self):
        return self.error is None


def failure(name, says, cell=None, lines=()):
    """The `error` of an outcome: the cell, the exception and its message, the last lines of what was printed."""
    return {"cell": cell, "name": name, "says": says, "lines": list(lines)}


def concluded(finished, job, outcome):
    """What `finished` makes of an outcome; its own errors are the job's: they must not fail the others either."""
    try:
        return finished(job, outcome)
    except Exception as error:
        outcome.error = failure(type(error).__name__, str(error))
        return outcome


def run_jobs(jobs, n_jobs, timeout, finished, stream=None, stop=None, idle=IDLE_SECONDS, progress=None):
    """Run `jobs`, at most `n_jobs` at a time: outcomes by name, and whether a signal interrupted.

    `timeout` limits the processor time of each job with all that it starts, `idle` the clock time without any.
    ``finished(job, outcome) -> outcome`` is called for each job that ended by itself or by a limit, one call at a time,
    as soon as it has ended: what is done there is kept when a later job is interrupted. Progress goes to `stream`, by
    default the error stream, unless `progress` is an object that takes it. `stop` are signals that were asked for
    further out, by default they are caught here.
    """
    outcomes, running, one_at_a_time, over = {}, set(), threading.Lock(), threading.Event()
    with contextlib.ExitStack() as stack:
        stop = stack.enter_context(Stop()) if stop is None else stop
        if progress is None:
            progress = stack.enter_context(Progress(jobs, n_jobs, stream or sys.stderr))
        pool = stack.enter_context(ThreadPoolExecutor(n_jobs))

        def work(job):
            if stop or over.is_set():
                return
            progress.start(job)
            outcome = _run(job, progress, running)
            if stop or over.is_set():
                return
            with one_at_a_time:
                outcomes[job.name] = outcome = concluded(finished, job, outcome)
            progress.finish(job, outcome)

        pending = {pool.submit(work, job) for job in jobs}
        try:
            while pending:
                done, pending = wait(pending, timeout=POLL_SECONDS)
                for future in done:
                    future.result()
                for process in list(running):
                    process.watch(timeout, idle)
                    if stop:
                        process.end(save=False, grace=GRACE_SECONDS if stop.count == 1 else 0)
                progress.refresh()
        except BaseException:
            over.set()
            for process in list(running):
                process.family.kill(0)
            raise
    return outcomes, bool(stop)


class _Running:
    """The process of a job: the processor time of its family, and the reason if it was ended."""

    def __init__(self, process):
        self.process, self.family = process, Family(process.pid)
        self.cell, self.reason, self.deadline = None, None, None
        self.looked, self.waited, self.used = time.monotonic(), 0.0, 0.0

    def watch(self, limit, idle):
        now = time.monotonic()
        self.family.look()
        if self.family.seconds - self.used > MIN_LOAD * idle:
            self.used, self.waited = self.family.seconds, 0.0
        # A machine that slept, or a process that was halted with us, was not idle for all of that time.
        self.waited += min(now - self.looked, 10 * POLL_SECONDS)
        self.looked = now
        if self.deadline is not None:
            if now > self.deadline:
                self.family.kill(0)
        elif self.process.poll() is not None:  # what it left behind may hold its channel open
            self.end(save=False, grace=1)
        elif self.family.seconds > limit:
            says = f"used more than the limit of {limit:g} s of processor time; allow more with TIMEOUT=SECONDS (make)"
            self.end(failure("Timeout", f"{says} or --timeout SECONDS", self.cell))
        elif self.waited > idle:
            says = f"used no processor time for {idle:g} s: it waits for something that does not come"
            self.end(failure("Hang", says, self.cell))

    def end(self, reason=None, save=True, grace=GRACE_SECONDS):
        """Ask it to end; where it is to save what it has, only what it started is asked, and it notices."""
        limit = time.monotonic() + grace
        if self.deadline is None:
            self.reason, self.deadline = reason, limit
            alone = len(self.family.look()) < 2
            self.family.terminate(leader=alone or not save)
        self.deadline = min(self.deadline, limit)


def _run(job, progress, running):
    """Run one job to its end."""
    begin = time.monotonic()
    error, tail, begun = None, deque(maxlen=40), [(0, begin)]
    try:
        with open(job.folder / "stderr.txt", "w+", encoding="utf-8", errors="replace") as errors:
            # In a session of its own, Ctrl-C goes to the runner alone, which decides what to end.
            place = {"env": job.environment, "cwd": job.cwd, "start_new_session": True}
            process = subprocess.Popen(job.command, stderr=errors, **place, **PIPES)
            with process:
                one = _Running(process)
                running.add(one)
                for line in process.stdout:
                    event = _parse(line)
                    if event is None:
                        tail.append(line.rstrip())
                    elif "cell" in event:
                        begun.append((event["cell"], time.monotonic()))
                        one.cell = event["cell"]
                        progress.step(job, one.cell)
                    else:
                        error = event.get("error", error)
                begun.append((None, time.monotonic()))
                one.family.look()  # before the leader is buried, and its processor time with it
                process.wait()
                one.family.kill()  # what it left behind
                running.discard(one)
            errors.seek(0)
            tail.extend(errors.read().splitlines()[-20:])
    except OSError as problem:  # no memory for a process, no room for a file
        return Outcome(time.monotonic() - begin, failure(type(problem).__name__, str(problem)))
    if one.reason is not None:
        error = one.reason
    elif process.returncode != 0 and error is None:
        error = failure("Failure", f"the process ended: {how_it_ended(process.returncode)}", one.cell, tail)
    steps = [0.0] * job.steps
    for (step, since), (_, until) in pairwise(begun):
        if step < job.steps:
            steps[step] += until - since
    return Outcome(time.monotonic() - begin, error, one.family.seconds, steps)


def _parse(line):
    with contextlib.suppress(ValueError):
        return json.loads(line) if line.startswith("{") else None
