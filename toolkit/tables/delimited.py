"""Text tables (CSV, TSV): separator, header and encoding are found out, and every row must have the same length."""

import csv
import re
from collections import Counter
from itertools import islice

import numpy as np

from ..core.checks import shown
from .columns import MISSING, counted, listed, missing_words
from .files import encoding_of, plain_suffix, text_of
from .numbers import CODE, is_number, numbers_in, styles_of

__all__ = ["TextTable", "as_values", "read_delimited"]

SEPARATORS = {"\t": "tabs", ";": "semicolons", "|": "bars (|)", ",": "commas", " ": "spaces"}
SAMPLE = 200  # lines from which separator and header are found out
FIELDS = 2_000_000  # held as a list at once
LARGE = 200 * 2**20  # bytes; of such a file the memory is said


class TextTable:
    """A text with rows of fields: encoding, separator and lines.

    Parameters
    ----------
    path : Path

    Attributes
    ----------
    separator : str, one character, "" where each line is one field
    notes : list of str, how the text is read, where that is not what everybody expects
    """

    def __init__(self, path):
        self.path = path
        self.encoding, note = encoding_of(path)
        self.notes = [note] * bool(note)
        with text_of(path, self.encoding) as lines:
            sample = list(islice((line for line in lines if line.strip()), SAMPLE))
        self._says = bool(re.fullmatch(r"sep=.\s*", sample[0])) if sample else False  # Excel's first line
        self.separator = sample[0][4] if self._says else _separator(sample, plain_suffix(path))
        if self.separator not in (",", "") and not (self.separator == "\t" and plain_suffix(path) in (".tsv", ".tab")):
            self.notes.append(f"The columns are separated by {SEPARATORS.get(self.separator, self.separator)}.")

    def rows(self):
        """(number of the line, fields) of each row that is not empty."""
        with text_of(self.path, self.encoding) as lines:
            if self.separator == " ":
                lines = (line.replace("\t", " ").strip() for line in lines)
            options = {"skipinitialspace": True, "strict": True, "delimiter": self.separator or "\x1f"}
            reader = csv.reader(lines, **options)
            try:
                for row in reader:
                    if row and not (self._says and reader.line_num == 1) and (len(row) > 1 or row[0].strip()):
                        yield reader.line_num, [field.strip() for field in row]
            except csv.Error as error:
                raise ValueError(
                    f"`path` cannot be read: line {reader.line_num} of {self.path.name!r}: {error}. "
                    "Look for a quotation mark that is not closed, or not at the end of a field."
                ) from None


def _separator(lines, suffix):
    """The separator with which most lines have the same number of fields, at least two."""
    best, best_score = "", 0.0
    for separator in SEPARATORS:
        if separator == " " and best_score >= 0.5:
            break
        text = [line.replace("\t", " ").strip() if separator == " " else line for line in lines]
        try:
            widths = Counter(len(row) for row in csv.reader(text, delimiter=separator, skipinitialspace=True) if row)
        except csv.Error:
            continue
        width, count = widths.most_common(1)[0]
        if separator == " ":  # a header with blanks in its names, or words: no table
            width = width if len(widths) <= 2 else 1
        score = count / sum(widths.values())
        if suffix in (".tsv", ".tab") and separator == "\t" and width > 1:
            return separator
        if width > 1 and score > best_score:
            best, best_score = separator, score
    return best if best_score >= 0.5 else ""


def has_header(rows):
    """Whether the first of some rows names the columns.

    It does if a word stands above a column of numbers; not, if it holds numbers, or words that come again below.
    """
    first, below = rows[0], rows[1:]
    columns = [
        [row[j] for row in below if len(row) > j and row[j].casefold() not in MISSING] for j in range(len(first))
    ]
    if any(
        field and not is_number(field) and field.casefold() not in MISSING and column and all(map(_numeric, column))
        and not _numeric(field)
        for field, column in zip(first, columns, strict=True)
    ):  # fmt: skip
        return True
    if any(map(_numeric, first)):
        return False
    if any(field in column for field, column in zip(first, columns, strict=True) if field):
        return False
    return len(below) == 0 or not all(field.casefold() in MISSING for field in first)


def _numeric(field):
    """Whether a field is a number in any notation."""
    return is_number(field) or any(styles_of([field]).values())


