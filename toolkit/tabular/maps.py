"""Maps with held-out samples projected on them, whose error is the one to report.

The supervised map is compared with two others. Separation in the unsupervised map comes
from the features alone. Separation in the control map, which is fitted to permuted
targets, is overfitting. The judge of `toolkit.validation` measures all of them.
"""

from dataclasses import dataclass, field, replace

import numpy as np
from sklearn.base import clone

from ..eigenmaps import SLEML
from ..validation import INTERVAL_LEVEL, difference, folds
from ..validation.judge import judge_split, project_split
from ..validation.models import N_NEIGHBORS
from ..validation.rankings import rankings_of
from .embedders import fisher_tsne, metrics_of, unsupervised_tsne

MOST_MAPPED = 1000  # samples that a map is fitted to
MOST_COMPARED = 2000  # held-out samples of the unsupervised and the control map
# Fitted samples x all samples x columns, up to which slow metrics are tried.
MOST_FOR_SLOW_METRICS = 5e6
FEWEST_SPLIT = 200  # samples; maps of fewer are cross-validated
N_FOLDS = 5  # Maps of few rows are cross-validated.


@dataclass(frozen=True, kw_only=True)
class MapRows:
    """Samples that maps are fitted to, and samples that they are measured on.

    Attributes
    ----------
    X : ndarray or DataFrame of shape (n, p)
        Numbers on comparable scales.
    groups : ndarray of int, shape (n,)
        Rows of equal values depend on each other.
    fitted, held_out : ndarray of int, shape (m,) and (k,)
        Training and held-out rows.
    seed : int, default=0
        Seed of the random number generator, for folds.
    is_cross_validated : bool, default=False
        Whether errors are those of all samples in folds, in place of the held-out ones.
    level : float, default=0.9
        Level of the intervals.
    """

    X: object
    groups: np.ndarray
    fitted: np.ndarray
    held_out: np.ndarray
    seed: int = 0
    is_cross_validated: bool = False
    level: float = INTERVAL_LEVEL


@dataclass(frozen=True, kw_only=True)
class MapChoice:
    """A supervised map, not fitted, and why it was chosen.

    Attributes
    ----------
    estimator : estimator
        The map.
    method : str
        The map in words.
    errors : dict of str to float
        Cross-validated errors of the metrics that were compared.
    """

    estimator: object
    method: str
    errors: dict = field(default_factory=dict)


def compare_maps(
    X,
    task,
    groups,
    fitted,
    held_out,
    seed=0,
    user_map=None,
    cross_validate=False,
):
    """Map samples with their targets, without, and with permuted targets.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Numbers on comparable scales.
    task : Target
        Target of all n samples.
    groups : ndarray of int, shape (n,)
        Rows of equal values depend on each other.
    fitted, held_out : ndarray of int, shape (m,) and (k,)
        Training and held-out rows, from :func:`split`.
    seed : int, default=0
        Seed of the random number generator.
    user_map : estimator, optional
        The user's own map, in place of the supervised one.
    cross_validate : bool, default=False
        Whether errors are those of all samples in folds, in place of the held-out ones.

    Returns
    -------
    comparison : MapComparison
        The three maps and their errors.
    """
    rng = np.random.default_rng(seed)

    def choose(rows):
        """The `MapChoice`, made on training samples alone."""
        if user_map is not None:
            return MapChoice(estimator=user_map, method=type(user_map).__name__)
        return _choose_map(X[rows], task[rows], groups[rows], len(X), seed)

    # 1. the method, chosen on the training samples
    choice = choose(fitted)
    sample = held_out[task[held_out].sample(MOST_COMPARED, rng)]
    rows = MapRows(
        X=X,
        groups=groups,
        fitted=fitted,
        held_out=held_out,
        seed=seed,
        is_cross_validated=cross_validate,
    )
    rows_of_others = rows
    compared_rows = np.concatenate([fitted, held_out])
    if not cross_validate:
        rows_of_others = replace(rows, held_out=sample)
        compared_rows = sample
    # 2. the supervised and the unsupervised map
    supervised, estimator = measure_map(
        choice.estimator, task, rows, choose=choose
    )
    unsupervised, _ = measure_map(unsupervised_tsne(seed), task, rows_of_others)
    supervised_losses = supervised.losses
    if not cross_validate:
        supervised_losses = supervised_losses[np.isin(held_out, sample)]
    compared_task = task.with_sample(compared_rows)[compared_rows]
    gain = difference(
        compared_task,
        unsupervised.losses,
        supervised_losses,
        groups[compared_rows],
    )
    # 3. the control map, fitted to permuted targets
    permuted_y = _permuted_target(task.y, fitted, rows_of_others.held_out, rng)
    permuted, _ = measure_map(
        choice.estimator, task.of(permuted_y), rows_of_others
    )
    return MapComparison(
        supervised=supervised,
        unsupervised=unsupervised,
        permuted=permuted,
        method=choice.method,
        task=compared_task,
        estimator=estimator,
        choice=choice.errors,
        gain=gain,
    )


