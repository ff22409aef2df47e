"""Explorers without a kernel: a page that plays the computed frames.

The page, a report or a single explorer, needs no network either; its
Content-Security-Policy forbids every load from outside.
"""

import html
import json
import os
from pathlib import Path
from string import Template

from ..core import require, sanitize_text
from ..plots.pictures import as_base64

MODULE_FOLDER = Path(__file__).parent
# A page without a kernel has no use for these parts of a widget's state.
ONLY_FOR_KERNELS = {"layout", "tabbable", "tooltip", "own_id"}
# Title and caption stand above the explorer, also without scripts.
STYLE_OF_PAGE = """
.explorer :is(main, footer) { max-width: 56rem; }
.explorer h1 { font-size: 1.5rem; }
.explorer main .tkx :is(h4, .caption) { display: none; }
.explorer .tkx { color-scheme: light; }
"""


def offline_fragment(widget_state, model_id):
    """HTML of one explorer for a page that holds `offline_module()` once.

    It is None if no explorer is stored there. `widget_state` holds models by id as an
    executed notebook stores them (``state``, and ``buffers`` in base64).
    """
    model = widget_state.get(model_id, {"state": {}})
    if "frames" not in model["state"]:
        return None
    state = {
        name: value
        for name, value in model["state"].items()
        if not name.startswith("_") and name not in ONLY_FOR_KERNELS
    }
    data = {"state": state, "buffers": model.get("buffers", [])}
    # A name with "</script" would end the script element, one with "<!--<script" hide
    # its end; JSON has another "<".
    text = json.dumps(data, sort_keys=True).replace("<", "\\u003c")
    return (
        '<div class="toolkit-explorer"><script type="application/json">'
        f"{text}</script></div>"
    )


def offline_module():
    """The script elements that play the explorers of a page.

    They occur once per page, after the explorers.
    """
    code = as_base64(MODULE_FOLDER.joinpath("explore.js").read_bytes())
    host = MODULE_FOLDER.joinpath("offline.js").read_text("utf-8")
    return (
        f'<script type="text/plain" id="toolkit-explore-module">{code}</script>\n'
        f'<script type="module">{host}</script>'
    )


def offline_page(fragment, picture, **words):
    """A whole page that plays one explorer.

    `words` are its `title`, `caption`, `alt` and `about`. Its picture (PNG, bytes) and
    `alt` are for readers without scripts.

    `fragment` is the HTML of the explorer.
    """
    title = html.escape(words["title"])
    alt = html.escape(words["alt"])
    source = f"data:image/png;base64,{as_base64(picture)}"
    lines = [
        "<main>",
        f"<h1>{title}</h1>",
        f"<p>{html.escape(words['caption'])}</p>",
        fragment,
        f'<noscript><img src="{source}" alt="{alt}"></noscript>',
        "</main>",
        f"<footer>{html.escape(words['about'])}</footer>",
        offline_module(),
    ]
    return page_frame(
        words["title"],
        "\n".join(lines),
        style=STYLE_OF_PAGE,
        body_class="explorer",
    )


def check_page(path, name="path"):
    """`path` as that of a page in a folder that exists; checked before the work.

    `name` is that of the argument.

    Examples
    --------
    >>> check_page("map.png")
    Traceback (most recent call last):
    ...
    ValueError: `path` must be the name of a page, such as 'map.html'; got 'map.png'.
    """
    require(
        isinstance(path, str | os.PathLike)
        and Path(path).suffix.lower() in (".html", ".htm"),
        name,
        "the name of a page, such as 'map.html'",
        path,
    )
    path = Path(path)
    if not path.parent.is_dir():
        raise ValueError(
            f"`{name}` must be in an existing folder; there is none at"
            f" {path.parent}. Create it first."
        )
    return path


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
    frame = Template(MODULE_FOLDER.joinpath("page.html").read_text("utf-8"))
    common_style = MODULE_FOLDER.joinpath("page.css").read_text("utf-8")
    page = frame.substitute(
        title=html.escape(title),
        style=common_style + style,
        body_class=body_class,
        body=body,
    )
    return sanitize_text(page)
