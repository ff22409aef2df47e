"""Maps with samples placed on them that they were not fitted to: what they say of those is what one may believe.

The map that knows the target stands between two that tell it apart. A plain map does
not know the target; what is apart there is in the data. A map of shuffled targets knows
targets that mean nothing; what is apart there was painted by the method. Beside these a
linear map: a plane with an arrow for each of the columns that pull most.
"""

from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace

import numpy as np
from sklearn.base import clone
from sklearn.cross_decomposition import PLSRegression

from ..core.arrays import as_frame, pick_rows
from ..eigenmaps import SLEML
from ..multilabel import SampleLabelMap
from ..plots import LinearMapDisplay
from .embedders import (
    METRICS,
    MODELS,
    N_NEIGHBORS,
    FisherTSNE,
    PlainTSNE,
    by_neighbours,
    vote,
)
from .validation import folds

MOST_MAPPED = 1000  # samples that a map is fitted to
MOST_COMPARED = 2000  # held-out samples that the two maps beside it are asked about
# fitted samples x all samples x columns, for which a Gaussian process is tried
MOST_FOR_PROCESS = 5e6
MOST_NAMED = 12  # labels whose names stand in the map, those of most rows


@dataclass(frozen=True)
class MapResult:
    """A map, and samples placed on it.

    Attributes
    ----------
    rows : ndarray of int, shape (m,), the samples shown: first those that were fitted, then the others
    Z : ndarray of shape (m, 2)
    y : ndarray of shape (m,) or (m, l), the targets that the map was told, or the true ones of a plain map
    n_fitted : int
    error, standard_error : float
        Of the held-out samples, each predicted by its five nearest fitted samples in
        the map.
    fitted_error : float, the same of the fitted samples, which says little
    errors : str, all three in words
    """

    rows: np.ndarray
    Z: np.ndarray
    y: np.ndarray
    n_fitted: int
    error: float
    standard_error: float
    fitted_error: float
    errors: str

    @property
    def sides(self):
        """Which samples were fitted, and which were held out, as words (m,)."""
        return np.where(np.arange(len(self.rows)) < self.n_fitted, "fitted", "held out")


@dataclass(frozen=True)
class MapComparison:
    """The map of the true targets between the plain map and that of shuffled targets.

    Attributes
    ----------
    true, plain, shuffled : MapResult
        Of `true` all samples that are not in a group with fitted ones.
    method : str, in words
    metric : the fitted Fisher metric, or None
    distances : ndarray of shape (n_fitted, n_fitted) or None
    choice : dict of str to float, errors by which the metric was chosen, within the fitted samples
    task : Task
    """

    true: MapResult
    plain: MapResult
    shuffled: MapResult
    method: str
    task: object
    metric: object
    distances: np.ndarray | None
    choice: dict


def compare_maps(X, task, groups, fitted, held_out, seed=0):
    """Map samples with their targets, without, and with shuffled targets.

    Parameters
    ----------
    X : ndarray of shape (n, p), numbers on comparable scales
    task : Task, of all n samples
    groups : ndarray of int, shape (n,)
    fitted, held_out : ndarray of int, rows, as `splits.split` gives them
    seed : int

    Returns
    -------
    MapComparison
    """
    rng = np.random.default_rng(seed)
    y = task.y
    fitter, method, choice = _fitter(
        X[fitted], task.of(y[fitted]), groups[fitted], len(X), seed
    )
    few = np.sort(rng.permutation(held_out)[:MOST_COMPARED])
    whole = fitter(X[fitted], y[fitted])
    true = _evaluate(whole, X, task, fitted, held_out)
    plain = _evaluate(PlainTSNE(X[fitted], seed), X, task, fitted, few)
    mixed = y.copy()
    both = np.concatenate([fitted, few])
    mixed[both] = y[rng.permutation(both)]
    # of a rare class no row was left: each side alone
    if y.ndim == 1 and np.all(mixed[fitted] == mixed[fitted[0]]):
        for side in (fitted, few):
            mixed[side] = y[rng.permutation(side)]
    shuffled = _evaluate(
        fitter(X[fitted], mixed[fitted]), X, task.of(mixed), fitted, few
    )
    return MapComparison(
        true, plain, shuffled, method, task, whole.metric, whole.distances, choice
    )


def _fitter(X, task, groups, n_all, seed):
    """A function of samples and targets that fits the map, what it is in words, and the errors that chose it."""
    if task.y.ndim == 2:
        return _graph, "supervised Laplacian eigenmaps (SLE-ML)", {}
    splits = folds(task.strata(), groups, task.n_splits(groups, most=3), seed)
    loss = {}
    for name in MODELS[task.is_value]:
        if name == "Gaussian process" and n_all * X.size > MOST_FOR_PROCESS:
            break
        try:
            loss[name] = np.concatenate(
                [_losses(clone(METRICS[name]), X, task, *s) for s in splits]
            )
        except ValueError:
            # no bandwidth where most samples coincide, as of few categories: the first
            # kind has none
            if not loss:
                raise
    name, *others = loss
    for other in others:
        # The second kind can separate any targets in the samples that it knows: it has
        # to be clearly better.
        gain = loss[name] - loss[other]
        if loss[name].mean() - loss[other].mean() > gain.std() / np.sqrt(len(gain)):
            name = other
    choice = {key: task.from_losses(value, task.y)[0] for key, value in loss.items()}
    told = name.replace("Gaussian", "a Gaussian")
    return (
        partial(FisherTSNE, METRICS[name], seed=seed),
        f"t-SNE of Fisher distances, from {told}",
        choice,
    )


