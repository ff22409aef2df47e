"""Relevance of features for a map over sizes of neighbourhoods, and at positions of the
map.

Local relevance is beyond the thesis, which names it as an open question (4.4):
neighbours are sought among all samples, and which neighbourhoods count depends on the
position.
"""

import numpy as np
from sklearn.base import clone
from sklearn.cluster import KMeans

from toolkit.core.graphs import squared_distances
from toolkit.core.progress import openmp_threads
from toolkit.core.scaling import median_centred, perplexity_widths

# as a fraction of the most important neighbourhood; what counts less is left out
LEAST_IMPORTANCE = 1e-3


def relevance_profile(estimator, X, Z, n_neighbors):
    """Relevances (len(n_neighbors), d) for several sizes of neighbourhoods."""
    return np.array(
        [
            clone(estimator).set_params(n_neighbors=k).fit(X, Z).relevances_
            for k in n_neighbors
        ]
    )


def local_relevance(estimator, X, Z, positions):
    """Relevances (p, d) at positions (p, m) of a map Z (n, m), each from the
    neighbourhoods of samples around it.
    """
    importances = windows(Z, positions)
    importances[importances < LEAST_IMPORTANCE] = 0
    fits = [
        clone(estimator).fit(X, Z, importance) for importance in importances
    ]
    return np.array([fit.relevances_ for fit in fits])


def windows(Z, positions):
    """Gaussian weights (p, n) of the samples around each position; a tenth of them
    count, at least 30, at most half.
    """
    n = len(Z)
    middle = np.median(Z, 0)
    unit = median_centred(Z)[1]
    squared = squared_distances(
        (positions - middle) / unit, (Z - middle) / unit
    )
    widths = perplexity_widths(squared, min(max(30, n / 10), n / 2))[:, None]
    exponent = -0.5 * squared / widths**2
    return np.exp(exponent - exponent.max(1, keepdims=True))


def map_centers(Z, count=20):
    """Positions (count, m) all over a map: the centres of k-means."""
    with openmp_threads(1):  # sums of threads end in another order each time
        return KMeans(count, n_init=1, random_state=0).fit(Z).cluster_centers_
