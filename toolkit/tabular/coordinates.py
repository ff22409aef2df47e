"""A matrix of similarities or distances as coordinates: classical scaling, which does not look at the classes."""

from pathlib import Path

import numpy as np

from ..core.arrays import check_table
from ..core.checks import check_distances
from ..core.linalg import symmetric_eigenpairs
from ..fisher.kernel import check_similarities
from .prepare import Prepared
from .squares import read_square
from .table import as_table

__all__ = ["coordinates", "table_of_matrix"]

KEPT = 1e-6  # of the largest eigenvalue; directions below are rounding


def coordinates(S, distances=False):
    """Vectors whose Euclidean distances are those of a matrix, as nearly as can be.

    Parameters
    ----------
    S : ndarray of shape (n, n), symmetric: similarities, or distances
    distances : bool

    Returns
    -------
    X : ndarray of shape (n, q), columns of falling variance
    lost : float, fraction of the absolute spectrum that is negative, which no vectors can have
    """
    squares = S**2 if distances else -2 * S + np.diag(S)[:, None] + np.diag(S)
    centred = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()
    values, vectors = symmetric_eigenpairs(-centred / 2)
    kept = values > KEPT * max(values.max(), 0.0)
    lost = float(np.abs(values[values < 0]).sum() / max(np.abs(values).sum(), 1e-300))
    return vectors[:, kept] * np.sqrt(values[kept]), lost


def table_of_matrix(data, classes, distances=False):
    """The table of a square matrix, without features, and its coordinates as numbers.

    Parameters
    ----------
    data : str, Path, DataFrame or array of shape (n, n)
    classes : str or Path of a file, array-like of shape (n,), or None, for a file that has them
    distances : bool, otherwise similarities

    Returns
    -------
    Table, Prepared

    Examples
    --------
    >>> points = np.arange(10.0)[:, None]
    >>> table, data = table_of_matrix(abs(points - points.T), ["a"] * 5 + ["b"] * 5, distances=True)
    >>> table.label_names, data.X.shape
    (['a', 'b'], (10, 1))
    """
    import pandas as pd

    names, notes = None, []
    if isinstance(data, str | Path):
        S, names, found, notes = read_square(data, classes if isinstance(classes, str | Path) else None)
        classes = found if classes is None or isinstance(classes, str | Path) else classes
    else:
        S = check_similarities(data) if not distances else check_distances(check_table(data, "data"), name="data")
    if classes is None:
        raise ValueError("`classes` is missing: give the classes of the rows, or a file with them (`--classes FILE`).")
    classes = np.asarray(classes, dtype=object)
    if classes.shape != (len(S),):
        raise ValueError(
            f"`classes` must hold one class for each of the {len(S)} rows; got shape {classes.shape}. Give all of them."
        )
    X, lost = coordinates(S, distances)
    if not X.shape[1]:
        raise ValueError("`data` must hold different values; all rows of the matrix are alike. Give another matrix.")
    names = [f"row {i + 1}" for i in range(len(S))] if names is None else names
    frame = pd.DataFrame({"name": names, "class": classes, "first coordinate": X[:, 0]})
    table = as_table(frame, "class", id="name", notes=notes)
    said = f"A {len(S)} x {len(S)} matrix; {X.shape[1]} coordinates hold all of it that vectors can have"
    said += f" ({100 * lost:.1f} % of its spectrum is negative and left out)." if lost > 0.0005 else "."
    table.notes.append(said)
    columns = [f"coordinate {j + 1}" for j in range(X.shape[1])]
    X = X[table.rows] / X[:, 0].std()
    return table, Prepared(X, columns, columns, np.arange(len(columns)), None)
