"""Inputs of a decision map, each part read and checked once."""

import copy
from contextlib import suppress
from functools import partial
from types import SimpleNamespace

import numpy as np
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags

from ..core import (
    DISTANCES,
    TABLE,
    as_rows,
    check_columns,
    check_distances,
    check_integer,
    check_is_fitted,
    check_memory,
    check_option,
    check_part,
    check_same_length,
    check_seed,
    check_table,
    check_target,
    class_column,
    draw_rows,
    evaluate,
    percent,
    pick_rows,
    require,
    short_repr,
    suppress_scale_warning,
    warn,
    warn_of_scales,
)
from ..core.mixed import MixedColumns, has_mixed_columns
from ..fisher import GPFisher, ModelFisher, ParzenFisher
from ..kernelmap.inverse import check_matrices
from .certainty import ModelFunction, as_pipeline

MAX_SAMPLES = 3000  # that are mapped by default; the others are projected
PREPARED = f"{TABLE}, once `prepare` has transformed it"


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
    own : Answers of the model for the rows
    prepare : fitted transformer
        None where the rows are points.
    function : ModelFunction of points
    model_of_points : estimator or None
        What `function` evaluates; None where that is the whole model, on rows made of
        the points.
    """

    def __init__(self, X, model, certainty, prepare=None, n_jobs=None):
        self.model, self.prepare = model, None
        self.columns = getattr(X, "columns", None)
        self.rows, are_points = _read(X, model, prepare)
        self._frame = partial(_like, empty=X[:0])
        frame = self._frame if are_points else None
        self._whole = ModelFunction(
            model, certainty, frame=frame, n_jobs=n_jobs
        )
        self.own = self.answers(self.rows)
        if are_points:
            self.model_of_points = model
            self.X = self.rows
            self.function = self._whole
            return
        try:
            self._prepare(prepare)
        except (TypeError, ValueError):
            if prepare is not None:
                raise
            # the steps of a pipeline may leave gaps
            self._prepare(MixedColumns())
        last = self.model_of_points
        if last is not None and callable(certainty):
            raise ValueError(
                "`certainty` as a function takes rows of `X`, but the grid's points are"
                " what the first steps of `model` make of them. Give"
                " `prepare=MixedColumns()` of toolkit.decisionmap, or the name of a"
                " method."
            )
        self.function = ModelFunction(
            model if last is None else last,
            certainty,
            frame=self._of_points,
            n_jobs=n_jobs,
        )

    def read(self, X, name="X"):
        """New samples as rows (m, ...) and as points (m, d)."""
        check_columns(getattr(X, "columns", None), self, name)
        if self.prepare is None:
            points = check_table(X, name, shape=("m", self.X.shape[1]))
            return points, points
        rows = as_rows(X)
        return rows, check_table(
            self._transform(rows, name), name, rule=PREPARED
        )

    def answers(self, rows):
        """Answers of the model for rows (m, ...)."""
        return evaluate(
            self._whole, rows, "`model` cannot answer for `X`", range(len(rows))
        )

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
            codes = _find_codes(self.function.model, rows)
            if not codes:
                raise
        # answers for rows stay the model's own
        self.function = copy.copy(self.function)
        asked = self.function.frame(points)
        self.function.frame = partial(
            _with_codes, frame=self.function.frame, codes=codes
        )
        moved = np.any(asked != self.function.frame(points), axis=1)
        warn(
            f"`model` refuses numbers that no sample has in columns {list(codes)}: at"
            f" {percent(moved.mean())} of the grid's points the nearest one that a"
            " sample has takes their place. An encoder with `handle_unknown` needs"
            " none."
        )
        return evaluate(self.function, points, failure)

    def with_names(self, points):
        """Points (m, d) with the names of their features, if the model has names."""
        is_whole = self.model_of_points is None
        return points if is_whole else self.function.frame(points)

    def with_model(self, model, certainty):
        """The same samples for another model."""
        rows = self.with_names(self.rows) if self.prepare is None else self.rows
        with suppress_scale_warning():
            return Samples(
                rows, model, certainty, self.prepare, self.function.n_jobs
            )

    def _prepare(self, prepare):
        """Set the transformer, the model of points, and the points with their names."""
        self.prepare, self.model_of_points = _split(
            self.model, prepare, self.rows
        )
        table = self._transform(self.rows)
        self.X = check_table(table, least=2, rule=PREPARED)
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
            lambda part: _dense(self.prepare.transform(part)),
            rows,
            f"`prepare` cannot transform `{name}`",
            range(len(rows)),
        )

    def _rows_of(self, points):
        """Rows for the model of points (m, d)."""
        rows = self.prepare.inverse_transform(points)
        return rows if hasattr(rows, "columns") else self._frame(rows)


def _read(X, model, prepare):
    """Rows for `model`, and whether they are points: numbers without gaps."""
    check_columns(getattr(X, "columns", None), model)
    # models may take numbers as such
    if prepare is None and "category" not in map(str, getattr(X, "dtypes", ())):
        try:
            numbers = check_table(
                X,
                least=2,
                rule=f"{TABLE}, also where `model` itself encodes or imputes",
            )
        except (TypeError, ValueError):
            if not has_mixed_columns(X):
                raise
        else:
            warn_of_scales(
                numbers,
                X,
                so=f"{DISTANCES}, though `model` may scale by itself",
            )
            return numbers, True
    return copy.copy(as_rows(X)), False


def _like(points, empty):
    """Points (m, d) as a table with the columns, and the floats, of another."""
    if hasattr(empty, "columns"):
        floats = empty.select_dtypes("floating").dtypes
        return type(empty)(points, columns=empty.columns).astype(floats)
    dtype = getattr(empty, "dtype", points.dtype)
    return points.astype(dtype, copy=False) if dtype.kind == "f" else points


def _find_codes(model, rows):
    """The numbers, rising, of each column of which a model refuses all others."""
    codes = {}
    for key in getattr(rows, "columns", range(rows.shape[1])):
        column = _columns(rows)[:, key]
        probe = rows[:2].copy()
        with suppress(
            Exception
        ):  # words have no next one; models have own errors
            known = np.unique(column[column == column])  # no gaps
            _columns(probe)[:, key] = known[-1] + 1
            codes[key] = known
            model.predict(probe)
            del codes[key]
    return codes


def _with_codes(points, frame, codes):
    """Rows of points (m, d), in some columns with the nearest of known numbers."""
    rows = frame(points).copy()
    columns = _columns(rows)
    for key, known in codes.items():
        middles = (known[1:] + known[:-1]) / 2
        columns[:, key] = known[np.searchsorted(middles, columns[:, key])]
    return rows


def _columns(rows):
    """What picks columns of rows, by name or by number."""
    return getattr(rows, "loc", rows)


def _split(model, prepare, rows):
    """The fitted transformer of rows, and the model of its points.

    The latter is None where only rows can be given to a model.
    """
    model = as_pipeline(model)
    n = len(model)
    if prepare is None:
        prepare = model[:-1] if n > 1 else MixedColumns()
    first = as_pipeline(prepare)
    k = len(first)
    # `prepare` is the beginning of the pipeline: the rest is the model of points
    if k < n and list(first) == list(model)[:k]:
        return first, model[k:] if k < n - 1 else model[-1]
    prepare = _fit_transformer(prepare, rows)
    if hasattr(prepare, "inverse_transform"):
        return prepare, None
    # an encoder of its own
    if n > 1 and _are_alike(prepare, model[:-1], rows):
        return prepare, model[-1]
    raise ValueError(
        "`prepare` must have `inverse_transform`, which makes rows of the grid's"
        " points, or be what the steps of `model` before its last are, `model[:-1]`;"
        f" got {short_repr(prepare)} for {type(model[-1]).__name__}."
        " `prepare=MixedColumns()` of toolkit.decisionmap serves every model of rows."
    )


def _fit_transformer(prepare, rows):
    """The transformer itself if it is fitted, else a clone fitted to the rows."""
    with suppress(NotFittedError, TypeError):
        check_is_fitted(prepare)
        return prepare
    prepare = check_part(prepare, "prepare", "fit", "transform")
    return evaluate(prepare.fit, rows, "`prepare` cannot be fitted to `X`")


def _are_alike(prepare, other, rows):
    """Whether two transformers make the same numbers of rows."""
    parts = prepare, other
    try:
        A, B = (check_table(_dense(part.transform(rows))) for part in parts)
    except (TypeError, ValueError):
        return False
    return A.shape == B.shape and np.allclose(A, B)


def _dense(table):
    """A table as an array, if there is room for it."""
    if not sparse.issparse(table):
        return table
    check_memory(
        "The prepared table",
        *table.shape,
        arrays=2,
        remedy="Give a `prepare` that makes fewer columns, such as one with"
        " TruncatedSVD, or fewer samples.",
    )
    return table.toarray()


def choose_samples(samples, y, cv, max_samples, random_state):
    """Targets, and the numbers of the samples that are mapped."""
    n = len(samples.X)
    if y is not None:
        y = check_targets(y, samples.function.classes)
        check_same_length(samples.X, y)
    if check_integer(cv, "cv", 2, none=True) and n < 3:
        raise ValueError(
            f"`X` must hold at least 3 samples to keep some out; got {n}. Give"
            " `cv=None`."
        )
    check_integer(max_samples, "max_samples", 3, none=True)
    return y, draw_rows(n, max_samples, check_seed(random_state))


def check_targets(y, known, name="y"):
    """Classes, some of them of the model, or finite numbers, as an array (n,)."""
    if known is None:
        return check_target(y, None, name)
    y = class_column(y, name)
    unknown_classes(known, y, name)
    return y


def check_grid(grid):
    """Rows and columns."""
    return tuple(
        check_integer(
            size, "grid", 2, 2000, remedy="Or give two: (rows, columns)."
        )
        for size in (grid if np.size(grid) == 2 else (grid, grid))
    )


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


def check_placement(Z, metric, distances, projector, X, sample):
    """Positions Z (n, 2) that samples X have, and what made them, of those drawn.

    The latter, named as :class:`PlaneView` names it, is a metric or matrices (n, d, d),
    distances (n, n), a projector.
    """
    n = len(X)
    Z = check_embedding(Z, n)
    if metric is not None and not hasattr(metric, "factors"):
        metric = check_matrices(metric, X)[sample]
    if distances is not None:
        D = check_table(distances, "distances", shape=(n, n))
        D = check_distances(D, name="distances")
        distances = D[np.ix_(sample, sample)]
    require(
        hasattr(projector, "transform"),
        "projector",
        "an object with a method `transform` for new samples",
        projector,
        none=True,
    )
    return Z, {"metric": metric, "distances": distances, "projector": projector}


def fit_map(samples, y, sample, metric, embedder, auxiliary, inverse):
    """Positions (m, 2) of the samples drawn, and what made them.

    The latter is named as :class:`PlaneView` names it. Classes or targets are given or
    predicted.
    """
    check_option(auxiliary, "auxiliary", ("truth", "model"))
    embedder = check_part(embedder, "embedder", "fit_transform")
    # auxiliary information of the metric: the truth, or the model's predictions
    target = samples.own.values if auxiliary == "model" else y
    target = None if target is None else target[sample]
    X = pick_rows(samples.X, sample)
    metric = _fit_metric(metric, X, target, auxiliary, samples)
    parts = {}
    if metric is None:
        labels = []
        if get_tags(embedder).target_tags.required:
            labels = [_require_target(target, "embedder")]
        Z = embedder.fit_transform(X, *labels)
        if hasattr(embedder, "transform"):
            parts["projector"] = embedder
            # such a map needs no InverseMap; kernel PCA has an inverse if asked for
            with suppress(AttributeError, NotFittedError):
                embedder.inverse_transform(Z[:1])
                if inverse is None:
                    parts["embedder"] = embedder
    # the map of the metric's distances
    elif "metric" in embedder.get_params():
        D = metric.distances()
        parts = {"metric": metric, "distances": D}
        Z = embedder.set_params(metric="precomputed").fit_transform(D)
    else:
        raise ValueError(
            f"`embedder` {type(embedder).__name__} cannot take the distances of"
            " `metric`: it has no parameter `metric`. Use a map of toolkit.embed, such"
            " as MDS, or leave `metric` out."
        )
    return check_embedding(Z, len(X)), parts


def _fit_metric(metric, X, target, auxiliary, samples):
    """The metric fitted to points X (m, d) with their classes or targets, or None."""
    if metric is None:
        return None
    by_name = isinstance(metric, str) and metric == "fisher"
    require(
        by_name or hasattr(metric, "distances"),
        "metric",
        'None, "fisher" or a metric of toolkit.fisher',
        metric,
    )
    if not by_name:
        metric = copy.copy(metric)
    elif not samples.function.classifies:
        metric = GPFisher()
    # the Fisher metric of the classifier's own probabilities
    elif auxiliary == "model" and samples.model_of_points is not None:
        metric = ModelFisher(samples.model_of_points)
    else:
        metric = ParzenFisher()
    metric.fit(samples.with_names(X), _require_target(target, "metric"))
    # from here on samples come as arrays
    vars(metric).pop("feature_names_in_", None)
    return metric


def _require_target(target, reader):
    if target is None:
        raise ValueError(
            f'`y` is needed by `{reader}`; give it, or take `auxiliary="model"`.'
        )
    return target


def check_embedding(Z, n):
    """Positions of n samples in the plane (n, 2)."""
    Z = check_table(Z, "Z")
    if Z.shape != (n, 2):
        raise ValueError(
            f"`Z` must hold one position in the plane per sample, ({n}, 2); got"
            f" {Z.shape}. Set `n_components=2` or, of a learned metric, `rank=2`."
        )
    return Z