def read_delimited(path, rows=None, rng=None):
    """A text table as a DataFrame and notes.

    Parameters
    ----------
    path : Path
    rows : int or None, at most so many rows, drawn at random while reading
    rng : RandomState

    Returns
    -------
    frame : DataFrame of shape (n, d), numbers where all values of a column are some, words elsewhere
    notes : list of str
    """
    import pandas as pd

    text = TextTable(path)
    notes = text.notes
    names, body = _names(text, notes)
    chunks, drawn, total = [], np.empty(0), 0
    step = max(1, FIELDS // len(names))
    while lines := list(islice(body, step)):
        chunk = pd.DataFrame([fields for _, fields in lines], columns=names, dtype=object).astype(str)
        chunk.index = pd.RangeIndex(total, total + len(chunk))
        total += len(chunk)
        if rows is not None:  # the rows with the smallest of random keys: each set of rows is equally likely
            drawn = np.concatenate([drawn, rng.random_sample(len(chunk))])
            chunk = pd.concat([*chunks, chunk])
            kept = np.sort(np.argsort(drawn, kind="stable")[:rows])
            chunks, drawn = [chunk.iloc[kept]], drawn[kept]
        else:
            chunks.append(chunk)
    if not total:
        raise ValueError(
            f"`path` must be a table with rows; {path.name!r} has only a line of names. Add rows below it."
        )
    frame = pd.concat(chunks) if len(chunks) > 1 else chunks[0]
    if len(frame) < total:
        notes.append(f"{len(frame):,} of {counted(total, 'row')} were drawn at random.")
        frame.index = pd.Index(frame.index + 1, name="row")
    frame, more = as_values(frame, comma_likely=text.separator == ";")
    notes += more
    if path.stat().st_size > LARGE:
        size = frame.memory_usage(deep=True).sum() / 2**20
        notes.append(
            f"The file of {path.stat().st_size / 2**20:,.0f} MB was read in parts; the table takes {size:,.0f} MB."
        )
    return frame, notes


def _names(text, notes):
    """Names of the columns, and the rows below as an iterator, which refuses rows of another length."""
    sample = [fields for _, fields in islice(text.rows(), SAMPLE)]
    body = text.rows()
    if not sample:
        raise ValueError(f"`path` must be a table; {text.path.name!r} has no row. Write or download it again.")
    first = sample[0]
    lengths = {len(row) for row in sample[1:]}
    if lengths == {len(first) + 1} and not any(map(_numeric, first)):
        notes.append("The first column has no name in the first line: it holds the names of the rows.")
        names = ["row name", *first]
        next(body)
    elif has_header(sample):
        names = [name or f"X{j + 1}" for j, name in enumerate(first)]
        if unnamed := [f"X{j + 1}" for j, name in enumerate(first) if not name]:
            verb = "has no name and is" if len(unnamed) == 1 else "have no names and are"
            notes.append(f"{counted(len(unnamed), 'column')} {verb} called {listed(unnamed)}.")
        next(body)
    else:
        names = [f"X{j + 1}" for j in range(len(first))]
        notes.append(
            f"There is no line of names: the columns are called {', '.join(names[:3])}{' ...' * (len(names) > 3)}"
        )
        notes[-1] += "." * (len(names) <= 3)
    if repeated := [name for name, count in Counter(names).items() if count > 1]:
        raise ValueError(
            f"`path` must have columns of different names; {text.path.name!r} repeats {listed(map(shown, repeated))}. "
            "Rename them in its first line."
        )
    return names, _even(body, len(names), text)


def _even(body, width, text):
    """The rows, as long as all have the length of the first."""
    for line, fields in body:
        if len(fields) != width:
            raise ValueError(
                f"`path` must have rows of the same length; line {line} of {text.path.name!r} has "
                f"{counted(len(fields), 'field')}, {width} expected (separated by "
                f"{SEPARATORS.get(text.separator, text.separator) or 'line ends'}). Mend that line, "
                "or put fields that hold a separator in quotation marks."
            )
        yield line, fields


def as_values(frame, comma_likely=False):
    """Words of a file as missing values and numbers; the file's decimal comma or point decides about 1,234.

    Parameters
    ----------
    frame : DataFrame of str, shape (n, d)
    comma_likely : bool, what 1,234 is where nothing else in the file tells

    Returns
    -------
    frame : DataFrame of shape (n, d)
    notes : list of str
    """
    import pandas as pd

    found, columns, parsed = Counter(), {}, {}
    for name in frame.columns:
        words, gaps = missing_words(frame[name].astype(object))
        found += gaps
        columns[name] = words
        codes, distinct = pd.factorize(words.to_numpy(dtype=object))
        parsed[name] = codes, list(distinct), np.bincount(codes[codes >= 0], minlength=len(distinct)).tolist()
    style = _style(parsed, comma_likely)
    commas, notes = [], []
    for name, (codes, distinct, counts) in parsed.items():
        values, how = numbers_in(distinct, counts, style)
        whole = bool(distinct) and not np.isnan(values).any() and not re.search("percent|currency", how)
        if whole:
            columns[name] = _as_numbers(values, codes, distinct, frame.index)
        elif style == "comma" and "comma" in how and not re.search("percent|currency", how):
            plain = [word if np.isnan(v) else repr(float(v)) for word, v in zip(distinct, values, strict=True)]
            columns[name] = pd.Series(np.array([*plain, np.nan], dtype=object)[codes], index=frame.index)
        if how and (whole or style == "comma" and "comma" in how):
            commas.append((name, how))
    for how in dict.fromkeys(how for _, how in commas):
        notes.append(f"Numbers {how}: {listed([f'`{name}`' for name, other in commas if other == how])}.")
    if found:
        words = [f"{n:,} {w + 's' * (n > 1) if w == 'an empty field' else repr(w)}" for w, n in found.most_common()]
        notes.append(f"Read as missing: {listed(words, 8).replace('an empty field', 'empty field')}.")
    return pd.DataFrame(columns, index=frame.index), notes


def _style(parsed, comma_likely):
    """ "comma", "point" or None, as the columns tell that are numbers in one of these ways only."""
    wins = Counter()
    for _, distinct, _ in parsed.values():
        if distinct:
            count = styles_of(distinct[:1000])
            best = max(count.values())
            if count["point"] != count["comma"] and best >= 0.95 * min(len(distinct), 1000):
                wins[max(count, key=count.get)] += 1
    if wins["comma"] and not wins["point"] or not wins and comma_likely:
        return "comma"
    return "point"


def _as_numbers(values, codes, distinct, index):
    """Whole numbers without gaps as integers, others as floats."""
    import pandas as pd

    column = np.append(values, np.nan)[codes]
    whole = all(re.fullmatch(r"[+-]?\d+", word, re.A) for word in distinct) and codes.min() >= 0
    return pd.Series(
        column.astype(np.int64) if whole and not any(map(CODE.fullmatch, distinct)) else column, index=index
    )
