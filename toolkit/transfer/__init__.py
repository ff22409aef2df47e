"""Transfer without labels or correspondences: shared linear and nonlinear embeddings, chapter 5 of the thesis."""

from .kernel import SharedKernelEmbedding
from .linear import SharedLinearEmbedding

__all__ = ["SharedKernelEmbedding", "SharedLinearEmbedding"]
