"""Progress of a library's descent, read from the lines that it prints."""

import contextlib
import io
import re
import sys

__all__ = ["watched"]


@contextlib.contextmanager
def watched(callback, pattern):
    """Call `callback(iteration, cost)` for lines printed within that match the two groups of `pattern`."""
    shown = sys.stdout

    def call(iteration, cost):
        with contextlib.redirect_stdout(shown):  # so that a callback may print
            callback(iteration, cost)

    with contextlib.redirect_stdout(_Lines(call, re.compile(pattern))):
        yield


class _Lines(io.TextIOBase):
    """A stream that reads instead of showing."""

    def __init__(self, callback, pattern):
        self.callback, self.pattern, self.rest = callback, pattern, ""

    def write(self, text):
        *lines, self.rest = (self.rest + text).split("\n")
        for line in lines:
            if found := self.pattern.search(line):
                self.callback(int(found[1]), float(found[2]))
        return len(text)
