"""Text tables (CSV, TSV): separator, header and encoding are found out, and every row must have the same length."""

import csv
import re
from collections import Counter
from itertools import islice, zip_longest

import numpy as np

from ..core.memory import check_memory
from .columns import MISSING, is_number, is_numeric, missing_words, read_numbers
from .files import encoding_of, plain_suffix, text_of
from .text import check_names, count_phrase, missing_note, reading_error, short_list

SEPARATORS = {
    "\t": "tabs",
    ";": "semicolons",
    "|": "bars (|)",
    ",": "commas",
    " ": "spaces",
    "": "line ends",
}
SAMPLE = 200  # lines from which separator and header are found out
FIELDS = 2_000_000  # held as a list at once
# bytes of memory for a byte of the file, while it is read; so much is told of
IN_MEMORY, LARGE = 16, 4e9
NO_HEADER = "There is no line of names: the columns are called"


class TextTable:
    """A text with rows of fields, its separator ("" where each line is one field), and notes of how it is read."""

    def __init__(self, path):
        self.path = path
        self.encoding, self.notes = encoding_of(path)
        with text_of(path, self.encoding) as lines:
            sample = list(islice(filter(str.strip, lines), SAMPLE)) or [""]
        # Excel's first line
        self._says = bool(re.fullmatch(r"sep=[,;|\t]\s*", sample[0]))
        self.separator = sample[0][4] if self._says else _separator(sample)
        self.separated = f"separated by {SEPARATORS[self.separator]}"
        if self.separator not in ("", ",") and not (
            self.separator == "\t" and plain_suffix(path) in (".tsv", ".tab")
        ):
            self.notes.append(f"The columns are {self.separated}.")

    def rows(self):
        """(number of the line, fields) of each row that is not empty."""
        with text_of(self.path, self.encoding) as lines:
            reader = _fields(lines, self.separator, strict=True)
            try:
                for row in reader:
                    row = [field.strip() for field in row]
                    if (
                        row
                        and row != [""]
                        and not (self._says and reader.line_num == 1)
                    ):
                        yield reader.line_num, row
            except csv.Error as error:
                remedy = (
                    "Look for a quotation mark that is not closed, or not at the end of"
                    " a field."
                )
                raise reading_error(
                    self.path, f"line {reader.line_num}: {error}", remedy
                ) from None


def _fields(lines, separator, strict=False):
    """A reader of the fields of lines."""
    if separator == " ":
        lines = (line.replace("\t", " ").strip() for line in lines)
    return csv.reader(
        lines, delimiter=separator or "\x1f", skipinitialspace=True, strict=strict
    )


def _separator(lines):
    """The separator with which most lines have the same number of fields, at least two."""
    best, best_score = "", 0.0
    for separator in filter(None, SEPARATORS):
        try:
            rows = list(filter(None, _fields(lines, separator)))
        except csv.Error:  # a field without an end
            continue
        widths = Counter(map(len, rows))
        width, count = max(widths.items(), key=lambda item: item[1], default=(1, 0))
        words = [row for row in rows[1:] or rows if not any(map(is_number, row))]
        if separator == " " and (
            best or len(widths) > 2 or len(words) > 0.2 * len(rows[1:] or rows)
        ):
            break
        if width > 1 and count >= len(rows) / 2 and count / len(rows) > best_score:
            best, best_score = separator, count / len(rows)
    return best


