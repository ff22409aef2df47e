"""From the arrays of a file to the Bunch that `load` returns, with checks of its form."""

import hashlib

import numpy as np
import scipy.sparse
from sklearn.utils import Bunch

from .registry import DatasetDamaged

__all__ = ["content", "freeze", "read"]

EXTRAS = (
    "view", "image_shape", "wavelength_nm", "part", "is_test",
    "n_train", "n_test", "train_idx", "test_idx", "realisation",
)  # fmt: skip


def read(path, what):
    """Read the file at `path` as the data set `what` (an Entry).

    Returns
    -------
    sklearn.utils.Bunch, its arrays read-only

    Raises
    ------
    DatasetDamaged
        If the file cannot be read without pickle, lacks an array, or has another form than its entry says.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {key: file[key] for key in file.files}
        return freeze(_bunch(what, arrays))
    except Exception as error:  # numpy, zipfile and zlib raise a dozen kinds on a damaged archive
        said = str(error) or type(error).__name__
        raise DatasetDamaged(
            f"{path} cannot be read as the data set {what.name}: {said}. "
            f"Delete it, or put the right file there (source: {what.source})."
        ) from error


def content(bunch):
    """SHA-256 of data, target and split: the same for the same arrays, however a file packs them.

    Examples
    --------
    >>> content(Bunch(data=np.zeros((2, 1)), target=np.array([0, 1])))[:12]
    '8f4f32b7d97e'
    """
    digest = hashlib.sha256()
    for key in ("data", "target", "is_test"):
        array = bunch.get(key)
        if array is None:
            continue
        if scipy.sparse.issparse(array):
            array = array.tocsr().sorted_indices()
            pieces = [array.indptr.astype("<i8"), array.indices.astype("<i8"), array.data.astype("<f8")]
        else:
            pieces = [np.asarray(array, dtype="<f8")]
        digest.update(f"{key} {array.shape} ".encode())
        for piece in pieces:
            digest.update(np.ascontiguousarray(piece).tobytes())
    return digest.hexdigest()


def freeze(bunch):
    """Make the arrays of `bunch` read-only: a method that writes into its caller's data then fails at once."""
    for value in bunch.values():
        parts = (value.data, value.indices, value.indptr) if scipy.sparse.issparse(value) else (value,)
        for array in parts:
            if isinstance(array, np.ndarray):
                array.flags.writeable = False
    return bunch


def _bunch(what, arrays):
    bunch = Bunch(name=what.name, DESCR=what.description, data=_data(what, arrays))
    if what.kind != "series":
        _add_target(bunch, what, arrays)
    if what.kind not in ("series", "similarity"):
        made = [f"x{j + 1}" for j in range(bunch.data.shape[1])]
        bunch.feature_names = np.asarray(arrays.get("feature_names", made))
    for key in EXTRAS:
        if key in arrays:
            value = arrays[key]
            bunch[key] = int(value) if value.ndim == 0 else value
    if "part" in arrays:
        bunch.is_test = arrays["part"] == 2
    for key in set(bunch) & {"is_test", "train_idx", "test_idx"}:
        bunch[key] = bunch[key].astype(bool if key == "is_test" else np.int64)
    _check(bunch, what)
    return bunch


def _data(what, arrays):
    if what.kind == "series":
        return arrays["x"].astype(float)
    if what.kind == "similarity":
        return arrays["S"].astype(float)
    if "X_data" in arrays:
        parts = (arrays["X_data"].astype(float), arrays["X_indices"], arrays["X_indptr"])
        matrix = scipy.sparse.csr_matrix(parts, shape=tuple(arrays["X_shape"]))
        matrix.check_format()
        return matrix
    data = arrays["X"].astype(float) / what.scale
    if what.missing:
        data[data == -1] = np.nan
    return data


def _add_target(bunch, what, arrays):
    names = arrays.get("target_names")
    if what.kind == "multilabel":
        _need(np.isin(arrays["Y"], (0, 1)).all(), "Y must hold 0 and 1 only")
        bunch.target = arrays["Y"].astype(np.int64)
        default = [f"label {j}" for j in range(bunch.target.shape[1])]
    elif what.kind == "regression":
        if "Y" in arrays:  # tecator: three constituents, of which the papers predict the fat
            bunch.target = arrays["Y"][:, list(names).index("fat")].astype(float)
            names = ["fat"]
        else:
            bunch.target = arrays["y"].astype(float)
        default = ["target"]
    else:
        codes, bunch.target = np.unique(arrays["y"], return_inverse=True)
        if what.least_class_size > 1:
            kept = np.flatnonzero(np.bincount(bunch.target) >= what.least_class_size)
            rows = np.isin(bunch.target, kept)
            bunch.data, codes = bunch.data[rows], codes[kept]
            bunch.target = np.searchsorted(kept, bunch.target[rows])
        default = [str(code) for code in codes]
    bunch.target_names = np.asarray(default if names is None else names)


def _check(bunch, what):
    n = bunch.data.shape[0]
    _need(what.about or bunch.data.shape == what.shape, f"data of shape {bunch.data.shape}, expected {what.shape}")
    values = bunch.data.data if scipy.sparse.issparse(bunch.data) else bunch.data
    _need(not np.isinf(values).any(), "the data hold infinity")
    _need(what.missing or not np.isnan(values).any(), "the data hold NaN")
    lacking = [key for key in what.keys if key not in bunch]
    _need(not lacking, f"there is no array {', '.join(lacking)}")
    for key in set(bunch) & {"is_test", "view", "part"}:
        _need(bunch[key].shape == (n,), f"{key} of shape {bunch[key].shape}, expected {(n,)}")
    for key in set(bunch) & {"train_idx", "test_idx"}:
        _need(np.isin(bunch[key], np.arange(n)).all(), f"{key} must hold row numbers from 0 to {n - 1}")
    if what.kind != "series":
        _check_target(bunch.target, bunch.target_names, what, n)


def _check_target(target, names, what, n):
    shape = (n, what.n_targets) if what.kind == "multilabel" else (n,)
    _need(target.shape == shape, f"a target of shape {target.shape}, expected {shape}")
    if what.kind == "regression":
        _need(np.isfinite(target).all(), "the target holds NaN or infinity")
    elif what.kind != "multilabel":
        found = len(np.unique(target))
        _need(what.n_targets in (None, found), f"{found} classes, expected {what.n_targets}")
        _need(len(names) == found, f"{len(names)} target_names for {found} classes")


def _need(holds, problem):
    if not holds:
        raise ValueError(problem)
