"""Relevance bounds: smallest and largest weights in a linear mapping or a metric.

Many weight vectors map given data in the same way; the weights as trained are one of
them. Among all that do, and that have (nearly) the least L1 norm, feature j has a
smallest and a largest |w_j| (thesis, Eqs. (4.15) to (4.19)): the features that every
such mapping weights, those that some do and some do not, and those that none does. That
is how far weights can move, not whether a feature predicts: noise has weights, too
(`toolkit.relevance.relevance_evidence`).

Bounds on groups of features go beyond the thesis: in a spectrum each wavelength can be
replaced by its neighbours and has a lower bound of 0, the band around it cannot. The
least L1 norm within a group is one more linear program. Those of a quadratic
(Mahalanobis) metric are sums over the rows of its linear mapping.
"""

import numpy as np

from ..core import (
    check_columns,
    check_number,
    check_same_length,
    class_column,
    principal_rows,
    progress,
    warn,
)
from .base import Bounds, last_step, result_class, warn_unique_solution
from .equivalence import equivalence, least_norm, weights_and_relation
from .programs import WeightRanges, weight_ranges


@result_class
class RelevanceBounds(Bounds):
    """Bounds on the relevance of each feature; unpacks as ``lower, upper``.

    Parameters
    ----------
    lower, upper : ndarray of shape (d,)
        Lower and upper bound of each feature, in units of the weights.
    level : ndarray of shape (d,) or None, default=None
        Null level of each feature.
    names : list of str or None, default=None
        Names of the features, if X was a DataFrame.
    weights, minimal : ndarray of shape (d,)
        The mapping as given, and equivalent weights of least L1 norm.
    mu, slack : float
        That norm, and the factor allowed on it.
    null_space, effective_dimension : int
        Numbers of directions ignored and used.
    at_lower, at_upper : ndarray of shape (d, d)
        Row j holds equivalent weights in which feature j has its lower or its upper
        bound.
    gap : float
        Largest duality gap of a program, or violation of a constraint, in units of the
        largest canonical weight: all bounds are certified up to that.

    Examples
    --------
    >>> x, z = np.random.default_rng(0).normal(size=(2, 50))
    >>> X = np.column_stack([x, x, z]) / [x.std(), x.std(), z.std()]
    >>> relevance_bounds([1.0, 1.0, 3.0], X)
    RelevanceBounds(1 always weighted, 2 sometimes weighted)
    """

    weights: np.ndarray
    minimal: np.ndarray
    mu: float
    slack: float
    null_space: int
    effective_dimension: int
    at_lower: np.ndarray
    at_upper: np.ndarray
    gap: float

    @property
    def average(self):
        """Average regularised mapping (d,): mean of all 2 d equivalent weight vectors.

        Schulz 2017, section 4.3.5.
        """
        mean_at_lower = self.at_lower.mean(axis=0)
        mean_at_upper = self.at_upper.mean(axis=0)
        return (mean_at_lower + mean_at_upper) / 2


