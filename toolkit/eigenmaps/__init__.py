"""Laplacian eigenmaps without and with labels: each class chooses the weights of a graph.

LE, CCDR, SLE-ML and S-LapEig share the sparse eigensolver of :mod:`toolkit.eigenmaps.solver`; the baselines CS and S-LE
solve dense eigenproblems of their own. Formulas are cited as Tai2019: Tai, Kudo, Tanaka, Imai and Kimura, "A supervised
Laplacian eigenmap algorithm for visualization of multi-label data: SLE-ML" (2019).
"""

from ..core.graphs import heat_weights, knn_of_new
from .baselines import SLE, ConstraintScoreMap, SLapEig
from .maps import CCDR, SLEML, LaplacianEigenmap

__all__ = ["CCDR", "SLE", "SLEML", "ConstraintScoreMap", "LaplacianEigenmap", "SLapEig", "heat_weights", "knn_of_new"]
