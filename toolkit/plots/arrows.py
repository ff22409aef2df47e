"""Linear maps with an arrow per feature (a biplot): samples, labels and features.

An arrow points where the map takes a sample of which that feature grows by one standard
deviation, all others equal. Biplots: Gabriel (1971), Biometrika 58, 453-467.
"""

import numpy as np

from ..core import (
    as_frame,
    check_flags,
    check_integer,
    check_same_length,
    check_table,
    class_column,
    kind_of_target,
    label_array,
    magnitude,
    names_or,
    sanitize_text,
    suppress_name_warning,
)
from ..core import feature_names as names_of_columns
from .drawing import Display, names_or_numbers, write_names
from .inputs import check_plane, check_points_or_none
from .labels import FRAMED, check_label_columns
from .maps import MOST_IN_LEGEND, MapDisplay, TargetDisplay
from .style import with_style

REACH = 0.8  # of half the larger side of the samples' box: the longest arrow
# part of the map's extent by which samples of a linear map may miss their position, for
# rounding
LINEARITY_TOLERANCE = 1e-6
LEAST_LENGTH = 1e-9  # of an arrow, as a fraction of the longest
REMEDY = (
    "Show its map with toolkit.plots.MapDisplay, or fit a linear one, such as LFDA or"
    " PCA."
)


