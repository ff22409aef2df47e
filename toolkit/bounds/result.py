"""What all bounds share: they unpack as ``lower, upper`` and draw themselves."""

import numpy as np

from ..plots import BoundsDisplay

__all__ = ["Bounds", "column_names"]


class Bounds:
    """Base of results with `lower`, `upper` and perhaps `names` of features."""

    names = None

    def __iter__(self):
        return iter((self.lower, self.upper))

    def plot(self, ax=None, *, names=None, positions=None, **options):
        """Black bars up to the upper bounds, white ones up to the lower bounds, alone where there are no upper ones.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        names : sequence of d str, optional
            By default the columns of the DataFrame that was given, or X1, X2, ...
        positions : array-like of shape (d,), optional
            Rising places along the axis, such as wavelengths.
        options : further arguments of :meth:`toolkit.plots.BoundsDisplay.plot`

        Returns
        -------
        BoundsDisplay
        """
        names = self.names if names is None else names
        upper = np.where(np.isnan(self.upper), np.maximum(self.lower, 0), self.upper)
        return BoundsDisplay(self.lower, upper, names, positions=positions).plot(ax, **options)


def column_names(X):
    """Names of the columns of a DataFrame, None of anything else.

    Examples
    --------
    >>> column_names([[1.0]]) is None
    True
    """
    return [str(name) for name in X.columns] if hasattr(X, "columns") else None
