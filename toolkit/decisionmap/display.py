"""How a decision map is shown: as a display, as a picture, as a frame of an explorer, in one line."""

import numpy as np

from ..plots import DecisionDisplay, RegressionDisplay
from .inputs import checked_targets

__all__ = ["Showing"]


class Showing:
    """What :class:`DecisionMap` draws; it has the attributes."""

    def __repr__(self):
        held, inside = self.held_out_, self.in_sample_
        name = "labels" if self.classes_ is not None else "predictions"
        parts = [f"{type(self.model_).__name__}, {len(self.embedding_)} samples"]
        if getattr(held, name) is not None:
            parts.append(f"{name} {getattr(held, name):.3f} held out")
        parts.append(f"{name} {getattr(inside, name):.3f} in sample")
        if inside.kappa is not None:
            parts.append(f"kappa {inside.kappa:.2f}")
        if self.model_score_ is not None:
            parts.append(f"the model itself {self.model_score_:.3f}")
        return f"<DecisionMap: {', '.join(parts)}>"

    def display(self, class_names=None, *, name="", new=None):
        """The picture as arrays, for more than :meth:`plot` offers.

        Parameters
        ----------
        class_names : sequence of str, optional
            In the order of `classes_`.
        name : str, what a regressor predicts
        new : pair of X (m, d) and y (m,), optional
            Samples to show in place of those of the map; for unlabelled ones give the model's predictions.

        Returns
        -------
        DecisionDisplay or RegressionDisplay
        """
        Z, y, wrong = self.embedding_, self.y_, self.misshown_
        if new is not None:
            if not isinstance(new, tuple | list) or len(new) != 2:
                raise ValueError("`new` must be a pair of samples and their classes or targets.")
            Z, y = self.project(new[0]), checked_targets(new[1], self.classes_ is not None, "new")
            if len(y) != len(Z):
                raise ValueError(f"`new` must hold as many samples as classes; got {len(Z)} and {len(y)}.")
            wrong = self._read(Z).values != self._function(np.asarray(new[0], dtype=float)).values
        if self.classes_ is None:
            return RegressionDisplay(Z, y, self.grid_values_, self.extent_, trust=self.trust_, name=name)
        names = self.classes_ if class_names is None else class_names
        if len(names) != len(self.classes_):
            raise ValueError(f"`class_names` must hold one name a class ({len(self.classes_)}); got {len(names)}.")
        unknown = np.setdiff1d(np.unique(y), self.classes_)
        if len(unknown):
            raise ValueError(f"`new` must hold classes of {self.classes_.tolist()}; got also {unknown.tolist()}.")
        return DecisionDisplay(
            Z,
            np.searchsorted(self.classes_, y),
            [str(c) for c in names],
            np.searchsorted(self.classes_, self.grid_values_),
            self.extent_,
            certainty=self.grid_certainty_,
            trust=self.trust_,
            misrepresented=wrong,
        )

    def plot(self, ax=None, *, class_names=None, name="", new=None, prototypes="auto", **options):
        """Draw the model's field and the samples.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        class_names, name, new : as for :meth:`display`
        prototypes : "auto" or None
            "auto": those of the model, if it has any, as stars.
        options : further arguments of the display's `plot`, such as ``title``, ``size``, ``contours``, ``name_classes``
            (classes), ``color_bar`` (numbers); see :class:`toolkit.plots.DecisionDisplay`, `RegressionDisplay`

        Returns
        -------
        DecisionDisplay or RegressionDisplay, with `ax_`, `figure_`, for classes `legend`, for numbers `plot_surface`
        """
        display = self.display(class_names, name=name, new=new)
        if self.classes_ is not None and prototypes is not None and hasattr(self.model_, "prototypes_"):
            options["prototypes"] = self.prototype_places()
            options["prototype_index"] = np.searchsorted(self.classes_, self.model_.prototype_labels_)
        return display.plot(ax, **options)

    def prototype_places(self):
        """Places of the model's prototypes, (p, 2)."""
        if not hasattr(self.model_, "prototypes_"):
            raise ValueError(f"`model` {type(self.model_).__name__} has no prototypes.")
        return self.project(self.model_.prototypes_)

    def frame(self, status=""):
        """A frame of :class:`toolkit.explore.Explorer`: places, the field as a picture, rings at misshown samples."""
        return {
            "Z": self.embedding_,
            "background": self.display().image(),
            "extent": self.extent_,
            "rings": np.flatnonzero(self.misshown_),
            "status": status,
        }
