"""How well each of several labels is predicted, from the predictions held out."""

import numpy as np

from ..core import as_frame, number_phrase, percent
from ..validation.rankings import area_span, area_under_roc
from .targets import task_of


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
