"""Can the target be predicted? The error of the best model, and reasons to doubt it.

An interval, a p-value by permuted targets, suspected leaks, and the error where rows
that depend on each other are kept together.
"""

import numpy as np

from ..validation import choice_of, permutations_of
from .evidence import Separation, measure_evidence

MOST_TESTED = 1000  # rows of a permutation test
# Rows, and numbers in these rows, that the error is measured on.
MOST_MEASURED = 20_000
MOST_NUMBERS = 1_000_000


def separation(
    data,
    task,
    groups,
    leaks=None,
    *,
    declared=False,
    seed=0,
    n_jobs=None,
    verbose=False,
):
    """Measure whether simple models predict the target better than chance.

    Parameters
    ----------
    data : NumericTable
        Columns as numbers, from :func:`prepare_rows`.
    task : Target
        Target, from :func:`task_of`.
    groups : ndarray of int, shape (n,)
        Rows of equal values stay on one side of each split.
    leaks : dict of str to float, optional
        Columns that predict the target alone, and their error.
    declared : bool, default=False
        Whether rows of a group depend on each other, and are permuted together.
    seed : int, default=0
        Seed of the random number generator.
    n_jobs : int or None, default=None
        Number of parallel jobs of joblib; None means 1, -1 all cores.
    verbose : bool, default=False
        Whether to show progress bars.

    Returns
    -------
    separation : Separation
        Error, interval and baseline on all rows; of more than 20,000 rows, or 1,000,000
        numbers in them, on a sample of so many, but at least 1,000 rows. The p-value is
        that of a sample of at most 1,000 of these rows. Samples have at least 20 rows
        of each class or all that there are, which is corrected in errors by weights.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from toolkit.tabular import as_table, prepare_rows, split, task_of
    >>> table = as_table(load_iris(as_frame=True).frame, "target")
    >>> data = prepare_rows(table.features, table.kinds)
    >>> task = task_of(table.task, table.y, table.label_names)
    >>> result = separation(data, task, table.groups)
    >>> result.best, result.verdict, result.p_value
    ('random forest', 'better than chance in decisions', 0.05)
    """
    rows = task.sample(n_measured(data), seed)
    part = task.with_sample(rows)[rows]
    groups = groups[rows]
    tested = part.sample(MOST_TESTED, seed)
    rng = np.random.default_rng(seed)
    permuters = permutations_of(part.y[tested], groups[tested], declared, rng)
    evidence = measure_evidence(
        part,
        data.X[rows],
        groups,
        permuters,
        tested,
        seed=seed,
        n_jobs=n_jobs,
        verbose=verbose,
    )
    without_leaks = np.nan
    if leaks is None:
        leaks = {}
    if leaks:
        order = rng.permutation(len(rows))
        X = data[rows].permuted(leaks, order)
        models = part.models(seed)
        choice = choice_of(part, X, groups, models, seed, n_jobs=n_jobs)
        without_leaks = float(part.error(choice.losses))
    return Separation(
        **vars(evidence),
        baseline=part.baseline(),
        leaks=leaks,
        without_leaks=without_leaks,
        n_rows=len(rows),
        n_tested=len(tested),
        task=task,
        rows=rows,
    )


def n_measured(data):
    """How many rows of a `NumericTable` the error is measured on."""
    most_rows = MOST_NUMBERS // data.X.shape[1]
    return min(MOST_MEASURED, max(MOST_TESTED, most_rows))
