"""Process trees: their processor time, their end, and the signals that ask for it."""

import contextlib
import signal
import threading

POLL_SECONDS = 0.5


class Stop:
    """Ctrl-C, SIGTERM and a hang-up as a flag to be polled, in place of an exception.

    Used as a context: the handlers that were there before come back at its end. SIGINT
    is taken also where it was ignored from the start, as it is for a command in the
    background; a hang-up is not, so that `nohup` works.
    """

    signum = None

    def __bool__(self):
        return self.signum is not None

    def __enter__(self):
        signals = [signal.SIGINT, signal.SIGTERM]
        if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
            signals.append(signal.SIGHUP)
        self._before = {
            each: signal.signal(each, self._ask) for each in signals
        }
        return self

    def __exit__(self, *_):
        for signum, handler in self._before.items():
            signal.signal(signum, handler or signal.SIG_DFL)

    @property
    def code(self):
        """Exit code of a program that this signal ended: 130, 143 or 129."""
        return 128 + self.signum

    def _ask(self, signum, _):
        self.signum = self.signum or signum


class Family:
    """A process with all that it started, also through others and in other sessions.

    A member stays one when its parent has ended, if a `look` has seen it before.
    `seconds` is the processor time of them all, up to the last `look`; it never falls.
    """

    def __init__(self, pid):
        import psutil

        self.seconds = 0.0
        self._members = {psutil.Process(pid)}
        self._lock = threading.Lock()

    def look(self):
        """The living members as psutil's processes; counts their processor time."""
        import psutil

        with self._lock:
            for process in list(self._members):
                with contextlib.suppress(psutil.Error):
                    self._members.update(process.children(recursive=True))
            members, self._members = self._members, set()
            used = 0.0
            for process in members:
                with contextlib.suppress(psutil.Error):
                    is_zombie = process.status() == psutil.STATUS_ZOMBIE
                    if process.is_running() and not is_zombie:
                        self._members.add(process)
                        # its own and that of children that have ended
                        used += sum(process.cpu_times()[:4])
            self.seconds = max(self.seconds, used)
            return list(self._members)

    def end(self, grace=2.0):
        """End all members; they have `grace` seconds, as joblib's cleaner needs."""
        import psutil

        for ask in (psutil.Process.terminate, psutil.Process.kill):
            members = self.look()
            for process in members:
                with contextlib.suppress(psutil.Error):
                    ask(process)
            psutil.wait_procs(members, timeout=grace)
