"""Maps of samples given as vectors or as distances of any kind, each with one interface."""

from .gtm import GTM
from .isomap import Isomap
from .mds import MDS
from .som import SOM
from .tsne import TSNE

__all__ = ["GTM", "MDS", "SOM", "TSNE", "Isomap"]
