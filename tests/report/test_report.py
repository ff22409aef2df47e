"""The main job on small notebooks: pages, skipped and failed runs, refresh."""

import errno
import json
import os
import re
import sys
from argparse import ArgumentParser
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import nbformat
from folders import ROOT
from nbformat.v4 import new_output
from pytest import MonkeyPatch, fixture, mark
from small_notebooks import notebook, tree

from toolkit import arguments
from toolkit.__main__ import main
from toolkit.core.files import write_json
from toolkit.report import command
from toolkit.report import execute as runner
from toolkit.report.execute import (
    KERNELS,
    THREADS,
    _kernels,
    kernel_environment,
)
from toolkit.report.project import Project, exclusive_lock

FIGURE = """
import base64, os
from IPython.display import display
text = ("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
        "+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
png = base64.b64decode(text)
if os.environ.get("TOOLKIT_FIGURES"):
    open(os.path.join(os.environ["TOOLKIT_FIGURES"], "01_dot.png"), "wb").write(png)
display({"image/png": text}, metadata={"image/png": {"alt": "a dot"}}, raw=True)
"""
SURROUNDINGS = """
import os, sys
above, folder = os.path.split(os.getcwd())
settings = os.environ["OMP_NUM_THREADS"], os.environ["PYTHONHASHSEED"]
print(scale, seed, folder, *settings, file=open(os.path.join(above, "seen.txt"), "a"))
print(sys.executable, file=open(os.path.join(above, "python.txt"), "w"))
"""
WITHOUT_DATA = """
from toolkit.datasets import load_or_substitute
coil, _ = load_or_substitute("coil20")
"""


@fixture(scope="module")
def ran(tmp_path_factory, report):
    """A project after one run: 01 fine, 02 fails in cell 3, 03 without its data."""
    root = tmp_path_factory.mktemp("project")
    for name in ("notebooks", "figures"):
        (root / name).mkdir()
    (root / "figures" / "01_old.png").write_bytes(b"no longer made")
    (root / "figures" / "02_kept.png").write_bytes(b"of the failing notebook")
    (root / "figures" / "claims.json").write_text("{}")
    warns = "import sys\nprint(1, file=sys.stderr)"
    title = "# Fine\n\n**Question.** Is it?"
    for name, sources in {
        "01_fine": (title, SURROUNDINGS, FIGURE, "print(1e-12)", warns),
        "02_fails": ("# Fails", "print('before')\n1 / 0", "print('never')"),
        "03_no_data": ("# No data", WITHOUT_DATA, "print(len(coil.data))"),
    }.items():
        nb = notebook(*sources)
        if name == "03_no_data":  # as it was run elsewhere
            for cell in nb.cells[2:]:
                cell.execution_count = 1
            nb.cells[-1].outputs = [new_output("stream", text="stored\n")]
        nbformat.write(nb, root / "notebooks" / f"{name}.ipynb")
    with MonkeyPatch.context() as patch:
        patch.setenv("TOOLKIT_DATA", "")
        patch.setenv("TOOLKIT_CACHE", str(root / "nowhere"))
        yield root, report(root / "notebooks")


@fixture
def run(tmp_path, report):
    """Function (*words): the command's run on the notebooks of this test."""
    return lambda *words: report(tmp_path / "notebooks", *words)


@fixture
def no_kernel(monkeypatch):
    """Notebooks end at once without a kernel; those with "1 / 0" fail."""

    def execute(run, limit):
        run.nb = nbformat.read(run.notebook, 4)
        run.nb.metadata["papermill"] = {"duration": 0.1}
        sources = [cell.source for cell in run.nb.cells]
        if "1 / 0" in sources:
            run.fail(
                "ZeroDivisionError", "division by zero", sources.index("1 / 0")
            )

    monkeypatch.setattr(runner, "execute", execute)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_failure_is_named_with_cell_and_traceback_and_the_others_finish(ran):
    root, done = ran
    assert done.code == 1
    assert (
        "FAILED 02_fails, cell 3: ZeroDivisionError: division by zero"
        in done.err
    )
    # the lines of the traceback are indented
    assert len(re.findall("^\\S.*division by zero", done.err, re.M)) == 1
    assert "1 / 0" in done.err and "\x1b" not in done.err
    for line in ("02_fails: FAILED", "01_fine: done", "03_no_data: done"):
        assert line in done.err
    assert not (root / "reports" / "02_fails.html").exists()


