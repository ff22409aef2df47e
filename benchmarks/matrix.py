"""The same tests and the same numbers elsewhere: another Python, the oldest libraries allowed, two threads.

``make matrix`` runs, for each cell of CELLS, the fast tests without the browser's, and
all notebooks, whose numbers are compared with the stored ones. A part of it: ``make
matrix CELLS="oldest threads" PARTS=notebooks``. The table goes to
``benchmarks/matrix.md``, that of a part to ``.matrix/matrix.md``. Environments, logs,
executed notebooks and results stay in ``.matrix/``; a cell runs again when the code has
changed, or with FORCE=1. A Python that is missing is a row with its reason. The exit
code is 1 if a test or a notebook failed; numbers that differ are listed and fail
nothing.
"""

import hashlib
import json
import os
import platform
import re
import resource
import shutil
import subprocess
import sys
import time
from argparse import ArgumentParser
from collections import Counter
from configparser import RawConfigParser
from itertools import zip_longest
from pathlib import Path
from xml.etree import ElementTree

import nbformat
from joblib import cpu_count

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))


from tests.available_data import other_data  # noqa: E402
from toolkit.report.dependence import data_sets_of  # noqa: E402
from toolkit.report.project import Pages, digest  # noqa: E402
from toolkit.report.stored import normalise  # noqa: E402

FOLDER = ROOT / ".matrix"
# Name: Python, libraries (as in the lock, or each required one at its lower bound),
# threads of BLAS and OpenMP. Python 3.11 with the locked ones and one thread is what
# `make test` compares, text by text.
CELLS = {
    "python3.13": ("3.13", "locked", 1),
    "oldest": ("3.11", "oldest", 1),
    "threads": ("3.11", "locked", 2),
}
# the Makefile makes the second
REQUIREMENTS = {
    "locked": ROOT / "requirements.lock",
    "oldest": FOLDER / "oldest.txt",
}
NAMED = ("numpy", "scipy", "scikit-learn", "matplotlib", "joblib", "pandas")
# numbers of one notebook in one cell, the largest differences first
LISTED = 12

NUMBER = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)")
SANITIZE = RawConfigParser()
SANITIZE.read(ROOT / "tests" / "nbval_sanitize.cfg", encoding="utf-8")


