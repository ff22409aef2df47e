"""The linear map: a plane with an arrow for each of the columns that pull most, and rows that it was not fitted to."""

from dataclasses import dataclass

import numpy as np
from sklearn.cross_decomposition import PLSRegression

from ..core.arrays import as_frame
from ..multilabel import SampleLabelMap
from ..plots import LinearMapDisplay
from .maps import PlacedMap, placed

__all__ = ["LinearMap", "linear_map"]

MOST_NAMED = 12  # labels whose names stand in the map, those of most rows


@dataclass(frozen=True)
class LinearMap:
    """A linear map of the fitted samples, with others placed on it.

    Attributes
    ----------
    map : PlacedMap
    estimator : the fitted map
    method : str, in words
    names : list of p str, of the features
    parents : ndarray of int, shape (p,), number of the column that each comes from
    task : Task
    """

    map: PlacedMap
    estimator: object
    method: str
    names: list
    parents: np.ndarray
    task: object

    def display(self, X):
        """A `LinearMapDisplay` of all samples shown, from the numbers `X` (n, p)."""
        rows = self.map.rows
        table = as_frame(dict(zip(self.names, X[rows].T, strict=True)))
        options = {"feature_names": self.names, "groups": self.parents}
        if self.task.y.ndim == 2:
            options["class_names"] = self.task.names
        if self.task.y.dtype.kind != "f":
            options["sides"] = self.map.sides
        display = LinearMapDisplay.from_estimator(self.estimator, table, self.task.y[rows], **options)
        if self.task.y.ndim == 2 and len(self.task.names) > MOST_NAMED:
            often = set(np.argsort(-self.task.y.sum(axis=0), kind="stable")[:MOST_NAMED].tolist())
            display.anchor_names = [name if j in often else "" for j, name in enumerate(display.anchor_names)]
        return display


def linear_map(data, task, fitted, held_out):
    """Fit the linear map that goes with the kind of target.

    Parameters
    ----------
    data : Prepared, as :func:`prepared` gives it
    task : Task, as :func:`task_of` gives it
    fitted, held_out : ndarray of int, shape (m,) and (k,), rows as :func:`split` gives them

    Returns
    -------
    LinearMap
        Of classes or labels the plane of samples and labels (SL-A), of two classes or a value that of partial least
        squares.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from toolkit.tabular import as_table, prepared, split, task_of
    >>> table = as_table(load_iris(as_frame=True).frame, "target")
    >>> data, task = prepared(table.features, table.kinds), task_of(table.task, table.y, table.label_names)
    >>> found = linear_map(data, task, *split(task.strata(), table.groups, 1000, 0))
    >>> found.method, found.map.Z.shape
    ('samples and labels in one plane (SL-A)', (150, 2))
    """
    estimator, method = SampleLabelMap(2), "samples and labels in one plane (SL-A)"
    told = task.y
    if task.y.ndim == 1 and (task.y.dtype.kind == "f" or len(np.unique(task.y)) == 2):  # one axis would be all of SL-A
        estimator, method = PLSRegression(2, scale=False), "partial least squares"
        told = task.y if task.y.dtype.kind == "f" else np.unique(task.y, return_inverse=True)[1].astype(float)
    table = as_frame(dict(zip(data.names, data.X.T, strict=True)))
    found = _Plane(estimator.fit(table.iloc[fitted], told[fitted]), table.iloc[fitted])
    return LinearMap(
        placed(found, table, task.y, task, fitted, held_out), estimator, method, data.names, data.parents, task
    )


class _Plane:
    """A fitted estimator as a map."""

    def __init__(self, estimator, X):
        self._transform = estimator.transform
        self.Z = self.place(X)

    def place(self, X):
        return np.asarray(self._transform(X), dtype=float)[:, :2]
