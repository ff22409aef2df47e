"""Text tables (CSV, TSV): separator, header and encoding are found out, and every row must have the same length."""

import csv
import re
from collections import Counter
from itertools import islice

import numpy as np

from ..core.memory import check_memory
from .columns import MISSING, is_number, is_numeric, missing_words, read_numbers
from .files import encoding_of, plain_suffix, text_of
from .wording import broken, check_names, counted, listed, missing_said

__all__ = ["NO_HEADER", "names_of_columns", "read_delimited"]

SEPARATORS = {"\t": "tabs", ";": "semicolons", "|": "bars (|)", ",": "commas", " ": "spaces", "": "line ends"}
SAMPLE = 200  # lines from which separator and header are found out
FIELDS = 2_000_000  # held as a list at once
IN_MEMORY, LARGE = 16, 4e9  # bytes of memory for a byte of the file, while it is read; so much is told of
NO_HEADER = "There is no line of names: the columns are called"


class TextTable:
    """A text with rows of fields, its separator ("" where each line is one field), and notes of how it is read."""

    def __init__(self, path):
        self.path = path
        self.encoding, self.notes = encoding_of(path)
        with text_of(path, self.encoding) as lines:
            sample = list(islice((line for line in lines if line.strip()), SAMPLE)) or [""]
        self._says = bool(re.fullmatch(r"sep=[,;|\t]\s*", sample[0]))  # Excel's first line
        self.separator = sample[0][4] if self._says else _separator(sample)
        self.separated = f"separated by {SEPARATORS.get(self.separator, self.separator)}"
        expected = ("", ",", "\t") if plain_suffix(path) in (".tsv", ".tab") else ("", ",")
        if self.separator not in expected:
            self.notes.append(f"The columns are {self.separated}.")

    def rows(self):
        """(number of the line, fields) of each row that is not empty."""
        with text_of(self.path, self.encoding) as lines:
            lines = (line.replace("\t", " ").strip() for line in lines) if self.separator == " " else lines
            reader = csv.reader(lines, delimiter=self.separator or "\x1f", skipinitialspace=True, strict=True)
            try:
                for row in reader:
                    row = [field.strip() for field in row]
                    if row and row != [""] and not (self._says and reader.line_num == 1):
                        yield reader.line_num, row
            except csv.Error as error:
                remedy = "Look for a quotation mark that is not closed, or not at the end of a field."
                raise broken(self.path, f"line {reader.line_num}: {error}", remedy) from None


def _separator(lines):
    """The separator with which most lines have the same number of fields, at least two."""
    best, best_score = "", 0.0
    for separator in filter(None, SEPARATORS):
        text = lines
        if separator == " ":
            text = [line.replace("\t", " ").strip() for line in lines]
            with_numbers = [any(map(is_number, line.split())) for line in text[1:] or text]
            if best or np.mean(with_numbers) < 0.8:  # words
                break
        try:
            widths = Counter(len(row) for row in csv.reader(text, delimiter=separator, skipinitialspace=True) if row)
        except csv.Error:  # a field without an end
            continue
        width, count = widths.most_common(1)[0] if widths else (1, 0)
        score = count / max(1, widths.total())
        if width > 1 and score >= 0.5 and score > best_score and (separator != " " or len(widths) <= 2):
            best, best_score = separator, score
    return best


