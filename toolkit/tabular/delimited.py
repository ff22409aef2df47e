"""Text tables (CSV, TSV): separator, header and encoding are found out.

Every row must have the same length.
"""

import csv
import re
from collections import Counter
from dataclasses import dataclass, replace
from heapq import nsmallest
from itertools import chain, count, islice

from ..core import (
    and_list,
    capital,
    check_memory,
    count_phrase,
    import_pandas,
    short_repr,
)
from .cells import MISSING_WORDS, UNDECIDED, missing_note, missing_words
from .files import encoding_of, open_file, plain_suffix, reading_error
from .headers import Header, check_names, find_header
from .numbers import is_number, read_all_numbers

SEPARATORS = {
    "\t": "tabs",
    ";": "semicolons",
    "|": "bars (|)",
    ",": "commas",
    " ": "spaces",
    "": "line ends",
}
SAMPLE = 200  # lines from which separator and header are found out
IN_MEMORY = 16  # bytes for a byte of the file, while it is read
MANY_BLANKS = r"\d {2,}\S|(?:\d\S* +){3}"  # between numbers
FEWEST_ALIKE = 0.5  # proportion of the lines with as many fields
MOST_WORDS = 0.2  # proportion of the lines without a number between spaces
MOSTLY_MIXED = (
    0.8  # proportion of the lines with blanks, if tabs are blanks, too
)
QUOTED = "\ue000"
NO_SEPARATOR = "\x1f"  # a character that is in no text
COMMENTS = ("#", "%")
EXCEL_LINE = r"sep=([,;|\t])\s*"
WHOLE = r"[+-]?\d{1,15}"


@dataclass(frozen=True, kw_only=True, eq=False)
class TableFile:
    """A file as a table.

    Attributes
    ----------
    frame : DataFrame of shape (n, d)
        The table.
    notes : list of str
        Sentences about how the file was read.
    mark : "." or ",", or None
        The decimal mark of a text, if anything tells it.
    header : Header or None
        Where the names of the columns of a text are from.
    """

    frame: object
    notes: list
    mark: str | None = None
    header: Header | None = None


def read_text_table(
    path, *, rows=None, rng=None, notation=UNDECIDED, encoding=None
):
    """A text as a TableFile; with `rows` at most so many, drawn while reading."""
    encoding, notes = encoding_of(path, encoding)
    # 1. the separator
    with open_file(path, encoding) as lines:
        filled_lines = (line for line in lines if line.strip())
        sample = list(islice(filled_lines, SAMPLE))
    excel_line = re.fullmatch(EXCEL_LINE, "".join(sample[:1]))
    if excel_line:
        separator = excel_line[1]
    else:
        separator = _separator(sample)
    separator_of_suffix = ","
    if plain_suffix(path) in (".tsv", ".tab"):
        separator_of_suffix = "\t"
    if separator not in ("", ",", separator_of_suffix):
        notes = [
            *notes,
            f"The columns are separated by {SEPARATORS[separator]}.",
        ]
    # 2. the names, from the first of the rows
    body = _rows(path, encoding, separator)
    if excel_line:
        next(body)
    first_rows = list(islice(body, SAMPLE))
    header = find_header([row for _, row in first_rows] or [[""]])
    check_names(header.names, "path", repr(path.name))
    # 3. the rows below them
    if rows is None:
        check_memory(
            f"Reading all of {path.name!r}",
            IN_MEMORY * path.stat().st_size // 8,
            1,
            remedy="Give `rows` (`--rows N`) to read a part of it, drawn at random, in"
            " little memory.",
        )
    body = _EvenRows(
        chain(first_rows[header.n_lines :], body),
        header.names,
        separator,
        path.name,
    )
    words, drawn_notes = _word_table(body, header.names, rows, rng)
    values = _as_values(words, replace(notation, likely=separator == ";"))
    notes = notes + header.notes + header.name_notes
    notes += body.notes + drawn_notes + values.notes
    return replace(values, header=header, notes=notes)


def _fields(lines, separator, strict=False):
    """A reader of the fields of lines; quoted words such as "NA" get a mark.

    They are values, unless the whole line is quoted.
    """
    before_word = separator
    delimiter = separator
    if not separator:
        before_word = ","
        delimiter = NO_SEPARATOR
    start = rf"(^|[{before_word}])\s*"
    words = "|".join(re.escape(word) for word in MISSING_WORDS if word)
    quoted_word = re.compile(f'{start}"({words})"', re.I)
    bare_word = re.compile(f'{start}[^"\\s{separator}]')

    def marked(line):
        if '"' in line and bare_word.search(line):
            line = quoted_word.sub(rf'\1"{QUOTED}\2"', line)
        if separator == " ":
            line = line.replace("\t", " ").strip()
        return line

    return csv.reader(
        (marked(line) for line in lines),
        delimiter=delimiter,
        skipinitialspace=True,
        strict=strict,
    )


