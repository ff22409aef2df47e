"""Explorers in a report on disk: the same module plays the computed frames, without a kernel or a network."""

import base64
import json
from pathlib import Path

__all__ = ["offline_fragment", "offline_module"]

FOLDER = Path(__file__).parent


def offline_fragment(widget_state, model_id):
    """HTML of one explorer for a page that holds `offline_module()` once; None if no explorer is stored there.

    `widget_state` holds models by id as an executed notebook stores them (``state``, and ``buffers`` in base64);
    `model_id` is that of the explorer or of a box around it.
    """
    model = _picture(widget_state, model_id)
    if model is None:
        return None
    unused = ("layout", "tabbable", "tooltip")
    state = {k: v for k, v in model["state"].items() if not k.startswith("_") and k not in unused}
    buffers = [{"path": b["path"], "data": b["data"]} for b in model.get("buffers", [])]
    # A name with "</script" would end the script element, one with "<!--<script" hide its end; JSON has another "<".
    text = json.dumps({"state": state, "buffers": buffers}, sort_keys=True).replace("<", "\\u003c")
    return f'<div class="toolkit-explorer"><script type="application/json">{text}</script></div>'


def _picture(models, model_id):
    """The model with frames at or below `model_id`, or None."""
    model = models.get(model_id)
    if model is None:
        return None
    if "frames" in model["state"] or any(b["path"][0] == "frames" for b in model.get("buffers", [])):
        return model
    children = (str(child).removeprefix("IPY_MODEL_") for child in model["state"].get("children", []))
    return next((found for child in children if (found := _picture(models, child))), None)


def offline_module():
    """The script elements that play the explorers of a page; once per page, after the explorers."""
    module = base64.b64encode((FOLDER / "explore.js").read_bytes()).decode("ascii")
    host = (FOLDER / "offline.js").read_text(encoding="utf-8")
    data = f'<script type="text/plain" id="toolkit-explore-module">{module}</script>'
    return f'{data}\n<script type="module">{host}</script>'
