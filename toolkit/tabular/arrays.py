"""NumPy's files: a table `X` with a target `y` or labels `Y`, read without unpickling anything."""

import zipfile

import numpy as np

from ..core.checks import shown
from .wording import broken, check_names, listed

__all__ = ["array_of", "arrays_of", "names_in", "read_arrays", "with_names"]


def arrays_of(path):
    """The arrays of an .npz or .npy by name; the only one of an .npy is called X."""
    try:
        loaded = np.load(path, allow_pickle=False)
        return {"X": loaded} if isinstance(loaded, np.ndarray) else {name: loaded[name] for name in loaded.files}
    except (ValueError, OSError, EOFError, zipfile.BadZipFile, KeyError) as error:
        if "pickle" not in str(error):
            raise broken(path, error) from None
        what = f"{path.name!r} holds Python objects, which could run any code when they are loaded"
        raise ValueError(f"`path` must hold plain arrays; {what}. Save numbers, and arrays of str.") from None


def array_of(arrays, name, path, ndim, n=None):
    """One of the arrays, if it has the wanted number of dimensions, and n rows."""
    array = np.asarray(arrays.get(name))
    fits = array.ndim == ndim and array.dtype.kind in "biuf" + "US" * (ndim == 1) and array.size > 0
    if not fits or n not in (None, len(array)):
        what = f"numbers, shape ({n or 'n'}, d)" if ndim == 2 else f"one value per row, shape ({n or 'n'},)"
        got = f"got shape {array.shape} of {array.dtype}" if name in arrays else f"it has {listed(sorted(arrays))}"
        raise ValueError(f"`path` must hold an array `{name}` of {what}; {path.name!r}: {got}. Save it again.")
    return array


def names_in(arrays, key, count, path):
    """Different names as list of str, None where there are none."""
    names = [str(name) for name in np.ravel(arrays[key])] if key in arrays else None
    if names is not None and not len(names) == len(set(names)) == count:
        raise ValueError(f"`{key}` must be {count} different names; {path.name!r} has {shown(names)}. Save it again.")
    return names


def with_names(y, arrays):
    """Classes by their names in `target_names`, where y counts these from 0."""
    names = np.ravel(arrays.get("target_names", [])).astype(str).astype(object)
    counts = len(names) > 1 and y.dtype.kind in "biu" and y.min() >= 0 and y.max() < len(names)
    return names[y.astype(int)] if counts else y


def read_arrays(path):
    """Arrays `X`, `y` or `Y`, `feature_names` and `target_names` as a DataFrame (n, d + targets) and notes."""
    import pandas as pd

    arrays = arrays_of(path)
    X = array_of(arrays, "X", path, 2)
    n, d = X.shape
    frame = pd.DataFrame(X, columns=names_in(arrays, "feature_names", d, path) or [f"X{j + 1}" for j in range(d)])
    if "Y" in arrays:
        Y = array_of(arrays, "Y", path, 2, n)
        names = names_in(arrays, "target_names", Y.shape[1], path) if "y" not in arrays else None
        names = names or [f"label {j + 1}" for j in range(Y.shape[1])]
        frame = pd.concat([frame, pd.DataFrame(Y, columns=names)], axis=1)
    if "y" in arrays:
        y = array_of(arrays, "y", path, 1, n)
        frame = pd.concat([frame, pd.DataFrame({"y": y if "Y" in arrays else with_names(y, arrays)})], axis=1)
    check_names(frame.columns.tolist(), "path", repr(path.name))
    unused = sorted(set(arrays) - {"X", "y", "Y", "feature_names", "target_names"})
    return frame, [f"Not read from the file: {', '.join(unused)}."] * bool(unused)
