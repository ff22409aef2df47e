"""Mutation testing: a seeded sample of small changes of the mathematics, each run against the tests of its own folder.

`make mutants` writes `mutants.csv`, the list, and `mutants.md`, the score;
`mutants.toml` names the survivors that no test can kill, each with the reason. `--only
fisher` runs one folder, `--survivors` only those not killed before, `--rest` those not
run.

Why a script of our own: cosmic-ray starts Python, imports (5 s) and all tests of a
folder (10 to 100 s) for each mutant; mutmut, which forks, took 1.6 s, but it draws no
sample, changes the texts of messages as well (a sixth of its survivors in `kernelmap`),
and names a mutant by a number that the next edit of the function moves. Here a mutant
is its text. A process that holds all libraries, but nothing of ours, forks; the child
compiles the changed module when it is imported, and runs the tests that reach the
changed lines, the quickest first. That takes about 1.5 s.
"""

import argparse
import ast
import contextlib
import csv
import hashlib
import importlib.machinery
import importlib.util
import os
import pickle
import re
import resource
import signal
import sys
import tempfile
import threading
import time
import tomllib
import traceback
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import settings
from mutants_edits import mutants

ROOT = Path(__file__).resolve().parents[1]
HERE = Path(__file__).resolve().parent
SEED = "names"
SAMPLE = 100  # mutants drawn per unit
# Source and its own tests.
FAMILIES = {
    name: f"tests/test_{name}_family.py"
    for name in ("linear", "distance", "model")
}
UNITS = {
    "core/linalg.py": ["tests/core"],
    "core/graphs.py": [
        "tests/core",
        "tests/test_quality.py",
        FAMILIES["linear"],
    ],
    "fisher": ["tests/fisher", FAMILIES["distance"]],
    "eigenmaps": ["tests/eigenmaps", FAMILIES["linear"]],
    "discriminant": ["tests/discriminant", FAMILIES["linear"]],
    "lvq": ["tests/lvq", FAMILIES["linear"]],
    "bounds": ["tests/bounds", FAMILIES["model"]],
    "relevance": ["tests/relevance", FAMILIES["model"]],
    "transfer": ["tests/transfer", FAMILIES["model"]],
    "kernelmap": ["tests/kernelmap", FAMILIES["distance"]],
    "quality.py": ["tests/test_quality.py", FAMILIES["model"]],
    "embed": ["tests/embed", FAMILIES["distance"]],
    "multilabel": ["tests/multilabel", FAMILIES["linear"]],
    "decisionmap": ["tests/decisionmap", FAMILIES["model"]],
    "lmnn.py": ["tests/test_lmnn.py", FAMILIES["linear"]],
    "tabular": ["tests/tabular"],
}
# of which those tests count that name an estimator of the folder
CONTRACT = "tests/test_contract.py"
PYTEST = [
    "-q",
    "-x",
    "-m",
    "not slow",
    "--doctest-modules",
    "--hypothesis-profile=mutants",
]
PYTEST += ["-pno:cacheprovider", "-pno:xdist", "-pno:nbval"]
# pytest would import the modules with doctests itself, as they are on disk
PYTEST += ["--assert=plain"]
KEY = ["file", "function", "operator", "before", "after"]
WANTED = 85  # per cent
REPORT = """# Mutation score

Made by `make mutants` (`benchmarks/mutants.py`): a seeded sample of small changes of the source, each run against the
tests of its own folder and of its family. Score: killed / (killed + survived), without those called equivalent.
`mutants.csv` lists all mutants, with the test that kills.
"""


def sampled(unit):
    """{key: (path, Mutant)}: those with the least hashes, so that an edit elsewhere does not change the choice."""
    source, found = ROOT / "toolkit" / unit, {}
    for path in sorted(source.glob("*.py")) if source.is_dir() else [source]:
        for mutant in mutants(ast.parse(path.read_text(encoding="utf-8"))):
            found.setdefault(
                (path.relative_to(ROOT / "toolkit").as_posix(), *mutant[:4]),
                (path, mutant),
            )
    least = sorted(
        found,
        key=lambda key: hashlib.sha256(
            "|".join((SEED, *key)).encode()
        ).hexdigest(),
    )
    return {key: found[key] for key in sorted(least[:SAMPLE])}


class MutatedModule(importlib.machinery.SourceFileLoader):
    """Finds and imports one file of the toolkit, with a change; neither reads nor writes a compiled form of it."""

    def __init__(self, path, mutant):
        super().__init__(
            ".".join(path.relative_to(ROOT).with_suffix("").parts), str(path)
        )
        self.mutant = mutant

    def find_spec(self, name, path=None, target=None):
        return (
            importlib.util.spec_from_file_location(name, self.path, loader=self)
            if name == self.name
            else None
        )

    def path_stats(self, path):
        raise OSError

    def source_to_code(self, data, path, **_):
        tree = ast.parse(data)
        # the tree holds the change from here on
        next(other for other in mutants(tree) if other == self.mutant)
        return compile(ast.fix_missing_locations(tree), path, "exec")


