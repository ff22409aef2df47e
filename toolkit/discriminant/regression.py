"""Label propagation on a graph: least squares at labels, smooth along affinities."""

from dataclasses import KW_ONLY
from typing import Literal

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import splu

from ..core import (
    TINY,
    Estimator,
    Flag,
    Positive,
    check_partial_labels,
    components_of,
    fit_method,
    local_scaling,
    parameters,
    training_samples,
    warn,
)


@parameters
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

    _: KW_ONLY
    gamma: Positive = 1.0
    affinity: Literal["local", "precomputed"] = "local"
    n_affinity: int | None = None
    verbose: Flag = False

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
        if self.affinity == "precomputed":
            if not _is_affinity(X):
                raise ValueError(
                    "`X` must be a symmetric affinity >= 0 of shape (n, n) with"
                    f" affinity='precomputed'; got {X.shape}."
                )
            A = X
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


def _is_affinity(A):
    """Whether a matrix, which may be sparse, is square, symmetric, and >= 0."""
    n_rows, n_columns = A.shape
    if n_rows != n_columns:
        return False
    asymmetry = abs(A - A.T).max()
    return asymmetry <= 1e-8 * abs(A).max() and A.min() >= 0


def _solve(A, Y, labelled, gamma):
    """f of (diag(m) + 2 gamma L) f = m Y, per column of Y (n, c).

    Where no link leads to a label it is the mean of Y.
    """
    m = labelled.astype(float)
    is_sparse = sparse.issparse(A)
    # The diagonal is left out: beside its 1 a tiny link would be lost.
    if is_sparse:
        A = A - sparse.diags(A.diagonal())
    else:
        A = A.copy()
        np.fill_diagonal(A, 0)
    degrees = A @ np.ones(len(Y))
    # The system is scaled to a unit diagonal, so that outliers lose no digits.
    diagonal = np.maximum(m + 2 * gamma * degrees, TINY)
    root = 1 / np.sqrt(diagonal)
    row_scale = 2 * gamma * root
    if is_sparse:
        links = sparse.diags(row_scale) @ A @ sparse.diags(root)
        links = links.tocsc()
    else:
        links = A
        links *= row_scale[:, None]
        links *= root
        # Weaker links change no digit, but products of them are slow below the least
        # float.
        links *= links > 1e-20
    mean = Y[labelled].mean(axis=0)
    # Weaker links join no components.
    is_linked = sparse.csr_matrix(links > 1e-12)
    _, component = components_of(is_linked)
    reached = np.isin(component, component[labelled])
    if not reached.all():
        remedy = " Raise `n_affinity`." if is_sparse else ""
        warn(
            f"{np.sum(~reached)} samples are in connected components without a labelled"
            f" sample; they get the most frequent class.{remedy}"
        )
        links = links[reached][:, reached]
    # Kitamura2007 Eq. (23)
    right = (root * m)[reached, None] * (Y[reached] - mean)
    F = np.tile(mean, (len(Y), 1))
    F[reached] += root[reached, None] * _solve_unit_diagonal(links, right)
    return F


def _solve_unit_diagonal(links, right):
    """(I - links)^-1 right, of symmetric links, which are overwritten if dense."""
    if sparse.issparse(links):
        # The matrix is symmetric with a dominant diagonal: pivots stay there, in an
        # order that keeps the factors sparse.
        matrix = sparse.eye(len(right)) - links
        factors = splu(
            matrix.tocsc(),
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0,
            options={"SymmetricMode": True},
        )
        return factors.solve(right)
    np.negative(links, out=links)
    np.fill_diagonal(links, 1.0)
    factor = linalg.cho_factor(links, overwrite_a=True, check_finite=False)
    return linalg.cho_solve(factor, right, check_finite=False)
