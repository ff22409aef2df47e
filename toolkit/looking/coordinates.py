"""A matrix of similarities or distances as coordinates: classical scaling, which does not look at the classes."""

import numpy as np

from ..core.linalg import symmetric_eigenpairs

__all__ = ["coordinates"]

KEPT = 1e-6  # of the largest eigenvalue; directions below are rounding


def coordinates(S, distances=False):
    """Vectors whose Euclidean distances are those of a matrix, as nearly as can be.

    Parameters
    ----------
    S : ndarray of shape (n, n), symmetric: similarities, or distances
    distances : bool

    Returns
    -------
    X : ndarray of shape (n, q), columns of falling variance
    lost : float, fraction of the absolute spectrum that is negative, which no vectors can have
    """
    squares = S**2 if distances else -2 * S + np.diag(S)[:, None] + np.diag(S)
    centred = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()
    values, vectors = symmetric_eigenpairs(-centred / 2)
    kept = values > KEPT * values.max()
    lost = float(np.abs(values[values < 0]).sum() / np.abs(values).sum())
    return vectors[:, kept] * np.sqrt(values[kept]), lost
