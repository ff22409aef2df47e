"""Maps of samples given as vectors or as distances of any kind, each with one interface."""

from .mds import MDS
from .mvu import MVU
from .nerv import NeRV

__all__ = ["MDS", "MVU", "NeRV"]
