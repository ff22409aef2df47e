"""Displays of samples, features and labels in one plane: hold arrays, draw on request."""

import numpy as np

from ..core.labels import label_sets
from .drawing import OTHER_COLOR, class_styles, place_names, voronoi_segments
from .pictures import settle

__all__ = ["FeatureLabelDisplay", "SampleLabelDisplay"]


class SampleLabelDisplay:
    """Samples and label points, with the Voronoi cells of the single labels.

    Parameters
    ----------
    embedding : ndarray of shape (n, 2)
    Y : ndarray of shape (n, l), 0/1
    label_points : ndarray of shape (l, 2), where samples with that label only belong
    set_points : ndarray of shape (s, 2)
        Images of the distinct label sets, in the order of :func:`toolkit.core.labels.label_sets`.
    label_names : list of l str

    Attributes
    ----------
    ax_, figure_ : set by `plot`
    """

    def __init__(self, embedding, Y, label_points, set_points, label_names):
        self.embedding, self.Y = np.asarray(embedding), np.asarray(Y)
        self.label_points, self.set_points = np.asarray(label_points), np.asarray(set_points)
        self.label_names = list(label_names)

    @classmethod
    def from_estimator(cls, estimator, X, Y, label_names=None):
        """Display of a fitted map and the samples (X, Y).

        Parameters
        ----------
        estimator : fitted, with `transform`, `transform_labels`, `label_embedding_`
        X : array-like of shape (n, d)
        Y : array-like of shape (n, l), 0/1 indicators, or (n,) class labels
        label_names : sequence of l str, optional
        """
        Y = np.asarray(Y)
        if Y.ndim == 1:
            Y = (Y[:, None] == estimator.classes_).astype(int)
        names = [str(c) for c in estimator.classes_] if label_names is None else label_names
        sets, _, _ = label_sets(Y)
        return cls(estimator.transform(X), Y, estimator.label_embedding_, estimator.transform_labels(sets), names)

    def plot(
        self, ax=None, *, composites=True, cells=True, n_colors=8, name_labels=None, legend=True, equal_aspect=True
    ):
        """Draw the map.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        composites : bool
            Show samples with several labels (crosses) and the points of their label sets (small, joined to
            their single labels by dotted lines).
        cells : bool
            Draw the Voronoi cells of the label points.
        n_colors : int
            The most frequent labels get a colour of their own, the others are grey.
        name_labels : sequence of int, optional
            Labels to name; all coloured ones by default.
        legend : bool
        equal_aspect : bool
            Off for maps whose axes have no common unit (eigenvectors).
        """
        from matplotlib import pyplot as plt

        if ax is None:
            _, ax = plt.subplots(figsize=(6.4, 5.4), layout="constrained")
        sets, index, _ = label_sets(self.Y)
        single = sets.sum(axis=1) == 1
        counts = self.Y.sum(axis=0)
        coloured = np.sort(np.argsort(-counts, kind="stable")[:n_colors])
        styles = dict(zip(coloured, class_styles(len(coloured)), strict=True))
        self._draw_samples(ax, sets, index, single, styles, composites)
        shown = self.label_points if not composites else np.vstack([self.label_points, self.set_points])
        _set_limits(
            ax, np.vstack([self.embedding if composites else self.embedding[single[index]], shown]), equal=equal_aspect
        )
        if cells and equal_aspect:  # nearest means nothing where the axes have no common unit
            _draw_cells(ax, self.label_points)
        if composites:
            self._draw_composites(ax, sets, single, styles)
        for j in range(len(self.label_points)):
            color, marker = styles.get(j, (OTHER_COLOR, "o"))
            size = 110 if j in styles else 24
            ax.scatter(*self.label_points[j], s=size, c=color, marker=marker, ec="black", lw=1.0, zorder=5)
        named = list(styles) if name_labels is None else list(name_labels)
        place_names(ax, self.label_points[named], [self.label_names[j] for j in named], avoid=self.label_points)
        if legend and composites and not single.all():
            ax.scatter([], [], s=16, marker="x", c="0.35", label="samples with several labels")
            ax.scatter([], [], s=36, c="white", ec="black", label="their label sets")
            ax.legend(loc=_emptiest_corner(ax, np.vstack([self.embedding, shown])), fontsize=7, framealpha=0.85)
        _finish(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _draw_samples(self, ax, sets, index, single, styles, composites):
        for s in np.flatnonzero(single):
            j = int(np.argmax(sets[s]))
            color, marker = styles.get(j, (OTHER_COLOR, "o"))
            points = self.embedding[index == s]
            ax.scatter(*points.T, s=9, c=color, marker=marker, alpha=0.45, lw=0, zorder=2 + (j in styles))
        if composites:
            points = self.embedding[~single[index]]
            ax.scatter(*points.T, s=12, c="0.35", marker="x", lw=0.7, alpha=0.8, zorder=3)

    def _draw_composites(self, ax, sets, single, styles):
        for s in np.flatnonzero(~single):
            parts = np.flatnonzero(sets[s])
            for j in parts:
                ends = np.vstack([self.set_points[s], self.label_points[j]])
                ax.plot(*ends.T, ":", c="0.45", lw=0.8, zorder=3.5)
            color = styles.get(int(parts[0]), (OTHER_COLOR,))[0]
            edge = styles.get(int(parts[-1]), (OTHER_COLOR,))[0]
            ax.scatter(*self.set_points[s], s=36, c=color, ec=edge, lw=1.6, zorder=4.5)

    def alt_text(self):
        """What the picture shows, in words and numbers."""
        n_single = int(np.sum(self.Y.sum(axis=1) == 1))
        points = ", ".join(
            f"{name} ({x:.2f}, {y:.2f})"
            for name, (x, y) in list(zip(self.label_names, self.label_points, strict=True))[:10]
        )
        more = len(self.label_names) - 10
        return (
            f"Scatter plot of {len(self.Y)} samples, {n_single} of them with one label, and {len(self.label_names)} "
            f"label points: {points}{f' and {more} more' if more > 0 else ''}."
        )


class FeatureLabelDisplay:
    """Features and labels of an FL-A map.

    Parameters
    ----------
    feature_points : ndarray of shape (d, 2)
    label_points : ndarray of shape (l, 2)
    feature_names, label_names : list of str
    """

    def __init__(self, feature_points, label_points, feature_names, label_names):
        self.feature_points, self.label_points = np.asarray(feature_points), np.asarray(label_points)
        self.feature_names, self.label_names = list(feature_names), list(label_names)

    @classmethod
    def from_estimator(cls, estimator, feature_names=None, label_names=None):
        """Display of a fitted :class:`~toolkit.multilabel.FeatureLabelEigenmap`."""
        d = len(estimator.feature_embedding_)
        features = [f"#{j + 1}" for j in range(d)] if feature_names is None else feature_names
        labels = [str(c) for c in estimator.classes_] if label_names is None else label_names
        return cls(estimator.feature_embedding_, estimator.label_embedding_, features, labels)

    def plot(self, ax=None, *, name_features=(), name_labels=None, connect=False, zoom=None, values=None):
        """Draw the map.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        name_features : sequence of int
            Features to name.
        name_labels : sequence of int, optional
            Labels to name; all by default.
        connect : bool
            Join features with neighbouring numbers by a thin line.
        zoom : (x_min, x_max, y_min, y_max), optional
            Show this part only.
        values : ndarray of shape (d,), optional
            Shade of the features, such as their largest correlation with a label.
        """
        from matplotlib import pyplot as plt

        if ax is None:
            _, ax = plt.subplots(figsize=(6.4, 5.4), layout="constrained")
        _set_limits(ax, np.vstack([self.feature_points, self.label_points]), zoom)
        if connect:
            ax.plot(*self.feature_points.T, c="#0072B2", lw=0.5, alpha=0.35, zorder=2)
        style = {"c": "#0072B2"} if values is None else {"c": values, "cmap": "cividis"}
        points = ax.scatter(*self.feature_points.T, s=12, lw=0, zorder=3, **style)
        if values is not None:
            ax.figure.colorbar(points, ax=ax, shrink=0.8, label="largest |correlation| with a label")
        size = 80 if len(self.label_points) <= 12 else 30
        ax.scatter(*self.label_points.T, s=size, c="#D55E00", marker="D", ec="black", lw=0.8, zorder=5)
        ax.scatter(*self.feature_points[list(name_features)].T, s=40, fc="none", ec="black", lw=1, zorder=5)
        x0, x1, y0, y1 = *ax.get_xlim(), *ax.get_ylim()
        named = range(len(self.label_names)) if name_labels is None else name_labels
        everything = [(self.label_points[j], self.label_names[j]) for j in named]
        everything += [(self.feature_points[j], self.feature_names[j]) for j in name_features]
        visible = [(p, n) for p, n in everything if x0 <= p[0] <= x1 and y0 <= p[1] <= y1]
        if visible:
            xy, names = zip(*visible, strict=True)
            place_names(ax, np.array(xy), names, avoid=self.feature_points, fontsize=7.5)
        _finish(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def alt_text(self):
        """What the picture shows, in words and numbers."""
        centre = self.feature_points.mean(axis=0)
        spread = np.sqrt(np.sum((self.feature_points - centre) ** 2, axis=1))
        far = [self.feature_names[j] for j in np.argsort(-spread)[:3]]
        return (
            f"Scatter plot of {len(self.feature_points)} features and {len(self.label_points)} labels; the "
            f"features farthest from the middle are {', '.join(far)}."
        )


def _set_limits(ax, points, zoom=None, equal=True):
    """Limits with a margin; a few far points do not squeeze the rest only when `zoom` says so."""
    if zoom is None:
        low, high = points.min(axis=0), points.max(axis=0)
        margin = 0.06 * np.maximum(high - low, 1e-12)
        zoom = (low[0] - margin[0], high[0] + margin[0], low[1] - margin[1], high[1] + margin[1])
    ax.set_xlim(zoom[:2])
    ax.set_ylim(zoom[2:])
    ax.set_aspect("equal" if equal else "auto")
    settle(ax.figure)  # fixes the limits, so that names and cells are placed in the final picture


def _emptiest_corner(ax, points):
    """The corner of the axes with the fewest points in it, where a legend hides least."""
    x, y = ((points - [ax.get_xlim()[0], ax.get_ylim()[0]]) / [np.ptp(ax.get_xlim()), np.ptp(ax.get_ylim())]).T
    corners = {
        "lower right": (x > 0.55) & (y < 0.2),
        "upper right": (x > 0.55) & (y > 0.8),
        "lower left": (x < 0.45) & (y < 0.2),
        "upper left": (x < 0.45) & (y > 0.8),
    }
    return min(corners, key=lambda corner: corners[corner].sum())


def _draw_cells(ax, points):
    from matplotlib.collections import LineCollection

    edges = voronoi_segments(points, (*ax.get_xlim(), *ax.get_ylim()))
    ax.add_collection(LineCollection(edges.reshape(-1, 2, 2), colors="0.6", linewidths=0.8, zorder=1), autolim=False)


def _finish(ax):
    ax.set_xlabel("axis 1")
    ax.set_ylabel("axis 2")
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(labelsize=8)
