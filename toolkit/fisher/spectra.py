"""Eigenvalues of similarities, and what becomes of negative ones."""

import numpy as np

from ..linalg import symmetric_eigenpairs

__all__ = ["check_indefinite", "negative_share", "spectrum"]


def check_indefinite(indefinite, allowed):
    if indefinite not in allowed:
        names = " or ".join([", ".join(f'"{a}"' for a in allowed[:-1]), f'"{allowed[-1]}"'])
        raise ValueError(f"`indefinite` must be {names}; got {indefinite!r}.")


def spectrum(S, indefinite):
    """Eigenvalues of symmetric similarities (n, n), eigenvectors, and the eigenvalues that take their place.

    Examples
    --------
    >>> values, _, changed = spectrum(np.array([[0.0, 2.0], [2.0, 0.0]]), "clip")
    >>> values.tolist(), changed.tolist()
    ([2.0, -2.0], [2.0, 0.0])
    """
    values, V = symmetric_eigenpairs(S)
    return values, V, {"clip": np.maximum(values, 0), "flip": np.abs(values), "none": values}[indefinite]


def negative_share(values):
    """Absolute sum of the negative eigenvalues over that of all."""
    return float(-values[values < 0].sum() / max(np.abs(values).sum(), 1e-300))