class LinearMapDisplay(Display):
    """Samples of a linear map, by class or by value, and the features as arrows.

    An arrow is the change of the map when the feature grows by one standard deviation;
    it begins at the samples' mean. All arrows are drawn on a common scale, which is not
    that of the samples: their directions and the ratios of their lengths can be
    interpreted, the positions of their tips among the samples cannot. Long arrows show
    the loadings of the map, not what a model needs.

    Parameters
    ----------
    embedding : ndarray of shape (n, 2)
        Positions of the samples.
    y : array-like of shape (n,)
        Class or real value of each sample.
    components : ndarray of shape (2, d)
        Change of the map per standard deviation of each feature.
    feature_names : sequence of d str, optional
        Names of the features; by default X1, X2, ...
    class_names : sequence of str, optional
        Names of the classes, in their sorted order.
    most : int from 1, default=8
        Number of arrows drawn, the longest.
    anchors : ndarray of shape (m, 2), optional
        Points of the first m classes, such as those of the labels, drawn with their
        names.
    sides : array-like of str, shape (n,), optional
        One of two names for each sample; those of the side named first are outlines. A
        legend explains it.
    classes : sequence, optional
        All classes, sorted; those in `y` by default. Colours and markers follow their
        order.
    groups : array-like of shape (d,), optional
        Features that belong together, such as the categories of a column: only the
        longest of their arrows is drawn.

    Attributes
    ----------
    visible_ : ndarray of int, shape (q,)
        Indices of the features that have arrows, the longest first.
    samples : MapDisplay or TargetDisplay
        Display that draws the samples; its `name` may name the values.
    hidden_ : int
        Number of features without an arrow: shorter ones, or without influence.
    scale_ : float
        Factor by which arrows are longer than the change that they show.
    tips_ : ndarray of shape (q, 2)
        Tips of the arrows drawn; they begin at the mean of `embedding`.

    Examples
    --------
    >>> names = ["hue", "size", "age"]
    >>> change = [[0, 2, 1], [0, 0, 1]]
    >>> display = LinearMapDisplay([[-1, 0], [1, 0]], ["a", "b"], change, names)
    >>> display.visible_.tolist(), display.hidden_
    ([1, 2], 1)
    >>> display.scale_, display.tips_.tolist()
    (0.4, [[0.8, 0.0], [0.4, 0.4]])
    """

    def __init__(
        self,
        embedding,
        y,
        components,
        feature_names=None,
        class_names=None,
        most=8,
        anchors=None,
        sides=None,
        *,
        classes=None,
        groups=None,
    ):
        y = class_column(y)
        self.class_names = []
        has_classes = class_names is not None or classes is not None
        if not has_classes and kind_of_target(y) == "value":
            self.samples = TargetDisplay(embedding, y)
        else:
            self.samples = MapDisplay(
                embedding, y, class_names, classes=classes, sides=sides
            )
            self.class_names = self.samples.names
        self.embedding = self.samples.embedding
        self.components = check_table(components, "components", shape=(2, "d"))
        d = self.components.shape[1]
        self.feature_names = names_or_numbers(feature_names, d, "feature")
        self.anchors = check_points_or_none(anchors, "anchors")
        self.anchor_names = self.class_names[: len(self.anchors)]
        check_same_length(
            self.anchors, self.anchor_names, ("anchors", "classes"), unit="rows"
        )
        lengths = np.hypot(*self.components)
        self.visible_ = _longest(lengths, most, groups)
        self.hidden_ = d - len(self.visible_)
        half_side = np.ptp(self.embedding, axis=0).max() / 2
        if half_side == 0:
            half_side = 1.0
        # The longest arrow reaches a set part of the samples' box, the others in
        # proportion.
        self.scale_ = float(REACH * half_side / lengths.max())
        self._start = self.embedding.mean(axis=0)
        arrows = self.components[:, self.visible_].T
        self.tips_ = self._start + self.scale_ * arrows

    @classmethod
    def from_estimator(
        cls, estimator, X, y, *, feature_names=None, class_names=None, **options
    ):
        """Make the display of a fitted linear map, its samples and labels.

        Parameters
        ----------
        estimator : fitted estimator
            With a `transform` to two dimensions that is linear but for a constant, such
            as SampleLabelMap, FDA, LFDA, SELF, GMLVQ, scikit-learn's PCA and
            PLSRegression, or a pipeline of a scaler and one of them.
        X : array-like of shape (n, d)
            Numbers; training samples or new ones.
        y : array-like of shape (n,) or (n, l)
            Classes or real values, or 0/1 indicators of labels.
        feature_names : sequence of d str, optional
            Names of the features; by default those of the columns that `fit` got, or of
            `X`.
        class_names : sequence of str, optional
            Names of the classes; for indicators names of the labels.
        **options : dict
            `most`, `sides` and `groups`, as for the constructor.

        Returns
        -------
        display : LinearMapDisplay
            The display; draw it with `plot`.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from toolkit.multilabel import SampleLabelMap
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> display = LinearMapDisplay.from_estimator(SampleLabelMap().fit(X, y), X, y)
        >>> display.feature_names[display.visible_[0]], display.anchor_names
        ('petal width (cm)', ['0', '1', '2'])
        """
        Z, components = linear_parts(estimator, X)
        if feature_names is None:
            has_names = hasattr(estimator, "feature_names_in_")
            owner = estimator if has_names else X
            feature_names = names_of_columns(owner, components.shape[1])
        estimator_classes = None
        if hasattr(estimator, "transform_labels"):
            estimator_classes = estimator.classes_
            options["anchors"] = estimator.label_embedding_
        Y = label_array(y)
        if Y.ndim == 1 or Y.shape[1] == 1:
            y = class_column(y)
            classes = estimator_classes
        else:
            y, class_names = _classes_of_sets(
                y, Y, estimator_classes, class_names
            )
            classes = np.arange(len(class_names))
        check_same_length(Z, y)
        return cls(
            Z,
            y,
            components,
            feature_names,
            class_names,
            classes=classes,
            **options,
        )

    @with_style
    def plot(self, ax=None, *, title="", number=""):
        """Draw samples, labels and arrows.

        The line below the title also states the number of arrows and their scale. A new
        figure has a legend of the classes, if they are few.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on; a new figure by default.
        title : str, default=""
            Title of the axes: the finding.
        number : str, default=""
            Number that shows the finding, with its name and samples; below the title.

        Returns
        -------
        self : object
            The drawn display.
        """
        n_classes = len(self.class_names)
        has_legend = ax is None and 0 < n_classes <= 2 * MOST_IN_LEGEND
        ax = self._canvas(ax)
        options = {}
        if n_classes:
            options["name_classes"] = False
        number = f"{sanitize_text(number)}\n{self._about_arrows()}"
        self.samples.plot(ax, title=title, number=number, **options)
        names_of_marks = []
        if len(self.anchors):
            names_of_marks.append("position of a label")
            index = np.arange(len(self.anchors))
            self.samples._scatter(ax, self.anchors, index, s=110, **FRAMED)
        if has_legend:
            self.samples.legend(names_of_marks)
        self._draw_arrows(ax)
        return self._finish(ax)

    def _about_arrows(self):
        """The scale of the arrows, and how many there are, in words."""
        d = self.components.shape[1]
        drawn = f"all {d} features"
        if self.hidden_:
            n = len(self.visible_)
            drawn = f"the {n} longest of {d} ({self.hidden_} left out)"
        scale = f"{self.scale_:.2g}"
        return f"arrows: a feature's standard deviation times {scale}; {drawn}"

    def _draw_arrows(self, ax):
        """Arrows, and names of anchors and arrows."""
        from matplotlib.patches import FancyArrowPatch
        from matplotlib.patheffects import withStroke

        # The limits hold samples, arrows and anchors.
        ax.update_datalim(np.vstack([self.tips_, self.anchors]))
        ax.autoscale_view()
        halo = withStroke(linewidth=4, foreground="white")
        for tip in self.tips_:
            arrow = FancyArrowPatch(
                self._start,
                tip,
                path_effects=[halo],
                zorder=4.1,
                arrowstyle="-|>",
                mutation_scale=13,
                shrinkA=0,
                shrinkB=0,
                color="0.2",
                lw=1.5,
            )
            ax.add_patch(arrow)
        # Names avoid points along the arrows.
        arrows = self.tips_ - self._start
        along = [self._start + t * arrows for t in np.linspace(0.1, 0.95, 12)]
        avoid = np.vstack([*along, self.tips_, self.anchors])
        names = [self.feature_names[j] for j in self.visible_]
        taken = write_names(
            ax, self.anchors, self.anchor_names, avoid=avoid, fontweight="bold"
        )
        write_names(ax, self.tips_, names, taken, avoid=avoid)


