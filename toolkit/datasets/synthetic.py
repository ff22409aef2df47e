"""Made data whose truth is known."""

import numpy as np
from sklearn.utils import Bunch, check_random_state

__all__ = ["make_multilabel_gaussians"]


def make_multilabel_gaussians(
    n_samples=300, n_features=10, n_labels=4, *, share_composite=0.3, shift=0.0, noise=0.5, random_state=None
):
    """Samples around label centres; a sample with two labels lies half way between theirs, plus a shift.

    Parameters
    ----------
    n_samples, n_features, n_labels : int
        `n_features` must be at least `n_labels`: the centres are unit vectors of the first axes.
    share_composite : float in [0, 1], share of the samples with two labels
    shift : float, how far samples with two labels are moved along the last axis
    noise : float, standard deviation around each centre
    random_state : int, RandomState or None

    Returns
    -------
    Bunch with ``data`` (n, d), ``target`` (n, l) 0/1, ``centers`` (l, d), the truth, and names

    Examples
    --------
    >>> bunch = make_multilabel_gaussians(100, random_state=0)
    >>> bunch.data.shape, bunch.target.shape
    ((100, 10), (100, 4))
    """
    if n_labels < 2 or n_features < n_labels:
        raise ValueError(
            f"`n_labels` must be at least 2 and at most `n_features`; got n_labels={n_labels}, n_features={n_features}."
        )
    if n_samples < n_labels:
        raise ValueError(f"`n_samples` must be at least `n_labels`={n_labels}; got {n_samples}.")
    if not 0 <= share_composite <= 1:
        raise ValueError(f"`share_composite` must lie in [0, 1]; got {share_composite}.")
    rng = check_random_state(random_state)
    centers = np.eye(n_labels, n_features)
    first = np.arange(n_samples) % n_labels  # every label occurs
    second = (first + rng.randint(1, n_labels, size=n_samples)) % n_labels
    composite = (rng.uniform(size=n_samples) < share_composite) & (np.arange(n_samples) >= n_labels)
    Y = np.eye(n_labels, dtype=int)[first]
    Y[composite, second[composite]] = 1
    X = (Y @ centers) / Y.sum(axis=1, keepdims=True) + noise * rng.normal(size=(n_samples, n_features))
    X[composite, -1] += shift
    return Bunch(
        data=X,
        target=Y,
        centers=centers,
        feature_names=np.array([f"x{j + 1}" for j in range(n_features)]),
        target_names=np.array([f"label {j}" for j in range(n_labels)]),
    )
