"""Settings for words that can be read in two ways, and what their readers share."""

from dataclasses import dataclass

from ..core import check_option, count_phrase, value_list

# Proportion of the values that are numbers or dates, so that others become missing.
ENOUGH = 0.95
OTHER_MARK = {".": ",", ",": "."}


@dataclass(frozen=True)
class Notation:
    """Settings for words that can be read in two ways.

    Attributes
    ----------
    decimal : "." or ",", optional
        The decimal mark, as the caller says.
    thousands : ".", ",", " " or "'", optional
        Separator of thousands; a point or a comma is then no decimal mark.
    dates : "day", "month" or "year", optional
        First part of dates, as the caller says.
    likely : bool
        Whether numbers such as 1.234 have a decimal comma where it cannot be decided.
    """

    decimal: str | None = None
    thousands: str | None = None
    dates: str | None = None
    likely: bool = False

    def __post_init__(self):
        check_option(self.decimal, "decimal", (".", ",", None))
        check_option(self.thousands, "thousands", (".", ",", " ", "'", None))
        check_option(self.dates, "dates", ("day", "month", "year", None))
        if self.decimal and self.decimal == self.thousands:
            raise ValueError(
                f"`decimal` and `thousands` must differ; got {self.decimal!r} for both."
            )

    @property
    def mark(self):
        """The decimal mark, where the caller says it."""
        if self.decimal:
            return self.decimal
        return OTHER_MARK.get(self.thousands)


UNDECIDED = Notation()


def is_most(counts, is_chosen, n_true=0):
    """Whether nearly all values are of the words chosen, or true numbers.

    Parameters
    ----------
    counts : Series of int
        How often each word occurs.
    is_chosen : Series or array of bool
        Whether each word is chosen.
    n_true : int, default=0
        Number of values that are no words.
    """
    n_values = n_true + counts.sum()
    return n_true + counts[is_chosen].sum() >= ENOUGH * n_values


def distinct_words(words):
    """How often each word occurs, and the different words as a Series by themselves."""
    counts = words.value_counts(sort=False)
    return counts, counts.index.to_series().astype(object)


def loss_note(name, lost_counts, noun):
    """A sentence about the counts of words that became missing values, if any did."""
    if lost_counts.empty:
        return []
    words = value_list(lost_counts.index, 3)
    values = count_phrase(lost_counts.sum(), "value")
    return [f"`{name}`: {values} became missing, no {noun}: {words}."]
