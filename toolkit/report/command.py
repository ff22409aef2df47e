"""The command `report`: execute the notebooks, write them as offline pages, show the claims.

``python -m toolkit report`` leaves this in ``reports/`` (and changes nothing else,
unless ``--refresh`` is given):

- ``NN_name.html``, with scale and parameters in the name where they are not the usual
  ones (`toolkit.report.pages`), ``NN_name.failed.html`` of a run that failed,
  ``index.html`` and ``claims.html``, which need no network;
- ``notebooks/NN_name.ipynb``, the executed copy, ``figures/NN_name/`` and
  ``claims/NN_name/``, what its kernel left;
- ``.state.json``, by which the next call knows what has not changed and how long it
  takes.
"""

import ast
import contextlib
import json
import shutil
import sys
import textwrap
from argparse import ArgumentParser
from pathlib import Path

from .. import claims
from ..core.files import write_bytes, write_text
from . import export
from .execute import kernel_environment
from .pages import Pages, run_name
from .processes import Stop, cores
from .project import EXPERIMENTS, Project, Usage, digest, only_one, shared_inputs
from .runner import Execution, run_notebooks
from .stored import describe, normalise, parameters_of

# Allowed to one notebook, all its processes together, by scale.
PROCESSOR_SECONDS = {"quick": 300, "default": 1800, "paper": 24 * 3600}


