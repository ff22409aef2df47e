"""GLVQ and GMLVQ: prototypes, and the Mahalanobis metric in which the nearest decides, by descent on one cost."""

import copy
import itertools
from dataclasses import KW_ONLY, replace

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from ..core.arrays import as_frame, feature_names
from ..core.checks import (
    check_callable,
    check_flag,
    check_n_components,
    check_option,
    check_positive,
    check_seed,
)
from ..core.descent import lbfgs
from ..core.estimators import new_samples, warn
from ..core.linalg import fix_signs, thin_svd
from ..core.metrics import LearnedMetric
from ..core.parameters import parameters
from .classifier import DistanceClassifier, PrototypeMap, history_of
from .cost import glvq_cost, penalty, stochastic


class GLVQ(DistanceClassifier):
    """Generalised learning vector quantisation: prototypes in the Euclidean metric, the data's own.

    Parameters
    ----------
    prototypes_per_class : int or dict from class to int, default=1
    prototype_init : {"means", "kmeans"}, default="means"
        Start: class means, several prototypes of a class with small random deviations;
        or k-means in each class.
    tol : float, default=1e-4
        L-BFGS stops when no entry of the gradient is larger (prototypes in units of the
        data's standard deviation), or where a step lowers the cost by a fraction below
        tol^2 / 100.
    max_iter : int, default=1000
    class_weight : None, "balanced" or dict from class to number > 0, default=None
        Weight of a sample in the mean cost, by its class; balanced: each class counts
        the same. Without it a rare class may end with no region at all.
    random_state : int, RandomState or None
        Decides everything random: starts of several prototypes of a class,
        `omega_init="random"`, the order of stochastic steps. A number makes fits
        repeat.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    prototypes_ : ndarray of shape (p, n_features)
    prototype_labels_ : ndarray of shape (p,)
    classes_ : ndarray of shape (c,)
    mean_ : ndarray of shape (n_features,)
    history_ : dict of arrays with one entry per step, the start first: ``cost``, ``error`` (of the nearest prototype)
    n_iter_ : int, steps taken

    References
    ----------
    Sato and Yamada (1996); Biehl2012 (6) with a fixed metric, the special case of
    :class:`GMLVQ`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> GLVQ().fit(*load_iris(return_X_y=True)).prototypes_.shape
    (3, 4)
    """

    def _descend(self, samples, W, rng):
        def objective(arrays):
            cost = glvq_cost(samples, arrays[0], self._w_codes, None)
            return cost.value, [cost.grad_W], cost.error

        [W], steps = lbfgs(objective, [W], what="GLVQ", **self._descent)
        self._store(samples, W, history_of(steps, "cost", "error"))


