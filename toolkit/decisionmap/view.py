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

# fraction of the map's extent that the grid leaves around the samples
MARGIN = 0.06
PAIRS_AT_ONCE = 2**25  # of new samples and mapped ones
# of the kernel map for new samples, whose time grows with their cube
MAX_CENTERS = 1500


def grid_cells(Z, extent, shape):
    """Row and column of the grid cell nearest to each position, (m,) each."""
    low, high = np.reshape(extent, (2, 2)).T
    size = np.array(shape[::-1])
    columns, rows = np.clip(
        ((Z - low) / (high - low) * size).astype(int), 0, size - 1
    ).T
    return rows, columns


def _extent(Z):
    """Box around positions, neither side less than a tenth of the other."""
    low, high = Z.min(axis=0), Z.max(axis=0)
    size = high - low
    # positions that coincide, or nearly so for their distance from the origin, get a
    # box that has cells
    size = np.maximum(size, max(0.1 * size.max(), 1e-9 * magnitude(Z) or 1.0))
    middle = (low + high) / 2
    half = (0.5 + MARGIN) * size
    return tuple(
        np.column_stack([middle - half, middle + half]).ravel().tolist()
    )


class PlaneView:
    """Samples, their positions, and a point of the data space for each cell of a grid.

    Samples X (n, d) and positions Z (n, 2) are given. A fitted `embedder` is its own
    inverse map, and fitted again in each fold; otherwise `inverse` is fitted to X and
    Z. New samples go by `projector`, or a kernel map of vectors, or one of `distances`
    (n, n) and those of `metric`. `grid_samples` (rows columns, d) are the points of the
    cells; `held_out_samples` (n, d) are what the picture shows in the position of each
    sample if that sample is held out from the inverse map. `done` is called after each
    fold.
    """

    def __init__(
        self,
        X,
        Z,
        shape,
        inverse,
        cv,
        n_jobs,
        random_state,
        done,
        *,
        projector=None,
        embedder=None,
        metric=None,
        distances=None,
    ):
        self.X, self.Z, self.shape, self.metric = X, Z, shape, metric
        self._distances, self._projector = distances, projector
        self.embedder = embedder
        self.inverse = inverse or InverseMap(random_state=random_state)
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
        self.inverse_map = embedder or self.fit_inverse(slice(None))
        # each pixel in the data space, section 3.4.2
        self.grid_samples = self.inverse_map.inverse_transform(
            self.grid_positions
        )
        self.trust = self._trust()
        # folds of the held-out comparison, section 3.4.3
        splits = []
        if cv:
            folds = KFold(
                min(cv, len(X)), shuffle=True, random_state=random_state
            )
            splits = list(folds.split(X))
        self.folds = [held_out for _, held_out in splits]
        shared = Shared(view=self)
        tasks = (delayed(_held_out_points)(shared, *split) for split in splits)
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
        return np.concatenate(
            [
                self._project_block(X[block])
                # distances to all mapped samples enter
                for block in row_blocks(len(X), len(self.X), PAIRS_AT_ONCE)
            ]
        )

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
        # within the picture the kernel map is taken as it is
        low, high = np.reshape(self.extent, (2, 2)).T
        outside = np.any((Z < low) | (Z > high), axis=1)
        lengths = X[outside]
        if self._distances is None:
            lengths = squared_distances(lengths, self.X)
        Z[outside] = self.Z[lengths.argmin(axis=1)]
        return Z

    @cached_property
    def _kernel_map(self):
        kernel_map = KernelMap(
            n_centers=min(len(self.X), MAX_CENTERS), random_state=0
        )
        if self._distances is None:
            return kernel_map.fit(self.X, self.Z)
        # lengths of a Fisher metric are nearly equal in whole regions, and kernels of
        # them nearly singular
        return kernel_map.set_params(metric="precomputed", cutoff=1e-2).fit(
            self._distances, self.Z
        )

    def _trust(self):
        """1 near samples, falling to 0 far from the nearest, (rows, columns)."""
        positions = np.unique(self.Z, axis=0)
        tree = cKDTree(positions)
        x0, x1, y0, y1 = self.extent
        # a cell
        reach = np.hypot((x1 - x0) / self.shape[1], (y1 - y0) / self.shape[0])
        if len(positions) > 3:
            spacing = tree.query(positions, k=3)[0][:, 2]
            reach = max(reach, float(np.percentile(spacing, 90)))
        far = np.maximum(tree.query(self.grid_positions)[0] - reach, 0)
        return np.exp(-((far / reach) ** 2)).reshape(self.shape)


def _held_out_points(shared, kept, held_out):
    """What the picture shows at held-out samples, by a map or inverse of the others."""
    view = shared.view
    if view.embedder is None:
        inverse_map = view.fit_inverse(kept)
        positions = view.Z[held_out]
        extent = view.extent
    else:
        inverse_map = clone(view.embedder)
        Z = inverse_map.fit_transform(view.X[kept])
        extent = _extent(np.asarray(Z, dtype=float))
        positions = np.asarray(
            inverse_map.transform(view.X[held_out]), dtype=float
        )
    # section 3.4.3 reads a picture at its grid
    rows, columns = grid_cells(positions, extent, view.shape)
    x, y = cell_centers(extent, view.shape)
    return inverse_map.inverse_transform(np.column_stack([x[columns], y[rows]]))


def check_grid(grid):
    """Rows and columns."""
    return tuple(
        check_integer(
            size, "grid", 2, 2000, remedy="Or give two: (rows, columns)."
        )
        for size in (grid if np.size(grid) == 2 else (grid, grid))
    )
