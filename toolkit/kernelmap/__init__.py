"""Kernel maps: out-of-sample extension of any embedding, and the inverse map from the plane to the data space."""

from .forward import KernelMap
from .inverse import InverseMap

__all__ = ["InverseMap", "KernelMap"]
