"""What the values of a column are: numbers, categories, dates or free text.

Which words mean a missing value is decided here, too.
"""

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import cached_property
from numbers import Real

import numpy as np

from ..core import LARGEST, and_list, import_pandas
from .headers import one_line, unique_names
from .messages import missing_note
from .notations import (
    CODE,
    NEARLY,
    UNDECIDED,
    in_utc,
    is_number,
    loss_note,
    read_all_numbers,
    read_dates,
    read_numbers,
    read_pairs,
    read_times,
    two_ways,
)

MISSING = {
    "",
    "na",
    "n/a",
    "#n/a",
    "<na>",
    "nan",
    "nat",
    "null",
    "?",
    "-",
    "--",
}
# of the values: different ones of an identifier
ENOUGH = 0.95
MOST_CATEGORIES = 50
MOST_ASKED = 2000  # rows whose words tell about the decimal mark
MOSTLY = 0.9  # of the differences between its sorted whole numbers are 1
RARE = 1e-3  # probability that all rows of a notation are of one class
LONGEST = 60  # characters of a name; longer words are free text
FIRST_NAMES = {"id", "ids", "key", "index", "uuid"}
NAMES = {"name", "nr", "no", "code", *FIRST_NAMES}

BARS = " ▁▂▃▄▅▆▇█"
PLAIN_TYPES = (str, bytes, Real, Decimal, np.bool_, date, time, timedelta)


@dataclass(frozen=True, eq=False)
class Column:
    """A column as it was read.

    Attributes
    ----------
    raw : Series
        The values before reading.
    kind : "number", "category", "date", "text" or "other"
        Kind of the values.
    values : Series
        Values as floats, str with NaN, or dates.
    notes : list of str
        Sentences about how it was read.
    flags : bool
        Whether its numbers were True and False.
    further : dict of str to Series of floats
        Further columns that its words hold, in addition to numbers or in place of
        words.
    is_like_number : bool
        Whether most words begin like numbers that could not be read.
    """

    raw: object
    kind: str
    values: object
    notes: list
    flags: bool = False
    further: dict = field(default_factory=dict)
    is_like_number: bool = False

    def parts(self):
        """The columns that it becomes, by name."""
        if not self.further:
            return {self.raw.name: self}
        names = and_list(f"`{name}`" for name in self.further)
        found = {}
        name = self.raw.name
        lost = self.values[next(iter(self.further.values())).isna()]
        notes = [
            f"`{name}` holds pairs of numbers, now two columns: {names}.",
            *loss_note(name, lost.value_counts(), "pair of numbers"),
        ]
        if self.kind == "number":
            notes = [*self.notes, f"Which values are limits: {names}."]
            found[name] = replace(self, notes=notes)
            notes = []
        for name, values in self.further.items():
            values = values.rename(name)
            found[name] = Column(values, "number", values, notes)
            notes = []
        return found

    @cached_property
    def words(self):
        """The raw values as text, NaN where one is missing."""
        return missing_words(words_of(self.raw))[0]

    @cached_property
    def value_words(self):
        """The values as text, NaN where one is missing."""
        flags = {0.0: "False", 1.0: "True"}
        return words_of(self.values.map(flags) if self.flags else self.values)

    def summary(self):
        """The extent of the values, or the most frequent ones, and bars of counts.

        The counts are in ten intervals, or of the most frequent values.
        """
        values = self.values.dropna()
        if values.empty or self.kind == "other":
            return "", ""
        if self.kind in ("number", "date"):
            if self.kind == "number":
                extent = values.quantile([0, 0.5, 1]).map("{:.6g}".format)
            else:
                extent = words_of(values.quantile([0, 0.5, 1], "lower"))
                values = values.astype("int64")
            shown = "{0} to {2}, median {1}".format(*extent)
            numbers = values.to_numpy(float) - float(values.min())
            bins = 9.999 * numbers / max(numbers.max(), 1e-300)
            counts = np.bincount(bins.astype(int), minlength=10)
        else:
            frequent = values.sort_values().value_counts()
            words = [f"{value} ({count})" for value, count in frequent.items()]
            shown = ", ".join(words[:3] + ["..."] if len(words) > 3 else words)
            counts = frequent.to_numpy()[:10]
        heights = np.ceil(counts / counts.max() * (len(BARS) - 1))
        return shown, "".join(BARS[int(height)] for height in heights)

    def is_identifier(self, present):
        """Whether it names the rows and is no feature.

        Parameters
        ----------
        present : Series, the values that are not missing
        """
        if present.nunique() < ENOUGH * len(present):
            return False
        if self.kind == "text":
            is_short = present.str.len().max() <= LONGEST
            return is_short and not self.is_like_number
        if self.kind != "number" or np.any(np.mod(present, 1)):
            return False
        # whole numbers that count through, or whose name ends or begins so: case no,
        # patientID, id of the patient
        steps = np.diff(np.unique(present))
        name = present.name.removesuffix(".")
        words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\S", name) or [""]
        named = words[0].lower() in FIRST_NAMES or words[-1].lower() in NAMES
        return named or np.mean(steps == 1) >= MOSTLY


