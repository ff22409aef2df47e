"""Overfitting check of a supervised metric or map: in-sample error, permutation test, held-out (cross-validated) error.

A metric that has seen the labels can separate any labelling: it overfits, and a map of
it shows memorised labels. So the in-sample error means little beside two others: that
with permuted labels, where nothing can be learned (the row "baseline" of Table 2.1 in
the thesis), and that of held-out samples, whose labels the metric has not seen.
"""

from contextlib import nullcontext
from functools import partial

import numpy as np
from joblib import delayed, effective_n_jobs, parallel_config
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils import Bunch

from ..core.arrays import as_frame, check_table
from ..core.checks import check_integer, check_jobs, check_seed, short_repr
from ..core.graphs import squared_distances
from ..core.labels import check_classes
from ..core.memory import check_memory
from ..core.progress import Shared, results
from ..core.scaling import suppress_scale_warning, warn_of_scales
from ..quality import knn_error, knn_nrmse
from .base import FisherMetric
from .gp import GPFisher, checked_targets, varies
from .kernel import check_similarities, squared_lengths


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
    """Nearest-neighbour errors of a supervised metric, or of a map: in sample, with permuted labels, held out.

    Parameters
    ----------
    metric : Fisher metric, or an estimator with `transform`
        Such as :class:`~toolkit.lvq.GMLVQ` or a pipeline that ends in it: then
        distances in its map are looked at. It is cloned and fitted anew for every
        labelling and fold, together with the model of a :class:`ModelFisher`.
    X : array-like or DataFrame of shape (n, d), or similarities (n, n) for the metrics that take these
    y : array-like of shape (n,) or (n, 1), classes or real targets
    embedder : estimator of `toolkit.embed` with ``metric="precomputed"``, optional
        Errors are those in its maps; without one, those of the distances.
    n_neighbors : int, optional
        1 for the metrics of classes, 5 for those of a real-valued target by default.
    n_permutations : int >= 1
    n_splits : int >= 2
        Folds: at most the size of the smallest class; for a real-valued target, two
        samples or more per fold.
    random_state : int, RandomState or None
        Order of permutations and of folds.
    n_jobs : int, optional
        Processes of joblib.
    verbose : bool, default=False, whether to show the progress over labellings and folds

    Returns
    -------
    OverfittingCheck, a Bunch that has `to_frame()`
        `in_sample` (float): leave-one-out error of samples whose labels made the
        metric; `permuted` (ndarray of shape (n_permutations,)): the same after a
        permutation of all labels; `held_out` (ndarray of shape (n_splits,)): metric
        from the other folds, distances and map of all samples, each sample of the fold
        predicted by its neighbours among the others; `plain` (ndarray of shape
        (n_splits,)): the same folds with the distances of the data, no metric at all;
        `score` (str): what the errors are.

    Notes
    -----
    Errors of classes are fractions (:func:`~toolkit.quality.knn_error`), those of a
    target are relative to its standard deviation (:func:`~toolkit.quality.knn_nrmse`).
    Where `permuted` is well below chance, `in_sample` says nothing. The metric
    generalises where `held_out` is below `plain`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from toolkit.fisher import ParzenFisher
    >>> X, y = load_iris(return_X_y=True)
    >>> found = overfitting_check(ParzenFisher(), X, y, n_permutations=3, random_state=0)
    >>> [round(float(np.mean(e)), 2) for e in (found.in_sample, found.permuted, found.held_out, found.plain)]
    [0.02, 0.54, 0.04, 0.03]
    >>> found.to_frame().groupby("kind").size().to_dict()
    {'held_out': 5, 'in_sample': 1, 'permuted': 3, 'plain': 5}
    """
    if (
        not isinstance(metric, BaseEstimator)
        or not hasattr(metric, "fit")
        or not hasattr(metric, "transform")
    ):
        rule = (
            "a Fisher metric such as ParzenFisher(), or a map of labelled data with"
            " `transform`, such as GMLVQ()"
        )
        raise ValueError(f"`metric` must be {rule}; got {short_repr(metric)}.")
    regression = isinstance(metric, GPFisher)
    pairwise = metric.__sklearn_tags__().input_tags.pairwise
    if embedder is not None and getattr(embedder, "metric", None) != "precomputed":
        raise ValueError(
            '`embedder` must map distances; create it with metric="precomputed".'
        )
    X, vectors, y = _checked(X, y, regression, pairwise)
    repeats = check_integer(n_permutations, "n_permutations", 1, 10**6)
    rng = check_seed(random_state)
    splits = _splits(X, y, check_integer(n_splits, "n_splits", 2), regression, rng)
    most = min(len(train) for train, _ in splits)
    score, measure, k = (
        ("nRMSE", knn_nrmse, 5) if regression else ("error", knn_error, 1)
    )
    if n_neighbors is not None:
        k = n_neighbors
    k = check_integer(
        k,
        "n_neighbors",
        1,
        most,
        remedy="The most are the samples outside the largest fold.",
    )
    error = partial(measure, k=k)
    labellings = [y] + [rng.permutation(y) for _ in range(repeats)]
    check_memory("The check", len(X), arrays=6, remedy="Check a sample.")
    workers = effective_n_jobs(check_jobs(n_jobs))
    busy = 1 < workers <= len(labellings) + len(splits)
    shared = Shared(metric=metric, X=X, y=y, embedder=embedder, error=error, busy=busy)
    tasks = [delayed(_in_task)(shared, _in_sample, labels) for labels in labellings]
    tasks += [delayed(_in_task)(shared, _held_out, *split) for split in splits]
    if not pairwise:
        warn_of_scales(vectors, X)
    found = list(
        results(tasks, n_jobs, bar=([1] * len(tasks), "overfitting check", verbose))
    )
    plain = _mapped(_plain_distances(vectors, pairwise), embedder)
    return OverfittingCheck(
        in_sample=found[0],
        permuted=np.array(found[1 : len(labellings)]),
        held_out=np.array(found[len(labellings) :]),
        plain=np.array([_fold_error(*plain, y, error, *split) for split in splits]),
        score=f"{k}-nearest-neighbour {score}",
    )


