"""Load a data set by name: from a folder, the cache, scikit-learn, or a download.

The command `data` lists, fetches and verifies them.

Here `data_set` is an `Entry` of the registry, `arrays` holds those of its file by name.
"""

import hashlib

import numpy as np
from scipy import sparse
from sklearn import datasets as sklearn_datasets
from sklearn.utils import Bunch

from .download import download, host_of, hosts_that_answer
from .registry import (
    DatasetDamaged,
    DatasetUnavailable,
    cache_folder,
    entry,
    find,
    registry,
)

# Official sizes and row numbers of a split, where a set has them.
SPLIT_NUMBERS = {"n_train", "n_test", "realisation", "train_idx", "test_idx"}


def load(name):
    """Load a data set.

    It is searched for in the folders of ``$TOOLKIT_DATA``, among the shipped files and
    in the user's cache, and then downloaded if address and checksum are known.

    Parameters
    ----------
    name : str
        One of :func:`list_datasets`.

    Returns
    -------
    bunch : sklearn.utils.Bunch
        ``data`` (n, d), sparse for medical, similarities (n, n) for similarity sets;
        ``target`` (n,) with classes 0 ... c-1 or real values, or (n, l) 0/1;
        ``feature_names``, ``target_names``, ``is_test`` where there is an official
        split, ``DESCR``, and further fields of the set (``view``, ``image_shape``,
        ``wavelength_nm``, ``n_train`` ...). The arrays are read-only.

    Raises
    ------
    ValueError
        If the name is unknown or ``$TOOLKIT_DATA`` names a missing folder.
    DatasetUnavailable
        If the data are unavailable; the message names the source and the folder for
        the file.
    DatasetDamaged
        If a file differs from its checksum or format.

    Examples
    --------
    >>> load("landsat").data.shape
    (6435, 36)
    """
    data_set = entry(name)
    path = fetch(name)
    if path is None:
        bunch = getattr(sklearn_datasets, f"load_{name}")()
        bunch.name = name
        bunch.setdefault("target_names", np.array(["target"]))
        return freeze(bunch)
    try:
        with np.load(path, allow_pickle=False) as file:
            return freeze(_bunch(data_set, dict(file)))
    except Exception as error:
        # zip, zlib, tokenize, numpy: a damaged file makes them raise many kinds
        raise DatasetDamaged(
            f"{path} cannot be read as the data set {name}: {error}. Replace it."
        ) from error


def _bunch(data_set, arrays):
    """The Bunch of a file's arrays.

    ValueError or KeyError if they are not what the registry promises.
    """
    description = (
        f"{data_set.title}\nLicence: {data_set.licence}.\nCite:"
        f" {data_set.citation}.\nSource: {data_set.source}.\n{data_set.note}"
    )
    bunch = Bunch(
        DESCR=description, name=data_set.name, data=_data(data_set, arrays)
    )
    if data_set.kind in ("classes", "similarity"):
        _number_classes(bunch, data_set, arrays)
    elif data_set.kind != "series":
        bunch.target_names = arrays.get("target_names", np.array(["target"]))
        bunch.target = _target(data_set, arrays)
    further_fields = {"feature_names", *data_set.keys, *SPLIT_NUMBERS}
    for name in sorted(arrays.keys() & further_fields):
        array = arrays[name]
        bunch[name] = array if array.ndim else array.item()
    if "is_test" in arrays:
        bunch.is_test = arrays["is_test"].astype(bool)
    if "part" in arrays:  # 1 training, 2 test
        bunch.is_test = arrays["part"] == 2
    _check_form(bunch, data_set)
    return bunch


def _data(data_set, arrays):
    """Rows (n, d), similarities (n, n) or values of a series (n,)."""
    # The file holds a sparse matrix by its parts, or one array.
    if "X_data" in arrays:
        return sparse.csr_matrix(
            (arrays["X_data"], arrays["X_indices"], arrays["X_indptr"]),
            shape=tuple(arrays["X_shape"]),
            dtype=float,
        )
    names = [name for name in ("S", "x", "X") if name in arrays]
    data = arrays[names[0]].astype(float)
    data /= data_set.scale
    if data_set.missing:
        data[data < 0] = np.nan
    return sparse.csr_matrix(data) if data_set.sparse else data


