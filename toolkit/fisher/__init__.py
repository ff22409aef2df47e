"""The Fisher metric in the space of the data: distances that count what changes a class or a target."""

from .gp import GPFisher
from .kernel import KernelFisher
from .model import ModelFisher
from .parzen import ParzenFisher

__all__ = ["GPFisher", "KernelFisher", "ModelFisher", "ParzenFisher"]
