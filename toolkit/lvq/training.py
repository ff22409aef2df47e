"""Training samples as the descent sees them: centred, in one unit, in the space they span; prototypes at the start."""

from dataclasses import dataclass

import numpy as np
from sklearn.cluster import KMeans

from ..core.checks import check_integer, check_option
from ..core.linalg import symmetric_eigenpairs, thin_svd
from ..core.scaling import row_blocks

# A direction counts as constant below this fraction of the largest standard deviation
# (features at unit variance).
SPAN_TOL = 1e-7

# Several prototypes of a class start at its mean, with random deviations of this
# fraction of its standard deviation.
START_DEVIATION = 0.1


@dataclass(frozen=True)
class TrainingSet:
    """Samples x as (x - center) B / unit, so that one step size and one tolerance serve all data.

    B is the identity, or an orthonormal basis of the space that the centred samples
    span where that is less than all features: a direction without variance (a constant
    feature, a repeated one, more features than samples) changes no distance between
    samples, and the descent would leave there whatever it started from.
    """

    X: np.ndarray  # (n, d)
    codes: np.ndarray  # (n,), classes 0 to c - 1
    # (c,), of a sample of each class in the mean cost; they sum to 1 over all samples
    weights: np.ndarray
    center: np.ndarray  # (d,)
    unit: float  # root of the mean variance of the features that vary
    basis: np.ndarray | None  # (d, r), None for the identity

    @classmethod
    def of(cls, X, codes, class_weights=1.0):
        """Samples with coordinates from their own mean, variance and span; `class_weights` (c,) are relative."""
        n, d = X.shape
        weights = np.full(codes.max() + 1, class_weights, dtype=float)
        weights = weights / weights[codes].sum()
        # around the first row, so that the mean of a constant feature is exact and its
        # variance 0
        center = (
            X[0] + sum(np.sum(X[rows] - X[0], axis=0) for rows in row_blocks(n, d)) / n
        )
        variances = (
            sum(np.sum((X[rows] - center) ** 2, axis=0) for rows in row_blocks(n, d))
            / n
        )
        varying = variances > (1e-14 * np.abs(center)) ** 2  # beyond rounding
        if not varying.any():
            raise ValueError(
                "`X` must hold two different samples; all rows are equal, or too close"
                " to be squared."
            )
        basis = _span(X, center, np.sqrt(np.where(varying, variances, 0.0)))
        unit = float(np.sqrt(variances[varying].mean()))
        return cls(
            X, codes, weights, center, unit, basis if basis.shape[1] < d else None
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
        return self.outside(W) * self.unit + self.center

    def outside(self, rows):
        """Directions (k, d) in the features of directions (k, r)."""
        return rows if self.basis is None else (self.basis @ rows.T).T

    def blocks(self, width):
        """Coordinates, classes and weights of the samples, block by block, for arrays of up to `width` columns."""
        for rows in row_blocks(len(self.X), max(self.X.shape[1], width)):
            yield (
                self.inside(self.X[rows]),
                self.codes[rows],
                self.weights[self.codes[rows]],
            )

    def initial_matrix(self, k, start, rng):
        """Omega (k, r), squares sum to 1: principal directions with equal weights, or entries from U(-1, 1)."""
        if check_option(start, "omega_init", ("pca", "random")) == "random":
            Omega = rng.uniform(-1, 1, (self.rank, k))
        elif k == self.rank:
            Omega = np.eye(k)  # all principal directions give the same metric
        else:
            Omega = symmetric_eigenpairs(sum(B.T @ B for B, _, _ in self.blocks(k)), k)[
                1
            ]
        return (Omega / np.linalg.norm(Omega)).T


def _span(X, center, scales):
    """Orthonormal basis (d, rank) of the space that the centred samples span; scales (d,), 0 for constant features."""
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
        s = np.sqrt(np.maximum(s, 0))
    kept = V[:, s > SPAN_TOL * s.max()]
    basis = np.zeros((d, kept.shape[1]))
    basis[varying] = np.linalg.qr(kept * scales[varying, None])[0]
    return basis


def prototype_codes(counts, classes, codes):
    """Class number of each prototype, rising (p,), from one count or a dict from class to count, 1 by default."""
    names = classes.tolist()
    given = counts if isinstance(counts, dict) else dict.fromkeys(names, counts)
    if not set(given) <= set(names):
        raise ValueError(
            f"`prototypes_per_class` as a dict must name classes in `y` ({names}); got"
            f" {list(given)}."
        )
    counts = []
    for name, n in zip(names, np.bincount(codes), strict=True):
        count = check_integer(
            given.get(name, 1),
            "prototypes_per_class",
            remedy="A dict gives each class its own.",
        )
        if count > n:
            raise ValueError(
                f"`prototypes_per_class` asks for {count} prototypes of class {name!r},"
                f" which has {n} sample(s). Ask for fewer; a dict gives each class its"
                " own number."
            )
        counts.append(count)
    return np.repeat(np.arange(len(names)), counts)


def initial_prototypes(samples, w_codes, start, rng):
    """Prototypes (p, r) near the class means, or at the centres of k-means within each class."""
    check_option(start, "prototype_init", ("means", "kmeans"))
    W = []
    for c, count in enumerate(np.bincount(w_codes)):
        B = samples.inside(samples.X[samples.codes == c])
        if start == "kmeans" and count > 1:
            W.append(KMeans(count, n_init=3, random_state=rng).fit(B).cluster_centers_)
            continue
        deviation = START_DEVIATION * B.std(axis=0) if count > 1 else 0.0
        W.append(B.mean(axis=0) + deviation * rng.normal(size=(count, B.shape[1])))
    return np.vstack(W)
