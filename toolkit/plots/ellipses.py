"""Ellipses of a local (Riemannian) metric: the long axis is the direction in which distances grow fastest."""

import numpy as np

from ..core.arrays import check_numbers
from ..core.checks import check_integer, check_positive
from .inputs import check_points

__all__ = ["ellipse_segments"]


def ellipse_segments(points, matrices, *, size, n_edges=24):
    """Edges of the ellipses {x + s J(x)^(1/2) u : |u| = 1}; a matrix of rank one gives a stroke.

    Parameters
    ----------
    points : ndarray of shape (p, 2)
    matrices : ndarray of shape (p, 2, 2), symmetric, positive semi-definite
        J(x): the squared distance of a small step u is u^T J(x) u.
    size : float > 0, half the longest axis of all, in units of the points; s is chosen so
    n_edges : int from 3, default=24

    Returns
    -------
    ndarray of shape (p * n_edges, 4), each row x0, y0, x1, y1

    Examples
    --------
    >>> segments = ellipse_segments(np.zeros((1, 2)), np.diag([4.0, 0.0])[None], size=1.0)
    >>> segments.shape, bool(np.allclose(segments[:, 1], 0)), float(segments.max().round(6))
    ((24, 4), True, 1.0)
    """
    points = check_points(points, "points")
    matrices = check_numbers(matrices, "matrices", shape=(len(points), 2, 2))
    size, n_edges = check_positive(size, "size"), check_integer(n_edges, "n_edges", 3, 10_000)
    values, vectors = np.linalg.eigh(matrices)
    lengths = np.sqrt(np.maximum(values, 0))
    largest = lengths.max(initial=0.0)
    roots = np.einsum("pik,pk,pjk->pij", vectors, lengths / (largest or 1.0) * size, vectors)
    angles = np.linspace(0, 2 * np.pi, n_edges + 1)
    outline = points[:, None] + np.einsum("pij,aj->pai", roots, np.column_stack([np.cos(angles), np.sin(angles)]))
    return np.concatenate([outline[:, :-1], outline[:, 1:]], axis=2).reshape(-1, 4)
