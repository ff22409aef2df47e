"""A headless Chromium, the system's own; without one these tests are skipped and say so."""

import shutil
from pathlib import Path

import pytest

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def chromium():
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        pytest.skip("no Chromium on this machine")
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def opened(chromium):
    """Function (path, ...): a page in a context of its own with these options, closed after the module."""
    contexts = []

    def made(path=None, **options):
        contexts.append(chromium.new_context(**options))
        page = contexts[-1].new_page()
        if path:
            page.goto(path.as_uri())
        return page

    yield made
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def lab_server(tmp_path_factory):
    """A JupyterLab with the settings that the package ships: the folder of its notebooks, and its address."""
    pytest.importorskip("jupyterlab")
    import toolkit.explore

    from . import lab

    folder = tmp_path_factory.mktemp("lab")
    config = folder / "config" / "labconfig"
    config.mkdir(parents=True)
    shutil.copy(Path(toolkit.explore.__file__).parent / "didi-toolkit.json", config / "default_setting_overrides.json")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_CONFIG_PATH", str(folder / "config"))
        with lab.server(folder) as address:
            yield folder, address
