"""LE, CCDR and SLE-ML: Laplacian eigenmaps of a neighbour graph and of the labels.

All three minimise lam sum_ij |z_i - z_j|^2 w^F_ij + (1 - lam) (label term) and differ
in that term: none, edges to class centres, or edges to all samples with common labels.
"""

from dataclasses import replace

import numpy as np
from scipy import sparse

from ..core import FLAG, FRACTION, local_scales, parameters
from .graphmap import GraphMap
from .labelgraph import center_graph, jaccard_graph
from .solver import eigenmap


@parameters
class LaplacianEigenmap(GraphMap):
    """LE (Tai2019, section 2.1): the Laplacian eigenmap; :class:`SLEML` at ``lam=1``.

    Parameters
    ----------
    n_components : int, default=2
    n_neighbors : int or None, default=None
        None: 1.5 times the mean class size if `fit` gets labels, 10 if not. Labels are
        used for nothing else.
    sigma2 : float > 0 or None, default=None
        Width of the heat weights exp(-d^2 / sigma2). None: the mean squared distance of
        all pairs.
    neighbors : transformer, optional
        Searches the neighbours, as scikit-learn's KNeighborsTransformer with
        ``mode="distance"`` does; needed for more than 50,000 samples. It is cloned; its
        own number of neighbours is used.
    verbose : bool, default=False
        Show a progress bar of the search for neighbours.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The squares of each coordinate have the mean 1, weighted by the degrees D of the
        graph.
    eigenvalues_ : ndarray of shape (n_components,)
        mu of L z = mu D z, rising, without the constant's 0.
    graph_ : csr_matrix of shape (n_samples, n_samples)
        The feature weights.
    n_neighbors_, sigma2_ : int, float
        The values used.
    residual_ : float
        Largest residual of the eigenvectors.

    Notes
    -----
    Ties: all samples no further than the k-th neighbour are neighbours. Two samples are
    joined if either is a neighbour of the other. A graph that is not connected gives a
    warning that says how many connected components it has; its first coordinates
    separate them.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> LaplacianEigenmap(n_neighbors=60).fit_transform(X).shape
    (150, 2)
    """

    _labels_required = False

    neighbors: object = None


@parameters
class SLEML(GraphMap):
    """SLE-ML (Tai2019): Laplacian eigenmap that also joins samples that share labels.

    ``lam=1`` is :class:`LaplacianEigenmap`; towards 0 each label set shrinks to a
    point. A small `lam` shows more separation than there is (it separates permuted
    labels too): compare 0.5 and 0.9, as the paper says, and look at held-out samples.

    Parameters
    ----------
    n_components : int, default=2
    lam : float in [0, 1], default=0.5
        Balance of features (1) and labels (0). 0 is the limit from above.
    n_neighbors : int or None, default=None
        None: 1.5 times the mean class size, as in the paper, for a sample has about as
        many weights of labels, and `lam` then weighs terms of one size. No more than 10
        million over all samples (500 for each of 20,000), which bounds memory; where
        that bound cuts, the feature weights are multiplied by the ratio, so that `lam`
        keeps its meaning. Fewer neighbours make a faster fit: with the default the
        distances of all pairs are sorted out.
    keep_balance : bool, default=False
        Multiply the feature weights by that ratio, 1.5 mean class sizes over k, for the
        k of `n_neighbors` or `neighbors` too. The paper does not: with few neighbours
        labels then weigh more, the more so the larger n is.
    class_weight : None, "balanced" or dict, default=None
        "balanced": label sets weigh the same whatever their size; a dict gives factors
        by class.
    sigma2, neighbors, verbose : as in :class:`LaplacianEigenmap`

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        As in :class:`LaplacianEigenmap`; divided by `lam` in the limit 0.
    classes_ : ndarray of shape (c,)
        Class names, or column numbers of a label matrix.
    embedding_, graph_, n_neighbors_, sigma2_, residual_
        As in :class:`LaplacianEigenmap`.

    Notes
    -----
    ``J = lam sum_ij |z_i - z_j|^2 w^F_ij + (1 - lam) sum_ij |z_i - z_j|^2 w^L_ij``,
    Tai2019 (3). w^F are heat weights of the neighbour graph (the paper leaves this
    open), w^L is the Jaccard similarity of the label sets of two samples. Samples
    without labels (-1) take part in the first term only. The label weights are an
    operator, never an n x n array; memory grows with the neighbours alone, by 12 bytes
    for each, and about 40 while the graph is made symmetric (20,000 samples: 0.4 GB).
    Labels may join connected components of the neighbour graph.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> sleml = SLEML(lam=0.5).fit(X, y)
    >>> sleml.embedding_.shape, sleml.n_neighbors_, sleml.transform(X[:3]).shape
    ((150, 2), 75, (3, 2))
    """

    lam: FRACTION = 0.5
    keep_balance: FLAG = False
    class_weight: object = None
    neighbors: object = None

    def _balance(self):
        is_default = self.n_neighbors is self.neighbors is None
        if is_default or self.keep_balance:
            return self._usual_count / self.n_neighbors_
        return 1.0

    def _link(self, labels, labelled):
        # Tai2019 Eq. (3)
        self._labels = jaccard_graph(
            labels.Y, labelled, self.class_weight, labels.classes
        )


