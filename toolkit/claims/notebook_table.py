"""The claims of a chapter as a folded table of a notebook."""

import html
from dataclasses import dataclass

from .claim import DIFFERS, NOT_CHECKED, REPRODUCED
from .ledger import stored_ledger
from .rows import table
from .show import count_verdicts

# What a table says of a verdict, in the order of the rows of a lesson.
AGREEMENT_WORDS = {DIFFERS: "no", REPRODUCED: "yes", NOT_CHECKED: "not checked"}
FIELD_OF_COLUMN = {
    "The paper says": "title",
    "Reported": "published",
    "Ours": "stored",
    "Agrees": "verdict",
    "Why": "why",
    "Claim": "id",
}


@dataclass(frozen=True, repr=False)
class Comparison:
    """Claims of a chapter: a folded table in a notebook, counts in plain text.

    What a paper leaves open is not counted as a claim of it.
    """

    rows: list

    def __repr__(self):
        verdicts = count_verdicts([row["verdict"] for row in self.rows])
        n_open = [row["kind"] for row in self.rows].count("open")
        n_claims = len(self.rows) - n_open
        beyond = f", {n_open} beyond it" if n_open else ""
        return f"{n_claims} claims of the paper{beyond}: {verdicts}"

    def _repr_html_(self):
        head = ""
        for name in FIELD_OF_COLUMN:
            head += f'<th scope="col">{name}</th>'
        body = ""
        for row in self.rows:
            body += _row_markup(row)
        return (
            f"<details><summary>{self}</summary>\n<table>\n<caption>{self}</caption>\n"
            f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>\n"
            "</details>"
        )


def _row_markup(row):
    """A row of the table in HTML, from a row of `toolkit.claims.table`."""
    agreement = AGREEMENT_WORDS[row["verdict"]]
    reason = row["why"]
    if not reason:
        reason = _why_not_available(row)
    texts = row | {"verdict": agreement, "why": reason}
    markup = ""
    for field in FIELD_OF_COLUMN.values():
        cell = html.escape(texts[field])
        if field == "verdict":
            rule = row["rule"]
            if not rule:
                rule = row["tolerance"]
            if rule:
                cell += _folded("rule", html.escape(rule))
        elif field == "stored" and row["named"]:
            cell = _values_markup(row["named"], row["more"])
        if field == "title":
            markup += f'<th scope="row">{cell}</th>'
        else:
            markup += f"<td>{cell}</td>"
    return f"<tr>{markup}</tr>\n"


def _values_markup(values_shown, values_folded):
    """Markup of the values that are shown, and of the others, folded."""
    markup = _lines_markup(values_shown)
    if values_folded:
        name = f"{len(values_folded)} more"
        markup += _folded(name, _lines_markup(values_folded))
    return markup


def _lines_markup(lines):
    """Texts, one on each line, in HTML."""
    return "<br>".join([html.escape(line) for line in lines])


def _folded(name, markup):
    """Markup that is folded under its name."""
    return f"<details><summary>{name}</summary>{markup}</details>"


def _why_not_available(row):
    """Why a claim is not checked, and on which other data the values are."""
    if row["available"]:
        return ""
    reason = row["reason"]
    if row["instead"]:
        reason += f"; the values are of {row['instead']}"
    return reason


def comparison(only):
    """Show the published and the measured results of one chapter.

    Parameters
    ----------
    only : str or sequence of str
        Beginnings of ids, such as "SL".

    Returns
    -------
    comparison : Comparison
        In a notebook a folded table: first the claims that differ, each with the
        explanation that we consider correct.

    Examples
    --------
    >>> comparison("SL-07")
    1 claims of the paper: 1 reproduced
    """
    order = list(AGREEMENT_WORDS)
    rows = table(stored_ledger(), only=only)
    return Comparison(sorted(rows, key=lambda row: order.index(row["verdict"])))
