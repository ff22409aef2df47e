"""Mutation testing: a seeded sample of small changes of the mathematics, each run against the tests of its own folder.

`make mutants` writes `mutants.csv`, the list, and `mutants.md`, the score; `mutants.toml` names the survivors that no
test can kill, each with the reason. `--only fisher` runs one folder, `--survivors` only those that survived before.

Why a script of our own: cosmic-ray starts Python, imports (5 s) and all tests of a folder (10 to 100 s) for each
mutant; mutmut, which forks, took 1.6 s, but it draws no sample, changes the texts of messages as well (a sixth of its
survivors in `kernelmap`), and names a mutant by a number that the next edit of the function moves. Here a mutant is
its text. A process that holds all libraries, but nothing of ours, forks; the child compiles the changed module when it
is imported, and runs the tests that reach the changed lines, the quickest first. That takes about 1.5 s.
"""

import argparse
import ast
import contextlib
import csv
import hashlib
import importlib
import importlib.abc
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
from mutants_edits import mutants

ROOT = Path(__file__).resolve().parents[1]
HERE = Path(__file__).resolve().parent
SEED = "didi"
# Source, its own tests, and how many mutants are drawn.
UNITS = {
    "core/linalg.py": ("tests/core", 40),
    "core/graphs.py": ("tests/core", 50),
    "fisher": ("tests/fisher", 70),
    "eigenmaps": ("tests/eigenmaps", 60),
    "discriminant": ("tests/discriminant", 45),
    "lvq": ("tests/lvq", 60),
    "bounds": ("tests/bounds", 60),
    "relevance": ("tests/relevance", 40),
    "transfer": ("tests/transfer", 60),
    "kernelmap": ("tests/kernelmap", 40),
    "quality.py": ("tests/test_quality.py", 40),
}
CONTRACT = "tests/test_contract.py"  # of which those tests count that name an estimator of the folder
PYTEST = ["-q", "-x", "-m", "not slow", "--doctest-modules", "--hypothesis-profile=mutants"]
PYTEST += ["-pno:cacheprovider", "-pno:xdist", "-pno:nbval"]
PYTEST += ["--assert=plain"]  # pytest would import the modules with doctests itself, as they are on disk
KEY = ["file", "function", "operator", "before", "after"]
PREFACE = [
    "Made by `make mutants` (`benchmarks/mutants.py`): a seeded sample of small changes, each run against the tests of",
    "its own folder. Score: killed / (killed + survived). All mutants with the test that kills each: `mutants.csv`.",
]


def sampled(unit, number):
    """{key: (path, Mutant)}: those with the least hashes, so that an edit elsewhere does not change the choice."""
    source, found = ROOT / "toolkit" / unit, {}
    for path in sorted(source.glob("*.py")) if source.is_dir() else [source]:
        for mutant in mutants(ast.parse(path.read_text(encoding="utf-8"))):
            name = path.relative_to(ROOT / "toolkit").as_posix()
            key = (name, mutant.function, mutant.operator, mutant.before, mutant.after)
            found.setdefault(key, (path, mutant))
    least = sorted(found, key=lambda key: hashlib.sha256("|".join((SEED, *key)).encode()).hexdigest())[:number]
    return {key: found[key] for key in sorted(least)}


class MutatedModule(importlib.abc.MetaPathFinder, importlib.machinery.SourceFileLoader):
    """Imports one file of the toolkit with a change, and reads and writes no compiled form of it."""

    def __init__(self, path, mutant):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        super().__init__(name, str(path))
        self.mutant = mutant

    def find_spec(self, name, path=None, target=None):
        return importlib.util.spec_from_file_location(name, self.path, loader=self) if name == self.name else None

    def path_stats(self, path):
        raise OSError

    def source_to_code(self, data, path, **_):
        tree = ast.parse(data)
        next(other for other in mutants(tree) if other == self.mutant)  # the tree holds the change from here on
        return compile(ast.fix_missing_locations(tree), path, "exec")


