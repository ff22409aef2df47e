"""Training samples for the descent: blocks of rows, centred, in one common unit, in the space that they span."""

from dataclasses import dataclass

import numpy as np

from ..core.linalg import symmetric_eigenpairs, thin_svd
from ..core.scaling import row_blocks

__all__ = ["Samples"]

SPAN_TOL = 1e-7
"""A direction whose standard deviation, features in units of their own, is below this share of the largest has none."""


@dataclass(frozen=True)
class Samples:
    """Samples x as (x - center) B / unit, so that one step size and one tolerance serve all data.

    B is the identity, or an orthonormal basis of what the centred samples span where that is less than all
    features: a direction without variance (a constant feature, a repeated one, more features than samples) changes
    no distance between samples, and the descent would leave there whatever it started from.

    Attributes
    ----------
    X : ndarray of shape (n, d)
    codes : ndarray of int, shape (n,), classes 0 to c - 1
    shares : ndarray of shape (c,), part of a sample of each class in the mean cost; they sum to 1 over all samples
    center : ndarray of shape (d,)
    unit : float, root of the mean variance of the features that vary
    basis : ndarray of shape (d, r) or None

    Examples
    --------
    >>> X = np.array([[0.0, 1.0], [2.0, 1.0]])
    >>> samples = Samples.of(X, np.array([0, 1]))
    >>> samples.rank, samples.back(samples.inside(X)).tolist()
    (1, [[0.0, 1.0], [2.0, 1.0]])
    """

    X: np.ndarray
    codes: np.ndarray
    shares: np.ndarray
    center: np.ndarray
    unit: float
    basis: np.ndarray | None

    @classmethod
    def of(cls, X, codes, class_weights=None):
        """Samples with coordinates from their own mean, variance and span; `class_weights` (c,) are relative."""
        n, d = X.shape
        weights = np.ones(codes.max() + 1) if class_weights is None else np.asarray(class_weights, dtype=float)
        shares = weights / weights[codes].sum()
        # around the first row, so that the mean of a constant feature is exact and its variance 0
        center = X[0] + sum(np.sum(X[rows] - X[0], axis=0) for rows in row_blocks(n, d)) / n
        variances = sum(np.sum((X[rows] - center) ** 2, axis=0) for rows in row_blocks(n, d)) / n
        still = variances <= (1e-14 * np.abs(center)) ** 2  # constant up to rounding
        if still.all():
            raise ValueError(
                "`X` must hold at least two different samples; all rows are equal, or differ by less than can be "
                "squared."
            )
        scales = np.sqrt(np.where(still, 0.0, variances))
        basis = _span(X, center, scales)
        return cls(
            X, codes, shares, center, float(np.sqrt(variances[~still].mean())), basis if basis.shape[1] < d else None
        )

    @property
    def rank(self):
        return self.X.shape[1] if self.basis is None else self.basis.shape[1]

    def inside(self, X):
        """Coordinates (m, r) of samples or prototypes (m, d)."""
        B = X - self.center
        B /= self.unit
        return B if self.basis is None else B @ self.basis

    def back(self, W):
        """Samples or prototypes (m, d) of coordinates (m, r)."""
        return self.outside(W.T).T * self.unit + self.center

    def blocks(self, width):
        """Coordinates, classes and shares of the samples, block by block, for arrays of up to `width` columns."""
        for rows in row_blocks(len(self.X), max(self.X.shape[1], width)):
            yield self.inside(self.X[rows]), self.codes[rows], self.shares[self.codes[rows]]

    def outside(self, directions):
        """Directions (d, k) in the features of coordinates (r, k)."""
        return directions if self.basis is None else self.basis @ directions

    def initial_matrix(self, k, start, rng):
        """Omega (r, k), squares sum to 1: principal directions with equal weights, or entries from U(-1, 1)."""
        if not isinstance(start, str) or start not in ("pca", "random"):
            raise ValueError(f'`omega_init` must be "pca" or "random"; got {start!r}.')
        if start == "random":
            Omega = rng.uniform(-1, 1, (self.rank, k))
        elif k == self.rank:
            Omega = np.eye(k)  # all principal directions give the same metric
        else:
            Omega = symmetric_eigenpairs(sum(B.T @ B for B, _, _ in self.blocks(k)), k)[1]
        return Omega / np.linalg.norm(Omega)


def _span(X, center, scales):
    """Orthonormal basis (d, rank) of the space that the centred samples span."""
    n, d = X.shape
    moving = np.flatnonzero(scales)
    if n <= len(moving):
        _, s, V = thin_svd((X - center)[:, moving] / scales[moving])
    else:
        correlation = np.zeros((len(moving), len(moving)))
        for rows in row_blocks(n, d):
            B = (X[rows] - center)[:, moving] / scales[moving]
            correlation += B.T @ B
        s, V = symmetric_eigenpairs(correlation)
        s = np.sqrt(np.maximum(s, 0))
    kept = V[:, s > SPAN_TOL * s.max()]
    basis = np.zeros((d, kept.shape[1]))
    basis[moving] = np.linalg.qr(kept * scales[moving, None])[0]
    return basis
