"""An array that counts the operations in which it takes part."""

import numpy as np


class CountingArray(np.ndarray):
    """Counts into `count`; a subclass says in `cost` what an operation counts."""

    count = 0

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        plain = [
            np.asarray(a) if isinstance(a, CountingArray) else a for a in inputs
        ]
        if "out" in kwargs:
            kwargs["out"] = tuple(map(np.asarray, kwargs["out"]))
        result = getattr(ufunc, method)(*plain, **kwargs)
        kind = type(self)
        inner = plain[0].shape[-1] if ufunc is np.matmul else 1
        kind.count += inner * kind.cost(ufunc, method, plain, result)
        return result.view(kind) if isinstance(result, np.ndarray) else result
