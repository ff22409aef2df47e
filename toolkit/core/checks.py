"""Checks of numbers and matrices, with messages that name a remedy."""

from collections import Counter
from contextlib import suppress
from inspect import signature
from numbers import Integral, Real

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from .words import short_repr

EPSILON = np.finfo(float).eps
TINY = np.finfo(float).tiny
# Numbers are squared and summed; squares of numbers below 1 / LARGEST vanish.
LARGEST = 1e100
LARGEST_COUNT = 10**7  # of samples, iterations


def require(holds, name, rule, value, *, optional=False, remedy=""):
    """Refuse the value of an argument for which its rule does not hold.

    This is the form of most messages; with `optional` the value may also be None.

    Examples
    --------
    >>> require(False, "cutoff", "a fraction below 1", 2, remedy="Try 1e-8.")
    Traceback (most recent call last):
    ...
    ValueError: `cutoff` must be a fraction below 1; got 2. Try 1e-8.
    """
    if holds or (optional and value is None):
        return
    if optional:
        rule = f"None or {rule}"
    text = f"`{name}` must be {rule}; got {short_repr(value)}. {remedy}"
    raise ValueError(text.rstrip())


def check_integer(value, name, low=1, high=None, *, optional=False, remedy=""):
    """`value` as an int within its limits, or None where that is allowed.

    Examples
    --------
    >>> check_integer(0, "max_iter")
    Traceback (most recent call last):
    ...
    ValueError: `max_iter` must be an integer >= 1; got 0.
    """
    limit = high
    if high is None:
        limit = LARGEST_COUNT
    is_whole = _is_whole(value)
    rule = f"an integer between {low} and {limit}"
    # the limit of all counts is said only where it is exceeded
    if high is None and not (is_whole and value > limit):
        rule = f"an integer >= {low}"
    valid = is_whole and low <= value <= limit
    require(valid, name, rule, value, optional=optional, remedy=remedy)
    if value is None:
        return None
    return int(value)


def _is_whole(value):
    """Whether a value is a whole number of any type, and no truth value."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def as_float(value):
    """A real number as a float, or NaN for anything else."""
    with suppress(OverflowError, TypeError, ValueError):
        if isinstance(value, Real) and not isinstance(value, bool):
            return float(value)
    return np.nan


def check_number(value, name, low=-LARGEST, high=LARGEST, *, optional=False):
    """A finite number from `low` to `high`.

    Examples
    --------
    >>> check_number(float("nan"), "shift")
    Traceback (most recent call last):
    ...
    ValueError: `shift` must be a finite number from -1e+100 to 1e+100; got nan.
    """
    rule = f"a finite number from {low:g} to {high:g}"
    require(
        low <= as_float(value) <= high, name, rule, value, optional=optional
    )
    if value is None:
        return None
    return float(value)


def check_flag(value, name):
    """`value` as a bool: True or False, also NumPy's, or the integers 1 and 0.

    Examples
    --------
    >>> check_flag("yes", "verbose")
    Traceback (most recent call last):
    ...
    ValueError: `verbose` must be True or False; got 'yes'.
    """
    valid = isinstance(value, Integral | np.bool_) and value in (0, 1)
    require(valid, name, "True or False", value)
    return bool(value)


def check_jobs(n_jobs, name="n_jobs"):
    """How many workers of joblib: None, or any integer but 0.

    Negative ones count from all cores.

    Examples
    --------
    >>> check_jobs(0)
    Traceback (most recent call last):
    ...
    ValueError: `n_jobs` must be None or an integer from 1 to 1000, or a negative one, \
