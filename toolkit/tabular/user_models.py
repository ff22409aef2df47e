"""A user's own model: read from a file, fitted to the columns as they were read.

It can be fitted to tables with permuted cells, which have the numbers of the rows that
their cells are from.
"""

import runpy
from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.ensemble import VotingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from ..core import (
    and_list,
    as_frame,
    evaluate,
    feature_names,
    pick_rows,
    require,
    short_repr,
)
from ..core.mixed import MixedColumns, has_mixed_columns
from ..decisionmap import DecisionMap
from ..decisionmap.certainty import estimator_kind, known_classes, one_output
from ..decisionmap.samples import unknown_classes
from .models import GRID

# Kind of estimator for each kind of target, and the rule in words.
KIND_OF_MODEL = {
    "classes": ("classifier", "a classifier, as the target holds classes"),
    "value": ("regressor", "a regressor, as the target holds numbers"),
}
REMEDY_FOR_OWN_CLASS = (
    "Your own class must derive from sklearn.base.BaseEstimator."
)
CODED_NOTE = (
    "`model` takes whole numbers as classes: it was fitted to those of the sorted"
    " classes, from 0."
)
CODED = "coded"  # a classifier that gets classes as numbers


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
        return np.repeat(np.arange(n)[:, None], q, axis=1)

    @property
    def model(self):
        """The estimator, which takes such numbers."""
        return _CellModel(self.estimator, self.rows)


@dataclass(frozen=True, kw_only=True)
class UserModel(RawModel):
    """A user's fitted model, with the rows and the target that it takes.

    Attributes
    ----------
    was_fitted : bool
        Whether the model was fitted before, to rows that are not known.
    notes : list of str
        What was done to fit it.
    """

    was_fitted: bool
    notes: list = field(default_factory=list)


def user_model(model, frame, table, fitted, held_out):
    """A user's model, fitted if it was not, once it has predicted the held-out rows.

    Parameters
    ----------
    model : classifier or regressor of scikit-learn's kind, or "file.py:name" of one
    frame : DataFrame, dict of columns or array
        All rows and columns as they were read.
    table : Table
    fitted, held_out : ndarray of int, rows of the table

    Returns
    -------
    user_model : UserModel

    Raises
    ------
    ValueError
        With the model's own message, and the first row of the table at which it fails.
    """
    model = from_file(model, "model")
    if table.task == "labels":
        raise ValueError(
            "`model` must be None with several labels. Look at one of them, with it as"
            " `target`."
        )
    kind, rule = KIND_OF_MODEL[table.task]
    require(
        estimator_kind(model) == kind,
        "model",
        rule,
        model,
        remedy=REMEDY_FOR_OWN_CLASS,
    )
    rows, names = _rows_of_model(model, frame, table)
    y = table.y
    if table.task == "classes":
        y = _numbers_of(table.y)
    was_fitted = _is_fitted(model)
    notes = []
    if not was_fitted:
        model, notes = _fit(model, pick_rows(rows, fitted), y[fitted])
    if is_classifier(model):
        classes = known_classes(model)
        # A model may know the classes 0 and 1 by the words "0" and "1".
        if classes.dtype.kind == "U":
            y = table.y
        unknown_classes(classes, y, "target")
    predicted = evaluate(
        model.predict,
        pick_rows(rows, held_out),
        "`model` cannot answer for the table",
        held_out + 1,
    )
    one_output(predicted, len(held_out))
    return UserModel(
        estimator=model,
        rows=rows,
        names=names,
        y=y,
        was_fitted=was_fitted,
        notes=notes,
    )


