"""Showing the ledger: rows, plain text, the folded table of a lesson, and the command ``python -m toolkit claims``."""

import argparse
import datetime
import json
import subprocess
import sys
import textwrap
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from ..core.files import project_root
from .claim import VERDICTS, load
from .ledger import check, committed, compare_runs, read_fragments, restamp
from .measure import allowed, as_text, verdict_words
from .stale import experiment_of, why_stale
from .tables import table_markup, text_table

AGREES = {"reproduced": "yes", "differs": "no", "not checked": "not checked"}
COUNTED = {
    "reproduced": "reproduced",
    "differs": "differ",
    "not checked": "not checked",
}
# of a reading
SAID = {
    "decides": "decides: ",
    "fitted": "chosen to meet the print: ",
    "confirmed": "confirmed by ",
}


def table(stored, fresh=None, only=None):
    """One row per claim: what the paper says, what is stored, what this run gave.

    Parameters
    ----------
    stored, fresh : dict of dict, by id, from `committed` and `read_fragments`
    only : str or sequence of str, default None
        Beginnings of ids, such as "SL" or "GM-07".

    Returns
    -------
    rows : list of dict
        Texts `id`, `paper`, `where`, `title`, `rule`, `published`, `tolerance`,
        `stored`, `run`, `stored_verdict`, `run_verdict`, `change` (see `compare_runs`),
        `why`, `remark` and `restamped`; `verdict` is this run's if it measured, else
        the stored one; `verdict_words` the same with the number of readings that agree,
        and with the stored one where it was another; `readings` and `mended` are lines
        on each reading, and on a rule that was another one.

    Examples
    --------
    >>> table(committed("no-such-file.json"), only="SL-07")[0]["tolerance"]
    'tol 0.005'
    """
    fresh, claims = fresh or {}, load()
    wanted = tuple(
        only
        if isinstance(only, list | tuple) and only
        else ["" if only is None else only]
    )
    for beginning in wanted:
        if not isinstance(beginning, str) or not any(
            id.startswith(beginning) for id in claims
        ):
            known = ", ".join(dict.fromkeys(id[:2] for id in claims))
            raise ValueError(
                f"`only` must be the beginning of a claim's id ({known}); got"
                f" {beginning!r}."
            )
    changes = compare_runs(stored, fresh)
    ids = [id for id in claims if id.startswith(wanted)]
    return [
        _row(claims[id], stored[id], fresh.get(id, {}), changes.get(id, ""))
        for id in ids
    ]


def _row(claim, stored, run, change):
    shown = run if "measured" in run else stored
    other = change in ("better", "worse") and "measured" in stored
    row = {
        name: getattr(claim, name)
        for name in ("id", "paper", "where", "title", "rule", "why")
    }
    return row | {
        "published": as_text(claim.published),
        "tolerance": allowed(claim),
        "stored": _measured(stored),
        "run": _measured(run) or run.get("reason", ""),
        "stored_verdict": stored["verdict"],
        "run_verdict": run.get("verdict", ""),
        "verdict": shown["verdict"],
        "verdict_words": (
            verdict_words(shown) + (f" (stored: {stored['verdict']})" if other else "")
        ),
        "change": change,
        "readings": [_reading(reading, shown) for reading in claim.readings],
        "mended": str(claim.mended or ""),
        "remark": "; ".join(filter(None, (shown.get("reason"), shown.get("note")))),
        "restamped": "; ".join(shown.get("restamped", [])),
    }


def _reading(reading, entry):
    """One line: its name and what it gave, what speaks for it, whether it decides, and whether it was chosen to fit."""
    found = entry.get("readings", {}).get(reading.name)
    parts = [
        (
            f"{reading.name}: {_measured(found)} {found['verdict']}"
            if found
            else reading.name
        ),
        reading.source,
    ]
    for field, words in SAID.items():
        if getattr(reading, field):
            parts.append(words + getattr(reading, field))
    return "; ".join(parts)


def _measured(entry):
    if "measured" not in entry:
        return ""
    spread = f" +- {as_text(entry['spread'])}" if "spread" in entry else ""
    scale = f" ({entry['scale']})" if entry.get("scale", "default") != "default" else ""
    return as_text(entry["measured"]) + spread + scale


def format_table(rows):
    """The rows as plain text, long texts cut, and below them the number of claims of each verdict.

    Parameters
    ----------
    rows : list of dict, from `table`

    Examples
    --------
    >>> rows = table(committed(), {}, ["SL-07"])
    >>> format_table(rows).splitlines()[0].split()
    ['claim', 'says', 'paper', 'stored', 'this', 'run', 'tolerance', 'verdict']
    """
    header = ["claim", "says", "paper", "stored", "this run", "tolerance", "verdict"]
    cells = []
    for row in rows:
        widths = {
            "title": 40,
            "published": 20,
            "stored": 20,
            "run": 20,
            "tolerance": 20,
        }
        cut = [
            textwrap.shorten(row[name], width, placeholder="...")
            for name, width in widths.items()
        ]
        cells.append([row["id"], *cut, row["verdict_words"]])
    counts = [
        [paper, *by.values(), sum(by.values())] for paper, by in summary(rows).items()
    ]
    return "\n\n".join(
        [text_table(header, cells), text_table(["paper", *VERDICTS, "all"], counts)]
    )


def summary(rows):
    """Number of claims by paper and verdict, with a last entry "all".

    Examples
    --------
    >>> summary(table(committed("no-such-file.json"), only="TR"))["all"]
    {'reproduced': 0, 'differs': 0, 'not checked': 8}
    """
    papers = [*dict.fromkeys(row["paper"] for row in rows), "all"]
    counts = Counter(
        (paper, row["verdict"]) for row in rows for paper in (row["paper"], "all")
    )
    return {
        paper: {verdict: counts[paper, verdict] for verdict in VERDICTS}
        for paper in papers
    }


