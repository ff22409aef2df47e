"""The main job on small notebooks: pages, what is skipped, what fails, what is written back."""

import contextlib
import errno
import io
import json
import os
import re
import sys
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import nbformat
import pytest

from toolkit import claims
from toolkit.report import command as report
from toolkit.report.execute import KERNELS, THREADS, _kernels, kernel_environment
from toolkit.report.pages import Pages
from toolkit.report.project import Project

ROOT = Path(__file__).resolve().parents[2]

FIGURE = """
import base64, os
from IPython.display import display
png = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGA"
                       "WjR9awAAAABJRU5ErkJggg==")
if os.environ.get("TOOLKIT_FIGURES"):
    open(os.path.join(os.environ["TOOLKIT_FIGURES"], "01_dot.png"), "wb").write(png)
display({"image/png": base64.b64encode(png).decode()}, metadata={"image/png": {"alt": "a dot"}}, raw=True)
"""
SURROUNDINGS = """
import os, sys
where = os.path.basename(os.getcwd()), os.environ["OMP_NUM_THREADS"], os.environ["PYTHONHASHSEED"]
print(scale, seed, *where, file=open(os.path.join(os.path.dirname(os.getcwd()), "seen.txt"), "a"))
print(sys.executable, file=open(os.path.join(os.path.dirname(os.getcwd()), "python.txt"), "w"))
"""
CLAIM = "from toolkit import claims\nclaims.start(seed=seed, scale=scale)\nclaims.record('SL-01', 1e-12)"
# Stands for a data set that is not at hand: what the kernel is asked is what `toolkit.datasets` says.
SUBSTITUTED = """
import sys, types
sys.modules["toolkit.datasets"] = types.SimpleNamespace(substituted=lambda: frozenset({"scene"}))
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """A project after one run: 01 fine, 02 fails in its third cell, 03 fine without its data; what was printed."""
    from small_notebooks import notebook

    root = tmp_path_factory.mktemp("project")
    (root / "notebooks").mkdir()
    (root / "figures").mkdir()
    (root / "figures" / "01_old.png").write_bytes(b"no longer made")
    (root / "figures" / "02_kept.png").write_bytes(b"of the failing notebook")
    for name, sources in {
        "01_fine": (
            "# Fine\n\n**Question.** Is it?",
            SURROUNDINGS,
            FIGURE,
            CLAIM,
            "import sys\nprint(1, file=sys.stderr)",
        ),
        "02_fails": ("# Fails", "print('before')\n1 / 0", "print('never')"),
        "03_stand_in": ("# Stand-in", SUBSTITUTED, "print('on a substitute')"),
    }.items():
        nbformat.write(notebook(*sources), root / "notebooks" / f"{name}.ipynb")
    (root / "tests" / "claims").mkdir(parents=True)
    (root / "tests" / "claims" / "test_01.py").write_text("def test_a():\n    open('ran', 'w')\n")
    return root, run(root)


def run(root, *words):
    """Exit code, standard output and error stream of the command on a project of notebooks."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = report.main(["--notebooks", str(root / "notebooks"), *words])
    return code, out.getvalue(), err.getvalue()


def tree(folder):
    return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_failure_is_named_with_cell_and_traceback_and_the_others_finish(ran):
    root, (code, out, err) = ran
    assert code == 1
    assert "FAILED 02_fails, cell 3: ZeroDivisionError: division by zero" in err
    told = [line for line in err.splitlines() if "division by zero" in line and not line.startswith(" ")]
    assert len(told) == 1  # the lines of the traceback are indented
    assert "1 / 0" in err and "\x1b" not in err
    for line in ("01_fine: started", "02_fails: FAILED, ", "01_fine: done, ", "03_stand_in: done, "):
        assert line in err
    page = (root / "reports" / "02_fails.failed.html").read_text()
    assert "before" in page and "ZeroDivisionError" in page
    assert not (root / "reports" / "02_fails.html").exists()


