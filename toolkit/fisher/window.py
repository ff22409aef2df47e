"""Parzen windows (kernel density estimates of the classes): their centres, and the choice of a bandwidth."""

import numpy as np

from ..core.checks import check_positive
from ..core.labels import check_classes
from ..core.perplexity import perplexity_widths
from ..core.progress import progress
from .base import ClassFisher
from .density import Components, chosen_centers

__all__ = ["WindowFisher", "check_width", "reference_bandwidth"]

ALL_ROWS, SOME_ROWS = 5000, 1000  # beyond so many centres the bandwidth is the mean over some of them


class WindowFisher(ClassFisher):
    """Parameters, centres and bandwidth; the parameters are those of :class:`ParzenFisher`."""

    def __init__(
        self, bandwidth=None, lam=0.0, *, perplexity=30, n_centers=None, n_jobs=None, random_state=None, verbose=False
    ):
        self.bandwidth = bandwidth
        self.lam = lam
        self.perplexity = perplexity
        self.n_centers = n_centers
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _choose_centers(self, y, n_samples):
        """Read the labels y (n,); numbers of the samples that carry a kernel, sorted by class, (m,)."""
        self.classes_, codes = check_classes(y, n_samples)
        self._check_settings()
        chosen = chosen_centers(codes, self.n_centers, self.random_state)
        self._components = Components(codes[chosen])
        return chosen

    def _perplexity_bandwidth(self, squared):
        """Bandwidth with the `perplexity` asked for; `squared` gives squared distances of some centres to all m."""
        m = self._n_kernels
        perplexity = min(check_positive(self.perplexity, "perplexity"), m / 3)
        if perplexity <= 1:
            raise ValueError(
                f"`perplexity` must be above 1 and below a third of the {m} centres; got {self.perplexity!r}. "
                "Otherwise give `bandwidth`, or more samples (`n_centers`)."
            )
        if m <= ALL_ROWS:
            return perplexity_bandwidth(squared(np.arange(m)), perplexity, np.arange(m))
        rows = np.sort(np.random.default_rng(0).choice(m, SOME_ROWS, replace=False))
        sigmas = []
        with progress(SOME_ROWS, "bandwidth", self.verbose) as done:
            for block in np.array_split(rows, SOME_ROWS // 100):
                sigmas.append(perplexity_widths(squared(block), perplexity, block))
                done(len(block))
        return _mean(np.concatenate(sigmas))


def check_width(width, deviation):
    """Refuse a window so narrow or wide beside the standard deviation of the samples that distances lose all digits."""
    if not 1e-9 <= width / max(deviation, 1e-300) <= 1e9:
        raise ValueError(
            f"`bandwidth` must be between 1e-9 and 1e9 times the standard deviation of the samples, {deviation:.3g}; "
            f"got {width:.3g}."
        )
    return width


def perplexity_bandwidth(squared, perplexity, own=None):
    """Mean over samples of :func:`perplexity_widths`, without those that have none: duplicates as many as asked for."""
    return _mean(perplexity_widths(squared, perplexity, own))


def _mean(sigmas):
    sigmas = sigmas[np.isfinite(sigmas)]
    if not len(sigmas):
        raise ValueError("`bandwidth` cannot be chosen: too many of these samples coincide; give a number > 0.")
    return float(sigmas.mean())


def reference_bandwidth(X):
    """Normal-reference rule sigma (4 / ((d + 2) n))^(1 / (d + 4)) for X (n, d), sigma^2 the mean feature variance."""
    n, d = X.shape
    return float(np.sqrt(X.var(axis=0).mean()) * (4 / ((d + 2) * n)) ** (1 / (d + 4)))
