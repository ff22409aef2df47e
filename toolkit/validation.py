"""Checks of labels and similarities, with messages that say what to do."""

from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
import scipy.sparse
from sklearn.utils.multiclass import check_classification_targets

__all__ = [
    "Labels",
    "check_distances",
    "check_kernel",
    "check_labels",
    "check_n_components",
    "check_magnitude",
    "check_partial_labels",
    "check_positive",
    "check_share",
    "class_names",
    "label_sets",
]


@dataclass(frozen=True)
class Labels:
    """Labels in the form the methods compute with.

    Attributes
    ----------
    Y : ndarray of shape (n, l), entries 0.0 and 1.0
    classes : ndarray of shape (l,)
        Class names of single-label data, column numbers of an indicator matrix.
    multilabel : bool
        Whether the labels came as an indicator matrix with two or more columns.
    """

    Y: np.ndarray
    classes: np.ndarray
    multilabel: bool


def check_labels(y, n_samples, *, name="Y"):
    """Read class labels or a 0/1 label matrix.

    A 1-D array or a single column holds class labels (numbers or strings). Two or more columns are
    read as indicators: only 0 and 1, no sample without a label, no label without a sample.

    Parameters
    ----------
    y : array-like of shape (n,), (n, 1) or (n, l), dense or sparse
    n_samples : int
        How many rows are wanted: the number of samples in `X`.
    name : str
        How the argument is called in messages.

    Returns
    -------
    Labels

    Raises
    ------
    ValueError
        Wrong length, values other than 0 and 1, empty rows or columns, fewer than two classes.

    Examples
    --------
    >>> check_labels(["cat", "dog", "cat"], 3).Y
    array([[1., 0.],
           [0., 1.],
           [1., 0.]])
    >>> check_labels([[1, 0], [0, 2]], 2)
    Traceback (most recent call last):
    ...
    ValueError: `Y` with two or more columns is read as 0/1 indicators, but row 1, column 1 holds 2. \
Give class labels as one column, or turn other values into 0 and 1 first.
    """
    if y is None:
        raise ValueError(f"`{name}` is missing: this method requires y to be passed, but the target y is None.")
    y = y.toarray() if scipy.sparse.issparse(y) else np.asarray(y)
    if y.ndim not in (1, 2) or (y.ndim == 2 and y.shape[1] == 0):
        raise ValueError(f"`{name}` must have shape (n,) or (n, l) with l >= 1; got shape {y.shape}.")
    if len(y) != n_samples:
        raise ValueError(
            f"`X` and `{name}` must hold the same number of samples; got {n_samples} rows in `X` "
            f"and {len(y)} in `{name}`: inconsistent numbers of samples."
        )
    return _indicators(y, name) if y.ndim == 2 and y.shape[1] > 1 else _classes(y.ravel(), name)


def _classes(y, name):
    if y.dtype.kind == "f" and not np.all(np.isfinite(y)):
        raise ValueError(f"`{name}` contains NaN or infinity; every sample needs a class label.")
    check_classification_targets(y)
    classes, index = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"`{name}` must hold at least two classes; got 1 class: {classes[0].item()!r}.")
    return Labels(np.eye(len(classes))[index], classes, multilabel=False)


def _indicators(y, name):
    try:
        Y = y.astype(float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"`{name}` with two or more columns must be numeric 0/1 indicators: {error}.") from None
    wrong = np.argwhere((Y != 0) & (Y != 1))
    if len(wrong):
        i, j = wrong[0]
        raise ValueError(
            f"`{name}` with two or more columns is read as 0/1 indicators, but row {i}, column {j} holds "
            f"{y[i, j]}. Give class labels as one column, or turn other values into 0 and 1 first."
        )
    for what, axis, remedy in (
        ("row", 1, "Every sample needs at least one label: drop those rows or add a label of their own."),
        ("column", 0, "Every label needs at least one sample: drop those columns."),
    ):
        empty = np.flatnonzero(Y.sum(axis=axis) == 0)
        if len(empty):
            raise ValueError(f"`{name}` has {len(empty)} empty {what}(s), the first: {what} {empty[0]}. {remedy}")
    return Labels(Y, np.arange(Y.shape[1]), multilabel=True)


