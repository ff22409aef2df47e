"""Inputs of displays, read in one place: points, class numbers, fields, words."""

import contextlib
import warnings

import numpy as np

from ..core import check_names, check_numbers, check_table, require, short_repr
from ..core.arrays import is_missing

MOST_CLASSES = 100_000
RARE = 0.05  # A class with a smaller proportion of the rows is rare.
# of matplotlib's texts: dollars are dollars, not formulas
AS_TEXT = {"parse_math": False}


def require_that(holds, name, rule, value):
    """Refuse the value of an argument that must "hold" or "have" what it does not.

    Examples
    --------
    >>> require_that(False, "y", "hold classes", 2)
    Traceback (most recent call last):
    ...
    ValueError: `y` must hold classes; got 2.
    """
    if not holds:
        raise ValueError(f"`{name}` must {rule}; got {short_repr(value)}.")


def sanitize_text(text):
    """Text as fonts can show it, halves of surrogate pairs replaced; none of None.

    Examples
    --------
    >>> sanitize_text("a\\ud800") == "a\\ufffd"
    True
    """
    if is_missing(text):
        return ""
    return (
        str(text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    )


@contextlib.contextmanager
def suppress_name_warning():
    """Let an estimator that was fitted with names of columns take arrays without."""
    with warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", message="X does not have valid feature names"
        )
        yield


def check_points(Z, name="embedding", m="m"):
    """Points of the plane (m, 2)."""
    return check_table(Z, name, shape=(m, 2))


def check_points_or_none(Z, name):
    """Points of the plane (m, 2), of which there are none by default."""
    return np.empty((0, 2)) if Z is None else check_points(Z, name)


def check_plane(Z):
    """The map (n, 2) of an estimator."""
    require_that(
        Z.shape[1] == 2,
        "estimator",
        "have `n_components`=2 to be drawn",
        Z.shape[1],
    )
    return Z


def check_field(values, name, shape=("h", "w")):
    """Numbers at the cells of a grid (h, w), or of another shape, at least one."""
    field = check_numbers(values, name, shape=shape)
    require_that(field.size, name, "not be empty", values)
    return field


def check_codes(codes, name, count, *, shape=("n",), of="classes"):
    """Numbers of classes, or what else they are `of`, below `count`, as integers.

    Examples
    --------
    >>> check_codes([0, 2], "codes", 2)
    Traceback (most recent call last):
    ...
    ValueError: `codes` must hold numbers of classes, integers from 0 to 1; got [2.0].
    """
    A = check_numbers(codes, name, shape=shape)
    wrong = A[A != np.rint(A).clip(0, count - 1)].tolist()
    require_that(
        not wrong,
        name,
        f"hold numbers of {of}, integers from 0 to {count - 1}",
        wrong,
    )
    return A.astype(int)


def class_numbers(labels, classes, name):
    """Number of each label among the sorted `classes`, as integers.

    Examples
    --------
    >>> class_numbers(["b", "c"], np.array(["a", "b"]), "y")
    Traceback (most recent call last):
    ...
    ValueError: `y` must hold classes of ['a', 'b']; got ['c'].
    """
    numbers = {label: number for number, label in enumerate(classes.tolist())}
    labels = np.asarray(labels).tolist()
    unknown = sorted(set(labels) - set(numbers), key=str)
    require_that(
        not unknown,
        name,
        f"hold classes of {short_repr(list(numbers))}",
        unknown,
    )
    return np.array([numbers[label] for label in labels], dtype=int)


def check_sides(sides, n):
    """Names of two sides, and which of the `n` samples are of the one named first.

    Examples
    --------
    >>> check_sides(["source", "target", "target"], 3)
    (['source', 'target'], array([ True, False, False]))
    """
    if sides is None:
        return [], np.zeros(n, dtype=bool)
    A = np.asarray(sides).ravel().astype(str)
    names = list(dict.fromkeys(A.tolist()))
    require_that(
        len(A) == n and len(names) <= 2,
        "sides",
        f"hold one of two names for each of the {n} samples",
        sides,
    )
    return names, A == names[0]


def check_box(box, name):
    """Edges x_min < x_max, y_min < y_max as floats."""
    x0, x1, y0, y1 = check_numbers(box, name, shape=(4,)).tolist()
    require(
        x0 < x1 and y0 < y1,
        name,
        "(x_min, x_max, y_min, y_max) with x_min < x_max and y_min < y_max",
        box,
    )
    return x0, x1, y0, y1


def color_limits(limits, values, percent):
    """Lower and upper end of colours: those given, or percentiles of the values."""
    if limits is None:
        return np.percentile(values, [percent, 100 - percent])
    low, high = check_numbers(limits, "limits", shape=(2,)).tolist()
    require(low <= high, "limits", "a lower and an upper value", limits)
    return low, high


def names_or(default, names, name, of):
    """Names as a list of str, as many as the `default` ones, used where none are given.

    Examples
    --------
    >>> names_or(range(2), None, "class_names", "class")
    ['0', '1']
    """
    return check_names(
        default if names is None else names, len(default), name, of
    )


def largest(values, count):
    """Numbers, in rising order, of the `count` largest values; of equal ones the first.

    Examples
    --------
    >>> largest(np.array([3, 9, 9, 1]), 2).tolist()
    [1, 2]
    """
    return np.sort(np.argsort(-values, kind="stable")[:count])


def is_rare(counts):
    """Which classes have less than 5 % of the rows and less than half of an equal part.

    Examples
    --------
    >>> is_rare(np.array([96, 4])), is_rare(np.array([4] * 25))[0]
    (array([False,  True]), np.False_)
    """
    least = min(RARE, 0.5 / max(np.count_nonzero(counts), 1))
    return counts < least * counts.sum()
