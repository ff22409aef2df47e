"""Weka's ARFF, dense and sparse rows; SciPy reads neither sparse rows nor text."""

import re
from dataclasses import dataclass

QUOTED_WORD = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
BEFORE_COMMENT = re.compile(rf"(?:{QUOTED_WORD}|[^%])*")
ATTRIBUTE_LINE = re.compile(
    rf"@attribute\s+({QUOTED_WORD}|[^\s{{]+)\s*(.+)", re.I
)
LIST_OF_WORDS = re.compile(rf"\{{((?:{QUOTED_WORD}|[^}}])*)\}}")
FIELD = re.compile(rf"\s*({QUOTED_WORD}|[^,\t'\"][^,\t]*?|)\s*(?:[,\t]|$)")
INDEX_AND_FIELD = re.compile(
    rf"\s*(\d+)\s+({QUOTED_WORD}|[^,'\"\s]+)\s*(?:,|$)"
)
WEIGHT_OF_ROW = re.compile(r"(?<=[^{\s])[\s,]*\{\s*[\d.]+\s*\}$")


@dataclass(frozen=True, kw_only=True)
class ArffContent:
    """What lines of ARFF hold."""

    names: list  # of the attributes
    kinds: list  # type of each attribute, or the list of its words
    # Number of the line and fields of each row: None where a field is missing, no
    # fields for a broken sparse row. Weights of rows are left out.
    rows: list


def arff_rows(lines):
    """Read lines of ARFF.

    Parameters
    ----------
    lines : iterable of str

    Returns
    -------
    content : ArffContent

    Raises
    ------
    ValueError
        Where an attribute is a table (relational).

    Examples
    --------
    >>> head = ["@attribute hue {red, blue}", "@attribute size real", "@data"]
    >>> content = arff_rows([*head, "blue, 1.5", "{1 2}"])
    >>> content.names, content.kinds
    (['hue', 'size'], [['red', 'blue'], 'real'])
    >>> content.rows
    [(4, ['blue', '1.5']), (5, ['red', '2'])]
    """
    names, kinds, rows = [], [], []
    in_data = False
    for number, line in enumerate(lines, 1):
        text = BEFORE_COMMENT.match(line)[0].strip()
        attribute = ATTRIBUTE_LINE.match(text)
        if in_data and text:
            rows.append((number, _fields(text, kinds)))
        elif attribute:
            name = _unquote(attribute[1])
            kind = attribute[2]
            if kind.lower().startswith("relational"):
                raise ValueError(
                    f"attribute {name!r} in line {number} is relational: a table in"
                    " each field"
                )
            names.append(name)
            words = LIST_OF_WORDS.match(kind)
            kinds.append(_dense_row(words[1]) if words else kind)
        if text.lower().startswith("@data"):
            in_data = True
    return ArffContent(names=names, kinds=kinds, rows=rows)


def _fields(text, kinds):
    """The fields of a dense or a sparse row, without its weight.

    `kinds` are those of the columns: a list of words, or the type.
    """
    row = WEIGHT_OF_ROW.sub("", text)
    return _sparse_row(row, kinds) if row.startswith("{") else _dense_row(row)


def _unquote(word):
    """A value of a row without its quotes; None for "?", which is missing."""
    if word == "?":
        return None
    is_quoted = word[:1] in ("'", '"')
    return re.sub(r"\\(.)", r"\1", word[1:-1]) if is_quoted else word


def _dense_row(text):
    """The values of a row, which commas, tabs or blanks separate."""
    if re.search("[,\t]", text):
        # The last match is the empty one at the end of the text.
        matches = [match for match in FIELD.finditer(text) if match[0]]
        words = [match[1] for match in matches]
    else:
        words = re.findall(rf"{QUOTED_WORD}|\S+", text)
    return [_unquote(word) for word in words]


def _sparse_row(text, kinds):
    """The fields of a sparse row, `{index value, ...}`; none of a broken one.

    Those left out are 0, or the first word of a list.
    """
    inner = text[1:].removesuffix("}").strip()
    matches = list(INDEX_AND_FIELD.finditer(inner))
    word_of_index = {int(match[1]): match[2] for match in matches}
    is_broken = (
        not text.endswith("}")
        or "".join([match[0] for match in matches]) != inner
        or len(word_of_index) < len(matches)
        or max(word_of_index, default=0) >= len(kinds)
    )
    if is_broken:
        return []
    row = [kind[0] if isinstance(kind, list) else "0" for kind in kinds]
    for index, word in word_of_index.items():
        row[index] = _unquote(word)
    return row
