"""Base class of all bounds, and checks of weights, models and groups."""

from collections import Counter
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass

import numpy as np
import scipy.sparse
from sklearn.pipeline import Pipeline

from ..core.arrays import (
    as_frame,
    check_columns,
    check_numbers,
    feature_names,
    reading,
)
from ..core.checks import check_fraction
from ..core.estimators import warn
from ..core.labels import class_column
from ..plots import BoundsDisplay


@dataclass(frozen=True, repr=False)
class Bounds:
    """Base of results: `lower` and `upper` (d,), as which they unpack.

    Bounds say how far the weights of one model can move among equivalent models.
    Whether a feature predicts anything they say only with a null level `level`, see
    :func:`toolkit.relevance.relevance_evidence`.
    """

    lower: np.ndarray
    upper: np.ndarray
    _: KW_ONLY
    level: np.ndarray | None = None
    names: list | None = None
    does = "weighted"

    def __iter__(self):
        return iter((self.lower, self.upper))

    def __repr__(self):
        kinds = sorted(Counter(self.kinds().tolist()).items())
        parts = [f"{count} {kind}" for kind, count in kinds]
        settings = ("null_space", "slack")
        parts += [
            f"{s}={getattr(self, s)}" for s in settings if hasattr(self, s)
        ]
        return f"{type(self).__name__}({', '.join(parts)})"

    def kinds(self, share=0.05):
        """Kind of each feature: what its bounds say.

        With a null level: "needed" where the lower bound is above it, "replaceable"
        where only the upper one is, else "no evidence". Without a level the words are
        about weights alone, which a feature of pure noise has, too: "always weighted",
        "sometimes weighted" or "never weighted" among equivalent models.

        Parameters
        ----------
        share : float, 0 < share < 1, default=0.05
            Without a level: the fraction of the largest upper bound above which a
            weight counts.

        Returns
        -------
        ndarray of shape (d,)
        """
        check_fraction(share, "share", ends=False)
        upper = self._finite_upper()
        # with a null level the words are about evidence, else about weights
        level = self.level
        words = ["needed", "replaceable", "no evidence"]
        if level is None:
            level = share * upper.max()
            words = [
                f"{how} {self.does}" for how in ("always", "sometimes", "never")
            ]
        return np.select(
            [self.lower > level, upper > level], words[:2], words[2]
        )

    def _finite_upper(self):
        """Upper bounds; where there are none, the lower ones."""
        return np.where(
            np.isnan(self.upper), np.maximum(self.lower, 0), self.upper
        )

    def to_frame(self):
        """A pandas DataFrame with ``lower``, ``upper``, ``kind``, a row per feature."""
        columns = {
            "lower": self.lower,
            "upper": self.upper,
            "kind": self.kinds(),
        }
        names = self.names or feature_names(None, len(self.lower))
        what = "group" if hasattr(self, "groups") else "feature"
        return as_frame(columns, names, what)

    def plot(self, ax=None, *, names=None, positions=None, **options):
        """Draw black bars up to the upper bounds and white ones up to the lower bounds.

        The null level is a line.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        names : sequence of d str, optional
            By default the columns of the DataFrame that was given, or X1, X2, ...
        positions : array-like of shape (d,), optional
            Increasing positions along the axis, such as wavelengths.
        options : dict
            Further arguments of :meth:`toolkit.plots.BoundsDisplay.plot`.

        Returns
        -------
        BoundsDisplay
        """
        display = BoundsDisplay(
            np.nan_to_num(self.lower),
            self._finite_upper(),
            self.names if names is None else names,
            positions=positions,
            level=self.level,
        )
        return display.plot(ax, **options)


def column_names(X):
    """Names of the columns of a DataFrame as a list of str, None for anything else."""
    return [str(name) for name in X.columns] if hasattr(X, "columns") else None


def last_step(model, X, name):
    """Model and samples; of a fitted pipeline its last step, and X as it reaches that.

    Refuses the two in the order of scikit-learn's functions, samples first.
    """
    if hasattr(X, "coef_") or hasattr(X, "lambda_") or isinstance(X, Pipeline):
        raise ValueError(
            f"`{name}` comes first, `X` second; got the fitted {type(X).__name__} as"
            " `X`. Swap them."
        )
    if not isinstance(model, Pipeline) or len(model) < 2:
        return model, X
    # the steps before make features that the last one knows
    check_columns(column_names(X), model)
    with reading("X", None, f"what the pipeline `{name}` was fitted to"):
        P = model[:-1].transform(X)
    if scipy.sparse.issparse(P):
        P = P.toarray()
    if hasattr(X, "iloc") and not hasattr(P, "columns"):
        # a step that does not know the names
        with suppress(AttributeError, TypeError, ValueError):
            names = model[:-1].get_feature_names_out()
            P = as_frame(dict(zip(names, np.asarray(P).T, strict=True)))
    return model[-1], P


def check_weights(w, d, names=None):
    """Weights (d,) as floats, also those of a fitted linear model."""
    if hasattr(w, "coef_"):
        check_columns(names, w)
        w = w.coef_
    elif hasattr(w, "fit"):
        raise ValueError(
            "`w` must be weights or a fitted linear model with `coef_`; got"
            f" {type(w).__name__}. Give a metric to `metric_bounds`; of a pipeline give"
            " the last step, and `X` as the others transform it."
        )
    w = check_numbers(w, "w")
    if w.shape not in ((d,), (1, d)):
        raise ValueError(
            f"`w` must hold one weight per feature, shape ({d},) for this `X`; got"
            f" shape {w.shape}. Leave out the intercept; `metric_bounds` takes"
            " matrices."
        )
    return w.reshape(d).copy()


def check_groups(groups, d):
    """The different groups, sorted, and the number (d,) of that of each feature."""
    groups = class_column(groups, "groups")
    if groups.shape != (d,):
        raise ValueError(
            f"`groups` must name a group for each of the {d} features; got shape"
            f" {groups.shape}."
        )
    return np.unique(groups, return_inverse=True)


def warn_unique_solution(null_space, relation):
    """Warn where the default leaves each mapping equivalent to itself only."""
    if null_space is None and relation.null_space == 0:
        warn(
            "The samples vary along all directions, so only the mapping itself acts"
            " alike on them, and both bounds are its weights. A `null_space` above 0"
            " counts directions of little variance, see `choose_null_space`."
        )