def find_python(version):
    """A Python that can make environments: this one, one on the PATH, one of pyenv's or uv's; or None."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    uv = shutil.which("uv") or ROOT / ".make" / "uv" / "bin" / "uv"
    candidates = [sys.executable, f"python{version}"]
    candidates += sorted(pyenv.glob(f"versions/{version}.*/bin/python"))
    candidates.append(_said(uv, "python", "find", version))
    code = "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"
    for python in candidates:
        if python and _said(python, "-c", code) == version:
            return python
    return None


def _said(*command):
    try:
        process = subprocess.run(
            command, capture_output=True, text=True, check=True
        )
        return process.stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def environment(base, version, libraries):
    """Interpreter of an environment with these libraries, made unless it is there; ``.venv`` is a locked one."""
    if libraries == "locked" and base == sys.executable:
        return base
    folder = FOLDER / f"python{version}-{libraries}"
    requirements = REQUIREMENTS[libraries]
    python = folder / "bin" / "python"
    ready = folder / "ready"
    text = requirements.read_text(encoding="utf-8")
    inputs = digest(text, _said(base, "-V"))
    if not ready.is_file() or ready.read_text() != inputs:
        print(
            f"An environment of Python {version}, libraries {libraries} ...",
            flush=True,
        )
        shutil.rmtree(folder, ignore_errors=True)
        install = [python, "-m", "pip", "install", "--quiet"]
        install.append("--disable-pip-version-check")
        subprocess.run([base, "-m", "venv", folder], check=True)
        # hashes in the file are checked
        subprocess.run([*install, "-r", requirements], check=True)
        this_package = ["--no-build-isolation", "--no-deps", "-e", ROOT]
        subprocess.run([*install, *this_package], check=True)
        ready.write_text(inputs)
    return python


def run(part, name, python, jobs, out):
    """Run the tests or the notebooks of a cell, which leave in `out` what came out; versions, date and minutes."""
    threads = CELLS[name][2]
    # more threads than cores wait for each other
    jobs = str(max(1, int(jobs) // threads))
    env = os.environ | {
        "TOOLKIT_THREADS": str(threads),
        "PYTHONPATH": str(ROOT),
    }
    env |= {"LOKY_MAX_CPU_COUNT": jobs}  # also those that a notebook starts
    command = COMMANDS[part](jobs, out)
    code = f"import platform, importlib.metadata as m; print(platform.python_version(), *map(m.version, {NAMED}))"
    numbers = _said(python, "-c", code).split()
    versions = dict(zip(("Python", *NAMED), numbers, strict=True))
    begin = _processor_seconds()
    print(f"{name}: {part} ...", flush=True)
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    command = [python, "-m", *command]
    # A failure is read off what is left, so the exit code does not count.
    with open(out / "log.txt", "w", encoding="utf-8") as log:
        subprocess.run(command, cwd=ROOT, env=env, stdout=log, stderr=log)
    minutes = round((_processor_seconds() - begin) / 60, 1)
    date = time.strftime("%Y-%m-%d")
    return {"versions": versions, "date": date, "minutes": minutes}


def tests_command(jobs, out):
    command = ["pytest", "-q", "-n", jobs, "--dist", "loadgroup"]
    command += ["-m", "not slow", "--doctest-modules"]
    command += ["--ignore=tests/claims", "--ignore=tests/browser"]
    command += ["-p", "no:cacheprovider"]
    command += [f"--junitxml={out / 'tests.xml'}", "tests", "toolkit"]
    return command


def notebooks_command(jobs, out):
    return ["toolkit", "report", "--force", "--jobs", jobs, "--out", out]


COMMANDS = {"tests": tests_command, "notebooks": notebooks_command}


def _processor_seconds():
    """Of all processes that have ended: on a machine that does other things too, the clock says less."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def read_tests(out):
    """How many tests passed, the names of those that failed, and how many were skipped by reason."""
    if not (out / "tests.xml").is_file():
        return {
            "passed": 0,
            "failed": [("pytest", "it has not run to its end; see its log")],
            "skipped": {},
        }
    passed = 0
    failed = []
    skipped = Counter()
    for case in ElementTree.parse(out / "tests.xml").iter("testcase"):
        messages = {}
        for child in case:
            messages[child.tag] = _one_line(child.get("message", ""))
        if "skipped" in messages:
            skipped[messages["skipped"]] += 1
        elif "failure" in messages or "error" in messages:
            name = f"{case.get('classname')}::{case.get('name')}"
            message = messages.get("failure", messages.get("error"))
            failed.append((name, message))
        else:
            passed += 1
    return {"passed": passed, "failed": failed, "skipped": skipped}


def _one_line(text):
    return " ".join(text.replace(f"{ROOT}/", "").split())[:160]


def read_notebooks(out):
    """Of each notebook what `compare` returns, or the reason why it did not run or was not compared."""
    pages = Pages(out)
    results = {}
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        results[path.stem] = read_notebook(path, pages)
    return results


def read_notebook(path, pages):
    entry = pages.runs.get(path.stem, {})
    if not entry.get("ok"):
        return {"failed": _failure(entry.get("error"))}
    stored = nbformat.read(path, as_version=4)
    reason = other_data(data_sets_of(stored))
    if reason:
        return {"not compared": reason}
    fresh = nbformat.read(pages.notebook(path.stem), as_version=4)
    return compare(stored, normalise(fresh))


def _failure(error):
    if not error:
        return "cell None, it has not run to its end:"
    cell, name, message = error["cell"], error["name"], error["says"]
    return _one_line(f"cell {cell}, {name}: {message}")


def compare(stored, fresh):
    """Count of the numbers compared; [cell, words before, stored, fresh, relative size] of those that differ.

    Numbers are compared one by one in outputs that have the same words between them;
    `words` has the cell and the beginnings of those that have not.
    """
    n_numbers = 0
    differences = []
    words = []
    cells = zip(stored.cells, fresh.cells, strict=True)
    for cell, (stored_cell, fresh_cell) in enumerate(cells):
        stored_outputs = stored_cell.get("outputs", [])
        fresh_outputs = fresh_cell.get("outputs", [])
        for before, after in zip_longest(stored_outputs, fresh_outputs):
            stored_parts = _parts(before)
            fresh_parts = _parts(after)
            if stored_parts[::2] != fresh_parts[::2]:
                words.append(
                    (cell, "".join(stored_parts), "".join(fresh_parts))
                )
                continue
            n_numbers += len(stored_parts) // 2
            for difference in _differences(stored_parts, fresh_parts):
                differences.append((cell, *difference))
    differences.sort(key=lambda difference: -difference[-1])
    return {"numbers": n_numbers, "differ": differences, "words": words}


