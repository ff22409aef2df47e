"""Fisher metric of a Parzen window (kernel density estimate), and its bandwidth.

The window is over labelled samples that are vectors, or are given by their similarities
(kernel matrices) only.
"""

from dataclasses import KW_ONLY
from typing import Literal

import numpy as np

from ..core import (
    SIMILARITIES,
    NotNegative,
    Positive,
    Seed,
    check_classes,
    check_kernel,
    check_memory,
    check_positive,
    draw_rows,
    fit_method,
    parameters,
    perplexity_widths,
    row_blocks,
    squared_distances,
    symmetric_eigenpairs,
    training_samples,
)
from .base import ClassFisher
from .softmax_models import Components, stratified_centers

# The bandwidth is the mean over some of the centres if there are more than this.
ALL_ROWS = 5000
SOME_ROWS = 1000


@parameters
class WindowFisher(ClassFisher):
    """Base class: the parameters, the choice of centres and the bandwidth.

    :class:`ParzenFisher` has these parameters and no others; its docstring describes
    them.
    """

    bandwidth: float | None = None
    lam: NotNegative = 0.0
    _: KW_ONLY
    perplexity: Positive = 30
    n_centers: float | None = None
    random_state: Seed = None

    def _center_rows(self, y, n_samples):
        """Numbers (m,) of the samples that are centres, sorted by class.

        Reads the labels y (n,), and sets `classes_` and the components of the window,
        one per centre.
        """
        self.classes_, codes = check_classes(y, n_samples)
        centers = stratified_centers(codes, self.n_centers, self.random_state)
        self._components = Components(codes[centers])
        return centers

    def _width(self, squared_of, deviation):
        """The bandwidth, not so small or large that distances lose all digits.

        `squared_of` gives squared distances (k, m) from the centres of some numbers
        (k,) to all. `deviation` is the standard deviation of the samples: of vectors
        that of a feature, of similarities that of the distance from the mean.
        """
        width = check_positive(self.bandwidth, "bandwidth", optional=True)
        if width is None:
            width = self._perplexity_width(squared_of)
        if not 1e-9 <= width / max(deviation, 1e-300) <= 1e9:
            raise ValueError(
                "`bandwidth` must be between 1e-9 and 1e9 times the standard deviation"
                f" of the samples, {deviation:.3g}; got {width:.3g}."
            )
        return width

    def _perplexity_width(self, squared_of):
        """The mean width with the given perplexity; `squared_of` as of `_width`."""
        m = self._n_logits  # one per centre
        if self.perplexity <= 1:
            raise ValueError(
                f"`perplexity` must be above 1; got {self.perplexity!r}. Otherwise give"
                " `bandwidth`."
            )
        if m <= 3:
            raise ValueError(
                "`bandwidth=None` needs more than 3 centres, since the perplexity is at"
                f" most a third of their number; got {m}. Give `bandwidth`, or more"
                " samples (`n_centers`)."
            )
        perplexity = min(self.perplexity, m / 3)
        rows = np.arange(m)
        if m > ALL_ROWS:
            rows = draw_rows(m, SOME_ROWS, np.random.default_rng(0))
        blocks = row_blocks(len(rows), m)
        widths = []
        with self._bar("bandwidth", len(blocks)) as done:
            for block in blocks:
                centers = rows[block]
                D2 = squared_of(centers)
                widths.append(perplexity_widths(D2, perplexity, centers))
                done()
        sigmas = np.concatenate(widths)
        # Centres with too many duplicates have no width.
        sigmas = sigmas[np.isfinite(sigmas)]
        if not len(sigmas):
            raise ValueError(
                "`bandwidth` cannot be chosen: too many of these samples coincide; give"
                " a number > 0."
            )
        return float(sigmas.mean())


