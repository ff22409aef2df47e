"""What the linear and the kernel embedding share: checks, source places, the search on a part, the steps of all."""

from numbers import Integral

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.decomposition import PCA
from sklearn.metrics import pairwise_distances
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_array, check_is_fitted

from ..core.checks import check_magnitude
from ..core.estimators import restore_on_failure, warn
from ..core.linalg import fix_signs
from ..embed import TSNE
from ..kernelmap import KernelMap
from ..kernelmap.kernels import check_bandwidth
from .confidence import evidence
from .em import self_log_likelihood
from .search import anneal, principal_axes
from .structure import coupling

__all__ = ["SharedEmbedding"]

PART = 400
"""Up to so many samples of a side take part in the search; the last steps are those of all."""

BANDWIDTHS = np.geomspace(0.02, 1.0, 30)
"""Tried for the last bandwidth, in root mean squares of the source places."""

STEPS_OF_ALL = 10
"""At most, at the last bandwidth; each takes the time of all pairs."""

LEAST = 5
"""Fewer samples on a side have no shape to recognise."""

FLAT = 1e-152
"""Squares of standard deviations below this underflow."""

UNEVEN = 100.0
"""A feature whose standard deviation is so many times the median one, or more, decides everything."""

UNSURE = 0.75
"""An alignment with less confidence warns."""