def check_size(values, argument):
    """Refuse infinite numbers in a Series, and those whose squares overflow."""
    for row, value in values[values.abs() > LARGEST].items():
        raise ValueError(
            f"`{argument}` must hold finite numbers up to {LARGEST:g}; column"
            f" `{values.name}` is {value:g} in {row}. Correct or empty it, or drop it."
        )


def words_of(series):
    """The values of a Series as text in one line, NaN where one is missing.

    3.0 is the word 3, and a time at midnight its date.
    """
    words = series.astype(object).map(_word, na_action="ignore").astype(object)
    return words.where(words.notna(), np.nan)


def _word(value):
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    elif isinstance(value, datetime) and value.time() == time.min:
        value = value.date()
    elif isinstance(value, bytes):
        value = value.decode("utf-8", errors="replace")
    return one_line(str(value))


def missing_words(words, declared=()):
    """Words with NaN for those that mean a missing value, and a Counter of those.

    Words declared as categories are values, and so is - in a column with +.
    """
    values = set(declared) - {""}
    if words.isin(["+", "++"]).any():
        values |= {"-", "--"}
    gaps = words.str.casefold().isin(MISSING) & ~words.isin(values)
    return words.mask(gaps), Counter(words[gaps])


def read_column(series, notation=UNDECIDED):
    """A column of any table as a Column."""
    return Column(series, *_read(series, notation))


def notation_notes(columns, classes):
    """Sentences on columns that have another notation in one class.

    Parameters
    ----------
    columns : iterable of Column
    classes : Series of str, NaN where one is missing
    """
    shares = classes.value_counts(normalize=True)
    for column in columns:
        is_words = column.raw.dtype.kind not in "biufmM" and not column.flags
        if not is_words or not (
            column.kind in ("number", "date") or column.is_like_number
        ):
            continue
        raw = column.raw[column.values.notna() & classes.notna()]
        ways = [raw.map(_way_of_writing), *two_ways(raw.astype(str))]
        for some in (some for way in ways for _, some in raw.groupby(way)):
            found = classes[some.index].unique()
            # not by chance
            if len(found) == 1 and shares[found[0]] ** len(some) < RARE:
                yield (
                    f"`{column.raw.name}`: values written like {some.iloc[0]!r}"
                    f" ({len(some):,}) are all of the class {found[0]!r}; the notation"
                    " may give the target away."
                )
                break


def _way_of_writing(value):
    """The decimal mark and what stands around a number, "number" of a true one."""
    if not isinstance(value, str):
        return "number"
    mark = re.findall(r"[.,](?=\d)", value)[-1:]
    around = re.sub(r"[\d.,'+() -]|[ap]m$|s$", "", value.casefold())
    return "".join([around, *mark]) or None


def read_columns(frame, notation=UNDECIDED, whole=()):
    """The columns as Columns by name; but for `whole`, some become two.

    Where the notation does not decide, the words of all columns do.
    """
    words = {
        name: missing_words(words_of(series.head(MOST_ASKED)))[0]
        for name, series in frame.items()
        if series.dtype.kind == "O"
    }
    _, mark = read_all_numbers(words, notation)
    notation = replace(notation, likely=mark == ",")
    columns = {}
    for name, series in frame.items():
        column = read_column(series, notation)
        parts = {name: column} if name in whole else column.parts()
        for part, found in parts.items():
            if part != name:
                part = unique_names([*columns, *frame, part])[-1]
            columns[part] = found
    return columns


