"""Base class of the shared embeddings: domain adaptation of an unlabelled target to the map of a source.

It checks the samples, maps the source, searches for an alignment on a part of the
samples, rates it, and ends with steps of all samples. How the target is mapped is left
to the subclasses.
"""

from dataclasses import KW_ONLY
from types import SimpleNamespace

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.decomposition import PCA
from sklearn.metrics import pairwise_distances
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from ..core.arrays import check_columns, check_table
from ..core.checks import (
    check_callable,
    check_flag,
    check_integer,
    check_jobs,
    check_part,
    check_same_length,
    check_seed,
    short_repr,
)
from ..core.estimators import restore_on_failure, warn
from ..core.linalg import fix_signs
from ..core.parameters import parameters
from ..core.progress import progress
from ..core.scaling import DISTANCES, suppress_scale_warning, warn_of_scales
from ..embed import TSNE
from ..kernelmap import KernelMap
from ..kernelmap.forward import check_bandwidth
from .confidence import evidence, root_mean_square
from .em import self_log_likelihood
from .search import anneal, principal_axes
from .structure import gw_coupling

# samples of a side that take part in the search; the last steps are those of all
MAX_SEARCHED = 400
# tried for the last bandwidth, in root mean squares of the source coordinates
BANDWIDTHS = np.geomspace(0.02, 1.0, 30)
# of all samples, at the last bandwidth; each takes the time of all pairs
MAX_FINAL_STEPS = 10
MIN_SAMPLES = 5  # fewer on a side have no shape to recognise
LEAST_RANGE = 1e-151  # squares of smaller standard deviations underflow
TRUSTED = 0.75  # an alignment with less confidence warns


