"""Self-organising map (SOM, Kohonen map), batch form: a grid of prototypes.

Minimise sum_i sum_l P_{b(i) l} |x_i - w_l|^2 over winners b(i) and prototypes w_l,
where row k of P is a Gaussian around node k of the grid, of falling width and with sum
1. Prototypes are weighted means of the samples, w_l = sum_i a_li x_i; distances to them
come from distances of samples alone (see `topographic_base`).

In the code: K nodes in `rows` and `cols`, weights A (K, n) of the samples, squared
distances D2 (n, n) of samples without vectors, logarithms `log_P` (K, K).
"""

from dataclasses import KW_ONLY, dataclass

import numpy as np
from scipy.ndimage import map_coordinates
from scipy.special import logsumexp, softmax

from ..core import (
    Flag,
    check_positive,
    magnitude,
    pad_zeros,
    parameters,
    squared_distances,
    unit_of,
    warn_convergence,
)
from .base import classical_map
from .topographic_base import GridMap, check_grid, check_nodes, lattice

# Number of iterations in which the neighbourhood shrinks.
SHRINKING_ITERATIONS = 50
# Samples beyond this multiple of the median distance to the centre do not pull
# meanwhile.
OUTLIER_RATIO = 10.0


@parameters
class SOM(GridMap):
    """Batch self-organising map of vectors or of distances.

    A grid with one row orders the samples along a line; radii near 0 give k-means with
    as many means as nodes.

    Parameters
    ----------
    grid : (rows, columns) or None, default=None
        Nodes of the grid. None: about min(n, 5 sqrt(n)) nodes, columns : rows as the
        standard deviations of the clipped classical map.
    radius : (start, end) or None, default=None
        Width of the neighbourhood in steps of the grid, falling geometrically over 50
        iterations, or half of `max_iter` if that is less. None: half the longer side of
        the grid, and 0.7. Iterations go on at `end` until the winners stay the same.
        For non-Euclidean distances the cost may stop falling before that; then they
        end, too.
    interpolate : bool, default=True
        Whether positions vary smoothly, as means of the nodes weighted by a Gaussian of
        the distance to the prototypes. Its width is half the root mean squared distance
        of adjacent prototypes (if there are outliers, without those above ten times the
        median). Otherwise a sample gets the position of the nearest prototype's node.
    metric : {"euclidean", "precomputed"}, default="euclidean"
        Whether `fit` gets vectors (n_samples, n_features) or distances (n_samples,
        n_samples).
    max_iter : int <= 1e6, default=200
        Maximal number of iterations.
    verbose : bool, default=False
        Whether to show a progress bar.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, 2)
        Positions in steps of the grid: (column, row), from 0.
    grid_ : ndarray of shape (n_nodes, 2)
        Positions of the nodes, row by row.
    winners_ : ndarray of shape (n_samples,)
        The node with the nearest prototype.
    coefficients_ : ndarray of shape (n_nodes, n_samples)
        Weights of the samples in each prototype; none negative, with sum 1.
    prototypes_ : ndarray of shape (n_nodes, n_features) or None
        The w_l; None after a fit on distances.
    u_matrix_ : ndarray of shape (rows, columns)
        Mean distance of a prototype to those one step away: large along boundaries
        between groups.
    n_iter_ : int
        Number of iterations.
    history_ : ndarray of shape (n_iter,)
        Cost after each choice of winners.

    Notes
    -----
    The winner of an iteration is the node k with least ``sum_l P_kl |x - w_l|^2``, so
    that with a fixed radius the cost never rises. Non-Euclidean distances may give
    negative squared ones to prototypes; as lengths those are set to 0.

    Each sample starts at the node next to its position on the classical map, which is
    clipped at three interquartile ranges from the quartiles. The box of two standard
    deviations around the mean of this map covers the grid.

    Outliers, more than ten times as far from the centre as the median, have an
    influence only when the radius has reached its end. Then outliers dominate the cost:
    prototypes near an outlier lose all other samples. With the default end 0.7 these
    keep most of the grid if one outlier is at 100 times their width. With more distant
    outliers they are concentrated on a few nodes, unless the radius ends at 0.3 or
    less.

    References
    ----------
    Kohonen (1982). Heskes (2001), Self-organizing maps, vector quantization, and
    mixture modeling. Hammer and Hasenfuss (2010), Topographic mapping of large
    dissimilarity data sets.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X = load_iris().data
    >>> som = SOM(grid=(4, 6)).fit(X)
    >>> som.embedding_.shape, som.prototypes_.shape, som.u_matrix_.shape
    ((150, 2), (24, 4), (4, 6))
    """

    grid: tuple | None = None
    _: KW_ONLY
    radius: tuple | None = None
    interpolate: Flag = True

    _n_dense_matrices = (0, 5)

    def _embed(self, samples):
        scaled_samples, unit = samples.rescale()
        rows, cols = _sides(self.grid, scaled_samples)
        radii = _radii(self.radius, max(rows, cols), self.max_iter)
        check_nodes(samples.n, rows * cols)
        winners = _nearest_nodes(self._start(scaled_samples), rows, cols)
        D2 = None
        if scaled_samples.X is None:
            D2 = scaled_samples.squared()  # (n, n)

        grid = lattice(rows, cols)
        steps = squared_distances(grid, grid)  # (K, K)
        inliers = _inliers(scaled_samples.X, D2)
        history = []
        last_cost = np.inf
        # prototypes by the winners, then winners by the prototypes
        with self._bar("SOM", self.max_iter) as done:
            for radius in radii:
                log_P = -steps / radius / radius / 2
                log_P -= logsumexp(log_P, axis=1, keepdims=True)
                pulling_samples = slice(None)
                if radius > radii[-1]:
                    pulling_samples = inliers
                A = _weights(log_P, winners, pulling_samples)
                images = _images(A, scaled_samples.X, D2)
                averaged_squares = images.to_samples @ np.exp(log_P).T  # (n, K)
                previous_winners = winners
                winners = _argmin(averaged_squares)
                cost = float(averaged_squares.min(axis=1).sum())
                history.append(cost * unit * unit)
                done()
                if radius == radii[-1]:
                    is_same = np.array_equal(winners, previous_winners)
                    if is_same or cost >= last_cost:
                        break
                    last_cost = cost
            else:
                warn_convergence(
                    f"The winners still changed after `max_iter`={self.max_iter}"
                    " iterations; raise it."
                )

        self._keep(samples, unit, grid, A, images.vectors)
        self._half_norms = images.half_norms
        self._shape = (rows, cols)
        self.n_iter_ = len(history)
        self.history_ = np.array(history)
        self.winners_ = _argmin(images.to_samples)
        are_adjacent = steps == 1
        has_outliers = len(inliers) < samples.n
        self._width2 = _interpolation_width2(images, are_adjacent, has_outliers)
        self.embedding_ = self._positions(images.to_samples)
        lengths = np.sqrt(images.between)
        mean_step = np.average(lengths, axis=1, weights=are_adjacent)
        self.u_matrix_ = mean_step.reshape(self._shape) * unit

    def _positions(self, squared):
        """Means of the nodes, weighted by nearness, or the nearest node.

        `squared` (m, K) are squared distances of samples to prototypes.
        """
        if not self.interpolate:
            return self.grid_[_argmin(squared)]
        weights = softmax(squared / (-2 * self._width2), axis=1)
        return weights @ self.grid_

    def _points(self, Z):
        """Bilinear between four nodes, beyond the grid as on its border."""
        rows, cols = self._shape
        Z_on_grid = np.clip(Z, 0, [cols - 1, rows - 1])
        row_and_column = Z_on_grid.T[::-1]
        features = self.prototypes_.T.reshape(-1, rows, cols)
        return np.transpose(
            [map_coordinates(x, row_and_column, order=1) for x in features]
        )


