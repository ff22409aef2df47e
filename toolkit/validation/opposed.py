"""Do rows of one set have different targets, as bride and groom have?

A model that is fitted to one row of such a set predicts the others' target wrongly, so
that cross-validation by rows is worse than chance. The sets are the values of a column
or pairs of nearest neighbours.
"""

import numpy as np
from scipy.sparse import csr_array
from sklearn.neighbors import NearestNeighbors

from .ranks import target_columns

TEST_LEVEL = 0.01
N_PERMUTATIONS = 999
NEIGHBOURS = "nearest neighbours"
# Sets are not searched among more rows than this.
MOST_PAIRED_ROWS = 2000


def opposed_sets(target, X, keys, seed=0):
    """Find the sets of rows within which targets differ more than by chance.

    Parameters
    ----------
    target : Target
        Target of the n rows.
    X : ndarray of shape (n, p)
        All columns as numbers, for the nearest neighbour of each row.
    keys : list of Key
        Columns whose values may name sets.
    seed : int, default=0
        Seed of the random number generator.

    Returns
    -------
    name : str
        Name of the column, "nearest neighbours", or "" if there are no such sets.

    Notes
    -----
    The statistic is the sum of squares of the target between sets, or the sum of
    products with the target of the nearest neighbour. All are tested together at a
    level of 0.01, by the minimum of the standardised statistics over permutations of
    the target.

    Examples
    --------
    >>> from toolkit.validation import as_target
    >>> from toolkit.validation.keys import Key
    >>> couple = Key(name="couple", values=np.arange(40.0) // 2, is_number=True)
    >>> X = np.random.default_rng(0).normal(size=(40, 2))
    >>> opposed_sets(as_target(np.arange(40) % 2, 40), X, [couple])
    'couple'
    """
    rng = np.random.default_rng(seed)
    rows = np.sort(rng.permutation(len(X))[:MOST_PAIRED_ROWS])
    T = target_columns(target[rows])
    matrices = [_scaled_sums(key.at(rows)) for key in keys]
    search = NearestNeighbors(n_neighbors=1).fit(X[rows])
    nearest = search.kneighbors(return_distance=False)[:, 0]

    def statistics(T):
        """Sum of squares between the sets of each key, and that of neighbours."""
        squares = [np.sum((matrix @ T) ** 2) for matrix in matrices]
        product_with_nearest = np.sum(T * T[nearest])
        return np.array([*squares, product_with_nearest])

    permuted = []
    for _ in range(N_PERMUTATIONS):
        order = rng.permutation(len(T))
        permuted.append(statistics(T[order]))
    permuted = np.array(permuted)
    centre = permuted.mean(axis=0)
    scale = np.maximum(permuted.std(axis=0), 1e-9)
    minima = ((permuted - centre) / scale).min(axis=1)
    true = (statistics(T) - centre) / scale
    strongest = true.argmin()
    n_below = np.sum(minima <= true[strongest])
    p_value = (1 + n_below) / (1 + N_PERMUTATIONS)
    if p_value > TEST_LEVEL:
        return ""
    names = [key.name for key in keys]
    return [*names, NEIGHBOURS][strongest]


def _scaled_sums(key):
    """The matrix (n_values, n) that sums rows of each value, over the root of n."""
    rows = np.flatnonzero(key.codes >= 0)
    codes = key.codes[rows]
    scale = 1 / np.sqrt(np.bincount(codes))
    shape = len(scale), len(key.codes)
    return csr_array((scale[codes], (codes, rows)), shape=shape)
