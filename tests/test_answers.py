"""Answers to exercises: right ones are told from wrong ones, whatever they are."""

import numpy as np
from pytest import mark, raises

from toolkit.course import check


def said(capsys, *args, **kwargs):
    check(*args, **kwargs)
    return capsys.readouterr().out.strip()


def test_numbers_are_held_to_their_limits(capsys):
    assert said(capsys, 0.51, close_to=0.5, within=0.01) == "Right: 0.51"
    assert (
        said(capsys, 0.48, close_to=0.5, within=0.01)
        == "Not yet: 0.48 is too small."
    )
    both = {"close_to": 1, "within": 0.5, "at_most": 1.0}
    assert said(capsys, 1.2, **both) == "Not yet: 1.2 is too large."
    assert said(capsys, 3, at_least=1, at_most=2) == "Not yet: 3 is too large."
    assert said(capsys, None, at_least=1) == "Not answered yet."
    for right in (np.array(1.5), np.array([1.5]), np.float32(1.5)):
        assert said(capsys, right, at_least=1, at_most=2) == "Right: 1.5"


@mark.parametrize("answer", ["much", [1, 2], float("nan")])
def test_what_is_no_number_is_an_error(answer):
    with raises(ValueError, match="`answer` must be"):
        check(answer, at_least=1)


@mark.parametrize("limits", [{"close_to": 1}, {"within": 0.1}])
def test_close_to_and_within_go_together(limits):
    with raises(
        ValueError, match="`close_to` and `within` must be given together"
    ):
        check(1.0, **limits)
