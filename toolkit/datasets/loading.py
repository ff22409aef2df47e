"""Load a data set by name: from folders, shipped files, the cache, scikit-learn, or a download."""

import hashlib

import numpy as np
import scipy.sparse
from sklearn import datasets as sklearn_datasets
from sklearn.utils import Bunch

from .download import download
from .files import cache_folder, data_folders, find
from .registry import DatasetDamaged, DatasetUnavailable, entry, registry


def load(name):
    """Load a data set.

    It is looked for in the folders of ``$TOOLKIT_DATA``, among the shipped files and in
    the user's cache, and then downloaded if address and checksum are known.

    Parameters
    ----------
    name : str, one of :func:`list_datasets`

    Returns
    -------
    sklearn.utils.Bunch
        ``data`` (n, d), sparse for medical, similarities (n, n) for similarity sets;
        ``target`` (n,) with classes 0 ... c-1 or real values, or (n, l) 0/1;
        ``feature_names``, ``target_names``, ``is_test`` where there is an official
        split, ``DESCR``, and what else the set has (``view``, ``image_shape``,
        ``wavelength_nm``, ``n_train`` ...). The arrays are read-only.

    Raises
    ------
    ValueError
        If the name is unknown or ``$TOOLKIT_DATA`` names a missing folder.
    DatasetUnavailable
        If the data are unavailable; says where to get them and where to put them.
    DatasetDamaged
        If the file that was found is not what it should be.

    Examples
    --------
    >>> load("landsat").data.shape
    (6435, 36)
    """
    what, path = entry(name), fetch(name)
    if path is None:
        bunch = getattr(sklearn_datasets, f"load_{name}")()
        bunch.name = name
        bunch.setdefault("target_names", np.array(["target"]))
        return freeze(bunch)
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {key: file[key] for key in file.files}
        return freeze(_bunch(what, arrays))
    except Exception as error:
        # zip, zlib, tokenize, numpy: what a damaged file makes them raise is no closed
        # list
        raise DatasetDamaged(
            f"{path} cannot be read as the data set {name}: {error}. Replace it."
        ) from error


def _bunch(what, arrays):
    """The Bunch of a file's arrays; ValueError or KeyError if they are not what the registry promises."""
    bunch = Bunch(DESCR=what.description, name=what.name)
    if "X_data" in arrays:
        parts = (
            arrays["X_data"].astype(float),
            arrays["X_indices"],
            arrays["X_indptr"],
        )
        bunch.data = scipy.sparse.csr_matrix(parts, shape=tuple(arrays["X_shape"]))
    else:
        data = next(arrays[key] for key in ("S", "x", "X") if key in arrays).astype(
            float
        )
        bunch.data = data.reshape(-1) if what.kind == "series" else data / what.scale
    if what.sparse:
        bunch.data = scipy.sparse.csr_matrix(bunch.data)
    if what.missing:
        bunch.data[bunch.data < 0] = np.nan
    if what.kind != "series":
        _add_target(bunch, what, arrays)
    numbers = (
        ("n_train", "n_test", "realisation", "train_idx", "test_idx")
        if what.split_numbers
        else ()
    )
    for key in sorted(arrays.keys() & {"feature_names", *what.keys, *numbers}):
        array = arrays[key].astype(int) if key in numbers else arrays[key]
        bunch[key] = array if array.ndim else array.item()
    if "is_test" in arrays:
        bunch.is_test = _flags(arrays["is_test"], "marks of the test part").astype(bool)
    if "part" in arrays:
        bunch.is_test = arrays["part"] == 2
    _check_form(bunch, what)
    return bunch


def _add_target(bunch, what, arrays):
    names = arrays.get("target_names", np.array(["target"]))
    if what.kind == "multilabel":
        bunch.target = _flags(arrays["Y"], "labels").astype(np.int64)
    elif what.kind == "regression":
        column = (
            arrays["Y"][:, list(names).index(what.column)]
            if what.column
            else arrays["y"]
        )
        bunch.target = column.astype(float)
    else:
        codes, bunch.target, sizes = np.unique(
            arrays["y"], return_inverse=True, return_counts=True
        )
        names = arrays.get("target_names", codes.astype(str))
        if what.least_class_size > 1:
            kept = np.flatnonzero(sizes >= what.least_class_size)
            rows = np.isin(bunch.target, kept)
            bunch.data, names = bunch.data[rows], names[kept]
            bunch.target = np.searchsorted(kept, bunch.target[rows])
    bunch.target_names = names


