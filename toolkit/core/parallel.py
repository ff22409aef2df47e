"""Parallel work by joblib, results taken as they come, and threads of scikit-learn's loops.

Tasks are functions of a module, or methods, that return their part: workers may be other processes, on other machines,
which cannot write into arrays of this one.
"""

from functools import cache
from types import SimpleNamespace

from joblib import Parallel
from threadpoolctl import ThreadpoolController

from .checks import check_jobs

__all__ = ["Shared", "openmp_threads", "results"]


class Shared(SimpleNamespace):
    """What all tasks of a loop need, as attributes of one argument.

    joblib's Dask backend sends an argument to the workers once, instead of with each task, if it says that it is large.
    """

    def __sizeof__(self):
        return max(1_000_000, sum(getattr(part, "nbytes", 0) for part in vars(self).values()))


def results(tasks, n_jobs=None, prefer=None):
    """Results of the `joblib.delayed` calls `tasks` in their order, each as soon as it is there: few are kept.

    `prefer`, "threads" or "processes", counts where no backend is chosen with `joblib.parallel_config`.
    """
    check_jobs(n_jobs)
    try:
        run = Parallel(n_jobs, prefer=prefer, return_as="generator")
    except ValueError:  # the backend, such as multiprocessing, cannot give away single results
        run = Parallel(n_jobs, prefer=prefer)
    return run(tasks)


def openmp_threads(n):
    """A context in which scikit-learn's loops use `n` threads; with several the order of sums is left to chance."""
    return _libraries().limit(limits=n, user_api="openmp")


@cache
def _libraries():
    import sklearn.cluster  # noqa: F401  so that its library is there to be found; a search takes as long as a small fit

    return ThreadpoolController()
