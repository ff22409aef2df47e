"""Line segments over a map: borders of Voronoi cells, ellipses of a local metric."""

import numpy as np

from ..core import (
    check_box,
    check_integer,
    check_numbers,
    check_positive,
    safe_root,
    unit_of,
)
from .inputs import check_points


def voronoi_segments(points, box):
    """Compute the edges of the Voronoi cells of points that cross a box.

    Parameters
    ----------
    points : ndarray of shape (m, 2)
        Points of the cells.
    box : (x_min, x_max, y_min, y_max), x_min < x_max, y_min < y_max
        Limits of the box.

    Returns
    -------
    segments : ndarray of shape (s, 4)
        Each row x0, y0, x1, y1; edges leave the box rather than end in it.

    Examples
    --------
    >>> edges = voronoi_segments(np.array([[-1.0, 0.0], [1.0, 0.0]]), (-2, 2, -2, 2))
    >>> np.allclose(edges[:, [0, 2]], 0)
    True
    """
    from scipy.spatial import Voronoi

    x0, x1, y0, y1 = check_box(box, "box")
    # Equal points have no edge between them.
    points = np.unique(check_points(points, "points"), axis=0)
    if len(points) < 2:
        return np.empty((0, 4))
    extent = np.ptp(points, axis=0).max()
    reach = 1e3 * max(x1 - x0, y1 - y0, extent)
    # Four distant helpers close every other cell; their own edges lie outside the box
    # and are left out.
    offsets = reach * np.eye(2)
    helpers = points.mean(axis=0) + np.vstack([offsets, -offsets])
    cells = Voronoi(np.vstack([points, helpers]))
    ends_of_edges = np.array(cells.ridge_vertices)
    is_between_points = (cells.ridge_points < len(points)).all(axis=1)
    ends = ends_of_edges[is_between_points]
    return cells.vertices[ends].reshape(-1, 4)


def ellipse_segments(points, matrices, *, size, n_edges=24):
    """Compute the edges of the ellipses ``{x + s J(x)^(1/2) u : |u| = 1}``.

    For a matrix of rank one the ellipse is a line.

    Parameters
    ----------
    points : ndarray of shape (p, 2)
        Centres x of the ellipses.
    matrices : ndarray of shape (p, 2, 2)
        J(x), symmetric, positive semi-definite: the squared distance of a small step u
        is u^T J(x) u.
    size : float > 0
        Half of the longest axis of all ellipses, in units of the points; it sets s.
    n_edges : int from 3, default=24
        Number of edges of an ellipse.

    Returns
    -------
    segments : ndarray of shape (p * n_edges, 4)
        Each row x0, y0, x1, y1.

    Examples
    --------
    >>> edges = ellipse_segments(np.zeros((1, 2)), np.diag([4.0, 0.0])[None], size=1.0)
    >>> edges.shape, bool(np.allclose(edges[:, 1], 0)), float(edges.max().round(6))
    ((24, 4), True, 1.0)
    """
    points = check_points(points, "points")
    matrices = check_numbers(matrices, "matrices", shape=(len(points), 2, 2))
    size = check_positive(size, "size")
    n_edges = check_integer(n_edges, "n_edges", 3, 10_000)
    values, vectors = np.linalg.eigh(matrices)
    lengths = safe_root(values)
    lengths = lengths / unit_of(lengths) * size
    # s J(x)^(1/2)
    roots = np.einsum("pik,pk,pjk->pij", vectors, lengths, vectors)
    angles = np.linspace(0, 2 * np.pi, n_edges + 1)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    outline = points[:, None] + np.einsum("pij,aj->pai", roots, circle)
    # Each edge leads from one point of the outline to the next.
    edges = np.concatenate([outline[:, :-1], outline[:, 1:]], axis=2)
    return edges.reshape(-1, 4)
