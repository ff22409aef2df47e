"""Fisher metric of a real-valued target from similarities alone (kernel matrices).

The thesis leaves it open (chapter 6). The process of :mod:`.gp` sees squared distances only, and these are
s_ii + s_jj - 2 s_ij: so it can work in coordinates whose scalar products are the similarities, S = V diag(values) V^T.
"""

import numpy as np

from ..core.checks import check_magnitude
from ..core.estimators import restore_on_failure
from .gp import GPFisher
from .spectra import Similarities

__all__ = ["KernelGPFisher"]


class KernelGPFisher(Similarities, GPFisher):
    """:class:`GPFisher` for data known by their similarities; the same distances if these are scalar products.

    Parameters
    ----------
    beta, noise, lam, n_jobs, verbose : as for :class:`GPFisher`
    indefinite : {"clip", "flip"}, default="clip"
        What becomes of negative eigenvalues of the similarities: set to 0, or made positive.

    Attributes
    ----------
    beta_, noise_, alpha_ : as for :class:`GPFisher`
    negative_share_ : float, absolute sum of the negative eigenvalues over that of all

    Notes
    -----
    In the methods `X` holds similarities to the training samples, shape (m, n). A new sample is seen by its part in the
    space of the training samples; what lies outside shows in its similarity to itself only.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> KernelGPFisher(beta=30.0, noise=0.5).fit(X[:100] @ X[:100].T, y[:100]).distances().shape
    (100, 100)
    """

    def __init__(self, beta=None, noise=None, lam=0.0, *, indefinite="clip", n_jobs=None, verbose=False):
        super().__init__(beta, noise, lam, n_jobs=n_jobs, verbose=verbose)
        self.indefinite = indefinite

    @restore_on_failure
    def fit(self, X, y):
        """Fit the process to similarities X (n, n), symmetric, and real targets y (n,)."""
        S = self._similarities(X, ("clip", "flip"))
        check_magnitude(S)
        largest = np.abs(S).max()
        if 0 < largest < 1e-190:
            rule = "similarities of 1e-190 at least, or `beta_` and matrices overflow"
            raise ValueError(f"`X` must hold {rule}; got {largest:.3g} as the largest. Rescale it.")
        values, V, changed = self._spectrum(S)
        kept = changed > 1e-12 * np.abs(values).max()
        if not kept.any():
            why = "`X` has no positive eigenvalue, so there are no coordinates with these scalar products"
            remedy = '`indefinite="flip"` takes negative ones as positive'
            raise ValueError(f"{why}; similarities grow with likeness, distances do not. {remedy}.")
        # rows of similarities to the training samples -> coordinates
        self._to_coordinates = V[:, kept] * (np.sqrt(changed[kept]) / values[kept])
        return self._fit(V[:, kept] * np.sqrt(changed[kept]), y)

    def matrix(self, X):
        """Fisher matrices (m, n, n) in coordinates of the training samples, as by :meth:`KernelFisher.matrix`."""
        F = self.factors(X)
        return F.transpose(0, 2, 1) @ F + self._lam * self._X @ self._X.T

    def factors(self, X):
        """Factors F of :meth:`matrix` without `lam`, (m, 2, n), from similarities (m, n)."""
        return super().factors(X) @ self._X.T

    def _checked(self, X, name="X"):
        return super()._checked(X, name) @ self._to_coordinates
