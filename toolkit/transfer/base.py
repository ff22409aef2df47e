"""Base class of the shared embeddings: an unlabelled target on the map of a source.

How the target is mapped is left to the subclasses.
"""

from abc import ABC, abstractmethod
from dataclasses import KW_ONLY
from types import SimpleNamespace
from typing import Annotated

import numpy as np
from sklearn.metrics import pairwise_distances
from sklearn.preprocessing import StandardScaler

from ..core import (
    DISTANCES,
    Count,
    Estimator,
    Flag,
    Jobs,
    Seed,
    check_columns,
    check_integer,
    check_is_fitted,
    check_number,
    check_seed,
    check_table,
    draw_rows,
    fit_method,
    parameters,
    require,
    root_mean_square,
    rule,
    warn,
    warn_of_scales,
)
from ..kernelmap.forward import check_bandwidth
from .annealing import Start, anneal, principal_axes, self_log_likelihood
from .confidence import confidence_evidence
from .gromov_wasserstein import gw_coupling
from .source import map_source

# Samples of a side that take part in the search; the last steps are those of all.
MAX_SEARCHED = 400
# Values that are tried for the last bandwidth, in root mean squares of the source
# coordinates.
BANDWIDTHS = np.geomspace(0.02, 1.0, 30)
# Steps of all samples, at the last bandwidth; each takes the time of all pairs.
MAX_FINAL_STEPS = 10
# Fewer samples on a side have no shape to recognise.
MIN_SAMPLES = 5
# Squares of smaller standard deviations underflow.
LEAST_RANGE = 1e-151
# An alignment with less confidence warns.
FEW_STANDARD_ERRORS = 2  # a gap to the next alignment below this is a small one
TRUSTED = 0.75
# Rule of the weight of a penalty.
PenaltyWeight = Annotated[
    float | None, rule(check_number, low=0, high=1e6, optional=True)
]
# Messages say so where rows of the other side may have been given.
SIDES = (
    "`transform_source` takes rows of the source, `transform_target` rows of the"
    " target."
)


