"""Maps with held-out samples projected on them, whose error is the one to report.

The supervised map is compared with two others. Separation in the unsupervised map comes
from the features alone. Separation in the control map, which is fitted to permuted
targets, is overfitting. The linear map has an arrow for each of the columns with the
largest loadings.
"""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from sklearn.base import clone
from sklearn.cross_decomposition import PLSRegression

from ..core import as_frame, pick_rows
from ..eigenmaps import SLEML
from ..multilabel import SampleLabelMap
from ..plots import LinearMapDisplay
from ..validation import INTERVAL_LEVEL, difference, fit_map, folds
from ..validation.rankings import rankings_of
from ..validation.targets import N_NEIGHBORS
from .embedders import METRICS, fisher_tsne, unsupervised_tsne

MOST_MAPPED = 1000  # samples that a map is fitted to
MOST_COMPARED = 2000  # held-out samples of the unsupervised and the control map
# fitted samples x all samples x columns, for which a Gaussian process is tried
MOST_FOR_PROCESS = 5e6
FEWEST_SPLIT = 200  # samples; maps of fewer are cross-validated
N_FOLDS = 5
MOST_NAMED_LABELS = (
    12  # labels whose names stand in the map, those of most rows
)


@dataclass(frozen=True)
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
        return np.where(
            np.arange(len(self.rows)) < self.n_fitted, "training", "held out"
        )


@dataclass(frozen=True)
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
        full = self.supervised
        if full.is_cross_validated:
            return full
        both = np.isin(full.rows, self.unsupervised.rows)
        return replace(
            full,
            rows=full.rows[both],
            Z=full.Z[both],
            y=full.y[both],
            losses=full.losses[both[full.n_fitted :]],
        )


