"""FDA, LPP, LFDA and SELF: each maximises tr((T^T S_lower T)^-1 T^T S_upper T).

They differ in the two scatter matrices, which their `_scatters` gives.
"""

from dataclasses import KW_ONLY

import numpy as np
from scipy import linalg

from ..core import (
    RANK_TOLERANCE,
    CentredMap,
    Count,
    Flag,
    Fraction,
    NotNegative,
    check_fraction,
    check_is_fitted,
    check_n_components,
    fit_method,
    fix_signs,
    local_scales,
    parameters,
    partial_codes,
    procrustes,
    symmetric_eigenpairs,
    thin_svd,
    training_samples,
    warn,
)
from .scatter import class_scatters, local_class_scatters, local_scatters


def leading_directions(S_upper, S_lower, n_components, ridge):
    """Largest eigenvalues of S_upper t = v S_lower t, falling, and their directions.

    These are (d, n_components), sign-fixed. `ridge` times the mean of the diagonal of
    `S_lower` is added to it; T^T (S_lower + ridge) T = I.
    """
    d = len(S_lower)
    unit = np.trace(S_lower) / d
    if not unit > 0:
        unit = 1.0
    S_ridge = S_lower + ridge * unit * np.eye(d)
    try:
        # Kitamura2007 Eq. (4), (5)
        return symmetric_eigenpairs(S_upper, n_components, B=S_ridge)
    except linalg.LinAlgError:
        raise ValueError(
            f"`ridge`={ridge} leaves the lower scatter matrix singular (too few"
            " samples, or features that depend on each other). Raise `ridge`, for"
            " example to 1e-6."
        ) from None


@parameters
class _PairMap(CentredMap):
    """A linear map from two scatter matrices.

    Subclasses define `_scatters(X, codes)`, which returns (S_upper, S_lower), both of
    shape (r, r), of coordinates X (n, r) and class numbers `codes` (n,), -1 for
    unlabelled. LPP gets None for them.
    """

    _labels_required = True
    _uses_unlabelled = False

    n_components: int = 2
    _: KW_ONLY
    ridge: NotNegative = 1e-6

    @fit_method
    def fit(self, X, y=None):
        """Fit the map.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Classes; -1 for unlabelled.

        Returns
        -------
        self : object
            Fitted map.
        """
        # The scatter matrices of each method are those of its `_scatters`.
        X = training_samples(self, X, magnitude="squares")
        codes = None
        if self._labels_required:
            self.classes_, codes = partial_codes(y, len(X))
            n_left_out = np.sum(codes < 0)
            if n_left_out and not self._uses_unlabelled:
                warn(
                    f"`y` is -1, which means unlabelled, for {n_left_out} of"
                    f" {len(X)} samples: left out. If it is a class, name it otherwise."
                )
        ranges = np.ptp(X, axis=0)
        if not ranges.any():
            raise ValueError(
                "`X` must hold at least two different samples; all rows are equal."
            )
        self._ridge = self.ridge
        self.mean_ = X.mean(axis=0)
        # Directions without variance (constant or repeated features, more features than
        # samples) have no local scatter either, and LPP would prefer them to all
        # others: the same problem in coordinates of what the samples span.
        X = X - self.mean_
        _, s, V = thin_svd(X)
        d = X.shape[1]
        spanned = s > RANK_TOLERANCE * s[0]
        rank = int(spanned.sum())
        if rank < d:
            self._basis = V[:, spanned]
        else:
            # Coordinates stay as they are where the samples span all of them.
            self._basis = np.eye(d)
        self._X = X @ self._basis
        k = check_n_components(
            self.n_components, rank, d, "the rank of the centred X"
        )
        S_upper, S_lower = self._scatters(self._X, codes)
        self.eigenvalues_, T = self._solve(S_upper, S_lower, k)
        self.components_ = T.T
        self.embedding_ = self._project_training(T)
        return self

    def _solve(self, S_upper, S_lower, k):
        """Eigenvalues (k,) and directions T (d, k)."""
        eigenvalues, T = leading_directions(S_upper, S_lower, k, self._ridge)
        squared_lengths = np.sum((self._X @ T) ** 2, axis=1)
        size = np.mean(squared_lengths)
        if size > 0:
            # All directions have the same factor.
            T = T * np.sqrt(k / size)
        T = self._basis @ T
        return eigenvalues, T * fix_signs(T)

    def _project_training(self, T):
        """The map (n, k) of the training samples along directions T (d, k)."""
        X = self._X @ self._basis.T
        return X @ T


