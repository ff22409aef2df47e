"""How a decision map reads tables: numbers, on which the model itself is asked, or raw rows with numbers of their own.

Metric, map and inverse map need points, numbers of which some are between the samples. A model of raw rows is asked on
the rows as they are; at points either its last step is asked, where the steps before it have made the points, or the
whole model, on rows made of the points.
"""

import copy
import warnings
from functools import partial
from types import SimpleNamespace

import numpy as np
import scipy.sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from ..core.arrays import TABLE, check_table
from ..core.checks import shown
from ..core.frames import check_columns
from ..core.memory import check_memory
from ..core.scales import DISTANCES, warn_of_scales
from .certainty import ModelFunction
from .raw import RawRows, as_rows, is_raw

__all__ = ["NumberTable", "RawTable", "picked", "read_table"]


def read_table(X, model, certainty, prepare, n_jobs):
    """Samples, model and what of both metric and map see, as a `NumberTable` or, where there are raw rows, `RawTable`.

    `prepare` is what turns raw rows into numbers: None, a transformer, or, with numbers given, None.
    """
    if prepare is not None or _has_categories(X):
        return RawTable(X, model, certainty, prepare, n_jobs)
    function = ModelFunction(model, certainty, frame=frame_of(X, model), n_jobs=n_jobs)
    try:
        numbers = check_table(X, least=2, rule=f"{TABLE}, also where `model` itself encodes or imputes")
    except (TypeError, ValueError):
        if not is_raw(X):
            raise
        return RawTable(X, model, certainty, None, n_jobs)
    warn_of_scales(numbers, X, so=f"{DISTANCES}, though `model` may scale by itself")
    return NumberTable(function, numbers)


def frame_of(X, model):
    """What makes of an array a table like `X`, if that is one."""
    if not hasattr(X, "columns"):
        return None
    check_columns(X.columns, model)
    frame = partial(type(X), columns=X.columns)  # unlike a function made here it reaches other processes
    frame.columns = X.columns
    return frame


def picked(rows, sample):
    """Some of the rows of a table or an array, or all of them as they are."""
    if len(sample) == len(rows):
        return rows
    return rows.iloc[sample] if hasattr(rows, "iloc") else rows[sample]


class NumberTable:
    """A table of numbers: metric and map see what the model is asked on."""

    prepare = None

    def __init__(self, function, X):
        self.function, self.model, self.X = function, function.model, X

    def own(self):
        """Answers for the samples."""
        try:
            return self.function(self.X)
        except ValueError as error:
            raise ValueError(f"`model` cannot answer for `X`: {error}") from None

    def numbers(self, X, name="X"):
        """New samples (m, d) as metric and map take them."""
        check_columns(getattr(X, "columns", None), self.function.frame, name)
        return check_table(X, name, shape=("m", self.X.shape[1]))

    def answers(self, X):
        """The model's answers for new samples (m, d)."""
        return self.function(check_table(X))

    def named(self, X):
        """Points (m, d) with the names of their features, if they have some."""
        return X if self.function.frame is None else self.function.frame(X)

    def predicted(self, sample):
        """What the model predicts for some of the samples."""
        return self.model.predict(self.named(picked(self.X, sample)))

    @property
    def model_of_points(self):
        """The model as one of points, None where only rows can be asked."""
        return self.model

    def with_model(self, model, certainty):
        """The same samples for another model."""
        function = ModelFunction(model, certainty, frame=self.function.frame, n_jobs=self.function.n_jobs)
        check_columns(getattr(function.frame, "columns", None), model)
        return NumberTable(function, self.X)


