"""The frame of every page: it needs no network, which its policy enforces."""

import html
from pathlib import Path
from string import Template

from ..core import sanitize_text

FOLDER = Path(__file__).parent


def page_frame(title, body, *, style="", body_class=""):
    """A whole page.

    Parameters
    ----------
    title : str
        Title of the browser's tab, as text.
    body : str
        Content, as HTML.
    style : str, default=""
        Rules of CSS in addition to those of all pages.
    body_class : str, default=""
        Class of the body, for such rules.

    Returns
    -------
    page : str
        HTML without characters that a file or a browser would refuse.
    """
    frame = Template(FOLDER.joinpath("page.html").read_text("utf-8"))
    common_style = FOLDER.joinpath("page.css").read_text("utf-8")
    page = frame.substitute(
        title=html.escape(title),
        style=common_style + style,
        body_class=body_class,
        body=body,
    )
    return sanitize_text(page)