def _separator(lines):
    """The separator with which most lines have as many fields, two or more."""
    separator = ""
    largest_proportion = 0.0
    for candidate in SEPARATORS:
        if not candidate:
            continue
        try:
            rows = [row for row in _fields(lines, candidate) if row]
        except csv.Error:
            # A field has no end.
            continue
        widths = Counter(len(row) for row in rows)
        if candidate == " ":
            # Free text has spaces, too: these rows must have numbers and one length.
            if len(widths) > 2 or _are_words(rows):
                break
            # Tabs may be blanks like others.
            if separator == "\t" and _have_blanks(lines):
                largest_proportion = 0.0
            elif separator:
                break
        for width, n_rows in widths.most_common(1):
            proportion = n_rows / len(rows)
            is_table = width > 1 and proportion >= FEWEST_ALIKE
            if is_table and proportion > largest_proportion:
                separator = candidate
                largest_proportion = proportion
    return separator


def _are_words(rows):
    """Whether rows below the first hold no numbers, but for a few of them."""
    body = rows
    if len(rows) > 1:
        body = rows[1:]
    n_words = 0
    for row in body:
        if not any(is_number(word) for word in row):
            n_words += 1
    return n_words > MOST_WORDS * len(body)


def _have_blanks(lines):
    """Whether nearly all lines have blanks between numbers."""
    mixed = [line for line in lines if re.search(MANY_BLANKS, line)]
    return len(mixed) > MOSTLY_MIXED * len(lines)


def _rows(path, encoding, separator):
    """(number of the line, fields) of each row that is not empty."""
    with open_file(path, encoding) as lines:
        reader = _fields(lines, separator, strict=True)
        line = 1
        try:
            for row in reader:
                line = reader.line_num + 1
                row = [word.strip() for word in row]
                if row not in ([], [""]):
                    yield reader.line_num, row
        except csv.Error as error:
            raise reading_error(
                path,
                f"line {line}: {error}",
                "Look for a quotation mark that is not closed, or not at the end of a"
                " field.",
            ) from None


class _EvenRows:
    """The fields of the rows of a text, as long as all have the same length.

    Comments, and names that come again, are left out; once all rows are read, `notes`
    names them.
    """

    def __init__(self, body, names, separator, file_name):
        self._body = body
        self._names = names
        self._separator = separator
        self._file_name = file_name
        self._left_out = []

    def __iter__(self):
        width = len(self._names)
        for line, row in self._body:
            is_even = len(row) == width
            is_comment = row[0][:1] in COMMENTS and not is_even
            is_left_out = is_comment or row == self._names and width > 1
            if is_even and not is_left_out:
                yield row
                continue
            text = short_repr(f" {self._separator} ".join(row))
            if not is_left_out:
                raise ValueError(
                    f"`path` must have rows of the same length; line {line} of"
                    f" {self._file_name!r} has {count_phrase(len(row), 'field')},"
                    f" {width} expected (separated by {SEPARATORS[self._separator]}):"
                    f" {text}. Correct or remove that line."
                )
            self._left_out.append(f"{line} ({text})")

    @property
    def notes(self):
        """A sentence about the lines that were left out, if there are some."""
        if not self._left_out:
            return []
        return [
            "Comments, or the names again, are left out: line"
            f" {and_list(self._left_out, 3)}."
        ]


def _word_table(body, names, rows, rng):
    """The rows of a text as words, or some of them with their numbers; and notes."""
    pd = import_pandas()
    if rows is None:
        return pd.DataFrame(list(body), columns=names, dtype=object), []
    # Rows are those of the smallest random keys: each set is equally likely.
    numbers = count(1)
    pairs = zip(body, numbers, strict=False)
    drawn = nsmallest(rows, pairs, key=lambda pair: rng.random_sample())
    row_of_number = {number: row for row, number in drawn}
    words = pd.DataFrame(
        list(row_of_number.values()),
        pd.Index(list(row_of_number), name="row"),
        names,
        dtype=object,
    ).sort_index()
    n_rows = next(numbers) - 1
    if len(words) == n_rows:
        return words.reset_index(drop=True), []
    note = (
        f"{len(words):,} of {count_phrase(n_rows, 'row')} were drawn at random."
    )
    return words, [note]


def _as_values(frame, notation):
    """Words of a file as missing values and numbers.

    The columns that tell decide about others; units and limits stay words.
    """
    columns = {}
    quoted_columns = {}
    missing = Counter()
    for name, words in frame.items():
        is_quoted = words.str.startswith(QUOTED)
        columns[name], gaps = missing_words(words.mask(is_quoted))
        missing += gaps
        if is_quoted.any():
            bare = words.str.removeprefix(QUOTED)
            quoted_columns[name] = columns[name].where(~is_quoted, bare)
    numbers_of, mark = read_all_numbers(columns, notation)
    names_of_notation = {}
    notes = []
    for name, words in columns.items():
        numbers = numbers_of[name]
        if numbers is None:
            if name in quoted_columns:
                columns[name] = quoted_columns[name].astype("category")
        elif numbers.is_bare:
            columns[name] = numbers.values
            if words.str.fullmatch(WHOLE, na=False).all():
                columns[name] = numbers.values.astype(int)
            notes += numbers.lost
            if numbers.how:
                names = names_of_notation.setdefault(numbers.how, [])
                names.append(f"`{name}`")
    for how, names in names_of_notation.items():
        notes.append(f"{and_list(names)}: numbers{how}.")
    if missing:
        notes.append(capital(missing_note(missing)))
    return TableFile(
        frame=type(frame)(columns, frame.index), notes=notes, mark=mark
    )
