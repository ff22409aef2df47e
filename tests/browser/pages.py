"""Explorers as a page on disk, opened with the network off."""

import contextlib

from ipywidgets.embed import dependency_state

from toolkit.explore.offline import offline_fragment, offline_module

VIEWPORT = {"width": 900, "height": 1800}
_open = {}  # the page of each browser


def write(code, path):
    """Run `code`, as in a notebook but without its kernel; the explorers that it displays as a page at `path`."""
    shown = []
    exec(code, {"display": lambda *explorers: shown.extend(explorers)})
    state = dependency_state(shown, drop_defaults=False)
    body = "".join(offline_fragment(state, explorer.model_id) for explorer in shown)
    path.write_text(f'<!doctype html><meta charset="utf-8"><body>{body}{offline_module()}', encoding="utf-8")
    return path


@contextlib.contextmanager
def opened(chromium, path, explorers):
    """The page once its explorers are painted; at the end, nothing may have failed or been fetched."""
    page = _open.get(chromium) or _open.setdefault(chromium, _page(chromium))
    page.goto("about:blank")
    page.requests.clear()
    page.errors.clear()
    page.set_viewport_size(VIEWPORT)
    for key in ("Shift", "Control"):  # a test that failed may have left them down
        page.keyboard.up(key)
    page.mouse.up()
    page.mouse.move(0, 0)
    page.goto(path.as_uri())
    page.wait_for_function(f"document.querySelectorAll('canvas[data-painted]').length === {explorers}")
    yield page
    assert not page.errors
    fetched = [url for url in page.requests if not url.startswith(("file:", "data:", "blob:", "about:"))]
    assert not fetched


def _page(chromium):
    context = chromium.new_context(viewport=VIEWPORT, accept_downloads=True)
    context.set_offline(True)
    page = context.new_page()
    page.requests, page.errors = [], []
    page.on("request", lambda request: page.requests.append(request.url))
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on("console", lambda message: message.type == "error" and page.errors.append(message.text))
    return page
