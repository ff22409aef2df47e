"""The lessons on a machine that has only what everybody has: no folder of data, no network."""

import re

import nbformat
from folders import ROOT
from pytest import fixture, mark
from test_prose_numbers import unknown_numbers

from toolkit.datasets.registry import registry
from toolkit.report.dependence import STORED, data_sets_of
from toolkit.report.execute import Execution, execute, kernel_environment
from toolkit.report.stored import normalise, substituted, tags

RARE = {
    name
    for name, entry in registry().items()
    if not (entry.shipped or entry.sklearn)
}
PATHS = [
    path
    for path in sorted((ROOT / "notebooks").glob("*.ipynb"))
    if RARE.intersection(data_sets_of(nbformat.read(path, 4)))
]
SECONDS = 900
pytestmark = mark.slow
each_lesson = mark.parametrize("path", PATHS, ids=lambda path: path.stem)


@fixture
def nowhere(monkeypatch, tmp_path):
    """Neither a folder nor a cache, and a proxy that does not answer."""
    monkeypatch.setenv("TOOLKIT_DATA", "")
    monkeypatch.setenv("TOOLKIT_CACHE", str(tmp_path / "cache"))
    for name in ("https_proxy", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    return tmp_path


def texts(nb):
    return [
        output.get("text") or output.get("data", {}).get("text/plain", "")
        for cell in nb.cells
        for output in cell.get("outputs", [])
    ]


def published(cells):
    """Names of the figures that cells publish."""
    source = "\n".join(
        cell.source for cell in cells if cell.cell_type == "code"
    )
    return set(re.findall(r'publish\([^"]*"(\w+)"', source))


@each_lesson
def test_the_report_shows_what_is_stored_and_runs_the_rest(
    path, nowhere, report
):
    """Every output is the stored one; lines say what was not run here."""
    done = report(
        ROOT / "notebooks", path.stem, "--out", str(nowhere), "--jobs", "1"
    )
    assert done.code == 0, done.err
    nb = nbformat.read(nowhere / "notebooks" / path.name, 4)
    stored = normalise(nbformat.read(path, 4))
    missing = RARE.intersection(data_sets_of(stored))
    assert set(substituted(nb)) == missing
    not_run = [cell for cell in nb.cells if STORED in tags(cell)]
    assert not_run
    for cell, before in zip(normalise(nb).cells, stored.cells, strict=True):
        outputs = [
            output
            for output in cell.get("outputs", [])
            if not output.get("data", {})
            .get("text/plain", "")
            .startswith("NOTE: ")
        ]
        counts = {"execution_count": None}
        assert [out | counts for out in outputs] == [
            out | counts for out in before.get("outputs", [])
        ], cell.source
    assert not [text for text in texts(nb) if "Not yet" in text]
    assert unknown_numbers(nb) == []
    # a figure of data that are not here is not made
    run = [cell for cell in nb.cells if STORED not in tags(cell)]
    made = {file.stem for file in (nowhere / "figures" / path.stem).iterdir()}
    assert made == published(run) - published(not_run)


@each_lesson
def test_in_jupyterlab_exercises_are_solved_with_substitute_data(path, nowhere):
    environment = kernel_environment(TOOLKIT_SCALE="default")
    run = Execution(
        name=path.stem,
        notebook=path,
        cwd=path.parent,
        environment=environment,
        parameters={},
    )
    execute(run, SECONDS)
    run.end()
    assert run.error is None
    said = texts(run.nb)
    assert not [text for text in said if "Not yet" in text]
    assert any(text.startswith("Right: ") for text in said)
    for name in substituted(run.nb):
        boxes = [text for text in said if text.startswith(f"NOTE: {name}:")]
        assert len(boxes) == 1 and "Substitute data." in boxes[0]
