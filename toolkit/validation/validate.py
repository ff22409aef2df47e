"""Validation of a map: its error on held-out rows, compared with its training error.

A supervised map separates the rows that it was fitted to, whatever their labels are.
Its error is therefore measured on held-out rows. It is compared with permuted labels,
with a map that ignores the labels, and with the original columns.
"""

from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
from sklearn.decomposition import PCA, KernelPCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ..core import check_flag, check_integer, check_jobs, require
from ..core.mixed import MixedColumns, has_mixed_columns
from .intervals import (
    N_PERMUTED_TARGETS,
    difference,
    p_value,
    permutations_of,
    simultaneous_level,
)
from .judge import Judgement, judge, project, project_jointly
from .map_validation import ORIGINAL_COLUMNS, MapValidation
from .maps import ProjectedMap, as_map, is_pairwise
from .models import N_NEIGHBORS
from .problem import Problem, problem_of_folds, problem_of_test

SAME_MAP = "the same map without the target"
EXTENDED_MAP = "the same map, rows placed by a kernel map"


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
    map : object, class of one, or dict of these by name
        Map with `fit` and `transform`, or with `fit_transform` alone, of scikit-learn
        or of any other class; or a metric of :mod:`toolkit.fisher` with an `embedder`.
        Fitted maps are cloned, or copied where they have no parameters. For several
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
    cv : int, splitter of scikit-learn or iterable of pairs, optional
        Splits, in place of `n_splits` shuffled stratified folds, `n_repeats` times: a
        number of folds or a splitter as for scikit-learn's `check_cv`, or pairs of
        training and held-out rows (numbers of rows of X, of which no sample is drawn).
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
        Where the target varies within groups it is permuted in two ways, each with
        2 n_permutations + 1 targets, and the p-value is twice the smaller one.
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

    Raises
    ------
    ValueError
        If a split has a row or a group on both sides, if a map cannot be fitted or
        returns other than finite positions, or if samples, target and groups do not
        belong together.

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
    >>> validation = validate_map(LinearDiscriminantAnalysis(), X, y, verbose=False)
    >>> round(validation.training_error, 2), validation.verdict
    (0.06, 'not shown to separate')
    """
    seed = check_integer(random_state, "random_state", 0, 2**32 - 1)
    n_neighbors = check_integer(n_neighbors, "n_neighbors")
    n_permutations = check_integer(n_permutations, "n_permutations", 0)
    # 1. rows and splits
    if X_test is None and y_test is None:
        problem = problem_of_folds(
            X,
            y,
            groups,
            cv=cv,
            n_splits=n_splits,
            n_repeats=n_repeats,
            max_rows=max_rows,
            seed=seed,
        )
    else:
        require(cv is None, "cv", "None where `X_test` is given", cv)
        problem = problem_of_test(X, y, X_test, y_test, groups)
    # 2. each map, at a level that holds for all
    has_names = isinstance(map, dict)
    maps = map if has_names else {"": map}
    require(len(maps) > 0, "map", "one map or more", map)
    validator = _Validator(
        problem=problem,
        orders=_permuted_orders(problem, n_permutations, seed),
        n_neighbors=n_neighbors,
        level=simultaneous_level(len(maps)),
        n_jobs=check_jobs(n_jobs),
        verbose=check_flag(verbose, "verbose"),
    )
    estimators = {name: as_map(maps[name], embedder) for name in maps}
    validations = {
        name: validator.validate(estimator)
        for name, estimator in estimators.items()
    }
    if not has_names:
        return validations[""]
    for validation in validations.values():
        for other_name, other in validations.items():
            if other is not validation:
                validation.others[other_name] = validator.difference(
                    validation.losses, other.losses
                )
    return validations


def _permuted_orders(problem, n_permutations, seed):
    """Orders of the rows for permuted targets, a list per way to permute them."""
    rng = np.random.default_rng(seed)
    permuters = permutations_of(
        problem.target.y, problem.groups, problem.is_grouped, rng
    )
    n_orders = 0
    if n_permutations:
        n_orders = len(permuters) * (n_permutations + 1) - 1
    return [
        [permute() for _ in range(n_orders)] for permute in permuters.values()
    ]


@dataclass(frozen=True, kw_only=True)
class _HeldOut:
    """A map judged on held-out rows of the true target.

    Attributes
    ----------
    projections : list of Projection
        Positions of the rows.
    judgement : Judgement
        Losses and scores of the rows.
    ignores_target : bool
        Whether the map is the same for permuted targets.
    level : float
        Level of the interval.
    comparisons : dict of str to Judgement
        The same map with its held-out rows projected by a kernel map, if the judgement
        is that of one map of all rows.
    """

    projections: list
    judgement: Judgement
    ignores_target: bool
    level: float
    comparisons: dict


class _PermutedTargets:
    """Permuted targets, judged one by one as the p-value needs them.

    Attributes
    ----------
    judgements : list of Judgement
        One per target that was judged.
    is_interrupted : bool
        Whether Ctrl-C has ended them: none is judged after it.
    """

    def __init__(self, judge_order):
        self.judge_order = judge_order
        self.judgements = []
        self.is_interrupted = False

    def scores(self, orders):
        """Yield the mean score of the target in each order (n,) of the rows."""
        if self.is_interrupted:
            return
        try:
            for order in orders:
                judgement = self.judge_order(order)
                self.judgements.append(judgement)
                yield np.nanmean(judgement.scores)
        except KeyboardInterrupt:
            self.is_interrupted = True


@dataclass(frozen=True, kw_only=True)
class _PermutationTest:
    """Judgements of permuted targets, the p-value, and the smallest possible one."""

    judgements: list
    p_value: float
    smallest_p: float


@dataclass(frozen=True, kw_only=True)
class _Validator:
    """Validation of any map on the rows of one problem.

    Attributes
    ----------
    problem : Problem
        Rows, targets and splits.
    orders : list of list of ndarray of int, shape (n,)
        Orders in which the target is permuted, a list per way to permute it.
    n_neighbors : int
        Number of neighbours that predict a row.
    level : float
        Level of the intervals.
    n_jobs, verbose : object
        Number of parallel processes, and whether progress bars are shown.
    """

    problem: Problem
    orders: list
    n_neighbors: int
    level: float
    n_jobs: object
    verbose: bool

    def validate(self, estimator):
        """Judge a map, its comparators, and the map of permuted targets."""
        held_out = self._held_out(estimator)
        compared = dict(held_out.comparisons)
        comparators = self._comparators(estimator, held_out.ignores_target)
        X = self._comparable_samples(estimator)
        for name, comparator in comparators.items():
            samples = X
            if comparator is estimator:
                samples = self.problem.X
            projections = self._project(
                comparator, None, self.problem.splits, samples
            )
            compared[name] = self._judge(projections)
        test = self._permutation_test(estimator, held_out)
        return self._validation(held_out, compared, test)

    def difference(self, losses, subtracted_losses):
        """Difference of two errors, with its interval."""
        return difference(
            self.problem.target,
            losses,
            subtracted_losses,
            self.problem.groups,
            self.level,
        )

    def _project(self, estimator, labels, splits, X=None):
        """Projections of the splits by maps that are fitted to some labels."""
        if X is None:
            X = self.problem.X
        return project(
            estimator,
            X,
            labels,
            splits,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )

    def _judge(self, projections, target=None):
        """Judgement of projections, by default on the true target."""
        if target is None:
            target = self.problem.target
        return judge(projections, target, self.n_neighbors)

    def _held_out(self, estimator):
        """The map on the splits, or one map of all rows where labels cannot leak."""
        problem = self.problem
        splits = problem.splits
        projections = self._project(estimator, problem.labels, splits)
        held_out = _HeldOut(
            projections=projections,
            judgement=self._judge(projections),
            ignores_target=self._ignores_target(estimator, projections[0]),
            level=self.level,
            comparisons={},
        )
        is_extended = isinstance(estimator, ProjectedMap) and len(splits) > 1
        if not (held_out.ignores_target and is_extended):
            return held_out
        sides = [side for split in splits for side in split]
        rows = np.unique(np.concatenate(sides))
        joint = project_jointly(estimator, problem.X, rows)
        return replace(
            held_out,
            projections=[joint],
            judgement=self._judge([joint]),
            # Rows share their neighbours, so that errors vary more than a binomial
            # number: an interval of this level contains them as often as stated.
            level=(1 + self.level) / 2,
            comparisons={EXTENDED_MAP: held_out.judgement},
        )

    def _ignores_target(self, estimator, projection):
        """Whether a map of the first split is the same for a permuted target."""
        labels = np.random.default_rng(0).permutation(self.problem.labels)
        splits = self.problem.splits[:1]
        try:
            (permuted,) = self._project(estimator, labels, splits)
        except ValueError:
            # The map cannot be fitted to the permuted target.
            return False
        Z = np.vstack([projection.Z, projection.Z_new])
        permuted_Z = np.vstack([permuted.Z, permuted.Z_new])
        return Z.shape == permuted_Z.shape and np.allclose(Z, permuted_Z)

    def _comparators(self, estimator, ignores_target):
        """Maps that do not use the target, by name."""
        columns, plane = self._unsupervised_maps(estimator)
        if ignores_target:
            return {ORIGINAL_COLUMNS: columns}
        with suppress(ValueError):
            self._project(estimator, None, self.problem.splits[:1])
            return {SAME_MAP: estimator, ORIGINAL_COLUMNS: columns}
        return {"principal components": plane, ORIGINAL_COLUMNS: columns}

    def _unsupervised_maps(self, estimator):
        """The columns on one scale as a map, and their principal components."""
        if is_pairwise(estimator):
            return (
                KernelPCA(kernel="precomputed"),
                KernelPCA(2, kernel="precomputed"),
            )
        X = self.problem.X
        scaler = StandardScaler()
        if has_mixed_columns(X):
            scaler = MixedColumns()
        n_columns = scaler.fit_transform(X).shape[1]
        plane = make_pipeline(scaler, PCA(min(2, n_columns)))
        if isinstance(estimator, ProjectedMap):
            plane = ProjectedMap(plane)
        return scaler, plane

    def _comparable_samples(self, estimator):
        """Samples for the comparators: distances as scalar products."""
        X = self.problem.X
        if is_pairwise(estimator) and not np.diag(X).any():
            return -(X**2) / 2
        return X

    def _permutation_test(self, estimator, held_out):
        """The score of the true target among those of permuted targets."""

        def judge_order(order):
            projections = held_out.projections
            if not held_out.ignores_target:
                projections = self._project(
                    estimator, self.problem.labels[order], self.problem.splits
                )
            return self._judge(projections, self.problem.target[order])

        true_score = np.nanmean(held_out.judgement.scores)
        permuted = _PermutedTargets(judge_order)
        p_values = []
        n_possible = 0
        for orders in self.orders:
            n_before = len(permuted.judgements)
            p_values.append(p_value(true_score, permuted.scores(orders)))
            n_judged = len(permuted.judgements) - n_before
            # All orders are judged if none is as good, but for an interrupt.
            if permuted.is_interrupted:
                n_possible = max(n_possible, n_judged)
            else:
                n_possible = len(orders)
        smallest_p = 1.0
        if p_values:
            smallest_p = min(1.0, len(p_values) / (1 + n_possible))
        corrected_p = np.nan
        if permuted.judgements:
            corrected_p = min(1.0, len(p_values) * min(p_values))
        return _PermutationTest(
            judgements=permuted.judgements,
            p_value=corrected_p,
            smallest_p=smallest_p,
        )

    def _errors(self, judgements):
        """Medians of the training errors and of the held-out errors."""
        target = self.problem.target
        if not judgements:
            return np.nan, np.nan
        training_errors = [
            float(target.error(judgement.training_losses))
            for judgement in judgements
        ]
        errors = [
            float(target.error(judgement.losses)) for judgement in judgements
        ]
        return float(np.median(training_errors)), float(np.median(errors))

    def _validation(self, held_out, compared, test):
        """The result, from judgements of the map and of the permuted targets."""
        target = self.problem.target
        judgement = held_out.judgement
        losses = judgement.losses
        interval = target.interval(losses, self.problem.groups, held_out.level)
        is_held_out = np.isfinite(losses)
        training_error, error = self._errors([judgement])
        permuted_training_error, permuted_error = self._errors(test.judgements)
        differences = {
            name: self.difference(losses, comparator.losses)
            for name, comparator in compared.items()
        }
        baseline = target[is_held_out].baseline()
        optimism = self.difference(losses, judgement.training_losses)
        return MapValidation(
            error=error,
            interval=interval,
            training_error=training_error,
            optimism=optimism,
            p_value=test.p_value,
            permuted_error=permuted_error,
            permuted_training_error=permuted_training_error,
            baseline=baseline,
            others=differences,
            n_rows=int(is_held_out.sum()),
            n_permutations=len(test.judgements),
            smallest_p=test.smallest_p,
            target=target,
            losses=losses,
            interval_level=self.level,
        )
