"""t-SNE of a million samples from the distances to some neighbours, by openTSNE."""

from dataclasses import KW_ONLY

import numpy as np
import scipy.sparse
from joblib import effective_n_jobs
from scipy.sparse.linalg import ArpackError

from ..core.checks import check_integer, check_seed
from ..core.estimators import warn
from ..core.graphs import knn_graph, off_diagonal
from ..core.linalg import fix_signs
from ..core.parameters import parameters, rule
from ..neighbors import BlockNeighbors
from .affinities import check_perplexity
from .base import EmbedInput, check_sparse_lengths
from .tsne import LARGEST, START_DEVIATION, TSNE, in_medians

EXAGGERATED = 250  # first steps
STEPS_BETWEEN_CALLS = 50
LEAST_NEIGHBORS = 4  # a perplexity above 1 takes three times as many


@parameters
class LargeTSNE(TSNE):
    """t-SNE for 10,000 to millions of samples, as :class:`TSNE` otherwise.

    Time and memory grow as n does: the forces come from a grid (FFT).

    Parameters
    ----------
    n_components : int, 1 or 2, default=2
    perplexity : float > 1 or None, default=None
        Effective number of neighbours; 30 by default, or a third of the neighbours
        where `X` has fewer than 90.
    metric : {"euclidean", "precomputed"}, default="euclidean"
        Whether `fit` gets vectors (n, d), or a sparse matrix (n, n) of the distances to
        3 `perplexity` neighbours and more of each sample, such as `knn_distances` of a
        Fisher metric gives.
    neighbors : transformer or None, default=None
        Searches the neighbours of vectors, as
        :class:`toolkit.neighbors.BlockNeighbors`, the default, or an approximate search
        that gives distances.
    init : {"pca", "spectral", "random"} or array-like, default=None
        An array holds positions (n, n_components). "pca" by default; "spectral",
        eigenvectors of the graph of neighbours, for a sparse matrix.
    early_exaggeration : float from 1 to 1e6, default=12
    max_iter : int from 251 to 1e6, default=1000
    random_state, verbose : as in :class:`MDS`
    n_jobs : int or None, default=1
        Threads of the descent; -1 for as many as there are cores.
    callback : callable or None, default=None
        Called with (iteration, cost) every 50 steps; for the first 250 the cost is that
        of the exaggerated start.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components)
    kl_divergence_ : float
        The cost.
    n_iter_ : int
    perplexity_ : float
        The perplexity used.

    Notes
    -----
    Of rows with unequal numbers of neighbours as many are used as the shortest has.
    Below 10,000 samples the forces are those of Barnes and Hut. One thread gives the
    same bytes on each run.

    References
    ----------
    Linderman et al. (2019), Fast interpolation-based t-SNE. Policar et al. (2024),
    openTSNE.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> LargeTSNE(max_iter=300).fit_transform(load_iris().data).shape
    (150, 2)
    """

    n_components: rule(
        check_integer, most=2, remedy="TSNE makes maps of more dimensions."
    ) = 2
    _: KW_ONLY
    neighbors: object = None
    max_iter: object = 1000

    _n_dense_matrices = (0, 0)

    def _read(self, X):
        if X.shape[0] <= LEAST_NEIGHBORS:
            raise ValueError(
                f"`X` must hold at least {LEAST_NEIGHBORS + 1} samples; got"
                f" {X.shape[0]}."
            )
        if self.metric != "precomputed":
            return super()._read(X)
        if not scipy.sparse.issparse(X) or X.shape[0] != X.shape[1]:
            raise ValueError(
                "`X` must be a sparse matrix (n, n) of distances to some neighbours;"
                f" got {type(X).__name__} of shape {X.shape}. toolkit.embed.TSNE takes"
                " all distances."
            )
        return EmbedInput(D=X)

    def _embed(self, samples):
        try:
            import openTSNE
        except ImportError:
            raise ImportError(
                "`LargeTSNE` needs openTSNE; install it with `pip install openTSNE`."
            ) from None
        check_integer(self.max_iter, "max_iter", EXAGGERATED + 1, 10**6)
        n_jobs = effective_n_jobs(self.n_jobs)
        if self.perplexity is not None:
            check_perplexity(self.perplexity, samples.n - 1)
        # the neighbours of each sample, nearest first
        graph = samples.graph
        if graph is None:
            k = _n_neighbors(samples, self.perplexity or 30.0)
            search = self.neighbors
            if search is None:
                search = BlockNeighbors(
                    k, n_jobs=self.n_jobs, verbose=self.verbose
                )
            graph = knn_graph(samples.X, k, neighbors=search)
        indices, distances = _by_rank(graph)
        perplexity = float(self.perplexity or min(30.0, indices.shape[1] / 3))
        k = _n_neighbors(samples, perplexity)
        if indices.shape[1] < k:
            raise ValueError(
                f"`X` must hold the distances to at least 3 perplexity = {k} neighbours"
                f" of each sample; one has {indices.shape[1]}. Compute more neighbours"
                " or lower the perplexity."
            )
        # p_ij of the k nearest
        nearest = (np.ascontiguousarray(A[:, :k]) for A in (indices, distances))
        index = openTSNE.nearest_neighbors.PrecomputedNeighbors(*nearest)
        P = openTSNE.affinity.PerplexityBasedNN(
            perplexity=perplexity, knn_index=index, n_jobs=n_jobs
        )
        # descent, exaggerated at first
        start = self._start(samples, P.P, openTSNE.initialization.spectral)
        Z = openTSNE.TSNEEmbedding(
            start, P, n_jobs=n_jobs, callbacks_every_iters=STEPS_BETWEEN_CALLS
        )
        with self._monitor(self.max_iter, "t-SNE") as tell:
            for first, last, exaggeration in (
                (0, EXAGGERATED, self.early_exaggeration),
                (EXAGGERATED, self.max_iter, None),
            ):
                Z.optimize(
                    last - first,
                    inplace=True,
                    propagate_exception=True,
                    exaggeration=exaggeration,
                    callbacks=lambda step, cost, _, first=first: tell(
                        first + step, float(cost)
                    ),
                )
        self.embedding_ = np.array(Z, dtype=float)
        self.kl_divergence_ = float(Z.kl_divergence)
        self.n_iter_ = self.max_iter
        self.perplexity_ = perplexity

    def _start(self, samples, P, spectral):
        """Starting map: the eigenvectors of the matrix `P` by default of a graph."""
        k = self.n_components
        by_graph = self.init is None and samples.graph is not None
        if not by_graph and not (
            isinstance(self.init, str) and self.init == "spectral"
        ):
            return self._starting_map(
                samples, k, size=START_DEVIATION, limit=LARGEST
            )
        try:
            Z = spectral(P, k, random_state=0)
            if np.isfinite(Z).all():
                return Z * fix_signs(Z)
            reason = "is not finite"
        except (ArpackError, TypeError, ValueError) as error:
            reason = f"was not found ({error})"
        warn(
            f"The spectral start of LargeTSNE {reason}; a random one is taken. Give"
            " `init` for another."
        )
        rng = check_seed(self.random_state)
        return START_DEVIATION * rng.normal(size=(samples.n, k))


def _n_neighbors(samples, perplexity):
    """How many neighbours of each sample are used."""
    return min(samples.n - 1, max(LEAST_NEIGHBORS, int(3 * perplexity)))


def _by_rank(W):
    """Neighbours and distances (n, k), nearest first, k as in the shortest row.

    Distances have a median of about one.
    """
    check_sparse_lengths(W)
    n = W.shape[0]
    values, (rows, columns) = off_diagonal(W)
    counts = np.bincount(rows, minlength=n)
    k = counts.min()
    if k < LEAST_NEIGHBORS:
        raise ValueError(
            f"`X` must hold the distances to at least {LEAST_NEIGHBORS} neighbours of"
            f" each sample; sample {np.argmin(counts)} has {k}. Compute more"
            " neighbours, or leave such samples out."
        )
    first = np.cumsum(counts) - counts
    order = np.lexsort((columns, values, rows))[first[:, None] + np.arange(k)]
    return columns[order], in_medians(values[order])
