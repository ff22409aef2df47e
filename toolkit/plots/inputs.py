"""What displays are given, read in one place: points of the plane, numbers of classes, fields, boxes, words."""

import numpy as np

from ..core.arrays import check_numbers, check_table
from ..core.checks import check_names, short_repr

MOST_CLASSES = 100_000
MOST_CLASSES_OF_NUMBERS = 30  # more, and few samples of each, are values of a target
# of matplotlib's texts: dollars are dollars, not formulas
AS_TEXT = {"parse_math": False}


def sanitize_text(text):
    """Words as fonts can show them: halves of surrogate pairs become the sign for what is unknown.

    Examples
    --------
    >>> sanitize_text("a\\ud800") == "a\\ufffd"
    True
    """
    return str(text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def check_points(Z, name="embedding"):
    """Points of the plane (m, 2)."""
    return check_table(Z, name, shape=("m", 2))


def check_points_or_none(Z, name):
    """Points of the plane (m, 2), of which there are none by default."""
    return np.empty((0, 2)) if Z is None else check_points(Z, name)


def check_plane(Z):
    """The map (n, 2) of an estimator."""
    if Z.shape[1] != 2:
        raise ValueError(
            f"`estimator` must have `n_components`=2 to be drawn; got {Z.shape[1]}."
        )
    return Z


def check_field(values, name, shape=None, ndim=2):
    """Numbers at the cells of a grid (h, w), or in one dimension, at least one."""
    field = check_numbers(values, name, ndim=ndim, shape=shape)
    if not field.size:
        raise ValueError(f"`{name}` must not be empty; got shape {field.shape}.")
    return field


def check_codes(codes, name, *, ndim=1, count=MOST_CLASSES, of="classes"):
    """Numbers of classes, or what else they are `of`, below `count`, as integers.

    Examples
    --------
    >>> check_codes([0, 2], "codes", count=2)
    Traceback (most recent call last):
    ...
    ValueError: `codes` must hold numbers of classes, integers from 0 to 1; got 2.
    """
    A = check_numbers(codes, name, ndim=ndim)
    wrong = A[(A != np.rint(A)) | (A < 0) | (A >= count)]
    if len(wrong):
        raise ValueError(
            f"`{name}` must hold numbers of {of}, integers from 0 to {count - 1}; got"
            f" {wrong[0]:g}."
        )
    return A.astype(int)


def class_numbers(labels, classes, name):
    """Number of each label among the sorted `classes`, as integers.

    Examples
    --------
    >>> class_numbers(["b", "c"], np.array(["a", "b"]), "y")
    Traceback (most recent call last):
    ...
    ValueError: `y` must hold classes of ['a', 'b']; got also ['c'].
    """
    numbers = {label: number for number, label in enumerate(classes.tolist())}
    labels = np.asarray(labels).tolist()
    if unknown := set(labels) - set(numbers):
        got = short_repr(sorted(unknown, key=str))
        raise ValueError(
            f"`{name}` must hold classes of {short_repr(list(numbers))}; got also {got}."
        )
    return np.array([numbers[label] for label in labels], dtype=int)


def check_flags(flags, name, *shape):
    """Whether something holds, such as that a sample has a label, as booleans."""
    A = check_numbers(flags, name, shape=shape)
    if not np.isin(A, (0, 1)).all():
        raise ValueError(
            f"`{name}` must hold 0 and 1 only, or True and False; got {short_repr(flags)}."
        )
    return A.astype(bool)


def check_sides(sides, n):
    """Names of the two sides that `n` samples are of, the one named first in front, and which samples are of that one.

    Examples
    --------
    >>> check_sides(["source", "target", "target"], 3)
    (['source', 'target'], array([ True, False, False]))
    """
    if sides is None:
        return [], np.zeros(n, dtype=bool)
    A = np.asarray(sides).ravel().astype(str)
    names = list(dict.fromkeys(A.tolist()))
    if len(A) != n or len(names) > 2:
        raise ValueError(
            f"`sides` must hold one of two names for each of the {n} samples; got"
            f" {short_repr(sides)}."
        )
    return names, A == names[0]


def check_box(box, name, *, flat=False):
    """Edges x_min < x_max, y_min < y_max of a part of the plane, as a tuple of floats; `flat` ones may be equal."""
    x0, x1, y0, y1 = check_numbers(box, name, shape=(4,)).tolist()
    if not (x0 < x1 and y0 < y1 or flat and x0 <= x1 and y0 <= y1):
        rule = "(x_min, x_max, y_min, y_max) with x_min < x_max and y_min < y_max"
        raise ValueError(f"`{name}` must be {rule}; got {short_repr(box)}.")
    return x0, x1, y0, y1


def check_limits(limits):
    """A lower and an upper value, as a tuple of floats."""
    low, high = check_numbers(limits, "limits", shape=(2,)).tolist()
    if low > high:
        raise ValueError(
            f"`limits` must be a lower and an upper value; got {short_repr(limits)}."
        )
    return low, high


def names_or(default, names, name, of):
    """Names as a list of str, as many as those by `default`, which stand in where none are given.

    Examples
    --------
    >>> names_or(range(2), None, "class_names", "class")
    ['0', '1']
    """
    return check_names(default if names is None else names, len(default), name, of)


def largest(values, count):
    """Numbers, in rising order, of the `count` largest of some values; of equal ones the first.

    Examples
    --------
    >>> largest(np.array([3, 9, 9, 1]), 2).tolist()
    [1, 2]
    """
    return np.sort(np.argsort(-values, kind="stable")[:count])


def is_continuous(y):
    """Whether an array `y` (n,) holds numbers that measure something, rather than name classes.

    Examples
    --------
    >>> is_continuous(np.array([0.5, 1.0])), is_continuous(np.array([0.0, 1.0]))
    (True, False)
    """
    if y.dtype.kind not in "iuf":
        return False
    values = np.unique(y)
    many = len(values) > max(MOST_CLASSES_OF_NUMBERS, len(y) / 3)
    return many or y.dtype.kind == "f" and not np.array_equal(values, np.rint(values))


def check_naming(y):
    """The sorted classes in an array `y` (n,); numbers that measure something, rather than name it, are refused.

    Examples
    --------
    >>> check_naming(np.array(["b", "a"])).tolist()
    ['a', 'b']
    """
    classes = np.unique(y)
    if is_continuous(y):
        raise ValueError(
            f"`y` must hold classes; got {len(classes)} different numbers, such as"
            f" {short_repr(y[:3].tolist())}. Show a real-valued target with"
            " toolkit.plots.TargetDisplay, or turn classes into words with"
            " y.astype(str)."
        )
    return classes
