"""Samples of a decision map: rows for the model, points for the map, their classes."""

import copy
from contextlib import suppress
from functools import partial
from types import SimpleNamespace

import numpy as np

from ..core import (
    DISTANCES,
    TABLE,
    as_rows,
    check_columns,
    check_integer,
    check_same_length,
    check_seed,
    check_table,
    check_target,
    class_column,
    draw_rows,
    evaluate,
    percent,
    require,
    suppress_scale_warning,
    warn,
    warn_of_scales,
)
from ..core.mixed import MixedColumns, has_mixed_columns
from .certainty import ModelFunction
from .preparation import as_dense, find_codes, split_model, with_known_codes

MAX_SAMPLES = 3000  # mapped by default; further ones are projected
PREPARED_TABLE = f"{TABLE}, once `prepare` has transformed it"


class Samples:
    """Samples as rows, at which the model is evaluated, and as points, which maps see.

    Rows of numbers are points. Of other rows `prepare` makes points; there either the
    later steps of a pipeline are evaluated, or the whole model, on rows made of the
    points.

    Attributes
    ----------
    rows : array or data frame of n rows
    X : ndarray of shape (n, d)
        Their points.
    predictions : Predictions of the model for the rows
    prepare : fitted transformer
        None where the rows are points.
    function : ModelFunction of points
    model_of_points : estimator or None
        What `function` evaluates; None where that is the whole model, on rows made of
        the points.
    """

    def __init__(self, X, model, certainty, prepare=None, n_jobs=None):
        self.model = model
        self.prepare = None
        self.columns = getattr(X, "columns", None)
        self.rows, are_points = _read(X, model, prepare)
        self._frame = partial(_like, empty=X[:0])
        self._function_of_rows = ModelFunction(
            model,
            certainty,
            frame=self._frame if are_points else None,
            n_jobs=n_jobs,
        )
        self.predictions = self.answers(self.rows)
        if are_points:
            self.model_of_points = model
            self.X = self.rows
            self.function = self._function_of_rows
            return
        try:
            self._prepare(prepare)
        except (TypeError, ValueError):
            if prepare is not None:
                raise
            # The steps of a pipeline may leave gaps.
            self._prepare(MixedColumns())
        evaluated = self.model_of_points
        if evaluated is None:
            evaluated = model
        elif callable(certainty):
            raise ValueError(
                "`certainty` as a function takes rows of `X`, but the grid's points are"
                " what the first steps of `model` make of them. Give"
                " `prepare=MixedColumns()` of toolkit.decisionmap, or the name of a"
                " method."
            )
        self.function = ModelFunction(
            evaluated, certainty, frame=self._of_points, n_jobs=n_jobs
        )

    def read(self, X, name="X"):
        """New samples as rows (m, ...) and as points (m, d)."""
        check_columns(getattr(X, "columns", None), self, name)
        if self.prepare is None:
            points = check_table(X, name, shape=("m", self.X.shape[1]))
            return points, points
        rows = as_rows(X)
        points = self._transform(rows, name)
        return rows, check_table(points, name, rule=PREPARED_TABLE)

    def answers(self, rows):
        """Answers of the model for rows (m, ...)."""
        failure = "`model` cannot answer for `X`"
        numbers = range(len(rows))
        return evaluate(self._function_of_rows, rows, failure, numbers)

    def answers_at(self, points):
        """Answers of the model at points (m, d) between the samples.

        A model may refuse numbers that no sample has, as encoders of codes do: there
        the nearest one that a sample has takes their place.
        """
        failure = "`model` cannot answer between the samples of `X`"
        try:
            return evaluate(self.function, points, failure)
        except ValueError:
            rows = self.rows
            if self.model_of_points is not None:
                rows = self.with_names(self.X)
            codes = find_codes(self.function.model, rows)
            if not codes:
                raise
        # The function of rows stays as it is.
        self.function = copy.copy(self.function)
        frame = self.function.frame
        self.function.frame = partial(
            with_known_codes, frame=frame, codes=codes
        )
        differs = frame(points) != self.function.frame(points)
        moved = np.any(differs, axis=1)
        warn(
            f"`model` refuses numbers that no sample has in columns {list(codes)}: at"
            f" {percent(moved.mean())} of the grid's points the nearest one that a"
            " sample has takes their place. An encoder with `handle_unknown` needs"
            " none."
        )
        return evaluate(self.function, points, failure)

    def with_names(self, points):
        """Points (m, d) with the names of their features, if the model has names."""
        if self.model_of_points is None:
            return points
        return self.function.frame(points)

    def with_model(self, model, certainty):
        """The same samples for another model."""
        rows = self.rows
        if self.prepare is None:
            rows = self.with_names(rows)
        with suppress_scale_warning():
            return Samples(
                rows, model, certainty, self.prepare, self.function.n_jobs
            )

    def _prepare(self, prepare):
        """Set the transformer, the model of points, and the points with their names."""
        self.prepare, self.model_of_points = split_model(
            self.model, prepare, self.rows
        )
        table = self._transform(self.rows)
        self.X = check_table(table, min_rows=2, rule=PREPARED_TABLE)
        self._of_points = self._rows_of
        if self.model_of_points is not None:
            self._of_points = partial(_like, empty=table[:0])
        names = None
        with suppress(AttributeError, TypeError, ValueError):
            names = self.prepare.get_feature_names_out()
        warn_of_scales(self.X, SimpleNamespace(columns=names))

    def _transform(self, rows, name="X"):
        """What `prepare` makes of rows (m, ...): a table (m, d)."""
        return evaluate(
            lambda part: as_dense(self.prepare.transform(part)),
            rows,
            f"`prepare` cannot transform `{name}`",
            range(len(rows)),
        )

    def _rows_of(self, points):
        """Rows for the model of points (m, d)."""
        rows = self.prepare.inverse_transform(points)
        if hasattr(rows, "columns"):
            return rows
        return self._frame(rows)


