"""Explorers on disk, in a report or a page of their own: the same module plays the computed frames.

That takes neither a kernel nor a network; the Content-Security-Policy of the pages
forbids every load from outside.
"""

import base64
import html
import json
import os
from pathlib import Path
from string import Template

from ..core.checks import short_repr
from ..plots.inputs import sanitize_text

FOLDER = Path(__file__).parent
PAGE = Template("""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data: blob:; \
style-src 'unsafe-inline'; script-src 'unsafe-inline' data: blob:; connect-src data: blob:; \
base-uri 'none'; form-action 'none'">
<title>$title</title>
<style>
:root { color-scheme: light dark; }
body { max-width: 56rem; margin: 0 auto; padding: 0 1rem; background: #fff; color: #1b1f24; }
body { font: 17px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
h1 { font-size: 1.5rem; line-height: 1.25; }
footer { padding: 1rem 0 2rem; color: #57606a; font-size: .85rem; }
img { max-width: 100%; height: auto; }
main .tkx h4, main .tkx .caption { display: none; } /* they stand above, also without scripts */
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
    """HTML of one explorer for a page that holds `offline_module()` once; None if no explorer is stored there.

    `widget_state` holds models by id as an executed notebook stores them (``state``,
    and ``buffers`` in base64); `model_id` is that of the explorer or of a box around
    it.
    """
    model = _picture(widget_state, model_id)
    if model is None:
        return None
    unused = ("layout", "tabbable", "tooltip", "own_id")
    state = {
        k: v
        for k, v in model["state"].items()
        if not k.startswith("_") and k not in unused
    }
    buffers = [{"path": b["path"], "data": b["data"]} for b in model.get("buffers", [])]
    # A name with "</script" would end the script element, one with "<!--<script" hide
    # its end; JSON has another "<".
    text = json.dumps({"state": state, "buffers": buffers}, sort_keys=True).replace(
        "<", "\\u003c"
    )
    return (
        '<div class="toolkit-explorer"><script'
        f' type="application/json">{text}</script></div>'
    )


def _picture(models, model_id):
    """The model with frames at or below `model_id`, or None."""
    model = models.get(model_id)
    if (
        model is None
        or "frames" in model["state"]
        or any(b["path"][0] == "frames" for b in model.get("buffers", []))
    ):
        return model
    children = (
        str(child).removeprefix("IPY_MODEL_")
        for child in model["state"].get("children", [])
    )
    return next(
        (found for child in children if (found := _picture(models, child))), None
    )


def offline_module():
    """The script elements that play the explorers of a page; once per page, after the explorers."""
    module = base64.b64encode(FOLDER.joinpath("explore.js").read_bytes()).decode(
        "ascii"
    )
    host = FOLDER.joinpath("offline.js").read_text(encoding="utf-8")
    data = f'<script type="text/plain" id="toolkit-explore-module">{module}</script>'
    return f'{data}\n<script type="module">{host}</script>'


def offline_page(fragment, picture, **words):
    """A whole page that plays one explorer; `words` are its `title`, `caption`, `alt` and `about`.

    Its picture (PNG, bytes) and `alt` are for readers without scripts.
    """
    words = {name: html.escape(text) for name, text in words.items()}
    encoded = base64.b64encode(picture).decode("ascii")
    return sanitize_text(
        PAGE.substitute(
            words, explorer=fragment, picture=encoded, module=offline_module()
        )
    )


def check_page(path):
    """`path` as that of a page in a folder that exists; asked before the work.

    Examples
    --------
    >>> check_page("map.png")
    Traceback (most recent call last):
    ...
    ValueError: `path` must be the name of a page, such as 'map.html'; got 'map.png'.
    """
    if not isinstance(path, str | os.PathLike) or Path(path).suffix.lower() not in (
        ".html",
        ".htm",
    ):
        raise ValueError(
            f"`path` must be the name of a page, such as 'map.html'; got {short_repr(path)}."
        )
    path = Path(path)
    if not path.parent.is_dir():
        raise ValueError(
            f"`path` must lie in a folder that exists; there is none at {path.parent}."
            " Make it first."
        )
    return path