class OverfittingCheck(Bunch):
    """Errors of a metric, see :func:`overfitting_check`."""

    def to_frame(self):
        """A pandas DataFrame with a row for each error, and which of the four it is."""
        kinds = ("in_sample", "permuted", "held_out", "plain")
        errors = [np.atleast_1d(self[kind]) for kind in kinds]
        return as_frame(
            {
                "kind": np.repeat(kinds, list(map(len, errors))),
                "error": np.concatenate(errors),
            }
        )


def _mapped(distances, embedder):
    """What the errors are measured in, distances (n, n) or their map (n, m), and the `metric` that says which."""
    return (
        (distances, "precomputed")
        if embedder is None
        else (clone(embedder).fit_transform(distances), "euclidean")
    )


def _measured(fitted, embedder, X, new=None):
    """As :func:`_mapped`, for a fitted metric or map and the samples of its `fit`, or new ones."""
    if isinstance(fitted, FisherMetric):
        return _mapped(fitted.distances(new), embedder)
    Z = np.asarray(fitted.transform(X if new is None else new), dtype=float)
    return (
        (Z, "euclidean") if embedder is None else _mapped(_plain_distances(Z), embedder)
    )


def _in_task(shared, one, *rest):
    """`one`, whose own loops are not spread again where the tasks keep all workers busy."""
    with (
        parallel_config("sequential") if shared.busy else nullcontext(),
        suppress_scale_warning(),
    ):
        return one(shared, *rest)


def _in_sample(shared, labels):
    """Error of the samples that made the metric."""
    Z, kind = _measured(
        clone(shared.metric).fit(shared.X, labels), shared.embedder, shared.X
    )
    return shared.error(Z, labels, metric=kind)


def _held_out(shared, train, test):
    """Error of samples whose labels the metric has not seen."""
    columns = (
        train if shared.metric.__sklearn_tags__().input_tags.pairwise else slice(None)
    )
    fitted = clone(shared.metric).fit(_part(shared.X, train, columns), shared.y[train])
    mapped = _measured(
        fitted, shared.embedder, None, _part(shared.X, slice(None), columns)
    )
    return _fold_error(*mapped, shared.y, shared.error, train, test)


def _fold_error(Z, kind, y, error, train, test):
    columns = train if kind == "precomputed" else slice(None)
    return error(
        Z[train][:, columns],
        y[train],
        metric=kind,
        Z_new=Z[test][:, columns],
        y_new=y[test],
    )


def _plain_distances(X, pairwise=False):
    """Euclidean distances (n, n) of vectors, or those that similarities define."""
    if pairwise:
        return np.sqrt(squared_lengths(check_similarities(X)))
    X = X - np.median(X, axis=0)
    return np.sqrt(squared_distances(X, X))


def _checked(X, y, regression, pairwise):
    """Samples (a DataFrame stays one), the same as an array, and labels or targets (n,)."""
    A = check_table(X, least=2)
    if pairwise:
        check_table(A, shape=(len(A), len(A)))
    X = X if hasattr(X, "iloc") else A
    if regression:
        return X, A, checked_targets(y, A)
    classes, codes = check_classes(y, len(A))
    return X, A, classes[codes]


def _splits(X, y, n_splits, regression, rng):
    """Training and test rows of each fold."""
    folds, most, reason = (
        KFold,
        len(y) // 2,
        "so that each has two samples, for the deviation of targets",
    )
    if not regression:
        classes, sizes = np.unique(y, return_counts=True)
        folds, most = StratifiedKFold, sizes.min()
        reason = (
            f"class {classes.tolist()[sizes.argmin()]!r} has {most}. Take fewer folds"
            " or drop it"
        )
    if n_splits > most:
        raise ValueError(
            f"`n_splits` must be at most {most}; got {n_splits}: {reason}."
        )
    folds = folds(n_splits, shuffle=True, random_state=rng.randint(2**31))
    splits = list(folds.split(X, y))
    if regression and not all(varies(y[part]) for split in splits for part in split):
        raise ValueError(
            f"`n_splits`={n_splits} makes a fold, or a rest, whose targets are all"
            " equal, but errors are relative to their standard deviation. Take fewer"
            " folds or another `random_state`."
        )
    return splits


def _part(X, rows, columns):
    return X.iloc[rows, columns] if hasattr(X, "iloc") else X[rows][:, columns]
