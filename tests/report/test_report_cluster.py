"""``report --cluster`` and ``measure --cluster``: the same results, a worker killed, what is refused, signals."""

import json
import re
import signal
import subprocess
import sys
import time
from importlib import import_module

import nbformat
import psutil
import pytest

from toolkit import __main__ as toolkit_main
from toolkit import claims
from toolkit.claims import stale
from toolkit.report import cluster as clusters
from toolkit.report import measure
from toolkit.report.processes import cores

pytestmark = pytest.mark.cluster

TWO = ["--cluster", "local:2"]
# At the first run the process two above the kernel dies: the worker, which has started what has started the kernel.
KILL = """
import os, psutil
if not os.path.exists('../killed'):
    open('../killed', 'w').write(str(os.getpid()))
    psutil.Process().parent().parent().kill()
    import time
    time.sleep(900)
"""
WAIT = "import os, time\nopen('../kernel.pid', 'w').write(str(os.getpid()))\ntime.sleep(900)"


def run(*words, timeout=200):
    command = [sys.executable, "-m", "toolkit", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout)


def outputs(folder):
    notebooks = [nbformat.read(path, as_version=4) for path in sorted((folder / "notebooks").glob("*.ipynb"))]
    return [[cell.outputs for cell in nb.cells if cell.cell_type == "code"] for nb in notebooks]


def test_three_notebooks_give_the_same_and_are_skipped_the_next_time(write_notebook, tmp_path):
    write_notebook("01_a", "# A", "import numpy as np\nnp.random.default_rng(seed).normal(size=3)")
    write_notebook("02_b", "# B", "import os\nprint(os.environ['OMP_NUM_THREADS'], os.path.basename(os.getcwd()))")
    write_notebook("03_c", "# C", "1 / 0")
    where = ["report", "--notebooks", tmp_path / "notebooks", "--out"]
    here, there = run(*where, tmp_path / "here"), run(*where, tmp_path / "there", *TWO)
    assert here.returncode == there.returncode == 1, there.stderr
    assert outputs(tmp_path / "here") == outputs(tmp_path / "there")
    for name in ("01_a.html", "02_b.html", "03_c.failed.html"):
        assert (tmp_path / "here" / name).read_text() == (tmp_path / "there" / name).read_text()
    assert "FAILED 03_c, cell 3: ZeroDivisionError: division by zero" in there.stderr
    assert "01_a: done" in there.stderr and "distributed" not in there.stderr
    again = run(*where, tmp_path / "there", *TWO)
    assert "3 notebooks: 2 unchanged, 1 failed." in again.stdout


def test_a_worker_that_dies_is_replaced_and_its_notebook_run_again(write_notebook, tmp_path, gone):
    write_notebook("01_kills", "# A", KILL, "print('whole')")
    write_notebook("02_b", "# B", "2")
    write_notebook("03_c", "# C", "3")
    done = run("report", "--notebooks", tmp_path / "notebooks", *TWO)
    assert done.returncode == 0, done.stderr
    assert re.search("01_kills: its worker died; again on tcp://", done.stderr)
    assert "3 notebooks: 3 done." in done.stdout
    assert "whole" in (tmp_path / "reports" / "01_kills.html").read_text()
    assert gone([int((tmp_path / "killed").read_text())])


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_no_process_and_keeps_what_is_finished(write_notebook, tmp_path, gone, signum):
    write_notebook("01_quick", "# Quick", "1")
    write_notebook("02_waits", "# Waits", WAIT)
    process, pids = started(tmp_path, "01_quick.html")
    process.send_signal(signum)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 128 + signum and "Traceback" not in err, err
    assert "2 notebooks: 1 done, 1 not finished." in out and "finished so far are kept" in err
    assert gone(pids) and not (tmp_path / "reports" / ".work").exists()


def test_a_command_that_is_killed_leaves_no_process(write_notebook, tmp_path, gone):
    write_notebook("01_quick", "# Quick", "1")
    write_notebook("02_waits", "# Waits", WAIT)
    process, pids = started(tmp_path, "01_quick.html")
    process.kill()
    process.communicate(timeout=60)
    assert gone(pids)


