"""A figure with its heading, caption and alternative text."""

from dataclasses import dataclass, field

from ..plots import publish, write_heading
from ..plots.pictures import as_base64, figure_png
from ..plots.style import file_dpi, fit_frames

HEIGHT_OVER_WIDTH = 0.72  # of a map


@dataclass
class Picture:
    """A figure with a finding, a caption and a text; in a notebook it displays itself.

    Parameters
    ----------
    figure_ : matplotlib Figure
        The figure, to which the heading is added.
    name, finding, below, caption, alt : str
        Name of its file, two lines of the heading, caption and alternative text.

    Examples
    --------
    >>> from toolkit.plots import panels
    >>> figure, _ = panels(1)
    >>> Picture(
    ...     figure,
    ...     name="empty",
    ...     finding="Nothing",
    ...     below="to see",
    ...     caption="A frame.",
    ...     alt="an empty frame",
    ... ).alt
    'an empty frame'
    """

    figure_: object = field(repr=False)
    name: str = field(kw_only=True)
    finding: str = field(kw_only=True)
    below: str = field(kw_only=True)
    caption: str = field(kw_only=True)
    alt: str = field(kw_only=True)

    def __post_init__(self):
        write_heading(self.figure_, self.finding, self.below)

    def _ipython_display_(self):
        publish(self.figure_, self.name, self.caption, self.alt)

    def _repr_mimebundle_(self, **kwargs):
        from matplotlib import pyplot as plt

        fit_frames(self.figure_)
        png = figure_png(self.figure_, file_dpi(self.figure_))
        # A notebook would show an open figure twice (`publish` closes it, too).
        plt.close(self.figure_)
        texts = {"alt": self.alt, "caption": self.caption}
        return {"image/png": as_base64(png)}, {"image/png": texts}
