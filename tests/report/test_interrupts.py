"""Signals to the main job: all that it started ends, what is finished is kept, the exit code says which signal.

Each test sets how the signals stand when the job starts, so that it does not matter how the suite itself was started:
in the background of a script or under `nohup` they are ignored, and children inherit that.
"""

import functools
import itertools
import os
import pty
import signal
import subprocess
import sys
import time

import commands
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

# And two that start faster, in sessions of their own.
SLEEPERS = """
import os, subprocess
open("../kernel.pid", "w").write(str(os.getpid()))
sleepers = [subprocess.Popen(["sleep", "900"], start_new_session=True) for _ in range(2)]
for i, sleeper in enumerate(sleepers):
    open(f"../worker{i}.pid", "w").write(str(sleeper.pid))
sleepers[0].wait()
"""
PIDS = ("kernel", "worker0", "worker1")


@pytest.fixture
def start(tmp_path):
    """Function (dispositions, *words): the command on the project, see `commands.start`."""
    count = itertools.count()

    def run(dispositions, *words, kernels=True):
        words = ["--notebooks", str(tmp_path / "notebooks"), *words]
        return commands.start(tmp_path / f"streams{next(count)}", words, dispositions, kernels)

    return run


@pytest.fixture
def processes(tmp_path):
    """Functions to wait for a file, and for all processes of the notebook to end; what is left is killed."""

    def wait(*names, process):
        while not all((tmp_path / name).exists() and (tmp_path / name).read_text() for name in names):
            assert process.poll() is None, process.communicate()
            time.sleep(0.02)
        return [int((tmp_path / name).read_text()) for name in names if name.endswith(".pid")]

    yield wait
    for path in tmp_path.glob("*.pid"):
        if psutil.pid_exists(pid := int(path.read_text())):
            os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize(
    ("signum", "ignored", "code", "kernels"),
    [
        pytest.param(signal.SIGINT, (), 130, True, id="SIGINT"),
        pytest.param(signal.SIGINT, (signal.SIGINT, signal.SIGHUP), 130, False, id="ignored", marks=pytest.mark.slow),
        pytest.param(signal.SIGTERM, (signal.SIGINT,), 143, False, id="SIGTERM", marks=pytest.mark.slow),
        pytest.param(signal.SIGHUP, (), 129, False, id="SIGHUP", marks=pytest.mark.slow),
    ],
)
def test_a_signal_ends_everything_and_keeps_what_is_finished(
    start, write_notebook, tmp_path, processes, gone, signum, ignored, code, kernels
):
    """With kernels and loky once: what the job does is the same for each signal."""
    write_notebook("01_quick", "# Quick", "1")
    write_notebook("02_waits", "# Waits", WORKERS if kernels else SLEEPERS)
    process = start(dict.fromkeys(ignored, signal.SIG_IGN), "--jobs", "2", kernels=kernels)
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


@pytest.mark.slow
def test_a_terminal_that_goes_away_ends_everything_too(write_notebook, tmp_path, processes, gone):
    """The hang-up comes from the system, and there is nobody left to write to."""
    write_notebook("01_waits", "# Waits", WORKERS)
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "toolkit", "report", "--notebooks", str(tmp_path / "notebooks")]
    streams = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
    prepare = functools.partial(commands.set_signals, {})
    process = subprocess.Popen(command, preexec_fn=prepare, start_new_session=True, **streams)
    os.close(theirs)
    pids = processes(*(f"{name}.pid" for name in PIDS), process=process)
    os.close(ours)
    process.send_signal(signal.SIGHUP)  # as the system sends it to the session of the terminal
    assert process.wait(120) == 129 and gone(pids)
    assert (tmp_path / "reports" / "index.html").exists()


@pytest.mark.slow
def test_under_nohup_a_hang_up_is_survived(start, write_notebook, tmp_path, processes):
    waits = "import os, time\nopen('../here', 'w').write('1')\nwhile not os.path.exists('../sent'): time.sleep(0.02)"
    write_notebook("01_a", "# A", waits)
    process = start({signal.SIGHUP: signal.SIG_IGN}, kernels=False)
    processes("here", process=process)
    process.send_signal(signal.SIGHUP)
    (tmp_path / "sent").touch()
    _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err


@pytest.mark.slow
def test_a_job_that_is_killed_leaves_nothing_running_and_no_lock(start, write_notebook, tmp_path, processes, gone):
    """Nobody is left to end the notebook: it notices."""
    write_notebook("01_waits", "# Waits", WORKERS)
    process = start({})
    pids = processes(*(f"{name}.pid" for name in PIDS), process=process)
    process.kill()
    process.wait()
    assert gone(pids)
    other = start({}, "--refresh", "--quick")
    assert "not of the quick one" in other.communicate(timeout=60)[1]  # and not: another run is at work


@pytest.mark.slow
def test_a_kernel_that_is_killed_is_said_to_be_and_two_at_once_do_not_mix(
    start, write_notebook, tmp_path, processes, gone
):
    """The one waits in a cell; the second call names it and stops; then its kernel is killed as the system does it."""
    write_notebook("01_waits", "# Waits", WORKERS)
    write_notebook("02_quick", "# Quick", "1")
    process = start({}, "--jobs", "1")
    pids = processes(*(f"{name}.pid" for name in PIDS), process=process)
    second = start({})
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