def from_file(name, kind):
    """What a file of Python defines by a name, "file.py:name"; its code is run.

    An object that is no str is returned as it is. `kind` is "model" or "map".
    """
    if not isinstance(name, str):
        return name
    path, _, variable = name.rpartition(":")
    if not path.endswith(".py") or not variable.isidentifier():
        raise ValueError(
            f"`{kind}` must be a {kind}, or 'file.py:name' of one; got"
            f" {short_repr(name)}."
        )
    variables = evaluate(
        runpy.run_path, path, f"`{kind}` cannot be imported from {path}"
    )
    if variable not in variables:
        raise ValueError(
            f"`{kind}` must name something that {path} defines; there is no"
            f" {variable!r} in it."
        )
    return variables[variable]


def _rows_of_model(model, frame, table):
    """Columns (n, q) that a model takes, and their names if they are an array."""
    if isinstance(frame, dict):
        frame = as_frame(frame)
    if not hasattr(frame, "columns"):
        cells = np.asarray(frame)[table.rows]
        names = feature_names(None, cells.shape[1])
        is_feature = [name != table.target for name in names]
        names = [name for name in names if name != table.target]
        return cells[:, is_feature], names
    # Some features are parts of a column.
    whole_columns = [name for name in table.features if name in frame.columns]
    columns = list(getattr(model, "feature_names_in_", whole_columns))
    missing = [str(name) for name in columns if name not in frame.columns]
    if missing:
        raise ValueError(
            "`model` was fitted to columns that `data` has not:"
            f" {and_list(missing)}. Add them."
        )
    return frame.iloc[table.rows][columns].reset_index(drop=True), None


def _numbers_of(words):
    """Classes as the whole numbers or truth values that they are the words of."""
    if set(words) == {"False", "True"}:
        return words == "True"
    with suppress(ValueError, OverflowError):
        numbers = words.astype(int)
        # Codes such as 007 stay words.
        if np.all(numbers.astype(str) == words):
            return numbers
    return words


def _is_fitted(model):
    try:
        check_is_fitted(model)
    except NotFittedError:
        return False
    return True


def _fit(model, X, y):
    """A fitted clone of a model, and notes on how it was fitted.

    Where it refuses the classes it is fitted to their codes.
    """
    try:
        new = clone(model)
    except (RuntimeError, TypeError):
        raise ValueError(
            "`model` must be fitted, as it cannot be cloned: its constructor changes"
            f" what it is given; got {type(model).__name__}. Fit it first, and give the"
            " fitted model."
        ) from None
    failure = (
        "`model` cannot be fitted to the columns as they were read; put an encoder"
        " before it, or leave columns out"
    )
    try:
        return evaluate(lambda rows: new.fit(rows, y), X, failure), []
    except ValueError:
        # The only member of a vote gets the numbers 0, 1, ... as classes.
        voting = "soft" if hasattr(model, "predict_proba") else "hard"
        coded = VotingClassifier([(CODED, model)], voting=voting)
        # If that fails too, the first error is the one to report.
        with suppress(Exception):
            coded.fit(X, y)
            return coded, [CODED_NOTE]
        raise


def user_model_map(user_model, fitted, seed):
    """The decision map of a user's model, by name, in a plane of its columns.

    Parameters
    ----------
    user_model : UserModel
    fitted : ndarray of int, rows
    seed : int
    """
    model = user_model.estimator
    metric = None
    if is_classifier(model):
        metric = "fisher"
    # Numbers are in units of their own, and have to be scaled.
    prepare = None
    if not has_mixed_columns(user_model.rows):
        prepare = MixedColumns()
    decision_map = DecisionMap.from_estimator(
        model,
        pick_rows(user_model.rows, fitted),
        user_model.y[fitted],
        metric=metric,
        prepare=prepare,
        grid=GRID,
        random_state=seed,
    )
    return {model_name(model): decision_map}


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
        columns = {
            name: self.rows.iloc[:, j].array.take(cells[:, j])
            for j, name in enumerate(self.rows)
        }
        return as_frame(columns)


def model_name(model):
    """The class of a model, of the last step of a pipeline."""
    last_step = getattr(model, "named_estimators", {}).get(CODED, model)
    if isinstance(last_step, Pipeline):
        last_step = last_step[-1]
    return type(last_step).__name__
