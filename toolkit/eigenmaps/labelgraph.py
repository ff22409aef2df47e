"""The label side of a graph.

Samples with the same label set have the same label weights, so that W^L = M S M^T, with
M the membership of samples in label sets and S the weights between sets. A product with
W^L costs as much as S has entries; no n x n array is formed.
"""

import numpy as np
from scipy import sparse
from sklearn.utils.class_weight import compute_class_weight

from ..core import check_positive, label_sets, short_repr


class LabelGraph:
    """W^L = M S M^T without its diagonal, as an operator; `degrees` (n,): row sums.

    `group` (n,) is the label set of each node, -1 for a node without label weights;
    `set_weights` (s, s) is S; `factor` (s,) is the factor g of the nodes of each set:
    the weight of a pair is g_s S_st g_t. `membership` (n, s) is M.
    """

    def __init__(self, group, set_weights, factor=1.0):
        self.set_weights = sparse.csr_matrix(set_weights)
        self.factor = np.full(self.set_weights.shape[0], factor, dtype=float)
        nodes = np.flatnonzero(group >= 0)
        self.membership = sparse.csr_matrix(
            (self.factor[group[nodes]], (nodes, group[nodes])),
            shape=(len(group), len(self.factor)),
        )
        # what M S M^T has on its diagonal
        own = self.membership.power(2) @ self.set_weights.diagonal()
        self._own = sparse.diags(own)
        self.degrees = self @ np.ones(len(group))

    def __matmul__(self, U):
        sums = self.set_weights @ (self.membership.T @ U)
        return self.membership @ sums - self._own @ U

    def between_sets(self):
        """Total weight between each two label sets (s, s), without own weights."""
        members = self.membership > 0
        total = members.T @ self.membership
        own = members.T @ self._own @ members
        return (total @ self.set_weights @ total - own).tocsr()


def jaccard_graph(Y, labelled, class_weight=None, classes=None):
    """w^L of SLE-ML: the Jaccard similarity of the label sets of two samples.

    With one label per sample it is 0 or 1.
    """
    sets, index, _ = label_sets(Y[labelled])
    group = np.full(len(Y), -1)
    group[labelled] = index
    # the common labels of two sets over the labels that either has
    S = sparse.csr_matrix(sets)
    size = S.sum(axis=1).A1
    shared = (S @ S.T).tocoo()
    shared.data /= size[shared.row] + size[shared.col] - shared.data
    factor = balanced_weights(class_weight, sets, index, classes)
    return LabelGraph(group, shared, factor)


def balanced_weights(class_weight, sets, index, classes):
    """Factors (s,) of the samples of each label set, or 1; a dict is by class."""
    if class_weight is None:
        return 1.0
    if isinstance(class_weight, str) and class_weight == "balanced":
        # scikit-learn's rule over label sets, n / (s n_s): every set then has the same
        # total weight within itself
        return compute_class_weight(
            "balanced", classes=np.arange(len(sets)), y=index
        )
    single = (sets.sum(axis=1) == 1).all()
    if (
        isinstance(class_weight, dict)
        and single
        and set(class_weight) <= set(classes)
    ):
        return [
            check_positive(class_weight.get(name, 1.0), "class_weight")
            for name in classes[sets.argmax(axis=1)]
        ]
    raise ValueError(
        "`class_weight` must be None, 'balanced', or a dict of factors > 0 by class"
        " for samples with one label each (classes"
        f" {short_repr(np.asarray(classes).tolist())}); got {class_weight!r}."
    )


def center_graph(Y, labelled):
    """LabelGraph of CCDR over n + l nodes, samples first.

    Each class centre is joined to its samples by weight 1.
    """
    n, l = Y.shape
    sets, index, _ = label_sets(Y[labelled])
    group = np.concatenate([np.full(n, -1), len(sets) + np.arange(l)])
    group[:n][labelled] = index
    S = sparse.csr_matrix(sets)
    return LabelGraph(group, sparse.bmat([[None, S], [S.T, None]]))
