"""Signals that ask a program for its end, and the end of all that it has started."""

import contextlib
import os
import signal
import sys
import time

POLL_SECONDS = 0.5


@contextlib.contextmanager
def caught_signals(kept):
    """Ctrl-C and SIGTERM as numbers in a list to be looked at, not as an exception.

    The handlers that were there before come back at its end; then an interrupted
    program says what it has `kept`, and ends with 128 plus the number. SIGINT is taken
    also where it was ignored from the start, as it is for a command in the background.
    """
    caught = []
    before = {
        each: signal.signal(each, lambda signum, _: caught.append(signum))
        for each in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield caught
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
    if caught:
        print(f"Interrupted: {kept}.", file=sys.stderr)
        raise SystemExit(128 + caught[0])


def end_group(pid, grace=2.0):
    """End the process group of a process, if there is one, also after that process.

    Its members have `grace` seconds to end by themselves, as joblib's cleaner needs.
    """
    end = time.monotonic() + grace
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGTERM)
        while time.monotonic() < end:
            os.killpg(pid, 0)  # raises once all are gone
            time.sleep(0.02)
        os.killpg(pid, signal.SIGKILL)