@parameters
class SharedEmbedding(BaseEstimator):
    """Base class; see `SharedLinearEmbedding` and `SharedKernelEmbedding`, whose default of `starts` names all."""

    perplexity = None  # of "tsne" as the source

    n_components: int = 2
    _: KW_ONLY
    source: object = "pca"
    standardize: bool = True
    bandwidth: float = None
    n_bandwidths: int = 12
    starts: tuple = ("axes", "structure")
    random_state: object = None
    callback: object = None
    n_jobs: int = None
    verbose: bool = False

    @restore_on_failure
    def fit(self, X_source, X_target, y_source=None):
        """Align the target with the source.

        Parameters
        ----------
        X_source : array-like of shape (n_source, n_source_features)
        X_target : array-like of shape (n_target, n_target_features), other samples or the same in any order
        y_source : array-like of shape (n_source,), optional
            Handed to `source`, for methods that need labels. There are no labels of the
            target.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            For samples that cannot be aligned (too few, all equal, not finite) and
            settings out of range.
        """
        self._known = {"source": _names(X_source), "target": _names(X_target)}
        k = check_integer(self.n_components, "n_components")
        least = max(k + 1, MIN_SAMPLES)
        X_source, X_target = (
            _matrix(X_source, "X_source", least),
            _matrix(X_target, "X_target", least),
        )
        self._check(X_source, X_target, k)
        rng = check_seed(self.random_state)
        self.source_scaler_ = _scaler(X_source, self.standardize, "X_source")
        self.target_scaler_ = _scaler(X_target, self.standardize, "X_target")
        X_source, X_target = (
            self.source_scaler_.transform(X_source),
            self.target_scaler_.transform(X_target),
        )

        # The source alone: its map, in the unit of that map, and the bandwidth under
        # which it explains itself best.
        self.source_embedding_ = self._mapped_source(X_source, y_source, k, rng)
        xi, least = self._standardised_source(k)
        rows, columns = _part(X_source, rng), _part(X_target, rng)
        # whatever the order of the samples
        by_value = rows[np.lexsort(X_source[rows].T[::-1])]
        self.bandwidth_, self.self_log_likelihood_ = self._last_bandwidth(
            xi[by_value], len(columns)
        )
        self._prepare(X_target, columns, k, rng)
        self._whole_design = self._design(X_target)

        # Deterministic annealing of a part of the samples; a single bandwidth is the
        # last.
        bandwidths = np.geomspace(
            self.bandwidth_, max(2 * least, self.bandwidth_), self.n_bandwidths
        )[::-1]
        distances = (
            pairwise_distances(X_source[rows]),
            pairwise_distances(X_target[columns]),
        )
        pairs = gw_coupling(*distances) if "structure" in self.starts else None
        found = self._search(
            xi[rows], self._whole_design[columns], bandwidths, pairs, rng
        )
        self.evidence_ = evidence(
            found,
            pairs,
            xi[rows],
            self.self_log_likelihood_,
            self._ranked_by,
            self._weights,
        )
        self.confidence_ = self.evidence_["confidence"]

        best = found[0]
        if max(len(X_source), len(X_target)) > MAX_SEARCHED:
            whole = self._problem(xi, self._whole_design, columns)
            with progress(
                MAX_FINAL_STEPS, "steps of all samples", self.verbose
            ) as done:

                def watch(*step):
                    done()
                    if self.callback:
                        self.callback(*step)

                best = anneal(
                    whole,
                    best.B,
                    [self.bandwidth_],
                    start=best.start,
                    history=best.history,
                    last_steps=MAX_FINAL_STEPS,
                    watch=watch,
                )
        self._store(best, found)
        if self.confidence_ < TRUSTED or np.isnan(self.evidence_["gap"]):
            warn(self._doubts())
        return self

    def _store(self, best, found):
        """Keep the best candidate, after its last steps, and the course of all."""
        self._B, self.theta_ = best.B, np.exp(best.log_theta)
        self.start_, self.log_likelihood_ = best.start, best.log_likelihood
        self.candidates_ = [
            {
                "start": c.start,
                "log_likelihood": c.log_likelihood,
                "objective": c.objective,
                "history": way.course(),
            }
            for c, way in zip(found, [best, *found[1:]], strict=True)
        ]
        self.history_ = self.candidates_[0]["history"]
        self.n_iter_ = len(best.history)
        self.target_embedding_ = self._in_source_units(best.positions)

    def transform_source(self, X):
        """Coordinates (m, n_components) of source samples X (m, n_source_features).

        Where `source` has no `transform` of its own, or was given as coordinates, this
        is the out-of-sample extension by a `KernelMap` of the samples of `fit`.
        """
        X = self._new_samples(X, "source")
        return np.asarray(self.source_map_.transform(X), dtype=float)

    def transform_target(self, X):
        """Coordinates (m, n_components) of target samples X (m, n_target_features)."""
        X = self._new_samples(X, "target")
        return self._in_source_units(self._design(X) @ self._B)

    def target_embedding_at(self, step, candidate=0):
        """Coordinates of the target samples of `fit` at a step of the annealing.

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
        n = len(self.candidates_)
        coefficients = self.candidates_[
            check_integer(candidate, "candidate", -n, n - 1)
        ]["history"]["coefficients"]
        n = len(coefficients)
        return self._in_source_units(
            self._whole_design @ coefficients[check_integer(step, "step", -n, n - 1)]
        )

    def _new_samples(self, X, side):
        """Further samples of a side, scaled as those of `fit`; refused if they cannot be of that side."""
        check_is_fitted(self)
        scaler = getattr(self, f"{side}_scaler_")
        check_columns(_names(X).columns, self._known[side])
        X = _matrix(X, "X")
        if X.shape[1] != scaler.n_features_in_:
            raise ValueError(
                f"`X` must have the {scaler.n_features_in_} features of `X_{side}`; got"
                f" {X.shape[1]}. Samples of the source go to `transform_source`, those"
                " of the target to `transform_target`."
            )
        return scaler.transform(X)

    def _in_source_units(self, positions):
        """Positions (m, k) in the unit of the search as coordinates of the source's map."""
        return positions * self._unit + self._middle

    def _check(self, X_source, X_target, k):
        """Checks of everything that depends on settings and shapes only."""
        check_flag(self.standardize, "standardize")
        check_flag(self.verbose, "verbose")
        check_integer(self.n_bandwidths, "n_bandwidths")
        if self.bandwidth is not None:
            check_bandwidth(self.bandwidth, "bandwidth")
        starts = [self.starts] if isinstance(self.starts, str) else self.starts
        known = type(self).starts
        listed = isinstance(starts, (list, tuple)) and all(
            isinstance(s, str) and s in known for s in starts
        )
        if not (listed and starts):
            raise ValueError(
                f"`starts` must name some of {', '.join(known)}; got"
                f" {short_repr(self.starts)}."
            )
        check_callable(
            self.callback,
            "callback",
            "a function of step, bandwidth and log likelihood",
        )
        check_jobs(self.n_jobs)

    def _mapped_source(self, X, y, k, rng):
        """Coordinates (n, k) of the source samples, and `source_map_` for new ones."""
        if y is not None:
            check_same_length(X, np.atleast_1d(y), ("X_source", "y_source"))
        source, named = self.source, isinstance(self.source, str)
        if named and source == "pca":
            source = PCA(k, svd_solver="full")
        elif named and source == "tsne":
            seed = rng.randint(2**31 - 1)
            source = TSNE(
                k, perplexity=self.perplexity, random_state=seed, verbose=self.verbose
            )
        elif named or source is None:
            kinds = '"pca", "tsne", an estimator with `fit_transform`, or coordinates'
            raise ValueError(f"`source` must be {kinds}; got {short_repr(source)}.")
        coordinates = source
        if hasattr(source, "fit"):
            with suppress_scale_warning():
                source, coordinates = _fitted(source, X, y)
            if named and isinstance(source, PCA):
                # where two features weigh the same, scikit-learn leaves the sign to
                # rounding
                signs = fix_signs(source.components_.T)
                source.components_ *= signs[:, None]
                coordinates = coordinates * signs
        coordinates = np.ascontiguousarray(
            check_table(coordinates, "source", shape=(len(X), k))
        )
        self.source_map_ = (
            source if hasattr(source, "transform") else KernelMap().fit(X, coordinates)
        )
        return coordinates

    def _standardised_source(self, k):
        """Source coordinates xi (n, k) about their mean over their root mean square, and the least deviation there."""
        self._middle = self.source_embedding_.mean(axis=0)
        self._unit = root_mean_square(self.source_embedding_ - self._middle)
        least = (principal_axes(self.source_embedding_)[0] / (self._unit or 1.0))[-1]
        if not least > 1e-6:
            raise ValueError(
                f"`source` must give coordinates that vary in all of {k} directions;"
                f" the least standard deviation is {least:.3g} of the whole. Lower"
                " `n_components` or choose another `source`."
            )
        return (self.source_embedding_ - self._middle) / self._unit, least

    def _last_bandwidth(self, xi, n_centers):
        """The bandwidth under which the source explains itself best, or the given one, and how well it does."""
        tried = BANDWIDTHS if self.bandwidth is None else [self.bandwidth]
        scores = [self_log_likelihood(xi, b, n_centers) for b in tried]
        best = np.argmax(scores)
        return float(tried[best]), float(scores[best])

    def _doubts(self):
        """The warning: why this alignment may be wrong."""
        e = self.evidence_
        gap = f"{e['gap']:.3g} only ({e['gap_in_errors']:.1f} standard errors)"
        reasons = [
            (np.isnan(e["gap"]), "there is no other one to compare it with"),
            (
                e["gap"] < np.inf and e["gap_in_errors"] < 2,
                f"the best other alignment is less likely by {gap}",
            ),
            (e["structure"] > 1, "distances within the two sets suggest another one"),
            (
                e["deficit"] > 0,
                (
                    "the target does not explain the source as well as the source"
                    " explains itself"
                ),
            ),
        ]
        return (
            f"This alignment may be wrong (confidence {self.confidence_:.2f}):"
            f" {'; '.join(reason for holds, reason in reasons if holds)}. See"
            " `evidence_` and `candidates_`, and check it with a few labelled target"
            " samples."
        )