class Report:
    """One call of the command: its notebooks, its options, and the outcomes."""

    def __init__(self, project, options, out):
        self.project, self.options, self.pages = project, options, Pages(out)
        self.parameters = dict(_parameter(*pair) for pair in options.parameters)
        self.scale = self.parameters.pop("scale", options.scale)
        if self.scale not in PROCESSOR_SECONDS:
            raise Usage(
                f"The scale must be one of {', '.join(PROCESSOR_SECONDS)}; got"
                f" {self.scale!r}."
            )
        if any(
            number is not None and not number > 0
            for number in (options.jobs, options.timeout)
        ):
            raise Usage(
                f"--jobs and --timeout must be above 0; got {options.jobs} and"
                f" {options.timeout}."
            )
        if options.refresh and project.root is None:
            raise Usage(
                "--refresh writes results back to the project: it needs a clone with"
                " its own notebooks."
            )
        if options.refresh and (self.parameters or self.scale == "quick"):
            raise Usage(
                "--refresh stores results of the default or the paper scale: leave out"
                " -p and the quick scale."
            )
        # the index lists also those not asked for
        self.all = {path.stem: _read(path) for path in project.select([])}
        shared = shared_inputs(project)
        self.runs, self.given, self.digests = {}, {}, {}
        for path in project.select(options.numbers):
            name, nb = path.stem, self.all[path.stem]
            self.runs[name] = run_name(name, self.scale, self.parameters)
            self.given[name] = self._given(name, parameters_of(nb))
            cells = [
                (cell.cell_type, cell.source, cell.metadata.get("tags"))
                for cell in nb.cells
            ]
            self.digests[name] = digest(shared, self.scale, self.given[name], cells)

    def _given(self, name, known):
        """Parameters to inject into one notebook. None at default scale, so that nothing is injected then."""
        for wrong in sorted(set(self.parameters) - set(known)):
            raise Usage(
                f"{name} has no parameter {wrong!r}; it has:"
                f" {', '.join(known) or 'none'}."
            )
        return self.parameters | (
            {"scale": self.scale}
            if self.scale != "default" and "scale" in known
            else {}
        )

    def _is_current(self, name):
        return self.pages.is_current(self.runs[name], self.digests[name])

    def run(self, stop):
        """Execute what has changed; the executions that came to an end."""
        todo = [
            name
            for name in self.runs
            if self.options.force or not self._is_current(name)
        ]
        self.unchanged = len(self.runs) - len(todo)
        if self.unchanged:
            print(
                f"{self.unchanged} of {len(self.runs)} unchanged (FORCE=1 or --force"
                " runs them too)."
            )
        # the longest first
        runs = sorted(map(self._execution, todo), key=lambda run: -sum(run.expected))
        limit = self.options.timeout or PROCESSOR_SECONDS[self.scale]
        try:
            return run_notebooks(
                runs, self.options.jobs or cores(), limit, stop, self._finished
            )
        finally:
            shutil.rmtree(self.pages.out / ".work", ignore_errors=True)

    def _execution(self, name):
        work = self.pages.out / ".work" / name
        shutil.rmtree(work, ignore_errors=True)
        for folder in ("claims", "figures"):
            (work / folder).mkdir(parents=True)
        environment = kernel_environment(
            TOOLKIT_CLAIMS_DIR=str(work / "claims"),
            TOOLKIT_CLAIMS_SOURCE=name,
            TOOLKIT_SCALE=self.scale,
            TOOLKIT_FIGURES=str(work / "figures"),
            TOOLKIT_REFRESH=None,
            IPYTHONDIR=str(work / "ipython"),  # no start-up files of the user's
        )
        notebook = (self.project.notebooks / f"{name}.ipynb").resolve()
        expected = self.pages.runs.get(self.runs[name], {}).get("steps") or [1.0] * len(
            self.all[name].cells
        )
        # in the folder of the notebook, as nbval and JupyterLab have it
        return Execution(
            name, notebook, notebook.parent, environment, self.given[name], expected
        )

    def _finished(self, done):
        """Make the page of one notebook, keep what it left and renew the index; called as soon as it has ended."""
        about = {"name": done.name, "scale": self.scale, "parameters": self.parameters}
        page = None
        if done.nb is not None:
            titles = {
                name: describe(nb)["title"] or name for name, nb in self.all.items()
            }
            before, after = export.neighbours(titles)[done.name]
            beside = {
                "before": before,
                "after": after,
                "alt_texts": self.project.has_claims,
            }
            try:
                page, problems = export.notebook_page(done.nb, done.name, **beside)
                for problem in problems:
                    print(f"{done.name}: {problem}", file=sys.stderr)
            except export.ExportError as error:
                done.fail("Export", str(error), error.cell)
        about["digest"] = self.digests[done.name]
        self.pages.keep(
            self.runs[done.name],
            about,
            done,
            page,
            self.pages.out / ".work" / done.name,
        )
        self.write_index()

    def refresh(self):
        """Write results back to the project; print what is left out."""
        fragments = [self.pages.left("claims", EXPERIMENTS)]
        for name, run in self.runs.items():
            substituted = self.pages.runs.get(run, {}).get("substituted")
            if not self._is_current(name):
                print(f"{name}: not written back, it did not run to its end.")
            elif substituted:
                print(
                    f"{name}: not written back, it ran without"
                    f" {', '.join(substituted)}."
                )
            else:
                fragments.append(self.pages.left("claims", run))
                if self.scale == "default":
                    self._publish(name)
                else:
                    print(
                        f"{name}: only its claims are written back at {self.scale}"
                        " scale."
                    )
        claims.merge(fragments, self.project.ledger)

    def _publish(self, name):
        """Store the outputs of a notebook, and its pictures in place of those that it no longer makes."""
        import nbformat

        nb = normalise(nbformat.read(self.pages.executed(name), as_version=4))
        write_text(
            self.project.notebooks / f"{name}.ipynb",
            nbformat.writes(nb).rstrip("\n") + "\n",
        )
        self.project.figures.mkdir(exist_ok=True)
        fresh = list(self.pages.left("figures", name).glob("*.png"))
        for picture in fresh:
            write_bytes(self.project.figures / picture.name, picture.read_bytes())
        for old in self.project.figures.glob(f"{name[:2]}_*.png"):
            if old.name not in [picture.name for picture in fresh]:
                old.unlink()

    def write_index(self):
        """Write ``index.html`` over all notebooks, also those not asked for, and ``claims.html``; claims in words."""
        entries = [
            {"name": name, "runs": self.pages.of(name), **self._describe(name)}
            for name in self.all
        ]
        counts = self._write_claims() if self.project.has_claims else None
        has_reference = (self.pages.out / "api" / "index.html").is_file()
        write_text(
            self.pages.out / "index.html",
            export.index_page(entries, counts, has_reference),
        )
        return counts

    def _describe(self, name):
        """What lists say of a notebook: of its executed copy, where there is one."""
        import nbformat

        # there is none, or somebody has altered it
        with contextlib.suppress(OSError, ValueError):
            return describe(nbformat.read(self.pages.executed(name), as_version=4))
        return describe(self.all[name])

    def _write_claims(self):
        """Write ``claims.html``; the counts in a sentence."""
        # Numbers of a run in small, or with other parameters, are not those that the
        # ledger is about.
        runs = [] if self.scale == "quick" or self.parameters else self.runs.values()
        folders = [
            self.pages.left("claims", run)
            for run in runs
            if self.pages.runs.get(run, {}).get("ok")
        ]
        rows = claims.table(
            claims.stored_ledger(self.project.ledger), claims.read_fragments(folders)
        )
        write_text(self.pages.out / "claims.html", export.claims_page(rows))
        return export.count_claims(rows)

    def tell(self, ended, counted, stop):
        """Print the outcomes and where the pages are; return the exit code."""
        failed = [run for run in ended if run.error]
        for run in ended:
            substituted = self.pages.runs[self.runs[run.name]].get("substituted")
            if substituted and not run.error:
                print(
                    f"{run.name}: ran without {', '.join(substituted)} (not available),"
                    " on stand-in data."
                )
        for run in failed:
            cell = run.error["cell"]
            where = "" if cell is None else f", cell {cell + 1}"
            print(
                f"\nFAILED {run.name}{where}: {run.error['name']}: {run.error['says']}",
                file=sys.stderr,
            )
            print(
                textwrap.indent("\n".join(run.error["lines"][-25:]), "    "),
                file=sys.stderr,
            )
        counts = {
            "done": len(ended) - len(failed),
            "unchanged": self.unchanged,
            "failed": len(failed),
        }
        counts["not finished"] = len(self.runs) - sum(counts.values())
        said = ", ".join(
            f"{number} {word}" for word, number in counts.items() if number
        )
        print(f"{len(self.runs)} notebook{'' if len(self.runs) == 1 else 's'}: {said}.")
        if counted:
            print(
                counted
                + (
                    " `make claims` measures the rest."
                    if self.project.has_experiments
                    else ""
                )
            )
        print(f"Reports: {self.pages.out / 'index.html'}")
        if stop:
            print("Interrupted: the reports finished so far are kept.", file=sys.stderr)
            return stop.code
        return int(bool(failed))


