"""NumPy's files: a table `X` with a target `y` or labels `Y`, read without unpickling anything."""

import zipfile

import numpy as np
from scipy import sparse

from ..core.checks import shown
from .columns import listed

__all__ = ["array_of", "arrays_of", "read_arrays"]

MOST_CELLS = 2 * 10**8  # of a sparse table that is filled up
PARTS = ("X_data", "X_indices", "X_indptr", "X_shape")


def arrays_of(path):
    """The arrays of an .npz or .npy by name; the only one of an .npy is called X."""
    try:
        loaded = np.load(path, allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            return {"X": loaded}
        with loaded:
            arrays = {name: loaded[name] for name in loaded.files}
    except ValueError as error:
        if "pickle" in str(error):
            raise ValueError(
                f"`path` must hold plain arrays; {path.name!r} holds Python objects, which could run any code "
                f"when they "
                "are loaded. Save numbers, and names as arrays of str: `np.array(names, dtype=str)`."
            ) from None
        raise _broken(path, error) from None
    except (OSError, EOFError, zipfile.BadZipFile, KeyError) as error:
        raise _broken(path, error) from None
    if strange := [name for name, array in arrays.items() if not isinstance(array, np.ndarray)]:
        raise _broken(path, f"{strange[0]} is no array")
    return arrays


def _broken(path, error):
    why = " ".join(str(error).split())
    return ValueError(f"`path` cannot be read: {path.name!r} is broken ({shown(why)}). Write or download it again.")


def array_of(arrays, name, path, ndim):
    """One of the arrays, if it has the wanted number of dimensions."""
    array = arrays[name]
    if array.ndim != ndim or array.dtype.kind not in "biufUS" or (ndim == 2 and array.dtype.kind in "US"):
        what = "numbers, shape (n, d)" if ndim == 2 else "one value per row, shape (n,)"
        raise ValueError(
            f"`{name}` of {path.name!r} must hold {what}; got shape {array.shape} of {array.dtype}. Reshape and "
            f"save it again."
        )
    return array


def read_arrays(path):
    """Arrays `X`, `y` or `Y`, `feature_names` and `target_names` as a DataFrame and notes.

    Parameters
    ----------
    path : Path

    Returns
    -------
    frame : DataFrame of shape (n, d + number of targets)
    notes : list of str
    """
    import pandas as pd

    arrays, notes = arrays_of(path), []
    X = _table_of(arrays, path)
    names = _names_of(arrays, "feature_names", X.shape[1], path) or [f"X{j + 1}" for j in range(X.shape[1])]
    columns, used = [pd.DataFrame(X, columns=names)], {"X", *PARTS, "feature_names", "target_names"}
    if "y" in arrays:
        y = array_of(arrays, "y", path, 1)
        columns.append(pd.DataFrame({"y": _named_classes(y, arrays, path, notes)}))
        used.add("y")
    if "Y" in arrays:
        Y = array_of(arrays, "Y", path, 2)
        own = "y" not in arrays
        labels = _names_of(arrays, "target_names", Y.shape[1], path) if own else None
        labels = labels or [f"label {j + 1}" for j in range(Y.shape[1])]
        columns.append(pd.DataFrame(Y, columns=labels))
        notes.append(f"The columns of `Y` are called {listed(labels)}.")
        used.add("Y")
    if any(len(part) != len(X) for part in columns):
        lengths = ", ".join(str(len(part)) for part in columns)
        raise ValueError(
            f"`path` must hold arrays of equally many rows; those of {path.name!r} have {lengths}. Save it again."
        )
    frame = pd.concat(columns, axis=1)
    if frame.columns.has_duplicates:
        repeated = frame.columns[frame.columns.duplicated()].unique()
        raise ValueError(
            f"`feature_names` and `target_names` of {path.name!r} must differ; {listed(repeated)} "
            f"comes twice. "
            "Rename it."
        )
    if unused := sorted(set(arrays) - used):
        notes.append(f"Not read from the file: {', '.join(unused)}.")
    return frame, notes


def _table_of(arrays, path):
    if all(part in arrays for part in PARTS):
        shape = tuple(int(n) for n in np.ravel(arrays["X_shape"]))
        if len(shape) != 2 or np.prod(shape, dtype=float) > MOST_CELLS:
            raise ValueError(
                f"`X_shape` of {path.name!r} must be (n, d) of at most {MOST_CELLS:,} cells; got {shape}. "
                "Select columns first."
            )
        try:
            table = sparse.csr_matrix(tuple(arrays[part] for part in PARTS[:3]), shape=shape)
            table.check_format(full_check=True)  # else entries outside would be written somewhere in memory
            return table.toarray()
        except (ValueError, TypeError, IndexError) as error:
            raise _broken(path, error) from None
    if "X" not in arrays:
        found = listed(sorted(arrays)) or "none"
        raise ValueError(
            f"`path` must hold an array `X` of shape (n, d); {path.name!r} has {found}. Save it under that name."
        )
    X = array_of(arrays, "X", path, 2)
    if not X.size:
        raise ValueError(f"`path` must be a table with rows; `X` of {path.name!r} has shape {X.shape}. Save it again.")
    return X


def _names_of(arrays, key, count, path):
    """Names as list of str, None where there are none."""
    if key not in arrays:
        return None
    names = [str(name) for name in np.ravel(arrays[key])]
    if len(names) != count or len(set(names)) != count:
        raise ValueError(
            f"`{key}` of {path.name!r} must be {count} different names; got {shown(names)}. Save it again."
        )
    return names


def _named_classes(y, arrays, path, notes):
    """Classes by their names, where the file has these: codes 0 to c - 1 count through them."""
    names = [str(name) for name in np.ravel(arrays.get("target_names", []))]
    codes = np.unique(y)
    if len(names) < 2 or y.dtype.kind not in "biu" or "Y" in arrays:
        return y
    if codes.min() >= 0 and codes.max() < len(names):
        notes.append("Classes have the names of `target_names`.")
        return np.array(names, dtype=object)[y.astype(int)]
    if len(codes) == len(names):
        notes.append("Classes have the names of `target_names`, in the order of their numbers.")
        return np.array(names, dtype=object)[np.searchsorted(codes, y)]
    return y
