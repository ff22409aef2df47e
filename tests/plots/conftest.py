"""Figures are drawn without a screen, and closed after each test."""

import matplotlib
from pytest import fixture

matplotlib.use("agg")

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.text import Text


@fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@fixture
def publications(monkeypatch):
    """[(data, options)] of what a notebook shows."""
    shown = []
    monkeypatch.setattr(
        "IPython.display.display", lambda data, **options: shown.append((data, options))
    )
    return shown


@fixture
def apart():
    """Function (display): how many names it has, all in the frame and apart."""

    def check(display):
        display.figure_.draw_without_rendering()
        frame = display.ax_.get_window_extent()
        # the text alone, not its leading line
        boxes = [Text.get_window_extent(text) for text in display.ax_.texts]
        assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
        assert all(
            (frame.min <= box.min).all() and (box.max <= frame.max).all()
            for box in boxes
        )
        return len(boxes)

    return check


@fixture
def legend_of():
    """Function (display): the words of the one legend of its figure."""

    def words(display):
        (legend,) = display.figure_.legends
        return [text.get_text() for text in legend.get_texts()]

    return words


@fixture
def positions():
    """Function (axes): positions of all marks on them, (q, 2)."""

    def offsets(ax):
        return np.vstack(
            [
                marks.get_offsets()
                for marks in ax.collections
                if len(marks.get_offsets())
            ]
        )

    return offsets
