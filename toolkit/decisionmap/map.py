"""Decision maps: predictions of a model at the inverse images of a grid in the plane.

Thesis, section 3.4.2.
"""

from dataclasses import replace
from functools import partial

import numpy as np
from sklearn.metrics import r2_score

from ..core import (
    by_blocks,
    check_part,
    check_same_length,
    check_table,
    class_numbers,
    names_or,
    pick_rows,
    power_of_two,
    progress,
    require,
    suppress_scale_warning,
)
from ..embed import TSNE
from ..plots import DecisionDisplay, RegressionDisplay
from .agreement import Agreement, agreement, warn_out_of_distribution
from .positions import check_placement, fit_map
from .samples import (
    MAX_SAMPLES,
    Samples,
    all_classes,
    check_targets,
    choose_samples,
)
from .view import PlaneView, check_grid, grid_cells


class DecisionMap:
    """Decision map of a classifier or regressor in the plane.

    It is made by :meth:`from_estimator` or :meth:`from_map`.

    Parameters
    ----------
    view : PlaneView
        Samples, their positions, and the points of the grid.
    samples : Samples
        Samples as the model and as the map take them.
    y : ndarray of shape (n,) or None
        Classes or targets of the samples.
    Z : ndarray of shape (n, 2)
        Positions of the samples.
    sample : ndarray of int, shape (m,)
        Indices of the samples that were mapped.

    Attributes
    ----------
    model_ : estimator
        The fitted model.
    prepare_ : fitted transformer or None
        Turns raw rows into the numbers that the map uses; None where `X` held numbers.
    embedding_ : ndarray of shape (n, 2)
        Positions of the samples.
    sample_ : ndarray of int, shape (m,)
        Indices of the samples that were mapped: all, or `max_samples` at random; the
        others were projected by :meth:`project`.
    classes_ : ndarray of shape (c,) or None
        Classes of the model and of `y` together; None for a regressor.
    predicted_, certainty_, signed_ : ndarray of shape (n,) or None
        Predictions and certainties of the model for the samples; None where it has
        none.
    extent_ : (x_min, x_max, y_min, y_max)
        The edges of the grid.
    grid_values_ : ndarray of shape (h, w)
        Predictions at the grid, lowest row first.
    grid_certainty_, grid_signed_ : ndarray of shape (h, w) or None
        Certainties at the grid.
    trust_ : ndarray of shape (h, w)
        1 near samples, falling to 0 away from them.
    misrepresented_ : ndarray of bool, shape (n,)
        Samples whose class in the decision map differs from the model's prediction; for
        a regressor those whose prediction differs by more than half the standard
        deviation of the predictions.
    held_out_ : Agreement
        Agreement at samples held out from the inverse map, fold by fold (3.4.3); empty
        with ``cv=None``.
    in_sample_ : Agreement
        Agreement at all mapped samples, to which the inverse map was fitted.
    projected_ : Agreement
        Agreement at the samples that were projected; empty where all were mapped.
    model_score_ : float or None
        Accuracy or R^2 of the model at the samples, where `y` was given.
    label_agreement_ : float
        `labels` of `held_out_`; with a Fisher metric see also :meth:`score`, which is
        lower.
    certainty_correlation_, signed_correlation_, prediction_correlation_ : float
        Correlations of `held_out_`.

    Notes
    -----
    The held-out samples are held out from the inverse map, not from the map nor from
    its metric, as in the thesis. Where the map has an inverse transform (PCA, SOM, GTM
    of vectors) both are fitted again in each fold, which is stricter. :meth:`score` is
    for samples held out from all of them.

    The map uses numbers as given, also where the model is a pipeline that scales:
    standardise features of different units first, or give `prepare`. For raw rows it
    uses the output of `prepare_`; agreement refers to the model's predictions for the
    rows themselves, missing values included. Between the rows a model may refuse
    numbers that no sample has, as encoders of codes do. There the nearest number of a
    sample is taken, and a warning names the columns and the number of grid points
    concerned. With ``auxiliary="model"`` the decision map shows what the model
    separates, with "truth" where it is wrong.

    Times on two cores: 1,500 samples of 16 features with t-SNE of Fisher distances take
    some 10 s, another model in the same plane one or two seconds. 3,000 samples, the
    most that are mapped by default, take a minute. Projecting 50,000 more takes seconds
    by vectors, minutes by Fisher distances.

    References
    ----------
    Schulz (2017), chapter 3.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.decomposition import PCA
    >>> from sklearn.svm import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> svm = SVC().fit(X, y)
    >>> decision_map = DecisionMap.from_estimator(svm, X, y, embedder=PCA(2), grid=40)
    >>> decision_map.grid_values_.shape, bool(decision_map.label_agreement_ > 0.9)
    ((40, 40), True)
    """

    def __init__(self, view, samples, y, Z, sample):
        # A PlaneView, the Samples, their classes or targets or None, the positions Z
        # (n, 2) of all, and the numbers (m,) of those that were drawn.
        self._view = view
        self._samples = samples
        function = samples.function
        predictions = samples.predictions
        self._function = function
        self.model_ = samples.model
        self.prepare_ = samples.prepare
        self.extent_ = view.extent
        self.trust_ = view.trust
        self.embedding_ = Z
        self.sample_ = sample
        self._y = y
        self.y_ = predictions.values if y is None else y
        self.classes_ = None
        if function.classifies:
            # Classes that only the truth has get a colour, too.
            self.classes_ = all_classes(function.classes, self.y_)
        self.model_score_ = None
        if y is not None:
            self.model_score_ = _score(
                y, predictions.values, function.classifies
            )
        self.predicted_, self.certainty_, self.signed_ = predictions
        cells = np.arange(len(view.grid_samples)).reshape(view.shape)
        # The model is evaluated at the grid, section 3.4.2.
        self._grid = samples.answers_at(view.grid_samples).of(cells)
        self.grid_values_, self.grid_certainty_, self.grid_signed_ = self._grid
        self._compare()

    def _compare(self):
        """Compare the picture with the model at mapped, held-out and other samples."""
        view = self._view
        predictions = self._samples.predictions
        function = self._function
        compare = partial(agreement, classifies=function.classifies)
        picture = self._picture_at(self.embedding_)
        mapped = predictions.of(self.sample_)
        # This agreement is optimistic: the inverse map was fitted to these samples.
        self.in_sample_ = compare(mapped, picture.of(self.sample_))
        self.projected_ = Agreement()
        projected = _not_drawn(len(self.embedding_), self.sample_)
        if len(projected):
            self.projected_ = compare(
                predictions.of(projected), picture.of(projected)
            )
        self.held_out_ = Agreement()
        if view.folds:
            # Samples are held out from the inverse map, section 3.4.3.
            held_out = self._samples.answers_at(view.held_out_samples)
            self.held_out_ = compare(mapped, held_out, view.folds)
        self.label_agreement_ = self.held_out_.labels
        self.prediction_correlation_ = self.held_out_.predictions
        self.certainty_correlation_ = self.held_out_.certainty
        self.signed_correlation_ = self.held_out_.signed
        self.misrepresented_ = picture.values != predictions.values
        if not function.classifies:
            # Numbers are misrepresented by half a standard deviation or more.
            gaps = np.abs(picture.values - predictions.values)
            self.misrepresented_ = gaps > 0.5 * predictions.values.std()

    # ------------------------------------------------------------ making one
    @classmethod
    def from_estimator(
        cls,
        model,
        X,
        y=None,
        *,
        metric=None,
        embedder=None,
        auxiliary="truth",
        inverse=None,
        grid=100,
        certainty="auto",
        cv=10,
        max_samples=MAX_SAMPLES,
        n_jobs=None,
        random_state=0,
        verbose=False,
        prepare=None,
    ):
        """Compute metric, map, inverse map and decision map of samples.

        Parameters
        ----------
        model : fitted classifier or regressor
            Model with the interface of scikit-learn, pipelines included.
        X : array-like of shape (n, d)
            Numbers, or the raw rows that `model` takes: a DataFrame with text,
            categories or missing values, an array with NaN.
        y : array-like of shape (n,), optional
            Classes or targets, drawn and, with ``auxiliary="truth"``, given to the
            metric.
        metric : None, "fisher" or metric of :mod:`toolkit.fisher`, default=None
            None: Euclidean. "fisher": for classes by Parzen windows, for a target by a
            Gaussian process. With ``auxiliary="model"`` it uses the probabilities of a
            classifier itself where these are known. A metric is copied and fitted.
        embedder : map of :mod:`toolkit.embed` or scikit-learn's kind, optional
            Map; t-SNE by default. A supervised one, such as ``LFDA()`` or
            ``GMLVQ(rank=2)``, is fitted to the target that `auxiliary` names.
        auxiliary : {"truth", "model"}, default="truth"
            What the metric is fitted to: `y`, or what the model predicts.
        inverse : InverseMap, optional
            By default the map's inverse transform if it has one for vectors (PCA, SOM,
            GTM), and otherwise :class:`toolkit.kernelmap.InverseMap` with the Fisher
            matrices of the metric (3.3).
        grid : int or (rows, columns), default=100
            Number of cells of the grid.
        certainty : str, callable or None, default="auto"
            Source of a classifier's certainty, see :class:`ModelFunction`.
        cv : int or None, default=10
            Number of folds for `held_out_`; None to omit it.
        max_samples : int or None, default=3000
            Largest number of samples that are mapped and used for metric, inverse map
            and folds. Of more samples that many are chosen at random; the others are
            projected. None: all are mapped.
        n_jobs : int or None, default=None
            Number of parallel jobs of joblib; None means 1, -1 all cores.
        random_state : int, default=0
            Seed of the folds, of the default map and inverse map, and of the choice of
            samples.
        verbose : bool, default=False
            Whether to show a progress bar.
        prepare : transformer, fitted or not, optional
            Turns raw rows into the numbers that metric, map and inverse map use, while
            `model` is evaluated at rows. By default the steps of a pipeline before its
            last one, which then predicts at the grid. Otherwise, as for histogram
            gradient boosting, :class:`MixedColumns`, which makes rows of the grid's
            points. Give one of these yourself, or another with `inverse_transform`;
            with it tables of numbers are prepared, too.

        Returns
        -------
        decision_map : DecisionMap
            The decision map.
        """
        if embedder is None:
            embedder = TSNE(random_state=random_state)

        def place(samples, y, sample):
            """The Placement by a fitted map, see `_assemble`."""
            return fit_map(
                samples,
                y,
                sample,
                metric=metric,
                embedder=embedder,
                auxiliary=auxiliary,
                inverse=inverse,
            )

        return cls._assemble(
            model,
            X,
            y,
            place,
            inverse=inverse,
            grid=grid,
            certainty=certainty,
            cv=cv,
            max_samples=max_samples,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
            prepare=prepare,
        )

    @classmethod
    def from_map(
        cls,
        model,
        X,
        Z,
        y=None,
        *,
        metric=None,
        distances=None,
        projector=None,
        **options,
    ):
        """Compute the decision map of samples with known positions.

        Parameters
        ----------
        model : fitted classifier or regressor
            Model with the interface of scikit-learn, pipelines included.
        X : array-like of shape (n, d)
            Numbers, or the raw rows that `model` takes.
        Z : array-like of shape (n, 2)
            Positions of the samples.
        y : array-like of shape (n,), optional
            Classes or targets.
        metric : fitted metric of :mod:`toolkit.fisher`, or array (n, d, d), optional
            Fisher matrices for the inverse map.
        distances : array-like of shape (n, n), optional
            Distances that the map was computed from, by which `metric` then projects
            new samples.
        projector : object with `transform`, optional
            Projection of new samples, such as a fitted
            :class:`toolkit.kernelmap.KernelMap`; by default one is fitted to vectors.
        **options : dict
            `inverse`, `grid`, `certainty`, `cv`, `max_samples`, `n_jobs`,
            `random_state`, `verbose` and `prepare`, as for :meth:`from_estimator`. Of
            more than `max_samples` samples a random subset is used for inverse map and
            folds. For raw rows `metric`, `projector` and inverse map use the numbers
            that `prepare` returns.

        Returns
        -------
        decision_map : DecisionMap
            The decision map.
        """
        if "auxiliary" in options:
            raise ValueError(
                "`auxiliary` is for maps that `from_estimator` makes; `from_map` takes"
                " a fitted `metric`."
            )

        def place(samples, y, sample):
            """The Placement that was given, see `_assemble`."""
            return check_placement(
                Z,
                samples.X,
                sample,
                metric=metric,
                distances=distances,
                projector=projector,
            )

        return cls._assemble(model, X, y, place, **options)

    @classmethod
    def _assemble(
        cls,
        model,
        X,
        y,
        place,
        *,
        inverse=None,
        grid=100,
        certainty="auto",
        cv=10,
        max_samples=MAX_SAMPLES,
        n_jobs=None,
        random_state=0,
        verbose=False,
        prepare=None,
    ):
        """The decision map of samples whose :class:`Placement` a function returns.

        `place` takes the :class:`Samples`, their classes or targets, and the numbers of
        those that were drawn; for the others see :meth:`from_estimator`.
        """
        shape = check_grid(grid)
        inverse = check_part(inverse, "inverse", "inverse_transform")
        samples = Samples(X, model, certainty, prepare, n_jobs)
        y, sample = choose_samples(samples, y, cv, max_samples, random_state)
        n_steps = 3
        if cv is not None:
            n_steps += min(cv, len(sample))
        with (
            suppress_scale_warning(),
            progress(n_steps, "DecisionMap", verbose) as done,
        ):
            placement = place(samples, y, sample)
            done()
            # The view has the inverse map, and points of the grid.
            mapped = pick_rows(placement.Z, sample)
            view = PlaneView(
                pick_rows(samples.X, sample),
                mapped,
                placement,
                shape=shape,
                inverse=inverse,
                cv=cv,
                n_jobs=n_jobs,
                random_state=random_state,
                done=done,
            )
            done()
            Z = placement.Z
            n = len(samples.X)
            if len(Z) < n:
                # Samples that were not drawn are projected.
                Z = np.empty((n, 2))
                Z[sample] = mapped
                projected = _not_drawn(n, sample)
                Z[projected] = view.project(samples.X[projected])
            decision_map = cls(view, samples, y, Z, sample)
            done()
        return decision_map

    def with_model(self, model, *, certainty="auto"):
        """Return the decision map of another model in the same plane.

        Map and grid are kept; the model is fitted to the same samples.

        Parameters
        ----------
        model : fitted classifier or regressor
            The other model.
        certainty : str, callable or None, default="auto"
            Source of a classifier's certainty, see :class:`ModelFunction`.

        Returns
        -------
        decision_map : DecisionMap
            The decision map.
        """
        samples = self._samples.with_model(model, certainty)
        if samples.function.classifies != self._function.classifies:
            raise ValueError(
                "`model` must be a classifier where the first was one, and a regressor"
                " otherwise."
            )
        return DecisionMap(
            self._view, samples, self._y, self.embedding_, self.sample_
        )

    # ------------------------------------------------------------ reading it
    def _picture_at(self, Z):
        """:class:`Predictions` of the map at positions (m, 2), by the nearest cells."""
        return self._grid.of(grid_cells(Z, self.extent_, self._view.shape))

    @by_blocks
    def project(self, X):
        """Project new samples to the plane.

        By the map's own projection of new samples or the one given; otherwise by a
        kernel map of its distances, which keeps them within the picture.

        Parameters
        ----------
        X : array-like of shape (m, d)
            New samples.

        Returns
        -------
        Z : ndarray of shape (m, 2)
            Positions of the samples.
        """
        _, points = self._samples.read(X)
        return self._view.project(points)

    def inverse_transform(self, Z):
        """Return points of the data space for positions of the map.

        Parameters
        ----------
        Z : array-like of shape (m, 2)
            Positions of the map.

        Returns
        -------
        points : ndarray of shape (m, d)
            Points of the data space; for raw rows numbers as `prepare_` returns them.
        """
        return self._view.inverse_map.inverse_transform(Z)

    def score(self, X, y=None):
        """Compare decision map and model at held-out samples.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples held out from map and metric.
        y : array-like of shape (m,), optional
            Their classes or targets.

        Returns
        -------
        agreement : Agreement
            With `y` it also holds `model_score` and `picture_score`: accuracy or R^2 of
            the model, as `score` of scikit-learn, and of the decision map.
        """
        classifies = self._function.classifies
        Z, predictions, y = self._read_new(X, y, ("X", "y"))
        picture = self._picture_at(Z)
        result = agreement(predictions, picture, classifies=classifies)
        if y is None:
            return result
        return replace(
            result,
            model_score=_score(y, predictions.values, classifies),
            picture_score=_score(y, picture.values, classifies),
        )

    def _read_new(self, X, y, names):
        """Positions of new samples (m, 2), the model's answers, classes or targets."""
        rows, points = self._samples.read(X, names[0])
        predictions = self._samples.answers(rows)
        if y is not None:
            y = check_targets(y, self._function.classes, names[1])
            check_same_length(points, y, names)
        warn_out_of_distribution(points, self._view.X)
        return self._view.project(points), predictions, y

    def round_trip(self):
        """Compute how far the samples move to the data space and back (3.1).

        Returns
        -------
        lengths : ndarray of shape (n,)
            Lengths relative to the map's diagonal.
        """
        Z = self.embedding_
        points = check_table(self.inverse_transform(Z))
        steps = self._view.project(points) - Z
        diagonal = np.linalg.norm(np.ptp(Z, axis=0))
        if diagonal == 0:
            diagonal = 1.0
        return np.linalg.norm(steps, axis=1) / diagonal  # Eq. (3.1)

    # ------------------------------------------------------------ showing it
    def display(self, class_names=None, *, name="", new=None):
        """Return the decision map as arrays, for more than :meth:`plot` offers.

        Parameters
        ----------
        class_names : sequence of str, optional
            Names of the classes, in the order of `classes_`.
        name : str, default=""
            What a regressor predicts.
        new : pair of X (m, d) and y (m,), optional
            Samples to show in place of those of the map; for unlabelled ones give the
            model's predictions.

        Returns
        -------
        display : DecisionDisplay or RegressionDisplay
            Display of a classifier or of a regressor.
        """
        Z = self.embedding_
        y = self.y_
        wrong = self.misrepresented_
        if new is not None:
            is_pair = isinstance(new, tuple | list) and len(new) == 2
            require(
                is_pair and new[1] is not None,
                "new",
                "a pair of samples and their classes or targets",
                new,
            )
            Z, predictions, y = self._read_new(*new, ("new[0]", "new[1]"))
            # New samples have rings as those of the map.
            wrong = self._picture_at(Z).values != predictions.values
        if self.classes_ is None:
            return RegressionDisplay(
                Z,
                y,
                self.grid_values_,
                self.extent_,
                trust=self.trust_,
                name=name,
            )
        # New samples may bring labels without a colour, which are refused.
        index = class_numbers(y, self.classes_, "new")
        names = names_or(self.classes_, class_names, "class_names", "class")
        codes = np.searchsorted(self.classes_, self.grid_values_)
        return DecisionDisplay(
            Z,
            index,
            names,
            codes,
            self.extent_,
            certainty=self.grid_certainty_,
            trust=self.trust_,
            misrepresented=wrong,
        )

    def plot(self, ax=None, *, class_names=None, name="", new=None, **options):
        """Draw the decision map, the samples, and the model's prototypes as stars.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on; a new figure by default.
        class_names : sequence of str, optional
            Names of the classes, in the order of `classes_`.
        name : str, default=""
            What a regressor predicts.
        new : pair of X (m, d) and y (m,), optional
            Samples to show in place of those of the map.
        **options : dict
            Further arguments of the display's `plot`, such as ``title``, ``size``,
            ``contours``, ``name_classes`` (classes), ``color_bar`` (numbers); see
            :class:`toolkit.plots.DecisionDisplay`, `RegressionDisplay`.

        Returns
        -------
        display : DecisionDisplay or RegressionDisplay
            With `ax_`, `figure_`, for classes `legend`, for numbers `plot_surface`.
        """
        display = self.display(class_names, name=name, new=new)
        if hasattr(self.model_, "prototypes_") and self.classes_ is not None:
            options["prototypes"] = self.prototype_positions()
            options["prototype_index"] = np.searchsorted(
                self.classes_, self.model_.prototype_labels_
            )
        return display.plot(ax, **options)

    def prototype_positions(self):
        """Return the positions of the model's prototypes.

        Returns
        -------
        Z : ndarray of shape (p, 2)
            Positions of the prototypes.
        """
        return self._view.project(check_table(self.model_.prototypes_))

    def frame(self, status=""):
        """Return a frame of :class:`toolkit.explorer.Explorer`.

        Parameters
        ----------
        status : str, default=""
            Text shown with the frame.

        Returns
        -------
        frame : dict
            Positions, image of the grid, and indices of misrepresented samples.
        """
        return {
            "Z": self.embedding_,
            "background": self.display().image(),
            "extent": self.extent_,
            "rings": np.flatnonzero(self.misrepresented_),
            "status": status,
        }


def _score(y, predicted, classifies):
    """Accuracy, or R^2.

    Of the targets y (m,) and the predictions (m,), which are classes if `classifies`.
    """
    if classifies:
        return float(np.mean(y == predicted))
    # No square over- or underflows in this unit.
    unit = power_of_two(y, predicted)
    return float(r2_score(y / unit, predicted / unit))


def _not_drawn(n, sample):
    """Numbers of the `n` samples that are not among those drawn."""
    return np.setdiff1d(np.arange(n), sample)
