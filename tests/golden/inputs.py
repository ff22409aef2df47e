"""Three small data sets and what is derived from them, by name: the inputs of all cases."""

from functools import cache

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression

__all__ = ["INPUTS", "inputs"]

# Samples per class, features, and the seed.
INPUTS = {"three classes": ([12, 12, 12], 5, 0), "more features": ([12, 12], 30, 1), "uneven": ([5, 9, 12, 8], 4, 2)}


@cache
def inputs(name, rounding=0):
    """The arrays of an input, read-only, by key.

    With `rounding` every feature is multiplied by a number that differs from 1 in the last digit: a result that then
    changes much amplifies rounding, and is no result to be stored.

    Keys: `X` (n, d), `y` (n,) classes, `names` the same as text, `part` with -1 for every third one, `Y` (n, l) label
    matrix, `Y_part` the same with rows of -1, `t` (n,) target, `w` (d,) weights, `D` (n, n) distances, `S` (n, n)
    similarities, `Z` (n, 2) a map, and the same with `_new` for samples that nothing is fitted to. "uneven" has
    repeated samples and features of unequal scale.
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
        found |= {f"X{ending}": X, f"y{ending}": y, f"names{ending}": np.array(list("abcd"))[y]}
        eye = np.eye(len(sizes), dtype=int)
        found[f"Y{ending}"] = eye[y] | eye[(y + (X[:, 0] > np.median(X[:, 0]))) % len(sizes)]
        found[f"t{ending}"] = X[:, 0] / np.abs(X[:, 0]).max() + np.sin(X[:, 1])
    X, y = found["X"], found["y"]
    found["part"] = np.where(np.arange(len(y)) % 3 == 2, -1, y)
    found["Y_part"] = np.where((found["part"] == -1)[:, None], -1, found["Y"])
    found["w"] = rng.normal(size=d) / X.std(axis=0)
    found["D"], found["D_new"] = cdist(X, X), cdist(found["X_new"], X)
    width = np.median(found["D"]) ** 2
    found["S"], found["S_new"] = np.exp(-(found["D"] ** 2) / width), np.exp(-(found["D_new"] ** 2) / width)
    pca = PCA(2, svd_solver="full").fit(X)
    found["Z"], found["Z_new"] = pca.transform(X), pca.transform(found["X_new"])
    for array in found.values():
        array.setflags(write=False)
    found["model"] = LogisticRegression(max_iter=5000, tol=1e-8).fit((X - X.mean(axis=0)) / X.std(axis=0), y)
    return found
