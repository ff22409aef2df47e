"""Maps with held-out samples projected on them, whose error is the one to report.

The supervised map stands between two that tell structure from overfitting. A plain map
is unsupervised; what is separate there is in the data. A map of shuffled targets is
fitted to targets that mean nothing; what is separate there the method made. Then a
linear map: a plane with an arrow for each of the columns with the largest loadings.
"""

from dataclasses import dataclass, replace
from functools import partial
from types import SimpleNamespace

import numpy as np
from sklearn.base import clone
from sklearn.cross_decomposition import PLSRegression

from ..core.arrays import as_frame, pick_rows
from ..eigenmaps import SLEML
from ..multilabel import SampleLabelMap
from ..plots import LinearMapDisplay
from .embedders import METRICS, MODELS, N_NEIGHBORS, FisherTSNE, PlainTSNE, vote
from .validation import folds

MOST_MAPPED = 1000  # samples that a map is fitted to
MOST_COMPARED = 2000  # held-out samples of the plain and the shuffled map
# fitted samples x all samples x columns, for which a Gaussian process is tried
MOST_FOR_PROCESS = 5e6
MOST_NAMED = 12  # labels whose names stand in the map, those of most rows


@dataclass(frozen=True)
class MapResult:
    """A map, and samples placed on it.

    Attributes
    ----------
    rows : ndarray of int, shape (m,)
        The samples shown: first those that were fitted, then the others.
    Z : ndarray of shape (m, 2)
    y : ndarray of shape (m,) or (m, l)
        The targets that the map was fitted to, or the true ones of a plain map.
    n_fitted : int
    error, standard_error : float
        Of the held-out samples, each predicted by its five nearest fitted samples in
        the map.
    fitted_error : float
        The training error, which says little.
    errors : str
        All three in words.
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
        return np.where(
            np.arange(len(self.rows)) < self.n_fitted, "fitted", "held out"
        )


@dataclass(frozen=True)
class MapComparison:
    """The map of the true targets, the plain map and that of shuffled targets.

    Attributes
    ----------
    true, plain, shuffled : MapResult
        Of `true` all samples that are not in a group with fitted ones.
    method : str, in words
    task : Task
    supervised : the fitted map of the true targets
    choice : dict of str to float
        Errors by which the metric was chosen, within the fitted samples.
    """

    true: MapResult
    plain: MapResult
    shuffled: MapResult
    method: str
    task: object
    supervised: object
    choice: dict

    @property
    def common(self):
        """The true map at the rows of the two others, in their order."""
        true = self.true
        both = np.isin(true.rows, self.plain.rows)
        return replace(
            true, rows=true.rows[both], Z=true.Z[both], y=true.y[both]
        )


def compare_maps(X, task, groups, fitted, held_out, seed=0):
    """Map samples with their targets, without, and with shuffled targets.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Numbers on comparable scales.
    task : Task, of all n samples
    groups : ndarray of int, shape (n,)
    fitted, held_out : ndarray of int
        Rows, as :func:`split` gives them.
    seed : int, default=0

    Returns
    -------
    MapComparison
    """
    rng = np.random.default_rng(seed)
    y = task.y
    # 1. the method, chosen within the fitted samples
    training = task.of(y[fitted])
    fit, method, choice = _choose_map(
        X[fitted], training, groups[fitted], len(X), seed
    )
    few = np.sort(rng.permutation(held_out)[:MOST_COMPARED])
    # 2. the supervised and the unsupervised map
    supervised = fit(X[fitted], y[fitted])
    true = _evaluate(supervised, X, task, fitted, held_out)
    plain = _evaluate(PlainTSNE(X[fitted], seed), X, task, fitted, few)
    # 3. the control map, fitted to permuted targets
    mixed = y.copy()
    both = np.concatenate([fitted, few])
    mixed[both] = y[rng.permutation(both)]
    # of a rare class no row was left: each side alone
    if y.ndim == 1 and np.all(mixed[fitted] == mixed[fitted[0]]):
        for side in (fitted, few):
            mixed[side] = y[rng.permutation(side)]
    shuffled = _evaluate(
        fit(X[fitted], mixed[fitted]), X, task.of(mixed), fitted, few
    )
    return MapComparison(
        true, plain, shuffled, method, task, supervised, choice
    )


def _choose_map(X, task, groups, n_all, seed):
    """A function of samples and targets that fits the map, its name, and errors."""
    if task.y.ndim == 2:
        return _graph_map, "supervised Laplacian eigenmaps (SLE-ML)", {}
    # loss of the neighbours' vote in cross-validation
    splits = folds(task.strata(), groups, task.n_splits(groups, most=3), seed)
    loss = {}
    for name in MODELS[task.is_value]:
        if name == "Gaussian process" and n_all * X.size > MOST_FOR_PROCESS:
            break
        metric = METRICS[name]
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
    choice = {
        key: task.from_losses(value, task.y)[0] for key, value in loss.items()
    }
    model = name.replace("Gaussian", "a Gaussian")
    fit = partial(FisherTSNE, METRICS[name], seed=seed)
    return fit, f"t-SNE of Fisher distances, from {model}", choice


def _losses(metric, X, task, train, test):
    """Losses of the samples of a fold by neighbours, in the metric of the others."""
    y = task.y[train]
    if np.all(y == y[0]) or np.all(X[train] == X[train[0]]):
        # of a rare class all rows are in the other part
        nearest = np.tile(np.arange(len(train)), (len(test), 1))
    else:
        D = clone(metric).fit(X[train], y).distances(X[test], X[train])
        nearest = np.argsort(D, axis=1, kind="stable")[:, :N_NEIGHBORS]
    return task.losses(task.y[test], vote(y, nearest))


def _graph_map(X, Y):
    """SLE-ML; new samples by their neighbours."""
    sleml = SLEML(lam=0.5).fit(X, Y[:, Y.any(axis=0)])
    return SimpleNamespace(Z=sleml.embedding_, transform=sleml.transform)


def _evaluate(fitted_map, X, task, fitted, others):
    """A `MapResult` of positions `fitted_map.Z` and of others by `transform`."""
    Z = np.vstack([fitted_map.Z, fitted_map.transform(pick_rows(X, others))])
    rows = np.concatenate([fitted, others])
    shown = task.of(task.y[rows])
    n = len(fitted)
    own, new = shown.losses_near(Z, slice(n), slice(n, None))
    errors = [
        *task.from_losses(new, shown.y[n:]),
        task.from_losses(own, shown.y[:n])[0],
    ]
    phrase = "error: held out {} ± {}, fitted {}".format(
        *map(task.percent, errors)
    )
    return MapResult(rows, Z, shown.y, n, *errors, phrase)


@dataclass(frozen=True)
class LinearMap:
    """A linear map of the fitted samples, with others placed on it.

    Attributes
    ----------
    map : MapResult
    estimator : the fitted map
    method : str, in words
    data : NumericTable, of the features
    task : Task
    """

    map: MapResult
    estimator: object
    method: str
    data: object
    task: object

    def display(self, X):
        """A `LinearMapDisplay` of all samples shown, from the numbers `X` (n, p)."""
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
            for rare in frequent[MOST_NAMED:]:
                display.anchor_names[rare] = ""
        return display


def linear_map(data, task, fitted, held_out):
    """Fit the linear map that goes with the kind of target.

    Parameters
    ----------
    data : NumericTable, as :func:`prepare_rows` gives it
    task : Task, as :func:`task_of` gives it
    fitted, held_out : ndarray of int, shape (m,) and (k,)
        Rows as :func:`split` gives them.

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
    >>> data = prepare_rows(table.features, table.kinds)
    >>> task = task_of(table.task, table.y, table.label_names)
    >>> found = linear_map(data, task, *split(task.strata(), table.groups, 1000, 0))
    >>> found.method, found.map.Z.shape
    ('samples and labels in one plane (SL-A)', (150, 2))
    """
    estimator = SampleLabelMap(2)
    method = "samples and labels in one plane (SL-A)"
    y = task.y
    # one axis would be all of SL-A
    if task.is_value or y.ndim == 1 and len(np.unique(y)) == 2:
        estimator = PLSRegression(2, scale=False)
        method = "partial least squares"
        if not task.is_value:
            y = np.unique(y, return_inverse=True)[1].astype(float)
    table = _table(data.names, data.X)
    estimator.fit(table.iloc[fitted], y[fitted])
    plane = SimpleNamespace(
        Z=estimator.transform(table.iloc[fitted]), transform=estimator.transform
    )
    result = _evaluate(plane, table, task, fitted, held_out)
    return LinearMap(result, estimator, method, data, task)


def _table(names, X):
    return as_frame(dict(zip(names, X.T, strict=True)))
