"""Expectation maximisation (EM) for a Gaussian mixture centred on the mapped target samples.

The source coordinates xi_i are explained by Gaussians of one width about the images of
the target samples (thesis, Eqs. (5.2) to (5.5)). Only a block of responsibilities is in
memory at a time; the M-step needs two sums of them.
"""

from dataclasses import dataclass

import numpy as np
import scipy.linalg

PAIRS_PER_BLOCK = 2**20  # responsibilities computed at a time


@dataclass(frozen=True)
class Expectation:
    """Result of an E-step: sums over the source samples of the responsibilities gamma_ij."""

    weight: np.ndarray  # (n_target,), sum_i gamma_ij
    pull: np.ndarray  # (n_target, n_components), sum_i gamma_ij xi_i
    rows: np.ndarray  # (n_source,), log p(xi_i)
    # expected complete log likelihood over the number of source samples
    expected: float

    @property
    def log_likelihood(self):
        """Observed log likelihood over the number of source samples, which EM never lowers at one bandwidth."""
        return float(np.mean(self.rows))


def log_joint(source, target, log_theta, bandwidth):
    """log theta_j + log N(xi_i | y_j, bandwidth^2), shape (n_source, n_target), by one product."""
    n, k = source.shape
    precision = 1 / bandwidth**2
    left, right = np.ones((n, k + 2)), np.ones((k + 2, len(target)))
    left[:, :k] = source * precision
    left[:, k] = np.sum(source**2, axis=1) * (-precision / 2)
    right[:k] = target.T
    right[-1] = log_theta - np.sum(target**2, axis=1) * (precision / 2)
    right[-1] -= k / 2 * np.log(2 * np.pi * bandwidth**2)
    return left @ right


def log_sums(joint):
    """Responsibilities (n_source, n_target) from logarithms of a joint density, and log p(xi_i) (n_source,)."""
    top = joint.max(axis=1, keepdims=True)
    gamma = joint - top
    np.exp(gamma, out=gamma)
    total = gamma.sum(axis=1, keepdims=True)
    gamma /= total  # Eq. (5.4), with the theta_j that it leaves out
    return gamma, (top + np.log(total))[:, 0]  # Eq. (5.2)


def responsibilities(source, target, log_theta, bandwidth):
    """gamma_ij (n_source, n_target), rows adding up to 1, from xi_i, images y_j (n_target, k) and log theta_j."""
    return log_sums(log_joint(source, target, log_theta, bandwidth))[0]


def expect(source, target, log_theta, bandwidth):
    """The E-step in blocks of source samples, arguments as for :func:`responsibilities`; an `Expectation`."""
    weight, pull, rows, expected = np.zeros(len(target)), np.zeros_like(target), [], 0.0
    for block in np.array_split(
        source, max(1, -(-len(source) * len(target) // PAIRS_PER_BLOCK))
    ):
        joint = log_joint(block, target, log_theta, bandwidth)
        gamma, row = log_sums(joint)
        weight += gamma.sum(axis=0)
        pull += gamma.T @ block
        rows.append(row)
        expected += np.vdot(gamma, joint)  # Eq. (5.3)
    return Expectation(
        weight, pull, np.concatenate(rows), float(expected) / len(source)
    )


def ridge_step(design, weight, pull, penalty):
    """M-step: B (p, k) minimising sum_ij gamma_ij |xi_i - B^T z_j|^2 + sum_l penalty_l |B_l|^2, z_j in `design`."""
    # not sums of squares, which would cost half of the digits
    root = np.sqrt(weight)[:, None]
    right = np.divide(pull, root, out=np.zeros_like(pull), where=root > 0)
    penalised = penalty > 0
    left = np.vstack([design * root, np.diag(np.sqrt(penalty))[penalised]])
    right = np.vstack([right, np.zeros((penalised.sum(), pull.shape[1]))])
    # Eq. (5.5) with the penalty; where the minimum is not unique, the shortest.
    return scipy.linalg.lstsq(left, right, cond=1e-12, lapack_driver="gelsy")[0]


def self_log_likelihood(xi, bandwidth, n_centers=None):
    """Mean leave-one-out log likelihood of coordinates (n, k) under Gaussians about `n_centers` of them, or all."""
    n = len(xi)
    centers = (
        np.arange(n)
        if n_centers is None or n_centers >= n
        else np.linspace(0, n - 1, n_centers).astype(int)
    )
    log_theta = np.full(len(centers), -np.log(len(centers)))
    # Copies, to nine digits, do not explain each other: no width would be small enough
    # for them.
    copies = np.unique(np.round(xi, 9), axis=0, return_inverse=True)[1].ravel()
    if np.all(copies[centers] == copies[centers[0]]):
        # all centres are copies: only the sample itself is left out
        copies = np.arange(n)
    total = 0.0
    for own in np.array_split(
        np.arange(n), max(1, -(-n * len(centers) // PAIRS_PER_BLOCK))
    ):
        joint = log_joint(xi[own], xi[centers], log_theta, bandwidth)
        joint[copies[own][:, None] == copies[centers]] = -np.inf
        total += np.sum(log_sums(joint)[1])
    return total / n