class Watched:
    """Plugin of pytest: seconds and lines of all tests; or the chosen ones, the quickest first, each with a limit."""

    def __init__(self, seconds=None, names="", folder=""):
        self.seconds, self.names, self.folder = (
            seconds,
            re.compile(names),
            str(folder),
        )
        self.ran, self.failed = {}, []

    def pytest_collection_modifyitems(self, items):
        if self.seconds is None:
            items[:] = [
                item
                for item in items
                if CONTRACT not in item.nodeid or self.names.search(item.name)
            ]
        else:
            items[:] = [item for item in items if item.nodeid in self.seconds]
            items.sort(key=lambda item: self.seconds[item.nodeid])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        start, lines = time.process_time(), {}
        if self.seconds is None:
            self._trace(lines)
        else:  # a test that hangs ends the child
            signal.setitimer(
                signal.ITIMER_PROF, 5 + 4 * self.seconds[item.nodeid]
            )
        result = yield
        self._trace(None)
        signal.setitimer(signal.ITIMER_PROF, 0)
        self.ran[item.nodeid] = time.process_time() - start, lines
        return result

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.failed.append(report.nodeid)

    def _trace(self, lines):
        def of_function(frame, event, arg):
            return (
                of_line
                if frame.f_code.co_filename.startswith(self.folder)
                else None
            )

        def of_line(frame, event, arg):
            lines.setdefault(frame.f_code.co_filename, set()).add(
                frame.f_lineno
            )
            return of_line

        for module in (sys, threading):
            module.settrace(None if lines is None else of_function)


def forked(folder, work, *args):
    """Number of a process that does `work` without output; its result is in the file of that number in `folder`."""
    if pid := os.fork():
        return pid
    os.setpgrp()
    signal.alarm(3600)
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    try:
        result = work(*args)
    except BaseException as error:
        result = RuntimeError("".join(traceback.format_exception(error)))
    (folder / str(os.getpid())).write_bytes(pickle.dumps(result))
    os._exit(0)


def in_turn(tasks, jobs, folder):
    """Yield (task, result) of (task, work, *args) in forked processes, `jobs` at a time; result None: it was ended."""
    tasks, running = iter(tasks), {}
    while True:
        while len(running) < jobs and (task := next(tasks, None)):
            running[forked(folder, *task[1:])] = task[0]
        if not running:
            return
        pid, _ = os.wait()
        with contextlib.suppress(ProcessLookupError):
            # processes of joblib that it has left
            os.killpg(pid, signal.SIGKILL)
        file = folder / str(pid)
        result = pickle.loads(file.read_bytes()) if file.exists() else None
        if isinstance(result, Exception):
            raise result
        yield running.pop(pid), result


def libraries():
    """Names of all modules from outside the project that the tests import."""
    pytest.main(
        [
            *PYTEST,
            "--collect-only",
            *{path for tests in UNITS.values() for path in tests},
            CONTRACT,
        ]
    )
    files = {
        name: getattr(module, "__file__", None) or ""
        for name, module in sys.modules.items()
    }
    return [
        name
        for name, file in files.items()
        if "site-packages" in file or not file.startswith(str(ROOT))
    ]


def reached(unit):
    """{test: (seconds, lines)} of the tests of a folder that pass, and the names of those that fail."""
    source = ROOT / "toolkit" / unit
    listed = (source / "__init__.py" if source.is_dir() else source).read_text(
        encoding="utf-8"
    )
    public = re.search(r"^__all__ = \[(.*?)\]", listed, re.M | re.S)
    # a module of `core` has no estimators that the contract names
    names = "|".join(re.findall(r'"(\w+)"', public[1])) if public else "(?!)"
    watched = Watched(names=rf"\b({names})", folder=source)
    pytest.main(
        [*PYTEST, "--maxfail=1000", *UNITS[unit], str(source), CONTRACT],
        [watched],
    )
    return {
        name: found
        for name, found in watched.ran.items()
        if name not in watched.failed
    }, watched.failed


def killer(path, mutant, tests):
    """The test that fails under the change, "" if none of those that reach it does; the contract comes last."""
    (first, last), seconds = mutant.lines, {}
    for name, (duration, lines) in tests.items():
        # not first: of the module
        if not first or any(
            first <= line <= last for line in lines.get(str(path), ())
        ):
            seconds.setdefault(CONTRACT in name, {})[name] = duration
    sys.meta_path.insert(0, MutatedModule(path, mutant))
    for _, chosen in sorted(seconds.items()):
        watched = Watched(chosen)
        if pytest.main(
            [*PYTEST, *{name.partition("::")[0] for name in chosen}], [watched]
        ):
            return (watched.failed or ["the import"])[0]
    return ""


