"""Base classes of the Laplacian eigenmaps: checks, graph, path over `lam`, new samples.

The maps of :mod:`toolkit.eigenmaps.maps` differ in what labels add to the graph.
"""

from dataclasses import KW_ONLY

import numpy as np
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ..core import (
    EmbeddingMap,
    Flag,
    OptionalPositive,
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

    Subclasses define `_fit(X, labels, labelled)`, which sets all results, of samples X
    (n, d), their labels with indicators `labels.Y` (n, l), and a mask `labelled` (n,),
    both None without a target; and `_extend(X)`, the positions (m, k) of new samples X
    (m, d).
    """

    _labels_required = True
    _multilabel = True

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
        X = training_samples(self, X, min_samples=3, magnitude="squares")
        check_n_components(
            self.n_components, len(X) - 1, X.shape[1], "n_samples - 1"
        )
        labels = None
        labelled = None
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
        """Keep what `_extend` needs; its arguments are those of `_fit`."""
        self._X = np.array(X)
        if labels is not None:
            # The nearest neighbours of a new sample predict the number of its label
            # set.
            _, index, _ = label_sets(labels.Y[labelled])
            voters = KNeighborsClassifier(min(N_VOTERS, len(index)))
            self._predictor = make_pipeline(
                StandardScaler(with_std=False), voters
            )
            self._predictor.fit(X[labelled], index)


@parameters
class GraphMap(Eigenmap):
    """Map of the eigenvectors of a neighbour graph; `_link` adds the labels to it."""

    _: KW_ONLY
    n_neighbors: int | None = None
    sigma2: OptionalPositive = None
    verbose: Flag = False

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
        Z = self.embedding_
        embeddings = []
        eigenvalues = []
        for lam in np.atleast_1d(lams).tolist():
            lam = check_fraction(lam, "lams")
            solution = self._solve(lam, start)
            if lam > 0:
                start = solution.Z
            Z = procrustes(solution.Z[: len(self.embedding_)], Z)
            embeddings.append(Z)
            eigenvalues.append(solution.eigenvalues)
        return np.array(embeddings), np.array(eigenvalues)

    def _fit(self, X, labels, labelled):
        """The map of samples X (n, d) with their `labels`, a :class:`Labels`.

        `labelled` (n,) says which samples have labels; both are None without a target.
        """
        n = len(X)
        # Tai2019 section 3.2: 1.5 times the average number of samples per class, where
        # unlabelled samples are taken as the others
        self._usual_count = 10
        if labels is not None:
            n_labels = labels.Y.shape[1]
            mean_class_size = labels.Y.sum() / n_labels * n / labelled.sum()
            self._usual_count = 1.5 * mean_class_size
        k = self.n_neighbors
        if k is None:
            limit = max(MAX_LINKS // n, 10)
            k = min(round(self._usual_count), n - 1, limit)
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
        """Squared width `sigma2_` of the heat kernel, for samples X (n, d)."""
        width = self.sigma2
        if width is None:
            width = mean_squared_distance(X)
        # All samples may be equal, and every distance zero.
        if width == 0:
            width = 1
        return float(width)

    def _balance(self):
        """Factor of the weights of neighbours, relative to those of the labels."""
        return 1.0

    def _link(self, labels, labelled):
        """Set `_labels`, a LabelGraph of all nodes, or None without a label side.

        Its arguments are those of `_fit`.
        """
        self._labels = None

    def _solve(self, lam, start=None):
        """The Solution for `lam`, from the map `start` (n or more, k) of another."""
        return eigenmap(
            self.graph_, self._labels, lam, self.n_components, start
        )

    def _keep(self, solution):
        """Set the results of a Solution."""
        self._solution = solution
        self.embedding_ = solution.Z[: self.graph_.shape[0]]
        self.eigenvalues_ = solution.eigenvalues
        self.residual_ = solution.residual
        graph = self._labels
        if graph is not None:
            # These are the sums over what a new sample of each label set is joined to.
            sums_of_sets = graph.membership.T @ with_ones(solution.Z)
            sums = graph.set_weights @ sums_of_sets
            self._set_sums = graph.factor[:, None] * sums

    def _extend(self, X):
        """Positions (m, k) of new samples X (m, d), see `transform`."""
        distances = query_knn(X, self._X, self.n_neighbors_)
        is_duplicate = distances.copy()
        is_duplicate.data = is_duplicate.data == 0
        weights = heat_weights(distances, self.sigma2_) * self._scale
        sums = self._lam * (weights @ with_ones(self.embedding_))
        if self._lam < 1:
            label_set = self._predictor.predict(X)
            sums += (1 - self._lam) * self._set_sums[label_set]
        weighted_coordinates = sums[:, :-1]
        degrees = sums[:, -1:]
        shrinkage = self._solution.shrinkage
        size = np.maximum(np.abs(shrinkage), 0.1)
        shrinkage = np.copysign(size, shrinkage)
        Z = weighted_coordinates / degrees / shrinkage
        # A duplicate of training samples has their mean position.
        count = is_duplicate.sum(axis=1).A1
        rows = count > 0
        Z[rows] = is_duplicate[rows] @ self.embedding_ / count[rows, None]
        return Z
