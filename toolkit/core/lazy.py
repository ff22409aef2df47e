"""Dask arrays and data frames: methods that answer each row take them block by block, all else refuses them."""

import copy
import functools

import numpy as np

__all__ = ["by_blocks", "refuse_lazy"]


def by_blocks(method):
    """Decorator of a method whose argument X may also be a Dask array or data frame.

    Its answer is then a lazy Dask array with the same blocks of rows, by the fitted estimator as it is at the call; an
    error within a block says of which rows it is.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn.datasets import load_iris
    >>> from toolkit.discriminant import LFDA
    >>> X, y = load_iris(return_X_y=True)
    >>> lfda = LFDA().fit(X, y)
    >>> Z = lfda.transform(da.from_array(X, chunks=(40, 4)))
    >>> Z.chunks, bool(np.allclose(Z, lfda.transform(X)))
    (((40, 40, 40, 30), (2,)), True)
    """

    @functools.wraps(method)
    def answered(self, *args, **kwargs):
        X = next(iter([*args, *kwargs.values()]), None)
        if not _is_lazy(X):
            return method(self, *args, **kwargs)
        answer = functools.partial(method, copy.copy(self))  # which may be fitted again before the blocks are computed
        two_rows = X.head(2, npartitions=-1) if hasattr(X, "columns") else np.zeros((2, *X.shape[1:]))
        empty = np.asarray(answer(two_rows))[:0]
        given = {"answer": answer, "empty": empty, "meta": empty}
        if hasattr(X, "columns"):
            return X.map_partitions(_of_partition, **given)
        lengths = X.chunks[0], *((k,) for k in empty.shape[1:])
        new_axes = list(range(1, empty.ndim)) or None
        return X.rechunk({1: -1}).map_blocks(_of_block, chunks=lengths, drop_axis=1, new_axis=new_axes, **given)

    return answered


def _of_partition(X, answer, empty, partition_info=None):
    return _of_rows(X, answer, empty, f"partition {partition_info['number']}" if partition_info else "a partition")


def _of_block(X, answer, empty, block_info=None):
    start, stop = block_info[0]["array-location"][0]
    return _of_rows(X, answer, empty, f"rows {start} to {stop - 1}")


def _of_rows(X, answer, empty, where):
    """What a block is given; nothing for one without rows, which estimators refuse."""
    try:
        return np.asarray(answer(X)) if len(X) else empty
    except ValueError as error:
        raise ValueError(f"In {where}: {error}") from None


def refuse_lazy(X, name):
    """Refuse what is lazy where all rows would be gathered in this process.

    Examples
    --------
    >>> refuse_lazy(np.eye(2), "X")
    """
    if _is_lazy(X):
        raise ValueError(
            f"`{name}` must be in memory; got a Dask {type(X).__name__}. Take a sample of its rows, by `compute()`; "
            "methods that answer each row, such as `transform`, take the others block by block."
        )


def _is_lazy(X):
    """Whether X is a Dask array or data frame; Dask need not be installed."""
    return type(X).__module__.partition(".")[0] == "dask" and hasattr(X, "dask") and hasattr(X, "shape")
