"""Small linear algebra with one rule: values and vectors are sorted, cut and sign-fixed together.

An eigenvector is known up to its sign only, and a routine may return either. Everything in this
package that shows coordinates goes through the functions here, so that the same data give the
same picture on every run.
"""

import numpy as np
import scipy.linalg

__all__ = ["RANK_TOLERANCE", "fix_signs", "procrustes", "sphering", "symmetric_eigenpairs", "thin_svd"]

RANK_TOLERANCE = 1e-10
"""Directions whose standard deviation is below this fraction of the largest one count as absent."""


def fix_signs(V):
    """Signs that make the largest entry of each column of `V` positive.

    Entries within 1e-6 of the largest magnitude count as tied, and the first of them decides: rounding
    does not flip a column whose extreme values are `+a` and `-a`.

    Parameters
    ----------
    V : ndarray of shape (n, k)

    Returns
    -------
    signs : ndarray of shape (k,), entries +1 or -1

    Examples
    --------
    >>> import numpy as np
    >>> fix_signs(np.array([[1.0, -3.0], [-2.0, 1.0]]))
    array([-1., -1.])
    """
    if V.shape[0] == 0:
        return np.ones(V.shape[1])
    magnitude = np.abs(V)
    first = np.argmax(magnitude >= (1 - 1e-6) * magnitude.max(axis=0), axis=0)
    return np.where(V[first, np.arange(V.shape[1])] < 0, -1.0, 1.0)


def thin_svd(A):
    """Thin singular value decomposition `A = U diag(s) V^T`, signs fixed by the columns of `V`.

    Parameters
    ----------
    A : ndarray of shape (p, q)

    Returns
    -------
    U : ndarray of shape (p, r), s : ndarray of shape (r,) in falling order, V : ndarray of shape (q, r)
        with r = min(p, q).

    Examples
    --------
    >>> import numpy as np
    >>> U, s, V = thin_svd(np.array([[3.0, 0.0], [0.0, -4.0]]))
    >>> s
    array([4., 3.])
    >>> np.allclose(U * s @ V.T, [[3, 0], [0, -4]])
    True
    """
    U, s, Vt = scipy.linalg.svd(A, full_matrices=False, check_finite=False)
    V = Vt.T
    signs = fix_signs(V)
    return U * signs, s, V * signs


def symmetric_eigenpairs(A, n_pairs=None):
    """Largest eigenvalues of a symmetric matrix, in falling order, and their sign-fixed vectors.

    Parameters
    ----------
    A : ndarray of shape (p, p), symmetric
    n_pairs : int, optional
        How many; all of them by default.

    Returns
    -------
    values : ndarray of shape (n_pairs,), vectors : ndarray of shape (p, n_pairs)

    Examples
    --------
    >>> import numpy as np
    >>> values, vectors = symmetric_eigenpairs(np.diag([1.0, 5.0, 3.0]), n_pairs=2)
    >>> values
    array([5., 3.])
    """
    p = A.shape[0]
    n_pairs = p if n_pairs is None else n_pairs
    values, vectors = scipy.linalg.eigh(A, subset_by_index=[p - n_pairs, p - 1])
    values, vectors = values[::-1], vectors[:, ::-1]
    return values, vectors * fix_signs(vectors)


def sphering(X, variance=1.0):
    """Mean and linear map that centre and sphere `X` on the space that its rows span.

    With `Z = (X - mean) @ W` the columns of `Z` have mean 0 and `Z.T @ Z = n I`. Directions without
    variance are left out, so `d > n`, repeated columns and constant columns need no special care.
    Kudo, Kimura, Haindl and Tenmoto (2016), footnote 1, in the row form of this package.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    variance : float in (0, 1], default=1.0
        Share of the total variance to keep, counted from the largest principal direction.

    Returns
    -------
    mean : ndarray of shape (d,)
    W : ndarray of shape (d, r)
    Z : ndarray of shape (n, r), the sphered samples

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(50, 3)) @ [[2, 0, 2], [0, 1, 0], [0, 1, 0]]
    >>> mean, W, Z = sphering(X)
    >>> Z.shape, np.allclose(Z.T @ Z, 50 * np.eye(2))
    ((50, 2), True)
    """
    n = X.shape[0]
    mean = X.mean(axis=0)
    U, s, V = thin_svd(X - mean)
    # A column that is constant up to rounding leaves a singular value of the size of that rounding.
    noise = np.finfo(X.dtype).eps * np.sqrt(n) * np.abs(X).max(initial=0.0) * 10
    rank = int(np.sum(s > max(RANK_TOLERANCE * s.max(initial=0.0), noise)))
    if variance < 1.0 and rank:
        kept = np.cumsum(s[:rank] ** 2) / np.sum(s[:rank] ** 2)
        rank = int(np.searchsorted(kept, variance * (1 - 1e-12)) + 1)
    # Kudo2016 footnote 1: X <- Lambda^(-1/2) U^T X
    return mean, np.sqrt(n) * V[:, :rank] / s[:rank], np.sqrt(n) * U[:, :rank]


def procrustes(Z, Z_reference, *, scale=False):
    """`Z` shifted, rotated or reflected (and scaled) to lie as close to `Z_reference` as it can.

    Distances within `Z` stay as they are unless `scale` is set. Used so that the frames of a slider
    do not jump: a map is only defined up to such a movement.

    Parameters
    ----------
    Z, Z_reference : ndarray of shape (n, m)
    scale : bool, default=False

    Returns
    -------
    ndarray of shape (n, m)

    Examples
    --------
    >>> import numpy as np
    >>> Z = np.random.default_rng(0).normal(size=(20, 2))
    >>> turned = Z @ [[0, -1], [1, 0]] + 7
    >>> np.allclose(procrustes(turned, Z), Z)
    True
    """
    centre, centre_reference = Z.mean(axis=0), Z_reference.mean(axis=0)
    R, strength = scipy.linalg.orthogonal_procrustes(Z - centre, Z_reference - centre_reference)
    size = np.sum((Z - centre) ** 2)
    factor = strength / size if scale and size > 0 else 1.0
    return factor * (Z - centre) @ R + centre_reference
