"""Classes or targets of the samples, checked against the classes of the model."""

import numpy as np

from ..core import check_target, class_column, require, warn


def check_targets(y, model_classes, name="y"):
    """Classes, some of them of the model, or finite numbers, as an array (n,).

    Numbers where the model is a regressor, which has no classes.
    """
    if model_classes is None:
        return check_target(y, None, name)
    y = class_column(y, name)
    unknown_classes(model_classes, y, name)
    return y


def unknown_classes(model_classes, y, name="y"):
    """Classes of a target that are not the model's, if others are."""
    fitted_classes = set(model_classes.tolist())
    classes = np.unique(y).tolist()
    # Floats that are whole are integers, as pandas and text files give them.
    unknown = [c for c in classes if c not in fitted_classes]
    rule = f"classes that `model` was fitted to, {model_classes.tolist()[:5]}"
    remedy = "Fit it to such classes, or give those that it was fitted to."
    valid = len(unknown) < len(classes)
    require(valid, name, rule, classes[:5], remedy=remedy)
    return unknown


def all_classes(model_classes, y):
    """The model's classes and those of `y`, sorted."""
    unknown = unknown_classes(model_classes, y)
    if not unknown:
        return model_classes
    warn(
        "`y` holds classes that the model was not fitted to and cannot show:"
        f" {unknown[:5]}."
    )
    return np.union1d(model_classes, unknown)
