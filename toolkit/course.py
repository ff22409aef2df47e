"""Exercises of the notebooks: whether an answer is right, without the solution."""

import numpy as np

from .core import check_number

__all__ = ["check"]


def check(
    answer, *, close_to=None, within=None, at_least=-np.inf, at_most=np.inf
):
    """Print whether an answer is right.

    Parameters
    ----------
    answer : number or None
        The answer; None prints "Not answered yet.".
    close_to, within : float, optional
        Expected answer and largest allowed difference from it.
    at_least, at_most : float, default=-inf, inf
        Limits of the answer.

    Examples
    --------
    >>> check(None, at_least=1)
    Not answered yet.
    >>> check(0.52, close_to=0.5, within=0.01)
    Not yet: 0.52 is too large.
    """
    if answer is None:
        print("Not answered yet.")
        return
    if close_to is not None:
        at_least = max(at_least, close_to - within)
        at_most = min(at_most, close_to + within)
    if getattr(answer, "size", 0) == 1:  # an array of one number
        answer = answer.item()
    value = check_number(answer, "answer")
    wrong = "small" if value < at_least else "large" if value > at_most else ""
    print(
        f"Not yet: {value:.3g} is too {wrong}."
        if wrong
        else f"Right: {value:.3g}"
    )
