"""The label side of a graph: weights between label sets stand for weights between all samples; labels of new samples.

Samples with the same label set have the same label weights, so that W^L = M S M^T, with
M the membership of samples in label sets and S the weights between sets. A product with
W^L costs as much as S has entries; no n x n array is formed.
"""

import numpy as np
import scipy.sparse
from scipy.spatial.distance import cdist
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.class_weight import compute_class_weight

from ..core.checks import check_positive, short_repr
from ..core.labels import label_sets

N_VOTERS = 5  # nearest training samples that predict the labels of a new one


class LabelGraph:
    """W^L = M S M^T without its diagonal, as an operator; `degrees` (n,) are its row sums.

    `group` (n,) is the label set of each node, -1 for a node without label weights;
    `set_weights` (s, s) is S; `factor` (s,) is the factor g of the nodes of each set:
    the weight of a pair is g_s S_st g_t. `membership` (n, s) is M.
    """

    def __init__(self, group, set_weights, factor=1.0):
        s = set_weights.shape[0]
        self.group = np.asarray(group)
        self.set_weights = scipy.sparse.csr_matrix(set_weights)
        self.factor = np.full(s, factor, dtype=float)
        nodes = np.flatnonzero(self.group >= 0)
        entries = self.factor[self.group[nodes]], (nodes, self.group[nodes])
        self.membership = scipy.sparse.csr_matrix(entries, shape=(len(self.group), s))
        # what M S M^T has on its diagonal
        self._own = self.membership.power(2) @ self.set_weights.diagonal()
        self.degrees = self @ np.ones(len(self.group))

    def __matmul__(self, U):
        own = self._own if U.ndim == 1 else self._own[:, None]
        return self.membership @ (self.set_weights @ (self.membership.T @ U)) - own * U

    def between_sets(self):
        """Total weight between each two label sets, csr_matrix of shape (s, s); the diagonal without own weights."""
        counts = np.bincount(
            self.group[self.group >= 0], minlength=self.set_weights.shape[0]
        )
        total = scipy.sparse.diags(counts * self.factor)
        own = scipy.sparse.diags(counts * self.factor**2 * self.set_weights.diagonal())
        return (total @ self.set_weights @ total - own).tocsr()


def jaccard(sets):
    """Jaccard similarity of label sets (s, l), common labels over the labels that either has: csr_matrix (s, s)."""
    S = scipy.sparse.csr_matrix(sets, dtype=float)
    size = S.sum(axis=1).A1
    shared = (S @ S.T).tocoo()
    either = size[shared.row] + size[shared.col] - shared.data
    return scipy.sparse.csr_matrix(
        (shared.data / either, (shared.row, shared.col)), shape=shared.shape
    )


def jaccard_graph(Y, labelled, class_weight=None, classes=None):
    """w^L of SLE-ML: the Jaccard similarity of the label sets of two samples; 0 or 1 with one label per sample."""
    sets, index, _ = label_sets(Y[labelled])
    group = np.full(len(Y), -1)
    group[labelled] = index
    return LabelGraph(
        group, jaccard(sets), balanced_weights(class_weight, sets, index, classes)
    )


def balanced_weights(class_weight, sets, index, classes):
    """Factors (s,) of the samples of each label set, or None; a dict gives those of the classes."""
    if class_weight is None:
        return 1.0
    if isinstance(class_weight, str) and class_weight == "balanced":
        # scikit-learn's rule over label sets, n / (s n_s): every set then has the same
        # total weight within itself
        return compute_class_weight("balanced", classes=np.arange(len(sets)), y=index)
    single = (sets.sum(axis=1) == 1).all()
    if isinstance(class_weight, dict) and single and set(class_weight) <= set(classes):
        return [
            check_positive(class_weight.get(classes[j], 1.0), "class_weight")
            for j in sets.argmax(axis=1)
        ]
    raise ValueError(
        "`class_weight` must be None, 'balanced', or a dict of factors > 0 by class"
        " for samples with one label each (classes"
        f" {short_repr(np.asarray(classes).tolist())}); got {class_weight!r}."
    )


def center_graph(Y, labelled):
    """LabelGraph of CCDR over n + l nodes, samples first: each class centre is joined to its samples by weight 1."""
    n, l = Y.shape
    sets, index, _ = label_sets(Y[labelled])
    s = len(sets)
    group = np.full(n + l, -1)
    group[:n][labelled] = index
    group[n:] = s + np.arange(l)
    S = scipy.sparse.csr_matrix(sets)
    return LabelGraph(group, scipy.sparse.bmat([[None, S], [S.T, None]]))


class LabelSetPredictor:
    """Predicts label sets of new samples; `labels` and `labelled` (n,) are None where there are none."""

    def __init__(self, X, labels, labelled, label_predictor):
        self.center = X.mean(axis=0)
        self.X = X - self.center
        self.labels = labels
        if labels is None:
            return
        self.sets, index, _ = label_sets(labels.Y[labelled])
        if label_predictor is None:
            self.predictor = KNeighborsClassifier(min(N_VOTERS, len(index))).fit(
                self.X[labelled], index
            )
        else:
            target = (
                labels.Y[labelled]
                if labels.multilabel
                else labels.classes[labels.Y[labelled].argmax(axis=1)]
            )
            self.predictor = label_predictor.fit(X[labelled], target)
        self._own = label_predictor is None

    def sets_of(self, X):
        """Number of the predicted label set of each (centred) row."""
        if self._own:
            return self.predictor.predict(X)
        predicted = np.asarray(self.predictor.predict(X + self.center))
        if not self.labels.multilabel:
            predicted = predicted.ravel()[:, None] == self.labels.classes
        # A set that no training sample has: the one with most labels in common.
        return cdist(predicted.astype(bool), self.sets.astype(bool), "jaccard").argmin(
            axis=1
        )
