"""Columns of numbers, dates and words, and how those of a table are read.

A column is of the first kind that it fits.
"""

import re
from dataclasses import dataclass, field, fields, replace
from functools import cached_property

import numpy as np

from ..core import as_frame, duration_phrase, import_pandas, name_list
from .cells import (
    UNDECIDED,
    Cells,
    check_size,
    loss_note,
    missing_words,
    words_of,
)
from .column import (
    MOST_BARS,
    Column,
    OtherColumn,
    are_different,
    quantile_phrase,
)
from .dates import CLOCK, in_utc, read_dates, read_times
from .headers import unique_names
from .numbers import read_all_numbers, read_numbers, read_pairs, strange_words

MOST_WORDS_ASKED = 2000  # rows whose words tell about the decimal mark
# Proportion of the differences between sorted whole numbers that are 1, if they count.
MOSTLY_ONE = 0.9
FIRST_NAMES = {"id", "ids", "key", "index", "uuid"}
LAST_NAMES = {"name", "nr", "no", "code", *FIRST_NAMES}
SECONDS_OF_MINUTE = 60
LONGEST_COLORED = (
    1e12  # seconds, of a duration that is shown as time in a picture
)
FLAG_NUMBERS = {"true": 1.0, "false": 0.0}
CLOCK_WORD = re.compile(CLOCK, re.I)
NAME_PARTS = r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\S"
MOST_KINDS_OF_WORDS = 50  # of a category; more are free text
LONGEST_NAME = 60  # characters; longer words are free text


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
        numbers = None
        if not cells.has_true_dates:
            numbers = read_numbers(
                cells.mere_words, notation, cells.true_numbers
            )
        if numbers is not None:
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
        note = f"Which values are limits: {name_list(self.limits)}."
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
        flags = cells.mere_words.str.casefold().map(FLAG_NUMBERS).astype(float)
        n_flags = flags.notna().sum()
        if n_flags == 0 or n_flags < cells.words.notna().sum():
            return None
        return cls(raw=cells.raw, values=flags, notes=cells.notes)

    @property
    def has_notation(self):
        return False

    @cached_property
    def value_words(self):
        return words_of(self.values.map({0.0: "False", 1.0: "True"}))


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

    @staticmethod
    def as_colored(values):
        if values.abs().max() > LONGEST_COLORED:
            return values
        return (values * 1e6).round().to_numpy().astype("timedelta64[us]")

    @cached_property
    def value_words(self):
        return self.as_shown(self.values).astype(object)

    def feature_notes(self, rows):
        return []

    def _extent(self, present):
        quantiles = present.quantile([0, 0.5, 1])
        if quantiles.max() >= SECONDS_OF_MINUTE:
            quantiles = quantiles.round()
        return quantile_phrase(quantiles.map(duration_phrase))

    def _names_rows(self, present):
        return False


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
        dates, notes = read_dates(cells.mere_words, notation)
        if dates is not None:
            values = dates.fillna(values)
        elif not cells.has_true_dates or cells.mere_words.notna().any():
            return None
        return cls(raw=cells.raw, values=values, notes=cells.notes + notes)

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
        return super()._counts(present.astype("int64"))


