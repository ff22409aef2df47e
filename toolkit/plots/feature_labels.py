"""Labels and features of a linear map in one plane."""

import numpy as np

from ..core import about_mean, check_codes, check_names
from .drawing import Display, write_names
from .inputs import check_points
from .labels import AXES, FRAMED, set_limits
from .style import CLASS_COLORS, with_style


class FeatureLabelDisplay(Display):
    """Features and labels of an FL-A map.

    Parameters
    ----------
    feature_points : ndarray of shape (d, 2)
        Positions of the features.
    label_points : ndarray of shape (l, 2)
        Positions of the labels.
    feature_names, label_names : list of str
        Names of the features and of the labels.

    Examples
    --------
    >>> features, labels = ["red", "green"], ["sea", "sky"]
    >>> FeatureLabelDisplay(np.eye(2), np.eye(2), features, labels).label_names
    ['sea', 'sky']
    """

    def __init__(
        self, feature_points, label_points, feature_names, label_names
    ):
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
        """Make the display of a fitted map of features and labels.

        Parameters
        ----------
        estimator : FeatureLabelEigenmap
            Fitted map, see :class:`~toolkit.multilabel.FeatureLabelEigenmap`.
        feature_names : sequence of d str, optional
            Names of the features; by default those of the columns that `fit` was given,
            else numbers.
        label_names : sequence of l str, optional
            Names of the labels, by default as for the features.

        Returns
        -------
        display : FeatureLabelDisplay
            The display; draw it with `plot`.
        """
        points = estimator.feature_embedding_
        if feature_names is None:
            numbers = [f"#{j + 1}" for j in range(len(points))]
            feature_names = getattr(estimator, "feature_names_in_", numbers)
        if label_names is None:
            label_names = estimator.classes_
        return cls(
            points, estimator.label_embedding_, feature_names, label_names
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
        name_features : sequence of int, default=()
            Features to name.
        name_labels : sequence of int, optional
            Labels to name; all by default.
        connect : bool, default=False
            Whether to connect features with neighbouring numbers by a thin line.
        zoom : (x_min, x_max, y_min, y_max), optional
            Part to show; the frame may show some more in one direction.

        Returns
        -------
        self : object
            The drawn display.
        """
        n_features = len(self.feature_names)
        n_labels = len(self.label_names)
        ringed = check_codes(name_features, "name_features", n_features)
        if name_labels is None:
            name_labels = range(n_labels)
        named = check_codes(name_labels, "name_labels", n_labels)
        ax = self._canvas(ax)
        x, y = self.feature_points.T
        set_limits(ax, [self.feature_points, self.label_points], zoom)
        if connect:
            ax.plot(x, y, c=CLASS_COLORS[0], lw=0.5, alpha=0.35, zorder=2)
        ax.scatter(x, y, s=12, lw=0, zorder=3, c=CLASS_COLORS[0])
        # Many labels get small marks.
        size = 80 if n_labels <= 12 else 30
        look = FRAMED | {"c": CLASS_COLORS[2], "lw": 0.8, "marker": "D"}
        ax.scatter(*self.label_points.T, s=size, **look)
        ax.scatter(x[ringed], y[ringed], s=40, fc="none", **FRAMED)
        label_points = self.label_points[named]
        points = np.vstack([label_points, self.feature_points[ringed]])
        names = [self.label_names[j] for j in named]
        names += [self.feature_names[j] for j in ringed]
        # Only points within the limits are named.
        low, high = ax.viewLim.get_points()
        visible = np.all((low <= points) & (points <= high), axis=1)
        names = np.array(names)[visible]
        write_names(ax, points[visible], names, avoid=self.feature_points)
        return self._finish(ax, title, number, AXES)

    def alt_text(self):
        """Describe the picture in words and numbers.

        Returns
        -------
        text : str
            Alternative text of the picture.
        """
        offsets = about_mean(self.feature_points)
        farthest = np.argsort(-np.linalg.norm(offsets, axis=1))[:3]
        names = ", ".join(self.feature_names[j] for j in farthest)
        return (
            f"Scatter plot of {len(offsets)} features and {len(self.label_points)}"
            f" labels; the features farthest from the middle are {names}."
        )
