"""Eigenvalues of similarities, and what becomes of negative ones."""

import numpy as np

from ..core.checks import check_kernel
from ..core.linalg import symmetric_eigenpairs

__all__ = ["check_indefinite", "check_similarities", "negative_share", "spectrum"]


def check_indefinite(indefinite, allowed):
    if indefinite not in allowed:
        names = " or ".join([", ".join(f'"{a}"' for a in allowed[:-1]), f'"{allowed[-1]}"'])
        raise ValueError(f"`indefinite` must be {names}; got {indefinite!r}.")


def check_similarities(S):
    """Symmetric similarities (n, n); distances, which are 0 from a sample to itself, are refused.

    Examples
    --------
    >>> check_similarities(np.array([[0.0, 2.0], [2.0, 0.0]]))
    Traceback (most recent call last):
    ...
    ValueError: `X` must hold similarities, but is 0 from each sample to itself and positive elsewhere, as distances \
are. Of distances D make -J D^2 J / 2 with J = I - 1/n, or use the vectors themselves.
    """
    S = check_kernel(S, name="X")
    if not S.diagonal().any() and S.min() >= 0 and S.max() > 0:
        raise ValueError(
            "`X` must hold similarities, but is 0 from each sample to itself and positive elsewhere, as distances are. "
            "Of distances D make -J D^2 J / 2 with J = I - 1/n, or use the vectors themselves."
        )
    return S


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
