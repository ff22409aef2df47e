"""A cluster of Dask that the commands use: workers started here for one command, or those at an address.

Notebooks and experiments are processes that read the clone and write into the folder of reports. So all workers must
see both at the same paths, as on a shared file system, and have the same code: that is checked at the start.
"""

import contextlib
import logging
import os
import platform
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from argparse import ArgumentTypeError
from functools import cache
from pathlib import Path

from ..claims.files import PACKAGE
from .execute import VARIABLE
from .processes import Family
from .project import Usage, digest, package_texts

__all__ = ["HELP", "code_digest", "connected", "place", "use_workers"]

HELP = (
    "run on workers of Dask: local:N starts N processes here, tcp://HOST:8786 is a scheduler whose workers have the "
    "same environment and see the clone and the folder of reports at the same paths (a shared file system)"
)
CONNECT_SECONDS = 8
START_SECONDS = 120  # for workers of this machine, which may be loaded


def place(text):
    """The argument of ``--cluster``: ``local:N`` or the address of a scheduler."""
    if text.startswith("local:"):
        if not (text[6:].isdecimal() and int(text[6:])):
            raise ArgumentTypeError(f"local:N needs a number of processes above 0; got {text}")
    elif not text.rpartition(":")[2].isdecimal() or text.startswith(":"):
        raise ArgumentTypeError(f"must be local:N or the address of a scheduler, such as tcp://host:8786; got {text}")
    return text


@contextlib.contextmanager
def connected(where, folder=None, stop=None):
    """A client of the cluster at `where`, which `place` has read; workers started here end with the context.

    Every worker must have the code of this process and, where a `folder` is given, see and be allowed to write it.
    """
    try:
        from distributed import Client
    except ModuleNotFoundError as error:
        raise Usage(f'--cluster needs {error.name}: pip install -e ".[cluster]" in the clone.') from None
    with contextlib.ExitStack() as stack:
        _silence()
        address = stack.enter_context(_local(int(where[6:]), stop)) if where.startswith("local:") else where
        if address is None:  # a signal came first
            raise Usage("The workers were not started: interrupted.")
        try:
            client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError) as error:
            says = str(error).partition("\n")[0].rstrip(".")
            raise Usage(f"There is no scheduler at {address}: {says}. Start one with `dask scheduler`.") from None
        stack.enter_context(client)
        _check(client, address, folder)
        yield client


def use_workers():
    """Let the joblib loops of this process's main thread run on the workers that ``$TOOLKIT_CLUSTER`` names."""
    import joblib
    from distributed import Client

    _silence()
    joblib.parallel_config("dask", client=Client(os.environ[VARIABLE], timeout=CONNECT_SECONDS))


@cache
def code_digest():
    """Digest of the package and of Python's version. A worker keeps it: one started before a change is found out."""
    return digest(platform.python_version(), package_texts())


@contextlib.contextmanager
def _local(n_workers, stop):
    """The address of a scheduler with `n_workers` processes of one thread, in a session of their own; None if stopped.

    They get no Ctrl-C, which is for this process alone. Where it dies, their input ends, and so do they.
    """
    command = [sys.executable, "-m", "toolkit.report.workers", str(n_workers)]
    with tempfile.TemporaryFile("w+", errors="replace") as said:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": said, "text": True}
        process = subprocess.Popen(command, cwd=PACKAGE.parent, start_new_session=True, **pipes)
        family, lines = Family(process.pid), []
        reader = threading.Thread(target=lambda: lines.append(process.stdout.readline().strip()), daemon=True)
        reader.start()
        try:
            deadline = time.monotonic() + START_SECONDS
            while reader.is_alive() and not stop and time.monotonic() < deadline:
                reader.join(0.2)
            if not stop and not (lines and lines[0]):
                said.seek(0)
                why = (said.read().strip().splitlines() or [f"nothing came in {START_SECONDS} s"])[-1]
                raise Usage(f"The workers of local:{n_workers} could not be started: {why}.")
            yield None if stop else lines[0]
        finally:
            family.look()  # the workers, and what they run, while their parents are there to tell
            process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(5)
            family.kill(0)
            process.wait()
            process.stdout.close()


def _check(client, address, folder):
    """Raise `Usage` for the first worker that cannot do the work."""
    with contextlib.suppress(TimeoutError):
        client.wait_for_workers(1, timeout=CONNECT_SECONDS)
    token = None if folder is None else Path(folder) / f".cluster-{uuid.uuid4().hex}"
    if token:
        token.write_text(token.name, encoding="utf-8")
    try:
        found = client.run(_looker(code_digest(), token and str(token)), on_error="return")
    finally:
        if token:
            token.unlink(missing_ok=True)
    if not found:
        raise Usage(f"The scheduler at {address} has no workers. Start some with `dask worker {address}`.")
    for worker, problem in found.items():
        if problem:
            raise Usage(f"The worker {worker} cannot do the work: {problem}.")


def _looker(code, token):
    """Function without arguments that says what a worker lacks; sent by value, as the worker may lack the package."""

    def look():
        import os
        from pathlib import Path

        try:
            from toolkit.report.cluster import code_digest
        except Exception as error:
            return f"`import toolkit` fails there ({type(error).__name__}: {error}); install the clone there too"
        if code_digest() != code:
            return "it has other code or another Python; update the clone there, and start the worker anew"
        if token and not os.path.isfile(token):
            return f"it does not see {Path(token).parent}; the folder must be on a file system that all share"
        if token and not os.access(Path(token).parent, os.W_OK):
            return f"it may not write to {Path(token).parent}; choose another folder with --out DIR"
        return ""

    return look


def _silence():
    """Dask logs each connection that ends; what matters is told by the commands."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
