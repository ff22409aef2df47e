"""Evidence for the relevance of features: measures with their null levels."""

import numpy as np

from ..core import check_number, check_same_length, require, sanitize_text
from .drawing import LegendDisplay, names_or_numbers, row_font_size
from .inputs import AS_TEXT, check_field
from .style import CLASS_COLORS, CLASS_MARKERS, with_style

FARTHEST = 4.0  # times the null level; what is larger is drawn there


class EvidenceDisplay(LegendDisplay):
    """Measures of the relevance of each feature, in units of their null levels.

    A row per feature, and a mark per measure. Marks on or to the right of the line at 1
    are at or above the null level, which measures of noise exceed by chance only.

    Parameters
    ----------
    ratios : dict of str to array-like of shape (d,)
        Each measure divided by its null level, by name.
    names : sequence of d str, optional
        Names of the features; by default X1, X2, ...

    Examples
    --------
    >>> EvidenceDisplay({"forest": [0.5, 2.0]}).names
    ['X1', 'X2']
    """

    def __init__(self, ratios, names=None):
        valid = isinstance(ratios, dict) and ratios
        require(valid, "ratios", "a dict of measures by name", ratios)
        first_name = next(iter(ratios))
        self.ratios = {}
        for name, values in ratios.items():
            self.ratios[name] = check_field(values, f"ratios[{name!r}]", ("d",))
            first = self.ratios[first_name]
            check_same_length(first, self.ratios[name], (first_name, name))
        self.names = names_or_numbers(names, len(first), "feature")

    @with_style
    def plot(self, ax=None, *, title="", number="", limit=FARTHEST):
        """Draw a row of marks per feature.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on; a new figure by default.
        title : str, default=""
            Title of the axes: the finding.
        number : str, default=""
            Number that shows the finding, with its name and samples; below the title.
        limit : float, default=4.0
            Largest ratio that is drawn; larger ones are drawn there.

        Returns
        -------
        self : object
            The drawn display.
        """
        limit = check_number(limit, "limit", 1.5)
        d = len(self.names)
        has_legend = ax is None
        ax = self._canvas(ax, (6.4, 1.1 + 0.24 * max(d, 4)))
        rows = np.arange(d)
        ax.hlines(rows, 0, limit, color="0.9", lw=0.8, zorder=0)
        ax.axvline(
            1.0, color=CLASS_COLORS[1], lw=1.5, label="null level", zorder=1
        )
        colors = CLASS_COLORS[2:]
        for measure, (name, values) in enumerate(self.ratios.items()):
            ax.scatter(
                np.clip(values, 0, limit),
                rows,
                28,
                color=colors[measure],
                marker=CLASS_MARKERS[measure],
                label=name,
                zorder=2,
            )
        ax.set(xlim=(-0.1, limit + 0.1), ylim=(d - 0.5, -0.5))
        font_size = row_font_size(ax, d)
        self._finish(ax, title, number, ("measure / null level", ""))
        ticks = np.arange(0, limit + 0.5)
        tick_labels = [f"{tick:g}" for tick in ticks]
        tick_labels[-1] = f"≥ {limit:g}"
        ax.set_xticks(ticks, tick_labels)
        names = [sanitize_text(name) for name in self.names]
        ax.set_yticks(rows, names, fontsize=font_size, **AS_TEXT)
        if has_legend:
            return self.legend()
        return self
