"""Where new samples go: the eigenvector equation of a further row, with predicted labels.

The eigenvector equation says of each sample that (1 - mu) z_i is the weighted mean of the places of those it is joined
to. For a new sample the feature weights are known; the label weights are those of the labels predicted for it.
"""

import numpy as np
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier

from ..core.graphs import knn_of_new
from ..core.labels import label_sets

__all__ = ["NewSamples"]

VOTERS = 5


class NewSamples:
    """Neighbours and predicted label sets of new samples; places them when told the weights.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    labels : Labels or None
    labelled : ndarray of bool, shape (n,), or None
    label_predictor : classifier or None
    n_neighbors : int
    """

    def __init__(self, X, labels, labelled, label_predictor, n_neighbors):
        self.center = X.mean(axis=0)
        self.X = X - self.center
        self.n_neighbors = n_neighbors
        self.labels = labels
        self.predictor = None
        if labels is None:
            return
        self.sets, index, _ = label_sets(labels.Y[labelled])
        if label_predictor is None:
            voters = min(VOTERS, len(index))
            self.predictor = KNeighborsClassifier(voters).fit(self.X[labelled], index)
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
        # A set that no training sample carries: the one with most labels in common, by Jaccard similarity.
        shared = predicted @ self.sets.T
        either = predicted.sum(axis=1, keepdims=True) + self.sets.sum(axis=1) - shared
        return np.argmax(shared / np.maximum(either, 1), axis=1)

    def place(self, X, Z, shrinkage, row_equation):
        """Places of new rows.

        Parameters
        ----------
        X : ndarray of shape (m, d)
        Z : ndarray of shape (n, k), places of the training samples
        shrinkage : ndarray of shape (k,), 1 - mu
        row_equation : callable
            ``row_equation(distances, set_of)`` gives the weighted sums of places (m, k) and of weights (m,), from the
            distances to the neighbours, csr_matrix (m, n), and the number of the predicted label set (m,).
        """
        X = X - self.center
        graph = knn_of_new(X, self.X, self.n_neighbors)
        moments, totals = row_equation(graph, None if self.predictor is None else self.sets_of(X))
        bounded = np.where(np.abs(shrinkage) < 0.1, np.copysign(0.1, shrinkage), shrinkage)
        placed = moments / totals[:, None] / bounded
        for i in range(len(X)):
            near = graph.indices[graph.indptr[i] : graph.indptr[i + 1]]
            same = near[np.all(self.X[near] == X[i], axis=1)] if self._at_zero(graph, i) else near[:0]
            if len(same):
                placed[i] = Z[same].mean(axis=0)
        return placed

    def _at_zero(self, graph, i):
        """Whether a neighbour of row i may be equal to it."""
        return graph.data[graph.indptr[i] : graph.indptr[i + 1]].min() <= 1e-6 * (1 + np.abs(self.X).max())
