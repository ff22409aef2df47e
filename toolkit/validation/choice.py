"""Error of the best of several models, chosen without the rows that it predicts.

The smallest of several cross-validated errors is too small: on noise by 0.03 to 0.05.
Here the model is chosen for each fold by fits without it and without a second one. With
more than 300 rows a bootstrap is used: the model is chosen on the rows drawn and
evaluated on the others.
"""

import warnings
from contextlib import closing
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from joblib import delayed
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold, StratifiedKFold

from ..core import results
from .intervals import N_PERMUTED_TARGETS, p_value, row_weights, units_of

N_REPEATS = 3
MOST_REPEATED = 1000  # rows; of more the folds are drawn once
MOST_NESTED = 300  # rows; of more the choice is corrected by bootstrap


def folds(target, groups, n_splits, seed):
    """Split rows into training and test rows of each fold; groups stay together.

    The proportions of classes are kept; a group of several classes counts as one of
    its rarest class. There are at most as many folds as the rarest class has groups.

    Parameters
    ----------
    target : Target
        Target of the n rows.
    groups : ndarray of shape (n,)
        Rows of equal values stay on one side of each split.
    n_splits : int
        Largest number of folds; there are at least two.
    seed : int
        Seed of the random number generator.

    Returns
    -------
    splits : list of (ndarray of int, ndarray of int)
        Numbers of the training rows and of the test rows, per fold.

    Examples
    --------
    >>> from toolkit.validation import as_target
    >>> target = as_target([0, 0, 1, 1], 4)
    >>> [test.tolist() for _, test in folds(target, np.arange(4), 5, 0)]
    [[1, 2], [0, 3]]
    """
    codes = units_of(groups)
    y = target.strata()
    first = first_rows(codes, y)
    rarest = len(first)
    strata = None
    if y is not None:
        strata = y[first]
        each = np.unique(np.column_stack([units_of(y), codes]), axis=0)
        rarest = np.bincount(each[:, 0]).min()
    n_splits = max(2, min(n_splits, rarest))
    kind = KFold
    if y is not None and np.bincount(units_of(strata)).max() >= n_splits:
        kind = StratifiedKFold
    splitter = kind(n_splits, shuffle=True, random_state=seed)
    # of a class with fewer groups than folds: it is in no fit of some
    with warnings.catch_warnings(action="ignore"):
        splits = list(splitter.split(first, strata))
    return [
        tuple(np.flatnonzero(np.isin(codes, side)) for side in sides)
        for sides in splits
    ]


def first_rows(codes, strata=None):
    """Return the first row of each group, or the first of its rarest class.

    Parameters
    ----------
    codes : ndarray of int, shape (n,)
        Numbers of the groups, from 0.
    strata : ndarray of shape (n,), optional
        Classes.

    Returns
    -------
    rows : ndarray of int, shape (n_groups,)
        Numbers of the rows, in the order of the groups.

    Examples
    --------
    >>> first_rows(np.array([0, 0, 1, 1]), np.array(["a", "a", "a", "b"])).tolist()
    [0, 3]
    """
    counts = np.zeros(len(codes))
    if strata is not None:
        units = units_of(strata)
        counts = np.bincount(units)[units]
    by_count = np.lexsort([counts, codes])
    return by_count[np.unique(codes[by_count], return_index=True)[1]]


@dataclass(frozen=True)
class Choice:
    """Losses of the best of several models on rows that it was chosen without.

    Parameters
    ----------
    losses, scores : ndarray of shape (n,)
        Loss and score of each row, the mean over the repeats.
    errors, mean_scores : dict of str to float
        Error and mean score of each model.
    auc : float
        Area under the ROC curve of the best model, one class against the rest; NaN
        where the target has no classes.
    least_score : float
        Smallest score of a model in the first repeat, summed over the rows.
    predictions : ndarray of shape (n_repeats, n) or (n_repeats, n, q), optional
        Out-of-fold predictions of the best model.

    Attributes
    ----------
    best : str
        Name of the model with the smallest score.

    Examples
    --------
    >>> errors = {"linear": 0.4, "forest": 0.2}
    >>> Choice(np.zeros(3), np.zeros(3), errors, errors, np.nan, 0.0).best
    'forest'
    """

    losses: np.ndarray
    scores: np.ndarray
    errors: dict
    mean_scores: dict
    auc: float
    least_score: float
    predictions: np.ndarray = None

    @property
    def best(self):
        """Name of the model with the smallest score."""
        return min(self.mean_scores, key=self.mean_scores.get)


