"""Mutation testing: a seeded sample of small changes of the mathematics, each run against the tests of its own folder.

`make mutants` writes `reports/mutants.csv`, the list, and `mutants.md`, the score;
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
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from hypothesis import settings
from mutants_edits import mutants

ROOT = Path(__file__).resolve().parents[1]
HERE = Path(__file__).resolve().parent
LISTED = ROOT / "reports" / "mutants.csv"
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
# Those of its tests count that name an estimator of the folder.
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
KINDS = ["killed", "survived", "equivalent", "not run"]
REPORT = """# Mutation score

Made by `make mutants` (`benchmarks/mutants.py`): a seeded sample of small changes of the source, each run against the
tests of its own folder and of its family. Score: killed / (killed + survived), without those called equivalent.
`reports/mutants.csv`, which it writes too, lists all mutants, with the test that kills.
"""


def sampled(unit):
    """{key: (path, Mutant)}: those with the least hashes, so that an edit elsewhere does not change the choice."""
    source = ROOT / "toolkit" / unit
    files = sorted(source.glob("*.py")) if source.is_dir() else [source]
    candidates = {}
    for path in files:
        name = path.relative_to(ROOT / "toolkit").as_posix()
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for mutant in mutants(tree):
            candidates.setdefault((name, *mutant[:4]), (path, mutant))
    in_order = sorted(candidates, key=seeded_hash)
    return {key: candidates[key] for key in sorted(in_order[:SAMPLE])}


def seeded_hash(key):
    text = "|".join((SEED, *key))
    return hashlib.sha256(text.encode()).hexdigest()


class MutatedModule(importlib.machinery.SourceFileLoader):
    """Finds and imports one file of the toolkit, with a change; neither reads nor writes a compiled form of it."""

    def __init__(self, path, mutant):
        parts = path.relative_to(ROOT).with_suffix("").parts
        super().__init__(".".join(parts), str(path))
        self.mutant = mutant

    def find_spec(self, name, path=None, target=None):
        if name != self.name:
            return None
        return importlib.util.spec_from_file_location(
            name, self.path, loader=self
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
        self.seconds = seconds
        self.names = re.compile(names)
        self.folder = str(folder)
        self.ran = {}
        self.failed = []

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
        start = time.process_time()
        lines = {}
        if self.seconds is None:
            self._trace(lines)
        else:
            # A test that hangs ends the child.
            limit = 5 + 4 * self.seconds[item.nodeid]
            signal.setitimer(signal.ITIMER_PROF, limit)
        result = yield
        self._trace(None)
        signal.setitimer(signal.ITIMER_PROF, 0)
        seconds = time.process_time() - start
        self.ran[item.nodeid] = seconds, lines
        return result

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.failed.append(report.nodeid)

    def _trace(self, lines):
        def of_function(frame, event, arg):
            if frame.f_code.co_filename.startswith(self.folder):
                return of_line
            return None

        def of_line(frame, event, arg):
            name = frame.f_code.co_filename
            lines.setdefault(name, set()).add(frame.f_lineno)
            return of_line

        trace = None if lines is None else of_function
        sys.settrace(trace)
        threading.settrace(trace)


def forked(folder, work, *args):
    """Number of a process that does `work` without output; its result is in the file of that number in `folder`."""
    if pid := os.fork():
        return pid
    os.setpgrp()
    signal.alarm(3600)
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    for stream in (1, 2):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream)
    try:
        result = work(*args)
    except BaseException as error:
        lines = traceback.format_exception(error)
        result = RuntimeError("".join(lines))
    (folder / str(os.getpid())).write_bytes(pickle.dumps(result))
    os._exit(0)


def in_turn(tasks, jobs, folder):
    """Yield (task, result) of (task, work, *args) in forked processes, `jobs` at a time; result None: it was ended."""
    tasks = iter(tasks)
    running = {}
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
    paths = {path for tests in UNITS.values() for path in tests}
    pytest.main([*PYTEST, "--collect-only", *paths, CONTRACT])
    names = []
    for name, module in sys.modules.items():
        file = getattr(module, "__file__", None) or ""
        if "site-packages" in file or not file.startswith(str(ROOT)):
            names.append(name)
    return names


def public_names(source):
    """A regular expression of the names that a folder or module exports."""
    file = source / "__init__.py" if source.is_dir() else source
    text = file.read_text(encoding="utf-8")
    public = re.search(r"^__all__ = \[(.*?)\]", text, re.M | re.S)
    # A module of `core` has no estimators that the contract names.
    if public is None:
        return "(?!)"
    return "|".join(re.findall(r'"(\w+)"', public[1]))


def reached(unit):
    """{test: (seconds, lines)} of the tests of a folder that pass, and the names of those that fail."""
    source = ROOT / "toolkit" / unit
    names = public_names(source)
    watched = Watched(names=rf"\b({names})", folder=source)
    tests = [*UNITS[unit], str(source), CONTRACT]
    pytest.main([*PYTEST, "--maxfail=1000", *tests], [watched])
    passed = {
        name: result
        for name, result in watched.ran.items()
        if name not in watched.failed
    }
    return passed, watched.failed


def runs_a_line_of(mutant, lines):
    """Whether some lines, which a test runs, are among those that the mutant changes."""
    start, end = mutant.lines
    # Line 0 stands for any: the mutant changes the module itself.
    return not start or any(start <= line <= end for line in lines)


def killer(path, mutant, tests):
    """The test that fails under the change, "" if none of those that reach it does; the contract comes last."""
    seconds = {False: {}, True: {}}
    for name, (duration, lines) in tests.items():
        if runs_a_line_of(mutant, lines.get(str(path), ())):
            seconds[CONTRACT in name][name] = duration
    sys.meta_path.insert(0, MutatedModule(path, mutant))
    for is_contract in (False, True):
        chosen = seconds[is_contract]
        if not chosen:
            continue
        watched = Watched(chosen)
        files = {name.partition("::")[0] for name in chosen}
        if pytest.main([*PYTEST, *files], [watched]):
            return (watched.failed or ["the import"])[0]
    return ""


def stored():
    """{key: verdict} of the list."""
    if not LISTED.is_file():
        return {}
    verdicts = {}
    with open(LISTED, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            key = tuple(row[name] for name in KEY)
            verdicts[key] = row["verdict"]
    return verdicts


def equivalent_reasons():
    """Why no test can kill a mutant, by its key."""
    text = (HERE / "mutants.toml").read_text(encoding="utf-8")
    reasons = {}
    for entry in tomllib.loads(text)["equivalent"]:
        key = tuple(entry[name] for name in KEY)
        reasons[key] = entry["reason"]
    return reasons


def kind_of(key, verdict, reasons):
    if verdict.startswith("killed"):
        return "killed"
    if verdict == "survived" and key in reasons:
        return "equivalent"
    return verdict


def unit_of(key):
    return next(unit for unit in UNITS if key[0].startswith(unit))


def score_table(counts):
    """Lines of the table of scores."""
    lines = [
        f"| source | mutants | {' | '.join(KINDS)} | score |",
        "|---|---|---|---|---|---|---|",
    ]
    for unit in [*UNITS, "all"]:
        numbers = " | ".join(str(counts[unit][kind]) for kind in KINDS)
        scored = "-"
        if counts[unit]["killed"] + counts[unit]["survived"]:
            scored = f"{score_of(counts[unit]):.1f} %"
        total = counts[unit].total()
        lines.append(f"| {unit} | {total} | {numbers} | {scored} |")
    return lines


def score_of(count):
    """Killed mutants in per cent of those that a test could kill."""
    return 100 * count["killed"] / max(1, count["killed"] + count["survived"])


def store(verdicts):
    """Write the list and the report; returns the score in per cent."""
    LISTED.parent.mkdir(exist_ok=True)
    with open(LISTED, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*KEY, "verdict"])
        for key, verdict in verdicts.items():
            writer.writerow([*key, verdict])
    reasons = equivalent_reasons()
    counts = defaultdict(Counter)
    lists = defaultdict(list)
    for key, verdict in verdicts.items():
        kind = kind_of(key, verdict, reasons)
        counts["all"][kind] += 1
        counts[unit_of(key)][kind] += 1
        cells = [text.replace("|", "\\|") for text in key]
        file, function, _, before, after = cells
        reason = reasons.get(key, "")
        lists[kind].append(
            f"| {file} | {function} | `{before}` | `{after}` | {reason} |"
        )
    table = score_table(counts)
    text = [REPORT, *table]
    for kind in ("survived", "equivalent"):
        text += ["", f"## {kind.title()}", ""]
        text += [
            "| file | in | code | mutant | reason |",
            "|---|---|---|---|---|",
        ]
        text += lists[kind]
    page = "\n".join([*text, ""])
    (HERE / "mutants.md").write_text(page, encoding="utf-8")
    print("\n".join(table))
    for key in reasons:
        if verdicts.get(key) != "survived":
            print("No survivor, and yet in mutants.toml:", " | ".join(key))
    return score_of(counts["all"])


def arguments():
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
    return parser.parse_args()


def is_chosen(key, verdict, options):
    """Whether a mutant, of which the list has this verdict, is to be run."""
    if not re.search(options.only, key[0]):
        return False
    if options.survivors and verdict.startswith("killed"):
        return False
    return not options.rest or verdict == "not run"


def import_libraries(folder):
    """Import here what the tests import, so that forked processes have it."""
    [(_, names)] = in_turn([("", libraries)], 1, folder)
    for name in names:
        # some may be imported by their packages only
        with contextlib.suppress(Exception):
            importlib.import_module(name)


def tests_of_units(units, jobs, folder):
    """What `reached` says of each unit."""
    tests = {}
    tasks = [(unit, reached, unit) for unit in UNITS if unit in units]
    for unit, (passed, failed) in in_turn(tasks, jobs, folder):
        tests[unit] = passed
        words = [f"without {name}, which fails" for name in failed]
        print(f"{unit}: {len(passed)} tests", *words, flush=True)
    return tests


def run(chosen, jobs, verdicts):
    """Run mutants {key: (unit, path, mutant)}; their verdicts are added."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        import_libraries(folder)
        units = {unit for unit, *_ in chosen.values()}
        tests = tests_of_units(units, jobs, folder)
        tasks = []
        for key, (unit, path, mutant) in chosen.items():
            tasks.append((key, killer, path, mutant, tests[unit]))
        for number, (key, by) in enumerate(in_turn(tasks, jobs, folder), 1):
            verdict = f"killed by {by or 'the limit of time'}"
            if by == "":
                verdict = "survived"
            verdicts[key] = verdict
            counted = f"{number}/{len(tasks)}"
            print(f"{counted} {' | '.join(key)}: {verdict}", flush=True)


def main():
    options = arguments()
    os.chdir(ROOT)
    settings.register_profile(
        "mutants", database=None, derandomize=True, deadline=None
    )
    verdicts = stored()
    keys = []
    chosen = {}
    for unit in UNITS:
        for key, (path, mutant) in sampled(unit).items():
            keys.append(key)
            if is_chosen(key, verdicts.get(key, "not run"), options):
                chosen[key] = unit, path, mutant
    run(chosen, options.jobs, verdicts)
    score = store({key: verdicts.get(key, "not run") for key in keys})
    if score < WANTED:
        sys.exit(f"Fewer than {WANTED} % of the mutants are noticed.")


if __name__ == "__main__":
    main()
