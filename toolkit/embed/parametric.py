"""Parametric t-SNE (van der Maaten 2009): a neural network z = f(x).

Its weights minimise the t-SNE cost sum_{i != j} p_ij ln(p_ij / q_ij), thesis, Eq.
(2.1), with p_ij from distances of samples and q_ij ~ 1 / (1 + |f(x_i) - f(x_j)|^2).
"""

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY
from itertools import pairwise
from typing import Annotated, Literal

import numpy as np

from ..core import (
    OptionalPositive,
    Seed,
    by_blocks,
    check_integer,
    check_magnitude,
    check_memory,
    check_number,
    check_seed,
    magnitude,
    new_samples,
    parameters,
    require,
    root_mean_square,
    rule,
    squared_distances,
)
from .affinities import (
    affinities,
    check_perplexity,
    divergence,
    divergence_gradient,
)
from .base import Embedder, EmbedInput, Iterations, classical_map

# Steps before the next batch; the cost is recorded after them.
STEPS_PER_BATCH = 50
# Factor of p in the first sixth of the steps: clusters form before they find their
# positions.
EXAGGERATION = 4.0
# Standard deviation of the first coordinate of the untrained network.
UNTRAINED_DEVIATION = 0.01


def check_widths(widths, name):
    """Check a sequence of integers."""
    is_valid = np.iterable(widths) and len(widths) > 0
    rule = "a sequence of integers >= 1, such as (100, 100)"
    require(is_valid, name, rule, widths)
    for width in widths:
        check_integer(width, name)


@parameters
class ParametricTSNE(Embedder):
    """Parametric t-SNE: a feed-forward network with tanh layers and linear output.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the map.
    perplexity : float > 1 or None, default=None
        Effective number of neighbours: above 1, below the number of others in a batch.
        None: 30, or a third of the others where these are fewer than 90.
    metric : {"euclidean"}, not "precomputed", default="euclidean"
        A network needs features. For a map that was computed from distances,
        `toolkit.kernelmap.KernelMap` projects new samples.
    hidden : sequence of int >= 1, default=(100, 100, 100)
        Widths of the tanh layers.
    learning_rate : float from 1e-12 to 1000, default=0.01
        Rate of the first half of the steps; it then falls.
    batch_size : int >= 3, default=1500
        Largest number of samples in a batch. More samples are split into random batches
        of equal size, drawn anew every 50 steps, with affinities within the batch.
    max_iter : int <= 1e6, default=600
        Number of steps on each sample.
    random_state : int, RandomState instance or None, default=None
        Seed of the weights at the start and of the batches.
    verbose : bool, default=False
        Whether to show a progress bar.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Positions of the samples.
    kl_divergence_ : float
        The cost; with several batches their mean.
    history_ : dict of ndarray
        One entry per 50 steps on a batch: ``iteration``, ``cost`` of the batch.
    n_iter_ : int
        Number of steps on each sample.
    layers_ : list of ndarray
        Weights (width before, width) and biases (width,) in turn.

    Notes
    -----
    Inputs are centred and divided by one number, so distances keep their ratios. At the
    start the tanh layers are random and the output is fitted to the principal
    components; training is by Adam. Widths, rate and number of steps were set on
    scikit-learn's digits, where Adam reaches the cost of L-BFGS in the same time.

    References
    ----------
    van der Maaten (2009), Learning a parametric embedding by preserving local
    structure. Schulz (2017), section 2.2.4.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X = load_iris().data
    >>> net = ParametricTSNE(hidden=(20,), max_iter=100, random_state=0).fit(X[::2])
    >>> net.transform(X[1::2]).shape
    (75, 2)
    """

    n_components: int = 2
    _: KW_ONLY
    perplexity: OptionalPositive = None
    metric: Literal["euclidean"] = "euclidean"
    hidden: Annotated[Sequence[int], rule(check_widths)] = (100, 100, 100)
    max_iter: Iterations = 600
    learning_rate: Annotated[float, rule(check_number, low=1e-12, high=1e3)] = (
        0.01
    )
    batch_size: Annotated[int, rule(check_integer, low=3)] = 1500
    random_state: Seed = None

    @by_blocks
    def transform(self, X):
        """Project new samples onto the map (out-of-sample extension).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New samples.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
            Positions on the map.
        """
        X = new_samples(self, X)
        with np.errstate(over="ignore"):
            X = (X - self._mean) / self._scale
        check_magnitude(X)
        return forward(self.layers_, X)[-1]

    def _embed(self, samples):
        n_batches = math.ceil(samples.n / self.batch_size)
        largest_batch = math.ceil(samples.n / n_batches)
        remedy = "Take a smaller `batch_size`."
        check_memory("A batch", largest_batch, arrays=6, remedy=remedy)
        smallest_batch = samples.n // n_batches
        perplexity = check_perplexity(self.perplexity, smallest_batch - 1)
        if np.all(samples.X == samples.X[0]):
            raise ValueError(
                f"`X` must hold samples that differ; got {samples.n} equal rows. Check"
                " their source."
            )
        # inputs of unit size, and a network that starts at the principal components
        rng = check_seed(self.random_state)
        largest_value = magnitude(samples.X)
        scale = largest_value * root_mean_square(samples.X / largest_value)
        X = samples.X / scale
        target = classical_map(EmbedInput(X), self.n_components)[0]
        target = UNTRAINED_DEVIATION * target / target[:, 0].std()
        layers = starting_layers(X, target, self.hidden, rng)
        # The last bias stays: the cost does not depend on a shift of the map.
        adam = Adam(layers[:-1])
        # steps of each batch in turn, and the cost after them
        costs = []
        with self._bar("parametric t-SNE", self.max_iter) as done:
            for first in range(0, self.max_iter, STEPS_PER_BATCH):
                end = min(first + STEPS_PER_BATCH, self.max_iter)
                steps = range(first, end)
                if first == 0 or n_batches > 1:
                    batches = _batches(X, n_batches, perplexity, rng)
                for X_batch, P in batches:
                    for i in steps:
                        self._step(adam, layers, X_batch, P, i)
                    Z_batch = forward(layers, X_batch)[-1]
                    costs.append((end, divergence(P, Z_batch)))
                done(len(steps))
        # The map is centred.
        Z = forward(layers, X)[-1]
        layers[-1] = layers[-1] - Z.mean(axis=0)
        self._mean = samples.mean
        self._scale = scale
        self.layers_ = layers
        self.embedding_ = forward(layers, X)[-1]
        self.n_iter_ = self.max_iter
        iterations, values = np.array(costs).T
        self.history_ = {"iteration": iterations, "cost": values}
        self.kl_divergence_ = float(values[-n_batches:].mean())

    def _step(self, adam, layers, X, P, i):
        """Step i of the network, by a batch X (n, d) with affinities P (n, n).

        `layers` are W and b of each layer in turn; `adam` changes them.
        """
        exaggeration = 1.0
        if i < self.max_iter // 6:
            exaggeration = EXAGGERATION
        outputs = forward(layers, X)
        G = divergence_gradient(P, outputs[-1], exaggeration)
        gradient = backward(layers, outputs, G)
        # The rate falls in the second half.
        fraction = min(1, 2 - 2 * i / self.max_iter)
        adam.step(gradient[:-1], self.learning_rate * fraction)