def read_delimited(path, rows=None, rng=None):
    """A text as a DataFrame (n, d) and notes; `rows`: at most so many, drawn at random while reading."""
    import pandas as pd

    text = TextTable(path)
    names, body = _names(text)
    needed = IN_MEMORY * path.stat().st_size
    if rows is None and needed > LARGE:
        remedy = "Give `rows` (`--rows N`) to read a part of it, drawn at random, in little memory."
        check_memory(f"Reading all of {path.name!r}", needed // 8, 1, remedy=remedy)
        text.notes.append(f"All of the file is read, which takes some {needed / 1e9:.0f} GB of memory.")
    chunks, drawn, total = [], np.empty(0), 0
    while lines := list(islice(body, max(1, FIELDS // len(names)))):
        index = pd.RangeIndex(total + 1, total + len(lines) + 1, name="row")
        chunks.append(pd.DataFrame(lines, index, names, dtype=object))
        total += len(lines)
        if rows is not None:  # the rows with the smallest of random keys: each set of rows is equally likely
            drawn = np.concatenate([drawn, rng.random_sample(len(lines))])
            kept = np.sort(np.argsort(drawn, kind="stable")[:rows])
            chunks, drawn = [pd.concat(chunks).iloc[kept]], drawn[kept]
    if not total:
        raise ValueError(f"`path` must be a table with rows; {path.name!r} has only a line of names. Add rows.")
    frame = pd.concat(chunks)
    if len(frame) < total:
        text.notes.append(f"{len(frame):,} of {counted(total, 'row')} were drawn at random.")
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
        notes.append(f"The rows end with a separator: the empty column behind it is called {names[-1]}.")
    elif longer == {-1} and first[0] == "#":  # as numpy.savetxt writes it
        names = first[1:]
    elif longer == {1} and (not any(map(is_numeric, first)) or _counts_through(first)):
        names = ["row name", *first]
        notes.append("The first column has no name in the first line: it holds the names of the rows.")
    else:
        names, header = names_of_columns([first, *below], notes)
    return check_names(names, "path", repr(text.path.name)), _even(islice(body, int(header), None), len(names), text)


def names_of_columns(rows, notes):
    """Names of the columns from the first of some rows of str, X1, X2, ... without a header; and whether it is one."""
    first, numbered = rows[0], [f"X{j + 1}" for j in range(len(rows[0]))]
    if not _has_header(rows):
        notes.append(f"{NO_HEADER} {', '.join(numbered[:3])}{' ...' if len(numbered) > 3 else '.'}")
        return numbered, False
    if unnamed := [number for name, number in zip(first, numbered, strict=True) if not name]:
        notes.append(f"{counted(len(unnamed), 'column', ('has no name', 'have no names'))}: called {listed(unnamed)}.")
    if any(map(is_numeric, first)):
        notes.append(f"The first line ({listed(first, 3)}) is read as names of the columns.")
    return [name or number for name, number in zip(first, numbered, strict=True)], True


def _has_header(rows):
    """Whether a word stands above numbers, or the first row counts through; else it has no number or word of below."""
    first, below = rows[0], rows[1:]
    below_it = [[row[j] for row in below if row[j:] and row[j].casefold() not in MISSING] for j in range(len(first))]
    pairs = [(field, column) for field, column in zip(first, below_it, strict=True) if field.casefold() not in MISSING]
    if any(column and not is_numeric(field) and all(map(is_numeric, column)) for field, column in pairs):
        return True
    square = not first[0] and all(name == row[0] for name, row in zip(first[1:], below, strict=False))
    if below and (square or _counts_through(first) and not _counts_through(below[0])):
        return True
    return not any(is_numeric(field) or field in column for field, column in pairs) and bool(pairs or not below)


def _counts_through(fields):
    """Whether the numbers of a row are 0, 1, 2, 3, ... or 1, 2, 3, 4, ..., as names without a meaning, or years."""
    numbers = [int(field) for field in fields if re.fullmatch(r"\d{1,5}", field, re.A)]
    start, n = (numbers or [0])[0], len(numbers)
    if n < 2 or n != sum(map(is_numeric, fields)) or numbers != list(range(start, start + n)):
        return False
    return n >= 4 and start in (0, 1) or 1800 <= start < 2100


def _even(body, width, text):
    """The fields of rows, as long as all have the length of the first."""
    for line, fields in body:
        if len(fields) != width:
            what = f"line {line} of {text.path.name!r} has {counted(len(fields), 'field')}, {width} expected"
            raise ValueError(f"`path` must have rows of the same length; {what} ({text.separated}). Mend that line.")
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
        columns[name].str.contains(".", regex=False).any() for name, (values, *_) in read.items() if values is not None
    )
    comma = told == {True} or not told and likely and not points
    for name, words in columns.items():
        values, _, how, lost = read_numbers(words, True) if comma and read[name][1] is None else read[name]
        if values is not None:
            whole = words.str.fullmatch(r"[+-]?\d{1,15}", na=False).all()
            columns[name] = values.astype(np.int64) if whole else values
            notes += lost
        if how:
            written.setdefault(how, []).append(f"`{name}`")
    notes += [f"Numbers {how}: {listed(names)}." for how, names in written.items()]
    if found:
        notes.append("R" + missing_said(found)[1:])
    return type(frame)(columns, frame.index)
