"""Fisher metric of classes whose probabilities a Parzen window (kernel density estimate) gives, and its bandwidth."""

from dataclasses import KW_ONLY

import numpy as np

from ..core.checks import check_positive
from ..core.estimators import restore_on_failure, training_samples
from ..core.labels import check_classes
from ..core.parameters import parameters
from ..core.progress import progress
from ..core.scaling import perplexity_widths, warn_of_scales
from .base import ClassFisher
from .density import Components, chosen_centers

ALL_ROWS = 5000  # beyond so many centres the bandwidth is the mean over some of them
SOME_ROWS = 1000


@parameters
class WindowFisher(ClassFisher):
    """Parameters, centres and bandwidth; the parameters are those of :class:`ParzenFisher`."""

    bandwidth: float = None
    lam: float = 0.0
    _: KW_ONLY
    perplexity: float = 30
    n_centers: float = None
    random_state: object = None

    def _choose_centers(self, y, n_samples):
        """Read the labels y (n,); numbers of the samples that carry a kernel, sorted by class, (m,)."""
        self.classes_, codes = check_classes(y, n_samples)
        self._check_settings()
        chosen = chosen_centers(codes, self.n_centers, self.random_state)
        self._components = Components(codes[chosen])
        return chosen

    def _perplexity_bandwidth(self, squared):
        """Bandwidth with the `perplexity` asked for; `squared` gives squared distances of some centres to all m."""
        m = self._n_kernels
        perplexity = min(check_positive(self.perplexity, "perplexity"), m / 3)
        if perplexity <= 1:
            raise ValueError(
                f"`perplexity` must be above 1 and below a third of the {m} centres;"
                f" got {self.perplexity!r}. Otherwise give `bandwidth`, or more samples"
                " (`n_centers`)."
            )
        blocks = [np.arange(m)]
        if m > ALL_ROWS:
            rows = np.sort(np.random.default_rng(0).choice(m, SOME_ROWS, replace=False))
            blocks = np.array_split(rows, SOME_ROWS // 100)
        sigmas = []
        with progress(len(blocks), "bandwidth", self.verbose) as done:
            for block in blocks:
                sigmas.append(perplexity_widths(squared(block), perplexity, block))
                done()
        return mean_width(np.concatenate(sigmas))


class ParzenFisher(WindowFisher):
    """Distances that count only what changes the class, by a Parzen window over labelled samples.

    Parameters
    ----------
    bandwidth : float > 0, "rule" or None, default=None
        Standard deviation of the window, in units of the features. None: the mean over
        samples of that which has the given perplexity (a distant outlier widens it),
        beyond 5,000 centres over 1,000 of them, the same ones each time; "rule": the
        normal-reference rule.
    lam : float >= 0, default=0.0, weight of the Euclidean metric added, J + lam I, (2.16)
    perplexity : float > 1, default=30
        How many samples a window sees, for ``bandwidth=None``; at most a third of the
        centres.
    n_centers : int, float in (0, 1] or None, default=None
        How many centres the window has, or which fraction of the samples: a random part
        of each class, in proportion and at least one; None: all samples.
    n_jobs : int or None, default=None, threads of joblib for distances
    random_state : int, RandomState or None, for the choice of centres
    verbose : bool, default=False, whether to show the progress of long computations

    Attributes
    ----------
    bandwidth_ : float
    centers_ : ndarray of shape (m, n_features), sorted by class
    classes_ : ndarray of shape (c,)

    Notes
    -----
    p(c | x) is the fraction of class c in the window, (2.19); its Fisher matrix is
    (2.20) to (2.23) of Schulz (2017), section 2.4. A narrow window overfits the labels:
    :func:`overfitting_check` compares with permuted labels and with held-out samples.

    With `predict` and `score` the window is a classifier, with `transform`, the
    distances to the samples of `fit`, the first step of a pipeline.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> D = ParzenFisher().fit(X, y).distances()
    >>> D.shape, bool(D[0, 1] < D[0, 100])
    ((150, 150), True)

    Neighbours in the metric as a classifier, whose bandwidth is chosen by
    cross-validation:

    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> model = make_pipeline(ParzenFisher(), KNeighborsClassifier(metric="precomputed"))
    >>> search = GridSearchCV(model, {"parzenfisher__bandwidth": [0.2, 0.5, 2.0]}).fit(X, y)
    >>> search.best_params_, bool(search.best_score_ > 0.95)
    ({'parzenfisher__bandwidth': 0.2}, True)
    """

    @restore_on_failure
    def fit(self, X, y):
        """Fit the window to samples X (n_samples, n_features) and their classes y (n_samples,), at least two."""
        X = training_samples(self, X)
        warn_of_scales(X, self)
        self.centers_ = X[self._choose_centers(y, len(X))]
        self._X = X.copy()
        self._mean = X.mean(axis=0)
        self.bandwidth_ = check_width(self._width(X), np.sqrt(X.var(axis=0).mean()))
        return self

    def _width(self, X):
        if self.bandwidth is None:
            return self._perplexity_bandwidth(
                lambda rows: self._squared(self.centers_[rows], self.centers_)
            )
        if isinstance(self.bandwidth, str):
            if self.bandwidth != "rule":
                raise ValueError(
                    '`bandwidth` must be a number > 0, "rule" or None; got'
                    f" {self.bandwidth!r}."
                )
            return reference_bandwidth(X)
        return check_positive(self.bandwidth, "bandwidth")

    def _logits(self, X):
        # affine: |x|^2, which all share, would swamp the differences of an outlier in
        # an irrelevant feature
        C = self.centers_ - self._mean
        Z = (X - self._mean) @ C.T
        Z -= np.sum(C**2, axis=1) / 2
        Z /= self.bandwidth_**2
        return Z

    def _slopes(self):
        return (self.centers_ - self._mean) / self.bandwidth_**2


def check_width(width, deviation):
    """Refuse a window so narrow or wide beside the standard deviation of the samples that distances lose all digits."""
    if not 1e-9 <= width / max(deviation, 1e-300) <= 1e9:
        raise ValueError(
            "`bandwidth` must be between 1e-9 and 1e9 times the standard deviation of"
            f" the samples, {deviation:.3g}; got {width:.3g}."
        )
    return width


def mean_width(sigmas):
    """Mean of the widths of samples, without those that have none: duplicates as many as the perplexity."""
    sigmas = sigmas[np.isfinite(sigmas)]
    if not len(sigmas):
        raise ValueError(
            "`bandwidth` cannot be chosen: too many of these samples coincide; give a"
            " number > 0."
        )
    return float(sigmas.mean())


def reference_bandwidth(X):
    """Normal-reference rule sigma (4 / ((d + 2) n))^(1 / (d + 4)) for X (n, d), sigma^2 the mean feature variance."""
    n, d = X.shape
    return float(np.sqrt(X.var(axis=0).mean()) * (4 / ((d + 2) * n)) ** (1 / (d + 4)))
