"""Text tables (CSV, TSV): separator, header and encoding are found out.

Every row must have the same length.
"""

import csv
import re
from collections import Counter
from dataclasses import replace
from heapq import nsmallest
from itertools import accumulate, chain, count, islice, zip_longest

from ..core import (
    and_list,
    capital,
    check_memory,
    count_phrase,
    feature_names,
    import_pandas,
    short_repr,
)
from .columns import MISSING, missing_words
from .files import encoding_of, open_file, plain_suffix
from .headers import check_names
from .messages import missing_note, reading_error
from .notations import (
    MISSING_NUMBERS,
    UNDECIDED,
    is_number,
    is_numeric,
    read_all_numbers,
)

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
QUOTED = "\ue000"
COMMENTS = ("#", "%")
# in a row of units, above words
UNIT = re.compile(
    r"\W*|[\[(].*[\])]|str(ing)?|text|char.*|object|factor|nominal|categor.*|c|d",
    re.I,
)
FIRST_DIGIT = r"[^\w\s]*\s*\d"  # numbers, dates, limits and money begin so
NO_HEADER = "There is no line of names: the columns are called"


def _fields(lines, separator, strict=False):
    """A reader of the fields of lines; quoted words such as "NA" get a mark.

    They are values, unless the whole line is quoted.
    """
    start = rf"(^|[{separator or ','}])\s*"
    words = "|".join(map(re.escape, filter(None, MISSING)))
    quoted = re.compile(f'{start}"({words})"', re.I)
    bare = re.compile(f'{start}[^"\\s{separator}]')
    lines = (
        quoted.sub(rf'\1"{QUOTED}\2"', line)
        if '"' in line and bare.search(line)
        else line
        for line in lines
    )
    if separator == " ":
        lines = (line.replace("\t", " ").strip() for line in lines)
    return csv.reader(
        lines,
        delimiter=separator or "\x1f",
        skipinitialspace=True,
        strict=strict,
    )


def _separator(lines):
    """The separator with which most lines have as many fields, two or more."""
    best, best_share = "", 0.0
    for separator in filter(None, SEPARATORS):
        try:
            rows = list(filter(None, _fields(lines, separator)))
        except csv.Error:  # a field without an end
            continue
        widths = Counter(map(len, rows))
        if separator == " ":
            # free text has spaces, too: these rows must have numbers and one length
            body = rows[1:] or rows
            words = sum(not any(map(is_number, row)) for row in body)
            if len(widths) > 2 or words > 0.2 * len(body):
                break
            # tabs may be blanks like others
            mixed = sum(bool(re.search(MANY_BLANKS, line)) for line in lines)
            if best == "\t" and mixed > 0.8 * len(lines):
                best_share = 0.0
            elif best:
                break
        for width, n_rows in widths.most_common(1):
            share = n_rows / len(rows)
            if width > 1 and share >= 0.5 and share > best_share:
                best, best_share = separator, share
    return best


def read_text_table(
    path, rows=None, rng=None, notation=UNDECIDED, encoding=None
):
    """A text as a DataFrame (n, d), notes, and its decimal mark, if anything tells it.

    With `rows` at most so many, drawn at random while reading.
    """
    encoding, notes = encoding_of(path, encoding)
    separator, names, body = _layout(path, encoding, notes)
    if rows is None:
        check_memory(
            f"Reading all of {path.name!r}",
            IN_MEMORY * path.stat().st_size // 8,
            1,
            remedy="Give `rows` (`--rows N`) to read a part of it, drawn at random, in"
            " little memory.",
        )
    body = _even_rows(body, names, separator, path, notes)
    frame = _word_table(body, names, rows, rng, notes)
    notation = replace(notation, likely=separator == ";")
    frame, mark = _as_values(frame, notation, notes)
    return frame, notes, mark


def _word_table(body, names, rows, rng, notes):
    """The rows of a text as words, or some of them with their numbers as index."""
    pd = import_pandas()
    if rows is None:
        return pd.DataFrame(body, columns=names, dtype=object)
    # those with the smallest of random keys: each set of rows is equally likely
    numbers = count(1)
    pairs = zip(body, numbers, strict=False)
    kept = nsmallest(rows, pairs, key=lambda pair: rng.random_sample())
    fields = [row for row, _ in kept]
    index = pd.Index([number for _, number in kept], name="row")
    frame = pd.DataFrame(fields, index, names, dtype=object).sort_index()
    total = next(numbers) - 1
    if len(frame) == total:
        return frame.reset_index(drop=True)
    notes.append(
        f"{len(frame):,} of {count_phrase(total, 'row')} were drawn at random."
    )
    return frame


