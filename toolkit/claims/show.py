"""Claims as rows, text and tables of notebooks; the command ``toolkit claims``."""

import datetime
import html
import subprocess
import sys
import textwrap
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from ..core import project_root
from .claim import VERDICTS, find, ids_that_begin
from .ledger import read_fragments, restamp, stored_ledger
from .measure import as_text, tolerance_words, verdict_words, with_spread
from .names import load_names
from .stale import experiment_of, why_stale

# what a table says of a verdict, in the order of the rows of a lesson
AGREES = {"differs": "no", "reproduced": "yes", "not checked": "not checked"}
# of a reading
READING_WORDS = {
    "decides": "decides: ",
    "fitted": "chosen to meet the print: ",
    "confirmed": "confirmed by ",
}
# header of a column in plain text: field of a row, and its width
COLUMNS = {
    "claim": ("id", 5),
    "says": ("title", 40),
    "paper": ("published", 20),
    "stored": ("stored", 20),
    "this run": ("run", 20),
    "tolerance": ("tolerance", 20),
    "verdict": ("verdict_words", 80),
}
# how many of several values are shown at once, each after its name
SHOWN = 2
# below a row of plain text, under the second column
BELOW = " " * (COLUMNS["claim"][1] + 2)
MENDED = "before ({verdict}): {before} Changed because {why}"


def table(stored, new=None, only=""):
    """List one row per claim: the published, the stored and the present result.

    Parameters
    ----------
    stored, new : dict of dict
        Entries by id, from `stored_ledger` and `read_fragments`.
    only : str or sequence of str, default=""
        Beginnings of ids, such as "SL" or "GM-07".

    Returns
    -------
    rows : list of dict
        The fields of the claim, and texts `published`, `tolerance`, `stored`, `run`,
        `remark` and `restamped`. `verdict` is that of this run if it measured, else
        the stored one. `verdict_words` adds the number of readings that agree, and the
        stored verdict if it differs. `readings` and `mended` are lines on each reading,
        and on a rule that has changed. `named` and `more` are the stored values, each
        after its name: the first two, and the others. They are empty where there is one
        value.

    Examples
    --------
    >>> table(stored_ledger("no-such-file.json"), only="SL-07")[0]["tolerance"]
    'tol 0.005'
    """
    new = new or {}
    return [
        _row(find(id), stored[id], new.get(id, {}))
        for id in ids_that_begin(only)
    ]


def _row(claim, stored, run):
    # what the row is about: this run where it measured
    entry = run if "measured" in run else stored
    words = verdict_words(entry)
    if "measured" in stored and entry["verdict"] != stored["verdict"]:
        words += f" (stored: {stored['verdict']})"
    named = _named_values(claim.id, stored)
    return vars(claim) | {
        "published": as_text(claim.published),
        "tolerance": tolerance_words(claim),
        "stored": _value_words(stored),
        "named": named[:SHOWN],
        "more": named[SHOWN:],
        "run": _value_words(run) or run.get("reason", ""),
        "verdict": entry["verdict"],
        "verdict_words": words,
        "readings": [
            _reading_line(reading, entry) for reading in claim.readings
        ],
        "mended": MENDED.format(**claim.mended) if claim.mended else "",
        "remark": "; ".join(filter(None, map(entry.get, ("reason", "note")))),
        "restamped": "; ".join(entry.get("restamped", [])),
    }


def _reading_line(reading, entry):
    """What a reading gave, its source, whether it decides or was chosen to fit."""
    name = reading.name
    if found := entry.get("readings", {}).get(name):
        name += f": {_value_words(found)} {found['verdict']}"
    words = [name, reading.source]
    for field, before in READING_WORDS.items():
        if text := getattr(reading, field):
            words.append(before + text)
    return "; ".join(words)


def _named_values(id, entry):
    """Each of several values of an entry after its name; none where names do not fit.

    Without all optional data some experiments measure fewer values.
    """
    names = load_names().get(id, [])
    values = entry.get("measured")
    if not isinstance(values, list) or len(values) != len(names):
        return []
    parts = [entry | {"measured": value} for value in values]
    if isinstance(entry.get("spread"), list):
        for part, spread in zip(parts, entry["spread"], strict=True):
            part["spread"] = spread
    return [
        f"{name}: {_value_words(part)}"
        for name, part in zip(names, parts, strict=True)
    ]


