"""LE, CCDR and SLE-ML: Laplacian eigenmaps of a neighbour graph and of the labels.

All three minimise lam sum_ij |z_i - z_j|^2 w^F_ij + (1 - lam) (label term). They differ
in that term: none, edges to class centres, or edges to all samples with labels in
common.
"""

from dataclasses import KW_ONLY, replace

import numpy as np
from scipy import sparse

from ..core import Flag, Fraction, local_scales, parameters
from .graphmap import GraphMap
from .labelgraph import center_graph, jaccard_graph
from .solver import eigenmap


@parameters
class LaplacianEigenmap(GraphMap):
    """LE (Tai2019, section 2.1): the Laplacian eigenmap; :class:`SLEML` at ``lam=1``.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the map.
    n_neighbors : int or None, default=None
        Number of neighbours. None: 1.5 times the mean class size if `fit` gets labels,
        10 if not. Labels are used for nothing else.
    sigma2 : float > 0 or None, default=None
        Width of the heat weights exp(-d^2 / sigma2). None: the mean squared distance of
        all pairs.
    neighbors : transformer or None, default=None
        Searches the neighbours, as scikit-learn's KNeighborsTransformer with
        ``mode="distance"`` does; needed for more than 50,000 samples. It is cloned; its
        own number of neighbours is used.
    verbose : bool, default=False
        Whether to show a progress bar of the search for neighbours.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Positions of the samples. The squares of each coordinate have the mean 1,
        weighted by the degrees D of the graph.
    eigenvalues_ : ndarray of shape (n_components,)
        Values mu of L z = mu D z, rising, without the constant's 0.
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

    _: KW_ONLY
    neighbors: object = None


@parameters
class SLEML(GraphMap):
    """SLE-ML (Tai2019): Laplacian eigenmap that also joins samples with common labels.

    ``lam=1`` is :class:`LaplacianEigenmap`; towards 0 each label set shrinks to a
    point. A small `lam` overfits: it separates permuted labels, too. Compare 0.5 and
    0.9, as the paper says, and evaluate held-out samples.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the map.
    lam : float in [0, 1], default=0.5
        Balance of features (1) and labels (0). 0 is the limit from above.
    keep_balance : bool, default=False
        Whether to multiply the feature weights by the ratio of 1.5 mean class sizes to
        k also for the k of a given `n_neighbors` or `neighbors`. The paper does not:
        with few neighbours the labels then have more weight, the more so the larger n
        is.
    class_weight : None, "balanced" or dict, default=None
        Weights of the label sets. With "balanced" they are equal whatever the size of a
        set; a dict gives factors by class.
    n_neighbors : int or None, default=None
        Number of neighbours. None: 1.5 times the mean class size, as in the paper. A
        sample has about as many weights of labels, and `lam` then weights terms of one
        size. The default is at most 10 million over all samples (500 for each of
        20,000), which bounds memory. If that limit applies, the feature weights are
        multiplied by the ratio, so that `lam` keeps its meaning. Fewer neighbours make
        a faster fit: with the default the distances of all pairs are sorted.
    sigma2 : float > 0 or None, default=None
        Width of the heat weights exp(-d^2 / sigma2). None: the mean squared distance of
        all pairs.
    neighbors : transformer or None, default=None
        Searches the neighbours, as scikit-learn's KNeighborsTransformer with
        ``mode="distance"`` does; needed for more than 50,000 samples. It is cloned; its
        own number of neighbours is used.
    verbose : bool, default=False
        Whether to show a progress bar of the search for neighbours.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Positions of the samples. The squares of each coordinate have the mean 1,
        weighted by the degrees D of the graph.
    eigenvalues_ : ndarray of shape (n_components,)
        Values mu of L z = mu D z, rising, without the constant's 0; divided by `lam` in
        the limit 0.
    classes_ : ndarray of shape (n_classes,)
        Class names, or column numbers of a label matrix.
    graph_ : csr_matrix of shape (n_samples, n_samples)
        The feature weights.
    n_neighbors_, sigma2_ : int, float
        The values used.
    residual_ : float
        Largest residual of the eigenvectors.

    Notes
    -----
    ``J = lam sum_ij |z_i - z_j|^2 w^F_ij + (1 - lam) sum_ij |z_i - z_j|^2 w^L_ij``,
    Tai2019 (3). w^F are heat weights of the neighbour graph (the paper leaves this
    open), w^L is the Jaccard similarity of the label sets of two samples. Samples
    without labels (-1) take part in the first term only. The label weights are an
    operator, never an n x n array. Memory grows with the number of neighbours alone: 12
    bytes for each, and about 40 while the graph is made symmetric (20,000 samples: 0.4
    GB). Labels may join connected components of the neighbour graph.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> sleml = SLEML(lam=0.5).fit(X, y)
    >>> sleml.embedding_.shape, sleml.n_neighbors_, sleml.transform(X[:3]).shape
    ((150, 2), 75, (3, 2))
    """

    _: KW_ONLY
    lam: Fraction = 0.5
    keep_balance: Flag = False
    class_weight: object = None
    neighbors: object = None

    def _balance(self):
        is_default = self.n_neighbors is self.neighbors is None
        if is_default or self.keep_balance:
            return self._usual_count / self.n_neighbors_
        return 1.0

    def _link(self, labels, labelled):
        """Set the weights of samples that have labels in common."""
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
        Dimensions of the map.
    lam : float in [0, 1], default=0.5
        Balance of features (1) and labels (0). The two terms grow differently with n,
        which is the paper's criticism: on 1,797 digits classes separate only for 0.01
        and less.
    n_neighbors : int or None, default=None
        Number of neighbours. None: 1.5 times the mean class size.
    sigma2 : float > 0 or None, default=None
        Width of the heat weights. None: ten times the mean squared distance to the
        nearest neighbour.
    neighbors : transformer or None, default=None
        Searches the neighbours, as scikit-learn's KNeighborsTransformer with
        ``mode="distance"`` does; needed for more than 50,000 samples. It is cloned; its
        own number of neighbours is used.
    verbose : bool, default=False
        Whether to show a progress bar of the search for neighbours.

    Attributes
    ----------
    center_embedding_ : ndarray of shape (n_classes, n_components)
        Positions of the class centres.
    embedding_ : ndarray of shape (n_samples, n_components)
        Positions of the samples.
    eigenvalues_ : ndarray of shape (n_components,)
        Values mu of L z = mu D z, rising, without the constant's 0; divided by `lam` in
        the limit 0.
    graph_ : csr_matrix of shape (n_samples, n_samples)
        The feature weights.
    classes_ : ndarray of shape (n_classes,)
        Class names, or column numbers of a label matrix.
    n_neighbors_, sigma2_ : int, float
        The values used.
    residual_ : float
        Largest residual of the eigenvectors.

    Notes
    -----
    ``J = lam sum_ij |z_i - z_j|^2 w_ij + (1 - lam) sum_ki |mu_k - z_i|^2 c_ki``,
    Tai2019 (2), taken literally: the first sum meets each pair twice, the second once,
    so the graph has the weights 2 lam w and (1 - lam) c. At ``lam=1`` no centre is
    joined to anything; each is at the mean of its samples.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> CCDR(lam=0.1).fit(X, y).center_embedding_.shape
    (3, 2)
    """

    _: KW_ONLY
    lam: Fraction = 0.5
    neighbors: object = None

    def _width(self, X):
        """sigma^2 by default from the distances to the nearest neighbours, X (n, d)."""
        ranges = np.ptp(X, axis=0)
        if self.sigma2 is not None or not ranges.any():
            return super()._width(X)
        nearest_distances = local_scales(X, 1)
        return 10 * float(np.mean(nearest_distances**2))

    def _balance(self):
        return 2.0  # Tai2019 Eq. (2): the first sum runs over ordered pairs

    def _link(self, labels, labelled):
        """Set the weights of samples and the centres of classes, further nodes."""
        # These weights (n, l) take the mean of each class.
        self._means = labels.Y / labels.Y.sum(axis=0)
        self._labels = center_graph(labels.Y, labelled)
        l = labels.Y.shape[1]
        centers = sparse.csr_matrix((l, l))
        self._all_nodes = sparse.block_diag(
            [self.graph_, centers], format="csr"
        )

    def _solve(self, lam, start=None):
        """The Solution (n + l nodes) for `lam`; at 1 the centres are class means."""
        if lam < 1:
            return eigenmap(
                self._all_nodes, self._labels, lam, self.n_components, start
            )
        samples = eigenmap(self.graph_, None, 1.0, self.n_components, start)
        centers = self._means.T @ samples.Z
        return replace(samples, Z=np.vstack([samples.Z, centers]))

    def _keep(self, solution):
        """Set the results of a Solution, with the positions of the centres."""
        super()._keep(solution)
        self.center_embedding_ = solution.Z[len(self.embedding_) :]
