"""Kernel maps: out-of-sample extension of an embedding, and the inverse map."""

from .forward import KernelMap
from .inverse import InverseMap

__all__ = ["InverseMap", "KernelMap"]
