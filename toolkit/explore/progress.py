"""A bar for long work: on a terminal by tqdm, in a notebook as a widget that leaves no empty box behind."""

import sys
import time

__all__ = ["counted"]

QUIET_SECONDS = 1.0  # work that is done by then shows no bar


def counted(steps, what):
    """The `steps` one by one, with a bar of the steps done and the time left; `what` they are stands before it.

    Examples
    --------
    >>> list(counted(range(3), "maps"))
    [0, 1, 2]
    """
    steps = list(steps)
    if not _in_notebook():
        from tqdm import tqdm

        yield from tqdm(steps, desc=what, unit="map", file=sys.stderr, leave=False, delay=QUIET_SECONDS)
        return
    begin, bar, shown = time.monotonic(), None, None
    try:
        for number, step in enumerate(steps):
            if bar is None and number and time.monotonic() - begin > QUIET_SECONDS:
                bar, shown = _widget(len(steps), number, what)
            yield step
            if bar is not None:
                bar.update()
    finally:
        if bar is not None:
            bar.close()
            shown.update({}, raw=True)  # an output of nothing: neither shown nor stored


def _widget(total, done, what):
    from IPython.display import display
    from tqdm.notebook import tqdm

    bar = tqdm(total=total, initial=done, desc=what, unit="map", display=False)
    view = {"model_id": bar.container.model_id, "version_major": 2, "version_minor": 0}
    return bar, display({"application/vnd.jupyter.widget-view+json": view}, raw=True, display_id=True)


def _in_notebook():
    from IPython import get_ipython

    return hasattr(get_ipython(), "kernel")
