"""Simulate processes with a known truth: ``python -m tests.honesty`` writes `benchmarks/honesty.md`."""

import argparse
import os
import re

from toolkit.report.execute import KERNELS, THREADS

os.environ.update(THREADS | KERNELS)  # before a library is loaded

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.stats import norm

from toolkit.core.files import project_root

from .maps import MAPS, map_at
from .processes import PROCESSES
from .statements import LEVEL, look_at

HEAD = """# Is what `look` says true?

Made by `make honesty` (`tests/honesty`): tables of which the truth is known, with seeds that are fixed in the file.
Error: what the page prints, in its unit; true: that of the model chosen on four fifths of the rows and fitted to them,
at 5,000 fresh rows. Cover: how often the interval of level 0.9 holds the true error; width: of that interval over a
binomial one (Wilson's) of as many rows, or declared groups. Signal: how often a relation is claimed; probable: only in
probabilities. Found: how often the kind of dependence that there is was found, alarm: any where there is none; second:
the error with dependent rows kept together. False strong, false found: how often any column was called strongly
relevant, or relevant, which is not; right: which part of the relevant ones was found. Leak: how often one is named;
there is none. Area cover: how often the interval of the area under the ROC curve of the rare class holds the true one.
Below: how often the interval of a map ends below the baseline.
"""


COLUMNS = "false strong", "false found", "right strong", "right found"


def row(name, f):
    """One line of the table, of a DataFrame with a row for each draw of a process."""
    bias = f.error - f.true
    cells = {
        "process": name,
        "draws": len(f),
        "error": f.error.mean(),
        "true": f.true.mean(),
        "bias": bias.mean(),
        "± 2 s.e.": 2 * bias.std() / np.sqrt(len(f)),
        "cover": ((f.low <= f.true) & (f.true <= f.high)).mean(),
    }
    if "values" not in name and (f.true < 1).all():
        cells["width"] = ((f.high - f.low) / binomial_width(f.true, f.n)).mean()
    rates = "signal", "alarm", *COLUMNS, "leak", "below", "probable", "second"
    rates = *rates, "area cover"
    cells |= {rate: f[rate].astype(float).mean() for rate in rates if rate in f}
    if "second" in f and f.second.notna().any():
        cells["found"] = f.found.mean()
    return cells | {"seconds": f.seconds.mean()}


def binomial_width(p, n):
    """Width of the interval of a rate p in n independent rows, by Wilson."""
    q = norm.ppf((1 + LEVEL) / 2) ** 2 / n
    return 2 * np.sqrt(q * (p * (1 - p) + q / 4)) / (1 + q)


def main(argv=None):
    parser = argparse.ArgumentParser(
        "python -m tests.honesty", description=__doc__
    )
    add = parser.add_argument
    add("--draws", type=int, default=100, help="of each process")
    add("--only", default="", help="regular expression on processes and maps")
    add("--trees", type=int, help="of each forest, in place of what a look has")
    add("--columns", type=int, default=100, help="draws asked about columns")
    options = parser.parse_args(argv)
    look = options.trees, options.columns
    asked = {name: (look_at, name, *look) for name in PROCESSES}
    for name in MAPS:
        for process in "noise, n = 100", "signal .2":
            asked[f"map {name}, {process}"] = map_at, process, name
    tables = {"look": [], "map ": []}
    for name, (function, *arguments) in asked.items():
        if re.search(options.only, name):
            draws = Parallel(-1)(
                delayed(function)(*arguments, seed)
                for seed in range(options.draws)
            )
            cells = row(name, pd.DataFrame(draws))
            tables["map " if name[:4] == "map " else "look"].append(cells)
            print(
                *pd.DataFrame([cells]).round(3).to_dict("records"), flush=True
            )
    if not options.only:
        write(tables.values(), options)


def write(tables, options):
    """Store the tables, of looks and of maps."""
    parts = [HEAD]
    if options.columns < options.draws:
        parts.append(f"Columns: of the first {options.columns} draws.\n")
    if options.trees:
        parts.append(
            f"Forests have {options.trees} trees, in place of 50 and 60.\n"
        )
    for rows in tables:
        cells = pd.DataFrame(rows).round(3).fillna("")
        parts.append(as_table(cells.to_csv(sep="|", index=False)))
    path = project_root() / "benchmarks" / "honesty.md"
    path.write_text("\n".join(parts), "utf-8")


def as_table(text):
    """Lines with bars as a table of Markdown."""
    head, *lines = text.splitlines()
    rule = "|".join(["---"] * (1 + head.count("|")))
    return "".join(f"|{line}|\n" for line in (head, rule, *lines))


if __name__ == "__main__":
    main()