class SharedEmbedding(BaseEstimator):
    """Base class; see `SharedLinearEmbedding` and `SharedKernelEmbedding`."""

    @restore_on_failure
    def fit(self, X_source, X_target, y_source=None):
        """Align the target with the source.

        Parameters
        ----------
        X_source : array-like of shape (n_source, n_source_features)
        X_target : array-like of shape (n_target, n_target_features), other samples or the same in any order
        y_source : array-like of shape (n_source,), optional
            Handed to `source`, for methods that need labels. Labels of the target have no place here.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            For samples that cannot be aligned (too few, all equal, not finite) and settings out of range.
        """
        X, Z = _numbers(X_source, "X_source"), _numbers(X_target, "X_target")
        k = self._checked(X, Z)
        self._columns = _columns(X_source), _columns(X_target)
        rng = check_random_state(self.random_state)
        self.source_scaler_, self.target_scaler_ = (
            _scaler(A, self.standardize, name) for A, name in ((X, "X_source"), (Z, "X_target"))
        )
        X, Z = self.source_scaler_.transform(X), self.target_scaler_.transform(Z)
        self.source_embedding_ = self._source_places(X, y_source, k, rng)
        self._middle = self.source_embedding_.mean(axis=0)
        self._unit = float(np.sqrt(np.mean((self.source_embedding_ - self._middle) ** 2)))
        spread = principal_axes(self.source_embedding_)[0] / (self._unit or 1.0)
        if not spread[-1] > 1e-6:
            raise ValueError(
                f"`source` must spread the source samples in all of {k} directions; the least standard deviation is "
                f"{spread[-1]:.3g} of the whole. Lower `n_components` or choose another `source`."
            )
        xi = (self.source_embedding_ - self._middle) / self._unit
        rows, columns = _part(X, rng), _part(Z, rng)
        by_value = rows[np.lexsort(X[rows].T[::-1])]  # whatever the order of the samples
        self.bandwidth_, self.self_log_likelihood_ = self._last_bandwidth(xi[by_value], len(columns))
        self._prepare(Z, columns, k, rng)
        self._whole_design = self._design(Z)
        widest = max(2 * spread[-1], self.bandwidth_)
        # deterministic annealing; a single bandwidth is the last
        bandwidths = np.geomspace(self.bandwidth_, widest, self.n_bandwidths)[::-1]
        distances = pairwise_distances(X[rows]), pairwise_distances(Z[columns])
        pairs = coupling(*distances) if "structure" in self.starts else None
        found = self._search(xi[rows], self._whole_design[columns], bandwidths, pairs, rng)
        best = found[0]
        reference = self.self_log_likelihood_
        self.evidence_ = evidence(found, pairs, xi[rows], reference, self._ranked_by, self._weights)
        self.confidence_ = self.evidence_["confidence"]
        if len(rows) < len(X) or len(columns) < len(Z):
            whole, way = self._problem(xi, self._whole_design, columns), best.history
            best = anneal(whole, best.B, [self.bandwidth_], start=best.start, history=way, last_steps=STEPS_OF_ALL)
        self._B, self.theta_ = best.B, np.exp(best.log_theta)
        self.start_, self.log_likelihood_ = best.start, best.log_likelihood
        self.candidates_ = [
            {"start": c.start, "log_likelihood": c.log_likelihood, "objective": c.objective, "history": way.course()}
            for c, way in zip(found, [best, *found[1:]], strict=True)
        ]
        self.history_ = self.candidates_[0]["history"]
        self.n_iter_ = len(best.history)
        self.target_embedding_ = self._back(best.places)
        if self.confidence_ < UNSURE:
            warn(self._doubt())
        return self

    def transform_source(self, X):
        """Places of source samples X (m, n_source_features), shape (m, n_components).

        Where `source` has no `transform` of its own, or was given as places, a `KernelMap` of the samples of `fit`
        stands in for it.
        """
        check_is_fitted(self)
        X = self._again(X, "source", "target")
        return np.asarray(self.source_map_.transform(X), dtype=float)

    def transform_target(self, X):
        """Places of target samples X (m, n_target_features), shape (m, n_components)."""
        check_is_fitted(self)
        X = self._again(X, "target", "source")
        return self._back(self._design(X) @ self._B)

    def target_embedding_at(self, step, candidate=0):
        """Places of the target samples of `fit` as a step of the annealing found them, for a look at its course.

        Parameters
        ----------
        step : int, from 0 to the number of steps - 1, or negative from the end
        candidate : int, default=0
            Which of `candidates_`; 0 is the one kept.

        Returns
        -------
        ndarray of shape (n_target, n_components)
        """
        check_is_fitted(self)
        course = self.candidates_[_within(candidate, len(self.candidates_), "candidate")]["history"]
        coefficients = course["coefficients"]
        return self._back(self._whole_design @ coefficients[_within(step, len(coefficients), "step")])

    def _again(self, X, side, other):
        """Further samples of a side, in its units; refused if they cannot be of that side."""
        check_is_fitted(self)
        scaler, known = {
            "source": (self.source_scaler_, self._columns[0]),
            "target": (self.target_scaler_, self._columns[1]),
        }[side]
        columns = _columns(X)
        if known and columns and columns != known:
            raise ValueError(
                f"`X` must have the columns of `X_{side}` in their order, {known[:4]} ...; got {columns[:4]} .... "
                f"Give X[columns of `X_{side}`]."
            )
        X = _numbers(X, "X", 1)
        if X.shape[1] != scaler.n_features_in_:
            raise ValueError(
                f"`X` must have the {scaler.n_features_in_} features of `X_{side}`; got {X.shape[1]}. Samples of the "
                f"{other} go to `transform_{other}`."
            )
        return scaler.transform(X)

    def _back(self, places):
        return places * self._unit + self._middle

    def _checked(self, X, Z):
        """Number of components; everything that depends on settings and shapes only."""
        k = self.n_components
        if not isinstance(k, Integral) or isinstance(k, bool) or k < 1:
            raise ValueError(f"`n_components` must be an integer >= 1; got {k!r}.")
        for A, name in ((X, "X_source"), (Z, "X_target")):
            if len(A) <= max(k, LEAST - 1):
                raise ValueError(
                    f"`{name}` must hold more samples than `n_components` = {k}, and at least {LEAST}; got {len(A)}. "
                    "Give more samples or lower `n_components`."
                )
            needed = name == "X_target" or (isinstance(self.source, str) and self.source == "pca")
            if needed and A.shape[1] < k:
                raise ValueError(
                    f"`n_components` must not exceed the number of features of `{name}`, {A.shape[1]}; got {k}. "
                    "Lower it or give more features."
                )
            if np.all(A == A[0]):
                raise ValueError(f"`{name}` must hold samples that differ; got {len(A)} equal rows.")
        if not isinstance(self.standardize, (bool, np.bool_)):
            raise ValueError(f"`standardize` must be True or False; got {self.standardize!r}.")
        m = self.n_bandwidths
        if not isinstance(m, Integral) or isinstance(m, bool) or m < 1:
            raise ValueError(f"`n_bandwidths` must be an integer >= 1; got {m!r}.")
        if self.bandwidth is not None:
            check_bandwidth(self.bandwidth)
        starts = [self.starts] if isinstance(self.starts, str) else self.starts
        if (
            not isinstance(starts, (list, tuple))
            or not starts
            or not all(isinstance(s, str) and s in self._starts for s in starts)
        ):
            raise ValueError(f"`starts` must name some of {', '.join(self._starts)}; got {self.starts!r}.")
        if self.callback is not None and not callable(self.callback):
            raise ValueError(f"`callback` must be a function or None; got {self.callback!r}.")
        return int(k)

    def _source_places(self, X, y, k, rng):
        """Places (n, k) of the source samples, and `source_map_` for new ones."""
        if y is not None and (np.ndim(y) == 0 or np.shape(y)[0] != len(X)):
            raise ValueError(
                f"`y_source` must hold one label for each of the {len(X)} samples of `X_source`; got shape "
                f"{np.shape(y)}."
            )
        source = self.source
        if isinstance(source, str) and source == "pca":
            source = PCA(k, svd_solver="full")
        elif isinstance(source, str) and source == "tsne":
            seed = rng.randint(2**31 - 1)
            source = TSNE(k, perplexity=getattr(self, "perplexity", None), random_state=seed)
        if isinstance(source, str) or source is None:
            raise ValueError(
                f'`source` must be "pca", "tsne", an estimator with `fit_transform`, or places; got {source!r}.'
            )
        if hasattr(source, "fit") and not hasattr(source, "fit_transform"):
            raise ValueError(
                f"`source` must have `fit_transform`, that is, place samples; {type(source).__name__} has none. "
                "Fit it on the places afterwards, or give places."
            )
        if hasattr(source, "fit_transform"):
            source, places = _fitted(source, X, y)
            if isinstance(self.source, str) and isinstance(source, PCA):
                # where two features weigh the same, scikit-learn leaves the sign to rounding
                signs = fix_signs(source.components_.T)
                source.components_ *= signs[:, None]
                places = places * signs
            what = type(source).__name__
        else:
            places, what = source, "the given places"
        places = _numbers(places, "source")
        if places.shape != (len(X), k):
            raise ValueError(
                f"`source` must place {len(X)} source samples in `n_components` = {k} dimensions; {what} has shape "
                f"{places.shape}. Set both to the same number."
            )
        self.source_map_ = source if hasattr(source, "transform") else KernelMap().fit(X, places)
        return places

    def _last_bandwidth(self, xi, n_centers):
        """The bandwidth under which the source explains itself best, or the given one, and how well it does."""
        tried = BANDWIDTHS if self.bandwidth is None else [self.bandwidth]
        scores = [self_log_likelihood(xi, b, n_centers) for b in tried]
        return float(tried[int(np.argmax(scores))]), float(np.max(scores))

    def _doubt(self):
        e = self.evidence_
        reasons = []
        if np.isnan(e["gap"]):
            reasons.append("there is no other one to compare it with")
        elif e["gap_in_errors"] < 2:
            reasons.append(
                f"the best other alignment is less likely by {e['gap']:.3g} only ({e['gap_in_errors']:.1f} standard "
                "errors)"
            )
        if e["structure"] > 1:
            reasons.append("distances within the two sets suggest another one")
        if e["deficit"] > 0:
            reasons.append("the target does not explain the source as well as the source explains itself")
        return (
            f"This alignment may be wrong (confidence {self.confidence_:.2f}): {'; '.join(reasons)}. See `evidence_` "
            "and `candidates_`, and check it with a few labelled target samples."
        )


