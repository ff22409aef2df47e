"""Columns of words: categories of few kinds, or free text."""

from dataclasses import dataclass, field, fields

from ..core import name_list
from .column import MOST_BARS, Column, Exclusion, Reason, are_different
from .notations import loss_note
from .number_columns import NumberColumn
from .numbers import read_pairs, strange_words

MOST_KINDS_OF_WORDS = 50  # of a category; more are free text
LONGEST_NAME = 60  # characters; longer words are free text


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
    has_indicators = True
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
        if not self.is_like_number:
            return False
        return super().has_notation

    @property
    def class_words(self):
        return self.words if self.pairs else self.value_words

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
        frequent = present.sort_values().value_counts()
        return frequent.to_numpy()[:MOST_BARS]


@dataclass(frozen=True, kw_only=True, eq=False)
class CategoryColumn(WordColumn):
    """A column of words of few kinds."""

    kind = "category"


@dataclass(frozen=True, kw_only=True, eq=False)
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

    def _exclusion_of_kind(self, values_phrase):
        return Exclusion(Reason.FREE_TEXT, f"free text: {values_phrase}")
