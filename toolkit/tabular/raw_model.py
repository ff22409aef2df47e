"""A user's model, which takes raw columns, fitted to tables with permuted cells.

In place of the cells the tables have the numbers of the rows that these are from.
"""

from dataclasses import dataclass, replace

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline

from ..core import as_frame, evaluate, feature_names, pick_rows
from ..decisionmap.certainty import known_classes, one_output

CODED = "coded"  # a classifier that gets classes as numbers


def model_name(model):
    """The class of a model, of the last step of a pipeline."""
    estimators = getattr(model, "named_estimators", {})
    last_step = estimators.get(CODED, model)
    if isinstance(last_step, Pipeline):
        last_step = last_step[-1]
    return type(last_step).__name__


@dataclass(frozen=True)
class RawModel:
    """A model of raw columns, for :func:`which_features`.

    Parameters
    ----------
    estimator : estimator
        Classifier or regressor of scikit-learn's kind that can be cloned.
    rows : DataFrame or array of shape (n, q)
        Raw columns of the rows of the table.
    y : ndarray of shape (n,)
        Target in the words of the estimator.
    names : list of q str, optional
        Names of the columns; by default those of the DataFrame, or X1, X2, ...

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> rows = np.array([["red"], ["blue"], ["red"]])
    >>> RawModel(DecisionTreeClassifier(), rows, np.array([0, 1, 0])).columns
    array(['X1'], dtype='<U2')
    """

    estimator: object
    rows: object
    y: np.ndarray
    names: list = None

    def __getitem__(self, rows):
        """Return the same of some rows, by their numbers (m,), rising."""
        return replace(self, rows=pick_rows(self.rows, rows), y=self.y[rows])

    @property
    def columns(self):
        """Names of the columns (q,)."""
        names = self.names
        if not names:
            names = feature_names(self.rows, self.rows.shape[1])
        return np.array(names)

    @property
    def cells(self):
        """Numbers of the rows in place of the cells (n, q)."""
        n, q = self.rows.shape
        numbers = np.arange(n)[:, None]
        return np.repeat(numbers, q, axis=1)

    @property
    def model(self):
        """The estimator, which takes such numbers."""
        return _CellModel(self.estimator, self.rows)


class _CellModel(BaseEstimator):
    """An estimator that is fitted to some of the rows' cells, by numbers (m, q)."""

    def __init__(self, estimator, rows):
        self.estimator = estimator
        self.rows = rows

    def __sklearn_clone__(self):
        # The rows are not copied.
        return _CellModel(self.estimator, self.rows)

    def fit(self, cells, y):
        def fit(rows):
            return clone(self.estimator).fit(rows, y)

        failure = "`model` cannot be fitted anew to a part of the rows"
        self.model_ = evaluate(fit, self._rows_of(cells), failure)
        return self

    @property
    def classes_(self):
        return known_classes(self.model_)

    def predict(self, cells):
        predicted = self._evaluate(self.model_.predict, cells)
        return one_output(predicted, len(cells))

    def predict_proba(self, cells):
        """Probabilities; 0 and 1 where the estimator has none."""
        if hasattr(self.model_, "predict_proba"):
            return self._evaluate(self.model_.predict_proba, cells)
        predicted = self.predict(cells)
        is_class = predicted[:, None] == self.classes_
        return is_class.astype(float)

    def _evaluate(self, function, cells):
        failure = "`model`, fitted to a part of the rows, cannot predict others"
        return evaluate(function, self._rows_of(cells), failure)

    def _rows_of(self, cells):
        if not hasattr(self.rows, "columns"):
            return np.take_along_axis(self.rows, cells, axis=0)
        columns = {}
        for j, name in enumerate(self.rows):
            values = self.rows.iloc[:, j].array
            columns[name] = values.take(cells[:, j])
        return as_frame(columns)
