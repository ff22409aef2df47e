"""Laplacian eigenmaps without and with labels: each class chooses the weights of a graph, one solver serves all."""

from .maps import CCDR, SLEML, LaplacianEigenmap
from .rivals import SLE, ConstraintScoreMap, SLapEig

__all__ = ["CCDR", "SLE", "SLEML", "ConstraintScoreMap", "LaplacianEigenmap", "SLapEig"]
