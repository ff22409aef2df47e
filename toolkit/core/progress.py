"""One progress bar for all long work: `verbose=True` shows it, by default nothing is written."""

import threading
from contextlib import contextmanager

import numpy as np

from .checks import shown

__all__ = ["check_verbose", "progress"]

SECONDS_BETWEEN_BEATS = 3.0


def check_verbose(verbose):
    """`verbose` as a bool.

    Examples
    --------
    >>> check_verbose("yes")
    Traceback (most recent call last):
    ...
    ValueError: `verbose` must be True or False; got 'yes'.
    """
    if not isinstance(verbose, bool | np.bool_ | int) or verbose not in (0, 1):
        raise ValueError(f"`verbose` must be True or False; got {shown(verbose)}.")
    return bool(verbose)


@contextmanager
def progress(total, what, verbose):
    """A function that counts steps done: a bar with the time left, by tqdm where it is there.

    Examples
    --------
    >>> with progress(3, "rows", verbose=False) as done:
    ...     done(2)
    """
    if not check_verbose(verbose):
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