def _read(series, notation):
    """Kind, values and notes of a column, and further attributes of a Column."""
    pd = import_pandas()
    types = pd.api.types
    dtype = series.dtype
    name = series.name
    notes = []
    # 1. dates, durations and values that are none of a table
    if types.is_timedelta64_dtype(dtype):
        how = f"`{name}` holds durations: taken as seconds."
        return "number", series.dt.total_seconds(), [how]
    if isinstance(dtype, pd.PeriodDtype):
        series = series.dt.to_timestamp()
    elif isinstance(dtype, pd.DatetimeTZDtype):
        notes.append(f"`{name}` has a time zone: taken in UTC.")
    if types.is_object_dtype(dtype) or types.is_complex_dtype(dtype):
        for value in series.dropna():
            if not isinstance(value, PLAIN_TYPES):
                kind = type(value).__name__
                return "other", series, [f"it holds values of type {kind}"]
    if types.is_datetime64_any_dtype(series):
        return "date", in_utc(series), notes
    # 2. numbers, but for integers that floats would round
    rounds = types.is_integer_dtype(dtype) and (series.abs() >= 2**53).any()
    if types.is_numeric_dtype(dtype) and not rounds:
        flags = types.is_bool_dtype(dtype)
        return "number", series.astype(float), notes, flags
    # 3. words, with true numbers or dates among them, which stay what they are
    is_category = isinstance(dtype, pd.CategoricalDtype)
    declared = words_of(pd.Series(dtype.categories)) if is_category else ()
    words, missing = missing_words(words_of(series), declared)
    if missing:
        notes.append(f"`{name}`: {missing_note(missing)}")
    is_like_number, further = False, {}
    if not is_category:
        if found := _read_words(words, series.astype(object), notation):
            kind, values, more, *rest = found
            return kind, values, notes + more, *rest
        strange, is_like_number = _strange_words(words)
        notes += strange
        further = read_pairs(words)
    # of few kinds, or free text
    few = words.nunique() <= min(MOST_CATEGORIES, len(words) / 2)
    kind = "category" if few else "text"
    return kind, words, notes, False, further, is_like_number


def _is_true_number(value):
    """Whether a value is a number that floats do not round, and no flag."""
    if isinstance(value, Decimal):
        value = float(value)
    is_real = isinstance(value, Real) and not isinstance(value, bool)
    return is_real and abs(value) < 2**53


def _read_words(words, entries, notation):
    """Words as numbers or dates, or None; true ones among the entries stay."""
    name = words.name
    is_true = entries.map(_is_true_number).astype(bool)
    # NaT is none
    is_date = entries.map(
        lambda value: isinstance(value, date) and value == value
    ).astype(bool)
    others = words.mask(is_true | is_date)
    # 1. flags and numbers
    flags = others.str.casefold().map({"true": 1.0, "false": 0.0}).astype(float)
    if 0 < flags.notna().sum() == words.notna().sum():
        return "number", flags, [], True
    numbers = entries.where(is_true).astype(float)
    found = None if is_date.any() else read_numbers(others, notation, numbers)
    if found:
        how = [f"`{name}`: numbers{found.how}."] if found.how else []
        further = {
            f"{name} {side} limit": (found.limits == side).astype(float)
            for side in found.limits.dropna().unique()
        }
        values = found.values.fillna(numbers)
        return "number", values, how + found.lost, False, further
    if is_true.any():
        return None
    # 2. dates and times
    dates = in_utc(entries.where(is_date))
    read, how, lost = read_dates(others, notation)
    if read is not None or is_date.any() and others.isna().all():
        values = dates if read is None else read.fillna(dates)
        how = [f"`{name}`: dates{how}."] if how else []
        return "date", values, how + lost
    times, lost = read_times(words)
    if times is None:
        return None
    how = f"`{name}` holds clock times or durations: taken as seconds."
    return "number", times, [how, *lost]


def _strange_words(words):
    """A note on words that are nearly numbers, and whether most of them are."""
    counts = words.value_counts()
    distinct = counts.index.to_series().astype(object)
    is_plain = distinct.map(is_number).notna()
    is_like = distinct.str.fullmatch(NEARLY) | is_plain
    most = counts[is_like].sum() > counts.sum() / 2
    if not (most or is_plain.any()):
        return [], False
    codes = distinct[distinct.str.fullmatch(CODE)].tolist()
    if codes and is_plain.all():
        why = f"a number would lose zeros in front of {codes[0]!r}, or digits"
    else:
        strange = distinct[is_plain.all() | ~is_plain]
        # one of each kind first
        kinds = strange.str.replace(r"[\d.,]+", "0", regex=True)
        order = np.argsort(kinds.duplicated(), kind="stable")
        examples = and_list(map(repr, strange.iloc[order]), 3)
        why = (
            f"{examples} cannot be read as numbers, dates or times"
            f" ({counts[is_plain].sum():,} of {counts.sum():,} values are numbers)"
        )
    note = f"`{words.name}`: {why}; all are taken as words."
    return [note], most and not codes
