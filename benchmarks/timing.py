"""What the benchmarks share: a job, and seconds and peak memory of its call."""

import resource
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from toolkit.datasets import DatasetUnavailable

__all__ = ["Job", "run"]


@dataclass(frozen=True, kw_only=True)
class Job:
    """A call that is timed, and what it is compared with in the same run.

    Parameters
    ----------
    name : str
    set_up : callable
        Returns the problem, of a size if the job has sizes.
    call : callable
        Takes the problem; its result is described by `facts`.
    sizes : tuple of int
        How time grows with them is printed, if there are several.
    repeat, plain_repeat : int
        The least time of so many runs counts.
    n_calls : int
        How many equal parts one call has; seconds are those of one part.
    plain : callable, optional
        The same result as a formula says it, without products of matrices or blocks.
    plain_fraction : callable, optional
        Takes the problem and the plain result: the part of the work that `plain` did.
    short, short_plain : callable, optional
        A call that takes as much memory in less time.
    memory : {"arrays", "process", "children", None}
        Whose peak counts: arrays of one more run, or all of the process so far.
    memory_units : callable, optional
        Takes the problem; numbers of bytes by name, with which the peak is compared.
    unit : str, optional
        Name of an earlier job of the group, whose seconds are the unit.
    clock : callable
    warm_up : bool
        Whether one call comes before those that are timed.
    facts : callable, optional
        Takes problem, result and plain result; returns numbers or texts by name, and
        may check the result.
    """

    name: str
    set_up: Callable
    call: Callable
    sizes: tuple[int, ...] = ()
    repeat: int = 3
    n_calls: int = 1
    plain: Callable | None = None
    plain_repeat: int = 1
    plain_fraction: Callable | None = None
    short: Callable | None = None
    short_plain: Callable | None = None
    memory: str | None = "arrays"
    memory_units: Callable | None = None
    unit: str | None = None
    clock: Callable = time.perf_counter
    warm_up: bool = False
    facts: Callable | None = None


@dataclass(frozen=True, kw_only=True)
class Timing:
    """Seconds of one call, its peak memory in bytes (or None), and its result."""

    seconds: float
    peak: int | None
    result: object


def peak_of_arrays(call):
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def peak_of_process(call):
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def peak_of_children(call):
    return 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss


PEAKS = {
    "arrays": peak_of_arrays,
    "process": peak_of_process,
    "children": peak_of_children,
}


def measure(call, repeat, clock, memory, short=None):
    """Time a call, and measure the memory of one more: measuring memory slows a run."""
    durations = []
    for _ in range(repeat):
        start = clock()
        result = call()
        durations.append(clock() - start)
    peak = None
    if memory is not None:
        peak = PEAKS[memory](short or call)
    return Timing(seconds=min(durations), peak=peak, result=result)


def of_problem(function, problem):
    """The function as one without arguments, or None."""
    if function is None:
        return None
    return lambda: function(problem)


def timed(job, problem):
    call = of_problem(job.call, problem)
    if job.warm_up:
        call()
    short = of_problem(job.short, problem)
    timing = measure(call, job.repeat, job.clock, job.memory, short)
    seconds = timing.seconds / job.n_calls
    return Timing(seconds=seconds, peak=timing.peak, result=timing.result)


def timed_plain(job, problem):
    """Time of the whole work by the plain form, from that of the part that it did."""
    call = of_problem(job.plain, problem)
    short = of_problem(job.short_plain, problem)
    timing = measure(call, job.plain_repeat, job.clock, "arrays", short)
    seconds = timing.seconds
    if job.plain_fraction is not None:
        seconds /= job.plain_fraction(problem, timing.result)
    return Timing(seconds=seconds, peak=timing.peak, result=timing.result)


def memory_text(job, problem, peak):
    text = f"peak {peak / 1e6:,.1f} MB"
    if job.memory_units is None:
        return text
    for name, size in job.memory_units(problem).items():
        text += f" ({peak / size:.2g} x {name})"
    return text


def plain_text(timing, plain):
    text = f"plain form {plain.seconds:.3g} s"
    text += f", {plain.seconds / timing.seconds:.3g} times as long"
    text += f", peak {plain.peak / 1e6:,.1f} MB"
    if timing.peak:
        text += f", {plain.peak / timing.peak:.3g} times as much"
    return text


def describe(job, problem, seconds_of):
    """Time the job on one problem; what is printed about it."""
    timing = timed(job, problem)
    seconds_of[job.name] = timing.seconds
    parts = [f"{timing.seconds:.3g} s"]
    if timing.peak is not None:
        parts.append(memory_text(job, problem, timing.peak))
    if job.unit is not None:
        ratio = timing.seconds / seconds_of[job.unit]
        parts.append(f"{ratio:.3g} times `{job.unit}`")
    plain_result = None
    if job.plain is not None:
        plain = timed_plain(job, problem)
        plain_result = plain.result
        parts.append(plain_text(timing, plain))
    if job.facts is not None:
        facts = job.facts(problem, timing.result, plain_result)
        for name, value in facts.items():
            if not isinstance(value, str):
                value = f"{value:.3g}"
            parts.append(f"{name} {value}")
    return "; ".join(parts)


def growth(sizes, seconds):
    """How time grows: slope of all sizes, and from each to the next, on log-log scales."""
    log_sizes = np.log(sizes)
    log_seconds = np.log(seconds)
    slope = np.polyfit(log_sizes, log_seconds, 1)[0]
    steps = np.diff(log_seconds) / np.diff(log_sizes)
    slopes = ", ".join(f"{step:.2f}" for step in steps)
    ratio = seconds[-1] / seconds[0]
    return (
        f"log-log slope {slope:.2f} (from size to size {slopes}); {ratio:.1f} times"
        f" the time for {sizes[-1] / sizes[0]:g} times the size"
    )


def run(job, seconds_of):
    """Time a job at all of its sizes and print a line for each.

    Parameters
    ----------
    job : Job
    seconds_of : dict
        Seconds of the earlier jobs of its group by their names; this one is added.
    """
    if not job.sizes:
        try:
            text = describe(job, job.set_up(), seconds_of)
        except DatasetUnavailable:
            text = "no data"
        print(f"  {job.name}: {text}", flush=True)
        return
    seconds = []
    for size in job.sizes:
        text = describe(job, job.set_up(size), seconds_of)
        seconds.append(seconds_of[job.name])
        print(f"  {job.name}, {size:,}: {text}", flush=True)
    if len(job.sizes) > 1:
        print(f"  {job.name}: {growth(job.sizes, seconds)}", flush=True)
