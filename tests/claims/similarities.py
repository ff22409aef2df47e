"""Similarities, which may be indefinite: their positive part, and the distances that
they give.
"""

import numpy as np


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