def _fitted(source, X, y):
    """A clone of an estimator, fitted to the source samples, and the coordinates that it gives them."""
    source = check_part(source, "source", "fit_transform")
    what = type(source).__name__
    if y is None and get_tags(source).target_tags.required:
        raise ValueError(
            f"`y_source` must hold labels of the source samples, which {what} needs;"
            " got None."
        )
    try:
        return source, (
            source.fit_transform(X) if y is None else source.fit_transform(X, y)
        )
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"`source` must be able to map the {len(X)} samples of `X_source`, but"
            f" {what} says: {error}"
        ) from error


def _matrix(X, name, least=1):
    """An array (n, d) of finite floats."""
    return np.ascontiguousarray(check_table(X, name, least=least))


def _names(X):
    """An object with the `columns` of a DataFrame, if all are strings, else None."""
    names = list(getattr(X, "columns", [None]))
    return SimpleNamespace(
        columns=names if all(isinstance(name, str) for name in names) else None
    )


def _scaler(X, standardize, name):
    """A fitted StandardScaler; refuses samples that hardly vary, warns of one feature that would decide alone."""
    largest = np.ptp(X, axis=0).max()
    if largest < LEAST_RANGE:
        raise ValueError(
            f"`{name}` must hold samples that differ by more than {LEAST_RANGE:g},"
            " whose square underflows; the largest range of a feature is"
            f" {largest:.3g}. Rescale it."
        )
    if not standardize:
        warn_of_scales(
            X,
            name=name,
            so=f"{DISTANCES}; with `standardize=True` each counts the same",
        )
    return StandardScaler(with_std=bool(standardize)).fit(X)


def _part(X, rng):
    """Row numbers of at most `MAX_SEARCHED` samples; which ones does not depend on the order of the rows."""
    if len(X) <= MAX_SEARCHED:
        return np.arange(len(X))
    order = np.lexsort(X.T[::-1])
    return order[np.sort(rng.choice(len(X), MAX_SEARCHED, replace=False))]
