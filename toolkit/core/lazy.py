"""Dask arrays and data frames: what is one, one of a file, rows such as it has, and values as they come."""

import os

import numpy as np

from .checks import check_integer, shown

__all__ = ["computed", "example_rows", "is_lazy", "lazy_file"]


def lazy_file(path, block):
    """The array of an npy file as a Dask array with blocks of `block` rows, which the workers read from the file.

    ``dask.array.from_array`` of a memory-mapped array serves threads of this process; to other processes it sends the
    numbers themselves, all within one graph. Here each task opens the file, under a path that all workers must know,
    and copies its rows, so that a worker's memory never holds more of the file.

    Parameters
    ----------
    path : str or Path, an npy file of an array of shape (n, ...)
    block : int, rows of each block but the last

    Returns
    -------
    dask.array.Array of the same shape

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/X.npy", np.arange(10.0).reshape(5, 2))
    ...     X = lazy_file(f"{folder}/X.npy", 2)
    ...     print(X.chunks, X.sum().compute())
    ((2, 2, 1), (2,)) 45.0
    """
    import dask.array as da

    path, block = os.path.abspath(path), check_integer(block, "block")
    stamp = os.stat(path).st_mtime_ns  # another file has another name
    on_disk = np.load(path, mmap_mode="r")
    chunks = ((block, *on_disk.shape[1:]), on_disk.shape)
    lengths = da.core.normalize_chunks(*chunks, dtype=on_disk.dtype)
    return da.map_blocks(
        _read, chunks=lengths, dtype=on_disk.dtype, meta=np.empty_like(on_disk[:0]), path=path, stamp=stamp
    )


def _read(path, stamp, block_info):
    rows = slice(*block_info[None]["array-location"][0])
    return np.array(np.load(path, mmap_mode="r")[rows])


def is_lazy(X):
    """Whether X is a Dask array or data frame; Dask need not be installed.

    Examples
    --------
    >>> is_lazy(np.eye(2))
    False
    """
    return type(X).__module__.partition(".")[0] == "dask" and hasattr(X, "dask") and hasattr(X, "shape")


def example_rows(X, name="X"):
    """Two rows as X has them: zeros, or where a data frame has columns of other things, its first ones."""
    if not hasattr(X, "columns"):
        if not all(n == n for n in X.shape[1:]):
            raise ValueError(f"`{name}` must have a known number of columns; got shape {shown(X.shape)}.")
        return np.zeros((2, *X.shape[1:]))
    if all(dtype.kind in "biuf" for dtype in X.dtypes):
        import pandas as pd

        return pd.DataFrame(np.zeros((2, len(X.columns))), columns=X.columns)
    return X.head(2, npartitions=-1)


def computed(tasks, n_jobs=None, prefer=None):
    """Values of `dask.delayed` tasks, in order: all at once on the workers of a cluster, otherwise one by one."""
    tasks = list(tasks)
    try:
        from distributed import get_client

        client = get_client()
    except (ImportError, ValueError):
        yield from (task.compute() for task in tasks)
        return
    futures = client.compute(tasks)
    while futures:
        yield futures.pop(0).result()
