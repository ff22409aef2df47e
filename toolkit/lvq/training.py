"""Training samples as the descent uses them: centred, in one unit, in their span."""

from dataclasses import dataclass

import numpy as np

from ..core import (
    check_integer,
    row_blocks,
    safe_root,
    symmetric_eigenpairs,
    thin_svd,
)

# A direction counts as constant below this fraction of the largest standard deviation
# (features at unit variance).
SPAN_TOL = 1e-7

# Several prototypes of a class start at its mean, with random deviations of this
# fraction of its standard deviation.
START_DEVIATION = 0.1


@dataclass(frozen=True)
class TrainingSet:
    """Samples x as (x - center) B / unit.

    So one step size and one tolerance serve all data. B is the identity, or an
    orthonormal basis of the space that the centred samples span where that is less than
    all features: a direction without variance (a constant feature, a repeated one, more
    features than samples) changes no distance between samples, and the descent would
    leave there whatever it started from.
    """

    X: np.ndarray  # (n, d)
    codes: np.ndarray  # (n,), classes 0 to c - 1
    center: np.ndarray  # (d,)
    unit: float  # root of the mean variance of the features that vary
    basis: np.ndarray | None  # (d, r), None for the identity

    @classmethod
    def of(cls, X, codes):
        """Samples by their mean, variance and span."""
        n, d = X.shape

        def mean(function):
            return (
                sum(function(X[rows]).sum(axis=0) for rows in row_blocks(n, d))
                / n
            )

        # around the first row, so that the mean of a constant feature is exact and its
        # variance 0
        center = X[0] + mean(lambda rows: rows - X[0])
        variances = mean(lambda rows: (rows - center) ** 2)
        varying = variances > (1e-14 * np.abs(center)) ** 2  # beyond rounding
        if not varying.any():
            raise ValueError(
                "`X` must hold two different samples; all rows are equal, or too close"
                " to be squared."
            )
        basis = _span(X, center, np.sqrt(np.where(varying, variances, 0.0)))
        if basis.shape[1] == d:
            basis = None
        unit = float(np.sqrt(variances[varying].mean()))
        return cls(X, codes, center, unit, basis)

    @property
    def rank(self):
        return self.X.shape[1] if self.basis is None else self.basis.shape[1]

    def inside(self, X):
        """Coordinates (m, r) of samples or prototypes (m, d)."""
        B = X - self.center
        B /= self.unit
        return B if self.basis is None else B @ self.basis

    def to_data_space(self, W):
        """Samples or prototypes (m, d) of coordinates (m, r)."""
        return self.to_features(W) * self.unit + self.center

    def to_features(self, rows):
        """Directions (k, d) in the features of directions (k, r)."""
        return rows if self.basis is None else (self.basis @ rows.T).T

    def blocks(self, width):
        """Coordinates and classes, in blocks for `width` columns."""
        for rows in row_blocks(len(self.X), max(self.X.shape[1], width)):
            yield self.inside(self.X[rows]), self.codes[rows]

    def initial_matrix(self, k, start, rng):
        """Omega (k, r), of which the squares sum to 1.

        Principal directions with equal weights ("pca"), or entries from U(-1, 1).
        """
        if start == "random":
            Omega = rng.uniform(-1, 1, (self.rank, k))
        elif k == self.rank:
            # all principal directions give the same metric
            Omega = np.eye(k)
        else:
            scatter = sum(X.T @ X for X, _ in self.blocks(k))
            _, Omega = symmetric_eigenpairs(scatter, k)
        return (Omega / np.linalg.norm(Omega)).T


def _span(X, center, scales):
    """Orthonormal basis (d, rank) of the centred samples' span.

    `scales` (d,) are standard deviations, 0 for constant features.
    """
    n, d = X.shape
    varying = np.flatnonzero(scales)
    if n <= len(varying):
        _, s, V = thin_svd((X - center)[:, varying] / scales[varying])
    else:
        correlation = np.zeros((len(varying), len(varying)))
        for rows in row_blocks(n, d):
            B = (X[rows] - center)[:, varying] / scales[varying]
            correlation += B.T @ B
        s, V = symmetric_eigenpairs(correlation)
        s = safe_root(s)
    V = V[:, s > SPAN_TOL * s.max()]
    basis = np.zeros((d, V.shape[1]))
    basis[varying], _ = np.linalg.qr(V * scales[varying, None])
    return basis


def prototype_codes(counts, classes, codes):
    """Class number of each prototype, rising (p,).

    `counts` is one number for all classes, or a dict from class to number, 1 by
    default.
    """
    names = classes.tolist()
    if not isinstance(counts, dict):
        counts = dict.fromkeys(names, counts)
    if not set(counts) <= set(names):
        raise ValueError(
            f"`prototypes_per_class` as a dict must name classes in `y` ({names}); got"
            f" {list(counts)}."
        )
    numbers = [
        check_integer(
            counts.get(name, 1),
            "prototypes_per_class",
            1,
            n,
            remedy=f"Class {name!r} has {n} samples; a dict gives each its own number.",
        )
        for name, n in zip(names, np.bincount(codes), strict=True)
    ]
    return np.repeat(np.arange(len(names)), numbers)


def initial_prototypes(samples, w_codes, rng):
    """Prototypes (p, r) near the class means."""
    W = []
    for c, count in enumerate(np.bincount(w_codes)):
        X = samples.inside(samples.X[samples.codes == c])
        deviation = START_DEVIATION * X.std(axis=0) if count > 1 else 0.0
        noise = rng.normal(size=(count, X.shape[1]))
        W.append(X.mean(axis=0) + deviation * noise)
    return np.vstack(W)
