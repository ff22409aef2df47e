"""Processes under one bar: failures, time limits and interrupts, with plain commands instead of notebooks."""

import io
import os
import re
import subprocess
import sys
import textwrap
import threading

import pytest

from toolkit.report import execute, runner
from toolkit.report.runner import Job, run_jobs


@pytest.fixture
def job(tmp_path):
    def make(name, code, **options):
        folder = tmp_path / name
        folder.mkdir()
        return Job(name, [sys.executable, "-S", "-c", textwrap.dedent(code)], dict(os.environ), folder, **options)

    return make


@pytest.fixture
def quick_looks(monkeypatch):
    monkeypatch.setattr(runner, "POLL_SECONDS", 0.05)


def keep(job, outcome):
    return outcome


def test_each_job_has_an_outcome_and_a_failure_does_not_stop_the_others(job):
    error = '{"error": {"cell": 4, "name": "E", "says": "s", "lines": []}}'
    last = "print('last words', file=sys.stderr)"
    jobs = [
        job("fine", "print('{\"cell\": 0}')"),
        job("told", f"import sys; print('{error}'); sys.exit(1)"),
        job("crashed", f"import os, sys; print('{{\"cell\": 2}}', flush=True); {last}; os._exit(9)"),
        job("noisy", "print('{no json')"),
        job("killed", "import os; os.kill(os.getpid(), 9)"),
    ]
    stream = io.StringIO()
    outcomes, interrupted = run_jobs(jobs, 2, 60, keep, stream)
    assert not interrupted and set(outcomes) == {"fine", "told", "crashed", "noisy", "killed"}
    assert outcomes["fine"].ok and outcomes["noisy"].ok
    assert "killed by signal 9; perhaps out of memory" in outcomes["killed"].error["says"]
    assert outcomes["told"].error["cell"] == 4
    crashed = outcomes["crashed"].error
    assert crashed["cell"] == 2 and "exit code 9" in crashed["says"] and "last words" in crashed["lines"]
    said = stream.getvalue().splitlines()
    assert len(said) == 10 and sum("FAILED" in line for line in said) == 3
    assert sum("started" in line for line in said) == 5


def test_the_limit_counts_processor_time_of_all_that_a_job_has_started(job, quick_looks):
    """A child in a session of its own does the work; who sleeps longer than the limit is not ended."""
    busy = """
        import subprocess, sys
        print('{"cell": 3}', flush=True)
        subprocess.run([sys.executable, "-c", "while True: pass"], start_new_session=True)
    """
    jobs = [job("busy", busy), job("asleep", "import time; time.sleep(1)")]
    outcomes, _ = run_jobs(jobs, 2, 0.5, keep, io.StringIO())
    error = outcomes["busy"].error
    assert error["name"] == "Timeout" and error["cell"] == 3
    assert "limit of 0.5 s of processor time" in error["says"] and "TIMEOUT=" in error["says"]
    assert "--timeout" in error["says"]
    assert outcomes["busy"].processor > 0.5 and outcomes["asleep"].ok and outcomes["asleep"].seconds > 0.9


def test_what_waits_for_ever_is_ended_by_the_clock(job, quick_looks):
    slow = job("slow", "import time; print('{\"cell\": 3}', flush=True); time.sleep(600)")
    outcomes, _ = run_jobs([slow, job("fine", "")], 2, 600, keep, io.StringIO(), idle=1)
    assert outcomes["slow"].error["name"] == "Hang" and outcomes["slow"].error["cell"] == 3
    assert outcomes["fine"].ok and outcomes["slow"].seconds < 300


def test_each_step_has_its_seconds(job):
    code = "import time\nfor i in (0, 2): print('{\"cell\": %d}' % i, flush=True); time.sleep(0.1 * i)"
    outcomes, _ = run_jobs([job("a", code, steps=4)], 1, 60, keep, io.StringIO())
    steps = outcomes["a"].steps
    assert len(steps) == 4 and steps[2] >= 0.18 and steps[1] == steps[3] == 0
    assert sum(steps) == pytest.approx(outcomes["a"].seconds, abs=5)


def test_what_a_job_leaves_running_is_ended(job, quick_looks, tmp_path, gone):
    """Its child in a session of its own, which holds the job's channel open."""
    code = f"""
        import subprocess, sys, time
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
        open({str(tmp_path / "pid")!r}, "w").write(str(child.pid))
        time.sleep(0.3)
    """
    outcomes, _ = run_jobs([job("a", code)], 1, 60, keep, io.StringIO())
    assert outcomes["a"].ok and gone([int((tmp_path / "pid").read_text())])


def test_no_more_jobs_at_once_than_allowed(job):
    now, most, lock = set(), [], threading.Lock()
    code = "import time; print('{\"cell\": 0}', flush=True); time.sleep(0.1)"
    jobs = [job(f"j{i}", code) for i in range(5)]

    class Watch(subprocess.Popen):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            with lock:
                now.add(self)
                most.append(len(now))

        def wait(self, *args, **kwargs):
            code = super().wait(*args, **kwargs)
            with lock:
                now.discard(self)
            return code

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subprocess, "Popen", Watch)
        run_jobs(jobs, 2, 60, keep, io.StringIO())
    assert len(most) == 5 and max(most) == 2


def test_an_error_after_the_run_is_that_jobs_failure(job):
    def fails_for_one(job, outcome):
        if job.name == "one":
            raise OSError("the disk is full")
        return outcome

    outcomes, _ = run_jobs([job("one", ""), job("two", "")], 1, 60, fails_for_one, io.StringIO())
    assert outcomes["one"].error["says"] == "the disk is full" and outcomes["two"].ok


def test_on_a_terminal_one_bar_shows_cells_of_all_jobs(job):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    stream = Terminal()
    code = "import time\nfor i in range(3): print('{\"cell\": %d}' % i, flush=True); time.sleep(0.1)"
    known = {"steps": 3, "expected": [30.0, 30.0, 60.0]}
    run_jobs([job("a", code, **known), job("b", code, **known)], 2, 60, keep, stream)
    shown = stream.getvalue()
    assert re.search(r", about (2 min|[1-9]0 s) left; a cell 1/3", shown)
    assert "/6 cells" in shown and "a cell 2/3" in shown and "6/6 cells" in shown and "a: done" in shown


@pytest.mark.parametrize(("deaths", "starts"), [(1, 2), (9, 2)])
def test_a_kernel_that_dies_at_its_start_is_started_once_more(write_notebook, tmp_path, monkeypatch, deaths, starts):
    """Another program may have taken its ports."""
    from papermill.clientwrap import PapermillNotebookClient

    calls, events = [], []

    def start(client):
        calls.append(client)
        if len(calls) <= deaths:
            raise RuntimeError("Kernel died before replying to kernel_info")

    monkeypatch.setattr(PapermillNotebookClient, "execute", start)
    monkeypatch.setattr(execute, "_use_this_interpreter", lambda folder: None)
    job = {"notebook": write_notebook("01_a", "# A", "1"), "output": tmp_path / "out.ipynb", "parameters": {}}
    assert execute.run(job, events.append) == (deaths < starts) and len(calls) == starts
    assert "done" in events[-1] or "died before" in events[-1]["error"]["says"]
