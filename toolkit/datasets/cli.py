"""`python -m toolkit data`: list, fetch and verify."""

import argparse
import sys

from .loading import fetch, list_datasets, verify
from .registry import DatasetUnavailable


def main(argv=None):
    """Run the command; its exit code.

    0, or 1 if a set could not be fetched or is not as it should be, 2 for wrong usage.
    """
    parser = argparse.ArgumentParser(
        "python -m toolkit data",
        description=(
            "The data sets: what is shipped, found, cached or downloadable, and whether"
            " it is intact."
        ),
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    add = commands.add_parser
    add("list", help="every known set and where it is (the default)")
    fetcher = add("fetch", help="download sets into the cache")
    fetcher.add_argument("name", nargs="+", metavar="NAME")
    add(
        "verify",
        help="load every set that is available and check its checksum and form",
    )
    options = parser.parse_args(argv)
    if options.command == "fetch":
        return _fetch(options.name)
    if options.command == "verify":
        rows = verify()
        for name, status, problem in rows:
            word = "BAD" if problem else "ok"
            print(f"{word:4} {name:18} {status:13} {problem}")
        return int(any(problem for *_, problem in rows))
    for row in list_datasets():
        shape = " x ".join(map(str, row["shape"]))
        print(
            f"{row['name']:18} {row['status'].split(':')[0]:13} {shape:13}"
            f" {row['kind']:11} {row['title']}"
        )
    return 0


def _fetch(names):
    code = 0
    for name in names:
        try:
            print(f"{name}: {fetch(name) or 'comes with scikit-learn'}")
        except DatasetUnavailable as error:
            print(f"{name}: {error}")
            code = 1
        except ValueError as error:
            print(f"error: {error}", file=sys.stderr)
            return 2
    return code
