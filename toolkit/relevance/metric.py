"""Relevance of features for a given map: the metric that has the map's neighbours.

Minimise Q_NeRV(Omega X, Z) + delta trace(Omega^T Omega), thesis, (4.8): the map Z is
fixed, whatever made it.
"""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass

import numpy as np

from ..core import (
    RANK_TOLERANCE,
    Count,
    Flag,
    Fraction,
    LinearMap,
    NotNegative,
    OptionalCount,
    OptionalPositive,
    Positive,
    Seed,
    check_map,
    check_memory,
    check_seed,
    fit_method,
    lbfgs,
    median_centred,
    parameters,
    thin_svd,
    training_samples,
    warn,
)
from ..embed.affinities import check_perplexity
from .cost import Neighborhoods, check_importance, diagonal_energy, energy


@dataclass(frozen=True, kw_only=True)
class _Problem:
    """What is minimised, from where, and what its minimum says of Omega."""

    cost: Callable  # (parameters, data, neighborhoods, delta) -> (value, gradient)
    data: np.ndarray  # (n, r)
    start: np.ndarray  # the parameters at the start
    omega: Callable  # parameters -> Omega (r, d)


@parameters
class _MapMetric(LinearMap):
    """Checks, the descent and its results.

    Subclasses define `_problem(X, varying)`, which returns a :class:`_Problem` for
    samples X (n, d) and a mask `varying` (d,) of the features that vary.
    """

    _labels_required = True
    _multilabel = True

    n_neighbors: OptionalPositive = None
    _: KW_ONLY
    gamma: Fraction = 0.5
    delta: NotNegative = 1.0
    max_samples: OptionalCount = 1000
    max_iter: Count = 500
    tol: Positive = 1e-5
    random_state: Seed = None
    verbose: Flag = False

    @fit_method
    def fit(self, X, y, importance=None):
        """Fit the metric.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples, m) or (n_samples,)
            The map Z of these samples.
        importance : array-like of shape (n_samples,), optional
            Weight of the neighbourhood of each sample in the cost, >= 0; only the
            proportions matter. A sample with weight 0 can still be a neighbour of
            others, so this differs from leaving it out.

        Returns
        -------
        self : estimator
            Fitted estimator.
        """
        X = training_samples(self, X, min_samples=3)
        n = len(X)
        Z = check_map(y, n)
        labels = np.asarray(y)
        n_different = len(np.unique(labels))
        is_column_of_integers = labels.ndim == 1 and labels.dtype.kind in "iub"
        if is_column_of_integers and n_different <= n / 3:
            warn(
                f"`y` holds {n_different} integers, as labels of classes do, and is"
                " read as a map on a line. Give the map Z, such as"
                " TSNE().fit_transform(X)."
            )
        k = check_perplexity(self.n_neighbors, n - 1, 10.0, name="n_neighbors")
        rng = check_seed(self.random_state)
        rows, weights = check_importance(importance, n, self.max_samples, rng)
        check_memory(
            "The comparison of neighbourhoods",
            len(rows),
            n,
            arrays=2,
            remedy="Give `max_samples` a number, such as 1000.",
        )
        about_median = median_centred(X)
        X = about_median.X
        Z = median_centred(Z).X
        # Widths are set once, at Omega = I in the data.
        neighborhoods = Neighborhoods(
            X=X,
            Z=Z,
            n_neighbors=k,
            gamma=self.gamma,
            rows=rows,
            weights=weights,
        )
        problem = self._problem(X, about_median.varying)

        # The cost is divided by the number of samples, so that `tol` does not depend
        # on it.
        def objective(arrays):
            value, gradient = problem.cost(
                arrays[0], problem.data, neighborhoods, self.delta
            )
            return value / n, [gradient / n], None

        [end], steps = lbfgs(self, objective, [problem.start])
        # The metric is Lambda; each feature has a part in it.
        self.components_ = problem.omega(end)
        self.lambda_ = self.components_.T @ self.components_  # Eq. (4.5)
        self.relevances_ = np.sum(self.components_**2, axis=0)  # Eq. (4.6)
        mean_costs = np.array([mean_cost for mean_cost, _ in steps])
        self.history_ = n * mean_costs
        self.cost_ = float(self.history_[-1])
        self.n_iter_ = len(steps) - 1
        self.rows_ = rows
        self.sigma_ = neighborhoods.sigma * about_median.unit
        return self