def _value_words(entry):
    """The value of an entry, with its scale where that is not the usual one."""
    if "measured" not in entry:
        return ""
    scale = entry.get("scale", "default")
    return with_spread(entry) + (f" ({scale})" if scale != "default" else "")


def format_table(rows):
    """Format the rows as plain text, long texts shortened, with counts of verdicts.

    Below a row with several stored values stand the first two with their names.

    Parameters
    ----------
    rows : list of dict
        From `table`.

    Returns
    -------
    text : str
        The table, and the number of claims with each verdict.

    Examples
    --------
    >>> rows = table(stored_ledger(), {}, ["SL-07"])
    >>> format_table(rows).splitlines()[0].split()
    ['claim', 'says', 'paper', 'stored', 'this', 'run', 'tolerance', 'verdict']
    """
    cells = [
        [
            textwrap.shorten(row[name], width, placeholder="...")
            for name, width in COLUMNS.values()
        ]
        for row in rows
    ]
    lines = text_table(COLUMNS, cells).splitlines()
    text = lines[:2]  # header and rule
    for row, line in zip(rows, lines[2:], strict=True):
        text.append(line)
        if row["named"]:
            text.append(BELOW + _first_values(row))
    verdicts = count_verdicts(row["verdict"] for row in rows)
    return "\n".join([*text, "", f"{len(rows)} claims: {verdicts}."])


def _first_values(row):
    """The first of several values with their names, and how many more there are."""
    words = "; ".join(row["named"])
    return f"{words}; and {len(row['more'])} more" if row["more"] else words


def count_verdicts(verdicts):
    """How often each verdict stands among some, in words.

    Examples
    --------
    >>> count_verdicts(["differs", "reproduced", "differs"])
    '1 reproduced, 2 differ'
    """
    counts = Counter(verdicts)
    return ", ".join(
        f"{counts[each]} {each.removesuffix('s')}"
        for each in VERDICTS
        if counts[each]
    )


