"""The jobs of `toolkit.report.runner` on the workers of a cluster, each a task: a process beside the worker.

A task watches its process as the runner does, and tells which cell has begun. Where a worker dies, Dask gives its task
to another one, up to three times; jobs that have ended are kept. A task whose future is cancelled, because a signal
came or the command is gone, ends its process.
"""

import contextlib
import os
import sys
import time
import uuid
from dataclasses import replace

from ..claims.files import PACKAGE
from .cluster import code_digest
from .execute import FIXED, KERNELS, THREADS
from .processes import Stop
from .progress import Progress
from .project import Usage
from .runner import GRACE_SECONDS, POLL_SECONDS, Outcome, concluded, failure, run_jobs

__all__ = ["run_on"]


def run_on(client, jobs, timeout, finished, stream=None, stop=None):
    """Run `jobs` on the workers of `client`; arguments and results are those of `run_jobs`.

    The environment of a job is the worker's, with the variables that decide results as here. The command starts with
    the worker's Python. Each thread of a worker runs one job.
    """
    outcomes, waiting, running = {}, list(jobs), {}
    with contextlib.ExitStack() as stack:
        stop = stack.enter_context(Stop()) if stop is None else stop
        progress = stack.enter_context(Progress(jobs, _threads(client) or 1, stream or sys.stderr))
        told = stack.enter_context(_Told(client, jobs, progress))
        while (waiting or running) and not stop:
            for job in waiting[: max(_threads(client) - len(running), 0)]:
                waiting.remove(job)
                progress.start(job)
                options = {"key": f"{job.name}-{told.topic}", "pure": False, "retries": 0}
                running[client.submit(_task, _portable(job), timeout, told.topic, code_digest(), **options)] = job
            time.sleep(POLL_SECONDS)
            for future in [future for future in running if future.done()]:
                job = running.pop(future)
                outcomes[job.name] = outcome = concluded(finished, job, _outcome(future))
                progress.finish(job, outcome)
            progress.refresh()
        client.cancel(list(running))
        told.wait_for_ends()
    return outcomes, bool(stop)


def _threads(client):
    """Threads of all workers now: workers may come and go."""
    if client.status == "closed":
        raise Usage("The scheduler has gone. What is finished is kept: start a cluster, and call again.")
    with contextlib.suppress(OSError):  # without a connection, as the futures will say too
        return sum(client.nthreads().values())
    return 0


def _outcome(future):
    from distributed import KilledWorker

    try:
        return future.result()
    except KilledWorker as error:
        says = f"the worker died each time that this ran ({error.allowed_failures + 1} times); perhaps out of memory"
        return Outcome(0.0, failure("KilledWorker", says))
    except Exception as error:  # of the cluster: those of a job are in its outcome
        return Outcome(0.0, failure(type(error).__name__, f"the cluster lost the task ({error})"))


def _portable(job):
    """The job with those variables only that another machine must have as here."""
    sent = {name: value for name, value in job.environment.items() if name in FIXED | THREADS or _ours(name)}
    return replace(job, environment=sent)


def _ours(name):
    return name.startswith("TOOLKIT_")


class _Told:
    """What tasks tell while they run, as events of Dask: passed on to the progress; which of them run now."""

    def __init__(self, client, jobs, progress):
        self.client, self.progress, self.topic = client, progress, f"toolkit-{uuid.uuid4().hex}"
        self.jobs, self.seen, self.busy = {job.name: job for job in jobs}, set(), set()

    def __enter__(self):
        self.client.subscribe_topic(self.topic, self._hear)
        return self

    def __exit__(self, *_):
        self.client.unsubscribe_topic(self.topic)

    def wait_for_ends(self):
        """Wait until the processes of tasks that were cancelled have ended, or a dead worker's cannot say so."""
        deadline = time.monotonic() + 1.5 * GRACE_SECONDS
        while self.busy and time.monotonic() < deadline:
            time.sleep(0.1)

    def _hear(self, event):
        _, told = event
        job = self.jobs[told["job"]]
        if told.get("ended"):
            self.busy.discard(job.name)
        elif told.get("begins"):
            if job.name in self.seen:
                self.progress.again(job, f"its worker died; again on {told['at']}")
            self.seen.add(job.name)
            self.busy.add(job.name)
        else:
            self.progress.step(job, told["cell"])


# ---- on a worker ----


def _task(job, timeout, topic, code):
    """Run a job beside this worker; its outcome, None if nobody waits for it any more."""
    from distributed import get_worker

    worker = get_worker()
    if code_digest() != code:  # a worker that has come later
        says = f"the worker {worker.address} has other code or another Python than the command"
        return Outcome(0.0, failure("Worker", says))
    # Loops within a job stay on its thread: the other ones of the machine have jobs of their own.
    environment = {name: value for name, value in os.environ.items() if not _ours(name)}
    environment |= KERNELS | {"LOKY_MAX_CPU_COUNT": "1"} | job.environment
    command = [sys.executable, *job.command[1:]]
    here = replace(job, command=command, environment=environment, cwd=job.cwd or str(PACKAGE.parent))
    with _Telling(worker, topic, job.name) as telling:
        stop = _Cancelled(worker, worker.get_current_task())
        outcomes, _ = run_jobs([here], 1, timeout, lambda _, outcome: outcome, stop=stop, progress=telling)
    return outcomes.get(job.name)


class _Cancelled:
    """True as soon as nobody waits for the result of a task: then the scheduler has told its worker to forget it."""

    count = 1  # as the first of signals: the process may end by itself

    def __init__(self, worker, key):
        self.worker, self.key = worker, key

    def __bool__(self):
        task = self.worker.state.tasks.get(self.key)
        return task is None or task.state not in ("executing", "long-running")


class _Telling:
    """The progress of a job, told to the command."""

    def __init__(self, worker, topic, name):
        self.worker, self.topic, self.name = worker, topic, name

    def __enter__(self):
        self._tell(begins=True, at=self.worker.address)
        return self

    def __exit__(self, *_):
        self._tell(ended=True)

    def _tell(self, **what):
        self.worker.log_event(self.topic, {"job": self.name} | what)

    def step(self, _, number):
        self._tell(cell=number)

    def start(self, _):
        """The command has noted it."""

    def finish(self, _, outcome):
        """The command gets the outcome."""

    def refresh(self):
        """The command's bar moves by itself."""
