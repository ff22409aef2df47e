"""Importance-weighted cross-validation of SELF: its beta and dimension.

Labelled samples may not be representative. Cross-validation estimates the error for
their distribution. If the others are
distributed differently (covariate shift), each held-out labelled sample is weighted by
the density ratio w(x) = p_all(x) / p_labelled(x).
"""

from dataclasses import dataclass

import numpy as np
from joblib import delayed
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ..core import (
    Shared,
    check_fraction,
    check_integer,
    check_n_components,
    check_seed,
    check_table,
    partial_codes,
    require,
    results,
    suppress_scale_warning,
    warn_of_scales,
)
from .maps import SELF
from .regression import GraphLabelRegression


@dataclass(frozen=True, kw_only=True)
class Selection:
    """What the cross-validation found."""

    # These two have the least weighted estimate of the error.
    beta: float
    n_components: int
    unweighted_beta: float  # the choice without weights
    unweighted_n_components: int
    # The estimates of the error have the shape (len(betas), len(dimensions)).
    weighted: np.ndarray
    unweighted: np.ndarray
    weights: np.ndarray  # (n_labelled,), importance of the samples, mean 1
    betas: list
    dimensions: list


def importance_weights(X_labelled, X_all, *, C=0.1):
    """Density ratio p_all(x) / p_labelled(x) at the labelled samples, with mean 1.

    By logistic regression between the two sets: P(all | x) / P(labelled | x) is the
    ratio up to a constant. It needs fewer labelled samples in many dimensions than
    estimates with Gaussian kernels (KLIEP, uLSIF).

    Parameters
    ----------
    X_labelled : ndarray of shape (m, d)
    X_all : ndarray of shape (n, d)
    C : float, default=0.1
        Inverse regularisation of the logistic regression on standardised features.

    Returns
    -------
    ndarray of shape (m,)

    Examples
    --------
    >>> import numpy as np
    >>> w = importance_weights(np.array([[0.0], [1.0]]), np.linspace(0, 5, 50)[:, None])
    >>> bool(w[1] > w[0])  # the labelled one that is nearer to the bulk weighs more
    True
    """
    X = np.vstack([X_labelled, X_all])
    is_all = np.repeat([0, 1], [len(X_labelled), len(X_all)])
    model = make_pipeline(
        StandardScaler(),
        LogisticRegression(C=C, class_weight="balanced", max_iter=1000),
    )
    model.fit(X, is_all)
    log_odds = model.decision_function(X_labelled)
    w = np.exp(log_odds - log_odds.max())
    return w / w.mean()


