"""Topology and geometry of decision regions in a picture: connected components, length
of the boundary, margins.

The thesis compares answers at samples (section 3.4.3) and leaves open how to judge what
lies between them. These three measures of the DecisionMap of a classifier look at
straight lines between samples, in the data space and in the plane; 1 is a faithful
picture.
"""

import numpy as np
from scipy.sparse import csr_matrix, triu
from scipy.sparse.csgraph import connected_components
from scipy.spatial import Delaunay
from scipy.stats import spearmanr
from sklearn.metrics.cluster import pair_confusion_matrix

from toolkit.core.graphs import knn_graph, squared_distances
from toolkit.decisionmap.view import grid_cells

STEPS_PER_LINE = 24
N_NEIGHBORS = 10  # whose connected components are the model's regions
# nearest samples of other classes, to which the boundary is sought
N_OTHERS = 10


def region_agreement(decision_map):
    """Whether samples of one region of the model share one region of the picture, and
    the other way round.

    Regions of the model are connected components of nearest neighbours, joined where
    the model gives one class all along the line between two of them; regions of the
    picture are cells of one class that touch. The score is, over pairs of samples in
    one region in the data space or in the picture, the fraction that are in both
    (Jaccard's index), without misrepresented samples.
    """
    view = decision_map._view
    fine = ~decision_map.misrepresented_[decision_map.sample_]
    near = knn_graph(view.X, N_NEIGHBORS)
    near.data[:] = 1  # duplicates are neighbours too
    i, j = triu(near.maximum(near.T)).nonzero()
    _, lines = _classes_on_lines(decision_map, i, j)
    constant = _changes(lines) == 0
    in_data = _components(i[constant], j[constant], len(view.X))[fine]
    grid = decision_map.grid_values_
    cells = grid_cells(view.Z, decision_map.extent_, grid.shape)
    in_picture = region_numbers(grid)[cells][fine]
    (_, one), (other, both) = pair_confusion_matrix(in_data, in_picture)
    return both / (both + one + other)


def boundary_length(decision_map):
    """Length of the boundary between the samples, in the picture and by the model: the
    smaller over the larger.

    In the spirit of Crofton's formula: the length of a curve is how often straight
    lines cross it. Here these are the edges of the Delaunay triangulation of the
    positions, and the lines between the same samples in the data space.
    """
    triangles = Delaunay(decision_map._view.Z, qhull_options="QJ").simplices
    sides = triangles[:, [[0, 1], [1, 2], [0, 2]]].reshape(-1, 2)
    edges = np.unique(np.sort(sides), axis=0)
    seen, real = (
        np.mean(_changes(lines))
        for lines in _classes_on_lines(decision_map, *edges.T)
    )
    return min(seen, real) / max(seen, real)


def margin_correlation(decision_map):
    """Rank correlation of the distances of samples to the boundary, in the picture and
    in the data space.

    The distance of a sample is the least to the first change of class on the lines to
    the samples of other classes that are nearest in the data space. Even stretching
    from the boundary keeps the ranks and is not seen; one side stretched more than the
    other is.
    """
    X = decision_map._view.X
    Z = decision_map._view.Z
    labels = decision_map.predicted_[decision_map.sample_]
    squared = squared_distances(X, X)
    squared[labels[:, None] == labels] = np.inf
    i = np.repeat(np.arange(len(X)), N_OTHERS)
    j = np.argsort(squared, 1)[:, :N_OTHERS].ravel()
    margins = []
    for A, lines in zip(
        (Z, X), _classes_on_lines(decision_map, i, j), strict=True
    ):
        change = lines != lines[:, :1]
        steps = np.where(change.any(1), change.argmax(1), STEPS_PER_LINE)
        lengths = steps / STEPS_PER_LINE * np.linalg.norm(A[i] - A[j], axis=1)
        margins.append(lengths.reshape(-1, N_OTHERS).min(1))
    return spearmanr(*margins)[0]


def _classes_on_lines(decision_map, i, j):
    """Classes on the lines from samples i to samples j, (lines, steps + 1): in the
    picture, and by the model.
    """
    fractions = np.linspace(0, 1, STEPS_PER_LINE + 1)[:, None]
    view = decision_map._view
    for function, A in (
        (decision_map._picture_at, view.Z),
        (decision_map._function, view.X),
    ):
        points = A[i][:, None] + fractions * (A[j] - A[i])[:, None]
        yield function(points.reshape(-1, A.shape[1])).values.reshape(
            points.shape[:2]
        )


def _changes(lines):
    return np.sum(lines[:, 1:] != lines[:, :-1], 1)


def region_numbers(labels):
    """Number of the region of each cell: cells that share a side and a class."""
    number = np.arange(labels.size).reshape(labels.shape)
    right = labels[:, 1:] == labels[:, :-1]
    up = labels[1:] == labels[:-1]
    i = np.concatenate([number[:, 1:][right], number[1:][up]])
    j = np.concatenate([number[:, :-1][right], number[:-1][up]])
    return _components(i, j, labels.size).reshape(labels.shape)


def _components(i, j, n):
    """Connected component (n,) of each node of the graph with edges from i to j."""
    graph = csr_matrix((np.ones(len(i)), (i, j)), shape=(n, n))
    return connected_components(graph, directed=False)[1]
