"""Generative topographic mapping (GTM): a Gaussian mixture on the image of a grid.

p(x) = 1/K sum_k (beta / 2 pi)^(d/2) exp(-beta/2 |x - y_k|^2), y_k = W^T phi(z_k) for
nodes z_k of a grid on [-1, 1]^2, with Gaussian basis functions phi and a constant. W
maximises the likelihood by EM, with a normal prior on W.

In the code: n samples X (n, d), K nodes, M basis functions Phi (K, M), responsibilities
R (n, K); weights W (M, n) are those of the samples, so that images are Phi W X.
"""

import math
from dataclasses import KW_ONLY
from typing import Annotated

import numpy as np

from ..core import (
    NotNegative,
    OptionalPositive,
    Positive,
    parameters,
    rule,
    squared_distances,
    unit_of,
    warn_convergence,
    with_ones,
)
from .base import EmbedInput, classical_map
from .topographic_base import GridMap, check_grid, check_nodes, lattice

# 1/beta stays above this fraction of the variance of the data: nodes on samples would
# make it 0.
MIN_NOISE_RATIO = 1e-6


@parameters
class GTM(GridMap):
    """Generative topographic mapping of vectors or of distances.

    Parameters
    ----------
    grid : (rows, columns), integers >= 2, default=(15, 15)
        Nodes, evenly over [-1, 1]^2.
    basis : (rows, columns), integers >= 2, default=(4, 4)
        Centres of the Gaussian basis functions, evenly over [-1, 1]^2.
    width : float > 0, default=1.0
        Standard deviation of the basis functions along each side, in distances of their
        centres.
    ridge : float > 0, default=0.01
        Precision of the prior on W times the variance of the data; large values keep
        the sheet flat, near the mean.
    dimension : float > 0 or None, default=None
        The d of the density; smaller values give broader posteriors, n_features gives
        Bishop's model. None: the effective dimension tr(C)^2 / tr(C^2) for the
        covariance matrix C, the same for vectors and their distances. It is at least 3,
        because a sheet has two dimensions and noise leaves it.
    metric : {"euclidean", "precomputed"}, default="euclidean"
        Whether `fit` gets vectors (n_samples, n_features) or distances (n_samples,
        n_samples).
    tol : float >= 0, default=1e-4
        The fit stops once the penalised log likelihood per sample rises by less.
    max_iter : int <= 1e6, default=200
        Maximal number of iterations.
    verbose : bool, default=False
        Whether to show a progress bar.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, 2)
        Posterior means sum_k r_ik z_k.
    modes_ : ndarray of shape (n_samples, 2)
        The most probable nodes.
    responsibilities_ : ndarray of shape (n_samples, n_nodes)
        The r_ik = p(k | x_i).
    grid_ : ndarray of shape (n_nodes, 2)
        The nodes z_k: (column, row) on [-1, 1], row by row.
    coefficients_ : ndarray of shape (n_nodes, n_samples)
        Weights of the samples in each y_k, with sum 1, some of them negative.
    prototypes_ : ndarray of shape (n_nodes, n_features) or None
        The y_k; None after a fit on distances.
    beta_ : float
        Precision of the noise.
    dimension_ : float
        The d of the density that was used.
    log_likelihood_ : float
        Log likelihood of the samples, without the penalty.
    history_ : ndarray of shape (n_iter + 1,)
        Penalised log likelihood after each iteration.
    n_iter_ : int
        Number of iterations.

    Notes
    -----
    Each step solves (Phi^T G Phi + ridge/(beta v) I) W = Phi^T R X with
    responsibilities R (K, n), their sums on the diagonal of G and the variance v of a
    direction. Then it sets 1/beta to the mean squared distance over d. Distances are
    read as those of points with a coordinate for each positive eigenvalue of their
    scalar products. The non-Euclidean part is left out: with it squared distances to
    y_k can be negative, and EM cycles without converging. The nodes start on the plane
    of the first principal components, with the standard deviations of the samples;
    1/beta at the larger of the third eigenvalue of C and the squared half distance of
    neighbouring y_k. The penalised likelihood never falls.

    References
    ----------
    Bishop, Svensen and Williams (1998), GTM: the generative topographic mapping.
    Gisbrecht, Mokbel and Hammer (2011), Relational generative topographic mapping.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X = load_iris().data
    >>> gtm = GTM(grid=(8, 8)).fit(X)
    >>> gtm.embedding_.shape, gtm.inverse_transform([[0.0, 0.5]]).shape
    ((150, 2), (1, 4))
    """

    grid: Annotated[tuple, rule(check_grid, min_side=2)] = (15, 15)
    basis: Annotated[tuple, rule(check_grid, min_side=2)] = (4, 4)
    _: KW_ONLY
    width: Positive = 1.0
    ridge: Positive = 0.01
    dimension: OptionalPositive = None
    tol: NotNegative = 1e-4

    _magnitude = "squares"  # or the precision of the noise overflows
    _n_dense_matrices = (0, 6)

    def _embed(self, samples):
        check_nodes(samples.n, math.prod(self.grid), math.prod(self.basis))
        # distances become vectors
        scaled_samples, unit = samples.rescale()
        if scaled_samples.X is None:
            with self._bar("coordinates"):
                scaled_samples = EmbedInput(self._coordinates(scaled_samples))
        # images y_k = mean + sum_i (Phi W)_ki x_i of the nodes; the vectors are
        # centred, so that the mean is 0
        start = self._start(scaled_samples)
        nodes = _square(*self.grid)
        self._centers = _square(*self.basis)
        intervals = np.array(self.basis[::-1]) - 1
        self._sides = self.width * 2 / intervals
        Phi = self._basis_functions(nodes)
        X = scaled_samples.X
        # The noise has d directions, and the samples the variance v in each.
        d, v = self._dimension_and_variance(scaled_samples)
        W, noise = _plane(Phi, scaled_samples, start, nodes)
        noise = max(noise, MIN_NOISE_RATIO * v)
        # A density has another logarithm in the units of the data.
        in_data_units = -scaled_samples.n * d * np.log(unit)
        # expectation: responsibilities; maximisation: noise, then weights
        history = []
        R = None  # the first noise is given
        with self._bar("GTM", self.max_iter) as done:
            for iteration in range(self.max_iter + 1):
                self._W = W @ X
                squared = squared_distances(X, Phi @ self._W)
                if iteration:
                    noise = np.sum(R * squared) / (len(X) * d)
                    noise = max(noise, MIN_NOISE_RATIO * v)
                R, likelihood = _responsibilities(squared, noise, d)
                squared_norm = np.trace(self._W @ self._W.T)
                penalty = self.ridge / (2 * v) * squared_norm
                history.append(likelihood - penalty + in_data_units)
                if iteration:
                    done()
                    rise = history[-1] - history[-2]
                    if rise <= self.tol * len(X):
                        break
                if iteration < self.max_iter:
                    W = _most_probable_weights(Phi, R, self.ridge * noise / v)
            else:
                warn_convergence(
                    f"The likelihood still rose after `max_iter`={self.max_iter}"
                    " iterations; raise it, or `tol`."
                )

        coefficients = Phi @ W + 1 / scaled_samples.n
        self._keep(samples, unit, nodes, coefficients, images=Phi @ self._W)
        self._noise = noise
        self.responsibilities_ = R
        self.embedding_ = R @ nodes
        self.modes_ = nodes[R.argmax(axis=1)]
        self.beta_ = 1 / float(noise) / unit / unit
        self.dimension_ = float(d)
        self.n_iter_ = len(history) - 1
        self.log_likelihood_ = float(likelihood + in_data_units)
        self.history_ = np.array(history)

    def _dimension_and_variance(self, samples):
        """Number of directions of the noise, and the variance in one of them."""
        X = samples.X
        # Both products have the positive eigenvalues of the covariance matrix, times n.
        G = X.T @ X if X.shape[1] < samples.n else samples.gram()
        trace = np.trace(G)
        d = self.dimension
        if d is None:
            squares = np.sum(G**2)
            if squares == 0:
                squares = 1.0
            d = max(3.0, trace**2 / squares)
        variance = trace / (samples.n * d)
        if variance == 0:
            variance = 1.0
        return d, variance

    def _coordinates(self, samples):
        """Coordinates (n, r) for distances, one per positive eigenvalue of their gram.

        Euclidean distances are kept; of others the part of the negative eigenvalues is
        left out.
        """
        self._means = samples.squared().mean(axis=0)
        X, values = classical_map(samples, samples.n)
        is_positive = values > 1e-12 * values[0]
        is_positive[0] = True  # all samples equal: one coordinate of zeros
        X = X[:, is_positive]
        divisors = np.where(values > 0, values, 1)[is_positive]
        self._to_coordinates = X / divisors
        return X

    def _from_distances(self, squared):
        """Squared distances (m, K) to images of nodes, from those (m, n) to samples."""
        # Double centring with the means of the samples gives the coordinates.
        row_means = squared.mean(axis=1, keepdims=True)
        centred_squares = squared - row_means - self._means + self._means.mean()
        coordinates = -0.5 * centred_squares @ self._to_coordinates
        return squared_distances(coordinates, self._images)

    def _positions(self, squared):
        """Posterior means.

        `squared` (m, K) are squared distances of samples to images of the nodes.
        """
        R, _ = _responsibilities(squared, self._noise, self.dimension_)
        return R @ self.grid_

    def _points(self, Z):
        """The sheet itself: smooth, and near the mean at a distance from the grid."""
        Y = self._basis_functions(Z) @ self._W
        return Y * self._unit + self._mean

    def _basis_functions(self, Z):
        """Gaussians around the centres, and a constant, (m, M), at Z (m, 2)."""
        with np.errstate(over="ignore"):  # at a distance: exp(-inf) = 0
            in_widths = (Z[:, None] - self._centers) / self._sides
            squared = np.sum(in_widths**2, axis=-1)
        return with_ones(np.exp(-squared / 2))


