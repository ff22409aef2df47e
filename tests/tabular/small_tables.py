"""A small table of known making, and a look at one without processes or progress bars."""

import numpy as np
import pandas as pd

from toolkit import look
from toolkit.tabular.separation import separation

N = 120


def quiet(*data, **options):
    return look(*data, n_jobs=1, verbose=False, **options)


def table_of(seed=0, n=N):
    """Two columns of which the first decides, one of noise, and a category."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, 3)), columns=["u", "v", "w"])
    frame["hue"] = rng.choice(["red", "green"], n)
    return frame.assign(kind=np.where(frame.u + 0.3 * rng.normal(size=n) > 0, "ripe", "raw"))


def with_separation(one, n_permutations=0):
    """The same `Look`, whose target is not permuted in place of 19 times: that is most of what its code waits for."""
    groups, leaks = one.table_.groups, one.leaks_
    one.__dict__["separation_"] = separation(
        one._data, one._task, groups, leaks, n_permutations=n_permutations, n_jobs=1
    )
    return one
