"""The folders of the notebooks, and of their reports with the last run of each.

A run is a notebook at a scale with parameters, and has separate files: a quick run
never replaces the page of a complete one. A run that failed never replaces what the
same run left when it went well.
"""

import contextlib
import json
import platform
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from ..core import PACKAGE, did_you_mean, project_root, read_json, write_text
from ..core import digest as digest_of_texts
from ..datasets import registry
from .stored import substituted, write_notebook

# The state that another version left is not read.
STATE_FILE = ".state-4.json"
# Files that pages depend on.
INPUT_SUFFIXES = {
    ".py",
    ".js",
    ".toml",
    ".css",
    ".html",
    ".mplstyle",
    ".lock",
    ".json",
}


@dataclass(frozen=True, kw_only=True)
class Project:
    """The folder of the notebooks and that of the project.

    `root` is None where nothing is written back: for a wheel, and for any folder not
    called ``notebooks``.
    """

    notebooks: Path
    root: Path | None

    @classmethod
    def find(cls, notebooks=None):
        """Of the folder given, else of the project, else the notebooks in the wheel."""
        if notebooks is None:
            notebooks = (project_root() or PACKAGE) / "notebooks"
        folder = Path(notebooks).resolve()
        if not folder.is_dir():
            raise ValueError(
                f"--notebooks must be a folder; there is none at {notebooks}."
            )
        is_own = folder.name == "notebooks" and folder.parent != PACKAGE
        root = None
        if is_own:
            root = folder.parent
        return cls(notebooks=folder, root=root)

    @property
    def reports(self):
        """Where the pages go by default.

        For other folders of notebooks into these, not over those of a project.
        """
        in_wheel = self.notebooks == PACKAGE / "notebooks"
        if self.root:
            return self.root / "reports"
        if in_wheel:
            return Path.cwd() / "reports"
        return self.notebooks / "reports"

    @property
    def has_claims(self):
        """Whether the notebooks have a ledger: those of the project, not of a user."""
        return self.notebooks.name == "notebooks" and self.ledger.is_file()

    @property
    def ledger(self):
        root = self.root or PACKAGE
        return root / "figures" / "claims.json"

    def select(self, wanted):
        """Paths of the notebooks by number, name or file; of all for an empty list."""
        paths = sorted(self.notebooks.glob("*.ipynb"))
        if not paths:
            raise ValueError(f"There are no notebooks in {self.notebooks}.")
        chosen = set()
        for word in wanted:
            stem = Path(word).name.removesuffix(".ipynb")
            number = f"{stem.zfill(2)}_"
            matching = []
            for path in paths:
                if path.stem == stem or path.stem.startswith(number):
                    matching.append(path)
            if not matching:
                stems = [path.stem for path in paths]
                raise ValueError(
                    f"There is no notebook {word!r}; there are: {', '.join(stems)}."
                    + did_you_mean(stem, stems)
                )
            chosen.update(matching)
        return sorted(chosen) or paths


def shared_inputs(project):
    """What every notebook depends on.

    The package, the lock, the ledger, the interpreter, the data.
    """
    files = sorted(PACKAGE.rglob("*"))
    files.append(project.notebooks.parent / "requirements.lock")
    files.append(project.ledger)
    texts = []
    for path in files:
        if path.suffix in INPUT_SUFFIXES and path.is_file():
            texts.append((path.name, path.read_text("utf-8")))
    data_files = []
    for folder, _ in registry.places():
        for path in sorted(folder.glob("*")):
            if path.is_file():
                stat = path.stat()
                data_files.append((path.name, stat.st_size, stat.st_mtime_ns))
    return [platform.python_version(), texts, data_files]


def digest(*parts):
    return digest_of_texts(repr(parts))


@contextlib.contextmanager
def exclusive_lock(folder):
    """Make a folder of reports and hold its lock, or raise a ValueError.

    The lock ends with the process, however that ends.
    """
    import fcntl

    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / ".lock", "wb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ValueError(
                f"Another run is writing to {folder}. Wait for its end, stop it, or use"
                " --out DIR."
            ) from None
        yield


def run_name(name, scale, parameters):
    """Stem of the files of a run: the notebook's name, and its unusual settings."""
    parts = [name]
    if scale != "default":
        parts.append(scale)
    if parameters:
        settings = [f"{key}-{parameters[key]!r}" for key in sorted(parameters)]
        text = "_".join(settings)
        safe = re.sub(r"[^\w.-]+", "", text, flags=re.ASCII)[:60]
        if safe != text:
            safe += f"-{digest(text)[:8]}"
        parts.append(safe)
    return ".".join(parts)


class Pages:
    """The folder `out` of reports, and what is known of each run by its name.

    An entry of `runs` has ``name``, ``scale``, ``parameters``; of the last run
    ``digest``, ``ok``, ``error``; of the last that went well ``seconds`` and
    ``substituted``.
    """

    def __init__(self, out):
        self.out = out
        self.runs = read_json(out / STATE_FILE)

    def page(self, stem):
        return self.out / f"{stem}.html"

    def notebook(self, stem):
        return self.out / "notebooks" / f"{stem}.ipynb"

    def figures(self, stem):
        """Folder of the figures that a run left.

        `stem` is that of the names of its files.
        """
        return self.out / "figures" / stem

    def entry(self, run):
        """What is known of the last run of an `Execution`."""
        return self.runs.get(run.stem, {"ok": False})

    def is_current(self, run):
        """Whether the last run went well on these inputs and its page is there."""
        entry = self.entry(run)
        return (
            entry["ok"]
            and entry["digest"] == run.digest
            and self.page(run.stem).is_file()
        )

    def keep(self, run, page, **about):
        """Keep the `page` of an `Execution`, its notebook, and what its kernel left.

        `page` is text; `about` are scale and parameters. Of a run that failed only the
        error is kept.
        """
        stem = run.stem
        # The entry of a run that failed keeps what the last good one left.
        entry = self.runs.setdefault(stem, {})
        entry |= about | {
            "name": run.name,
            "digest": run.digest,
            "ok": not run.error,
            "error": run.error,
        }
        if not run.error:
            write_text(self.page(stem), page)
            self.notebook(stem).parent.mkdir(exist_ok=True)
            write_notebook(self.notebook(stem), run.nb)
            shutil.rmtree(self.figures(stem), ignore_errors=True)
            self.figures(stem).parent.mkdir(exist_ok=True)
            shutil.move(run.environment["TOOLKIT_FIGURES"], self.figures(stem))
            entry["seconds"] = round(run.nb.metadata.papermill["duration"], 1)
            entry["substituted"] = substituted(run.nb)
        write_text(self.out / STATE_FILE, json.dumps(self.runs, indent=1))

    def of(self, name):
        """The runs of a notebook in the index: those with a page, those that failed.

        They are dicts: entries of the state, with the file of the `page`, or False.
        """
        runs = []
        for stem, entry in sorted(self.runs.items()):
            has_page = self.page(stem).is_file()
            if entry["name"] == name and (has_page or not entry["ok"]):
                page = False
                if has_page:
                    page = f"{stem}.html"
                runs.append(entry | {"page": page})
        return runs
