"""Overfitting check of a supervised metric or map: permutation test, held-out error.

A metric that was fitted with the labels can separate any labelling: it overfits, and a
map of it shows memorised labels. The training error alone is no evidence. It is
compared with two others: that with permuted labels, where nothing can be learned (the
row "baseline" of Table 2.1 in the thesis), and that of held-out samples, whose labels
the metric was not given.

Here `shared` holds the samples, the metric, the embedder and the measure of all tasks;
a `split` is the pair of training and held-out rows, None for an error in sample.
"""

from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial

import numpy as np
from joblib import delayed, effective_n_jobs, parallel_config
from sklearn.base import BaseEstimator, clone
from sklearn.utils import Bunch

from ..core import (
    Shared,
    as_frame,
    check_classes,
    check_integer,
    check_jobs,
    check_memory,
    check_seed,
    check_table,
    pick_rows,
    results,
    short_repr,
    squared_distances,
    suppress_scale_warning,
    warn_of_scales,
)
from ..quality import knn_error, knn_nrmse
from ..validation import folds
from ..validation.judge import Projection, measure_split
from ..validation.targets import Classes, Values
from .base import FisherMetric
from .gp import GPFisher, check_targets
from .parzen import check_similarities, squared_distances_of


def overfitting_check(
    metric,
    X,
    y,
    embedder=None,
    *,
    n_neighbors=None,
    n_permutations=10,
    n_splits=5,
    random_state=None,
    n_jobs=None,
    verbose=False,
):
    """Compute nearest-neighbour errors that show whether a metric or map overfits.

    They are in sample, with permuted labels, and held out.

    Parameters
    ----------
    metric : Fisher metric, or an estimator with `transform`
        Metric to be checked. Of an estimator such as :class:`~toolkit.lvq.GMLVQ`, or a
        pipeline that ends in it, the distances in its map are used. It is cloned and
        fitted anew for every labelling and fold, together with the model of a
        :class:`ModelFisher`.
    X : array-like or DataFrame of shape (n, d)
        Samples; or similarities (n, n) for the metrics that take these.
    y : array-like of shape (n,) or (n, 1)
        Target: classes or real values, one per sample.
    embedder : estimator of `toolkit.embed` or None, default=None
        Embedder with ``metric="precomputed"``. Errors are those in its maps; None:
        those of the distances.
    n_neighbors : int or None, default=None
        Number of neighbours that predict. None: 1 for the metrics of classes, 5 for
        those of a real-valued target.
    n_permutations : int >= 1, default=10
        Number of permutations of the labels.
    n_splits : int >= 2, default=5
        Number of folds, each of two samples or more; fewer where a class has fewer
        samples.
    random_state : int, RandomState instance or None, default=None
        Seed of the permutations and of the folds; an int makes results reproducible.
    n_jobs : int or None, default=None
        Number of parallel jobs of joblib; None means 1, -1 all cores.
    verbose : bool, default=False
        Whether to show a progress bar over labellings and folds.

    Returns
    -------
    check : OverfittingCheck, a Bunch that has `to_frame()`
        `in_sample` (float): leave-one-out error of the samples whose labels the metric
        was fitted to; `permuted` (ndarray of shape (n_permutations,)): the same after a
        permutation of all labels; `held_out` (ndarray of shape (n_splits,)): metric
        from the other folds, distances and map of all samples, each sample of the fold
        predicted by its neighbours among the others; `unsupervised` (ndarray of shape
        (n_splits,)): the same folds with the original distances of the data, no metric
        at all; `score` (str): name of the error.

    Raises
    ------
    ValueError
        If `metric` has no `transform`, or if `embedder` does not take distances.

    Notes
    -----
    Errors of classes are fractions (:func:`~toolkit.quality.knn_error`), those of a
    target are relative to its standard deviation (:func:`~toolkit.quality.knn_nrmse`).
    If `permuted` is well below the chance level, `in_sample` is no evidence of class
    structure. The metric improves predictions where `held_out` is below `unsupervised`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from toolkit.fisher import ParzenFisher
    >>> X, y = load_iris(return_X_y=True)
    >>> check = overfitting_check(
    ...     ParzenFisher(), X, y, n_permutations=3, random_state=0
    ... )
    >>> errors = check.in_sample, check.permuted, check.held_out, check.unsupervised
    >>> [round(float(np.mean(e)), 2) for e in errors]
    [0.02, 0.54, 0.04, 0.03]
    >>> check.to_frame().groupby("kind").size().to_dict()
    {'held_out': 5, 'in_sample': 1, 'permuted': 3, 'unsupervised': 5}
    """
    _check_metric(metric, embedder)
    is_regression = isinstance(metric, GPFisher)
    pairwise = metric.__sklearn_tags__().input_tags.pairwise
    table = check_table(X, min_rows=2)
    if is_regression:
        target = Values(check_targets(y, table))
        measure = _Measure(function=knn_nrmse, name="nRMSE", usual_k=5)
    else:
        target = Classes(check_classes(y, len(table))[1])
        measure = _Measure(function=knn_error, name="error", usual_k=1)
    y = target.y
    n_rows = len(y)
    n_permutations = check_integer(n_permutations, "n_permutations", 1, 10**6)
    rng = check_seed(random_state)
    # The deviation of a fold's targets is that of two samples or more.
    n_splits = check_integer(
        n_splits,
        "n_splits",
        2,
        max(2, n_rows // 2),
        remedy="Each fold needs two samples, as errors are relative to a deviation.",
    )
    seed = rng.randint(2**31)
    splits = folds(target, np.arange(n_rows), n_splits, seed)
    k = measure.usual_k if n_neighbors is None else n_neighbors
    # The neighbours are among the samples outside of the largest fold.
    most_neighbors = min(len(train) for train, _ in splits)
    k = check_integer(k, "n_neighbors", 1, most_neighbors)
    check_memory("The check", n_rows, arrays=6, remedy="Check a sample.")
    # There is a task per labelling and per fold.
    labellings = [y, *(rng.permutation(y) for _ in range(n_permutations))]
    workers = effective_n_jobs(check_jobs(n_jobs))
    n_tasks = len(labellings) + len(splits)
    is_frame = hasattr(X, "iloc") and not pairwise
    shared = Shared(
        metric=metric,
        X=X if is_frame else table,
        embedder=embedder,
        measure=partial(measure.function, k=k),
        is_busy=1 < workers <= n_tasks,
    )
    tasks = [delayed(_error)(shared, labels) for labels in labellings]
    tasks += [delayed(_error)(shared, y, split) for split in splits]
    if pairwise:
        D = np.sqrt(squared_distances_of(check_similarities(table)))
    else:
        warn_of_scales(table, X)
        D = _distances(table)
    bar = len(tasks), "overfitting check", verbose
    in_sample, *errors = results(tasks, n_jobs, bar=bar)
    original_space = _embed(D, embedder)
    unsupervised = [
        _space_error(shared, original_space, y, split) for split in splits
    ]
    permuted = np.array(errors[:n_permutations])
    held_out = np.array(errors[n_permutations:])
    return OverfittingCheck(
        in_sample=in_sample,
        permuted=permuted,
        held_out=held_out,
        unsupervised=np.array(unsupervised),
        score=f"{k}-nearest-neighbour {measure.name}",
    )


class OverfittingCheck(Bunch):
    """Errors of a metric, see :func:`overfitting_check`."""

    def to_frame(self):
        """Return the errors as a DataFrame.

        Returns
        -------
        frame : DataFrame of shape (n_errors, 2)
            The errors in the column ``error``, and in ``kind`` which of the four kinds
            each is.
        """
        kinds = ("in_sample", "permuted", "held_out", "unsupervised")
        errors = [np.atleast_1d(self[kind]) for kind in kinds]
        counts = [len(errors_of_kind) for errors_of_kind in errors]
        return as_frame(
            {"kind": np.repeat(kinds, counts), "error": np.concatenate(errors)}
        )


@dataclass(frozen=True, kw_only=True)
class _Measure:
    """A measure of nearest neighbours, its name, and its usual number of neighbours."""

    function: object
    name: str
    usual_k: int


@dataclass(frozen=True, kw_only=True)
class _Space:
    """Positions (n, m) or distances (n, n) of all samples, and their `metric`."""

    positions: np.ndarray
    metric: str = "euclidean"


def _check_metric(metric, embedder):
    """Refuse a metric without `transform`, an embedder that does not map distances."""
    if not isinstance(metric, BaseEstimator) or not hasattr(
        metric, "transform"
    ):
        raise ValueError(
            "`metric` must be a Fisher metric such as ParzenFisher(), or a map of"
            " labelled data with `transform`, such as GMLVQ(); got"
            f" {short_repr(metric)}."
        )
    if embedder is None:
        return
    if getattr(embedder, "metric", None) != "precomputed":
        raise ValueError(
            '`embedder` must map distances; create it with metric="precomputed".'
        )


def _embed(D, embedder):
    """The `_Space` of distances (n, n), or of their map."""
    if embedder is None:
        return _Space(positions=D, metric="precomputed")
    return _Space(positions=clone(embedder).fit_transform(D))


def _distances(X):
    """Euclidean distances (n, n) of samples X (n, d)."""
    X = X - np.median(X, axis=0)
    return np.sqrt(squared_distances(X, X))


def _error(shared, labels, split=None):
    """Error in sample, or of the rows of a fold, whose labels the metric was not given.

    Loops of the metric are sequential where the tasks keep all workers busy.
    """
    context = nullcontext()
    if shared.is_busy:
        context = parallel_config("sequential")
    with context, suppress_scale_warning():
        space = _learned_space(shared, labels, split)
    return _space_error(shared, space, labels, split)


def _learned_space(shared, labels, split):
    """The `_Space` of all samples, by a metric of the training rows of a split."""
    X = shared.X
    training_X = X
    metric = clone(shared.metric)
    is_fisher = isinstance(metric, FisherMetric)
    if split is not None:
        train, _ = split
        labels = labels[train]
        training_X = pick_rows(X, train)
        if metric.__sklearn_tags__().input_tags.pairwise:
            training_X = training_X[:, train]
            X = X[:, train]
    elif is_fisher:
        # The metric has the samples of `fit` in the form that it needs.
        X = None
    metric.fit(training_X, labels)
    if is_fisher:
        return _embed(metric.distances(X), shared.embedder)
    Z = np.asarray(metric.transform(X), dtype=float)
    if shared.embedder is None:
        return _Space(positions=Z)
    return _embed(_distances(Z), shared.embedder)


def _space_error(shared, space, y, split):
    """Error in a space, of all samples or of the held-out rows of a split."""
    Z = space.positions
    metric = space.metric
    if split is None:
        rows = np.arange(len(y))
        projection = Projection(
            train=rows, test=rows, Z=Z, Z_new=Z, is_joint=True, metric=metric
        )
        return measure_split(projection, y, shared.measure)
    train, test = split
    columns = train if metric == "precomputed" else slice(None)
    Z_new = Z[test][:, columns]
    Z = Z[train][:, columns]
    projection = Projection(
        train=train, test=test, Z=Z, Z_new=Z_new, metric=metric
    )
    return measure_split(projection, y, shared.measure)
