"""The neighbour retrieval visualizer (Venna et al. 2010): a map in which neighbours are neither missed nor made up.

Minimise gamma sum_i KL(p_i || q_i) + (1 - gamma) sum_i KL(q_i || p_i), where p_{j|i} and q_{j|i} say how likely j is
a neighbour of i in the data and in the map. The first sum punishes missed neighbours, the second wrong ones.
"""

from numbers import Real

import numpy as np
from scipy.optimize import minimize
from scipy.spatial.distance import cdist

from ..core.checks import check_integer, check_share
from ..core.perplexity import perplexity_widths
from .base import Embedder, check_dimension, starting_map

__all__ = ["NeRV", "log_affinities", "neighbor_widths", "nerv_cost", "pull"]

STAGES = 5
"""Widths at which the descent runs before the final ones."""


class NeRV(Embedder):
    """A map that retrieves neighbours, with a balance between missed (recall) and wrong ones (precision).

    With ``gamma=1`` it is stochastic neighbour embedding with one width a sample.

    Parameters
    ----------
    n_components : int, default=2
    metric : {"euclidean", "precomputed"}
        Whether `fit` gets vectors (n, d) or distances (n, n).
    gamma : float in [0, 1], default=0.5
        1: only missed neighbours count (recall); 0: only wrong ones (precision).
    perplexity : float > 1 or None, default=None
        Effective number of neighbours of a sample, below the number of others. None: 10, at most half of the others.
    max_iter : int, default=200
        Of the descent at the final widths; each of the five stages before it takes at most a fifth of that.
    init : {"pca", "random"} or array-like of shape (n, n_components), default="pca"
        Where the descent starts, in units of the distances.
    random_state : int, RandomState or None
        For ``init="random"``.
    callback : callable, optional
        Called with (iteration, cost), the cost at the widths of the stage.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components), centred
    cost_ : float, (4.3) in nats, summed over samples
    history_ : ndarray, cost after each iteration at the final widths
    sigma_ : ndarray of shape (n,), width of each sample, in data and map
    n_iter_ : int, in all

    Notes
    -----
    As in the thesis the widths in the map are those in the data, so map distances are in units of data distances, and
    the scale of the map means something. Widths have no value where many duplicates are nearest; the median of the
    others serves there. The descent (L-BFGS) first runs with all narrower widths raised to one that shrinks from half
    the largest distance, which leads around many poor local minima. Logarithms are computed, not affinities, and none
    is cut off: a sample far from all others costs a finite amount. Takes arrays of shape (n, n).

    References
    ----------
    Schulz, thesis, (4.1) to (4.3); Venna et al. (2010), Information retrieval perspective to nonlinear
    dimensionality reduction for data visualization.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> nerv = NeRV(max_iter=50).fit(load_iris().data[::3])
    >>> nerv.embedding_.shape, nerv.cost_ < 20
    ((50, 2), True)
    """

    def __init__(
        self,
        n_components=2,
        *,
        metric="euclidean",
        gamma=0.5,
        perplexity=None,
        max_iter=200,
        init="pca",
        random_state=None,
        callback=None,
    ):
        self.n_components = n_components
        self.metric = metric
        self.gamma = gamma
        self.perplexity = perplexity
        self.max_iter = max_iter
        self.init = init
        self.random_state = random_state
        self.callback = callback

    def _embed(self, samples):
        m = check_dimension(self.n_components, samples)
        gamma = check_share(self.gamma, "gamma")
        max_iter = check_integer(self.max_iter, "max_iter")
        perplexity = _checked_perplexity(self.perplexity, samples.n)
        scaled, unit = samples.in_own_unit()
        squared = scaled.squared()
        largest = np.sqrt(squared.max()) or 1.0
        Z = starting_map(self.init, scaled, m, self.random_state, size=_size(self.init, squared)) / largest
        if self.init is not None and not isinstance(self.init, str):
            Z = _given_start(Z, unit)
        squared = squared / largest**2
        sigma = neighbor_widths(squared, perplexity)
        narrow = min(0.5, np.median(sigma))
        widths = 0.5 * (narrow / 0.5) ** (np.arange(STAGES) / STAGES)
        iterations = 0
        for width in [*widths, 0.0]:
            steps = max_iter if width == 0 else -(-max_iter // STAGES)
            watch = _Watch(self.callback, iterations)
            Z = _descent(Z, squared, np.maximum(sigma, width), gamma, steps, watch)
            iterations += len(watch.costs)
        log_p = log_affinities(squared, sigma)
        largest *= unit
        self.embedding_ = (Z - Z.mean(axis=0)) * largest
        self.sigma_, self.n_iter_ = sigma * largest, iterations
        self.cost_ = nerv_cost(log_p, cdist(Z, Z, "sqeuclidean"), sigma, gamma)[0]
        self.history_ = np.array(watch.costs)


class _Watch:
    """Keeps the costs of one descent and passes them on."""

    def __init__(self, callback, before):
        self.callback, self.before, self.costs = callback, before, []

    def __call__(self, intermediate_result):
        self.costs.append(float(intermediate_result.fun))
        if self.callback is not None:
            self.callback(self.before + len(self.costs), self.costs[-1])


def _checked_perplexity(perplexity, n):
    if perplexity is None:
        return min(10.0, max(1.5, (n - 1) / 2))
    if not isinstance(perplexity, Real) or isinstance(perplexity, bool) or not 1 < perplexity < n - 1:
        raise ValueError(
            f"`perplexity` must be None or a number above 1 and below {n - 1} (n_samples - 1); got {perplexity!r}."
        )
    return float(perplexity)


def _given_start(Z, unit):
    with np.errstate(over="ignore"):
        Z = Z / unit
    if not np.abs(Z).max() <= 1e100:
        raise ValueError(
            f"`init` must be in units of the distances, which are about {unit:.3g}; got values up to "
            f"{np.abs(Z).max():.3g} times that. Rescale it."
        )
    return Z


def _size(init, squared):
    """Size of a random start: that of the data."""
    return np.sqrt(squared.mean() / 2) if isinstance(init, str) and init == "random" else None


def neighbor_widths(squared, perplexity, own=None):
    """Width of each sample at which it has the given effective number of neighbours.

    Parameters
    ----------
    squared : ndarray of shape (r, n), squared distances of some samples to all, or (n, n)
    perplexity : float > 1
    own : ndarray of int, shape (r,), optional
        Which of the n each row is, none twice; left out: row i is sample i.

    Returns
    -------
    ndarray of shape (r,), > 0
        Where there is no such width, the median of the others; where there is none at all, the root of the mean
        squared distance.

    Examples
    --------
    >>> squared = np.subtract.outer(np.arange(40.0), np.arange(40.0)) ** 2
    >>> sigma = neighbor_widths(squared, 5)
    >>> p = np.exp(log_affinities(squared, sigma)[20])
    >>> p[20] = 0
    >>> round(float(np.exp(-np.sum(p[p > 0] * np.log(p[p > 0])))), 6)
    5.0
    """
    sigma = perplexity_widths(squared, perplexity, _own(squared, own))
    known = np.isfinite(sigma) & (sigma > 0)
    other = np.median(sigma[known]) if known.any() else np.sqrt(squared.mean()) or 1.0
    return np.where(known, sigma, other)


def _own(squared, own):
    return np.arange(len(squared)) if own is None else own


def log_affinities(squared, sigma, own=None):
    """Logarithms of p_{j|i}, (4.1), from squared distances of the data, or of q_{j|i}, (4.2), from those of the map.

    Parameters
    ----------
    squared : ndarray of shape (r, n), of some samples to all, or (n, n)
    sigma : ndarray of shape (r,)
    own : ndarray of int, shape (r,), optional, as in :func:`neighbor_widths`

    Returns
    -------
    ndarray of shape (r, n)
        Each row's exponentials sum to 1 without the sample itself, which has -inf.

    Examples
    --------
    >>> np.exp(log_affinities(np.array([[0.0, 1, 1], [1, 0, 4], [1, 4, 0]]), np.ones(3)))[0].tolist()
    [0.0, 0.5, 0.5]
    """
    return _affinities(squared, sigma, _own(squared, own))[0]


def _affinities(squared, sigma, own):
    """Logarithms and values."""
    log_p = squared * (-0.5 / sigma**2)[:, None]  # Eqs. (4.1) and (4.2)
    log_p[np.arange(len(own)), own] = -np.inf
    log_p -= log_p.max(axis=1, keepdims=True)
    p = np.exp(log_p)
    total = p.sum(axis=1, keepdims=True)
    log_p -= np.log(total)
    p /= total
    return log_p, p


def nerv_cost(log_p, squared, sigma, gamma=0.5, *, own=None, weights=1.0):
    """The cost (4.3) of a map, and its derivatives with respect to squared map distances.

    Parameters
    ----------
    log_p : ndarray of shape (r, n), from :func:`log_affinities`
    squared : ndarray of shape (r, n), squared distances in the map
    sigma : ndarray of shape (r,), widths in the map
    gamma : float in [0, 1]
    own : ndarray of int, shape (r,), optional, as in :func:`neighbor_widths`
    weights : ndarray of shape (r,), optional
        How much each row counts.

    Returns
    -------
    cost : float
    slopes : ndarray of shape (r, n)
        Entry (i, j) is the derivative with respect to the distance as it enters row i; a pair's two entries add up.

    Examples
    --------
    >>> squared = np.array([[0.0, 1, 1], [1, 0, 4], [1, 4, 0]])
    >>> nerv_cost(log_affinities(squared, np.ones(3)), squared, np.ones(3))[0]  # data and map agree
    0.0
    """
    p = np.exp(log_p)
    own = _own(squared, own)
    ratio, q = _affinities(squared, sigma, own)
    with np.errstate(invalid="ignore"):
        ratio -= log_p  # ln(q / p)
    ratio[np.arange(len(own)), own] = 0.0  # where p = q = 0
    wrong = np.einsum("ij,ij->i", q, ratio)  # KL(q_i || p_i)
    missed = -np.einsum("ij,ij->i", p, ratio)  # KL(p_i || q_i)
    cost = gamma * np.sum(weights * missed) + (1 - gamma) * np.sum(weights * wrong)  # Eq. (4.3)
    ratio -= wrong[:, None]
    ratio *= q
    ratio *= 1 - gamma
    p -= q
    p *= gamma
    p -= ratio  # gamma (p - q) - (1 - gamma) q (ln(q / p) - KL(q_i || p_i))
    p *= (weights * (0.5 / sigma**2))[:, None]
    return float(cost), p


def pull(Z, slopes, own=None):
    """Gradient with respect to the map, from the derivatives with respect to its squared distances.

    Parameters
    ----------
    Z : ndarray of shape (n, m)
    slopes : ndarray of shape (r, n)
    own : ndarray of int, shape (r,), optional, as in :func:`neighbor_widths`

    Returns
    -------
    ndarray of shape (n, m)

    Examples
    --------
    >>> pull(np.array([[0.0], [3.0]]), np.array([[0.0, 1], [0, 0]])).tolist()  # of (z_0 - z_1)^2
    [[-6.0], [6.0]]
    """
    if own is not None:
        force = slopes.sum(axis=0)[:, None] * Z - slopes.T @ Z[own]
        force[own] += slopes.sum(axis=1)[:, None] * Z[own] - slopes @ Z
        return 2 * force
    both = slopes + slopes.T
    return 2 * (both.sum(axis=1)[:, None] * Z - both @ Z)


def _descent(Z, squared, sigma, gamma, steps, watch):
    log_p = log_affinities(squared, sigma)
    Z = Z - np.median(Z, axis=0)  # most samples near 0, where numbers are finest, however far away one is

    def cost(z):
        Y = z.reshape(Z.shape)
        value, slopes = nerv_cost(log_p, cdist(Y, Y, "sqeuclidean"), sigma, gamma)
        return value, pull(Y, slopes).ravel()

    options = {"maxiter": steps, "ftol": 1e-9, "gtol": 1e-9}
    found = minimize(cost, Z.ravel(), method="L-BFGS-B", jac=True, callback=watch, options=options)
    return found.x.reshape(Z.shape)
