"""Transfer without labels or correspondences: shared linear and nonlinear embeddings, chapter 5 of the thesis."""

from .linear import SharedLinearEmbedding

__all__ = ["SharedLinearEmbedding"]
