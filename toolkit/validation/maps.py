"""Validation of a map: its error on held-out rows, compared with its training error.

A supervised map separates the rows that it was fitted to, whatever their labels are.
Its error is therefore measured on held-out rows. It is compared with permuted labels,
with a map that ignores the labels, and with the original columns.
"""

import warnings
from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np
from joblib import delayed
from sklearn.base import clone
from sklearn.decomposition import PCA, KernelPCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags

from ..core import (
    as_frame,
    check_integer,
    check_same_length,
    check_same_order,
    class_column,
    percent,
    results,
    short_repr,
    stack_rows,
)
from ..core.mixed import MixedColumns, has_mixed_columns
from .choice import folds
from .intervals import (
    INTERVAL_LEVEL,
    N_PERMUTED_TARGETS,
    difference,
    p_value,
    permutations_of,
    simultaneous_level,
)
from .projected import ProjectedMap
from .targets import N_NEIGHBORS, as_target

ORIGINAL_COLUMNS = "the columns themselves"
ALPHA = 0.05
MUCH = 0.1  # of the baseline: a difference that a picture shows


@dataclass(frozen=True)
class MapValidation:
    """Errors of a map on rows that it was not fitted to; `validate_map` makes one.

    Parameters
    ----------
    error : float
        Error on held-out rows, predicted by their nearest training rows in the map.
    interval : (float, float)
        Interval of that error, of level `interval_level`.
    training_error : float
        Error on training rows, predicted by the others, as the picture shows it.
    optimism : (float, (float, float))
        Error minus training error, and its interval.
    p_value : float
        The p-value by permuted targets; NaN where there are too few groups to permute.
    permuted_error, permuted_training_error : float
        Medians over the permuted targets; NaN where there were none.
    baseline : float
        Error of the best constant prediction, which does not use the map.
    others : dict of str to (float, (float, float))
        Error minus that of another map of the same rows, and its interval.
    n_rows, n_permutations : int
        Numbers of held-out rows and of permuted targets.
    smallest_p : float
        The smallest p-value that was possible.
    target : Target
        Target of all rows.
    losses : ndarray of shape (n,)
        Loss of each row where it was held out, NaN for the others.
    interval_level : float, default=0.9
        Level of the intervals.

    Attributes
    ----------
    verdict : str
        Conclusion, one of four phrases.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> found = validate_map(PCA(2), X, y, n_permutations=1, verbose=False)
    >>> found.n_rows, round(found.baseline, 2), round(found.error, 2)
    (150, 0.67, 0.04)
    """

    error: float
    interval: tuple
    training_error: float
    optimism: tuple
    p_value: float
    permuted_error: float
    permuted_training_error: float
    baseline: float
    others: dict
    n_rows: int
    n_permutations: int
    smallest_p: float
    target: object = field(repr=False)
    losses: np.ndarray = field(repr=False)
    interval_level: float = INTERVAL_LEVEL

    @property
    def verdict(self):
        """Conclusion, one of four phrases."""
        if not self.p_value <= ALPHA:
            return "not shown to separate"
        _, (low, _) = self.others[ORIGINAL_COLUMNS]
        if low > 0:
            return "not better than the neighbours in the columns"
        gap, (low, _) = self.optimism
        if low > 0 and gap > MUCH * self.baseline:
            return "separates held-out rows, but the picture exaggerates"
        return "separates held-out rows about as drawn"

    def summary(self):
        """Describe the validation in five sentences.

        Returns
        -------
        summary : str
            Held-out error, training error, permuted targets, other maps and verdict,
            one sentence per line.
        """
        target = self.target
        level = self.interval_level
        compared = "; ".join(
            f"{name} {target.percent(self.error - more)}, this map's is"
            f" {target.difference_phrase(more, ends, level)}"
            for name, (more, ends) in self.others.items()
        )
        gap = target.difference_phrase(*self.optimism, level)
        permuted = "No permuted target was evaluated, so there is no p-value."
        if self.n_permutations:
            permuted = (
                "With permuted targets: training"
                f" {target.percent(self.permuted_training_error)}, held out"
                f" {target.percent(self.permuted_error)} (medians of"
                f" {self.n_permutations}); p = {self.p_value:.2f}, and none below"
                f" {self.smallest_p:.2f} was possible."
            )
        return "\n".join(
            [
                f"Held-out error ({target.error_name}): {target.percent(self.error)}"
                f" ({percent(level)} interval {target.span(self.interval)};"
                f" {self.n_rows:,} rows); baseline {target.percent(self.baseline)}.",
                "Training error, which a picture of the training rows shows:"
                f" {target.percent(self.training_error)}; the held-out one is {gap}.",
                permuted,
                f"Held-out errors of others at the same rows: {compared}.",
                f"Verdict: {self.verdict}.",
            ]
        )

    def to_frame(self):
        """Return the errors as a table, training and held out, with intervals.

        Returns
        -------
        frame : DataFrame of shape (n_maps, 4)
            One row per map, with columns ``training error``, ``held-out error``,
            ``from`` and ``to``.
        """
        others = [self.error - more for more, _ in self.others.values()]
        held_out = [self.error, self.permuted_error, self.baseline, *others]
        training = [self.training_error, self.permuted_training_error]
        columns = {"training error": training, "held-out error": held_out}
        columns |= {"from": self.interval[:1], "to": self.interval[1:]}
        names = ["this map", "permuted targets", "baseline", *self.others]
        return as_frame(
            {
                column: dict(zip(names, values, strict=False))
                for column, values in columns.items()
            },
            names,
        )


