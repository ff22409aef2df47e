"""Class probabilities and Fisher factors of all models: softmax with affine logits.

    p(c | x) = sum_{l of class c} exp(z_l(x)) / sum_l exp(z_l(x)),   z_l(x) = x^T v_l +
    b_l

A Parzen window has one component per centre (v_l = x_l / sigma^2; common terms of all
logits cancel), robust soft LVQ one per prototype, logistic regression one per class.
Fisher matrices and path lengths follow from the logits, by the same code for all of
them, in vectors or from similarities.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.special import logsumexp, softmax

from ..core import check_integer, check_seed


@dataclass(frozen=True)
class Components:
    """The class of each component, `codes` (m,), from 0 to c - 1, sorted."""

    codes: np.ndarray

    @property
    def starts(self):
        """The first component of each class, (c,)."""
        return np.flatnonzero(np.diff(self.codes, prepend=-1))

    @property
    def slices(self):
        """The columns of each class."""
        bounds = [*self.starts, len(self.codes)]
        return [slice(start, end) for start, end in pairwise(bounds)]

    def log_sums(self, Z):
        """ln sum of exp(logit) within each class (n, c), of logits Z (n, m)."""
        sums = [logsumexp(Z[:, s], axis=1) for s in self.slices]
        return np.column_stack(sums)

    def probabilities(self, Z):
        """p(c | x) (n, c) from logits Z (n, m), (2.19) for a Parzen estimate."""
        sums = self.log_sums(Z)
        total = logsumexp(sums, axis=1, keepdims=True)
        return np.exp(sums - total)  # Eq. (2.19)

    def sums(self, *arrays):
        """Sums over the components of each class: (n, c) for each array (n, m)."""
        return [np.add.reduceat(A, self.starts, axis=1) for A in arrays]

    def within(self, Z):
        """Fraction of each component within its class, zeta(l | x, c) of (2.22)."""
        fractions = [softmax(Z[:, s], axis=1) for s in self.slices]
        return np.hstack(fractions)  # Eq. (2.22)


def fisher_factors(Z, gradients, components):
    """Factors F(x) (n, c, d) of the Fisher matrices, J(x) = F^T F.

    They follow from the logits Z (n, m) and their gradients v_l (m, d).
    Row c is sqrt(p(c | x)) b_c, where b_c = E[v_l | x, c] - E[v_l | x] is the gradient
    of ln p(c | x): with v_l = x_l / sigma^2 this is (2.20) and (2.21).
    """
    P = components.probabilities(Z)
    fractions = components.within(Z)
    means = [fractions[:, s] @ gradients[s] for s in components.slices]
    means = np.stack(means, axis=1)  # (n, c, d)
    mean = np.einsum("nc,ncd->nd", P, means)
    b = means - mean[:, None]  # Eq. (2.21), (2.23)
    return np.sqrt(P)[:, :, None] * b


def stratified_centers(codes, n_centers, random_state):
    """Numbers (m,) of the samples that are centres of a window, sorted by class.

    `codes` (n,) are the classes of all samples, from 0 to c - 1. The centres are from
    each class in proportion, and one at least. Proportions are rounded so that
    they add up to `n_centers`, by largest remainder.
    """
    if n_centers is None:
        return np.argsort(codes, kind="stable")
    sizes = np.bincount(codes)
    n = len(codes)
    c = len(sizes)
    if isinstance(n_centers, float) and 0 < n_centers <= 1:
        n_centers = max(c, round(n_centers * n))
    remedy = (
        f"The least is the number of classes, {c}, or give a fraction of the samples"
        " above 0 and up to 1.0."
    )
    m = check_integer(n_centers, "n_centers", c, n, remedy=remedy)
    rng = check_seed(random_state)
    # Counts are whole numbers from 1 to each size; ties go to the first.
    counts = np.maximum(1, sizes * m // n)
    while counts.sum() != m:
        # Each class lacks a whole number, over n, so that ties are exact.
        deficits = sizes * m - counts * n
        if counts.sum() < m:
            counts[np.argmax(deficits)] += 1
        else:
            deficits[counts <= 1] = n * n
            last_class = c - 1 - np.argmin(deficits[::-1])
            counts[last_class] -= 1
    parts = []
    for k, count in enumerate(counts):
        class_rows = np.flatnonzero(codes == k)
        parts.append(rng.choice(class_rows, count, replace=False))
    return np.concatenate(parts)