def _read(X, model, prepare):
    """Rows for `model`, and whether they are points: numbers without gaps."""
    check_columns(getattr(X, "columns", None), model)
    dtypes = [str(dtype) for dtype in getattr(X, "dtypes", ())]
    # Models may take numbers as such.
    if prepare is None and "category" not in dtypes:
        try:
            numbers = check_table(
                X,
                min_rows=2,
                rule=f"{TABLE}, also where `model` itself encodes or imputes",
            )
        except (TypeError, ValueError):
            if not has_mixed_columns(X):
                raise
        else:
            warn_of_scales(
                numbers,
                X,
                consequence=f"{DISTANCES}, though `model` may scale by itself",
            )
            return numbers, True
    return copy.copy(as_rows(X)), False


def _like(points, empty):
    """Points (m, d) as a table with the columns, and the floats, of another."""
    if hasattr(empty, "columns"):
        floats = empty.select_dtypes("floating").dtypes
        return type(empty)(points, columns=empty.columns).astype(floats)
    dtype = getattr(empty, "dtype", points.dtype)
    if dtype.kind == "f":
        return points.astype(dtype, copy=False)
    return points


def choose_samples(samples, y, cv, max_samples, random_state):
    """Targets, and the numbers of the samples that are mapped.

    `samples` are the :class:`Samples`, y (n,) their classes or targets, or None; the
    others are those of the decision map.
    """
    n = len(samples.X)
    if y is not None:
        y = check_targets(y, samples.function.classes)
        check_same_length(samples.X, y)
    if check_integer(cv, "cv", 2, optional=True) and n < 3:
        raise ValueError(
            f"`X` must hold at least 3 samples to keep some out; got {n}. Give"
            " `cv=None`."
        )
    check_integer(max_samples, "max_samples", 3, optional=True)
    return y, draw_rows(n, max_samples, check_seed(random_state))


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
