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


def found(X, y):
    kind = (
        ProblemName.REGRESSION
        if y.dtype.kind == "f"
        else ProblemName.CLASSIFICATION
    )
    if kind is ProblemName.CLASSIFICATION:
        y = np.where(y == np.unique(y)[0], -1, 1)
    with warnings.catch_warnings(action="ignore"):
        return np.asarray(
            FRI(kind, random_state=0).fit(X, y).allrel_prediction_, dtype=bool
        )


def main(given, answer):
    with np.load(given) as tables:
        pairs = [
            (tables[f"X{k}"], tables[f"y{k}"])
            for k in range(len(tables.files) // 2)
        ]
    masks = Parallel(-1, verbose=1)(delayed(found)(X, y) for X, y in pairs)
    np.savez(answer, **{f"found{k}": mask for k, mask in enumerate(masks)})


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
