"""Labels as the methods use them: classes, indicators, partial labels, names."""

from dataclasses import dataclass
from itertools import compress
from numbers import Number

import numpy as np
from scipy import sparse
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.multiclass import check_classification_targets

from .arrays import check_flags, check_numbers, from_column
from .checks import check_names, check_same_length, names_or, require_that
from .frames import is_missing
from .warning import warn
from .words import short_repr

RARE_FRACTION = 0.05  # A class with a smaller proportion of the rows is rare.
MOST_CODES = 100_000  # numbers of classes lie below


@dataclass(frozen=True)
class Labels:
    """Labels in the form the methods compute with."""

    Y: np.ndarray  # (n, l), entries 0.0 and 1.0
    # (l,), class names of single-label data, column names or numbers of an indicator
    # matrix
    classes: np.ndarray
    # whether the labels came as an indicator matrix with two or more columns
    multilabel: bool


def check_labels(y, n_samples, *, name="Y"):
    """Read class labels (n,) or (n, 1), or a 0/1 label matrix (n, l).

    Returns :class:`Labels`. Class labels are numbers or strings of at least two
    classes. Two or more columns are read as indicators: only 0 and 1, no sample without
    a label, no label without a sample.
    """
    columns = getattr(y, "columns", None)
    y = label_array(y, name)
    if y.ndim not in (1, 2) or 0 in y.shape[1:]:
        raise ValueError(
            f"`{name}` must have shape (n,) or (n, l) with l >= 1; got shape {y.shape}."
        )
    check_same_length(range(n_samples), y, ("X", name))
    if y.ndim == 1 or y.shape[1] == 1:
        return _classes(y.ravel(), name)
    return _indicators(y, name, columns)


def check_classes(y, n_samples):
    """Classes (c,), at least two, and the class number of each sample (n,)."""
    y = label_array(y)
    if y.shape[1:] == (1,):
        # The text begins as scikit-learn's, for which its checks look.
        warn(
            "A column-vector y was passed when a 1d array was expected; it is read as"
            " one.",
            DataConversionWarning,
        )
    labels = check_labels(class_column(y), n_samples, name="y")
    return labels.classes, labels.Y.argmax(axis=1)


def class_column(y, name="y"):
    """One class per sample as an array (n,) of one kind."""
    y = from_column(label_array(y, name))
    if y.ndim != 1:
        raise ValueError(
            f"`{name}` must be one class per sample, shape (n,); got shape {y.shape}."
        )
    return _of_one_kind(y, name)


def label_array(y, name="y", remedy="Drop the samples without one"):
    """Labels as an array; refuses gaps, sets, ragged rows."""
    if y is None:
        raise ValueError(
            f"`{name}` is missing: this method requires y to be passed, but the target"
            " y is None."
        )
    if np.ma.is_masked(y):
        raise ValueError(f"`{name}` has masked labels. {remedy}.")
    dtype = None
    if (
        isinstance(y, list | tuple)
        and len({isinstance(v, str) for v in y}) == 2
    ):
        # Names and numbers of a mixed list stay what they are.
        dtype = object
    if sparse.issparse(y):
        y = y.toarray()
    try:
        y = np.asarray(y, dtype)
    except (TypeError, ValueError):
        raise ValueError(
            f"`{name}` must have shape (n,) or (n, l); its rows differ in length."
            f" {SETS}"
        ) from None
    if y.dtype.kind == "O" and any(
        isinstance(v, set | frozenset | list | tuple) for v in y.flat
    ):
        example = short_repr(y.flat[0])
        raise ValueError(
            f"`{name}` must hold one label per entry; got {example}. {SETS}"
        )
    if y.dtype.kind in "fOM" and y.ndim and y.size:
        unlabelled = [
            i
            for i, row in enumerate(y.reshape(len(y), -1))
            if any(map(_is_no_label, row))
        ]
        if unlabelled:
            raise ValueError(
                f"`{name}` has a missing label (NaN, None or infinity) for"
                f" {len(unlabelled)} of {len(y)} samples, the first: sample"
                f" {unlabelled[0]}. {remedy}."
            )
    return y


def _is_no_label(entry):
    """Whether an entry of labels is missing or infinite."""
    if is_missing(entry):
        return True
    return isinstance(entry, Number) and abs(entry) == np.inf


SETS = (
    "Sets of labels become indicators with"
    " sklearn.preprocessing.MultiLabelBinarizer."
)


