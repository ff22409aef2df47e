"""One progress bar for all long work: `verbose=True` shows it, by default nothing is written."""

from contextlib import contextmanager

from .checks import check_flag

__all__ = ["progress"]


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
    with tqdm(total=total, desc=what, mininterval=0.5, leave=False) as bar:
        yield bar.update
