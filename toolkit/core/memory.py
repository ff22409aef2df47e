"""Memory that a step over all pairs of samples needs, checked before it begins."""

import os
from contextlib import suppress

import numpy as np

LARGEST_FRACTION = 0.5  # of the memory at hand that one step may take


def check_memory(step, n, m=None, *, arrays=1, remedy):
    """Refuse a step for whose arrays there is no memory.

    It has `arrays` arrays of n x m numbers at once, n x n without `m`.

    Parameters
    ----------
    step : str
        What needs them, as the subject of the message.
    n, m : int
    arrays : float, default=1
    remedy : str
        A sentence that names the parameter that helps.

    Examples
    --------
    >>> remedy = "Give `n_centers`."
    >>> check_memory("The kernel", 10**7, remedy=remedy)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    ValueError: The kernel needs 800,000.0 GB for 10,000,000 x 10,000,000 numbers, \
more than half of the ... GB of available memory. Give `n_centers`.
    """
    if m is None:
        m = n
    needed = 8 * n * m * arrays
    at_hand = available_memory()
    if needed > LARGEST_FRACTION * at_hand:
        raise ValueError(
            f"{step} needs {needed / 1e9:,.1f} GB for {n:,} x {m:,} numbers, more than"
            f" half of the {at_hand / 1e9:,.1f} GB of available memory. {remedy}"
        )


def available_memory():
    """Bytes left to this process: of the machine, its container, its own limit."""
    left = [np.inf]  # where nobody tells, nothing is refused
    for look in (_in_all, _of_machine, _of_container, _of_process):
        with suppress(
            AttributeError, ImportError, KeyError, OSError, ValueError
        ):
            left.append(look())
    return max(min(left), 0)


def _in_all():
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _of_machine():
    with open("/proc/meminfo") as file:
        lines = dict(line.split(":") for line in file)
    return int(lines["MemAvailable"].split()[0]) * 1024


def _of_container(folder="/sys/fs/cgroup"):
    """Bytes that the limit of a container leaves."""
    with (
        open(f"{folder}/memory.max") as limit,
        open(f"{folder}/memory.current") as used,
    ):
        return int(limit.read()) - int(used.read())  # a ValueError for "max"


def _of_process():
    import resource

    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    if limit == resource.RLIM_INFINITY:
        return np.inf
    return limit - used