@parameters
class SharedEmbedding(Estimator, ABC):
    """Base class; the default of `starts` of a subclass names all that there are.

    Subclasses set `_ranked_by`, the quantity of a `Candidate` that ranks it
    ("log_likelihood" or "objective"), and `_weights`, those of the confidence.
    """

    perplexity = None  # of "tsne" as the source

    n_components: Count = 2
    _: KW_ONLY
    source: object = "pca"
    standardize: Flag = True
    bandwidth: Annotated[float | None, rule(check_bandwidth, optional=True)] = (
        None
    )
    n_bandwidths: Count = 12
    starts: tuple = ("axes", "structure")
    random_state: Seed = None
    n_jobs: Jobs = None
    verbose: Flag = False

    @fit_method
    def fit(self, X_source, X_target, y_source=None):
        """Align the target with the source.

        Parameters
        ----------
        X_source : array-like of shape (n_source, n_source_features)
            Source samples.
        X_target : array-like of shape (n_target, n_target_features)
            Target samples: other samples, or the same in any order.
        y_source : array-like of shape (n_source,), optional
            Labels of the source samples, passed to `source`, for methods that need
            them. There are no labels of the target.

        Returns
        -------
        self : estimator
            Fitted estimator.

        Raises
        ------
        ValueError
            For samples that cannot be aligned (too few, all equal, not finite) and
            settings out of range.
        """
        # Checks and scales; all steps of the method are in `_align`.
        self._columns = {
            "source": getattr(X_source, "columns", None),
            "target": getattr(X_target, "columns", None),
        }
        n_needed = max(self.n_components + 1, MIN_SAMPLES)
        X_source = _matrix(X_source, "X_source", min_rows=n_needed)
        X_target = _matrix(X_target, "X_target", min_rows=n_needed)
        starts = np.atleast_1d(self.starts).tolist()
        all_starts = type(self).starts
        require(
            starts and all(start in all_starts for start in starts),
            "starts",
            f"some of {', '.join(all_starts)}",
            self.starts,
        )
        self._check(X_source, X_target)
        rng = check_seed(self.random_state)
        self.source_scaler_ = _scaler(X_source, self.standardize, "X_source")
        self.target_scaler_ = _scaler(X_target, self.standardize, "X_target")
        X_source = self.source_scaler_.transform(X_source)
        X_target = self.target_scaler_.transform(X_target)
        self._align(X_source, X_target, y_source, rng)
        if self.confidence_ < TRUSTED or np.isnan(self.evidence_["gap"]):
            warn(
                f"This alignment may be wrong: confidence {self.confidence_:.2f}"
                f"{_reasons_for_doubt(self.evidence_)}. See `evidence_` and"
                " `candidates_`, and check it with a few labelled target samples."
            )
        return self

    @abstractmethod
    def _check(self, X_source, X_target):
        """Check the parameters against the samples (n_source, d), (n_target, d')."""

    @abstractmethod
    def _prepare(self, X_target, columns, rng):
        """Store what `_design` needs of the target (n_target, d').

        `columns` are the numbers of its samples in the search.
        """

    @abstractmethod
    def _design(self, X_target):
        """The design (m, p) of target samples: their coordinates are design @ B."""

    @abstractmethod
    def _problem(self, xi, design, part=slice(None)):
        """The `Problem` of source coordinates xi (n, k) and a design (m, p).

        `part` are the rows of the design that are in the search.
        """

    @abstractmethod
    def _search(self, xi, design, bandwidths, pairs, rng):
        """A list of each `Candidate`, from all starts, down to the last bandwidth.

        From source coordinates xi (n, k), a design (m, p), bandwidths from the largest
        on, and the structural coupling `pairs` (n, m), or None.
        """

    def _align(self, X_source, X_target, y_source, rng):
        """All steps: source, target's design, annealing, confidence, all samples."""
        # The source alone: its map, in the unit of that map, and the bandwidth under
        # which it explains itself best.
        self.source_embedding_, self.source_map_ = map_source(
            self.source,
            X_source,
            y_source,
            n_components=self.n_components,
            perplexity=self.perplexity,
            rng=rng,
            verbose=self.verbose,
        )
        xi, smallest_deviation = self._rescale_source()
        rows = _subsample(X_source, rng)
        columns = _subsample(X_target, rng)
        by_value = rows[np.lexsort(X_source[rows].T[::-1])]
        self._choose_bandwidth(xi[by_value], len(columns))
        # How coefficients become positions of the target.
        self._prepare(X_target, columns, rng)
        self._whole_design = self._design(X_target)
        # Deterministic annealing of a part of the samples, down to that bandwidth.
        widest_bandwidth = max(2 * smallest_deviation, self.bandwidth_)
        rising_bandwidths = np.geomspace(
            self.bandwidth_, widest_bandwidth, self.n_bandwidths
        )
        bandwidths = rising_bandwidths[::-1]
        pairs = None
        if "structure" in self.starts:
            D_source = pairwise_distances(X_source[rows])
            D_target = pairwise_distances(X_target[columns])
            pairs = gw_coupling(D_source, D_target)
        design = self._whole_design[columns]
        candidates = sorted(
            self._search(xi[rows], design, bandwidths, pairs, rng),
            key=lambda c: -getattr(c, self._ranked_by),
        )
        # Confidence of the best candidate, without labels.
        self.evidence_ = confidence_evidence(
            candidates,
            pairs=pairs,
            source=xi[rows],
            reference=self.self_log_likelihood_,
            ranked_by=self._ranked_by,
            weights=self._weights,
        )
        self.confidence_ = self.evidence_["confidence"]
        # Last steps of all samples.
        best = candidates[0]
        if max(len(X_source), len(X_target)) > MAX_SEARCHED:
            with self._bar("steps of all samples"):
                best = anneal(
                    self._problem(xi, self._whole_design, columns),
                    Start(best.B, best.start, best.history),
                    [self.bandwidth_],
                    last_steps=MAX_FINAL_STEPS,
                )
        self._store(best, candidates)

    def _choose_bandwidth(self, xi, n_centers):
        """Set the bandwidth under which source coordinates explain each other best.

        They are ordered by value, so that the order of the samples does not matter.
        """
        bandwidths = BANDWIDTHS
        if self.bandwidth is not None:
            bandwidths = [self.bandwidth]
        tried_bandwidths = []
        for width in bandwidths:
            log_likelihood = self_log_likelihood(xi, width, n_centers)
            tried_bandwidths.append((log_likelihood, width))
        log_likelihood, width = max(tried_bandwidths)
        self.self_log_likelihood_ = float(log_likelihood)
        self.bandwidth_ = float(width)

    def _weigh(self, name, values, find):
        """Candidates for the largest weight of a penalty that is good enough.

        With it the target explains the source as well as the source explains itself.
        `name` is that of the parameter, `values` are tried if it is None. `find` gives
        each `Candidate` for the weight that is then set.
        """
        weight = getattr(self, name)
        if weight is not None:
            values = [weight]
        with self._bar(f"values of {name}", len(values)) as done:
            for value in values:
                setattr(self, f"{name}_", float(value))
                candidates = list(find())
                done()
                highest_likelihood = max(c.log_likelihood for c in candidates)
                if highest_likelihood >= self.self_log_likelihood_:
                    break
        return candidates

    def _store(self, best, candidates):
        """Keep the best candidate, after its last steps, and the course of all."""
        self._B = best.B
        self.theta_ = np.exp(best.log_theta)
        self.start_ = best.start
        self.log_likelihood_ = best.log_likelihood
        self.history_ = _by_name(best.history)
        self.candidates_ = []
        for candidate in candidates:
            entry = {
                "start": candidate.start,
                "log_likelihood": candidate.log_likelihood,
                "objective": candidate.objective,
                "history": _by_name(candidate.history),
            }
            self.candidates_.append(entry)
        self.candidates_[0]["history"] = self.history_
        self.target_embedding_ = self._in_source_units(best.positions)

    def transform_source(self, X):
        """Map source samples.

        Where `source` has no `transform`, or was given as coordinates, this
        is the out-of-sample extension by a `KernelMap` of the samples of `fit`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_source_features)
            Source samples.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
            Coordinates of the samples.
        """
        X = self._new_samples(X, "source")
        return np.asarray(self.source_map_.transform(X), dtype=float)

    def transform_target(self, X):
        """Map target samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_target_features)
            Target samples.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
            Coordinates of the samples.
        """
        X = self._new_samples(X, "target")
        return self._in_source_units(self._design(X) @ self._B)

    def target_embedding_at(self, step, candidate=0):
        """Map the target samples of `fit` as at a step of the annealing.

        Parameters
        ----------
        step : int
            From 0 to the number of steps - 1, or negative from the end.
        candidate : int, default=0
            Number of a candidate in ``candidates_``; 0 is the one kept.

        Returns
        -------
        Z : ndarray of shape (n_target, n_components)
            Coordinates of the target samples at this step.
        """
        check_is_fitted(self)
        n = len(self.candidates_)
        check_integer(candidate, "candidate", -n, n - 1)
        coefficients = self.candidates_[candidate]["history"]["coefficients"]
        n = len(coefficients)
        check_integer(step, "step", -n, n - 1)
        return self._in_source_units(self._whole_design @ coefficients[step])

    def _new_samples(self, X, side):
        """Further samples of a side, checked, and scaled as those of `fit`."""
        check_is_fitted(self)
        scaler = getattr(self, f"{side}_scaler_")
        n_features = scaler.n_features_in_
        expected = SimpleNamespace(columns=self._columns[side])
        try:
            check_columns(getattr(X, "columns", None), expected)
        except ValueError as error:
            raise ValueError(f"{error} {SIDES}") from None
        X = _matrix(X, "X")
        if X.shape[1] != n_features:
            raise ValueError(
                f"`X` must have shape (m, {n_features}); got shape {X.shape}. {SIDES}"
            )
        return scaler.transform(X)

    def _in_source_units(self, positions):
        """Positions (m, k) of the search as coordinates of the source's map."""
        return positions * self._unit + self._middle

    def _rescale_source(self):
        """Source coordinates xi (n, k), centred, over their root mean square.

        And the smallest standard deviation along an axis there.
        """
        self._middle = self.source_embedding_.mean(axis=0)
        centred_embedding = self.source_embedding_ - self._middle
        self._unit = root_mean_square(centred_embedding)
        deviations, _ = principal_axes(self.source_embedding_)
        smallest_deviation = deviations[-1]
        if self._unit > 0:
            smallest_deviation = smallest_deviation / self._unit
        if not smallest_deviation > 1e-6:
            raise ValueError(
                "`source` must give coordinates that vary in all of"
                f" {self.n_components} directions; the least standard deviation is"
                f" {smallest_deviation:.3g} of the whole. Lower `n_components` or"
                " choose another `source`."
            )
        return centred_embedding / self._unit, smallest_deviation


