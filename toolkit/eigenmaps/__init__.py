"""Laplacian eigenmaps without and with labels: each class chooses the weights of a graph, one solver serves all."""

from .baselines import SLE, ConstraintScoreMap, SLapEig
from .maps import CCDR, SLEML, LaplacianEigenmap

__all__ = ["CCDR", "SLE", "SLEML", "ConstraintScoreMap", "LaplacianEigenmap", "SLapEig"]
