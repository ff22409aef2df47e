"""Work spread over cores or machines by joblib, results taken as they come.

Tasks are functions of a module, or methods, that return their part: workers may be other processes, on other machines,
which cannot write into arrays of this one.
"""

from functools import cache

from joblib import Parallel
from threadpoolctl import ThreadpoolController

__all__ = ["openmp_threads", "results"]


def results(tasks, n_jobs=None, prefer=None):
    """Results of joblib's `tasks` in their order, each given away once it is there, so that few are kept at a time.

    Parameters
    ----------
    tasks : iterable of joblib.delayed calls
    n_jobs : int or None
    prefer : {"threads", "processes", None}
        Where no backend is chosen with `joblib.parallel_config`.

    Returns
    -------
    iterable

    Examples
    --------
    >>> from joblib import delayed
    >>> list(results((delayed(abs)(x) for x in (-1, 2)), prefer="threads"))
    [1, 2]
    """
    try:
        run = Parallel(n_jobs, prefer=prefer, return_as="generator")
    except ValueError:  # the backend, such as multiprocessing, cannot give away single results
        run = Parallel(n_jobs, prefer=prefer)
    return run(tasks)


def openmp_threads(n):
    """A context in which scikit-learn's loops use `n` threads; sums of several end in another order each time.

    Examples
    --------
    >>> with openmp_threads(1):
    ...     total = sum([1, 2])
    """
    return _libraries().limit(limits=n, user_api="openmp")


@cache
def _libraries():
    import sklearn.cluster  # noqa: F401  so that its library is there to be found; a search takes as long as a small fit

    return ThreadpoolController()
