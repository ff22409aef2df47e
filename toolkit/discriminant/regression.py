"""Label propagation on a graph: least squares at labels, smooth along affinities."""

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import splu

from ..core import (
    FLAG,
    POSITIVE,
    TINY,
    Estimator,
    check_partial_labels,
    components_of,
    fit_method,
    local_scaling,
    one_of,
    parameters,
    training_samples,
    warn,
)


@parameters(positional=0)
class GraphLabelRegression(Estimator):
    """Classify unlabelled samples by regression on the graph of all samples.

    This is a method of label propagation. It minimises
    sum_labelled (f_i - y_i)^2 + gamma sum_ij A_ij (f_i - f_j)^2, Kitamura2007 (23), for
    the indicator of each class. The solution is that of (diag(m) + 2 gamma L) f = m y,
    with m = 1 for labelled samples and 0 for others. With two classes the larger score
    is the sign of the paper's f for labels -1 and +1. A connected component without any
    labelled sample gets the frequencies of the classes among the labelled, with a
    warning.

    Parameters
    ----------
    gamma : float > 0, default=1.0
        Weight of smoothness.
    affinity : {"local", "precomputed"}, default="local"
        "local": local scaling of the rows of `X`. "precomputed": `X` is the affinity
        (n, n) itself, dense or sparse.
    n_affinity : int or None, default=None
        Number of neighbours with an affinity other than 0. None: all pairs, in arrays
        of shape (n, n) and a time that grows with n^3, some seconds for 8,000 samples.
        The sparse system is solved directly, which suits maps of few dimensions; in ten
        dimensions it becomes dense from some 10,000 samples on.
    verbose : bool, default=False
        Whether to show a progress bar, first of the samples whose neighbours are found,
        then of the solution.

    Attributes
    ----------
    scores_ : ndarray of shape (n_samples, n_classes)
        The solution for the indicator of each class.
    transduction_ : ndarray of shape (n_samples,)
        Predicted class of each sample, that of the largest score.
    classes_ : ndarray of shape (c,)
        Sorted classes.

    Examples
    --------
    >>> X = [[0], [1], [2], [9], [10], [11]]
    >>> GraphLabelRegression(n_affinity=2).fit_predict(X, [0, -1, -1, 1, -1, -1])
    array([0, 0, 0, 1, 1, 1])
    """

    _labels_required = True
    _accepts_sparse = "precomputed"
    _kind = "affinity"

    gamma: POSITIVE = 1.0
    affinity: one_of("local", "precomputed") = "local"
    n_affinity: int = None
    verbose: FLAG = False

    @fit_method
    def fit(self, X, y=None):
        """Solve the regression for all samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples; with ``affinity="precomputed"`` the affinity (n_samples,
            n_samples).
        y : array-like of shape (n_samples,)
            Classes; -1 for unlabelled.

        Returns
        -------
        self : object
            Fitted model.
        """
        X = training_samples(self, X, magnitude="squares")
        labels, labelled = check_partial_labels(y, X.shape[0])
        A = X
        if self.affinity == "precomputed":
            skew = (
                X.shape[0] != X.shape[1]
                or abs(X - X.T).max() > 1e-8 * abs(X).max()
            )
            if skew or X.min() < 0:
                raise ValueError(
                    "`X` must be a symmetric affinity >= 0 of shape (n, n) with"
                    f" affinity='precomputed'; got {X.shape}."
                )
        else:
            A = local_scaling(
                X, n_affinity=self.n_affinity, verbose=self.verbose
            )
        self.classes_ = labels.classes
        with self._bar("linear system"):
            self.scores_ = _solve(A, labels.Y, labelled, self.gamma)
        self.transduction_ = self.classes_[self.scores_.argmax(axis=1)]
        return self

    def fit_predict(self, X, y=None):
        """Fit the model, and return the class of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples; with ``affinity="precomputed"`` the affinity (n_samples,
            n_samples).
        y : array-like of shape (n_samples,)
            Classes; -1 for unlabelled.

        Returns
        -------
        y_pred : ndarray of shape (n_samples,)
            Predicted classes.
        """
        return self.fit(X, y).transduction_


def _solve(A, Y, labelled, gamma):
    """f of (diag(m) + 2 gamma L) f = m Y, per column of Y (n, c).

    Where no link leads to a label it is the mean of Y.
    """
    m = labelled.astype(float)
    is_sparse = sparse.issparse(A)
    # Without the diagonal: beside its 1 a tiny link would be lost
    if is_sparse:
        A = A - sparse.diags(A.diagonal())
    else:
        A = A.copy()
        np.fill_diagonal(A, 0)
    degrees = A @ np.ones(len(Y))
    # Scaled to a unit diagonal, so that outliers lose no digits
    root = 1 / np.sqrt(np.maximum(m + 2 * gamma * degrees, TINY))
    if is_sparse:
        scale = sparse.diags
        links = (scale(2 * gamma * root) @ A @ scale(root)).tocsc()
    else:
        links = A
        links *= (2 * gamma * root)[:, None]
        links *= root
        # weaker ones change no digit, but products of them are slow below the least
        # float
        links *= links > 1e-20
    mean = Y[labelled].mean(axis=0)
    # weaker links are none
    component = components_of(sparse.csr_matrix(links > 1e-12))[1]
    known = np.isin(component, component[labelled])
    if not known.all():
        remedy = " Raise `n_affinity`." if is_sparse else ""
        warn(
            f"{np.sum(~known)} samples are in connected components without a labelled"
            f" sample; they get the most frequent class.{remedy}"
        )
        links = links[known][:, known]
    # Kitamura2007 Eq. (23)
    right = (root * m)[known, None] * (Y[known] - mean)
    F = np.tile(mean, (len(Y), 1))
    F[known] += root[known, None] * _solve_unit_diagonal(links, right)
    return F


def _solve_unit_diagonal(links, right):
    """(I - links)^-1 right, of symmetric links, which are overwritten if dense."""
    if sparse.issparse(links):
        # Symmetric with a dominant diagonal: pivots stay there, in an order that keeps
        # the factors sparse
        factors = splu(
            (sparse.eye(len(right)) - links).tocsc(),
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0,
            options={"SymmetricMode": True},
        )
        return factors.solve(right)
    np.negative(links, out=links)
    np.fill_diagonal(links, 1.0)
    factor = linalg.cho_factor(links, overwrite_a=True, check_finite=False)
    return linalg.cho_solve(factor, right, check_finite=False)
