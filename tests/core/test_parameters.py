"""Parameters of estimators: rules, order of the signature, annotations that are texts."""

from __future__ import annotations

from dataclasses import KW_ONLY
from inspect import signature
from typing import Annotated, Literal

from pytest import mark, raises
from sklearn.base import BaseEstimator

from toolkit.core.checks import check_number
from toolkit.core.parameters import (
    Count,
    Flag,
    NotNegative,
    check_parameters,
    parameters,
    rule,
    table,
)


@parameters
class Plain(BaseEstimator):
    n_components: Count = 2
    _: KW_ONLY
    max_iter: Count = 100
    verbose: Flag = False
    ridge: NotNegative = 0.0


@parameters
class Special(Plain):
    _: KW_ONLY
    solver: Literal["exact", None] = None
    tol: Annotated[float, rule(check_number, low=1e-9)] = 1e-3
    max_iter: Count = 7


@mark.parametrize(
    "wrong", [{"ridge": -3}, {"solver": "fast"}, {"tol": 0.0}, {"verbose": 2}]
)
def test_rules_hold_where_annotations_are_texts(wrong):
    """As in this module, by `from __future__ import annotations`."""
    assert isinstance(Plain.__annotations__["ridge"], str)
    (name,) = wrong
    with raises(ValueError, match=f"`{name}` must be"):
        check_parameters(Special(**wrong))
    check_parameters(Special(3, solver="exact", ridge=0.5))


def test_a_subclass_has_the_rules_of_its_bases():
    assert set(table(Special())) == {*signature(Special).parameters}


def test_signatures_state_first_what_the_class_adds_and_last_the_computation():
    assert str(signature(Special)) == (
        "(n_components=2, *, solver=None, ridge=0.0, tol=0.001, max_iter=7,"
        " verbose=False)"
    )


def test_keywords_are_no_positions():
    with raises(TypeError):
        Special(2, "exact")
