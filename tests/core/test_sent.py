"""What tasks share reaches every worker once, as one memory that none of them writes into."""

import gc

import joblib
import numpy as np
import pytest

from toolkit.core import sent
from toolkit.core.parallel import results
from toolkit.core.sent import Sent


def seen(shared):
    """Whether the numbers lie in a mapped file, whether they can be written, and their sum."""
    return isinstance(shared.X, np.memmap), shared.X.flags.writeable, float(shared.X.sum())


def test_processes_of_this_machine_map_large_arrays_for_reading():
    shared = Sent(X=np.ones((400, 400)))
    assert shared.X.nbytes > 2**20
    with joblib.parallel_config("loky", n_jobs=2):
        found = list(results(joblib.delayed(seen)(shared) for _ in range(4)))
    assert found == [(True, False, 160_000.0)] * 4
    with joblib.parallel_config("threading", n_jobs=2):
        assert list(results(joblib.delayed(seen)(shared) for _ in range(2))) == [(False, True, 160_000.0)] * 2


def test_what_is_made_of_the_parts_is_made_once():
    made, first, second = [], Sent(X=np.arange(3.0)), Sent(X=np.arange(4.0))

    def total(shared):
        made.append(shared)
        return shared.X.sum()

    assert [first.once("sum", total) for _ in range(3)] == [3.0] * 3 and made == [first]
    assert first.once("sum", total, of=1) == 3.0 and len(made) == 2  # of something else
    assert second.once("sum", total) == 6.0 and made[-1] is second
    made.clear()
    del second, first
    gc.collect()
    assert not sent._kept  # nothing is held that nobody can ask for


class Client:
    """Loses the connection some times, as where a worker dies while parts are copied to it."""

    def __init__(self, *errors):
        self.errors = list(errors)

    def scatter(self, part, broadcast, hash):
        if self.errors:
            raise self.errors.pop(0)
        return "a future", broadcast


def test_copying_is_tried_three_times():
    pytest.importorskip("distributed")
    from distributed.comm import CommClosedError

    assert sent._scattered(Client(CommClosedError("gone"), KeyError("tcp://")), None) == ("a future", True)
    with pytest.raises(CommClosedError, match="the third"):
        sent._scattered(Client(OSError("gone"), KeyError("tcp://"), CommClosedError("the third")), None)
    with pytest.raises(TypeError):  # nothing that another try would mend
        sent._scattered(Client(TypeError("cannot be sent")), None)
