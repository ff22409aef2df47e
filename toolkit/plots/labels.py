"""Scatter plots of samples or features and their labels in one plane."""

from types import SimpleNamespace

import numpy as np

from ..core import (
    check_box,
    check_codes,
    check_columns,
    check_flags,
    check_names,
    check_same_length,
    class_column,
    class_numbers,
    label_array,
    label_sets,
    largest,
)
from .drawing import RARE_LABEL_COLOR, Display, write_marks, write_names
from .inputs import check_plane, check_points
from .pictures import draw_layout
from .segments import voronoi_segments
from .style import CLASS_COLORS, class_styles, with_style

# Points of labels, and of features that are named, have a black rim.
FRAMED = {"ec": "black", "lw": 1.0, "zorder": 5}
AXES = ("axis 1", "axis 2")


class SampleLabelDisplay(Display):
    """Samples and labels of a map, with the Voronoi cells of the single labels.

    Parameters
    ----------
    embedding : ndarray of shape (n, 2)
        Positions of the samples.
    Y : ndarray of shape (n, l), 0/1
        Indicators of the labels.
    label_points : ndarray of shape (l, 2)
        Positions of samples with that label only.
    set_points : ndarray of shape (s, 2)
        Images of the distinct label sets, in the order of `core.labels.label_sets`.
    label_names : list of l str
        Names of the labels.

    Examples
    --------
    >>> Z, Y = np.eye(2), np.eye(2, dtype=int)
    >>> display = SampleLabelDisplay(Z, Y, np.eye(2), np.eye(2), ["sea", "sky"])
    >>> display.alt_text().partition(": ")[2]
    'sea (1.00, 0.00), sky (0.00, 1.00).'
    """

    def __init__(self, embedding, Y, label_points, set_points, label_names):
        self.label_points = check_points(label_points, "label_points")
        n_labels = len(self.label_points)
        self.label_names = check_names(
            label_names, n_labels, "label_names", "label"
        )
        self.Y = check_flags(Y, "Y", "n", n_labels).astype(int)
        self._place(embedding, self.Y, "Y")
        self._sets = label_sets(self.Y)[0]
        self.set_points = check_points(
            set_points, "set_points", len(self._sets)
        )

    @classmethod
    def from_estimator(cls, estimator, X, Y, label_names=None):
        """Make the display of a fitted map and the samples (X, Y).

        Parameters
        ----------
        estimator : fitted estimator
            With `transform`, `transform_labels` and `label_embedding_`.
        X : array-like of shape (n, d)
            Samples.
        Y : array-like of shape (n, l) or (n,)
            0/1 indicators, or class labels.
        label_names : sequence of l str, optional
            Names of the labels; by default the classes or columns that `fit` was given.

        Returns
        -------
        display : SampleLabelDisplay
            The display; draw it with `plot`.
        """
        if not hasattr(estimator, "transform_labels"):
            raise ValueError(
                "`estimator` must be a map of samples and labels, such as"
                f" SampleLabelMap; got {type(estimator).__name__}. Show its"
                " `transform(X)` with toolkit.plots.MapDisplay."
            )
        Z = check_plane(estimator.transform(X))
        classes = estimator.classes_
        check_label_columns(Y, classes, "Y")
        Y = label_array(Y, "Y")
        if Y.ndim == 1:
            index = class_numbers(class_column(Y, "Y"), classes, "Y")
            Y = np.eye(len(classes))[index]
        check_same_length(Z, Y, ("X", "Y"))
        sets, _, _ = label_sets(Y)
        if label_names is None:
            label_names = classes
        return cls(
            Z,
            Y,
            estimator.label_embedding_,
            estimator.transform_labels(sets),
            label_names,
        )

    @with_style
    def plot(
        self,
        ax=None,
        *,
        title="",
        number="",
        composites=True,
        cells=True,
        name_labels=None,
        legend=True,
    ):
        """Draw the map.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on; a new figure by default.
        title : str, default=""
            Title of the axes: the finding.
        number : str, default=""
            Number that shows the finding, with its name and samples; below the title.
        composites : bool, default=True
            Whether to show samples with several labels (crosses) and their sets (small,
            connected to the labels).
        cells : bool, default=True
            Whether to draw the Voronoi cells of the label points.
        name_labels : sequence of int, optional
            Labels to name; by default all coloured ones, the ten most frequent.
        legend : bool, default=True
            Whether to explain the marks, below the figure.

        Returns
        -------
        self : object
            The drawn display.
        """
        from matplotlib.collections import LineCollection

        ax = self._canvas(ax)
        n_labels = len(self.label_names)
        # Rare labels are grey, so that colours stay apart.
        frequent = largest(self.Y.sum(axis=0), len(CLASS_COLORS)).tolist()
        if name_labels is None:
            name_labels = frequent
        named = check_codes(name_labels, "name_labels", n_labels)
        styles = dict.fromkeys(range(n_labels), (RARE_LABEL_COLOR, "o"))
        styles |= zip(frequent, class_styles(len(frequent)), strict=True)
        self._draw_labels(ax, styles, frequent)
        single = self.Y.sum(axis=1) == 1
        visible = [self.embedding[single], self.label_points]
        if composites:
            visible += [self.embedding[~single], self.set_points]
            self._draw_composites(ax, styles)
        set_limits(ax, visible)
        if cells:
            box = ax.viewLim.get_points().T.ravel()
            edges = voronoi_segments(self.label_points, box)
            look = {"colors": "0.6", "linewidths": 0.8, "zorder": 1}
            lines = LineCollection(edges.reshape(-1, 2, 2), **look)
            ax.add_collection(lines, autolim=False)
        points = self.label_points[named]
        names = [self.label_names[j] for j in named]
        write_names(ax, points, names, avoid=self.label_points)
        if legend:
            has_composites = composites and not single.all()
            self._legend(ax.figure, has_composites, cells)
        return self._finish(ax, title, number, AXES)

    def _draw_labels(self, ax, styles, frequent):
        """Draw the samples of each label alone, and its point; frequent ones on top.

        `styles` has colour and marker by the number of the label.
        """
        single = self.Y.sum(axis=1) == 1
        for j, (color, marker) in styles.items():
            look = {"c": color, "marker": marker}
            size = 24
            zorder = 2
            if j in frequent:
                size = 110
                zorder = 3
            x, y = self.embedding[single & (self.Y[:, j] == 1)].T
            ax.scatter(x, y, s=9, alpha=0.45, lw=0, zorder=zorder, **look)
            x, y = self.label_points[j]
            ax.scatter(x, y, s=size, **look, **FRAMED)

    def _legend(self, figure, composites, cells):
        """Write what the marks are, below the whole figure.

        `composites` and `cells` say whether several labels, and borders, are drawn.
        """
        blue = CLASS_COLORS[0]
        marks = {
            "sample, in the colour of its label": {"ms": 3, "c": blue},
            "position of a label": {"ms": 9, "c": blue, "mec": "black"},
        }
        if composites:
            cross = {"marker": "x", "ms": 4, "c": "0.35"}
            marks["sample with several labels"] = cross
            dotted = {"ls": ":", "lw": 0.8, "c": "0.45"}
            rim = {"mec": CLASS_COLORS[2], "mew": 1.6}
            joined = dotted | rim | {"ms": 7, "mfc": blue}
            marks["label set, joined to its labels: fill and rim"] = joined
        if cells:
            line = {"ls": "-", "marker": "", "c": "0.6", "lw": 0.8}
            marks["border between nearest labels"] = line
        columns = 2
        if figure.get_figwidth() > 7:
            columns = 3
        write_marks(figure, marks.items(), ncols=columns)

    def _draw_composites(self, ax, styles):
        """Draw samples and sets of several labels, with dotted lines to each label.

        Fill and rim of a set are as the first and the last of its labels.
        """
        composite = self.Y.sum(axis=1) != 1
        x, y = self.embedding[composite].T
        cross = {"s": 12, "c": "0.35", "marker": "x", "lw": 0.7, "alpha": 0.8}
        ax.scatter(x, y, zorder=3, **cross)
        for labels, point in zip(self._sets, self.set_points, strict=True):
            parts = np.flatnonzero(labels)
            if len(parts) < 2:
                continue
            for end in self.label_points[parts]:
                x, y = np.transpose([point, end])
                ax.plot(x, y, ":", c="0.45", lw=0.8, zorder=3.5)
            fill, _ = styles[parts[0]]
            rim, _ = styles[parts[-1]]
            x, y = point
            ax.scatter(x, y, s=36, c=fill, ec=rim, lw=1.6, zorder=4.5)

    def alt_text(self):
        """Describe the picture in words and numbers.

        Returns
        -------
        text : str
            Alternative text of the picture.
        """
        n_single = np.sum(self.Y.sum(axis=1) == 1)
        points = []
        for name, point in zip(
            self.label_names, self.label_points, strict=True
        ):
            x, y = point
            points.append(f"{name} ({x:.2f}, {y:.2f})")
        return (
            f"Scatter plot of {len(self.Y)} samples, {n_single} of them with one label,"
            f" and {len(points)} label points: {', '.join(points)}."
        )


