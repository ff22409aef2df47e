"""Claims as plain text; the command ``toolkit claims``."""

import sys
import textwrap
from collections import Counter
from pathlib import Path

from ..core import project_root
from .claim import VERDICTS
from .clone import has_experiments, load_machinery
from .ledger import read_fragments, stored_ledger
from .rows import table

# Field of a row and width, by the header of the column.
TEXT_COLUMNS = {
    "claim": ("id", 5),
    "says": ("title", 40),
    "paper": ("published", 20),
    "stored": ("stored", 20),
    "this run": ("run", 20),
    "tolerance": ("tolerance", 20),
    "verdict": ("verdict_words", 80),
}
# A second line of a row begins below its second column.
INDENT = "       "
LINE_WIDTH = 120
N_HEADER_LINES = 2  # the names of the columns and a rule


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
    cells = [_cells(row) for row in rows]
    table_lines = text_table(TEXT_COLUMNS, cells).splitlines()
    lines = table_lines[:N_HEADER_LINES]
    for row, line in zip(rows, table_lines[N_HEADER_LINES:], strict=True):
        lines.append(line)
        if row["named"]:
            lines.append(INDENT + _first_values(row))
    verdicts = count_verdicts([row["verdict"] for row in rows])
    lines += ["", f"{len(rows)} claims: {verdicts}."]
    return "\n".join(lines)


def _cells(row):
    """The texts of a row, each shortened to the width of its column."""
    cells = []
    for field, width in TEXT_COLUMNS.values():
        cells.append(textwrap.shorten(row[field], width, placeholder="..."))
    return cells


def _first_values(row):
    """The first of several values with their names, and how many more there are."""
    words = "; ".join(row["named"])
    if row["more"]:
        words += f"; and {len(row['more'])} more"
    return words


def count_verdicts(verdicts):
    """How often each verdict stands among some, in words.

    Examples
    --------
    >>> count_verdicts(["differs", "reproduced", "differs"])
    '1 reproduced, 2 differ'
    """
    counts = Counter(verdicts)
    phrases = []
    for verdict in VERDICTS:
        if counts[verdict]:
            phrases.append(f"{counts[verdict]} {verdict.removesuffix('s')}")
    return ", ".join(phrases)


def text_table(header, rows):
    """Lines of aligned columns, separated by two spaces."""
    widths = [len(name) for name in header]
    for row in rows:
        for column, cell in enumerate(row):
            widths[column] = max(widths[column], len(str(cell)))
    rule = ["".ljust(width, "-") for width in widths]
    lines = [_aligned(line, widths) for line in (header, rule, *rows)]
    return "\n".join(lines)


def _aligned(cells, widths):
    """A line of the cells, each as many characters wide as its column."""
    padded = ""
    for cell, width in zip(cells, widths, strict=True):
        padded += str(cell).ljust(width) + "  "
    return padded.rstrip()


def _details(row):
    """A claim in full: the rule that decides it, its test, and the remark."""
    values = "; ".join([*row["named"], *row["more"]])
    texts = [
        ("says", row["title"]),
        ("rule", row["rule"]),
        ("rule", row["mended"]),
        ("values", values),
    ]
    for reading in row["readings"]:
        texts.append(("reading", reading))
    texts += [
        ("remark", row["remark"]),
        ("code changed, golden results equal", row["restamped"]),
        ("measured by", _experiment_of(row["id"])),
    ]
    paragraphs = []
    for name, text in texts:
        if text:
            paragraphs.append(textwrap.fill(f"{name}: {text}", LINE_WIDTH))
    return "\n".join(paragraphs)


def _experiment_of(id):
    """The test that measures a claim, or "nothing"."""
    if not has_experiments():
        return "nothing"
    test = load_machinery("stale").experiment_of(id)
    return "nothing" if test is None else test


def print_worse(stored, new):
    """Print which verdicts of a run got worse; their ids.

    `stored` and `new` are the entries by id of the ledger and of the run. An entry
    without "measured" was not checked.
    """
    worse_ids = []
    for id, entry in new.items():
        stored_verdict = stored[id]["verdict"]
        # Verdicts stand in order, the best first.
        is_worse = VERDICTS.index(entry["verdict"]) > VERDICTS.index(
            stored_verdict
        )
        if is_worse and "measured" in entry:
            worse_ids.append(id)
            print_error(
                f"{id} got worse: {stored_verdict} is stored, this run"
                f" {entry['verdict']}."
            )
    return worse_ids


def print_error(text):
    print(text, file=sys.stderr)


def run(options):
    """Print the ledger; the exit code.

    It is 1 if ``--check`` finds a verdict worse than the stored one.
    """
    if options.restamp:
        return load_machinery("restamping").run(options.restamp)
    root = project_root()
    if root is None:
        root = Path.cwd()
    folder = root / "reports" / "claims"
    # There is nothing to check without results of a run.
    if options.check and not folder.is_dir():
        raise ValueError(
            f"There are no results of a run in {folder}; run `make claims` first."
        )
    stored = stored_ledger()
    results = read_fragments(folder)
    only = "" if options.only is None else options.only
    rows = table(stored, results, only)
    ids = [row["id"] for row in rows]
    if options.stale:
        stale_table = load_machinery("stale").stale_table
        print(stale_table({id: stored[id] for id in ids}))
    else:
        print(format_table(rows))
        if len(rows) == 1:
            print("\n" + _details(rows[0]))
    if not options.check:
        return 0
    results = {id: results[id] for id in ids if id in results}
    worse_ids = print_worse(stored, results)
    return int(bool(worse_ids))
