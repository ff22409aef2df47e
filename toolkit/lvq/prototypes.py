"""How many prototypes each class has, and where they start."""

from numbers import Integral

import numpy as np
from sklearn.cluster import KMeans

__all__ = ["check_prototypes_per_class", "initial_prototypes"]

DEVIATION = 0.1
"""Start of several prototypes of a class: its mean and random deviations of this share of its standard deviation."""


def check_prototypes_per_class(value, classes, codes):
    """Class number of each prototype.

    Parameters
    ----------
    value : int >= 1, or dict from class to int; classes that it does not name get one
    classes : ndarray of shape (c,), names of the classes
    codes : ndarray of int, class number of each sample

    Returns
    -------
    ndarray of int, shape (p,), rising

    Examples
    --------
    >>> names, codes = np.array(["a", "b"]), np.array([0, 0, 1])
    >>> check_prototypes_per_class({"a": 2, "b": 1}, names, codes).tolist()
    [0, 0, 1]
    >>> check_prototypes_per_class(2, names, codes)
    Traceback (most recent call last):
    ...
    ValueError: `prototypes_per_class` asks for 2 prototypes of class 'b', which has 1 sample. Ask for fewer of it, \
with a dict such as {'a': 2, 'b': 1}.
    """
    names = classes.tolist()
    if isinstance(value, dict):
        if not set(value) <= set(names):
            raise ValueError(f"`prototypes_per_class` as a dict must name classes in `y` ({names}); got {list(value)}.")
        counts = [value.get(name, 1) for name in names]
    else:
        counts = [value] * len(names)
    samples = np.bincount(codes, minlength=len(names)).tolist()
    for name, count, n in zip(names, counts, samples, strict=True):
        if not isinstance(count, Integral) or isinstance(count, bool) or count < 1:
            raise ValueError(
                f"`prototypes_per_class` must be an integer >= 1, or a dict from class to such integers; got {value!r}."
            )
        if count > n:
            possible = {a: int(min(k, m)) for a, k, m in zip(names, counts, samples, strict=True)}
            raise ValueError(
                f"`prototypes_per_class` asks for {count} prototypes of class {name!r}, which has {n} "
                f"sample{'s' * (n != 1)}. Ask for fewer of it, with a dict such as {possible}."
            )
    return np.repeat(np.arange(len(names)), counts)


def initial_prototypes(samples, w_codes, start, rng):
    """Prototypes near the class means, or at the centres of k-means within each class.

    Parameters
    ----------
    samples : Samples
    w_codes : ndarray of int, shape (p,)
    start : {"means", "kmeans"}
        "means": the class mean, and for several prototypes of a class small random deviations from it.
    rng : RandomState

    Returns
    -------
    ndarray of shape (p, r), in the coordinates of `samples`
    """
    if not isinstance(start, str) or start not in ("means", "kmeans"):
        raise ValueError(f'`prototype_init` must be "means" or "kmeans"; got {start!r}.')
    W = []
    for c, count in enumerate(np.bincount(w_codes)):
        rows = samples.codes == c
        B = samples.inside(samples.X[rows])
        if start == "kmeans" and count > 1:
            W.append(KMeans(count, n_init=3, random_state=rng).fit(B).cluster_centers_)
            continue
        size = DEVIATION * B.std(axis=0) if count > 1 else 0.0
        W.append(B.mean(axis=0) + size * rng.normal(size=(count, B.shape[1])))
    return np.vstack(W)