def _flags(values, words):
    if values.dtype.kind not in "biuf" or not np.isin(values, (0, 1)).all():
        raise ValueError(f"the {words} hold values other than 0 and 1")
    return values


def _check_form(bunch, what):
    if not what.about and bunch.data.shape != what.shape:
        raise ValueError(
            f"the data have shape {bunch.data.shape}, expected {what.shape}"
        )
    if what.kind != "series" and len(bunch.target) != bunch.data.shape[0]:
        raise ValueError(
            f"there are {len(bunch.target)} targets for {bunch.data.shape[0]} rows"
        )
    if what.n_targets and what.kind != "regression":
        found = (
            bunch.target.shape[1]
            if what.kind == "multilabel"
            else bunch.target.max() + 1
        )
        if found != what.n_targets:
            noun = "labels" if what.kind == "multilabel" else "classes"
            raise ValueError(f"there are {found} {noun}, expected {what.n_targets}")
    if not what.missing and not np.isfinite(_parts(bunch.data)[0]).all():
        raise ValueError("the data hold NaN or infinity")


def freeze(bunch):
    """Make the arrays of a Bunch read-only: code that writes into its input fails at once."""
    for value in bunch.values():
        for array in _parts(value):
            if isinstance(array, np.ndarray):
                array.flags.writeable = False
    return bunch


def _parts(value):
    """The arrays of a sparse matrix; any other value alone."""
    return (
        [value.data, value.indices, value.indptr]
        if scipy.sparse.issparse(value)
        else [value]
    )


def list_datasets():
    """Names of all known sets, and where each is available.

    Returns
    -------
    list of dict with ``name``, ``status`` ("scikit-learn", "folder", "shipped",
    "cached", "downloadable", "missing" or "bad: ..."), ``shape``, ``kind``,
    ``licence``, ``title``

    Examples
    --------
    >>> [row["status"] for row in list_datasets() if row["name"] == "iris"]
    ['scikit-learn']
    """
    rows = []
    for what in registry().values():
        row = {
            key: getattr(what, key)
            for key in ("name", "shape", "kind", "licence", "title")
        }
        try:
            found = "scikit-learn" if what.sklearn else find(what)[1]
            row["status"] = found or ("downloadable" if what.parts else "missing")
        except DatasetUnavailable as error:
            row["status"] = f"bad: {error}"
        rows.append(row)
    return rows


def fetch(name):
    """Path of the file of a set, downloaded if need be; None for scikit-learn's own.

    Parameters
    ----------
    name : str, one of :func:`list_datasets`

    Raises
    ------
    DatasetUnavailable

    Examples
    --------
    >>> fetch("landsat").name
    'landsat.npz'
    """
    what = entry(name)
    if what.sklearn:
        return None
    path, _ = find(what)
    if path is None and what.parts:
        path = download(what)
    if path is None:
        folders = f" ({', '.join(map(str, data_folders()))})" if data_folders() else ""
        remedy = (
            f"Put the file into a folder named by TOOLKIT_DATA{folders} or into"
            f" {cache_folder()}"
        )
        raise DatasetUnavailable(
            f"{what.file} is not available locally.\nIts source: {what.source}."
            f" {remedy}."
        )
    return path


def verify():
    """Load every set that is available locally and report on each.

    Returns
    -------
    list of (name, status, problem); the problem is "" where all is well

    Examples
    --------
    >>> [problem for name, _, problem in verify() if name == "iris"]
    ['']
    """
    rows = []
    for row in list_datasets():
        status, problem = row["status"].partition(":")[0], ""
        if status in ("missing", "downloadable"):
            continue
        try:
            load(row["name"])
        except (DatasetUnavailable, ValueError) as error:
            problem = str(error)
        rows.append((row["name"], status, problem))
    return rows


def checksums(name):
    """SHA-256 of the arrays that `load(name)` gives, whichever file they came from.

    Examples
    --------
    >>> len(checksums("iris"))
    64
    """
    bunch, digest = load(name), hashlib.sha256()
    for array in [*_parts(bunch.data), bunch.get("target", np.empty(0))]:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
