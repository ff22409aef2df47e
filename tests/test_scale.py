"""What docs/scale.md shows runs; the workers that its commands start are reached."""

import os
import re
import runpy
import socket
import subprocess
import sys
import time

from folders import ROOT
from pytest import mark

PAGE = (ROOT / "docs" / "scale.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
PYTHON = [code for language, code in BLOCKS if language == "python"]
AT_AN_ADDRESS = [code for code in PYTHON if "tcp://HOST" in code]
COMMANDS = [
    line
    for language, code in BLOCKS
    if language == "sh"
    for line in code.splitlines()
]


def test_there_is_something_to_test():
    assert len(AT_AN_ADDRESS) == 1 and len(COMMANDS) == 2 and len(PYTHON) == 6


def test_tables_are_those_of_the_measurements():
    """Nobody edits them by hand: page and `benchmarks/scale.md` follow from `scale.csv`."""
    model = runpy.run_path(str(ROOT / "benchmarks" / "scale_model.py"))
    stored = (ROOT / "benchmarks" / "scale.md").read_text("utf-8")
    table = list(model["measured_table"](model["measured"]()))
    assert stored == "\n".join(model["lines"]()) + "\n" and len(table) >= 5
    for text in (stored, PAGE):
        assert "\n".join(table) in text
    assert "\n".join(list(model["eigenmaps"](model["measured"]()))[2:]) in PAGE


def test_no_line_of_code_is_cut_off():
    """The page has room for 88 letters."""
    assert (
        max(len(line) for _, code in BLOCKS for line in code.splitlines()) <= 88
    )


@mark.slow
def test_the_code_runs_on_workers_of_this_machine(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    try:
        for code in PYTHON:
            if code not in AT_AN_ADDRESS:
                exec(code, names)
        assert names["graph"].shape == (1797, 1797)
        assert names["neighbours"].check_call_in_cache(names["X"], names["y"])
        assert (
            names["Z"].shape == (1797, 2) and len(names["rows"].chunks[0]) == 4
        )
        assert len(names["client"].scheduler_info()["workers"]) == 2
    finally:
        if "client" in names:
            names["client"].cluster.close()
            names["client"].close()


@mark.slow
def test_the_commands_start_workers_that_answer(tmp_path):
    """What one would give to SSH, on this machine."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])

    def local(text):
        text = text.replace("HOST", "127.0.0.1").replace("8786", port)
        return text.replace("--nworkers 4", "--nworkers 2")

    processes = []
    try:
        for command in COMMANDS:
            words = [
                sys.executable,
                "-m",
                *local(command).split(),
                "--no-dashboard",
            ]
            process = subprocess.Popen(
                words, cwd=tmp_path, start_new_session=True
            )
            processes.append(process)
        names = {}
        for _ in range(60):  # until the scheduler listens
            try:
                exec("from distributed import Client", names)
                exec(local(AT_AN_ADDRESS[0]), names)
                break
            except OSError:
                time.sleep(1)
        with names["client"] as client:
            client.wait_for_workers(2, timeout=60)
            assert os.getpid() not in client.run(os.getpid).values()
    finally:
        for process in processes[::-1]:
            process.terminate()
        for process in processes[::-1]:
            process.wait(30)
