"""Pictures of relevance: bars between two bounds, profiles over the neighbourhood, errors, coefficient paths."""

import numpy as np

from .drawing import CLASS_COLORS, CLASS_MARKERS

__all__ = ["BoundsDisplay", "CurvesDisplay"]

DASHES = ("-", "--", "-.", ":")


def _axes(ax, size):
    from matplotlib import pyplot as plt

    if ax is not None and not hasattr(ax, "bar"):
        raise ValueError(f"`ax` must be matplotlib Axes or None; got {type(ax).__name__}.")
    return plt.subplots(figsize=size, layout="constrained")[1] if ax is None else ax


class BoundsDisplay:
    """Bounds on the relevance of each feature: black bars up to the upper bound, white ones up to the lower bound.

    A white bar says that the feature cannot be replaced, a black one without white that it can, no bar that it does not
    matter.

    Parameters
    ----------
    lower, upper : array-like of shape (d,), lower <= upper
    names : sequence of d str, optional
        X1, X2, ... by default.
    positions : array-like of shape (d,), optional
        Rising places along the axis, such as wavelengths; then no names are written.

    Attributes
    ----------
    ax_, figure_ : set by `plot`

    Examples
    --------
    >>> BoundsDisplay([0.0, 1.0], [2.0, 3.0]).names
    ['X1', 'X2']
    """

    def __init__(self, lower, upper, names=None, *, positions=None):
        self.lower, self.upper = (np.asarray(a, dtype=float) for a in (lower, upper))
        d = len(self.lower) if self.lower.ndim == 1 else 0
        if not d or self.upper.shape != (d,):
            raise ValueError(
                f"`lower` and `upper` must have one shape (d,); got {self.lower.shape} and {self.upper.shape}."
            )
        slip = 1e-9 * np.abs(self.upper).max()
        if not np.isfinite([self.lower, self.upper]).all() or (self.lower > self.upper + slip).any():
            raise ValueError("`lower` must nowhere exceed `upper`, and both must be finite.")
        self.names = [f"X{j + 1}" for j in range(d)] if names is None else [str(name) for name in names]
        self.positions = None if positions is None else np.asarray(positions, dtype=float)
        if len(self.names) != d or (
            self.positions is not None and (self.positions.shape != (d,) or not (np.diff(self.positions) > 0).all())
        ):
            raise ValueError(f"`names` and `positions` must hold one entry a feature ({d}), positions rising.")

    def plot(self, ax=None, *, title="", ylabel="relevance", xlabel="", limit=None):
        """Draw the bars.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        title, ylabel, xlabel : str
        limit : float, optional
            Upper end of the axis; panels that are compared share one.
        """
        ax = _axes(ax, (6.4, 3.2))
        d = len(self.lower)
        places = np.arange(d) if self.positions is None else self.positions
        width = 0.72 if self.positions is None else (np.diff(places).min() if d > 1 else 1.0)
        edge = {"edgecolor": "black", "linewidth": 0.8 if self.positions is None else 0.0}
        ax.bar(places, self.upper, width, color="black", label="upper bound", **edge)
        inner = width if self.positions is None else 0.6 * width
        lower = np.where(self.lower > 0, self.lower, np.nan)
        ax.bar(places, lower, inner, color="white", label="lower bound", **edge | {"linewidth": 0.8})
        ax.axhline(0, color="0.3", lw=0.8)
        ax.set_ylim(min(0.0, 1.05 * self.lower.min()), limit)
        ax.margins(x=0.02)
        ax.set_title(title, fontsize=10)
        ax.set_ylabel(ylabel, fontsize=9)
        ax.set_xlabel(xlabel, fontsize=9)
        ax.tick_params(labelsize=8)
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
        if self.positions is None:
            step = max(1, -(-d // 20))
            ax.set_xticks(places[::step], self.names[::step], rotation=0 if max(map(len, self.names)) < 5 else 40)
        self.ax_, self.figure_ = ax, ax.figure
        return self


class CurvesDisplay:
    """One line a feature, or another thing that has a name, over one abscissa.

    For relevance profiles over the neighbourhood, paths of coefficients over their norm, errors over the effective
    dimension.

    Parameters
    ----------
    x : array-like of shape (m,), m >= 1
    curves : array-like of shape (m, d), a line a column
    names : sequence of d str, optional

    Attributes
    ----------
    ax_, figure_ : set by `plot`

    Examples
    --------
    >>> CurvesDisplay([1, 2], [[0.0, 1.0], [2.0, 3.0]]).names
    ['X1', 'X2']
    """

    def __init__(self, x, curves, names=None):
        self.x, self.curves = np.asarray(x, dtype=float), np.asarray(curves, dtype=float)
        if self.curves.ndim != 2 or not self.curves.size or self.x.shape != self.curves.shape[:1]:
            raise ValueError(
                f"`x` and `curves` must have shapes (m,) and (m, d); got {self.x.shape} and {self.curves.shape}."
            )
        d = self.curves.shape[1]
        self.names = [f"X{j + 1}" for j in range(d)] if names is None else [str(name) for name in names]
        if len(self.names) != d:
            raise ValueError(f"`names` must hold one name a curve ({d}); got {len(self.names)}.")

    def plot(
        self, ax=None, *, title="", xlabel="", ylabel="", limit=None, marks=False, named=6, log=False, legend=False
    ):
        """Draw the lines, each with its name at its end.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        title, xlabel, ylabel : str
        limit : float, optional, upper end of the axis
        marks : bool, default=False
            Also a mark at each value.
        named : int, default=6
            So many lines have colours and names, those of the largest mean absolute value; the others are grey.
        log : bool, default=False
            Logarithmic abscissa.
        legend : bool, default=False
            Names in a legend, for lines that end in one place.
        """
        ax = _axes(ax, (5.4, 3.4))
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
        ax.set_title(title, fontsize=10)
        ax.set_xlabel(xlabel, fontsize=9)
        ax.set_ylabel(ylabel, fontsize=9)
        ax.tick_params(labelsize=8)
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
        self.ax_, self.figure_ = ax, ax.figure
        return self

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
        for height, i in zip(heights, order, strict=True):
            ax.annotate(
                self.names[chosen[i]],
                (1.0, height),
                xycoords=ax.get_yaxis_transform(),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
                fontsize=8,
                color=CLASS_COLORS[i % 8],
                annotation_clip=False,
            )