def _layout(path, encoding, notes):
    """The separator of a text, names of its columns, and (line, fields) below them."""
    # 1. the separator
    with open_file(path, encoding) as lines:
        sample = list(islice(filter(str.strip, lines), SAMPLE)) or [""]
    excel_line = re.fullmatch(r"sep=([,;|\t])\s*", sample[0])
    separator = excel_line[1] if excel_line else _separator(sample)
    by_suffix = "\t" if plain_suffix(path) in (".tsv", ".tab") else ","
    if separator not in ("", ",", by_suffix):
        notes.append(f"The columns are separated by {SEPARATORS[separator]}.")
    # 2. the names, from the first of the rows
    body = _rows(path, encoding, separator)
    if excel_line:
        next(body)
    sample = list(islice(body, SAMPLE))
    names, above = names_of_columns([row for _, row in sample] or [[""]], notes)
    check_names(names, "path", repr(path.name))
    return separator, names, chain(sample[above:], body)


def _rows(path, encoding, separator):
    """(number of the line, fields) of each row that is not empty."""
    with open_file(path, encoding) as lines:
        reader = _fields(lines, separator, strict=True)
        line = 1
        try:
            for row in reader:
                line = reader.line_num + 1
                row = [field.strip() for field in row]
                if row not in ([], [""]):
                    yield reader.line_num, row
        except csv.Error as error:
            raise reading_error(
                path,
                f"line {line}: {error}",
                "Look for a quotation mark that is not closed, or not at the end of a"
                " field.",
            ) from None


def _even_rows(rows, names, separator, path, notes):
    """The fields of rows, as long as all have the same length.

    Comments, and names that come again, are left out.
    """
    width = len(names)
    left_out = []
    for line, fields in rows:
        is_comment = fields[0][:1] in COMMENTS and len(fields) != width
        text = short_repr(f" {separator} ".join(fields))
        if is_comment or fields == names and width > 1:
            left_out.append(f"{line} ({text})")
        elif len(fields) == width:
            yield fields
        else:
            raise ValueError(
                f"`path` must have rows of the same length; line {line} of"
                f" {path.name!r} has {count_phrase(len(fields), 'field')}, {width}"
                f" expected (separated by {SEPARATORS[separator]}): {text}. Correct or"
                " remove that line."
            )
    if left_out:
        notes.append(
            "Comments, or the names again, are left out: line"
            f" {and_list(left_out, 3)}."
        )


def names_of_columns(rows, notes):
    """Names of the columns, and how many of some rows of str are above the data.

    X1, X2, ... without names.
    """
    rows, above = _without_title(rows, notes)
    first, *below = rows
    longer = {len(row) - len(first) for row in below}
    n_heads = 1
    if longer == {1} and not any(row[-1] for row in below):
        names = [*first, f"X{len(first) + 1}"]
        notes.append(
            "The rows end with a separator: the empty column behind it is called"
            f" {names[-1]}."
        )
    elif longer == {-1} and first[0] == "#":  # as numpy.savetxt writes it
        names = first[1:]
    elif longer == {-1} and not first[-1]:
        names = first[:-1]
        notes.append(
            "The line of names ends with a separator, and no row does."
        )
    elif longer == {1} and (
        not any(map(is_numeric, first)) or _counts_through(first)
    ):
        names = ["row name", *first]
        notes.append(
            "The first column has no name in the first line: it holds the names of the"
            " rows."
        )
    else:
        names, n_heads = _even_names(rows, notes)
    return names, above + n_heads


def _without_title(rows, notes):
    """The rows below a title and comments, and how many stand above."""
    width = Counter(map(len, rows)).most_common(1)[0][0]
    full = [row for row in rows if len(row) == width]
    above = 0
    for row in rows:
        is_filled = sum(map(bool, row)) > 1 or width < 3
        # names may be fewer or more by one, if none stand below
        is_near = abs(len(row) - width) == 1 and not _has_words_above(full)
        if is_filled and (len(row) == width or is_near):
            break
        above += 1
    if above in (0, len(rows)):
        return rows, 0
    title = [short_repr(" ".join(filter(None, row))) for row in rows[:above]]
    notes.append(f"Not read, above the table: {and_list(title, 3)}.")
    return rows[above:], above


def _even_names(rows, notes):
    """Names, as many as fields, and how many of the rows hold names or units."""
    # files put together have their names again
    if len(rows[0]) > 1:
        rows = rows[:1] + [row for row in rows[1:] if row != rows[0]]
    n_heads = _count_heads(rows)
    if n_heads > 1:
        return _joined_names(rows[:n_heads], notes), n_heads
    first = rows[0]
    numbers = feature_names(None, len(first))
    if not _has_header(rows):
        notes.append(f"{NO_HEADER} {and_list(numbers, 3)}.")
        return numbers, 0
    names = [
        name or number for name, number in zip(first, numbers, strict=True)
    ]
    if unnamed := [name for name in names if name not in first]:
        notes.append(f"Columns without a name: called {and_list(unnamed)}.")
    names[0] = names[0].removeprefix("#").strip() or names[0]
    if any(map(is_numeric, first)):
        notes.append(
            f"The first line ({and_list(first, 3)}) is read as names of the columns."
        )
    return names, 1


