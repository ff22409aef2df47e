"""Topology and geometry of decision regions in a picture: connected components, length of the boundary, margins.

The thesis compares answers at samples (section 3.4.3) and leaves open how to judge what lies between them. These three
measures look at straight lines between samples, in the data space and in the plane; 1 is a faithful picture.
"""

import numpy as np
from scipy.sparse import csr_matrix, triu
from scipy.sparse.csgraph import connected_components
from scipy.spatial import Delaunay
from scipy.stats import spearmanr

from ..core.checks import check_integer, shown
from ..core.graphs import knn_graph, squared_distances
from ..core.memory import check_memory
from ..core.scaling import row_blocks
from .map import DecisionMap
from .view import grid_cells

__all__ = ["boundary_length", "margins_kept", "painted_regions", "regions_kept"]

STEPS_PER_LINE = 24
NUMBERS_AT_ONCE = 2**25  # of points on lines


def regions_kept(decision_map, n_neighbors=10):
    """Whether samples of one region of the model share one region of the picture, and the other way round.

    Parameters
    ----------
    decision_map : DecisionMap of a classifier
    n_neighbors : int
        Regions of the model are connected components of this many nearest neighbours, joined where the model gives one
        class all along the line between two of them.

    Returns
    -------
    score : float
        Over pairs of samples in one region in the data space or in the picture, the fraction that are in both
        (Jaccard's index) without misrepresented samples. Regions of the picture are cells of one class that touch.
    counts : (regions in the picture, regions in the data space), each with at least 2 samples

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> from toolkit.decisionmap import DecisionMap
    >>> X, y = load_iris(return_X_y=True)
    >>> regions_kept(DecisionMap.from_map(SVC().fit(X, y), X, X[:, 2:], cv=None))
    (1.0, (3, 3))
    """
    X, Z, wrong, _ = _mapped(decision_map)
    fine = np.flatnonzero(~wrong)
    near = knn_graph(X, min(check_integer(n_neighbors, "n_neighbors"), len(X) - 1))
    near.data[:] = 1  # duplicates are neighbours too
    i, j = triu(near.maximum(near.T)).nonzero()
    _, lines = _classes_on_lines(decision_map, i, j)
    constant = _changes(lines) == 0
    in_data = _components(i[constant], j[constant], near.shape[0])[fine]
    cells = grid_cells(Z, decision_map.extent_, decision_map.grid_values_.shape)
    in_picture = painted_regions(decision_map.grid_values_)[cells][fine]
    table = np.zeros((in_data.max() + 1, in_picture.max() + 1))
    np.add.at(table, (in_data, in_picture), 1)
    both, one, other = (np.sum(t * (t - 1)) / 2 for t in (table, table.sum(axis=0), table.sum(axis=1)))
    counts = tuple(int(np.sum(table.sum(axis=axis) >= 2)) for axis in (0, 1))
    return float(both / (one + other - both)) if one + other > both else 1.0, counts


def boundary_length(decision_map):
    """Length of the boundary between the samples, in the picture over that of the model.

    In the spirit of Crofton's formula: the length of a curve is how often straight lines cross it. Here these are the
    edges of the Delaunay triangulation of the positions, and the lines between the same samples in the data space.

    Parameters
    ----------
    decision_map : DecisionMap of a classifier

    Returns
    -------
    score : float, the smaller number of crossings over the larger
    crossings : (in the picture, in the data space), per edge

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> from toolkit.decisionmap import DecisionMap
    >>> X, y = load_iris(return_X_y=True)
    >>> round(boundary_length(DecisionMap.from_map(SVC().fit(X, y), X, X[:, 2:], cv=None))[0], 1)
    0.9
    """
    triangles = Delaunay(_mapped(decision_map)[1], qhull_options="QJ").simplices
    edges = np.unique(np.sort(triangles[:, [[0, 1], [1, 2], [0, 2]]].reshape(-1, 2)), axis=0)
    seen, real = (np.mean(_changes(lines)) for lines in _classes_on_lines(decision_map, *edges.T))
    return (float(min(seen, real) / max(seen, real)) if max(seen, real) > 0 else 1.0), (float(seen), float(real))


