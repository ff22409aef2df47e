"""Maps of samples given as vectors or as distances of any kind, each with one interface."""

from .mds import MDS
from .parametric import ParametricTSNE

__all__ = ["MDS", "ParametricTSNE"]