@parameters
class GMLVQ(PrototypeMap, LearnedMetric, DistanceClassifier):
    """Generalised matrix LVQ: prototypes and a metric Lambda = Omega^T Omega, whose eigenvectors span a map.

    Standardise the features first where their units differ: relevances compare features
    in the units given.

    Parameters
    ----------
    prototypes_per_class : int or dict from class to int, default=1
    mu : float >= 0, default=0.0
        Weight of the penalty -(mu / 2) ln det(Omega Omega^T), which keeps Lambda from
        becoming singular. It acts by the number N of features, eigenvalues are mu /
        (rho + N mu): what is mild for 4 of them is strong for 30, and a strong one can
        cost a rare class its region.
    rank : int or None, default=None
        Rows of Omega; None: as many as the centred data have independent directions.
    n_components : int or None, default=None
        Dimensions of the map; None: 2, or the rank if that is 1.
    scaled : bool, default=False
        Map along sqrt(eigenvalue) times eigenvector, so that distances in the map are
        those of the metric; otherwise along the unit eigenvectors.
    solver : {"lbfgs", "sgd"}, default="lbfgs"
        Batch descent, or the paper's stochastic one: one epoch per step, at the
        constant rates `eta_w` and `eta`.
    omega_init : {"pca", "random"}, default="pca"
        Start: leading principal directions with equal weights, at full rank the
        Euclidean metric; or entries drawn from U(-1, 1) as in the paper.
    eta_w, eta : float, default=0.25, 0.00125
        Rates of the stochastic descent for prototypes and Omega.
    max_iter : int or None, default=None
        Iterations of L-BFGS (None: 1000) or epochs of the stochastic descent (None:
        100).
    prototype_init, tol, class_weight, random_state, verbose : as in :class:`GLVQ`
        Start of the prototypes, end of L-BFGS, weights of the classes in the cost, the
        seed, and a progress bar.

    Attributes
    ----------
    prototypes_, prototype_labels_, classes_, mean_, n_iter_ : as in :class:`GLVQ`
    omega_ : ndarray of shape (M, n_features)
        The canonical form (12): row i is sqrt(eigenvalue i) times eigenvector i. Its
        squares sum to 1.
    lambda_ : ndarray of shape (n_features, n_features), trace 1
    eigenvalues_ : ndarray of shape (M,), falling, sum 1; further eigenvalues of `lambda_` are 0
    relevances_ : ndarray of shape (n_features,), diagonal of `lambda_`
    components_ : ndarray of shape (n_components, n_features)
        The directions of the map: `transform` (`core/metrics.py`) is (X - mean_)
        components_^T.
    history_ : dict of arrays with one entry per step, the start first
        ``cost`` with the penalty, ``error`` (of the nearest prototype), ``eigenvalues``
        (steps, M).

    Notes
    -----
    E = (1/n) sum_i (d_J - d_K) / (d_J + d_K) - (mu / 2) ln det(Omega Omega^T), (6) with
    (2) and (10), subject to sum Omega_ij^2 = 1. The descent moves A with Omega = A /
    |A|, so that the constraint always holds.

    The model keeps a copy of the training samples, from which `path` starts again;
    pickled models do not.

    Directions in which the data do not vary (constant or repeated features, more
    features than samples) get no part of Lambda: they change no distance, and the
    descent would leave there what it started from.

    References
    ----------
    Biehl2012: Biehl, Bunte, Schleif, Schneider and Villmann, "Large margin linear
    discriminative visualization by matrix relevance learning". Its Omega is the
    transpose of ours.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = GMLVQ().fit((X - X.mean(axis=0)) / X.std(axis=0), y)
    >>> model.transform(X).shape, bool(model.eigenvalues_[0] > 0.9)
    ((150, 2), True)
    """

    _: KW_ONLY
    mu: float = 0.0
    rank: int = None
    n_components: int = None
    scaled: bool = False
    solver: str = "lbfgs"
    omega_init: str = "pca"
    eta_w: float = 0.25
    eta: float = 0.00125
    max_iter: int = None

    def path(self, mus, *, callback=None):
        """Models for several `mu`, each started from the one before.

        Parameters
        ----------
        mus : sequence of float >= 0
            Computed from the largest to the smallest, the first from the start that the
            parameters describe.
        callback : callable, optional, called with each model as soon as it is fitted, for a progress bar

        Returns
        -------
        list of GMLVQ, in the order of `mus`
        """
        samples = self.training_samples()
        check_callable(callback, "callback", "a function of a fitted model")
        mus = [check_positive(mu, "mus", zero=True) for mu in np.ravel(mus).tolist()]
        models, start = {}, self._start
        for mu in sorted(set(mus), reverse=True):
            model = copy.copy(self).set_params(**self._params | {"mu": mu})
            vars(model).update(model._checked(samples), _samples=samples)
            model._descend_from(samples, *start, check_seed(model.random_state))
            start = model._end
            models[mu] = model
            if callback is not None:
                callback(model)
        return [models[mu] for mu in mus]

    def stages(self, X, y, steps):
        """Models that stopped after so many steps, all from one descent: what fits with these `max_iter` give.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
        y : array-like of shape (n,)
        steps : sequence of int >= 1
            Iterations of L-BFGS or epochs of the stochastic descent; one past the end
            of the descent gives its end.

        Returns
        -------
        list of GMLVQ, in the order of `steps`

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> [model.n_iter_ for model in GMLVQ(tol=1e-2).stages(*load_iris(return_X_y=True), [2, 4, 1000])]
        [2, 4, 6]
        """
        steps = np.ravel(steps).tolist()
        if not steps:
            raise ValueError(
                "`steps` must name at least one number of steps; got none."
            )
        last = clone(self).set_params(max_iter=max(steps))
        last._stages = dict.fromkeys(steps)
        last.fit(X, y)
        kept, history, models = last.__dict__.pop("_stages"), last.history_, []
        for n in steps:
            model = copy.copy(last)
            model.max_iter = n
            vars(model).update(model._checked(last._samples))
            if n < last.n_iter_:
                model._finish(
                    last._samples,
                    *kept[n],
                    {name: v[: n + 1] for name, v in history.items()},
                )
            models.append(model)
        return models

    def explain(self, X):
        """What decides each sample: its two winning prototypes, its margin, and each feature's part in it.

        Parameters
        ----------
        X : array-like of shape (m, n_features)

        Returns
        -------
        Explanation
            A Bunch with `to_frame()`, one row per sample: ``winners`` (m, 2), numbers
            of the nearest prototype w and of the nearest v of another class;
            ``winner_labels`` (m, 2), their classes; ``margin`` (m,), (d_v - d_w) / (d_v
            + d_w), at least 0; ``contributions`` (m, n_features), which sum to the
            margin: feature j gives [(x - v)_j (Lambda (x - v))_j - (x - w)_j (Lambda (x
            - w))_j] / (d_v + d_w); ``feature_names`` (n_features,), those of the
            columns, or X1, X2, ...

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> why = GMLVQ().fit(X, y).explain(X[:2])
        >>> why.winners[:, 0].tolist(), bool(np.allclose(why.contributions.sum(axis=1), why.margin))
        ([0, 0], True)
        """
        D = self.distances(X)
        X = new_samples(self, X)
        first = D.argmin(axis=1)
        second = np.where(
            self._w_codes == self._w_codes[first][:, None], np.inf, D
        ).argmin(axis=1)
        winners = np.column_stack([first, second])
        d_first, d_second = np.take_along_axis(D, winners, axis=1).T
        total = d_first + d_second
        total[total == 0] = np.inf
        nearest, other = X - self.prototypes_[first], X - self.prototypes_[second]
        return Explanation(
            winners=winners,
            winner_labels=self.prototype_labels_[winners],
            margin=(d_second - d_first) / total,
            contributions=(
                other * (other @ self.lambda_) - nearest * (nearest @ self.lambda_)
            )
            / total[:, None],
            feature_names=feature_names(self, X.shape[1]),
        )

    def _checked(self, samples):
        check_option(self.solver, "solver", ("lbfgs", "sgd"))
        check_flag(self.scaled, "scaled")
        M, d = samples.rank, samples.X.shape[1]
        if self.rank is not None:
            M = check_n_components(
                self.rank, M, d, "the rank of the centred X", name="rank"
            )
        k = (
            min(2, M)
            if self.n_components is None
            else check_n_components(self.n_components, M, d, "the rank of Omega")
        )
        for name in ("mu", "eta_w", "eta"):
            check_positive(getattr(self, name), name, zero=True)
        descent = super()._checked(samples, 1000 if self.solver == "lbfgs" else 100)
        # `path` goes on from these
        return descent | {"_M": M, "_k": k, "_params": self.get_params(deep=False)}

    def _descend(self, samples, W, rng):
        # `path` starts again from them
        samples = replace(samples, X=np.array(samples.X))
        self._samples, self._start = (
            samples,
            (W, samples.initial_matrix(self._M, self.omega_init, rng)),
        )
        self._descend_from(samples, *self._start, rng)

    def _descend_from(self, samples, W, Omega, rng):
        kept, count = getattr(self, "_stages", {}), itertools.count()  # see `stages`

        # of W and the transpose of A: where the cost has kinks, rounding in another
        # order of entries ends elsewhere
        def objective(arrays):
            W, A = arrays[0], arrays[1].T
            length = np.linalg.norm(A)
            cost, grad = self._cost(samples, W, A / length)
            # along the sphere sum Omega_ij^2 = 1
            grad = (grad - np.sum(grad * A) / length**2 * A) / length
            return cost.value, [cost.grad_W, grad.T], cost.error

        def record(value, arrays, error):
            if (n := next(count)) in kept:
                kept[n] = arrays[0].copy(), arrays[1].copy().T
            s = np.linalg.svd(arrays[1], compute_uv=False)
            return value, error, s**2 / np.sum(s**2)

        def record_epoch(W, Omega):
            cost, _ = self._cost(samples, W, Omega)
            return record(cost.value, [W, Omega.T], cost.error)

        if self.solver == "lbfgs":
            [W, A], steps = lbfgs(
                objective, [W, Omega.T], record=record, what="GMLVQ", **self._descent
            )
            Omega = A.T
        else:
            W, Omega, steps = stochastic(
                samples,
                W,
                self._w_codes,
                Omega,
                mu=self.mu,
                eta_w=self.eta_w,
                eta=self.eta,
                n_epochs=self._descent["max_iter"],
                rng=rng,
                record=record_epoch,
                verbose=self.verbose,
            )
            if steps[-1][0] > steps[0][0]:
                warn(
                    "The stochastic descent ended at a higher cost"
                    f" ({steps[-1][0]:.3g}) than it began with ({steps[0][0]:.3g});"
                    f" lower `eta_w`={self.eta_w:g} and `eta`={self.eta:g}.",
                    ConvergenceWarning,
                )
        self._finish(
            samples, W, Omega, history_of(steps, "cost", "error", "eigenvalues")
        )

    def _finish(self, samples, W, A, history):
        """Store what a descent that ended at `W` (p, r) and `A` (M, r) has found."""
        self._end = W, A / np.linalg.norm(A)
        self._store(samples, W, history)
        V, s, _ = thin_svd(samples.outside(self._end[1]).T)
        V, eigenvalues = V * fix_signs(V), s**2 / np.sum(s**2)
        # Biehl2012 Eq. (12)
        self._set_mapping((V * np.sqrt(eigenvalues)).T, V, eigenvalues)

    def _set_mapping(self, Omega, V, eigenvalues):
        super()._set_mapping(Omega, V, eigenvalues)
        self.omega_ = Omega
        self.components_ = (
            V * np.sqrt(eigenvalues) if self._params["scaled"] else V
        ).T[: self._k]

    def _cost(self, samples, W, Omega):
        """Cost with penalty, and the gradient by Omega."""
        cost = glvq_cost(samples, W, self._w_codes, Omega[None])
        grad = cost.grad_omegas[0]
        if self.mu:
            value, slope = penalty(Omega, self.mu)
            cost, grad = cost._replace(value=cost.value + value), grad + slope
        return cost, grad

    def training_samples(self):
        """The samples of the last fit, a copy of the array given; models that were pickled have none."""
        check_is_fitted(self)
        if not hasattr(self, "_samples"):
            raise ValueError(
                "This copy of a fitted model does not hold its training samples; call"
                " `fit` again."
            )
        return self._samples

    def __getstate__(self):
        return {
            name: value
            for name, value in super().__getstate__().items()
            if name != "_samples"
        }


class Explanation(Bunch):
    """What decides samples, see :meth:`GMLVQ.explain`."""

    def to_frame(self):
        """A pandas DataFrame: the class that wins, its rival, the margin, and each feature's part in it, by name."""
        winner, rival = self.winner_labels.T
        columns = {"winner": winner, "rival": rival, "margin": self.margin}
        return as_frame(
            columns | dict(zip(self.feature_names, self.contributions.T, strict=True))
        )