class Watched:
    """Plugin: the chosen tests in the order of their seconds, each with a limit; or, without a choice, what all do."""

    def __init__(self, seconds=None, names="", folder=None):
        self.seconds, self.names, self.folder = seconds, re.compile(names or "$^"), str(folder)
        self.ran, self.failed = {}, []

    def pytest_collection_modifyitems(self, items):
        if self.seconds is None:
            items[:] = [item for item in items if CONTRACT not in item.nodeid or self.names.search(item.name)]
        else:
            chosen = (item for item in items if item.nodeid in self.seconds)
            items[:] = sorted(chosen, key=lambda item: self.seconds[item.nodeid])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        start, lines = time.process_time(), {}
        if self.seconds is None:
            self._trace(lines)
        else:  # a test that hangs ends the child
            signal.setitimer(signal.ITIMER_PROF, 5 + 4 * self.seconds[item.nodeid])
        result = yield
        self._trace(None)
        signal.setitimer(signal.ITIMER_PROF, 0)
        self.ran[item.nodeid] = time.process_time() - start, lines
        return result

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.failed.append(report.nodeid)

    def pytest_collectreport(self, report):
        if report.failed:
            self.failed.append(f"{report.nodeid} (import)")

    def _trace(self, lines):
        def of_function(frame, event, arg):
            return of_line if frame.f_code.co_filename.startswith(self.folder) else None

        def of_line(frame, event, arg):
            lines.setdefault(frame.f_code.co_filename, set()).add(frame.f_lineno)
            return of_line

        for module in (sys, threading):
            module.settrace(None if lines is None else of_function)


def forked(work, *args, folder):
    """Process that does `work` without output; its result is in the file of its number in `folder`."""
    if pid := os.fork():
        return pid
    try:
        os.setpgrp()
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.alarm(3600)
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1), os.dup2(silent, 2)
        from hypothesis import settings

        settings.register_profile("mutants", database=None, derandomize=True, deadline=None)
        result = work(*args)
        (folder / str(os.getpid())).write_bytes(pickle.dumps(result))
    except BaseException as error:
        (folder / str(os.getpid())).write_bytes(pickle.dumps(RuntimeError("".join(traceback.format_exception(error)))))
    finally:
        os._exit(0)


def in_turn(tasks, jobs, folder):
    """Yield (task, result) of (task, work, *args) in forked processes, `jobs` at a time; result None: it was ended."""
    tasks, running = iter(tasks), {}
    while True:
        while len(running) < jobs and (task := next(tasks, None)):
            running[forked(*task[1:], folder=folder)] = task[0]
        if not running:
            return
        pid, _ = os.wait()
        try:
            os.killpg(pid, signal.SIGKILL)  # processes of joblib that it has left
        except ProcessLookupError:
            pass
        file = folder / str(pid)
        result = pickle.loads(file.read_bytes()) if file.exists() else None
        if isinstance(result, Exception):
            raise result
        yield running.pop(pid), result


def libraries():
    """Names of all modules from outside the project that the tests import."""
    pytest.main([*PYTEST, "--collect-only", *{tests for tests, _ in UNITS.values()}, CONTRACT])
    files = ((name, getattr(module, "__file__", None)) for name, module in sys.modules.items())
    venv = str(ROOT / ".venv")
    return [name for name, file in files if file and (not file.startswith(str(ROOT)) or file.startswith(venv))]


def reached(unit):
    """{test: (seconds, lines)} of all tests of a folder, and those that fail, which are left out."""
    source = ROOT / "toolkit" / unit
    listed = (source / "__init__.py").read_text(encoding="utf-8") if source.is_dir() else ""
    names = "|".join(re.findall(r'"([A-Z]\w+)"', listed))
    watched = Watched(names=names and rf"\b({names})", folder=source)
    pytest.main([*PYTEST, "--maxfail=1000", UNITS[unit][0], str(source), CONTRACT], [watched])
    return {name: found for name, found in watched.ran.items() if name not in watched.failed}, watched.failed


def killer(path, mutant, tests):
    """The test that fails under the change, "" if none does; those of the contract are the last."""
    sys.meta_path.insert(0, MutatedModule(path, mutant))
    for contract in (False, True):
        seconds = {name: tests[name] for name in tests if (CONTRACT in name) == contract}
        watched = Watched(seconds)
        files = dict.fromkeys(name.partition("::")[0] for name in seconds)
        if seconds and (pytest.main([*PYTEST, *files], [watched]) or watched.failed):
            return (watched.failed or ["no test could run"])[0]
    return ""


