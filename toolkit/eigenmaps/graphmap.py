"""Base classes of the Laplacian eigenmaps: checks, graph, path over `lam`, new samples.

The maps of :mod:`toolkit.eigenmaps.maps` differ in what labels add to the graph.
"""

import numpy as np
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ..core import (
    FLAG,
    OPTIONAL_POSITIVE,
    EmbeddingMap,
    by_blocks,
    check_fraction,
    check_is_fitted,
    check_n_components,
    check_n_neighbors,
    check_partial_labels,
    fit_method,
    heat_weights,
    knn_graph,
    label_sets,
    mean_squared_distance,
    new_samples,
    parameters,
    procrustes,
    query_knn,
    symmetrize,
    training_samples,
    with_ones,
)
from .solver import eigenmap

# `n_neighbors=None` gives no more neighbours than this many over all samples: 240 MB
MAX_LINKS = 10_000_000
N_VOTERS = 5  # nearest training samples that predict the labels of a new one


@parameters
class Eigenmap(EmbeddingMap):
    """A map with `fit` and `transform`.

    Subclasses define `_fit` and `_extend`.
    """

    _labels_required = _multilabel = True

    n_components: int = 2

    @fit_method
    def fit(self, X, y=None):
        """Compute the map of the training samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,) or (n_samples, n_labels), default=None
            Target: classes, -1 for unlabelled samples; or a 0/1 label matrix, a row of
            -1 for an unlabelled sample. ConstraintScoreMap, SLapEig and SLE need one
            class per sample, of every sample; LaplacianEigenmap needs no target.

        Returns
        -------
        self : object
            The fitted map.

        Raises
        ------
        ValueError
            If a parameter violates its rule, or if `y` is missing or has unlabelled
            samples where the method needs the class of each sample.
        """
        # The steps of each method stand in its `_fit`, for a graph of neighbours in
        # `GraphMap._fit`.
        X = training_samples(self, X, least=3, magnitude="squares")
        check_n_components(
            self.n_components, len(X) - 1, X.shape[1], "n_samples - 1"
        )
        labels = labelled = None
        if y is not None or self._labels_required:
            labels, labelled = check_partial_labels(
                y, len(X), multilabel=self._multilabel
            )
            self.classes_ = labels.classes
        self._prepare_extension(X, labels, labelled)
        self._fit(X, labels, labelled)
        return self

    @by_blocks
    def transform(self, X):
        """Project new samples onto the map (out-of-sample extension).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New samples.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
            Positions of the samples on the map. A sample equal to a training sample
            gets the coordinates of that one.

        Notes
        -----
        This is the Nystroem extension: a further sample would satisfy (1 - mu) z =
        sum_j w_j z_j / sum_j w_j over its neighbours and over those that have labels in
        common with it. Its labels are predicted, by default as those that most of its
        five nearest training samples have. A coordinate with 1 - mu below 0.1 hardly
        follows the graph; it is divided by 0.1, so that noise is not amplified.
        """
        return self._extend(new_samples(self, X))

    def _prepare_extension(self, X, labels, labelled):
        self._X = np.array(X)
        if labels is not None:
            # numbers of the label sets of new samples, by their nearest neighbours
            index = label_sets(labels.Y[labelled])[1]
            self._predictor = make_pipeline(
                StandardScaler(with_std=False),
                KNeighborsClassifier(min(N_VOTERS, len(index))),
            ).fit(X[labelled], index)