def validate_map(
    map,
    X,
    y,
    *,
    embedder=None,
    groups=None,
    cv=None,
    X_test=None,
    y_test=None,
    n_neighbors=N_NEIGHBORS,
    n_splits=5,
    n_repeats=1,
    n_permutations=N_PERMUTED_TARGETS,
    max_rows=2000,
    random_state=0,
    n_jobs=None,
    verbose=True,
):
    """Evaluate a map on rows that it was not fitted to.

    Parameters
    ----------
    map : estimator, class of one, or dict of these by name
        Map with `fit` and `transform`, or with `fit_transform` alone; or a metric of
        :mod:`toolkit.fisher` with an `embedder`. Fitted maps are cloned. For several
        maps the intervals hold together.
    X : array-like or DataFrame of shape (n_samples, n_features)
        Samples; or similarities or distances (n_samples, n_samples), for a map of
        these.
    y : array-like of shape (n_samples,) or (n_samples, n_labels)
        Target: classes, values, or labels as 0 and 1.
    embedder : estimator with ``metric="precomputed"``, optional
        Map of distances, where `map` is a metric.
    groups : array-like of shape (n_samples,), optional
        Rows of equal values depend on each other: they stay on one side of a split, and
        are permuted together.
    cv : splitter of scikit-learn, optional
        Splits, in place of `n_splits` stratified folds, `n_repeats` times.
    X_test, y_test : array-like like X and y, of shape (n_test, ...), optional
        Rows to be held out, in place of folds.
    n_neighbors : int, default=5
        Number of nearest training rows in the map that predict a row.
    n_splits : int, default=5
        Number of folds.
    n_repeats : int, default=1
        Number of repetitions of the folds.
    n_permutations : int, default=19
        Number of permuted targets; the smallest p-value is 1 / (1 + n_permutations).
    max_rows : int, default=2000
        Largest number of rows; of more rows so many are drawn at random.
    random_state : int, default=0
        Seed of the random number generator.
    n_jobs : int or None, default=None
        Number of parallel processes of joblib over fits; None means 1, -1 all cores.
    verbose : bool, default=True
        Whether to show a progress bar with the time left. After an interrupt the result
        is that of the permuted targets evaluated so far.

    Returns
    -------
    validation : MapValidation, or dict of these
        Result with `summary()` and `to_frame()`; for a dict of maps one per map.

    Notes
    -----
    Training error: leave-one-out among the training positions. Held-out error: all
    held-out rows are projected in one call. A map without `transform` is extended by
    :class:`~toolkit.kernelmap.KernelMap`, fitted to the training rows, and so is the
    map that it is compared with. A map that ignores y is fitted once for all permuted
    targets.

    Examples
    --------
    >>> from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    >>> X = np.random.default_rng(0).normal(size=(100, 60))
    >>> y = np.arange(100) % 2
    >>> found = validate_map(LinearDiscriminantAnalysis(), X, y, verbose=False)
    >>> round(found.training_error, 2), found.verdict
    (0.06, 'not shown to separate')
    """
    check_same_length(X, y)
    check_same_order(X, y)
    X = X if hasattr(X, "iloc") else np.asarray(X)
    labels = class_column(y) if np.ndim(y) < 2 else np.asarray(y)
    n = len(X)
    seed = check_integer(random_state, "random_state", 0, 2**32 - 1)
    k = check_integer(n_neighbors, "n_neighbors")
    check_integer(n_permutations, "n_permutations", 0)
    # 1. rows and splits
    if X_test is not None:
        check_same_length(X_test, y_test, ("X_test", "y_test"))
        X = stack_rows(X, X_test)
        labels = np.concatenate([labels, np.asarray(y_test)])
        splits = [(np.arange(n), np.arange(n, len(X)))]
    target = as_target(labels, len(X))
    units = np.arange(len(X)) if groups is None else np.asarray(groups)
    check_same_length(X, units, ("X", "groups"))
    if X_test is None:
        rows = target.sample(check_integer(max_rows, "max_rows", 2), seed)
        target = target.with_sample(rows)
        few = target[rows]
        if cv is None:
            each = range(check_integer(n_repeats, "n_repeats"))
            size = check_integer(n_splits, "n_splits", 2)
            splits = [
                s for r in each for s in folds(few, units[rows], size, seed + r)
            ]
        else:
            known = None if groups is None else units[rows]
            splits = cv.split(np.zeros((len(rows), 1)), few.y, known)
        splits = [(rows[train], rows[test]) for train, test in splits]
    # 2. each map, at a level that holds for all
    maps = map if isinstance(map, dict) else {"": map}
    rng = np.random.default_rng(seed)
    ways = permutations_of(target.y, units, groups is not None, rng)
    problem = _Problem(
        X,
        labels,
        target,
        units,
        splits,
        k,
        simultaneous_level(len(maps)),
        n_jobs,
        verbose,
    )
    size = len(ways) * (n_permutations + 1) - 1
    orders = [[way() for _ in range(size)] for way in ways.values()]
    found = {
        name: problem.validate(as_map(one, embedder), orders)
        for name, one in maps.items()
    }
    if not isinstance(map, dict):
        return found[""]
    for name, one in found.items():
        for other in found.keys() - {name}:
            one.others[other] = problem.more(one.losses, found[other].losses)
    return found


