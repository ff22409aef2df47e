"""Regularisation paths, for comparison: coefficients of lasso, elastic net and ridge
along their penalty.
"""

import numpy as np
from sklearn.linear_model import Ridge, enet_path, lasso_path

L1_RATIO = 0.5  # of the elastic net
N_PENALTIES = 100


def coefficient_paths(X, y):
    """Coefficients (m, d) by lasso, elastic net and ridge, from the strongest penalty
    to the weakest, for samples X (n, d) and a target y (n,).
    """
    A = X - X.mean(0)
    b = y - y.mean()
    unit = np.abs(A).max()
    unit *= np.sqrt(np.mean((A / unit) ** 2))
    A = A / unit
    # the first leaves no feature
    penalties = (np.abs(A.T @ b).max() / len(b)) * np.logspace(
        0, -4, N_PENALTIES
    )
    # Eq. (4.12)
    lasso = lasso_path(A, b, alphas=penalties, max_iter=20_000)[1].T
    options = {"l1_ratio": L1_RATIO, "alphas": penalties / L1_RATIO}
    net = enet_path(A, b, **options, max_iter=20_000)[1].T
    strength = np.linalg.norm(A, 2) ** 2 * np.logspace(3, -6, N_PENALTIES)
    ridge = [
        Ridge(alpha=s, fit_intercept=False).fit(A, b).coef_ for s in strength
    ]
    return [path / unit for path in (lasso, net, ridge)]
