"""Overfitting check of a supervised metric or map: permutation test, held-out error.

A metric that was fitted with the labels can separate any labelling: it overfits, and a
map of it shows memorised labels. The training error alone is no evidence. It is
compared with two others: that with permuted labels, where nothing can be learned (the
row "baseline" of Table 2.1 in the thesis), and that of held-out samples, whose labels
the metric was not given.
"""

from contextlib import nullcontext
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
from ..validation.targets import Classes, Values
from .base import FisherMetric
from .gp import GPFisher, check_targets
from .parzen import check_similarities, squared_lengths


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
    >>> found = overfitting_check(
    ...     ParzenFisher(), X, y, n_permutations=3, random_state=0
    ... )
    >>> errors = found.in_sample, found.permuted, found.held_out, found.unsupervised
    >>> [round(float(np.mean(e)), 2) for e in errors]
    [0.02, 0.54, 0.04, 0.03]
    >>> found.to_frame().groupby("kind").size().to_dict()
    {'held_out': 5, 'in_sample': 1, 'permuted': 3, 'unsupervised': 5}
    """
    _check_metric(metric, embedder)
    regression = isinstance(metric, GPFisher)
    pairwise = metric.__sklearn_tags__().input_tags.pairwise
    given = X
    X = check_table(X, least=2)
    if regression:
        target = Values(check_targets(y, X))
    else:
        target = Classes(check_classes(y, len(X))[1])
    y = target.y
    n_permutations = check_integer(n_permutations, "n_permutations", 1, 10**6)
    rng = check_seed(random_state)
    # two samples or more for the deviation of a fold's targets
    n_splits = check_integer(n_splits, "n_splits", 2, max(2, len(y) // 2))
    splits = folds(target, np.arange(len(y)), n_splits, rng.randint(2**31))
    score, measure, usual = "error", knn_error, 1
    if regression:
        score, measure, usual = "nRMSE", knn_nrmse, 5
    # the samples outside the largest fold
    most = min(len(train) for train, _ in splits)
    k = usual if n_neighbors is None else n_neighbors
    k = check_integer(k, "n_neighbors", 1, most)
    check_memory("The check", len(X), arrays=6, remedy="Check a sample.")
    # a task per labelling and per fold
    labellings = [y, *(rng.permutation(y) for _ in range(n_permutations))]
    workers = effective_n_jobs(check_jobs(n_jobs))
    shared = Shared(
        metric=metric,
        X=given if hasattr(given, "iloc") and not pairwise else X,
        embedder=embedder,
        error=partial(measure, k=k),
        busy=1 < workers <= len(labellings) + len(splits),
    )
    tasks = [delayed(_error)(shared, labels) for labels in labellings]
    tasks += [delayed(_error)(shared, y, *split) for split in splits]
    if pairwise:
        D = np.sqrt(squared_lengths(check_similarities(X)))
    else:
        warn_of_scales(X, given)
        D = _distances(X)
    bar = len(tasks), "overfitting check", verbose
    in_sample, *errors = results(tasks, n_jobs, bar=bar)
    unsupervised = _embed(D, embedder)
    return OverfittingCheck(
        in_sample=in_sample,
        permuted=np.array(errors[:n_permutations]),
        held_out=np.array(errors[n_permutations:]),
        unsupervised=np.array(
            [_fold_error(shared, *unsupervised, y, *split) for split in splits]
        ),
        score=f"{k}-nearest-neighbour {score}",
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
        kind = np.repeat(kinds, list(map(len, errors)))
        return as_frame({"kind": kind, "error": np.concatenate(errors)})


def _check_metric(metric, embedder):
    if not isinstance(metric, BaseEstimator) or not hasattr(
        metric, "transform"
    ):
        raise ValueError(
            "`metric` must be a Fisher metric such as ParzenFisher(), or a map of"
            " labelled data with `transform`, such as GMLVQ(); got"
            f" {short_repr(metric)}."
        )
    given = embedder is not None
    if given and getattr(embedder, "metric", None) != "precomputed":
        raise ValueError(
            '`embedder` must map distances; create it with metric="precomputed".'
        )


def _embed(distances, embedder):
    """The distances (n, n) or their map (n, m), and the `metric` that says which."""
    if embedder is None:
        return distances, "precomputed"
    return clone(embedder).fit_transform(distances), "euclidean"


def _distances(X):
    X = X - np.median(X, axis=0)
    return np.sqrt(squared_distances(X, X))


def _error(shared, labels, train=None, test=None):
    """Error in sample, or of the rows `test`, whose labels the metric was not given.

    Loops of the metric are sequential where the tasks keep all workers busy.
    """
    metric = clone(shared.metric)
    X = shared.X
    with (
        parallel_config("sequential") if shared.busy else nullcontext(),
        suppress_scale_warning(),
    ):
        if test is None:
            metric.fit(X, labels)
            # the metric has the samples of `fit` as it needs them
            X = None if isinstance(metric, FisherMetric) else X
        else:
            known = pick_rows(X, train)
            if metric.__sklearn_tags__().input_tags.pairwise:
                known = known[:, train]
                X = X[:, train]
            metric.fit(known, labels[train])
        if isinstance(metric, FisherMetric):
            Z, kind = _embed(metric.distances(X), shared.embedder)
        else:
            Z = np.asarray(metric.transform(X), dtype=float)
            kind = "euclidean"
            if shared.embedder is not None:
                Z, kind = _embed(_distances(Z), shared.embedder)
    if test is None:
        return shared.error(Z, labels, metric=kind)
    return _fold_error(shared, Z, kind, labels, train, test)


def _fold_error(shared, Z, kind, y, train, test):
    columns = train if kind == "precomputed" else slice(None)
    return shared.error(
        Z[train][:, columns],
        y[train],
        metric=kind,
        Z_new=Z[test][:, columns],
        y_new=y[test],
    )
