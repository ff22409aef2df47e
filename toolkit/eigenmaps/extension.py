"""Where new samples go: the eigenvector equation of a further row, with predicted labels.

The eigenvector equation says of each sample that (1 - mu) z_i is the weighted mean of the places of those it is joined
to. For a new sample the feature weights are known; the label weights are those of the labels predicted for it.
"""

import numpy as np
import scipy.sparse
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors

from ..validation import label_sets

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
    n_neighbors : number
    """

    def __init__(self, X, labels, labelled, label_predictor, n_neighbors):
        self.center = X.mean(axis=0)
        self.X = X - self.center
        k = min(max(int(round(n_neighbors)), 1), len(X))
        self.neighbors = NearestNeighbors(n_neighbors=k).fit(self.X)
        self.labels = labels
        self.predictor = None
        if labels is None:
            return
        self.sets, index, _ = label_sets(labels.Y[labelled])
        if label_predictor is None:
            voters = min(VOTERS, len(index))
            self.predictor = KNeighborsClassifier(voters).fit(self.X[labelled], index)
        else:
            target = (
                labels.Y[labelled] if labels.multilabel else labels.classes[labels.Y[labelled].argmax(axis=1)]
            )
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
        distances, indices = self.neighbors.kneighbors(X)
        pointers = np.arange(len(X) + 1) * distances.shape[1]
        graph = scipy.sparse.csr_matrix((distances.ravel(), indices.ravel(), pointers), (len(X), len(self.X)))
        moments, totals = row_equation(graph, None if self.predictor is None else self.sets_of(X))
        placed = moments / totals[:, None] / np.maximum(shrinkage, 0.1)
        near = np.argwhere(distances <= 1e-6 * (1 + np.abs(X).max(axis=1, keepdims=True)))
        same = near[np.all(self.X[indices[tuple(near.T)]] == X[near[:, 0]], axis=1)]
        for i in np.unique(same[:, 0]):
            placed[i] = Z[indices[i, same[same[:, 0] == i, 1]]].mean(axis=0)
        return placed
