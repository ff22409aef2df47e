"""Progress of a library's descent, read from the lines that it prints."""

import contextlib
import re
import sys

__all__ = ["watched"]


@contextlib.contextmanager
def watched(callback, pattern):
    """Call `callback(iteration, cost)` from the lines that a library prints of its descent.

    Parameters
    ----------
    callback : callable or None
    pattern : str
        Regular expression with two groups: iteration and cost.

    Examples
    --------
    >>> with watched(lambda i, cost: None if i < 2 else seen.append((i, cost)), r"step (\\d+): ([\\d.e+-]+)"):
    ...     seen = []
    ...     print("step 1: 4.0")
    ...     print("step 2: 2.5e-1")
    >>> seen
    [(2, 0.25)]
    """
    if callback is None:
        yield
        return
    shown = sys.stdout

    def call(iteration, cost):
        with contextlib.redirect_stdout(shown):  # so that a callback may print
            callback(iteration, cost)

    with contextlib.redirect_stdout(_Lines(call, re.compile(pattern))):
        yield


class _Lines:
    """A stream that reads instead of showing."""

    def __init__(self, callback, pattern):
        self.callback, self.pattern, self.rest = callback, pattern, ""

    def write(self, text):
        *lines, self.rest = (self.rest + text).split("\n")
        for line in lines:
            if found := self.pattern.search(line):
                self.callback(int(found[1]), float(found[2]))
        return len(text)

    def flush(self):
        pass
