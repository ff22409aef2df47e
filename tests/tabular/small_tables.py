"""A small table of known making, and a look at one without processes or progress bars."""

from contextlib import contextmanager
from functools import partial

import numpy as np
import pandas as pd
from pytest import MonkeyPatch
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from toolkit.tabular.validation import separation

from toolkit import look
from toolkit.embed import TSNE

N = 120
SMALL = {
    "features.COLUMNS_OF_NOISE": 10,
    "features.TREES": 10,
    "targets.TREES": 10,
    "targets.Classes.forest": RandomForestClassifier(10),
    "targets.Value.forest": RandomForestRegressor(10, max_features=1 / 3),
    "embedders.TSNE": partial(TSNE, max_iter=400),
}


def quiet(*data, **options):
    return look(*data, n_jobs=1, verbose=False, **options)


@contextmanager
def quick_looks():
    """Looks and their code with small forests, little noise and fewer steps of t-SNE."""
    with MonkeyPatch.context() as patch:
        for name, value in SMALL.items():
            patch.setattr(f"toolkit.tabular.{name}", value)
        yield


def table_of(seed=0, n=N):
    """Two columns of which the first decides, one of noise, and a category."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, 3)), columns=["u", "v", "w"])
    frame["hue"] = rng.choice(["red", "green"], n)
    return frame.assign(
        kind=np.where(frame.u + 0.3 * rng.normal(size=n) > 0, "ripe", "raw")
    )


def last_value(code, **names):
    """What the last line of copied code gives."""
    lines, _, last = code.rpartition("\n")
    exec(lines, names)
    return eval(last, names)


def with_separation(one, n_permutations=0):
    """The same `Look` with fewer permutations than 19, which its code waits for most."""
    one.__dict__["separation_"] = separation(
        *one._problem, one.leaks_, n_permutations=n_permutations, n_jobs=1
    )
    return one