def _square(rows, cols):
    """Nodes evenly over [-1, 1]^2, (rows * cols, 2)."""
    intervals = [cols - 1, rows - 1]
    return lattice(rows, cols) * 2 / intervals - 1


def _responsibilities(squared, noise, d):
    """p(k | x_i), (n, K), and the log likelihood of the samples."""
    n, K = squared.shape
    log_p = squared / (-2 * noise)
    largest_log_p = log_p.max(axis=1, keepdims=True)
    R = np.exp(log_p - largest_log_p)
    total = R.sum(axis=1, keepdims=True)
    log_normaliser = d / 2 * np.log(2 * np.pi * noise)
    constant = -np.log(K) - log_normaliser
    likelihood = np.sum(largest_log_p + np.log(total)) + n * constant
    return R / total, likelihood


def _plane(Phi, samples, Z, nodes):
    """Start from a map Z (n, 2): a plane that explains the samples best.

    Returns its weights (M, n), and the variance around it.
    """
    Z = Z / unit_of(Z)
    Z -= Z.mean(axis=0)
    deviations = Z.std(axis=0)[:, None]
    slopes = deviations * np.linalg.pinv(Z, rcond=1e-10)  # (2, n)
    scaled_nodes = nodes / nodes.std(axis=0)
    W = np.linalg.lstsq(Phi, scaled_nodes @ slopes, rcond=None)[0]
    # squared distances of neighbouring images, along columns and rows
    steps = []
    for side in scaled_nodes.T:
        first, second = np.unique(side)[:2]
        steps.append(second - first)
    directions = slopes @ samples.X
    squared_lengths = np.diagonal(directions @ directions.T)
    squared_gaps = squared_lengths * np.square(steps)
    _, eigenvalues = classical_map(samples, min(3, samples.n))
    variances = eigenvalues / samples.n
    return W, max([*variances[2:], squared_gaps.mean() / 4])


def _most_probable_weights(Phi, R, ridge):
    """Weights (M, n) of maximum posterior density, given responsibilities R (n, K).

    Each row sums to 0.
    """
    G = R.sum(axis=0)
    S = (Phi.T * G) @ Phi
    S += ridge * np.eye(len(S))
    W = np.linalg.lstsq(S, Phi.T @ R.T, rcond=None)[0]
    return W - W.mean(axis=1, keepdims=True)