@parameters
class _LocalMap(_PairMap):
    """A map from scatter matrices that take an affinity of the samples.

    Subclasses define `_local(X, codes, scales)`, which is `_scatters` with the local
    scales (n,) of the samples.
    """

    _: KW_ONLY
    local_neighbor: Count = 7
    verbose: Flag = False

    def _scatters(self, X, codes):
        with self._bar("affinities"):
            scales = local_scales(X, self.local_neighbor)
            return self._local(X, codes, scales)


class FDA(_PairMap):
    """Fisher discriminant analysis (Kitamura2007, section 2.2).

    Unlabelled samples (-1) are ignored. It is not related to the Fisher information
    metric of :mod:`toolkit.fisher`.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the map. More than c - 1 are allowed; from the c-th on eigenvalues
        are 0 and directions arbitrary.
    ridge : float >= 0, default=1e-6
        Added to the diagonal of S_w, relative to its mean.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Rows t with t^T S_w t equal for all; scaled together so that `embedding_` has
        mean squared length n_components.
    mean_ : ndarray of shape (n_features,)
        Mean of the training samples.
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues in descending order.
    embedding_ : ndarray of shape (n_samples, n_components)
        Positions of the training samples.
    classes_ : ndarray of shape (c,)
        Sorted classes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> FDA().fit_transform(X, y).shape
    (150, 2)
    """

    _compares_samples = False

    _scatters = staticmethod(class_scatters)  # Kitamura2007 Eq. (8)


class LPP(_LocalMap):
    """Locality-preserving projection, which is unsupervised.

    It is :class:`SELF` at ``beta=1`` (Kitamura2007, section 2.3).

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the map.
    local_neighbor : int, default=7
        Neighbour whose distance is the local scale of the affinity, see
        :func:`toolkit.discriminant.local_scaling`; the furthest sample's if there are
        fewer.
    ridge : float >= 0, default=1e-6
        Added to the diagonal of S_n, relative to its mean.
    verbose : bool, default=False
        Whether to show the time of the sum over all pairs.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Rows of the linear map, scaled as in :class:`FDA`.
    mean_ : ndarray of shape (n_features,)
        Mean of the training samples.
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues in descending order, at most 0.
    embedding_ : ndarray of shape (n_samples, n_components)
        Positions of the training samples.

    Notes
    -----
    The affinity of all pairs is summed by blocks of rows, each pair once, and never
    stored: time grows with n^2 d (20,000 samples in 20 dimensions take a few seconds),
    memory with n d alone.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> LPP().fit_transform(load_iris().data).shape
    (150, 2)
    """

    _labels_required = False

    def _local(self, X, codes, scales):
        return local_scatters(X, scales)  # Kitamura2007 Eq. (11)


class LFDA(_LocalMap):
    """Local Fisher discriminant analysis.

    It is :class:`SELF` at ``beta=0`` (Kitamura2007, section 2.4; Sugiyama, 2006).
    Classes may consist of several clusters. Unlabelled samples (-1) affect only the
    affinity, whose local scales are those of all samples.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the map.
    local_neighbor : int, default=7
        Neighbour whose distance is the local scale of the affinity, as in :class:`LPP`.
    ridge : float >= 0, default=1e-6
        Added to the diagonal of S_lw, relative to its mean. With few labels S_lw is
        singular and the ridge decides.
    verbose : bool, default=False
        Whether to show the time of the sum over all pairs.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Rows of the linear map, scaled as in :class:`FDA`.
    mean_ : ndarray of shape (n_features,)
        Mean of the training samples.
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues in descending order.
    embedding_ : ndarray of shape (n_samples, n_components)
        Positions of the training samples.
    classes_ : ndarray of shape (c,)
        Sorted classes.

    Notes
    -----
    Affinities are those of pairs within classes, summed as in :class:`LPP`: with c
    equal classes a c-th of its pairs. The search for the neighbours that set the local
    scales adds to this.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> LFDA().fit_transform(X, y).shape
    (150, 2)
    """

    _local = staticmethod(local_class_scatters)  # Kitamura2007 Eq. (20)


