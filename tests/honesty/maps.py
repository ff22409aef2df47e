"""What `validate_map` says of maps of noise and of signal, and whether that is true."""

import time

import numpy as np
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import NeighborhoodComponentsAnalysis
from sklearn.pipeline import make_pipeline

from toolkit.discriminant import LFDA
from toolkit.embed import TSNE
from toolkit.fisher import ParzenFisher
from toolkit.lvq import GMLVQ
from toolkit.validation import ProjectedMap, validate_map

from .processes import draw

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
}
FRESH = 1000


def map_at(process, name, seed):
    """Statements about a map of one draw of a process beside the truth, as a dict."""
    one = draw(process, seed)
    columns = one.frame.columns.drop("y")
    X, y = one.frame[columns].to_numpy(), one.frame["y"].to_numpy()
    fresh = one.fresh(FRESH)
    options = {"n_permutations": 0, "n_jobs": 1, "verbose": False}
    begin = time.process_time()
    found = validate_map(MAPS[name], X, y, **options)
    seconds = time.process_time() - begin
    n = len(X)
    if name == "t-SNE":
        # a map of all rows: its error is that of maps of others
        others = [one.fresh(n) for _ in range(5)]
        true = [
            validate_map(MAPS[name], f[columns], f["y"], **options).error
            for f in others
        ]
    else:
        train = np.random.default_rng(0).permutation(n)[: 4 * n // 5]
        test = {"X_test": fresh[columns].to_numpy(), "y_test": fresh["y"]}
        true = validate_map(
            MAPS[name], X[train], y[train], **test, **options
        ).error
    low, high = found.interval
    return {
        "n": n,
        "error": found.error,
        "low": low,
        "high": high,
        "true": np.mean(true),
        "below": high < found.baseline,
        "seconds": seconds,
    }
