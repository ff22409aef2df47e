"""Bar and line charts of feature relevance: bounds, profiles over the neighbourhood, errors, coefficient paths."""

import numpy as np

from .drawing import CLASS_COLORS, CLASS_MARKERS, Display

__all__ = ["BoundsDisplay", "CurvesDisplay"]

DASHES = ("-", "--", "-.", ":")


class BoundsDisplay(Display):
    """Bounds on the relevance of each feature: black bars up to the upper bound, white ones up to the lower bound.

    A white bar: the feature cannot be replaced; black without white: it can; no bar: it does not matter.

    Parameters
    ----------
    lower, upper : array-like of shape (d,), lower <= upper
    names : sequence of d str, optional, by default X1, X2, ...
    positions : array-like of shape (d,), optional
        Rising positions along the axis, such as wavelengths; then no names are written.

    Examples
    --------
    >>> BoundsDisplay([0.0, 1.0], [2.0, 3.0]).names
    ['X1', 'X2']
    """

    def __init__(self, lower, upper, names=None, *, positions=None):
        self.lower, self.upper = (np.asarray(a, dtype=float) for a in (lower, upper))
        d = len(self.lower) if self.lower.ndim == 1 else 0
        if not d or self.upper.shape != (d,):
            shapes = f"{self.lower.shape} and {self.upper.shape}"
            raise ValueError(f"`lower` and `upper` must have one shape (d,); got {shapes}.")
        rounding = 1e-9 * np.abs(self.upper).max()
        if not np.isfinite([self.lower, self.upper]).all() or (self.lower > self.upper + rounding).any():
            raise ValueError("`lower` must nowhere exceed `upper`, and both must be finite.")
        self.names = _names(names, d)
        self.positions = None if positions is None else np.asarray(positions, dtype=float)
        at = np.arange(d) if positions is None else self.positions
        if len(self.names) != d or at.shape != (d,) or not (np.diff(at) > 0).all():
            raise ValueError(f"`names` and `positions` must hold one entry per feature ({d}), positions rising.")

    def plot(self, ax=None, *, title="", ylabel="relevance", xlabel="", limit=None):
        """Draw the bars.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        title, ylabel, xlabel : str
        limit : float, optional, upper end of the axis; panels that are compared share one
        """
        ax, d = self._canvas(ax, (6.4, 3.2)), len(self.lower)
        at, width, inner, edge = np.arange(d), 0.72, 0.72, 0.8
        if self.positions is not None:
            at, edge = self.positions, 0.0
            width = np.diff(at).min() if d > 1 else 1.0
            inner = 0.6 * width
        ax.bar(at, self.upper, width, color="black", edgecolor="black", lw=edge, label="upper bound")
        lower = np.where(self.lower > 0, self.lower, np.nan)
        ax.bar(at, lower, inner, color="white", edgecolor="black", lw=0.8, label="lower bound")
        ax.axhline(0, color="0.3", lw=0.8)
        ax.set_ylim(min(0.0, 1.05 * self.lower.min()), limit)
        ax.margins(x=0.02)
        if self.positions is None:
            step = max(1, -(-d // 20))
            ax.set_xticks(at[::step], self.names[::step], rotation=0 if max(map(len, self.names)) < 5 else 40)
        return self._finish(ax, title, (xlabel, ylabel))


class CurvesDisplay(Display):
    """One line per feature, or per other thing with a name: relevance profiles, paths of coefficients, errors.

    Parameters
    ----------
    x : array-like of shape (m,), m >= 1
    curves : array-like of shape (m, d), one line per column
    names : sequence of d str, optional

    Examples
    --------
    >>> CurvesDisplay([1, 2], [[0.0, 1.0], [2.0, 3.0]]).names
    ['X1', 'X2']
    """

    def __init__(self, x, curves, names=None):
        self.x, self.curves = np.asarray(x, dtype=float), np.asarray(curves, dtype=float)
        if self.curves.ndim != 2 or not self.curves.size or self.x.shape != self.curves.shape[:1]:
            shapes = f"{self.x.shape} and {self.curves.shape}"
            raise ValueError(f"`x` and `curves` must have shapes (m,) and (m, d); got {shapes}.")
        d = self.curves.shape[1]
        self.names = _names(names, d)
        if len(self.names) != d:
            raise ValueError(f"`names` must hold one name per curve ({d}); got {len(self.names)}.")

    def plot(
        self, ax=None, *, title="", xlabel="", ylabel="", limit=None, marks=False, named=6, log=False, legend=False
    ):
        """Draw the lines, each with its name at its end.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        title, xlabel, ylabel : str
        limit : float, optional, upper end of the axis
        marks : bool, also a mark at each value
        named : int, number of lines with colours and names, those of the largest mean absolute value; others are grey
        log : bool, logarithmic abscissa
        legend : bool, names in a legend, for lines that end in one point
        """
        ax = self._canvas(ax, (5.4, 3.4))
        size = np.abs(self.curves).mean(axis=0)
        chosen = np.sort(np.argsort(-size, kind="stable")[:named])
        for j in np.setdiff1d(np.arange(len(self.names)), chosen):
            ax.plot(self.x, self.curves[:, j], color="0.75", lw=1, zorder=1)
        for i, j in enumerate(chosen):
            style = {"color": CLASS_COLORS[i % 8], "ls": DASHES[i % 4], "lw": 1.8, "label": self.names[j]}
            if marks:
                style |= {"marker": CLASS_MARKERS[i % 8], "ms": 4}
            ax.plot(self.x, self.curves[:, j], **style)
        if log:
            from matplotlib.ticker import NullLocator

            ax.set_xscale("log")
            ax.xaxis.set_major_formatter("{x:g}")
            ax.xaxis.set_minor_locator(NullLocator())
        if limit is not None:
            ax.set_ylim(top=limit)
        if legend:
            ax.legend(frameon=False, fontsize=8)
        else:
            self._write_names(ax, chosen)
        return self._finish(ax, title, (xlabel, ylabel))

    def _write_names(self, ax, chosen):
        """Names to the right of the lines' ends, pushed apart where they would cover each other."""
        low, high = ax.get_ylim()
        gap = 0.062 * (high - low)
        ends = self.curves[-1, chosen]
        order = np.argsort(ends, kind="stable")
        heights = ends[order].astype(float)
        for i in range(1, len(heights)):
            heights[i] = max(heights[i], heights[i - 1] + gap)
        for i in reversed(range(len(heights))):  # back from the upper end
            heights[i] = min(heights[i], heights[i + 1] - gap if i + 1 < len(heights) else high)
        style = {"textcoords": "offset points", "va": "center", "fontsize": 8, "annotation_clip": False}
        for height, i in zip(heights, order, strict=True):
            end = {"xy": (1.0, height), "xycoords": ax.get_yaxis_transform(), "xytext": (4, 0)}
            ax.annotate(self.names[chosen[i]], color=CLASS_COLORS[i % 8], **end, **style)


def _names(names, d):
    return [f"X{j + 1}" for j in range(d)] if names is None else [str(name) for name in names]
