"""How good a map is. So far: does a sample lie in the Voronoi cell of one of its labels?"""

import numpy as np

__all__ = ["nearest_label", "nearest_label_share"]


def nearest_label(Z, label_points):
    """Which label point is nearest to each sample (its Voronoi cell).

    Parameters
    ----------
    Z : array-like of shape (n, m)
    label_points : array-like of shape (l, m)

    Returns
    -------
    ndarray of int, shape (n,)

    Examples
    --------
    >>> nearest_label([[0.1, 0], [0.9, 0]], [[0, 0], [1, 0]])
    array([0, 1])
    """
    Z, P = np.asarray(Z, dtype=float), np.asarray(label_points, dtype=float)
    if Z.ndim != 2 or P.ndim != 2 or Z.shape[1] != P.shape[1]:
        raise ValueError(
            f"`Z` and `label_points` must have as many columns; got shapes {Z.shape} and {P.shape}."
        )
    # |z - p|^2 without the term that all labels share
    return np.argmin(np.sum(P**2, axis=1) - 2 * Z @ P.T, axis=1)


def nearest_label_share(Z, label_points, Y):
    """Share of the samples whose nearest label point is one of their labels.

    Parameters
    ----------
    Z : array-like of shape (n, m)
    label_points : array-like of shape (l, m)
    Y : array-like of shape (n, l), 0/1

    Returns
    -------
    float

    Examples
    --------
    >>> nearest_label_share([[0.1, 0], [0.9, 0]], [[0, 0], [1, 0]], [[1, 0], [1, 0]])
    0.5
    """
    Y = np.asarray(Y)
    if Y.shape != (len(Z), len(label_points)):
        raise ValueError(
            f"`Y` must have shape ({len(Z)}, {len(label_points)}), a row a sample; got {Y.shape}."
        )
    return float(np.mean(Y[np.arange(len(Y)), nearest_label(Z, label_points)]))