@parameters
class SELFMap(_LocalMap):
    """Semi-supervised local Fisher discriminant analysis (SELF).

    A mixture of LFDA of the labelled samples and LPP of all samples.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the map.
    beta : float in [0, 1], default=0.5
        0: :class:`LFDA` of the labelled samples; 1: :class:`LPP` of all samples.
    local_neighbor : int, default=7
        Neighbour whose distance is the local scale of the affinity, as in :class:`LPP`.
    ridge : float >= 0, default=1e-6
        Added to the diagonal of the lower matrix (22), relative to its mean.
    verbose : bool, default=False
        Whether to show the time of the sum over all pairs.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Rows of the linear map, scaled as in :class:`FDA`, with the lower matrix (22)
        for S_w.
    mean_ : ndarray of shape (n_features,)
        Mean of the training samples.
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues in descending order.
    embedding_ : ndarray of shape (n_samples, n_components)
        Positions of the training samples.
    classes_ : ndarray of shape (c,)
        Sorted classes.

    Notes
    -----
    The four scatter matrices are d x d and stored: another `beta` costs one
    eigenproblem of that size, see :meth:`path`. They cost what :class:`LPP` and
    :class:`LFDA` do together. If there are more features than samples, the problem is
    solved in the span of the samples. `SELF` is another name of the class `SELFMap`,
    after which scikit-learn's make_pipeline names a step (``selfmap__beta``).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> few = np.where(np.arange(150) % 10 == 0, y, -1)
    >>> SELF(beta=0.3).fit(X, few).components_.shape
    (2, 4)
    """

    _uses_unlabelled = True

    _: KW_ONLY
    beta: Fraction = 0.5

    def path(self, betas):
        """Compute maps of the training samples for several `beta`.

        All are computed from the same scatter matrices.

        Parameters
        ----------
        betas : sequence of float in [0, 1]
            Values of `beta`.

        Returns
        -------
        embeddings : ndarray of shape (len(betas), n_samples, n_components)
            Each turned and reflected (Procrustes) towards the one before, the first
            towards `embedding_`.
        components : ndarray of shape (len(betas), n_components, n_features)
            Not turned.
        """
        check_is_fitted(self)
        k = len(self.components_)
        Z = self.embedding_
        embeddings = []
        components = []
        for beta in np.atleast_1d(betas).tolist():
            beta = check_fraction(beta, "betas")
            S_upper, S_lower = self._mixture(beta)
            _, T = self._solve(S_upper, S_lower, k)
            Z = procrustes(self._project_training(T), Z)
            embeddings.append(Z)
            components.append(T.T)
        return np.array(embeddings), np.array(components)

    def _local(self, X, codes, scales):
        self._supervised = local_class_scatters(X, codes, scales)
        self._unsupervised = local_scatters(X, scales)
        return self._mixture(self.beta)

    def _mixture(self, beta):
        """(S_upper, S_lower) of LFDA with the weight 1 - beta, of LPP with beta."""
        pairs = zip(self._supervised, self._unsupervised, strict=True)
        # Kitamura2007 Eq. (21), (22)
        return [(1 - beta) * S + beta * U for S, U in pairs]

    def __repr__(self, N_CHAR_MAX=700):
        return super().__repr__(N_CHAR_MAX).replace("SELFMap", "SELF", 1)


# The paper's name. The class has a longer one, since make_pipeline names its steps
# after classes, and no step can be called "self".
SELF = SELFMap
