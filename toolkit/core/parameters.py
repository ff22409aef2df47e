"""Parameters of estimators as one table per class: name, rule and default in a line.

A class lists its parameters as fields, each with the check that holds for it::

    @parameters
    class GMLVQ(...):
        mu: NOT_NEGATIVE = 0.0
        rank: OPTIONAL_COUNT = None
        solver: one_of("lbfgs", "sgd") = "lbfgs"

The decorator :func:`fit_method` checks them first; limits that depend on the samples
are checked where these are known.
"""

import functools
from dataclasses import KW_ONLY, dataclass, fields
from inspect import signature

from .checks import (
    check_flag,
    check_fraction,
    check_integer,
    check_jobs,
    check_option,
    check_positive,
    check_same_order,
    check_seed,
)

# The rule of a parameter: a check, called as check(value, name), with its limits.
rule = functools.partial

COUNT = rule(check_integer)
FLAG = rule(check_flag)
FRACTION = rule(check_fraction)
JOBS = rule(check_jobs)
NOT_NEGATIVE = rule(check_positive, zero=True)
OPTIONAL_COUNT = rule(check_integer, none=True)
OPTIONAL_POSITIVE = rule(check_positive, none=True)
POSITIVE = rule(check_positive)
SEED = rule(check_seed)


def one_of(*options):
    """Rule of a parameter that is one of some strings, or of these and None."""
    return rule(check_option, options=options)


def parameters(cls=None, *, positional=None):
    """Class decorator: the constructor assigns the fields, which are the parameters.

    The first `positional` ones of the class may be given without their names. By
    default that is one, or none if one that it inherits may be.
    """
    if cls is None:
        return functools.partial(parameters, positional=positional)
    if positional is None:
        known = getattr(cls, "__dataclass_fields__", {}).values()
        positional = int(all(field.kw_only for field in known))
    own = list(cls.__annotations__.items())
    own.insert(positional, ("_", KW_ONLY))
    cls.__annotations__ = dict(own)
    cls = dataclass(cls, eq=False, repr=False)
    # signatures show names and defaults; what a value may be is said in the docstring
    cls.__init__.__annotations__.clear()
    return cls


def fit_method(fit):
    """Decorator of `fit`: checks the parameters, and restores the state on failure.

    Where it raises, all attributes are those from before.
    """

    @functools.wraps(fit)
    def wrapper(self, *args, **kwargs):
        check_parameters(self)
        given = signature(fit).bind(self, *args, **kwargs).arguments
        (_, *names), (_, *values) = given, given.values()
        if len(values) > 1:
            check_same_order(*values[:2], names)
        before = dict(vars(self))
        try:
            return fit(self, *args, **kwargs)
        except BaseException:
            self.__dict__ = before  # at once, whatever interrupts
            raise

    return wrapper


def table(estimator):
    """The rules of an estimator's parameters, {name: rule}, of those that have one."""
    rules = {field.name: field.type for field in fields(estimator)}
    return {
        name: r for name, r in rules.items() if isinstance(r, functools.partial)
    }


def check_parameters(estimator):
    """Check each parameter by the rule in the table of its class.

    Raises
    ------
    ValueError
        It names the parameter, its rule and the value.

    Examples
    --------
    >>> @parameters
    ... class Map:
    ...     lam: FRACTION = 0.5
    >>> check_parameters(Map(lam=2))
    Traceback (most recent call last):
    ...
    ValueError: `lam` must be a number between 0 and 1; got 2.
    """
    for name, check in table(estimator).items():
        check(getattr(estimator, name), name)
