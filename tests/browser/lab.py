"""Real JupyterLab in headless Chromium: run a notebook, press keys on each control of its explorer, time the repaint.

As a script: ``python tests/browser/lab.py notebooks/01_simultaneous_visualization.ipynb`` prints the medians.
"""

import contextlib
import os
import shutil
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

# In the page: time from the key press to the frame in which the picture with the new state has been painted.
TIMER = """
(canvas) => {
  window.keyAt = null; window.times = [];
  document.addEventListener("keydown", () => {
    window.keyAt = performance.now(); window.frameAt = canvas.dataset.frame;
  }, true);
  new MutationObserver(() => {
    if (window.keyAt !== null && canvas.dataset.frame !== window.frameAt) {
      const key = window.keyAt; window.keyAt = null;
      requestAnimationFrame(() => window.times.push(performance.now() - key));
    }
  }).observe(canvas, { attributes: true, attributeFilter: ["data-painted"] });
}
"""


@contextlib.contextmanager
def server(folder):
    """A JupyterLab on the loopback interface; yields its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = ["--no-browser", "--allow-root", f"--port={port}", "--IdentityProvider.token=", "--ServerApp.password="]
    options += ["--ip=127.0.0.1", f"--ServerApp.root_dir={folder}", "--LabApp.extension_manager=readonly"]
    options += ["--LabApp.news_url=None", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    environment = os.environ | {"JUPYTER_PREFER_ENV_PATH": "1"}
    command = [sys.executable, "-m", "jupyterlab", *options]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(240):
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"{address}/api", timeout=1).read()
                break
            time.sleep(0.25)
        else:
            raise RuntimeError("JupyterLab did not start within a minute")
        yield address
    finally:
        process.terminate()
        process.wait(20)


def latencies(page, address, notebook, presses=20, patience=180, to_and_fro=True, explorers=None):
    """Milliseconds from key press to repaint, by control, of each explorer in a notebook.

    Without the number of `explorers`, those count that come within six seconds after another.

    Returns
    -------
    dict of str to list of float, errors : list of str (of the page's console, about the explorer)
    """
    from playwright.sync_api import TimeoutError

    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{address}/lab/tree/{notebook}?reset")
    page.wait_for_selector(".jp-Notebook", timeout=60_000)
    # Until its kernel is connected, a notebook ignores the command without a message.
    page.wait_for_selector(".jp-Notebook-ExecutionIndicator[data-status=idle]", timeout=60_000)
    page.wait_for_timeout(500)
    page.locator(".jp-Notebook .jp-Cell").first.click()
    for _ in range(5):
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_text("Run All Cells", exact=True).click()
        with contextlib.suppress(TimeoutError):  # ignored: once more
            page.wait_for_function("document.querySelector('.jp-InputPrompt').innerText !== '[ ]:'", timeout=5000)
            break
    page.wait_for_function("document.querySelector('.tkx canvas[data-painted]')", timeout=1000 * patience)
    painted, shown = page.locator(".tkx canvas[data-painted]"), explorers or 0
    if explorers is None:
        while shown < (count := painted.count()):
            shown = count
            page.wait_for_timeout(6000)
    else:
        painted.nth(explorers - 1).wait_for(timeout=1000 * patience)
    result = {}
    for number in range(shown):
        root = page.locator(".tkx").nth(number)
        canvas = root.locator(".stage > canvas")
        canvas.scroll_into_view_if_needed()
        page.evaluate(TIMER, canvas.element_handle())
        for target in root.locator(".row input, .row select").all():
            name = target.get_attribute("aria-label")
            name = name if shown == 1 else f"{name} of explorer {number + 1}"
            kind = target.evaluate("(node) => node.type")
            page.evaluate("window.times = []")
            target.focus()
            for press in range(presses):
                there = not to_and_fro or (press // 3) % 2 == 0  # to and fro, so that no end is reached
                if kind == "checkbox":
                    key = "Space"
                elif kind.startswith("select"):
                    key = "ArrowDown" if there else "ArrowUp"
                else:
                    key = "ArrowRight" if there else "ArrowLeft"
                done = page.evaluate("window.times.length")
                page.keyboard.press(key)
                with contextlib.suppress(TimeoutError):  # at the end of its range nothing changes
                    page.wait_for_function("(done) => window.times.length > done", arg=done, timeout=500)
            result[name] = page.evaluate("window.times")
    return result, errors


def main(path):
    from playwright.sync_api import sync_playwright

    path = Path(path).resolve()
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with server(path.parent) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1400, "height": 1100})
        result, errors = latencies(page, address, path.name)
        if len(sys.argv) > 2:
            page.screenshot(path=sys.argv[2])
        browser.close()
    for name, times in result.items():
        print(f"{name}: {len(times)} repaints, median {statistics.median(times):.0f} ms" if times else f"{name}: none")
    print("\n".join(errors) or "no error in the page")


if __name__ == "__main__":
    main(sys.argv[1])
