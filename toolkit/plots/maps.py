"""A map of classes: samples by colour and marker, the names of the classes written among them."""

import numpy as np

from .drawing import class_styles, place_names

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
        Classes of `prototypes`, of those in `y`.

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
        self, embedding, y, class_names=None, highlighted=None, *, prototypes=None, prototype_labels=None
    ):
        self.embedding, y = np.asarray(embedding, dtype=float), np.asarray(y)
        if self.embedding.ndim != 2 or self.embedding.shape[1] != 2 or y.shape != (len(self.embedding),):
            raise ValueError(
                f"`embedding` and `y` must have shapes (n, 2) and (n,); got {self.embedding.shape} and {y.shape}."
            )
        classes, self.index = np.unique(y, return_inverse=True)
        self.names = [str(c) for c in (classes if class_names is None else class_names)]
        if len(self.names) != len(classes):
            raise ValueError(
                f"`class_names` must hold one name a class ({len(classes)}); got {len(self.names)}."
            )
        self.highlighted = None if highlighted is None else np.asarray(highlighted, dtype=bool)
        self.prototypes = np.empty((0, 2)) if prototypes is None else np.asarray(prototypes, dtype=float)
        bearers = [] if prototype_labels is None else np.asarray(prototype_labels).tolist()
        places = {name: place for place, name in enumerate(classes.tolist())}
        if self.prototypes.shape != (len(bearers), 2) or not set(bearers) <= set(places):
            raise ValueError(
                "`prototypes` and `prototype_labels` must have shapes (p, 2) and (p,), with classes that `y` holds "
                f"({list(places)}); got shapes {self.prototypes.shape} and ({len(bearers)},), classes "
                f"{sorted(set(bearers), key=str)}. Give samples of every class."
            )
        self.prototype_index = np.array([places[name] for name in bearers], dtype=int)

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
            medians = np.array(
                [np.median(self.embedding[self.index == c], axis=0) for c in range(len(styles))]
            )
            place_names(ax, medians, self.names, fontsize=9, fontweight="bold")
        self.ax_, self.figure_ = ax, ax.figure
        return self
