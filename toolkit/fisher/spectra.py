"""Similarities as data: their eigenvalues, what becomes of negative ones, and the distances that they define."""

import numpy as np

from ..core.arrays import SIMILARITIES
from ..core.checks import check_kernel, check_option
from ..core.estimators import training_samples
from ..core.linalg import symmetric_eigenpairs
from ..core.memory import check_memory
from ..core.progress import progress

__all__ = ["Similarities", "check_similarities", "squared_lengths"]


class Similarities:
    """For metrics with a parameter `indefinite` whose `X` holds similarities to the training samples."""

    def _similarities(self, X):
        """Symmetric similarities (n, n)."""
        S = training_samples(self, X, rule=SIMILARITIES)
        check_memory("The eigenvalues of similarities", len(S), arrays=10, remedy="Fit a sample.")
        S = check_similarities(S)
        check_option(self.indefinite, "indefinite", ("clip", "flip", "none"))
        return S

    def _spectrum(self, S):
        """Eigenvalues of S (n, n), eigenvectors, and the eigenvalues that replace them."""
        with progress(1, "eigenvalues", self.verbose):
            values, V = symmetric_eigenpairs(S)
        self.negative_share_ = float(-values[values < 0].sum() / max(np.abs(values).sum(), 1e-300))
        return values, V, {"clip": np.maximum(values, 0), "flip": np.abs(values), "none": values}[self.indefinite]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        return tags


def check_similarities(S):
    """Symmetric similarities (n, n); distances, which are 0 from a sample to itself, are refused."""
    S = check_kernel(S, name="X")
    if not S.diagonal().any() and S.min() >= 0 and S.max() > 0:
        raise ValueError(
            "`X` must hold similarities, but is 0 from each sample to itself and positive elsewhere, as distances "
            "are. Of distances D make -J D^2 J / 2 with J = I - 1/n, or use the vectors themselves."
        )
    return S


def squared_lengths(S, rows=slice(None), columns=slice(None)):
    """Squared distances s_ii + s_jj - 2 s_ij between some samples, those below 0 as 0, from similarities S (n, n)."""
    own = np.diag(S)
    return np.maximum(own[rows][:, None] + own[columns] - 2 * S[rows][:, columns], 0)