@parameters
class GraphMap(Eigenmap):
    """Map of the eigenvectors of a neighbour graph; `_link` adds the labels to it."""

    n_neighbors: int = None
    sigma2: OPTIONAL_POSITIVE = None
    verbose: FLAG = False

    def path(self, lams):
        """Compute maps of the training samples for several `lam` on the same graph.

        Each starts from the one before.

        Parameters
        ----------
        lams : sequence of float in [0, 1]
            Balances of features (1) and labels (0).

        Returns
        -------
        embeddings : ndarray of shape (len(lams), n_samples, n_components)
            Maps, each turned and reflected (Procrustes) towards the one before, the
            first towards `embedding_`.
        eigenvalues : ndarray of shape (len(lams), n_components)
            Eigenvalues of each map.

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
        start = self._solution.Z
        embeddings = [self.embedding_]
        eigenvalues = []
        for lam in np.atleast_1d(lams).tolist():
            solution = self._solve(check_fraction(lam, "lams"), start)
            start = solution.Z if lam > 0 else start
            Z = solution.Z[: len(self.embedding_)]
            embeddings.append(procrustes(Z, embeddings[-1]))
            eigenvalues.append(solution.eigenvalues)
        return np.array(embeddings[1:]), np.array(eigenvalues)

    def _fit(self, X, labels, labelled):
        n = len(X)
        # Tai2019 section 3.2: 1.5 times the average number of samples per class, where
        # unlabelled samples are taken as the others
        self._usual_count = 10
        if labels is not None:
            mean_class_size = (
                labels.Y.sum() / labels.Y.shape[1] * n / labelled.sum()
            )
            self._usual_count = 1.5 * mean_class_size
        k = self.n_neighbors
        if k is None:
            k = min(round(self._usual_count), n - 1, max(MAX_LINKS // n, 10))
        self.n_neighbors_ = check_n_neighbors(k, n)
        # Tai2019 section 2.1: the graph of neighbours and its weights w^F
        self.graph_ = self._feature_graph(X)
        # sections 2.2 and 3: the weights w^L that labels add
        self._link(labels, labelled)
        # the eigenvectors of both, for one balance
        self._lam = getattr(self, "lam", 1.0)
        self._keep(self._solve(self._lam))

    def _feature_graph(self, X):
        """Weights (n, n) of the neighbours; sets the numbers that they depend on."""
        distances = knn_graph(
            X, self.n_neighbors_, neighbors=self.neighbors, verbose=self.verbose
        )
        if self.neighbors is not None:
            self.n_neighbors_ = round(distances.nnz / len(X))
        self.sigma2_ = self._width(X)
        self._scale = self._balance()
        weights = symmetrize(heat_weights(distances, self.sigma2_))
        weights *= self._scale
        return weights

    def _width(self, X):
        # 1 where all samples are equal and every distance is zero
        return float(self.sigma2 or mean_squared_distance(X) or 1)

    def _balance(self):
        return 1.0

    def _link(self, labels, labelled):
        """Set `_labels`, the label side of the graph; None: there is none."""
        self._labels = None

    def _solve(self, lam, start=None):
        return eigenmap(
            self.graph_, self._labels, lam, self.n_components, start
        )

    def _keep(self, solution):
        self._solution = solution
        self.embedding_ = solution.Z[: self.graph_.shape[0]]
        self.eigenvalues_ = solution.eigenvalues
        self.residual_ = solution.residual
        graph = self._labels
        if graph is not None:
            # what a new sample of each label set is joined to
            sums = graph.set_weights @ (
                graph.membership.T @ with_ones(solution.Z)
            )
            self._set_sums = graph.factor[:, None] * sums

    def _extend(self, X):
        distances = query_knn(X, self._X, self.n_neighbors_)
        same = distances.copy()
        same.data = same.data == 0
        weights = heat_weights(distances, self.sigma2_) * self._scale
        sums = self._lam * (weights @ with_ones(self.embedding_))
        if self._lam < 1:
            sums += (1 - self._lam) * self._set_sums[self._predictor.predict(X)]
        shrinkage = self._solution.shrinkage
        shrinkage = np.copysign(np.maximum(np.abs(shrinkage), 0.1), shrinkage)
        Z = sums[:, :-1] / sums[:, -1:] / shrinkage
        count = same.sum(axis=1).A1
        known = count > 0
        Z[known] = same[known] @ self.embedding_ / count[known, None]
        return Z
