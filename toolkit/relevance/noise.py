"""Relevance compared with a null level: the relevance of noise in the same model.

A weight, or a bound on it, measures how a model uses a feature, not whether the feature
predicts: a model trained on pure noise has weights as well. Shadows (permuted copies of
all columns, within the same table) show how large these are.
"""

import numpy as np
from joblib import delayed
from sklearn.base import clone

from ..bounds.base import Bounds, result_class
from ..core import (
    check_fraction,
    check_integer,
    check_same_length,
    check_seed,
    check_table,
    feature_names,
    require,
    results,
    short_repr,
)

# An exponential tail is fitted to this fraction of all shadows, the largest.
TAIL = 0.1
# The median variance has so many degrees of freedom, in addition to those of the draws
# of a column.
PRIOR = 2
# Relevances below this fraction of the largest are rounding errors.
LEAST_RELEVANCE = 1e-9


@result_class
class RelevanceEvidence(Bounds):
    """Relevances with a null level; unpacks as ``lower, upper``.

    Parameters
    ----------
    lower, upper : ndarray of shape (n_features,)
        Means over the draws of the bounds that the measure gives; `lower` is NaN
        for a measure of one value per feature.
    level : ndarray of shape (n_features,)
        Null level in the same unit: what the shadow of each feature reaches. Any of
        n_features such columns exceeds its own level with a probability of about
        `alpha` at most.
    names : list of str or None
        Names of the features, if X was a DataFrame.
    alpha : float
        Probability that noise exceeds the level, for any of the features.
    noise : ndarray of shape (n_repeats, n_features)
        Upper bounds of the shadows.

    Examples
    --------
    >>> found = RelevanceEvidence(
    ...     lower=np.array([0.5, 0.0]),
    ...     upper=np.array([0.9, 0.1]),
    ...     alpha=0.05,
    ...     noise=np.zeros((4, 2)),
    ...     level=np.array([0.2, 0.2]),
    ... )
    >>> found.kinds().tolist()
    ['strongly relevant', 'not significant']
    """

    alpha: float
    noise: np.ndarray

    @property
    def is_above(self):
        """Which upper bounds are above the null level (n_features,)."""
        return self.upper > self.level

    def kinds(self):
        """Classify the relevance of each feature, in the terms of Kohavi and John.

        "strongly relevant": the lower bound is above the level, and no other feature of
        the table can replace it in such a model. "weakly relevant": only the upper
        bound is; others can replace it. "not significant": both are below the level.
        For a measure of one value per feature: "significant" or "not significant". That
        a feature is not significant in these samples and in this kind of model does not
        prove that it has no effect.

        Returns
        -------
        kinds : ndarray of shape (n_features,)
            Kind of each feature.
        """
        if np.isnan(self.lower).all():
            return np.where(self.is_above, "significant", "not significant")
        return super().kinds()

    def to_frame(self):
        """Return the results as a table, the largest upper bound first.

        Returns
        -------
        frame : DataFrame of shape (n_features, 4)
            One row per feature, with columns ``lower``, ``upper``, ``level`` and
            ``kind``.
        """
        frame = super().to_frame()
        frame.insert(2, "level", self.level)
        return frame.sort_values("upper", ascending=False, kind="stable")


