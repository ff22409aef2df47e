"""Three small data sets and what is derived from them, by name: the inputs of all cases."""

import inspect
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

    Keys: `X` (n, d), `y` (n,) classes, `names` the same as text, `Y` (n, l) label
    matrix, `t` (n,) target, and the same with `_new` for samples that nothing is fitted
    to; `Z` (n, 2) a map and `Z_new`. "uneven" has repeated samples and features of
    unequal scale.
    """
    counts, d, seed = INPUTS[name]
    rng = np.random.default_rng(seed)
    centers = 2 * rng.normal(size=(len(counts), d))
    results = {}
    for ending, sizes in (("", counts), ("_new", [4] * len(counts))):
        k = len(sizes)
        y = np.repeat(np.arange(k), sizes)
        X = centers[y] + rng.normal(size=(len(y), d))
        if name == "uneven":
            X = X * 10.0 ** np.arange(-1, d - 1)
            X[1], X[-1] = X[0], X[-2]
        order = rng.permutation(len(y))
        y = y[order]
        signs = np.where(np.arange(d) % 2, 2, -1)
        digit = np.finfo(float).eps * signs
        X = X[order] * (1 + rounding * digit)
        one = np.eye(k, dtype=int)
        is_above = X[:, 0] > np.median(X[:, 0])
        other = one[(y + is_above) % k]
        first_feature = X[:, 0] / np.abs(X[:, 0]).max()
        arrays = {
            "X": X,
            "y": y,
            "names": np.array(list("abcd"))[y],
            "Y": one[y] | other,
            "t": first_feature + np.sin(X[:, 1]),
        }
        results |= {key + ending: array for key, array in arrays.items()}
    pca = PCA(2, svd_solver="full").fit(results["X"])
    projected = pca.transform(results["X"])
    results |= {"Z": projected, "Z_new": pca.transform(results["X_new"])}
    for array in results.values():
        array.setflags(write=False)
    return results


QUANTITIES = {}


def quantity(function):
    """Let what a function computes be an array of each input, by the function's name.

    It is called with the arrays that its arguments name, `given` is all of them, and
    with the numbers of the key for arguments that are ``int``: "nearest:6" is
    ``nearest(X, 6)``.
    """
    if QUANTITIES.setdefault(function.__name__, function) is not function:
        raise ValueError(f"Two functions compute {function.__name__!r}.")
    return function


class Arrays(dict):
    """The arrays of an input, and each `quantity` of it that a case asks for."""

    def __missing__(self, key):
        if key == "given":
            return self
        name, *numbers = key.split(":")
        self[key] = self.call(QUANTITIES[name], numbers=map(int, numbers))
        return self[key]

    def call(self, function, *first, numbers=()):
        """The function of what comes first, arrays that its arguments name, and numbers."""
        arguments = list(inspect.signature(function).parameters.values())[
            len(first) :
        ]
        names = [each.name for each in arguments if each.annotation is not int]
        return function(*first, *map(self.__getitem__, names), *numbers)


@dataclass(frozen=True)
class Option:
    """An option that is a function of arrays of the input: ``Option(lambda X: X[:, :2])``."""

    function: object
    words: str

    def __repr__(self):
        return self.words


def fitted(model, given="X y"):
    """An option: a model fitted to arrays of the input."""
    keys = given.split()
    return Option(
        lambda given: clone(model).fit(*map(given.__getitem__, keys)),
        f"{model} of {' '.join(keys)}",
    )


def wave(*shape):
    """A matrix of full rank without a seed, of numbers from -1 to 1."""
    squares = np.arange(np.prod(shape)) ** 2
    return np.sin(1.0 + squares).reshape(shape)


@quantity
def part(y):
    """Classes with -1 for every third sample."""
    return np.where(np.arange(len(y)) % 3 == 2, -1, y)


@quantity
def Y_part(part, Y):
    return np.where(part[:, None] == -1, -1, Y)


@quantity
def D(X):
    return cdist(X, X)


@quantity
def D_new(X, X_new):
    return cdist(X_new, X)


@quantity
def S(D):
    """Similarities, of a width that is the median distance."""
    return np.exp(-(D**2) / np.median(D) ** 2)


@quantity
def S_new(D, D_new):
    return np.exp(-(D_new**2) / np.median(D) ** 2)


@quantity
def scaled(X):
    return (X - X.mean(0)) / X.std(0)


@quantity
def scaled_new(X, X_new):
    return (X_new - X.mean(0)) / X.std(0)


@quantity
def frame(scaled):
    """Features on one scale, with names."""
    return pd.DataFrame(scaled).add_prefix("column ")


@quantity
def squared(X):
    return cdist(X, X) ** 2


@quantity
def blocks(X):
    """Distances in city blocks, of no Euclidean space."""
    return cdist(X, X, "cityblock")


@quantity
def rows(X):
    return np.arange(len(X))


@quantity
def halves(X):
    """Two classes, by the sign of the first feature about its median."""
    return (X[:, 0] > np.median(X[:, 0])).astype(int)
