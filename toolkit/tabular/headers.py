"""Names of the columns of a table, found out from the first rows of a text or sheet."""

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import accumulate, zip_longest

from ..core import (
    and_list,
    feature_names,
    import_pandas,
    join_words,
    short_repr,
    value_list,
)
from .cells import MISSING_WORDS
from .numbers import MISSING_NUMBERS, is_numeric

# What stands in a row of units, above words.
UNIT = re.compile(
    r"\W*|[\[(].*[\])]|str(ing)?|text|char.*|object|factor|nominal|categor.*|c|d",
    re.I,
)
FIRST_DIGIT = r"[^\w\s]*\s*\d"  # numbers, dates, limits and money begin so
FIRST_COUNT = "[01]|(18|19|20)[0-9]{2}"
FEWEST_COUNTS = 4  # numbers from 0 or 1 on that are names without a meaning


def check_names(names, argument, owner):
    """The names of columns, if none comes twice."""
    counts = Counter(names)
    repeated = [short_repr(name) for name in counts if counts[name] > 1]
    if repeated:
        raise ValueError(
            f"`{argument}` must have columns of different names; {owner} repeats"
            f" {and_list(repeated)}. Rename them."
        )
    return names


def unique_names(names):
    """The names with " (2)", " (3)", ... behind repeats."""
    pd = import_pandas()
    names = pd.Series(names, dtype=object)
    while names.duplicated().any():
        # A new name may repeat an old one: then they are counted again.
        k = names.groupby(names).cumcount() + 1
        names = names.where(k == 1, names + " (" + k.astype(str) + ")")
    return names.tolist()


@dataclass(frozen=True, kw_only=True)
class Header:
    """Names of the columns, and the lines that they are from.

    Attributes
    ----------
    names : list of str
        Names; X1, X2, ... without any in the file.
    n_lines : int
        How many of the rows are above the data.
    is_found : bool
        Whether there is a line of names.
    notes : list of str
        Sentences about lines that are not read, and about separators at their ends.
    name_notes : list of str
        Sentences about the names, which mean nothing for a square matrix.
    """

    names: list
    n_lines: int = 1
    is_found: bool = True
    notes: list = field(default_factory=list)
    name_notes: list = field(default_factory=list)


def find_header(rows):
    """Find the names of the columns in the first rows, each a list of str.

    Examples
    --------
    >>> header = find_header([["size", "kind"], ["1.5", "rose"]])
    >>> header.names, header.n_lines
    (['size', 'kind'], 1)
    """
    n_above = _count_title_lines(rows)
    notes = []
    if n_above:
        lines = [short_repr(join_words(row)) for row in rows[:n_above]]
        notes.append(f"Not read, above the table: {and_list(lines, 3)}.")
    header = _header_of(rows[n_above:])
    return replace(
        header, n_lines=n_above + header.n_lines, notes=notes + header.notes
    )


def _count_title_lines(rows):
    """How many rows of a title and comments stand above the table."""
    width = Counter([len(row) for row in rows]).most_common(1)[0][0]
    full_rows = [row for row in rows if len(row) == width]
    n_above = 0
    for row in rows:
        n_filled = len(row) - row.count("")
        if n_filled > 1 or width < 3:
            if len(row) == width:
                break
            # Names may be fewer or more by one, if none stand below.
            is_near = abs(len(row) - width) == 1
            if is_near and not _has_words_above(full_rows):
                break
        n_above += 1
    return n_above if n_above < len(rows) else 0


def _header_of(rows):
    """The names in the first rows of a table without a title."""
    first, *body = rows
    surplus = {len(row) - len(first) for row in body}
    if surplus == {1} and not any(row[-1] for row in body):
        names = [*first, f"X{len(first) + 1}"]
        note = (
            "The rows end with a separator: the empty column behind it is called"
            f" {names[-1]}."
        )
        return Header(names=names, notes=[note])
    if surplus == {-1} and first[0] == "#":
        # numpy.savetxt writes it so.
        return Header(names=first[1:])
    if surplus == {-1} and not first[-1]:
        note = "The line of names ends with a separator, and no row does."
        return Header(names=first[:-1], notes=[note])
    if surplus == {1}:
        if not _has_number(first) or _counts_through(first):
            note = (
                "The first column has no name in the first line: it holds the names of"
                " the rows."
            )
            names = ["row name", *first]
            return Header(names=names, name_notes=[note])
    return _even_header(rows)