def text_table(header, rows):
    """Lines of aligned columns, separated by two spaces."""
    lines = [list(map(str, row)) for row in (header, *rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    # a rule below the header
    lines.insert(1, ["-" * width for width in widths])
    return "\n".join(
        "  ".join(map(str.ljust, line, widths)).rstrip() for line in lines
    )


@dataclass(frozen=True, repr=False)
class Comparison:
    """Claims of a chapter: a folded table in a notebook, counts in plain text.

    Titles that begin with "Beyond" are what a paper leaves open.
    """

    rows: list

    def __repr__(self):
        verdicts = count_verdicts(row["verdict"] for row in self.rows)
        beyond = sum(row["title"].startswith("Beyond") for row in self.rows)
        more = f", {beyond} beyond it" if beyond else ""
        return (
            f"{len(self.rows) - beyond} claims of the paper{more}: {verdicts}"
        )

    def _repr_html_(self):
        columns = {
            "The paper says": "title",
            "Reported": "published",
            "Ours": "stored",
            "Agrees": "verdict",
            "Why": "why",
            "Claim": "id",
        }
        head = "".join(f'<th scope="col">{name}</th>' for name in columns)
        body = ""
        for row in self.rows:
            agrees = AGREES[row["verdict"]]
            why = row["why"] or _why_not_available(row)
            row = row | {"verdict": agrees, "why": why}
            cells = {key: html.escape(row[key]) for key in columns.values()}
            if rule := row["rule"] or row["tolerance"]:
                cells["verdict"] = _with_details(agrees, "rule", rule)
            if row["named"]:
                cells["stored"] = _folded(row["named"], row["more"])
            name, *cells = cells.values()
            cells = "".join(f"<td>{cell}</td>" for cell in cells)
            body += f'<tr><th scope="row">{name}</th>{cells}</tr>\n'
        return (
            f"<details><summary>{self}</summary>\n<table>\n<caption>{self}</caption>\n"
            f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>\n"
            "</details>"
        )


def _folded(named, more):
    """Markup of the values that are shown, and of the others, folded."""
    shown, others = (
        "<br>".join(map(html.escape, part)) for part in (named, more)
    )
    if not more:
        return shown
    return f"{shown}{_details_of(f'{len(more)} more', others)}"


def _with_details(word, name, text):
    """Markup of a word with a text that is folded under its name."""
    return html.escape(word) + _details_of(name, html.escape(text))


def _details_of(name, markup):
    return f"<details><summary>{name}</summary>{markup}</details>"


def _why_not_available(row):
    """Why a claim is not checked, and on which other data the values are."""
    if row["available"]:
        return ""
    instead = f"; the values are of {row['instead']}" if row["instead"] else ""
    return f"{row['reason']}{instead}"


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
    return Comparison(
        sorted(
            table(stored_ledger(), only=only),
            key=lambda row: list(AGREES).index(row["verdict"]),
        )
    )


def _details(row):
    """A claim in full: the rule that decides it, its test, and the remark."""
    parts = {
        "says": [row["title"]],
        "rule": [row["rule"], row["mended"]],
        "values": ["; ".join([*row["named"], *row["more"]])],
        "reading": row["readings"],
        "remark": [row["remark"]],
        "code changed, golden results equal": [row["restamped"]],
        "measured by": [experiment_of(row["id"]) or "nothing"],
    }
    return "\n".join(
        textwrap.fill(f"{name}: {text}", 120)
        for name, texts in parts.items()
        for text in filter(None, texts)
    )


def stale_table(stored):
    """The entries that are out of date, each with its reason and its experiment."""
    rows = [
        [id, why, experiment_of(id)]
        for id, entry in stored.items()
        if (why := why_stale(id, entry))
    ]
    if not rows:
        return f"Of {len(stored)} stored entries none is out of date."
    return (
        f"{text_table(['claim', 'what has changed', 'measured by'], rows)}\n\n"
        f"{len(rows)} of {len(stored)} stored entries are out of date; `make claims`"
        " measures them."
    )


def print_worse(stored, new):
    """Print which verdicts of a run got worse; their ids."""
    # verdicts stand in order, the best first
    worse = [
        id
        for id, entry in new.items()
        if "measured" in entry
        and VERDICTS.index(entry["verdict"])
        > VERDICTS.index(stored[id]["verdict"])
    ]
    for id in worse:
        print_error(
            f"{id} got worse: {stored[id]['verdict']} is stored, this run"
            f" {new[id]['verdict']}."
        )
    return worse


def print_error(text):
    print(text, file=sys.stderr)


def _restamp(why):
    """Renew digests where the golden results are equal; the exit code."""
    root = project_root()
    # that compares them; there are none in a wheel
    golden = [sys.executable, "-m", "tests.golden", "--exact"]
    if subprocess.run(golden, cwd=root).returncode:
        print_error(
            "Golden results are missing or differ, so that numbers may have changed:"
            " nothing was renewed."
        )
        return 1
    renewed, refused = restamp(
        root / "figures" / "claims.json", why, datetime.date.today()
    )
    for id, reason in refused.items():
        print(f"{id} is not renewed: {reason}. `make claims` measures it.")
    print(f"{len(renewed)} entries renewed, {len(refused)} refused.")
    return 0


def run(options):
    """Print the ledger; the exit code.

    It is 1 if ``--check`` finds a verdict worse than the stored one.
    """
    if options.restamp:
        return _restamp(options.restamp)
    folder = (project_root() or Path.cwd()) / "reports" / "claims"
    # without results of a run there is nothing to check
    if options.check and not folder.is_dir():
        raise ValueError(
            f"There are no results of a run in {folder}; run `make claims` first."
        )
    stored = stored_ledger()
    new = read_fragments(folder)
    rows = table(stored, new, options.only or "")
    ids = [row["id"] for row in rows]
    if options.stale:
        print(stale_table({id: stored[id] for id in ids}))
    else:
        print(format_table(rows))
        if len(rows) == 1:
            print("\n" + _details(rows[0]))
    new = {id: new[id] for id in ids if id in new}
    return int(options.check and bool(print_worse(stored, new)))
