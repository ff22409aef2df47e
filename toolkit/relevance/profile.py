"""Local relevance of features, at positions of a map, and their relevance over neighbourhood sizes."""

import numpy as np
from joblib import delayed
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.utils import Bunch

from ..core.arrays import check_table
from ..core.checks import check_callable, check_n_components, check_positive, shown
from ..core.frames import as_frame, feature_names
from ..core.graphs import squared_distances
from ..core.parallel import openmp_threads, results
from ..core.perplexity import perplexity_widths
from ..core.progress import progress
from ..core.scales import scales_are_told, warn_of_scales
from ..core.scaling import about_median
from .cost import check_neighborhood, checked_map
from .metric import NeRVMetric, NeRVRelevance

__all__ = ["local_relevance", "relevance_profile"]

LEAST_IMPORTANCE = 1e-3  # as a fraction of the most important neighbourhood; what counts less is left out


def relevance_profile(estimator, X, Z, n_neighbors, *, n_jobs=None, callback=None, verbose=False):
    """Relevances for several neighbourhood sizes.

    Parameters
    ----------
    estimator : NeRVRelevance or NeRVMetric, cloned; it fixes everything but `n_neighbors`
    X : array-like of shape (n, d)
    Z : array-like of shape (n, m), the map
    n_neighbors : sequence of float
    n_jobs : int, optional, threads of joblib, one per size
    callback : callable, optional, called with each fitted model in the order of `n_neighbors`
    verbose : bool, default=False, show a progress bar

    Returns
    -------
    ndarray of shape (len(n_neighbors), d)

    Examples
    --------
    >>> from toolkit.relevance import NeRVRelevance
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> relevance_profile(NeRVRelevance(), X, X[:, :1], [5, 20]).round(1).tolist()
    [[12.0, 0.0, 0.0], [3.4, 0.0, 0.0]]
    """
    _check_estimator(estimator)
    check_callable(callback, "callback", "a function of a fitted model")
    table, X = X, check_table(X, least=3)
    Z = checked_map(Z, len(X), "Z")
    sizes = list(n_neighbors) if np.ndim(n_neighbors) else [n_neighbors]
    if not sizes:
        raise ValueError("`n_neighbors` must hold at least one size; it is empty.")
    for k in sizes:
        check_neighborhood(k, len(X))
    warn_of_scales(X, table)
    tasks = (delayed(_fitted)(estimator, table, Z, n_neighbors=k) for k in sizes)
    found = []
    with progress(len(sizes), "sizes", verbose) as done:
        for model in results(tasks, n_jobs, prefer="threads"):
            found.append(model.relevances_)
            done()
            if callback is not None:
                callback(model)
    return np.array(found)


def _check_estimator(estimator):
    if not isinstance(estimator, NeRVRelevance | NeRVMetric):
        raise ValueError(f"`estimator` must be a NeRVRelevance or a NeRVMetric; got {shown(estimator)}.")


def _fitted(estimator, X, Z, importance=None, **settings):
    """A clone of the estimator with other settings, fitted."""
    with scales_are_told():
        return clone(estimator).set_params(verbose=False, **settings).fit(X, Z, importance)


def local_relevance(estimator, X, Z, positions=None, *, n_positions=20, width=None, n_jobs=None, verbose=False):
    """Relevances at positions in a map, each from the neighbourhoods of the samples around it.

    Parameters
    ----------
    estimator : NeRVRelevance or NeRVMetric
        Cloned; fitted once per position, with a Gaussian window around it as importance.
    X : array-like of shape (n, d)
    Z : array-like of shape (n, m), the map
    positions : array-like of shape (p, m), optional; left out: `n_positions` centres of k-means in the map
    n_positions : int, default=20
    width : float > 0, optional
        Standard deviation of the windows, in the unit of the map. None: for each position the one at which a tenth of
        the samples count (at least 30, at most half).
    n_jobs : int, optional, threads of joblib, one per position
    verbose : bool, default=False, show a progress bar

    Returns
    -------
    LocalRelevance
        A Bunch of ``relevances`` (p, d), ``positions`` (p, m), ``widths`` (p,), ``feature_names`` (d,), with
        `to_frame()`.

    Notes
    -----
    Neighbours are sought among all samples; only which neighbourhoods count depends on the position. Not in the thesis,
    which names it as an open question (4.4). A wide window gives the relevances of the whole map everywhere.

    Examples
    --------
    >>> from toolkit.relevance import NeRVRelevance
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, size=(200, 3))
    >>> left = X[:, 0] < 0  # the map shows the second feature on the left and the third on the right
    >>> Z = np.column_stack([3 * X[:, 0], np.where(left, X[:, 1], X[:, 2])])
    >>> local = local_relevance(NeRVRelevance(), X, Z, positions=[[-1.5, 0], [1.5, 0]])
    >>> (local.relevances[:, 1] > local.relevances[:, 2]).tolist()
    [True, False]
    """
    _check_estimator(estimator)
    table, X = X, check_table(X, least=3)
    Z = checked_map(Z, len(X), "Z")
    width = None if width is None else check_positive(width, "width")
    if positions is None:
        positions = _centers(Z, check_n_components(n_positions, len(Z), Z.shape[1], "n_samples", name="n_positions"))
    positions = check_table(positions, "positions", shape=("m", Z.shape[1]))
    middle, unit = np.median(Z, axis=0), about_median(Z)[1]
    squared = squared_distances((positions - middle) / unit, (Z - middle) / unit)
    widths = _windows(squared) if width is None else np.full(len(positions), width / unit)
    exponent = -0.5 * squared / widths[:, None] ** 2
    windows = np.exp(exponent - exponent.max(axis=1, keepdims=True))
    windows[windows < LEAST_IMPORTANCE] = 0
    warn_of_scales(X, table)
    tasks = (delayed(_fitted)(estimator, X, Z, window) for window in windows)
    relevances = []
    with progress(len(windows), "positions", verbose) as done:
        for model in results(tasks, n_jobs, prefer="threads"):
            relevances.append(model.relevances_)
            done()
    relevances = np.array(relevances)
    names = feature_names(table, X.shape[1])
    found = {"relevances": relevances, "positions": positions, "widths": widths * unit, "feature_names": names}
    return LocalRelevance(**found)


class LocalRelevance(Bunch):
    """Relevances at positions of a map, see :func:`local_relevance`."""

    def to_frame(self):
        """A pandas DataFrame with a row per position: its coordinates, and the relevance of each feature."""
        columns = {f"z{j + 1}": z for j, z in enumerate(self.positions.T)}
        return as_frame(columns | dict(zip(self.feature_names, self.relevances.T, strict=True)))


def _centers(Z, count):
    different = np.unique(Z, axis=0)
    if count >= len(different):
        return different
    with openmp_threads(1):  # sums of threads end in another order each time
        return KMeans(count, n_init=1, random_state=0).fit(Z).cluster_centers_


def _windows(squared):
    n = squared.shape[1]
    widths = perplexity_widths(squared, min(max(30, n / 10), n / 2))
    known = np.isfinite(widths) & (widths > 0)
    other = np.median(widths[known]) if known.any() else np.sqrt(squared.mean()) or 1.0
    return np.where(known, widths, other)