def as_map(map, embedder=None):
    """Return a map with `transform`, not fitted.

    Parameters
    ----------
    map : estimator or class of one
        Map with `fit` and `transform`, or with `fit_transform` alone; or a metric of
        :mod:`toolkit.fisher` with an `embedder`.
    embedder : estimator with ``metric="precomputed"``, optional
        Map of distances, where `map` is a metric.

    Returns
    -------
    map : estimator
        Clone of the map; a :class:`ProjectedMap` where it has no `transform`.

    Raises
    ------
    ValueError
        If `map` has neither `transform` nor `fit_transform`, or is a metric without an
        `embedder`.

    Examples
    --------
    >>> as_map(PCA), hasattr(as_map(StandardScaler()), "mean_")
    (PCA(), False)
    """
    map = map() if isinstance(map, type) else clone(map, safe=False)
    can_place = hasattr(map, "transform")
    if not hasattr(map, "fit") or not (
        can_place or hasattr(map, "fit_transform")
    ):
        raise ValueError(
            "`map` must have `fit` and `transform`, or `fit_transform`; got"
            f" {short_repr(map)}."
        )
    if embedder is not None:
        return ProjectedMap(embedder, map)
    if hasattr(map, "matrix") and hasattr(map, "distances"):
        raise ValueError(
            "`embedder` must be given with a metric, such as"
            f' TSNE(metric="precomputed"); `map` is {short_repr(map)}.'
        )
    return map if can_place else ProjectedMap(map)


