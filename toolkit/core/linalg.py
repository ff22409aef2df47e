"""Eigenpairs, SVD, sphering, Procrustes: sorted, cut and sign-fixed in one place.

An eigenvector is known up to its sign only, and a routine may return either. Maps whose
axes are eigenvectors or singular vectors get them, or at least their signs, from here:
the same data give the same picture on every run.
"""

from contextlib import suppress
from typing import NamedTuple

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import ArpackError, eigsh

# Directions whose standard deviation is below this fraction of the largest count as
# absent.
RANK_TOLERANCE = 1e-10
# A few eigenpairs of a matrix with more rows come from products, in a third of the time
# and less.
LANCZOS_ABOVE = 2_500


def fix_signs(V):
    """Signs (k,) that make the largest entry of each column of `V` (n, k) positive."""
    magnitude = np.abs(V)
    # Entries within 1e-6 of the largest count as tied, and the first decides: rounding
    # flips no column of extremes +-a.
    is_largest = magnitude >= (1 - 1e-6) * magnitude.max(axis=0)
    rows = np.argmax(is_largest, axis=0)
    columns = np.arange(V.shape[1])
    return np.where(V[rows, columns] < 0, -1.0, 1.0)


def about_mean(X):
    """Rows less their mean."""
    return X - X.mean(axis=0)


def safe_root(A):
    """Square roots, 0 of what only rounding made negative."""
    return np.sqrt(np.maximum(A, 0))


def root_mean_square(A):
    """Root mean square of all entries."""
    return float(np.sqrt(np.mean(A**2)))


def fixed_noise(shape):
    """Standard normal numbers, the same each time."""
    return np.random.default_rng(0).normal(size=shape)


def with_ones(Z):
    """Rows with a last column of ones."""
    return np.column_stack([Z, np.ones(len(Z))])


def pad_zeros(A, size):
    """`A` with zeros behind, up to `size` along its last axis."""
    widths = np.zeros((A.ndim, 2), dtype=int)
    widths[-1, 1] = size - A.shape[-1]
    return np.pad(A, widths)


def thin_svd(A):
    """A (p, q) = U diag(s) V^T: U (p, r), s (r,) falling, V (q, r), r = min(p, q).

    Signs are fixed by the columns of V.
    """
    U, s, Vt = linalg.svd(A, full_matrices=False, check_finite=False)
    V = Vt.T
    signs = fix_signs(V)
    return U * signs, s, V * signs


def symmetric_eigenpairs(A, n_pairs=None, *, B=None, rising=False):
    """Largest eigenvalues of A v = value B v, falling, and sign-fixed vectors.

    No step of it holds up a progress bar for long, whatever the size of `A` (without
    `B`).

    Parameters
    ----------
    A : ndarray of shape (p, p), symmetric
    n_pairs : int, optional
        How many; all of them by default.
    B : ndarray of shape (p, p), symmetric and positive definite, optional
        The matrix of a generalised eigenproblem; the identity by default. Then V^T B V
        = I.
    rising : bool, default=False
        The smallest eigenvalues instead, rising.

    Returns
    -------
    values : ndarray of shape (n_pairs,)
    vectors : ndarray of shape (p, n_pairs)
    """
    values, vectors = _rising_eigenpairs(A, n_pairs, B, rising)
    if not rising:
        values = values[::-1]
        vectors = vectors[:, ::-1]
    return values, vectors * fix_signs(vectors)


def _rising_eigenpairs(A, n_pairs, B, smallest):
    """The smallest or the largest eigenvalues, both rising, and the vectors.

    They are those of A v = value B v, for B None of A v = value v; `n_pairs` None means
    all.
    """
    p = len(A)
    if n_pairs is None:
        if B is None:
            return np.linalg.eigh(np.asarray_chkfinite(A))
        return linalg.eigh(A, B)
    are_few = p > LANCZOS_ABOVE and 20 * n_pairs < p
    if are_few and B is None and not smallest:
        # Some matrices, such as zeros, do not converge.
        with suppress(ArpackError):
            return eigsh(A, n_pairs, which="LA", v0=fixed_noise(p))
    first = 0
    if not smallest:
        first = p - n_pairs
    last = first + n_pairs - 1
    return linalg.eigh(A, B, subset_by_index=[first, last])


class Sphering(NamedTuple):
    """The mean (d,) of samples, the map W (d, r) that spheres them, and Z (n, r)."""

    mean: np.ndarray
    W: np.ndarray
    Z: np.ndarray


def sphering(X, variance=1.0):
    """Mean and linear map that sphere (whiten) `X` on the space that its rows span.

    With `Z = (X - mean) @ W` the columns of `Z` have mean 0 and `Z.T @ Z = n I`.
    Directions without variance are left out, so `d > n`, repeated columns and constant
    columns need no special care.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    variance : float in (0, 1], default=1.0
        Fraction of the total variance to keep, counted from the largest principal
        direction.

    Returns
    -------
    Sphering
        Mean, map, and the sphered samples Z of shape (n, r).
    """
    root = np.sqrt(len(X))
    mean = X.mean(axis=0)
    U, s, V = thin_svd(X - mean)
    # A column that is constant up to rounding leaves a singular value of the size of
    # that rounding.
    noise = np.finfo(X.dtype).eps * root * np.abs(X).max(initial=0.0) * 10
    tolerance = max(RANK_TOLERANCE * s.max(initial=0.0), noise)
    rank = int(np.sum(s > tolerance))
    rank = count_explaining(s[:rank] ** 2, variance)
    # Kudo2016 footnote 1: X <- Lambda^(-1/2) U^T X
    W = root * V[:, :rank] / s[:rank]
    return Sphering(mean=mean, W=W, Z=root * U[:, :rank])


def count_explaining(variances, fraction):
    """How many falling `variances` hold a fraction of their sum: all of them for 1."""
    if fraction == 1 or not len(variances):
        return len(variances)
    fractions = np.cumsum(variances) / variances.sum()
    return int(np.searchsorted(fractions, fraction * (1 - 1e-12)) + 1)


def procrustes(Z, Z_reference):
    """`Z` (n, m) moved onto `Z_reference` (n, m) by least squares.

    It is shifted, and rotated or reflected, so that distances within `Z` stay as they
    are. The frames of a slider then do not jump: a map is only defined up to such a
    movement.
    """
    centre = Z_reference.mean(axis=0)
    Z = about_mean(Z)
    R, _ = linalg.orthogonal_procrustes(Z, Z_reference - centre)
    return Z @ R + centre
