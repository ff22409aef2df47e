"""Exercises of the notebooks: whether an answer is right, without the solution."""

import hashlib

import numpy as np

from .core import check_number, short_repr

__all__ = ["check", "digest"]


def check(
    answer,
    *,
    close_to=None,
    within=None,
    at_least=-np.inf,
    at_most=np.inf,
    digested=None,
):
    """Print whether an answer is right; None is "not answered yet".

    Parameters
    ----------
    answer : number, text, or None
    close_to, within : float, optional
        The answer must be as near as that.
    at_least, at_most : float, optional
        Limits of the answer.
    digested : str, optional
        What :func:`digest` gives for the right answer, of words and whole numbers.

    Examples
    --------
    >>> check(None, at_least=1)
    Not answered yet.
    >>> check(0.52, close_to=0.5, within=0.01)
    Not yet: 0.52 is too large.
    >>> check("Mountain ", digested=digest("mountain"))
    Right: Mountain
    """
    if answer is None:
        print("Not answered yet.")
    elif digested is not None:
        print(
            f"Right: {str(answer).strip()}"
            if digest(answer) == digested
            else f"Not yet: it is not {short_repr(answer)}."
        )
    else:
        # both ways of saying what is right give an interval
        low, high = at_least, at_most
        if close_to is not None:
            low = max(low, close_to - within)
            high = min(high, close_to + within)
        if getattr(answer, "size", 0) == 1:  # an array of one number
            answer = answer.item()
        value = check_number(answer, "answer")
        wrong = "small" if value < low else "large" if value > high else ""
        print(
            f"Not yet: {value:.3g} is too {wrong}."
            if wrong
            else f"Right: {value:.3g}"
        )


def digest(answer):
    """Eight hexadecimal digits of an answer.

    Capitals, spaces at the ends and the type of a number do not count.

    Examples
    --------
    >>> digest(7) == digest("7 ") != digest(8)
    True
    """
    return hashlib.sha256(str(answer).strip().lower().encode()).hexdigest()[:8]
