"""A map of classes: samples by colour and marker, the names of the classes written among them."""

import numpy as np

from .drawing import class_legend, class_styles, place_names

__all__ = ["MapDisplay"]


class MapDisplay:
    """Samples of a map by class.

    Parameters
    ----------
    embedding : ndarray of shape (n, 2)
    y : array-like of shape (n,), class of each sample
    class_names : sequence of str, optional
        In the order of the sorted classes.
    highlighted : ndarray of bool, shape (n,), optional
        Samples to draw large and framed, such as the labelled ones.
    prototypes : ndarray of shape (p, 2), optional
        Points to draw as large stars, in the colours of their classes.
    prototype_labels : array-like of shape (p,), optional
        Classes of `prototypes`.
    classes : sequence, optional
        All classes, sorted; those in `y` by default. Colours and markers go by their order.

    Attributes
    ----------
    ax_, figure_ : set by `plot`

    Examples
    --------
    >>> import numpy as np
    >>> display = MapDisplay(np.eye(2), ["a", "b"])
    >>> display.names
    ['a', 'b']
    """

    def __init__(
        self, embedding, y, class_names=None, highlighted=None, *, prototypes=None, prototype_labels=None, classes=None
    ):
        self.embedding, y = np.asarray(embedding, dtype=float), np.asarray(y)
        if self.embedding.ndim != 2 or self.embedding.shape[1] != 2 or y.shape != (len(self.embedding),):
            raise ValueError(
                f"`embedding` and `y` must have shapes (n, 2) and (n,); got {self.embedding.shape} and {y.shape}."
            )
        self.classes = np.unique(y) if classes is None else np.asarray(classes)
        self.index = self._places(y, "y")
        self.names = [str(c) for c in (self.classes if class_names is None else class_names)]
        if len(self.names) != len(self.classes):
            raise ValueError(f"`class_names` must hold one name a class ({len(self.classes)}); got {len(self.names)}.")
        self.highlighted = None if highlighted is None else np.asarray(highlighted, dtype=bool)
        self.prototypes = np.empty((0, 2)) if prototypes is None else np.asarray(prototypes, dtype=float)
        self.prototype_index = self._places([] if prototype_labels is None else prototype_labels, "prototype_labels")
        if self.prototypes.shape != (len(self.prototype_index), 2):
            raise ValueError(
                "`prototypes` and `prototype_labels` must have shapes (p, 2) and (p,); got "
                f"{self.prototypes.shape} and {self.prototype_index.shape}."
            )

    def _places(self, labels, name):
        """Class number of each label."""
        places = {label: place for place, label in enumerate(self.classes.tolist())}
        labels = np.asarray(labels).tolist()
        if not set(labels) <= set(places):
            raise ValueError(
                f"`{name}` must hold classes of {list(places)}; got also {sorted(set(labels) - set(places), key=str)}."
            )
        return np.array([places[label] for label in labels], dtype=int)

    def legend(self, **options):
        """A legend of the classes under the whole figure, for several maps with the same classes.

        Parameters
        ----------
        options : further arguments of matplotlib's `Figure.legend`
        """
        class_legend(self.figure_, self.names, stars=len(self.prototypes) > 0, **options)
        return self

    def plot(self, ax=None, *, title="", name_classes=True, size=None, equal_aspect=True):
        """Draw the map.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        title : str
        name_classes : bool
            Write the names at the medians of the classes; otherwise nothing is named.
        size : float, optional
            Area of a mark; smaller for more samples by default.
        equal_aspect : bool
        """
        from matplotlib import pyplot as plt

        if ax is not None and not hasattr(ax, "scatter"):
            raise ValueError(f"`ax` must be matplotlib Axes or None; got {type(ax).__name__}.")
        if ax is None:
            _, ax = plt.subplots(figsize=(6.4, 5.4), layout="constrained")
        n = len(self.embedding)
        size = float(np.clip(9000 / n, 0.3, 20)) if size is None else size
        alpha = float(np.clip(400 / np.sqrt(n) / 10, 0.15, 0.8))
        styles = class_styles(len(self.names))
        for c, (color, marker) in enumerate(styles):
            points = self.embedding[self.index == c]
            ax.scatter(*points.T, s=size, c=color, marker=marker, lw=0, alpha=alpha, rasterized=n > 5000)
            if self.highlighted is not None:
                points = self.embedding[(self.index == c) & self.highlighted]
                ax.scatter(*points.T, s=55, c=color, marker=marker, ec="black", lw=0.9, zorder=4)
            stars = self.prototypes[self.prototype_index == c]
            if len(stars):
                ax.scatter(*stars.T, s=190, c=color, marker="*", ec="black", lw=1, zorder=5)
        ax.set(xticks=[], yticks=[], aspect="equal" if equal_aspect else "auto")
        ax.set_title(title, fontsize=10)
        ax.margins(0.06)
        if name_classes:
            seen = np.unique(self.index)
            medians = np.array([np.median(self.embedding[self.index == c], axis=0) for c in seen])
            place_names(ax, medians, [self.names[c] for c in seen], fontsize=9, fontweight="bold")
        self.ax_, self.figure_ = ax, ax.figure
        return self
