"""The project whose notebooks are reported: its folders, the inputs of its results, the lock of a folder of reports."""

import contextlib
import hashlib
import json
import os
import platform
from dataclasses import dataclass
from pathlib import Path

from ..core.files import PACKAGE, project_root, read_json
from ..datasets import registry

# folder of what `make claims` measured, beside those of the notebooks
EXPERIMENTS = "experiments"
# files that pages depend on
INPUTS = {".py", ".js", ".toml", ".css", ".html", ".mplstyle", ".lock"}


class Usage(ValueError):
    """A request that cannot be met; the message is the one line that the user sees."""


@dataclass(frozen=True)
class Project:
    """The folder of the notebooks and that of the project.

    `root` is None where nothing is written back: for a wheel, and for any folder not
    called ``notebooks``.
    """

    notebooks: Path
    root: Path | None

    @classmethod
    def find(cls, notebooks=None):
        """The folder given, else the project that the package stands in, else the notebooks in the wheel."""
        if notebooks is not None:
            if not Path(notebooks).is_dir():
                raise Usage(
                    f"--notebooks must be a folder; there is none at {notebooks}."
                )
            folder = Path(notebooks).resolve()
            return cls(folder, folder.parent if folder.name == "notebooks" else None)
        root = project_root()
        if root and (root / "notebooks").is_dir():
            return cls(root / "notebooks", root)
        return cls(PACKAGE / "notebooks", None)

    @property
    def reports(self):
        """Where the pages go by default: for other folders of notebooks into these, not over those of a project."""
        wheel = self.notebooks == PACKAGE / "notebooks"
        return (self.root or (Path.cwd() if wheel else self.notebooks)) / "reports"

    @property
    def has_claims(self):
        """Whether there is a ledger to hold the notebooks against: that of the project, not for those of a user."""
        return self.notebooks.name == "notebooks" and (
            self.ledger.is_file() or self.has_experiments
        )

    @property
    def figures(self):
        return (self.root or PACKAGE) / "figures"

    @property
    def ledger(self):
        return self.figures / "claims.json"

    @property
    def has_experiments(self):
        return bool(
            self.root and list((self.root / "tests" / "claims").glob("test_*.py"))
        )

    def select(self, wanted):
        """Paths of the notebooks asked for by number, name or file; all of them for an empty list."""
        paths = sorted(self.notebooks.glob("*.ipynb"))
        if not paths:
            raise Usage(f"There are no notebooks in {self.notebooks}.")
        chosen = set()
        for word in wanted:
            stem = Path(word).name.removesuffix(".ipynb")
            fits = {
                p
                for p in paths
                if p.stem == stem or p.stem.startswith(f"{stem.zfill(2)}_")
            }
            if not fits:
                raise Usage(
                    f"There is no notebook {word!r}; there are:"
                    f" {', '.join(p.stem for p in paths)}."
                )
            chosen |= fits
        return sorted(chosen) or paths


def shared_inputs(project):
    """What every notebook depends on: the package, the lock, the interpreter, the data, stored results."""
    parts = [platform.python_version()]
    for path in [
        *sorted(PACKAGE.rglob("*")),
        project.notebooks.parent / "requirements.lock",
    ]:
        if path.suffix in INPUTS and path.is_file():
            parts.append((path.name, path.read_text(encoding="utf-8")))
    stored = read_json(project.ledger)
    parts.append(
        {
            id: [entry.get("verdict"), entry.get("measured")]
            for id, entry in stored.items()
        }
    )
    try:
        folders = [
            *registry.data_folders(),
            registry.shipped_folder(),
            registry.cache_folder(),
        ]
    except ValueError as error:
        raise Usage(str(error)) from None
    found = (
        path
        for folder in folders
        for path in sorted(folder.glob("*"))
        if path.is_file()
    )
    return [
        *parts,
        *((path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in found),
    ]


def digest(*parts):
    return hashlib.sha256(
        json.dumps(parts, sort_keys=True, default=str).encode()
    ).hexdigest()


@contextlib.contextmanager
def only_one(folder):
    """Make a folder of reports and hold its lock, or raise `Usage`; it goes with the process, however that ends."""
    import fcntl

    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = open(folder / ".lock", "a+", encoding="utf-8")
    except OSError as error:
        raise Usage(
            f"The reports cannot be written to {folder}: {error.strerror}. Use --out"
            " DIR."
        ) from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            at = f"Another run (process {lock.read().strip()}) is writing to {folder}"
            raise Usage(f"{at}. Wait for its end, stop it, or use --out DIR.") from None
        lock.truncate(0)
        print(os.getpid(), file=lock, flush=True)
        yield
