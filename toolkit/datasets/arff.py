"""A reader of the ARFF files that the multi-label sets come in."""

from pathlib import Path

import numpy as np

__all__ = ["read_arff"]


def read_arff(path):
    """Attribute names and numbers of an ARFF file whose attributes are all numeric or 0/1.

    Rows may be dense (``0.5,1``) or sparse (``{3 1, 17 1}``: column and value, zeros left out). SciPy's reader
    knows the dense form only, and scikit-learn's is private.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    names : list of str
    table : ndarray of shape (n_rows, n_attributes)

    Raises
    ------
    ValueError
        With the number of the first line that is no such row.
    """
    names, rows = [], []
    in_data = False
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            line = line.strip()
            if not line or line.startswith("%"):
                continue
            word, _, rest = line.partition(" ")
            if in_data:
                try:
                    rows.append(_row(line, len(names)))
                except ValueError as error:
                    raise ValueError(f"{Path(path).name}, line {number}: {error}") from None
            elif word.lower() == "@attribute":
                names.append(_name(rest.strip()))
            else:
                in_data = word.lower() == "@data"
    return names, np.array(rows).reshape(len(rows), len(names))


def _row(line, width):
    if not line.startswith("{"):
        row = np.array(line.split(","), dtype=float)
        if len(row) != width:
            raise ValueError(f"a row must hold {width} numbers; got {len(row)}")
        return row
    if not line.endswith("}"):
        raise ValueError("a sparse row must end with '}'; the file seems to be cut off")
    row = np.zeros(width)
    for pair in filter(str.strip, line[1:-1].split(",")):
        column, value = pair.split()
        if not 0 <= int(column) < width:
            raise ValueError(f"a column must lie between 0 and {width - 1}; got {column}")
        row[int(column)] = float(value)
    return row


def _name(rest):
    return rest[1:].partition(rest[0])[0] if rest[0] in "'\"" else rest.split(None, 1)[0]
