"""Maps of samples given as vectors or as distances of any kind, each with one interface."""

from .gtm import GTM
from .mds import MDS
from .som import SOM

__all__ = ["GTM", "MDS", "SOM"]
