"""Shared linear embedding: a linear map of the target onto the source's coordinates.

The target is mapped by W z so that the distributions agree, with neither labels nor
correspondences (thesis, Eqs. (5.1) to (5.5)).

Here xi (n, k) are source coordinates, `design` (m, p) are principal coordinates of the
target with a last column of ones, B (p, k) their coefficients, and `pairs` (n, m) is
the structural coupling, or None.
"""

from dataclasses import KW_ONLY, dataclass

import numpy as np
from sklearn.decomposition import PCA

from ..core import (
    Flag,
    check_integer,
    check_is_fitted,
    fix_signs,
    parameters,
    with_ones,
)
from .annealing import (
    Problem,
    Start,
    anneal_starts,
    axis_starts,
    coupling_expectation,
    ridge_step,
)
from .base import PenaltyWeight, SharedEmbedding
from .confidence import LINEAR_WEIGHTS

# Weights of the ridge that are tried in turn, the strongest first.
RIDGES = np.geomspace(0.1, 0.001, 5)
# Principal directions with a smaller fraction of the largest standard deviation are
# absent.
RANK_RATIO = 1e-8


@dataclass(frozen=True)
class RidgeProblem(Problem):
    """The mixture with the ridge step as its M-step; a last column of ones."""

    ridge: float

    def maximise(self, e, B):
        p = self.design.shape[1]
        weights = np.full(p, self.ridge * len(self.source))
        weights[-1] = 0.0  # the intercept is free
        return ridge_step(self.design, e.weight, e.pull, weights)

    def penalty(self, B):
        return float(self.ridge * np.sum(B[:-1] ** 2))


