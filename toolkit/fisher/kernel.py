"""The Fisher metric of classes from similarities alone, indefinite ones too."""

import numpy as np
from sklearn.utils.validation import validate_data

from ..core.checks import check_positive
from ..core.estimators import restore_on_failure
from ..core.labels import check_labels
from .bandwidth import check_width, perplexity_bandwidth
from .base import ClassFisher, checked_samples
from .density import Components, chosen_centers
from .spectra import check_indefinite, check_similarities, negative_share, spectrum

__all__ = ["KernelFisher"]


class KernelFisher(ClassFisher):
    """:class:`ParzenFisher` for data known by their similarities only; the same distances if these are scalar products.

    Parameters
    ----------
    bandwidth : float > 0 or None, default=None
        Standard deviation of the window, in units of the square root of a similarity. None: by perplexity.
    lam : float >= 0, default=0.0
        Weight of the Euclidean metric of the similarities added, (2.16); among training samples only.
    indefinite : {"clip", "flip", "none"}, default="clip"
        What becomes of negative eigenvalues of the similarities: set to 0, made positive, or left as they are.
    perplexity : float > 1, default=30
        How many samples a window sees, for ``bandwidth=None``; at most a third of them.
    n_centers : int, or float in (0, 1], optional
        How many samples, or which share of them, drawn at random from each class, make the window; all by default. With
        fewer, errors of the others tell whether the metric learned its labels by heart.
    n_jobs : int or None, default=None
        Threads of joblib for distances.
    random_state : int, RandomState or None, for `n_centers`

    Attributes
    ----------
    bandwidth_ : float
    similarities_ : ndarray of shape (n, n), of the training samples, after clipping or flipping
    negative_share_ : float, absolute sum of the negative eigenvalues over that of all
    classes_ : ndarray of shape (c,)

    Notes
    -----
    |x - x_l|^2 = s_xx + s_ll - 2 s_xl, and s_xx cancels in (2.19): rows of similarities to the training samples are all
    that is needed, (2.24) to (2.26). In the methods `X` holds such rows, shape (m, n). With ``"none"`` squared lengths
    under the Fisher metric stay positive all the same: they are variances of scalar products.

    References
    ----------
    Schulz, thesis, section 2.5.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> KernelFisher().fit(X @ X.T, y).distances().shape
    (150, 150)
    """

    def __init__(
        self,
        bandwidth=None,
        lam=0.0,
        *,
        indefinite="clip",
        perplexity=30,
        n_centers=None,
        n_jobs=None,
        random_state=None,
    ):
        self.bandwidth = bandwidth
        self.lam = lam
        self.indefinite = indefinite
        self.perplexity = perplexity
        self.n_centers = n_centers
        self.n_jobs = n_jobs
        self.random_state = random_state

    @restore_on_failure
    def fit(self, X, y):
        """Fit the window.

        Parameters
        ----------
        X : array-like of shape (n, n), symmetric similarities
        y : array-like of shape (n,), at least two classes

        Returns
        -------
        self
        """
        S = check_similarities(validate_data(self, X, dtype=np.float64, ensure_min_samples=2))
        labels = check_labels(y, len(S), name="y")
        if labels.multilabel:
            raise ValueError("`y` must hold one class a sample, shape (n,); got a matrix of labels.")
        check_indefinite(self.indefinite, ("clip", "flip", "none"))
        self._start()
        values, V, changed = spectrum(S, self.indefinite)
        self.negative_share_ = negative_share(values)
        # new rows s become s @ P: coordinates are kept, dropped or turned as those of the training samples
        self._projection = None
        if self.indefinite != "none":
            tiny = 1e-12 * np.abs(values).max()
            factor = np.where(np.abs(values) > tiny, changed / np.where(np.abs(values) > tiny, values, 1), 0)
            self._projection = (V * factor) @ V.T
            S = (V * changed) @ V.T
            S = (S + S.T) / 2
        codes = labels.Y.argmax(axis=1)
        self._order = chosen_centers(codes, self.n_centers, self.random_state)
        self._components = Components(codes[self._order])
        self.classes_, self.similarities_ = labels.classes, S
        self.bandwidth_ = self._bandwidth(S)
        return self

    def matrix(self, X):
        """Fisher matrices in the coordinates of the training samples.

        Parameters
        ----------
        X : array-like of shape (m, n), similarities to the training samples

        Returns
        -------
        ndarray of shape (m, n, n)
            For a direction u = sum_l c_l x_l the squared length is c^T matrix c. `lam` adds lam times the similarities.
        """
        return super().matrix(X) + self._lam * (self.similarities_ - np.eye(len(self.similarities_)))

    def _bandwidth(self, S):
        if self.bandwidth is not None:
            spread = np.sqrt(max(np.mean(np.diag(S)) - S.mean(), 0))
            return check_width(check_positive(self.bandwidth, "bandwidth"), spread)
        S = S[np.ix_(self._order, self._order)]
        perplexity = min(check_positive(self.perplexity, "perplexity"), len(S) / 3)
        if perplexity <= 1:
            raise ValueError(
                f"`perplexity` must be above 1 and below a third of the {len(S)} centres; got {self.perplexity!r}. "
                "Otherwise give `bandwidth`."
            )
        squared = np.maximum(np.diag(S)[:, None] + np.diag(S) - 2 * S, 0)
        width = perplexity_bandwidth(squared, perplexity, np.arange(len(S)))
        if not width > 0:
            raise ValueError("`bandwidth` cannot be chosen from these similarities; give a number > 0.")
        return width

    def _checked(self, X, name="X"):
        X = checked_samples(self, X, name)
        return X if self._projection is None else X @ self._projection

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        return tags

    def _training(self):
        return self.similarities_

    def _logits(self, X):
        return ((X - np.diag(self.similarities_) / 2) / self.bandwidth_**2)[:, self._order]

    def _slopes(self):
        return self.similarities_[self._order] / self.bandwidth_**2

    def _squared(self, A, B):
        self._only_training(A, B)
        S = self.similarities_
        return np.maximum(np.diag(S)[:, None] + np.diag(S) - 2 * S, 0)

    def _squared_part(self, X, rows, columns):
        self._only_training(X)
        S = self.similarities_
        return np.maximum(np.diag(S)[rows][:, None] + np.diag(S)[columns] - 2 * S[np.ix_(rows, columns)], 0)

    def _only_training(self, *rows):
        S = self.similarities_
        size = 1e-9 * np.abs(S).max()
        for A in rows:
            if A is not S and (A.shape != S.shape or not np.allclose(A, S, rtol=1e-9, atol=size)):
                raise ValueError(
                    "`lam` above 0 needs the similarity of each sample to itself, which rows of new samples do not "
                    "hold; call `distances()` for the training samples, or fit with `lam=0`."
                )