def read_text_table(path, rows=None, rng=None):
    """A text as a DataFrame (n, d) and notes; `rows`: at most so many, drawn at random while reading."""
    import pandas as pd

    text = TextTable(path)
    names, body = _names(text)
    needed = IN_MEMORY * path.stat().st_size
    if rows is None and needed > LARGE:
        remedy = (
            "Give `rows` (`--rows N`) to read a part of it, drawn at random, in little"
            " memory."
        )
        check_memory(f"Reading all of {path.name!r}", needed // 8, 1, remedy=remedy)
        text.notes.append(
            f"All of the file is read, which takes some {needed / 1e9:.0f} GB of"
            " memory."
        )
    frames, keys, total = [], np.empty(0), 0
    while lines := list(islice(body, max(1, FIELDS // len(names)))):
        index = pd.RangeIndex(total + 1, total + len(lines) + 1, name="row")
        frames.append(pd.DataFrame(lines, index, names, dtype=object))
        total += len(lines)
        # the rows with the smallest of random keys: each set of rows is equally likely
        if rows is not None:
            keys = np.concatenate([keys, rng.random_sample(len(lines))])
            kept = np.sort(np.argsort(keys, kind="stable")[:rows])
            frames, keys = [pd.concat(frames).iloc[kept]], keys[kept]
    if not total:
        raise ValueError(
            f"`path` must be a table with rows; {path.name!r} has only a line of names."
            " Add rows."
        )
    frame = pd.concat(frames)
    if len(frame) < total:
        text.notes.append(
            f"{len(frame):,} of {count_phrase(total, 'row')} were drawn at random."
        )
    else:
        frame = frame.reset_index(drop=True)
    return _as_values(frame, text.separator == ";", text.notes), text.notes


def _names(text):
    """Names of the columns, and the rows below as an iterator, which refuses rows of another length."""
    body, notes, header = text.rows(), text.notes, True
    first, *below = [fields for _, fields in islice(text.rows(), SAMPLE)] or [[""]]
    longer = {len(row) - len(first) for row in below}
    if longer == {1} and not any(row[-1] for row in below):
        names = [*first, f"X{len(first) + 1}"]
        notes.append(
            "The rows end with a separator: the empty column behind it is called"
            f" {names[-1]}."
        )
    elif longer == {-1} and first[0] == "#":  # as numpy.savetxt writes it
        names = first[1:]
    elif longer == {1} and (not any(map(is_numeric, first)) or _counts_through(first)):
        names = ["row name", *first]
        notes.append(
            "The first column has no name in the first line: it holds the names of the"
            " rows."
        )
    else:
        names, header = names_of_columns([first, *below], notes)
    return check_names(names, "path", repr(text.path.name)), _even(
        islice(body, int(header), None), len(names), text
    )


def names_of_columns(rows, notes):
    """Names of the columns from the first of some rows of str, X1, X2, ... without a header; and whether it is one."""
    first, numbered = rows[0], [f"X{j + 1}" for j in range(len(rows[0]))]
    if not _has_header(rows):
        notes.append(f"{NO_HEADER} {short_list(numbered, 3)}.")
        return numbered, False
    names = [name or number for name, number in zip(first, numbered, strict=True)]
    if unnamed := [name for name in names if name not in first]:
        notes.append(
            f"{count_phrase(len(unnamed), 'column', ('has no name', 'have no names'))}:"
            f" called {short_list(unnamed)}."
        )
    if any(map(is_numeric, first)):
        notes.append(
            f"The first line ({short_list(first, 3)}) is read as names of the columns."
        )
    return names, True


def _has_header(rows):
    """Whether a word stands above numbers, or the first row counts through; else it has no number or word of below."""
    first, *below = rows
    columns = [
        (name, [field for field in column if field.casefold() not in MISSING])
        for name, *column in zip_longest(*rows, fillvalue="")
        if name.casefold() not in MISSING
    ]
    if any(
        column and not is_numeric(name) and all(map(is_numeric, column))
        for name, column in columns
    ):
        return True
    square = not first[0] and all(
        name == row[0] for name, row in zip(first[1:], below, strict=False)
    )
    if below and (square or _counts_through(first) and not _counts_through(below[0])):
        return True
    return not any(
        is_numeric(name) or name in column for name, column in columns
    ) and bool(columns or not below)


def _counts_through(fields):
    """Whether the numbers of a row are 0, 1, 2, 3, ... or 1, 2, 3, 4, ..., as names without a meaning, or years."""
    numbers = [
        int(field) if re.fullmatch(r"\d{1,5}", field, re.A) else -1
        for field in fields
        if is_numeric(field)
    ]
    start, n = (numbers or [0])[0], len(numbers)
    many = n >= 4 and start in (0, 1) or n >= 2 and 1800 <= start < 2100
    return many and numbers == list(range(start, start + n))


def _even(body, width, text):
    """The fields of rows, as long as all have the length of the first."""
    for line, fields in body:
        if len(fields) != width:
            what = (
                f"line {line} of {text.path.name!r} has"
                f" {count_phrase(len(fields), 'field')}, {width} expected"
            )
            raise ValueError(
                f"`path` must have rows of the same length; {what} ({text.separated})."
                " Mend that line."
            )
        yield fields


def _as_values(frame, likely, notes):
    """Words of a file as missing values and numbers; the columns that tell decide about the decimal comma of others."""
    columns, found, written = {}, Counter(), {}
    for name in frame:
        columns[name], missing = missing_words(frame[name])
        found += missing
    read = {name: read_numbers(words) for name, words in columns.items()}
    told = {comma for _, comma, *_ in read.values()} - {None}
    points = any(
        columns[name].str.contains(".", regex=False).any()
        for name, (values, *_) in read.items()
        if values is not None
    )
    comma = told == {True} or not told and likely and not points
    for name, words in columns.items():
        values, _, how, lost = (
            read_numbers(words, True) if comma and read[name][1] is None else read[name]
        )
        if values is not None:
            whole = (values % 1 == 0).all() and words.str.fullmatch(
                r"[+-]?\d{1,15}", na=False
            ).all()
            columns[name] = values.astype(np.int64) if whole else values
            notes += lost
        if how:
            written.setdefault(how, []).append(f"`{name}`")
    notes += [f"Numbers {how}: {short_list(names)}." for how, names in written.items()]
    if found:
        notes.append("R" + missing_note(found)[1:])
    return type(frame)(columns, frame.index)
