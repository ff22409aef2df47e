"""Expectation and maximisation for a mixture whose centres are mapped target samples: Eq. (5.2)-(5.5) of the thesis.

The source places xi_i are explained by Gaussians of one width about the images of the target samples. In memory is a
block of the responsibilities at a time; the M-step needs no more than two sums of them.
"""

from dataclasses import dataclass

import numpy as np
import scipy.linalg

__all__ = ["Expectation", "expect", "responsibilities", "ridge_step", "self_log_likelihood"]

ENTRIES_AT_ONCE = 2**20


@dataclass(frozen=True)
class Expectation:
    """What an E-step leaves: sums over the source samples of the responsibilities gamma_ij.

    Attributes
    ----------
    weight : ndarray of shape (n_target,), sum_i gamma_ij
    pull : ndarray of shape (n_target, n_components), sum_i gamma_ij xi_i
    rows : ndarray of shape (n_source,), log p(xi_i), Eq. (5.2)
    expected : float, Eq. (5.3) with these responsibilities, over the number of source samples
    """

    weight: np.ndarray
    pull: np.ndarray
    rows: np.ndarray
    expected: float

    @property
    def log_likelihood(self):
        """Observed log likelihood over the number of source samples: what EM never lowers at one bandwidth."""
        return float(np.mean(self.rows))


def log_joint(source, target, log_theta, bandwidth):
    """log theta_j + log N(xi_i | y_j, bandwidth^2), shape (n_source, n_target), by one product."""
    k, precision = source.shape[1], 1 / bandwidth**2
    own = np.sum(source**2, axis=1) * (-precision / 2)
    left = np.column_stack([source * precision, own, np.ones(len(source))])
    constant = log_theta - np.sum(target**2, axis=1) * (precision / 2)
    constant -= k / 2 * np.log(2 * np.pi * bandwidth**2)
    return left @ np.column_stack([target, np.ones(len(target)), constant]).T


def log_sums(joint):
    """exp(joint) over its row sums, and the logarithms of these."""
    top = joint.max(axis=1, keepdims=True)
    share = joint - top
    np.exp(share, out=share)
    total = share.sum(axis=1, keepdims=True)
    share /= total
    return share, (top + np.log(total))[:, 0]


def responsibilities(source, target, log_theta, bandwidth):
    """gamma_ij, Eq. (5.4) with the theta_j that it leaves out; rows add up to 1.

    Parameters
    ----------
    source : ndarray of shape (n_source, n_components), xi
    target : ndarray of shape (n_target, n_components), images y_j of the target samples
    log_theta : ndarray of shape (n_target,), logarithms of the weights of the mixture
    bandwidth : float > 0

    Returns
    -------
    ndarray of shape (n_source, n_target)

    Examples
    --------
    >>> responsibilities(np.zeros((1, 1)), np.array([[1.0], [-1.0]]), np.log([0.5, 0.5]), 1.0).tolist()
    [[0.5, 0.5]]
    """
    return log_sums(log_joint(source, target, log_theta, bandwidth))[0]  # Eq. (5.4)


def expect(source, target, log_theta, bandwidth):
    """The E-step in blocks of source samples, arguments as for :func:`responsibilities`; an `Expectation`."""
    weight, pull, rows, expected = np.zeros(len(target)), np.zeros_like(target), [], 0.0
    for block in np.array_split(source, max(1, -(-len(source) * len(target) // ENTRIES_AT_ONCE))):
        joint = log_joint(block, target, log_theta, bandwidth)
        gamma, row = log_sums(joint)  # Eq. (5.4), (5.2)
        weight += gamma.sum(axis=0)
        pull += gamma.T @ block
        rows.append(row)
        expected += np.vdot(gamma, joint)  # Eq. (5.3)
    return Expectation(weight, pull, np.concatenate(rows), float(expected) / len(source))


def ridge_step(design, weight, pull, penalty):
    """The M-step: B that minimises sum_ij gamma_ij |xi_i - B^T z_j|^2 + sum_l penalty_l |B_l|^2, Eq. (5.5).

    Parameters
    ----------
    design : ndarray of shape (n_target, p), rows z_j
    weight, pull : as in :class:`Expectation`
    penalty : ndarray of shape (p,)

    Returns
    -------
    ndarray of shape (p, n_components); where the minimum is not unique, the shortest
    """
    root = np.sqrt(weight)[:, None]  # not sums of squares, which would cost half of the digits
    right = np.divide(pull, root, out=np.zeros_like(pull), where=root > 0)
    few = penalty > 0
    left = np.vstack([design * root, np.diag(np.sqrt(penalty))[few]])
    right = np.vstack([right, np.zeros((few.sum(), pull.shape[1]))])
    return scipy.linalg.lstsq(left, right, cond=1e-12, lapack_driver="gelsy")[0]


def self_log_likelihood(places, bandwidth, n_centers=None):
    """Mean log likelihood of places under Gaussians about other ones: how well a set explains itself.

    Copies of a place, to nine digits, do not explain it: no width would be small enough for them.

    Parameters
    ----------
    places : ndarray of shape (n, n_components)
    bandwidth : float > 0
    n_centers : int, optional
        So many of the places, evenly spaced in the order given, carry a Gaussian; all by default.

    Examples
    --------
    >>> places = np.random.default_rng(0).normal(size=(200, 2))
    >>> bool(self_log_likelihood(places, 0.3) > self_log_likelihood(places, 0.01))
    True
    """
    n = len(places)
    centers = np.arange(n) if n_centers is None or n_centers >= n else np.linspace(0, n - 1, n_centers).astype(int)
    log_theta = np.full(len(centers), -np.log(len(centers)))
    copies = np.unique(np.round(places, 9), axis=0, return_inverse=True)[1].ravel()
    if np.all(copies[centers] == copies[centers[0]]):
        copies = np.arange(n)  # all centres are copies: only the place itself is left out
    total = 0.0
    for own in np.array_split(np.arange(n), max(1, -(-n * len(centers) // ENTRIES_AT_ONCE))):
        joint = log_joint(places[own], places[centers], log_theta, bandwidth)
        joint[copies[own][:, None] == copies[centers]] = -np.inf
        total += np.sum(log_sums(joint)[1])
    return total / n