def that_reach(path, mutant, ran):
    """Seconds of the tests that run a line of the change."""
    near = ((name, seconds, lines.get(str(path), ())) for name, (seconds, lines) in ran.items())
    first, last = mutant.lines or (0, 10**9)
    return {name: seconds for name, seconds, lines in near if any(first <= line <= last for line in lines)}


def stored():
    """{key: verdict} of the list."""
    with open(HERE / "mutants.csv", newline="", encoding="utf-8") as file:
        return {tuple(row[name] for name in KEY): row["verdict"] for row in csv.DictReader(file)}


def store(verdicts):
    """Write the list, and the score: killed mutants over all that are not equivalent."""
    with open(HERE / "mutants.csv", "w", newline="", encoding="utf-8") as file:
        rows = [[*key, verdicts[key]] for key in verdicts]
        csv.writer(file, lineterminator="\n").writerows([[*KEY, "verdict"], *rows])
    listed = tomllib.loads((HERE / "mutants.toml").read_text(encoding="utf-8"))["equivalent"]
    reasons = {tuple(entry[name] for name in KEY): entry["reason"] for entry in listed}
    for key in [key for key in reasons if verdicts.get(key) != "survived"]:
        print("In mutants.toml, but not among the survivors:", " | ".join(key))
    counts, rows = {}, {"equivalent": [], "survived": []}
    for key, verdict in verdicts.items():
        kind = "equivalent" if key in reasons and verdict == "survived" else verdict.partition(" ")[0]
        unit = next(unit for unit in UNITS if key[0].startswith(unit))
        counts.setdefault(unit, Counter())[kind] += 1
        if kind in rows:
            file, function, _, before, after = (text.replace("|", "\\|") for text in key)
            rows[kind].append(f"| `{file}` {function} | `{before}` | `{after}` | {reasons.get(key, '')} |")
    counts["all"] = sum(counts.values(), Counter())
    table = ["| source | mutants | killed | survived | equivalent | not run | score |", "|---|---|---|---|---|---|---|"]
    for unit, c in counts.items():
        score = 100 * c["killed"] / max(1, c["killed"] + c["survived"])
        numbers = [c.total(), *(c[kind] for kind in ("killed", "survived", "equivalent", "not"))]
        table.append(f"| {unit} | {' | '.join(map(str, numbers))} | {score:.1f} % |")
    head = ["| where | code | mutant | why no test can tell them apart |", "|---|---|---|---|"]
    text = ["# Mutation score", "", *PREFACE, "", *table, "", "## Survivors", "", *head, *rows["survived"], ""]
    text += ["## Equivalent mutants", "", *head, *rows["equivalent"], ""]
    (HERE / "mutants.md").write_text("\n".join(text), encoding="utf-8")
    print("\n".join(table))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="regular expression on the files")
    parser.add_argument("--survivors", action="store_true", help="only those that survived before")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    chosen = {unit: sampled(unit, number) for unit, (_, number) in UNITS.items()}
    found, ran, tasks = stored(), {}, []
    asked = [
        (unit, key)
        for unit, keys in chosen.items()
        for key in keys
        if re.search(args.only, key[0]) and (not args.survivors or found.get(key) == "survived")
    ]
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        names = [names for _, names in in_turn([("", libraries)], 1, folder)][0]
        for name in names:
            with contextlib.suppress(Exception):  # some may be imported by their packages only
                importlib.import_module(name)
        units = dict.fromkeys(unit for unit, _ in asked)
        for unit, (tests, failed) in in_turn([(unit, reached, unit) for unit in units], args.jobs, folder):
            ran[unit] = tests
            print(f"{unit}: {len(tests)} tests, {sum(s for s, _ in tests.values()):.0f} s;", *failed, flush=True)
        for unit, key in asked:
            path, mutant = chosen[unit][key]
            tasks.append((key, killer, path, mutant, that_reach(path, mutant, ran[unit])))
        for done, (key, by) in enumerate(in_turn(tasks, args.jobs, folder), 1):
            found[key] = "survived" if by == "" else f"killed by {by or 'the limit of time'}"
            print(f"{done}/{len(tasks)} {' | '.join(key)}: {found[key]}", flush=True)
    store({key: found.get(key, "not run") for keys in chosen.values() for key in keys})


if __name__ == "__main__":
    main()
