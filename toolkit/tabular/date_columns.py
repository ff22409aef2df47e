"""Columns of dates."""

from dataclasses import dataclass

import numpy as np

from ..core import import_pandas
from .cells import words_of
from .column import Column, counts_of_intervals, quantile_phrase
from .dates import in_utc, read_dates


@dataclass(frozen=True, kw_only=True, eq=False)
class DateColumn(Column):
    """A column of dates, in UTC."""

    kind = "date"
    can_be_target = False

    @classmethod
    def read(cls, cells, notation):
        """Dates, and words of which nearly all are dates."""
        pd = import_pandas()
        if cells.are_dates:
            notes = []
            if isinstance(cells.raw.dtype, pd.DatetimeTZDtype):
                notes = [f"`{cells.name}` has a time zone: taken in UTC."]
            return cls(raw=cells.raw, values=in_utc(cells.series), notes=notes)
        if not cells.are_words or cells.has_true_numbers:
            return None
        values = in_utc(cells.true_dates)
        notes = [*cells.notes]
        dates = read_dates(cells.mere_words, notation)
        if dates is not None:
            values = dates.values.fillna(values)
            if dates.how:
                notes.append(f"`{cells.name}`: dates{dates.how}.")
            notes += dates.lost
        elif not cells.has_true_dates or cells.mere_words.notna().any():
            return None
        return cls(raw=cells.raw, values=values, notes=notes)

    @staticmethod
    def as_numbers(values):
        """The dates as days."""
        start = np.datetime64(0, "s")
        return (values.to_numpy("datetime64[s]") - start) / np.timedelta64(
            1, "D"
        )

    def _extent(self, present):
        return quantile_phrase(words_of(present.quantile([0, 0.5, 1], "lower")))

    def _counts(self, present):
        return counts_of_intervals(present.astype("int64"))
