"""The label side of a graph: weights between label sets stand for weights between all samples.

Samples with the same label set have the same label weights, so that W^L = P J P^T, with P the membership of
samples in label sets and J the weights between sets. A product with W^L costs as much as J has entries; no
n x n array is ever formed.
"""

import numpy as np
import scipy.sparse
from sklearn.utils.class_weight import compute_class_weight

from ..core.labels import label_sets

__all__ = ["LabelGraph", "balanced_weights", "center_graph", "jaccard", "jaccard_graph"]


class LabelGraph:
    """W^L = P J P^T without its diagonal, as an operator.

    Parameters
    ----------
    group : ndarray of int, shape (n,)
        Label set of each node, -1 for a node without any (it then has no label weights at all).
    J : sparse matrix of shape (s, s), symmetric
        Weights between label sets.
    weight : ndarray of shape (s,), optional
        Factor g of the nodes of each set: the weight of a pair is g_s J_st g_t.

    Attributes
    ----------
    degrees : ndarray of shape (n,), the row sums

    Examples
    --------
    >>> import numpy as np, scipy.sparse
    >>> W = LabelGraph(np.array([0, 0, 1, -1]), scipy.sparse.eye(2))
    >>> W @ np.array([1.0, 10.0, 100.0, 1000.0])
    array([10.,  1.,  0.,  0.])
    """

    def __init__(self, group, J, weight=None):
        s = J.shape[0]
        self.group = np.asarray(group)
        self.J = scipy.sparse.csr_matrix(J)
        self.weight = np.ones(s) if weight is None else np.asarray(weight, dtype=float)
        nodes = np.flatnonzero(self.group >= 0)
        entries = self.weight[self.group[nodes]], (nodes, self.group[nodes])
        self.P = scipy.sparse.csr_matrix(entries, shape=(len(self.group), s))
        self._own = np.zeros(len(self.group))  # what P J P^T has on its diagonal
        self._own[nodes] = (self.weight**2 * self.J.diagonal())[self.group[nodes]]
        self.degrees = self @ np.ones(len(self.group))

    def __matmul__(self, U):
        own = self._own if U.ndim == 1 else self._own[:, None]
        return self.P @ (self.J @ (self.P.T @ U)) - own * U

    @property
    def counts(self):
        """Number of nodes of each label set."""
        return np.bincount(self.group[self.group >= 0], minlength=self.J.shape[0])

    def members(self):
        """Plain membership, csr_matrix of shape (n, s)."""
        return (self.P > 0).astype(float)

    def between_sets(self):
        """Total weight between each two label sets, csr_matrix of shape (s, s); the diagonal without own weights."""
        total = scipy.sparse.diags(self.counts * self.weight)
        own = scipy.sparse.diags(self.counts * self.weight**2 * self.J.diagonal())
        return (total @ self.J @ total - own).tocsr()


def jaccard(sets):
    """Jaccard similarity of label sets: the labels two sets share, over the labels that either has.

    Parameters
    ----------
    sets : array-like of shape (s, l), 0/1, no empty row

    Returns
    -------
    csr_matrix of shape (s, s)

    Examples
    --------
    >>> jaccard([[1, 0, 1], [0, 0, 1], [0, 1, 0]]).toarray()
    array([[1. , 0.5, 0. ],
           [0.5, 1. , 0. ],
           [0. , 0. , 1. ]])
    """
    S = scipy.sparse.csr_matrix(np.asarray(sets, dtype=float))
    size = np.asarray(S.sum(axis=1)).ravel()
    shared = (S @ S.T).tocoo()
    either = size[shared.row] + size[shared.col] - shared.data
    return scipy.sparse.csr_matrix((shared.data / either, (shared.row, shared.col)), shape=shared.shape)


def jaccard_graph(Y, labelled, class_weight=None, classes=None):
    """w^L of SLE-ML: the Jaccard similarity of the two label sets; 0 or 1 where each sample has one label.

    Parameters
    ----------
    Y : ndarray of shape (n, l), 0/1
    labelled : ndarray of bool, shape (n,)
    class_weight : None, "balanced" or dict, see :func:`balanced_weights`
    classes : ndarray of shape (l,), names of the columns of `Y`

    Returns
    -------
    LabelGraph
    """
    sets, index, _ = label_sets(Y[labelled])
    group = np.full(len(Y), -1)
    group[labelled] = index
    return LabelGraph(group, jaccard(sets), balanced_weights(class_weight, sets, index, classes))


def balanced_weights(class_weight, sets, index, classes):
    """Factor of the samples of each label set.

    "balanced" is scikit-learn's rule over label sets, n / (s n_s): every set then has the same total weight
    within itself. A dict gives the factor of each class, for samples with one label each.
    """
    if class_weight is None:
        return None
    if isinstance(class_weight, str) and class_weight == "balanced":
        return compute_class_weight("balanced", classes=np.arange(len(sets)), y=index)
    if isinstance(class_weight, dict) and (sets.sum(axis=1) == 1).all():
        unknown = set(class_weight) - set(classes)
        factors = np.array([class_weight.get(classes[j], 1.0) for j in sets.argmax(axis=1)], dtype=float)
        if not unknown and np.all(np.isfinite(factors)) and factors.min() > 0:
            return factors
    raise ValueError(
        f"`class_weight` must be None, 'balanced', or a dict of factors > 0 by class for samples with one label "
        f"each (classes {list(classes)}); got {class_weight!r}."
    )


def center_graph(Y, labelled):
    """The label side of CCDR: one more node a class, joined with weight 1 to each sample that has the label.

    Returns
    -------
    LabelGraph over n + l nodes, samples first
    """
    n, l = Y.shape
    sets, index, _ = label_sets(Y[labelled])
    s = len(sets)
    group = np.full(n + l, -1)
    group[np.flatnonzero(labelled)] = index
    group[n:] = s + np.arange(l)
    S = scipy.sparse.csr_matrix(np.asarray(sets, dtype=float))
    return LabelGraph(group, scipy.sparse.bmat([[None, S], [S.T, None]]))
