"""Finished parts of a long loop, kept in a folder: run again, the loop goes on where it ended.

A part is a file of arrays, written by this process as soon as a worker has returned it. The checksums are those of its
format (zip): a file that was cut off or altered is computed anew.
"""

import os
import zipfile
from pathlib import Path

import joblib
import numpy as np

from .parallel import results

__all__ = ["kept_results"]


def kept_results(tasks, checkpoint=None, about=None, n_jobs=None, prefer=None, compute=results):
    """As `toolkit.core.parallel.results`, of tasks that return an array or a tuple of them; parts on disk are read.

    Parameters
    ----------
    tasks : iterable of `joblib.delayed` calls; the same ones, in the same order, each time
    checkpoint : path, optional
        Folder of the parts, which is made; None keeps nothing.
    about : anything that joblib can hash
        What the parts follow from, such as data and settings; a folder that holds parts of something else is refused.
    n_jobs, prefer : as for `results`
    compute : callable (tasks, n_jobs, prefer) -> results in order, as they come

    Examples
    --------
    >>> import tempfile
    >>> from joblib import delayed
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     first = list(kept_results([delayed(np.arange)(2), delayed(np.ones)(1)], folder, about="two arrays"))
    ...     again = list(kept_results([None, None], folder, about="two arrays"))  # nothing is left to do
    >>> again
    [array([0, 1]), array([1.])]
    """
    if checkpoint is None:
        yield from compute(tasks, n_jobs, prefer)
        return
    folder, tasks = _folder(checkpoint, joblib.hash(about)), list(tasks)
    files = [folder / f"{number:06d}.npz" for number in range(len(tasks))]
    missing = {number for number, file in enumerate(files) if _read(file) is None}
    computed = compute((tasks[number] for number in sorted(missing)), n_jobs, prefer)
    for number, file in enumerate(files):
        if number in missing:
            part = next(computed)
            _write(file, part)
        else:
            part = _read(file)
        yield part


def _folder(checkpoint, digest):
    """The folder, made where there is none; refused where it holds parts of something else."""
    folder = Path(checkpoint)
    mark = folder / "about.txt"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not mark.exists() and any(folder.iterdir()):
            raise ValueError(f"`checkpoint` must be a new or empty folder, or one that this wrote; got {checkpoint}.")
        if mark.exists() and mark.read_text(encoding="ascii") != digest:
            rule = "the folder of a run with the same data and settings, or a new one"
            raise ValueError(f"`checkpoint` must be {rule}; {checkpoint} holds parts of another computation.")
        mark.write_text(digest, encoding="ascii")
    except OSError as error:
        raise ValueError(f"`checkpoint` must be a folder to write to; got {checkpoint} ({error.strerror}).") from None
    return folder


def _write(file, part):
    """In one go: a reader finds all of it or nothing."""
    unfinished = file.with_suffix(".part")
    alone = not isinstance(part, tuple)
    with open(unfinished, "wb") as stream:
        np.savez(stream, *([part] if alone else part), alone=np.array(alone))
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(unfinished, file)


def _read(file):
    """The part, None where the file is missing or not whole."""
    try:
        with np.load(file, allow_pickle=False) as parts:
            arrays = tuple(parts[f"arr_{number}"] for number in range(len(parts.files) - 1))
            return arrays[0] if parts["alone"] else arrays
    except (OSError, EOFError, KeyError, ValueError, zipfile.BadZipFile):
        return None
