"""A model of the user's own, from Python or from a file with its code, and the rows and targets that it takes."""

from pathlib import Path

import numpy as np

from ..core.checks import shown
from .models import fitted_model
from .words import listed

__all__ = ["own_model"]


def own_model(model, frame, target, table, fitted, held_out):
    """A user's model, fitted if it was not, the rows that it takes, its targets, and whether it had been fitted.

    Parameters
    ----------
    model : classifier, regressor, or "file.py:name" of one
    frame : DataFrame, dict of columns or array, all rows and columns as they were read
    target : str or array-like, as `look` got it
    table : Table
    fitted, held_out : ndarray of int, rows of the table

    Returns
    -------
    model, rows, y and bool, as :func:`fitted_model` gives them
    """
    if isinstance(model, str):
        model = _imported(model)
    if isinstance(model, type) or not hasattr(model, "predict") or not hasattr(model, "fit"):
        raise ValueError(f"`model` must be a classifier or regressor with `fit` and `predict`; got {shown(model)}.")
    if table.task == "labels":
        raise ValueError("`model` must be None with several labels. Look at one of them, with it as `target`.")
    if isinstance(frame, dict):
        import pandas as pd

        frame = pd.DataFrame(frame)
    y = table.y
    if getattr(getattr(model, "classes_", y), "dtype", y.dtype).kind in "iufb":  # it knows classes by their numbers
        y = np.asarray(frame[target] if isinstance(target, str) else target)[table.rows]
    if not hasattr(frame, "columns"):
        return fitted_model(model, np.asarray(frame)[table.rows], y, fitted, held_out)
    columns = list(getattr(model, "feature_names_in_", table.features))
    if missing := [str(name) for name in columns if name not in set(frame.columns)]:
        raise ValueError(f"`model` was fitted to columns that `data` has not: {listed(missing)}. Add them.")
    rows = frame.iloc[table.rows][columns].reset_index(drop=True)
    return fitted_model(model, rows, y, fitted, held_out)


def _imported(name):
    """The model that a file of Python defines, "file.py:name"; its code is run."""
    import runpy

    path, _, what = name.rpartition(":")
    if not path.endswith(".py") or not what.isidentifier():
        raise ValueError(f"`model` must be a model, or 'file.py:name' of one; got {shown(name)}.")
    if not Path(path).is_file():
        raise ValueError(f"`model` must be in a file that exists; there is none at {path}.")
    try:
        found = runpy.run_path(path)
    except Exception as error:
        raise ValueError(f"`model` cannot be imported from {path}: {type(error).__name__}: {error}") from error
    if what not in found:
        raise ValueError(f"`model` must name something that {path} defines; there is no {what!r} in it.")
    return found[what]