def test_pages_index_and_claims(ran):
    """The output ends with counts; what was measured stands on a page of its own; no tracked file is changed."""
    root, (_, out, _) = ran
    made = {"notebooks", "figures", "tests", "reports", "seen.txt", "python.txt"}  # no experiment has run
    assert {path.name for path in root.iterdir()} == made and not (root / "reports" / ".work").exists()
    assert sorted(path.name for path in (root / "figures").iterdir()) == ["01_old.png", "02_kept.png"]
    nb = nbformat.read(root / "notebooks" / "01_fine.ipynb", as_version=4)
    assert all(not cell.get("outputs") for cell in nb.cells)
    index = (root / "reports" / "index.html").read_text()
    linked = ("01_fine.html", "02_fails.failed.html", "claims.html")
    for text in ("Fine", "Is it?", *linked, "in cell 3: ZeroDivisionError", "Without scene"):
        assert text in index
    assert "SL-01" in (root / "reports" / "claims.html").read_text()
    assert "<h1" in (root / "reports" / "01_fine.html").read_text()
    assert set(claims.read_fragments(root / "reports" / "claims")) == {"SL-01"}
    assert "3 notebooks: 2 done, 1 failed." in out
    assert "191 not checked; measured by this run: 1, otherwise than stored: SL-01." in out
    assert "`make claims` measures the rest." in out and out.count("\n") < 8


def test_the_kernel_is_this_python_in_the_notebooks_folder_with_one_thread(ran):
    root, _ = ran
    assert (root / "seen.txt").read_text().splitlines()[0] == f"default 2 notebooks {THREADS['OMP_NUM_THREADS']} 0"
    assert os.path.samefile((root / "python.txt").read_text().strip(), sys.executable)


def test_a_run_without_its_data_says_so(ran):
    _, (_, out, _) = ran
    assert "03_stand_in: ran without scene (not available), on stand-in data." in out


def test_a_second_call_runs_only_what_failed_or_changed(ran):
    root, _ = ran
    before = len((root / "seen.txt").read_text().splitlines())
    code, out, err = run(root)
    assert code == 1 and "2 of 3 unchanged" in out and "3 notebooks: 2 unchanged, 1 failed." in out
    assert "02_fails" in err and "01_fine" not in err and "03_stand_in" not in err
    assert len((root / "seen.txt").read_text().splitlines()) == before
    assert (root / "reports" / "index.html").read_text().count('title="Ran in') == 2


def test_refresh_writes_back_what_ran_whole_on_real_data_and_twice_the_same(ran):
    root, _ = ran
    untouched = (root / "notebooks" / "03_stand_in.ipynb").read_bytes()
    fragment = {"id": "SL-02", "measured": 0.0, "verdict": "reproduced", "scale": "default"}
    (root / "reports" / "claims" / "experiments").mkdir()
    (root / "reports" / "claims" / "experiments" / "SL-02.json").write_text(json.dumps(fragment))
    code, out, _ = run(root, "--refresh")
    assert code == 1
    assert "02_fails: not written back, it did not run to its end." in out
    assert "03_stand_in: not written back, it ran without scene." in out
    stored = nbformat.read(root / "notebooks" / "01_fine.ipynb", as_version=4)
    assert stored.metadata == {"kernelspec": stored.metadata.kernelspec, "language_info": {"name": "python"}}
    assert "SL-01" in stored.cells[4].outputs[0].text and stored.cells[5].outputs == []
    assert (root / "notebooks" / "03_stand_in.ipynb").read_bytes() == untouched
    assert sorted(p.name for p in (root / "figures").iterdir()) == [
        "01_dot.png",
        "02_kept.png",
        "claims.json",
        "times.json",
    ]
    times = json.loads((root / "figures" / "times.json").read_text())
    assert set(times) == {"01_fine", "03_stand_in"} and len(times["01_fine"]) == len(stored.cells)
    ledger = json.loads((root / "figures" / "claims.json").read_text())
    assert ledger["SL-01"]["verdict"] == ledger["SL-02"]["verdict"] == "reproduced"
    assert ledger["SL-01"]["source"] == "01_fine"
    kept = tree(root / "notebooks"), tree(root / "figures")
    run(root, "--refresh", "--force", "1")
    assert (tree(root / "notebooks"), tree(root / "figures")) == kept


