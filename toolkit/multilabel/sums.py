"""What SL-A needs of samples and labels, from blocks of rows of which no process sees all.

The triangular factor R of [1 X Y] = Q R says as much as X^T X, X^T Y and the means together, without the digits that
their squares lose. Of two blocks it is the factor of their two factors, one below the other.
"""

from dataclasses import dataclass

import numpy as np

from ..core.arrays import check_table
from ..core.checks import check_magnitude, shown
from ..core.labels import check_labels, class_column
from ..core.linalg import RANK_TOLERANCE, thin_svd

__all__ = ["Sums", "summed"]

AT_ONCE = 8  # parts that one task puts together


@dataclass(frozen=True)
class Sums:
    """Of n samples X (n, d) with label matrix Y (n, l)."""

    n: int
    factor: np.ndarray  # R of [1 X Y], (min(n, 1 + d + l), 1 + d + l)
    n_features: int
    total: np.ndarray  # sums of the features, (d,)
    counts: np.ndarray  # samples of each label, (l,)
    least: float  # of all entries of X
    largest: float  # of their absolute values

    @property
    def same_labels(self):
        """Whether all samples have the same labels."""
        return bool(np.all((self.counts == 0) | (self.counts == self.n)))

    @property
    def products(self):
        """X^T Y (d, l)."""
        return self._products(self.factor[:, 1:])

    @property
    def centred_products(self):
        """The same of samples about their mean, (d, l): the first row of R holds the means."""
        return self._products(self.factor[1:, 1:])

    def _products(self, factor):
        X, Y = np.split(factor, [self.n_features], axis=1)
        return X.T @ Y

    def sphering(self, variance):
        """W (d, r) of :func:`toolkit.core.linalg.sphering`, whose singular values and vectors R has, too."""
        _, s, V = thin_svd(self.factor[1:, 1 : 1 + self.n_features])
        noise = np.finfo(float).eps * np.sqrt(self.n) * self.largest * 10
        rank = int(np.sum(s > max(RANK_TOLERANCE * s.max(initial=0.0), noise)))
        if variance < 1.0 and rank:
            kept = np.cumsum(s[:rank] ** 2) / np.sum(s[:rank] ** 2)
            rank = int(np.searchsorted(kept, variance * (1 - 1e-12)) + 1)
        return np.sqrt(self.n) * V[:, :rank] / s[:rank]


def summed(X, Y):
    """Sums of a Dask array or data frame X with labels Y as `fit` takes them, the labels' names, and whether several.

    `Y` is an array of Dask in the blocks of `X`, a column of its data frame, or in memory, where `X` says how long its
    blocks are. Both are read once, and classes once more before.
    """
    import dask

    rows = _rows(X)
    if len(labels := _in_blocks(Y, X)) != len(rows):
        raise ValueError(f"`Y` must have the blocks of `X`; got {len(labels)} and {len(rows)}. Rechunk one of them.")
    part, merge = dask.delayed(_sums, pure=False), dask.delayed(_merged, pure=False)
    multilabel = np.ndim(Y) == 2 and Y.shape[1] > 1
    if multilabel:
        classes = np.array(Y.columns if hasattr(Y, "columns") else range(int(Y.shape[1])))
    else:
        found = dask.compute(*(dask.delayed(_classes, pure=False)(each) for each in labels))
        every = np.concatenate([each for each in found if len(each)] or [np.zeros(0)])
        classes = check_labels(every, len(every)).classes
    parts = [part(*both, classes, multilabel) for both in zip(rows, labels, strict=True)]
    while len(parts) > 1:
        parts = [merge(parts[i : i + AT_ONCE]) for i in range(0, len(parts), AT_ONCE)]
    [sums] = dask.compute(*parts)
    if sums is None or sums.n < 2:
        raise ValueError(f"`X` must hold at least two samples; got {0 if sums is None else sums.n}.")
    check_magnitude(np.array([sums.largest]), squares=True)
    if not sums.counts.all():
        raise ValueError(
            f"`Y` must have a sample of each label; {shown(classes[sums.counts == 0][0].item())} has none."
        )
    return sums, classes, multilabel


def _rows(X):
    """Blocks of rows as delayed objects."""
    if hasattr(X, "columns"):
        return list(X.to_delayed(optimize_graph=False))  # which would put small ones together
    if X.ndim != 2:
        raise ValueError(f"`X` must be a table, one row per sample; got shape {shown(X.shape)}. Reshape your data.")
    return X.rechunk({1: -1}).to_delayed().ravel().tolist()


def _in_blocks(Y, X):
    if hasattr(Y, "to_delayed"):
        if hasattr(Y, "chunks"):
            return (Y.rechunk({1: -1}) if Y.ndim > 1 else Y).to_delayed().ravel().tolist()
        return list(Y.to_delayed(optimize_graph=False))
    if not hasattr(X, "chunks") or np.isnan(X.shape[0]):
        raise ValueError(
            "`Y` must be of Dask where `X` has blocks of unknown length, such as a column of the same file."
        )
    Y = np.asarray(Y)
    if len(Y) != X.shape[0]:
        raise ValueError(f"`X` and `Y` must have the same number of samples; got {X.shape[0]} and {len(Y)}.")
    return np.split(Y, np.cumsum(X.chunks[0])[:-1])


def _classes(Y):
    """The classes of a block."""
    return np.unique(class_column(np.asarray(Y), "Y")) if len(Y) else np.zeros(0)


def _sums(X, Y, classes, multilabel):
    """Sums of a block."""
    if len(X) != len(Y):
        raise ValueError(f"`X` and `Y` must have the same number of samples; got blocks of {len(X)} and {len(Y)}.")
    if not len(X):
        return None
    X = check_table(X)
    if multilabel:
        Y = check_table(Y, "Y")
        if not np.isin(Y, (0, 1)).all() or not Y.any(axis=1).all():
            raise ValueError("`Y` must hold indicators 0 and 1, and at least one label of each sample.")
    else:
        Y = (class_column(np.asarray(Y), "Y")[:, None] == classes).astype(float)
    R = np.linalg.qr(np.column_stack([np.ones(len(X)), X, Y]), mode="r")
    return Sums(len(X), R, X.shape[1], X.sum(axis=0), Y.sum(axis=0), X.min(), np.abs(X).max())


def _merged(parts):
    """Sums of several blocks together; None of none."""
    parts = [part for part in parts if part is not None]
    if len(parts) < 2:
        return parts[0] if parts else None
    R = np.linalg.qr(np.vstack([part.factor for part in parts]), mode="r")
    together = (sum(getattr(part, name) for part in parts) for name in ("total", "counts"))
    least, largest = min(part.least for part in parts), max(part.largest for part in parts)
    return Sums(sum(part.n for part in parts), R, parts[0].n_features, *together, least, largest)
