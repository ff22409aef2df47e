"""Does a discriminative map show data, or labels by heart? The same pipeline with permuted labels, and held out.

A metric that has seen the labels can pull any labelling apart. So the error on its own samples means little beside two
others: that with permuted labels, where nothing can be learned (the row "baseline" of Table 2.1), and that of samples
whose labels the metric never met.
"""

from functools import partial
from numbers import Integral

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils import Bunch, check_random_state

from ..core.checks import check_n_components
from ..core.graphs import squared_distances
from ..core.labels import check_labels
from ..quality import knn_error, knn_nrmse
from .gp import GPFisher

__all__ = ["overfitting_check"]


def overfitting_check(
    metric, X, y, embedder=None, *, n_neighbors=None, n_permutations=10, n_splits=5, random_state=None, n_jobs=None
):
    """Nearest-neighbour errors of a Fisher metric, or of a map from it: in sample, with permuted labels, held out.

    Parameters
    ----------
    metric : estimator of this package
        It is cloned and fitted anew for every labelling and fold, the model of a :class:`ModelFisher` with it.
    X : array-like or DataFrame of shape (n, d), or similarities (n, n) for the metrics that take these
    y : array-like of shape (n,) or (n, 1), classes or real targets
    embedder : estimator of `toolkit.embed` with ``metric="precomputed"``, optional
        Errors are those in its maps; without one, those of the distances.
    n_neighbors : int, optional
        1 for the metrics of classes, 5 for those of a real-valued target by default.
    n_permutations : int >= 1
    n_splits : int >= 2
        Folds: at most the size of the smallest class; for a real-valued target, two samples or more a fold.
    random_state : int, RandomState or None
        Order of permutations and of folds.
    n_jobs : int, optional
        Processes of joblib.

    Returns
    -------
    Bunch
        `in_sample` (float): leave-one-out error of samples whose labels made the metric;
        `permuted` (ndarray of shape (n_permutations,)): the same after a permutation of all labels;
        `held_out` (ndarray of shape (n_splits,)): metric from the other folds, distances and map of all samples, each
        sample of the fold judged by its neighbours among the others;
        `plain` (ndarray of shape (n_splits,)): the same folds with the distances of the data, no metric at all;
        `score` (str): what the errors are.

    Notes
    -----
    Errors of classes are shares (:func:`~toolkit.quality.knn_error`), those of a target are relative to its spread
    (:func:`~toolkit.quality.knn_nrmse`). Where `permuted` is well below chance, `in_sample` says nothing. The metric
    has brought something where `held_out` is below `plain`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from toolkit.fisher import ParzenFisher
    >>> X, y = load_iris(return_X_y=True)
    >>> found = overfitting_check(ParzenFisher(), X, y, n_permutations=3, random_state=0)
    >>> [round(float(np.mean(e)), 2) for e in (found.in_sample, found.permuted, found.held_out, found.plain)]
    [0.02, 0.54, 0.04, 0.03]
    """
    if not isinstance(metric, BaseEstimator) or not hasattr(metric, "distances"):
        raise ValueError(f"`metric` must be a Fisher metric such as ParzenFisher(); got {metric!r}.")
    regression = isinstance(metric, GPFisher)
    pairwise = metric.__sklearn_tags__().input_tags.pairwise
    if embedder is not None and getattr(embedder, "metric", None) != "precomputed":
        raise ValueError('`embedder` must map distances; create it with metric="precomputed".')
    X, y = _checked(X, y, regression, pairwise)
    d = X.shape[1]
    repeats = check_n_components(n_permutations, 10**6, d, "any number", name="n_permutations")
    rng = check_random_state(random_state)
    splits = _splits(X, y, n_splits, regression, rng)
    most = min(len(train) for train, _ in splits)
    k = n_neighbors if n_neighbors is not None else (5 if regression else 1)
    k = check_n_components(k, most, d, "the samples beside the largest fold", name="n_neighbors")
    error = partial(knn_nrmse if regression else knn_error, k=k)
    labellings = [y] + [rng.permutation(y) for _ in range(repeats)]
    run = Parallel(n_jobs)
    found = run(delayed(_in_sample)(metric, X, labels, embedder, error) for labels in labellings)
    outside = run(delayed(_held_out)(metric, X, y, embedder, error, *split) for split in splits)
    plain = _shown(_plain_distances(np.asarray(X, dtype=float), pairwise), embedder)
    return Bunch(
        in_sample=found[0],
        permuted=np.array(found[1:]),
        held_out=np.array(outside),
        plain=np.array([_fold_error(*plain, y, error, *split) for split in splits]),
        score=f"{k}-nearest-neighbour {'nRMSE' if regression else 'error'}",
    )