def _sides(grid, samples):
    """Rows and columns, by default of about min(n, 5 sqrt(n)) nodes.

    They are as the first two standard deviations.
    """
    if grid is not None:
        return check_grid(grid, "grid")
    K = min(samples.n, 5 * np.sqrt(samples.n))
    Z, _ = classical_map(samples, 2)
    deviations = _clip_outliers(Z).std(axis=0)
    second_deviation, first_deviation = sorted(deviations)
    ratio = 1.0
    if first_deviation > 0:
        ratio = first_deviation / max(second_deviation, first_deviation / K)
    rows = max(1, round(np.sqrt(K / ratio)))
    return rows, max(2, round(K / rows))


def _radii(radius, longest_side, max_iter):
    """Widths (max_iter,) of the neighbourhood, one per iteration.

    `radius` is the parameter, None or the first and last width; `longest_side` is the
    larger number of nodes along an axis.
    """
    if radius is None:
        radius = (max(longest_side / 2, 0.7), 0.7)
    if np.shape(np.array(radius, dtype=object)) != (2,):
        raise ValueError(
            f"`radius` must be None or two numbers (start, end); got {radius!r}."
        )
    start, end = radius
    start = check_positive(start, "radius")
    end = check_positive(end, "radius")
    if not 1e-3 <= end <= start:
        raise ValueError(
            "`radius` must fall, from start to an end of 0.001 or more, which no node"
            f" but the winner feels; got {radius!r}."
        )
    n_falling = min(SHRINKING_ITERATIONS, max(max_iter // 2, 1))
    falling_radii = np.geomspace(start, end, n_falling)
    constant_radii = np.full(max_iter - n_falling + 1, end)
    return np.append(falling_radii[:-1], constant_radii)


def _nearest_nodes(Z, rows, cols):
    """The node (n,) next to each position Z (n, 2).

    Two standard deviations around the mean cover the grid.
    """
    # Distances that are all alike have no direction at all.
    Z = pad_zeros(Z, 2)
    Z = _clip_outliers(Z / unit_of(Z))
    Z -= Z.mean(axis=0)
    deviation = Z.std(axis=0)
    # Along an axis without extent, but for rounding, all are in the middle.
    deviation[deviation <= 1e-10 * deviation.max()] = np.inf
    sides = np.array([cols - 1, rows - 1])
    position = (Z / (4 * deviation) + 0.5) * sides
    nodes = np.clip(np.rint(position), 0, sides).astype(int)
    col, row = nodes.T
    return row * cols + col


def _clip_outliers(Z):
    """Coordinates Z (n, 2), clipped at 3 interquartile ranges from the quartiles."""
    q1, q3 = np.quantile(Z, [0.25, 0.75], axis=0)
    # If more than half of them are equal, the range does not measure the others.
    reach = np.where(q3 > q1, 3 * (q3 - q1), np.inf)
    return np.clip(Z, q1 - reach, q3 + reach)


def _inliers(X, D2):
    """Numbers of the samples that are no outliers.

    For vectors X (n, d) or squared distances D2 (n, n).
    """
    if X is None:
        medoid = np.argmin(np.median(D2, axis=1))
        r2 = D2[medoid]
    else:
        differences = X - np.median(X, axis=0)
        r2 = np.sum(differences**2, axis=1)
    typical_square = np.median(r2)
    if typical_square == 0:
        return np.arange(len(r2))
    return np.flatnonzero(r2 <= OUTLIER_RATIO**2 * typical_square)


def _weights(log_P, winners, pulling_samples):
    """Weights (K, n) of the samples in each prototype.

    They are proportional to P[winner of the sample, node] for those that are pulling,
    and 0 for the others.

    `winners` (n,) are the nodes that won the samples, `pulling_samples` an index of
    some of these.
    """
    A = np.zeros((len(log_P), len(winners)))
    # A node distant from all winners follows the nearest ones.
    log_weights = log_P[winners[pulling_samples]].T
    A[:, pulling_samples] = softmax(log_weights, axis=1)
    return A


@dataclass(frozen=True, kw_only=True)
class _Images:
    """Images of the nodes: prototypes w_k, in vectors or known by their distances."""

    vectors: np.ndarray  # (K, d), or None
    half_norms: np.ndarray  # (K,) of a_k^T D2 a_k / 2, or None for vectors
    to_samples: np.ndarray  # (n, K), squared distances
    between: np.ndarray  # (K, K), squared distances


def _images(A, X, D2):
    """The images w_k = sum_i a_ki x_i of vectors X, or by squared distances D2."""
    if X is not None:
        vectors = A @ X
        return _Images(
            vectors=vectors,
            half_norms=None,
            to_samples=squared_distances(X, vectors),
            between=squared_distances(vectors, vectors),
        )
    averages = D2 @ A.T
    products = A @ averages
    half_norms = np.diagonal(products) / 2
    between = products - half_norms - half_norms[:, None]
    return _Images(
        vectors=None,
        half_norms=half_norms,
        to_samples=averages - half_norms,
        between=np.maximum(between, 0),
    )


def _interpolation_width2(images, are_adjacent, has_outliers):
    """Squared width of the Gaussian that interpolates, not below rounding.

    A quarter of the mean squared distance of images of `adjacent` nodes (K, K), without
    those to outliers.
    """
    gaps = images.between[are_adjacent]
    if has_outliers:
        typical_gap = np.median(gaps)
        if typical_gap > 0:
            gaps = gaps[gaps <= OUTLIER_RATIO**2 * typical_gap]
    rounding = 1e-15 * magnitude(images.to_samples)
    width2 = max(gaps.mean() / 4, rounding)
    return width2 if width2 > 0 else 1.0


def _argmin(values):
    """Column (n,) of the least entry of each row, the first of those about equal."""
    row_minima = values.min(axis=1, keepdims=True)
    rounding = 1e-15 * np.abs(values).max(axis=1, keepdims=True)
    tolerance = 1e-12 * np.abs(row_minima) + rounding
    return np.argmax(values <= row_minima + tolerance, axis=1)
