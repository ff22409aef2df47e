"""Laplacian eigenmaps with and without labels, which change the weights of a graph.

LE, CCDR, SLE-ML and S-LapEig use the sparse eigensolver of
:mod:`toolkit.eigenmaps.solver`; the baselines CS and S-LE solve dense eigenproblems.
Formulas are cited as Tai2019: Tai, Kudo, Tanaka, Imai and Kimura, "A
supervised Laplacian eigenmap algorithm for visualization of multi-label data: SLE-ML"
(2019).

In `SLEML` and `CCDR`, which are semi-supervised, -1 means "no label" (a row of -1 in a
label matrix). So no class may be named -1: the labels -1 and +1 alone are refused, and
the message says what to do.

A map of 1,500 digits takes a tenth of a second, and new samples are projected onto it:

>>> from sklearn.datasets import load_digits
>>> from toolkit.eigenmaps import SLEML
>>> X, y = load_digits(return_X_y=True)
>>> sleml = SLEML(lam=0.5).fit(X[:1500], y[:1500])  # y = -1 for samples without a label
>>> sleml.embedding_.shape, sleml.transform(X[1500:]).shape
((1500, 2), (297, 2))
>>> maps, eigenvalues = sleml.path([0.5, 0.9])  # other lambdas on the same graph
"""

from .baselines import SLE, ConstraintScoreMap, SLapEig
from .maps import CCDR, SLEML, LaplacianEigenmap

__all__ = [
    "CCDR",
    "SLE",
    "SLEML",
    "ConstraintScoreMap",
    "LaplacianEigenmap",
    "SLapEig",
]
