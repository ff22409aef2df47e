"""The kind of a target: names of classes, or values of something that is measured.

Whole numbers can be both. One rule decides about them wherever a target is given.
"""

import numpy as np

from .labels import class_column

# Numbers of at most so many different values are classes, however few the rows are.
ALWAYS_CLASSES = 5
# Numbers of at most so many different values are classes, if each has enough rows.
MOST_CLASSES_OF_NUMBERS = 20
ROWS_OF_CLASS = 5  # average number of rows that each class has then


def kind_of_target(y):
    """Return whether a target of one column holds classes or real values.

    Numbers are decided by :func:`kind_of_numbers`; all else are names of classes.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Target.

    Returns
    -------
    kind : "classes" or "value"
        Kind of the target.

    Examples
    --------
    >>> kind_of_target(["1.5", "2.5"]), kind_of_target([1.5, 2.5])
    ('classes', 'value')
    """
    y = class_column(y)
    if y.dtype.kind not in "iuf":
        return "classes"
    return kind_of_numbers(y)


def kind_of_numbers(values):
    """Return whether numbers are names of classes or real values.

    They are classes if all are whole, and either at most 5 are different, or each has
    five rows on average and they are at most 20, or the codes 0 to k - 1 or 1 to k of k
    classes, as an encoder of labels gives them.

    Parameters
    ----------
    values : array-like of shape (n_samples,)
        Numbers without missing values.

    Returns
    -------
    kind : "classes" or "value"
        Kind of the numbers.

    Examples
    --------
    >>> kind_of_numbers([0.5, 1.0]), kind_of_numbers([1, 2])
    ('value', 'classes')

    Ten whole numbers are classes if there are fifty rows, and codes of thirty classes
    in any case of 150 rows; other numbers are values.

    >>> import numpy as np
    >>> years = 1990 + np.arange(10)
    >>> kind_of_numbers(years), kind_of_numbers(np.tile(years, 5))
    ('value', 'classes')
    >>> codes = np.tile(np.arange(30), 5)
    >>> kind_of_numbers(codes), kind_of_numbers(10 * codes)
    ('classes', 'value')
    """
    values = np.asarray(values, dtype=float)
    different = np.unique(values)
    n_different = len(different)
    if not np.isfinite(different).all() or np.mod(different, 1).any():
        return "value"
    if n_different <= ALWAYS_CLASSES:
        return "classes"
    if len(values) < ROWS_OF_CLASS * n_different:
        return "value"
    are_few = n_different <= MOST_CLASSES_OF_NUMBERS
    are_codes = (
        different[0] in (0, 1)
        and different[-1] - different[0] == n_different - 1
    )
    return "classes" if are_few or are_codes else "value"