@dataclass(frozen=True, kw_only=True, eq=False)
class WordColumn(Column):
    """A column of words that are neither numbers nor dates.

    Attributes
    ----------
    pairs : dict of str to Series of floats
        Numbers by name, where each word holds two, such as "120/80".
    is_like_number : bool
        Whether most words begin like numbers that could not be read.
    """

    is_word = True
    pairs: dict = field(default_factory=dict)
    is_like_number: bool = False

    @classmethod
    def read(cls, cells, notation):
        """Words of few kinds as categories, all others as text."""
        words = cells.words
        column_class = TextColumn
        if words.nunique() <= min(MOST_KINDS_OF_WORDS, len(words) / 2):
            column_class = CategoryColumn
        if cells.is_declared:
            return column_class(raw=cells.raw, values=words, notes=cells.notes)
        strange_notes, is_like_number = strange_words(words)
        return column_class(
            raw=cells.raw,
            values=words,
            notes=cells.notes + strange_notes,
            pairs=read_pairs(words),
            is_like_number=is_like_number,
        )

    @property
    def has_notation(self):
        return self.is_like_number and super().has_notation

    def parts(self):
        if not self.pairs:
            return {self.name: self}
        names = name_list(self.pairs)
        is_lost = next(iter(self.pairs.values())).isna()
        lost_counts = self.values[is_lost].value_counts()
        notes = [
            f"`{self.name}` holds pairs of numbers, now two columns: {names}.",
            *loss_note(self.name, lost_counts, "pair of numbers"),
        ]
        parts = {}
        for name, numbers in self.pairs.items():
            values = numbers.rename(name)
            parts[name] = NumberColumn(raw=values, values=values, notes=notes)
            # The notes are said once.
            notes = []
        return parts

    def _extent(self, present):
        frequent = present.sort_values().value_counts()
        words = [f"{word} ({count})" for word, count in frequent.items()]
        if len(words) > 3:
            words[3:] = ["..."]
        return ", ".join(words)

    def _counts(self, present):
        return present.sort_values().value_counts().to_numpy()[:MOST_BARS]


class CategoryColumn(WordColumn):
    """A column of words of few kinds."""

    kind = "category"


class TextColumn(WordColumn):
    """A column of free text, or of names."""

    kind = "text"
    not_in_map = "free text"

    def as_category(self):
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        return CategoryColumn(**values)

    def _names_rows(self, present):
        is_short = present.str.len().max() <= LONGEST_NAME
        return are_different(present) and is_short and not self.is_like_number


# Each kind takes what those before it leave; what none of them takes are words.
READ_ORDER = (OtherColumn, FlagColumn, NumberColumn, DurationColumn, DateColumn)
CLASS_OF_KIND = {
    column_class.kind: column_class
    for column_class in (*READ_ORDER, CategoryColumn, TextColumn)
}


def categories_of(kinds):
    """Names of the columns that have one indicator for each of their words.

    Parameters
    ----------
    kinds : dict of str to str
        Kinds by the names of the columns.
    """
    return [name for name, kind in kinds.items() if CLASS_OF_KIND[kind].is_word]


def shown_values(features, kinds):
    """The features of some rows as a page shows them.

    Parameters
    ----------
    features : DataFrame of shape (n, d)
        Columns of a table.
    kinds : dict of str to str
        Kinds by the names of the columns.
    """
    columns = {
        name: CLASS_OF_KIND[kinds[name]].as_shown(values)
        for name, values in features.items()
    }
    return as_frame(columns)


def read_column(series, notation=UNDECIDED):
    """A column of any table as a Column."""
    cells = Cells(series)
    for column_class in READ_ORDER:
        column = column_class.read(cells, notation)
        if column is not None:
            return column
    return WordColumn.read(cells, notation)


def read_columns(frame, notation=UNDECIDED, undivided=()):
    """The columns as Columns by name; but for the `undivided`, some become two.

    Where the notation does not decide, the words of all columns do.
    """
    words_of_column = {}
    for name, series in frame.items():
        if series.dtype.kind == "O":
            words, _ = missing_words(words_of(series.head(MOST_WORDS_ASKED)))
            words_of_column[name] = words
    _, mark = read_all_numbers(words_of_column, notation)
    notation = replace(notation, likely=mark == ",")
    columns = {}
    for name, series in frame.items():
        column = read_column(series, notation)
        parts = {name: column}
        if name not in undivided:
            parts = column.parts()
        for part_name, part in parts.items():
            if part_name != name:
                part_name = unique_names([*columns, *frame, part_name])[-1]
                part = part.renamed(part_name)
            columns[part_name] = part
    return columns


def colored_values(features, kinds):
    """The features (n, d) of some rows as an explorer takes them, by name.

    `kinds` are their kinds by name.
    """
    return {
        name: CLASS_OF_KIND[kinds[name]].as_colored(values)
        for name, values in features.items()
    }
