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
    found = [
        sys.executable,
        f"python{version}",
        *sorted(pyenv.glob(f"versions/{version}.*/bin/python")),
    ]
    found.append(_said(uv, "python", "find", version))
    asked = "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"
    return next(
        (
            python
            for python in found
            if python and _said(python, "-c", asked) == version
        ),
        None,
    )


def _said(*command):
    try:
        return subprocess.run(
            command, capture_output=True, text=True, check=True
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def environment(base, version, libraries):
    """Interpreter of an environment with these libraries, made unless it is there; ``.venv`` is a locked one."""
    if libraries == "locked" and base == sys.executable:
        return base
    folder, wanted = (
        FOLDER / f"python{version}-{libraries}",
        REQUIREMENTS[libraries],
    )
    python, ready = folder / "bin" / "python", folder / "ready"
    inputs = digest(wanted.read_text(encoding="utf-8"), _said(base, "-V"))
    if not ready.is_file() or ready.read_text() != inputs:
        print(
            f"An environment of Python {version}, libraries {libraries} ...",
            flush=True,
        )
        shutil.rmtree(folder, ignore_errors=True)
        install = [
            python,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ]
        subprocess.run([base, "-m", "venv", folder], check=True)
        # hashes in the file are checked
        subprocess.run([*install, "-r", wanted], check=True)
        subprocess.run(
            [*install, "--no-build-isolation", "--no-deps", "-e", ROOT],
            check=True,
        )
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
    if part == "tests":
        command = [
            "pytest",
            "-q",
            "-n",
            jobs,
            "--dist",
            "loadgroup",
            "-m",
            "not slow",
        ]
        command += ["--doctest-modules"]
        command += [
            "--ignore=tests/claims",
            "--ignore=tests/browser",
            "-p",
            "no:cacheprovider",
        ]
        command += [f"--junitxml={out / 'tests.xml'}", "tests", "toolkit"]
    else:
        command = ["toolkit", "report", "--force", "--jobs", jobs, "--out", out]
    code = f"import platform, importlib.metadata as m; print(platform.python_version(), *map(m.version, {NAMED}))"
    versions = dict(
        zip(("Python", *NAMED), _said(python, "-c", code).split(), strict=True)
    )
    begin = _processor_seconds()
    print(f"{name}: {part} ...", flush=True)
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    # a failure is read off what is left
    with open(out / "log.txt", "w", encoding="utf-8") as log:
        subprocess.run(
            [python, "-m", *command], cwd=ROOT, env=env, stdout=log, stderr=log
        )
    minutes = round((_processor_seconds() - begin) / 60, 1)
    return {
        "versions": versions,
        "date": time.strftime("%Y-%m-%d"),
        "minutes": minutes,
    }


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
    passed, failed, skipped = 0, [], Counter()
    for case in ElementTree.parse(out / "tests.xml").iter("testcase"):
        says = {
            child.tag: _one_line(child.get("message", "")) for child in case
        }
        if "skipped" in says:
            skipped[says["skipped"]] += 1
        elif "failure" in says or "error" in says:
            failed.append(
                (
                    f"{case.get('classname')}::{case.get('name')}",
                    says.get("failure", says.get("error")),
                )
            )
        else:
            passed += 1
    return {"passed": passed, "failed": failed, "skipped": skipped}


def _one_line(text):
    return " ".join(text.replace(f"{ROOT}/", "").split())[:160]


def read_notebooks(out):
    """Of each notebook what `compare` found, or the reason why it did not run or was not compared."""
    from conftest import data_names, other_data

    pages, found = Pages(out), {}
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        stored, entry = (
            nbformat.read(path, as_version=4),
            pages.runs.get(path.stem, {}),
        )
        if not entry.get("ok"):
            error = entry.get("error") or {
                "name": "it has not run to its end",
                "says": "",
                "cell": None,
            }
            found[path.stem] = {
                "failed": _one_line(
                    f"cell {error['cell']}, {error['name']}: {error['says']}"
                )
            }
        elif reason := other_data(data_names(stored)):
            found[path.stem] = {"not compared": reason}
        else:
            found[path.stem] = compare(
                stored,
                normalise(
                    nbformat.read(pages.notebook(path.stem), as_version=4)
                ),
            )
    return found


def compare(stored, fresh):
    """Count of the numbers compared; [cell, words before, stored, fresh, relative size] of those that differ.

    Numbers are compared one by one in outputs that have the same words between them;
    `words` has the cell and the beginnings of those that have not.
    """
    numbers, differ, words = 0, [], []
    for cell, (ours, theirs) in enumerate(
        zip(stored.cells, fresh.cells, strict=True)
    ):
        for outputs in zip_longest(
            ours.get("outputs", []), theirs.get("outputs", [])
        ):
            before, after = map(_parts, outputs)
            if before[::2] != after[::2]:
                words.append(
                    (cell, *("".join(parts) for parts in (before, after)))
                )
                continue
            numbers += len(before) // 2
            for i in range(1, len(before), 2):
                a, b = float(before[i]), float(after[i])
                if a != b:
                    size = abs(a - b) / max(abs(a), abs(b))
                    differ.append(
                        (
                            cell,
                            "".join(before[:i])[-50:],
                            before[i],
                            after[i],
                            size,
                        )
                    )
    return {
        "numbers": numbers,
        "differ": sorted(differ, key=lambda found: -found[-1]),
        "words": words,
    }


def _parts(output):
    """Text of an output as words, number, words, ..., words, without what may always differ; pictures have none."""
    shown = output.get("data", {}) if output else {}
    text = output.get("text") or shown.get("text/plain", "") if output else ""
    if "text/html" in shown:  # a table, whose lines are not broken here
        text = re.sub(
            r"<style.*?</style>|<[^>]*>",
            " ",
            shown["text/html"],
            flags=re.DOTALL,
        )
    for rule in SANITIZE.sections():
        text = re.sub(SANITIZE[rule]["regex"], SANITIZE[rule]["replace"], text)
    return NUMBER.split(" ".join(text.split()))


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
    lines, details = [], []
    for name, (version, libraries, threads) in CELLS.items():
        result = results.get(name, {})
        ran = [result[part] for part in PARTS if part in result]
        python = ran[0]["versions"]["Python"] if ran else version
        lines.append(
            f"| {name} | {python} | {libraries} | {threads} | {' | '.join(_row(result))} |"
        )
        if ran:
            versions = ", ".join(
                f"{library} {number}"
                for library, number in ran[0]["versions"].items()
            )
            details.append(
                f"## {name}\n\n{versions}; {ran[-1]['date']}.\n\n"
                + "\n".join(_details(result))
            )
    machine = f"{platform.system()}, {platform.machine()}, {cpu_count()} cores"
    where = f"Run on {machine}, with versions of digest {versions_digest()}."
    return HEAD + "\n\n".join(["\n".join(lines), where, *details]) + "\n"


def _row(result):
    """Tests, their minutes, notebooks, numbers compared, numbers that differ, minutes."""
    if "skipped" in result:
        return [f"skipped: {result['skipped']}", *[""] * 5]
    row = ["not run", "", "not run", "", "", ""]
    if "tests" in result:
        tests = result["tests"]["found"]
        skipped = sum(tests["skipped"].values())
        row[0] = (
            f"{tests['passed']} passed, {len(tests['failed'])} failed, {skipped} skipped"
        )
        row[1] = f"{result['tests']['minutes']}"
    if "notebooks" in result:
        found = result["notebooks"]["found"].values()
        row[2] = (
            f"{sum('failed' not in one for one in found)} of {len(found)} ran"
        )
        row[3] = str(sum(one.get("numbers", 0) for one in found))
        row[4] = str(sum(len(one.get("differ", ())) for one in found))
        row[5] = f"{result['notebooks']['minutes']}"
    return row


def _details(result):
    tests = (
        result["tests"]["found"]
        if "tests" in result
        else {"failed": [], "skipped": {}}
    )
    yield from (f"- failed: `{test}`: {says}" for test, says in tests["failed"])
    yield from (
        f"- skipped, {count} tests: {reason}"
        for reason, count in tests["skipped"].items()
    )
    rows = []
    for name, found in (
        result["notebooks"]["found"].items() if "notebooks" in result else ()
    ):
        for reason in ("failed", "not compared"):
            if reason in found:
                yield f"- {name}: {reason}: {found[reason]}"
        for cell, before, after in found.get("words", ()):
            yield f"- {name}, cell {cell}: other words: `{before[:100]}` is now `{after[:100]}`"
        differ = found.get("differ", ())
        if len(differ) > LISTED:
            above = sum(size > 0.01 for *_, size in differ)
            yield f"- {name}: {len(differ)} numbers differ, {above} by more than 1 %; the {LISTED} largest are listed."
        for cell, words, before, after, size in differ[:LISTED]:
            words = words.replace("|", "/")
            rows.append(
                f"| {name[:2]} | {cell} | {words} | {before} | {after} | {100 * size:.2g} % |"
            )
    if rows:
        yield "\n| notebook | cell | after the words | stored | here | relative |\n|---|---|---|---|---|---|"
        yield from rows


PARTS = {"tests": read_tests, "notebooks": read_notebooks}


def inputs_of(name):
    """Digest of what the result of a cell depends on."""
    files = [
        ROOT / "conftest.py",
        ROOT / "pyproject.toml",
        REQUIREMENTS[CELLS[name][1]],
    ]
    for folder in ("toolkit", "tests", "notebooks", "data"):
        files += sorted(
            p
            for p in (ROOT / folder).rglob("*")
            if p.is_file() and "__pycache__" not in p.parts
        )
    return digest(
        [hashlib.sha256(path.read_bytes()).hexdigest() for path in files],
        os.environ.get("TOOLKIT_DATA"),
    )


def versions_digest():
    """Digest of the lock, the project file and the versions of Python: with another one the table is out of date."""
    files = [
        (ROOT / name).read_text(encoding="utf-8")
        for name in ("requirements.lock", "pyproject.toml")
    ]
    pythons = {version: find_python(version) for version, *_ in CELLS.values()}
    return digest(
        files, [_said(python, "-V") for python in pythons.values() if python]
    )


def is_current():
    """Whether the stored table is of today's versions."""
    return f"versions of digest {versions_digest()}." in (
        ROOT / "benchmarks" / "matrix.md"
    ).read_text(encoding="utf-8")


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
    results, failed = {}, False
    for name in options.cells or CELLS:
        version, libraries, _ = CELLS[name]
        base, inputs, result = find_python(version), inputs_of(name), {}
        if base is None:
            result["skipped"] = (
                f"no Python {version} on the PATH, of pyenv or of uv"
            )
        for part in options.parts if base else ():
            out = FOLDER / name / part
            record = out.with_suffix(".json")
            ran = json.loads(record.read_text()) if record.is_file() else {}
            if options.force or ran.get("inputs") != inputs:
                ran = run(
                    part,
                    name,
                    environment(base, version, libraries),
                    options.jobs,
                    out,
                ) | {"inputs": inputs}
                record.write_text(json.dumps(ran))
            found = PARTS[part](out)
            result[part] = ran | {"found": found}
            failed |= bool(
                found["failed"]
                if part == "tests"
                else any("failed" in one for one in found.values())
            )
        results[name] = result
    whole = len(results) == len(CELLS) and len(options.parts) == len(PARTS)
    path = ROOT / "benchmarks" / "matrix.md" if whole else FOLDER / "matrix.md"
    path.write_text(as_markdown(results), encoding="utf-8")
    print(
        path.read_text(encoding="utf-8").partition("\n## ")[0],
        f"All of it: {path.relative_to(ROOT)}",
        sep="\n",
    )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
