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

Made by `make honesty` (`tests/honesty`): tables of which the truth is known, with seeds that are fixed in the file. Error:
what the page prints, in its unit; true: that of the same model, fitted to four fifths of the rows, at 5,000 fresh rows.
Cover: how often the interval of the level .9 holds the true error; width: of that interval over a binomial one of as many
rows. Signal: how often a relation is claimed. Dependence: how often the kind that there is was found, or a kind that there
is not (false alarms), and the second error. Columns: how often any was called relevant, or weakly relevant, which is not;
and which part of the relevant ones was found. Leak: how often one is named; there is none.
"""


def row(name, draws):
    """One line of the table: means over the draws of a process."""
    f = pd.DataFrame(draws)
    bias = f.error - f.true
    half = norm.ppf((1 + LEVEL) / 2) * np.sqrt(abs(f.true * (1 - f.true)) / f.n)
    width = ((f.high - f.low) / (2 * half)).mean()
    is_rate = (f.true < 1).all() and "values" not in name
    cells = {
        "process": name,
        "draws": len(f),
        "error": f.error.mean(),
        "true": f.true.mean(),
        "bias": bias.mean(),
        "± 2 s.e.": 2 * bias.std() / np.sqrt(len(f)),
        "cover": ((f.low <= f.true) & (f.true <= f.high)).mean(),
        "width": width if is_rate else np.nan,
        "signal": f.signal.mean(),
        "dependence": f.found.mean() if f.second.notna().any() else np.nan,
        "false alarm": f.alarm.mean(),
        "second error": f.second.mean(),
    }
    columns = "false strong", "false found", "right strong", "right found"
    cells |= {c: f[c].mean() if c in f else np.nan for c in columns}
    return cells | {"leak": f.leak.mean(), "seconds": f.seconds.mean()}


def row_of_map(name, draws):
    """One line of the table of maps."""
    f = pd.DataFrame(draws)
    half = norm.ppf((1 + LEVEL) / 2) * np.sqrt(f.true * (1 - f.true) / f.n)
    return {
        "map, process": name,
        "draws": len(f),
        "error": f.error.mean(),
        "true": f.true.mean(),
        "cover": ((f.low <= f.true) & (f.true <= f.high)).mean(),
        "width": ((f.high - f.low) / (2 * half)).mean(),
        "upper end below the baseline": f.below.mean(),
    }


def as_text(value):
    if not isinstance(value, float):
        return str(value)
    return "" if np.isnan(value) else f"{value:.3f}"


def main(argv=None):
    parser = argparse.ArgumentParser(
        "python -m tests.honesty", description=__doc__
    )
    add = parser.add_argument
    add("--draws", type=int, default=100, help="of each process")
    add("--only", default="", help="regular expression on processes")
    add("--trees", type=int, help="of each forest, in place of what a look has")
    add("--maps", type=int, default=200, help="draws of each map; 0: none")
    options = parser.parse_args(argv)
    maps = []
    for name in MAPS if options.maps else ():
        for process in "noise, n = 100", "signal .2":
            draws = Parallel(-1)(
                delayed(map_at)(name, process, seed)
                for seed in range(options.maps)
            )
            maps.append(row_of_map(f"{name}, {process}", draws))
            print(maps[-1], flush=True)
    rows = []
    for name in PROCESSES if options.draws else ():
        if re.search(options.only, name):
            seeds = range(options.draws)
            draws = Parallel(-1)(
                delayed(look_at)(name, seed, options.trees) for seed in seeds
            )
            rows.append(row(name, draws))
            print(
                *(f"{key} {as_text(value)}" for key, value in rows[-1].items()),
                sep="; ",
                flush=True,
            )
    if options.only:
        return 0
    lines = [list(rows[0]), ["---"] * len(rows[0])]
    lines += [map(as_text, cells.values()) for cells in rows]
    text = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    path = project_root() / "benchmarks" / "honesty.md"
    path.write_text(f"{HEAD}\n{text}\n", "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