@dataclass(frozen=True)
class _Problem:
    """Rows, their targets, and which are held out."""

    X: object
    labels: np.ndarray
    target: object
    groups: np.ndarray
    splits: list
    n_neighbors: int
    level: float
    n_jobs: int
    verbose: bool

    def validate(self, map, orders):
        """A `MapValidation`; the target is permuted in these orders."""
        target = self.target
        splits = self.splits
        positions = self._positions(map, splits, self.labels)
        true = self._outcome(positions, splits, target)
        level = self.level
        others = {}
        mixed = np.random.default_rng(0).permutation(self.labels)
        (again,) = self._positions(map, splits[:1], mixed)
        ignores_y = np.allclose(np.vstack(positions[0]), np.vstack(again))
        if ignores_y and isinstance(map, ProjectedMap) and len(splits) > 1:
            # labels cannot leak into the map of all rows
            others["the same map, rows placed by a kernel map"] = true
            rows = np.unique(
                np.concatenate([side for s in splits for side in s])
            )
            splits = [(rows, rows)]
            positions = [(fit_map(map, self._rows(map, rows, rows))[0],) * 2]
            true = self._outcome(positions, splits, target)
            # rows share their neighbours: errors vary by 1.3 times a binomial's
            level = (1 + level) / 2
        plain = self
        if _is_pairwise(map) and not np.diag(self.X).any():
            # distances as scalar products
            plain = replace(self, X=-(self.X**2) / 2)
        for name, other in self._comparators(map, ignores_y).items():
            asked = self if other is map else plain
            placed = asked._positions(other, self.splits)
            others[name] = self._outcome(placed, self.splits, target)
        permuted = []

        def scores(orders):
            # what is asked before an interrupt counts
            with suppress(KeyboardInterrupt):
                for order in orders:
                    moved = positions
                    if not ignores_y:
                        moved = self._positions(map, splits, self.labels[order])
                    permuted.append(self._outcome(moved, splits, target[order]))
                    yield np.nanmean(permuted[-1]["scores"])

        ps = [
            p_value(np.nanmean(true["scores"]), scores(some)) for some in orders
        ]
        held_out = np.isfinite(true["losses"])

        def errors(outcome):
            kinds = "losses", "training"
            return [float(target.error(outcome[k])) for k in kinds]

        error, training = errors(true)
        mixed_errors = [errors(one) for one in permuted] or [(np.nan, np.nan)]
        return MapValidation(
            error,
            target.interval(true["losses"], self.groups, level),
            training,
            self.more(true["losses"], true["training"]),
            min(1.0, len(ps) * min(ps)) if permuted else np.nan,
            *np.median(mixed_errors, axis=0).tolist(),
            target[held_out].baseline(),
            {
                name: self.more(true["losses"], other["losses"])
                for name, other in others.items()
            },
            int(held_out.sum()),
            len(permuted),
            len(ps) / (1 + len(orders[0])) if orders else 1.0,
            target,
            true["losses"],
            self.level,
        )

    def more(self, losses, others):
        return difference(self.target, losses, others, self.groups, self.level)

    def _comparators(self, map, ignores_y):
        """Maps that do not use the target, by name."""
        scaler = (
            MixedColumns() if has_mixed_columns(self.X) else StandardScaler()
        )
        columns, plane = scaler, make_pipeline(scaler, PCA(2))
        if _is_pairwise(map):
            columns, plane = (
                KernelPCA(m, kernel="precomputed") for m in (None, 2)
            )
        if ignores_y:
            return {ORIGINAL_COLUMNS: columns}
        with suppress(TypeError, ValueError, AttributeError):
            self._positions(map, self.splits[:1])
            return {
                "the same map without the target": map,
                ORIGINAL_COLUMNS: columns,
            }
        if isinstance(map, ProjectedMap) and not _is_pairwise(map):
            plane = ProjectedMap(plane)
        return {"principal components": plane, ORIGINAL_COLUMNS: columns}

    def _positions(self, map, splits, labels=None):
        """Of each split, positions of training rows and of held-out ones."""
        jobs = (
            delayed(_place)(
                map,
                self._rows(map, train, train),
                None if labels is None else labels[train],
                self._rows(map, test, train),
            )
            for train, test in splits
        )
        bar = len(splits), "fits", self.verbose
        return list(results(jobs, self.n_jobs, bar=bar))

    def _rows(self, map, rows, train):
        """Samples as the map takes them; of a matrix those to training samples."""
        if not _is_pairwise(map):
            return (
                self.X.iloc[rows] if hasattr(self.X, "iloc") else self.X[rows]
            )
        return np.asarray(self.X)[np.ix_(rows, train)]

    def _outcome(self, positions, splits, target):
        """Means (n,) of losses, scores, training losses over the splits; else NaN."""
        found = {"losses": [], "scores": [], "training": []}
        for (train, test), (Z, Z_new) in zip(splits, positions, strict=True):
            fitted = target[train]
            held_out = target[test]
            own, new = fitted.near(Z, fitted.y, Z_new, self.n_neighbors)
            # leave-one-out in a map of all rows
            new = own if train is test else new
            found["losses"].append((test, held_out.prediction_losses(new)))
            found["scores"].append((test, held_out.scores(new)))
            found["training"].append((train, fitted.prediction_losses(own)))
        return {
            kind: _row_means(parts, len(target.y))
            for kind, parts in found.items()
        }