def check_partial_labels(y, n_samples, *, name="y", multilabel=False):
    """Read labels of which some may be missing: -1, or a row of -1 in a label matrix, means unlabelled.

    Parameters
    ----------
    y : array-like of shape (n,), (n, 1) or, with `multilabel`, (n, l)
    n_samples : int
    name : str
    multilabel : bool, default=False
        Whether a label matrix with two or more columns is accepted.

    Returns
    -------
    labels : Labels
        `Y` has a row of zeros for each unlabelled sample.
    labelled : ndarray of bool, shape (n,)

    Raises
    ------
    ValueError
        No label at all, labels that are exactly {-1, +1}, one class, a label matrix where none is accepted, and
        whatever :func:`check_labels` refuses.

    Examples
    --------
    >>> labels, labelled = check_partial_labels([3, -1, 5], 3)
    >>> labels.Y.tolist(), labelled.tolist()
    ([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]], [True, False, True])
    >>> check_partial_labels([1, -1, 1], 3)
    Traceback (most recent call last):
    ...
    ValueError: `y` holds exactly the values -1 and +1, but -1 means unlabelled here. Name the classes otherwise, \
such as (y + 1) // 2, and keep -1 for samples without a label.
    """
    if y is None:
        check_labels(y, n_samples, name=name)  # says what is missing
    y = y.toarray() if scipy.sparse.issparse(y) else _as_array(y)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y.ravel()
    if y.ndim == 2 and y.shape[1] > 1 and not multilabel:
        raise ValueError(
            f"`{name}` must be one class a sample, shape (n,): this method compares classes as equal or not and has "
            f"no rule for several labels a sample; got a matrix of shape {y.shape}. SLEML and CCDR take one."
        )
    if y.ndim not in (1, 2) or len(y) != n_samples:
        check_labels(y, n_samples, name=name)  # says what is wrong with its shape
    if (y.dtype.kind in "fO" and np.any(y != y)) or (y.dtype.kind == "O" and any(v is None for v in y.flat)):
        raise ValueError(f"`{name}` contains NaN or None; mark samples without a label with -1.")
    if y.dtype.kind in "US" and np.any(y.astype(str) == "-1"):
        raise ValueError(
            f"`{name}` holds the string '-1', which is a class like others; a missing label is the number -1: give "
            "an array of objects, np.array(y, dtype=object), with -1 in it, or name the class otherwise."
        )
    missing = np.asarray(y == -1) if y.dtype.kind in "iufO" else np.zeros(y.shape, dtype=bool)
    if missing.ndim == 2:
        missing = missing.all(axis=1)
    if missing.all():
        raise ValueError(
            f"`{name}` must label at least two samples of different classes; all {len(y)} are unlabelled (-1)."
        )
    if missing.any() and y.ndim == 1 and y.dtype.kind in "iufO" and set(y.tolist()) == {-1, 1}:
        raise ValueError(
            f"`{name}` holds exactly the values -1 and +1, but -1 means unlabelled here. Name the classes otherwise, "
            "such as (y + 1) // 2, and keep -1 for samples without a label."
        )
    filled = y.copy()
    filled[missing] = y[~missing][0]  # a label that occurs: row numbers in messages stay those of the caller
    if filled.dtype.kind == "O" and filled.ndim == 1:
        filled = np.array(filled.tolist())
    labels = check_labels(filled, len(y), name=name)
    labels.Y[missing] = 0
    return labels, ~missing


def _as_array(y):
    """As numpy does, but a list that mixes names and the number -1 keeps both."""
    if isinstance(y, (list, tuple)) and any(isinstance(v, str) for v in y) and any(v == -1 for v in y):
        return np.array(y, dtype=object)
    return np.asarray(y)


def check_positive(value, name, *, zero=False):
    """A finite number > 0, or >= 0 with `zero`.

    Examples
    --------
    >>> check_positive("a", "gamma")
    Traceback (most recent call last):
    ...
    ValueError: `gamma` must be a finite number > 0; got 'a'.
    """
    number = isinstance(value, Real) and not isinstance(value, bool)
    if not number or not np.isfinite(value) or value < 0 or (value == 0 and not zero):
        raise ValueError(f"`{name}` must be a finite number >{'=' * zero} 0; got {value!r}.")
    return float(value)


def check_magnitude(X, name="X"):
    """Refuse values whose squared distances would overflow.

    Examples
    --------
    >>> import numpy as np
    >>> check_magnitude(np.array([[1e120]]))
    Traceback (most recent call last):
    ...
    ValueError: `X` must not hold values beyond 1e+100, whose squares overflow in sums; got 1e+120. Rescale it.
    """
    largest = np.abs(X).max(initial=0.0)
    if largest > 1e100:
        raise ValueError(
            f"`{name}` must not hold values beyond 1e+100, whose squares overflow in sums; got {largest:.3g}. "
            "Rescale it."
        )


def check_share(value, name):
    """A number in [0, 1], such as a balance of two terms.

    Examples
    --------
    >>> check_share(1.5, "lam")
    Traceback (most recent call last):
    ...
    ValueError: `lam` must be a number between 0 and 1; got 1.5.
    """
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 <= value <= 1:
        raise ValueError(f"`{name}` must be a number between 0 and 1; got {value!r}.")
    return float(value)


