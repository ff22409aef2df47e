"""Explorers of a notebook as a page on disk, opened with the network off."""

import contextlib

import nbformat
from nbclient import NotebookClient

from toolkit.explore.offline import offline_fragment, offline_module


def write(code, path):
    """Run `code` as a notebook; its explorers as a page at `path`."""
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    NotebookClient(nb, timeout=120, kernel_name="python3").execute()
    state = nb.metadata["widgets"]["application/vnd.jupyter.widget-state+json"]["state"]
    views = [o.data["application/vnd.jupyter.widget-view+json"] for o in nb.cells[0].outputs if "data" in o]
    body = "".join(offline_fragment(state, view["model_id"]) for view in views)
    path.write_text(f'<!doctype html><meta charset="utf-8"><body>{body}{offline_module()}', encoding="utf-8")
    return path


@contextlib.contextmanager
def opened(chromium, path, explorers):
    """The page once its explorers are painted; at the end, nothing may have failed or been fetched."""
    context = chromium.new_context(viewport={"width": 900, "height": 1800}, accept_downloads=True)
    context.set_offline(True)
    page = context.new_page()
    page.requests, page.errors = [], []
    page.on("request", lambda request: page.requests.append(request.url))
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on("console", lambda message: message.type == "error" and page.errors.append(message.text))
    page.goto(path.as_uri())
    page.wait_for_function(f"document.querySelectorAll('canvas[data-painted]').length === {explorers}")
    yield page
    assert not page.errors
    fetched = [url for url in page.requests if not url.startswith(("file:", "data:", "blob:"))]
    assert not fetched
    context.close()
