"""A plane with a projection and an inverse: what does not depend on the model."""

from functools import cached_property

import numpy as np
from joblib import delayed
from scipy.spatial import cKDTree
from sklearn.base import clone
from sklearn.model_selection import KFold

from ..core import (
    Shared,
    check_integer,
    check_memory,
    magnitude,
    results,
    row_blocks,
    squared_distances,
)
from ..kernelmap import InverseMap, KernelMap
from ..plots.fields import cell_centers

MARGIN = 0.06  # around the samples, as a fraction of the map's extent
PAIRS_AT_ONCE = 2**25  # of new samples and mapped ones
# The time of the kernel map for new samples grows with the cube of its centres.
MAX_CENTERS = 1500


def grid_cells(Z, extent, shape):
    """Row and column of the grid cell nearest to each position, (m,) each.

    Z (m, 2) are the positions, `shape` (rows, columns) is that of the grid, `extent`
    has its edges x_min, x_max, y_min, y_max.
    """
    low, high = np.reshape(extent, (2, 2)).T
    size = np.array(shape[::-1])
    cells = ((Z - low) / (high - low) * size).astype(int)
    columns, rows = np.clip(cells, 0, size - 1).T
    return rows, columns


def _extent(Z):
    """Box around positions, neither side less than a tenth of the other."""
    low = Z.min(axis=0)
    high = Z.max(axis=0)
    size = high - low
    # Positions that coincide, or nearly so for their distance from the origin, get a
    # box that has cells.
    rounding = 1e-9 * magnitude(Z)
    if rounding == 0:
        rounding = 1.0
    size = np.maximum(size, max(0.1 * size.max(), rounding))
    middle = (low + high) / 2
    half = (0.5 + MARGIN) * size
    edges = np.column_stack([middle - half, middle + half])
    return tuple(edges.ravel().tolist())


