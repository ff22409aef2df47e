"""Base classes of the Laplacian eigenmaps: checks, neighbour graph, sweep over `lam`, out-of-sample extension."""

from dataclasses import KW_ONLY

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.utils.validation import check_is_fitted

from ..core.checks import check_fraction, check_n_components, check_part, check_positive
from ..core.estimators import (
    by_blocks,
    new_samples,
    restore_on_failure,
    training_samples,
)
from ..core.graphs import (
    check_n_neighbors,
    heat_weights,
    knn_graph,
    mean_squared_distance,
    query_knn,
    symmetrize,
)
from ..core.labels import check_partial_labels
from ..core.linalg import procrustes
from ..core.parameters import parameters
from ..core.scaling import suppress_scale_warning, warn_of_scales
from .labelgraph import LabelSetPredictor
from .solver import eigenmap

# `n_neighbors=None` gives no more neighbours than this many over all samples
MAX_LINKS = 20_000_000


@parameters
class Eigenmap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A map with `fit` and `transform`; subclasses define `_prepare_extension`, `_fit` and `_extend`."""

    _labels_required = True
    _multilabel = True  # whether a label matrix is accepted

    n_components: int = 2

    @restore_on_failure
    def fit(self, X, y=None):
        """Compute the map of the training samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Classes, -1 for unlabelled; or a 0/1 label matrix, a row of -1 for
            unlabelled. ConstraintScoreMap, SLapEig and SLE need one class per sample,
            of every sample.

        Returns
        -------
        self
        """
        X = training_samples(self, X, least=3, magnitude="squares")
        warn_of_scales(X, self)
        self._check_parameters()
        check_n_components(self.n_components, len(X) - 1, X.shape[1], "n_samples - 1")
        self._n_features_out = self.n_components
        labels = labelled = None
        if y is not None or self._labels_required:
            labels, labelled = check_partial_labels(
                y, len(X), multilabel=self._multilabel
            )
            self.classes_ = labels.classes
        with suppress_scale_warning():
            self._prepare_extension(X, labels, labelled)
        self._fit(X, labels, labelled)
        return self

    def fit_transform(self, X, y=None):
        """Fit, and return the map of the training samples, shape (n_samples, n_components)."""
        return self.fit(X, y).embedding_

    @by_blocks
    def transform(self, X):
        """Coordinates (m, n_components) of new samples (m, n_features), by out-of-sample extension (Nystroem).

        A further sample would satisfy (1 - mu) z = sum_j w_j z_j / sum_j w_j over its
        neighbours and over those that share its labels. Its labels are predicted, by
        default as those that most of its five nearest training samples have. A sample
        equal to a training sample gets the coordinates of that one. A coordinate with 1
        - mu below 0.1 hardly follows the graph; it is divided by 0.1, so that noise is
        not amplified.
        """
        return self._extend(new_samples(self, X))

    def _check_parameters(self):
        for name in ("lam", "beta"):
            if hasattr(self, name):
                check_fraction(getattr(self, name), name)
        for name in ("sigma2", "tau2"):
            if getattr(self, name, None) is not None:
                check_positive(getattr(self, name), name)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self._labels_required
        tags.target_tags.multi_output = self._multilabel
        return tags


@parameters
class GraphMap(Eigenmap):
    """Map of the eigenvectors of a neighbour graph; subclasses say what labels add to it."""

    _: KW_ONLY
    n_neighbors: int = None
    sigma2: float = None
    verbose: bool = False

    def path(self, lams):
        """Maps of the fitted samples for several `lam`, with the same graph; each starts from the one before.

        Parameters
        ----------
        lams : sequence of float in [0, 1]

        Returns
        -------
        embeddings : ndarray of shape (len(lams), n_samples, n_components)
            Each turned and reflected (Procrustes) towards the one before, the first
            towards `embedding_`.
        eigenvalues : ndarray of shape (len(lams), n_components)

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from toolkit.eigenmaps import SLEML
        >>> X, y = load_iris(return_X_y=True)
        >>> embeddings, eigenvalues = SLEML().fit(X, y).path([0, 0.5, 1])
        >>> embeddings.shape, eigenvalues.shape
        ((3, 150, 2), (3, 2))
        """
        check_is_fitted(self)
        start = self._nodes
        previous = self.embedding_
        embeddings = []
        eigenvalues = []
        for lam in np.atleast_1d(lams).tolist():
            solution = self._solve(check_fraction(lam, "lams"), start)
            start = solution.Z if lam > 0 else start
            previous = procrustes(solution.Z[: len(previous)], previous)
            embeddings.append(previous)
            eigenvalues.append(solution.eigenvalues)
        return np.array(embeddings), np.array(eigenvalues)

    def _fit(self, X, labels, labelled):
        self._build(X, labels, labelled)
        self._link(labels, labelled)
        self._lam = getattr(self, "lam", 1.0)
        self._keep(self._solve(self._lam))

    def _build(self, X, labels, labelled):
        """Set `graph_`, the feature weights, and the numbers they depend on."""
        n = len(X)
        self.n_neighbors_ = self._number_of_neighbors(n, labels, labelled)
        distances = knn_graph(
            X, self.n_neighbors_, neighbors=self.neighbors, verbose=self.verbose
        )
        if self.neighbors is not None:
            self.n_neighbors_ = round(distances.nnz / n)
        self.sigma2_ = self._width(X)
        self._scale = self._balance(n, labels, labelled)
        self.graph_ = symmetrize(heat_weights(distances, self.sigma2_)) * self._scale

    def _number_of_neighbors(self, n, labels, labelled):
        if self.n_neighbors is not None:
            return check_n_neighbors(self.n_neighbors, n)
        if labels is None:
            return min(10, n - 1)
        # Tai2019 section 3.2: 1.5 times the average number of samples per class
        return int(
            min(
                max(round(1.5 * mean_class_size(n, labels, labelled)), 1),
                n - 1,
                max(MAX_LINKS // n, 10),
            )
        )

    def _width(self, X):
        sigma2 = mean_squared_distance(X) if self.sigma2 is None else float(self.sigma2)
        # all samples equal: every distance is zero
        return sigma2 if sigma2 > 0 else 1.0

    def _balance(self, n, labels, labelled):
        return 1.0

    def _link(self, labels, labelled):
        """Set `_labels`, the label side of the graph; None: there is none."""
        self._labels = None

    def _solve(self, lam, start=None):
        return eigenmap(self.graph_, self._labels, lam, self.n_components, start)

    def _keep(self, solution):
        self._nodes = solution.Z
        self.embedding_ = solution.Z[: self.graph_.shape[0]]
        self.eigenvalues_ = solution.eigenvalues
        self.residual_ = solution.residual
        self._shrinkage = solution.shrinkage

    def _prepare_extension(self, X, labels, labelled):
        predictor = check_part(
            self.label_predictor, "label_predictor", "fit", "predict"
        )
        self._new = LabelSetPredictor(X, labels, labelled, predictor)

    def _extend(self, X):
        X = X - self._new.center
        distances = query_knn(X, self._new.X, self.n_neighbors_)
        weights = heat_weights(distances, self.sigma2_) * self._scale
        lam = self._lam
        total = lam * weights.sum(axis=1).A1
        moments = lam * (weights @ self.embedding_)
        if lam < 1:
            more_moments, more_total = self._label_row(self._new.sets_of(X))
            moments = moments + (1 - lam) * more_moments
            total = total + (1 - lam) * more_total
        shrinkage = self._shrinkage
        bounded = np.where(
            np.abs(shrinkage) < 0.1, np.copysign(0.1, shrinkage), shrinkage
        )
        Z = moments / total[:, None] / bounded
        for i in range(len(X)):
            row = slice(*distances.indptr[i : i + 2])
            same = distances.indices[row][distances.data[row] == 0]
            if len(same):
                Z[i] = self.embedding_[same].mean(axis=0)
        return Z


def mean_class_size(n, labels, labelled):
    """Average number of samples per class, unlabelled samples taken to be like the others."""
    return labels.Y.sum() / labels.Y.shape[1] * n / labelled.sum()