def relevance_bounds(
    w, X, null_space=None, slack=1.1, *, n_jobs=None, verbose=False
):
    """Compute the smallest and largest relevance of each feature.

    The model is the linear mapping x -> w . x.

    Parameters
    ----------
    w : array-like of shape (d,) or fitted linear model with `coef_`
        Weights without the intercept. Or a fitted pipeline that ends in such a model:
        the features are then those that the steps before it make of `X`.
    X : array-like of shape (n, d)
        The data whose images must not change, features on one scale (standardised);
        different scales warn. Constant features get the bounds 0.
    null_space : int or None, default=None
        Number of principal directions of least variance that may be added to w freely.
        None: those along which the data do not vary at all, so that all equivalent
        mappings agree on the data exactly. Larger numbers accept the noise in
        directions of little variance. 0: no other mapping is equivalent, both bounds
        are ``|w|``.
    slack : float >= 1, default=1.1
        Equivalent weights may have an L1 norm of up to slack times the least. The
        thesis takes 1.1 for regression, 1.01 for metrics. With 1, bounds differ only
        where several weight vectors attain the least norm.
    n_jobs : int or None, default=None
        Number of parallel jobs of joblib; None means 1, -1 all cores.
    verbose : bool, default=False
        Whether to show a progress bar.

    Returns
    -------
    bounds : RelevanceBounds
        Unpacks as ``lower, upper``.

    Raises
    ------
    ArithmeticError
        If a linear program cannot be certified.

    Notes
    -----
    Bounds depend on the scale of the features: of two with the same information, the
    one with the larger variance needs less weight and is preferred.

    References
    ----------
    Schulz (2017), section 4.3.2.

    Examples
    --------
    >>> x, z = np.random.default_rng(0).normal(size=(2, 50))
    >>> X = np.column_stack([x, x, z]) / [x.std(), x.std(), z.std()]
    >>> lower, upper = relevance_bounds([1.0, 1.0, 3.0], X, slack=1)
    >>> lower.round(9).tolist(), upper.round(9).tolist()
    ([0.0, 0.0, 3.0], [2.0, 2.0, 3.0])
    """
    w, relation = weights_and_relation(w, X, null_space)
    slack = check_number(slack, "slack", 1)
    warn_unique_solution(null_space, relation)
    return bounds_of(w, relation, slack, n_jobs, verbose)


def bounds_of(w, relation, slack, n_jobs, verbose):
    """`RelevanceBounds` of checked weights (d,), for a given `Equivalence`.

    The equivalent weights w have an L1 norm of up to `slack` times the least.
    """
    minimal = least_norm(w, relation)
    unit = minimal.unit
    if relation.null_space == 0:
        ranges = _ranges_of_one(w[relation.varying] / unit)
    elif minimal.mu == 0:
        ranges = _ranges_of_one(minimal.weights[relation.varying] / unit)
    else:
        feasible = minimal.programs.feasible
        limit = slack * minimal.mu / unit
        ranges = weight_ranges(
            feasible.within(feasible.norm, limit),
            1e-9 * minimal.mu / unit,
            n_jobs=n_jobs,
            verbose=verbose,
        )

    def attained(vectors):
        """Weights (d, d) of all features; any serve for constant features.

        `vectors` are weights of the features that vary, in the unit of the programs.
        """
        weights = np.zeros((len(w), len(w)))
        weights[relation.varying] = relation.whole(vectors)
        weights[~relation.varying] = minimal.weights / unit
        return unit * weights

    lower = unit * relation.whole(ranges.lower)
    upper = unit * relation.whole(ranges.upper)
    at_lower = attained(ranges.at_lower)
    at_upper = attained(ranges.at_upper)
    return RelevanceBounds(
        lower=lower,
        upper=upper,
        weights=w,
        minimal=minimal.weights,
        mu=minimal.mu,
        slack=slack,
        null_space=relation.null_space,
        effective_dimension=relation.effective_dimension,
        at_lower=at_lower,
        at_upper=at_upper,
        gap=ranges.gap,
        names=relation.names,
    )


def _ranges_of_one(w):
    """`WeightRanges` where only the weights (d,) themselves are equivalent."""
    size = np.abs(w)
    vectors = np.tile(w, (len(w), 1))
    return WeightRanges(
        lower=size, upper=size, at_lower=vectors, at_upper=vectors, gap=0.0
    )


@result_class
class GroupBounds(Bounds):
    """Bounds on the L1 norm of the weights of each group; unpacks as ``lower, upper``.

    Parameters
    ----------
    lower, upper : ndarray of shape (g,)
        Lower and upper bound of each group.
    level : ndarray of shape (g,) or None, default=None
        Null level of each group.
    names : list of str or None, default=None
        Names of the groups.
    groups : ndarray of shape (g,)
        Groups in sorted order.

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=50)
    >>> group_bounds([1.0, 1.0], np.column_stack([x, x]), ["twins", "twins"])
    GroupBounds(1 always weighted)
    """

    groups: np.ndarray


