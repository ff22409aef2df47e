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
        of_label = task_of("classes", has_label.astype(int), ["without", name])
        wrong = (predictions[:, :, j] > 0.5) != has_label
        losses = wrong.mean(axis=0)
        area = ""
        if 0 < has_label.sum() < len(has_label):
            value, interval = area_under_roc(
                has_label, predictions[:, :, j], groups
            )
            area = f"{number_phrase(value, 2)} ({area_span(interval)})"
        share = np.mean(has_label)
        lines[name] = (
            int(has_label.sum()),
            percent(min(share, 1 - share)),
            of_label.phrase(losses.mean(), of_label.interval(losses, groups)),
            area,
        )
    names = ["rows with it", "baseline", "error", "area under ROC"]
    return as_frame(lines, names).T.rename_axis("label")
