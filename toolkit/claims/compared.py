"""The ledger for readers of a lesson: one folded table, what the paper says beside what we measure, and why."""

from dataclasses import dataclass

from .ledger import committed
from .show import summary, table
from .tables import table_markup

__all__ = ["compared"]

AGREES = {"reproduced": "yes", "differs": "no", "not checked": "not checked"}


@dataclass(frozen=True)
class Compared:
    """Claims of a chapter; shown as a folded table in a notebook, counted in plain text.

    Titles that begin with "Beyond" are what a paper leaves open.
    """

    rows: list

    def __str__(self):
        counts = summary(self.rows)["all"]
        words = {"reproduced": "reproduced", "differs": "differ", "not checked": "not checked"}
        said = ", ".join(f"{count} {words[verdict]}" for verdict, count in counts.items() if count)
        beyond = sum(row["title"].startswith("Beyond") for row in self.rows)
        more = f", {beyond} beyond it" if beyond else ""
        return f"{len(self.rows) - beyond} claims of the paper{more}: {said}"

    __repr__ = __str__

    def _repr_html_(self):
        header = ["The paper says", "Reported", "Ours", "Agrees", "Why", "Claim"]
        shown = ("title", "published", "stored", "agrees", "why", "id")
        cells = [[row[key] for key in shown] for row in self.rows]
        return f"<details><summary>{self}</summary>\n{table_markup(header, cells, str(self))}\n</details>"


def compared(only, path=None):
    """What a paper says beside what we measure: the stored ledger, for one chapter, in plain words.

    Parameters
    ----------
    only : str or sequence of str
        Beginnings of ids, such as "SL".
    path : path-like, optional, another stored ledger

    Returns
    -------
    Compared
        In a notebook a folded table: those that differ first, each with the reason that we think holds.

    Examples
    --------
    >>> compared("SL-07", "no-such-file.json")
    1 claims of the paper: 1 not checked
    """
    order, rows = list(AGREES), table(committed(path), only=only)
    for row in rows:
        row["agrees"] = AGREES[row["verdict"]]
    return Compared(sorted(rows, key=lambda row: (row["verdict"] != "differs", order.index(row["verdict"]))))
