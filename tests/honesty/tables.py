"""A table of which the truth is known, as the processes make it."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd


@dataclass
class Process:
    """A table with the target "y", and how to make more of its rows.

    Attributes
    ----------
    frame : DataFrame of n rows
    fresh : function of a number of rows, a DataFrame of others
    others : such a function for rows of persons or occupations that the table does not
        have, where `fresh` makes rows of those in the table; otherwise None
    relevant : columns that truly tell of the target
    dependent : what makes rows depend on each other, "" if they do not
    groups : the column that is declared to name groups, or None
    labels : columns of 0 and 1 in place of "y"
    column : the column that makes rows depend on each other, "" if there is none
    keep : columns that are declared to have the same values in new rows
    quantities : columns that measure, and name no persons
    worse : whether rows of one value have different targets by design
    balanced : of a rare class, function of a number of rows, half of which are of it
    needed : those of the relevant ones that no other replaces; None where it is all
    """

    frame: pd.DataFrame
    fresh: object
    relevant: list = field(default_factory=list)
    dependent: str = ""
    groups: str = None
    labels: list = field(default_factory=list)
    others: object = None
    column: str = ""
    keep: list = field(default_factory=list)
    quantities: list = field(default_factory=list)
    worse: bool = False
    needed: list = None
    balanced: object = None


def independent(make, n, **truth):
    """A process of n rows that do not depend on each other."""
    return Process(make(n), make, **truth)


def table(X, y):
    names = [f"x{j}" for j in range(X.shape[1])]
    frame = pd.DataFrame(X, columns=names)
    if y.dtype.kind != "f":
        y = np.array(list("abcdefghij"))[y.astype(int)]
    return frame.assign(y=y)
