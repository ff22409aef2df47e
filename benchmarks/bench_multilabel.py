"""SL-A, FL-A and SL-B: time against a dense or literal solution in the same run, and peak memory.

Sizes as in the Scene data; SL-B also at n = 20,000, where the literal form would need
an array of 3 GB.
"""

import numpy as np
import scipy.linalg
from timing import timed

from toolkit.multilabel import (
    FeatureLabelEigenmap,
    SampleLabelEigenmap,
    SampleLabelMap,
)


def problem(n, d=294, l=6):
    rng = np.random.default_rng(0)
    Y = np.eye(l)[np.arange(n) % l]
    return rng.random((n, d)) + Y @ rng.random((l, d)), Y.astype(int)


def literal_sla(X, Y):
    """Sphering by the covariance and its inverse root, the map from the full matrix."""
    Xc = X - X.mean(axis=0)
    root = scipy.linalg.fractional_matrix_power(Xc.T @ Xc / len(X), -0.5).real
    return np.linalg.svd((Xc @ root).T @ Y / len(X))


def literal_slb(X, Y):
    """W as printed, with the weights of the estimator's defaults, and a dense generalised eigenproblem."""
    alpha = Y.sum() / (len(X) * np.sum(X**2))
    W = np.block([[alpha * X @ X.T, Y], [Y.T, Y.T @ Y]])
    n = len(W)
    return scipy.linalg.eigh(
        W, np.diag(W.sum(axis=1)), subset_by_index=[n - 3, n - 1]
    )


def main():
    X, Y = problem(2407)
    rows = [
        (
            "SL-A, n = 2,407",
            *timed(lambda: SampleLabelMap().fit(X, Y)),
            X.nbytes,
        ),
        ("SL-A, literal", *timed(lambda: literal_sla(X, Y)), X.nbytes),
        (
            "FL-A, n = 2,407",
            *timed(lambda: FeatureLabelEigenmap().fit(X, Y)),
            X.nbytes,
        ),
        (
            "SL-B, n = 2,407",
            *timed(lambda: SampleLabelEigenmap().fit(X, Y)),
            X.nbytes,
        ),
        ("SL-B, dense n x n", *timed(lambda: literal_slb(X, Y), 1), X.nbytes),
    ]
    X2, Y2 = problem(20_000)
    rows.append(
        (
            "SL-B, n = 20,000",
            *timed(lambda: SampleLabelEigenmap().fit(X2, Y2), 1),
            X2.nbytes,
        )
    )
    unit = rows[0][1]
    print(f"{'method':20} {'seconds':>8} {'to SL-A':>8} {'peak / X':>9}")
    for name, seconds, peak, size in rows:
        print(
            f"{name:20} {seconds:8.3f} {seconds / unit:8.1f} {peak / size:9.1f}"
        )
    print(
        f"SL-B against the dense problem: {rows[4][1] / rows[3][1]:.0f} times faster"
    )


if __name__ == "__main__":
    main()
