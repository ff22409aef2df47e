"""Where training ends: the eigenvalue problem of a stationary relevance matrix, Biehl2012 section IV.

At the end G Omega - mu (Omega^+)^T = gamma Omega, with the multiplier gamma of sum Omega_ij^2 = 1. The cost does not
change with the length of Omega, so that tr(Lambda G) = 0 and gamma = -N mu: Lambda = mu (G + N mu I)^-1.
"""

import numpy as np

from ..linalg import symmetric_eigenpairs
from ..validation import check_positive

__all__ = ["final_gradient_matrix", "rank_one_limit", "stationary_matrix", "weak_penalty_matrix"]


def final_gradient_matrix(model):
    """The matrix G of a fitted GMLVQ on its training samples, :func:`toolkit.lvq.cost.gradient_matrix`.

    Parameters
    ----------
    model : GMLVQ, fitted

    Returns
    -------
    ndarray of shape (n_features, n_features), in the units of the training samples

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from toolkit.lvq import GMLVQ
    >>> model = GMLVQ(mu=0.1, tol=1e-7).fit(*load_iris(return_X_y=True))
    >>> G = final_gradient_matrix(model)
    >>> bool(abs(np.sum(model.lambda_ * G)) < 1e-12)
    True
    """
    return model._gradient_matrix()


def rank_one_limit(G):
    """Lambda = v v^T with v the eigenvector of the smallest eigenvalue of G: the end without penalty.

    Parameters
    ----------
    G : ndarray of shape (N, N), symmetric

    Returns
    -------
    ndarray of shape (N, N)

    Examples
    --------
    >>> rank_one_limit(np.diag([3.0, -1.0])).tolist()
    [[0.0, 0.0], [0.0, 1.0]]
    """
    v = symmetric_eigenpairs(-G, 1)[1]
    return v @ v.T  # Biehl2012 Eq. (20)


def weak_penalty_matrix(G, mu):
    """The end for a weak penalty: eigenvalues mu / (rho_i - rho_1) beside the first, which takes the rest.

    Parameters
    ----------
    G : ndarray of shape (N, N), symmetric, with a simple smallest eigenvalue rho_1
    mu : float >= 0

    Returns
    -------
    ndarray of shape (N, N), trace 1

    Examples
    --------
    >>> weak_penalty_matrix(np.diag([0.0, 1.0]), 0.1).tolist()
    [[0.9, 0.0], [0.0, 0.1]]
    """
    mu = check_positive(mu, "mu", zero=True)
    rho, V = symmetric_eigenpairs(-G)
    rho = -rho
    if len(rho) > 1 and rho[1] - rho[0] <= 1e-12 * np.abs(rho).max():
        raise ValueError(f"`G` must have a simple smallest eigenvalue; its two smallest are {rho[0]:.6g}.")
    others = mu / (rho[1:] - rho[0])
    eigenvalues = np.concatenate([[1 - others.sum()], others])
    return (V * eigenvalues) @ V.T  # Biehl2012 Eq. (23)


def stationary_matrix(G, mu):
    """The end for any penalty above 0: Lambda = mu (G + N mu I)^-1.

    Parameters
    ----------
    G : ndarray of shape (N, N), symmetric; of a stationary state, so that its eigenvalues exceed -N mu
    mu : float > 0

    Returns
    -------
    ndarray of shape (N, N); trace 1 where G belongs to a stationary state, I / N for mu to infinity

    Examples
    --------
    >>> stationary_matrix(np.zeros((2, 2)), 0.1).tolist()
    [[0.5, 0.0], [0.0, 0.5]]
    """
    mu = check_positive(mu, "mu")
    rho, V = symmetric_eigenpairs(G)
    if rho.min() <= -len(rho) * mu:
        raise ValueError(
            f"`G` must have eigenvalues above -N mu = {-len(rho) * mu:.3g}, as those of a stationary state have; the "
            f"smallest is {rho.min():.3g}. Train longer (`tol`), or give the G of the same `mu`."
        )
    return (V * (mu / (rho + len(rho) * mu))) @ V.T
