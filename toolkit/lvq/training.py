"""Training samples as the descent uses them: centred, in one unit, in their span.

Here W (p, r) are prototypes in these coordinates, and `w_codes` (p,) their classes, 0
to c - 1.
"""

from dataclasses import dataclass

import numpy as np

from ..core import (
    check_integer,
    did_you_mean,
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
PROTOTYPE_START_DEVIATION = 0.1


@dataclass(frozen=True, kw_only=True)
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
            """Mean (d,) over all rows of what `function` makes of a block (b, d)."""
            total = 0
            for rows in row_blocks(n, d):
                total = total + function(X[rows]).sum(axis=0)
            return total / n

        # The mean is taken around the first row, so that the mean of a constant feature
        # is exact and its variance 0.
        center = X[0] + mean(lambda rows: rows - X[0])
        variances = mean(lambda rows: (rows - center) ** 2)
        rounding = 1e-14 * np.abs(center)
        varying = variances > rounding**2
        if not varying.any():
            raise ValueError(
                "`X` must hold two different samples; all rows are equal, or too close"
                " to be squared."
            )
        scales = np.sqrt(np.where(varying, variances, 0.0))
        basis = _span(X, center, scales)
        if basis.shape[1] == d:
            basis = None
        mean_variance = variances[varying].mean()
        return cls(
            X=X,
            codes=codes,
            center=center,
            unit=float(np.sqrt(mean_variance)),
            basis=basis,
        )

    @property
    def rank(self):
        """Number r of coordinates."""
        if self.basis is None:
            return self.X.shape[1]
        return self.basis.shape[1]

    def inside(self, X):
        """Coordinates (m, r) of samples or prototypes (m, d)."""
        B = X - self.center
        B /= self.unit
        if self.basis is None:
            return B
        return B @ self.basis

    def to_data_space(self, W):
        """Samples or prototypes (m, d) of coordinates (m, r)."""
        return self.to_features(W) * self.unit + self.center

    def to_features(self, rows):
        """Directions (k, d) in the features of directions (k, r)."""
        if self.basis is None:
            return rows
        directions = self.basis @ rows.T
        return directions.T

    def blocks(self, width):
        """Coordinates and classes, in blocks for `width` columns."""
        n, d = self.X.shape
        for rows in row_blocks(n, max(d, width)):
            yield self.inside(self.X[rows]), self.codes[rows]

    def initial_matrix(self, k, start, rng):
        """Omega (k, r), of which the squares sum to 1.

        Principal directions with equal weights ("pca"), or entries from U(-1, 1).
        """
        if start == "random":
            columns = rng.uniform(-1, 1, (self.rank, k))
        elif k == self.rank:
            # All principal directions give the same metric.
            columns = np.eye(k)
        else:
            scatter = sum(X.T @ X for X, _ in self.blocks(k))
            _, columns = symmetric_eigenpairs(scatter, k)
        columns = columns / np.linalg.norm(columns)
        return columns.T


def _span(X, center, scales):
    """Orthonormal basis (d, rank) of the centred samples' span.

    `scales` (d,) are standard deviations, 0 for constant features.
    """
    n, d = X.shape
    varying = np.flatnonzero(scales)
    scales = scales[varying]

    def standardised(rows):
        """Rows (b, d) as the features that vary, centred and at unit variance."""
        return (rows - center)[:, varying] / scales

    if n <= len(varying):
        _, s, V = thin_svd(standardised(X))
    else:
        correlation = np.zeros((len(varying), len(varying)))
        for rows in row_blocks(n, d):
            B = standardised(X[rows])
            correlation += B.T @ B
        s, V = symmetric_eigenpairs(correlation)
        s = safe_root(s)
    spanned = s > SPAN_TOL * s.max()
    V = V[:, spanned]
    basis = np.zeros((d, V.shape[1]))
    basis[varying], _ = np.linalg.qr(V * scales[:, None])
    return basis


def prototype_codes(counts, classes, codes):
    """Class number of each prototype, rising (p,).

    `counts` is one number for all classes, or a dict from class to number, 1 by
    default.
    """
    names = classes.tolist()
    if not isinstance(counts, dict):
        counts = dict.fromkeys(names, counts)
    unknown = [name for name in counts if name not in names]
    if unknown:
        raise ValueError(
            f"`prototypes_per_class` as a dict must name classes in `y` ({names}); got"
            f" {list(counts)}.{did_you_mean(unknown[0], names)}"
        )
    numbers = []
    for name, n in zip(names, np.bincount(codes), strict=True):
        number = check_integer(
            counts.get(name, 1),
            "prototypes_per_class",
            1,
            n,
            remedy=f"Class {name!r} has {n} samples; a dict gives each its own number.",
        )
        numbers.append(number)
    return np.repeat(np.arange(len(names)), numbers)


def initial_prototypes(samples, w_codes, rng):
    """Prototypes (p, r) near the class means."""
    W = []
    for c, count in enumerate(np.bincount(w_codes)):
        members = samples.codes == c
        X = samples.inside(samples.X[members])
        deviation = 0.0
        if count > 1:
            deviation = PROTOTYPE_START_DEVIATION * X.std(axis=0)
        noise = rng.normal(size=(count, X.shape[1]))
        W.append(X.mean(axis=0) + deviation * noise)
    return np.vstack(W)
