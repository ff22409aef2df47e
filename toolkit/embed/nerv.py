"""Neighbour retrieval visualizer, NeRV (Venna et al. 2010).

Minimise gamma sum_i KL(p_i || q_i) + (1 - gamma) sum_i KL(q_i || p_i), where p_{j|i}
and q_{j|i} are the probabilities that j is a neighbour of i in the data and in the map.
The first sum punishes missed neighbours, the second wrong ones.
"""

import math
from dataclasses import KW_ONLY

import numpy as np
from scipy.spatial.distance import cdist

from ..core import Fraction, OptionalPositive, about_mean, descend, parameters
from .affinities import (
    check_perplexity,
    log_affinities,
    neighbor_widths,
    nerv_cost,
    position_gradient,
)
from .base import Embedder, Iterations

# Number of widths at which the descent runs before the final ones.
STAGES = 5


@parameters
class NeRV(Embedder):
    """A map that retrieves neighbours, with a balance of recall and precision.

    With ``gamma=1`` it is stochastic neighbour embedding with one width per sample.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the map.
    gamma : float in [0, 1], default=0.5
        Weight of missed neighbours (recall) against wrong ones (precision). With 1 only
        missed neighbours enter the cost, with 0 only wrong ones.
    perplexity : float > 1 or None, default=None
        Effective number of neighbours of a sample, below the number of others. None:
        10, or a third of the others where these are fewer than 30.
    metric : {"euclidean", "precomputed"}, default="euclidean"
        Whether `fit` gets vectors (n_samples, n_features) or distances (n_samples,
        n_samples).
    max_iter : int <= 1e6, default=200
        Maximal number of iterations of the descent at the final widths; each of the
        five stages before it takes at most a fifth of that.
    verbose : bool, default=False
        Whether to show a progress bar.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Positions of the samples, centred.
    cost_ : float
        The cost above in nats.
    history_ : ndarray of shape (n_steps,)
        Cost after each iteration at the final widths.
    sigma_ : ndarray of shape (n_samples,)
        Width of each sample, in data and map.
    n_iter_ : int
        Number of iterations of all stages together.

    Notes
    -----
    As in the thesis the widths in the map are those in the data, so map distances have
    the unit of data distances. Where many duplicates leave a sample without a width, it
    gets the median of the others. The descent (L-BFGS) has stages: narrower widths are
    first raised to one that shrinks from half the largest distance, which avoids many
    poor local minima. Logarithms of affinities are not cut off: an outlier costs a
    finite amount. Takes arrays of shape (n, n).

    References
    ----------
    Schulz (2017), chapter 4. Venna et al. (2010), Information retrieval perspective to
    nonlinear dimensionality reduction for data visualization.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> nerv = NeRV(max_iter=50).fit(load_iris().data[::3])
    >>> nerv.embedding_.shape, nerv.cost_ < 20
    ((50, 2), True)
    """

    n_components: int = 2
    _: KW_ONLY
    gamma: Fraction = 0.5
    perplexity: OptionalPositive = None
    max_iter: Iterations = 200

    _n_dense_matrices = (8, 8)

    def _embed(self, samples):
        perplexity = check_perplexity(self.perplexity, samples.n - 1, 10.0)
        # starting map, and distances, in units of the largest distance
        scaled_samples, unit = samples.rescale()
        squared = scaled_samples.squared()
        largest_distance = np.sqrt(squared.max())
        if largest_distance == 0:
            largest_distance = 1.0
        Z = self._principal_map(scaled_samples, self.n_components)
        Z = Z / largest_distance
        squared = squared / largest_distance**2
        # widths of the given perplexity, and wider ones for the stages before
        with self._bar("widths"):
            sigma = neighbor_widths(squared, perplexity)
        final_width = min(0.5, np.median(sigma))
        fractions = np.arange(STAGES) / STAGES
        widths = 0.5 * (final_width / 0.5) ** fractions
        # descent at each of the widths
        self.n_iter_ = 0
        steps = math.ceil(self.max_iter / STAGES)
        with self._bar("NeRV", STAGES * steps + self.max_iter) as done:
            for width in widths:
                stage_sigma = np.maximum(sigma, width)
                Z, costs = self._descend(Z, squared, stage_sigma, steps, done)
                self.n_iter_ += len(costs)
            Z, costs = self._descend(Z, squared, sigma, self.max_iter, done)
            self.n_iter_ += len(costs)
        # results in the unit of the data
        log_p = log_affinities(squared, sigma)
        largest_distance *= unit
        self.embedding_ = about_mean(Z) * largest_distance
        self.sigma_ = sigma * largest_distance
        Z2 = cdist(Z, Z, "sqeuclidean")
        self.cost_ = nerv_cost(log_p, Z2, sigma, self.gamma)[0]
        self.history_ = np.array(costs)

    def _descend(self, Z, squared, sigma, steps, done):
        """The map (n, k) after some steps at fixed widths (n,), and the costs.

        Z (n, k) is the map at the start, `squared` (n, n) are squared distances of the
        samples, `sigma` (n,) the widths; `done` moves the progress bar on.
        """
        log_p = log_affinities(squared, sigma)
        costs = []
        # Most samples are near 0, where numbers are finest, also with an outlier.
        Z = Z - np.median(Z, axis=0)

        def cost(Z):
            Z2 = cdist(Z, Z, "sqeuclidean")
            value, slopes = nerv_cost(log_p, Z2, sigma, self.gamma)
            return value, position_gradient(Z, slopes)

        def record(intermediate_result):
            costs.append(float(intermediate_result.fun))
            done()

        Z, _ = descend(
            cost, Z, callback=record, maxiter=steps, ftol=1e-9, gtol=1e-9
        )
        return Z, costs