def _fitted(source, X, y):
    """A clone of an estimator, fitted to the source samples, and the places that it gives them."""
    what, n = getattr(source, "__name__", type(source).__name__), len(X)
    if isinstance(source, type) or not hasattr(source, "get_params"):
        raise ValueError(f"`source` must be an estimator with its settings, such as {what}(); got {source!r}.")
    source = clone(source)
    if y is None and get_tags(source).target_tags.required:
        raise ValueError(f"`y_source` must hold labels of the source samples, which {what} needs; got None.")
    try:
        return source, source.fit_transform(X) if y is None else source.fit_transform(X, y)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"`source` must be able to place the {n} samples of `X_source`, but {what} says: {error}"
        ) from error


def _numbers(X, name, least=1):
    """An array (n, d) of finite floats."""
    try:
        X = check_array(X, dtype=np.float64, order="C", ensure_min_samples=least, input_name=name)
    except (TypeError, ValueError) as error:
        raise ValueError(f"`{name}` must be a matrix of finite numbers, a row a sample: {error}") from error
    check_magnitude(X, name)
    return X


def _within(number, n, name):
    if not isinstance(number, Integral) or isinstance(number, bool) or not -n <= number < n:
        raise ValueError(f"`{name}` must be an integer from {-n} to {n - 1}; got {number!r}.")
    return number


def _columns(X):
    """Names of the columns of a DataFrame, if all are strings."""
    names = list(getattr(X, "columns", ()))
    return names if all(isinstance(name, str) for name in names) else []


def _scaler(X, standardize, name):
    """Centres, and divides by standard deviations if asked; warns of one feature that would decide alone."""
    spread = X.std(axis=0)
    if not spread.max() > FLAT:
        raise ValueError(
            f"`{name}` must vary by more than {FLAT:g}, whose square underflows; its largest standard deviation is "
            f"{spread.max():.3g}. Rescale it."
        )
    if not standardize and spread.max() >= UNEVEN * np.median(spread[spread > 0]):
        warn(
            f"`{name}` has features of very different scales: the largest standard deviation is {spread.max():.3g}, "
            f"the median {np.median(spread[spread > 0]):.3g}. With `standardize=True` each counts the same."
        )
    return StandardScaler(with_std=bool(standardize)).fit(X)


def _part(X, rng):
    """Row numbers of at most `PART` samples; which ones does not depend on the order of the rows."""
    if len(X) <= PART:
        return np.arange(len(X))
    order = np.lexsort(X.T[::-1])
    return order[np.sort(rng.choice(len(X), PART, replace=False))]
