"""What `validate_map` says of maps of noise and of signal, and whether that is true."""

import time
from functools import cache

import numpy as np
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import NeighborhoodComponentsAnalysis
from sklearn.pipeline import make_pipeline

from toolkit import look
from toolkit.core import suppress_scale_warning
from toolkit.discriminant import LFDA
from toolkit.embed import TSNE
from toolkit.fisher import ParzenFisher
from toolkit.lvq import GMLVQ
from toolkit.tabular.maps import compare_maps
from toolkit.validation import ProjectedMap, as_target, validate_map

from .processes import draw

OF_LOOK = "of a look"  # of few rows, in folds
MAPS = {
    "LDA": LinearDiscriminantAnalysis(),
    "NCA": NeighborhoodComponentsAnalysis(2, max_iter=50, random_state=0),
    "LFDA": LFDA(2),
    "GMLVQ": GMLVQ(random_state=0),
    "PCA, then LFDA": make_pipeline(PCA(5), LFDA(2)),
    "t-SNE": TSNE(random_state=0),
    "Fisher t-SNE": ProjectedMap(
        TSNE(metric="precomputed", random_state=0), ParzenFisher()
    ),
    OF_LOOK: None,
}
FRESH = 1000
OPTIONS = {"n_permutations": 0, "n_jobs": 1, "verbose": False}


def look_map_at(process, seed):
    """Statements about the map of a look of few rows, as of `map_at`.

    The true error is that of fresh rows on maps of four fifths of the rows, each with
    the method that is chosen on these.
    """
    one = draw(process, seed)
    columns = one.frame.columns.drop("y")
    begin = time.process_time()
    look_result = look(one.frame, "y", verbose=False, n_jobs=1)
    found = look_result.map_.supervised
    seconds = time.process_time() - begin
    if not found.is_cross_validated:
        raise ValueError(f"{process} must have few rows; got {len(one.frame)}")
    fresh = one.fresh(FRESH)
    n = len(one.frame)
    X = np.vstack([one.frame[columns], fresh[columns]])
    # as the columns of the look are
    deviations = X[:n].std(axis=0)
    X = (X - X[:n].mean(axis=0)) / deviations
    values = np.concatenate([one.frame["y"], fresh["y"]])
    target = as_target(values, n + FRESH)
    groups = np.arange(n + FRESH)
    order = np.random.default_rng(0).permutation(n)
    train = order[: 4 * n // 5]
    with suppress_scale_warning():
        both = compare_maps(
            X, target, groups, train, groups[n:], look_result.seed
        )
    low, high = found.interval
    below = high < look_result.map_.task.baseline()
    return {
        "n": n,
        "error": found.error,
        "low": low,
        "high": high,
        "true": both.supervised.error,
        "below": below,
        "seconds": seconds,
    }


def map_at(process, name, seed):
    """Statements about a map of one draw of a process beside the truth, as a dict."""
    if name == OF_LOOK:
        return look_map_at(process, seed)
    process_drawn = draw(process, seed)
    columns = process_drawn.frame.columns.drop("y")
    X = process_drawn.frame[columns].to_numpy()
    y = process_drawn.frame["y"].to_numpy()
    fresh = process_drawn.fresh(FRESH)
    begin = time.process_time()
    validation = validate_map(MAPS[name], X, y, **OPTIONS)
    seconds = time.process_time() - begin
    n = len(X)
    if name == "t-SNE":
        true = joint_error(process)
    else:
        order = np.random.default_rng(0).permutation(n)
        train = order[: 4 * n // 5]
        test = {"X_test": fresh[columns].to_numpy(), "y_test": fresh["y"]}
        true = validate_map(
            MAPS[name], X[train], y[train], **test, **OPTIONS
        ).error
    low, high = validation.interval
    return {
        "n": n,
        "error": validation.error,
        "low": low,
        "high": high,
        "true": true,
        "below": high < validation.baseline,
        "seconds": seconds,
    }


@cache
def joint_error(process):
    """Mean error of maps of all rows: nothing else can be placed in such a one."""
    draws = (draw(process, seed).frame for seed in range(1000, 1040))
    errors = [
        validate_map(
            MAPS["t-SNE"], f.drop(columns="y"), f["y"], **OPTIONS
        ).error
        for f in draws
    ]
    return np.mean(errors)
