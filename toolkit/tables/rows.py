"""Names of rows, and which rows belong together: those must stay on the same side of every split."""

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from .columns import counted, listed, words_of

__all__ = ["group_codes", "row_names", "unique_names"]


def row_names(frame, column=None, words=None):
    """Name of each row: its id, or its number from 1; a sampled file's index has the number in the file.

    Parameters
    ----------
    frame : DataFrame of shape (n, d)
    column : str, optional, the column of ids
    words : Series of str, length n, optional, ids in place of those of `column`

    Returns
    -------
    list of n str, not yet different
    """
    numbers = frame.index if frame.index.name == "row" else range(1, len(frame) + 1)
    names = [f"row {number}" for number in numbers]
    if column is None and words is None:
        return names
    words = words_of(frame[column]) if words is None else words
    return [name if word != word or not word else word for word, name in zip(words, names, strict=True)]


def unique_names(names):
    """The names with " (2)", " (3)", ... behind repeats.

    Examples
    --------
    >>> unique_names(["a", "b", "a", "a (2)"])
    ['a', 'b', 'a (3)', 'a (2)']
    """
    taken, seen, result = set(names), set(), []
    for name in names:
        new, k = name, 2
        while new in seen or (new != name and new in taken):
            new, k = f"{name} ({k})", k + 1
        seen.add(new)
        result.append(new)
    return result


def repeated_note(column, ids):
    """A sentence about ids that come more than once, with their rows; None if there are none."""
    import pandas as pd

    ids = pd.Series(ids)
    repeated = ids[ids.duplicated(keep=False)]
    if repeated.empty:
        return None
    rows = [
        f"{name} (rows {listed([i + 1 for i in places], 4)})"
        for name, places in repeated.groupby(repeated).groups.items()
    ]
    return (
        f"`{column}` repeats {counted(len(rows), 'name')}: {listed(rows, 3)}. These rows stay together in every split."
    )


def group_codes(*keys):
    """Codes of rows that agree in any of the keys, directly or by way of other rows.

    Parameters
    ----------
    *keys : arrays of length n, of hashable values; a row with NaN agrees with no other

    Returns
    -------
    ndarray of int, shape (n,), numbered by first appearance

    Examples
    --------
    >>> group_codes(["a", "b", "b", "c"], [1, 1, 2, 3])
    array([0, 0, 0, 1])
    """
    import pandas as pd

    n, links, offset = len(keys[0]), [], len(keys[0])
    for key in keys:
        codes, distinct = pd.factorize(pd.Series(key))
        rows = np.flatnonzero(codes >= 0)
        links.append(np.column_stack([rows, codes[rows] + offset]))
        offset += len(distinct)
    i, j = np.concatenate(links).T.astype(int)
    _, parts = connected_components(
        sparse.coo_matrix((np.ones(len(i)), (i, j)), shape=(offset, offset)), directed=False
    )
    return pd.factorize(parts[:n])[0].astype(int)
