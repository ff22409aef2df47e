"""What all tasks of a loop need, sent once to each worker, whatever runs the tasks.

An argument of a `joblib.delayed` call goes out with every task. Threads share it. Processes of this machine map arrays
of more than a megabyte from one file. Dask keeps what is an argument of its own, and has a size; so large parts go
together into one object, which says its size, and each worker gets them once.
"""

import threading
import uuid
import weakref

import numpy as np
from joblib.parallel import get_active_backend

__all__ = ["Sent"]

TRIES = 3  # to reach all workers of a cluster


class Sent:
    """Parts that all tasks share, as attributes; give the object itself to each task, as an argument.

    Within ``joblib.parallel_config("dask")`` every worker has a copy before the first task: where a worker dies, its
    tasks are done again by another one, which needs nothing from it. Parts made within a task stay with its worker, and
    others fetch them: if that worker dies, the task is done again with all inner ones.

    Examples
    --------
    >>> shared = Sent(X=np.arange(3.0))
    >>> shared.once("sum", lambda shared: shared.X.sum())
    np.float64(3.0)
    """

    def __init__(self, **parts):
        self.__dict__.update(parts)
        self._token = uuid.uuid4().hex  # the same in all copies
        weakref.finalize(self, _forget, self._token)  # here; workers keep what they made until another object asks
        self._copied()

    def once(self, name, make, of=None):
        """``make(self)``, computed once in each process, such as a search tree.

        It is kept until another object asks, or this one for the same name `of` something else.
        """
        with _lock:
            if _kept.get("token") != self._token:
                _kept.clear()
                _kept["token"] = self._token
            if name not in _kept or _kept[name][0] != of:
                _kept[name] = of, make(self)
            return _kept[name][1]

    def _copied(self):
        """Copy the parts to all workers of Dask, if its backend is the one in force."""
        backend, _ = get_active_backend()
        if hasattr(backend, "data_futures") and hasattr(backend, "client"):
            # `Parallel` looks there for what was sent before; otherwise it sends to one worker, with which it is lost
            backend.data_futures[id(self)] = _scattered(backend.client, self)
            weakref.finalize(self, backend.data_futures.pop, id(self), None)

    def __sizeof__(self):
        return object.__sizeof__(self) + sum(_bytes(part) for part in self.__dict__.values())


_kept, _lock = {}, threading.Lock()


def _forget(token):
    if _kept.get("token") == token:
        _kept.clear()


def _scattered(client, shared):
    """The future of an object that goes to all workers; where one dies meanwhile, it goes once more to those there."""
    for _ in range(TRIES - 1):
        try:
            return client.scatter(shared, broadcast=not _in_task(), hash=False)
        except (OSError, KeyError):  # the worker is gone, or the scheduler knows it no more
            continue
    return client.scatter(shared, broadcast=not _in_task(), hash=False)


def _in_task():
    """Whether a task of Dask runs here."""
    from distributed import get_worker

    try:
        get_worker()
    except ValueError:
        return False
    return True


def _bytes(part):
    if isinstance(part, list | tuple):
        return sum(map(_bytes, part))
    return part.nbytes if isinstance(part, np.ndarray) else 0
