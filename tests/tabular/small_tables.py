"""A small table of known making, and a look at one without processes or progress bars."""

from contextlib import contextmanager
from functools import partial

import numpy as np
import pandas as pd
from pytest import MonkeyPatch
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from toolkit import look
from toolkit.embed import TSNE
from toolkit.validation import significance

N = 120
SMALL = {
    "tabular.features.COLUMNS_OF_NOISE": 10,
    "tabular.features.TREES": 10,
    "tabular.embedders.TSNE": partial(TSNE, max_iter=400),
    "validation.models.FOREST_TREES": 10,
    "validation.targets.Classes.forest": RandomForestClassifier(10),
    "validation.targets.Values.forest": RandomForestRegressor(
        10, max_features=1 / 3
    ),
}


def quiet(*data, **options):
    return look(*data, n_jobs=1, verbose=False, **options)


@contextmanager
def quick_looks():
    """Looks and their code with small forests, little noise and fewer steps of t-SNE."""
    with MonkeyPatch.context() as patch:
        for name, value in SMALL.items():
            patch.setattr(f"toolkit.{name}", value)
        yield


def table_of(seed=0, n=N):
    """Two columns of which the first decides, one of noise, and a category."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, 3)), columns=["u", "v", "w"])
    frame["hue"] = rng.choice(["red", "green"], n)
    noise = 0.3 * rng.normal(size=n)
    return frame.assign(kind=np.where(frame.u + noise > 0, "ripe", "raw"))


def flowers(n=40, **columns):
    """A table with a feature `width`, a target `kind`, and other columns."""
    width = np.random.RandomState(0).randn(n)
    kinds = ["rose", "tulip"] * n
    return pd.DataFrame({"width": width, "kind": kinds[:n], **columns})


def said(table, words):
    """The notes of a table with these words."""
    return [note for note in table.notes if words in note]


def last_value(code, **names):
    """What the last line of copied code gives."""
    lines, _, last = code.rpartition("\n")
    exec(lines, names)
    return eval(last, names)


@contextmanager
def few_permutations(n):
    """P-values by so many permuted targets in place of 19, which take long."""
    with MonkeyPatch.context() as patch:
        defaults = significance.__kwdefaults__
        patch.setitem(defaults, "n_permutations", n)
        yield


def with_separation(look_result, n_permutations=0):
    """The same `Look` with its errors, which its code waits for most, and few permutations."""
    with few_permutations(n_permutations):
        assert look_result.separation_
    return look_result
