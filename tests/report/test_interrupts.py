"""Signals to the main job: all that it started ends, finished reports stay.

Each test sets how the signals stand when the job starts, so that it does not matter how
the suite itself was started: in the background of a script or under `nohup` they are
ignored, and children inherit that.
"""

import os
import signal
import subprocess
import sys
import time

import psutil
from pytest import fixture, mark, param

# Two processes of joblib, with the notebook waiting for them, and another.
WORKERS = """
import joblib, os, subprocess, time
def work(i):
    open(f"../worker{i}.pid", "w").write(str(os.getpid()))
    time.sleep(900)
open("../kernel.pid", "w").write(str(os.getpid()))
sleeper = subprocess.Popen(["sleep", "900"])
open("../sleeper.pid", "w").write(str(sleeper.pid))
joblib.Parallel(2, backend="loky")(joblib.delayed(work)(i) for i in range(2))
"""
PIDS = [f"{name}.pid" for name in ("kernel", "sleeper", "worker0", "worker1")]
COMMAND = [sys.executable, *"-m toolkit report --notebooks".split()]
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@fixture
def start(tmp_path, write_notebook):
    """Function (*words, ignored=, files=): the command, once files are there; pids."""
    write_notebook("01_quick", "# Quick", "1")
    write_notebook("02_waits", "# Waits", WORKERS)

    def run(*words, ignored=(), files=PIDS):
        def set_signals():
            for each in SIGNALS:
                handler = signal.SIG_IGN if each in ignored else signal.SIG_DFL
                signal.signal(each, handler)

        process = subprocess.Popen(
            [*COMMAND, str(tmp_path / "notebooks"), *words],
            preexec_fn=set_signals,
            start_new_session=True,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        paths = [tmp_path / name for name in files]
        while not all(path.exists() and path.read_text() for path in paths):
            assert process.poll() is None, process.communicate()
            time.sleep(0.02)
        return process, [
            int(p.read_text()) for p in paths if p.suffix == ".pid"
        ]

    yield run
    for path in tmp_path.glob("*.pid"):
        if psutil.pid_exists(pid := int(path.read_text())):
            os.kill(pid, signal.SIGKILL)


@mark.parametrize(
    "signum, ignored, code",
    [
        param(signal.SIGINT, (), 130, id="SIGINT"),
        # in the background, and with `nohup`
        param(signal.SIGINT, SIGNALS, 130, id="ignored", marks=mark.slow),
        param(signal.SIGTERM, (), 143, id="SIGTERM", marks=mark.slow),
    ],
)
def test_a_signal_ends_everything_and_keeps_finished_reports(
    start, tmp_path, gone, signum, ignored, code
):
    process, pids = start(
        "--jobs", "2", ignored=ignored, files=[*PIDS, "reports/01_quick.html"]
    )
    # under `nohup` a hang-up is survived
    process.send_signal(signal.SIGHUP if signal.SIGHUP in ignored else signum)
    process.send_signal(signum)
    out, err = process.communicate(timeout=120)
    assert process.returncode == code, err
    assert gone(pids)
    assert "Interrupted: the reports finished so far are kept." in err
    assert "Traceback" not in err
    assert "Notebooks: 1 done, 0 failed." in out
    index = (tmp_path / "reports" / "index.html").read_text()
    assert 'href="01_quick.html"' in index and "02_waits" not in index
    assert not (tmp_path / "reports" / ".work").exists()


@mark.slow
def test_a_job_that_is_killed_leaves_no_kernel_and_no_lock(start, gone):
    """The kernel looks for its parent itself; its children end with its task."""
    process, (kernel, *_) = start()
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL and gone([kernel])
    other, _ = start("--refresh", "-p", "seed", "3", files=[])
    # and not: another run is at work
    assert "the quick scale" in other.communicate(timeout=60)[1]
