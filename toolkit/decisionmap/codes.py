"""Columns of codes: numbers of which a model refuses all that no sample has."""

from contextlib import suppress

import numpy as np


def find_codes(model, rows):
    """The numbers, rising, of each column of which a model refuses all others."""
    codes = {}
    for key in getattr(rows, "columns", range(rows.shape[1])):
        column = _columns(rows)[:, key]
        probe = rows[:2].copy()
        # Words have no next one, and models have errors of any kind.
        with suppress(Exception):
            is_filled = column == column
            numbers = np.unique(column[is_filled])
            _columns(probe)[:, key] = numbers[-1] + 1
            codes[key] = numbers
            model.predict(probe)
            del codes[key]
    return codes


def with_known_codes(points, frame, codes):
    """Rows of points (m, d), in some columns with the nearest of known numbers."""
    rows = frame(points).copy()
    columns = _columns(rows)
    for key, numbers in codes.items():
        middles = (numbers[1:] + numbers[:-1]) / 2
        nearest = np.searchsorted(middles, columns[:, key])
        columns[:, key] = numbers[nearest]
    return rows


def _columns(rows):
    """What picks columns of rows, by name or by number."""
    return getattr(rows, "loc", rows)
