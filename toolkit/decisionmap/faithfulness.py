"""Beyond accordance: whether a picture keeps the regions of a classifier, the length of its boundary and its margins.

The thesis compares answers at samples (3.4.3) and leaves open how to judge what lies between them. All three measures
here look at straight lines between samples, in the data space and in the plane. They are 1 for a faithful picture.

>>> from sklearn.datasets import load_iris
>>> from sklearn.svm import SVC
>>> from toolkit.decisionmap import DecisionMap
>>> X, y = load_iris(return_X_y=True)
>>> shown = DecisionMap.from_map(SVC().fit(X, y), X, X[:, 2:], cv=None)
>>> regions_kept(shown)
(1.0, (3, 3))
>>> round(boundary_length(shown)[0], 1), bool(margins_kept(shown) > 0.9)
(0.9, True)
"""

import numpy as np
from scipy.sparse import csr_matrix, triu
from scipy.sparse.csgraph import connected_components
from scipy.spatial import Delaunay
from scipy.stats import spearmanr

from ..core.graphs import knn_graph, squared_distances
from .view import grid_cells

__all__ = ["boundary_length", "margins_kept", "regions_kept"]

STEPS = 24  # of a line


def regions_kept(shown, n_neighbors=10):
    """Whether samples of one region of the model share one region of the picture, and the other way round.

    Parameters
    ----------
    shown : DecisionMap of a classifier
    n_neighbors : int
        Two neighbours among that many are of one region of the model if it gives one class all along the line between
        them, and so on from neighbour to neighbour.

    Returns
    -------
    score : float
        Over pairs of samples that are in one region in the data space or in the picture, the share that are in both
        (Jaccard's index); misshown samples are left out. Regions of the picture are cells of one class that touch.
    counts : (regions in the picture, regions in the data space), each with at least 2 samples
    """
    _check_classes(shown)
    fine = np.flatnonzero(~shown.misshown_)
    near = knn_graph(shown._view.X, min(n_neighbors, len(shown._view.X) - 1))
    near.data[:] = 1  # duplicates are neighbours too
    i, j = triu(near.maximum(near.T)).nonzero()
    constant = _changes(_data_labels(shown, i, j)) == 0
    graph = csr_matrix((np.ones(constant.sum()), (i[constant], j[constant])), shape=near.shape)
    in_data = connected_components(graph, directed=False)[1][fine]
    cells = grid_cells(shown.embedding_, shown.extent_, shown.grid_values_.shape)
    in_picture = painted_regions(shown.grid_values_)[cells][fine]
    table = np.zeros((in_data.max() + 1, in_picture.max() + 1))
    np.add.at(table, (in_data, in_picture), 1)
    both, one, other = (np.sum(t * (t - 1)) / 2 for t in (table, table.sum(axis=0), table.sum(axis=1)))
    counts = tuple(int(np.sum(table.sum(axis=axis) >= 2)) for axis in (0, 1))
    return float(both / (one + other - both)) if one + other > both else 1.0, counts


def boundary_length(shown):
    """Length of the boundary between the samples, in the picture over that of the model.

    In the spirit of Crofton's formula, by which the length of a curve is how often straight lines cross it. The lines
    are the edges of the Delaunay triangulation of the places, which fill the plane between the samples, against the
    lines between the same samples in the data space.

    Parameters
    ----------
    shown : DecisionMap of a classifier

    Returns
    -------
    score : float
        The smaller number of crossings over the larger.
    crossings : (in the picture, in the data space), per edge
    """
    _check_classes(shown)
    triangles = Delaunay(shown.embedding_, qhull_options="QJ").simplices
    edges = np.unique(np.sort(triangles[:, [[0, 1], [1, 2], [0, 2]]].reshape(-1, 2)), axis=0)
    seen, real = (np.mean(_changes(read(shown, *edges.T))) for read in (_picture_labels, _data_labels))
    return (float(min(seen, real) / max(seen, real)) if max(seen, real) > 0 else 1.0), (float(seen), float(real))


def margins_kept(shown, n_rivals=10):
    """Rank correlation of the distances of samples to the boundary, in the picture and in the data space.

    Parameters
    ----------
    shown : DecisionMap of a classifier
    n_rivals : int
        The distance of a sample is the least to the first change of class on the lines to the nearest, in the data
        space, that many samples of other classes, in the plane and in the data space alike.

    Returns
    -------
    float, between -1 and 1
        Even stretching from the boundary keeps the ranks and is not seen; one side stretched more than the other is.
    """
    _check_classes(shown)
    X, Z, labels = shown._view.X, shown.embedding_, shown.predicted_
    squared = squared_distances(X, X)
    squared[labels[:, None] == labels] = np.inf
    m = min(n_rivals, int(np.isfinite(squared).sum(axis=1).min()))
    if m == 0:
        raise ValueError("`shown` must hold samples of at least two predicted classes.")
    i, j = np.repeat(np.arange(len(X)), m), np.argsort(squared, axis=1)[:, :m].ravel()
    margins = []
    for read, A in ((_picture_labels, Z), (_data_labels, X)):
        lines = read(shown, i, j)
        change = lines != lines[:, :1]
        share = np.where(change.any(axis=1), change.argmax(axis=1), STEPS) / STEPS
        margins.append((share * np.linalg.norm(A[i] - A[j], axis=1)).reshape(-1, m).min(axis=1))
    return float(spearmanr(*margins)[0])


def _check_classes(shown):
    if shown.classes_ is None or shown.misshown_.all():
        raise ValueError("`shown` must be the map of a classifier, and show at least one sample as it is classified.")


def _on_lines(A, i, j):
    """Points from samples i to samples j, (lines, STEPS + 1, d)."""
    share = np.linspace(0, 1, STEPS + 1)[:, None]
    return A[i][:, None] + share * (A[j] - A[i])[:, None]


def _data_labels(shown, i, j):
    X = shown._view.X
    points = _on_lines(X, i, j)
    return shown._function(points.reshape(-1, X.shape[1])).values.reshape(points.shape[:2])


def _picture_labels(shown, i, j):
    points = _on_lines(shown.embedding_, i, j)
    rows, columns = grid_cells(points.reshape(-1, 2), shown.extent_, shown.grid_values_.shape)
    return shown.grid_values_[rows, columns].reshape(points.shape[:2])


def _changes(lines):
    return np.sum(lines[:, 1:] != lines[:, :-1], axis=1)


def painted_regions(labels):
    """Number of the region of each cell: cells that share a side and a class."""
    number = np.arange(labels.size).reshape(labels.shape)
    right, up = labels[:, 1:] == labels[:, :-1], labels[1:] == labels[:-1]
    i = np.concatenate([number[:, 1:][right], number[1:][up]])
    j = np.concatenate([number[:, :-1][right], number[:-1][up]])
    graph = csr_matrix((np.ones(len(i)), (i, j)), shape=(labels.size, labels.size))
    return connected_components(graph, directed=False)[1].reshape(labels.shape)