@pytest.mark.slow
def test_scales_and_parameters_have_pages_of_their_own(ran):
    """Neither touches the page, the notebook or the claims of the usual run, nor what is stored."""
    root, _ = ran
    reports = root / "reports"

    def usual():
        names = ("01_fine.html", "notebooks/01_fine.ipynb", "claims/01_fine/SL-01.json")
        return [(reports / name).read_bytes() for name in names]

    before = tree(root / "notebooks"), tree(root / "figures"), usual()
    assert run(root, "01", "-p", "seed", "7")[0] == 0
    code, out, _ = run(root, "01", "--quick")
    assert code == 0 and (root / "seen.txt").read_text().splitlines()[-2:] == [
        f"default 7 notebooks {THREADS['OMP_NUM_THREADS']} 0", f"quick 2 notebooks {THREADS['OMP_NUM_THREADS']} 0"
    ]  # fmt: skip
    assert "Parameters of this run" in (reports / "01_fine.seed-7.html").read_text()
    index = (reports / "index.html").read_text()
    assert re.search('<a href="01_fine.seed-7.html" title="[^"]*">At default scale with seed = 7</a>', index)
    assert re.search('<a href="01_fine.quick.html" title="[^"]*">At quick scale</a>', index)
    assert re.search('<h2><a href="01_fine.html" title="[^"]*">Fine</a></h2>', index)
    assert (tree(root / "notebooks"), tree(root / "figures"), usual()) == before
    found = {path.parent.name for path in (reports / "claims").rglob("SL-01.json")}
    assert found == {"01_fine", "01_fine.quick"}  # a claim is not measured with other parameters
    assert claims.read_fragments(reports / "claims")["SL-01"]["scale"] == "default"
    assert "1 of 1 unchanged" in run(root, "01")[1]


def test_a_failed_run_keeps_the_page_and_a_missing_page_is_made_anew(write_notebook, tmp_path):
    write_notebook("01_a", "# A", "import os\nif os.path.exists('../fail'): 1 / 0")
    reports = tmp_path / "reports"
    assert run(tmp_path)[0] == 0
    page = (reports / "01_a.html").read_bytes()
    (tmp_path / "fail").touch()
    code, _, err = run(tmp_path, "--force")
    assert code == 1 and "FAILED 01_a, cell 3" in err
    index = (reports / "index.html").read_text()
    assert "The last run failed in cell 3: ZeroDivisionError" in index
    assert 'href="01_a.html"' in index and 'href="01_a.failed.html"' in index
    assert (reports / "01_a.html").read_bytes() == page
    (tmp_path / "fail").unlink()
    (reports / "01_a.html").unlink()
    assert run(tmp_path)[0] == 0
    assert (reports / "01_a.html").read_bytes() == page and not (reports / "01_a.failed.html").exists()
    assert "The last run failed" not in (reports / "index.html").read_text()


