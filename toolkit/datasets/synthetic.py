"""Made data whose truth is known, to see whether a method finds it."""

from numbers import Integral

import numpy as np
from sklearn.utils import Bunch, check_random_state

__all__ = ["make_classes", "make_multilabel_gaussians"]


def make_classes(
    n_samples=300, n_features=10, n_classes=3, *, n_informative=2, separation=3.0, noise=1.0, random_state=None
):
    """Gaussian classes that differ within a random subspace only; in all other directions there is noise alone.

    The best projection keeps that subspace: compare it with `directions` by principal angles.

    Parameters
    ----------
    n_samples, n_features, n_classes : int
        At least one sample a class; the classes are of the same size, up to one sample.
    n_informative : int in [1, n_features]
        Dimension of the subspace.
    separation : float
        Standard deviation of the class centres within it.
    noise : float
        Standard deviation around each centre, the same in all directions.
    random_state : int, RandomState instance or None

    Returns
    -------
    sklearn.utils.Bunch
        ``data`` (n, d), ``target`` (n,), names, and the truth: ``centers`` (c, d) and ``directions``
        (n_informative, d), whose rows are orthonormal and span the subspace.

    Raises
    ------
    ValueError
        If a number is out of its range.

    Examples
    --------
    >>> bunch = make_classes(90, 8, 3, random_state=0)
    >>> bunch.data.shape, bunch.directions.shape, np.bincount(bunch.target).tolist()
    ((90, 8), (2, 8), [30, 30, 30])
    """
    _check_count("n_classes", n_classes, 2)
    _check_count("n_samples", n_samples, n_classes, "one a class")
    _check_count("n_features", n_features, 1)
    _check_count("n_informative", n_informative, 1)
    if n_informative > n_features:
        raise ValueError(f"`n_informative` must be at most `n_features`={n_features}; got {n_informative}.")
    _check_spread("separation", separation)
    _check_spread("noise", noise)
    rng = check_random_state(random_state)
    directions = np.linalg.qr(rng.normal(size=(n_features, n_informative)))[0].T
    centers = separation * rng.normal(size=(n_classes, n_informative)) @ directions
    y = rng.permutation(np.arange(n_samples) % n_classes)
    X = centers[y] + noise * rng.normal(size=(n_samples, n_features))
    return Bunch(
        data=X,
        target=y,
        centers=centers,
        directions=directions,
        feature_names=_names("x", n_features),
        target_names=_names("class ", n_classes),
    )


def make_multilabel_gaussians(
    n_samples=300, n_features=10, n_labels=4, *, share_composite=0.3, shift=0.0, noise=0.5, random_state=None
):
    """Samples around label centres; a sample with two labels lies half way between theirs, plus a shift.

    With `shift=0` composite classes are just what a linear model of the labels expects; the shift takes them
    along a direction of their own that no single label explains.

    Parameters
    ----------
    n_samples, n_features, n_labels : int
        `n_features` must exceed `n_labels`: the centres are unit vectors of the first axes, the shift goes along
        the last.
    share_composite : float in [0, 1]
        Share of the samples with two labels. The first `n_labels` samples carry one label each, so that every
        label occurs.
    shift : float
    noise : float
        Standard deviation around each centre.
    random_state : int, RandomState instance or None

    Returns
    -------
    sklearn.utils.Bunch
        ``data`` (n, d), ``target`` (n, l) 0/1, names, and the truth: ``centers`` (l, d), ``shift_direction`` (d,),
        ``composite`` (n,) whether a sample has two labels.

    Raises
    ------
    ValueError
        If a number is out of its range.

    Examples
    --------
    >>> bunch = make_multilabel_gaussians(100, random_state=0)
    >>> bunch.data.shape, bunch.target.shape, bunch.composite.mean().round(1)
    ((100, 10), (100, 4), np.float64(0.3))
    """
    _check_count("n_labels", n_labels, 2)
    _check_count("n_features", n_features, n_labels + 1, "one axis a label and one for the shift")
    _check_count("n_samples", n_samples, n_labels, "one a label")
    _check_spread("noise", noise)
    if not 0 <= share_composite <= 1:
        raise ValueError(f"`share_composite` must lie in [0, 1]; got {share_composite}.")
    if not np.isfinite(shift):
        raise ValueError(f"`shift` must be a finite number; got {shift}.")
    rng = check_random_state(random_state)
    centers = np.eye(n_labels, n_features)
    first = np.arange(n_samples) % n_labels
    second = (first + rng.randint(1, n_labels, size=n_samples)) % n_labels
    composite = np.zeros(n_samples, dtype=bool)
    n_composite = min(round(share_composite * n_samples), n_samples - n_labels)
    composite[n_labels + rng.permutation(n_samples - n_labels)[:n_composite]] = True
    Y = np.eye(n_labels, dtype=np.int64)[first]
    Y[composite, second[composite]] = 1
    shift_direction = np.eye(n_features)[-1]
    X = (Y @ centers) / Y.sum(axis=1, keepdims=True) + np.outer(shift * composite, shift_direction)
    X += noise * rng.normal(size=X.shape)
    return Bunch(
        data=X,
        target=Y,
        centers=centers,
        shift_direction=shift_direction,
        composite=composite,
        feature_names=_names("x", n_features),
        target_names=_names("label ", n_labels),
    )


def _names(prefix, count):
    return np.array([f"{prefix}{j + 1}" for j in range(count)])


def _check_count(name, value, least, why=""):
    if not isinstance(value, Integral) or value < least:
        raise ValueError(
            f"`{name}` must be an integer of at least {least}{f' ({why})' if why else ''}; got {value!r}."
        )


def _check_spread(name, value):
    if not (np.isfinite(value) and value >= 0):
        raise ValueError(f"`{name}` must be a finite number of at least 0; got {value}.")
