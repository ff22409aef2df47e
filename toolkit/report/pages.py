"""The folder of reports: file names per run, outcome of the last run, and which of its results are kept.

A run is a notebook at a scale with parameters, and has files of its own: a quick run never replaces the page of a
whole one. A run that failed never replaces what the same run left when it went well.
"""

import hashlib
import json
import os
import re
import shutil
from pathlib import Path

from ..claims.files import read_json, write_bytes, write_text
from .neighbours import linked, unlinked
from .project import digest

__all__ = ["Pages", "run_name"]

SCALE_ORDER = ("default", "paper", "quick")  # in which the index lists the pages of a notebook


def run_name(name, scale="default", parameters=None):
    """Stem of the files of a run: the notebook's name, and what was other than usual."""
    parts = [name] if scale == "default" else [name, scale]
    if parameters:
        told = "_".join(f"{key}-{value!r}" for key, value in sorted(parameters.items()))
        safe = re.sub(r"[^\w.-]+", "", told, flags=re.ASCII)
        parts.append(safe if safe == told and len(safe) <= 60 else f"{safe[:60]}-{digest(told)[:8]}")
    return ".".join(parts)


class Pages:
    """The folder `out` of reports, and what is known of each run by its name.

    An entry of `runs` has ``name``, ``scale``, ``parameters``; of the last run ``digest``, ``ok``, ``error``; of the
    page that is kept ``seconds``, ``processor``, ``steps``, ``substituted`` and ``files`` (digests of its files).
    """

    def __init__(self, out):
        self.out = out
        found = read_json(out / ".state.json").get("runs")
        whole = {"name", "scale", "parameters", "digest", "ok", "error"}  # what another version left is as nothing
        found = found.items() if isinstance(found, dict) else ()
        self.runs = {run: entry for run, entry in found if isinstance(entry, dict) and whole <= set(entry)}

    def page(self, run, failed=False):
        return self.out / f"{run}{'.failed' * failed}.html"

    def executed(self, run, failed=False):
        return self.out / "notebooks" / f"{run}{'.failed' * failed}.ipynb"

    def left(self, kind, run):
        """Folder of the claims or figures that a run left."""
        return self.out / kind / run

    def is_current(self, run, inputs):
        """Whether the last run went well on these inputs and its files are as it left them."""
        entry = self.runs.get(run, {})
        return bool(entry.get("ok")) and entry["digest"] == inputs and entry["files"] == self._files(run)

    def keep(self, run, about, outcome, folder, page, substituted=()):
        """Keep what a run `about` (name, scale, parameters, digest) left in `folder`, and its page (text, or None)."""
        failed = not outcome.ok
        self.page(run, failed=True).unlink(missing_ok=True)
        self.executed(run, failed=True).unlink(missing_ok=True)
        if page is not None:
            write_text(self.page(run, failed), page)
        if (folder / "executed.ipynb").is_file():
            self.executed(run).parent.mkdir(exist_ok=True)
            os.replace(folder / "executed.ipynb", self.executed(run, failed))
        entry = {**self.runs.get(run, {}), **about} if failed else dict(about)
        entry |= {"ok": outcome.ok, "error": outcome.error}
        if outcome.ok:
            # Claims measured with other parameters are no measurement of the claim; the page shows them.
            for kind in ("figures",) if about["parameters"] else ("claims", "figures"):
                shutil.rmtree(self.left(kind, run), ignore_errors=True)
                if any((folder / kind).iterdir()):
                    (self.out / kind).mkdir(exist_ok=True)
                    shutil.move(folder / kind, self.left(kind, run))
            entry |= {"seconds": round(outcome.seconds, 1), "processor": round(outcome.processor, 1)}
            entry |= {"substituted": list(substituted), "steps": [round(step, 1) for step in outcome.steps]}
            entry["files"] = self._files(run)
        self.runs[run] = entry
        write_text(self.out / ".state.json", json.dumps({"runs": self.runs}, indent=1))

    def of(self, name):
        """The runs of a notebook as the index lists them: those with a page, and those that failed."""
        found = [(run, entry) for run, entry in self.runs.items() if entry["name"] == name]
        found.sort(key=lambda pair: (bool(pair[1]["parameters"]), SCALE_ORDER.index(pair[1]["scale"]), pair[0]))
        listed = []
        for run, entry in found:
            paths = {"page": self.page(run), "failed_page": self.page(run, failed=True)}
            listed.append(entry | {kind: path.name if path.is_file() else None for kind, path in paths.items()})
        return [entry for entry in listed if entry["page"] or not entry["ok"]]

    def link(self, titles):
        """Let each page lead to the nearest notebooks before and after it, in the order of `titles`, that have a page.

        Of several pages of a notebook to that of the same scale, if there is one.
        """
        names = list(titles)
        listed = {name: [entry for entry in self.of(name) if entry["page"]] for name in names}

        def nearest(others, scale):
            name = next((name for name in others if listed[name]), None)
            if name is None:
                return None
            return min(listed[name], key=lambda entry: entry["scale"] != scale)["page"], titles[name]

        for run, entry in self.runs.items():
            if (name := entry["name"]) not in titles:
                continue
            earlier, later = reversed(names[: names.index(name)]), names[names.index(name) + 1 :]
            before, after = nearest(earlier, entry["scale"]), nearest(later, entry["scale"])
            for path in filter(Path.is_file, (self.page(run), self.page(run, failed=True))):
                page = path.read_bytes()
                if (renewed := linked(page, before, after)) != page:
                    write_bytes(path, renewed)

    def _files(self, run):
        """A page that is missing, altered or cut has another digest, and so is made anew."""
        paths = (self.page(run), self.executed(run))
        return [hashlib.sha256(unlinked(p.read_bytes())).hexdigest() if p.is_file() else None for p in paths]