def group_bounds(w, X, groups, null_space=None, slack=1.1, *, verbose=False):
    """Compute bounds on the L1 norm of the weights of each group of features.

    Parameters
    ----------
    w : array-like of shape (d,) or fitted linear model with `coef_`
        Weights without the intercept, or a pipeline that ends in such a model.
    X : array-like of shape (n, d)
        Samples whose images must not change, features on one scale.
    groups : array-like of shape (d,)
        Group of each feature.
    null_space : int or None, default=None
        Number of principal directions of least variance that are ignored. None: those
        along which the data do not vary.
    slack : float >= 1, default=1.1
        Equivalent weights may have an L1 norm of up to slack times the least.
    verbose : bool, default=False
        Whether to show a progress bar.

    Returns
    -------
    bounds : GroupBounds
        For a group of one feature these are its
        :func:`~toolkit.bounds.relevance_bounds`. Of larger groups lower bounds are
        attained. The upper bound is the norm allowed minus the least norm of the other
        groups, or the sum of the features' own upper bounds if that is less. It is
        never too small, and attained for ``slack=1``.

    Examples
    --------
    >>> x, z = np.random.default_rng(0).normal(size=(2, 50))
    >>> X = np.column_stack([x, x, z]) / [x.std(), x.std(), z.std()]
    >>> bands = group_bounds([1.0, 1.0, 3.0], X, ["twins", "twins", "single"], slack=1)
    >>> bands.groups.tolist(), bands.lower.round(9).tolist()
    (['single', 'twins'], [3.0, 2.0])
    """
    w, relation = weights_and_relation(w, X, null_space)
    slack = check_number(slack, "slack", 1)
    groups = class_column(groups, "groups")
    check_same_length(w, groups, ("w", "groups"), unit="features")
    groups, codes = np.unique(groups, return_inverse=True)
    warn_unique_solution(null_space, relation)
    minimal = least_norm(w, relation)
    programs = minimal.programs
    limit = slack * minimal.mu / minimal.unit
    programs.limit_norm(limit)
    bounds = np.zeros((2, len(groups)))
    with progress(len(groups), "groups", verbose) as done:
        for g in range(len(groups)):
            is_inside = codes[relation.varying] == g
            bounds[:, g] = _bounds_of_group(programs, is_inside, limit)
            done()
    bounds[bounds <= 1e-9 * limit] = 0.0
    lower, upper = minimal.unit * bounds
    return GroupBounds(
        lower=lower,
        upper=upper,
        groups=groups,
        names=[str(group) for group in groups],
    )


def _bounds_of_group(programs, is_inside, limit):
    """Bounds on the L1 norm of weights `is_inside` (d,), of all weights to `limit`."""
    norm = np.tile(is_inside, 2).astype(float)
    upper = limit
    if is_inside.sum() > 1:
        # What the other features must carry is not left for this group.
        upper -= programs.smallest(1 - norm).value
    for j in np.flatnonzero(is_inside):
        # Weights of solutions are reached: once they exceed what is left, the upper
        # bounds of the other features matter no more.
        largest = np.max(programs.solutions, axis=0)
        if largest[is_inside].sum() < upper:
            list(programs.ends(j))
    solutions = np.array(programs.solutions)[:, is_inside]
    lower = solutions.sum(axis=1).min()
    if lower > 1e-9 * limit:
        lower = programs.smallest(norm).value
    reached = solutions.max(axis=0).sum()
    return lower, min(upper, reached)


@result_class
class MetricBounds(Bounds):
    """Bounds for each row of a mapping and their sums; unpacks as ``lower, upper``.

    Parameters
    ----------
    lower, upper : ndarray of shape (d,)
        Sums of the rows' bounds.
    level : ndarray of shape (d,) or None, default=None
        Null level of each feature.
    names : list of str or None, default=None
        Names of the features, if X was a DataFrame.
    rows : tuple of r RelevanceBounds
        Bounds for each row of the mapping.
    null_space, effective_dimension : int
        Numbers of directions ignored and used.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> X = X / X.std(axis=0)
    >>> found = metric_bounds([[2.0, 0.0], [0.0, 1.0]], X, null_space=1)
    >>> len(found.rows), found.mappings.shape
    (2, (4, 2, 2))
    """

    rows: tuple[RelevanceBounds, ...]
    null_space: int
    effective_dimension: int

    @property
    def mappings(self):
        """Regularised mappings (2 d, r, d): at lower bounds, then at upper bounds."""
        ends = [
            np.concatenate([row.at_lower, row.at_upper]) for row in self.rows
        ]
        return np.stack(ends, axis=1)

    @property
    def average(self):
        """Average regularised mapping (r, d): mean of the regularised mappings."""
        return np.stack([row.average for row in self.rows])


