"""Bars of progress, on a terminal and in notebooks, where they leave no empty box."""

import contextlib
import io
import sys

QUIET_SECONDS = 1.0  # work that is done by then shows no bar


def track(steps, title):
    """Yield the `steps` one by one, with a bar of those done and the time left.

    `title` is the text before it.

    Examples
    --------
    >>> list(track(range(3), "maps"))
    [0, 1, 2]
    """
    from tqdm import tqdm

    with transient_bars():
        yield from tqdm(
            list(steps),
            desc=title,
            unit="map",
            leave=False,
            delay=QUIET_SECONDS,
        )


@contextlib.contextmanager
def transient_bars():
    """Show bars on the error stream of a notebook as an output, emptied at the end.

    The stream itself would leave an empty box. What is no bar, such as a warning, goes
    to the stream.
    """
    from IPython import get_ipython

    if not hasattr(get_ipython(), "kernel"):
        yield
        return
    stream = BarStream(sys.stderr)
    try:
        with contextlib.redirect_stderr(stream):
            yield
    finally:
        stream.remove()


class BarStream(io.TextIOBase):
    """An error stream whose lines written over others, as bars are, are an output."""

    def __init__(self, stream):
        self.stream = stream
        self._output = None

    def write(self, text):
        if not text.startswith("\r"):
            return self.stream.write(text)
        # A line written over another is a bar, an empty one its end.
        bar = text.strip()
        if bar:
            self._show({"text/plain": bar})
        return len(text)

    def flush(self):
        self.stream.flush()

    def _show(self, data):
        """Show `data`, contents by MIME type, in the place of what was shown before."""
        from IPython.display import display

        # It is empty at first, too: what compares outputs may look at the first alone.
        if self._output is None:
            self._output = display({}, raw=True, display_id=True)
        self._output.update(data, raw=True)

    def remove(self):
        if self._output is not None:
            # An output of nothing is neither shown nor stored.
            self._show({})
