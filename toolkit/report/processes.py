"""Signals that ask a program for its end, and the end of all that it has started."""

import contextlib
import os
import signal
import subprocess
import sys
import time

POLL_SECONDS = 0.5
GRACE_SECONDS = 2.0


@contextlib.contextmanager
def caught_signals(kept):
    """Ctrl-C and SIGTERM as numbers in a list to be looked at, not as an exception.

    The handlers that were there before come back at its end; then an interrupted
    program says what it has `kept`, and ends with 128 plus the number. SIGINT is taken
    also where it was ignored from the start, as it is for a command in the background.
    """
    caught = []
    handlers_before = {}
    for signum in (signal.SIGINT, signal.SIGTERM):
        handlers_before[signum] = signal.signal(
            signum, lambda signum, _: caught.append(signum)
        )
    try:
        yield caught
    finally:
        for signum, handler in handlers_before.items():
            signal.signal(signum, handler)
    if caught:
        print(f"Interrupted: {kept}.", file=sys.stderr)
        raise SystemExit(128 + caught[0])


def run_process(command, stop, *, cwd, env):
    """Run a program in a separate group to its end; its exit code.

    It is ended, with all that it has started, as soon as `stop` holds a signal. Its
    standard input is a pipe that closes with this process. Its error stream is shown on
    a terminal only.
    """
    stderr = None
    if not sys.stderr.isatty():
        stderr = subprocess.DEVNULL
    process = subprocess.Popen(
        command,
        cwd=cwd,
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=stderr,
        start_new_session=True,
    )
    try:
        while process.poll() is None and not stop:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(POLL_SECONDS)
        if process.poll() is None:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(GRACE_SECONDS)
    finally:
        # What it has left behind, and the process itself if it did not end.
        end_group(process.pid)
    return process.wait()


def end_group(pid, grace=GRACE_SECONDS):
    """End the process group of a process, if there is one, also after that process.

    Its members have `grace` seconds to end by themselves, as joblib's cleaner needs.
    """
    end = time.monotonic() + grace
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGTERM)
        while time.monotonic() < end:
            # This raises once all are gone.
            os.killpg(pid, 0)
            time.sleep(0.02)
        os.killpg(pid, signal.SIGKILL)