class PlaneView:
    """Samples, their positions, and a point of the data space for each cell of a grid.

    Samples X (n, d) and their positions Z (n, 2) are given, with the
    :class:`Placement` of what made these. A fitted embedder is its own inverse map, and
    fitted again in each fold; otherwise `inverse` is fitted to X and Z. New samples go
    by the projector, or a kernel map of vectors, or one of distances (n, n) and those
    of the metric. `grid_samples` (rows columns, d) are the points of the cells;
    `held_out_samples` (n, d) are what the picture shows in the position of each sample
    if that sample is held out from the inverse map. `done` is called after each fold.
    """

    def __init__(
        self, X, Z, placement, *, shape, inverse, cv, n_jobs, random_state, done
    ):
        self.X = X
        self.Z = Z
        self.shape = shape
        self.metric = placement.metric
        self.embedder = placement.embedder
        self._distances = placement.distances
        self._projector = placement.projector
        self.inverse = inverse
        if inverse is None:
            self.inverse = InverseMap(random_state=random_state)
        self.extent = _extent(Z)
        grid = np.meshgrid(*cell_centers(self.extent, shape))
        self.grid_positions = np.reshape(grid, (2, -1)).T.copy()
        check_memory(
            "The grid in the data space",
            len(self.grid_positions),
            X.shape[1],
            arrays=2,
            remedy="Take a smaller `grid`.",
        )
        self.inverse_map = self.embedder
        if self.embedder is None:
            self.inverse_map = self.fit_inverse(slice(None))
        # Each pixel has a point of the data space, section 3.4.2.
        self.grid_samples = self.inverse_map.inverse_transform(
            self.grid_positions
        )
        self.trust = self._trust()
        # The held-out comparison has folds, section 3.4.3.
        splits = []
        if cv:
            n_folds = min(cv, len(X))
            folds = KFold(n_folds, shuffle=True, random_state=random_state)
            splits = list(folds.split(X))
        self.folds = [held_out for _, held_out in splits]
        shared = Shared(view=self)
        tasks = []
        for kept, held_out in splits:
            tasks.append(delayed(_held_out_points)(shared, kept, held_out))
        parts = results(tasks, n_jobs, prefer="threads")
        self.held_out_samples = np.empty_like(X)
        for rows, part in zip(self.folds, parts, strict=True):
            self.held_out_samples[rows] = part
            done()

    def fit_inverse(self, rows):
        """The inverse map of some samples; a metric may be matrices of the samples."""
        metric = self.metric
        if isinstance(metric, np.ndarray):
            metric = metric[rows]
        return clone(self.inverse).fit(self.X[rows], self.Z[rows], metric)

    def project(self, X):
        """Positions of new samples, (m, 2).

        A kernel map may throw a sample that is far from all others, or from two sides
        of a border at once, out of the picture; such a sample goes to the position of
        the nearest.
        """
        parts = []
        # Distances to all mapped samples enter.
        for block in row_blocks(len(X), len(self.X), PAIRS_AT_ONCE):
            parts.append(self._project_block(X[block]))
        return np.concatenate(parts)

    def _project_block(self, X):
        """Positions of a few new samples, none outside the picture."""
        if self._projector is not None:
            return np.asarray(self._projector.transform(X), dtype=float)
        if self._distances is not None:
            if not hasattr(self.metric, "distances"):
                raise ValueError(
                    "New samples have no position: the map was fitted to distances"
                    " without the metric they come from. Give a fitted `metric`, or a"
                    " `projector` with a method `transform`."
                )
            X = self.metric.distances(X, self.X)
        Z = self._kernel_map.transform(X)
        # The kernel map is taken as it is within the picture.
        low, high = np.reshape(self.extent, (2, 2)).T
        outside = np.any((Z < low) | (Z > high), axis=1)
        lengths = X[outside]
        if self._distances is None:
            lengths = squared_distances(lengths, self.X)
        Z[outside] = self.Z[lengths.argmin(axis=1)]
        return Z

    @cached_property
    def _kernel_map(self):
        n_centers = min(len(self.X), MAX_CENTERS)
        kernel_map = KernelMap(n_centers=n_centers, random_state=0)
        if self._distances is None:
            return kernel_map.fit(self.X, self.Z)
        # Lengths of a Fisher metric are nearly equal in whole regions, and kernels of
        # them nearly singular.
        kernel_map.set_params(metric="precomputed", cutoff=1e-2)
        return kernel_map.fit(self._distances, self.Z)

    def _trust(self):
        """1 near samples, falling to 0 far from the nearest, (rows, columns)."""
        positions = np.unique(self.Z, axis=0)
        tree = cKDTree(positions)
        x0, x1, y0, y1 = self.extent
        rows, columns = self.shape
        cell_diagonal = np.hypot((x1 - x0) / columns, (y1 - y0) / rows)
        reach = cell_diagonal
        if len(positions) > 3:
            lengths, _ = tree.query(positions, k=3)
            reach = max(reach, float(np.percentile(lengths[:, 2], 90)))
        nearest, _ = tree.query(self.grid_positions)
        beyond_reach = np.maximum(nearest - reach, 0)
        trust = np.exp(-((beyond_reach / reach) ** 2))
        return trust.reshape(self.shape)


def _held_out_points(shared, kept, held_out):
    """What the picture shows at held-out samples, by a map or inverse of the others.

    `shared.view` is the PlaneView; `kept` and `held_out` are numbers of samples.
    """
    view = shared.view
    if view.embedder is None:
        inverse_map = view.fit_inverse(kept)
        positions = view.Z[held_out]
        extent = view.extent
    else:
        inverse_map = clone(view.embedder)
        Z = inverse_map.fit_transform(view.X[kept])
        extent = _extent(np.asarray(Z, dtype=float))
        positions = inverse_map.transform(view.X[held_out])
        positions = np.asarray(positions, dtype=float)
    # The picture is read at its grid, section 3.4.3.
    rows, columns = grid_cells(positions, extent, view.shape)
    x, y = cell_centers(extent, view.shape)
    return inverse_map.inverse_transform(np.column_stack([x[columns], y[rows]]))


def check_grid(grid):
    """Rows and columns."""
    if np.size(grid) != 2:
        grid = (grid, grid)
    rows, columns = grid
    remedy = "Or give two: (rows, columns)."
    return (
        check_integer(rows, "grid", 2, 2000, remedy=remedy),
        check_integer(columns, "grid", 2, 2000, remedy=remedy),
    )
