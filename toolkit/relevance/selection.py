"""Relevance for a map by one step of selection: each feature alone, or all but it.

Thesis, section 4.2.2: lambda_forward^k(l) is Q_NX(k) of feature l against the map,
lambda_backward^k(l) of the others.
"""

import numpy as np
from joblib import delayed

from ..core import (
    BLOCK_PAIRS,
    centred,
    check_integer,
    check_n_neighbors,
    check_pair,
    check_seed,
    draw_rows,
    even_blocks,
    neighbor_ranks,
    results,
    squared_distances,
)


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
    """Compute the fraction of the map's neighbours that each feature alone finds.

    The larger it is, the more relevant is the feature.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Samples.
    Z : array-like of shape (n_samples, n_components)
        Map: positions of the samples.
    n_neighbors : int, sequence of int, or None, default=None
        Neighbourhood sizes k from 1 to n_samples - 1; None: all of them.
    max_samples : int or None, default=None
        Number of samples, drawn at random, whose neighbourhoods are compared;
        neighbours are still searched among all, so that k means the same. None: all.
    random_state : int, RandomState instance or None, default=None
        Seed of the random number generator for `max_samples`; an int makes results
        reproducible.
    n_jobs : int or None, default=None
        Number of parallel jobs of joblib over blocks of rows, threads by default; None
        means 1, -1 all cores.
    verbose : bool, default=False
        Whether to show a progress bar.

    Returns
    -------
    relevances : ndarray of shape (n_features,)
        Relevances for one size; of shape (len(n_neighbors), n_features) for several,
        (n_samples - 1, n_features) for all.

    Notes
    -----
    A feature that is unrelated to the map gets about k / (n - 1), the fraction by
    chance for n samples. At k = n - 1 all features get 1. The unit of a feature does
    not matter. Ties get ranks in the order of the row numbers, as in
    :func:`toolkit.quality.q_nx`: shuffle the rows where features have few values.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> forward_relevance(X, X[:, :1], 10).round(2).tolist()
    [1.0, 0.09, 0.1]
    """
    return _relevance(
        X=X,
        Z=Z,
        n_neighbors=n_neighbors,
        max_samples=max_samples,
        random_state=random_state,
        n_jobs=n_jobs,
        verbose=verbose,
        is_forward=True,
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
    """Compute the fraction of the map's neighbours that all features but one find.

    The smaller it is, the more relevant is the feature left out.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Samples with at least two features.
    Z : array-like of shape (n_samples, n_components)
        Map: positions of the samples.
    n_neighbors : int, sequence of int, or None, default=None
        Neighbourhood sizes k from 1 to n_samples - 1; None: all of them.
    max_samples : int or None, default=None
        Number of samples, drawn at random, whose neighbourhoods are compared;
        neighbours are still searched among all, so that k means the same. None: all.
    random_state : int, RandomState instance or None, default=None
        Seed of the random number generator for `max_samples`; an int makes results
        reproducible.
    n_jobs : int or None, default=None
        Number of parallel jobs of joblib over blocks of rows, threads by default; None
        means 1, -1 all cores.
    verbose : bool, default=False
        Whether to show a progress bar.

    Returns
    -------
    relevances : ndarray of shape (n_features,)
        Relevances for one size; of shape (len(n_neighbors), n_features) for several,
        (n_samples - 1, n_features) for all.

    Notes
    -----
    A feature that can be left out gets about the quality of the map, ``q_nx(X, Z)``. It
    gets more if the map is more similar to the data without it. Copies of a feature
    hide each other: each can be left out. Features are compared in the units given.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> backward_relevance(X, X[:, :1], 10).round(2).tolist()
    [0.09, 1.0]
    """
    return _relevance(
        X=X,
        Z=Z,
        n_neighbors=n_neighbors,
        max_samples=max_samples,
        random_state=random_state,
        n_jobs=n_jobs,
        verbose=verbose,
        is_forward=False,
    )


def _relevance(
    X, Z, n_neighbors, max_samples, random_state, n_jobs, verbose, is_forward
):
    """Quality of each feature on its own (`is_forward`), or of all others.

    The other arguments are those of the public functions.
    """
    X, Z = check_pair(X, Z, "euclidean")
    n, d = X.shape
    if d < 2 and not is_forward:
        raise ValueError(
            f"`X` must have at least 2 features, since one is left out; got {d}."
        )
    sizes = _size_indices(n_neighbors, n)
    m = check_integer(max_samples, "max_samples", optional=True)
    rows = draw_rows(n, m, check_seed(random_state))
    Z = centred(Z)
    parts = even_blocks(len(rows), n, BLOCK_PAIRS)
    blocks = [rows[part] for part in parts]
    tasks = (delayed(_rank_counts)(X, Z, is_forward, block) for block in blocks)
    bar = [len(block) for block in blocks], "samples", verbose
    counts = sum(results(tasks, n_jobs, "threads", bar))
    # Q_NX(k) is the number of pairs with both ranks up to k, over k times the number of
    # samples.
    k = np.arange(1, n)
    n_pairs = np.cumsum(counts[:, 1:], axis=1)
    n_neighbors_of_all = len(rows) * k
    Q = n_pairs.T / n_neighbors_of_all[:, None]
    return Q[sizes]


def _rank_counts(X, Z, is_forward, rows):
    """Numbers of pairs of some rows with all, by the larger of two ranks, (d, n)."""
    n, d = X.shape
    low = neighbor_ranks(squared_distances(Z[rows], Z), rows)
    counts = np.empty((d, n), dtype=np.int64)
    for feature in range(d):
        # Distances are those along one feature, or without it.
        if is_forward:
            features = X[:, [feature]]
        else:
            features = np.delete(X, feature, axis=1)
        features = centred(features)
        squared = squared_distances(features[rows], features)
        high = neighbor_ranks(squared, rows)
        larger = np.maximum(high, low)
        counts[feature] = np.bincount(larger.ravel(), minlength=n)
    return counts


def _size_indices(n_neighbors, n):
    """The sizes as indices into 1, ..., n - 1."""
    if n_neighbors is None:
        return slice(None)
    if np.ndim(n_neighbors) == 0:
        return check_n_neighbors(n_neighbors, n) - 1
    return [check_n_neighbors(k, n) - 1 for k in n_neighbors]
