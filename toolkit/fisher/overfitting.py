"""Does a discriminative map show data, or labels by heart? The same pipeline with permuted labels, and held out.

A metric that has seen the labels can pull any labelling apart. So the error on its own samples means little beside two
others: that with permuted labels, where nothing can be learned (the row "baseline" of Table 2.1), and that of samples
whose labels the metric never met.
"""

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils import Bunch, check_random_state

from ..quality import knn_error, knn_nrmse
from ..validation import check_n_components
from .gp import GPFisher

__all__ = ["overfitting_check"]


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
):
    """Nearest-neighbour errors of a Fisher metric, or of a map from it: in sample, with permuted labels, held out.

    Parameters
    ----------
    metric : estimator of this package
        It is cloned.
    X : array-like of shape (n, d), or similarities (n, n) for the metrics that take these
    y : array-like of shape (n,), classes or real targets
    embedder : estimator of `toolkit.embed` with ``metric="precomputed"``, optional
        Errors are those in its maps; without one, those of the distances.
    n_neighbors : int, optional
        1 for the metrics of classes, 5 for those of a real-valued target by default.
    n_permutations, n_splits : int
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
        `score` (str): what the errors are.

    Notes
    -----
    Errors of classes are shares (:func:`~toolkit.quality.knn_error`), those of a target are relative to its spread
    (:func:`~toolkit.quality.knn_nrmse`). Where `permuted` is well below chance, `in_sample` says nothing.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from toolkit.fisher import ParzenFisher
    >>> X, y = load_iris(return_X_y=True)
    >>> found = overfitting_check(ParzenFisher(), X, y, n_permutations=3, random_state=0)
    >>> [round(float(np.mean(e)), 2) for e in (found.in_sample, found.held_out, found.permuted)]
    [0.02, 0.04, 0.54]
    """
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    regression = isinstance(metric, GPFisher)
    pairwise = metric.__sklearn_tags__().input_tags.pairwise
    if embedder is not None and getattr(embedder, "metric", None) != "precomputed":
        raise ValueError('`embedder` must map distances; create it with metric="precomputed".')
    repeats = check_n_components(n_permutations, 10**6, X.shape[1], "any number", name="n_permutations")
    k = n_neighbors if n_neighbors is not None else (5 if regression else 1)
    error = knn_nrmse if regression else knn_error
    rng = check_random_state(random_state)
    folds = (KFold if regression else StratifiedKFold)(
        n_splits, shuffle=True, random_state=rng.randint(2**31)
    )
    splits = list(folds.split(X, y))

    def shown(distances):
        """What the errors are measured in, and how."""
        if embedder is None:
            return distances, "precomputed"
        return clone(embedder).fit_transform(distances), "euclidean"

    def in_sample(labels):
        Z, kind = shown(clone(metric).fit(X, labels).distances())
        return error(Z, labels, k, metric=kind)

    def held_out(train, test):
        fitted = clone(metric).fit(X[np.ix_(train, train)] if pairwise else X[train], y[train])
        Z, kind = shown(fitted.distances(X[:, train] if pairwise else X))
        if kind == "precomputed":
            return error(
                Z[np.ix_(train, train)], y[train], k, metric=kind, Z_new=Z[np.ix_(test, train)], y_new=y[test]
            )
        return error(Z[train], y[train], k, Z_new=Z[test], y_new=y[test])

    run = Parallel(n_jobs)
    found = run(delayed(in_sample)(labels) for labels in [y] + [rng.permutation(y) for _ in range(repeats)])
    outside = run(delayed(held_out)(train, test) for train, test in splits)
    return Bunch(
        in_sample=found[0],
        permuted=np.array(found[1:]),
        held_out=np.array(outside),
        score=f"{k}-nearest-neighbour {'nRMSE' if regression else 'error'}",
    )
