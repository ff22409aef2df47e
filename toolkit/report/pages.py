"""The folder of reports: file names per run, outcome of the last run, and which of its results are kept.

A run is a notebook at a scale with parameters, and has files of its own: a quick run
never replaces the page of a whole one. A run that failed never replaces what the same
run left when it went well.
"""

import json
import re
import shutil

from ..core.files import read_json, write_text
from .project import digest

RUNS = "runs, version 3"  # what another version left is as nothing
# in which the index lists the pages of a notebook
SCALE_ORDER = ("default", "paper", "quick")


def run_name(name, scale="default", parameters=None):
    """Stem of the files of a run: the notebook's name, and what was other than usual."""
    parts = [name] if scale == "default" else [name, scale]
    if parameters:
        told = "_".join(f"{key}-{value!r}" for key, value in sorted(parameters.items()))
        safe = re.sub(r"[^\w.-]+", "", told, flags=re.ASCII)
        parts.append(
            safe
            if safe == told and len(safe) <= 60
            else f"{safe[:60]}-{digest(told)[:8]}"
        )
    return ".".join(parts)


class Pages:
    """The folder `out` of reports, and what is known of each run by its name.

    An entry of `runs` has ``name``, ``scale``, ``parameters``; of the last run
    ``digest``, ``ok``, ``error``; of the last that went well ``seconds``, ``steps`` and
    ``substituted``.
    """

    def __init__(self, out):
        self.out, self.runs = out, read_json(out / ".state.json").get(RUNS, {})

    def page(self, stem):
        return self.out / f"{stem}.html"

    def executed(self, stem):
        return self.out / "notebooks" / f"{stem}.ipynb"

    def left(self, kind, run):
        """Folder of the claims or figures that a run left."""
        return self.out / kind / run

    def is_current(self, run, inputs):
        """Whether the last run went well on these inputs and its files are there."""
        entry = self.runs.get(run, {})
        there = self.page(run).is_file() and self.executed(run).is_file()
        return there and bool(entry.get("ok")) and entry["digest"] == inputs

    def keep(self, run, about, done, page, folder):
        """Keep the notebook of an `Execution`, its `page` (text, or None) and, if it went well, its files in `folder`.

        `about` are name, scale, parameters and digest.
        """
        import nbformat

        failed = done.error is not None
        stem = f"{run}.failed" if failed else run
        for old in (self.page(f"{run}.failed"), self.executed(f"{run}.failed")):
            old.unlink(missing_ok=True)
        if page is not None:
            write_text(self.page(stem), page)
        if done.nb is not None:
            self.executed(stem).parent.mkdir(exist_ok=True)
            write_text(self.executed(stem), nbformat.writes(done.nb))
        entry = self.runs.get(run, {}) if failed else {}
        entry = entry | about | {"ok": not failed, "error": done.error}
        if not failed:
            # Claims measured with other parameters are no measurement of the claim; the
            # page shows them.
            for kind in ("figures",) if about["parameters"] else ("claims", "figures"):
                shutil.rmtree(self.left(kind, run), ignore_errors=True)
                if any((folder / kind).iterdir()):
                    (self.out / kind).mkdir(exist_ok=True)
                    shutil.move(folder / kind, self.left(kind, run))
            entry["seconds"] = round(done.nb.metadata.papermill["duration"], 1)
            entry["steps"] = [round(step, 1) for step in done.steps]
            entry["substituted"] = done.nb.metadata["toolkit"]["substituted"]
        self.runs[run] = entry
        write_text(self.out / ".state.json", json.dumps({RUNS: self.runs}, indent=1))

    def of(self, name):
        """The runs of a notebook as the index lists them: those with a page, and those that failed."""
        listed = []
        for run, entry in sorted(self.runs.items()):
            paths = {"page": self.page(run), "failed_page": self.page(f"{run}.failed")}
            names = {
                kind: path.name if path.is_file() else None
                for kind, path in paths.items()
            }
            if entry["name"] == name and (names["page"] or not entry["ok"]):
                listed.append(entry | names)
        return sorted(
            listed,
            key=lambda entry: (
                bool(entry["parameters"]),
                SCALE_ORDER.index(entry["scale"]),
            ),
        )
