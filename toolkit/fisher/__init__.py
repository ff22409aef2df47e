"""Fisher information metrics in the data space: supervised distances that count what changes a class or a target."""

from .gp import GPFisher
from .kernel import KernelFisher
from .kernel_gp import KernelGPFisher
from .model import ModelFisher
from .overfitting import overfitting_check
from .parzen import ParzenFisher

__all__ = ["GPFisher", "KernelFisher", "KernelGPFisher", "ModelFisher", "ParzenFisher", "overfitting_check"]