class ParzenFisher(WindowFisher):
    """Fisher metric of class probabilities that a Parzen window estimates.

    Its distances grow where the class changes.

    Parameters
    ----------
    bandwidth : float > 0 or None, default=None
        Standard deviation of the window, in units of the features. None: the mean over
        the centres of the widths that have the given perplexity (a distant outlier
        widens it). Of more than 5,000 centres 1,000 are used, the same ones each time.
    lam : float >= 0, default=0.0
        Weight of the Euclidean metric added, J + lam I, (2.16).
    perplexity : float > 1, default=30
        Effective number of samples in a window, for ``bandwidth=None``; at most a third
        of the centres.
    n_centers : int, float in (0, 1] or None, default=None
        Number of centres of the window, or the fraction of the samples that are
        centres: a random part of each class, in proportion and at least one; None: all
        samples.
    random_state : int, RandomState instance or None, default=None
        Seed of the choice of centres; an int makes results reproducible.
    n_jobs : int or None, default=None
        Number of threads of joblib for distances; None means 1, -1 all cores.
    verbose : bool, default=False
        Whether to show a progress bar.

    Attributes
    ----------
    bandwidth_ : float
        Standard deviation of the window that was used.
    centers_ : ndarray of shape (n_centers, n_features)
        Centres of the window, sorted by class.
    classes_ : ndarray of shape (n_classes,)
        Class names.

    Notes
    -----
    p(c | x) is the fraction of class c in the window, (2.19); its Fisher matrix is
    (2.20) to (2.23) of Schulz (2017), section 2.4. A narrow window overfits the labels:
    :func:`overfitting_check` compares with permuted labels and with held-out samples.

    With `predict` and `score` the window is a classifier. With `transform`, the
    distances to the samples of `fit`, it is the first step of a pipeline.

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
    >>> neighbors = KNeighborsClassifier(metric="precomputed")
    >>> model = make_pipeline(ParzenFisher(), neighbors)
    >>> grid = {"parzenfisher__bandwidth": [0.2, 0.5, 2.0]}
    >>> search = GridSearchCV(model, grid).fit(X, y)
    >>> search.best_params_, bool(search.best_score_ > 0.95)
    ({'parzenfisher__bandwidth': 0.2}, True)
    """

    @fit_method
    def fit(self, X, y):
        """Fit the window to samples and their classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Target: classes, at least two, one per sample.

        Returns
        -------
        self : object
            The fitted metric.

        Raises
        ------
        ValueError
            If a parameter violates its rule, if `y` has fewer than two classes, or if
            too many samples coincide for a bandwidth.
        """
        X = training_samples(self, X)
        self.centers_ = X[self._center_rows(y, len(X))]
        self._keep(X)  # the mean, `lam` and X itself
        C = self._centred_centers
        deviation = float(np.sqrt(X.var(axis=0).mean()))
        self.bandwidth_ = self._width(
            lambda rows: squared_distances(C[rows], C), deviation
        )
        return self

    @property
    def _centred_centers(self):
        """Centres (m, d) about the mean of the samples."""
        return self.centers_ - self._mean

    def _logits(self, X):
        """Logits z_l(x) = x^T v_l - |x_l|^2 / (2 sigma^2), about the mean."""
        # They are affine: |x|^2, which all share, would swamp the differences of an
        # outlier in an irrelevant feature.
        C = self._centred_centers
        Z = (X - self._mean) @ C.T
        Z -= np.sum(C**2, axis=1) / 2
        Z /= self.bandwidth_**2
        return Z

    def _logit_gradients(self):
        """Gradients v_l = x_l / sigma^2 (m, d), about the mean."""
        return self._centred_centers / self.bandwidth_**2


