"""Weka's ARFF, dense and sparse rows; SciPy reads neither sparse rows nor text."""

import re

QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
# all before a comment
TEXT = re.compile(rf"(?:{QUOTED}|[^%])*")
ATTRIBUTE = re.compile(rf"@attribute\s+({QUOTED}|[^\s{{]+)\s*(.+)", re.I)
NOMINAL = re.compile(rf"\{{((?:{QUOTED}|[^}}])*)\}}")
VALUE = re.compile(rf"\s*({QUOTED}|[^,\t'\"][^,\t]*?|)\s*(?:[,\t]|$)")
PAIR = re.compile(rf"\s*(\d+)\s+({QUOTED}|[^,'\"\s]+)\s*(?:,|$)")
WEIGHT = re.compile(r"(?<=[^{\s])[\s,]*\{\s*[\d.]+\s*\}$")


def arff_rows(lines):
    """What lines of ARFF hold.

    Parameters
    ----------
    lines : iterable of str

    Returns
    -------
    names : list of str
        Of the attributes.
    kinds : list
        Of each attribute its type, or the list of its words.
    rows : list of (int, list of str or None)
        Number of the line and its fields, None where one is missing; of a broken sparse
        row no fields. Weights of rows are left out.

    Raises
    ------
    ValueError
        Where an attribute is a table (relational).

    Examples
    --------
    >>> head = ["@attribute hue {red, blue}", "@attribute size real", "@data"]
    >>> names, kinds, rows = arff_rows([*head, "blue, 1.5", "{1 2}"])
    >>> names, kinds
    (['hue', 'size'], [['red', 'blue'], 'real'])
    >>> rows
    [(4, ['blue', '1.5']), (5, ['red', '2'])]
    """
    names, kinds, rows = [], [], []
    in_data = False
    for number, line in enumerate(lines, 1):
        line = TEXT.match(line)[0].strip()
        if in_data and line:
            line = WEIGHT.sub("", line)
            fields = (
                _sparse_row(line, kinds) if line.startswith("{") else _row(line)
            )
            rows.append((number, fields))
        elif found := ATTRIBUTE.match(line):
            name, kind = _unquote(found[1]), found[2]
            if kind.lower().startswith("relational"):
                raise ValueError(
                    f"attribute {name!r} in line {number} is relational: a table in"
                    " each field"
                )
            names.append(name)
            words = NOMINAL.match(kind)
            kinds.append(_row(words[1]) if words else kind)
        in_data |= line.lower().startswith("@data")
    return names, kinds, rows


def _unquote(word):
    if word == "?":
        return None
    return (
        re.sub(r"\\(.)", r"\1", word[1:-1]) if word[:1] in ("'", '"') else word
    )


def _row(text):
    if not re.search("[,\t]", text):
        return [_unquote(word) for word in re.findall(rf"{QUOTED}|\S+", text)]
    # the last match is the empty one at the end of the text
    return [_unquote(match[1]) for match in VALUE.finditer(text) if match[0]]


def _sparse_row(line, kinds):
    """The fields of a sparse row, `{index value, ...}`; none of a broken one.

    Those left out are 0, or the first word of a list.
    """
    row = [kind[0] if isinstance(kind, list) else "0" for kind in kinds]
    inner = line[1:].removesuffix("}").strip()
    pairs = {int(match[1]): match for match in PAIR.finditer(inner)}
    text = "".join(match[0] for match in pairs.values())
    if (
        not line.endswith("}")
        or text != inner
        or max(pairs, default=0) >= len(row)
    ):
        return []
    for j, match in pairs.items():
        row[j] = _unquote(match[2])
    return row
