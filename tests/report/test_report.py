"""The main job on small notebooks: pages, what is skipped, what fails, what is written back."""

import contextlib
import errno
import io
import json
import os
import re
import subprocess
import sys
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import nbformat
import pytest
from commands import use_stand_in

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


@pytest.fixture
def no_kernels(monkeypatch):
    """Let a process that is faster execute the notebooks, for tests of what is done with their pages."""
    monkeypatch.setattr(report.Report, "_job", report.Report._job)  # so that it comes back
    use_stand_in()


def run(root, *words):
    """Exit code, standard output and error stream of the command on a project of notebooks."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = report.main(["--notebooks", str(root / "notebooks"), *words])
    return code, out.getvalue(), err.getvalue()


def state(root):
    return json.loads((root / "reports" / ".state.json").read_text())


def tree(folder):
    return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_failure_is_named_with_cell_and_traceback_and_the_others_finish(ran):
    root, (code, out, err) = ran
    assert code == 1
    assert "FAILED 02_fails, cell 3: ZeroDivisionError: division by zero" in err and "02_fails: FAILED (" in err
    told = [line for line in err.splitlines() if "division by zero" in line and not line.startswith(" ")]
    assert len(told) == 1  # the lines of the traceback are indented
    assert "1 / 0" in err and "\x1b" not in err
    assert "01_fine: done" in err and "03_stand_in: done" in err
    page = (root / "reports" / "02_fails.failed.html").read_text()
    assert "before" in page and "ZeroDivisionError" in page
    assert not (root / "reports" / "02_fails.html").exists()


def test_pages_index_and_claims(ran):
    """The output ends with counts; what was measured stands on a page of its own; no experiment runs."""
    root, (_, out, _) = ran
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


def test_without_a_terminal_a_line_for_each_start_and_end(ran):
    _, (_, _, err) = ran
    assert "01_fine: started (no times known yet)" in err
    assert re.search(r"03_stand_in: done \([\d.]+ s\), \d of 3", err)


def test_no_tracked_file_is_changed(ran):
    root, _ = ran
    assert {path.name for path in root.iterdir()} == {
        "notebooks", "figures", "tests", "reports", "seen.txt", "python.txt"
    }  # fmt: skip
    assert sorted(path.name for path in (root / "figures").iterdir()) == ["01_old.png", "02_kept.png"]
    nb = nbformat.read(root / "notebooks" / "01_fine.ipynb", as_version=4)
    assert all(not cell.get("outputs") for cell in nb.cells)
    assert not (root / "reports" / ".work").exists()


def test_the_kernel_is_this_python_in_the_notebooks_folder_with_one_thread(ran):
    root, _ = ran
    assert (root / "seen.txt").read_text().splitlines()[0] == f"default 2 notebooks {THREADS['OMP_NUM_THREADS']} 0"
    assert os.path.samefile((root / "python.txt").read_text().strip(), sys.executable)


def test_a_run_without_its_data_says_so(ran):
    _, (_, out, _) = ran
    assert "03_stand_in: ran without scene (not available), on stand-in data." in out


def test_a_second_call_runs_only_what_failed_or_changed(ran, no_kernels):
    root, _ = ran
    before = len((root / "seen.txt").read_text().splitlines())
    code, out, err = run(root)
    assert code == 1 and "2 of 3 unchanged" in out and "3 notebooks: 2 unchanged, 1 failed." in out
    assert "02_fails" in err and "01_fine" not in err and "03_stand_in" not in err
    assert len((root / "seen.txt").read_text().splitlines()) == before
    assert (root / "reports" / "index.html").read_text().count('title="Ran in') == 2


def test_refresh_writes_back_what_ran_whole_on_real_data_and_twice_the_same(ran, no_kernels, monkeypatch):
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
    monkeypatch.undo()
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


def test_a_failed_run_keeps_the_page_and_an_altered_page_is_made_anew(no_kernels, write_notebook, tmp_path):
    source = "import os\nif os.path.exists('../fail'): 1 / 0"
    write_notebook("01_a", "# A", source)
    reports = tmp_path / "reports"
    assert run(tmp_path)[0] == 0
    page = (reports / "01_a.html").read_bytes()
    (reports / "01_a.html").write_bytes(page[: len(page) // 2])  # as a full disk leaves it
    (tmp_path / "fail").touch()
    code, out, err = run(tmp_path)
    assert code == 1 and "unchanged" not in out and "FAILED 01_a, cell 3" in err
    (reports / "01_a.html").write_bytes(page)
    index = (reports / "index.html").read_text()
    assert "The last run failed in cell 3: ZeroDivisionError" in index
    assert 'href="01_a.html"' in index and 'href="01_a.failed.html"' in index
    (tmp_path / "fail").unlink()
    assert run(tmp_path)[0] == 0
    assert (reports / "01_a.html").read_bytes() == page and not (reports / "01_a.failed.html").exists()
    assert "The last run failed" not in (reports / "index.html").read_text()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["99"], "There is no notebook '99'; there are: 01_a"),
        (["-p", "nope", "3"], "01_a has no parameter 'nope'; it has: seed, scale"),
        (["-p", "a-b", "3"], "must be a Python name; got 'a-b'"),
        (["-p", "seed", "{1, 2}"], "-p seed must be a number, text, truth value, None, or lists and dicts of these"),
        (["-p", "seed", "[" * 100_000], "-p seed must be a number"),
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


@pytest.mark.parametrize("words", [["--jobs", "0"], ["--timeout", "-1"], ["--scale", "tiny"], ["--what"]])
def test_wrong_options_end_with_exit_code_2(words):
    with pytest.raises(SystemExit) as stop:
        report.main(words)
    assert stop.value.code == 2


def test_a_folder_without_notebooks_and_a_file_that_is_none(tmp_path, capsys):
    assert report.main(["--notebooks", str(tmp_path)]) == 2
    assert "There are no notebooks" in capsys.readouterr().err
    (tmp_path / "01_bad.ipynb").write_text("{not json")
    assert report.main(["--notebooks", str(tmp_path), "--out", str(tmp_path / "out")]) == 2
    assert "01_bad.ipynb cannot be read as a notebook" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("seed = = 0", "its cell of parameters is not Python: invalid syntax"),
        ("%matplotlib inline\nseed = 0", "its cell of parameters is not Python"),
        (None, "it is no notebook of format 4"),
    ],
)
def test_a_notebook_that_cannot_be_listed_is_named_before_anything_runs(write_notebook, tmp_path, capsys, source, says):
    write_notebook("01_a", "# A", "1")
    path = write_notebook("02_b", "# B", "1")
    nb = json.loads(path.read_text())
    nb["cells"][1] |= {"source": source}
    path.write_text(json.dumps(nb))
    assert report.main(["01", "--notebooks", str(path.parent), "--out", str(tmp_path / "out")]) == 2
    out, err = capsys.readouterr()
    assert out == "" and f"02_b.ipynb cannot be read as a notebook: {says}" in err


def test_names_with_signs_of_addresses_have_links_that_work(no_kernels, write_notebook, tmp_path):
    names = ["01_a#b?c d", "02_50%25<b>&"]
    for name in names:
        write_notebook(name, "Text.", "1")
    assert run(tmp_path)[0] == 0
    index = (tmp_path / "reports" / "index.html").as_uri()
    links = re.findall('<a href="([^"#]+)"', (tmp_path / "reports" / "index.html").read_text())
    found = [Path(unquote(urlsplit(urljoin(index, unescape(link))).path)) for link in links]
    assert all(path.is_file() for path in found)
    assert {path.stem for path in found} == set(names)


@pytest.mark.parametrize("text", ["[]", "null", '{"runs": 5}', '{"runs": {"a": 1, "b": {"ok": true}}}', "[" * 100_000])
def test_a_state_that_cannot_be_read_counts_as_none(tmp_path, text):
    (tmp_path / ".state.json").write_text(text)
    assert Pages(tmp_path).runs == {}


def test_a_copy_that_cannot_be_read_is_made_anew(no_kernels, write_notebook, tmp_path):
    write_notebook("01_a", "# A", "1")
    copy = tmp_path / "reports" / "notebooks" / "01_a.ipynb"
    copy.parent.mkdir(parents=True)
    copy.write_text("{broken")
    assert run(tmp_path)[0] == 0
    assert json.loads(copy.read_text())["nbformat"] == 4


def test_refresh_needs_a_clone(write_notebook, monkeypatch, capsys, tmp_path):
    folder = write_notebook("01_a", "# A", "1").parent
    monkeypatch.setattr(Project, "find", classmethod(lambda cls, notebooks=None: cls(folder, None)))
    assert report.main(["--refresh", "--out", str(tmp_path / "out")]) == 2
    assert "needs a clone" in capsys.readouterr().err


def test_the_index_is_there_before_the_first_notebook_and_after_each(no_kernels, write_notebook, tmp_path):
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


@pytest.mark.parametrize("refused", ["01_a.html", "index.html", ".state.json"])
def test_a_full_disk_is_named_with_its_remedy_and_what_was_there_is_kept(
    no_kernels, write_notebook, tmp_path, monkeypatch, capsys, refused
):
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
    assert f"The disk of {reports} is full" in err and "--out DIR" in err and "Traceback" not in err
    assert (reports / "01_a.html").read_bytes() == before or refused == ".state.json"
    assert not list(reports.rglob("*.part"))
    monkeypatch.undo()
    assert report.main(words[:2]) == 0 and (reports / "01_a.html").exists()


def test_a_full_disk_for_real(write_notebook, tmp_path):
    """A tiny file system in memory."""
    write_notebook("01_a", "# A", "print('x' * 300_000)")
    small = tmp_path / "small"
    small.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(small)], capture_output=True, text=True
    )
    if mounted.returncode:
        pytest.skip(f"no file system can be mounted here: {mounted.stderr.strip()}")
    try:
        code, _, err = run(tmp_path, "--out", str(small))
        assert code == 1 and ("No space left on device" in err or "is full" in err)
        assert "01_a.html" not in os.listdir(small) and not list(small.rglob("*.part"))
    finally:
        subprocess.run(["umount", str(small)], check=True)


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
