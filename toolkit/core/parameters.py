"""Parameters of estimators as one table per class: name, type, rule and default.

A class lists its parameters as the fields of a dataclass, in a line each. The rule of a
parameter is a check in its `Annotated` type, or a `Literal` of its options; those after
``_: KW_ONLY`` are given by name::

    @parameters
    class GMLVQ(...):
        _: KW_ONLY
        mu: NotNegative = 0.0
        rank: OptionalCount = None
        solver: Literal["lbfgs", "sgd"] = "lbfgs"

The decorator :func:`fit_method` checks them first; limits that depend on the samples
are checked where these are known.
"""

import functools
from dataclasses import dataclass, fields
from inspect import get_annotations, signature
from typing import (
    Annotated,
    Literal,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np

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

Count = Annotated[int, rule(check_integer)]
Flag = Annotated[bool, rule(check_flag)]
Fraction = Annotated[float, rule(check_fraction)]
Jobs = Annotated[int | None, rule(check_jobs)]
NotNegative = Annotated[float, rule(check_positive, zero=True)]
OptionalCount = Annotated[int | None, rule(check_integer, optional=True)]
OptionalPositive = Annotated[float | None, rule(check_positive, optional=True)]
Positive = Annotated[float, rule(check_positive)]
Seed = Annotated[int | np.random.RandomState | None, rule(check_seed)]

# Parameters of the computation, not of the method; signatures end with them.
COMPUTATION = (
    "neighbors",
    "tol",
    "max_iter",
    "random_state",
    "n_jobs",
    "verbose",
)


@dataclass_transform()
def parameters(cls):
    """Class decorator: the constructor assigns the fields, which are the parameters.

    In signatures the parameters that a class states come before inherited ones.

    Examples
    --------
    >>> from dataclasses import KW_ONLY
    >>> @parameters
    ... class Map:
    ...     n_components: Count = 2
    ...     _: KW_ONLY
    ...     verbose: Flag = False
    >>> @parameters
    ... class SparseMap(Map):
    ...     _: KW_ONLY
    ...     lam: Fraction = 0.5
    >>> signature(SparseMap)
    <Signature (n_components=2, *, lam=0.5, verbose=False)>
    """
    cls = dataclass(cls, eq=False, repr=False)
    # signatures show names and defaults; what a value may be is said in the docstring
    cls.__init__.__annotations__.clear()
    cls.__init__.__signature__ = _ordered_signature(cls)
    return cls


def _ordered_signature(cls):
    """The signature of a constructor, its keywords in the order of the method."""
    stated = [name for base in cls.__mro__ for name in get_annotations(base)]

    def position(parameter):
        name = parameter.name
        if parameter.kind is not parameter.KEYWORD_ONLY:
            return parameter.kind, 0, 0
        if name in COMPUTATION:
            return parameter.kind, 1, COMPUTATION.index(name)
        return parameter.kind, 0, stated.index(name)

    constructor = signature(cls.__init__)
    ordered = sorted(constructor.parameters.values(), key=position)
    return constructor.replace(parameters=ordered)


def fit_method(fit):
    """Decorator of `fit`: checks the parameters, and restores the state on failure.

    Where it raises, all attributes are those from before.
    """

    @functools.wraps(fit)
    def wrapper(self, *args, **kwargs):
        check_parameters(self)
        arguments = signature(fit).bind(self, *args, **kwargs).arguments
        names = list(arguments)[1:]
        if len(names) > 1:
            x, y = names[:2]
            check_same_order(arguments[x], arguments[y], (x, y))
        attributes_before = dict(vars(self))
        try:
            return fit(self, *args, **kwargs)
        except BaseException:
            # one assignment, so that no interruption leaves a part of the new state
            self.__dict__ = attributes_before
            raise

    return wrapper


def table(estimator):
    """The rules of an estimator's parameters, {name: rule}, of those that have one."""
    cls = estimator if isinstance(estimator, type) else type(estimator)
    return _rules(cls)


@functools.cache
def _rules(cls):
    # Annotations may be texts, by `from __future__ import annotations`.
    hints = get_type_hints(cls, include_extras=True)
    rules = {}
    for field in fields(cls):
        hint = hints[field.name]
        if get_origin(hint) is Literal:
            rules[field.name] = rule(check_option, options=get_args(hint))
        elif get_origin(hint) is Annotated:
            rules[field.name] = hint.__metadata__[0]
    return rules


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
    ...     lam: Fraction = 0.5
    >>> check_parameters(Map(lam=2))
    Traceback (most recent call last):
    ...
    ValueError: `lam` must be a number between 0 and 1; got 2.
    """
    for name, check in table(estimator).items():
        check(getattr(estimator, name), name)
