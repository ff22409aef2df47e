"""The map that knows the target, with samples placed on it that it was not fitted to; beside it two that tell it apart.

A plain map does not know the target; what is apart there is in the data. A map of shuffled targets knows targets that
mean nothing; what is apart there was painted by the method.
"""

from dataclasses import dataclass, field

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.neighbors import NearestNeighbors

from ..core.graphs import squared_distances
from ..core.scaling import row_blocks
from ..eigenmaps import SLEML
from ..embed import TSNE
from ..fisher import GPFisher, ModelFisher, ParzenFisher
from ..kernelmap import KernelMap
from .splits import folds
from .tasks import PENALTIES

__all__ = ["PlacedMap", "TrueMap", "placed", "true_map"]

MOST_MAPPED = 1000  # samples that a map is fitted to
MOST_COMPARED = 2000  # held-out samples that the two maps beside it are asked about
MOST_FOR_PROCESS = 5e6  # fitted samples x all samples x columns, for which a Gaussian process is tried
UNSUPERVISED = 0.01  # weight of the Euclidean metric in those that know the target
PAIRS_AT_ONCE = 2**24
CUTOFF = 1e-2  # of a kernel map of Fisher distances, which are nearly equal in whole regions
N_NEIGHBORS = 5


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
    plain = placed(_Plain(X[fitted], seed), X, y, task, fitted, few)
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
    if task.y.dtype.kind == "f":
        metrics = {"linear regression": LinearFisher(), "a Gaussian process": GPFisher()}
        if n_all * X.size > MOST_FOR_PROCESS:
            del metrics["a Gaussian process"]
    else:
        linear = ModelFisher(Logistic(C=0.1, max_iter=1000), lam=UNSUPERVISED)
        metrics = {"logistic regression": linear, "Parzen windows": ParzenFisher()}
    splits = folds(task.strata(), groups, task.n_splits(groups, most=3), seed)
    loss = {}
    for name, metric in metrics.items():
        try:
            loss[name] = np.concatenate([_missed(metric, X, task, *s) for s in splits])
        except ValueError:  # no bandwidth where most samples coincide, as of few categories: the first kind has none
            if not loss:
                raise
    (name, first), *others = loss.items()
    for other, second in others:
        # The second kind can separate any targets in the samples that it knows: it has to be clearly better.
        if first.mean() - second.mean() > (first - second).std() / np.sqrt(len(first)):
            name = other
    choice = {key: task.from_losses(value, task.y)[0] for key, value in loss.items()}
    return _Fisher.of(metrics[name], seed), f"t-SNE of Fisher distances, from {name}", choice


def _missed(metric, X, task, train, test):
    """What the neighbours of each sample of a fold miss of it, in the metric of the others."""
    if np.all(task.y[train] == task.y[train[0]]) or np.all(X[train] == X[train[0]]):
        everyone = np.tile(np.arange(len(train)), (len(test), 1))  # of a rare class all rows are in the other part
        return task.losses(task.y[test], _voted(task.y[train], everyone))
    D = metric.fit(X[train], task.y[train]).distances(X[test], X[train])
    nearest = np.argsort(D, axis=1, kind="stable")[:, :N_NEIGHBORS]
    return task.losses(task.y[test], _voted(task.y[train], nearest))


class Logistic(LogisticRegression):
    """Logistic regression; one that gives all samples the class of most is fitted again with classes of equal weight.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> len(set(Logistic().fit(X, np.arange(50) < 4).predict(X)))
    2
    """

    def fit(self, X, y, sample_weight=None):
        """Fit to X (n, p) and y (n,)."""
        if len(np.unique(super().fit(X, y, sample_weight).predict(X))) > 1:
            return self
        self.set_params(class_weight="balanced")
        try:
            return super().fit(X, y, sample_weight)
        finally:
            self.set_params(class_weight=None)


