"""Explorers in a report on disk: the same module plays the computed frames, without a kernel or a network."""

import base64
import json
from pathlib import Path

__all__ = ["offline_fragment", "offline_module"]

HOST = """
const text = document.getElementById("toolkit-explore-module").textContent;
const { default: explorer } = await import("data:text/javascript;base64," + text.trim());
const groups = {};
for (const holder of document.querySelectorAll(".toolkit-explorer")) {
  const { state, buffers } = JSON.parse(holder.querySelector("script").textContent);
  for (const { path, data } of buffers) {
    const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
    let place = state;
    for (const key of path.slice(0, -1)) place = place[key];
    place[path.at(-1)] = new DataView(bytes.buffer);
  }
  state.offline = true;
  const listeners = {};
  const model = {
    get: (key) => state[key],
    set(key, value) { state[key] = value; (listeners["change:" + key] ?? []).forEach((call) => call()); },
    on(name, call) { (listeners[name] ??= []).push(call); },
    off(name, call) { listeners[name] = (listeners[name] ?? []).filter((c) => c !== call); },
    save_changes() {
      for (const other of groups[state.group] ?? [])
        if (other !== model && other.get("selected") !== state.selected) other.set("selected", state.selected);
    },
  };
  if (state.group) (groups[state.group] ??= []).push(model);
  holder.querySelector(".toolkit-still")?.remove();
  explorer.render({ model, el: holder.appendChild(document.createElement("div")) });
}
"""


def offline_fragment(widget_state, model_id):
    """HTML of one explorer for a page that holds `offline_module()` once.

    Parameters
    ----------
    widget_state : dict
        Models by id as an executed notebook stores them: ``state``, and ``buffers`` in base64.
    model_id : str, of the explorer or of a box around it

    Returns
    -------
    str, or None if no explorer is stored there
    """
    model = _picture(widget_state, model_id)
    if model is None:
        return None
    state = {
        k: v for k, v in model["state"].items() if not k.startswith("_") and k not in ("layout", "tabbable", "tooltip")
    }
    buffers = [{"path": b["path"], "data": b["data"]} for b in model.get("buffers", [])]
    # "</" would end the script element; in JSON the escaped form means the same.
    text = json.dumps({"state": state, "buffers": buffers}, sort_keys=True).replace("</", "<\\/")
    return f'<div class="toolkit-explorer"><script type="application/json">{text}</script></div>'


def _picture(models, model_id):
    """The model with frames at or below `model_id`."""
    model = models.get(model_id)
    if model is None:
        return None
    if "frames" in model["state"] or any(b["path"][0] == "frames" for b in model.get("buffers", [])):
        return model
    children = (str(child).removeprefix("IPY_MODEL_") for child in model["state"].get("children", []))
    return next((found for child in children if (found := _picture(models, child))), None)


def offline_module():
    """The script elements that bring the explorers of a page to life; once a page, after the explorers."""
    module = base64.b64encode(Path(__file__).with_name("explore.js").read_bytes()).decode("ascii")
    return (
        f'<script type="text/plain" id="toolkit-explore-module">{module}</script>\n'
        f'<script type="module">{HOST}</script>'
    )