def test_pages_index_and_claims(ran):
    """The output ends with counts; claims have a page; no tracked file is changed."""
    root, done = ran
    reports = root / "reports"
    made = {"notebooks", "figures", "reports", "seen.txt", "python.txt"}
    assert {*names(root)} == made and not (reports / ".work").exists()
    assert names(root / "figures") == [
        "01_old.png",
        "02_kept.png",
        "claims.json",
    ]
    nb = nbformat.read(root / "notebooks" / "01_fine.ipynb", 4)
    assert all(not cell.get("outputs") for cell in nb.cells)
    index = (reports / "index.html").read_text()
    links = ("01_fine.html", "claims.html")
    words = ("Fine", "Is it?", "in cell 3: ZeroDivisionError")
    words += ("Data sets that are missing here: coil20. Sections on them show",)
    for text in (*links, *words):
        assert text in index
    assert "SL-01" in (reports / "claims.html").read_text()
    for words in (
        "Notebooks: 2 done, 1 failed.",
        "Claims in the ledger: 191 not checked.",
    ):
        assert words in done.out


def test_the_kernel_is_this_python_in_the_notebooks_folder_with_one_thread(ran):
    root, _ = ran
    seen, *_ = (root / "seen.txt").read_text().splitlines()
    assert seen == f"default 2 notebooks {THREADS['OMP_NUM_THREADS']} 0"
    assert os.path.samefile(
        (root / "python.txt").read_text().strip(), sys.executable
    )


def test_a_second_call_runs_only_changes_and_failures(ran, report):
    root, _ = ran
    before = (root / "seen.txt").read_text()
    done = report(root / "notebooks")
    assert done.code == 1
    assert "2 of 3 unchanged" in done.out
    assert "Notebooks: 0 done, 1 failed." in done.out
    assert "02_fails" in done.err and "01_fine" not in done.err
    assert (root / "seen.txt").read_text() == before
    assert (root / "reports" / "index.html").read_text().count(
        'title="Ran in'
    ) == 2


def test_refresh_writes_back_what_ran_whole_on_real_data_and_twice_the_same(
    ran, report
):
    root, _ = ran
    untouched = (root / "notebooks" / "03_no_data.ipynb").read_bytes()
    fragment = {"id": "SL-02", "measured": 0.0}
    fragment |= {"verdict": "reproduced", "scale": "default"}
    write_json(
        root / "reports" / "claims" / "experiments" / "SL-02.json", fragment
    )
    done = report(root / "notebooks", "--refresh")
    for name in ("02_fails", "03_no_data"):
        assert f"{name}: not written back" in done.out
    stored = nbformat.read(root / "notebooks" / "01_fine.ipynb", 4)
    assert (
        stored.cells[4].outputs[0].text == "1e-12\n"
        and stored.cells[5].outputs == []
    )
    assert (root / "notebooks" / "03_no_data.ipynb").read_bytes() == untouched
    assert names(root / "figures") == [
        "01_dot.png",
        "02_kept.png",
        "claims.json",
    ]
    ledger = json.loads((root / "figures" / "claims.json").read_text())
    assert ledger["SL-02"]["verdict"] == "reproduced"
    kept = tree(root / "notebooks") | tree(root / "figures")
    report(root / "notebooks", "--refresh", "--force", "1")
    assert tree(root / "notebooks") | tree(root / "figures") == kept


@mark.slow
def test_scales_and_parameters_have_pages_of_their_own(ran, report):
    """Neither touches page or notebook of the usual run, nor what is stored."""
    root, _ = ran
    reports = root / "reports"
    own = "01_fine.html", "notebooks/01_fine.ipynb"

    def usual():
        kept = {name: (reports / name).read_bytes() for name in own}
        return tree(root / "notebooks") | tree(root / "figures") | kept

    before = usual()
    assert report(root / "notebooks", "01", "-p", "seed", "7").code == 0
    assert report(root / "notebooks", "01", "--scale", "quick").code == 0
    seen = (root / "seen.txt").read_text().splitlines()[-2:]
    assert [line[:9] for line in seen] == ["default 7", "quick 2 n"]
    assert (
        "Parameters of this run"
        in (reports / "01_fine.seed-7.html").read_text()
    )
    index = (reports / "index.html").read_text()
    for address, text in (
        ("01_fine.seed-7.html", "At default scale with seed = 7</a>"),
        ("01_fine.quick.html", "At quick scale</a>"),
        ("01_fine.html", "Fine</a></h2>"),
    ):
        assert re.search(f'<a href="{address}" title="[^"]*">{text}', index)
    assert usual() == before
    assert "1 of 1 unchanged" in report(root / "notebooks", "01").out


