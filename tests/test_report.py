"""The main job on small notebooks: pages, what is skipped, what fails, what is written back."""

import json
import os
import signal
import subprocess
import sys
import time

import nbformat
import pytest

from toolkit import claims, report
from toolkit.execute import kernel_environment
from toolkit.project import Project

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
SUBSTITUTED = "from toolkit import datasets\ndatasets.substituted = lambda: frozenset({'scene'})"


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
    (root / "tests" / "claims" / "test_01.py").write_text(
        "from toolkit import claims\ndef test_a():\n    claims.start()\n    claims.record('SL-02', 0.0)\n"
    )
    return root, run(root)


def run(root, *words):
    """Exit code, standard output and error stream of the command on a project of notebooks."""
    command = [sys.executable, "-m", "toolkit", "report", "--notebooks", str(root / "notebooks"), *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    return done.returncode, done.stdout, done.stderr


def state(root):
    return json.loads((root / "reports" / ".state.json").read_text())


def tree(folder):
    return {
        path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def test_a_failure_is_named_with_cell_and_traceback_and_the_others_finish(ran):
    root, (code, out, err) = ran
    assert code == 1
    assert "FAILED 02_fails, cell 3: ZeroDivisionError: division by zero" in err
    assert "1 / 0" in err and "\x1b" not in err
    assert "01_fine: done" in err and "03_stand_in: done" in err
    page = (root / "reports" / "02_fails.html").read_text()
    assert "before" in page and "ZeroDivisionError" in page


def test_pages_index_and_claims_table(ran):
    root, (_, out, _) = ran
    index = (root / "reports" / "index.html").read_text()
    for text in ("Fine", "Is it?", "01_fine.html", "Failed in cell 3", "without scene", "SL-01"):
        assert text in index
    assert "<h1" in (root / "reports" / "01_fine.html").read_text()
    (row,) = [line for line in out.splitlines() if line.startswith("SL-01 ")]
    assert row.split()[-1] == "reproduced"
    assert {"SL-01", "SL-02"} == set(claims.read_fragments(root / "reports" / "claims"))


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
    assert (root / "seen.txt").read_text().splitlines()[0] == "default 2 notebooks 1 0"
    assert os.path.samefile((root / "python.txt").read_text().strip(), sys.executable)


def test_a_run_without_its_data_says_so(ran):
    _, (_, out, _) = ran
    assert "03_stand_in: ran without scene (not at hand), on substitutes." in out


def test_a_second_call_runs_only_what_failed_or_changed(ran):
    root, _ = ran
    before = len((root / "seen.txt").read_text().splitlines())
    code, out, err = run(root)
    assert code == 1 and "3 of 4 unchanged" in out
    assert "02_fails" in err and "01_fine" not in err and "03_stand_in" not in err
    assert len((root / "seen.txt").read_text().splitlines()) == before
    assert (root / "reports" / "index.html").read_text().count("Ran in") == 2


def test_refresh_writes_back_what_ran_whole_on_real_data_and_twice_the_same(ran):
    root, _ = ran
    untouched = (root / "notebooks" / "03_stand_in.ipynb").read_bytes()
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
    ]
    ledger = json.loads((root / "figures" / "claims.json").read_text())
    assert ledger["SL-01"]["verdict"] == ledger["SL-02"]["verdict"] == "reproduced"
    assert ledger["SL-01"]["source"] == "01_fine"
    kept = tree(root / "notebooks"), tree(root / "figures")
    run(root, "--refresh", "--force", "1")
    assert (tree(root / "notebooks"), tree(root / "figures")) == kept


def test_parameters_are_injected_shown_and_never_written_back(ran):
    root, _ = ran
    before = tree(root / "notebooks"), tree(root / "figures")
    code, _, _ = run(root, "01", "-p", "seed", "7", "--quick", "--out", str(root / "other"))
    assert code == 0
    assert (root / "seen.txt").read_text().splitlines()[-1] == "quick 7 notebooks 1 0"
    assert "Parameters of this run" in (root / "other" / "01_fine.html").read_text()
    assert "at quick scale with seed = 7" in (root / "other" / "index.html").read_text()
    assert (tree(root / "notebooks"), tree(root / "figures")) == before
    assert claims.read_fragments(root / "other" / "claims")["SL-01"]["scale"] == "quick"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["99"], "There is no notebook '99'; there are: 01_a"),
        (["-p", "nope", "3"], "01_a has no parameter 'nope'; it has: seed, scale"),
        (["-p", "a-b", "3"], "must be a Python name; got 'a-b'"),
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


def test_refresh_needs_a_clone(write_notebook, monkeypatch, capsys, tmp_path):
    folder = write_notebook("01_a", "# A", "1").parent
    monkeypatch.setattr(Project, "find", classmethod(lambda cls, notebooks=None: cls(folder, None)))
    assert report.main(["--refresh", "--out", str(tmp_path / "out")]) == 2
    assert "needs a clone" in capsys.readouterr().err


def test_interrupt_and_time_limit_end_the_kernel_and_keep_the_finished_pages(write_notebook, tmp_path):
    """01 is quick, 02 hangs: first the time limit ends it, then the user does."""
    mark = "import os\nopen('../pid.txt', 'w').write(str(os.getpid()))\nimport time\ntime.sleep(900)"
    write_notebook("01_quick", "# Quick", "1")
    write_notebook("02_hangs", "# Hangs", mark)
    code, _, err = run(tmp_path, "--jobs", "2", "--timeout", "25")
    assert code == 1 and "FAILED 02_hangs, cell 3:" in err and "01_quick: done" in err
    assert gone(int((tmp_path / "pid.txt").read_text()))

    (tmp_path / "pid.txt").unlink()
    command = [sys.executable, "-m", "toolkit", "report", "--notebooks", str(tmp_path / "notebooks")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 120
    while not (tmp_path / "pid.txt").exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert "Interrupted: the reports finished so far are kept." in err and "Traceback" not in err
    assert (tmp_path / "reports" / "01_quick.html").exists() and (
        tmp_path / "reports" / "index.html"
    ).exists()
    assert gone(int((tmp_path / "pid.txt").read_text()))


def gone(pid):
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


def test_digest_changes_with_what_a_notebook_depends_on(write_notebook, tmp_path, monkeypatch):
    def digest(*words):
        options = report._parser().parse_args(["--notebooks", str(tmp_path / "notebooks"), *words])
        return report.Report(Project.find(options.notebooks), options).digests["01_a"]

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


def test_kernel_environment(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "8")
    monkeypatch.setenv("TOOLKIT_REFRESH", "1")
    environment = kernel_environment(TOOLKIT_REFRESH=None, TOOLKIT_SCALE="quick")
    assert environment["OMP_NUM_THREADS"] == "1" and environment["TOOLKIT_SCALE"] == "quick"
    assert "TOOLKIT_REFRESH" not in environment
