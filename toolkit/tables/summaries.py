"""All columns of a table in a few words each: kind, missing values, range or most frequent values, use."""

__all__ = ["summary_of"]

FREQUENT = 3


def summary_of(names, columns, used):
    """One row for each column of a table.

    Parameters
    ----------
    names : sequence of str, in the order of the table
    columns : dict of str to Column
    used : dict of str to str, as what a column is used, or why not

    Returns
    -------
    DataFrame of shape (columns, 5)
    """
    import pandas as pd

    rows = [_row(columns[name], used[name]) for name in names]
    return pd.DataFrame(rows, index=pd.Index(list(names), name="column"))


def _row(column, use):
    values = column.values.dropna()
    distinct = len(set(map(str, values))) if column.kind == "other" else values.nunique()
    row = {"kind": column.kind, "missing": len(column.values) - len(values), "distinct": distinct}
    return row | {"values": _in_short(column.kind, values), "used": use}


def _in_short(kind, values):
    """The smallest, median and largest value, or the most frequent ones."""
    if values.empty or kind == "other":
        return ""
    if kind == "number":
        return f"{values.min():.6g} to {values.max():.6g}, median {values.median():.6g}"
    if kind == "date":
        return f"{values.min()} to {values.max()}, median {values.sort_values().iloc[(len(values) - 1) // 2]}"
    counts = values.value_counts()
    counts = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{value} ({count})" for value, count in counts[:FREQUENT]) + ", ..." * (len(counts) > FREQUENT)
