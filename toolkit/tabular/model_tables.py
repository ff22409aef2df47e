"""What a model predicts, as tables: confusion matrix and calibration."""

import numpy as np

from ..core import import_pandas, percent

MOST_CLASSES_SHOWN = 10  # of a confusion matrix
N_PROBABILITY_BINS = 5


def class_table(y, predicted):
    """The confusion matrix: counts and rates of each true class.

    Parameters
    ----------
    y, predicted : ndarray of shape (n,)

    Returns
    -------
    DataFrame of shape (classes, ...)
        True classes and predictions in the same order. Of more than ten classes a
        column names the most frequent confusion in place of all predictions, and the
        class with the smallest accuracy comes first.

    Examples
    --------
    >>> y, predicted = np.array(["a", "a", "b"]), np.array(["a", "b", "b"])
    >>> class_table(y, predicted)["predicted b"].to_dict()
    {'a': '1 (50 %)', 'b': '1 (100 %)'}
    """
    pd = import_pandas()
    counts = pd.crosstab(pd.Series(y, name="true class"), predicted)
    classes = counts.columns.union(counts.index)
    counts = counts.reindex(columns=classes, fill_value=0)
    n_rows = counts.sum(axis=1)
    rates = counts.div(n_rows, axis=0)
    accuracy = [rates.at[name, name] for name in rates.index]
    table = pd.DataFrame(
        {"rows": n_rows, "accuracy": [percent(rate) for rate in accuracy]}
    )
    if len(classes) <= MOST_CLASSES_SHOWN:
        rates_in_words = rates.map(lambda rate: f" ({percent(rate)})")
        cells = counts.astype(str) + rates_in_words
        return table.join(cells.add_prefix("predicted "))
    is_correct = np.equal.outer(counts.index, classes)
    confusions = counts.mask(is_correct, 0)
    confused_with = confusions.idxmax(axis=1)
    table["most often confused with"] = confused_with.where(
        confusions.any(axis=1)
    )
    return table.iloc[np.argsort(accuracy, kind="stable")]


def calibration_table(part, P, classes, groups):
    """Predicted probability and observed fraction of the rarest class.

    Parameters
    ----------
    part : Target
        Target of the n rows.
    P : ndarray of shape (n, c)
        Probabilities of the `classes` (c,).
    groups : ndarray of shape (n,), for the interval

    Returns
    -------
    DataFrame of shape (5, 4)
        Of a fifth of the samples each, ordered by probability; its index is named after
        the class.
    """
    pd = import_pandas()
    names, counts = np.unique(part.y, return_counts=True)
    rarest = names[counts.argmin()]
    p = P[:, classes == rarest].sum(axis=1)
    is_rarest = (part.y == rarest).astype(float)
    by_probability = np.argsort(p, kind="stable")
    lines = []
    for rows in np.array_split(by_probability, N_PROBABILITY_BINS):
        task = part[rows]
        low, high = task.interval(is_rarest[rows], groups[rows])
        predicted = task.error(p[rows])
        observed = task.error(is_rarest[rows])
        lines.append((len(rows), predicted, observed, low, high))
    columns = ["rows", "predicted", "observed", "from", "to"]
    bins = range(1, N_PROBABILITY_BINS + 1)
    table = pd.DataFrame(lines, bins, columns)
    return table.rename_axis(str(rarest))
