"""A map of samples with a real value each, such as a target or a feature, by colour."""

import numpy as np

from .drawing import color_bar as draw_color_bar

__all__ = ["TargetDisplay"]


class TargetDisplay:
    """Samples of a map coloured by a real value.

    Parameters
    ----------
    embedding : ndarray of shape (n, 2)
    values : array-like of shape (n,), finite
    name : str, what the values are

    Attributes
    ----------
    ax_, figure_ : set by `plot`

    Examples
    --------
    >>> TargetDisplay([[0, 0], [1, 1]], [3.0, 4.0], "price").name
    'price'
    """

    def __init__(self, embedding, values, name=""):
        self.embedding, self.values = np.asarray(embedding, dtype=float), np.asarray(values, dtype=float)
        if self.embedding.ndim != 2 or self.embedding.shape[1] != 2 or self.values.shape != (len(self.embedding),):
            raise ValueError(
                "`embedding` and `values` must have shapes (n, 2) and (n,); got "
                f"{self.embedding.shape} and {self.values.shape}."
            )
        if not np.isfinite(self.values).all():
            raise ValueError("`values` must be finite; there is NaN or infinity. Leave those samples out.")
        self.name = name

    def plot(self, ax=None, *, title="", size=None, color_bar=True, limits=None):
        """Draw the map.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        title : str
        size : float, optional
            Area of a mark; smaller for more samples by default.
        color_bar : bool
        limits : pair of float, optional
            Values of the two ends of the colours; by default the 2nd and the 98th percentile.
        """
        from matplotlib import pyplot as plt

        if ax is not None and not hasattr(ax, "scatter"):
            raise ValueError(f"`ax` must be matplotlib Axes or None; got {type(ax).__name__}.")
        if ax is None:
            _, ax = plt.subplots(figsize=(6.4, 5.4), layout="constrained")
        low, high = np.percentile(self.values, [2, 98]) if limits is None else limits
        size = float(np.clip(9000 / len(self.embedding), 0.3, 24)) if size is None else size
        order = np.argsort(self.values, kind="stable")  # the highest on top, always in the same order
        shown = ax.scatter(
            *self.embedding[order].T, c=self.values[order], s=size, cmap="cividis", vmin=low, vmax=high, lw=0
        )
        ax.set(xticks=[], yticks=[], aspect="equal")
        ax.set_title(title, fontsize=10)
        ax.margins(0.06)
        if color_bar:
            draw_color_bar(ax, shown, self.name)
        self.ax_, self.figure_ = ax, ax.figure
        return self