def _of_one_kind(y, name):
    """Objects, as pandas gives names, as an array of one kind."""
    if y.dtype.kind != "O" or not len(y):
        return y
    kinds = set()
    for label in y:
        kinds.add(Number if isinstance(label, Number) else type(label))
    if len(kinds) > 1:
        raise ValueError(
            f"`{name}` must hold classes of one kind; got {short_repr(y.tolist())}."
            " Convert them, for example with y.astype(str)."
        )
    return np.array(y.tolist())


def _classes(y, name):
    """Labels of one class per sample, y (n,)."""
    y = _of_one_kind(y, name)
    try:
        check_classification_targets(y)
        classes, index = np.unique(y, return_inverse=True)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"`{name}` must hold class labels, names or whole numbers; got"
            f" {short_repr(y.tolist()[:4])}. {error} A real-valued target is what"
            " toolkit.fisher.GPFisher and toolkit.plots.TargetDisplay take."
        ) from None
    if len(classes) < 2:
        raise ValueError(
            f"`{name}` must hold at least two classes; got 1 class:"
            f" {short_repr(classes[0].item())}."
        )
    return Labels(np.eye(len(classes))[index], classes, multilabel=False)


def _indicators(y, name, columns):
    """Labels of 0/1 indicators y (n, l); `columns` are their names, or None."""
    try:
        Y = y.astype(float)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"`{name}` with two or more columns must be numeric 0/1 indicators:"
            f" {error}. {SETS}"
        ) from None
    wrong = np.argwhere((Y != 0) & (Y != 1))
    if len(wrong):
        i, j = wrong[0]
        raise ValueError(
            f"`{name}` with two or more columns is read as 0/1 indicators, but row {i},"
            f" column {j} holds {y[i, j]}. Give class labels as one column, or turn"
            " other values into 0 and 1 first."
        )
    labels_of_row = Y.sum(axis=1)
    if not labels_of_row.all():
        raise ValueError(
            f"`{name}` has an empty row ({np.sum(labels_of_row == 0)} in all), the"
            f" first: row {labels_of_row.argmin()}. Drop those rows or add a label for"
            " them."
        )
    rows_of_label = Y.sum(axis=0)
    if not rows_of_label.all():
        raise ValueError(
            f"`{name}` has an empty column ({np.sum(rows_of_label == 0)} in all), the"
            f" first: column {rows_of_label.argmin()}. Drop those columns."
        )
    if (Y == Y[0]).all():
        raise ValueError(
            f"`{name}` gives all samples the same labels. Two different label"
            " sets are needed."
        )
    if columns is None or not all(isinstance(c, str) for c in columns):
        columns = np.arange(Y.shape[1])
    return Labels(Y, np.array(columns), multilabel=True)


def check_partial_labels(y, n_samples, *, multilabel=False):
    """Read labels of which some may be missing: -1, or a row of -1 in a matrix.

    Returns :class:`Labels` with a row of zeros for each unlabelled sample, and which
    samples are labelled (n,). Refuses labels that are exactly {-1, +1}, a label matrix
    unless `multilabel`, and what :func:`check_labels` refuses.
    """
    columns = getattr(y, "columns", None)
    remedy = "Mark samples without a label with -1"
    y = from_column(label_array(y, remedy=remedy))
    if y.ndim == 2 and not multilabel:
        raise ValueError(
            "`y` must be one class per sample, shape (n,): this method compares"
            " classes as equal or not and has no rule for several labels per sample;"
            f" got a matrix of shape {y.shape}. SLEML and CCDR take one."
        )
    if y.ndim not in (1, 2) or len(y) != n_samples:
        # says what is wrong with its shape
        check_labels(y, n_samples, name="y")
    if y.dtype.kind == "U" and (y == "-1").any():
        raise ValueError(
            "`y` holds the string '-1', which is a class like others; a missing"
            " label is the number -1: give an array of objects, np.array(y,"
            " dtype=object), with -1 in it, or name the class otherwise."
        )
    missing = (y == -1).reshape(len(y), -1).all(axis=1)
    if missing.all():
        raise ValueError(
            "`y` must label at least two samples of different classes; all"
            f" {len(y)} are unlabelled (-1)."
        )
    if y.ndim == 1 and set(y.tolist()) == {-1, 1}:
        raise ValueError(
            "`y` holds exactly the values -1 and +1, but -1 means unlabelled"
            " here. Name the classes otherwise, such as (y + 1) // 2, and keep -1 for"
            " samples without a label."
        )
    # Missing labels become one that occurs, so that row numbers in messages stay those
    # of the caller.
    y = y.copy()
    y[missing] = y[~missing][0]
    if y.ndim == 2:
        labels = _indicators(y, "y", columns)
    else:
        labels = _classes(y, "y")
    labels.Y[missing] = 0
    return labels, ~missing


