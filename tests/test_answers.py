"""Answers to exercises: right ones are told from wrong ones, whatever they are."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from pytest import mark, raises

from toolkit.course import check, digest


def said(capsys, *args, **kwargs):
    check(*args, **kwargs)
    return capsys.readouterr().out.strip()


def test_numbers_are_held_to_their_limits(capsys):
    assert said(capsys, 0.51, close_to=0.5, within=0.01) == "Right: 0.51"
    assert (
        said(capsys, 0.48, close_to=0.5, within=0.01)
        == "Not yet: 0.48 is too small."
    )
    assert said(capsys, 3, at_least=1, at_most=2) == "Not yet: 3 is too large."
    assert said(capsys, None, at_least=1) == "Not answered yet."
    for right in (np.array(1.5), np.array([1.5]), np.float32(1.5)):
        assert said(capsys, right, at_least=1, at_most=2) == "Right: 1.5"


@given(st.text(max_size=30), st.text(max_size=30))
def test_words_are_compared_without_capitals_and_spaces_at_the_ends(one, other):
    assert digest(f"  {one}\n") == digest(one) and len(digest(one)) == 8
    assert (digest(one) == digest(other)) == (
        one.strip().lower() == other.strip().lower()
    )


def test_a_wrong_word_is_not_right(capsys):
    assert said(capsys, "Field", digested=digest("mountain")).startswith(
        "Not yet"
    )
    assert (
        said(capsys, "MOUNTAIN", digested=digest("mountain"))
        == "Right: MOUNTAIN"
    )


@mark.parametrize("answer", ["much", [1, 2], float("nan")])
def test_what_is_no_number_is_an_error(answer):
    with raises(ValueError, match="`answer` must be"):
        check(answer, at_least=1)