def _longest(lengths, most, groups):
    """Numbers of at most `most` of the longest arrows, of each group only one.

    `lengths` (d,) are those of the features' arrows, `groups` (d,) their groups, or
    None.
    """
    if not lengths.any():
        raise ValueError(
            "`components` must not be all 0: no feature moves the samples of this map."
        )
    longest = np.argsort(-lengths, kind="stable")
    if groups is not None:
        check_same_length(
            lengths, groups, ("components", "groups"), unit="features"
        )
        groups = np.asarray(groups)
        _, first_of_group = np.unique(groups[longest], return_index=True)
        longest = longest[np.sort(first_of_group)]
    longest = longest[: check_integer(most, "most")]
    is_visible = lengths[longest] > LEAST_LENGTH * lengths.max()
    return longest[is_visible]


def linear_parts(estimator, X):
    """The map (n, 2) and its change per standard deviation of each feature (2, d).

    Each feature is moved by itself from the mean sample. If the map is linear, that
    says where every sample lies; an estimator whose map bends is refused.
    """
    name = type(estimator).__name__
    if not hasattr(estimator, "transform"):
        raise ValueError(
            f"`estimator` must have a `transform`, as a linear map has; got {name},"
            f" which cannot place the mean sample. {REMEDY}"
        )
    A = check_table(X)

    def project(rows):
        """Positions (m, 2) of samples (m, d) that the estimator gives."""
        if hasattr(X, "columns"):
            rows = as_frame(dict(zip(X.columns, rows.T, strict=True)))
        # An estimator may be fitted with names and get none; the order is the caller's.
        with suppress_name_warning():
            Z = estimator.transform(rows)
        return check_plane(check_table(Z, "the map"))

    mean = A.mean(axis=0)
    deviation = A.std(axis=0)
    Z = project(A)
    middle = project(mean[None])[0]
    # One feature after the other is a standard deviation from the mean sample.
    moved = mean + np.diag(deviation)
    components = (project(moved) - middle).T
    # A linear map is the sum of the changes by its features, from the mean sample on.
    steps = (A - mean) / np.where(deviation > 0, deviation, 1.0)
    gap = magnitude(middle + steps @ components.T - Z)
    extent = magnitude(Z - middle)
    if gap > LINEARITY_TOLERANCE * extent:
        raise ValueError(
            "`estimator` must be linear, so that arrows hold everywhere; samples of"
            f" {name} lie up to {gap / extent:.2g} of the map's extent elsewhere."
            f" {REMEDY}"
        )
    return Z, components


def _classes_of_sets(y, Y, classes, names):
    """Class (n,) of each row of indicators Y (n, l), and the names of all classes.

    The class is the number of the label, one more for several labels, two more for
    none. `classes` are those of the estimator, None where it has none.
    """
    if classes is None:
        classes = range(Y.shape[1])
    check_label_columns(y, classes)
    n_labels = len(classes)
    Y = check_flags(Y, "y", "n", n_labels)
    names = names_or(classes, names, "class_names", "label")
    labels_of_row = Y.sum(axis=1)
    # Labels come first, then a class for several labels and one for none.
    several_or_none = n_labels + (labels_of_row == 0)
    index = np.where(labels_of_row == 1, np.argmax(Y, axis=1), several_or_none)
    if index.max() >= n_labels:
        names.append("several labels")
    if index.max() > n_labels:
        names.append("no label")
    return index, names
