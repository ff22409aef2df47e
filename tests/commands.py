"""The command of reports in a process that is forked from one which has it loaded: nothing is imported anew.

`start` is what `subprocess.Popen` of ``python -m toolkit report`` would be, without the second that its imports take.
This file imports little itself: each such process loads it.
"""

import multiprocessing
import os
import signal
import sys
from pathlib import Path

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
STAND_IN = str(Path(__file__).with_name("stand_in.py"))


def set_signals(dispositions):
    """Each signal ignored or at its default, none blocked."""
    for signum in SIGNALS:
        signal.signal(signum, dispositions.get(signum, signal.SIG_DFL))
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


def use_stand_in():
    """Let `stand_in` execute the notebooks of reports of this process."""
    from toolkit.report.command import Report

    make = Report._job

    def job(self, name, expected):
        made = make(self, name, expected)
        assert made.command[1:3] == ["-m", "toolkit.report.execute"]
        made.command[1:3] = ["-S", STAND_IN]
        return made

    Report._job = job


def work(words, streams, dispositions, kernels):
    set_signals(dispositions)
    for number, path in zip((1, 2), streams, strict=True):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    sys.stdout, sys.stderr = (open(number, "w", closefd=False) for number in (1, 2))
    from toolkit.__main__ import main

    if not kernels:
        use_stand_in()
    sys.exit(main(["report", *words]))


class Command:
    """A process with the methods of `subprocess.Popen` that tests use."""

    def __init__(self, folder, words, dispositions, kernels):
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["toolkit.__main__", "toolkit.report.command", "nbformat", "psutil"])
        folder.mkdir()
        self.streams = [folder / "out", folder / "err"]
        arguments = [words, list(map(str, self.streams)), dispositions, kernels]
        self.process = context.Process(target=work, args=arguments)
        self.process.start()
        self.pid = self.process.pid

    @property
    def returncode(self):
        return self.process.exitcode

    def poll(self):
        return self.process.exitcode

    def wait(self, timeout=None):
        self.process.join(timeout)
        assert self.process.exitcode is not None
        return self.process.exitcode

    def communicate(self, timeout=None):
        self.wait(timeout)
        return [path.read_text(encoding="utf-8") for path in self.streams]

    def send_signal(self, signum):
        os.kill(self.pid, signum)

    def kill(self):
        self.process.kill()


def start(folder, words, dispositions=(), kernels=True):
    """The command with `words`, its streams in a new `folder`, each signal as in `dispositions` or at its default."""
    return Command(folder, words, dict(dispositions), kernels)
