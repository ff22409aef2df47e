"""JupyterLab in headless Chromium: run a notebook, press keys on controls of its explorers."""

import contextlib
import os
import socket
import subprocess
import sys
import time
import urllib.request

import nbformat


@contextlib.contextmanager
def server(folder):
    """A JupyterLab on the loopback interface; yields its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = [
        "--no-browser",
        "--allow-root",
        f"--port={port}",
        "--IdentityProvider.token=",
        "--ServerApp.password=",
        "--ip=127.0.0.1",
        f"--ServerApp.root_dir={folder}",
        "--LabApp.extension_manager=readonly",
        "--LabApp.news_url=None",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    ]
    environment = os.environ | {"JUPYTER_PREFER_ENV_PATH": "1"}
    command = [sys.executable, "-m", "jupyterlab", *options]
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
    )
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


def write(folder, name, *sources):
    """A notebook of these cells, not yet run; its path."""
    spec = {"display_name": "Python 3", "language": "python", "name": "python3"}
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    nb = nbformat.v4.new_notebook(metadata={"kernelspec": spec}, cells=cells)
    nbformat.write(nb, folder / name)
    return folder / name


def open_notebook(chromium, address, name, height=1100):
    """The page of a notebook once its kernel is connected: until then it ignores commands without a message."""
    page = chromium.new_page(viewport={"width": 1400, "height": height})
    page.errors = []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.goto(f"{address}/lab/tree/{name}?reset")
    page.wait_for_selector(
        ".jp-Notebook-ExecutionIndicator[data-status=idle]", timeout=60_000
    )
    page.wait_for_timeout(1000)
    return page


def menu(page, name, command):
    page.get_by_role("menuitem", name=name, exact=True).click()
    page.get_by_text(command, exact=True).first.click()


def run_all(page, explorers):
    """Run all cells, and wait for the pictures of the explorers."""
    from playwright.sync_api import TimeoutError

    page.locator(".jp-Notebook .jp-Cell").first.click()
    for _ in range(5):
        menu(page, "Run", "Run All Cells")
        with contextlib.suppress(TimeoutError):  # ignored: once more
            page.wait_for_function(
                "document.querySelector('.jp-InputPrompt').innerText !== '[ ]:'",
                timeout=5000,
            )
            break
    page.locator(".tkx canvas[data-drawn]").nth(explorers - 1).wait_for(
        timeout=180_000
    )


def press(shown, control, key):
    """Press a key on a control of an explorer, and wait for another picture."""
    before = shown.canvas.get_attribute("data-frame")
    control.press(key)
    shown.page.wait_for_function(
        f"document.querySelector('.stage > canvas').dataset.frame !== '{before}'"
    )
