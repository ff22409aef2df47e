"""What all bounds share: they unpack as ``lower, upper`` and draw themselves."""

import numpy as np

from ..core.checks import check_share
from ..plots import BoundsDisplay

__all__ = ["Bounds", "column_names"]


class Bounds:
    """Base of results with `lower`, `upper` and perhaps `names` of features."""

    names = None

    def __iter__(self):
        return iter((self.lower, self.upper))

    def __repr__(self):
        kinds, counts = np.unique(self.kinds(), return_counts=True)
        found = ", ".join(f"{count} {kind}" for kind, count in zip(kinds, counts, strict=True))
        sizes = [f"{name}={getattr(self, name)}" for name in ("null_space", "slack") if hasattr(self, name)]
        return f"{type(self).__name__}({', '.join([found, *sizes])})"

    def kinds(self, share=0.05):
        """Which of three settings each feature is in, by two comparisons with a share of the largest upper bound.

        Parameters
        ----------
        share : float, 0 < share < 1, default=0.05

        Returns
        -------
        ndarray of shape (d,)
            "irreplaceable" where the lower bound is above `share` of the largest upper one, "replaceable" where only
            the upper bound is, else "irrelevant".
        """
        if not 0 < check_share(share, "share") < 1:
            raise ValueError(f"`share` must be a number between 0 and 1, without the ends; got {share!r}.")
        upper = self._shown_upper()
        least = share * upper.max()
        return np.select([self.lower > least, upper > least], ["irreplaceable", "replaceable"], "irrelevant")

    def _shown_upper(self):
        """Where there are no upper bounds, the lower ones in their place."""
        return np.where(np.isnan(self.upper), np.maximum(self.lower, 0), self.upper)

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
        return BoundsDisplay(self.lower, self._shown_upper(), names, positions=positions).plot(ax, **options)


def column_names(X):
    """Names of the columns of a DataFrame, None of anything else.

    Examples
    --------
    >>> column_names([[1.0]]) is None
    True
    """
    return [str(name) for name in X.columns] if hasattr(X, "columns") else None
