"""Weka's ARFF: dense rows, and sparse ones, `{index value, ...}`; SciPy reads neither the latter nor text."""

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
    names : list of str, of the attributes
    kinds : list, of each its type in lower case, or the list of its words
    rows : list of (int, list of str), number of the line and its fields, of a broken sparse row none

    Examples
    --------
    >>> arff_rows(["@attribute hue {red, blue}", "@attribute size real", "@data", "blue, 1.5", "{1 2}"])
    (['hue', 'size'], [['red', 'blue'], 'real'], [(4, ['blue', '1.5']), (5, ['red', '2'])])
    """
    names, kinds, rows, in_data = [], [], [], False
    for number, line in enumerate(map(str.strip, lines), 1):
        if in_data and line and not line.startswith("%"):
            rows.append(
                (
                    number,
                    _sparse_row(line, kinds) if line.startswith("{") else _values(line),
                )
            )
        elif found := ATTRIBUTE.match(line):
            names.append(_unquoted(found[1]))
            kinds.append(
                _values(found[2][1:].strip("} "))
                if found[2][0] == "{"
                else found[2].lower().strip()
            )
        in_data |= line.lower().startswith("@data")
    return names, kinds, rows


def _unquoted(word):
    return re.sub(r"\\(.)", r"\1", word[1:-1]) if word[:1] in ("'", '"') else word


def _values(text):
    return [
        _unquoted(match[1])
        for match in VALUE.finditer(text)
        if match.end() > match.start()
    ]


def _sparse_row(line, kinds):
    """The fields of a sparse row, where those left out are 0, or the first word of a list; none of a broken row."""
    row = [kind[0] if isinstance(kind, list) else "0" for kind in kinds]
    inner = line[1:].removesuffix("}").strip()
    pairs = {int(match[1]): match for match in PAIR.finditer(inner)}
    whole = (
        line.endswith("}") and "".join(match[0] for match in pairs.values()) == inner
    )
    if not whole or max(pairs, default=0) >= len(row):
        return []
    for j, match in pairs.items():
        row[j] = _unquoted(match[2])
    return row
