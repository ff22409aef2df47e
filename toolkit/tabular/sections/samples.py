"""Rows as the pictures of a page show them: names, colours, tips, and words on them."""

import numpy as np

from ...core import and_list, count_phrase, label_sets, largest
from ...explorer import SampleInfo
from ..columns import colored_values

MOST_SETS = 9  # sets of labels that have a colour of their own
MOST_IN_TIPS = 12  # columns
IN_MAP = "5 nearest neighbours in the map"
NO_ROWS = "Names and values of rows are left out (`no_rows`)."


def tips(look, rows, sides=None):
    """What tips and colours of an explorer show of rows, as options.

    Columns that are most related to the target come first.
    """
    table = look.table_
    task = look.task
    names = None
    if look.shows_rows:
        names = table.ids[rows]
    info = SampleInfo(names=names, columns={}, sides=sides)
    options = {"samples": info}
    if task.is_value:
        info.color_by = table.target
        info.columns[table.target] = table.y[rows]
    else:
        options["labels"] = colour_classes(task)[rows]
    if look.shows_rows and not look.is_matrix:
        relatedness = look.data.relatedness(task.y)
        most_related = np.argsort(-relatedness, kind="stable")[:MOST_IN_TIPS]
        features = table.features.iloc[rows, most_related]
        info.columns |= colored_values(features, table.kinds)
    return options


def colour_classes(task):
    """Class (n,) of each row as colours show it.

    Of several labels the frequent sets, of a value the value.
    """
    if task.y.ndim == 1:
        return task.y
    _, set_of_row, set_names = label_sets(task.y, task.names)
    name_of_row = np.array(set_names)[set_of_row]
    names, counts = np.unique(name_of_row, return_counts=True)
    frequent = names[largest(counts, MOST_SETS)]
    return np.where(np.isin(name_of_row, frequent), name_of_row, "other sets")


# ---- words on the rows and their target


def n_unlabelled(look):
    """Number of rows without any of several labels; these are in no map."""
    if look.table_.task != "labels":
        return 0
    has_label = look.task.y.any(axis=1)
    return int(np.sum(~has_label))


def unlabelled_phrase(look):
    """A sentence on the rows that no map shows, if there are any."""
    n = n_unlabelled(look)
    if not n:
        return ""
    return f" {count_phrase(n, 'row')} without a label: not drawn."


def target_and_classes(table):
    """The target, and the names of its classes or labels."""
    if table.task == "value":
        return f"{table.target} (a number)"
    target = table.target
    if not target:
        target = f"{len(table.label_names)} {table.task}"
    return f"{target} ({and_list(table.label_names, MOST_SETS)})"


def target_phrase(table):
    """The target, and how many classes or labels it has."""
    if table.task == "value":
        return table.target
    phrase = f"{len(table.label_names)} {table.task}"
    if table.target:
        phrase += f" of {table.target}"
    return phrase
