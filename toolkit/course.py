"""Exercises of the notebooks: whether an answer is right, without the solution."""

import numpy as np

from .core import check_number, short_repr

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
    if (close_to is None) != (within is None):
        raise ValueError(
            "`close_to` and `within` must be given together; got"
            f" {short_repr(close_to)} and {short_repr(within)}."
        )
    # Both ways of saying what is right give an interval.
    lowest, highest = at_least, at_most
    if close_to is not None:
        lowest = max(lowest, close_to - within)
        highest = min(highest, close_to + within)
    is_array_of_one = getattr(answer, "size", 0) == 1
    if is_array_of_one:
        answer = answer.item()
    value = check_number(answer, "answer")
    if value < lowest:
        print(f"Not yet: {value:.3g} is too small.")
    elif value > highest:
        print(f"Not yet: {value:.3g} is too large.")
    else:
        print(f"Right: {value:.3g}")
