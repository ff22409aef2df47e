"""Columns of numbers, of which True and False are a kind."""

import re
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from ..core import import_pandas, name_list
from .cells import check_size, words_of
from .column import Column, are_different, counts_of_intervals, quantile_phrase
from .dates import CLOCK, read_times
from .numbers import read_numbers

# Proportion of the differences between sorted whole numbers that are 1, if they count.
MOSTLY_ONE = 0.9
FIRST_NAMES = {"id", "ids", "key", "index", "uuid"}
LAST_NAMES = {"name", "nr", "no", "code", *FIRST_NAMES}
SECONDS_OF_UNIT = {"d": 86400, "h": 3600, "min": 60}
CLOCK_WORD = re.compile(CLOCK, re.I)
NAME_PARTS = r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\S"


@dataclass(frozen=True, kw_only=True, eq=False)
class NumberColumn(Column):
    """A column of numbers.

    Attributes
    ----------
    limits : dict of str to Series of floats
        Columns of 0 and 1 that mark which words are limits such as "<0.5", by name.
    """

    kind = "number"
    is_number = True
    is_measured = True
    limits: dict = field(default_factory=dict)

    @classmethod
    def read(cls, cells, notation):
        """Numbers, and words of which nearly all are numbers or clock times."""
        if cells.are_numbers:
            return cls(raw=cells.raw, values=cells.series.astype(float))
        if not cells.are_words:
            return None
        if not cells.has_true_dates:
            numbers = read_numbers(
                cells.mere_words, notation, cells.true_numbers
            )
            if numbers is not None:
                return cls._of_numbers(cells, numbers)
        if cells.has_true_numbers:
            return None
        times, lost = read_times(cells.words, CLOCK_WORD)
        if times is None:
            return None
        note = (
            f"`{cells.name}` holds clock times or durations: taken as seconds."
        )
        return cls(
            raw=cells.raw, values=times, notes=[*cells.notes, note, *lost]
        )

    @classmethod
    def _of_numbers(cls, cells, numbers):
        notes = [*cells.notes]
        if numbers.how:
            notes.append(f"`{cells.name}`: numbers{numbers.how}.")
        limits = {}
        for side in numbers.limits.dropna().unique():
            is_limit = numbers.limits == side
            limits[f"{cells.name} {side} limit"] = is_limit.astype(float)
        return cls(
            raw=cells.raw,
            values=numbers.values.fillna(cells.true_numbers),
            notes=notes + numbers.lost,
            limits=limits,
        )

    @property
    def limit(self):
        pd = import_pandas()
        if not self.limits:
            return None
        is_limit = pd.concat(self.limits, axis=1).any(axis=1)
        return self.words[is_limit].iloc[0]

    @property
    def class_words(self):
        return self.words if self.limits else self.value_words

    def parts(self):
        if not self.limits:
            return {self.name: self}
        names = name_list(self.limits)
        note = f"Which values are limits: {names}."
        parts = {self.name: replace(self, notes=[*self.notes, note])}
        for name, is_limit in self.limits.items():
            flags = is_limit.rename(name)
            parts[name] = NumberColumn(raw=flags, values=flags)
        return parts

    def feature_values(self, rows):
        # A negative zero becomes 0.
        return super().feature_values(rows) + 0.0

    def exclusion(self, rows):
        check_size(self.values.iloc[rows], "data")
        return super().exclusion(rows)

    def feature_notes(self, rows):
        present = self.values.iloc[rows].dropna().to_numpy()
        if np.mod(present, 1).any() or len(np.unique(present)) < len(present):
            return []
        return [
            f"`{self.name}` has another whole number in each row: kept; `--drop"
            f" {self.name}` leaves it out."
        ]

    def _extent(self, present):
        quantiles = present.quantile([0, 0.5, 1])
        return quantile_phrase(quantiles.map("{:.6g}".format))

    def _counts(self, present):
        return counts_of_intervals(present)

    def _names_rows(self, present):
        """Whether whole numbers count the rows, or the name says that they name them.

        The name ends or begins so: case no, patientID, id of the patient.
        """
        if not are_different(present) or np.any(np.mod(present, 1)):
            return False
        steps = np.diff(np.unique(present))
        words = re.findall(NAME_PARTS, present.name.removesuffix("."))
        if words:
            is_named_first = words[0].lower() in FIRST_NAMES
            if is_named_first or words[-1].lower() in LAST_NAMES:
                return True
        return np.mean(steps == 1) >= MOSTLY_ONE


@dataclass(frozen=True, kw_only=True, eq=False)
class FlagColumn(NumberColumn):
    """A column of True and False, which are the numbers 1 and 0."""

    is_measured = False

    @classmethod
    def read(cls, cells, notation):
        """Flags, and words all of which are true or false."""
        if cells.are_flags:
            return cls(raw=cells.raw, values=cells.series.astype(float))
        if not cells.are_words:
            return None
        n_flags = cells.flags.notna().sum()
        if n_flags == 0 or n_flags < cells.words.notna().sum():
            return None
        return cls(raw=cells.raw, values=cells.flags, notes=cells.notes)

    @property
    def has_notation(self):
        return False

    @cached_property
    def value_words(self):
        return words_of(self.values.map({0.0: "False", 1.0: "True"}))


@dataclass(frozen=True, kw_only=True, eq=False)
class DurationColumn(NumberColumn):
    """A column of durations such as "1 h 20 min", as seconds."""

    kind = "duration"

    @classmethod
    def read(cls, cells, notation):
        """Durations, and words with several units of time, nearly all of them."""
        note = f"`{cells.name}` holds durations: taken as seconds."
        if cells.are_durations:
            seconds = cells.series.dt.total_seconds()
            return cls(raw=cells.raw, values=seconds, notes=[note])
        if not cells.are_words or cells.has_true_numbers:
            return None
        seconds, lost = read_times(cells.words)
        if seconds is None:
            return None
        notes = [*cells.notes, note, *lost]
        return cls(raw=cells.raw, values=seconds, notes=notes)

    @staticmethod
    def as_shown(values):
        return values.map(duration_phrase, na_action="ignore")

    @cached_property
    def value_words(self):
        return self.as_shown(self.values).astype(object)

    def feature_notes(self, rows):
        return []

    def _extent(self, present):
        quantiles = present.quantile([0, 0.5, 1])
        if quantiles.max() >= SECONDS_OF_UNIT["min"]:
            quantiles = quantiles.round()
        return quantile_phrase(quantiles.map(duration_phrase))

    def _names_rows(self, present):
        return False


def duration_phrase(seconds):
    """A duration in words.

    Examples
    --------
    >>> [duration_phrase(seconds) for seconds in (4800.0, 5400.0, 0.25, -90000.0)]
    ['1 h 20 min', '1 h 30 min', '0.25 s', '-1 d 1 h']
    """
    words = []
    rest_of_seconds = abs(seconds)
    for unit, length in SECONDS_OF_UNIT.items():
        count, rest_of_seconds = divmod(rest_of_seconds, length)
        if count:
            words.append(f"{count:.0f} {unit}")
    if rest_of_seconds or not words:
        words.append(f"{rest_of_seconds:.6g} s")
    sign = "-" if seconds < 0 else ""
    return sign + " ".join(words)


# The order matters: each kind takes what those before it leave.
NUMBER_COLUMNS = (FlagColumn, NumberColumn, DurationColumn)
