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
        n_sets = self.set_weights.shape[0]
        self.factor = np.full(n_sets, factor, dtype=float)
        nodes = np.flatnonzero(group >= 0)
        sets = group[nodes]
        self.membership = sparse.csr_matrix(
            (self.factor[sets], (nodes, sets)), shape=(len(group), n_sets)
        )
        # This is what M S M^T has on its diagonal.
        squares = self.membership.power(2)
        self._diagonal = sparse.diags(squares @ self.set_weights.diagonal())
        self.degrees = self @ np.ones(len(group))

    def __matmul__(self, U):
        """Weighted sums (n, k) over the other nodes, of vectors U (n, k)."""
        sums = self.set_weights @ (self.membership.T @ U)
        return self.membership @ sums - self._diagonal @ U

    def between_sets(self):
        """Total weight (s, s) between each two label sets, of different nodes."""
        members = self.membership > 0
        total = members.T @ self.membership
        all_pairs = total @ self.set_weights @ total
        of_same_node = members.T @ self._diagonal @ members
        return (all_pairs - of_same_node).tocsr()


def jaccard_graph(Y, labelled, class_weight=None, classes=None):
    """w^L of SLE-ML: the Jaccard similarity of the label sets of two samples.

    With one label per sample it is 0 or 1.
    """
    sets, index, _ = label_sets(Y[labelled])
    group = np.full(len(Y), -1)
    group[labelled] = index
    # The similarity is the common labels of two sets over the labels that either has.
    S = sparse.csr_matrix(sets)
    size = S.sum(axis=1).A1
    similarity = (S @ S.T).tocoo()
    n_either = size[similarity.row] + size[similarity.col] - similarity.data
    similarity.data /= n_either
    factor = balanced_weights(class_weight, sets, index, classes)
    return LabelGraph(group, similarity, factor)


def balanced_weights(class_weight, sets, index, classes):
    """Factors (s,) of the samples of each label set, or 1; a dict is by class.

    `sets` (s, l) are the label sets, `index` (n,) is the number of each sample's set.
    """
    if class_weight is None:
        return 1.0
    if isinstance(class_weight, str) and class_weight == "balanced":
        # This is scikit-learn's rule over label sets, n / (s n_s): every set then has
        # the same total weight within itself.
        return compute_class_weight(
            "balanced", classes=np.arange(len(sets)), y=index
        )
    is_single = (sets.sum(axis=1) == 1).all()
    is_dict = isinstance(class_weight, dict)
    if is_dict and is_single and set(class_weight) <= set(classes):
        class_of_set = classes[sets.argmax(axis=1)]
        return [
            check_positive(class_weight.get(name, 1.0), "class_weight")
            for name in class_of_set
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
    group_of_samples = np.full(n, -1)
    group_of_samples[labelled] = index
    group_of_centers = len(sets) + np.arange(l)
    group = np.concatenate([group_of_samples, group_of_centers])
    S = sparse.csr_matrix(sets)
    set_weights = sparse.bmat([[None, S], [S.T, None]])
    return LabelGraph(group, set_weights)
