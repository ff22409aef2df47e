"""The command `report`: execute notebooks, write them as offline pages, show claims.

``python -m toolkit report`` leaves this in ``reports/`` (and changes nothing else,
unless ``--refresh`` is given):

- ``NN_name.html``, with scale and parameters in the name where they are not the usual
  ones (`toolkit.report.project.run_name`), ``index.html`` and ``claims.html``, which
  need no network;
- ``notebooks/NN_name.ipynb``, the executed copy, and ``figures/NN_name/``, what its
  kernel left;
- a state, by which the next call knows what has not changed and how long it takes.
"""

import ast
import contextlib
import json
import os
import shutil
import textwrap

from joblib import cpu_count

from .. import claims
from ..claims.clone import load_machinery
from ..claims.show import count_verdicts, print_error
from ..core import did_you_mean, write_bytes, write_text
from ..datasets import fetch_missing
from ..datasets.substitutes import where_to_get
from . import export
from .dependence import (
    data_sets_of,
    put_stored_outputs,
    stored_cells,
    without_cells,
)
from .execute import Execution, kernel_environment, run_notebooks
from .processes import caught_signals
from .project import (
    Pages,
    Project,
    digest,
    exclusive_lock,
    run_name,
    shared_inputs,
)
from .stored import (
    describe,
    normalise,
    parameters_of,
    read_notebook,
    write_notebook,
)

# Allowed to one cell, by scale.
SECONDS_OF_CELL = {"quick": 900, "default": 3600, "paper": 24 * 3600}


class Report:
    """One call of the command: its notebooks, its options, and the outcomes."""

    def __init__(self, project, options, out):
        self.project = project
        self.options = options
        self.pages = Pages(out)
        self.parameters = {}
        for name, text in options.parameters:
            self.parameters[name] = _value_of_parameter(name, text)
        self.scale = options.scale
        if options.refresh and (
            self.parameters or self.scale == "quick" or project.root is None
        ):
            raise ValueError(
                "--refresh writes results back to a clone with its own notebooks, those"
                " of the default or the paper scale: leave out -p and the quick scale."
            )
        # The index lists also those not asked for.
        self.notebooks = {path.stem: _read(path) for path in project.select([])}
        chosen = project.select(options.numbers)
        self.missing = _fetch_data(
            [self.notebooks[path.stem] for path in chosen]
        )
        shared = shared_inputs(project)
        self.runs = [self._plan(path, shared) for path in chosen]

    def _plan(self, path, shared):
        """The `Execution` of a notebook; nothing is run yet.

        `path` is that of the notebook, `shared` what the results of all depend on.
        """
        name = path.stem
        nb = self.notebooks[name]
        names = parameters_of(nb)
        for wrong in sorted(set(self.parameters) - set(names)):
            raise ValueError(
                f"{name} has no parameter {wrong!r}; it has:"
                f" {', '.join(names) or 'none'}.{did_you_mean(wrong, names)}"
            )
        # A notebook at the default scale has its own parameters.
        parameters = self.parameters
        if self.scale != "default" and "scale" in names:
            parameters = {"scale": self.scale} | parameters
        stem = run_name(name, self.scale, self.parameters)
        missing = sorted(set(self.missing).intersection(data_sets_of(nb)))
        stored = stored_cells(nb, missing, stem == name)
        work = self.pages.out / ".work" / name
        environment = kernel_environment(
            TOOLKIT_SCALE=self.scale,
            TOOLKIT_FIGURES=str(work / "figures"),
            # There are no start-up files of the user's.
            IPYTHONDIR=str(work / "ipython"),
        )
        digest_of_inputs = digest(
            shared, missing, self.scale, parameters, _contents(nb)
        )
        return Execution(
            name=name,
            notebook=path,
            # nbval and JupyterLab start in the folder of the notebook, too.
            cwd=path.parent,
            environment=environment,
            parameters=parameters,
            cells=without_cells(nb, stored),
            stored_cells=stored,
            stem=stem,
            digest=digest_of_inputs,
        )

    def run(self, stop):
        """Execute what has changed; the executions that came to an end."""
        todo = []
        for run in self.runs:
            if self.options.force or not self.pages.is_current(run):
                todo.append(run)
        n_unchanged = len(self.runs) - len(todo)
        if n_unchanged:
            print(
                f"{n_unchanged} of {len(self.runs)} unchanged (FORCE=1 or --force runs"
                " them too)."
            )
        # The longest come first.
        todo.sort(key=lambda run: -self.pages.entry(run).get("seconds", 0))
        work = self.pages.out / ".work"
        shutil.rmtree(work, ignore_errors=True)
        try:
            for run in todo:
                os.makedirs(run.environment["TOOLKIT_FIGURES"])
            n_jobs = self.options.jobs or cpu_count()
            limit = self.options.timeout or SECONDS_OF_CELL[self.scale]
            return run_notebooks(todo, n_jobs, limit, stop, self._conclude)
        finally:
            shutil.rmtree(work, ignore_errors=True)

    def _conclude(self, run):
        """Make the page of a finished notebook, keep its results, renew the index.

        `run` is the `Execution`.
        """
        page = None
        if not run.error:
            put_stored_outputs(run.nb, run.stored_cells)
            page = self._page(run)
        self.pages.keep(
            run, page=page, scale=self.scale, parameters=self.parameters
        )
        self.write_index()

    def _page(self, run):
        """The HTML page of an execution as a text, None where it cannot be shown."""
        try:
            html, problems = export.notebook_page(
                run.nb,
                run.name,
                adjacent=export.neighbours(self.notebooks)[run.name],
                # Pictures of the project's own notebooks must have alternative texts.
                alt_texts=self.project.has_claims,
            )
        except ValueError as error:
            run.fail("Export", str(error))
            return None
        for problem in problems:
            print_error(f"{run.name}: {problem}")
        return html

    def refresh(self):
        """Write results back to the project; print what is left out."""
        for run in self.runs:
            if not self.pages.is_current(run):
                print(
                    f"{run.name}: not written back, it did not run to its end."
                )
                continue
            substituted = self.pages.entry(run)["substituted"]
            if substituted:
                print(
                    f"{run.name}: not written back, it ran without"
                    f" {', '.join(substituted)}."
                )
            elif self.scale == "default":
                self._publish(run)
        # What `make claims` measured goes to the ledger.
        merge = load_machinery("merging").merge
        merge(self.pages.out / "claims", self.project.ledger)

    def _publish(self, run):
        """Store outputs of a notebook, and its pictures in place of the old ones."""
        nb = normalise(read_notebook(self.pages.notebook(run.stem)))
        write_notebook(run.notebook, nb)
        figures = self.project.ledger.parent
        figures.mkdir(exist_ok=True)
        old = set(figures.glob(f"{run.name[:2]}_*.png"))
        for picture in self.pages.figures(run.stem).glob("*.png"):
            old.discard(figures / picture.name)
            write_bytes(figures / picture.name, picture.read_bytes())
        for path in old:
            path.unlink()

    def write_index(self):
        """Write ``index.html`` and ``claims.html``; the claims in words."""
        out = self.pages.out
        counts = None
        if self.project.has_claims:
            rows = claims.table(claims.stored_ledger(self.project.ledger))
            write_text(out / "claims.html", export.claims_page(rows))
            verdicts = count_verdicts(row["verdict"] for row in rows)
            counts = f"Claims in the ledger: {verdicts}."
        entries = []
        for name, nb in self.notebooks.items():
            runs = self.pages.of(name)
            entries.append({"name": name, "runs": runs, **describe(nb)})
        index = export.page_of(
            "Reports",
            "reports.html",
            entries=entries,
            counts=counts,
            has_site=(out / "site" / "index.html").is_file(),
        )
        write_text(out / "index.html", index)
        return counts

    def print_outcomes(self, ended, claims_words):
        """Print the outcomes and where the pages are; return the exit code.

        `ended` is a list of `Execution`; `claims_words` counts claims in words, or is
        None.
        """
        failed = [run for run in ended if run.error]
        for run in failed:
            error = run.error
            cell = ""
            if error["cell"] is not None:
                cell = f", cell {error['cell'] + 1}"
            end_of_traceback = "\n".join(error["lines"][-25:])
            print_error(
                f"\nFAILED {run.name}{cell}: {error['name']}: {error['says']}\n"
                + textwrap.indent(end_of_traceback, "    ")
            )
        print(
            f"Notebooks: {len(ended) - len(failed)} done, {len(failed)} failed."
        )
        if claims_words:
            print(claims_words)
        print(f"Reports: {self.pages.out / 'index.html'}")
        return int(bool(failed))