def _by_name(steps):
    """Steps, dicts of numbers and arrays, as one dict of arrays."""
    columns = {}
    for name in steps[0]:
        columns[name] = np.array([step[name] for step in steps])
    return columns


def _matrix(X, name, **limits):
    """An array (n, d) of finite floats."""
    return np.ascontiguousarray(check_table(X, name, **limits))


def _scaler(X, standardize, name):
    """A fitted StandardScaler; refuses samples that hardly vary, warns of scales."""
    largest_range = np.ptp(X, axis=0).max()
    if largest_range < LEAST_RANGE:
        raise ValueError(
            f"`{name}` must hold samples that differ by more than {LEAST_RANGE:g},"
            " whose square underflows; the largest range of a feature is"
            f" {largest_range:.3g}. Rescale it."
        )
    if not standardize:
        warn_of_scales(
            X,
            name=name,
            consequence=f"{DISTANCES}; with `standardize=True` each counts the same",
        )
    return StandardScaler(with_std=bool(standardize)).fit(X)


def _subsample(X, rng):
    """Row numbers of at most `MAX_SEARCHED` samples, whatever the order of the rows."""
    if len(X) <= MAX_SEARCHED:
        return np.arange(len(X))
    order = np.lexsort(X.T[::-1])
    return order[draw_rows(len(X), MAX_SEARCHED, rng)]


def _reasons_for_doubt(evidence):
    """What in the evidence speaks against an alignment, each reason after a "; "."""
    reasons = []
    if np.isnan(evidence["gap"]):
        reasons.append("there is no other alignment to compare it with")
    elif evidence["gap_in_errors"] < FEW_STANDARD_ERRORS:
        reasons.append(
            f"the best other alignment is less likely by {evidence['gap']:.3g} only"
            f" ({evidence['gap_in_errors']:.1f} standard errors)"
        )
    if evidence["structure"] > 1:
        reasons.append("distances within the two sets suggest another one")
    if evidence["deficit"] > 0:
        reasons.append(
            "the target does not explain the source as well as the source explains"
            " itself"
        )
    return "".join([f"; {reason}" for reason in reasons])
