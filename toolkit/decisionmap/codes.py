"""Columns of codes: numbers of which a model refuses all that no sample has."""

from contextlib import suppress

import numpy as np


def find_codes(model, rows):
    """The numbers, rising, of each column of which a model refuses all others."""
    codes = {}
    for key in getattr(rows, "columns", range(rows.shape[1])):
        column = _columns(rows)[:, key]
        probe = rows[:2].copy()
        with suppress(
            Exception
        ):  # words have no next one; models have own errors
            known = np.unique(column[column == column])  # no gaps
            _columns(probe)[:, key] = known[-1] + 1
            codes[key] = known
            model.predict(probe)
            del codes[key]
    return codes


def with_known_codes(points, frame, codes):
    """Rows of points (m, d), in some columns with the nearest of known numbers."""
    rows = frame(points).copy()
    columns = _columns(rows)
    for key, known in codes.items():
        middles = (known[1:] + known[:-1]) / 2
        columns[:, key] = known[np.searchsorted(middles, columns[:, key])]
    return rows


def _columns(rows):
    """What picks columns of rows, by name or by number."""
    return getattr(rows, "loc", rows)
