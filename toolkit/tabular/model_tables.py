"""What models predict, as tables: confusion matrix, calibration, errors of labels."""

import numpy as np

from ..core import as_frame, import_pandas, number_phrase, percent
from ..validation.rankings import area_span, area_under_roc
from .targets import task_of

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


def label_table(task, predictions, groups):
    """Compute how well each label of a target is predicted.

    Parameters
    ----------
    task : Labels
        Target of n rows.
    predictions : ndarray of shape (n_repeats, n, n_labels)
        Out-of-fold probabilities of the labels.
    groups : ndarray of int, shape (n,)
        Rows of equal values depend on each other.

    Returns
    -------
    table : DataFrame of shape (n_labels, 4)
        Number of rows with the label, error of the best constant prediction, error and
        area under the ROC curve, both with an interval of level 0.9 for one label.
    """
    lines = {}
    for j, name in enumerate(task.names):
        has_label = task.y[:, j] == 1
        n_with_label = int(has_label.sum())
        probabilities = predictions[:, :, j]
        area_phrase = ""
        if 0 < n_with_label < len(has_label):
            area, area_interval = area_under_roc(
                has_label, probabilities, groups
            )
            area_phrase = (
                f"{number_phrase(area, 2)} ({area_span(area_interval)})"
            )
        is_wrong = (probabilities > 0.5) != has_label
        losses = is_wrong.mean(axis=0)
        classes = task_of("classes", has_label.astype(int), ["without", name])
        interval = classes.interval(losses, groups)
        frequency = np.mean(has_label)
        lines[name] = {
            "rows with it": n_with_label,
            "baseline": percent(min(frequency, 1 - frequency)),
            "error": classes.phrase(losses.mean(), interval),
            "area under ROC": area_phrase,
        }
    return as_frame(lines).T.rename_axis("label")
