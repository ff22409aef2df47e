"""Scatter plots of samples or features and their labels in one plane, with the Voronoi cells of the labels."""

import numpy as np

from ..core.arrays import check_numbers
from ..core.checks import check_integer, check_names, check_same_length, short_repr
from ..core.labels import class_column, label_array, label_sets
from .drawing import OTHER_COLOR, Display, write_marks, write_names
from .inputs import (
    check_box,
    check_codes,
    check_flags,
    check_plane,
    check_points,
    class_numbers,
    largest,
)
from .pictures import draw_layout
from .segments import voronoi_segments
from .style import CLASS_COLORS, class_styles, with_style


class SampleLabelDisplay(Display):
    """Samples and label points, with the Voronoi cells of the single labels.

    Parameters
    ----------
    embedding : ndarray of shape (n, 2)
    Y : ndarray of shape (n, l), 0/1
    label_points : ndarray of shape (l, 2), where samples with that label only belong
    set_points : ndarray of shape (s, 2), images of the distinct label sets, in the order of `core.labels.label_sets`
    label_names : list of l str

    Examples
    --------
    >>> display = SampleLabelDisplay(np.eye(2), np.eye(2, dtype=int), np.eye(2), np.eye(2), ["sea", "sky"])
    >>> display.alt_text().partition(": ")[2]
    'sea (1.00, 0.00), sky (0.00, 1.00).'
    """

    def __init__(self, embedding, Y, label_points, set_points, label_names):
        self.label_points = check_points(label_points, "label_points")
        self.label_names = check_names(
            label_names, len(self.label_points), "label_names", "label"
        )
        self.Y = check_flags(Y, "Y", "n", len(self.label_points)).astype(int)
        self._place(embedding, self.Y, "Y")
        self.set_points, n_sets = (
            check_points(set_points, "set_points"),
            len(label_sets(self.Y)[0]),
        )
        if len(self.set_points) < n_sets:
            raise ValueError(
                f"`set_points` must hold {n_sets} points, one per label set; got"
                f" {len(self.set_points)}."
            )

    @classmethod
    def from_estimator(cls, estimator, X, Y, label_names=None):
        """Display of a fitted map and the samples (X, Y).

        Parameters
        ----------
        estimator : fitted, with `transform`, `transform_labels`, `label_embedding_`
        X : array-like of shape (n, d)
        Y : array-like of shape (n, l), 0/1 indicators, or (n,) class labels
        label_names : sequence of l str, optional, by default the columns that `fit` was given, or those of `Y`
        """
        if not hasattr(estimator, "transform_labels"):
            raise ValueError(
                "`estimator` must be a map of samples and labels, such as"
                f" SampleLabelMap; got {type(estimator).__name__}. Show its"
                " `transform(X)` with toolkit.plots.MapDisplay."
            )
        Z, classes = check_plane(estimator.transform(X)), estimator.classes_
        known = names_of_labels(Y, classes, "Y")
        Y = label_array(Y, "Y")
        if Y.ndim == 1:
            Y = np.eye(len(classes))[class_numbers(class_column(Y, "Y"), classes, "Y")]
        Y = check_flags(Y, "Y", "n", len(classes)).astype(int)
        check_same_length(Z, Y, ("X", "Y"))
        names = known if label_names is None else label_names
        return cls(
            Z,
            Y,
            estimator.label_embedding_,
            estimator.transform_labels(label_sets(Y)[0]),
            names,
        )

    @with_style
    def plot(
        self, ax=None, *, title="", number="", composites=True, cells=True, n_colors=10, name_labels=None, legend=True,
        equal_aspect=True,
    ):  # fmt: skip
        """Draw the map.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        title, number : str, the finding, and below it the number that shows it
        composites : bool, show samples with several labels (crosses) and their sets (small, joined to the labels)
        cells : bool, draw the Voronoi cells of the label points
        n_colors : int, the most frequent labels get a colour of their own, the others are grey
        name_labels : sequence of int, optional, labels to name; all coloured ones by default
        legend : bool, what the marks are, below the figure
        equal_aspect : bool, off for maps whose axes have no common unit (eigenvectors)
        """
        from matplotlib.collections import LineCollection

        ax, count = self._canvas(ax), len(self.label_names)
        single = self.Y.sum(axis=1) == 1
        frequent = largest(
            self.Y.sum(axis=0), check_integer(n_colors, "n_colors", 0)
        ).tolist()
        named = check_codes(
            frequent if name_labels is None else name_labels, "name_labels", count=count
        )
        styles = dict.fromkeys(range(count), (OTHER_COLOR, "o"))
        styles |= zip(frequent, class_styles(len(frequent)), strict=True)
        for j, (color, marker) in styles.items():
            points = self.embedding[single & (self.Y[:, j] == 1)]
            ax.scatter(
                *points.T,
                s=9,
                c=color,
                marker=marker,
                alpha=0.45,
                lw=0,
                zorder=2 + (j in frequent),
            )
        visible = [self.embedding[single], self.label_points]
        if composites:
            visible = [self.embedding, self.label_points, self.set_points]
            ax.scatter(
                *self.embedding[~single].T,
                s=12,
                c="0.35",
                marker="x",
                lw=0.7,
                alpha=0.8,
                zorder=3,
            )
        _set_limits(ax, np.vstack(visible), equal_aspect)
        # nearest means nothing where the axes have no common unit
        if borders := cells and equal_aspect:
            edges = voronoi_segments(
                self.label_points, (*ax.get_xlim(), *ax.get_ylim())
            ).reshape(-1, 2, 2)
            ax.add_collection(
                LineCollection(edges, colors="0.6", linewidths=0.8, zorder=1),
                autolim=False,
            )
        if composites:
            self._draw_composites(ax, styles)
        for j, (color, marker) in styles.items():
            size = 110 if j in frequent else 24
            ax.scatter(
                *self.label_points[j],
                s=size,
                c=color,
                marker=marker,
                ec="black",
                lw=1.0,
                zorder=5,
            )
        write_names(
            ax,
            self.label_points[named],
            [self.label_names[j] for j in named],
            avoid=self.label_points,
        )
        if legend:
            self._legend(ax.figure, composites and not single.all(), borders)
        return self._finish(ax, title, number, ("axis 1", "axis 2"))

    def _legend(self, figure, composites, cells):
        """What the marks are, below the whole figure."""
        blue, red = CLASS_COLORS[0], CLASS_COLORS[2]
        marks = {
            "sample, in the colour of its label": {"ms": 3, "c": blue},
            "position of a label": {"ms": 9, "c": blue, "mec": "black"},
        }
        if composites:
            rim = {
                "ls": ":",
                "lw": 0.8,
                "c": "0.45",
                "ms": 7,
                "mfc": blue,
                "mec": red,
                "mew": 1.6,
            }
            marks["sample with several labels"] = {"marker": "x", "ms": 4, "c": "0.35"}
            marks["label set, joined to its labels: fill and rim"] = rim
        if cells:
            marks["border between nearest labels"] = {
                "ls": "-",
                "marker": "",
                "c": "0.6",
                "lw": 0.8,
            }
        write_marks(figure, marks.items(), ncols=3 if figure.get_figwidth() > 7 else 2)

    def _draw_composites(self, ax, styles):
        """The sets of several labels: fill and rim as the first and the last, dotted lines to each."""
        for labels, point in zip(label_sets(self.Y)[0], self.set_points, strict=False):
            parts = np.flatnonzero(labels)
            if len(parts) > 1:
                for end in self.label_points[parts]:
                    ax.plot(
                        *np.transpose([point, end]), ":", c="0.45", lw=0.8, zorder=3.5
                    )
                color, *_, edge = (styles[part][0] for part in parts)
                ax.scatter(*point, s=36, c=color, ec=edge, lw=1.6, zorder=4.5)

    def alt_text(self):
        """What the picture shows, in words and numbers."""
        n_single, n_labels = np.sum(self.Y.sum(axis=1) == 1), len(self.label_names)
        points = [
            f"{name} ({x:.2f}, {y:.2f})"
            for name, (x, y) in zip(self.label_names, self.label_points, strict=True)
        ]
        samples = f"{len(self.Y)} samples, {n_single} of them with one label"
        more = f" and {n_labels - 10} more" if n_labels > 10 else ""
        return (
            f"Scatter plot of {samples}, and {n_labels} label points:"
            f" {', '.join(points[:10])}{more}."
        )


