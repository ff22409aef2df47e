"""Download data sets: every part is checked by its checksum before use, and a set is cached whole or not at all."""

import os
import tempfile
from pathlib import Path

import numpy as np

from .arff import arff_rows
from .files import cache_folder, note_of, sha256_of
from .registry import DatasetUnavailable


def download(entry):
    """Path of the cached .npz of a set, its parts fetched and converted; where that fails the cache is as before."""
    target = cache_folder() / entry.file
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(
            prefix=f".{entry.name}-", dir=target.parent
        ) as work:
            files = [
                _fetch(entry, address, checksum, Path(work))
                for address, checksum in entry.parts
            ]
            part = Path(work) / entry.file
            np.savez_compressed(part, **_convert(files, entry.n_targets))
            note_of(part).write_text(sha256_of(part), encoding="ascii")
            # first: if the next step never comes, it belongs to no file
            os.replace(note_of(part), note_of(target))
            os.replace(part, target)
    except DatasetUnavailable:
        raise
    except OSError as error:
        remedy = "Set TOOLKIT_CACHE to a folder that can be written."
        raise DatasetUnavailable(
            f"{entry.file} cannot be cached.\n{error}. {remedy}"
        ) from error
    return target


def _fetch(entry, address, checksum, folder):
    try:
        import pooch
    except ImportError:
        remedy = (
            f'pip install -e ".[data]" in the clone; or put {entry.file} into a folder'
            " named by TOOLKIT_DATA."
        )
        raise DatasetUnavailable(
            f"Downloading {entry.name} needs pooch: {remedy}"
        ) from None
    name, downloader = address.rsplit("/", 1)[-1], pooch.HTTPDownloader(timeout=20)
    try:
        return pooch.retrieve(
            address,
            f"sha256:{checksum}",
            path=folder,
            fname=name,
            downloader=downloader,
        )
    except Exception as error:
        # pooch, requests and urllib3 raise many kinds; the user needs one answer
        raise DatasetUnavailable(
            f"{name} of the data set {entry.name} could not be downloaded"
            f" ({type(error).__name__}).\nAddress {address}, expected SHA-256"
            f" {checksum}: {error}\nNothing was kept. Try again later, or get the set"
            f" from {entry.source} and put {entry.file} into a folder named by"
            f" TOOLKIT_DATA or into {cache_folder()}."
        ) from error


def _convert(files, n_labels):
    """Arrays of a set from its ARFF parts (training, test), in the form that `load` reads."""
    names, blocks = zip(*map(read_arff, files), strict=True)
    names, table = np.array(names[-1]), np.vstack(blocks)
    return {
        "X": table[:, :-n_labels].astype(np.float32),
        "Y": table[:, -n_labels:].astype(np.uint8),
        "feature_names": names[:-n_labels],
        "target_names": names[-n_labels:],
        "is_test": np.repeat([0, 1], [*map(len, blocks)]).astype(np.uint8),
    }


def read_arff(path):
    """Attribute names and numbers (n_rows, n_attributes) of an ARFF file, numeric and 0/1 only."""
    with open(path, encoding="utf-8") as lines:
        names, _, rows = arff_rows(lines)
    table = np.empty((len(rows), len(names)))
    for i, (number, row) in enumerate(rows):
        try:
            table[i] = np.array(row, dtype=float).reshape(len(names))
        except ValueError as error:
            what = (
                f"{Path(path).name}, line {number}, is not a row of {len(names)}"
                " numbers"
            )
            raise ValueError(f"{what}: {error}") from None
    return names, table
