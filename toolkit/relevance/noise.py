"""Relevance beside a level of noise: what columns that cannot know the target reach in the same model.

A weight, or a bound on it, says how a model uses a feature, not whether the feature predicts: trained on pure noise a
model has weights, too. Shadows (permuted copies of all columns, within the same table) show how large these get.
"""

from dataclasses import dataclass

import numpy as np
from joblib import delayed
from sklearn.base import clone

from ..bounds.base import Bounds
from ..core.arrays import check_table
from ..core.checks import check_flag, check_integer, check_option, check_same_length, check_seed, check_share, shown
from ..core.frames import as_frame
from ..core.parallel import results
from ..core.progress import progress

__all__ = ["RelevanceEvidence", "noise_level", "relevance_evidence"]

TAIL = 0.1  # the largest of all shadows, of which an exponential tail is fitted
ROUNDING = 1e-9  # of the largest relevance


@dataclass(frozen=True, repr=False)
class RelevanceEvidence(Bounds):
    """Relevances beside a level of noise; unpacks as ``lower, upper``.

    Attributes
    ----------
    lower, upper : ndarray of shape (d,)
        Means over the draws of what the measure says of the features; `lower` is NaN for a measure of one value each.
    level : float, in their unit
        Any of d columns of noise exceeds it with a probability of at most about `alpha`.
    alpha : float
    noise : ndarray of shape (n_draws, d), upper bounds of the shadows
    spread : ndarray of shape (d,), standard deviation of the upper bounds over the draws
    names : list of str or None, of the features, if X was a DataFrame
    """

    alpha: float
    noise: np.ndarray
    spread: np.ndarray
    names: list | None = None

    def kinds(self, share=0.05):
        """Kind of each feature: "needed", "replaceable" or "no evidence"; of one value each "evidence" or not.

        "needed": the lower bound is above the level, and no other feature of the table can take its place in such a
        model. "replaceable": the upper bound is; others can. "no evidence": noise reaches as much. That a feature
        shows no evidence in these samples and in this kind of model does not prove that it carries nothing.

        Returns
        -------
        ndarray of shape (d,)
        """
        if np.isnan(self.lower).all():
            return np.where(self.upper > self.level, "evidence", "no evidence")
        return super().kinds(share)

    def to_frame(self):
        """A pandas DataFrame: ``lower``, ``upper``, ``level`` and ``kind``, one row per feature, largest first."""
        frame = super().to_frame()
        frame.insert(2, "level", self.level)
        return frame.sort_values("upper", ascending=False, kind="stable")

    def plot(self, ax=None, *, names=None, positions=None, **options):
        """As :meth:`toolkit.bounds.Bounds.plot`, with the level of noise as a dashed line."""
        one = np.isnan(self.lower).all()
        shown_bounds = Bounds(np.zeros_like(self.lower) if one else self.lower, self.upper, level=self.level)
        names = self.names if names is None else names
        return shown_bounds.plot(ax, names=names, positions=positions, **options)