def compare_maps(
    X, task, groups, fitted, held_out, seed=0, map=None, cross_validate=False
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
    map : estimator, optional
        The user's own map, in place of the supervised one.
    cross_validate : bool, default=False
        Whether errors are those of all samples in folds, in place of the held-out ones.

    Returns
    -------
    comparison : MapComparison
        The three maps and their errors.
    """
    rng = np.random.default_rng(seed)
    y = task.y
    own_map = map

    def choose(rows):
        """The map, its method and errors, chosen on training samples alone."""
        if own_map is not None:
            return own_map, type(own_map).__name__, {}
        return _choose_map(X[rows], task[rows], groups[rows], len(X), seed)

    # 1. the method, chosen on the training samples
    map, method, choice = choose(fitted)
    few = held_out[task[held_out].sample(MOST_COMPARED, rng)]
    compared = task.with_sample(few)[few]
    # 2. the supervised and the unsupervised map
    measure = partial(measure_map, X=X, fitted=fitted, groups=groups)
    if cross_validate:
        few = held_out
        measure = partial(cross_validated_map, measure, seed)
        both = np.concatenate([fitted, held_out])
        compared = task.with_sample(both)[both]
        # in each fold anew: else its held-out samples have a part in the choice
        supervised, estimator = measure(
            map, task, others=held_out, choose=choose
        )
    else:
        supervised, estimator = measure(map, task, others=held_out)
    unsupervised, _ = measure(unsupervised_tsne(seed), task, others=few)
    losses = supervised.losses
    units = groups[few]
    if cross_validate:
        units = groups[both]
    else:
        losses = losses[np.isin(held_out, few)]
    gain = difference(compared, unsupervised.losses, losses, units)
    # 3. the control map, fitted to permuted targets
    mixed = y.copy()
    both = np.concatenate([fitted, few])
    mixed[both] = y[rng.permutation(both)]
    # of a rare class no row was left: each side alone
    if y.ndim == 1 and np.all(mixed[fitted] == mixed[fitted[0]]):
        for side in (fitted, few):
            mixed[side] = y[rng.permutation(side)]
    permuted, _ = measure(map, task.of(mixed), others=few)
    return MapComparison(
        supervised,
        unsupervised,
        permuted,
        method,
        compared,
        estimator,
        choice,
        gain,
    )


def _choose_map(X, task, groups, n_all, seed):
    """The map, not fitted, its name, and errors."""
    if task.y.ndim == 2:
        name = "supervised Laplacian eigenmaps (SLE-ML)"
        return SLEML(lam=0.5), name, {}
    # loss of the neighbours' vote in cross-validation
    splits = folds(task, groups, 3, seed)
    loss = {}
    metrics = METRICS[task.is_value]
    for name, metric in metrics.items():
        if name == "Gaussian process" and n_all * X.size > MOST_FOR_PROCESS:
            break
        try:
            loss[name] = np.concatenate(
                [_losses(metric, X, task, *s) for s in splits]
            )
        except ValueError:
            # no bandwidth where most samples coincide, as of few categories: the first
            # kind has none
            if not loss:
                raise
    name, *others = loss
    for other in others:
        # The second kind can overfit any targets: it has to be clearly better.
        gain = loss[name] - loss[other]
        if gain.mean() > gain.std() / np.sqrt(len(gain)):
            name = other
    choice = {key: float(task.error(value)) for key, value in loss.items()}
    model = name.replace("Gaussian", "a Gaussian")
    tsne = fisher_tsne(metrics[name], seed)
    return tsne, f"t-SNE of Fisher distances, from {model}", choice


def _losses(metric, X, task, train, test):
    """Losses of the samples of a fold by neighbours, in the metric of the others."""
    y = task.y[train]
    if np.all(y == y[0]) or np.all(X[train] == X[train[0]]):
        # of a rare class all rows are in the other part
        nearest = np.tile(np.arange(len(train)), (len(test), 1))
    else:
        D = clone(metric).fit(X[train], y).distances(X[test], X[train])
        nearest = np.argsort(D, axis=1, kind="stable")[:, :N_NEIGHBORS]
    return task[test].prediction_losses(task.neighbor_predictions(y, nearest))


def measure_map(
    map, task, X, fitted, others, groups, y=None, level=INTERVAL_LEVEL
):
    """Fit a map to training rows, project others, and measure its error: a `MapResult`.

    Other rows in a group with training rows are ignored in the error. The fitted map is
    returned, too.
    """
    own = pick_rows(X, fitted)
    training = task.with_sample(fitted)[fitted]
    Z, map = fit_map(map, own, training.y if y is None else y[fitted])
    Z_new = np.asarray(map.transform(pick_rows(X, others)))
    held_out = task.with_sample(others)[others]
    own, new = task.near(Z, training.y, Z_new)
    losses = held_out.prediction_losses(new)
    losses[np.isin(groups[others], groups[fitted])] = np.nan
    error = float(held_out.error(losses))
    interval = held_out.interval(losses, groups[others], level)
    training_error = float(training.error(training.prediction_losses(own)))
    known = np.flatnonzero(np.isfinite(losses))
    ranked = rankings_of(
        held_out[known], new[None, known], groups[others][known]
    )
    lead = ""
    if ranked:
        lead = f"{ranked[0].short_phrase}; "
    phrase = (
        f"{lead}held-out error {task.phrase(error, interval)}, training error"
        f" {task.percent(training_error)}"
    )
    rows = np.concatenate([fitted, others])
    found = MapResult(
        rows,
        np.vstack([Z, Z_new]),
        task.y[rows],
        len(fitted),
        losses,
        error,
        interval,
        training_error,
        training,
        phrase,
    )
    return found, map


def cross_validated_map(
    measure, seed, map, task, *, others, choose=None, **options
):
    """Fit and measure a map as `measure` does, with errors of all samples in folds.

    `measure` is `measure_map` with `X`, `fitted` and `groups`. ``choose(rows)`` gives
    the map of a fold first, chosen on its training samples; by default it is `map`.
    """
    result, estimator = measure(map, task, others=others, **options)
    rows = result.rows
    groups = measure.keywords["groups"][rows]
    part = task.with_sample(rows)[rows]
    losses = np.full(len(rows), np.nan)
    for train, test in folds(part, groups, N_FOLDS, seed):
        map_of_fold = choose(rows[train])[0] if choose else map
        of_fold, _ = measure(
            map_of_fold, task, fitted=rows[train], others=rows[test], **options
        )
        losses[test] = of_fold.losses
    error = float(part.error(losses))
    interval = part.interval(losses, groups)
    training_error = part.percent(result.training_error)
    phrase = (
        f"held-out error {part.phrase(error, interval)}, training error"
        f" {training_error}"
    )
    result = replace(
        result,
        losses=losses,
        error=error,
        interval=interval,
        errors=phrase,
        is_cross_validated=True,
    )
    return result, estimator


@dataclass(frozen=True)
class LinearMap:
    """A linear map of the training samples, with the others projected.

    Attributes
    ----------
    map : MapResult
        Positions and errors.
    estimator : estimator
        The fitted map.
    method : str
        The method in words.
    data : NumericTable
        The features.
    task : Target
        The target.
    """

    map: MapResult
    estimator: object
    method: str
    data: object
    task: object

    def display(self, X):
        """Return a `LinearMapDisplay` of all samples shown.

        Parameters
        ----------
        X : ndarray of shape (n, p)
            All columns as numbers.

        Returns
        -------
        display : LinearMapDisplay
            The map with its loadings, not yet drawn.
        """
        rows = self.map.rows
        task = self.task
        names = self.data.names
        display = LinearMapDisplay.from_estimator(
            self.estimator,
            _table(names, X[rows]),
            task.y[rows],
            feature_names=names,
            groups=self.data.parents,
            class_names=task.names if task.y.ndim == 2 else None,
            sides=None if task.is_value else self.map.sides,
        )
        if task.y.ndim == 2:
            frequent = np.argsort(-task.y.sum(axis=0), kind="stable")
            for rare in frequent[MOST_NAMED_LABELS:]:
                display.anchor_names[rare] = ""
        return display


def linear_map(
    data, task, fitted, held_out, groups=None, seed=0, cross_validate=False
):
    """Fit the linear map for the kind of target.

    Parameters
    ----------
    data : NumericTable
        Columns as numbers, from :func:`prepare_rows`.
    task : Target
        Target, from :func:`task_of`.
    fitted, held_out : ndarray of int, shape (m,) and (k,)
        Training and held-out rows, from :func:`split`.
    groups : ndarray of int, shape (n,), optional
        Rows of equal values depend on each other, for the interval.
    seed : int, default=0
        Seed of the random number generator, for folds.
    cross_validate : bool, default=False
        Whether errors are those of all samples in folds, in place of the held-out ones.

    Returns
    -------
    linear_map : LinearMap
        For more than two classes or for labels the plane of samples and labels (SL-A);
        for two classes or a value that of partial least squares.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from toolkit.tabular import as_table, prepare_rows, split, task_of
    >>> table = as_table(load_iris(as_frame=True).frame, "target")
    >>> data = prepare_rows(table.features, table.kinds)
    >>> task = task_of(table.task, table.y, table.label_names)
    >>> found = linear_map(data, task, *split(task.strata(), table.groups, 1000, 0))
    >>> found.method, found.map.Z.shape
    ('samples and labels in one plane (SL-A)', (150, 2))
    """
    estimator, method = linear_estimator(task)
    y = task.y
    if isinstance(estimator, PLSRegression) and not task.is_value:
        y = np.unique(y, return_inverse=True)[1].astype(float)
    table = _table(data.names, data.X)
    groups = np.arange(len(y)) if groups is None else groups
    measure = partial(measure_map, X=table, fitted=fitted, groups=groups, y=y)
    if cross_validate:
        measure = partial(cross_validated_map, measure, seed)
    result, estimator = measure(estimator, task, others=held_out)
    return LinearMap(result, estimator, method, data, task)


def linear_estimator(task):
    """The linear map for a target, not fitted, and its method in words."""
    # of two classes one axis would be all of SL-A
    if task.is_value or task.y.ndim == 1 and len(task.classes) == 2:
        return PLSRegression(2, scale=False), "partial least squares"
    return SampleLabelMap(2), "samples and labels in one plane (SL-A)"


def _table(names, X):
    return as_frame(dict(zip(names, X.T, strict=True)))
