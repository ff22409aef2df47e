"""The picture of a model: the plane's grid taken back to the data space and shown to the model, section 3.4.2."""

import numpy as np
from sklearn.utils.validation import check_array

from ..embed import TSNE
from . import inputs as setup
from .agreement import Agreement, agreement
from .certainty import Answers, ModelFunction
from .display import Showing
from .view import PlaneView, grid_cells

__all__ = ["DecisionMap"]


class DecisionMap(Showing):
    """A classifier or regressor seen in the plane; made by :meth:`from_estimator` or :meth:`from_map`.

    Attributes
    ----------
    model_ : the fitted model
    embedding_ : ndarray of shape (n, 2)
    classes_ : ndarray, those of the model and of `y` together; None for a regressor
    predicted_, certainty_, signed_ : ndarray of shape (n,), what the model says of the samples; None where it has none
    extent_ : (x_min, x_max, y_min, y_max), the edges of the grid
    grid_values_ : ndarray of shape (h, w), predictions at the grid, lowest row first
    grid_certainty_, grid_signed_ : ndarray of shape (h, w) or None
    trust_ : ndarray of shape (h, w), 1 near samples, falling to 0 away from them
    misshown_ : ndarray of bool, shape (n,)
        Samples in whose place the picture shows another class than the model gives them; for a regressor a prediction
        that is off by more than half the standard deviation of the predictions.
    held_out_ : Agreement
        Picture against model at samples kept out of the inverse map, fold by fold (3.4.3); empty with ``cv=None``.
    in_sample_ : Agreement, the same with all samples in it
    model_score_ : float or None, accuracy or R^2 of the model at the samples, where `y` was given
    label_agreement_ : float, of `held_out_`; with a Fisher metric see also :meth:`score`, which is lower
    certainty_correlation_, signed_correlation_ : float, of `held_out_`: of r >= 0, and of signed values of two classes
    prediction_correlation_ : float, of `held_out_`, for a regressor

    Notes
    -----
    The held-out samples are kept out of the inverse map, not out of the map nor out of its metric, as in the thesis.
    Where map and way back are one (PCA, SOM, GTM of vectors) both are fitted again in each fold, which is stricter.
    :meth:`score` is for samples that nothing has seen.

    The map sees `X` as given, also where the model is a pipeline that scales: standardise features of different units
    first. With ``auxiliary="model"`` the picture shows what the model tells apart, with "truth" where it errs.

    Times on two cores: 1,500 samples of 16 features with t-SNE of Fisher distances some 10 s, another model in the
    same plane below 1 s; 5,000 samples some minutes.

    References
    ----------
    Schulz (2017), chapter 3.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.decomposition import PCA
    >>> from sklearn.svm import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> shown = DecisionMap.from_estimator(SVC().fit(X, y), X, y, embedder=PCA(2), grid=40)
    >>> shown.grid_values_.shape, bool(shown.label_agreement_ > 0.9)
    ((40, 40), True)
    """

    def __init__(self, view, function, y):
        self._view, self._function = view, function
        self.model_, self.embedding_, self.extent_, self.trust_ = (function.model, view.Z, view.extent, view.trust)
        try:
            own = function(view.X)
        except ValueError as error:
            raise ValueError(f"`model` cannot answer for `X`: {error}") from None
        self._y, self.y_ = y, own.values if y is None else y
        self.classes_ = setup.all_classes(function.classes, self.y_) if function.classifies else None
        self.model_score_ = None if y is None else _score(y, own.values, function.classifies)
        self.predicted_, self.certainty_, self.signed_ = own.values, own.certainty, own.signed
        grid = function(view.grid_samples)
        self.grid_values_, self.grid_certainty_, self.grid_signed_ = (
            None if part is None else part.reshape(view.shape) for part in (grid.values, grid.certainty, grid.signed)
        )
        shown = self._read(view.Z)
        self.in_sample_ = agreement(own, shown, classifies=function.classifies)
        self.held_out_ = held = Agreement()
        if view.held_out_samples is not None:
            answers = function(view.held_out_samples)
            self.held_out_ = held = agreement(own, answers, view.folds, classifies=function.classifies)
        self.label_agreement_, self.prediction_correlation_ = held.labels, held.predictions
        self.certainty_correlation_, self.signed_correlation_ = held.certainty, held.signed
        if function.classifies:
            self.misshown_ = shown.values != own.values
        else:
            self.misshown_ = np.abs(shown.values - own.values) > 0.5 * own.values.std()

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
        n_jobs=None,
        random_state=0,
    ):
        """From data to picture: metric, map, inverse map, model.

        Parameters
        ----------
        model : fitted classifier or regressor of scikit-learn's kind, pipelines included
        X : array-like of shape (n, d)
        y : array-like of shape (n,), optional
            Classes or targets, drawn and, with ``auxiliary="truth"``, given to the metric.
        metric : None, "fisher" or metric of :mod:`toolkit.fisher`
            None: Euclidean. "fisher": of classes by Parzen windows, of a target by a Gaussian process, and with
            ``auxiliary="model"`` by the probabilities of a classifier itself where these are known. A metric is copied
            and fitted.
        embedder : map of :mod:`toolkit.embed` or scikit-learn's kind, optional
            t-SNE by default.
        auxiliary : {"truth", "model"}
            What the metric is fitted to: `y`, or what the model predicts.
        inverse : InverseMap, optional
            By default the map's own way back if it has one and sees vectors (PCA, SOM, GTM), and otherwise
            :class:`toolkit.kernelmap.InverseMap` with the Fisher matrices of the metric (3.3).
        grid : int or (rows, columns)
        certainty : "auto", "decision_function", "predict_proba", None or callable
            Where a classifier's certainty comes from, see :class:`toolkit.decisionmap.ModelFunction`.
        cv : int or None
            Number of folds for `held_out_`; None to leave it out.
        n_jobs : int or None
            Threads of joblib for folds and predictions.
        random_state : int
            Of the folds, of the default map and of the default inverse map.

        Returns
        -------
        DecisionMap

        Raises
        ------
        ValueError
            For a model that is not fitted, has no certainty, or gives numbers that are not finite; for samples and
            classes that it does not know; for a map that cannot take the metric's distances.
        """
        function, X, y = setup.checked_samples(model, X, y, certainty, n_jobs)
        shape, cv = setup.checked_grid(grid), setup.checked_cv(cv)
        fitted = setup.fitted_metric(metric, auxiliary, function, X, y)
        embedder = setup.copied(
            TSNE(random_state=random_state) if embedder is None else embedder, "embedder", "fit_transform"
        )
        inverse = setup.copied(inverse, "inverse", "inverse_transform")
        distances = None
        if fitted is None:
            Z = embedder.fit_transform(X)
        else:
            if "metric" not in embedder.get_params():
                raise ValueError(
                    f"`embedder` {type(embedder).__name__} cannot take the distances of `metric`: it has no parameter "
                    "`metric`. Use a map of toolkit.embed, such as MDS, or leave `metric` out."
                )
            distances = fitted.distances()
            Z = embedder.set_params(metric="precomputed").fit_transform(distances)
        explicit = fitted is None and inverse is None and setup.has_ways(embedder, Z)
        view = PlaneView(
            X,
            setup.checked_places(Z, X),
            shape,
            embedder=embedder if explicit else None,
            inverse=inverse,
            metric=fitted,
            distances=distances,
            way_there=embedder if fitted is None and hasattr(embedder, "transform") else None,
            cv=cv,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        return cls(view, function, y)

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
        way_there=None,
        inverse=None,
        grid=100,
        certainty="auto",
        cv=10,
        n_jobs=None,
        random_state=0,
    ):
        """From samples that already have places.

        Parameters
        ----------
        model, X, y, inverse, grid, certainty, cv, n_jobs, random_state : as for :meth:`from_estimator`
        Z : array-like of shape (n, 2)
        metric : fitted metric of :mod:`toolkit.fisher`, or array of shape (n, d, d), optional
            Fisher matrices for the inverse map.
        distances : array-like of shape (n, n), optional
            Those that the map was made from, by which `metric` then places new samples.
        way_there : object with `transform`, optional
            For new samples, such as a fitted :class:`toolkit.kernelmap.KernelMap`; by default one is fitted to vectors.

        Returns
        -------
        DecisionMap
        """
        function, X, y = setup.checked_samples(model, X, y, certainty, n_jobs)
        options = setup.checked_ways(X, metric, distances, way_there)
        options["inverse"] = setup.copied(inverse, "inverse", "inverse_transform")
        shape, cv = setup.checked_grid(grid), setup.checked_cv(cv)
        return cls(
            PlaneView(X, setup.checked_places(Z, X), shape, **options, cv=cv, n_jobs=n_jobs, random_state=random_state),
            function,
            y,
        )

    def with_model(self, model, *, certainty="auto"):
        """Another model in the same plane: map, inverse maps and grid are kept.

        Parameters
        ----------
        model : fitted model of the same samples
        certainty : as for :meth:`from_estimator`

        Returns
        -------
        DecisionMap
        """
        function = ModelFunction(model, certainty, frame=self._function._frame, n_jobs=self._function._n_jobs)
        setup.check_columns(getattr(function._frame, "columns", None), model)
        if function.classifies != self._function.classifies:
            raise ValueError("`model` must be a classifier where the first was one, and a regressor otherwise.")
        return DecisionMap(self._view, function, self._y)

    # ------------------------------------------------------------ reading it
    def _read(self, Z):
        """What the picture says at places, by the nearest cells."""
        rows, columns = grid_cells(Z, self.extent_, self._view.shape)
        fields = (self.grid_values_, self.grid_certainty_, self.grid_signed_)
        return Answers(*(None if field is None else field[rows, columns] for field in fields))

    def project(self, X):
        """Places of new samples.

        Parameters
        ----------
        X : array-like of shape (m, d)

        Returns
        -------
        ndarray of shape (m, 2)
            By the map's own way for new samples or the one given; otherwise by a kernel map of its distances, which
            keeps them within the picture.
        """
        setup.check_columns(getattr(X, "columns", None), self._function._frame, "X")
        X = check_array(X, dtype=np.float64, input_name="X")
        if X.shape[1] != self._view.X.shape[1]:
            raise ValueError(f"`X` must have {self._view.X.shape[1]} features; got {X.shape[1]}.")
        return self._view.project(X)

    def inverse_transform(self, Z):
        """Points of the data space for places of the map, (m, d)."""
        return self._view.back.inverse_transform(Z)

    def score(self, X):
        """Picture against model at samples that neither map nor metric has seen.

        Parameters
        ----------
        X : array-like of shape (m, d)

        Returns
        -------
        Agreement
        """
        shown = self._read(self.project(X))
        return agreement(self._function(np.asarray(X, dtype=float)), shown, classifies=self._function.classifies)

    def round_trip(self, Z=None):
        """How far places move on the way to the data space and back, (3.1).

        Parameters
        ----------
        Z : array-like of shape (m, 2), optional
            The places of the samples by default.

        Returns
        -------
        ndarray of shape (m,), distances over the diagonal of the map
        """
        Z = self.embedding_ if Z is None else check_array(Z, dtype=np.float64, input_name="Z")
        away = self.project(self.inverse_transform(Z)) - Z
        size = np.linalg.norm(np.ptp(self.embedding_, axis=0)) or 1.0
        return np.linalg.norm(away, axis=1) / size  # Eq. (3.1)


def _score(y, predicted, classifies):
    if classifies:
        return float(np.mean(y == predicted))
    spread = np.sum((y - y.mean()) ** 2)
    return float(1 - np.sum((y - predicted) ** 2) / spread) if spread > 0 else float("nan")