class FeatureLabelDisplay(Display):
    """Features and labels of an FL-A map.

    Parameters
    ----------
    feature_points : ndarray of shape (d, 2)
    label_points : ndarray of shape (l, 2)
    feature_names, label_names : list of str

    Examples
    --------
    >>> FeatureLabelDisplay(np.eye(2), np.eye(2), ["red", "green"], ["sea", "sky"]).label_names
    ['sea', 'sky']
    """

    def __init__(self, feature_points, label_points, feature_names, label_names):
        self.feature_points = check_points(feature_points, "feature_points")
        self.label_points = check_points(label_points, "label_points")
        self.feature_names = check_names(
            feature_names, len(self.feature_points), "feature_names", "feature"
        )
        self.label_names = check_names(
            label_names, len(self.label_points), "label_names", "label"
        )

    @classmethod
    def from_estimator(cls, estimator, feature_names=None, label_names=None):
        """Display of a fitted :class:`~toolkit.multilabel.FeatureLabelEigenmap`.

        Names are sequences of str; those of the columns that `fit` was given by
        default, else numbers.
        """
        numbers = [f"#{j + 1}" for j in range(len(estimator.feature_embedding_))]
        features = (
            getattr(estimator, "feature_names_in_", numbers)
            if feature_names is None
            else feature_names
        )
        labels = (
            [str(c) for c in estimator.classes_] if label_names is None else label_names
        )
        return cls(
            estimator.feature_embedding_, estimator.label_embedding_, features, labels
        )

    @with_style
    def plot(
        self,
        ax=None,
        *,
        title="",
        number="",
        name_features=(),
        name_labels=None,
        connect=False,
        zoom=None,
        values=None,
    ):
        """Draw the map.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        title, number : str, the finding, and below it the number that shows it
        name_features : sequence of int, features to name
        name_labels : sequence of int, optional, labels to name; all by default
        connect : bool, join features with neighbouring numbers by a thin line
        zoom : (x_min, x_max, y_min, y_max), optional, show this part, and beside it what the frame has room for
        values : ndarray of shape (d,), optional, shade of the features, such as their largest correlation with a label
        """
        ringed = check_codes(
            name_features, "name_features", count=len(self.feature_names)
        )
        n_labels = len(self.label_names)
        named = range(n_labels) if name_labels is None else name_labels
        named = check_codes(named, "name_labels", count=n_labels)
        if zoom is not None:
            zoom = check_box(zoom, "zoom")
        colors = CLASS_COLORS[0]
        if values is not None:
            colors = check_numbers(values, "values", shape=(len(self.feature_points),))
        ax = self._canvas(ax)
        _set_limits(ax, np.vstack([self.feature_points, self.label_points]), zoom=zoom)
        if connect:
            ax.plot(
                *self.feature_points.T, c=CLASS_COLORS[0], lw=0.5, alpha=0.35, zorder=2
            )
        cmap = None if values is None else "cividis"
        drawn = ax.scatter(
            *self.feature_points.T, s=12, c=colors, cmap=cmap, lw=0, zorder=3
        )
        if values is not None:
            ax.figure.colorbar(
                drawn, ax=ax, shrink=0.8, label="largest |correlation| with a label"
            )
        size = 80 if n_labels <= 12 else 30
        ax.scatter(
            *self.label_points.T,
            s=size,
            c=CLASS_COLORS[2],
            marker="D",
            ec="black",
            lw=0.8,
            zorder=5,
        )
        ax.scatter(
            *self.feature_points[ringed].T, s=40, fc="none", ec="black", lw=1, zorder=5
        )
        points = np.vstack([self.label_points[named], self.feature_points[ringed]])
        names = [self.label_names[j] for j in named] + [
            self.feature_names[j] for j in ringed
        ]
        low, high = np.transpose([ax.get_xlim(), ax.get_ylim()])
        visible = np.flatnonzero(np.all((low <= points) & (points <= high), axis=1))
        write_names(
            ax, points[visible], [names[i] for i in visible], avoid=self.feature_points
        )
        return self._finish(ax, title, number, ("axis 1", "axis 2"))

    def alt_text(self):
        """What the picture shows, in words and numbers."""
        distances = np.linalg.norm(
            self.feature_points - self.feature_points.mean(axis=0), axis=1
        )
        outermost = [self.feature_names[j] for j in np.argsort(-distances)[:3]]
        counts = (
            f"{len(self.feature_points)} features and {len(self.label_points)} labels"
        )
        return (
            f"Scatter plot of {counts}; the features farthest from the middle are"
            f" {', '.join(outermost)}."
        )