@parameters
class KernelFisher(WindowFisher):
    """Fisher metric of :class:`ParzenFisher` for data given by their similarities only.

    The distances are the same if the similarities are scalar products.

    Parameters
    ----------
    bandwidth : float > 0 or None, default=None
        Standard deviation of the window, in units of the square root of a similarity.
        None: by perplexity.
    lam : float >= 0, default=0.0
        Weight of the Euclidean metric of the similarities added, (2.16); among training
        samples only.
    indefinite : {"clip", "none"}, default="clip"
        Treatment of negative eigenvalues of the similarities: set to 0, or unchanged.
    perplexity : float > 1, default=30
        Effective number of samples in a window, for ``bandwidth=None``; at most a third
        of the centres.
    n_centers : int, float in (0, 1] or None, default=None
        Number of centres of the window, or the fraction of the samples that are
        centres: a random part of each class, in proportion and at least one; None: all
        samples. With fewer centres than samples, the errors of the others show whether
        the metric overfits the labels.
    random_state : int, RandomState instance or None, default=None
        Seed of the choice of centres; an int makes results reproducible.
    n_jobs : int or None, default=None
        Number of threads of joblib for distances; None means 1, -1 all cores.
    verbose : bool, default=False
        Whether to show a progress bar.

    Attributes
    ----------
    bandwidth_ : float
        Standard deviation of the window that was used.
    similarities_ : ndarray of shape (n_samples, n_samples)
        Similarities of the training samples, after clipping.
    negative_fraction_ : float
        Absolute sum of the negative eigenvalues over that of all.
    classes_ : ndarray of shape (n_classes,)
        Class names.

    Notes
    -----
    ``|x - x_l|^2 = s_xx + s_ll - 2 s_xl``, and s_xx cancels in (2.19). So rows of
    similarities to the training samples suffice, (2.24) to (2.26) of Schulz (2017),
    section 2.5. In the methods `X` holds such rows, shape (n_queries, n_samples). With
    ``"none"`` squared lengths under the Fisher metric stay positive: they are variances
    of scalar products.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> KernelFisher().fit(X @ X.T, y).distances().shape
    (150, 150)
    """

    _: KW_ONLY
    indefinite: Literal["clip", "none"] = "clip"

    # So many arrays (n, n) exist at once: similarities, and the distances that they
    # define, are held besides those of the base class.
    _arrays = 14.0

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True  # similarities
        return tags

    @fit_method
    def fit(self, X, y):
        """Fit the window to similarities and classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_samples)
            Symmetric similarities of all pairs of samples.
        y : array-like of shape (n_samples,)
            Target: classes, at least two, one per sample.

        Returns
        -------
        self : object
            The fitted metric.

        Raises
        ------
        ValueError
            If a parameter violates its rule, if `X` is not symmetric or holds
            distances, or if `y` has fewer than two classes.
        """
        S = training_samples(self, X, rule=SIMILARITIES)
        check_memory(
            "The eigenvalues of similarities",
            len(S),
            arrays=10,
            remedy="Fit a sample.",
        )
        S = check_similarities(S)
        self._lam = self.lam
        self._order = self._center_rows(y, len(S))
        with self._bar("eigenvalues"):
            values, V = symmetric_eigenpairs(S)
        size = np.abs(values)
        negative_sum = -values[values < 0].sum()
        self.negative_fraction_ = float(negative_sum / max(size.sum(), 1e-300))
        # New rows s become s @ P, with coordinates dropped as those of `fit`.
        self._projection = None
        if self.indefinite == "clip":
            is_present = values > 1e-12 * size.max()
            self._projection = (V * is_present) @ V.T
            S = (V * np.maximum(values, 0)) @ V.T
            S = (S + S.T) / 2
        self.similarities_ = S
        self._X = S
        order = self._order
        deviation = np.sqrt(squared_distances_of(S).mean() / 2)
        self.bandwidth_ = self._width(
            lambda rows: squared_distances_of(S, order[rows], order), deviation
        )
        return self

    def matrix(self, X):
        """Compute the Fisher matrices in coordinates of the training samples.

        A direction u = sum_l c_l x_l has the squared length c^T J c; `lam` adds lam
        times the similarities.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_samples)
            Similarities to the training samples.

        Returns
        -------
        J : ndarray of shape (n_queries, n_samples, n_samples)
            One matrix per row of `X`.
        """
        J = super().matrix(X)
        # The base class added lam I; the Euclidean metric is lam S here.
        difference = self.similarities_ - np.eye(J.shape[1])
        return J + self._lam * difference

    def _samples(self, X, name="X"):
        """Rows of similarities (m, n) as `fit` takes those of its samples."""
        X = super()._samples(X, name)
        if self._projection is None:
            return X
        return X @ self._projection

    def _logits(self, X):
        """Logits z_l(x) = (s_xl - s_ll / 2) / sigma^2."""
        # Eq. (2.26) divided by -2 sigma^2, without s_xx, which all components share
        centred = X - np.diag(self.similarities_) / 2
        Z = centred / self.bandwidth_**2
        return Z[:, self._order]

    def _logit_gradients(self):
        """Scalar products (m, n) of the gradients v_l and the training samples."""
        return self.similarities_[self._order] / self.bandwidth_**2

    def _squared(self, A, B, rows=slice(None), columns=slice(None)):
        """Squared distances (n, q) among training samples of these numbers.

        The samples A and B are not needed, only refused if they are others.
        """
        if isinstance(rows, slice):
            self._only_training(A, B)
        return squared_distances_of(self.similarities_, rows, columns)

    def _squared_pairs(self, A, B, rows, columns):
        """Squared distances (p,) of pairs of training samples of these numbers."""
        S = self.similarities_
        norms2 = np.diag(S)
        ends = norms2[rows] + norms2[columns]
        return np.maximum(ends - 2 * S[rows, columns], 0)

    def _vectors(self, X):
        """No vectors; the lengths that `lam` adds come from similarities."""
        self._only_training(X)
        return []

    def _only_training(self, *arrays):
        """Refuse arrays of similarities that are not those of the training samples."""
        S = self.similarities_
        atol = 1e-9 * np.abs(S).max()
        for A in arrays:
            is_training = A.shape == S.shape
            if is_training:
                is_training = np.allclose(A, S, rtol=1e-9, atol=atol)
            if not is_training:
                raise ValueError(
                    "`lam` above 0 needs the similarity of each sample to itself, which"
                    " rows of new samples do not hold; call `distances()` for the"
                    " training samples, or fit with `lam=0`."
                )


def check_similarities(S):
    """Symmetric similarities (n, n), not distances, which are 0 on the diagonal."""
    S = check_kernel(S, name="X")
    if not S.diagonal().any() and S.min() >= 0 and S.max() > 0:
        raise ValueError(
            "`X` must hold similarities, but is 0 from each sample to itself and"
            " positive elsewhere, as distances are. Of distances D make -H (D * D) H"
            " / 2 with H = I - 1/n, or use the vectors themselves."
        )
    return S


def squared_distances_of(S, rows=slice(None), columns=slice(None)):
    """Squared distances s_ii + s_jj - 2 s_ij of samples with similarities S (n, n).

    From those of the numbers `rows` to those of the numbers `columns`; 0 where rounding
    or an indefinite S gives less.
    """
    norms2 = np.diag(S)
    squared = norms2[rows][:, None] + norms2[columns]
    squared -= 2 * S[rows][:, columns]
    return np.maximum(squared, 0, out=squared)