def _permuted_target(y, fitted, held_out, rng):
    """A target that is permuted among the rows of both sides."""
    permuted_y = y.copy()
    rows = np.concatenate([fitted, held_out])
    permuted_y[rows] = y[rng.permutation(rows)]
    fitted_y = permuted_y[fitted]
    if y.ndim == 1 and np.all(fitted_y == fitted_y[0]):
        # No row of a rare class was left to be fitted: each side is permuted alone.
        for side in (fitted, held_out):
            permuted_y[side] = y[rng.permutation(side)]
    return permuted_y


def _choose_map(X, task, groups, n_all, seed):
    """The `MapChoice` for the training rows X of a table of so many rows."""
    if task.y.ndim == 2:
        method = "supervised Laplacian eigenmaps (SLE-ML)"
        return MapChoice(estimator=SLEML(lam=0.5), method=method)
    # The loss is that of the neighbours' vote in cross-validation.
    splits = folds(task, groups, 3, seed)
    losses = {}
    for kind in metrics_of(task):
        if kind.is_slow and n_all * X.size > MOST_FOR_SLOW_METRICS:
            break
        try:
            losses_of_folds = [
                _metric_losses(kind.metric, X, task, train, test)
                for train, test in splits
            ]
        except ValueError:
            # There is no bandwidth where most samples coincide, as those of few
            # categories do. The first kind has none.
            if not losses:
                raise
            continue
        losses[kind] = np.concatenate(losses_of_folds)
    chosen, *alternatives = losses
    for kind in alternatives:
        # The second kind can overfit any targets: it has to be clearly better.
        gain = losses[chosen] - losses[kind]
        if gain.mean() > gain.std() / np.sqrt(len(gain)):
            chosen = kind
    errors = {}
    for kind, losses_of_kind in losses.items():
        errors[kind.name] = float(task.error(losses_of_kind))
    return MapChoice(
        estimator=fisher_tsne(chosen.metric, seed),
        method=f"t-SNE of Fisher distances, from {chosen.phrase}",
        errors=errors,
    )


def _metric_losses(metric, X, task, train, test):
    """Losses of the samples of a fold by neighbours, in the metric of the others."""
    y = task.y[train]
    if np.all(y == y[0]) or np.all(X[train] == X[train[0]]):
        # All rows of a rare class are in the other part: any neighbour will do.
        nearest = np.tile(np.arange(len(train)), (len(test), 1))
    else:
        fitted = clone(metric).fit(X[train], y)
        D = fitted.distances(X[test], X[train])
        nearest = np.argsort(D, axis=1, kind="stable")[:, :N_NEIGHBORS]
    predictions = task.neighbor_predictions(y, nearest)
    return task[test].prediction_losses(predictions)


def measure_map(estimator, task, rows, y=None, *, choose=None):
    """Fit a map to training rows, project others, and measure its error.

    Parameters
    ----------
    estimator : estimator
        The map, not fitted.
    task : Target
        Target of all n samples.
    rows : MapRows
        Samples, and which of them are fitted.
    y : ndarray of shape (n,), optional
        What the map is fitted to; by default the target.
    choose : callable, optional
        ``choose(rows)`` gives the `MapChoice` of a fold, made on its training rows; by
        default the map of each fold is `estimator`.

    Returns
    -------
    result : MapResult
        Positions and errors. Held-out rows in a group with training rows are ignored in
        the error.
    fitted : estimator
        The fitted map.
    """
    if y is None:
        y = task.y
    result, fitted = _measure_split(estimator, task, rows, y)
    if rows.is_cross_validated:
        result = _with_folds(estimator, result, task, rows, y, choose=choose)
    return result, fitted


def _measure_split(estimator, task, rows, y):
    """The `MapResult` of one split, and the fitted map."""
    train = rows.fitted
    test = rows.held_out
    projection = project_split(estimator, rows.X, y, train, test)
    judgement = judge_split(projection, task)
    training_task = task.with_sample(train)[train]
    held_out_task = task.with_sample(test)[test]
    groups = rows.groups[test]
    losses = judgement.losses
    losses[np.isin(groups, rows.groups[train])] = np.nan
    error = float(held_out_task.error(losses))
    interval = held_out_task.interval(losses, groups, rows.level)
    training_error = float(training_task.error(judgement.training_losses))
    is_judged = np.flatnonzero(np.isfinite(losses))
    predictions = judgement.predictions[is_judged]
    rankings = rankings_of(
        held_out_task[is_judged], predictions[None], groups[is_judged]
    )
    phrase = _errors_phrase(held_out_task, error, interval, training_error)
    if rankings:
        phrase = f"{rankings[0].short_phrase}; {phrase}"
    shown_rows = np.concatenate([train, test])
    result = MapResult(
        rows=shown_rows,
        Z=np.vstack([projection.Z, projection.Z_new]),
        y=task.y[shown_rows],
        n_fitted=len(train),
        losses=losses,
        error=error,
        interval=interval,
        training_error=training_error,
        training=training_task,
        errors=phrase,
    )
    return result, projection.fitted