class LinearFisher(BaseEstimator):
    """Fisher metric of a linear regression with normal errors, J = w w^T / sigma^2 + lam I: the same everywhere.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> LinearFisher().fit(X, X[:, 0] + 0.1 * X[:, 1]).distances().shape
    (50, 50)
    """

    def __init__(self, lam=UNSUPERVISED):
        self.lam = lam

    def fit(self, X, y):
        """Fit to X (n, p) and y (n,)."""
        model = RidgeCV(PENALTIES).fit(X, y)
        error = max(np.std(y - model.predict(X)), 1e-3 * np.std(y))
        self.Omega_, self._X = np.vstack([model.coef_ / error, np.sqrt(self.lam) * np.eye(X.shape[1])]), X
        return self

    def distances(self, X=None, others=None):
        """Distances (m, q) of X to others, by default among the samples of `fit`."""
        A = (self._X if X is None else X) @ self.Omega_.T
        return np.sqrt(squared_distances(A, A if others is None else others @ self.Omega_.T))


class _Fisher:
    """t-SNE of Fisher distances; new samples by a kernel map of their distances."""

    def __init__(self, X, y, metric, seed):
        self.X, self.metric = X, clone(metric).fit(X, y)
        self.distances = self.metric.distances()
        self.Z = TSNE(metric="precomputed", random_state=seed).fit_transform(self.distances)
        self._kernel = KernelMap(metric="precomputed", cutoff=CUTOFF).fit(self.distances, self.Z)

    @classmethod
    def of(cls, metric, seed):
        return lambda X, y: cls(X, y, metric, seed)

    def place(self, X):
        blocks = row_blocks(len(X), len(self.X), PAIRS_AT_ONCE)
        return np.concatenate([np.empty((0, 2)), *(self._place(X[block]) for block in blocks)])

    def _place(self, X):
        D = self.metric.distances(X, self.X)
        return _inside(self._kernel.transform(D), self.Z, D.argmin(axis=1))


class _Plain:
    """t-SNE of the samples alone; new samples by a kernel map."""

    metric = distances = None

    def __init__(self, X, seed):
        self.Z = TSNE(random_state=seed).fit_transform(X)
        self._kernel = KernelMap().fit(X, self.Z)

    def place(self, X):
        return self._kernel.transform(X)


class _Graph:
    """SLE-ML; new samples by their neighbours."""

    metric = distances = None

    def __init__(self, X, Y):
        self._map = SLEML(lam=0.5).fit(X, Y[:, Y.any(axis=0)])
        self.Z = self._map.embedding_

    def place(self, X):
        return self._map.transform(X)


def _inside(Z, fitted, nearest):
    """A position outside of the map, where a kernel map may throw a sample, becomes that of the nearest sample."""
    outside = np.any((Z < fitted.min(axis=0)) | (Z > fitted.max(axis=0)), axis=1)
    Z[outside] = fitted[nearest[outside]]
    return Z


def placed(fitted_map, X, y, task, fitted, others):
    """A `PlacedMap` of positions `fitted_map.Z` and others by `fitted_map.place`, from samples X and targets y."""
    X = X.iloc if hasattr(X, "iloc") else X
    Z, new, rows = fitted_map.Z, fitted_map.place(X[others]), np.concatenate([fitted, others])
    predicted = _by_neighbours(Z, y[fitted], new)
    error, standard = task.error(y[others], predicted)
    own = _by_neighbours(Z, y[fitted], Z, own=True)
    return PlacedMap(rows, np.vstack([Z, new]), y[rows], len(fitted), error, standard, task.error(y[fitted], own)[0])


def _by_neighbours(Z, y, new, own=False):
    """Mean of the targets of the nearest fitted samples, or the class that most of them have."""
    k = min(N_NEIGHBORS, len(Z) - own)
    return _voted(y, NearestNeighbors(n_neighbors=k).fit(Z).kneighbors(None if own else new, return_distance=False))


def _voted(y, near):
    """What the neighbours `near` (m, k), the nearest first, say: their mean, or the class of most, of the nearer."""
    if y.dtype.kind in "fiu":
        return y[near].mean(axis=1)
    classes, codes = np.unique(y, return_inverse=True)
    votes = np.zeros((len(near), len(classes)))
    np.add.at(votes, (np.arange(len(near))[:, None], codes[near]), 1 + 1e-6 * np.arange(near.shape[1], 0, -1))
    return classes[votes.argmax(axis=1)]
