"""Parametric t-SNE: a network z = f(x) whose weights minimise the t-SNE cost, so that new samples have places too.

sum_{i != j} p_ij ln(p_ij / q_ij) with p_ij from distances of samples and q_ij ~ 1 / (1 + |f(x_i) - f(x_j)|^2):
(2.1) of the thesis with the network in place of free points, as in van der Maaten (2009).
"""

import numpy as np
from scipy.spatial.distance import pdist, squareform
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from ..core.checks import check_integer, check_magnitude, check_positive
from ..core.graphs import squared_distances
from ..core.perplexity import perplexity_widths
from .base import Embedder, Samples, check_dimension, classical_map

__all__ = ["ParametricTSNE"]

STEPS_PER_TURN = 50
"""A batch is trained on for so many steps before the next; the cost is recorded after them."""

EXAGGERATION = 4.0
"""In the first sixth of the steps p counts so many times: clusters form before they find their places."""

ENTRIES_AT_ONCE = 2**16
"""Of a block of rows of a matrix of all pairs."""

START = 0.01
"""Standard deviation of the first coordinate at the start."""


class ParametricTSNE(Embedder):
    """t-SNE by a feed-forward network: tanh layers, linear output.

    Parameters
    ----------
    n_components : int, default=2
    metric : "euclidean"
        Nothing else: a network needs features.
    perplexity : float, default=30
        How many neighbours of a sample count; above 1 and below the number of other samples in a batch.
    hidden : sequence of int >= 1, default=(100, 100, 100)
        Widths of the tanh layers.
    max_iter : int, default=600
        Steps on each sample.
    learning_rate : float > 0, default=0.01
    batch_size : int >= 3, default=1500
        Up to so many samples are trained on all at once, more in random batches of equal size, drawn anew every 50
        steps. Affinities are those within a batch.
    random_state : int, RandomState or None
        For the weights at the start and the batches.
    callback : callable, optional
        Called every 50 steps with (iteration, cost), the cost being that of the batch.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components)
    kl_divergence_ : float, Eq. (2.1); of batches the mean
    history_ : dict of arrays with one entry for 50 steps on a batch: ``iteration``, ``cost``, as given to `callback`
    n_iter_ : int, steps on each sample
    layers_ : list of ndarray, weights (width before, width) and biases (width,) in turn

    Raises
    ------
    ValueError
        From `fit`, for parameters out of range, samples that are all equal, or a metric other than "euclidean".

    Notes
    -----
    Inputs are centred and divided by one number, so distances keep their ratios. At the start the tanh layers are
    random and the output is fitted to the principal components; Adam does the rest. Widths, rate and number of
    steps were set on scikit-learn's digits, where Adam reaches the cost of L-BFGS in the same time.

    References
    ----------
    van der Maaten (2009), Learning a parametric embedding by preserving local structure. Schulz (2017), section 2.2.4.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X = load_iris().data
    >>> net = ParametricTSNE(hidden=(20,), max_iter=100, random_state=0).fit(X[::2])
    >>> net.transform(X[1::2]).shape
    (75, 2)
    """

    def __init__(
        self,
        n_components=2,
        *,
        metric="euclidean",
        perplexity=30.0,
        hidden=(100, 100, 100),
        max_iter=600,
        learning_rate=0.01,
        batch_size=1500,
        random_state=None,
        callback=None,
    ):
        self.n_components = n_components
        self.metric = metric
        self.perplexity = perplexity
        self.hidden = hidden
        self.max_iter = max_iter
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.random_state = random_state
        self.callback = callback

    def transform(self, X):
        """Places of samples X (m, d), shape (m, n_components)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        check_magnitude(X)
        with np.errstate(over="ignore"):
            X = (X - self._mean) / self._scale
        if not np.abs(X).max() <= 1e100:
            raise ValueError(
                "`X` must not lie further from the mean of the samples of `fit` than 1e+100 times their standard "
                f"deviation, {self._scale:.3g}; got {np.abs(X).max():.3g} times. Give it in the same unit."
            )
        return forward(self.layers_, X)[-1]

    def _samples(self, X):
        if self.metric != "euclidean":
            raise ValueError(
                f'`metric` must be "euclidean", for a network needs the features of each sample; got {self.metric!r}. '
                "A map made from distances becomes one of features by KernelMap."
            )
        return super()._samples(X)

    def _embed(self, samples):
        k = check_dimension(self.n_components, samples)
        widths = _checked_widths(self.hidden)
        max_iter = check_integer(self.max_iter, "max_iter")
        n_batches = -(-samples.n // check_integer(self.batch_size, "batch_size", least=3))
        rate = check_positive(self.learning_rate, "learning_rate")
        perplexity = _checked_perplexity(self.perplexity, samples.n // n_batches)
        if np.all(samples.X == samples.X[0]):
            raise ValueError(
                f"`X` must hold samples that differ; got {samples.n} equal rows. Check how they were read."
            )
        rng = check_random_state(self.random_state)
        largest = np.abs(samples.X).max()
        scale = largest * np.sqrt(np.mean((samples.X / largest) ** 2))
        X = samples.X / scale
        target = classical_map(Samples(X), k)[0]
        layers = starting_layers(X, START * target / target[:, 0].std(), widths, rng)
        adam, costs = Adam(layers[:-1]), []  # not the last bias: the cost is blind to a shift of the map
        for first in range(0, max_iter, STEPS_PER_TURN):
            turn = range(first, min(first + STEPS_PER_TURN, max_iter))
            if first == 0 or n_batches > 1:
                batches = _batches(X, n_batches, perplexity, rng)
            for X_batch, P in batches:
                for i in turn:
                    exaggeration = EXAGGERATION if i < max_iter // 6 else 1.0
                    outputs = forward(layers, X_batch)
                    gradient = backward(layers, outputs, divergence_gradient(P, outputs[-1], exaggeration))
                    adam.step(gradient[:-1], rate * min(1, 2 - 2 * i / max_iter))
                costs.append((turn[-1] + 1, divergence(P, forward(layers, X_batch)[-1])))
                if self.callback is not None:
                    self.callback(*costs[-1])
        layers[-1] = layers[-1] - forward(layers, X)[-1].mean(axis=0)
        Z = forward(layers, X)[-1]
        if not (np.isfinite(Z).all() and np.isfinite(costs).all()):
            raise ValueError(f"`learning_rate` must be so small that weights stay finite; got {rate:g}. Try 0.01.")
        self._mean, self._scale = samples.mean, scale
        self.layers_, self.embedding_, self.n_iter_ = layers, Z, max_iter
        self.history_ = dict(zip(("iteration", "cost"), np.array(costs).T, strict=True))
        self.kl_divergence_ = float(self.history_["cost"][-n_batches:].mean())


def _checked_widths(hidden):
    if isinstance(hidden, (str, bytes)) or not np.iterable(hidden) or len(hidden) == 0:
        raise ValueError(f"`hidden` must be a sequence of integers >= 1, such as (100, 100); got {hidden!r}.")
    return [check_integer(width, "hidden") for width in hidden]


def _checked_perplexity(perplexity, n):
    perplexity = check_positive(perplexity, "perplexity")
    if not 1 < perplexity < n - 1:
        raise ValueError(
            f"`perplexity` must be above 1 and below the number of other samples (of a batch), {n - 1}; got "
            f"{perplexity:g}. " + (f"Try {max(1.5, (n - 1) / 3):.3g}." if n > 2 else "Give more samples.")
        )
    return perplexity


def _batches(X, n_batches, perplexity, rng):
    """Pairs of samples and their affinities, made one at a time; a single batch is kept for all turns."""
    if n_batches == 1:
        return [(X, affinities(squared_distances(X, X), perplexity))]
    parts = np.array_split(rng.permutation(len(X)), n_batches)
    return ((X[part], affinities(squared_distances(X[part], X[part]), perplexity)) for part in parts)


def affinities(squared, perplexity):
    """Symmetric p_ij of t-SNE.

    Parameters
    ----------
    squared : ndarray of shape (n, n), squared distances
    perplexity : float, above 1 and below n - 1

    Returns
    -------
    ndarray of shape (n, n), zero diagonal, sum 1

    Notes
    -----
    With more duplicates of a sample than the perplexity asks for, they share its weight.

    Examples
    --------
    >>> affinities(np.subtract.outer(np.arange(4), np.arange(4)) ** 2.0, 1.5).sum().round(12)
    np.float64(1.0)
    """
    n = len(squared)
    sigma = perplexity_widths(squared, perplexity, np.arange(n))
    known = np.isfinite(sigma)[:, None]
    P = squared.copy()
    np.fill_diagonal(P, np.inf)
    P -= P.min(axis=1, keepdims=True)
    P = np.where(known, np.exp(-P / (2 * np.where(known, sigma[:, None], 1.0) ** 2)), P == 0)
    P /= P.sum(axis=1, keepdims=True)
    return (P + P.T) / (2 * n)


def _student(Z):
    """1 + |z_i - z_j|^2, shape (n, n), made by blocks of rows."""
    size, right = np.einsum("ij,ij->i", Z, Z), -2 * Z.T
    T = np.empty((len(Z), len(Z)))
    for rows in _blocks(len(Z)):
        part = np.matmul(Z[rows], right, out=T[rows])
        part += size
        part += 1 + size[rows, None]
        np.maximum(part, 1, out=part)
    return T


def _blocks(n):
    """Slices of the rows of an (n, n) array: of such parts a processor keeps all it computes at hand."""
    step = max(1, ENTRIES_AT_ONCE // n)
    return [slice(first, first + step) for first in range(0, n, step)]


def divergence(P, Z):
    """Sum of p_ij ln(p_ij / q_ij) for a map Z (n, k)."""
    T = _student(Z)
    some = P > 0
    total = np.sum(1 / T) - np.trace(1 / T)
    return float(np.sum(P[some] * np.log(P[some] * T[some])) + np.log(total) * P.sum())  # Eq. (2.1)


def divergence_gradient(P, Z, exaggeration=1.0):
    """Gradient of the divergence for each place, (n, k): 4 sum_j (p_ij - q_ij)(z_i - z_j) / (1 + |z_i - z_j|^2)."""
    W = _student(Z)
    np.reciprocal(W, out=W)
    np.fill_diagonal(W, 0)
    scale = -1 / W.sum()
    for rows in _blocks(len(Z)):  # W turns into what each pair pulls
        force = W[rows] * scale
        force += P[rows] if exaggeration == 1 else exaggeration * P[rows]
        W[rows] *= force
    return 4 * (W.sum(axis=1)[:, None] * Z - W @ Z)


def divergence_with_gradient(p, entropy, Z):
    """Divergence and gradient at once, from each pair once.

    Parameters
    ----------
    p : ndarray of shape (n (n - 1) / 2,), affinities of pairs i < j in the order of `scipy.spatial.distance.pdist`
    entropy : float, sum of p_ij ln p_ij over all i and j, so each pair twice
    Z : ndarray of shape (n, k)

    Examples
    --------
    >>> Z = np.random.default_rng(0).normal(size=(9, 2))
    >>> P = affinities(np.subtract.outer(np.arange(9), np.arange(9)) ** 2.0, 2)
    >>> entropy = np.sum(P[P > 0] * np.log(P[P > 0]))
    >>> cost, gradient = divergence_with_gradient(squareform(P), entropy, Z)
    >>> np.allclose(cost, divergence(P, Z)), np.allclose(gradient, divergence_gradient(P, Z))
    (True, True)
    """
    T = pdist(Z, "sqeuclidean")
    T += 1
    cost = entropy + 2 * np.dot(p, np.log(T))
    np.reciprocal(T, out=T)
    total = 2 * T.sum()
    F = T * (-1 / total)
    F += p
    F *= T
    F = squareform(F, checks=False)
    return float(cost + np.log(total)), 4 * (F.sum(axis=1)[:, None] * Z - F @ Z)


def forward(layers, X):
    """What each layer puts out: X, the tanh layers, and the places last."""
    outputs = [X]
    for W, b in zip(layers[:-2:2], layers[1:-2:2], strict=True):
        outputs.append(np.tanh(outputs[-1] @ W + b))
    return [*outputs, outputs[-1] @ layers[-2] + layers[-1]]


def backward(layers, outputs, G):
    """Gradient for all weights and biases, in the order of `layers`, from the gradient G (n, k) for the places."""
    gradient = []
    for depth in range(len(layers) // 2 - 1, -1, -1):
        H = outputs[depth]
        gradient = [H.T @ G, G.sum(axis=0), *gradient]
        G = G @ layers[2 * depth].T
        if depth > 0:
            G *= 1 - H**2
    return gradient


def starting_layers(X, target, widths, rng):
    """Random tanh layers and an output that meets `target` (n, k) in least squares.

    A little chance in the output opens the coordinates for which the data have no principal component.
    """
    layers = []
    for before, width in zip([X.shape[1], *widths[:-1]], widths, strict=True):
        layers += [rng.normal(size=(before, width)) / np.sqrt(before), np.zeros(width)]
    k = target.shape[1]
    H = forward([*layers, np.zeros((widths[-1], k)), np.zeros(k)], X)[-2]
    center = H.mean(axis=0)
    H = H - center
    W = np.linalg.solve(H.T @ H + 1e-6 * len(H) * np.eye(len(center)), H.T @ target)
    W += 0.01 * START / np.sqrt(len(center)) * rng.normal(size=W.shape)
    return [*layers, W, -center @ W]


class Adam:
    """Descent with steps of about one size for each weight: mean gradient over root mean square (Kingma & Ba, 2015)."""

    def __init__(self, weights):
        self.weights, self.count = weights, 0
        self.mean, self.square = ([np.zeros_like(w) for w in weights] for _ in range(2))

    def step(self, gradient, rate):
        """Change the weights in place."""
        self.count += 1
        rate = rate / (1 - 0.9**self.count)
        for w, g, mean, square in zip(self.weights, gradient, self.mean, self.square, strict=True):
            mean += 0.1 * (g - mean)
            square += 0.001 * (g * g - square)
            w -= rate * mean / (np.sqrt(square / (1 - 0.999**self.count)) + 1e-12)