def started(folder, page):
    """A command with a notebook that waits, when `page` is there, and the ids of all that it started."""
    command = [sys.executable, "-m", "toolkit", "report", "--notebooks", str(folder / "notebooks"), *TWO]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not ((folder / "reports" / page).exists() and (folder / "kernel.pid").exists()):
        assert process.poll() is None, process.communicate()
        time.sleep(0.1)
    pids = [child.pid for child in psutil.Process(process.pid).children(recursive=True)]
    assert len(pids) >= 5  # scheduler, two workers, a notebook, its kernel
    return process, pids


def test_the_workers_of_a_cluster_at_an_address_end_what_nobody_waits_for(write_notebook, tmp_path, cluster, gone):
    """The workers live on; the notebook does not, whether the command ends in good order or not."""
    write_notebook("02_waits", "# Waits", WAIT)
    command = ["report", "--notebooks", str(tmp_path / "notebooks"), "--cluster", cluster.scheduler.address]
    for signum in (signal.SIGINT, signal.SIGKILL):
        process = subprocess.Popen(
            [sys.executable, "-m", "toolkit", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        while not (tmp_path / "kernel.pid").exists() or not (pid := (tmp_path / "kernel.pid").read_text()):
            assert process.poll() is None, process.communicate()
            time.sleep(0.1)
        process.send_signal(signum)
        process.communicate(timeout=60)
        assert gone([int(pid)]) and len(cluster.nthreads()) == 2
        (tmp_path / "kernel.pid").unlink()


def test_a_wrong_address_is_one_line_after_ten_seconds(write_notebook, tmp_path):
    write_notebook("01_a", "# A", "1")
    begin = time.monotonic()
    done = run("report", "--notebooks", tmp_path / "notebooks", "--cluster", "tcp://127.0.0.1:1")
    assert done.returncode == 2 and time.monotonic() - begin < 30  # on a machine that others use, too
    assert done.stderr.startswith("toolkit report: There is no scheduler at tcp://127.0.0.1:1")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("where", ["local:0", "local:x", "local:", "host", "tcp://host", ""])
@pytest.mark.parametrize("command", ["report", "measure", "claims"])
def test_what_is_no_address_is_wrong_use(capsys, command, where):
    assert toolkit_main.main([command, "--cluster", where]) == 2
    assert "--cluster: " in capsys.readouterr().err


@pytest.mark.parametrize("command", ["report", "measure"])
def test_cluster_and_jobs_exclude_each_other(capsys, command):
    with pytest.raises(SystemExit):
        import_module(toolkit_main.COMMANDS[command][0])._parser().parse_args(["--jobs", str(cores()), *TWO])
    assert "not allowed with argument" in capsys.readouterr().err


def test_workers_without_the_code_or_the_folder_are_named(cluster, tmp_path):
    address = cluster.scheduler.address

    def lacks(code, token):
        return set(cluster.run(clusters._looker(code, token)).values())

    assert lacks(clusters.code_digest(), None) == {""}
    ((other,),) = [lacks("0" * 64, None)]
    assert "other code" in other
    ((unseen,),) = [lacks(clusters.code_digest(), str(tmp_path / "x" / "token"))]
    assert f"does not see {tmp_path / 'x'}" in unseen
    with clusters.connected(address, tmp_path) as client:
        assert len(client.nthreads()) == 2
    assert list(tmp_path.iterdir()) == []


def test_two_claims_measured_on_workers_are_as_stored(tmp_path):
    done = run("claims", "--only", "SL-03", "--only", "LE-12", "--force", "--out", tmp_path, *TWO)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "2 tasks: 2 passed, 0 failed."
    for id in ("SL-03", "LE-12"):
        left = json.loads((tmp_path / "claims" / "experiments" / f"{id}.json").read_text())
        assert left["verdict"] == claims.committed()[id]["verdict"] and stale.why_stale(id, left) == ""
    assert not (tmp_path / "claims" / ".work").exists()


def test_experiments_that_share_what_they_compute_are_one_task(tmp_path):
    code = "import pytest\n@pytest.mark.xdist_group('g')\ndef test_a(): 1\ndef test_b(): 1\n"
    (tmp_path / "test_x.py").write_text(code + "@pytest.mark.xdist_group('g')\ndef test_c(): 1\n")
    tests = [f"test_x.py::test_{letter}" for letter in "abc"]
    assert measure._groups(tests, tmp_path) == [[tests[0], tests[2]], [tests[1]]]
