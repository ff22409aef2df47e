"""Simulate processes with a known truth: ``python -m tests.honesty`` writes `benchmarks/honesty.md`."""

import argparse
import json
import os
import re
from functools import partial
from pathlib import Path

from toolkit.report.execute import KERNELS, THREADS

os.environ.update(THREADS | KERNELS)  # before a library is loaded

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.stats import norm

from toolkit.core.files import project_root

from .maps import MAPS, OF_LOOK, map_at
from .named_groups import NAMES_ONLY
from .processes import PROCESSES
from .statements import (
    LEVEL,
    RELEVANCE_MODELS,
    columns_at,
    in_worker,
    look_at,
    names_at,
)

HEAD = """# Is what `look` says true?

Made by `make honesty` (`tests/honesty`): tables of which the truth is known, with seeds that are fixed in the file.
Error: what the page prints, in its unit; true: that of the model chosen on four fifths of the rows and fitted to them,
at 5,000 fresh rows. Cover: how often the interval of level 0.9 holds the true error; width: of that interval over a
binomial one (Wilson's) of as many rows, or declared groups. Signal: how often a relation is claimed; probable: only in
probabilities. Found: how often the kind of dependence that there is was found, alarm: any where there is none; second:
the error with dependent rows kept together. False strong, false found: how often any column was called strongly
relevant, or relevant, which is not; right: which part of the relevant ones was found. Leak: how often one is named;
there is none. In the second table, only the names of columns are asked for. In the third table, which columns are
strongly relevant is measured with a model of one name; of a duplicate, none is needed. Below: how often the interval
of a map ends below the baseline. Column: how often the one that names persons, occupations or sets was named,
misnamed: a column that measures was; second true, second cover: of rows of other persons or occupations; leads: how
often the verdict is about the error that it should be about; worse: how often the models are said to be worse than
chance. Area cover: how often the interval of the area under the ROC curve of the rare class holds the true one.
"""


COLUMNS = "false strong", "false found", "right strong", "right found"
NAMES = "column", "misnamed", "worse", "leads"


def row(name, f):
    """One line of the table, of a DataFrame with a row for each draw of a process."""
    cells = {"process": name, "draws": len(f)}
    if "error" not in f:
        rates = f[[rate for rate in (*COLUMNS, *NAMES) if rate in f]]
        rates = rates.astype(float)
        return cells | rates.mean().to_dict() | {"seconds": f.seconds.mean()}
    bias = f.error - f.true
    is_covered = (f.low <= f.true) & (f.true <= f.high)
    cells |= {
        "error": f.error.mean(),
        "true": f.true.mean(),
        "bias": bias.mean(),
        "± 2 s.e.": 2 * bias.std() / np.sqrt(len(f)),
        "cover": is_covered.mean(),
    }
    if "values" not in name and (f.true < 1).all():
        relative_width = (f.high - f.low) / binomial_width(f.true, f.n)
        cells["width"] = relative_width.mean()
    rates = "signal", "alarm", *COLUMNS, *NAMES
    rates += "leak", "below", "probable", "second", "area cover"
    cells |= {
        rate: f[rate].astype(float).mean() for rate in rates if has(f, rate)
    }
    if has(f, "second"):
        cells["found"] = f.found.mean()
    if has(f, "second true"):
        judged = f[f["second true"].notna()]
        true = judged["second true"]
        cells["second true"] = true.mean()
        cells["second cover"] = true.between(
            judged["second low"], judged["second high"]
        ).mean()
    seconds = f["all seconds" if has(f, "all seconds") else "seconds"]
    return cells | {"seconds": seconds.mean()}


def has(f, column):
    """Whether something of a kind was said in any draw."""
    return column in f and f[column].notna().any()


def binomial_width(p, n):
    """Width of the interval of a rate p in n independent rows, by Wilson."""
    q = norm.ppf((1 + LEVEL) / 2) ** 2 / n
    variance = p * (1 - p) + q / 4
    return 2 * np.sqrt(q * variance) / (1 + q)


def main(argv=None):
    parser = argparse.ArgumentParser(
        "python -m tests.honesty", description=__doc__
    )
    add = parser.add_argument
    add("--draws", type=int, default=100, help="of each process")
    add("--first", type=int, default=0, help="seed of the first draw")
    add("--only", default="", help="regular expression on processes and maps")
    add("--trees", type=int, help="of each forest, in place of what a look has")
    add("--columns", type=int, default=100, help="draws asked about columns")
    add("--jobs", type=int, default=-1, help="draws at a time; -1: all cores")
    add("--results", type=Path, help="JSON lines; draws that it has are kept")
    options = parser.parse_args(argv)
    tables = {look_at: [], names_at: [], columns_at: [], map_at: []}
    asked = jobs_of(options)
    stored = stored_draws(options.results)
    missing = []
    for name, (function, *arguments) in asked.items():
        if re.search(options.only, name):
            draws = stored.get(name, {})
            seeds = range(options.first, options.first + options.draws)
            new = [seed for seed in seeds if seed not in draws]
            ask = partial(in_worker, options.trees, function, *arguments)
            jobs = (delayed(ask)(seed) for seed in new)
            # each is stored as soon as it is there
            said_of = Parallel(options.jobs, return_as="generator")(jobs)
            for seed, statements in zip(new, said_of, strict=True):
                draws[seed] = statements
                store(
                    options.results,
                    {"process": name, "seed": seed, **statements},
                )
            if not draws:
                missing.append(name)
                continue
            cells = row(name, pd.DataFrame(draws.values()))
            tables[function].append(cells)
            print(
                *pd.DataFrame([cells]).round(3).to_dict("records"), flush=True
            )
    if not options.only:
        write(tables.values(), missing, options)


def jobs_of(options):
    """What is asked, by its name in the tables: a function and its arguments but the seed."""
    jobs = {}
    for process in PROCESSES:
        if process in NAMES_ONLY:
            jobs[process] = names_at, process
        elif process.startswith(("one good", "proxy", "duplicate")):
            for model in RELEVANCE_MODELS:
                jobs[f"{model}: {process}"] = columns_at, process, model
        else:
            jobs[process] = look_at, process, options.columns
    for name in MAPS:
        # of 200 rows, and of less than 200 for the map of a look
        signal = "signal .05" if name == OF_LOOK else "signal .2"
        for process in "noise, n = 100", signal:
            jobs[f"map {name}, {process}"] = map_at, process, name
    return jobs


def stored_draws(path):
    """What was said in earlier runs: by process, then by seed."""
    draws = {}
    if path is not None and path.exists():
        for line in path.read_text("utf-8").splitlines():
            statements = json.loads(line)
            of_process = draws.setdefault(statements.pop("process"), {})
            of_process[statements.pop("seed")] = statements
    return draws


def store(path, statements):
    """Add a line for one draw."""
    if path is not None:
        with path.open("a", encoding="utf-8") as file:
            # numbers of NumPy as their own
            line = json.dumps(statements, default=lambda value: value.item())
            file.write(f"{line}\n")


def write(tables, missing, options):
    """Store the tables, of looks, names, columns and maps, and what has no draws."""
    parts = [HEAD, f"Columns: of the first {options.columns} draws.\n"]
    if missing:
        parts.append(f"Not simulated yet: {'; '.join(missing)}.\n")
    if options.trees:
        parts.append(
            f"Forests have {options.trees} trees, in place of 50 and 60.\n"
        )
    for rows in filter(None, tables):
        cells = pd.DataFrame(rows).round(3).astype(object).fillna("")
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
