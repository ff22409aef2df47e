"""Evidence for the relevance of features: measures with their null levels."""

import numpy as np

from ..core import check_number, check_same_length, require, sanitize_text
from .drawing import LegendDisplay, names_or_numbers
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
        require(
            isinstance(ratios, dict) and ratios,
            "ratios",
            "a dict of measures by name",
            ratios,
        )
        self.ratios = {
            name: check_field(values, f"ratios[{name!r}]", ("d",))
            for name, values in ratios.items()
        }
        first, *others = self.ratios.items()
        for other in others:
            check_same_length(first[1], other[1], (first[0], other[0]))
        self.names = names_or_numbers(names, len(first[1]), "feature")

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
        alone = ax is None
        ax = self._canvas(ax, (6.4, 1.1 + 0.24 * max(d, 4)))
        rows = np.arange(d)
        ax.hlines(rows, 0, limit, color="0.9", lw=0.8, zorder=0)
        ax.axvline(
            1.0, color=CLASS_COLORS[1], lw=1.5, label="null level", zorder=1
        )
        for number_of_measure, (name, values) in enumerate(self.ratios.items()):
            ax.scatter(
                np.clip(values, 0, limit),
                rows,
                28,
                color=CLASS_COLORS[2 + number_of_measure],
                marker=CLASS_MARKERS[number_of_measure],
                label=name,
                zorder=2,
            )
        ax.set(xlim=(-0.1, limit + 0.1), ylim=(d - 0.5, -0.5))
        height = ax.get_position().height * ax.figure.get_figheight()
        self._finish(ax, title, number, ("measure / null level", ""))
        ticks = np.arange(0, limit + 0.5)
        ax.set_xticks(ticks, [f"{t:g}" for t in ticks[:-1]] + [f"≥ {limit:g}"])
        ax.set_yticks(
            rows,
            [sanitize_text(name) for name in self.names],
            fontsize=np.clip(72 * 0.8 * height / d, 3, 9),
            **AS_TEXT,
        )
        return self.legend() if alone else self
