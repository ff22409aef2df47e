"""Classes or targets of the samples, checked against the classes of the model."""

import numpy as np

from ..core import check_target, class_column, require, warn


def check_targets(y, known, name="y"):
    """Classes, some of them of the model, or finite numbers, as an array (n,)."""
    if known is None:
        return check_target(y, None, name)
    y = class_column(y, name)
    unknown_classes(known, y, name)
    return y


def unknown_classes(known, y, name="y"):
    """Classes of a target that are not the model's, if others are."""
    of_model = set(known.tolist())
    own = np.unique(y).tolist()
    # floats that are whole are integers, as pandas and text files give them
    unknown = [c for c in own if c not in of_model]
    rule = f"classes that `model` was fitted to, {known.tolist()[:5]}"
    remedy = "Fit it to such classes, or give those that it was fitted to."
    require(len(unknown) < len(own), name, rule, own[:5], remedy=remedy)
    return unknown


def all_classes(known, y):
    """The model's classes and those of `y`, sorted."""
    unknown = unknown_classes(known, y)
    if not unknown:
        return known
    warn(
        "`y` holds classes that the model was not fitted to and cannot show:"
        f" {unknown[:5]}."
    )
    return np.union1d(known, unknown)