def choice_of(target, X, groups, models, seed=0, *, n_jobs=None, verbose=False):
    """Compute errors of models and of the best one, over three repeats of five folds.

    Of more than 1,000 rows there is one repeat.

    Parameters
    ----------
    target : Target
        Target of the n rows.
    X : ndarray of shape (n, p)
        Samples.
    groups : ndarray of shape (n,)
        Rows of equal values stay on one side of each split.
    models : dict of str to estimator
        Models by name.
    seed : int, default=0
        Seed of the random number generator.
    n_jobs : int or None, default=None
        Number of parallel jobs of joblib over fits; None means 1, -1 all cores.
    verbose : bool, default=False
        Whether to show a progress bar.

    Returns
    -------
    choice : Choice
        Errors of each model, and losses of the best one.

    Examples
    --------
    >>> from toolkit.validation import as_target
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> target = as_target(X[:, 0] > 0, 60)
    >>> choice_of(target, X, np.arange(60), {"linear": target.linear}).losses.shape
    (60,)
    """
    y = target.y
    n_repeats = N_REPEATS if len(y) <= MOST_REPEATED else 1
    repeats = [folds(target, groups, 5, seed + r) for r in range(n_repeats)]
    n_folds = len(repeats[0])
    # of two folds none is left for the choice
    nested = len(models) > 1 and len(y) <= MOST_NESTED and n_folds > 2
    jobs = [
        delayed(_out_of_fold)(target, clone(model), X, splits, nested)
        for splits in repeats
        for model in models.values()
    ]
    found = list(results(jobs, n_jobs, bar=(len(jobs), "models", verbose)))
    shape = n_repeats, len(models)
    losses, scores = (
        np.reshape(
            [of(predictions) for predictions, _ in found], (*shape, len(y))
        )
        for of in (target.prediction_losses, target.scores)
    )
    if nested:
        pairs = np.reshape(
            [pair for _, pair in found], (*shape, n_folds, n_folds)
        )
        chosen = pairs.sum(axis=3).argmin(axis=1)
        shares = np.zeros_like(scores)
        for r, splits in enumerate(repeats):
            for i, (_, test) in enumerate(splits):
                shares[r, chosen[r, i], test] = 1
    else:
        shares = _out_of_bag(scores.mean(axis=0), groups)
    own = scores.mean(axis=(0, 2))
    best = [P for P, _ in found[own.argmin() :: len(models)]]
    auc = np.nan
    if target.kind == "classes" and len(np.unique(y)) > 1:
        Y = target.columns(y)
        known = Y.any(axis=0)
        auc = np.mean([roc_auc_score(Y[:, known], P[:, known]) for P in best])
    errors = [float(target.error(loss)) for loss in losses.mean(axis=0)]
    return Choice(
        (losses * shares).sum(axis=1).mean(axis=0),
        (scores * shares).sum(axis=1).mean(axis=0),
        dict(zip(models, errors, strict=True)),
        dict(zip(models, own.tolist(), strict=True)),
        float(auc),
        # fold by fold, as of permuted targets: these may be equal
        min(
            sum(one[test].sum() for _, test in repeats[0]) for one in scores[0]
        ),
        np.array(best),
    )


def cross_predict(target, model, X, splits):
    """Predict all rows, each by a model that is fitted to the other folds.

    Parameters
    ----------
    target : Target
        Target of the n rows.
    model : estimator
        Model, which is fitted once per fold.
    X : ndarray of shape (n, p)
        Samples.
    splits : list of (ndarray of int, ndarray of int)
        Training and test rows as :func:`folds` returns them.

    Returns
    -------
    predictions : ndarray of shape (n,) or (n, q)
        Predicted values or probabilities.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from toolkit.validation import as_target
    >>> target = as_target([0.5, 1.5, 2.0, 3.5], 4)
    >>> splits = folds(target, np.arange(4), 2, 0)
    >>> cross_predict(target, Ridge(), np.eye(4), splits).shape
    (4,)
    """
    predictions = [target.fit_predict(model, X, *split) for split in splits]
    order = np.argsort(np.concatenate([test for _, test in splits]))
    return np.concatenate(predictions)[order]