@dataclass(frozen=True)
class Compared:
    """Claims of a chapter; shown as a folded table in a notebook, counted in plain text.

    Titles that begin with "Beyond" are what a paper leaves open.
    """

    rows: list

    def __str__(self):
        counts = summary(self.rows)["all"]
        said = ", ".join(
            f"{count} {COUNTED[verdict]}" for verdict, count in counts.items() if count
        )
        beyond = sum(row["title"].startswith("Beyond") for row in self.rows)
        more = f", {beyond} beyond it" if beyond else ""
        return f"{len(self.rows) - beyond} claims of the paper{more}: {said}"

    __repr__ = __str__

    def _repr_html_(self):
        header = ["The paper says", "Reported", "Ours", "Agrees", "Why", "Claim"]
        cells = [
            [
                row["title"],
                row["published"],
                row["stored"],
                AGREES[row["verdict"]],
                row["why"],
                row["id"],
            ]
            for row in self.rows
        ]
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
        In a notebook a folded table: those that differ first, each with the reason that
        we think holds.

    Examples
    --------
    >>> compared("SL-07", "no-such-file.json")
    1 claims of the paper: 1 not checked
    """
    order = ["differs", "reproduced", "not checked"]
    return Compared(
        sorted(
            table(committed(path), only=only),
            key=lambda row: order.index(row["verdict"]),
        )
    )


def _details(row):
    """What a claim says in full, the rule that decides it, the test that measures it, and the remark."""
    experiment = experiment_of(row["id"])
    said = {
        "says": [row["title"]],
        "rule": [row["rule"], row["mended"]],
        "reading": row["readings"],
        "remark": [row["remark"]],
        "code changed, golden results equal": [row["restamped"]],
        "measured by": [experiment.test if experiment else "nothing"],
    }
    lines = (
        f"{name}: {words}" for name, texts in said.items() for words in texts if words
    )
    return "\n".join(textwrap.fill(line, 120) for line in lines)


def stale_table(stored):
    """The entries that are out of date, each with its reason and its experiment, as plain text."""
    why = {id: why_stale(id, entry) for id, entry in stored.items()}
    rows = [
        [id, reason, experiment_of(id).test] for id, reason in why.items() if reason
    ]
    if not rows:
        return f"Of {len(stored)} stored entries none is out of date."
    listed = text_table(["claim", "what has changed", "measured by"], rows)
    return (
        f"{listed}\n\n{len(rows)} of {len(stored)} stored entries are out of date;"
        " `make claims` measures them."
    )


def tell_worse(stored, fresh):
    """Print which verdicts got worse; their ids."""
    worse = check(stored, fresh)
    for id in worse:
        print(
            f"{id} got worse: {stored[id]['verdict']} is stored, this run"
            f" {fresh[id]['verdict']}.",
            file=sys.stderr,
        )
    return worse


def _restamp(why):
    """Renew digests where the golden results are equal; the exit code."""
    root = project_root()
    if root is None:
        print(
            "It needs a clone: the golden results are not in the wheel.",
            file=sys.stderr,
        )
        return 2
    if subprocess.run(
        [sys.executable, "-m", "tests.golden", "--exact"], cwd=root
    ).returncode:
        print(
            "Golden results differ, so that numbers may have changed: nothing was"
            " renewed.",
            file=sys.stderr,
        )
        return 1
    renewed, refused = restamp(
        root / "figures" / "claims.json", why, datetime.date.today().isoformat()
    )
    for id, reason in refused.items():
        print(f"{id} is not renewed: {reason}. `make claims` measures it.")
    print(f"{len(renewed)} entries renewed, {len(refused)} refused.")
    return 0


def main(argv=None):
    """``python -m toolkit claims``: print the ledger.

    Returns 0, or 1 if ``--check`` finds a verdict worse than the stored one. Wrong
    usage exits with 2.
    """
    says = "What the papers claim, what we measured, and the verdict."
    parser = argparse.ArgumentParser("python -m toolkit claims", description=says)
    add = parser.add_argument
    add(
        "--check",
        action="store_true",
        help="exit with 1 if a verdict got worse than the stored one",
    )
    add(
        "--only",
        action="append",
        metavar="ID",
        help="only ids that begin so, e.g. SL; repeatable",
    )
    add("--json", action="store_true", help="print the rows as JSON")
    add(
        "--stale",
        action="store_true",
        help="list the stored entries that are out of date, and why; measure nothing",
    )
    add(
        "--restamp",
        metavar="WHY",
        help=(
            "renew digests of code where golden results show that no number has changed"
        ),
    )
    add(
        "--fragments",
        type=Path,
        metavar="DIR",
        help="results of the last run (reports/claims)",
    )
    args = parser.parse_args(argv)
    if args.restamp:
        return _restamp(args.restamp)
    folder = args.fragments or (project_root() or Path.cwd()) / "reports" / "claims"
    if not folder.is_dir() and (args.check or args.fragments):
        parser.error(
            f"there are no results of a run in {folder}; run `python -m toolkit report`"
            " first"
        )
    try:
        stored, fresh = committed(), read_fragments(folder)
        rows = table(stored, fresh, args.only)
    except ValueError as error:
        parser.error(str(error))
    ids = [row["id"] for row in rows]
    if args.stale:
        print(stale_table({id: stored[id] for id in ids}))
    elif args.json:
        print(json.dumps(rows, indent=1, ensure_ascii=False))
    else:
        print(format_table(rows))
        if len(rows) == 1:
            print("\n" + _details(rows[0]))
    return int(
        args.check
        and bool(tell_worse(stored, {id: fresh[id] for id in ids if id in fresh}))
    )
