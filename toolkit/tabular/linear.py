"""The linear map of a table, with arrows for the columns of the largest loadings."""

from dataclasses import dataclass

import numpy as np
from sklearn.cross_decomposition import PLSRegression

from ..core import as_frame
from ..multilabel import SampleLabelMap
from ..plots import LinearMapDisplay
from ..validation.intervals import units_of
from .maps import MapResult, MapRows, measure_map

# Labels whose names stand in the map, those of most rows.
MOST_NAMED_LABELS = 12


@dataclass(frozen=True, kw_only=True)
class LinearMap:
    """A linear map of the training samples, with the others projected.

    Attributes
    ----------
    map : MapResult
        Positions and errors.
    estimator : estimator
        The fitted map.
    method : str
        The method in words.
    data : NumericTable
        The features.
    task : Target
        The target.
    """

    map: MapResult
    estimator: object
    method: str
    data: object
    task: object

    def display(self, X):
        """Return a `LinearMapDisplay` of all samples shown.

        Parameters
        ----------
        X : ndarray of shape (n, p)
            All columns as numbers.

        Returns
        -------
        display : LinearMapDisplay
            The map with its loadings, not yet drawn.
        """
        rows = self.map.rows
        task = self.task
        is_multilabel = task.y.ndim == 2
        names = self.data.names
        class_names = task.names if is_multilabel else None
        sides = None if task.is_value else self.map.sides
        table = _table(names, X[rows])
        display = LinearMapDisplay.from_estimator(
            self.estimator,
            table,
            task.y[rows],
            feature_names=names,
            groups=self.data.parents,
            class_names=class_names,
            sides=sides,
        )
        if is_multilabel:
            by_frequency = np.argsort(-task.y.sum(axis=0), kind="stable")
            for label in by_frequency[MOST_NAMED_LABELS:]:
                display.anchor_names[label] = ""
        return display


def linear_map(
    data, task, fitted, held_out, groups=None, seed=0, cross_validate=False
):
    """Fit the linear map for the kind of target.

    Parameters
    ----------
    data : NumericTable
        Columns as numbers, from :func:`prepare_rows`.
    task : Target
        Target, from :func:`task_of`.
    fitted, held_out : ndarray of int, shape (m,) and (k,)
        Training and held-out rows, from :func:`split`.
    groups : ndarray of int, shape (n,), optional
        Rows of equal values depend on each other, for the interval.
    seed : int, default=0
        Seed of the random number generator, for folds.
    cross_validate : bool, default=False
        Whether errors are those of all samples in folds, in place of the held-out ones.

    Returns
    -------
    linear_map : LinearMap
        For more than two classes or for labels the plane of samples and labels (SL-A);
        for two classes or a value that of partial least squares.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from toolkit.tabular import as_table, prepare_rows, split, task_of
    >>> table = as_table(load_iris(as_frame=True).frame, "target")
    >>> data = prepare_rows(table.features, table.kinds)
    >>> task = task_of(table.task, table.y, table.label_names)
    >>> sides = split(task.strata(), table.groups, 1000, 0)
    >>> projection = linear_map(data, task, *sides)
    >>> projection.method, projection.map.Z.shape
    ('samples and labels in one plane (SL-A)', (150, 2))
    """
    estimator, method = linear_estimator(task)
    y = task.y
    if isinstance(estimator, PLSRegression) and not task.is_value:
        # Partial least squares takes two classes as the numbers 0 and 1.
        y = units_of(y).astype(float)
    if groups is None:
        groups = np.arange(len(y))
    table = _table(data.names, data.X)
    rows = MapRows(
        X=table,
        groups=groups,
        fitted=fitted,
        held_out=held_out,
        seed=seed,
        is_cross_validated=cross_validate,
    )
    result, fitted_estimator = measure_map(estimator, task, rows, y)
    return LinearMap(
        map=result,
        estimator=fitted_estimator,
        method=method,
        data=data,
        task=task,
    )


def linear_estimator(task):
    """The linear map for a target, not fitted, and its method in words."""
    has_two_classes = task.y.ndim == 1 and len(task.classes) == 2
    # The plane of samples and labels of two classes would have one axis alone.
    if task.is_value or has_two_classes:
        return PLSRegression(2, scale=False), "partial least squares"
    return SampleLabelMap(2), "samples and labels in one plane (SL-A)"


def _table(names, X):
    return as_frame(dict(zip(names, X.T, strict=True)))