def _out_of_fold(target, model, X, splits, nested):
    """Predict all rows; scores (k, k) of one fold without it and another."""
    k = len(splits)
    pairs = np.zeros((k, k))
    y = target.y
    for i, j in combinations(range(k if nested else 0), 2):
        one, other = splits[i][1], splits[j][1]
        both = np.concatenate([one, other])
        rest = np.setdiff1d(np.arange(len(y)), both)
        scores = target[both].scores(target.fit_predict(model, X, rest, both))
        # row i: the fold i is not known to the choice
        pairs[i, j] = scores[len(one) :].sum()
        pairs[j, i] = scores[: len(one)].sum()
    return cross_predict(target, model, X, splits), pairs


def _out_of_bag(scores, groups):
    """How often (models, n) each is the best of bootstrap samples without the row."""
    W = row_weights(groups)
    chosen = (W @ scores.T).argmin(axis=1)
    counts = np.array(
        [(W[chosen == m] == 0).sum(axis=0) for m in range(len(scores))]
    )
    return counts / np.maximum(counts.sum(axis=0), 1)


def significance(
    target,
    X,
    groups,
    models,
    ways,
    seed=0,
    *,
    true=None,
    n_permutations=N_PERMUTED_TARGETS,
    n_jobs=None,
    verbose=False,
):
    """Compute p-values of the best model's score, by permuting the target.

    The computation is the same for the true target and for permuted ones: one repeat of
    five folds, the best of the models.

    Parameters
    ----------
    target : Target
        Target of the n rows.
    X : ndarray of shape (n, p)
        Samples.
    groups : ndarray of shape (n,)
        Rows of equal values stay on one side of each split.
    models : dict of str to estimator
        Models by name.
    ways : dict of str to function
        Ways to permute the target, as :func:`permutations_of` returns them.
    seed : int, default=0
        Seed of the random number generator.
    true : float, optional
        Score of the true target, `least_score` of :func:`choice_of` with the same
        seed; computed by default.
    n_permutations : int, default=19
        Number of permutations for one way; for two ways more, so that the smallest
        p-value stays the same.
    n_jobs : int or None, default=None
        Number of parallel jobs of joblib over permutations; None means 1, -1 all cores.
    verbose : bool, default=False
        Whether to show a progress bar.

    Returns
    -------
    p_values : dict of str to float
        The p-value for each way; 1 only if all permuted targets are predicted as well.

    Examples
    --------
    >>> from toolkit.validation import as_target, shifts
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> target = as_target(X[:, 0] > 0, 60)
    >>> models = {"linear": target.linear}
    >>> ways = shifts(60, np.random.default_rng(0))
    >>> significance(target, X, np.arange(60), models, ways)
    {'shifts of the file': 0.05}
    """
    n = len(ways) * (n_permutations + 1) - 1
    found = {}
    if true is None:
        true = _least_score(target, X, groups, models, seed)
    for name, way in ways.items():
        orders = [way() for _ in range(n)]
        jobs = (
            delayed(_least_score)(target[o], X, groups, models, seed, true)
            for o in orders
        )
        bar = n, "permuted targets", verbose
        # what is not needed ends before the next way begins
        with closing(results(jobs, n_jobs, bar=bar)) as scores:
            found[name] = p_value(true, scores, ask_worst=True)
    return found


def _least_score(target, X, groups, models, seed, true=np.nan):
    """The least of the models' scores, summed over all rows.

    Of permuted targets only so many folds and models are fitted as tell whether it is
    up to the true one.
    """
    splits = folds(target, groups, 5, seed)
    least = np.inf
    # threads share the models: each fits its own
    for model in map(clone, models.values()):
        total = 0.0
        for train, test in splits:
            if not (total > true or least <= true):
                predictions = target.fit_predict(model, X, train, test)
                total += target[test].scores(predictions).sum()
        least = min(least, total)
    return least
