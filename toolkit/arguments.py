"""The arguments of the commands, read before anything of the work is imported."""

from argparse import RawDescriptionHelpFormatter
from pathlib import Path

SCALES = ("quick", "default", "paper")  # how much a run computes, least first
EXAMPLES = """examples:
  python -m toolkit look data/votes.csv --target party
  python -m toolkit look patients.xlsx --target outcome --id patient \\
      --drop notes --groups hospital
  python -m toolkit look houses.csv --target price --test new_houses.csv
  python -m toolkit look films.csv --labels comedy,drama,horror
  python -m toolkit look words.csv --distances --classes languages.csv
  python -m toolkit look data/votes.csv --target party --model my_model.py:model

exit codes: 0 a page was written, 1 something failed, 2 wrong use or a table that cannot
be looked at, 130 interrupted
"""
# option, name of its value, help
TEXTS = [
    ("--target", "COLUMN", "what is to be predicted: classes or numbers"),
    ("--classes", "FILE", "the classes of the rows of such a matrix"),
    (
        "--model",
        "FILE.py:NAME",
        "a model of scikit-learn's kind; the code is imported, so trust it",
    ),
    ("--map", "FILE.py:NAME", "your own map, likewise"),
    ("--test", "FILE", "rows to be held out (otherwise a quarter of the rows)"),
    ("--id", "COLUMN", "the column that names the rows"),
    ("--groups", "COLUMN", "equal values stay on the same side of every split"),
    ("--sheet", "NAME", "of an Excel file, or its number (default: the first)"),
    ("--encoding", "NAME", "of a text, such as cp1251"),
    (
        "--decimal",
        "MARK",
        "the decimal mark, where 1.234 can be read in two ways",
    ),
    ("--thousands", "MARK", "what separates thousands, likewise"),
    ("--dates", "FIRST", "what comes first in dates: day, month or year"),
    ("--title", None, "of the page (default: name of the file)"),
    ("--out", "PAGE.html", "the page (default: FILE_look.html in this folder)"),
]
LISTS = [
    ("--labels", "columns of 0 and 1, several of which may hold for a row"),
    ("--drop", "columns to leave out"),
    ("--keep", "columns whose values are fixed, and name no persons or places"),
]


def look(parser):
    """Of the page about a table."""
    parser.epilog = EXAMPLES
    parser.formatter_class = RawDescriptionHelpFormatter
    add = parser.add_argument
    add(
        "file",
        metavar="FILE",
        help="CSV, TSV, Excel, Parquet, ARFF, npz or npy",
    )
    for option, metavar, text in TEXTS:
        add(option, metavar=metavar, help=text)
    for option, text in LISTS:
        add(option, metavar="A,B,C", type=_names, help=text)
    for kind in ("similarities", "distances"):
        add(
            f"--{kind}",
            action="store_true",
            help=f"FILE is a square matrix of {kind}",
        )
    add(
        "--task",
        choices=["classes", "value"],
        help="what the target is, if it is not found out rightly",
    )
    add(
        "--rows",
        type=int,
        metavar="N",
        help="read at most so many rows, drawn at random",
    )
    add(
        "--no-rows",
        action="store_true",
        help="leave names and values of single rows out of the page",
    )
    add("--seed", dest="random_state", type=int, default=0, metavar="N")


def _names(text):
    return [name.strip() for name in text.split(",") if name.strip()]


def _jobs(parser, refresh):
    """Of a command that runs many jobs; `refresh` is the help of ``--refresh``."""
    add = parser.add_argument
    add(
        "--scale",
        choices=SCALES,
        default="default",
        help="how much is computed",
    )
    add(
        "--jobs",
        type=positive_integer,
        metavar="N",
        help="at once (default: cores)",
    )
    add(
        "--out",
        type=Path,
        metavar="DIR",
        help="where the results go (default: reports)",
    )
    add("--force", action="store_true", help="also what is up to date")
    add("--refresh", action="store_true", help=refresh)


def positive_integer(text):
    """A number of a command line; argparse says what is none."""
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def report(parser):
    """Of the pages of notebooks."""
    parser.epilog = (
        "Exit codes: 0 all ran, 1 a notebook failed, 2 wrong use, another run at work"
        " or no space on the disk, 130, 143 ended by Ctrl-C, SIGTERM."
    )
    _jobs(parser, "also write stored outputs, figures and ledger back")
    add = parser.add_argument
    add(
        "numbers",
        nargs="*",
        metavar="NN",
        help="numbers or names of notebooks (default: all)",
    )
    add(
        "-p",
        dest="parameters",
        nargs=2,
        metavar=("NAME", "VALUE"),
        action="append",
        default=[],
        help="set a parameter of the notebook; may be repeated",
    )
    add(
        "--timeout",
        type=positive_integer,
        metavar="S",
        help="seconds allowed to one cell (default: by scale)",
    )
    add(
        "--notebooks",
        type=Path,
        metavar="DIR",
        help="another folder of notebooks, such as your own; their pages go into it",
    )


def measure(parser):
    """Of the measurement of claims."""
    _jobs(parser, "only record: a new verdict is no failure")
    _add_only(parser)


def _add_only(parser):
    parser.add_argument(
        "--only",
        action="append",
        metavar="ID",
        help="only ids that begin so, e.g. SL; repeatable",
    )


def claims(parser):
    """Of the ledger."""
    _add_only(parser)
    add = parser.add_argument
    add(
        "--check",
        action="store_true",
        help="exit with 1 if a verdict got worse than the stored one",
    )
    add(
        "--stale",
        action="store_true",
        help="list the stored entries that are out of date, and why; measure nothing",
    )
    add(
        "--restamp",
        metavar="WHY",
        help="renew digests of code where golden results show no changed number",
    )


def data(parser):
    """Of the data sets."""
    commands = parser.add_subparsers(dest="action", metavar="COMMAND")
    add = commands.add_parser
    add("list", help="every known set and where it is (the default)")
    fetcher = add("fetch", help="download sets into the cache")
    fetcher.add_argument("name", nargs="+", metavar="NAME")
    add(
        "verify",
        help="load every set that is available and check its checksum and form",
    )
