"""Figures are drawn without a screen, and closed after each test."""

import matplotlib
from pytest import fixture

matplotlib.use("agg")

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.text import Text


@fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@fixture
def publications(monkeypatch):
    """[(data, options)] of what a notebook shows."""
    displayed = []
    monkeypatch.setattr(
        "IPython.display.display",
        lambda data, **options: displayed.append((data, options)),
    )
    return displayed


@fixture
def apart():
    """Function (display): how many names it has, all in the frame and apart."""

    def check(display):
        display.figure_.draw_without_rendering()
        frame = display.ax_.get_window_extent()
        # the text alone, not its leading line
        boxes = [Text.get_window_extent(text) for text in display.ax_.texts]
        assert not any(
            a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i]
        )
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
def shows():
    """Function (display, points): whether a mark lies at each of the points."""

    def check(display, *points):
        drawn = np.vstack(
            [marks.get_offsets() for marks in display.ax_.collections]
        )
        return all(
            np.isclose(drawn, point).all(axis=1).any()
            for point in np.vstack(points)
        )

    return check


@fixture(scope="session")
def labelled():
    """Samples with labels, some with two: tables X and Y."""
    rng = np.random.default_rng(0)
    Y = np.eye(4, dtype=int)[np.arange(80) % 4]
    Y[::5, 1] = 1
    X = Y @ rng.normal(size=(4, 6)) + rng.normal(size=(80, 6))
    return pd.DataFrame(X, columns=list("abcdef")), pd.DataFrame(
        Y, columns=["sea", "sky", "sand", "city"]
    )
