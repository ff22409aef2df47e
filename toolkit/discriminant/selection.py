"""Importance-weighted cross-validation: beta and dimension of SELF where labelled samples are not typical of all.

Cross-validation estimates the error where labelled samples lie. If the others are
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

from ..core.arrays import as_frame, check_table
from ..core.checks import (
    check_fraction,
    check_integer,
    check_n_components,
    check_part,
    check_seed,
)
from ..core.labels import check_partial_labels
from ..core.progress import Shared, results
from ..core.scaling import suppress_scale_warning, warn_of_scales
from .maps import SELF
from .regression import GraphLabelRegression


@dataclass(frozen=True)
class Selection:
    """What the cross-validation found."""

    beta: float  # of the least weighted estimate of the error, as is n_components
    n_components: int
    plain_beta: float  # the choice without weights
    plain_n_components: int
    weighted: np.ndarray  # (len(betas), len(dimensions)), the estimates of the error
    plain: np.ndarray
    weights: np.ndarray  # (n_labelled,), importance of each labelled sample, mean 1
    betas: list
    dimensions: list

    def to_frame(self):
        """A pandas DataFrame with a row for each beta and number of dimensions: both estimates of the error.

        Examples
        --------
        >>> errors = np.array([[0.2], [0.1]])
        >>> Selection(0.5, 1, 0.5, 1, errors, errors, np.ones(9), betas=[0.0, 0.5], dimensions=[1]).to_frame()
           beta  n_components  weighted  plain
        0   0.0             1       0.2    0.2
        1   0.5             1       0.1    0.1
        """
        beta, dimension = (
            grid.ravel()
            for grid in np.meshgrid(self.betas, self.dimensions, indexing="ij")
        )
        errors = {"weighted": self.weighted.ravel(), "plain": self.plain.ravel()}
        return as_frame({"beta": beta, "n_components": dimension} | errors)


def importance_weights(X_labelled, X_all, *, flattening=1.0, C=0.1):
    """Density ratio p_all(x) / p_labelled(x) at the labelled samples, with mean 1.

    By logistic regression between the two sets: P(all | x) / P(labelled | x) is the
    ratio up to a constant. It needs fewer labelled samples in many dimensions than
    estimates with Gaussian kernels (KLIEP, uLSIF).

    Parameters
    ----------
    X_labelled : ndarray of shape (m, d)
    X_all : ndarray of shape (n, d)
    flattening : float in [0, 1], default=1.0
        Exponent of the ratio: 0 gives equal weights; between, less variance for some
        bias (Shimodaira).
    C : float, default=0.1
        Inverse regularisation of the logistic regression on standardised features.

    Returns
    -------
    ndarray of shape (m,)

    Examples
    --------
    >>> import numpy as np
    >>> w = importance_weights(np.array([[0.0], [1.0]]), np.linspace(0, 5, 50)[:, None])
    >>> bool(w[1] > w[0])  # the labelled one that is nearer to the bulk counts more
    True
    """
    X = np.vstack([X_labelled, X_all])
    is_all = np.repeat([0, 1], [len(X_labelled), len(X_all)])
    model = make_pipeline(
        StandardScaler(),
        LogisticRegression(C=C, class_weight="balanced", max_iter=1000),
    )
    odds = model.fit(X, is_all).decision_function(X_labelled)
    w = np.exp(flattening * (odds - odds.max()))
    return w / w.mean()


def importance_weighted_cv(
    X,
    y,
    *,
    betas=(0.0, 0.25, 0.5, 0.75, 1.0),
    dimensions=(1, 2),
    estimator=None,
    classifier=None,
    n_splits=5,
    flattening=1.0,
    random_state=None,
    n_jobs=None,
    verbose=False,
):
    """Error of GraphLabelRegression after SELF, for each beta and dimension, by importance-weighted cross-validation.

    The labels of one fold at a time are hidden; its samples stay, unlabelled
    (Kitamura2007, section 5, open problem).

    Parameters
    ----------
    X : array-like of shape (n, d)
    y : array-like of shape (n,), -1 for unlabelled
    betas : sequence of float in [0, 1]
    dimensions : sequence of int
    estimator : SELF, optional
        Template with the other parameters.
    classifier : GraphLabelRegression, optional
    n_splits : int, default=5
        No more than the labelled samples of the smallest class.
    flattening : float in [0, 1], see :func:`importance_weights`
    random_state : int, RandomState or None
        Draws the folds, for the order of the rows given.
    n_jobs : int, optional, processes of joblib, each of which takes folds
    verbose : bool, default=False, show a progress bar

    Returns
    -------
    Selection
        `beta` and `n_components` with the least weighted error, `plain_beta` and
        `plain_n_components` without weights, the errors `weighted` and `plain` of shape
        (len(betas), len(dimensions)), also as `to_frame()`, and the `weights`
        (n_labelled,). Of equal errors the larger beta is taken, which uses more
        samples, and then the smaller dimension.

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
    given = X
    X = check_table(X, least=2)
    warn_of_scales(X, given)
    labels, labelled = check_partial_labels(y, len(X))
    betas = [check_fraction(beta, "betas") for beta in np.atleast_1d(betas).tolist()]
    check_fraction(flattening, "flattening")
    d = X.shape[1]
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
    if not isinstance(estimator, SELF | None):
        raise ValueError(
            "`estimator` must be a SELF, whose parameters are used; got"
            f" {type(estimator).__name__}."
        )
    template = (SELF() if estimator is None else clone(estimator)).set_params(
        n_components=max(dimensions)
    )
    rule = check_part(classifier, "classifier", "fit_predict") or GraphLabelRegression()
    codes = np.where(labelled, labels.Y.argmax(axis=1), -1)
    counts = np.bincount(codes[labelled])
    if counts.min() < 2:
        raise ValueError(
            "`y` must label at least two samples of each class to hold one out; class "
            f"{str(labels.classes[counts.argmin()])!r} has {counts.min()}."
        )
    rows = np.flatnonzero(labelled)
    folds = StratifiedKFold(
        min(n_splits, counts.min()), shuffle=True, random_state=check_seed(random_state)
    )
    wrong = np.zeros((len(betas), len(dimensions), len(rows)))
    hidden = [fold for _, fold in folds.split(rows, codes[rows])]
    shared = Shared(X=X, codes=codes, template=template, rule=rule)
    tasks = (delayed(_wrong)(shared, rows[fold], betas, dimensions) for fold in hidden)
    bar = (
        [len(betas) * len(dimensions)] * len(hidden),
        "importance_weighted_cv",
        verbose,
    )
    for fold, part in zip(hidden, results(tasks, n_jobs, bar=bar), strict=True):
        wrong[:, :, fold] = part
    weights = importance_weights(X[rows], X, flattening=flattening)
    weighted = wrong @ weights / weights.sum()
    plain = wrong.mean(axis=-1)
    best = *_least(weighted, betas, dimensions), *_least(plain, betas, dimensions)
    return Selection(*best, weighted, plain, weights, betas, dimensions)


def _wrong(shared, hidden, betas, dimensions):
    """Which of the hidden samples (h,) are predicted wrongly, for each beta and dimension, (b, r, h)."""
    X = shared.X
    known = shared.codes.copy()
    wrong = np.zeros((len(betas), len(dimensions), len(hidden)))
    known[hidden] = -1
    with suppress_scale_warning():
        for b, T in enumerate(clone(shared.template).fit(X, known).path(betas)[1]):
            for k, r in enumerate(dimensions):
                predicted = clone(shared.rule).fit_predict(X @ T[:r].T, known)
                wrong[b, k] = predicted[hidden] != shared.codes[hidden]
    return wrong


def _least(table, betas, dimensions):
    """Beta and dimension of the least error; of equal errors those of the larger beta, then the smaller dimension."""
    order = [
        (-round(e, 12), betas[b], -dimensions[d]) for (b, d), e in np.ndenumerate(table)
    ]
    _, beta, dimension = max(order)
    return beta, -dimension
