"""Figures in notebooks and pages: the picture, its caption and alternative text."""

import os
import re
import textwrap
from pathlib import Path

from ..core import require
from .pictures import as_base64, figure_png
from .style import figure_layout, file_dpi, fit_frames


def publish(figure, name, caption, alt):
    """Show a figure in a notebook with a caption and an alternative text.

    Where the variable ``TOOLKIT_FIGURES`` names a folder, the picture is also written
    there as ``name.png``.

    Parameters
    ----------
    figure : matplotlib Figure
        Figure to show; it is closed, so that a notebook does not show it twice.
    name : str
        Name of the file: letters, digits, ``_``, ``-`` and ``.``, such as
        ``"01_scene_samples"``.
    caption : str
        What to look at, as Markdown without HTML.
    alt : str
        Alternative text: what the picture shows, with its numbers.

    Examples
    --------
    >>> publish(None, "01_scene_samples", "What to look at.", alt="")
    Traceback (most recent call last):
    ...
    ValueError: `caption` and `alt` of figure '01_scene_samples' must not be empty: \
not everybody sees the picture.
    """
    from IPython.display import display

    for data, metadata in figure_outputs(figure, name, caption, alt):
        display(data, metadata=metadata, raw=True)


def figure_outputs(figure, name, caption, alt):
    """Return what a notebook shows of a figure: picture and caption.

    Parameters
    ----------
    figure, name, caption, alt
        As for :func:`publish`.

    Returns
    -------
    outputs : list of (dict, dict)
        Data by MIME type and metadata of both.
    """
    from matplotlib import pyplot as plt

    is_name = isinstance(name, str) and re.fullmatch(r"\w[\w.-]{0,99}", name)
    require(
        is_name,
        "name",
        "the name of a file: up to 100 letters, digits, _, - and ., the first of them a"
        " letter, a digit or _",
        name,
    )
    if not (caption.strip() and alt.strip()):
        raise ValueError(
            f"`caption` and `alt` of figure {name!r} must not be empty: not everybody"
            " sees the picture."
        )
    require(hasattr(figure, "savefig"), "figure", "a matplotlib Figure", figure)
    fit_frames(figure)
    layout = figure_layout(figure)
    picture = figure_png(figure, file_dpi(figure))
    plt.close(figure)
    if folder := os.environ.get("TOOLKIT_FIGURES"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        (Path(folder) / f"{name}.png").write_bytes(picture)
    picture_data = {
        "image/png": as_base64(picture),
        # GitHub, nbval and print show the text in place of the picture.
        "text/plain": textwrap.fill(f"[Figure {name}] {alt}", 110),
    }
    picture_metadata = {"image/png": {"alt": alt, "layout": layout}}
    caption_data = {
        "text/markdown": f"*{_without_html(caption)}*",
        "text/plain": caption,
    }
    return [(picture_data, picture_metadata), (caption_data, {"caption": True})]


def _without_html(caption):
    """Markdown whose HTML is text, so that JupyterLab does not swallow it.

    Formulas and code stay as they are.
    """

    def escape(match):
        if match["kept"]:
            return match["kept"]
        return f"\\{match[0]}"

    pattern = r"(?P<kept>\\.|(`+).+?\2|\$.+?\$)|<|&(?=#?\w+;)"
    return re.sub(pattern, escape, caption, flags=re.DOTALL)
