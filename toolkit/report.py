"""The main job: execute the notebooks, write them as offline pages, list the claims.

``python -m toolkit report`` leaves this in ``reports/`` (and changes nothing else, unless ``--refresh`` is given):

- ``NN_name.html`` and ``index.html``, which need no network;
- ``notebooks/NN_name.ipynb``, the executed copy, ``figures/NN_name/`` and ``claims/NN_name/``, what its kernel left;
- ``.state.json``, by which the next call knows what has not changed.
"""

import argparse
import ast
import contextlib
import json
import os
import shutil
import sys
from pathlib import Path

from toolkit import claims, export
from toolkit.execute import kernel_environment
from toolkit.project import Project, Usage, digest, read_json, shared_inputs, write_text
from toolkit.runner import Job, run_jobs
from toolkit.stored import describe, normalise, parameters_of

__all__ = ["main"]

SCALES = {"quick": 300, "default": 900, "paper": 6 * 3600}  # with the seconds allowed to one notebook
CLAIM_TESTS = "tests_claims"  # name of the job that runs the claims measured outside the notebooks


class Report:
    """One call of the command: which notebooks, how, and what came of them."""

    def __init__(self, project, options):
        import nbformat

        self.project, self.options = project, options
        self.out = _writable(options.out or (project.root or Path.cwd()) / "reports")
        self.parameters = dict(_parameter(name, text) for name, text in options.parameters)
        self.scale = self.parameters.pop("scale", options.scale)
        if self.scale not in SCALES:
            raise Usage(f"The scale must be one of {', '.join(SCALES)}; got {self.scale!r}.")
        if options.refresh:
            self._check_refresh()
        self.state_path = self.out / ".state.json"
        self.state = read_json(self.state_path)
        self.all = [path.stem for path in project.select([])]
        self.sources, self.given = {}, {}
        for path in project.select(options.numbers):
            try:
                self.sources[path.stem] = nb = nbformat.read(path, as_version=4)
            except Exception as error:
                raise Usage(f"{path.name} cannot be read as a notebook: {error}") from None
            self.given[path.stem] = self._given(path.stem, parameters_of(nb))
        self.with_tests = project.claim_tests is not None and not options.numbers
        shared = shared_inputs(project)
        self.digests = {name: digest(shared, self._own_inputs(name)) for name in self.names}

    @property
    def names(self):
        return [*self.sources, *([CLAIM_TESTS] if self.with_tests else [])]

    def _check_refresh(self):
        if self.project.root is None:
            raise Usage(
                "--refresh writes results back to the project: it needs a clone, not an installed wheel."
            )
        if self.parameters:
            raise Usage("--refresh stores what the default parameters give: leave out -p.")
        if self.scale == "quick":
            raise Usage("--refresh stores results of the default or the paper scale, not of the quick one.")

    def _given(self, name, known):
        """Parameters to inject into one notebook. None at default scale, so that nothing is injected then."""
        wrong = sorted(set(self.parameters) - set(known))
        if wrong:
            raise Usage(f"{name} has no parameter {wrong[0]!r}; it has: {', '.join(known) or 'none'}.")
        return self.parameters | (
            {"scale": self.scale} if self.scale != "default" and "scale" in known else {}
        )

    def _own_inputs(self, name):
        if name == CLAIM_TESTS:
            files = sorted(self.project.claim_tests.rglob("*.py"))
            return [self.scale, [(path.name, path.read_text(encoding="utf-8")) for path in files]]
        cells = [
            (cell.cell_type, cell.source, cell.metadata.get("tags")) for cell in self.sources[name].cells
        ]
        return [self.scale, self.given[name], cells]

    def unchanged(self, name):
        """Whether the last run of this notebook would come out the same again."""
        before = self.state.get(name, {})
        left = name == CLAIM_TESTS or self._page(name).is_file() and self._executed(name).is_file()
        return before.get("digest") == self.digests[name] and before.get("ok") and left

    def _page(self, name):
        return self.out / f"{name}.html"

    def _executed(self, name):
        return self.out / "notebooks" / f"{name}.ipynb"

    def run(self):
        """Execute what has changed; outcomes by name, and whether the user interrupted."""
        todo = [name for name in self.names if self.options.force or not self.unchanged(name)]
        todo.sort(key=lambda name: -self.state.get(name, {}).get("seconds", 0))  # the longest first
        skipped = len(self.names) - len(todo)
        if skipped:
            print(f"{skipped} of {len(self.names)} unchanged (FORCE=1 or --force runs them all the same).")
        jobs = [self._job(name) for name in todo]
        timeout = self.options.timeout or SCALES[self.scale]
        try:
            return run_jobs(jobs, self.options.jobs, timeout, self._finished)
        finally:
            shutil.rmtree(self.out / ".work", ignore_errors=True)

    def _job(self, name):
        work = self.out / ".work" / name
        shutil.rmtree(work, ignore_errors=True)
        for folder in ("claims", "figures"):
            (work / folder).mkdir(parents=True)
        tests = name == CLAIM_TESTS
        environment = kernel_environment(
            TOOLKIT_CLAIMS_DIR=str(work / "claims"),
            TOOLKIT_CLAIMS_SOURCE="tests/claims" if tests else name,
            TOOLKIT_FIGURES=None if tests else str(work / "figures"),
            TOOLKIT_SCALE=self.scale,
            TOOLKIT_REFRESH="1" if tests else None,  # here the claims are recorded, and judged afterwards
        )
        if tests:
            command = [
                sys.executable,
                "-m",
                "pytest",
                "-q",
                "--no-header",
                "--color=no",
                "-p",
                "no:cacheprovider",
            ]
            command.append(str(self.project.claim_tests))
            return Job(name, command, environment, work, cwd=self.project.root, fine=(0, 5))
        task = {
            "notebook": str(self.project.notebooks / f"{name}.ipynb"),
            "output": str(work / "executed.ipynb"),
            "parameters": self.given[name],
            "timeout": self.options.timeout or SCALES[self.scale],
        }
        (work / "job.json").write_text(json.dumps(task), encoding="utf-8")
        command = [sys.executable, "-m", "toolkit.execute", str(work / "job.json")]
        return Job(name, command, environment, work, steps=len(self.sources[name].cells))

    def _finished(self, job, outcome):
        """Make the page of one notebook and keep what it left; called as soon as it has ended."""
        entry = {"digest": self.digests[job.name], "seconds": round(outcome.seconds, 1), "scale": self.scale}
        executed = job.folder / "executed.ipynb"
        if executed.is_file():
            import nbformat

            nb = nbformat.read(executed, as_version=4)
            entry["substituted"] = nb.metadata.get("toolkit", {}).get("substituted", [])
            entry["parameters"] = self.given[job.name]
            try:
                page, problems = export.notebook_page(nb, job.name)
                self._page(job.name).write_text(page, encoding="utf-8")
                for problem in problems:
                    print(f"{job.name}: {problem}", file=sys.stderr)
            except export.ExportError as error:
                outcome.error = outcome.error or {
                    "cell": error.cell,
                    "name": "Export",
                    "says": str(error),
                    "lines": [],
                }
            self._executed(job.name).parent.mkdir(exist_ok=True)
            os.replace(executed, self._executed(job.name))
        for kind in ("claims", "figures"):
            kept = self.out / kind / job.name
            shutil.rmtree(kept, ignore_errors=True)
            # A test of a claim that fails says nothing against the claims that the others recorded.
            if (outcome.ok or job.name == CLAIM_TESTS) and any((job.folder / kind).iterdir()):
                kept.parent.mkdir(exist_ok=True)
                shutil.move(job.folder / kind, kept)
        self.state[job.name] = entry | {"ok": outcome.ok, "error": outcome.error}
        write_text(self.state_path, json.dumps(self.state, indent=1))
        return outcome

    def refresh(self):
        """Write results back to the project; what is left out is said."""
        fragments = []
        for name in self.names:
            entry = self.state.get(name, {})
            if not entry.get("ok") or entry.get("digest") != self.digests[name]:
                print(f"{name}: not written back, it did not run to its end.")
                continue
            if entry.get("substituted"):
                print(f"{name}: not written back, it ran without {', '.join(entry['substituted'])}.")
                continue
            fragments.append(self.out / "claims" / name)
            if name == CLAIM_TESTS:
                continue
            if self.scale != "default":
                print(f"{name}: only its claims are written back at {self.scale} scale.")
                continue
            self._publish(name)
        self.project.figures.mkdir(exist_ok=True)
        claims.merge([folder for folder in fragments if folder.is_dir()], self.project.ledger)

    def _publish(self, name):
        import nbformat

        nb = normalise(nbformat.read(self._executed(name), as_version=4))
        write_text(self.project.notebooks / f"{name}.ipynb", nbformat.writes(nb).rstrip("\n") + "\n")
        fresh = {path.name: path for path in (self.out / "figures" / name).glob("*.png")}
        self.project.figures.mkdir(exist_ok=True)
        for old in self.project.figures.glob(f"{name[:2]}_*.png"):
            if old.name not in fresh:
                old.unlink()  # a picture that the notebook no longer makes
        for path in fresh.values():
            shutil.copyfile(path, self.project.figures / path.name)

    def write_index(self):
        """Write ``index.html`` over all notebooks, also those not asked for, and print the claims table."""
        import nbformat

        entries = []
        for name in self.all:
            entry = self.state.get(name, {})
            path = self._executed(name)
            nb = nbformat.read(
                path if path.is_file() else self.project.notebooks / f"{name}.ipynb", as_version=4
            )
            page = f"{name}.html" if self._page(name).is_file() else None
            entries.append({"name": name, "page": page, **describe(nb), **entry})
        folders = sorted(path for path in (self.out / "claims").glob("*") if path.is_dir())
        rows = claims.table(claims.committed(self.project.ledger), claims.read_fragments(folders))
        write_text(self.out / "index.html", export.index_page(entries, claims.html_table(rows)))
        measured = [row for row in rows if row["stored"] or row["run"]]
        print(claims.format_table(measured or rows))
        if measured and len(measured) < len(rows):
            print(
                f"{len(rows) - len(measured)} of {len(rows)} claims are not measured yet; index.html lists all."
            )

    def tell(self, outcomes, interrupted):
        """Say what failed, what ran without its data, and where the pages are; return the exit code."""
        for name, outcome in outcomes.items():
            substituted = self.state.get(name, {}).get("substituted")
            if substituted and outcome.ok:
                print(f"{name}: ran without {', '.join(substituted)} (not at hand), on substitutes.")
        failed = {name: outcome.error for name, outcome in outcomes.items() if not outcome.ok}
        for name, error in failed.items():
            where = f", cell {error['cell'] + 1}" if error["cell"] is not None else ""
            print(f"\nFAILED {name}{where}: {error['name']}: {error['says']}", file=sys.stderr)
            for line in error["lines"][-25:]:
                print(f"    {line}", file=sys.stderr)
        print(f"Reports: {self.out / 'index.html'}")
        if interrupted:
            print("Interrupted: the reports finished so far are kept.", file=sys.stderr)
            return 130
        return 1 if failed else 0


