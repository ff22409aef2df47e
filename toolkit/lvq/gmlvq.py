"""GMLVQ: prototypes and the Mahalanobis metric of their distances, by descent."""

import copy
from dataclasses import KW_ONLY, replace
from itertools import count
from typing import Literal

import numpy as np
from sklearn.base import clone
from sklearn.utils import Bunch

from ..core import (
    CentredMap,
    Flag,
    LearnedMetric,
    NotNegative,
    OptionalCount,
    check_n_components,
    check_seed,
    feature_names,
    fit_method,
    fix_signs,
    lbfgs,
    new_samples,
    parameters,
    thin_svd,
)
from .classifier import DistanceClassifier
from .cost import matrix_cost, stochastic
from .training import initial_prototypes


@parameters
class GMLVQ(CentredMap, LearnedMetric, DistanceClassifier):
    """Generalised matrix LVQ: prototypes and a metric Lambda = Omega^T Omega.

    The leading eigenvectors of Lambda span a map.

    Standardise the features first where their units differ: relevances compare features
    in the units given.

    Parameters
    ----------
    prototypes_per_class : int or dict from class to int, default=1
        Number of prototypes of each class. They start at the class means, several of a
        class with small random deviations.
    mu : float >= 0, default=0.0
        Weight of the penalty -(mu / 2) ln det(Omega Omega^T), which keeps Lambda from
        becoming singular. Its effect depends on the number N of features: eigenvalues
        are mu / (rho + N mu), with rho those of the matrix G of
        `final_gradient_matrix`. A value that is mild for 4 features is strong for 30,
        and a strong penalty can cost a rare class its region.
    rank : int or None, default=None
        Rows of Omega; None: as many as the centred data have independent directions.
    n_components : int or None, default=None
        Dimensions of the map; None: 2, or the rank if that is 1.
    scaled : bool, default=False
        Whether to map along sqrt(eigenvalue) times eigenvector, so that distances in
        the map are those of the metric; otherwise along the unit eigenvectors.
    solver : {"lbfgs", "sgd"}, default="lbfgs"
        Batch descent, or the paper's stochastic one: one epoch per step, at the
        constant rates `eta_w` and `eta`.
    omega_init : {"pca", "random"}, default="pca"
        Start of Omega: leading principal directions with equal weights, at full rank
        the Euclidean metric; or entries drawn from U(-1, 1) as in the paper.
    eta_w : float >= 0, default=0.25
        Rate of the stochastic descent for prototypes.
    eta : float >= 0, default=0.00125
        Rate of the stochastic descent for Omega.
    tol : float >= 0, default=1e-4
        L-BFGS stops when no entry of the gradient is larger (prototypes in units of the
        data's standard deviation). It also stops where a step lowers the cost by a
        fraction below tol^2 / 100.
    max_iter : int or None, default=None
        Maximal number of iterations of L-BFGS (None: 1000) or number of epochs of the
        stochastic descent (None: 100).
    random_state : int, RandomState instance or None, default=None
        Seed of the random number generator; an int makes results reproducible. Random
        are the starts of several prototypes of a class, ``omega_init="random"`` and the
        order of stochastic steps.
    verbose : bool, default=False
        Whether to show a progress bar.

    Attributes
    ----------
    prototypes_ : ndarray of shape (n_prototypes, n_features)
        The prototypes.
    prototype_labels_ : ndarray of shape (n_prototypes,)
        Class of each prototype.
    classes_ : ndarray of shape (n_classes,)
        Sorted class names.
    mean_ : ndarray of shape (n_features,)
        Mean of the training samples.
    omega_ : ndarray of shape (M, n_features)
        The canonical form (12): row i is sqrt(eigenvalue i) times eigenvector i. Its
        squares sum to 1.
    lambda_ : ndarray of shape (n_features, n_features)
        The metric Omega^T Omega, of trace 1.
    eigenvalues_ : ndarray of shape (M,)
        Eigenvalues of `lambda_`, falling, with sum 1; its further eigenvalues are 0.
    relevances_ : ndarray of shape (n_features,)
        Diagonal of `lambda_`.
    components_ : ndarray of shape (n_components, n_features)
        The directions of the map: `transform` is ``(X - mean_) components_^T``.
    history_ : dict of arrays
        With one entry per step, the start first: ``cost`` with the penalty, ``error``
        (of the nearest prototype), ``eigenvalues`` (steps, M).
    n_iter_ : int
        Steps of the descent.

    Notes
    -----
    E = (1/n) sum_i (d_J - d_K) / (d_J + d_K) - (mu / 2) ln det(Omega Omega^T), (6) with
    (2) and (10), subject to sum Omega_ij^2 = 1. The descent moves A with ``Omega = A /
    |A|``, so that the constraint always holds.

    The model keeps a copy of the training samples, which `final_gradient_matrix` needs;
    pickled models do not.

    Directions in which the data do not vary (constant or repeated features, more
    features than samples) get no weight in Lambda. They change no distance, and the
    descent would keep their starting values.

    References
    ----------
    Biehl2012: Biehl, Bunte, Schleif, Schneider and Villmann, "Large margin linear
    discriminative visualization by matrix relevance learning". Its Omega is the
    transpose of `omega_`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = GMLVQ().fit((X - X.mean(axis=0)) / X.std(axis=0), y)
    >>> model.transform(X).shape, bool(model.eigenvalues_[0] > 0.9)
    ((150, 2), True)
    """

    _: KW_ONLY
    mu: NotNegative = 0.0
    rank: OptionalCount = None
    n_components: OptionalCount = None
    scaled: Flag = False
    solver: Literal["lbfgs", "sgd"] = "lbfgs"
    omega_init: Literal["pca", "random"] = "pca"
    eta_w: NotNegative = 0.25
    eta: NotNegative = 0.00125
    max_iter: OptionalCount = None

    _recorded = "cost", "error", "eigenvalues"

    def _train(self, samples, W, rng):
        self._descend(samples, W, rng, kept_steps=())

    def _descend(self, samples, W, rng, kept_steps):
        """GMLVQ in the order of the paper: start, cost, descent, canonical form.

        `samples` is a TrainingSet. Of p prototypes, r independent directions of the
        samples and M rows of Omega, returns W (p, r) and A (M, r), with Omega = A /
        |A|, as they were after each of the numbers of steps `kept_steps`: a dict of
        pairs by number of steps. Numbers of equations are those of Biehl2012.
        """
        # M rows of Omega, and k dimensions of the map
        d = samples.X.shape[1]
        rank = self.rank
        if rank is None:
            rank = samples.rank
        M = check_n_components(
            rank,
            limit=samples.rank,
            n_features=d,
            limit_is="the rank of the centred X",
            name="rank",
        )
        k = self.n_components
        if k is None:
            k = min(2, M)
        self._k = check_n_components(
            k, limit=M, n_features=d, limit_is="the rank of Omega"
        )
        # The model keeps the samples, and the caller may change X.
        samples = replace(samples, X=np.array(samples.X))
        self._samples = samples
        # Start: Omega along principal directions or random
        Omega = samples.initial_matrix(M, self.omega_init, rng)

        # The cost is (6) of the distances (2), plus the penalty (10); its gradient by
        # Omega is (8) and that of the penalty. The descent moves A with Omega = A /
        # |A|, along the sphere sum Omega_ij^2 = 1. A is handed over transposed, because
        # L-BFGS rounds otherwise for another order of entries and, at the kinks of the
        # cost, may then end elsewhere.
        def objective(arrays):
            """Cost, gradients and error of the prototypes W (p, r) and A^T (r, M)."""
            W = arrays[0]
            A = arrays[1].T
            length = np.linalg.norm(A)
            cost = matrix_cost(samples, W, self._w_codes, A / length, self.mu)
            by_Omega = cost.grad_omegas[0]
            along = np.sum(by_Omega * A) / length**2
            by_A = (by_Omega - along * A) / length
            return cost.value, [cost.grad_W, by_A.T], cost.error

        # Descent: with all samples, or one by one with (7), (9) and (11)
        step_numbers = count()
        kept = {}

        def record(value, arrays, error):
            """The entry of the history after a step; keeps its W and A if asked to."""
            step = next(step_numbers)
            if step in kept_steps:
                kept[step] = arrays[0].copy(), arrays[1].copy().T
            s = np.linalg.svd(arrays[1], compute_uv=False)
            eigenvalues = s**2 / np.sum(s**2)
            return value, error, eigenvalues

        if self.solver == "lbfgs":
            start = [W, Omega.T]
            # The model holds `tol`, `max_iter` and `verbose`.
            [W, A], history = lbfgs(
                estimator=self, objective=objective, start=start, record=record
            )
            Omega = A.T
        else:
            descent = stochastic(
                samples=samples,
                W=W,
                w_codes=self._w_codes,
                Omega=Omega,
                model=self,
                rng=rng,
                record=record,
            )
            W = descent.W
            Omega = descent.Omega
            history = descent.epochs
        # Canonical form (12)
        self._store(samples, W, Omega, history)
        return kept

    def snapshots(self, X, y, steps):
        """Return models that stopped after given numbers of steps of one descent.

        They are equal to fits with these `max_iter`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Target: classes, one per sample.
        steps : sequence of int >= 1
            Iterations of L-BFGS or epochs of the stochastic descent; one past the end
            of the descent gives its end.

        Returns
        -------
        models : list of GMLVQ
            Fitted models in the order of `steps`.

        Raises
        ------
        ValueError
            If `steps` is empty.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> models = GMLVQ(tol=1e-2).snapshots(X, y, [2, 4, 1000])
        >>> [model.n_iter_ for model in models]
        [2, 4, 6]
        """
        steps = np.ravel(steps).tolist()
        if not steps:
            raise ValueError(
                "`steps` must name at least one number of steps; got none."
            )
        last = clone(self).set_params(max_iter=max(steps))
        kept = last._fit_keeping(X, y, steps)
        history = list(zip(*last.history_.values(), strict=True))
        models = []
        for n in steps:
            model = copy.copy(last).set_params(max_iter=n)
            if n < last.n_iter_:
                W, A = kept[n]
                model._store(last._samples, W, A, history[: n + 1])
            models.append(model)
        return models

    @fit_method
    def _fit_keeping(self, X, y, kept_steps):
        """Fit; the result is that of `_descend`."""
        samples = self._training_set(X, y)
        rng = check_seed(self.random_state)
        W = initial_prototypes(samples, self._w_codes, rng)
        return self._descend(samples, W, rng, kept_steps)

    def explain(self, X):
        """Explain the margin of each sample by prototypes and features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        explanation : Bunch
            ``winners`` (n_samples, 2), numbers of the nearest prototype w and of the
            nearest v of another class; ``winner_labels`` (n_samples, 2), their classes;
            ``margin`` (n_samples,), (d_v - d_w) / (d_v + d_w), at least 0;
            ``contributions`` (n_samples, n_features), which sum to the margin: feature
            j gives [(x - v)_j (Lambda (x - v))_j - (x - w)_j (Lambda (x - w))_j] / (d_v
            + d_w); ``feature_names`` (n_features,), those of the columns, or X1, X2,
            ...

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> why = GMLVQ().fit(X, y).explain(X[:2])
        >>> total = why.contributions.sum(axis=1)
        >>> why.winners[:, 0].tolist(), bool(np.allclose(total, why.margin))
        ([0, 0], True)
        """
        D = self.distances(X)
        X = new_samples(self, X)
        first = D.argmin(axis=1)
        same_class = self._w_codes == self._w_codes[first][:, None]
        to_other_classes = np.where(same_class, np.inf, D)
        second = to_other_classes.argmin(axis=1)
        winners = np.column_stack([first, second])
        d_first, d_second = np.take_along_axis(D, winners, axis=1).T
        total = d_first + d_second
        total[total == 0] = np.inf
        parts_first = self._distance_parts(X, first)
        parts_second = self._distance_parts(X, second)
        return Bunch(
            winners=winners,
            winner_labels=self.prototype_labels_[winners],
            margin=(d_second - d_first) / total,
            contributions=(parts_second - parts_first) / total[:, None],
            feature_names=feature_names(self, X.shape[1]),
        )

    def _distance_parts(self, X, winner):
        """Parts (m, d) of the features in squared distances of X (m, d) to prototypes.

        `winner` (m,) is the number of the prototype of each sample.
        """
        differences = X - self.prototypes_[winner]
        return differences * (differences @ self.lambda_)

    def _store(self, samples, W, A, history):
        """Store the end of a descent, W (p, r) and Omega = A / |A| (M, r).

        `history` is what `record` of `_descend` gave for the start and each step.
        """
        super()._store(samples, W, history)
        Omega = samples.to_features(A / np.linalg.norm(A))
        V, s, _ = thin_svd(Omega.T)
        V = V * fix_signs(V)
        eigenvalues = s**2 / np.sum(s**2)
        scaled_vectors = V * np.sqrt(eigenvalues)
        # Biehl2012 Eq. (12)
        self._set_mapping(scaled_vectors.T, V, eigenvalues)

    def _set_mapping(self, Omega, V, eigenvalues):
        """Set `omega_` (M, d) and what follows from its decomposition.

        V (d, M) are the eigenvectors of Omega^T Omega, `eigenvalues` (M,) fall.
        """
        super()._set_mapping(Omega, V, eigenvalues)
        self.omega_ = Omega
        if self.scaled:
            V = V * np.sqrt(eigenvalues)
        self.components_ = V.T[: self._k]

    def __getstate__(self):
        state = dict(super().__getstate__())
        state.pop("_samples", None)
        return state
