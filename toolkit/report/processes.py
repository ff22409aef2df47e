"""Process trees: their processor time, how they are ended, and the signals that ask for it.

A kernel starts a session of its own, and so may what it starts: neither the process group nor the tree from parents to
children, from which those drop out whose parent has ended, finds them all. A `Family` looks at sessions and parents.
"""

import contextlib
import os
import signal
import subprocess
import threading
import time

__all__ = ["PIPES", "Family", "Stop", "cores", "end_with", "how_it_ended"]

# How a command is started whose lines are read; it gets no input.
PIPES = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "text": True, "errors": "replace"}


class Stop:
    """Ctrl-C, SIGTERM and SIGHUP as a flag to be polled, instead of an exception raised anywhere.

    Used as a context: the handlers that were there before come back at its end. SIGINT is taken also where it was
    ignored from the start, as it is for a command in the background; SIGHUP is not, since `nohup` asks for that.

    `signum` is the first signal that came, or None, and `count` how many came.
    """

    def __init__(self):
        self.signum, self.count, self._before = None, 0, {}
        self._terminals = [stream for stream in (1, 2) if os.isatty(stream)]  # one that has gone does not say so

    def __bool__(self):
        return self.signum is not None

    def __enter__(self):
        if threading.current_thread() is threading.main_thread():  # others cannot set handlers
            for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                if signum == signal.SIGHUP and signal.getsignal(signum) == signal.SIG_IGN:
                    continue
                self._before[signum] = signal.signal(signum, self._ask)
        return self

    def __exit__(self, *_):
        for signum, handler in self._before.items():
            signal.signal(signum, signal.SIG_DFL if handler is None else handler)

    @property
    def code(self):
        """Exit code of a program that this signal ended: 130, 143 or 129."""
        return 128 + self.signum

    def _ask(self, signum, _):
        self.signum, self.count = self.signum or signum, self.count + 1
        if signum == signal.SIGHUP:  # the rest is said to nobody: writing to a terminal that has gone is an error
            nowhere = os.open(os.devnull, os.O_WRONLY)
            for stream in self._terminals:
                os.dup2(nowhere, stream)
            os.close(nowhere)


class Family:
    """A process that leads a session (``start_new_session``), with all that it started, directly or through others.

    `seconds` is the processor time of them all, up to the last `look`; it never falls.
    """

    def __init__(self, pid):
        self.pid, self.seconds = pid, 0.0
        self._sessions, self._lock = {pid}, threading.Lock()

    def look(self):
        """The members that live now, as psutil's processes; counts their processor time."""
        import psutil

        rows = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error, OSError):
                rows.append((process, process.ppid(), os.getsid(process.pid)))
        with self._lock:
            ids, sessions, members = {self.pid}, self._sessions, []
            while True:
                new = [row for row in rows if row[2] in sessions or row[1] in ids or row[0].pid in ids]
                if not new:
                    break
                rows = [row for row in rows if row not in new]
                members += [process for process, _, _ in new]
                ids |= {process.pid for process, _, _ in new}
                sessions = sessions | {session for _, _, session in new}
            # Numbers of sessions that have ended may be given anew.
            living, used = set(), 0.0
            for process in members:
                with contextlib.suppress(OSError):
                    living.add(os.getsid(process.pid))
                with contextlib.suppress(psutil.Error, OSError):
                    used += sum(process.cpu_times()[:4])  # its own and that of children that have ended
            self._sessions = {self.pid} | (sessions & living - {os.getsid(0)})
            self.seconds = max(self.seconds, used)
        return members

    def terminate(self, leader=True):
        """Ask all members to end, the one that leads them only if `leader`."""
        import psutil

        for process in self.look():
            if leader or process.pid != self.pid:
                with contextlib.suppress(psutil.Error, OSError):
                    process.terminate()

    def kill(self, grace=2.0):
        """End all members; they get `grace` seconds to end by themselves, as joblib's cleaner does."""
        import psutil

        alone = time.monotonic() + grace
        while members := [p for p in self.look() if _lives(p)]:
            if time.monotonic() > alone:
                for process in sorted(members, key=lambda process: process.pid == self.pid):
                    with contextlib.suppress(psutil.Error, OSError):
                        process.kill()  # the leader last: it may be this process itself
                if time.monotonic() > alone + 10:  # stuck in the operating system: nothing ends those
                    break
            time.sleep(0.05)


def _lives(process):
    import psutil

    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except (psutil.Error, OSError):
        return False


def end_with(parent):
    """End this process and all that it started once `parent`, which started it, is gone without having done so."""
    while os.getppid() == parent:
        time.sleep(1)
    Family(os.getpid()).kill(0)


def cores():
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def how_it_ended(code):
    """In words, from the exit code of a process (negative for a signal)."""
    if code is None:
        return "nobody knows how"
    if code >= 0:
        return f"exit code {code}"
    return f"killed by signal {-code}" + ("; perhaps out of memory" if code == -signal.SIGKILL else "")