def _parameter(name, text):
    """`text` as a number, list, truth value or None if it reads as one, else as it is."""
    if not name.isidentifier():
        raise Usage(f"A parameter's name must be a Python name; got {name!r}.")
    for read in (ast.literal_eval, json.loads):
        with contextlib.suppress(ValueError, SyntaxError):
            return name, read(text)
    return name, text


def _writable(folder):
    folder = Path(folder).resolve()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_text(folder / ".state.json.new", "")
        (folder / ".state.json.new").unlink()
    except OSError as error:
        raise Usage(f"The reports cannot be written to {folder}: {error.strerror}. Use --out DIR.") from None
    return folder


def _parser():
    parser = argparse.ArgumentParser(
        prog="python -m toolkit report",
        description="Execute notebooks and write them as pages that need no network.",
        epilog="Exit codes: 0 all ran, 1 a notebook failed, 2 wrong use, 130 interrupted.",
    )
    parser.add_argument(
        "numbers", nargs="*", metavar="NN", help="numbers or names of notebooks (default: all)"
    )
    parser.add_argument(
        "-p",
        dest="parameters",
        nargs=2,
        action="append",
        default=[],
        metavar=("NAME", "VALUE"),
        help="set a parameter of the notebook; may be repeated",
    )
    parser.add_argument("--scale", choices=SCALES, default="default", help="how much is computed")
    parser.add_argument(
        "--quick", dest="scale", action="store_const", const="quick", help="the same as --scale quick"
    )
    parser.add_argument(
        "--jobs",
        type=_positive(int),
        default=_cores(),
        metavar="N",
        help="notebooks at once (default: cores)",
    )
    parser.add_argument(
        "--timeout", type=_positive(float), metavar="S", help="seconds allowed to one notebook"
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="where the pages go (default: reports)")
    parser.add_argument("--notebooks", type=Path, metavar="DIR", help="another folder of notebooks")
    parser.add_argument("--force", action="store_true", help="also run what has not changed")
    parser.add_argument(
        "--refresh", action="store_true", help="also write stored outputs, figures and ledger back"
    )
    return parser


def _cores():
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _positive(kind):
    def read(text):
        value = kind(text)
        if not value > 0:
            raise argparse.ArgumentTypeError(f"must be above 0; got {text}")
        return value

    return read


def main(argv=None):
    """Run the command; returns its exit code."""
    options = _parser().parse_args(argv)
    try:
        report = Report(Project.find(options.notebooks), options)
    except Usage as error:
        print(f"toolkit report: {error}", file=sys.stderr)
        return 2
    outcomes, interrupted = report.run()
    try:
        if options.refresh and not interrupted:
            report.refresh()
        report.write_index()
    except ValueError as error:  # the ledger refuses a fragment: two notebooks measured one claim, say
        print(f"toolkit report: {error}", file=sys.stderr)
        return 1
    return report.tell(outcomes, interrupted)
