"""`load`: a name becomes arrays; and what is at hand under which name."""

import hashlib

import numpy as np
from sklearn import datasets as sklearn_datasets

from .download import download
from .files import cache_folder, data_folders, find, sha256_of
from .forms import freeze, read
from .registry import DatasetDamaged, DatasetUnavailable, entry, registry

__all__ = ["checksums", "describe", "fetch", "list_datasets", "load", "verify"]


def load(name):
    """Load a data set.

    Looks into the folders of ``$TOOLKIT_DATA``, among the shipped files and into the user's cache, and then
    downloads the set if address and checksum are known.

    Parameters
    ----------
    name : str
        One of those in `list_datasets`.

    Returns
    -------
    sklearn.utils.Bunch
        ``data`` (n, d): sparse for medical, similarities (n, n) for similarity sets, a series (n,). ``target``:
        classes 0 ... c-1 in the order of the archive's codes, real values (n,), or 0/1 labels (n, l); a series has
        none. ``target_names``, ``feature_names``, ``DESCR``; ``is_test`` (n,) where there is an official split;
        and what else a set has (``view``, ``image_shape``, ``wavelength_nm``, ``part``, ``n_train``, ``n_test``,
        ``train_idx``, ``test_idx``, ``realisation``). The arrays are read-only.

    Raises
    ------
    ValueError
        If the name is unknown or ``$TOOLKIT_DATA`` names a missing folder.
    DatasetUnavailable
        If the data cannot be had; says where to get them and where to put them.
    DatasetDamaged
        If a file is there that is not the right one or cannot be read.

    Examples
    --------
    >>> bunch = load("landsat")
    >>> bunch.data.shape, bunch.target.max(), bunch.is_test.sum()
    ((6435, 36), np.int64(5), np.int64(2000))
    """
    what = entry(name)
    return _from_sklearn(what) if what.sklearn else read(fetch(name), what)


def _from_sklearn(what):
    bunch = getattr(sklearn_datasets, f"load_{what.name}")()
    bunch.name = what.name
    bunch.feature_names = np.asarray(bunch.feature_names)
    if what.kind == "regression":
        bunch.target_names = np.array(["target"])
    return freeze(bunch)


def fetch(name):
    """Path of the file of a set, downloaded if need be; None for scikit-learn's own.

    Raises
    ------
    ValueError, DatasetUnavailable, DatasetDamaged
        As for `load`.

    Examples
    --------
    >>> fetch("boston").name
    'boston.npz'
    """
    what = entry(name)
    if what.sklearn:
        return None
    path, _ = find(what)
    if path:
        return path
    if what.parts:
        return download(what)
    folders = "".join(f" ({folder})" for folder in data_folders())
    raise DatasetUnavailable(
        f"{what.file} is not at hand. Get it from {what.source} and put it into a folder named by "
        f"TOOLKIT_DATA{folders} or into {cache_folder()}."
    )


def list_datasets():
    """All known sets, and what is at hand of each.

    Returns
    -------
    list of dict
        With ``name``, ``status`` ("scikit-learn", "found" in a folder of ``$TOOLKIT_DATA``, "shipped", "cached",
        "downloadable", "missing" or "damaged"), ``problem`` (a text where it is damaged), ``shape``, ``kind``,
        ``licence`` and ``title``.

    Examples
    --------
    >>> [row["status"] for row in list_datasets() if row["name"] == "iris"]
    ['scikit-learn']
    """
    return [_row(what) for what in registry().values()]


def _row(what):
    problem = ""
    try:
        status = "scikit-learn" if what.sklearn else find(what)[1]
    except DatasetDamaged as error:
        status, problem = "damaged", str(error)
    status = status or ("downloadable" if what.parts else "missing")
    about = {"shape": what.shape, "kind": what.kind, "licence": what.licence, "title": what.title}
    return {"name": what.name, "status": status, "problem": problem} | about


def verify():
    """Load every set that is at hand, which checks its checksum and its form.

    Returns
    -------
    list of (name, status, problem)
        The problem is "" where all is well.

    Examples
    --------
    >>> [row for row in verify() if row[0] == "votes"][0][2]
    ''
    """
    rows = []
    for row in list_datasets():
        if row["status"] in ("missing", "downloadable"):
            continue
        problem = row["problem"]
        try:
            if not problem:
                load(row["name"])
        except DatasetDamaged as error:
            problem = str(error)
        rows.append((row["name"], "damaged" if problem else row["status"], problem))
    return rows


def checksums(name):
    """SHA-256 that tells which data `load` returns on this machine.

    It is that of the registered file, also where a download has packed the same arrays anew; of the file that was
    found where none is registered; and of the arrays for scikit-learn's own sets. Nothing is downloaded.

    Raises
    ------
    ValueError, DatasetUnavailable, DatasetDamaged
        As for `load`.

    Examples
    --------
    >>> checksums("votes")[:12]
    '4553b98566bd'
    """
    what = entry(name)
    if what.sklearn:
        bunch = load(name)
        arrays = np.ascontiguousarray(bunch.data), np.ascontiguousarray(bunch.target)
        return hashlib.sha256(b"".join(array.tobytes() for array in arrays)).hexdigest()
    path, _ = find(what)
    if path is None:
        raise DatasetUnavailable(f"{what.file} is not at hand; `fetch({name!r})` says how to get it.")
    return what.sha256 or sha256_of(path)


def describe(name):
    """Title, licence, citation, source and caveats of a set, as text.

    Examples
    --------
    >>> print(describe("votes").splitlines()[0])
    Votes of the House of Representatives 1984, by party
    """
    return entry(name).description
