"""A headless Chromium, the system's own; without one these tests are skipped and say so."""

import shutil
from contextlib import ExitStack
from pathlib import Path

import nbformat
from pytest import MonkeyPatch, fixture, importorskip, skip

from toolkit import claims
from toolkit.report.export import claims_page, page_of
from toolkit.report.project import Project
from toolkit.report.stored import describe


@fixture(scope="session")
def chromium():
    programs = map(
        shutil.which, ("chromium", "chromium-browser", "google-chrome")
    )
    path = next(filter(None, programs), None)
    if path is None:
        skip("no Chromium on this machine")
    api = importorskip(
        "playwright.sync_api", reason="playwright is not installed"
    )
    with api.sync_playwright() as playwright:
        options = ["--no-sandbox", "--no-first-run"]
        for what in (
            "gpu",
            "background-networking",
            "component-update",
            "sync",
        ):
            options.append(f"--disable-{what}")
        browser = playwright.chromium.launch(executable_path=path, args=options)
        yield browser
        browser.close()


@fixture(scope="module")
def open_page(chromium):
    """Function (path, ...): a page in a context of its own with these options, closed after the module."""
    with ExitStack() as stack:

        def new_page(path=None, **options):
            context = stack.enter_context(chromium.new_context(**options))
            page = context.new_page()
            if path:
                page.goto(path.as_uri())
            return page

        yield new_page


@fixture(scope="module")
def path(request, tmp_path_factory):
    """The page of the explorers that `CODE` of a module displays."""
    from .pages import write

    return write(
        request.module.CODE, tmp_path_factory.mktemp("page") / "page.html"
    )


@fixture(scope="session")
def rows():
    """All claims of the ledger, as `toolkit.claims.table` tells them."""
    return claims.table(claims.stored_ledger())


@fixture(scope="session")
def reports(tmp_path_factory, rows):
    """A folder with the list of reports, of which the first failed, and the page of all claims."""
    folder = tmp_path_factory.mktemp("reports")
    run = {"scale": "quick", "parameters": {"name": "x" * 60}, "seconds": 1.0}
    run |= {"error": {"cell": 1, "name": "E", "says": "says"}}
    entries = []
    for path in Project.find().select([]):
        own = {
            "page": f"{path.stem}.html",
            "ok": bool(entries),
            "substituted": ["x"],
        }
        about = describe(nbformat.read(path, 4))
        entries.append({"name": path.stem, "runs": [run | own], **about})
    words = {"entries": entries, "counts": "Claims.", "has_site": True}
    index = page_of("Reports", "reports.html", **words)
    (folder / "index.html").write_text(index, "utf-8")
    (folder / "claims.html").write_text(claims_page(rows), "utf-8")
    return folder


@fixture(scope="session")
def lab_server(tmp_path_factory):
    """A JupyterLab with the settings that the package ships: the folder of its notebooks, and its address."""
    importorskip("jupyterlab")
    import toolkit.explorer

    from . import lab

    folder = tmp_path_factory.mktemp("lab")
    config = folder / "config" / "labconfig"
    config.mkdir(parents=True)
    settings = Path(toolkit.explorer.__file__).with_name("didi-toolkit.json")
    shutil.copy(settings, config / "default_setting_overrides.json")
    with MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_CONFIG_PATH", str(folder / "config"))
        with lab.server(folder) as address:
            yield folder, address
