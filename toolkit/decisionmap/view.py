"""A plane with a way there and a way back: all of a decision map that does not depend on the model shown."""

from functools import cached_property

import numpy as np
from joblib import Parallel, delayed
from scipy.spatial import cKDTree
from sklearn.base import clone
from sklearn.model_selection import KFold

from ..core.checks import check_magnitude
from ..core.graphs import squared_distances
from ..kernelmap import InverseMap, KernelMap

__all__ = ["PlaneView", "grid_cells"]

MARGIN = 0.06
"""Share of the map's extent that the grid leaves around the samples."""

MOST_CENTERS = 1500
"""Of the kernel map for new samples, whose time grows with their cube."""


def grid_cells(Z, extent, shape):
    """Row and column of the grid cell nearest to each place.

    Examples
    --------
    >>> rows, columns = grid_cells(np.array([[0.1, 0.9]]), (0, 1, 0, 1), (2, 2))
    >>> rows.tolist(), columns.tolist()
    ([1], [0])
    """
    x0, x1, y0, y1 = extent
    h, w = shape
    columns = np.clip(((Z[:, 0] - x0) / (x1 - x0) * w).astype(int), 0, w - 1)
    return np.clip(((Z[:, 1] - y0) / (y1 - y0) * h).astype(int), 0, h - 1), columns


def _extent(Z):
    """Box around the places with equal units on both axes in mind: neither side less than a tenth of the other."""
    low, high = Z.min(axis=0), Z.max(axis=0)
    size = np.maximum(high - low, 0.1 * (high - low).max())
    # places that coincide, or nearly so for their distance from the origin, get a box that has cells
    size = np.maximum(size, 1e-9 * np.abs([low, high]).max() or 1.0)
    middle, half = (low + high) / 2, (0.5 + MARGIN) * size
    (x0, y0), (x1, y1) = middle - half, middle + half
    return tuple(float(v) for v in (x0, x1, y0, y1))


def _places(extent, shape):
    """Middles of the cells, row by row from the lowest, (h w, 2)."""
    x0, x1, y0, y1 = extent
    h, w = shape
    x = x0 + (np.arange(w) + 0.5) * (x1 - x0) / w
    y = y0 + (np.arange(h) + 0.5) * (y1 - y0) / h
    return np.column_stack([np.tile(x, h), np.repeat(y, w)])


def _snapped(Z, extent, shape):
    """The middle of the cell of each place: section 3.4.3 reads a picture at its grid."""
    rows, columns = grid_cells(Z, extent, shape)
    return _places(extent, shape)[rows * shape[1] + columns]


