"""The map of a learned metric: samples and prototypes along its leading directions."""

from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import column_or_1d

from ..plots import MapDisplay

__all__ = ["PlaneMixin"]


class PlaneMixin(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """`transform` and `plot` for classifiers with `components_`, `mean_` and prototypes."""

    def transform(self, X):
        """Project samples on the leading directions of the metric.

        Parameters
        ----------
        X : array-like of shape (m, n_features)

        Returns
        -------
        ndarray of shape (m, n_components)
        """
        return (self._new(X) - self.mean_) @ self.components_.T

    def plot(self, X, y, ax=None, *, title="", class_names=None, **options):
        """Draw samples, and prototypes as stars, in the plane of the two leading directions.

        `X` is what `fit` was given: in a pipeline, ``pipeline[-1].plot(pipeline[:-1].transform(X), y)``.

        Parameters
        ----------
        X : array-like of shape (m, n_features)
        y : array-like of shape (m,), classes known to the model
        ax : matplotlib Axes, optional
        title : str
        class_names : sequence of str, optional
            In the order of `classes_`.
        options : further arguments of :meth:`toolkit.plots.MapDisplay.plot`

        Returns
        -------
        MapDisplay
        """
        Z = self.transform(X)
        if Z.shape[1] != 2:
            raise ValueError(
                f"A picture needs a map of two dimensions; got {Z.shape[1]}. Fit with `n_components=2`, or with "
                "`rank=2` where there is no such parameter."
            )
        display = MapDisplay(
            Z,
            column_or_1d(y),
            class_names,
            prototypes=(self.prototypes_ - self.mean_) @ self.components_.T,
            prototype_labels=self.prototype_labels_,
            classes=self.classes_,
        )
        return display.plot(ax, title=title, **options)
