"""Bars of progress, on a terminal and in notebooks, where they leave no empty box."""

import contextlib
import html
import io
import sys

QUIET_SECONDS = 1.0  # work that is done by then shows no bar


def track(steps, what):
    """Yield the `steps` one by one, with a bar of those done and the time left.

    `what` they are stands before it.

    Examples
    --------
    >>> list(track(range(3), "maps"))
    [0, 1, 2]
    """
    from tqdm import tqdm

    with transient_bars():
        yield from tqdm(
            list(steps),
            desc=what,
            unit="map",
            file=sys.stderr,
            leave=False,
            delay=QUIET_SECONDS,
        )


@contextlib.contextmanager
def transient_bars():
    """Show bars on the error stream of a notebook in an output, empty at the end.

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
        if stream.shown is not None:
            # an output of nothing: neither shown nor stored
            stream.shown.update({}, raw=True)


class BarStream(io.TextIOBase):
    """An error stream whose lines written over others, as bars are, are one output."""

    def __init__(self, stream):
        self.stream, self.shown = stream, None

    def write(self, text):
        from IPython.display import HTML, display

        if not text.startswith("\r"):
            return self.stream.write(text)
        # a line written over another is a bar, an empty one its end
        if bar := text.strip():
            bar = HTML(f"<pre>{html.escape(bar)}</pre>")
            if self.shown is None:
                self.shown = display(bar, display_id=True)
            else:
                self.shown.update(bar)
        return len(text)