def _fetch_data(notebooks):
    """Download data of notebooks; names of the sets that are not at hand."""
    names = set()
    for nb in notebooks:
        names.update(data_sets_of(nb))
    missing = fetch_missing(sorted(names))
    if missing:
        print(
            f"Not available here: {', '.join(missing)}. Of what depends on them the"
            f" stored results are shown. {where_to_get(missing)}"
        )
    return missing


def _read(path):
    """The notebook of a file; a ValueError if its parameters are not Python alone."""
    try:
        nb = read_notebook(path)
        parameters_of(nb)
        return nb
    except Exception as error:
        # Errors of nbformat are of many kinds.
        words = textwrap.shorten(str(error), 200)
        raise ValueError(
            f"{path.name} cannot be read as a notebook: {words}"
        ) from None


def _contents(nb):
    """What the result of a notebook depends on: kind, source and tags of its cells."""
    contents = []
    for cell in nb.cells:
        tags = cell.metadata.get("tags")
        contents.append((cell.cell_type, cell.source, tags))
    return contents


def _value_of_parameter(name, text):
    """`text` as a number, list, dict, truth value or None if it reads as one."""
    value = text
    # JSON decides where both can read it.
    for read in (ast.literal_eval, json.loads):
        with contextlib.suppress(
            ValueError, SyntaxError, RecursionError, MemoryError
        ):
            value = read(text)
    if isinstance(value, set | bytes | complex):
        raise ValueError(
            f"-p {name} must be a number, text, truth value, None, or lists and dicts"
            f" of these; got {text[:60]}."
        )
    return value


def run(options):
    """Run the command; returns its exit code.

    `stop` holds the signals that ask for an end.
    """
    project = Project.find(options.notebooks)
    out = (options.out or project.reports).resolve()
    kept = "the reports finished so far are kept"
    with exclusive_lock(out), caught_signals(kept) as stop:
        report = Report(project, options, out)
        # The index can be looked at while the notebooks run.
        report.write_index()
        ended = report.run(stop)
        if options.refresh and not stop:
            report.refresh()
        return report.print_outcomes(ended, report.write_index())
