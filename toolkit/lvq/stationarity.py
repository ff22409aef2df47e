"""Stationary states of GMLVQ: the relevance matrix where training ends.

Biehl2012 section IV. There Omega G - mu (Omega^+)^T = gamma Omega, with the multiplier
gamma of sum Omega_ij^2 = 1. The cost does not change with the length of Omega, so that
tr(Lambda G) = 0 and gamma = -N mu: Lambda = mu (G + N mu I)^-1.
"""

import numpy as np

from ..core import (
    check_kernel,
    check_n_components,
    check_positive,
    check_table,
    magnitude,
    symmetric_eigenpairs,
)
from .cost import gradient_matrix


def final_gradient_matrix(model):
    """Compute the matrix G of the gradient Omega G of a fitted GMLVQ's cost.

    Parameters
    ----------
    model : GMLVQ
        Fitted to samples that vary in every direction.

    Returns
    -------
    G : ndarray of shape (n_features, n_features)
        Gradient matrix, dimensionless: it does not change with the unit of the samples.

    Raises
    ------
    ValueError
        If `model` is not fitted or was pickled, or if its features are constant or
        depend on each other: G is not defined along such directions.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from toolkit.lvq import GMLVQ
    >>> model = GMLVQ(mu=0.1, tol=1e-7).fit(*load_iris(return_X_y=True))
    >>> G = final_gradient_matrix(model)
    >>> bool(abs(np.sum(model.lambda_ * G)) < 1e-12)
    True
    """
    samples = getattr(model, "_samples", None)
    if samples is None:
        raise ValueError(
            "`model` must be a fitted GMLVQ that holds its training samples, as copies"
            f" that were pickled do not; got {type(model).__name__}."
        )
    if samples.basis is not None:
        raise ValueError(
            f"`model` was fitted to samples that vary in {samples.rank} of"
            f" {samples.X.shape[1]} directions only, and G does not determine the"
            " others. Drop constant and dependent features, or take principal"
            " components first."
        )
    W = (model.prototypes_ - model.mean_) / samples.unit
    return gradient_matrix(samples, W, model._w_codes, model.omega_)


def weak_penalty_matrix(G, mu):
    """Compute the stationary matrix Lambda for a weak penalty.

    Its eigenvalues are mu / (rho_i - rho_1) but for the first, which is the rest to a
    trace of 1. Without penalty Lambda = v v^T, with v the eigenvector of the smallest
    eigenvalue of G.

    Parameters
    ----------
    G : array-like of shape (N, N)
        Symmetric gradient matrix, with a simple smallest eigenvalue rho_1.
    mu : float >= 0
        Weight of the penalty, so small that the other eigenvalues have a sum of at most
        1.

    Returns
    -------
    Lambda : ndarray of shape (N, N)
        Relevance matrix of trace 1.

    Raises
    ------
    ValueError
        If the smallest eigenvalue of `G` is not simple, or if `mu` is too large.

    Examples
    --------
    >>> weak_penalty_matrix([[0.0, 0.0], [0.0, 1.0]], 0.1).tolist()
    [[0.9, 0.0], [0.0, 0.1]]
    """
    mu = check_positive(mu, "mu", zero=True)
    rho, V = symmetric_eigenpairs(_square(G), rising=True)
    gaps = rho[1:] - rho[0]
    if np.any(gaps <= 1e-12 * magnitude(rho)):
        raise ValueError(
            "`G` must have a simple smallest eigenvalue; the two smallest are"
            f" {rho[0]:.6g} and {rho[1]:.6g}, and any matrix of trace 1 on their"
            " eigenvectors is an end, (21)."
        )
    smaller_eigenvalues = mu / gaps
    total = smaller_eigenvalues.sum()
    if total > 1:
        raise ValueError(
            "`mu` must be so small that sum mu / (rho_i - rho_1) is at most 1; got"
            f" {mu:g}, with a sum of {total:.3g}. For stronger penalties there"
            " is `stationary_matrix`."
        )
    eigenvalues = np.append(1 - total, smaller_eigenvalues)
    return (V * eigenvalues) @ V.T  # Biehl2012 Eqs. (20), (23)


def stationary_matrix(G, mu, *, rank=None):
    """Compute the stationary matrix Lambda for any penalty above 0.

    It is mu (G + N mu I)^-1.

    Parameters
    ----------
    G : array-like of shape (N, N)
        Symmetric gradient matrix of a stationary state, so that its eigenvalues exceed
        -N mu.
    mu : float > 0
        Weight of the penalty.
    rank : int or None, default=None
        Rows M of a rectangular Omega: only the M smallest eigenvalues of G are used, M
        instead of N; None: N.

    Returns
    -------
    Lambda : ndarray of shape (N, N)
        Relevance matrix: of trace 1 where G belongs to a stationary state, I / N for mu
        to infinity.

    Raises
    ------
    ValueError
        If an eigenvalue of `G` is at most -N mu.

    Examples
    --------
    >>> stationary_matrix([[0.0, 0.0], [0.0, 0.0]], 0.1).tolist()
    [[0.5, 0.0], [0.0, 0.5]]
    """
    mu = check_positive(mu, "mu")
    G = _square(G)
    M = len(G)
    if rank is not None:
        M = check_n_components(rank, M, M, "the size of G", name="rank")
    rho, V = symmetric_eigenpairs(G, M, rising=True)
    if rho[0] <= -M * mu:
        raise ValueError(
            f"`G` must have eigenvalues above -{M} mu = {-M * mu:.3g}, as those of a"
            f" stationary state have; the smallest is {rho[0]:.3g}. Train longer"
            " (`tol`), or give the G of the same `mu`."
        )
    eigenvalues = mu / (rho + M * mu)
    return (V * eigenvalues) @ V.T


def _square(G):
    """The matrix G as floats, or a message where it is not symmetric."""
    return check_kernel(check_table(G, "G"), name="G")