def _count_heads(rows):
    """How many of the first rows have words above the numbers of all columns of such.

    Words that come again below are values.
    """
    starts = []
    others = []
    for column in zip_longest(*rows, fillvalue=""):
        words = [field for field in column if field.casefold() not in MISSING]
        numbers = [bool(re.match(FIRST_DIGIT, field)) for field in column]
        if sum(numbers) > len(words) / 2:
            starts.append(numbers.index(True))
        else:
            others.append(column)
    n_heads = min(starts, default=1)
    for k in range(1, n_heads):
        # below names, only a unit or type stands above words
        values = any(
            column[k] in column[k + 1 :]
            or _are_names(rows[0])
            and not UNIT.fullmatch(column[k])
            for column in others
            if column[k]
        )
        words = {field.casefold() for field in rows[k]}
        is_empty = words <= MISSING | MISSING_NUMBERS
        if values or is_empty or len(rows[k]) != len(rows[0]):
            return k
    return n_heads


def _are_names(row):
    return all(row) and len(set(row)) == len(row)


def _joined_names(heads, notes):
    """Names of the columns from several rows of names or units."""
    for row in heads:
        if _are_names(row):
            others = [repr(", ".join(one)) for one in heads if one is not row]
            notes.append(f"Not read, units or more names: {and_list(others)}.")
            return row
    # a name stands above the empty fields to its right
    upper = accumulate(heads[0], lambda left, name: name or left)
    pairs = zip(upper, heads[1], strict=True)
    names = [" ".join(filter(None, pair)) for pair in pairs]
    notes.append(f"Names of two rows are joined: {and_list(names, 3)}.")
    return names


def _has_words_above(rows):
    """Whether the first row has a word above numbers."""
    return any(
        column and not is_numeric(name) and all(map(is_numeric, column))
        for name, *column in _columns(rows)
    )


def _columns(rows):
    """The columns that have a name in the first row, without missing values."""
    for column in zip_longest(*rows, fillvalue=""):
        known = [word for word in column if word.casefold() not in MISSING]
        if column[0] in known[:1]:
            yield known


def _has_header(rows):
    """Whether the first row holds names of the columns."""
    first, *below = rows
    if _has_words_above(rows):
        return True
    # names of a square matrix, or numbers that count through
    if below:
        pairs = zip(first[1:], below, strict=False)
        if not first[0] and all(name == row[0] for name, row in pairs):
            return True
        if _counts_through(first) and not _counts_through(below[0]):
            return True
    # no number or word of below
    columns = list(_columns(rows))
    values = any(
        is_numeric(name) or name in column for name, *column in columns
    )
    return not values and bool(columns or not below)


def _counts_through(fields):
    """Whether the numbers of a row are names without a meaning, or years.

    0, 1, 2, 3, ... or 1, 2, 3, 4, ..., or at least two years one after the other.
    """
    numbers = [field for field in fields if is_numeric(field)]
    n = len(numbers)
    if n < 2 or not re.fullmatch("[01]|(18|19|20)[0-9]{2}", numbers[0]):
        return False
    start = int(numbers[0])
    counts = [str(start + k) for k in range(n)]
    return numbers == counts and (n >= 4 or start > 1)


def _as_values(frame, notation, notes):
    """Words of a file as missing values and numbers, and the decimal mark.

    The columns that tell decide about others; units and limits stay words.
    """
    columns = {}
    missing = Counter()
    quoted = {}
    for name, words in frame.items():
        is_quoted = words.str.startswith(QUOTED)
        columns[name], gaps = missing_words(words.mask(is_quoted))
        if is_quoted.any():
            bare = words.str.removeprefix(QUOTED)
            quoted[name] = columns[name].where(~is_quoted, bare)
        missing += gaps
    found, mark = read_all_numbers(columns, notation)
    notations = {}
    for name, words in columns.items():
        numbers = found[name]
        if numbers is None and name in quoted:
            columns[name] = quoted[name].astype("category")
        if numbers is None or not numbers.is_bare:
            continue
        # whole ones as integers
        digits = words.str.fullmatch(r"[+-]?\d{1,15}", na=False)
        values = numbers.values
        columns[name] = values.astype(int) if digits.all() else values
        notes += numbers.lost
        if numbers.how:
            notations.setdefault(numbers.how, []).append(f"`{name}`")
    for how, names in notations.items():
        notes.append(f"{and_list(names)}: numbers{how}.")
    if missing:
        notes.append(capital(missing_note(missing)))
    return type(frame)(columns, frame.index), mark
