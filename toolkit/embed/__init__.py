"""Maps of samples given as vectors or as distances, with one interface."""

from .gtm import GTM
from .isomap import Isomap
from .mds import MDS
from .mvu import MVU
from .nerv import NeRV
from .parametric import ParametricTSNE
from .som import SOM
from .tsne import TSNE

__all__ = [
    "GTM",
    "MDS",
    "MVU",
    "SOM",
    "TSNE",
    "Isomap",
    "NeRV",
    "ParametricTSNE",
]