def _target(data_set, arrays):
    """Labels 0/1 (n, l), or one column of values (n,)."""
    if data_set.kind == "multilabel":
        return arrays["Y"].astype(np.int64)
    if data_set.column:
        column = list(arrays["target_names"]).index(data_set.column)
        return arrays["Y"][:, column].astype(float)
    return arrays["y"].astype(float)


def _number_classes(bunch, data_set, arrays):
    """Classes by number, from 0, without those that have too few rows."""
    codes, target, sizes = np.unique(
        arrays["y"], return_inverse=True, return_counts=True
    )
    large = np.flatnonzero(sizes >= data_set.least_class_size)
    bunch.target = target
    bunch.target_names = arrays.get("target_names", codes.astype(str))
    if len(large) < len(sizes):  # the others are numbered anew
        rows = np.isin(target, large)
        bunch.data = bunch.data[rows]
        bunch.target = np.searchsorted(large, target[rows])
        bunch.target_names = bunch.target_names[large]


def _check_form(bunch, data_set):
    """Refuse a Bunch of other shape or targets than the `Entry` data_set says."""
    shape = bunch.data.shape
    if not data_set.about and shape != data_set.shape:
        raise ValueError(
            f"the data have shape {shape}, expected {data_set.shape}"
        )
    if not data_set.missing and not np.isfinite(_parts(bunch.data)[0]).all():
        raise ValueError("the data hold NaN or infinity")
    if data_set.kind == "series":
        return
    target = bunch.target
    if len(target) != shape[0]:
        raise ValueError(f"there are {len(target)} targets for {shape[0]} rows")
    if data_set.kind == "classes" and target.max() + 1 != data_set.n_targets:
        raise ValueError(
            f"there are {target.max() + 1} classes, expected {data_set.n_targets}"
        )


def freeze(bunch):
    """Make the arrays of a Bunch read-only: code that writes into its input fails."""
    for value in bunch.values():
        for array in _parts(value):
            if isinstance(array, np.ndarray):
                array.flags.writeable = False
    return bunch


def _parts(value):
    """The arrays of a sparse matrix; any other value alone."""
    if sparse.issparse(value):
        return [value.data, value.indices, value.indptr]
    return [value]


def list_datasets():
    """List all known data sets, and where each is available.

    Returns
    -------
    rows : list of dict
        With ``name``, ``status`` ("scikit-learn", "folder", "shipped", "cached",
        "downloadable", "missing" or "bad: ..."), ``shape``, ``kind``, ``licence``,
        ``title`` and the other fields of the registry.

    Examples
    --------
    >>> [row["status"] for row in list_datasets() if row["name"] == "iris"]
    ['scikit-learn']
    """
    rows = []
    for data_set in registry().values():
        rows.append(vars(data_set) | {"status": _status(data_set)})
    return rows


def _status(data_set):
    """Where the file of an `Entry` is, or what is wrong with it, in words."""
    if data_set.sklearn:
        return "scikit-learn"
    try:
        return find(data_set)[1] or (
            "downloadable" if data_set.parts else "missing"
        )
    except DatasetUnavailable as error:
        return f"bad: {error}"


def fetch(name):
    """Return the path of the file of a data set, downloaded if needed.

    Parameters
    ----------
    name : str
        One of :func:`list_datasets`.

    Returns
    -------
    path : Path or None
        The file; None for data sets of scikit-learn.

    Raises
    ------
    DatasetUnavailable
        If the file is missing and cannot be downloaded.

    Examples
    --------
    >>> fetch("landsat").name
    'landsat.npz'
    """
    data_set = entry(name)
    if data_set.sklearn:
        return None
    path, _ = find(data_set)
    if path is None and data_set.parts:
        path = download(data_set)
    if path is None:
        raise DatasetUnavailable(
            f"{data_set.file} is not available locally.\nIts source:"
            f" {data_set.source}. Store its arrays ({data_set.arrays}) by numpy.savez"
            f" as {cache_folder() / data_set.file}. The file that the claims were"
            " measured on goes into a folder named by TOOLKIT_DATA."
        )
    return path


