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

FOLDER = Path(__file__).parent
# A page without a kernel has no use for these parts of a widget's state.
ONLY_FOR_KERNELS = {"layout", "tabbable", "tooltip", "own_id"}
PAGE = Template("""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="\
default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; \
script-src 'unsafe-inline' data: blob:; connect-src data: blob:; \
base-uri 'none'; form-action 'none'">
<title>$title</title>
<style>
:root { color-scheme: light dark; }
body { max-width: 56rem; margin: 0 auto; padding: 0 1rem; }
body { background: #fff; color: #1b1f24; }
body { font: 17px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
h1 { font-size: 1.5rem; line-height: 1.25; }
footer { padding: 1rem 0 2rem; color: #57606a; font-size: .85rem; }
img { max-width: 100%; height: auto; }
/* they stand above, also without scripts */
main .tkx h4, main .tkx .caption { display: none; }
.tkx { color-scheme: light; }
@media screen and (prefers-color-scheme: dark) {
  body { background: #14181d; color: #e3e7ec; }
  footer { color: #a5afba; }
}
</style>
</head>
<body>
<main>
<h1>$title</h1>
<p>$caption</p>
$explorer
<noscript><img src="data:image/png;base64,$picture" alt="$alt"></noscript>
</main>
<footer>$about</footer>
$module
</body>
</html>
""")


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
    code = as_base64(FOLDER.joinpath("explore.js").read_bytes())
    host = FOLDER.joinpath("offline.js").read_text("utf-8")
    return (
        f'<script type="text/plain" id="toolkit-explore-module">{code}</script>\n'
        f'<script type="module">{host}</script>'
    )


def offline_page(fragment, picture, **words):
    """A whole page that plays one explorer.

    `words` are its `title`, `caption`, `alt` and `about`. Its picture (PNG, bytes) and
    `alt` are for readers without scripts.
    """
    return sanitize_text(
        PAGE.substitute(
            {name: html.escape(text) for name, text in words.items()},
            explorer=fragment,
            picture=as_base64(picture),
            module=offline_module(),
        )
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
