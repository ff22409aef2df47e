"""Dask arrays and data frames block by block, for methods that give each row of X a row, or a number, of its own.

Dask computes such an answer when asked, on any of its schedulers. No process holds more rows than its blocks have, but
the one in which the whole result is wanted.
"""

import copy
import functools
import importlib
import inspect
import warnings

import numpy as np
import sklearn

from .checks import shown
from .lazy import example_rows, is_lazy

__all__ = ["by_blocks", "refuse_blocks"]


def by_blocks(method=None, *, instead=None):
    """Decorator of a method whose argument X may then be a Dask array or data frame; all else reaches it as it is.

    The answer is a lazy Dask array with the same blocks of rows, each computed by the method on a NumPy array or a
    pandas DataFrame. The fitted estimator, as it is at the call, is one part of the graph that all blocks share. Blocks
    may have unknown lengths, as those of Parquet files, or no rows; columns are put into one block.

    A method whose answer is not one of rows names what takes its place: `instead`, such as
    "toolkit.fisher.blocks:knn_distances", a function of the estimator and the method's arguments.

    Raises
    ------
    ValueError
        At the call, for another number of columns than in `fit`: the method answers for a row or two of zeros first.

    Examples
    --------
    An array on disk, which is never read as a whole. Parquet files come in by ``dask.dataframe.read_parquet(folder)``.

    >>> import tempfile
    >>> from sklearn.datasets import load_iris
    >>> from toolkit.core.lazy import lazy_file
    >>> from toolkit.discriminant import LFDA
    >>> X, y = load_iris(return_X_y=True)
    >>> lfda = LFDA().fit(X[::3], y[::3])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/X.npy", X)
    ...     Z = lfda.transform(lazy_file(f"{folder}/X.npy", 40))
    ...     print(Z.chunks, bool(np.allclose(Z, lfda.transform(X))))
    ((40, 40, 40, 30), (2,)) True
    """
    if method is None:
        return functools.partial(by_blocks, instead=instead)
    first = list(inspect.signature(method).parameters)[1]

    @functools.wraps(method)
    def answered(self, *args, **kwargs):
        X = args[0] if args else kwargs.get(first)
        if not is_lazy(X):
            return method(self, *args, **kwargs)
        if instead is not None:
            module, _, name = instead.partition(":")
            return getattr(importlib.import_module(module), name)(self, *args, **kwargs)
        others = [value for value in (*args[1:], *(kwargs[name] for name in kwargs if name != first))]
        if any(value is not None for value in others):
            raise ValueError(
                f"`{first}` must be the only argument where it is a Dask {type(X).__name__}; {method.__name__} got "
                f"{len(others) + 1}. Call it with arrays in memory, block by block."
            )
        _check_output(self, method.__name__)
        return _lazily(method, self, X, first)

    return answered


def _lazily(method, estimator, X, name):
    """The Dask array of what `method` answers for the blocks of X."""
    import dask
    import dask.array as da

    example = example_rows(X, name)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        answer = np.asarray(method(estimator, example))
    if len(answer) != len(example):
        raise TypeError(f"`by_blocks` is for methods that answer each row; {method.__name__} does not.")
    empty = answer[:0]
    # a copy: the caller may fit the estimator again before the blocks are computed
    one = dask.delayed(copy.copy(estimator), traverse=False)
    if hasattr(X, "to_delayed") and hasattr(X, "columns"):
        part = dask.delayed(_answer, pure=False)
        parts = [
            da.from_delayed(part(rows, method, one, empty), (np.nan, *empty.shape[1:]), empty.dtype, meta=empty)
            for rows in X.to_delayed(optimize_graph=False)  # which would put small blocks together
        ]
        return da.concatenate(parts, allow_unknown_chunksizes=True)
    if len(X.chunks[1]) > 1:
        X = X.rechunk({1: -1})
    return da.map_blocks(
        _answer,
        X,
        method=method,
        estimator=one,
        empty=empty,
        drop_axis=1,
        new_axis=list(range(1, empty.ndim)) or None,
        chunks=(X.chunks[0], *((k,) for k in empty.shape[1:])),
        meta=empty,
    )


def _answer(X, method, estimator, empty):
    """What a block is given, and one without rows, which estimators refuse."""
    return np.asarray(method(estimator, X)) if len(X) else empty


def _check_output(estimator, method):
    """Frames of pandas or polars would gather all rows in this process."""
    if method not in ("transform", "fit_transform"):
        return
    wanted = getattr(estimator, "_sklearn_output_config", {}).get(method, sklearn.get_config()["transform_output"])
    if wanted != "default":
        raise ValueError(
            f'`set_output` must say "default" where `X` is lazy; got {shown(wanted)}, a table of all rows in memory. '
            'Call `set_output(transform="default")`.'
        )


def refuse_blocks(X, name="X"):
    """Refuse what is lazy where all rows would have to be gathered.

    Examples
    --------
    >>> refuse_blocks(np.eye(2))
    """
    if is_lazy(X):
        kind = "a data frame" if hasattr(X, "columns") else "an array"
        take = f"{name}.sample(frac=0.1).compute()" if hasattr(X, "columns") else f"{name}[::10].compute()"
        raise ValueError(
            f"`{name}` must be in memory; got {kind} of Dask. Take a sample, such as {take}; the others can be placed "
            "block by block with `transform`."
        )
