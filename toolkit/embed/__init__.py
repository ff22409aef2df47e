"""Maps of samples given as vectors or as distances of any kind, each with one interface."""

from .isomap import Isomap
from .mds import MDS
from .tsne import TSNE

__all__ = ["MDS", "TSNE", "Isomap"]