def _read(path):
    """The notebook of a file that has cells of parameters in Python alone, or a `Usage`."""
    import nbformat

    try:
        nb = nbformat.read(path, as_version=4)
        parameters_of(nb)
        return nb
    except Exception as error:  # nbformat has many
        says = textwrap.shorten(str(error), 200)
        raise Usage(f"{path.name} cannot be read as a notebook: {says}") from None


def _parameter(name, text):
    """`text` as a number, list, dict, truth value or None if it reads as one, else as it is."""
    if not name.isidentifier():
        raise Usage(f"A parameter's name must be a Python name; got {name!r}.")
    for read in (json.loads, ast.literal_eval, str):
        with contextlib.suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            value = read(text)
            break
    if isinstance(value, set | bytes | complex):
        kinds = "a number, text, truth value, None, or lists and dicts of these"
        raise Usage(f"-p {name} must be {kinds}; got {text[:60]}.")
    return name, value


def _parser():
    says = "Execute notebooks and write them as pages that need no network."
    codes = (
        "0 all ran, 1 a notebook failed or the disk is full, 2 wrong use or another run"
        " is at work"
    )
    ended = "130, 143 ended by Ctrl-C, SIGTERM"
    parser = ArgumentParser(
        "python -m toolkit report",
        description=says,
        epilog=f"Exit codes: {codes}, {ended}.",
    )
    add, pair = (
        parser.add_argument,
        {"nargs": 2, "metavar": ("NAME", "VALUE"), "action": "append", "default": []},
    )
    add(
        "numbers",
        nargs="*",
        metavar="NN",
        help="numbers or names of notebooks (default: all)",
    )
    add(
        "-p",
        dest="parameters",
        **pair,
        help="set a parameter of the notebook; may be repeated",
    )
    add(
        "--scale",
        choices=PROCESSOR_SECONDS,
        default="default",
        help="how much is computed",
    )
    add(
        "--quick",
        dest="scale",
        action="store_const",
        const="quick",
        help="the same as --scale quick",
    )
    add("--jobs", type=int, metavar="N", help="at once (default: cores)")
    limit = (
        "seconds of processor time allowed to one notebook with all that it starts"
        " (default: by scale)"
    )
    add("--timeout", type=float, metavar="S", help=limit)
    add(
        "--out",
        type=Path,
        metavar="DIR",
        help="where the pages go (default: reports, in another folder of notebooks)",
    )
    add(
        "--notebooks",
        type=Path,
        metavar="DIR",
        help="another folder of notebooks, such as your own",
    )
    add("--force", action="store_true", help="also run what has not changed")
    add(
        "--refresh",
        action="store_true",
        help="also write stored outputs, figures and ledger back",
    )
    return parser


def main(argv=None):
    """Run the command; returns its exit code."""
    options = _parser().parse_args(argv)
    try:
        project = Project.find(options.notebooks)
        out = (options.out or project.reports).resolve()
        with only_one(out), Stop() as stop:
            report = Report(project, options, out)
            # there is something to look at while the notebooks run
            report.write_index()
            ended = report.run(stop)
            if options.refresh and not stop:
                report.refresh()
            return report.tell(ended, report.write_index(), stop)
    except Usage as error:
        print(f"toolkit report: {error}", file=sys.stderr)
        return 2
    except (OSError, ValueError) as error:
        # a full disk, or what the ledger refuses: a claim measured twice, say
        print(
            f"toolkit report: {error}. What is finished is kept; --out DIR takes"
            " another folder.",
            file=sys.stderr,
        )
        return 1
