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
    """Show bars on the error stream of a notebook in a widget, removed at the end.

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
    """An error stream that shows lines written over others, as bars do, in a widget."""

    def __init__(self, stream):
        self.stream, self.widget, self.shown = stream, None, None

    def write(self, text):
        if not text.startswith("\r"):
            return self.stream.write(text)
        # a line written over another is a bar, an empty one its end
        if bar := text.strip():
            self._show(f"<pre>{html.escape(bar)}</pre>")
        return len(text)

    def flush(self):
        self.stream.flush()

    def _show(self, value):
        import ipywidgets
        from IPython.display import display

        if self.widget is None:
            self.widget = ipywidgets.HTML(value)
            view = {
                "application/vnd.jupyter.widget-view+json": {
                    "model_id": self.widget.model_id,
                    "version_major": 2,
                    "version_minor": 0,
                }
            }
            self.shown = display(view, raw=True, display_id=True)
        self.widget.value = value

    def remove(self):
        if self.widget is not None:
            self.widget.close()
            # an output of nothing: neither shown nor stored
            self.shown.update({}, raw=True)
