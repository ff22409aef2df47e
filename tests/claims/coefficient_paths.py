"""Regularisation paths, for comparison: coefficients of lasso, elastic net and ridge along their penalty."""

from typing import NamedTuple

import numpy as np
from sklearn.linear_model import Ridge, enet_path, lasso_path

L1_RATIO = 0.5  # of the elastic net
N_PENALTIES = 100


class CoefficientPath(NamedTuple):
    """Coefficients (m, d) and their L1 norms (m,), from the strongest penalty to the weakest."""

    norm: np.ndarray
    coefficients: np.ndarray


def coefficient_paths(X, y):
    """Paths {name: CoefficientPath} of the three usual penalties for samples X (n, d) and a target y (n,)."""
    A, b = X - X.mean(0), y - y.mean()
    unit = np.abs(A).max()
    unit *= np.sqrt(np.mean((A / unit) ** 2))
    A = A / unit
    # the first leaves no feature
    penalties = (np.abs(A.T @ b).max() / len(b)) * np.logspace(0, -4, N_PENALTIES)
    lasso = lasso_path(A, b, alphas=penalties, max_iter=20_000)[1].T  # Eq. (4.12)
    net = enet_path(
        A, b, l1_ratio=L1_RATIO, alphas=penalties / L1_RATIO, max_iter=20_000
    )[1].T
    strength = np.linalg.norm(A, 2) ** 2 * np.logspace(3, -6, N_PENALTIES)
    ridge = np.stack(
        [Ridge(alpha=alpha, fit_intercept=False).fit(A, b).coef_ for alpha in strength]
    )
    return {
        name: CoefficientPath(np.abs(path / unit).sum(1), path / unit)
        for name, path in (("lasso", lasso), ("elastic net", net), ("ridge", ridge))
    }