def relevance_evidence(
    measure,
    X,
    y,
    *,
    alpha=0.05,
    n_repeats=None,
    permute=None,
    random_state=None,
    n_jobs=None,
    verbose=False,
):
    """Find features with relevances above those of columns of noise in repeated fits.

    Parameters
    ----------
    measure : callable or estimator
        ``measure(X, y)`` gives one relevance per column of X, or bounds that unpack as
        ``lower, upper``; larger is more relevant. It trains the model, so that weights
        of shadows are learned as those of features are. An estimator is cloned and
        fitted; its relevances are `relevances_`, `feature_importances_` or the absolute
        values of `coef_`.
    X : array-like of shape (n_samples, n_features)
        Samples. The measure gets them with n_features more columns, in a random order;
        a DataFrame stays a DataFrame. Double a `null_space` within it.
    y : array-like of shape (n_samples,) or (n_samples, m)
        Target: values, classes, or a map.
    alpha : float, 0 < alpha < 1, default=0.05
        Probability that any column of noise is found, over all features. It holds for
        columns that are independent of the target and of the other columns, and
        exchangeable with permuted copies.
    n_repeats : int >= 4, optional
        Number of draws; by default as many as give 200 columns of noise, between 20 and
        50.
    permute : callable, optional
        Function without arguments that returns row numbers (n_samples,), others at each
        call: the order of the rows of the shadows, where rows depend on each other. By
        default any order.
    random_state : int, RandomState instance or None, default=None
        Seed of the random number generator; an int makes results reproducible.
    n_jobs : int or None, default=None
        Number of parallel jobs of joblib over draws; None means 1, -1 all cores.
    verbose : bool, default=False
        Whether to show a progress bar.

    Returns
    -------
    evidence : RelevanceEvidence
        Relevances with their null level; it unpacks as ``lower, upper``.

    Notes
    -----
    All shadows of a draw are permuted by one permutation, so that they depend on each
    other as the features do. Columns come in another order each time, since a forest
    with a fixed seed prefers some positions. A feature of noise then is one of 2 d
    columns that cannot be distinguished, and as large as a shadow; the level is that of
    `noise_level`. A copy of a feature that matters is no noise: it shows evidence, and
    is weakly relevant.

    Other tests count in how many draws a feature beats the largest shadow (Kursa and
    Rudnicki, 2010). Unlike them, this does not treat draws on the same samples as
    independent trials. Bonferroni's bound holds for features that depend on each other
    in any way. It also bounds the expected proportion of false ones among those found.
    Benjamini and Yekutieli bound that alone; their levels are the less strict
    ones where more than about log(d) features are found.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> X = np.random.default_rng(0).normal(size=(100, 4))
    >>> y = X[:, 0] + 0.5 * X[:, 1]
    >>> found = relevance_evidence(LinearRegression(), X, y, random_state=0)
    >>> found.kinds().tolist()
    ['significant', 'significant', 'not significant', 'not significant']
    """
    is_estimator = hasattr(measure, "fit") and hasattr(measure, "get_params")
    is_function_or_estimator = is_estimator or callable(measure)
    require(
        is_function_or_estimator,
        "measure",
        "a function of X and y or an estimator",
        measure,
    )
    n, d = check_table(X, min_rows=4).shape
    if not hasattr(X, "iloc"):
        X = np.atleast_1d(X)
    if not hasattr(y, "iloc"):
        y = np.atleast_1d(y)
    check_same_length(X, y)
    alpha = check_fraction(alpha, "alpha", ends=False)
    n_draws = check_integer(n_repeats, "n_repeats", 4, 10_000, optional=True)
    if n_draws is None:
        n_draws = int(np.clip(-(-200 // d), 20, 50))
    rng = check_seed(random_state)
    tasks = []
    for _ in range(n_draws):
        order = rng.permutation(n) if permute is None else permute()
        columns = rng.permutation(2 * d)
        tasks.append(delayed(_draw)(measure, X, y, order, columns))
    draws = list(results(tasks, n_jobs, bar=(n_draws, "draws", verbose)))
    bounds = np.array([feature_bounds for feature_bounds, _ in draws])
    shadows = np.array([upper_bounds for _, upper_bounds in draws])
    lower, upper = bounds.mean(axis=0)
    level = noise_level(shadows, alpha)
    least_level = LEAST_RELEVANCE * np.abs(upper).max()
    return RelevanceEvidence(
        lower=lower,
        upper=upper,
        alpha=alpha,
        noise=shadows,
        level=np.maximum(level, least_level),
        names=feature_names(X),
    )


def noise_level(noise, alpha=0.05):
    """Compute the level that columns of noise exceed with probability `alpha`.

    Parameters
    ----------
    noise : ndarray of shape (n_repeats, d)
        Relevances of d columns of noise, in at least four draws.
    alpha : float, 0 < alpha < 1, default=0.05
        Probability that any of the d columns exceeds its own level.

    Returns
    -------
    level : ndarray of shape (d,)
        At least 0. For each column mean + c times standard deviation of its draws:
        collinear columns get larger weights by chance than others. Each draw is
        compared with mean and deviation of the other draws of its column (with two
        degrees of freedom for the median of all variances). An exponential tail fitted
        to the largest tenth of these ratios gives the c that a single one exceeds with
        probability alpha / d (Bonferroni).

    Examples
    --------
    >>> waiting = np.random.default_rng(0).exponential(size=(20_000, 2)) * [1, 10]
    >>> noise_level(waiting).round(1).tolist()
    [3.7, 36.9]
    """
    n, d = noise.shape
    means = noise.mean(axis=0)
    variances = noise.var(axis=0, ddof=1)
    prior = max(np.median(variances), 0.01 * variances.mean())
    if not prior > 0:
        return np.maximum(means, 0)
    # Each draw is compared with the mean and the deviation of the other draws.
    other_means = (noise.sum(axis=0) - noise) / (n - 1)
    other_sums = (noise**2).sum(axis=0) - noise**2
    other_squares = other_sums - (n - 1) * other_means**2
    other_squares = np.maximum(other_squares, 0)
    prior_squares = PRIOR * prior
    other_variances = (other_squares + prior_squares) / (n - 2 + PRIOR)
    ratios = (noise - other_means) / np.sqrt(other_variances)
    # The largest ratios have an exponential tail.
    start = np.quantile(ratios, 1 - TAIL)
    excess = ratios[ratios > start] - start
    limit = start
    if excess.size:
        expected = excess.size / ratios.size * d / alpha
        limit += excess.mean() * max(0.0, np.log(expected))
    squares = (n - 1) * variances + prior_squares
    deviations = np.sqrt(squares / (n - 1 + PRIOR))
    return np.maximum(means + limit * deviations, 0)


def _draw(measure, X, y, order, columns):
    """Bounds (2, d) of the features, upper bounds (d,) of their shadows.

    The lower ones are NaN for one value a feature. `order` (n,) is the order of the
    rows in the shadows, `columns` (2 d,) that of the features and shadows. It is
    another in each draw: a forest with a fixed seed prefers some positions to others.
    """
    d = X.shape[1]
    if hasattr(X, "iloc"):
        permuted = X.iloc[order].reset_index(drop=True)
        shadows = permuted.add_prefix("shadow of ")
        table = X.reset_index(drop=True).join(shadows).set_axis(X.index)
        X = table.iloc[:, columns]
    else:
        table = np.hstack([X, X[order]])
        X = table[:, columns]
    if hasattr(measure, "fit"):
        relevances = _model_relevances(clone(measure).fit(X, y))
    else:
        relevances = measure(X, y)
    try:
        values = np.array(list(relevances), dtype=float)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.shape == (2 * d,):
        no_lower_bounds = np.full(2 * d, np.nan)
        values = np.stack([no_lower_bounds, values])
    if values.shape != (2, 2 * d) or not np.isfinite(values[1]).all():
        raise ValueError(
            "`measure` must return finite numbers, one per column or bounds (lower,"
            f" upper), of shape ({2 * d},) or (2, {2 * d}) for {2 * d} columns; got"
            f" {short_repr(relevances)}."
        )
    values = values[:, np.argsort(columns)]
    lower_and_upper = values[:, :d]
    shadow_upper = values[1, d:]
    return lower_and_upper, shadow_upper


def _model_relevances(model):
    """Relevances (d,) of the features of a fitted model, by the attribute it has."""
    for name in ("relevances_", "feature_importances_"):
        if hasattr(model, name):
            return getattr(model, name)
    if hasattr(model, "coef_"):
        return np.linalg.norm(np.atleast_2d(model.coef_), axis=0)
    raise ValueError(
        "`measure` must have `relevances_`, `feature_importances_` or `coef_` once"
        f" fitted; {type(model).__name__} has none. Give a function."
    )