def _losses(metric, X, task, train, test):
    """What the neighbours of each sample of a fold miss of it, in the metric of the others."""
    if np.all(task.y[train] == task.y[train[0]]) or np.all(X[train] == X[train[0]]):
        # of a rare class all rows are in the other part
        nearest = np.tile(np.arange(len(train)), (len(test), 1))
    else:
        D = metric.fit(X[train], task.y[train]).distances(X[test], X[train])
        nearest = np.argsort(D, axis=1, kind="stable")[:, :N_NEIGHBORS]
    return task.losses(task.y[test], vote(task.y[train], nearest))


def _graph(X, Y):
    """SLE-ML; new samples by their neighbours."""
    sleml = SLEML(lam=0.5).fit(X, Y[:, Y.any(axis=0)])
    return SimpleNamespace(
        Z=sleml.embedding_, transform=sleml.transform, metric=None, distances=None
    )


def _evaluate(fitted_map, X, task, fitted, others):
    """A `MapResult` of positions `fitted_map.Z` and others by `fitted_map.transform`, from samples X and their task."""
    y = task.y
    Z = fitted_map.Z
    new = fitted_map.transform(pick_rows(X, others))
    errors = [*task.error(y[others], by_neighbours(Z, y[fitted], new))]
    errors.append(task.error(y[fitted], by_neighbours(Z, y[fitted], None, own=True))[0])
    said = "error: held out {} ± {}, fitted {}".format(*map(task.percent, errors))
    rows = np.concatenate([fitted, others])
    return MapResult(rows, np.vstack([Z, new]), y[rows], len(fitted), *errors, said)


@dataclass(frozen=True)
class LinearMap:
    """A linear map of the fitted samples, with others placed on it.

    Attributes
    ----------
    map : MapResult
    estimator : the fitted map
    method : str, in words
    names : list of p str, of the features
    parents : ndarray of int, shape (p,), number of the column that each comes from
    task : Task
    """

    map: MapResult
    estimator: object
    method: str
    names: list
    parents: np.ndarray
    task: object

    def display(self, X):
        """A `LinearMapDisplay` of all samples shown, from the numbers `X` (n, p)."""
        rows = self.map.rows
        task = self.task
        options = {"feature_names": self.names, "groups": self.parents}
        if task.y.ndim == 2:
            options["class_names"] = task.names
        if not task.is_value:
            options["sides"] = self.map.sides
        display = LinearMapDisplay.from_estimator(
            self.estimator, _table(self.names, X[rows]), task.y[rows], **options
        )
        if task.y.ndim == 2:
            for rare in np.argsort(-task.y.sum(axis=0), kind="stable")[MOST_NAMED:]:
                display.anchor_names[rare] = ""
        return display


def linear_map(data, task, fitted, held_out):
    """Fit the linear map that goes with the kind of target.

    Parameters
    ----------
    data : NumericTable, as :func:`prepare_rows` gives it
    task : Task, as :func:`task_of` gives it
    fitted, held_out : ndarray of int, shape (m,) and (k,), rows as :func:`split` gives them

    Returns
    -------
    LinearMap
        Of classes or labels the plane of samples and labels (SL-A), of two classes or a
        value that of partial least squares.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from toolkit.tabular import as_table, prepare_rows, split, task_of
    >>> table = as_table(load_iris(as_frame=True).frame, "target")
    >>> data, task = prepare_rows(table.features, table.kinds), task_of(table.task, table.y, table.label_names)
    >>> found = linear_map(data, task, *split(task.strata(), table.groups, 1000, 0))
    >>> found.method, found.map.Z.shape
    ('samples and labels in one plane (SL-A)', (150, 2))
    """
    estimator = SampleLabelMap(2)
    method = "samples and labels in one plane (SL-A)"
    told = task.y
    # one axis would be all of SL-A
    if task.is_value or told.ndim == 1 and len(np.unique(told)) == 2:
        estimator = PLSRegression(2, scale=False)
        method = "partial least squares"
        told = (
            told
            if task.is_value
            else np.unique(told, return_inverse=True)[1].astype(float)
        )
    table = _table(data.names, data.X)
    estimator.fit(table.iloc[fitted], told[fitted])

    plane = SimpleNamespace(
        Z=estimator.transform(table.iloc[fitted]), transform=estimator.transform
    )
    shown = _evaluate(plane, table, task, fitted, held_out)
    return LinearMap(shown, estimator, method, data.names, data.parents, task)


def _table(names, X):
    return as_frame(dict(zip(names, X.T, strict=True)))