def links(path):
    """The addresses before and after, which stand at the top and at the end."""
    found = re.findall(r'<a rel="(\w+)" href="([^"]*)"', path.read_text())
    assert len(found) % 2 == 0 and found[: len(found) // 2] == found[len(found) // 2 :]
    return dict(found)


def test_each_page_leads_to_the_nearest_that_are_there(write_notebook, tmp_path):
    """They come in any order; to one that failed none leads; of several the one of the same scale is taken."""
    for name, source in (("01_a", "1"), ("02_b", "1 / 0"), ("03_c", "1")):
        write_notebook(name, f"# {name} <&>", source)
    reports = tmp_path / "reports"
    run(tmp_path, "3")
    assert links(reports / "03_c.html") == {}
    run(tmp_path)
    assert links(reports / "01_a.html") == {"next": "03_c.html"}
    assert links(reports / "03_c.html") == {"prev": "01_a.html"}
    assert links(reports / "02_b.failed.html") == {"prev": "01_a.html", "next": "03_c.html"}
    assert "Previous<span>: 01_a &lt;&amp;&gt;</span>" in (reports / "03_c.html").read_text()
    run(tmp_path, "1", "--quick")
    assert links(reports / "01_a.quick.html") == {"next": "03_c.html"}
    assert links(reports / "03_c.html") == {"prev": "01_a.html"}
    (reports / "01_a.html").unlink()
    run(tmp_path, "3")
    assert links(reports / "03_c.html") == {"prev": "01_a.quick.html"}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["99"], "There is no notebook '99'; there are: 01_a"),
        (["-p", "nope", "3"], "01_a has no parameter 'nope'; it has: seed, scale"),
        (["-p", "a-b", "3"], "must be a Python name; got 'a-b'"),
        (["-p", "seed", "{1, 2}"], "-p seed must be a number, text, truth value, None, or lists and dicts of these"),
        (["-p", "scale", "huge"], "scale must be one of quick, default, paper; got 'huge'"),
        (["--refresh", "-p", "seed", "3"], "leave out -p"),
        (["--refresh", "--quick"], "not of the quick one"),
        (["--out", os.path.join(os.devnull, "x")], "cannot be written to"),
        (["--notebooks", "no-such-folder"], "--notebooks must be a folder"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_exit_code_2(write_notebook, capsys, words, says):
    folder = write_notebook("01_a", "# A", "1").parent
    assert report.main(["--notebooks", str(folder), *words]) == 2
    out, err = capsys.readouterr()
    assert out == "" and says in err and err.startswith("toolkit report: ") and err.count("\n") == 1


@pytest.mark.parametrize("words", [["--jobs", "0"], ["--scale", "tiny"]])
def test_wrong_options_end_with_exit_code_2(words):
    with pytest.raises(SystemExit) as stop:
        report.main(words)
    assert stop.value.code == 2


def test_a_folder_without_notebooks_and_a_file_that_is_none(write_notebook, tmp_path, capsys):
    """Each notebook is named that cannot be listed, before anything runs."""
    empty = tmp_path / "empty"
    empty.mkdir()
    assert report.main(["--notebooks", str(empty)]) == 2
    assert "There are no notebooks" in capsys.readouterr().err
    path = write_notebook("02_bad", "# B", "1", parameters="%matplotlib inline\nseed = 0")
    for says in ("its cell of parameters is not Python", "Notebook does not appear to be JSON"):
        write_notebook("01_a", "# A", "1")
        assert report.main(["01", "--notebooks", str(path.parent), "--out", str(tmp_path / "out")]) == 2
        out, err = capsys.readouterr()
        assert out == "" and f"02_bad.ipynb cannot be read as a notebook: {says}" in err and err.count("\n") == 1
        path.write_text("{not json")


def test_names_with_signs_of_addresses_have_links_that_work(write_notebook, tmp_path):
    names = ["01_a#b?c d", "02_50%25<b>&"]
    for name in names:
        write_notebook(name, "Text.", "1")
    assert run(tmp_path)[0] == 0
    index = (tmp_path / "reports" / "index.html").as_uri()
    links = re.findall('<a href="([^"#]+)"', (tmp_path / "reports" / "index.html").read_text())
    found = [Path(unquote(urlsplit(urljoin(index, unescape(link))).path)) for link in links]
    assert all(path.is_file() for path in found)
    assert {path.stem for path in found} == set(names)


@pytest.mark.parametrize("text", ['{"runs": 5}', '{"runs": {"a": 1, "b": {"ok": true}}}', "{broken"])
def test_a_state_that_cannot_be_read_counts_as_none(tmp_path, text):
    (tmp_path / ".state.json").write_text(text)
    assert Pages(tmp_path).runs == {}


def test_refresh_needs_a_clone(write_notebook, monkeypatch, capsys, tmp_path):
    folder = write_notebook("01_a", "# A", "1").parent
    monkeypatch.setattr(Project, "find", classmethod(lambda cls, notebooks=None: cls(folder, None)))
    assert report.main(["--refresh", "--out", str(tmp_path / "out")]) == 2
    assert "needs a clone" in capsys.readouterr().err


def test_the_index_is_there_before_the_first_notebook_and_after_each(write_notebook, tmp_path):
    """The cell itself looks: it finds the index of its own report without an entry of its own run."""
    look = "print('INDEX', open('../reports/index.html').read().count('Ran in'))"
    write_notebook("01_a", "# A", look)
    write_notebook("02_b", "# B", look)
    assert run(tmp_path, "--jobs", "1")[0] == 0
    seen = [(tmp_path / "reports" / f"{name}.html").read_text() for name in ("01_a", "02_b")]
    assert "INDEX 0" in seen[0] and "INDEX 1" in seen[1]


def test_times_are_written_back_only_where_they_mislead(write_notebook, tmp_path):
    write_notebook("01_a", "# A", "1")
    options = report._parser().parse_args([])
    one = report.Report(Project.find(tmp_path / "notebooks"), options, tmp_path)
    (tmp_path / "figures").mkdir()

    def stored(*steps):
        one.pages.runs["01_a"] = {"name": "01_a", "parameters": {}, "steps": list(steps)}
        one._write_times()
        return json.loads(one.project.times.read_text())["01_a"]

    assert stored(0.0, 10.0) == [0.0, 10.0]
    assert stored(0.0, 12.0) == stored(0.0, 8.0) == [0.0, 10.0]
    assert stored(0.0, 40.0) == [0.0, 40.0]
    assert stored(0.0, 10.0, 10.0) == [0.0, 10.0, 10.0]
    one.pages.runs = {}
    assert one._expected("01_a") == [0.0, 10.0, 10.0]  # the first run of a clone


@pytest.mark.parametrize("refused", ["01_a.html", "index.html"])
def test_a_full_disk_is_named_and_what_was_there_is_kept(write_notebook, tmp_path, monkeypatch, capsys, refused):
    """A disk that refuses one file: the old files stay, no half ones are left, the exit code is 1."""
    write_notebook("01_a", "# A", "1")
    words = ["--notebooks", str(tmp_path / "notebooks"), "--force"]
    assert report.main(words) == 0
    reports = tmp_path / "reports"
    before = (reports / "01_a.html").read_bytes()
    write = Path.write_bytes

    def full(path, content):
        if path.name.startswith(refused) and path.suffix == ".part":
            write(path, content[: len(content) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(path, content)

    monkeypatch.setattr(Path, "write_bytes", full)
    capsys.readouterr()
    assert report.main(words) == 1
    err = capsys.readouterr().err
    assert "No space left on device" in err and "Traceback (most" not in err
    assert (reports / "01_a.html").read_bytes() == before
    assert not list(reports.rglob("*.part"))
    monkeypatch.undo()
    assert report.main(words[:2]) == 0 and (reports / "01_a.html").exists()


def test_digest_changes_with_what_a_notebook_depends_on(write_notebook, tmp_path, monkeypatch):
    def digest(*words):
        options = report._parser().parse_args(["--notebooks", str(tmp_path / "notebooks"), *words])
        return report.Report(Project.find(options.notebooks), options, tmp_path).digests["01_a"]

    path = write_notebook("01_a", "# A", "1")
    first = digest()
    assert digest() == first
    others = [digest("-p", "seed", "3"), digest("--quick")]
    nb = nbformat.read(path, as_version=4)
    nb.cells[2].outputs = [nbformat.v4.new_output("stream", text="stored")]
    nbformat.write(nb, path)
    assert digest() == first  # stored outputs are a result, not an input
    nb.cells[2].source = "2"
    nbformat.write(nb, path)
    others.append(digest())
    (tmp_path / "data").mkdir()
    monkeypatch.setenv("TOOLKIT_DATA", str(tmp_path / "data"))
    (tmp_path / "data" / "set.npz").write_bytes(b"1")
    others.append(digest())
    (tmp_path / "data" / "set.npz").write_bytes(b"22")
    others.append(digest())
    assert len({first, *others}) == 6


def test_processors_with_avx2_compute_by_the_same_kernels(tmp_path):
    info = tmp_path / "cpuinfo"
    assert _kernels(info) == {}
    for flags, asked in (("sse2 avx", False), ("sse2 avx avx2", False), ("fma avx2 avx512f", True), ("avx2 fma", True)):
        info.write_text(f"processor\t: 0\nflags\t\t: {flags}\nbugs\t: none\n", encoding="ascii")
        assert bool(_kernels(info)) == asked
    assert kernel_environment().items() >= KERNELS.items()
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    wanted = {"OPENBLAS_CORETYPE": "Haswell", "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR"}
    assert all(f"export {name} = {value}\n" in makefile for name, value in wanted.items())


@pytest.mark.skipif(not KERNELS, reason="a processor without AVX2, or not of x86-64")
def test_tests_run_with_these_kernels():
    import scipy.linalg  # noqa: F401  has an OpenBLAS of its own
    from numpy._core._multiarray_umath import __cpu_features__
    from threadpoolctl import threadpool_info

    found = {library["architecture"] for library in threadpool_info() if library["internal_api"] == "openblas"}
    assert found == {"Haswell"}
    assert not __cpu_features__["X86_V4" if "X86_V4" in __cpu_features__ else "AVX512F"]  # older NumPy has the second


def test_kernel_environment(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "8")
    monkeypatch.setenv("TOOLKIT_REFRESH", "1")
    environment = kernel_environment(TOOLKIT_REFRESH=None, TOOLKIT_SCALE="quick")
    assert (
        environment["OMP_NUM_THREADS"] == os.environ.get("TOOLKIT_THREADS", "1")
        and environment["TOOLKIT_SCALE"] == "quick"
    )
    assert "TOOLKIT_REFRESH" not in environment