def _even_header(rows):
    """Names, as many as fields, from rows of names, of units, or none."""
    first = rows[0]
    if len(first) > 1:
        # Files that are put together have their names again.
        rows = [first] + [row for row in rows[1:] if row != first]
    n_heads = _count_heads(rows)
    if n_heads > 1:
        return _joined_header(rows[:n_heads])
    numbered_names = feature_names(None, len(first))
    if not _has_header(rows):
        note = (
            "There is no line of names: the columns are called"
            f" {and_list(numbered_names, 3)}."
        )
        return Header(
            names=numbered_names, n_lines=0, is_found=False, name_notes=[note]
        )
    names = [*first]
    unnamed = []
    for j, number in enumerate(numbered_names):
        if not names[j]:
            names[j] = number
            unnamed.append(number)
    name_notes = []
    if unnamed:
        name_notes.append(
            f"Columns without a name: called {and_list(unnamed)}."
        )
    without_mark = names[0].removeprefix("#").strip()
    if without_mark:
        names[0] = without_mark
    if _has_number(first):
        name_notes.append(
            f"The first line ({and_list(first, 3)}) is read as names of the columns."
        )
    return Header(names=names, name_notes=name_notes)


def _count_heads(rows):
    """How many of the first rows have words above the numbers of all columns of such.

    Words that come again below are values.
    """
    first_numbers = []
    word_columns = []
    for column in zip_longest(*rows, fillvalue=""):
        n_words = len(_without_gaps(column))
        is_number = [bool(re.match(FIRST_DIGIT, field)) for field in column]
        if sum(is_number) > n_words / 2:
            first_numbers.append(is_number.index(True))
        else:
            word_columns.append(column)
    n_heads = min(first_numbers, default=1)
    are_names = _are_names(rows[0])
    for k in range(1, n_heads):
        words = {field.casefold() for field in rows[k]}
        is_empty = words <= MISSING_WORDS | MISSING_NUMBERS
        if is_empty or len(rows[k]) != len(rows[0]):
            return k
        for column in word_columns:
            word = column[k]
            # Below names, only a unit or type stands above words.
            is_value = are_names and not UNIT.fullmatch(word)
            if word and (is_value or word in column[k + 1 :]):
                return k
    return n_heads


def _are_names(row):
    return all(row) and len(set(row)) == len(row)


def _has_number(row):
    return any(is_numeric(word) for word in row)


def _joined_header(heads):
    """Names of the columns from several rows of names or units."""
    for row in heads:
        if _are_names(row):
            lines = [", ".join(line) for line in heads if line is not row]
            note = f"Not read, units or more names: {value_list(lines)}."
            return Header(names=row, n_lines=len(heads), notes=[note])
    # A name stands above the empty fields to its right.
    upper_names = accumulate(heads[0], lambda left, name: name or left)
    names = [
        join_words(pair) for pair in zip(upper_names, heads[1], strict=True)
    ]
    note = f"Names of two rows are joined: {and_list(names, 3)}."
    return Header(names=names, n_lines=len(heads), notes=[note])


def _without_gaps(column):
    """The fields of a column that do not mean a missing value."""
    return [word for word in column if word.casefold() not in MISSING_WORDS]


def _named_columns(rows):
    """The columns that have a name in the first row, without missing values."""
    for column in zip_longest(*rows, fillvalue=""):
        present = _without_gaps(column)
        if column[0] in present[:1]:
            yield present


def _has_words_above(rows):
    """Whether the first row has a word above numbers."""
    for name, *column in _named_columns(rows):
        words = [word for word in column if not is_numeric(word)]
        if column and not words and not is_numeric(name):
            return True
    return False


def _has_header(rows):
    """Whether the first row holds names of the columns."""
    first, *body = rows
    if _has_words_above(rows):
        return True
    if body:
        # A square matrix may have its names twice.
        row_names = [row[0] for row in body]
        n_names = min(len(row_names), len(first) - 1)
        if not first[0] and first[1 : n_names + 1] == row_names[:n_names]:
            return True
        if _counts_through(first) and not _counts_through(body[0]):
            return True
    # No name is a number, or a word of its column.
    columns = list(_named_columns(rows))
    for name, *column in columns:
        if is_numeric(name) or name in column:
            return False
    return bool(columns or not body)


def _counts_through(fields):
    """Whether the numbers of a row are names without a meaning, or years.

    0, 1, 2, 3, ... or 1, 2, 3, 4, ..., or at least two years one after the other.
    """
    numbers = [word for word in fields if is_numeric(word)]
    n = len(numbers)
    if n < 2 or not re.fullmatch(FIRST_COUNT, numbers[0]):
        return False
    start = int(numbers[0])
    for number, count in zip(numbers, range(start, start + n), strict=True):
        if number != str(count):
            return False
    return n >= FEWEST_COUNTS or start > 1
