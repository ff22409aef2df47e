"""Formulas written out word for word, and small helpers, for tests that compare with them in several files."""

import numpy as np

from toolkit.datasets import load


def relative_error(A, B):
    """Difference of two arrays by the length of the second."""
    return float(np.linalg.norm(A - B) / np.linalg.norm(B))


def central_differences(function, x, h=1e-6):
    """Gradient of a number by an array, in its shape."""
    steps = h * np.eye(x.size).reshape(x.size, *x.shape)
    return np.array([(function(x + s) - function(x - s)) / (2 * h) for s in steps]).reshape(x.shape)


def squared(X):
    """Squared distances of all pairs (n, n)."""
    return np.sum((X[:, None] - X) ** 2, axis=-1)


def laplacian(W):
    """Laplacian of a dense graph (n, n)."""
    return np.diag(W.sum(axis=1)) - W


def shuffled_scene():
    """Features and 0/1 labels of Scene in random order; where it is not at hand, a test of a claim is skipped."""
    bunch = load("scene")
    order = np.random.default_rng(0).permutation(len(bunch.data))
    return bunch.data[order], np.asarray(bunch.target)[order].astype(float)
