"""Base class of all bounds, and checks of weights, models and groups."""

from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.pipeline import Pipeline

from ..core import (
    as_frame,
    check_columns,
    check_numbers,
    feature_names,
    reading,
    warn,
)
from ..plots import BoundsDisplay

# These are kinds of relevance of a feature, in the terms of Kohavi and John.
EVIDENCE_KINDS = "strongly relevant", "weakly relevant", "not significant"

# The classes of results have this decorator.
result_class = dataclass(frozen=True, repr=False, kw_only=True)


@result_class
class Bounds:
    """Base of results: `lower` and `upper` (d,), as which they unpack.

    Bounds say how far the weights of one model can move among equivalent models.
    Whether a feature predicts anything they say only with a null level `level`, see
    :func:`toolkit.relevance.relevance_evidence`.
    """

    lower: np.ndarray
    upper: np.ndarray

    level: np.ndarray | None = None
    names: list | None = None
    does = "weighted"

    def __iter__(self):
        return iter((self.lower, self.upper))

    def __repr__(self):
        kinds, counts = np.unique(self.kinds(), return_counts=True)
        phrases = [
            f"{count} {kind}" for kind, count in zip(kinds, counts, strict=True)
        ]
        return f"{type(self).__name__}({', '.join(phrases)})"

    def kinds(self):
        """Classify each feature by its bounds.

        With a null level: "strongly relevant" where the lower bound is above it,
        "weakly relevant" where only the upper bound is, else "not significant". Without
        a level the words are about weights, which a feature of pure noise has, too:
        "always weighted", "sometimes weighted" or "never weighted" among equivalent
        models. A feature is then weighted if its bound exceeds a twentieth of the
        largest upper bound.

        Returns
        -------
        kinds : ndarray of shape (d,)
            Kind of each feature.
        """
        upper = self._finite_upper()
        # The words are about evidence where there is a null level, else about weights.
        level = self.level
        kinds = EVIDENCE_KINDS
        if level is None:
            level = 0.05 * upper.max()
            kinds = [
                f"always {self.does}",
                f"sometimes {self.does}",
                f"never {self.does}",
            ]
        conditions = [self.lower > level, upper > level]
        return np.select(conditions, kinds[:2], kinds[2])

    def _finite_upper(self):
        """Upper bounds; where there are none, the lower ones."""
        positive_lower = np.maximum(self.lower, 0)
        return np.where(np.isnan(self.upper), positive_lower, self.upper)

    def to_frame(self):
        """Return the bounds as a pandas DataFrame, one row per feature.

        Returns
        -------
        frame : DataFrame of shape (d, 3)
            Columns ``lower``, ``upper`` and ``kind``.
        """
        columns = {
            "lower": self.lower,
            "upper": self.upper,
            "kind": self.kinds(),
        }
        names = self.names
        if names is None:
            names = feature_names(None, len(self.lower))
        index_name = "group" if hasattr(self, "groups") else "feature"
        return as_frame(columns, names, index_name)

    def plot(self, ax=None, **options):
        """Draw black bars up to the upper bounds and white ones up to the lower bounds.

        The null level is a line.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on; a new figure by default.
        **options : dict
            Further arguments of :meth:`toolkit.plots.BoundsDisplay.plot`.

        Returns
        -------
        display : BoundsDisplay
            The drawn display.
        """
        display = BoundsDisplay(
            np.nan_to_num(self.lower),
            self._finite_upper(),
            self.names,
            level=self.level,
        )
        return display.plot(ax, **options)


def last_step(model, X, name):
    """Model and X; of a fitted pipeline its last step, and X as it reaches that."""
    if hasattr(X, "fit"):
        raise ValueError(
            f"`{name}` comes first, `X` second; got the model {type(X).__name__} as"
            " `X`. Swap them."
        )
    if not isinstance(model, Pipeline) or len(model) < 2:
        return model, X
    # The last step knows the features that the steps before it make.
    check_columns(feature_names(X), model)
    steps_before = model[:-1]
    with reading("X", None, f"what the pipeline `{name}` was fitted to"):
        P = steps_before.transform(X)
    if sparse.issparse(P):
        P = P.toarray()
    if hasattr(X, "iloc") and not hasattr(P, "columns"):
        # A step may not know the names.
        with suppress(AttributeError, TypeError, ValueError):
            names = steps_before.get_feature_names_out()
            columns = zip(names, np.asarray(P).T, strict=True)
            P = as_frame(dict(columns))
    return model[-1], P


def check_weights(w, d, names):
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


def warn_unique_solution(null_space, relation):
    """Warn where the default leaves each mapping equivalent to itself only.

    `null_space` is the parameter of the user, `relation` the `Equivalence` of the
    samples.
    """
    if null_space is None and relation.null_space == 0:
        warn(
            "The samples vary along all directions, so no other mapping has the same"
            " values on them, and both bounds are its weights. A `null_space` above 0"
            " includes directions of little variance, see `choose_null_space`."
        )
