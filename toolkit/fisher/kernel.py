"""Fisher metric of classes from similarities alone (kernel matrices): their negative eigenvalues, their distances."""

from dataclasses import KW_ONLY

import numpy as np

from ..core.arrays import SIMILARITIES
from ..core.checks import check_kernel, check_option, check_positive
from ..core.estimators import restore_on_failure, training_samples
from ..core.linalg import symmetric_eigenpairs
from ..core.memory import check_memory
from ..core.parameters import parameters
from ..core.progress import progress
from .window import WindowFisher, check_width


@parameters
class KernelFisher(WindowFisher):
    """:class:`ParzenFisher` for data known by their similarities only; the same distances if these are scalar products.

    Parameters
    ----------
    bandwidth : float > 0 or None, default=None
        Standard deviation of the window, in units of the square root of a similarity.
        None: by perplexity.
    lam : float >= 0, default=0.0
        Weight of the Euclidean metric of the similarities added, (2.16); among training
        samples only.
    indefinite : {"clip", "flip", "none"}, default="clip"
        What becomes of negative eigenvalues of the similarities: set to 0, made
        positive, or left as they are.
    perplexity, n_centers, n_jobs, random_state, verbose : as for :class:`ParzenFisher`
        With fewer centres than samples, errors of the others tell whether the metric
        overfits the labels.

    Attributes
    ----------
    bandwidth_ : float
    similarities_ : ndarray of shape (n, n), of the training samples, after clipping or flipping
    negative_share_ : float, absolute sum of the negative eigenvalues over that of all
    classes_ : ndarray of shape (c,)

    Notes
    -----
    |x - x_l|^2 = s_xx + s_ll - 2 s_xl, and s_xx cancels in (2.19): rows of similarities to the training samples are all
    that is needed, (2.24) to (2.26) of Schulz (2017), section 2.5. In the methods `X` holds such rows, shape (m, n).
    With ``"none"`` squared lengths under the Fisher metric stay positive: they are variances of scalar products.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> KernelFisher().fit(X @ X.T, y).distances().shape
    (150, 150)
    """

    _: KW_ONLY
    indefinite: str = "clip"

    _arrays = 14.0  # similarities and the lengths that they define among them

    @restore_on_failure
    def fit(self, X, y):
        """Fit the window to similarities X (n, n), symmetric, and classes y (n,), at least two."""
        S = training_samples(self, X, rule=SIMILARITIES)
        check_memory(
            "The eigenvalues of similarities", len(S), arrays=10, remedy="Fit a sample."
        )
        S = check_similarities(S)
        check_option(self.indefinite, "indefinite", ("clip", "flip", "none"))
        self._order = self._choose_centers(y, len(S))
        with progress(1, "eigenvalues", self.verbose):
            values, V = symmetric_eigenpairs(S)
        self.negative_share_ = float(
            -values[values < 0].sum() / max(np.abs(values).sum(), 1e-300)
        )
        # new rows s become s @ P, with coordinates dropped or turned as those of `fit`
        self._projection = None
        if self.indefinite != "none":
            changed = (
                np.abs(values) if self.indefinite == "flip" else np.maximum(values, 0)
            )
            present = np.abs(values) > 1e-12 * np.abs(values).max()
            factor = np.where(present, changed / np.where(present, values, 1), 0)
            self._projection = (V * factor) @ V.T
            S = (V * changed) @ V.T
            S = (S + S.T) / 2
        self.similarities_ = self._X = S
        self.bandwidth_ = self._width(S)
        return self

    def matrix(self, X):
        """Fisher matrices J (m, n, n) in coordinates of the training samples, from similarities X (m, n).

        A direction u = sum_l c_l x_l has the squared length c^T J c; `lam` adds lam
        times the similarities.
        """
        return super().matrix(X) + self._lam * (
            self.similarities_ - np.eye(len(self.similarities_))
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        return tags

    def _width(self, S):
        if self.bandwidth is None:
            return self._perplexity_bandwidth(
                lambda rows: squared_lengths(S, self._order[rows], self._order)
            )
        deviation = np.sqrt(max(np.mean(np.diag(S)) - S.mean(), 0))
        return check_width(check_positive(self.bandwidth, "bandwidth"), deviation)

    def _checked(self, X, name="X"):
        X = super()._checked(X, name)
        return X if self._projection is None else X @ self._projection

    def _logits(self, X):
        # Eq. (2.26), over -2 sigma^2, at the two ends of a line and without what all
        # components share
        return ((X - np.diag(self.similarities_) / 2) / self.bandwidth_**2)[
            :, self._order
        ]

    def _slopes(self):
        return self.similarities_[self._order] / self.bandwidth_**2

    def _squared(self, A, B, rows=slice(None), columns=slice(None)):
        if isinstance(rows, slice):
            self._only_training(A, B)
        return squared_lengths(self.similarities_, rows, columns)

    def _squared_pairs(self, A, B, rows, columns):
        size = np.diag(self.similarities_)
        return np.maximum(
            size[rows] + size[columns] - 2 * self.similarities_[rows, columns], 0
        )

    def _vectors(self, X):
        if self._lam:
            self._only_training(X)

    def _only_training(self, *arrays):
        S = self.similarities_
        size = 1e-9 * np.abs(S).max()
        for A in arrays:
            if A.shape != S.shape or not np.allclose(A, S, rtol=1e-9, atol=size):
                raise ValueError(
                    "`lam` above 0 needs the similarity of each sample to itself, which"
                    " rows of new samples do not hold; call `distances()` for the"
                    " training samples, or fit with `lam=0`."
                )


def check_similarities(S):
    """Symmetric similarities (n, n); distances, which are 0 from a sample to itself, are refused."""
    S = check_kernel(S, name="X")
    if not S.diagonal().any() and S.min() >= 0 and S.max() > 0:
        raise ValueError(
            "`X` must hold similarities, but is 0 from each sample to itself and"
            " positive elsewhere, as distances are. Of distances D make -J D^2 J / 2"
            " with J = I - 1/n, or use the vectors themselves."
        )
    return S


def squared_lengths(S, rows=slice(None), columns=slice(None)):
    """Squared distances s_ii + s_jj - 2 s_ij between some samples, those below 0 as 0, from similarities S (n, n)."""
    own = np.diag(S)
    return np.maximum(own[rows][:, None] + own[columns] - 2 * S[rows][:, columns], 0)
