"""One progress bar for all long work: `verbose=True` shows it, by default nothing is written."""

from contextlib import contextmanager

from .checks import shown

__all__ = ["check_verbose", "progress"]


def check_verbose(verbose):
    """`verbose` as a bool.

    Examples
    --------
    >>> check_verbose("yes")
    Traceback (most recent call last):
    ...
    ValueError: `verbose` must be True or False; got 'yes'.
    """
    if verbose not in (True, False) or not isinstance(verbose, bool | int):
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
    with tqdm(total=total, desc=what, mininterval=0.5, leave=False) as bar:
        yield bar.update
