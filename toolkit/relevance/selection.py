"""Relevance of features for a map by one step of forward or backward selection: each feature alone, and all but it.

Thesis, section 4.2.2: lambda_forward^k(l) is Q_NX(k) of feature l against the map,
lambda_backward^k(l) of the others.
"""

import numpy as np
from joblib import delayed, effective_n_jobs

from ..core.checks import check_integer, check_jobs, check_seed, short_repr
from ..core.graphs import (
    BLOCK_PAIRS,
    check_n_neighbors,
    check_pair,
    neighbor_ranks,
    squared_distances,
)
from ..core.progress import results
from ..core.scaling import centred


def forward_relevance(
    X,
    Z,
    n_neighbors=None,
    *,
    max_samples=None,
    random_state=None,
    n_jobs=None,
    verbose=False,
):
    """Fraction of the neighbours in the map that each feature alone finds: the larger, the more relevant.

    Parameters
    ----------
    X : array-like of shape (n, d)
    Z : array-like of shape (n, m), the map
    n_neighbors : int, sequence of int, or None, neighbourhood sizes k from 1 to n - 1; None: all of them
    max_samples : int or None, default=None
        Compare the neighbourhoods of that many samples, drawn at random; neighbours are
        still sought among all n, so that k means the same.
    random_state : int, RandomState or None, for `max_samples`
    n_jobs : int, optional, workers of joblib, each for some of the rows; threads by default
    verbose : bool, default=False, show a progress bar

    Returns
    -------
    ndarray of shape (d,) for one size, (len(n_neighbors), d) for several, (n - 1, d)
    for all

    Notes
    -----
    A feature that has nothing to do with the map gets about k / (n - 1), the fraction
    by chance, and at k = n - 1 all features get 1. The unit of a feature does not
    matter. Ties get ranks in the order of the row numbers, as in
    :func:`toolkit.quality.q_nx`: shuffle the rows where features have few values.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> forward_relevance(X, X[:, :1], 10).round(2).tolist()  # chance: 0.1
    [1.0, 0.09, 0.1]
    """
    return _selected(
        X, Z, n_neighbors, max_samples, random_state, n_jobs, verbose, alone=True
    )


def backward_relevance(
    X,
    Z,
    n_neighbors=None,
    *,
    max_samples=None,
    random_state=None,
    n_jobs=None,
    verbose=False,
):
    """Fraction of the neighbours in the map that all features but one find: the smaller, the more relevant that one.

    Parameters and shapes are those of :func:`forward_relevance`, with at least two
    features.

    Notes
    -----
    A feature that can be left out gets about the quality of the map, ``q_nx(X, Z)``;
    one without which the map has more in common with the data gets more than that.
    Copies of a feature hide each other: each can be left out. The features count in the
    units given.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> backward_relevance(X, X[:, :1], 10).round(2).tolist()
    [0.09, 1.0]
    """
    return _selected(
        X, Z, n_neighbors, max_samples, random_state, n_jobs, verbose, alone=False
    )


def _selected(X, Z, n_neighbors, max_samples, random_state, n_jobs, verbose, alone):
    """Quality of each feature `alone`, or of all others."""
    X, Z = check_pair(X, Z, "euclidean")
    n, d = X.shape
    if d < 2 and not alone:
        raise ValueError(
            f"`X` must have at least 2 features, since one is left out; got {d}."
        )
    sizes = _checked_sizes(n_neighbors, n)
    m = check_integer(max_samples, "max_samples", none=True)
    rows = np.arange(n)
    if m is not None and m < n:
        rows = np.sort(check_seed(random_state).choice(n, m, replace=False))
    Z = centred(Z)
    blocks = min(
        len(rows),
        max(effective_n_jobs(check_jobs(n_jobs)), len(rows) * n // BLOCK_PAIRS),
    )
    blocks = np.array_split(rows, blocks)
    tasks = (delayed(_rank_counts)(X, Z, alone, block) for block in blocks)
    found = sum(
        results(
            tasks,
            n_jobs,
            "threads",
            bar=([len(block) for block in blocks], "samples", verbose),
        )
    )
    quality = np.cumsum(found[:, 1:], axis=1).T / (len(rows) * np.arange(1, n)[:, None])
    return quality[sizes]


def _rank_counts(X, Z, alone, rows):
    """How many pairs of some rows with all have each value as the larger of two ranks, for each feature, (d, n)."""
    n, d = X.shape
    low = neighbor_ranks(squared_distances(Z[rows], Z), rows)
    found = np.empty((d, n), dtype=np.int64)
    for feature in range(d):
        values = centred(X[:, [feature]] if alone else np.delete(X, feature, axis=1))
        high = neighbor_ranks(squared_distances(values[rows], values), rows)
        found[feature] = np.bincount(np.maximum(high, low).ravel(), minlength=n)
    return found


def _checked_sizes(n_neighbors, n):
    """The sizes as indices into 1, ..., n - 1."""
    if n_neighbors is None:
        return slice(None)
    if np.ndim(n_neighbors) == 0:
        return check_n_neighbors(n_neighbors, n) - 1
    sizes = list(n_neighbors) if np.ndim(n_neighbors) == 1 else []
    if not sizes:
        what = "an integer, a list of integers, at least one, or None for all"
        raise ValueError(
            f"`n_neighbors` must be {what}; got {short_repr(n_neighbors)}."
        )
    return np.array([check_n_neighbors(k, n) for k in sizes]) - 1
