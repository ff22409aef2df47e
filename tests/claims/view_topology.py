"""Topology and geometry of decision regions in a picture: connected components, length of the boundary, margins.

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

from toolkit.core.graphs import knn_graph, squared_distances
from toolkit.decisionmap.view import grid_cells

STEPS_PER_LINE = 24
N_NEIGHBORS = 10  # whose connected components are the model's regions
N_OTHERS = 10  # nearest samples of other classes, to which the boundary is sought


def regions_kept(decision_map):
    """Whether samples of one region of the model share one region of the picture, and the other way round.

    Regions of the model are connected components of nearest neighbours, joined where
    the model gives one class all along the line between two of them; regions of the
    picture are cells of one class that touch. The score is, over pairs of samples in
    one region in the data space or in the picture, the fraction that are in both
    (Jaccard's index), without misrepresented samples.
    """
    X, Z = decision_map._view.X, decision_map._view.Z
    fine = np.flatnonzero(~decision_map.misrepresented_[decision_map.sample_])
    near = knn_graph(X, N_NEIGHBORS)
    near.data[:] = 1  # duplicates are neighbours too
    i, j = triu(near.maximum(near.T)).nonzero()
    _, lines = _classes_on_lines(decision_map, i, j)
    constant = _changes(lines) == 0
    in_data = _components(i[constant], j[constant], near.shape[0])[fine]
    cells = grid_cells(Z, decision_map.extent_, decision_map.grid_values_.shape)
    in_picture = painted_regions(decision_map.grid_values_)[cells][fine]
    table = np.zeros((in_data.max() + 1, in_picture.max() + 1))
    np.add.at(table, (in_data, in_picture), 1)
    both, one, other = (
        np.sum(t * (t - 1)) / 2 for t in (table, table.sum(axis=0), table.sum(axis=1))
    )
    return both / (one + other - both)


def boundary_length(decision_map):
    """Length of the boundary between the samples, in the picture and by the model: the smaller over the larger.

    In the spirit of Crofton's formula: the length of a curve is how often straight
    lines cross it. Here these are the edges of the Delaunay triangulation of the
    positions, and the lines between the same samples in the data space.
    """
    triangles = Delaunay(decision_map._view.Z, qhull_options="QJ").simplices
    edges = np.unique(
        np.sort(triangles[:, [[0, 1], [1, 2], [0, 2]]].reshape(-1, 2)), axis=0
    )
    seen, real = (
        np.mean(_changes(lines)) for lines in _classes_on_lines(decision_map, *edges.T)
    )
    return min(seen, real) / max(seen, real)


def margins_kept(decision_map):
    """Rank correlation of the distances of samples to the boundary, in the picture and in the data space.

    The distance of a sample is the least to the first change of class on the lines to
    the samples of other classes that are nearest in the data space. Even stretching
    from the boundary keeps the ranks and is not seen; one side stretched more than the
    other is.
    """
    X, Z = decision_map._view.X, decision_map._view.Z
    labels = decision_map.predicted_[decision_map.sample_]
    squared = squared_distances(X, X)
    squared[labels[:, None] == labels] = np.inf
    i, j = (
        np.repeat(np.arange(len(X)), N_OTHERS),
        np.argsort(squared, 1)[:, :N_OTHERS].ravel(),
    )
    margins = []
    for A, lines in zip((Z, X), _classes_on_lines(decision_map, i, j), strict=True):
        change = lines != lines[:, :1]
        fraction = (
            np.where(change.any(1), change.argmax(1), STEPS_PER_LINE) / STEPS_PER_LINE
        )
        margins.append(
            (fraction * np.linalg.norm(A[i] - A[j], axis=1))
            .reshape(-1, N_OTHERS)
            .min(1)
        )
    return spearmanr(*margins)[0]


def _classes_on_lines(decision_map, i, j):
    """Classes on the lines from samples i to samples j, (lines, steps + 1): in the picture, and by the model."""
    fractions, view = np.linspace(0, 1, STEPS_PER_LINE + 1)[:, None], decision_map._view
    for function, A in (
        (decision_map._picture_at, view.Z),
        (decision_map._function, view.X),
    ):
        points = A[i][:, None] + fractions * (A[j] - A[i])[:, None]
        yield function(points.reshape(-1, A.shape[1])).values.reshape(points.shape[:2])


def _changes(lines):
    return np.sum(lines[:, 1:] != lines[:, :-1], 1)


def painted_regions(labels):
    """Number of the region of each cell: cells that share a side and a class."""
    number = np.arange(labels.size).reshape(labels.shape)
    right, up = labels[:, 1:] == labels[:, :-1], labels[1:] == labels[:-1]
    i = np.concatenate([number[:, 1:][right], number[1:][up]])
    j = np.concatenate([number[:, :-1][right], number[:-1][up]])
    return _components(i, j, labels.size).reshape(labels.shape)


def _components(i, j, n):
    """Connected component (n,) of each node of the graph with edges from i to j."""
    return connected_components(
        csr_matrix((np.ones(len(i)), (i, j)), shape=(n, n)), directed=False
    )[1]
