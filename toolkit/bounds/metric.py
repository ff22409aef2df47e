"""Relevance bounds for a quadratic (Mahalanobis) metric: those of each row of its linear mapping, and their sums."""

from dataclasses import dataclass

import numpy as np

from ..core.arrays import check_columns
from ..core.estimators import warn
from ..core.metrics import principal_rows
from ..core.progress import progress
from .base import Bounds, check_order, checked_slack, last_step, warn_if_alone
from .equivalence import equivalence
from .linear import RelevanceBounds, bounds_of

__all__ = ["MetricBounds", "metric_bounds"]


@dataclass(frozen=True, repr=False)
class MetricBounds(Bounds):
    """Bounds for each row of a mapping and their sums; unpacks as ``lower, upper``.

    Attributes
    ----------
    lower, upper : ndarray of shape (d,), summed over rows
    rows : tuple of r RelevanceBounds
    names : list of str or None, of the features, if X was a DataFrame
    null_space, effective_dimension : int, directions given up and kept
    """

    rows: tuple[RelevanceBounds, ...]

    @property
    def names(self):
        return self.rows[0].names

    @property
    def mappings(self):
        """The 2 d regularised mappings, shape (2 d, r, d): at the lower bound of each feature, then at the upper."""
        return np.stack([np.concatenate([row.at_lower, row.at_upper]) for row in self.rows], axis=1)

    @property
    def average(self):
        """Mean (r, d) of the regularised mappings: the averaged regularised map."""
        return np.stack([row.average for row in self.rows])

    @property
    def null_space(self):
        return self.rows[0].null_space

    @property
    def effective_dimension(self):
        return self.rows[0].effective_dimension


def metric_bounds(metric, X, null_space=None, slack=1.01, *, n_jobs=None, verbose=False):
    """Smallest and largest relevance of each feature for the metric \\|Omega (x - x')\\|.

    Each row of Omega is a linear mapping, with bounds of :func:`relevance_bounds`; those of the metric are their sums.
    As in the thesis the rows are those of :func:`principal_rows`, which depend on the metric alone, unless eigenvalues
    are equal; then a warning says so.

    Parameters
    ----------
    metric : fitted model with `lambda_` or `coef_`, or array-like of shape (r, d)
        A GMLVQ, an LMNN, a NeRV metric, a linear model with several rows; or the mapping itself, x -> Omega x.
        Or a fitted pipeline that ends in such a model: the features are then those that the steps before it make of X.
    X, null_space, slack, n_jobs, verbose
        As in :func:`relevance_bounds`; the thesis allows metrics 1.01 times the least norm.

    Returns
    -------
    MetricBounds, which unpacks as ``lower, upper``, the sums

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
    check_order(X, "metric")
    metric, X = last_step(metric, X, "metric")
    relation = equivalence(X, null_space)
    check_columns(relation.names, metric)
    rows, slack = checked_rows(metric, relation), checked_slack(slack)
    warn_if_alone(null_space, relation)
    return metric_bounds_of(rows, relation, slack, n_jobs, verbose)


def metric_bounds_of(rows, relation, slack, n_jobs=None, verbose=False):
    """`MetricBounds` of given rows (r, d), for a given `Equivalence`."""
    each = []
    with progress(len(rows), "rows of the metric", verbose) as done:
        for row in rows:
            each.append(bounds_of(row, relation, slack, n_jobs))  # Eq. (4.21), row by row
            done()
    return MetricBounds(sum(b.lower for b in each), sum(b.upper for b in each), tuple(each))


def checked_rows(metric, relation):
    """The principal rows (r, d) of a metric."""
    rows = principal_rows(metric)
    if rows.shape[1] != (d := len(relation.varying)):
        raise ValueError(
            f"`metric` must have one column per feature, {d}; got {rows.shape[1]}. Should it be transposed?"
        )
    sizes = np.linalg.norm(rows, axis=1)
    if np.any(sizes[1:] > (1 - 1e-8) * sizes[:-1]):
        warn(
            "Some eigenvalues are equal, so the rows of `metric` are known up to a rotation only, and bounds depend on "
            "which are taken; give rows of your own to `relevance_bounds`."
        )
    return rows