def names_of_labels(Y, classes, name="y"):
    """Names of the `classes` of an estimator; where these are numbers, the columns of a table `Y` of indicators.

    Columns other than those that the estimator was fitted to are refused: labels would
    get names of others.

    Examples
    --------
    >>> from toolkit.core.arrays import as_frame
    >>> names_of_labels(as_frame({"sea": [0, 1], "sky": [1, 0]}), np.arange(2))
    ['sea', 'sky']
    """
    columns = list(getattr(Y, "columns", ()))
    if len(columns) < 2 or not all(isinstance(column, str) for column in columns):
        return [str(c) for c in classes]
    numbered = np.asarray(classes).dtype.kind in "iu" and len(columns) == len(classes)
    if not numbered and columns != list(classes):
        rule = "must have the columns that the map was fitted to, in their order"
        raise ValueError(
            f"`{name}` {rule}: {short_repr([str(c) for c in classes])}; got"
            f" {short_repr(columns)}."
        )
    return columns


def _set_limits(ax, points, equal=True, zoom=None):
    """Limits `zoom`, or those of all points with a margin; wider ones rather than a smaller frame."""
    if zoom is not None:
        draw_layout(ax.figure)
        frame, (low, high) = ax.get_window_extent().size, np.reshape(zoom, (2, 2)).T
        half = ((high - low) / frame).max() * frame / 2
        x, y = np.transpose([(low + high) / 2 - half, (low + high) / 2 + half])
        ax.set(xlim=x, ylim=y, aspect="equal")
    else:
        low, high = points.min(axis=0), points.max(axis=0)
        extent = high - low
        margin = np.maximum(0.06 * extent, 1e-12)
        # where all lies on one line, such as two classes, the frame stays wide enough
        # to see it
        if equal:
            margin = np.maximum(margin, (extent.max() / 4 - extent) / 2)
            ax.set_aspect("equal", adjustable="datalim")
        ax.margins(0)
        ax.update_datalim([low - margin, high + margin])
        ax.autoscale_view()
    # fixes the limits, so that names and cells are placed in the final picture
    draw_layout(ax.figure)