def fetch_missing(names, seconds=5.0):
    """Download what is not available locally, and return the names of the rest.

    Parameters
    ----------
    names : list of str
        Some of :func:`list_datasets`.
    seconds : float, default=5.0
        Time in all for connections to be made: without a network it goes on after that.

    Returns
    -------
    missing : list of str
        Those of `names` that are not available. A damaged file is not missing: it is an
        error of the notebook that loads it.

    Examples
    --------
    >>> fetch_missing(["iris", "landsat"])
    []
    """
    status = {name: _status(entry(name)) for name in names}
    missing = []
    data_sets = []
    addresses = []
    for name in names:
        if status[name] == "missing":
            missing.append(name)
        elif status[name] == "downloadable":
            data_sets.append(entry(name))
            addresses += [address for address, _ in entry(name).parts]
    answering = hosts_that_answer(addresses, seconds)
    for data_set in data_sets:
        hosts = {host_of(address) for address, _ in data_set.parts}
        try:
            if not hosts <= answering:
                raise DatasetUnavailable("There is no connection.")
            print(
                f"Downloading {data_set.name} ({data_set.title}).", flush=True
            )
            download(data_set)
        except DatasetUnavailable:
            missing.append(data_set.name)
    return sorted(missing)


def verify():
    """Load every set that is available locally and report on each.

    Returns
    -------
    rows : list of (name, status, problem)
        The problem is "" if there is none.

    Examples
    --------
    >>> [problem for name, _, problem in verify() if name == "iris"]
    ['']
    """
    rows = []
    for row in list_datasets():
        name = row["name"]
        status = row["status"].partition(":")[0]
        if status in ("missing", "downloadable"):
            continue
        problem = ""
        try:
            load(name)
        except DatasetUnavailable as error:
            problem = str(error)
        rows.append((name, status, problem))
    return rows


def checksums(name):
    """Compute the SHA-256 checksum of the arrays that `load(name)` returns.

    It does not depend on the file that they come from.

    Parameters
    ----------
    name : str
        One of :func:`list_datasets`.

    Returns
    -------
    checksum : str
        64 hexadecimal digits.

    Examples
    --------
    >>> len(checksums("iris"))
    64
    """
    # The checksum is of what is computed with, not of the file.
    bunch = load(name)
    digest = hashlib.sha256()
    for array in [*_parts(bunch.data), bunch.get("target", [])]:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def run(options):
    """List, fetch or verify; the exit code.

    It is 1 if a set could not be fetched or is not as it should be.
    """
    if options.action == "fetch":
        return _print_fetched(options.name)
    if options.action == "verify":
        return _print_verified()
    for row in list_datasets():
        status = row["status"].split(":")[0]
        shape = " x ".join([str(length) for length in row["shape"]])
        print(
            f"{row['name']:18} {status:13} {shape:13} {row['kind']:11} {row['title']}"
        )
    return 0


def _print_fetched(names):
    """Fetch the data sets and print their paths; the exit code."""
    exit_code = 0
    for name in names:
        try:
            path = fetch(name)
        except DatasetUnavailable as error:
            print(f"{name}: {error}")
            exit_code = 1
            continue
        if path is None:
            print(f"{name}: comes with scikit-learn")
        else:
            print(f"{name}: {path}")
    return exit_code


def _print_verified():
    rows = verify()
    n_bad = 0
    for name, status, problem in rows:
        verdict = "ok"
        if problem:
            verdict = "BAD"
            n_bad += 1
        print(f"{verdict:4} {name:18} {status:13} {problem}")
    n_good = len(rows) - n_bad
    print(f"{n_good} of {len(rows)} available sets are as they should be.")
    return int(n_bad > 0)