def stored():
    """{key: verdict} of the list."""
    if not (HERE / "mutants.csv").is_file():
        return {}
    with open(HERE / "mutants.csv", newline="", encoding="utf-8") as file:
        return {
            tuple(row[name] for name in KEY): row["verdict"]
            for row in csv.DictReader(file)
        }


def store(verdicts):
    """Write the list and the report; returns the score in per cent."""
    with open(HERE / "mutants.csv", "w", newline="", encoding="utf-8") as file:
        rows = [
            [*KEY, "verdict"],
            *([*key, verdict] for key, verdict in verdicts.items()),
        ]
        csv.writer(file, lineterminator="\n").writerows(rows)
    listed = tomllib.loads((HERE / "mutants.toml").read_text(encoding="utf-8"))[
        "equivalent"
    ]
    reasons = {
        tuple(entry[name] for name in KEY): entry["reason"] for entry in listed
    }
    counts, lists = {}, {"survived": [], "equivalent": []}
    for key, verdict in verdicts.items():
        kind = "killed" if verdict.startswith("killed") else verdict
        kind = (
            "equivalent" if verdict == "survived" and key in reasons else kind
        )
        for unit in (
            "all",
            next(unit for unit in UNITS if key[0].startswith(unit)),
        ):
            counts.setdefault(unit, Counter())[kind] += 1
        file, function, _, before, after = (
            text.replace("|", "\\|") for text in key
        )
        lists.setdefault(kind, []).append(
            f"| {file} | {function} | `{before}` | `{after}` | {reasons.get(key, '')} |"
        )
    score = {
        unit: 100 * c["killed"] / max(1, c["killed"] + c["survived"])
        for unit, c in counts.items()
    }
    kinds = ["killed", "survived", "equivalent", "not run"]
    table = [
        f"| source | mutants | {' | '.join(kinds)} | score |",
        "|---|---|---|---|---|---|---|",
    ]
    for unit in [*UNITS, "all"]:
        numbers = " | ".join(str(counts[unit][kind]) for kind in kinds)
        has_run = counts[unit]["killed"] + counts[unit]["survived"]
        scored = f"{score[unit]:.1f} %" if has_run else "-"
        table.append(
            f"| {unit} | {counts[unit].total()} | {numbers} | {scored} |"
        )
    text = [REPORT, *table]
    for kind in kinds[1:3]:
        text += [
            "",
            f"## {kind.title()}",
            "",
            "| file | in | code | mutant | reason |",
            "|---|---|---|---|---|",
            *lists[kind],
        ]
    (HERE / "mutants.md").write_text("\n".join([*text, ""]), encoding="utf-8")
    print("\n".join(table))
    for key in [key for key in reasons if verdicts.get(key) != "survived"]:
        print("No survivor, and yet in mutants.toml:", " | ".join(key))
    return score["all"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--only", default="", help="regular expression on the files"
    )
    parser.add_argument(
        "--survivors",
        action="store_true",
        help="only those that have not been killed before",
    )
    parser.add_argument(
        "--rest", action="store_true", help="only those that have not been run"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    os.chdir(ROOT)
    settings.register_profile(
        "mutants", database=None, derandomize=True, deadline=None
    )
    chosen, found = {unit: sampled(unit) for unit in UNITS}, stored()
    asked = {
        key: (unit, *keys[key])
        for unit, keys in chosen.items()
        for key in keys
        if re.search(args.only, key[0])
        and (not args.survivors or not found.get(key, "").startswith("killed"))
        and (not args.rest or found.get(key, "not run") == "not run")
    }
    with tempfile.TemporaryDirectory() as folder:
        [(_, names)] = in_turn([("", libraries)], 1, Path(folder))
        for name in names:
            # some may be imported by their packages only
            with contextlib.suppress(Exception):
                importlib.import_module(name)
        ran, units = (
            {},
            [
                (unit, reached, unit)
                for unit in UNITS
                if unit in {unit for unit, *_ in asked.values()}
            ],
        )
        for unit, (ran[unit], failed) in in_turn(
            units, args.jobs, Path(folder)
        ):
            print(
                f"{unit}: {len(ran[unit])} tests",
                *[f"without {name}, which fails" for name in failed],
                flush=True,
            )
        tasks = [
            (key, killer, path, mutant, ran[unit])
            for key, (unit, path, mutant) in asked.items()
        ]
        for done, (key, by) in enumerate(
            in_turn(tasks, args.jobs, Path(folder)), 1
        ):
            found[key] = (
                "survived"
                if by == ""
                else f"killed by {by or 'the limit of time'}"
            )
            print(
                f"{done}/{len(tasks)} {' | '.join(key)}: {found[key]}",
                flush=True,
            )
    score = store(
        {
            key: found.get(key, "not run")
            for keys in chosen.values()
            for key in keys
        }
    )
    sys.exit(
        f"Fewer than {WANTED} % of the mutants are noticed."
        if score < WANTED
        else 0
    )


if __name__ == "__main__":
    main()
