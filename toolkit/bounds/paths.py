"""Regularisation paths, for comparison: coefficients of lasso, elastic net and ridge along their penalty."""

from typing import NamedTuple

import numpy as np
from sklearn.linear_model import Ridge, enet_path, lasso_path

from ..core.arrays import check_table, check_target
from ..core.checks import check_integer, check_magnitude, check_names, check_share
from ..core.frames import as_frame, feature_names

__all__ = ["CoefficientPath", "coefficient_paths"]


class CoefficientPath(NamedTuple):
    """Coefficients (m, d) and their L1 norms (m,), from the strongest penalty to the weakest."""

    norm: np.ndarray
    coefficients: np.ndarray

    def to_frame(self, names=None):
        """The coefficients as a pandas DataFrame, one column per feature, one row per norm."""
        d = self.coefficients.shape[1]
        names = feature_names(None, d) if names is None else check_names(names, d, "names", "feature")
        return as_frame(dict(zip(names, self.coefficients.T, strict=True)), self.norm, "norm")


def coefficient_paths(X, y, *, l1_ratio=0.5, n_penalties=100):
    """Paths of the three usual penalties for one target.

    Parameters
    ----------
    X : array-like of shape (n, d), features on one scale; the mean variance of those that vary is taken as unit
    y : array-like of shape (n,), a target, or the values w . x of a mapping to be explained
    l1_ratio : float in [0, 1], default=0.5
        Of the elastic net, which depends on the unit of `y`; less than .001 counts as that.
    n_penalties : int >= 2, default=100

    Returns
    -------
    dict of CoefficientPath, for "lasso", "elastic net" and "ridge"

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> paths = coefficient_paths(X, X[:, 0], n_penalties=20)
    >>> sorted(paths), paths["lasso"].coefficients.shape
    (['elastic net', 'lasso', 'ridge'], (20, 3))
    """
    X = check_table(X, least=2)
    y = check_target(y, len(X))
    check_magnitude(X, squares=True)
    check_magnitude(y, "y", squares=True)
    ratio = check_share(l1_ratio, "l1_ratio")
    m = check_integer(n_penalties, "n_penalties", 2, 10**6)
    A, b = X - X.mean(axis=0), y - y.mean()
    if not np.ptp(y) > 1e-12 * np.abs(y).max():
        raise ValueError("`y` must vary; all values are equal.")
    varying = np.ptp(X, axis=0) > 1e-12 * np.abs(X).max(axis=0)
    if not varying.any():
        raise ValueError("`X` must have a feature that varies; all are constant.")
    unit = np.abs(A).max()
    unit *= np.sqrt(np.mean((A[:, varying] / unit) ** 2))
    A, ratio = A / unit, max(ratio, 1e-3)
    penalties = (np.abs(A.T @ b).max() / len(b) or 1.0) * np.logspace(0, -4, m)  # the first leaves no feature
    lasso = lasso_path(A, b, alphas=penalties, max_iter=20_000)[1].T  # Eq. (4.12)
    net = enet_path(A, b, l1_ratio=ratio, alphas=penalties / ratio, max_iter=20_000)[1].T
    strength = np.linalg.norm(A, 2) ** 2 * np.logspace(3, -6, m)
    ridge = np.stack([Ridge(alpha=alpha, fit_intercept=False).fit(A, b).coef_ for alpha in strength])
    return {
        name: CoefficientPath(np.abs(path / unit).sum(axis=1), path / unit)
        for name, path in (("lasso", lasso), ("elastic net", net), ("ridge", ridge))
    }
