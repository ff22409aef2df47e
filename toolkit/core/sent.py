"""What all tasks of a loop need, sent once to each worker, whatever runs the tasks.

An argument of a `joblib.delayed` call goes out with every task. Threads share it. Processes of this machine map arrays
of more than a megabyte from one file. Dask keeps what is an argument of its own, and has a size; so large parts go
together into one object, which says its size, and each worker gets them once. No argument is lost with a worker.
"""

import threading
import uuid
import weakref
from contextlib import nullcontext, suppress
from itertools import chain, islice

import numpy as np
from joblib import delayed, parallel_config
from joblib.parallel import get_active_backend

__all__ = ["Sent", "for_workers"]

LARGE = 10_000  # bytes; less may as well go with each task


class Sent:
    """Parts that all tasks share, as attributes; give the object itself to each task, as an argument.

    Within ``joblib.parallel_config("dask")`` every worker has a copy before the first task; where all with a copy die,
    it is sent once more. Parts made within a task stay with its worker, and others fetch them.

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
        self._copy()

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

    def _copy(self):
        """Copy the parts to all workers of Dask, if its backend is the one in force."""
        if (backend := _dask_backend()) is not None:
            # `Parallel` looks there for what was sent before; otherwise it sends to one worker, with which it is lost
            backend.data_futures[id(self)] = _copied(backend.client, self)
            weakref.finalize(self, backend.data_futures.pop, id(self), None)

    def __sizeof__(self):
        return object.__sizeof__(self) + sum(_bytes(part) for part in self.__dict__.values())


class _Common(Sent):
    """One argument `value` that several tasks have."""


def for_workers(tasks):
    """The `joblib.delayed` calls `tasks`: on workers of Dask so that none is lost with one of these, else as they are.

    `Parallel` leaves an argument of more than a kilobyte with one worker alone, and all tasks that need it fail when
    that worker dies. Here an argument goes with its task, and one that the first tasks have in common to all workers.
    """
    if (backend := _dask_backend()) is None:
        return tasks
    tasks, workers = iter(tasks), backend.effective_n_jobs(-1)
    first = list(islice(tasks, workers))
    return _safe(chain(first, tasks), busy=len(first) >= workers, sender=threading.get_ident())


def _safe(tasks, busy, sender):
    """Calls of `_done`, one for each task; `busy` says whether there are tasks for all workers.

    The first are asked for by the thread `sender`, the others by that of Dask's client, which must not wait for it.
    """
    from dask.sizeof import sizeof

    met = {}  # large arguments by their number: at first a reference, so that they may go, then what all workers have

    def safe(value):
        if isinstance(value, Sent):
            return value
        if sizeof(value) < LARGE:
            return (value,)  # of a tuple `Parallel` keeps nothing elsewhere
        known = met.get(id(value))
        if isinstance(known, _Common):
            return known
        if threading.get_ident() == sender and known is not None and known() is value:
            met[id(value)] = _Common(value=value)
            return met[id(value)]
        with suppress(TypeError):  # a list, say, has no references
            met[id(value)] = weakref.ref(value)
        return (value,)

    for function, args, kwargs in tasks:
        named = {name: safe(value) for name, value in kwargs.items()}
        yield delayed(_done)((function, busy), *map(safe, args), **named)


def _done(task, *args, **kwargs):
    """The result of a task; its own loops are not spread again where all workers are `busy`."""
    function, busy = task
    with parallel_config("sequential") if busy else nullcontext():
        return function(*map(_value, args), **{name: _value(given) for name, given in kwargs.items()})


def _value(given):
    if isinstance(given, tuple):
        return given[0]
    return given.value if isinstance(given, _Common) else given


def _dask_backend():
    """The backend in force if it is Dask's, else None."""
    backend, _ = get_active_backend()
    return backend if hasattr(backend, "data_futures") and hasattr(backend, "client") else None


_kept, _lock = {}, threading.Lock()


def _forget(token):
    if _kept.get("token") == token:
        _kept.clear()


def _copied(client, shared):
    """The future of an object that all workers have, and those that follow get from others.

    It is the result of a task, done again where it was lost; `Client.scatter` waits for ever for a worker that dies
    meanwhile, and what it gave to that one alone is gone.
    """
    import dask
    from distributed import wait

    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):  # it is meant to be large
        future = client.submit(_same, shared, pure=False)
    if not _in_task():
        once = {"allow_other_workers": True, "pure": False}  # each has a copy before the first task, or has died
        wait([client.submit(_is_there, future, workers=[address], **once) for address in client.nthreads()])
    return future


def _same(shared):
    return shared


def _is_there(shared):
    """Nothing is to be done: the worker has fetched it."""


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