def _differences(stored_parts, fresh_parts):
    """Yield (words before, stored, fresh, relative size) of the numbers that differ."""
    for i in range(1, len(stored_parts), 2):
        a = float(stored_parts[i])
        b = float(fresh_parts[i])
        if a != b:
            words = "".join(stored_parts[:i])[-50:]
            size = abs(a - b) / max(abs(a), abs(b))
            yield words, stored_parts[i], fresh_parts[i], size


def _parts(output):
    """Text of an output as words, number, words, ..., words, without what may always differ; pictures have none."""
    text = _text(output or {})
    for rule in SANITIZE.sections():
        text = re.sub(SANITIZE[rule]["regex"], SANITIZE[rule]["replace"], text)
    return NUMBER.split(" ".join(text.split()))


def _text(output):
    data = output.get("data", {})
    if "text/html" in data:  # a table, whose lines are not broken here
        tags = r"<style.*?</style>|<[^>]*>"
        return re.sub(tags, " ", data["text/html"], flags=re.DOTALL)
    return output.get("text") or data.get("text/plain", "")


HEAD = """# Other Pythons, libraries and threads

Made by `make matrix`: the fast tests (no browser, no experiments of the claims), and the numbers that the notebooks
print, compared with the stored ones. *relative* is the difference over the larger of the two; where three digits are
printed, one unit in the last of them is between .1 and 1 %. Pictures are not compared. *oldest* has each package that
`pyproject.toml` requires at its lower bound, and what those need as new as it may be. Minutes are of processor time.

| cell | Python | libraries | threads | tests | minutes | notebooks | numbers | of these differ | minutes |
|---|---|---|---|---|---|---|---|---|---|
"""


def as_markdown(results):
    """The table of all cells; then for each what failed, what was skipped, and the numbers that differ."""
    lines = []
    details = []
    for name, (version, libraries, threads) in CELLS.items():
        result = results.get(name, {})
        parts = [result[part] for part in PARTS if part in result]
        python = parts[0]["versions"]["Python"] if parts else version
        row = " | ".join(_row(result))
        lines.append(f"| {name} | {python} | {libraries} | {threads} | {row} |")
        if parts:
            versions = parts[0]["versions"].items()
            words = ", ".join(
                f"{library} {number}" for library, number in versions
            )
            head = f"## {name}\n\n{words}; {parts[-1]['date']}.\n\n"
            details.append(head + "\n".join(_details(result)))
    machine = f"{platform.system()}, {platform.machine()}, {cpu_count()} cores"
    where_run = (
        f"Run on {machine}, with versions of digest {versions_digest()}."
    )
    return HEAD + "\n\n".join(["\n".join(lines), where_run, *details]) + "\n"


def _row(result):
    """Tests, their minutes, notebooks, numbers compared, numbers that differ, minutes."""
    if "skipped" in result:
        return [f"skipped: {result['skipped']}", "", "", "", "", ""]
    row = ["not run", "", "not run", "", "", ""]
    if "tests" in result:
        tests = result["tests"]["found"]
        passed, n_failed = tests["passed"], len(tests["failed"])
        skipped = sum(tests["skipped"].values())
        row[0] = f"{passed} passed, {n_failed} failed, {skipped} skipped"
        row[1] = f"{result['tests']['minutes']}"
    if "notebooks" in result:
        notebooks = result["notebooks"]["found"].values()
        n_ran = sum("failed" not in notebook for notebook in notebooks)
        numbers = [notebook.get("numbers", 0) for notebook in notebooks]
        differ = [len(notebook.get("differ", ())) for notebook in notebooks]
        row[2] = f"{n_ran} of {len(notebooks)} ran"
        row[3] = str(sum(numbers))
        row[4] = str(sum(differ))
        row[5] = f"{result['notebooks']['minutes']}"
    return row


def _details(result):
    if "tests" in result:
        tests = result["tests"]["found"]
        for test, message in tests["failed"]:
            yield f"- failed: `{test}`: {message}"
        for reason, count in tests["skipped"].items():
            yield f"- skipped, {count} tests: {reason}"
    if "notebooks" not in result:
        return
    notebooks = result["notebooks"]["found"]
    rows = []
    for name, notebook in notebooks.items():
        yield from _remarks(name, notebook)
        rows += _rows_of_differences(name, notebook)
    if rows:
        yield "\n| notebook | cell | after the words | stored | here | relative |\n|---|---|---|---|---|---|"
        yield from rows


