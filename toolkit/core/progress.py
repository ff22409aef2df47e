"""One progress bar for all long work: `verbose=True` shows it, by default nothing is written."""

import threading
from contextlib import contextmanager

from .checks import check_flag

__all__ = ["progress"]

SECONDS_BETWEEN_BEATS = 3.0


@contextmanager
def progress(total, what, verbose):
    """A function that counts steps done: a bar with the time left, by tqdm where it is there.

    Examples
    --------
    >>> with progress(3, "rows", verbose=False) as done:
    ...     done(2)
    """
    if not check_flag(verbose, "verbose"):
        yield lambda steps=1: None
        return
    try:
        from tqdm import tqdm
    except ImportError:
        raise ImportError("`verbose=True` needs tqdm; install it with `pip install tqdm`.") from None
    with tqdm(total=total, desc=what, mininterval=0.5, leave=False) as bar, _alive(bar):
        yield bar.update


@contextmanager
def _alive(bar):
    """Shows the time gone by every few seconds, also within a step that takes long."""
    ended = threading.Event()

    def beat():
        while not ended.wait(SECONDS_BETWEEN_BEATS):
            bar.refresh()

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
