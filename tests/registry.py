"""The public classes and functions of the package, found by themselves: lists of tests are made of them.

A new estimator needs its file and a name in `__all__`: the contract, the refusals and
the tests of all embedders then run on it with its defaults. Settings, data and
tolerances of single estimators are entries of `contract.py` and `embed/test_embed.py`.
"""

import inspect
from functools import cache

from sklearn.base import BaseEstimator

import toolkit
from toolkit.core.parameters import table
from toolkit.embed.base import Embedder

__all__ = ["embedders", "estimators", "public_objects", "takes_distances"]

# Subpackages without methods of their own: tables and pages, machinery, figures.
NO_METHODS = (
    "claims course datasets decisionmap explorer plots report tabular validation"
).split()
METHODS = [name for name in toolkit.SUBPACKAGES if name not in NO_METHODS]


@cache
def public_objects(folders=tuple(METHODS)):
    """{name: class or function} of what the `__all__` of the subpackages list."""
    objects = {}
    for folder in folders:
        module = getattr(toolkit, folder)
        for name in getattr(module, "__all__", ()):
            objects[name] = getattr(module, name)
    return objects


def estimators():
    """{name: class} of all public estimators, also of those for tables."""
    classes = {}
    for thing in public_objects(tuple(toolkit.SUBPACKAGES)).values():
        is_estimator = inspect.isclass(thing) and issubclass(
            thing, BaseEstimator
        )
        if is_estimator and not inspect.isabstract(thing):
            classes[thing.__name__] = thing
    return classes


def embedders():
    """The public classes that map samples, or their distances, without a target."""
    return [cls for cls in estimators().values() if issubclass(cls, Embedder)]


def takes_distances(cls):
    """Whether an embedder has ``metric="precomputed"``."""
    rule = table(cls()).get("metric")
    return rule is not None and "precomputed" in rule.keywords["options"]
