"""The map that knows the target, with samples placed on it that it was not fitted to; beside it two that tell it apart.

A plain map does not know the target; what is apart there is in the data. A map of shuffled targets knows targets that
mean nothing; what is apart there was painted by the method.
"""

from dataclasses import dataclass, field
from functools import partial

import numpy as np
from sklearn.base import clone

from ..eigenmaps import SLEML
from .placing import METRICS, N_NEIGHBORS, FisherTSNE, PlainTSNE, by_neighbours, voted
from .splits import folds

__all__ = ["PlacedMap", "TrueMap", "placed", "true_map"]

MOST_MAPPED = 1000  # samples that a map is fitted to
MOST_COMPARED = 2000  # held-out samples that the two maps beside it are asked about
MOST_FOR_PROCESS = 5e6  # fitted samples x all samples x columns, for which a Gaussian process is tried


@dataclass(frozen=True)
class PlacedMap:
    """A map, and samples placed on it.

    Attributes
    ----------
    rows : ndarray of int, shape (m,), the samples shown: first those that were fitted, then the others
    Z : ndarray of shape (m, 2)
    y : ndarray of shape (m,) or (m, l), the targets that the map was told, or the true ones of a plain map
    n_fitted : int
    error, standard_error : float
        Of the held-out samples, each predicted by its five nearest fitted samples in the map.
    fitted_error : float, the same of the fitted samples, which says little
    """

    rows: np.ndarray
    Z: np.ndarray
    y: np.ndarray
    n_fitted: int
    error: float
    standard_error: float
    fitted_error: float

    @property
    def sides(self):
        """Which samples were fitted, and which were held out, as words (m,)."""
        return np.where(np.arange(len(self.rows)) < self.n_fitted, "fitted", "held out")


@dataclass(frozen=True)
class TrueMap:
    """The map of the true targets between the plain map and that of shuffled targets.

    Attributes
    ----------
    true, plain, shuffled : PlacedMap
        Of `true` all samples that are not in a group with fitted ones.
    method : str, in words
    metric : the fitted Fisher metric, or None
    distances : ndarray of shape (n_fitted, n_fitted) or None
    choice : dict of str to float, errors by which the metric was chosen, within the fitted samples
    task : Task
    """

    true: PlacedMap
    plain: PlacedMap
    shuffled: PlacedMap
    method: str
    task: object
    metric: object = None
    distances: np.ndarray | None = None
    choice: dict = field(default_factory=dict)


def true_map(X, task, groups, fitted, held_out, seed=0):
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
    TrueMap
    """
    rng, y = np.random.default_rng(seed), task.y
    fitter, told, choice = _fitter(X[fitted], type(task)(y[fitted], task.names), groups[fitted], len(X), seed)
    few = np.sort(rng.permutation(held_out)[:MOST_COMPARED])
    whole = fitter(X[fitted], y[fitted])
    true = placed(whole, X, y, task, fitted, held_out)
    plain = placed(PlainTSNE(X[fitted], seed), X, y, task, fitted, few)
    mixed = y.copy()
    both = np.concatenate([fitted, few])
    mixed[both] = y[rng.permutation(both)]
    if y.ndim == 1 and np.all(mixed[fitted] == mixed[fitted[0]]):  # of a rare class no row was left: each side alone
        mixed[fitted], mixed[few] = y[rng.permutation(fitted)], y[rng.permutation(few)]
    shuffled = placed(fitter(X[fitted], mixed[fitted]), X, mixed, task, fitted, few)
    return TrueMap(true, plain, shuffled, told, task, whole.metric, whole.distances, choice)


def _fitter(X, task, groups, n_all, seed):
    """A function of samples and targets that fits the map, what it is in words, and the errors that chose it."""
    if task.y.ndim == 2:
        return _Graph, "supervised Laplacian eigenmaps (SLE-ML)", {}
    if task.y.dtype.kind != "f":
        models = ["logistic regression", "Parzen windows"]
    elif n_all * X.size > MOST_FOR_PROCESS:
        models = ["linear regression"]
    else:
        models = ["linear regression", "Gaussian process"]
    splits = folds(task.strata(), groups, task.n_splits(groups, most=3), seed)
    loss = {}
    for name in models:
        try:
            loss[name] = np.concatenate([_missed(clone(METRICS[name]), X, task, *s) for s in splits])
        except ValueError:  # no bandwidth where most samples coincide, as of few categories: the first kind has none
            if not loss:
                raise
    (name, first), *others = loss.items()
    for other, second in others:
        # The second kind can separate any targets in the samples that it knows: it has to be clearly better.
        if first.mean() - second.mean() > (first - second).std() / np.sqrt(len(first)):
            name = other
    choice = {key: task.from_losses(value, task.y)[0] for key, value in loss.items()}
    told = "a Gaussian process" if name == "Gaussian process" else name
    return partial(FisherTSNE, METRICS[name], seed=seed), f"t-SNE of Fisher distances, from {told}", choice


def _missed(metric, X, task, train, test):
    """What the neighbours of each sample of a fold miss of it, in the metric of the others."""
    if np.all(task.y[train] == task.y[train[0]]) or np.all(X[train] == X[train[0]]):
        everyone = np.tile(np.arange(len(train)), (len(test), 1))  # of a rare class all rows are in the other part
        return task.losses(task.y[test], voted(task.y[train], everyone))
    D = metric.fit(X[train], task.y[train]).distances(X[test], X[train])
    nearest = np.argsort(D, axis=1, kind="stable")[:, :N_NEIGHBORS]
    return task.losses(task.y[test], voted(task.y[train], nearest))


class _Graph:
    """SLE-ML; new samples by their neighbours."""

    metric = distances = None

    def __init__(self, X, Y):
        self._map = SLEML(lam=0.5).fit(X, Y[:, Y.any(axis=0)])
        self.Z = self._map.embedding_

    def place(self, X):
        return self._map.transform(X)


def placed(fitted_map, X, y, task, fitted, others):
    """A `PlacedMap` of positions `fitted_map.Z` and others by `fitted_map.place`, from samples X and targets y."""
    X = X.iloc if hasattr(X, "iloc") else X
    Z, new, rows = fitted_map.Z, fitted_map.place(X[others]), np.concatenate([fitted, others])
    predicted = by_neighbours(Z, y[fitted], new)
    error, standard = task.error(y[others], predicted)
    own = by_neighbours(Z, y[fitted], Z, own=True)
    return PlacedMap(rows, np.vstack([Z, new]), y[rows], len(fitted), error, standard, task.error(y[fitted], own)[0])
