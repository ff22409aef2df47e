"""Out-of-sample extension: the eigenvector equation of a further row (Nystroem), with predicted labels.

The eigenvector equation says of each sample that (1 - mu) z_i is the weighted mean of the coordinates of those it is
joined to. For a new sample the feature weights are known; the label weights are those of the labels predicted for it.
"""

import numpy as np
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier

from ..core.graphs import knn_of_new
from ..core.labels import label_sets

__all__ = ["N_VOTERS", "NewSamples"]

N_VOTERS = 5  # nearest training samples that predict the labels of a new one


class NewSamples:
    """Neighbours and predicted label sets of new samples; `labels` and `labelled` (n,) are None without labels."""

    def __init__(self, X, labels, labelled, label_predictor):
        self.center = X.mean(axis=0)
        self.X = X - self.center
        self.labels = labels
        self.predictor = None
        if labels is None:
            return
        self.sets, index, _ = label_sets(labels.Y[labelled])
        if label_predictor is None:
            self.predictor = KNeighborsClassifier(min(N_VOTERS, len(index))).fit(self.X[labelled], index)
        else:
            target = labels.Y[labelled] if labels.multilabel else labels.classes[labels.Y[labelled].argmax(axis=1)]
            self.predictor = clone(label_predictor).fit(X[labelled], target)
        self._own = label_predictor is None

    def sets_of(self, X):
        """Number of the predicted label set of each (centred) row."""
        if self._own:
            return self.predictor.predict(X)
        predicted = np.asarray(self.predictor.predict(X + self.center))
        if not self.labels.multilabel:
            predicted = (predicted.ravel()[:, None] == self.labels.classes).astype(float)
        # A set that no training sample has: the one with most labels in common, by Jaccard similarity.
        shared = predicted @ self.sets.T
        either = predicted.sum(axis=1, keepdims=True) + self.sets.sum(axis=1) - shared
        return np.argmax(shared / np.maximum(either, 1), axis=1)

    def place(self, X, n_neighbors, Z, shrinkage, row_equation):
        """Coordinates (m, k) of new rows `X` (m, d), from those of the training samples `Z` (n, k).

        ``row_equation(distances, set_of)`` gives the sums of weighted coordinates (m, k) and of weights (m,), from the
        distances to the neighbours, csr_matrix (m, n), and the number of the predicted label set (m,).
        """
        X = X - self.center
        graph = knn_of_new(X, self.X, n_neighbors)
        moments, totals = row_equation(graph, None if self.predictor is None else self.sets_of(X))
        bounded = np.where(np.abs(shrinkage) < 0.1, np.copysign(0.1, shrinkage), shrinkage)
        placed = moments / totals[:, None] / bounded
        tolerance = 1e-6 * (1 + np.abs(self.X).max())
        for i in range(len(X)):
            row = slice(*graph.indptr[i : i + 2])
            if graph.data[row].min() <= tolerance:  # a neighbour may be equal to it
                near = graph.indices[row]
                same = near[np.all(self.X[near] == X[i], axis=1)]
                if len(same):
                    placed[i] = Z[same].mean(axis=0)
        return placed
