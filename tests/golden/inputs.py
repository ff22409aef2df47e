"""Three small data sets and what is derived from them, by name: the inputs of all cases."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.decomposition import PCA

# Samples per class, features, and the seed.
INPUTS = {
    "three classes": ([12, 12, 12], 5, 0),
    "more features": ([12, 12], 30, 1),
    "uneven": ([5, 9, 12, 8], 4, 2),
}


@cache
def inputs(name, rounding=0):
    """The arrays of an input, read-only, by key.

    With `rounding` every feature is multiplied by a number that differs from 1 in the
    last digit: a result that then changes much amplifies rounding, and is no result to
    be stored.

    Keys: `X` (n, d), `y` (n,) classes, `names` the same as text, `part` with -1 for
    every third one, `Y` (n, l) label matrix, `Y_part` the same with rows of -1, `t`
    (n,) target, `D` (n, n) distances, `S` (n, n) similarities, `Z` (n, 2) a map, and
    the same with `_new` for samples that nothing is fitted to. "uneven" has repeated
    samples and features of unequal scale.
    """
    counts, d, seed = INPUTS[name]
    rng = np.random.default_rng(seed)
    centers = 2 * rng.normal(size=(len(counts), d))
    found = {}
    for ending, sizes in (("", counts), ("_new", [4] * len(counts))):
        y = np.repeat(np.arange(len(sizes)), sizes)
        X = centers[y] + rng.normal(size=(len(y), d))
        if name == "uneven":
            X = X * 10.0 ** np.arange(-1, d - 1)
            X[1], X[-1] = X[0], X[-2]
        order = rng.permutation(len(y))
        X, y = X[order], y[order]
        X = X * (1 + rounding * np.finfo(float).eps * np.where(np.arange(d) % 2, 2, -1))
        found |= {
            f"X{ending}": X,
            f"y{ending}": y,
            f"names{ending}": np.array(list("abcd"))[y],
        }
        eye = np.eye(len(sizes), dtype=int)
        found[f"Y{ending}"] = (
            eye[y] | eye[(y + (X[:, 0] > np.median(X[:, 0]))) % len(sizes)]
        )
        found[f"t{ending}"] = X[:, 0] / np.abs(X[:, 0]).max() + np.sin(X[:, 1])
    X, y = found["X"], found["y"]
    found["part"] = np.where(np.arange(len(y)) % 3 == 2, -1, y)
    found["Y_part"] = np.where((found["part"] == -1)[:, None], -1, found["Y"])
    found["D"], found["D_new"] = cdist(X, X), cdist(found["X_new"], X)
    width = np.median(found["D"]) ** 2
    found["S"], found["S_new"] = (
        np.exp(-(found["D"] ** 2) / width),
        np.exp(-(found["D_new"] ** 2) / width),
    )
    pca = PCA(2, svd_solver="full").fit(X)
    found["Z"], found["Z_new"] = pca.transform(X), pca.transform(found["X_new"])
    for array in found.values():
        array.setflags(write=False)
    return found


MAKERS = {}


class Given(dict):
    """The arrays of an input, and what functions with `made` before them make of it.

    "nearest:6" is what the function `nearest` makes of the input and the number 6.
    """

    def __missing__(self, key):
        function, *numbers = key.split(":")
        self[key] = MAKERS[function](self, *map(int, numbers))
        return self[key]

    def __getattr__(self, key):
        return self[key]


def made(function):
    """Let what a function makes of an input be one of its arrays, by the name of the function."""
    if function.__name__ in MAKERS:
        raise ValueError(f"Two functions make {function.__name__!r}.")
    MAKERS[function.__name__] = function
    return function


@dataclass(frozen=True)
class Made:
    """An option that is made from the input: ``Made(lambda given: given.X[:, :2])``."""

    make: object
    words: str = ""

    def __repr__(self):
        return self.words or self.make.__name__


def fitted(model, given="X y"):
    """An option: a model fitted to arrays of the input."""
    return Made(
        lambda arrays: clone(model).fit(*(arrays[key] for key in given.split())),
        f"{model} of {given}",
    )


def wave(*shape):
    """A matrix of full rank without a seed, of numbers from -1 to 1."""
    return np.sin(1.0 + np.arange(np.prod(shape)) ** 2).reshape(shape)


@made
def scaled(given):
    return (given.X - given.X.mean(0)) / given.X.std(0)


@made
def scaled_new(given):
    return (given.X_new - given.X.mean(0)) / given.X.std(0)


@made
def frame(given):
    """Features on one scale, with names."""
    X = given.scaled
    return pd.DataFrame(X, columns=[f"column {j}" for j in range(X.shape[1])])


@made
def squared(given):
    return cdist(given.X, given.X) ** 2


@made
def blocks(given):
    """Distances in city blocks, of no Euclidean space."""
    return cdist(given.X, given.X, "cityblock")


@made
def rows(given):
    return np.arange(len(given.X))


@made
def halves(given):
    """Two classes, by the sign of the first feature about its median."""
    return (given.X[:, 0] > np.median(given.X[:, 0])).astype(int)