def _batches(X, n_batches, perplexity, rng):
    """Samples and affinities of random batches; a single one is computed once."""
    if n_batches == 1:
        return [_batch(X, perplexity)]
    parts = np.array_split(rng.permutation(len(X)), n_batches)
    return (_batch(X[part], perplexity) for part in parts)


def _batch(X, perplexity):
    """Samples (n, d) and their affinities (n, n)."""
    squared = squared_distances(X, X)
    return X, affinities(squared, perplexity)


def forward(layers, X):
    """Output of each layer for samples X (n, d): X, tanh layers, positions (n, k)."""
    hidden = layers[:-2]
    W_last, b_last = layers[-2:]
    H = X
    outputs = [X]
    for W, b in zip(hidden[::2], hidden[1::2], strict=True):
        H = np.tanh(H @ W + b)
        outputs.append(H)
    outputs.append(H @ W_last + b_last)
    return outputs


def backward(layers, outputs, G):
    """Gradient for all `layers` from the gradient G (n, k) for the positions.

    `outputs` are those of :func:`forward`, the samples first.
    """
    gradient = []
    for H, W in zip(outputs[-2::-1], layers[-2::-2], strict=True):
        gradient = [H.T @ G, G.sum(axis=0), *gradient]
        # The last G, where H are the samples, is not used.
        G = G @ W.T
        G *= 1 - H**2
    return gradient


def starting_layers(X, target, widths, rng):
    """Random tanh layers for samples X (n, d), and an output layer by least squares.

    The result lists weights W and biases b of each layer in turn; `widths` are the
    numbers of units of the tanh layers, H (n, width) are their outputs. The output
    layer fits `target` (n, k). A little noise in the output opens the coordinates for
    which the data have no principal component.
    """
    layers = []
    H = X
    for before, width in pairwise([X.shape[1], *widths]):
        W = rng.normal(size=(before, width)) / np.sqrt(before)
        b = np.zeros(width)
        layers += [W, b]
        H = np.tanh(H @ W + b)
    center = H.mean(axis=0)
    H = H - center
    n, width = H.shape
    ridge = 1e-6 * n * np.eye(width)
    W = np.linalg.solve(H.T @ H + ridge, H.T @ target)
    noise = 0.01 * UNTRAINED_DEVIATION / np.sqrt(width)
    W += noise * rng.normal(size=W.shape)
    return [*layers, W, -center @ W]


class Adam:
    """Adam (Kingma and Ba 2015): steps by mean over root mean square of gradients."""

    def __init__(self, weights):
        self.weights = weights
        self.means = [np.zeros_like(w) for w in weights]
        self.squares = [np.zeros_like(w) for w in weights]
        self.count = 0

    def step(self, gradient, rate):
        """Change the weights in place.

        `gradient` lists an array for each of the weights; `rate` is the learning rate.
        """
        self.count += 1
        rate = rate / (1 - 0.9**self.count)
        for w, g, mean, mean_square in zip(
            self.weights, gradient, self.means, self.squares, strict=True
        ):
            mean += 0.1 * (g - mean)
            mean_square += 0.001 * (g * g - mean_square)
            root = np.sqrt(mean_square / (1 - 0.999**self.count))
            w -= rate * mean / (root + 1e-12)
