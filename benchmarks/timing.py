"""What the benchmarks share: least time and peak memory of a call."""

import time
import tracemalloc


def timed(call, repeat=3):
    """Least seconds of some runs, and peak memory of one more (measuring memory slows a run)."""
    seconds = []
    for _ in range(repeat):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return min(seconds), peak
