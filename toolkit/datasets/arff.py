"""Weka's ARFF, dense and sparse rows; SciPy reads neither sparse rows nor text."""

import re

QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
ATTRIBUTE = re.compile(rf"@attribute\s+({QUOTED}|[^\s{{]+)\s*([^%]+)", re.I)
VALUE = re.compile(rf"\s*({QUOTED}|[^,'\"]*?)\s*(?:,|$)")
PAIR = re.compile(rf"\s*(\d+)\s+({QUOTED}|[^,'\"\s]+)\s*(?:,|$)")


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
        Of each attribute its type in lower case, or the list of its words.
    rows : list of (int, list of str)
        Number of the line and its fields; of a broken sparse row none.

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
    for number, line in enumerate(map(str.strip, lines), 1):
        if in_data and line and not line.startswith("%"):
            fields = (
                _sparse_row(line, kinds) if line.startswith("{") else _row(line)
            )
            rows.append((number, fields))
        elif found := ATTRIBUTE.match(line):
            name, kind = found.groups()
            names.append(_unquote(name))
            kinds.append(
                _row(kind[1:].strip("} "))
                if kind.startswith("{")
                else kind.lower().strip()
            )
        in_data |= line.lower().startswith("@data")
    return names, kinds, rows


def _unquote(word):
    return (
        re.sub(r"\\(.)", r"\1", word[1:-1]) if word[:1] in ("'", '"') else word
    )


def _row(text):
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