def _remarks(name, notebook):
    """What is said of a notebook beside its numbers."""
    for reason in ("failed", "not compared"):
        if reason in notebook:
            yield f"- {name}: {reason}: {notebook[reason]}"
    for cell, before, after in notebook.get("words", ()):
        yield f"- {name}, cell {cell}: other words: `{before[:100]}` is now `{after[:100]}`"
    differ = notebook.get("differ", ())
    if len(differ) > LISTED:
        n_above = sum(size > 0.01 for *_, size in differ)
        yield f"- {name}: {len(differ)} numbers differ, {n_above} by more than 1 %; the {LISTED} largest are listed."


def _rows_of_differences(name, notebook):
    for cell, words, before, after, size in notebook.get("differ", ())[:LISTED]:
        cells = [name[:2], cell, words.replace("|", "/"), before, after]
        text = " | ".join(map(str, cells))
        yield f"| {text} | {100 * size:.2g} % |"


PARTS = {"tests": read_tests, "notebooks": read_notebooks}


def inputs_of(name):
    """Digest of what the result of a cell depends on."""
    files = [
        ROOT / "conftest.py",
        ROOT / "pyproject.toml",
        REQUIREMENTS[CELLS[name][1]],
    ]
    for folder in ("toolkit", "tests", "notebooks", "data"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                files.append(path)
    hashes = [hashlib.sha256(path.read_bytes()).hexdigest() for path in files]
    return digest(hashes, os.environ.get("TOOLKIT_DATA"))


def versions_digest():
    """Digest of the lock, the project file and the versions of Python: with another one the table is out of date."""
    texts = []
    for name in ("requirements.lock", "pyproject.toml"):
        texts.append((ROOT / name).read_text(encoding="utf-8"))
    pythons = {version: find_python(version) for version, *_ in CELLS.values()}
    versions = [_said(python, "-V") for python in pythons.values() if python]
    return digest(texts, versions)


def is_current():
    """Whether the stored table is of today's versions."""
    stored = (ROOT / "benchmarks" / "matrix.md").read_text(encoding="utf-8")
    return f"versions of digest {versions_digest()}." in stored


def main():
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "cells",
        nargs="*",
        metavar="CELL",
        help=f"{', '.join(CELLS)} (default: all)",
    )
    parser.add_argument(
        "--parts",
        nargs="+",
        choices=PARTS,
        default=list(PARTS),
        help="only these (default: both)",
    )
    parser.add_argument(
        "--jobs",
        default=str(cpu_count()),
        help="processes at once (default: cores)",
    )
    parser.add_argument(
        "--force", action="store_true", help="also run what has not changed"
    )
    parser.add_argument("--is-current", action="store_true", help="run nothing; exit code 0 if the stored table is of "
                        "today's lock, project file and versions of Python, else 1")  # fmt: skip
    options = parser.parse_args()
    if options.is_current:
        return int(not is_current())
    if unknown := sorted(set(options.cells) - set(CELLS)):
        parser.error(
            f"there is no cell {unknown[0]!r}; there are: {', '.join(CELLS)}"
        )
    results = {}
    has_failed = False
    for name in options.cells or CELLS:
        results[name] = result_of(name, options)
        has_failed |= any(part_failed(results[name], part) for part in PARTS)
    is_complete = len(results) == len(CELLS) and len(options.parts) == len(
        PARTS
    )
    folder = ROOT / "benchmarks" if is_complete else FOLDER
    page = folder / "matrix.md"
    page.write_text(as_markdown(results), encoding="utf-8")
    table = page.read_text(encoding="utf-8").partition("\n## ")[0]
    print(table, f"All of it: {page.relative_to(ROOT)}", sep="\n")
    return int(has_failed)


def result_of(name, options):
    """What the parts of a cell say; they run where their inputs have changed, or by force."""
    version, libraries, _ = CELLS[name]
    base = find_python(version)
    if base is None:
        return {
            "skipped": f"no Python {version} on the PATH, of pyenv or of uv"
        }
    inputs = inputs_of(name)
    result = {}
    for part in options.parts:
        out = FOLDER / name / part
        record = out.with_suffix(".json")
        entry = json.loads(record.read_text()) if record.is_file() else {}
        if options.force or entry.get("inputs") != inputs:
            python = environment(base, version, libraries)
            entry = run(part, name, python, options.jobs, out)
            entry["inputs"] = inputs
            record.write_text(json.dumps(entry))
        result[part] = entry | {"found": PARTS[part](out)}
    return result


def part_failed(result, part):
    """Whether a test, or a notebook, of a cell failed."""
    if part not in result:
        return False
    read = result[part]["found"]
    if part == "tests":
        return bool(read["failed"])
    return any("failed" in notebook for notebook in read.values())


if __name__ == "__main__":
    sys.exit(main())