def metric_bounds(
    metric, X, null_space=None, slack=1.01, *, n_jobs=None, verbose=False
):
    """Compute the smallest and largest relevance of each feature for a metric.

    The distance is ``|Omega (x - x')|``. Each row of Omega is a linear mapping, with
    bounds of :func:`relevance_bounds`; those of the metric are their sums. As in the
    thesis the rows are those of :func:`principal_rows`. These depend on the metric
    alone, unless eigenvalues are equal; then a warning says so.

    Parameters
    ----------
    metric : fitted model with `lambda_` or `coef_`, or array-like of shape (r, d)
        A GMLVQ, an LMNN, a NeRV metric, a linear model with several rows; or the
        mapping itself, x -> Omega x. Or a fitted pipeline that ends in such a model:
        the features are then those that the steps before it make of X.
    X : array-like of shape (n, d)
        Samples whose images must not change, features on one scale.
    null_space : int or None, default=None
        Number of principal directions of least variance that are ignored. None: those
        along which the data do not vary.
    slack : float >= 1, default=1.01
        Equivalent rows may have an L1 norm of up to slack times the least, by default
        as much as the thesis allows for metrics.
    n_jobs : int or None, default=None
        Number of parallel jobs of joblib; None means 1, -1 all cores.
    verbose : bool, default=False
        Whether to show a progress bar.

    Returns
    -------
    bounds : MetricBounds
        Unpacks as ``lower, upper``, the sums.

    References
    ----------
    Schulz (2017), section 4.3.3.

    Examples
    --------
    >>> x, z = np.random.default_rng(0).normal(size=(2, 50))
    >>> X = np.column_stack([x, x, z]) / [x.std(), x.std(), z.std()]
    >>> lower, upper = metric_bounds([[2.0, 0.0, 0.0], [0.0, 0.0, 1.0]], X, slack=1)
    >>> lower.round(9).tolist(), upper.round(9).tolist()
    ([0.0, 0.0, 1.0], [2.0, 2.0, 1.0])
    """
    metric, X = last_step(metric, X, "metric")
    relation = equivalence(X, null_space)
    check_columns(relation.names, metric)
    rows = metric_rows(metric, relation)
    slack = check_number(slack, "slack", 1)
    warn_unique_solution(null_space, relation)
    return metric_bounds_of(rows, relation, slack, n_jobs, verbose)


def metric_bounds_of(rows, relation, slack, n_jobs=None, verbose=False):
    """`MetricBounds` of given rows (r, d), for a given `Equivalence`."""
    # Eq. (4.21), row by row
    bounds_of_rows = tuple(
        bounds_of(row, relation, slack, n_jobs, verbose) for row in rows
    )
    return MetricBounds(
        lower=sum(bounds.lower for bounds in bounds_of_rows),
        upper=sum(bounds.upper for bounds in bounds_of_rows),
        rows=bounds_of_rows,
        null_space=relation.null_space,
        effective_dimension=relation.effective_dimension,
        names=relation.names,
    )


def metric_rows(metric, relation):
    """The principal rows (r, d) of a metric."""
    rows = principal_rows(metric)
    d = len(relation.varying)
    if rows.shape[1] != d:
        raise ValueError(
            f"`metric` must have one column per feature, {d}; got {rows.shape[1]}."
            " Should it be transposed?"
        )
    # The lengths are roots of the eigenvalues; equal ones leave a rotation of their
    # rows open.
    lengths = np.linalg.norm(rows, axis=1)
    if np.any(lengths[1:] > (1 - 1e-8) * lengths[:-1]):
        warn(
            "Some eigenvalues are equal, so the rows of `metric` are known up to a"
            " rotation only. The bounds depend on the rotation; give your own rows to"
            " `relevance_bounds`."
        )
    return rows