def _shown(distances, embedder):
    """What the errors are measured in, and how."""
    if embedder is None:
        return distances, "precomputed"
    return clone(embedder).fit_transform(distances), "euclidean"


def _in_sample(metric, X, labels, embedder, error):
    """Error of the samples that made the metric."""
    Z, kind = _shown(clone(metric).fit(X, labels).distances(), embedder)
    return error(Z, labels, metric=kind)


def _held_out(metric, X, y, embedder, error, train, test):
    """Error of samples whose labels the metric never met."""
    columns = train if metric.__sklearn_tags__().input_tags.pairwise else slice(None)
    fitted = clone(metric).fit(_part(X, train, columns), y[train])
    shown = _shown(fitted.distances(_part(X, slice(None), columns)), embedder)
    return _fold_error(*shown, y, error, train, test)


def _fold_error(Z, kind, y, error, train, test):
    if kind == "precomputed":
        train_rows, test_rows = Z[np.ix_(train, train)], Z[np.ix_(test, train)]
        return error(train_rows, y[train], metric=kind, Z_new=test_rows, y_new=y[test])
    return error(Z[train], y[train], Z_new=Z[test], y_new=y[test])


def _plain_distances(X, pairwise):
    """Distances of vectors, or those that similarities say."""
    if not pairwise:
        middle = np.median(X, axis=0)
        return np.sqrt(squared_distances(X - middle, X - middle))
    own = np.diag(X)
    D = np.sqrt(np.maximum(own[:, None] + own - (X + X.T), 0))
    np.fill_diagonal(D, 0.0)
    return D


def _checked(X, y, regression, pairwise):
    """Samples (a DataFrame stays one) and labels or targets (n,)."""
    X = X if hasattr(X, "iloc") else np.asarray(X, dtype=float)
    if X.ndim != 2 or (pairwise and X.shape[0] != X.shape[1]):
        wanted = "(n, n), similarities" if pairwise else "(n, d), a row a sample"
        raise ValueError(f"`X` must have shape {wanted}; got shape {X.shape}.")
    if y is None:
        raise ValueError("`y` is missing: this check needs classes or real targets.")
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y.ravel()
    if y.shape != (len(X),):
        raise ValueError(f"`y` must have one class or target a sample, shape ({len(X)},) as `X` has; got {y.shape}.")
    if not regression:
        check_labels(y, len(X), name="y")
        return X, y
    try:
        y = y.astype(float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"`y` must hold real targets for a process: {error}.") from None
    if not np.all(np.isfinite(y)):
        raise ValueError("`y` must be finite; there is NaN or infinity. Drop those samples.")
    if not _varies(y):
        raise ValueError(f"`y` must vary; all {len(y)} targets are {y[0]:.6g}.")
    return X, y


def _splits(X, y, n_splits, regression, rng):
    """Rows of the other folds and of the fold, for each fold."""
    if not isinstance(n_splits, Integral) or isinstance(n_splits, bool) or n_splits < 2:
        raise ValueError(f"`n_splits` must be an integer >= 2; got {n_splits!r}.")
    if regression and n_splits > len(y) // 2:
        raise ValueError(
            f"`n_splits` must be at most {len(y) // 2}, so that each fold has two samples: errors are relative to the "
            f"spread of its targets; got {n_splits}."
        )
    if not regression:
        classes, sizes = np.unique(y, return_counts=True)
        if sizes.min() < n_splits:
            raise ValueError(
                f"`n_splits` must be at most the size of the smallest class, so that each fold has it; got {n_splits}, "
                f"and class {classes.tolist()[sizes.argmin()]!r} has {sizes.min()}. Take fewer folds or drop it."
            )
    folds = (KFold if regression else StratifiedKFold)(n_splits, shuffle=True, random_state=rng.randint(2**31))
    splits = list(folds.split(X, y))
    if regression and not all(_varies(y[part]) for split in splits for part in split):
        raise ValueError(
            f"`n_splits`={n_splits} makes a fold, or a rest, whose targets are all equal, but errors are relative to "
            "their spread. Take fewer folds or another `random_state`."
        )
    return splits


def _varies(y):
    return np.ptp(y) > 1e-12 * np.abs(y).max()


def _part(X, rows, columns):
    return X.iloc[rows, columns] if hasattr(X, "iloc") else X[rows][:, columns]
