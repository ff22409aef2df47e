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

# Two processes of joblib, with the notebook waiting for them, and one in a session of its own.
WORKERS = """
import joblib, os, subprocess, time
def work(i):
    open(f"../worker{i}.pid", "w").write(str(os.getpid()))
    time.sleep(900)
open("../kernel.pid", "w").write(str(os.getpid()))
sleeper = subprocess.Popen(["sleep", "900"], start_new_session=True)
open("../sleeper.pid", "w").write(str(sleeper.pid))
joblib.Parallel(2, backend="loky")(joblib.delayed(work)(i) for i in range(2))
"""
PIDS = [f"{name}.pid" for name in ("kernel", "sleeper", "worker0", "worker1")]
PIPES = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}


@pytest.fixture
def start(tmp_path):
    """Function (*words, ignored=, **streams): the command on the project; what it leaves running is killed."""

    def run(*words, ignored=(), streams=PIPES):
        def set_signals():
            for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(signum, signal.SIG_IGN if signum in ignored else signal.SIG_DFL)

        command = [sys.executable, "-m", "toolkit", "report", "--notebooks", str(tmp_path / "notebooks"), *words]
        return subprocess.Popen(command, preexec_fn=set_signals, start_new_session=True, **streams)

    yield run
    for path in tmp_path.glob("*.pid"):
        if psutil.pid_exists(pid := int(path.read_text())):
            os.kill(pid, signal.SIGKILL)


@pytest.fixture
def wait(tmp_path):
    """Function (process, names): wait for files that the notebooks write; the numbers in those of processes."""

    def until(process, names):
        while not all((tmp_path / name).exists() and (tmp_path / name).read_text() for name in names):
            assert process.poll() is None, process.communicate()
            time.sleep(0.02)
        return [int((tmp_path / name).read_text()) for name in names if name.endswith(".pid")]

    return until


@pytest.mark.parametrize(
    ("signum", "ignored", "code"),
    [
        pytest.param(signal.SIGINT, (), 130, id="SIGINT"),
        pytest.param(signal.SIGINT, (signal.SIGINT, signal.SIGHUP), 130, id="ignored", marks=pytest.mark.slow),
        pytest.param(signal.SIGTERM, (signal.SIGINT,), 143, id="SIGTERM", marks=pytest.mark.slow),
        pytest.param(signal.SIGHUP, (), 129, id="SIGHUP", marks=pytest.mark.slow),
    ],
)
def test_a_signal_ends_everything_and_keeps_what_is_finished(
    start, write_notebook, tmp_path, wait, gone, signum, ignored, code
):
    write_notebook("01_quick", "# Quick", "1")
    write_notebook("02_waits", "# Waits", WORKERS)
    process = start("--jobs", "2", ignored=ignored)
    page = "reports/01_quick.html"
    pids = wait(process, [*PIDS, page])
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


@pytest.mark.slow
def test_a_terminal_that_goes_away_ends_everything_too(start, write_notebook, tmp_path, wait, gone):
    """The hang-up comes from the system, and there is nobody left to write to."""
    write_notebook("01_waits", "# Waits", WORKERS)
    ours, theirs = pty.openpty()
    process = start(streams={"stdin": theirs, "stdout": theirs, "stderr": theirs})
    os.close(theirs)
    pids = wait(process, PIDS)
    os.close(ours)
    process.send_signal(signal.SIGHUP)  # as the system sends it to the session of the terminal
    assert process.wait(120) == 129 and gone(pids)
    assert (tmp_path / "reports" / "index.html").exists()


@pytest.mark.slow
def test_under_nohup_a_hang_up_is_survived(start, write_notebook, tmp_path, wait):
    waits = "import os, time\nopen('../here', 'w').write('1')\nwhile not os.path.exists('../sent'): time.sleep(0.02)"
    write_notebook("01_a", "# A", waits)
    process = start(ignored=[signal.SIGHUP])
    wait(process, ["here"])
    process.send_signal(signal.SIGHUP)
    (tmp_path / "sent").touch()
    _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err


@pytest.mark.slow
def test_a_job_that_is_killed_leaves_nothing_running_and_no_lock(start, write_notebook, wait, gone):
    """Nobody is left to end the notebook but the process that guards this one."""
    write_notebook("01_waits", "# Waits", WORKERS)
    process = start()
    pids = wait(process, PIDS)
    process.kill()
    process.communicate()
    assert gone(pids)
    other = start("--refresh", "--quick")
    assert "not of the quick one" in other.communicate(timeout=60)[1]  # and not: another run is at work


@pytest.mark.slow
def test_a_kernel_that_is_killed_is_said_to_be_and_two_at_once_do_not_mix(start, write_notebook, tmp_path, wait, gone):
    """The one waits in a cell; the second call names it and stops; then its kernel is killed as the system does it."""
    write_notebook("01_waits", "# Waits", WORKERS)
    write_notebook("02_quick", "# Quick", "1")
    process = start("--jobs", "1")
    pids = wait(process, PIDS)
    second = start()
    out, err = second.communicate(timeout=60)
    assert second.returncode == 2 and out == ""
    assert f"Another run (process {process.pid}) is writing to {tmp_path / 'reports'}" in err
    os.kill(pids[0], signal.SIGKILL)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 1 and gone(pids)
    reason = "DeadKernelError: the kernel died (killed by signal 9; perhaps out of memory)"
    assert f"FAILED 01_waits, cell 3: {reason}" in err and "02_quick: done" in err