@parameters
class CCDR(GraphMap):
    """CCDR (Tai2019, section 2.2): Laplacian eigenmap with a centre for each class.

    The centres are further nodes of the graph, to which the samples of the class are
    joined, a sample with several labels to several centres.

    Parameters
    ----------
    n_components : int, default=2
    lam : float in [0, 1], default=0.5
        Balance of features (1) and labels (0). The two terms grow differently with n,
        which is the paper's criticism: on 1,797 digits classes separate only for 0.01
        and less.
    n_neighbors : int or None, default=None
        None: 1.5 times the mean class size.
    sigma2 : float > 0 or None, default=None
        None: ten times the mean squared distance to the nearest neighbour.
    neighbors, verbose : as in :class:`SLEML`

    Attributes
    ----------
    center_embedding_ : ndarray of shape (n_classes, n_components)
    embedding_, eigenvalues_, graph_, classes_, n_neighbors_, sigma2_, residual_
        As in :class:`SLEML`.

    Notes
    -----
    ``J = lam sum_ij |z_i - z_j|^2 w_ij + (1 - lam) sum_ki |mu_k - z_i|^2 c_ki``,
    Tai2019 (2), taken literally: the first sum meets each pair twice, the second once,
    so the graph has the weights 2 lam w and (1 - lam) c. At ``lam=1`` no centre is
    joined to anything; each is drawn at the mean of its samples.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> CCDR(lam=0.1).fit(X, y).center_embedding_.shape
    (3, 2)
    """

    lam: FRACTION = 0.5
    neighbors: object = None

    def _width(self, X):
        if self.sigma2 or not np.ptp(X, axis=0).any():
            return super()._width(X)
        return 10 * float(np.mean(local_scales(X, 1) ** 2))

    def _balance(self):
        return 2.0  # Tai2019 Eq. (2): the first sum runs over ordered pairs

    def _link(self, labels, labelled):
        # (n, l), takes the mean of each class
        self._means = labels.Y / labels.Y.sum(axis=0)
        self._labels = center_graph(labels.Y, labelled)
        centers = sparse.csr_matrix((labels.Y.shape[1],) * 2)
        self._all_nodes = sparse.block_diag(
            [self.graph_, centers], format="csr"
        )

    def _solve(self, lam, start=None):
        if lam < 1:
            return eigenmap(
                self._all_nodes, self._labels, lam, self.n_components, start
            )
        samples = eigenmap(self.graph_, None, 1.0, self.n_components, start)
        return replace(
            samples, Z=np.vstack([samples.Z, self._means.T @ samples.Z])
        )

    def _keep(self, solution):
        super()._keep(solution)
        self.center_embedding_ = solution.Z[len(self.embedding_) :]
