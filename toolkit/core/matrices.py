"""Checks of matrices: magnitudes, kernels, distances."""

import numpy as np

from .checks import LARGEST, TINY

# Fraction of the largest entry that counts as rounding: a distance of 0 is the root of
# a rounding error, 1e-8 of the largest or more.
ROUNDING_FRACTION = 1e-6


def magnitude(A):
    """The largest absolute value, 0 of no numbers."""
    return np.abs(A).max(initial=0.0)


def check_magnitude(X, name="X", *, squares=False):
    """Refuse values whose squared distances would overflow.

    With `squares` also values whose squares vanish.

    Examples
    --------
    >>> import numpy as np
    >>> check_magnitude(np.array([[1e120]]))
    Traceback (most recent call last):
    ...
    ValueError: `X` must not hold values beyond 1e+100, whose squares overflow in \
sums; got 1e+120. Rescale it.
    """
    if hasattr(X, "tocsr"):
        X = X.data
    largest = magnitude(X)
    if largest > LARGEST:
        problem = f"hold values beyond {LARGEST:g}, whose squares overflow in sums; got"
    elif squares and 0 < largest < 1 / LARGEST:
        tiny = f"{1 / LARGEST:g}, whose squares vanish"
        problem = f"only hold values below {tiny}; the largest is"
    else:
        return
    raise ValueError(f"`{name}` must not {problem} {largest:.3g}. Rescale it.")


def check_lengths(values, name="X"):
    """Distances between two sets are not negative."""
    smallest = values.min(initial=0.0)
    if smallest < 0:
        # The stored distances of a sparse matrix have no row and column here.
        entry = ""
        if values.ndim == 2:
            i, j = np.unravel_index(values.argmin(), values.shape)
            entry = f", entry ({i}, {j})"
        raise ValueError(
            f"`{name}` must hold distances, which are not negative; the least is"
            f" {smallest:.6g}{entry}."
        )


def check_kernel(G, *, name="kernel"):
    """Check that a kernel matrix of the samples is square, finite and symmetric.

    Parameters
    ----------
    G : ndarray of shape (n, n)
    name : str

    Returns
    -------
    ndarray of shape (n, n)
        Exactly symmetric.

    Examples
    --------
    >>> check_kernel([[1.0, 2.0], [0.0, 1.0]])
    Traceback (most recent call last):
    ...
    ValueError: `kernel` must give a symmetric matrix; entries (i, j) and (j, i) \
differ by up to 2: (0, 1) is 2 and (1, 0) is 0. If that is meant, symmetrise it: \
(K + K.T) / 2.
    """
    G = np.asarray(G, dtype=float)
    if G.ndim != 2 or len(G) != len(G.T):
        raise ValueError(
            f"`{name}` must give a square matrix of shape (n_samples, n_samples) in"
            f" `fit`; got shape {G.shape}."
        )
    if not np.all(np.isfinite(G)):
        raise ValueError(
            f"`{name}` gives NaN or infinity for some pairs of samples; check its"
            " parameters."
        )
    gap = magnitude(G - G.T)
    if gap > ROUNDING_FRACTION * np.abs(G).max(initial=TINY):
        i, j = np.unravel_index(np.abs(G - G.T).argmax(), G.shape)
        raise ValueError(
            f"`{name}` must give a symmetric matrix; entries (i, j) and (j, i) differ"
            f" by up to {gap:.6g}: ({i}, {j}) is {G[i, j]:.6g} and ({j}, {i}) is"
            f" {G[j, i]:.6g}. If that is meant, symmetrise it: (K + K.T) / 2."
        )
    return (G + G.T) / 2


def check_distances(D, *, name="X"):
    """Check that distances are square, finite, symmetric and not negative.

    The diagonal must be zero.

    Parameters
    ----------
    D : array-like of shape (n, n)
    name : str

    Returns
    -------
    ndarray of shape (n, n)
        Exactly symmetric, with an exactly zero diagonal.

    Examples
    --------
    >>> check_distances([[0.0, -1.0], [-1.0, 0.0]])
    Traceback (most recent call last):
    ...
    ValueError: `X` must hold distances, which are not negative; the least is -1, \
entry (0, 1).
    """
    D = check_kernel(D, name=name)
    check_lengths(D, name)
    to_itself = D.diagonal().max(initial=0.0)
    if to_itself > ROUNDING_FRACTION * D.max(initial=0.0):
        raise ValueError(
            f"`{name}` must hold distances, 0 from a sample to itself; got"
            f" {to_itself:.6g} for sample {D.diagonal().argmax()}. Similarities become"
            " distances by sqrt(s_ii + s_jj - 2 s_ij)."
        )
    np.fill_diagonal(D, 0.0)
    return D