such as -1 for all cores; got 0.
    """
    valid = _is_whole(n_jobs) and 0 < abs(n_jobs) <= 1000
    rule = (
        "an integer from 1 to 1000, or a negative one, such as -1 for all cores"
    )
    require(valid, name, rule, n_jobs, optional=True)
    return n_jobs


def check_names(names, count, name, item):
    """Names as a list of `count` str, one per `item`.

    Examples
    --------
    >>> check_names(["sea"], 2, "class_names", "class")
    Traceback (most recent call last):
    ...
    ValueError: `class_names` must be a sequence of 2 names, one per class; got ['sea'].
    """
    is_sequence = isinstance(names, list | tuple) or np.ndim(names) == 1
    valid = is_sequence and len(names) == count
    require(valid, name, f"a sequence of {count} names, one per {item}", names)
    return [str(entry) for entry in names]


def check_option(value, name, options):
    """`value` if it is one of `options`, strings or None.

    Examples
    --------
    >>> check_option("lsq", "solver", ("lbfgs", "sgd"))
    Traceback (most recent call last):
    ...
    ValueError: `solver` must be one of "lbfgs", "sgd"; got 'lsq'.
    """
    valid = (value is None or isinstance(value, str)) and value in options
    names = []
    for option in options:
        names.append("None" if option is None else f'"{option}"')
    require(valid, name, f"one of {', '.join(names)}", value)
    return value


def check_same_length(first, second, names=("X", "y"), *, unit="samples"):
    """Two arrays must have a row per sample, the same ones.

    Examples
    --------
    >>> check_same_length([1, 2, 3], [1, 2])
    Traceback (most recent call last):
    ...
    ValueError: `X` and `y` must have the same number of samples; got 3 and 2.
    """
    if len(first) != len(second):
        raise ValueError(
            f"`{names[0]}` and `{names[1]}` must have the same number of {unit}; got"
            f" {len(first)} and {len(second)}."
        )


def check_same_order(first, second, names=("X", "y"), *, labels=False):
    """Refuse tables of pandas whose indices hold the same labels in another order.

    With `labels` also those with other labels, unless one of the two only counts.

    Examples
    --------
    >>> import pandas as pd
    >>> y = pd.Series([0, 1, 2])
    >>> check_same_order(y, y[::-1])  # doctest: +NORMALIZE_WHITESPACE
    Traceback (most recent call last):
    ...
    ValueError: `y` must have its rows in the order of `X`; their indices hold the same
    labels in another order. Give `y.loc[X.index]`, or arrays.
    """
    indices = [getattr(table, "index", None) for table in (first, second)]
    if any(index is None or callable(index) for index in indices):
        return
    first_index, second_index = indices
    if first_index.equals(second_index):
        return
    x, y = names
    if Counter(first_index) == Counter(second_index):
        raise ValueError(
            f"`{y}` must have its rows in the order of `{x}`; their indices hold the"
            f" same labels in another order. Give `{y}.loc[{x}.index]`, or arrays."
        )
    only_counts = [
        index.tolist() == list(range(len(index))) for index in indices
    ]
    if labels and not any(only_counts):
        raise ValueError(
            f"`{y}` must have the index of `{x}`; it has another. Reorder it, or give"
            " an array."
        )


def check_positive(value, name, *, zero=False, optional=False):
    """A finite number > 0, or >= 0 with `zero`; None where that is allowed.

    Examples
    --------
    >>> check_positive("a", "gamma")
    Traceback (most recent call last):
    ...
    ValueError: `gamma` must be a finite number > 0; got 'a'.
    """
    number = as_float(value)
    rule = "a finite number >= 0" if zero else "a finite number > 0"
    if 0 < number < np.inf:
        rule += f" and between {1 / LARGEST:g} and {LARGEST:g}"
    valid = 1 / LARGEST <= number <= LARGEST or (zero and number == 0)
    require(valid, name, rule, value, optional=optional)
    if value is None:
        return None
    return number


def check_fraction(value, name, *, ends=True):
    """A number in [0, 1], or between 0 and 1 without the ends.

    Examples
    --------
    >>> check_fraction(1.5, "lam")
    Traceback (most recent call last):
    ...
    ValueError: `lam` must be a number between 0 and 1; got 1.5.
    """
    number = as_float(value)
    valid = 0 <= number <= 1 and (ends or number not in (0, 1))
    rule = "a number between 0 and 1"
    if not ends:
        rule += ", without the ends"
    require(valid, name, rule, value)
    return number


def check_seed(random_state, name="random_state"):
    """A RandomState from None, an integer or a RandomState.

    Examples
    --------
    >>> check_seed(-1)
    Traceback (most recent call last):
    ...
    ValueError: `random_state` must be None, an integer from 0 to 4294967295 or a \
RandomState; got -1.
    """
    with suppress(ValueError):
        if not isinstance(random_state, bool):
            return check_random_state(random_state)
    rule = f"None, an integer from 0 to {2**32 - 1} or a RandomState"
    return require(False, name, rule, random_state)


def check_callable(value, name, rule):
    """A function of two arguments; `rule` says which."""
    valid = callable(value) and not isinstance(value, type)
    if valid:
        with suppress(ValueError):  # some built-in functions do not tell
            try:
                signature(value).bind(None, None)
            except TypeError:
                valid = False
    require(valid, name, rule, value)
    return value


def check_part(part, name, *methods, optional=True):
    """A clone of an estimator that another one works with, such as a classifier.

    With `optional` it may be None, which is returned.

    Examples
    --------
    >>> check_part("knn", "classifier", "fit", "predict", optional=False)
    Traceback (most recent call last):
    ...
    ValueError: `classifier` must be an estimator, an object with get_params, fit, \
predict; got 'knn'.
    """
    methods = ("get_params", *methods)
    valid = all(hasattr(part, method) for method in methods)
    rule = f"an estimator, an object with {', '.join(methods)}"
    is_class = isinstance(part, type)
    require(
        valid and not is_class,
        name,
        rule,
        part,
        optional=optional,
        remedy=f"Create one: {part.__name__}()." if is_class else "",
    )
    return clone(part, safe=False)


def check_n_components(
    n_components, limit, n_features, limit_is, *, name="n_components"
):
    """`n_components` as an int between 1 and `limit`.

    `limit_is` says in the message what sets the limit.

    Examples
    --------
    >>> check_n_components(3, 2, 5, "the rank of X")
    Traceback (most recent call last):
    ...
    ValueError: `n_components` must be an integer between 1 and 2; got 3. The limit is \
the rank of X; n_features=5.
    """
    remedy = f"The limit is {limit_is}; n_features={n_features}."
    return check_integer(n_components, name, 1, limit, remedy=remedy)


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


def names_or(default, names, name, item):
    """Names as a list of str, as many as the `default` ones, used where none are given.

    Examples
    --------
    >>> names_or(range(2), None, "class_names", "class")
    ['0', '1']
    """
    if names is None:
        names = default
    return check_names(names, len(default), name, item)