def test_a_failed_run_keeps_the_page_and_a_missing_page_is_made_anew(
    write_notebook, tmp_path, run
):
    write_notebook(
        "01_a", "# A", "import os\nif os.path.exists('../fail'): 1 / 0"
    )
    page = tmp_path / "reports" / "01_a.html"
    index = page.with_name("index.html")
    assert run().code == 0
    before = page.read_bytes()
    (tmp_path / "fail").touch()
    done = run("--force")
    assert done.code == 1 and "FAILED 01_a, cell 3" in done.err
    assert "The last run failed in cell 3" in index.read_text()
    assert page.read_bytes() == before
    (tmp_path / "fail").unlink()
    page.unlink()
    assert run().code == 0
    assert page.read_bytes() == before
    assert "The last run failed" not in index.read_text()


def test_each_page_leads_to_its_neighbours_in_the_order_of_the_course(
    write_notebook, tmp_path, run, no_kernel
):
    """By the names of their usual pages, at the top and at the end."""
    for name, source in (("01_a", "1"), ("02_b", "2"), ("03_c", "1")):
        write_notebook(name, "# A", source)
    run("--scale", "quick")
    before = ("prev", "01_a.html")
    after = ("next", "03_c.html")
    middle = ("next", "02_b.html")
    for name, links in (
        ("01_a.quick", [middle]),
        ("02_b.quick", [before, after]),
    ):
        page = (tmp_path / "reports" / f"{name}.html").read_text()
        assert re.findall(r'<a rel="(\w+)" href="([^"]*)"', page) == 2 * links


def test_two_at_once_do_not_mix(write_notebook, tmp_path, run):
    write_notebook("01_a", "# A", "1")
    with exclusive_lock(tmp_path / "reports"):
        done = run()
    assert done.code == 2 and "Another run is writing to" in done.err