def importance_weighted_cv(
    X,
    y,
    *,
    betas=(0.0, 0.25, 0.5, 0.75, 1.0),
    dimensions=(1, 2),
    estimator=None,
    n_splits=5,
    random_state=None,
    n_jobs=None,
    verbose=False,
):
    """Choose beta and dimension of SELF by importance-weighted cross-validation.

    The error is that of GraphLabelRegression after SELF. In each fold the labels of its
    samples are hidden; the samples stay, unlabelled (Kitamura2007, section 5, open
    problem).

    Parameters
    ----------
    X : array-like of shape (n, d)
        Samples.
    y : array-like of shape (n,)
        Classes; -1 for unlabelled.
    betas : sequence of float in [0, 1], default=(0.0, 0.25, 0.5, 0.75, 1.0)
        Values of beta to compare.
    dimensions : sequence of int, default=(1, 2)
        Dimensions to compare.
    estimator : SELF, optional
        Template with the other parameters.
    n_splits : int, default=5
        Number of folds, at most the number of labelled samples of the smallest class.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds; results also depend on the order of the rows.
    n_jobs : int or None, default=None
        Number of parallel jobs of joblib; None means 1, -1 all cores.
    verbose : bool, default=False
        Whether to show a progress bar.

    Returns
    -------
    selection : Selection
        `beta` and `n_components` with the least weighted error, `unweighted_beta` and
        `unweighted_n_components` without weights, the errors `weighted` and
        `unweighted` of shape (len(betas), len(dimensions)), and the `weights`
        (n_labelled,). Of equal errors
        the larger beta is taken (more weight for the unlabelled samples), and then the
        smaller dimension.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> few = np.where(np.arange(150) % 10 == 0, y, -1)
    >>> chosen = importance_weighted_cv(X, few, random_state=0)
    >>> chosen.weighted.shape
    (5, 2)
    """
    table = X
    X = check_table(X, min_rows=2)
    warn_of_scales(X, table)
    classes, codes = partial_codes(y, len(X))
    rows = np.flatnonzero(codes >= 0)
    counts = np.bincount(codes[rows])
    d = X.shape[1]
    betas = [
        check_fraction(beta, "betas") for beta in np.atleast_1d(betas).tolist()
    ]
    dimensions = [
        check_n_components(r, d, d, "the features", name="dimensions")
        for r in np.atleast_1d(dimensions).tolist()
    ]
    if not betas or not dimensions:
        raise ValueError(
            f"`betas` and `dimensions` must hold a value each; got {betas} and"
            f" {dimensions}."
        )
    check_integer(n_splits, "n_splits", 2)
    rule = "a SELF, whose parameters are used, or None"
    require(isinstance(estimator, SELF | None), "estimator", rule, estimator)
    template = SELF() if estimator is None else clone(estimator)
    template.set_params(n_components=max(dimensions))
    if counts.min() < 2:
        raise ValueError(
            "`y` must label at least two samples of each class to hold one out; class "
            f"{str(classes[counts.argmin()])!r} has {counts.min()}."
        )
    rng = check_seed(random_state)
    n_folds = min(n_splits, counts.min())
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=rng)
    hidden = [fold for _, fold in folds.split(rows, codes[rows])]
    shared = Shared(X=X, codes=codes, template=template)
    tasks = (
        delayed(_errors)(shared, rows[fold], betas, dimensions)
        for fold in hidden
    )
    n_maps = len(betas) * len(dimensions)
    bar = [n_maps for _ in hidden], "importance_weighted_cv", verbose
    errors_by_fold = list(results(tasks, n_jobs, bar=bar))
    errors = np.concatenate(errors_by_fold, axis=2)
    # The errors return to the order of the rows.
    order = np.argsort(np.concatenate(hidden))
    errors = errors[:, :, order]
    weights = importance_weights(X[rows], X)
    weighted = errors @ weights / weights.sum()
    unweighted = errors.mean(axis=-1)
    beta, dimension = _least(weighted, betas, dimensions)
    unweighted_beta, unweighted_dimension = _least(
        unweighted, betas, dimensions
    )
    return Selection(
        beta=beta,
        n_components=dimension,
        unweighted_beta=unweighted_beta,
        unweighted_n_components=unweighted_dimension,
        weighted=weighted,
        unweighted=unweighted,
        weights=weights,
        betas=betas,
        dimensions=dimensions,
    )


def _errors(shared, hidden, betas, dimensions):
    """Which of the hidden samples (h,) are misclassified, (b, r, h).

    `shared` holds the samples, their classes and the model; there are b betas and r
    `dimensions`.
    """
    training_codes = shared.codes.copy()
    training_codes[hidden] = -1
    errors = np.empty((len(betas), len(dimensions), len(hidden)), dtype=bool)
    with suppress_scale_warning():
        model = clone(shared.template).fit(shared.X, training_codes)
        _, components = model.path(betas)
        for b, rows in enumerate(components):
            for j, r in enumerate(dimensions):
                Z = shared.X @ rows[:r].T
                regression = GraphLabelRegression()
                classes = regression.fit_predict(Z, training_codes)
                errors[b, j] = classes[hidden] != shared.codes[hidden]
    return errors


def _least(table, betas, dimensions):
    """Beta and dimension of the least error.

    Of equal errors those of the larger beta, then of the smaller dimension.

    `table` (b, r) has the errors.
    """
    choices = [
        (-round(error, 12), betas[b], -dimensions[j])
        for (b, j), error in np.ndenumerate(table)
    ]
    _, beta, minus_dimension = max(choices)
    return beta, -minus_dimension
