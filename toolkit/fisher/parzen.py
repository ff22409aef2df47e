"""The Fisher metric of classes whose probabilities a Parzen window estimates."""

from numbers import Real

import numpy as np
from sklearn.utils.validation import validate_data

from ..core.checks import check_magnitude, check_positive
from ..core.estimators import restore_on_failure
from ..core.graphs import squared_distances
from ..core.labels import check_labels
from .bandwidth import check_width, perplexity_bandwidth, reference_bandwidth
from .base import ClassFisher
from .density import Components, chosen_centers

__all__ = ["ParzenFisher"]


class ParzenFisher(ClassFisher):
    """Distances that count only what changes the class, by a Parzen window over labelled samples.

    Parameters
    ----------
    bandwidth : float > 0, "rule" or None, default=None
        Standard deviation of the window, in units of the features. None: the mean over samples of that which has the
        given perplexity (a far outlier widens it); "rule": the normal-reference rule.
    lam : float >= 0, default=0.0
        Weight of the Euclidean metric added, J + lam I, (2.16).
    perplexity : float > 1, default=30
        How many samples a window sees, for ``bandwidth=None``; at most a third of the centres.
    n_centers : int, float in (0, 1] or None, default=None
        How many centres the window has, or which share of the samples: a random part of each class, in proportion and
        at least one; None: all samples.
    n_jobs : int or None, default=None
        Threads of joblib for distances.
    random_state : int, RandomState or None
        For the choice of centres.

    Attributes
    ----------
    bandwidth_ : float
    centers_ : ndarray of shape (m, n_features), sorted by class
    classes_ : ndarray of shape (c,)

    Notes
    -----
    p(c | x) is the share of class c in the window, (2.19); its Fisher matrix is (2.20) to (2.23). A narrow window
    learns the labels by heart: compare with permuted labels.

    References
    ----------
    Schulz, thesis, section 2.4.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> D = ParzenFisher().fit(X, y).distances()
    >>> D.shape, bool(D[0, 1] < D[0, 100])
    ((150, 150), True)
    """

    def __init__(self, bandwidth=None, lam=0.0, *, perplexity=30, n_centers=None, n_jobs=None, random_state=None):
        self.bandwidth = bandwidth
        self.lam = lam
        self.perplexity = perplexity
        self.n_centers = n_centers
        self.n_jobs = n_jobs
        self.random_state = random_state

    @restore_on_failure
    def fit(self, X, y):
        """Fit the window.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), at least two classes

        Returns
        -------
        self
        """
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        check_magnitude(X)
        labels = check_labels(y, len(X), name="y")
        if labels.multilabel:
            raise ValueError("`y` must hold one class a sample, shape (n,); got a matrix of labels.")
        codes = labels.Y.argmax(axis=1)
        self._start()
        chosen = chosen_centers(codes, self.n_centers, self.random_state)
        self._components = Components(codes[chosen])
        self.classes_, self.centers_, self._X = labels.classes, X[chosen], X.copy()
        self._mean = X.mean(axis=0)
        self.bandwidth_ = self._bandwidth(X, chosen)
        return self

    def _bandwidth(self, X, chosen):
        if isinstance(self.bandwidth, Real) and not isinstance(self.bandwidth, bool):
            return check_width(check_positive(self.bandwidth, "bandwidth"), np.sqrt(X.var(axis=0).mean()))
        if isinstance(self.bandwidth, str) and self.bandwidth == "rule":
            width = reference_bandwidth(X)
        elif self.bandwidth is None:
            perplexity = min(check_positive(self.perplexity, "perplexity"), len(chosen) / 3)
            if perplexity <= 1:
                raise ValueError(
                    f"`perplexity` must be above 1 and below a third of the {len(chosen)} centres; got "
                    f"{self.perplexity!r}. Otherwise give `bandwidth`."
                )
            C = self.centers_
            width = perplexity_bandwidth(self._squared(C, C), perplexity, np.arange(len(C)))
        else:
            raise ValueError(f'`bandwidth` must be a number > 0, "rule" or None; got {self.bandwidth!r}.')
        if not width > 0:
            raise ValueError(
                "`bandwidth` cannot be chosen from these samples, too many of which coincide; give a number > 0."
            )
        return check_width(width, np.sqrt(X.var(axis=0).mean()))

    def _training(self):
        return self._X

    def _logits(self, X):
        # affine: |x|^2, which all share, would swamp the differences of a sample that is far in an irrelevant feature
        C = self.centers_ - self._mean
        return ((X - self._mean) @ C.T - np.sum(C**2, axis=1) / 2) / self.bandwidth_**2

    def _slopes(self):
        return (self.centers_ - self._mean) / self.bandwidth_**2

    def _squared(self, A, B):
        return squared_distances(A - self._mean, B - self._mean)
