"""Kernel maps: out-of-sample extension of any embedding, and the way back from the plane to the data."""

from .forward import KernelMap
from .inverse import InverseMap

__all__ = ["InverseMap", "KernelMap"]