class NeRVRelevance(_MapMetric):
    """One weight per feature, such that the weighted data have the map's neighbours.

    The special case of :class:`NeRVMetric` with a diagonal Omega.

    Parameters
    ----------
    n_neighbors : float > 1 or None, default=None
        Effective number of neighbours k, below n_samples - 1, in the data and in the
        map. None: 10, or a third of the others where these are fewer than 30.
    gamma : float in [0, 1], default=0.5
        1: neighbours in the weighted data must be neighbours in the map; 0: the other
        way round.
    delta : float >= 0, default=1.0
        Weight of sum lambda^2, relative to the cost in nats, summed over samples; it
        removes weights that are not needed.
    max_samples : int or None, default=1000
        Largest number of samples, drawn at random, whose neighbourhoods are compared.
        Neighbours are still searched among all, so that k keeps its meaning, and the
        cost is scaled to all, so that delta keeps its own. None: all.
    tol : float > 0, default=1e-5
        The descent (L-BFGS) ends where no entry of the gradient, over n_samples, is
        larger. On images of 256 pixels relevances then differ by 0.3 % of the largest
        from those at 1e-7, in half the steps; at 1e-4 by up to 7 %.
    max_iter : int, default=500
        Largest number of iterations.
    random_state : int, RandomState instance or None, default=None
        Seed of the random number generator for `max_samples`; an int makes results
        reproducible.
    verbose : bool, default=False
        Whether to show a progress bar of the iterations.

    Attributes
    ----------
    relevances_ : ndarray of shape (n_features,)
        Relevances lambda_l^2; exactly 0 for constant features.
    components_ : ndarray of shape (n_features, n_features)
        The matrix diag(lambda), lambda >= 0.
    lambda_ : ndarray of shape (n_features, n_features)
        The metric diag(lambda^2).
    cost_ : float
        Cost in nats, summed over samples, with the penalty.
    history_ : ndarray of shape (n_iter + 1,)
        The cost at the start, lambda = 1, and after each iteration.
    n_iter_ : int
        Number of iterations.
    rows_ : ndarray of int, shape (q,)
        The samples whose neighbourhoods are compared.
    sigma_ : ndarray of shape (q,)
        Their widths in the data, in the unit of X.

    Notes
    -----
    Thesis (Schulz, 2017), section 4.2.3. Relevances compare features in the units
    given: standardise them first where units differ. They are large where few features
    matter: at lambda = 1 neighbours in all are further away.

    Widths are set once, at lambda = 1 in the data and separately in the map, so neither
    the unit of X nor that of Z changes the result. The thesis may be read as setting
    those in the data anew at each step. The cost would then not depend on the scale of
    lambda, and delta would shrink it to 0. What is called L1 there is the L2 penalty of
    lambda, and L1 of the relevances lambda^2. Optima are local.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(100, 4))
    >>> relevance = NeRVRelevance().fit(X, X[:, :2])
    >>> relevance.relevances_.round(1).tolist()
    [3.6, 3.7, 0.0, 0.0]
    """

    def _problem(self, X, varying):
        """One parameter per feature: its weight, 0 where it is constant."""

        def omega(weights):
            """Omega (d, d) of the weights (d,)."""
            return np.diag(np.abs(weights))

        return _Problem(
            cost=diagonal_energy,
            data=X,
            start=varying.astype(float),
            omega=omega,
        )


class NeRVMetric(_MapMetric):
    """A linear map of the data Omega X that has the neighbours of a given map.

    Parameters
    ----------
    n_neighbors : float > 1 or None, default=None
        Effective number of neighbours k, below n_samples - 1, in the data and in the
        map. None: 10, or a third of the others where these are fewer than 30.
    gamma : float in [0, 1], default=0.5
        1: neighbours in the mapped data must be neighbours in the given map; 0: the
        other way round.
    delta : float >= 0, default=1.0
        Weight of trace(Omega^T Omega), relative to the cost in nats, summed over
        samples; it removes directions that are not needed.
    max_samples : int or None, default=1000
        Largest number of samples, drawn at random, whose neighbourhoods are compared.
        Neighbours are still searched among all. None: all.
    tol : float > 0, default=1e-5
        The descent (L-BFGS) ends where no entry of the gradient, over n_samples, is
        larger.
    max_iter : int, default=500
        Largest number of iterations.
    random_state : int, RandomState instance or None, default=None
        Seed of the random number generator for `max_samples`; an int makes results
        reproducible.
    verbose : bool, default=False
        Whether to show a progress bar of the iterations.

    Attributes
    ----------
    relevances_ : ndarray of shape (n_features,)
        Relevances Lambda_ll.
    components_ : ndarray of shape (n_components, n_features)
        Omega, with as many rows as the data have independent directions. Row i is
        sqrt(eigenvalue i) times eigenvector i of Lambda, falling, within the span of
        the data.
    lambda_ : ndarray of shape (n_features, n_features)
        The metric Omega^T Omega.
    cost_ : float
        Cost in nats, summed over samples, with the penalty.
    history_ : ndarray of shape (n_iter + 1,)
        The cost at the start, Omega = I, and after each iteration.
    n_iter_ : int
        Number of iterations.
    rows_ : ndarray of int, shape (q,)
        The samples whose neighbourhoods are compared.
    sigma_ : ndarray of shape (q,)
        Their widths in the data, in the unit of X.

    Notes
    -----
    Thesis, section 4.2.4. The cost is the same for all R Omega with orthogonal R;
    `components_` has orthogonal rows. Directions in which the data do not vary (by less
    than 1e-10 of the largest) get no part of Lambda: they change no distance. The start
    is Omega = I. Otherwise see :class:`NeRVRelevance`.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(100, 4))
    >>> metric = NeRVMetric().fit(X, X[:, :2] @ [[0.8, -0.6], [0.6, 0.8]])
    >>> metric.relevances_.round(1).tolist(), metric.transform(X).shape
    ([3.6, 3.7, 0.0, 0.0], (100, 4))
    """

    def _problem(self, X, varying):
        """The parameters are a matrix A (r, r) in the r principal directions."""
        # The principal directions are taken without those in which nothing varies: what
        # is left of Omega outside their span costs, and changes no distance.
        centred = X - X.mean(axis=0)
        _, s, V = thin_svd(centred)
        tolerance = RANK_TOLERANCE * s[0]
        rank = int(np.sum(s > tolerance))
        n_directions = max(rank, 1)
        V = V[:, :n_directions]
        start = np.zeros((1, 1))
        if rank > 0:
            start = np.eye(rank)

        def omega(A):
            """Omega (r, d) of A (r, r); its rows are along eigenvectors of Lambda."""
            _, values, vectors = thin_svd(A @ V.T)
            return values[:, None] * vectors.T

        return _Problem(cost=energy, data=X @ V, start=start, omega=omega)
