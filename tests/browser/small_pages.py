"""Pages of small tables and of explorers, each with few draws, permutations and trees."""

import sys
from pathlib import Path

import numpy as np
from scipy.spatial.distance import pdist, squareform
from sklearn.linear_model import LogisticRegression

from toolkit.explorer import Explorer, SampleInfo

# Its tables are those of the pages.
sys.path.append(str(Path(__file__).parents[1] / "tabular"))
from own_tables import synthetic
from small_tables import quick_looks, quiet, table_of, with_separation


def make_page(kind, folder):
    """The page of a small table of this kind, or of an explorer, with few draws, permutations and trees."""
    path = folder / f"{kind}.html"
    X = table_of(n=40)[["u", "v", "w"]]
    # some rows that any model gets wrong
    y = np.where((X.u + X.v > 0) ^ (np.arange(40) % 5 == 0), "ripe", "raw")
    D = squareform(pdist(X))
    if kind == "bars":
        return Explorer(
            lambda size: {"bars": size * np.eye(4)[:, :2].cumsum(axis=1)},
            {"size": [1, 2]},
        ).save(path)
    if kind == "explorer":
        return Explorer(
            lambda size, flag, how: size * X[["u", "v"]].to_numpy(),
            {"size": [1, 2], "flag": [False, True], "how": ["a", "b"]},
            labels=y,
            samples=SampleInfo(columns=X),
            code="f({size})",
        ).save(path)
    a, b = (X[["u", "v"]] > 0).T.to_numpy() * 1
    similarities = np.exp(-(D**2))
    if kind == "classes":
        options = synthetic(folder, n=60)
    elif kind == "values":
        options = {"data": X.assign(size=X.u + X.v), "target": "size"}
    elif kind == "labels":
        options = {"data": X.assign(a=a, b=b), "labels": ["a", "b"]}
    elif kind == "distances":
        options = {"data": D, "distances": True, "classes": y}
    elif kind == "similarities":
        options = {"data": similarities, "similarities": True, "classes": y}
    else:
        options = {"data": X.assign(kind=y), "target": "kind"}
        options["model"] = LogisticRegression()
    with quick_looks():
        return with_separation(quiet(**options), 1).report(path)