def partial_codes(y, n_samples):
    """Classes as of :func:`check_partial_labels`, and codes (n,), -1 for unlabelled."""
    labels, labelled = check_partial_labels(y, n_samples)
    return labels.classes, np.where(labelled, labels.Y.argmax(axis=1), -1)


def class_names(names, labels):
    """Names of the labels as l strings: those given, or made from the classes."""
    if names is None:
        default_names = []
        for label in labels.classes:
            if labels.multilabel and not isinstance(label, str):
                default_names.append(f"label {label}")
            else:
                default_names.append(str(label))
        return default_names
    return check_names(names, len(labels.classes), "label_names", "label")


def label_sets(Y, names=None):
    """Find the distinct label sets in a label matrix, by size and column order.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_labels)
        Label matrix with the entries 0 and 1.
    names : sequence of str or None, default=None
        Names of the labels, one per column. None: their numbers from 0.

    Returns
    -------
    sets : ndarray of shape (n_sets, n_labels)
        The distinct rows.
    index : ndarray of shape (n_samples,)
        Number of the set of each sample.
    set_names : list of n_sets str
        Names of the sets, such as ``"Field + Mountain"``.

    Examples
    --------
    >>> sets, index, set_names = label_sets([[1, 1], [0, 1], [1, 1]], ["sea", "sky"])
    >>> set_names, index.tolist()
    (['sky', 'sea + sky'], [1, 0, 1])
    """
    Y = check_flags(Y, "Y", "n", "l").astype(float)
    n_labels = Y.shape[1]
    names = names_or(range(n_labels), names, "names", "label")
    sets, index = np.unique(Y, axis=0, return_inverse=True)
    sizes = sets.sum(axis=1)
    # The last key of `lexsort` is the first to sort by.
    order = np.lexsort([*(-sets.T[::-1]), sizes])
    sets = sets[order]
    position = np.argsort(order)
    set_names = []
    for row in sets:
        labels_in_set = list(compress(names, row))
        if not labels_in_set:
            labels_in_set = ["none"]
        set_names.append(" + ".join(labels_in_set))
    return sets, position[index.ravel()], set_names


def class_numbers(labels, classes, name):
    """Number of each label among the sorted `classes`, as integers.

    Examples
    --------
    >>> class_numbers(["b", "c"], np.array(["a", "b"]), "y")
    Traceback (most recent call last):
    ...
    ValueError: `y` must hold classes of ['a', 'b']; got ['c'].
    """
    classes = classes.tolist()
    number_of_class = dict(zip(classes, range(len(classes)), strict=True))
    labels = np.asarray(labels).tolist()
    unknown = sorted(set(labels) - set(classes), key=str)
    rule = f"hold classes of {short_repr(classes)}"
    require_that(not unknown, name, rule, unknown)
    return np.array([number_of_class[label] for label in labels], dtype=int)


def check_codes(codes, name, count, *, shape=("n",), items="classes"):
    """Numbers of classes, or of other `items`, below `count`, as integers.

    Examples
    --------
    >>> check_codes([0, 2], "codes", 2)
    Traceback (most recent call last):
    ...
    ValueError: `codes` must hold numbers of classes, integers from 0 to 1; got [2.0].
    """
    A = check_numbers(codes, name, shape=shape)
    largest = count - 1
    nearest_code = np.rint(A).clip(0, largest)
    wrong = A[A != nearest_code].tolist()
    rule = f"hold numbers of {items}, integers from 0 to {largest}"
    require_that(not wrong, name, rule, wrong)
    return A.astype(int)


def check_sides(sides, n):
    """Names of two sides, and which of the `n` samples are of the one named first.

    Examples
    --------
    >>> check_sides(["source", "target", "target"], 3)
    (['source', 'target'], array([ True, False, False]))
    """
    if sides is None:
        return [], np.zeros(n, dtype=bool)
    side_of_sample = np.asarray(sides).ravel().astype(str)
    names = list(dict.fromkeys(side_of_sample.tolist()))
    valid = len(side_of_sample) == n and len(names) <= 2
    rule = f"hold one of two names for each of the {n} samples"
    require_that(valid, "sides", rule, sides)
    return names, side_of_sample == names[0]


def is_rare(counts):
    """Which classes have less than 5 % of the rows and less than half of an equal part.

    Examples
    --------
    >>> is_rare(np.array([96, 4])), is_rare(np.array([4] * 25))[0]
    (array([False,  True]), np.False_)
    """
    n_classes = max(np.count_nonzero(counts), 1)
    limit = min(RARE_FRACTION, 0.5 / n_classes)
    return counts < limit * counts.sum()
