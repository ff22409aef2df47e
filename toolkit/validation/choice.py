"""Error of the best of several models, chosen without the rows that it predicts.

The smallest of several cross-validated errors is too small: on noise by 0.03 to 0.05.
Here the model is chosen for each fold by fits without it and without a second one. With
more than 300 rows a bootstrap is used: the model is chosen on the rows drawn and
evaluated on the others.
"""

from contextlib import closing
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from joblib import delayed
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

from ..core import results
from .intervals import N_PERMUTED_TARGETS, p_value, row_weights
from .splits import folds

N_FOLDS = 5
N_REPEATS = 3
MOST_REPEATED = 1000  # Of more rows the folds are drawn once.
MOST_NESTED = 300  # Of more rows the choice is corrected by bootstrap.


@dataclass(frozen=True, kw_only=True)
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
    >>> from toolkit.validation import as_target
    >>> target = as_target([0, 1] * 20, 40)
    >>> X = target.y[:, None] + np.random.default_rng(0).normal(size=(40, 3))
    >>> models = {"linear": target.linear, "neighbours": target.neighbours(5)}
    >>> choice_of(target, X, np.arange(40), models).best
    'neighbours'
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
    n_rows = len(target.y)
    n_models = len(models)
    n_repeats = N_REPEATS if n_rows <= MOST_REPEATED else 1
    repeats = [
        folds(target, groups, N_FOLDS, seed + repeat)
        for repeat in range(n_repeats)
    ]
    n_folds = len(repeats[0])
    # No rows are left to choose the model on where there are two folds.
    is_nested = n_models > 1 and n_rows <= MOST_NESTED and n_folds > 2
    jobs = [
        delayed(_out_of_fold)(target, clone(model), X, splits, is_nested)
        for splits in repeats
        for model in models.values()
    ]
    bar = len(jobs), "models", verbose
    predictions = []
    losses = []
    scores = []
    nested_scores = []
    for predictions_of_model, scores_of_pairs in results(jobs, n_jobs, bar=bar):
        predictions.append(predictions_of_model)
        losses.append(target.prediction_losses(predictions_of_model))
        scores.append(target.scores(predictions_of_model))
        nested_scores.append(scores_of_pairs)
    losses = np.reshape(losses, (n_repeats, n_models, n_rows))
    scores = np.reshape(scores, (n_repeats, n_models, n_rows))
    if is_nested:
        nested_scores = np.reshape(
            nested_scores, (n_repeats, n_models, n_folds, n_folds)
        )
        weights = _nested_choices(nested_scores, repeats, scores.shape)
    else:
        weights = _out_of_bag(scores.mean(axis=0), groups)
    mean_scores = scores.mean(axis=(0, 2))
    best_predictions = np.array(predictions[mean_scores.argmin() :: n_models])
    losses_of_best = (losses * weights).sum(axis=1).mean(axis=0)
    scores_of_best = (scores * weights).sum(axis=1).mean(axis=0)
    errors = {}
    for name, losses_of_model in zip(models, losses.mean(axis=0), strict=True):
        errors[name] = float(target.error(losses_of_model))
    return Choice(
        losses=losses_of_best,
        scores=scores_of_best,
        errors=errors,
        mean_scores=dict(zip(models, mean_scores.tolist(), strict=True)),
        auc=_mean_auc(target, best_predictions),
        least_score=_smallest_sum(scores[0], repeats[0]),
        predictions=best_predictions,
    )


def _nested_choices(nested_scores, repeats, shape):
    """Whether each model (n_repeats, n_models, n) is chosen for each row, as 0 or 1.

    `nested_scores` (n_repeats, n_models, n_folds, n_folds) are those of all other folds
    by models that are not fitted to the fold.
    """
    chosen_models = nested_scores.sum(axis=3).argmin(axis=1)
    weights = np.zeros(shape)
    for repeat, splits in enumerate(repeats):
        for fold, (_, test) in enumerate(splits):
            weights[repeat, chosen_models[repeat, fold], test] = 1
    return weights


def _mean_auc(target, predictions):
    """Mean area under the ROC curve over repeats (n_repeats, n, n_classes), or NaN."""
    if target.kind != "classes" or len(np.unique(target.y)) < 2:
        return np.nan
    indicators = target.columns(target.y)
    has_rows = indicators.any(axis=0)
    areas = [
        roc_auc_score(indicators[:, has_rows], probabilities[:, has_rows])
        for probabilities in predictions
    ]
    return float(np.mean(areas))


def _smallest_sum(scores, splits):
    """Smallest sum of a model's scores (n_models, n).

    It is summed fold by fold, as those of permuted targets are: the two may be equal.
    """
    sums = []
    for scores_of_model in scores:
        sums.append(sum(scores_of_model[test].sum() for _, test in splits))
    return min(sums)


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


def _out_of_fold(target, model, X, splits, is_nested):
    """Predict all rows; scores (k, k) of each fold by models of neither of two folds.

    The scores in row i are those for the choice of a model without fold i.
    """
    n_folds = len(splits)
    scores_of_pairs = np.zeros((n_folds, n_folds))
    predictions = cross_predict(target, model, X, splits)
    if not is_nested:
        return predictions, scores_of_pairs
    for i, j in combinations(range(n_folds), 2):
        _, fold = splits[i]
        _, other_fold = splits[j]
        held_out = np.concatenate([fold, other_fold])
        train = np.setdiff1d(np.arange(len(target.y)), held_out)
        pair_predictions = target.fit_predict(model, X, train, held_out)
        scores = target[held_out].scores(pair_predictions)
        scores_of_pairs[i, j] = scores[len(fold) :].sum()
        scores_of_pairs[j, i] = scores[: len(fold)].sum()
    return predictions, scores_of_pairs


def _out_of_bag(scores, groups):
    """How often (n_models, n) each is the best of bootstrap samples without the row."""
    weights = row_weights(groups)
    chosen_models = (weights @ scores.T).argmin(axis=1)
    counts = []
    for model in range(len(scores)):
        is_out_of_bag = weights[chosen_models == model] == 0
        counts.append(is_out_of_bag.sum(axis=0))
    counts = np.array(counts)
    return counts / np.maximum(counts.sum(axis=0), 1)


def significance(
    target,
    X,
    groups,
    models,
    permuters,
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
    permuters : dict of str to function
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
    n_orders = len(permuters) * (n_permutations + 1) - 1
    bar = n_orders, "permuted targets", verbose
    if true is None:
        true = _least_score(target, X, groups, models, seed=seed)
    p_values = {}
    for name, permute in permuters.items():
        orders = [permute() for _ in range(n_orders)]
        jobs = (
            delayed(_least_score)(
                target[order], X, groups, models, seed=seed, true=true
            )
            for order in orders
        )
        # What is not needed ends before the next way begins.
        with closing(results(jobs, n_jobs, bar=bar)) as scores:
            p_values[name] = p_value(true, scores, ask_worst=True)
    return p_values


def _least_score(target, X, groups, models, *, seed, true=np.nan):
    """The least of the models' scores, summed over all rows.

    With `true` given, the score of the true target, only whether the result is up to it
    is right: folds and models that cannot change this are not fitted and count as 0.
    """
    splits = folds(target, groups, N_FOLDS, seed)
    least_score = np.inf
    for model in models.values():
        # Threads share the models: each fits its own.
        model_copy = clone(model)
        score = 0.0
        for train, test in splits:
            is_decided = score > true or least_score <= true
            if not is_decided:
                predictions = target.fit_predict(model_copy, X, train, test)
                score += target[test].scores(predictions).sum()
        least_score = min(least_score, score)
    return least_score
