"""Similarities, which may be indefinite: their positive part, the distances that they
give, and Fisher distances of a real-valued target from them alone.
"""

import numpy as np

from toolkit.core.linalg import symmetric_eigenpairs
from toolkit.core.scaling import suppress_scale_warning


def clip_spectrum(S):
    """S (n, n) with 0 in place of negative eigenvalues."""
    values, V = np.linalg.eigh(S)
    return (V * np.maximum(values, 0)) @ V.T


def squared_lengths(S):
    """Squared distances (n, n), which may be negative."""
    return np.diag(S)[:, None] + np.diag(S) - 2 * S


def lengths(S):
    """Distances (n, n), 0 where their squares are negative."""
    return np.sqrt(np.maximum(squared_lengths(S), 0)) * (1 - np.eye(len(S)))


def fit_similarities(process, S, y):
    """A GPFisher, fitted to coordinates with the scalar products S (n, n) and targets y
    (n,).

    The thesis leaves it open (chapter 6). A Gaussian process sees squared distances
    only, and these are s_ii + s_jj - 2 s_ij: so it can work in coordinates whose scalar
    products are the similarities, S = V diag(values) V^T.
    """
    values, V = symmetric_eigenpairs(S)
    kept = values > 1e-12 * np.abs(values).max()
    with suppress_scale_warning():  # these axes are no features
        return process.fit(V[:, kept] * np.sqrt(values[kept]), y)
