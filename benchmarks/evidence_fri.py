"""The features that the package fri finds, for ``benchmarks/evidence.py``, in an environment of its own.

``python evidence_fri.py PROBLEMS.npz FOUND.npz`` reads arrays X0, y0, X1, ... and
writes found0, ... (booleans): the features of either kind of relevance, strong or weak,
by fri's own probes, with its defaults.
"""

import sys
import warnings

import numpy as np
from fri import FRI, ProblemName
from joblib import Parallel, delayed


def relevant_features(X, y):
    kind = ProblemName.REGRESSION
    if y.dtype.kind != "f":
        kind = ProblemName.CLASSIFICATION
        y = np.where(y == np.unique(y)[0], -1, 1)
    with warnings.catch_warnings(action="ignore"):
        model = FRI(kind, random_state=0).fit(X, y)
    return np.asarray(model.allrel_prediction_, dtype=bool)


def main(problems_file, results_file):
    pairs = []
    with np.load(problems_file) as arrays:
        for k in range(len(arrays.files) // 2):
            pairs.append((arrays[f"X{k}"], arrays[f"y{k}"]))
    masks = Parallel(-1, verbose=1)(
        delayed(relevant_features)(X, y) for X, y in pairs
    )
    results = {f"found{k}": mask for k, mask in enumerate(masks)}
    np.savez(results_file, **results)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