@mark.parametrize(
    "words, message",
    [
        (["99"], "There is no notebook '99'; there are: 01_a"),
        (
            ["-p", "nope", "3"],
            "01_a has no parameter 'nope'; it has: seed, scale",
        ),
        (
            ["-p", "seed", "{1, 2}"],
            "-p seed must be a number, text, truth value, None",
        ),
        (["--refresh", "-p", "seed", "3"], "leave out -p and the quick scale"),
        (["--notebooks", "no-such-folder"], "--notebooks must be a folder"),
        (["--notebooks", "reports"], "There are no notebooks"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_exit_code_2(
    write_notebook, tmp_path, monkeypatch, capsys, words, message
):
    folder = write_notebook("01_a", "# A", "1").parent
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reports").mkdir()
    assert main(["report", "--notebooks", str(folder), *words]) == 2
    out, err = capsys.readouterr()
    assert err.startswith("toolkit report: ") and err.count("\n") == 1
    assert out == "" and message in err


def test_a_file_that_is_no_notebook_is_named_before_anything_runs(
    write_notebook, run
):
    write_notebook("01_a", "# A", "1")
    for parameters, says in (
        ("%matplotlib inline", "invalid syntax"),
        ("", ""),
    ):
        path = write_notebook("02_bad", "# B", parameters=parameters)
        if not parameters:
            path.write_text("{not json")
        done = run("01")
        assert (done.code, done.out) == (2, "") and done.err.count("\n") == 1
        assert f"02_bad.ipynb cannot be read as a notebook: {says}" in done.err


def test_names_with_signs_of_addresses_have_links_that_work(
    write_notebook, tmp_path, run
):
    names = {"01_a#b?c d", "02_50%25<b>&"}
    for name in names:
        write_notebook(name, "Text.", "1")
    assert run().code == 0
    index = (tmp_path / "reports" / "index.html").read_text()
    links = map(unquote, map(unescape, re.findall('<a href="([^"#]+)"', index)))
    linked = [tmp_path / "reports" / link for link in links]
    assert all(path.is_file() for path in linked)
    assert {path.stem for path in linked} == names


def test_the_index_is_there_before_the_first_notebook_and_after_each(
    write_notebook, tmp_path, run
):
    """The cell itself looks: the index has no entry of its own run yet."""
    count = "open('../reports/index.html').read().count('Ran in')"
    for name in ("01_a", "02_b"):
        write_notebook(name, "# A", f"print('INDEX', {count})")
    assert run("--jobs", "1").code == 0
    for number, name in enumerate(("01_a", "02_b")):
        assert (
            f"INDEX {number}"
            in (tmp_path / "reports" / f"{name}.html").read_text()
        )


def test_a_full_disk_is_named_and_old_files_stay(
    write_notebook, tmp_path, monkeypatch, run, no_kernel
):
    """A disk that refuses one file: the old one stays, none is half written."""
    write_notebook("01_a", "# A", "1")
    assert run().code == 0
    page = tmp_path / "reports" / "01_a.html"
    before = page.read_bytes()
    write = Path.write_bytes

    def full(path, content):
        if path.name.startswith(page.name) and path.suffix == ".part":
            write(path, content[: len(content) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(path, content)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", full)
        done = run("--force")
    assert done.code == 1 and "No space left on device" in done.err
    assert page.read_bytes() == before and not list(page.parent.rglob("*.part"))


def test_digest_changes_with_what_a_notebook_depends_on(
    write_notebook, tmp_path, monkeypatch
):
    path = write_notebook("01_a", "# A", "1")
    monkeypatch.setenv("TOOLKIT_DATA", str(tmp_path))
    first = nbformat.read(path, 4)

    def digest(*words):
        parser = ArgumentParser()
        arguments.report(parser)
        options = parser.parse_args(words)
        project = Project.find(path.parent)
        [run] = command.Report(project, options, tmp_path).runs
        return run.digest

    digests = [digest(), digest("-p", "seed", "3"), digest("--scale", "quick")]
    first.cells[2].outputs = [nbformat.v4.new_output("stream", text="stored")]
    nbformat.write(first, path)
    assert digest() == digests[0]  # stored outputs are a result, not an input
    first.cells[2].source = "2"
    nbformat.write(first, path)
    digests.append(digest())
    for content in (b"1", b"22"):
        (tmp_path / "set.npz").write_bytes(content)
        digests.append(digest())
    assert len(set(digests)) == 6


def test_processors_with_avx2_compute_by_the_same_kernels(tmp_path):
    info = tmp_path / "cpuinfo"
    assert _kernels(info) == {}
    for flags in ("sse2 avx avx2", "fma avx2 avx512f", "avx2 fma"):
        info.write_text(f"flags\t\t: {flags}\n", "ascii")
        assert bool(_kernels(info)) == ("fma" in flags)
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert "export OPENBLAS_CORETYPE = Haswell\n" in makefile
    features = "X86_V4 AVX512_ICL AVX512_SPR"
    assert f"export NPY_DISABLE_CPU_FEATURES = {features}\n" in makefile


@mark.skipif(not KERNELS, reason="a processor without AVX2, or not of x86-64")
def test_tests_run_with_these_kernels():
    import scipy.linalg  # noqa: F401  has an OpenBLAS of its own
    from numpy._core._multiarray_umath import __cpu_features__
    from threadpoolctl import threadpool_info

    results = {
        library["architecture"]
        for library in threadpool_info()
        if library["internal_api"] == "openblas"
    }
    assert results == {"Haswell"}
    # older NumPy has other names
    assert not __cpu_features__.get("X86_V4")


def test_kernel_environment(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "8")
    monkeypatch.setenv("TOOLKIT_REFRESH", "1")
    environment = kernel_environment(
        TOOLKIT_REFRESH=None, TOOLKIT_SCALE="quick"
    )
    assert (
        environment.items()
        >= (KERNELS | THREADS | {"TOOLKIT_SCALE": "quick"}).items()
    )
    assert "TOOLKIT_REFRESH" not in environment
