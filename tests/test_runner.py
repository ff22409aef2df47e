"""Processes under one bar: failures, time limits and interrupts, with plain commands instead of notebooks."""

import io
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

from toolkit.runner import Job, run_jobs


@pytest.fixture
def job(tmp_path):
    def make(name, code, **options):
        folder = tmp_path / name
        folder.mkdir()
        return Job(name, [sys.executable, "-c", textwrap.dedent(code)], dict(os.environ), folder, **options)

    return make


def keep(job, outcome):
    return outcome


def test_each_job_has_an_outcome_and_a_failure_does_not_stop_the_others(job):
    error = '{"error": {"cell": 4, "name": "E", "says": "s", "lines": []}}'
    last = "print('last words', file=sys.stderr)"
    jobs = [
        job("fine", "print('{\"cell\": 0}')"),
        job("told", f"import sys; print('{error}'); sys.exit(1)"),
        job("crashed", f"import os, sys; print('{{\"cell\": 2}}', flush=True); {last}; os._exit(9)"),
        job("five", "import sys; print('{no json'); sys.exit(5)", fine=(0, 5)),
    ]
    stream = io.StringIO()
    outcomes, interrupted = run_jobs(jobs, 2, 60, keep, stream)
    assert not interrupted and set(outcomes) == {"fine", "told", "crashed", "five"}
    assert outcomes["fine"].ok and outcomes["five"].ok
    assert outcomes["told"].error["cell"] == 4
    crashed = outcomes["crashed"].error
    assert crashed["cell"] == 2 and "exit code 9" in crashed["says"] and "last words" in crashed["lines"]
    said = stream.getvalue().splitlines()
    assert len(said) == 4 and sum("FAILED" in line for line in said) == 2


def test_the_time_limit_names_the_cell_and_ends_the_process(job):
    slow = job("slow", "import time; print('{\"cell\": 3}', flush=True); time.sleep(600)")
    begin = time.monotonic()
    outcomes, _ = run_jobs([slow, job("fine", "")], 2, 3, keep, io.StringIO())
    assert outcomes["slow"].error["name"] == "Timeout" and outcomes["slow"].error["cell"] == 3
    assert outcomes["fine"].ok
    assert time.monotonic() - begin < 300  # the process did not run to its end


def test_no_more_jobs_at_once_than_allowed(job):
    now, most, lock = set(), [], threading.Lock()
    code = "import time; print('{\"cell\": 0}', flush=True); time.sleep(0.3)"
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


def test_an_interrupt_keeps_what_is_finished_and_ends_the_rest(tmp_path):
    """Ctrl-C goes to the runner: the quick job was kept, the slow one is ended, the third never starts."""
    program = """
        import sys, os
        from pathlib import Path
        from toolkit.runner import Job, run_jobs
        root = Path(sys.argv[1])
        def job(name, code):
            (root / name).mkdir()
            return Job(name, [sys.executable, "-c", code], dict(os.environ), root / name)
        slow, never = "import time; time.sleep(600)", f"open(r'{root}/ran', 'w')"
        jobs = [job("quick", ""), job("slow", slow), job("never", never)]
        def finished(job, outcome):
            (root / (job.name + ".kept")).touch()
            return outcome
        outcomes, interrupted = run_jobs(jobs, 1, 900, finished)
        print(sorted(outcomes), interrupted)
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program), str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 120
    while not (tmp_path / "slow" / "stderr.txt").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=120)
    assert said.strip() == "['quick'] True"
    assert (tmp_path / "quick.kept").exists() and not (tmp_path / "ran").exists()


def test_on_a_terminal_one_bar_shows_cells_of_all_jobs(job):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    stream = Terminal()
    code = "import time\nfor i in range(3): print('{\"cell\": %d}' % i, flush=True); time.sleep(0.3)"
    run_jobs([job("a", code, steps=3), job("b", code, steps=3)], 2, 60, keep, stream)
    shown = stream.getvalue()
    assert "/6 cells" in shown and "a cell 2/3" in shown and "6/6 cells" in shown and "a: done" in shown