def margins_kept(decision_map, n_others=10):
    """Rank correlation of the distances of samples to the boundary, in the picture and in the data space.

    Parameters
    ----------
    decision_map : DecisionMap of a classifier
    n_others : int
        The distance of a sample is the least to the first change of class on the lines to the nearest, in the data
        space, that many samples of other classes, in the plane and in the data space alike.

    Returns
    -------
    float, between -1 and 1
        Even stretching from the boundary keeps the ranks and is not seen; one side stretched more than the other is.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> from toolkit.decisionmap import DecisionMap
    >>> X, y = load_iris(return_X_y=True)
    >>> bool(margins_kept(DecisionMap.from_map(SVC().fit(X, y), X, X[:, 2:], cv=None)) > 0.9)
    True
    """
    X, Z, _, labels = _mapped(decision_map)
    n_others = check_integer(n_others, "n_others")
    check_memory("The distances between all mapped samples", len(X), arrays=3, remedy="Set `max_samples` of the map.")
    squared = squared_distances(X, X)
    squared[labels[:, None] == labels] = np.inf
    m = min(n_others, int(np.isfinite(squared).sum(axis=1).min()))
    if m == 0:
        raise ValueError("`decision_map` must hold samples of at least two predicted classes.")
    i, j = np.repeat(np.arange(len(X)), m), np.argsort(squared, axis=1)[:, :m].ravel()
    margins = []
    for A, lines in zip((Z, X), _classes_on_lines(decision_map, i, j), strict=True):
        change = lines != lines[:, :1]
        fraction = np.where(change.any(axis=1), change.argmax(axis=1), STEPS_PER_LINE) / STEPS_PER_LINE
        margins.append((fraction * np.linalg.norm(A[i] - A[j], axis=1)).reshape(-1, m).min(axis=1))
    return float(spearmanr(*margins)[0])


def _mapped(decision_map):
    """Mapped samples, their positions, which are misrepresented, and the classes that the model gives them."""
    if not isinstance(decision_map, DecisionMap):
        raise ValueError(f"`decision_map` must be a DecisionMap; got {shown(decision_map)}.")
    sample, view = decision_map.sample_, decision_map._view
    wrong, labels = decision_map.misrepresented_[sample], decision_map.predicted_[sample]
    if decision_map.classes_ is None or wrong.all():
        raise ValueError("`decision_map` must be of a classifier, and show at least one sample as it is classified.")
    return view.X, view.Z, wrong, labels


def _classes_on_lines(decision_map, i, j):
    """Classes on the lines from samples i to samples j, (lines, steps + 1): in the picture, and by the model."""
    fractions, view = np.linspace(0, 1, STEPS_PER_LINE + 1)[:, None], decision_map._view
    for function, A in ((decision_map._picture_at, view.Z), (decision_map._function, view.X)):
        found = []
        for block in row_blocks(len(i), len(fractions) * A.shape[1], NUMBERS_AT_ONCE):
            points = A[i[block]][:, None] + fractions * (A[j[block]] - A[i[block]])[:, None]
            found.append(function(points.reshape(-1, A.shape[1])).values.reshape(points.shape[:2]))
        yield np.concatenate(found)


def _changes(lines):
    return np.sum(lines[:, 1:] != lines[:, :-1], axis=1)


def painted_regions(labels):
    """Number of the region of each cell: cells that share a side and a class."""
    number = np.arange(labels.size).reshape(labels.shape)
    right, up = labels[:, 1:] == labels[:, :-1], labels[1:] == labels[:-1]
    i = np.concatenate([number[:, 1:][right], number[1:][up]])
    j = np.concatenate([number[:, :-1][right], number[:-1][up]])
    return _components(i, j, labels.size).reshape(labels.shape)


def _components(i, j, n):
    """Connected component (n,) of each node of the graph with edges from i to j."""
    return connected_components(csr_matrix((np.ones(len(i)), (i, j)), shape=(n, n)), directed=False)[1]
