"""Long loops: progress bar, parallel work by joblib, threads of scikit-learn's loops.

`verbose=True` shows the bar, by default nothing is written. Tasks are functions of a
module, or methods, that return their part: workers may be other processes, on other
machines, which cannot write into arrays of this one.
"""

from contextlib import contextmanager
from functools import cache
from itertools import repeat
from types import SimpleNamespace

from joblib import Parallel
from threadpoolctl import ThreadpoolController

from .checks import check_flag, check_jobs
from .scaling import is_scale_warning_suppressed, suppress_scale_warning

BAR_FORMAT = "{desc}: {percentage:3.0f}% |{bar}| {elapsed}, {remaining} left"
_bars_of_wholes = []  # of work of several parts, the innermost last


@contextmanager
def progress(total, title, verbose):
    """A function that counts steps done: a bar of tqdm with the time left.

    Examples
    --------
    >>> with progress(3, "rows", verbose=False) as done:
    ...     done(2)
    """
    if not check_flag(verbose, "verbose"):
        yield lambda steps=1: None
        return
    if _bars_of_wholes:
        percentages, done = _bars_of_wholes[-1]
        step_percentage = percentages.get(title, 0)
        yield lambda steps=1: done(steps * step_percentage / total)
        return
    try:
        from tqdm import tqdm
    except ImportError:
        raise ImportError(
            "`verbose=True` needs tqdm; install it with `pip install tqdm`."
        ) from None
    with tqdm(
        total=total,
        desc=title,
        mininterval=0.5,
        leave=False,
        bar_format=BAR_FORMAT,
    ) as bar:
        yield bar.update


@contextmanager
def whole_progress(percentages, title, verbose):
    """One bar for work whose parts would show bars; the function that counts steps.

    Parameters
    ----------
    percentages : dict of str to float
        Of each bar within, by its name: the percentage of the time it usually takes.
    title, verbose : as for :func:`progress`

    Examples
    --------
    >>> with whole_progress({"rows": 60, "columns": 40}, "table", verbose=False):
    ...     with progress(3, "rows", verbose=False) as done:
    ...         done(3)
    """
    # Fractions round: their sum must not pass the end.
    percentage_left = 99.9

    def done(steps):
        """Move the bar on."""
        nonlocal percentage_left
        # A bar may come more often than usual.
        steps = min(steps, percentage_left)
        percentage_left -= steps
        add(steps)

    with progress(100, title, verbose) as add:
        _bars_of_wholes.append((percentages, done))
        try:
            yield done
        finally:
            _bars_of_wholes.pop()


class Shared(SimpleNamespace):
    """What all tasks of a loop need, as attributes of one argument.

    joblib's Dask backend sends an argument to the workers once, instead of with each
    task, if it says that it is large.
    """

    def __sizeof__(self):
        parts = vars(self).values()
        return max(1_000_000, sum(getattr(part, "nbytes", 0) for part in parts))


def results(tasks, n_jobs=None, prefer=None, bar=None):
    """Results of the `joblib.delayed` calls `tasks` in their order, as they come.

    `prefer`, "threads" or "processes", counts where no backend is chosen with
    `joblib.parallel_config`. `bar` are a list of the steps that each task counts, or
    the number of tasks that count one each, what they are, and whether a progress bar
    shows them.
    """
    check_jobs(n_jobs)
    if is_scale_warning_suppressed():
        tasks = (
            (_without_scale_warning, (function, *args), options)
            for function, args, options in tasks
        )
    try:
        parts = Parallel(n_jobs, prefer=prefer, return_as="generator")(tasks)
    except ValueError:
        # The backend, such as multiprocessing, cannot give away single results.
        parts = Parallel(n_jobs, prefer=prefer)(tasks)
    if bar is None:
        return parts
    return _with_bar(parts, *bar)


def _without_scale_warning(function, *args, **options):
    """What a function returns, without warnings of features that differ in scale."""
    with suppress_scale_warning():
        return function(*args, **options)


def _with_bar(parts, steps, title, verbose):
    """The results of tasks as they come; `steps` as for :func:`results`.

    `parts` are the results, one for each task.
    """
    if not isinstance(steps, list):
        steps = list(repeat(1, steps))
    with progress(sum(steps), title, verbose) as done:
        for count, part in zip(steps, parts, strict=True):
            yield part
            done(count)


def openmp_threads(n):
    """A context in which scikit-learn's loops use `n` threads.

    With several the order of sums is left to chance.
    """
    return _libraries().limit(limits=n, user_api="openmp")


@cache
def _libraries():
    # so that its library is there to be found; a search takes as long as a small fit
    import sklearn.cluster  # noqa: F401

    return ThreadpoolController()
