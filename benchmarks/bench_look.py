"""A page about a table of one's own: seconds by the clock and peak memory, as a ratio to that of the votes.

``python benchmarks/bench_look.py [ROWS ...]`` times the command on the tables of its
tests, and on made ones of 50 columns with so many rows (default: 5,000 and 100,000).
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification

from toolkit.datasets import DatasetUnavailable
from toolkit.datasets.registry import shipped_folder

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "tabular"))
import own_tables


def big(folder, n):
    """Five classes, ten of 50 columns informative."""
    X, y = make_classification(
        n, 50, n_informative=10, n_classes=5, random_state=0
    )
    frame = (
        pd.DataFrame(X)
        .add_prefix("x")
        .round(4)
        .assign(kind=np.array(list("abcde"))[y])
    )
    frame.to_csv(folder / f"rows{n}.csv", index=False)
    return {"data": folder / f"rows{n}.csv", "target": "kind"}


def votes(folder):
    return {"data": shipped_folder() / "votes.csv", "target": "party"}


def seconds(given, folder):
    """Seconds of one page, and the peak memory in MB of any process of it so far."""
    given = dict(given)
    command = [
        sys.executable,
        "-m",
        "toolkit",
        "look",
        str(given.pop("data")),
        "--out",
        str(folder / "page.html"),
    ]
    for name, value in given.items():
        command += [f"--{name}"]
        command += (
            []
            if value is True
            else [",".join(value) if isinstance(value, list) else str(value)]
        )
    begin = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - begin, resource.getrusage(
        resource.RUSAGE_CHILDREN
    ).ru_maxrss / 1024


def main():
    sizes = [int(text) for text in sys.argv[1:]] or [5_000, 100_000]
    with tempfile.TemporaryDirectory() as name:
        folder, tables = Path(name), {"votes": votes}
        for make in own_tables.TABLES.values():
            tables.setdefault(make.__name__, make)
        tables |= {
            f"{n:,} x 50": lambda folder, n=n: big(folder, n) for n in sizes
        }
        print(
            "| table | seconds | of the votes' | peak MB so far |\n|---|---|---|---|"
        )
        first = None
        for label, make in tables.items():
            try:
                given = make(folder)
            except DatasetUnavailable:
                print(f"| {label} | no data | | |")
                continue
            taken, memory = seconds(given, folder)
            first = first or taken
            print(
                f"| {label} | {taken:.0f} | {taken / first:.2f} | {memory:.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
