"""Signals to the main job: all that it started ends, what is finished is kept, the exit code says which signal.

Each test sets how the signals stand when the job starts, so that it does not matter how the suite itself was started:
in the background of a script or under `nohup` they are ignored, and children inherit that.
"""

import os
import pty
import signal
import subprocess
import sys
import time

import psutil
import pytest

# Two processes of joblib, with the notebook waiting for them.
WORKERS = """
import joblib, os, time
def work(i):
    open(f"../worker{i}.pid", "w").write(str(os.getpid()))
    time.sleep(900)
open("../kernel.pid", "w").write(str(os.getpid()))
joblib.Parallel(2, backend="loky")(joblib.delayed(work)(i) for i in range(2))
"""
PIDS = ("kernel", "worker0", "worker1")


def start(root, dispositions, *words, **options):
    """The command on a project, with each signal ignored or at its default when it starts."""

    def prepare():
        for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(signum, dispositions.get(signum, signal.SIG_DFL))
        signal.pthread_sigmask(signal.SIG_SETMASK, [])

    command = [sys.executable, "-m", "toolkit", "report", "--notebooks", str(root / "notebooks"), *words]
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    return subprocess.Popen(command, preexec_fn=prepare, text=True, **pipes)


@pytest.fixture
def processes(tmp_path):
    """Functions to wait for a file, and for all processes of the notebook to end; what is left is killed."""

    def wait(*names, process):
        while not all((tmp_path / name).exists() and (tmp_path / name).read_text() for name in names):
            assert process.poll() is None, process.communicate()
            time.sleep(0.1)
        return [int((tmp_path / name).read_text()) for name in names if name.endswith(".pid")]

    yield wait
    for path in tmp_path.glob("*.pid"):
        if psutil.pid_exists(pid := int(path.read_text())):
            os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize(
    ("signum", "ignored", "code"),
    [
        (signal.SIGINT, (), 130),
        (signal.SIGINT, (signal.SIGINT, signal.SIGHUP), 130),
        (signal.SIGTERM, (signal.SIGINT,), 143),
        (signal.SIGHUP, (), 129),
    ],
    ids=["SIGINT", "SIGINT-ignored-at-start", "SIGTERM", "SIGHUP"],
)
def test_a_signal_ends_everything_and_keeps_what_is_finished(
    write_notebook, tmp_path, processes, gone, signum, ignored, code
):
    write_notebook("01_quick", "# Quick", "1")
    write_notebook("02_waits", "# Waits", WORKERS)
    process = start(tmp_path, dict.fromkeys(ignored, signal.SIG_IGN), "--jobs", "2")
    page = "reports/01_quick.html"
    pids = processes(*(f"{name}.pid" for name in PIDS), page, process=process)
    process.send_signal(signum)
    out, err = process.communicate(timeout=120)
    assert process.returncode == code, err
    assert gone(pids)
    assert "Interrupted: the reports finished so far are kept." in err and "Traceback" not in err
    assert "2 notebooks: 1 done, 1 not finished." in out
    index = (tmp_path / "reports" / "index.html").read_text()
    assert 'href="01_quick.html"' in index and "02_waits" not in index
    assert "02_waits" not in (tmp_path / page).read_text()  # what did not come is no next page
    assert not (tmp_path / "reports" / ".work").exists()


def test_a_terminal_that_goes_away_ends_everything_too(write_notebook, tmp_path, processes, gone):
    """The hang-up comes from the system, and there is nobody left to write to."""
    write_notebook("01_waits", "# Waits", WORKERS)
    ours, theirs = pty.openpty()
    process = start(
        tmp_path, {}, start_new_session=True, stdin=theirs, stdout=theirs, stderr=theirs
    )  # fmt: skip
    os.close(theirs)
    pids = processes(*(f"{name}.pid" for name in PIDS), process=process)
    os.close(ours)
    process.send_signal(signal.SIGHUP)  # as the system sends it to the session of the terminal
    assert process.wait(120) == 129 and gone(pids)
    assert (tmp_path / "reports" / "index.html").exists()


def test_under_nohup_a_hang_up_is_survived(write_notebook, tmp_path, processes, gone):
    write_notebook("01_a", "# A", "import time\nopen('../here', 'w').write('1')\ntime.sleep(2)")
    process = start(tmp_path, {signal.SIGHUP: signal.SIG_IGN})
    processes("here", process=process)
    process.send_signal(signal.SIGHUP)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err


def test_a_job_that_is_killed_leaves_nothing_running_and_no_lock(write_notebook, tmp_path, processes, gone):
    """Nobody is left to end the notebook: it notices."""
    write_notebook("01_waits", "# Waits", WORKERS)
    process = start(tmp_path, {})
    pids = processes(*(f"{name}.pid" for name in PIDS), process=process)
    process.kill()
    process.wait()
    assert gone(pids)
    other = start(tmp_path, {}, "--refresh", "--quick")
    assert "not of the quick one" in other.communicate(timeout=60)[1]  # and not: another run is at work


def test_a_kernel_that_is_killed_is_said_to_be_and_two_at_once_do_not_mix(write_notebook, tmp_path, processes, gone):
    """The one waits in a cell; the second call names it and stops; then its kernel is killed as the system does it."""
    write_notebook("01_waits", "# Waits", WORKERS)
    write_notebook("02_quick", "# Quick", "1")
    process = start(tmp_path, {}, "--jobs", "1")
    pids = processes(*(f"{name}.pid" for name in PIDS), process=process)
    second = start(tmp_path, {})
    out, err = second.communicate(timeout=60)
    assert second.returncode == 2 and out == ""
    assert f"Another run (process {process.pid}) is writing to {tmp_path / 'reports'}" in err
    os.kill(pids[0], signal.SIGKILL)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 1 and gone(pids)
    assert (
        "FAILED 01_waits, cell 3: DeadKernelError: the kernel died (killed by signal 9; perhaps out of memory)" in err
    )
    assert "02_quick: done" in err