def _row_means(parts, n):
    """Mean (n,) of the values of each row, of pairs of rows and values."""
    rows, values = map(np.concatenate, zip(*parts, strict=True))
    with np.errstate(invalid="ignore"):
        return np.bincount(rows, values, n) / np.bincount(rows, minlength=n)


def _is_pairwise(map):
    return get_tags(map).input_tags.pairwise


def fit_map(map, X, labels=None):
    """Fit a map, and return the positions of the training samples.

    Parameters
    ----------
    map : estimator
        Map, which is cloned.
    X : array-like of shape (n_samples, n_features)
        Training samples.
    labels : array-like of shape (n_samples,) or (n_samples, n_labels), optional
        Target of the training samples.

    Returns
    -------
    Z : ndarray of shape (n_samples, n_components)
        Positions of the training samples.
    fitted : estimator
        Fitted map.

    Examples
    --------
    >>> Z, _ = fit_map(PCA(2), np.eye(4))
    >>> Z.shape
    (4, 2)
    """
    fitted = clone(map, safe=False)
    # of fits that did not converge: their error is measured
    with warnings.catch_warnings(action="ignore"):
        if hasattr(fitted, "fit_transform"):
            Z = fitted.fit_transform(X, labels)
        else:
            fitted.fit(X, labels)
            Z = fitted.transform(X)
    # partial least squares gives scores of the target, too
    Z = Z[0] if isinstance(Z, tuple) else Z
    return np.asarray(Z, dtype=float), fitted


def _place(map, X, labels, X_new):
    Z, fitted = fit_map(map, X, labels)
    return Z, np.asarray(fitted.transform(X_new), dtype=float)