def check_kernel(G, *, name="kernel"):
    """Check that a kernel matrix on the training samples is square, finite and symmetric.

    Parameters
    ----------
    G : ndarray of shape (n, n)
    name : str

    Returns
    -------
    ndarray of shape (n, n), exactly symmetric

    Raises
    ------
    ValueError

    Examples
    --------
    >>> check_kernel([[1.0, 2.0], [0.0, 1.0]])
    Traceback (most recent call last):
    ...
    ValueError: `kernel` must give a symmetric matrix; entries (0, 1) and (1, 0) are 2 and 0. If that is \
meant, symmetrise it: (K + K.T) / 2.
    """
    G = np.asarray(G, dtype=float)
    if G.ndim != 2 or G.shape[0] != G.shape[1]:
        raise ValueError(
            f"`{name}` must give a square matrix of shape (n_samples, n_samples) in `fit`; got shape {G.shape}."
        )
    if not np.all(np.isfinite(G)):
        raise ValueError(f"`{name}` gives NaN or infinity for some pairs of samples; check its parameters.")
    gap = np.abs(G - G.T)
    if gap.max(initial=0.0) > 1e-8 * max(np.abs(G).max(), np.finfo(float).tiny):
        i, j = sorted(np.unravel_index(np.argmax(gap), G.shape))
        raise ValueError(
            f"`{name}` must give a symmetric matrix; entries ({i}, {j}) and ({j}, {i}) are "
            f"{G[i, j]:.6g} and {G[j, i]:.6g}. If that is meant, symmetrise it: (K + K.T) / 2."
        )
    return (G + G.T) / 2


def check_distances(D, *, name="X"):
    """Check that distances are square, finite, symmetric and not negative, with a zero diagonal.

    Parameters
    ----------
    D : array-like of shape (n, n)
    name : str

    Returns
    -------
    ndarray of shape (n, n), exactly symmetric with an exactly zero diagonal

    Examples
    --------
    >>> check_distances([[0.0, -1.0], [-1.0, 0.0]])
    Traceback (most recent call last):
    ...
    ValueError: `X` must hold distances, which are not negative; entry (0, 1) is -1.
    """
    D = check_kernel(D, name=name)
    if D.min(initial=0.0) < 0:
        i, j = np.unravel_index(np.argmin(D), D.shape)
        raise ValueError(f"`{name}` must hold distances, which are not negative; entry ({i}, {j}) is {D[i, j]:.6g}.")
    diagonal = D.diagonal()
    if diagonal.max(initial=0.0) > 1e-8 * D.max(initial=0.0):
        i = int(np.argmax(diagonal))
        raise ValueError(
            f"`{name}` must hold distances: 0 from a sample to itself, but entry ({i}, {i}) is {diagonal[i]:.6g}. "
            "Similarities become distances by sqrt(s_ii + s_jj - 2 s_ij)."
        )
    np.fill_diagonal(D, 0.0)
    return D


def check_n_components(n_components, limit, n_features, limit_is, *, name="n_components"):
    """`n_components` as an int between 1 and `limit`; `limit_is` says in the message what sets the limit.

    Examples
    --------
    >>> check_n_components(3, 2, 5, "the rank of X")
    Traceback (most recent call last):
    ...
    ValueError: `n_components` must be an integer between 1 and 2 (the rank of X; n_features=5); got 3.
    """
    k = n_components
    if not isinstance(k, Integral) or isinstance(k, bool) or not 1 <= k <= limit:
        raise ValueError(
            f"`{name}` must be an integer between 1 and {limit} ({limit_is}; n_features={n_features}); got {k!r}."
        )
    return int(k)


def class_names(names, labels, *, name="label_names"):
    """Names of the labels as strings: those given, or made from the classes.

    Examples
    --------
    >>> class_names(None, check_labels([[1, 0], [0, 1]], 2))
    ['label 0', 'label 1']
    """
    if names is None:
        return [f"label {c}" if labels.multilabel else str(c) for c in labels.classes]
    names = [str(n) for n in names]
    if len(names) != len(labels.classes):
        raise ValueError(f"`{name}` must hold one name a label ({len(labels.classes)}); got {len(names)}.")
    return names


def label_sets(Y, names=None):
    """The distinct label sets in a label matrix, single labels first, then by size and column order.

    Parameters
    ----------
    Y : array-like of shape (n, l), entries 0 and 1
    names : sequence of l str, optional

    Returns
    -------
    sets : ndarray of shape (s, l), the distinct rows
    index : ndarray of shape (n,), which set each sample carries
    set_names : list of s str, such as ``"Field + Mountain"``

    Examples
    --------
    >>> sets, index, set_names = label_sets([[1, 1], [0, 1], [1, 1]], ["sea", "sky"])
    >>> set_names, index.tolist()
    (['sky', 'sea + sky'], [1, 0, 1])
    """
    Y = np.asarray(Y)
    names = [str(j) for j in range(Y.shape[1])] if names is None else list(names)
    sets, index = np.unique(Y, axis=0, return_inverse=True)
    order = np.lexsort([*(-sets.T[::-1]), sets.sum(axis=1)])
    place = np.empty(len(order), dtype=int)
    place[order] = np.arange(len(order))
    set_names = [" + ".join(n for n, on in zip(names, row, strict=True) if on) or "none" for row in sets[order]]
    return sets[order], place[index.ravel()], set_names
