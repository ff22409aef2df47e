"""Weka's ARFF: dense rows, and sparse ones, `{index value, ...}`; SciPy reads neither the latter nor text."""

import re

import numpy as np

from .files import encoding_of, text_of
from .wording import broken, check_names

__all__ = ["read_arff"]

QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
ATTRIBUTE = re.compile(rf"@attribute\s+({QUOTED}|[^\s{{]+)\s*([^%]+)", re.I)
VALUE = re.compile(rf"\s*({QUOTED}|[^,'\"]*?)\s*(?:,|$)")
PAIR = re.compile(rf"\s*(\d+)\s+({QUOTED}|[^,'\"\s]+)\s*(?:,|$)")


def read_arff(path):
    """An ARFF file as a DataFrame (n, d) of floats, and words with NaN; and notes."""
    import pandas as pd

    encoding, notes = encoding_of(path)
    names, kinds, rows, in_data = [], [], [], False
    with text_of(path, encoding) as lines:
        for number, line in enumerate(map(str.strip, lines), 1):
            if in_data and line and not line.startswith("%"):
                row = _sparse_row(line, kinds) if line.startswith("{") else _values(line)
                if len(row) != len(kinds):
                    raise broken(path, f"line {number} does not hold the {len(kinds)} attributes", "Mend that line.")
                rows.append(row)
            elif found := ATTRIBUTE.match(line):
                names.append(_unquoted(found[1]))
                kinds.append(_values(found[2][1:].strip("} ")) if found[2][0] == "{" else found[2].lower().strip())
            in_data |= line.lower().startswith("@data")
    if not in_data or not names or not rows:
        raise broken(path, "no row, or no line @data below lines @attribute", "Save the table as CSV.")
    frame = pd.DataFrame(rows, columns=check_names(names, "path", repr(path.name)), dtype=object).replace("?", np.nan)
    for name, kind in zip(names, kinds, strict=True):
        known = frame[name].dropna()
        if kind in ("numeric", "real", "integer"):
            frame[name] = pd.to_numeric(frame[name], errors="coerce").astype(float)
            known = known[frame[name][known.index].isna()]
        else:
            known = known[~known.isin(kind)] if isinstance(kind, list) else []
        if len(known):
            raise broken(path, f"row {known.index[0] + 1}: {known.iloc[0]!r} is no {name}", "Mend that row.")
    return frame, notes


def _unquoted(word):
    return re.sub(r"\\(.)", r"\1", word[1:-1]) if word[:1] in ("'", '"') else word


def _values(text):
    return [_unquoted(match[1]) for match in VALUE.finditer(text) if match.end() > match.start()]


def _sparse_row(line, kinds):
    """The fields of a sparse row, where those left out are 0, or the first word of a list; none of a broken row."""
    row = [kind[0] if isinstance(kind, list) else "0" for kind in kinds]
    inner = line[1:].removesuffix("}").strip()
    pairs = {int(match[1]): match for match in PAIR.finditer(inner)}
    if not line.endswith("}") or "".join(match[0] for match in pairs.values()) != inner:
        return []
    if max(pairs, default=0) >= len(row):
        return []
    return [_unquoted(pairs[j][2]) if j in pairs else value for j, value in enumerate(row)]