def _with_folds(estimator, result, task, rows, y, *, choose):
    """A `MapResult` with errors of all its samples, by maps of folds."""
    shown_rows = result.rows
    groups = rows.groups[shown_rows]
    shown_task = task.with_sample(shown_rows)[shown_rows]
    losses = np.full(len(shown_rows), np.nan)
    for train, test in folds(shown_task, groups, N_FOLDS, rows.seed):
        training_rows = shown_rows[train]
        if choose is not None:
            # Held-out samples of the fold have no part in the choice.
            estimator = choose(training_rows).estimator
        projection = project_split(
            estimator, rows.X, y, training_rows, shown_rows[test]
        )
        losses[test] = judge_split(projection, task).losses
    error = float(shown_task.error(losses))
    interval = shown_task.interval(losses, groups)
    phrase = _errors_phrase(shown_task, error, interval, result.training_error)
    return replace(
        result,
        losses=losses,
        error=error,
        interval=interval,
        errors=phrase,
        is_cross_validated=True,
    )


def _errors_phrase(task, error, interval, training_error):
    """Held-out error with its interval, and training error, in words."""
    return (
        f"held-out error {task.phrase(error, interval)}, training error"
        f" {task.percent(training_error)}"
    )


@dataclass(frozen=True, kw_only=True)
class MapResult:
    """The positions of training and held-out samples in a map.

    Attributes
    ----------
    rows : ndarray of int, shape (m,)
        The samples shown: first the training samples, then the others.
    Z : ndarray of shape (m, 2)
        Positions of the samples.
    y : ndarray of shape (m,) or (m, l)
        The targets that the map was fitted to; the true ones for an unsupervised map.
    n_fitted : int
        Number of training samples.
    losses : ndarray of shape (m - n_fitted,) or (m,)
        Losses of the held-out samples, each predicted by its five nearest training
        samples in the map; of all samples if it was cross-validated.
    error : float
        Error on the held-out samples.
    interval : (float, float)
        Interval of the error, of level 0.9.
    training_error : float
        Leave-one-out error of the training samples; optimistic.
    training : Target
        Target of the training samples.
    errors : str
        All three in words.
    is_cross_validated : bool
        Whether the error is that of maps fitted to four fifths of all samples, and the
        picture one map of a split.
    """

    rows: np.ndarray
    Z: np.ndarray
    y: np.ndarray
    n_fitted: int
    losses: np.ndarray
    error: float
    interval: tuple
    training_error: float
    training: object
    errors: str
    is_cross_validated: bool = False

    @property
    def protocol(self):
        """How the error was measured, in words."""
        if self.is_cross_validated:
            return f"{N_FOLDS} folds"
        return "one split"

    @property
    def measured_on(self):
        """The samples of the error, in words."""
        n = f"{len(self.losses):,}"
        if self.is_cross_validated:
            return f"{n} rows in {N_FOLDS} folds"
        return f"{n} held-out rows"

    @property
    def sides(self):
        """Which samples are training samples, and which are held out, as words (m,)."""
        is_fitted = np.arange(len(self.rows)) < self.n_fitted
        return np.where(is_fitted, "training", "held out")


@dataclass(frozen=True, kw_only=True)
class MapComparison:
    """The supervised map, the unsupervised one, and the control map.

    Attributes
    ----------
    supervised, unsupervised, permuted : MapResult
        Results of the maps. `supervised` has all held-out samples; `permuted` is the
        control map.
    method : str
        The supervised method in words.
    task : Target
        Target of the held-out samples.
    estimator : estimator
        The fitted supervised map.
    choice : dict of str to float
        Cross-validated errors on the training samples, by which the metric was chosen.
    gain : (float, (float, float))
        Error of the unsupervised map minus that of the supervised one on the same
        held-out samples, and its interval of level 0.9.
    """

    supervised: MapResult
    unsupervised: MapResult
    permuted: MapResult
    method: str
    task: object
    estimator: object
    choice: dict
    gain: tuple

    @property
    def common(self):
        """The supervised map at the rows of the two others, in their order."""
        supervised = self.supervised
        if supervised.is_cross_validated:
            return supervised
        is_common = np.isin(supervised.rows, self.unsupervised.rows)
        is_common_held_out = is_common[supervised.n_fitted :]
        return replace(
            supervised,
            rows=supervised.rows[is_common],
            Z=supervised.Z[is_common],
            y=supervised.y[is_common],
            losses=supervised.losses[is_common_held_out],
        )
