"""Transfer (domain adaptation) without labels or correspondences: shared embeddings, chapter 5 of the thesis."""

from .kernel import SharedKernelEmbedding
from .linear import SharedLinearEmbedding

__all__ = ["SharedKernelEmbedding", "SharedLinearEmbedding"]
