"""The Fisher metric of a real-valued target from similarities alone.

The thesis leaves it open (chapter 6). The process of :mod:`.gp` sees squared distances only, and these are
s_ii + s_jj - 2 s_ij: so it can work in coordinates whose scalar products are the similarities, S = V diag(values) V^T.
"""

import numpy as np
from sklearn.utils.validation import validate_data

from ..core.checks import check_magnitude
from ..core.estimators import restore_on_failure
from .base import checked_samples
from .gp import GPFisher
from .spectra import check_indefinite, check_similarities, negative_share, spectrum

__all__ = ["KernelGPFisher"]


class KernelGPFisher(GPFisher):
    """:class:`GPFisher` for data known by their similarities; the same distances if these are scalar products.

    Parameters
    ----------
    beta, noise, lam, n_jobs : as for :class:`GPFisher`
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

    def __init__(self, beta=None, noise=None, lam=0.0, *, indefinite="clip", n_jobs=None):
        super().__init__(beta, noise, lam, n_jobs=n_jobs)
        self.indefinite = indefinite

    @restore_on_failure
    def fit(self, X, y):
        """Fit the process.

        Parameters
        ----------
        X : array-like of shape (n, n), symmetric similarities
        y : array-like of shape (n,), real

        Returns
        -------
        self
        """
        S = check_similarities(validate_data(self, X, dtype=np.float64, ensure_min_samples=2))
        check_magnitude(S)
        check_indefinite(self.indefinite, ("clip", "flip"))
        if 0 < np.abs(S).max() < 1e-190:
            raise ValueError(
                f"`X` must hold similarities of 1e-190 at least, or `beta_` and matrices overflow; got "
                f"{np.abs(S).max():.3g} as the largest. Rescale it."
            )
        values, V, changed = spectrum(S, self.indefinite)
        kept = changed > 1e-12 * np.abs(values).max()
        if not kept.any():
            raise ValueError(
                "`X` has no positive eigenvalue, so there are no coordinates with these scalar products; similarities "
                'grow with likeness, distances do not. `indefinite="flip"` takes negative ones as positive.'
            )
        # rows of similarities to the training samples -> coordinates
        self._to_coordinates = V[:, kept] * (np.sqrt(changed[kept]) / values[kept])
        self.negative_share_ = negative_share(values)
        return self._fit(V[:, kept] * np.sqrt(changed[kept]), y)

    def matrix(self, X):
        """Fisher matrices in the coordinates of the training samples.

        Parameters
        ----------
        X : array-like of shape (m, n), similarities to the training samples

        Returns
        -------
        ndarray of shape (m, n, n)
            For a direction u = sum_l c_l x_l the squared length is c^T matrix c.
        """
        F = self.factors(X)
        return F.transpose(0, 2, 1) @ F + self._lam * self._X @ self._X.T

    def factors(self, X):
        """Factors F of :meth:`matrix` without `lam`, (m, 2, n), from similarities (m, n)."""
        return super().factors(X) @ self._X.T

    def _checked(self, X, name="X"):
        return checked_samples(self, X, name) @ self._to_coordinates

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        return tags