def check_label_columns(Y, classes, name="y"):
    """Refuse a table `Y` of indicators with columns other than an estimator's classes.

    Labels would get names of others. Classes that are numbers name no columns.
    """
    columns = getattr(Y, "columns", ())
    if len(columns) > 1 and np.asarray(classes).dtype.kind not in "iu":
        check_columns(columns, SimpleNamespace(columns=classes), name)


def set_limits(ax, points, zoom=None):
    """Set the limits `zoom`, or those of all points, a list of tables, with a margin.

    They are wider rather than the frame smaller.
    """
    if zoom is not None:
        draw_layout(ax.figure)
        frame = ax.get_window_extent().size
        low, high = np.reshape(check_box(zoom, "zoom"), (2, 2)).T
        # The unit of both axes is the larger of the two that the part needs.
        units = (high - low) / frame
        half = units.max() * frame / 2
        middle = (low + high) / 2
        x, y = np.transpose([middle - half, middle + half])
        ax.set(xlim=x, ylim=y, aspect="equal")
    else:
        points = np.vstack(points)
        low = points.min(axis=0)
        high = points.max(axis=0)
        extent = high - low
        # The frame of points on one line, such as of two classes, stays wide enough to
        # see it.
        widening = (extent.max() / 4 - extent) / 2
        margin = np.maximum(0.06 * extent, widening).clip(1e-12)
        ax.set_aspect("equal", adjustable="datalim")
        ax.margins(0)
        ax.update_datalim([low - margin, high + margin])
        ax.autoscale_view()
    # The limits are fixed, so that names and cells are placed in the final picture.
    draw_layout(ax.figure)