@parameters
class SharedLinearEmbedding(SharedEmbedding):
    """Source and target in one space, by a linear map of the target.

    It makes their distributions agree.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the shared space.
    ridge : float from 0 to 1e6, optional
        Weight of the squared coefficients, relative to a mean over source samples. The
        units are those in which source coordinates have root mean square 1 and target
        scores along the first principal axis variance 1. By default the largest of 0.1
        to 0.001 with which the target explains the source as well as the source
        explains itself, or 0.001 if none does. Less would distort the target, more
        would keep it from fitting.
    n_directions : int, default=50
        Largest number of principal components of the target that are mapped.
    fit_weights : bool, default=False
        Whether to fit the weights theta_j of the mixture too; the thesis keeps them
        equal. With fitted weights, target samples that do not fit can be ignored, and
        alignments can collapse onto the rest.
    source : "pca", "tsne", estimator or array-like, default="pca"
        Coordinates of the source, of shape (n_source, n_components), or how they are
        found. An estimator is cloned and gets standardised samples and `y_source`.
    standardize : bool, default=True
        Whether to give each feature, separately on each side, mean 0 and variance 1.
    bandwidth : float from 1e-6 to 1e6, optional
        The last sigma, in root mean squares of the source coordinates; by default that
        under which each source sample is likeliest given the others.
    n_bandwidths : int, default=12
        Number of bandwidths of the annealing, from twice the least standard deviation
        of the source coordinates down.
    starts : tuple of {"axes", "structure"}, default=("axes", "structure")
        Where EM begins. "axes": principal axes of the target laid on those of the
        source, with all signs and orders. "structure": the Gromov-Wasserstein coupling.
        The likeliest outcome is kept.
    random_state : int, RandomState instance or None, default=None
        Seed of the random number generator. It draws the samples in the search, above
        400 on a side, and the orders and signs of axes that are tried above three
        components. An int makes results reproducible.
    n_jobs : int or None, default=None
        Number of parallel processes of joblib over starts; None means 1, -1 all cores.
    verbose : bool, default=False
        Whether to show a progress bar of the annealing, which may end early.

    Attributes
    ----------
    source_embedding_ : ndarray of shape (n_source, n_components)
        The coordinates xi.
    target_embedding_ : ndarray of shape (n_target, n_components)
        Coordinates of the target samples.
    coefficients_ : ndarray of shape (n_target_features, n_components)
        The matrix W transposed.
    intercept_ : ndarray of shape (n_components,)
        Offset of the linear map.
    confidence_ : float
        Confidence in [0, 1] that the alignment is right, computed without labels. Below
        0.75, and where no other alignment was found to compare with, `fit` warns.
    evidence_ : dict
        Quantities from which the confidence is computed, see
        `toolkit.transfer.confidence`.
    log_likelihood_ : float
        Observed log likelihood over the number of source samples; coordinates in their
        unit.
    self_log_likelihood_ : float
        The same of each source sample under the others.
    history_ : dict of arrays
        One entry per step: ``bandwidth``, ``log_likelihood``, ``objective``,
        ``expected`` (the expectation of the complete log likelihood), ``coefficients``.
    candidates_ : list of dict
        All ends of the search, the likeliest first: ``start``, ``log_likelihood``,
        ``objective`` and ``history``. Above 400 samples on a side, these are values of
        the part of them in the search.
    start_ : str
        Start of the alignment that was chosen.
    bandwidth_, ridge_ : float
        Values used.
    theta_ : ndarray of shape (n_target,)
        Weights of the mixture, adding up to 1.

    Notes
    -----
    EM raises the observed likelihood (less the penalty) at each bandwidth, not its
    expectation, the thesis's Eq. (5.3), which may fall after an E-step. Memory is that
    of blocks of a million responsibilities; for a `source` without `transform` also
    that of a `KernelMap`, n_source squared numbers.

    References
    ----------
    Schulz (2017), section 5.2.1. Bloebaum, Schulz and Hammer (2015), Unsupervised
    dimensionality reduction for transfer learning.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X = load_iris().data
    >>> A = np.random.default_rng(0).normal(size=(4, 10))
    >>> model = SharedLinearEmbedding(random_state=0).fit(X[::2], X[1::2] @ A)
    >>> model.transform_target(X[1::2] @ A).shape, model.confidence_ > 0.75
    ((75, 2), True)
    """

    _ranked_by = "log_likelihood"
    _weights = LINEAR_WEIGHTS

    _: KW_ONLY
    ridge: PenaltyWeight = None
    n_directions: int = 50
    fit_weights: Flag = False

    def _check(self, X_source, X_target):
        check_integer(
            self.n_directions,
            "n_directions",
            self.n_components,
            remedy="It must not be below `n_components`.",
        )

    def _prepare(self, X_target, columns, rng):
        """Principal axes of the target, in the unit of the first."""
        k = self.n_components
        n = len(X_target)
        n_directions = min(self.n_directions, *X_target.shape)
        pca = PCA(n_directions, svd_solver="full").fit(X_target)
        variances = pca.explained_variance_ * (n - 1) / n
        deviations = np.sqrt(variances)
        is_present = deviations > RANK_RATIO * deviations[0]
        rank = int(np.sum(is_present))
        if rank < k:
            raise ValueError(
                f"`X_target` must vary in at least `n_components` = {k} directions; its"
                f" rank is {rank}. Lower `n_components` or give features that do not"
                " depend on each other."
            )
        axes = pca.components_[:rank].T
        self._axes = axes * fix_signs(axes) / deviations[0]

    def _design(self, X_target):
        """Principal scores (n, p - 1) and a column of ones."""
        # Eq. (5.1), times B
        return with_ones(X_target @ self._axes)

    def _problem(self, xi, design, part=slice(None)):
        """The mixture with the ridge step as its M-step."""
        return RidgeProblem(
            xi, design, self.ridge_, fit_weights=self.fit_weights
        )

    def _search(self, xi, design, bandwidths, pairs, rng):
        """Candidates from all starts for the largest ridge that is good enough."""

        def find():
            problem = self._problem(xi, design)
            starts = self._starts(problem, pairs, rng)
            return anneal_starts(problem, starts, bandwidths, self.n_jobs)

        return self._weigh("ridge", RIDGES, find)

    def _starts(self, problem, pairs, rng):
        """Each `Start`."""
        xi = problem.source
        if "axes" in self.starts:
            scores = problem.design[:, :-1]
            for name, W in axis_starts(xi, scores, rng):
                intercept = np.zeros(W.shape[1])
                yield Start(np.vstack([W, intercept]), name)
        if pairs is not None:
            e = coupling_expectation(pairs, xi)
            yield Start(problem.maximise(e, None), "structure")

    @property
    def coefficients_(self):
        """The matrix W transposed, of shape (n_target_features, n_components)."""
        check_is_fitted(self)
        scale = self.target_scaler_.scale_
        W = self._axes @ self._B[:-1] * self._unit
        if scale is None:
            return W
        return W / scale[:, None]

    @property
    def intercept_(self):
        """Offset of the linear map, of shape (n_components,)."""
        check_is_fitted(self)
        shift = self.target_scaler_.mean_ @ self.coefficients_
        return self._B[-1] * self._unit + self._middle - shift