def relevance_evidence(
    measure, X, y, *, alpha=0.05, n_draws=None, noise="shadows", bootstrap=False, random_state=None, n_jobs=None,
    verbose=False,
):  # fmt: skip
    """Measure relevances again and again beside columns of noise, and say which features exceed what noise reaches.

    Parameters
    ----------
    measure : callable or estimator
        ``measure(X, y)`` gives one relevance per column of X, or bounds that unpack as ``lower, upper``; larger is more
        relevant. It trains the model, so that weights of shadows are learned as those of features are. An estimator is
        cloned and fitted; what counts is its `relevances_`, `feature_importances_` or \\|`coef_`\\|.
    X : array-like of shape (n, d)
        The measure gets it with d more columns and in an order by chance, of a DataFrame as a DataFrame. Double a
        `null_space` within it.
    y : array-like of shape (n,) or (n, m), target, classes, or a map
    alpha : float, 0 < alpha < 1, default=0.05
        Chance that any column of noise is found, over all features. Held for columns that are independent of the
        target and of the other columns, and exchangeable with permuted copies.
    n_draws : int, optional, by default as many as give 200 columns of noise, between 5 and 50
    noise : {"shadows", "labels"}, default="shadows"
        "labels": X stays, and `y` is permuted. For measures that cannot take more columns; more cautious where
        features predict well, since all that they explain then is noise for the others.
    bootstrap : bool, default=False
        Whether each draw has samples of its own, those of a bootstrap sample, each once; `spread` then says how much
        the relevances depend on the samples.
    random_state : int, RandomState or None
    n_jobs : int, optional, processes for joblib, over draws
    verbose : bool, default=False, show a progress bar

    Returns
    -------
    RelevanceEvidence, which unpacks as ``lower, upper``

    Notes
    -----
    All shadows of a draw are permuted by one permutation, so that they depend on each other as the features do; columns
    come in another order each time, since a forest with a fixed seed prefers some places. A feature of noise then is
    one of 2 d columns that nothing sets apart, and as large as a shadow; the level is that of :func:`noise_level`. A
    copy of a feature that matters is no noise: it shows evidence, and is replaceable.

    Other than tests that count in how many draws a feature beats the largest shadow (Kursa and Rudnicki, 2010), this
    does not take draws on the same samples for independent trials.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> X = np.random.default_rng(0).normal(size=(100, 4))
    >>> found = relevance_evidence(LinearRegression(), X, X[:, 0] + 0.5 * X[:, 1], random_state=0)
    >>> found.kinds().tolist()
    ['evidence', 'evidence', 'no evidence', 'no evidence']
    """
    if not callable(measure) and not (hasattr(measure, "fit") and hasattr(measure, "get_params")):
        raise ValueError(f"`measure` must be a function of X and y or an estimator; got {shown(measure)}.")
    names = [str(name) for name in X.columns] if hasattr(X, "columns") else None
    table, (n, d) = X, check_table(X, least=4).shape
    y = y if hasattr(y, "iloc") else np.asarray(y)
    check_same_length(range(n), y, ("X", "y"))
    if not 0 < check_share(alpha, "alpha") < 1:
        raise ValueError(f"`alpha` must be a number between 0 and 1, without the ends; got {shown(alpha)}.")
    draws = check_integer(n_draws, "n_draws", 2, 10_000, none=True) or int(np.clip(-(-200 // d), 5, 50))
    check_option(noise, "noise", ("shadows", "labels"))
    check_flag(bootstrap, "bootstrap")
    rng = check_seed(random_state)
    orders = []
    for _ in range(draws):
        rows = np.unique(rng.randint(n, size=n)) if bootstrap else np.arange(n)
        orders.append((rows, rng.permutation(len(rows)), rng.permutation(d if noise == "labels" else 2 * d)))
    found = []
    with progress(draws, "draws", verbose) as done:
        for one in results((delayed(_draw)(measure, table, y, noise, *order) for order in orders), n_jobs):
            found.append(one)
            done()
    found, shadows = map(np.array, zip(*found, strict=True))  # (draws, 2, d), (draws, d)
    lower, upper = found.mean(axis=0)
    level = max(noise_level(shadows, alpha), ROUNDING * float(np.abs(upper).max()))
    return RelevanceEvidence(lower, upper, float(alpha), shadows, found[:, 1].std(axis=0, ddof=1), names, level=level)


def noise_level(noise, alpha=0.05):
    """What any of d columns of noise exceeds with probability `alpha`, from the relevances of many such columns.

    Parameters
    ----------
    noise : array-like of shape (n_draws, d), relevances of d columns of noise, several times
    alpha : float, 0 < alpha < 1, default=0.05

    Returns
    -------
    float >= 0
        An exponential tail is fitted to the largest tenth; a single column exceeds the level with probability alpha / d
        (Bonferroni). Tails that fall faster, as those of weights do, make it cautious.

    Examples
    --------
    >>> waiting = np.random.default_rng(0).exponential(size=(50, 20))
    >>> round(noise_level(waiting), 1)  # of the distribution itself: log(20 / .05) = 6.0
    5.9
    """
    noise = check_table(noise, "noise")
    start = np.quantile(noise, 1 - TAIL)
    beyond = noise[noise > start] - start
    if not beyond.size:
        return max(0.0, float(start))
    exceeding = beyond.size / noise.size * noise.shape[1] / alpha
    return max(0.0, float(start + beyond.mean() * max(0.0, np.log(exceeding))))


def _draw(measure, X, y, noise, rows, order, columns):
    """Bounds (2, d) of the features and upper bounds (d,) of as many columns of noise."""
    X, y = _rows(X, rows), _rows(y, rows)
    d = X.shape[1]
    if noise == "labels":
        return _measured(measure, X, y, columns), _measured(measure, X, _rows(y, order), columns)[1]
    bounds = _measured(measure, _beside(X, _rows(X, order)), y, columns)
    return bounds[:, :d], bounds[1, d:]


def _rows(A, rows):
    return A.iloc[rows] if hasattr(A, "iloc") else np.asarray(A)[rows]


def _beside(X, shadows):
    """A table with its shadows, whose names tell of what."""
    if not hasattr(X, "columns"):
        return np.hstack([X, shadows])
    columns = {name: X[name].to_numpy() for name in X.columns}
    columns |= {f"shadow of {name}": shadows[name].to_numpy() for name in X.columns}
    return as_frame(columns, X.index)


def _measured(measure, X, y, columns):
    """Lower and upper bounds (2, d); the lower ones are NaN for one value a feature.

    The columns come in another order in each draw: a forest with a fixed seed prefers some places to others.
    """
    X = X.iloc[:, columns] if hasattr(X, "columns") else X[:, columns]
    found, d = _of_model(clone(measure).fit(X, y)) if hasattr(measure, "fit") else measure(X, y), len(columns)
    found = (found.lower, found.upper) if isinstance(found, Bounds) else found
    try:
        values = np.asarray(found, dtype=float)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.shape == (d,):
        values = np.stack([np.full(d, np.nan), values])
    if values.shape != (2, d) or not np.isfinite(values[1]).all():
        what = f"finite numbers, one per column or bounds (lower, upper), of shape ({d},) or (2, {d})"
        raise ValueError(f"`measure` must return {what} for {d} columns; got {shown(found)}.")
    return values[:, np.argsort(columns)]


def _of_model(model):
    for name in ("relevances_", "feature_importances_"):
        if hasattr(model, name):
            return getattr(model, name)
    if hasattr(model, "coef_"):
        return np.linalg.norm(np.atleast_2d(model.coef_), axis=0)
    known = "`relevances_`, `feature_importances_` or `coef_`"
    raise ValueError(f"`measure` must have {known} once fitted; {type(model).__name__} has none. Give a function.")
