"""Class probabilities of one form for all: a softmax over components with affine logits, summed within classes.

    p(c | x) = sum_{l of class c} exp(z_l(x)) / sum_l exp(z_l(x)),   z_l(x) = x^T v_l + b_l

A Parzen estimate has a component for each centre (v_l = x_l / sigma^2; what all logits share cancels), robust soft
LVQ one for each prototype, logistic regression one for each class. The Fisher matrix and every path length follow from
the logits, so that they are computed once for all, in vectors or from similarities.
"""

from dataclasses import dataclass
from numbers import Integral

import numpy as np
from scipy.special import logsumexp
from sklearn.utils import check_random_state

__all__ = ["Components", "chosen_centers", "fisher_factors"]


@dataclass(frozen=True)
class Components:
    """Which class each component belongs to; components are sorted by class.

    Attributes
    ----------
    codes : ndarray of int, shape (m,), rising from 0 to c - 1

    Examples
    --------
    >>> parts = Components(np.array([0, 0, 1]))
    >>> parts.probabilities(np.log([[1.0, 1.0, 2.0]])).tolist()
    [[0.5, 0.5]]
    """

    codes: np.ndarray

    @property
    def slices(self):
        """The columns of each class."""
        ends = np.searchsorted(self.codes, np.arange(self.codes.max() + 2))
        return [slice(a, b) for a, b in zip(ends[:-1], ends[1:], strict=True)]

    def log_sums(self, Z):
        """ln sum of exp(logit) within each class, (n, c)."""
        return np.column_stack([logsumexp(Z[:, s], axis=1) for s in self.slices])

    def probabilities(self, Z):
        """p(c | x) from logits Z (n, m), shape (n, c), Eq. (2.19) for a Parzen estimate."""
        sums = self.log_sums(Z)
        return np.exp(sums - logsumexp(sums, axis=1, keepdims=True))  # Eq. (2.19)

    def within(self, Z):
        """Share of each component within its class, (n, m): zeta(l | x, c) of (2.22), each class summing to 1."""
        shares = np.empty_like(Z)
        for s in self.slices:
            A = np.exp(Z[:, s] - Z[:, s].max(axis=1, keepdims=True))
            shares[:, s] = A / A.sum(axis=1, keepdims=True)  # Eq. (2.22)
        return shares


def fisher_factors(Z, slopes, components):
    """Factors F(x) of the Fisher matrices, J(x) = F^T F = sum_c p(c | x) b_c b_c^T.

    Parameters
    ----------
    Z : ndarray of shape (n, m), logits
    slopes : ndarray of shape (m, d), the v_l
    components : Components

    Returns
    -------
    ndarray of shape (n, c, d), with rows sqrt(p(c | x)) b_c

    Notes
    -----
    b_c = E[v_l | x, c] - E[v_l | x] is the gradient of ln p(c | x): (2.20) and (2.21) with v_l = x_l / sigma^2.

    Examples
    --------
    >>> Z, slopes = np.zeros((1, 2)), np.array([[-1.0], [1.0]])  # p = 1/2, gradients of ln p are -1 and 1
    >>> F = fisher_factors(Z, slopes, Components(np.array([0, 1])))
    >>> (F.transpose(0, 2, 1) @ F).round(12).tolist()
    [[[1.0]]]
    """
    P, shares = components.probabilities(Z), components.within(Z)
    means = np.stack([shares[:, s] @ slopes[s] for s in components.slices], axis=1)  # (n, c, d)
    b = means - np.einsum("nc,ncd->nd", P, means)[:, None]  # Eq. (2.21), with (2.22), (2.23)
    return np.sqrt(P)[:, :, None] * b  # Eq. (2.20)


def chosen_centers(codes, n_centers, random_state):
    """Numbers of the samples that carry a kernel, sorted by class; each class gives its share, and one at least.

    Shares are rounded so that they add up to `n_centers`, by largest remainder.

    Examples
    --------
    >>> chosen_centers(np.array([1, 0, 1, 0]), None, None).tolist()
    [1, 3, 0, 2]
    >>> len(chosen_centers(np.array([1, 0, 1, 0]), 0.5, 0))
    2
    """
    n, c = len(codes), codes.max() + 1
    chosen = np.arange(n)
    if n_centers is not None:
        if isinstance(n_centers, float) and 0 < n_centers <= 1:
            n_centers = max(c, round(n_centers * n))
        if not isinstance(n_centers, Integral) or isinstance(n_centers, bool) or not c <= n_centers <= n:
            raise ValueError(
                f"`n_centers` must be an integer between the number of classes, {c}, and that of samples, {n}, or a "
                f"share of the samples above 0 and up to 1.0; got {n_centers!r}."
            )
        rng = check_random_state(random_state)
        counts = _shares(np.bincount(codes), int(n_centers))
        chosen = np.concatenate(
            [rng.choice(np.flatnonzero(codes == k), m, replace=False) for k, m in enumerate(counts)]
        )
    return chosen[np.argsort(codes[chosen], kind="stable")]


def _shares(sizes, total):
    """`total` split in proportion to `sizes`: whole numbers from 1 to each size; of equal claims the first has it.

    Examples
    --------
    >>> _shares(np.array([98, 1, 1]), 3).tolist(), _shares(np.array([4, 4, 4]), 5).tolist()
    ([1, 1, 1], [2, 2, 1])
    """
    n = sizes.sum()
    counts = np.maximum(1, sizes * total // n)
    while counts.sum() != total:
        missing = sizes * total - counts * n  # n times what each class lacks: whole numbers, so ties are exact
        if counts.sum() < total:
            counts[np.argmax(np.where(counts < sizes, missing, -n * n))] += 1
        else:
            least = np.where(counts > 1, missing, n * n)
            counts[len(least) - 1 - np.argmin(least[::-1])] -= 1
    return counts