class RawTable:
    """Raw rows, on which the model is asked, and the numbers that `prepare` makes of them, which metric and map see."""

    def __init__(self, X, model, certainty, prepare=None, n_jobs=None):
        self.model, self.certainty = model, certainty
        self.rows = copy.copy(as_rows(X))
        check_columns(getattr(X, "columns", None), model)
        self._whole = ModelFunction(model, certainty, n_jobs=n_jobs)
        self._own = self.answers(self.rows)
        self.prepare, self.function = self._prepared(prepare, n_jobs)
        self.X = self.numbers(self.rows, least=2)
        if not isinstance(self.prepare, RawRows):
            names = SimpleNamespace(feature_names_in_=_names(self.prepare, self.X.shape[1]))
            warn_of_scales(self.X, names, so=DISTANCES)

    def own(self):
        """Answers for the samples, by the whole model on the rows as they are, gaps included."""
        return self._own

    def numbers(self, X, name="X", *, least=1):
        """Rows of a table (m, ...) as points (m, d)."""
        rows = self._checked(X, name)
        if isinstance(self.prepare, RawRows):
            return check_table(self.prepare.transform(rows), name, least=least)
        points = _asked(lambda part: _dense(self.prepare.transform(part)), rows, f"`prepare` cannot transform `{name}`")
        return check_table(points, name, least=least, rule=f"{TABLE}, once `prepare` has transformed it")

    def answers(self, X):
        """The model's answers for new rows (m, ...)."""
        return _asked(lambda part: self._whole(_Rows(part)), self._checked(X), "`model` cannot answer for `X`")

    def named(self, X):
        """Points (m, d) with the names of their features, if the model takes such."""
        return X if self.model_of_points is None or self.function.frame is None else self.function.frame(X)

    def predicted(self, sample):
        """What the model predicts for some of the samples."""
        return self._own.values[sample]

    @property
    def model_of_points(self):
        """The model as one of points, its last step; None where only rows can be asked."""
        return None if self.function.model is self.model else self.function.model

    def with_model(self, model, certainty):
        """The same samples for another model."""
        return RawTable(self.rows, model, certainty, self.prepare, self.function.n_jobs)

    def _checked(self, X, name="X"):
        rows = as_rows(X)
        if hasattr(self.rows, "columns"):
            if not hasattr(rows, "columns"):
                raise ValueError(
                    f"`{name}` must be a table with the columns of the map's samples; got {type(X).__name__}."
                )
            check_columns(rows.columns, self.rows, name)
        elif rows.shape[1] != self.rows.shape[1]:
            raise ValueError(f"`{name}` must have shape (m, {self.rows.shape[1]}); got shape {rows.shape}.")
        return rows

    def _prepared(self, prepare, n_jobs):
        """What makes points of rows, fitted, and the function of points that the model is."""
        pipe = _pipeline(self.model)
        if prepare is None:
            if pipe is not None and _is_numeric(_dense(pipe[:-1].transform(self.rows))):
                return pipe[:-1], self._of_last(pipe[:-1], pipe[-1], n_jobs)
            prepare = RawRows()
        if pipe is not None and (k := _is_start(prepare, pipe)):
            return prepare, self._of_last(prepare, pipe[k:] if k < len(pipe) - 1 else pipe[-1], n_jobs)
        prepare = _fitted(prepare, self.rows)
        if hasattr(prepare, "inverse_transform"):
            frame = partial(_rows_of, prepare, frame_of(self.rows, self.model))
            return prepare, ModelFunction(self.model, self.certainty, frame=frame, n_jobs=n_jobs)
        if pipe is not None and _alike(_dense(pipe[:-1].transform(self.rows)), _dense(prepare.transform(self.rows))):
            return prepare, self._of_last(prepare, pipe[-1], n_jobs)
        raise ValueError(
            "`prepare` must have `inverse_transform`, which makes rows of the grid's points, or be what the steps of "
            f"`model` before its last are, `model[:-1]`; got {shown(prepare)} for {type(self.model).__name__}. "
            "`prepare=RawRows()` of toolkit.decisionmap serves every model of rows."
        )

    def _of_last(self, prepare, last, n_jobs):
        if callable(self.certainty):
            raise ValueError(
                "`certainty` as a function takes rows of `X`, but the grid's points are what the first steps of "
                "`model` make of them. Give `prepare=RawRows()` of toolkit.decisionmap, or the name of a method."
            )
        made = prepare.transform(picked(self.rows, np.arange(1)))
        return ModelFunction(last, self.certainty, frame=frame_of(made, last), n_jobs=n_jobs)