class PlaneView:
    """Samples, their places in the plane, and points of the data space for every cell of a grid.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    Z : ndarray of shape (n, 2)
    shape : (rows, columns) of the grid
    embedder : fitted map with `transform` and `inverse_transform`, optional
        Explicit ways both; its clone is fitted again in each fold. Otherwise `inverse` is fitted to X and Z.
    inverse : InverseMap, not fitted
    metric : fitted Fisher metric, optional
    distances : ndarray of shape (n, n), optional
        Those that the map was made from.
    way_there : object with `transform`, optional
        For new samples; without it a kernel map of vectors, or of `distances` and those of the metric.
    cv : int or None
    n_jobs : int or None
    random_state : int, of the folds

    Attributes
    ----------
    extent : (x_min, x_max, y_min, y_max)
    grid_samples : ndarray of shape (rows columns, d), points of the data space, row by row from the lowest
    trust : ndarray of shape (rows, columns), 1 near samples, falling to 0 with the distance to the nearest
    folds : list of ndarray of int
    held_out_samples : ndarray of shape (n, d)
        What the picture shows in the place of each sample when that sample is kept out of the inverse map.
    """

    def __init__(
        self,
        X,
        Z,
        shape,
        *,
        embedder=None,
        inverse=None,
        metric=None,
        distances=None,
        way_there=None,
        cv=10,
        n_jobs=None,
        random_state=0,
    ):
        self.X, self.Z, self.shape, self.metric = X, Z, shape, metric
        self._embedder, self._distances, self._way_there, self._n_jobs = (embedder, distances, way_there, n_jobs)
        self._inverse = InverseMap(random_state=random_state) if inverse is None else inverse
        check_magnitude(Z, "Z")
        if cv is not None and len(X) < 3:
            raise ValueError(f"`X` must hold at least 3 samples to keep some out; got {len(X)}. Give `cv=None`.")
        self.extent = _extent(Z)
        self.back = embedder if embedder is not None else self._fitted(np.arange(len(X)))
        self.grid_samples = self.back.inverse_transform(self.grid_places)
        self.trust = self._trust()
        self.folds, self.held_out_samples = [], None
        if cv is not None:
            splits = list(KFold(min(cv, len(X)), shuffle=True, random_state=random_state).split(X))
            self.folds = [held_out for _, held_out in splits]
            one = self._held_out if embedder is None else self._held_out_of_map
            parts = Parallel(n_jobs, prefer="threads")(delayed(one)(*split) for split in splits)
            self.held_out_samples = np.empty_like(X)
            for rows, part in zip(self.folds, parts, strict=True):
                self.held_out_samples[rows] = part

    @property
    def grid_places(self):
        """Middles of the cells, row by row from the lowest, (rows columns, 2)."""
        return _places(self.extent, self.shape)

    def shown_samples(self, Z):
        """Points of the data space that the picture shows at places, read at the nearest cells."""
        rows, columns = grid_cells(Z, self.extent, self.shape)
        return self.grid_samples[rows * self.shape[1] + columns]

    def project(self, X):
        """Places of new samples, (m, 2).

        A kernel map may throw a sample that is far from all others, or from two sides of a border at once, out of the
        picture; such a sample goes to the place of the nearest.
        """
        if self._embedder is not None or self._way_there is not None:
            return np.asarray((self._way_there or self._embedder).transform(X), dtype=float)
        if self._distances is None:
            Z, to_samples = self._kernel_map.transform(X), None
        elif hasattr(self.metric, "distances"):
            to_samples = self.metric.distances(X, self.X)
            Z = self._kernel_map.transform(to_samples)
        else:
            raise ValueError(
                "New samples have no place: the map was made from distances without the metric that they come from. "
                "Give a fitted `metric`, or a `way_there` with a method `transform`."
            )
        low, high = np.array(self.extent).reshape(2, 2).T
        outside = np.flatnonzero(np.any((Z < low) | (Z > high), axis=1))
        if len(outside):
            far = squared_distances(X[outside], self.X) if to_samples is None else to_samples[outside]
            Z[outside] = self.Z[far.argmin(axis=1)]
        return Z

    @cached_property
    def _kernel_map(self):
        centers = None if len(self.X) <= MOST_CENTERS else MOST_CENTERS
        if self._distances is None:
            return KernelMap(n_centers=centers, random_state=0).fit(self.X, self.Z)
        # lengths of a Fisher metric are nearly equal in whole regions, and kernels of them nearly singular
        kernel_map = KernelMap(metric="precomputed", n_centers=centers, cutoff=1e-2, random_state=0)
        return kernel_map.fit(self._distances, self.Z)

    def _fitted(self, rows):
        return clone(self._inverse).fit(self.X[rows], self.Z[rows], self._metric_of(rows))

    def _metric_of(self, rows):
        return self.metric if self.metric is None or hasattr(self.metric, "factors") else self.metric[rows]

    def _held_out(self, kept, held_out):
        """The map as it is, the way back without the held-out samples."""
        return self._fitted(kept).inverse_transform(_snapped(self.Z[held_out], self.extent, self.shape))

    def _held_out_of_map(self, kept, held_out):
        """Both ways without the held-out samples."""
        embedder = clone(self._embedder)
        Z = np.asarray(embedder.fit_transform(self.X[kept]), dtype=float)
        places = np.asarray(embedder.transform(self.X[held_out]), dtype=float)
        return embedder.inverse_transform(_snapped(places, _extent(Z), self.shape))

    def _trust(self):
        places = np.unique(self.Z, axis=0)
        tree = cKDTree(places)
        x0, x1, y0, y1 = self.extent
        cell = np.hypot((x1 - x0) / self.shape[1], (y1 - y0) / self.shape[0])
        reach = cell
        if len(places) > 3:
            reach = max(cell, float(np.percentile(tree.query(places, k=3)[0][:, 2], 90)))
        away = tree.query(self.grid_places)[0]
        return np.exp(-((np.maximum(away - reach, 0) / reach) ** 2)).reshape(self.shape)