class _Rows:
    """Rows that slices pick by number, whatever the index."""

    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, rows):
        return self.rows.iloc[rows] if hasattr(self.rows, "iloc") else self.rows[rows]


def _has_categories(X):
    """Whether a column has the categories of pandas, which models may take as such, also if they are numbers."""
    if not hasattr(X, "iloc") or len(set(X.columns)) < len(X.columns):
        return False
    return any(str(X[name].dtype) == "category" for name in X.columns)


def _pipeline(model):
    """The fitted pipeline of at least two steps that a model is or a search has found, else None."""
    while hasattr(model, "best_estimator_"):
        model = model.best_estimator_
    return model if isinstance(model, Pipeline) and len(model) > 1 else None


def _is_start(prepare, pipe):
    """How many first steps of a pipeline `prepare` is, the very objects; 0 if it is something else."""
    steps = [step for _, step in prepare.steps] if isinstance(prepare, Pipeline) else [prepare]
    same = len(steps) < len(pipe) and all(a is b for a, (_, b) in zip(steps, pipe.steps, strict=False))
    return len(steps) if same else 0


def _fitted(prepare, rows):
    """The transformer itself if it is fitted, else a clone fitted to the rows."""
    if isinstance(prepare, type) or not hasattr(prepare, "transform") or not hasattr(prepare, "fit"):
        raise ValueError(f"`prepare` must be a transformer with `fit` and `transform`, or None; got {shown(prepare)}.")
    try:
        check_is_fitted(prepare)
    except NotFittedError:
        return _asked(clone(prepare).fit, rows, "`prepare` cannot be fitted to `X`", by_row=False)
    return prepare


def _rows_of(prepare, frame, P):
    """Rows for the model of points P (m, d)."""
    rows = prepare.inverse_transform(P)
    return rows if frame is None or hasattr(rows, "columns") else frame(rows)


def _dense(P):
    if not scipy.sparse.issparse(P):
        return P
    remedy = "Give a `prepare` that makes fewer columns, such as one with TruncatedSVD, or fewer samples."
    check_memory("The prepared table", *P.shape, arrays=2, remedy=remedy)
    return P.toarray()


def _is_numeric(P):
    try:
        check_table(P)
    except (TypeError, ValueError):
        return False
    return True


def _alike(P, Q):
    return _is_numeric(P) and _is_numeric(Q) and P.shape == Q.shape and np.allclose(check_table(P), check_table(Q))


def _names(prepare, d):
    """Names of the columns that a transformer makes, None if it does not know."""
    try:
        names = prepare.get_feature_names_out()
    except (AttributeError, TypeError, ValueError):
        return None
    return names if len(names) == d else None


def _asked(ask, rows, failed, *, by_row=True):
    """What a function of rows says; an error keeps its message, and names the first row at which it arises."""
    try:
        return ask(rows)
    except MemoryError:
        raise
    except Exception as error:  # models have kinds of their own
        row = _first_failing(ask, rows) if by_row else None
        where = "" if row is None else f", first at row {row}"
        raise ValueError(f"{failed}{where}: {str(error).strip() or type(error).__name__}") from error


def _first_failing(ask, rows):
    """Number of the first row without which a function of the rows before it does not fail, None if it is no row."""

    def fails(sample):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ask(picked(rows, sample) if len(sample) < len(rows) else rows)
        except Exception:  # the same that has been caught already
            return True
        return False

    low, high = 0, len(rows)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if fails(np.arange(middle)) else (middle, high)
    return high - 1 if len(rows) and fails(np.array([high - 1])) else None
