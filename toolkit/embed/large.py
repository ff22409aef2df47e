"""t-SNE of a million samples from the distances to some neighbours, by openTSNE: its forces come from a grid (FFT)."""

from dataclasses import KW_ONLY
from functools import partial

import numpy as np
import scipy.sparse
from scipy.sparse.linalg import ArpackError

from ..core.checks import check_integer, check_lengths, check_part, check_seed
from ..core.estimators import warn
from ..core.graphs import knn_graph
from ..core.linalg import fix_signs
from ..core.parameters import parameters
from ..neighbors import BlockNeighbors
from .affinities import check_perplexity
from .base import EmbedInput, off_diagonal
from .tsne import LARGEST, START_DEVIATION, TSNE, in_medians

EXAGGERATED = 250  # first steps
STEPS_BETWEEN_CALLS = 50
LEAST_NEIGHBORS = 4  # a perplexity above 1 takes three times as many


@parameters
class LargeTSNE(TSNE):
    """t-SNE for 10,000 to millions of samples, as :class:`TSNE` otherwise; time and memory grow as n does.

    Parameters
    ----------
    n_components : 1 or 2, default=2
    perplexity : float > 1, optional
        Effective number of neighbours; 30 by default, or a third of the neighbours
        where `X` has fewer than 90.
    metric : {"euclidean", "precomputed"}
        Whether `fit` gets vectors (n, d), or a sparse matrix (n, n) of the distances to
        3 `perplexity` neighbours and more of each sample, such as `knn_distances` of a
        Fisher metric gives.
    neighbors : transformer, optional
        Searches the neighbours of vectors, as
        :class:`toolkit.neighbors.BlockNeighbors`, the default, or an approximate search
        that gives distances.
    init : {"pca", "spectral", "random"} or array-like of shape (n, n_components), optional
        "pca" by default; "spectral", eigenvectors of the graph of neighbours, for a
        sparse matrix.
    early_exaggeration : float from 1 to 1e6, default=12
    max_iter : int > 250, default=1000
    random_state : as in :class:`MDS`, for ``init="random"``
    n_jobs : int or None, default=1, threads of the descent; -1 for as many as there are cores
    callback : callable, optional
        Called with (iteration, cost) every 50 steps; for the first 250 the cost is that
        of the exaggerated start.
    verbose : bool, default=False, whether to show the progress of the search and of the descent

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components)
    kl_divergence_, n_iter_ : float, the cost, and int
    perplexity_ : float, what was used

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

    _: KW_ONLY
    neighbors: object = None

    @property
    def _least_iterations(self):
        return EXAGGERATED + 1

    def _all_pairs(self, distances):
        return 0

    def _read(self, X):
        check_integer(
            self.n_components,
            "n_components",
            1,
            2,
            remedy="TSNE makes maps of more dimensions.",
        )
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
            from openTSNE import (
                TSNEEmbedding,
                affinity,
                initialization,
                nearest_neighbors,
            )
        except ImportError:
            raise ImportError(
                "`LargeTSNE` needs openTSNE; install it with `pip install openTSNE`."
            ) from None
        n_jobs = self._threads()
        check_part(self.neighbors, "neighbors", "fit_transform")
        check_seed(self.random_state)
        if self.perplexity is not None:
            check_perplexity(self.perplexity, samples.n - 1)
        graph = self._neighbors(samples) if samples.graph is None else samples.graph
        indices, distances = _by_rank(graph)
        perplexity = (
            min(30.0, indices.shape[1] / 3)
            if self.perplexity is None
            else float(self.perplexity)
        )
        k = _wanted(samples, perplexity)
        if indices.shape[1] < k:
            raise ValueError(
                f"`X` must hold the distances to at least 3 perplexity = {k} neighbours"
                f" of each sample; one has {indices.shape[1]}. Compute more neighbours"
                " or lower the perplexity."
            )
        nearest = (np.ascontiguousarray(A[:, :k]) for A in (indices, distances))
        index = nearest_neighbors.PrecomputedNeighbors(*nearest)
        P = affinity.PerplexityBasedNN(
            perplexity=perplexity, knn_index=index, n_jobs=n_jobs
        )
        start = self._start(
            samples,
            self.n_components,
            partial(initialization.spectral, P.P, self.n_components),
        )
        Z = TSNEEmbedding(
            start, P, n_jobs=n_jobs, callbacks_every_iters=STEPS_BETWEEN_CALLS
        )
        stages = (
            (0, EXAGGERATED, self.early_exaggeration),
            (EXAGGERATED, self.max_iter, None),
        )
        with self._watched(self.max_iter, "t-SNE") as tell:
            for before, end, exaggeration in stages:
                how = {
                    "callbacks": lambda i, cost, _, before=before: tell(
                        before + i, float(cost)
                    )
                }
                Z.optimize(
                    end - before,
                    True,
                    propagate_exception=True,
                    exaggeration=exaggeration,
                    **how,
                )
        self.embedding_ = np.array(Z, dtype=float)
        self.kl_divergence_ = float(Z.kl_divergence)
        self.n_iter_ = self.max_iter
        self.perplexity_ = perplexity

    def _neighbors(self, samples):
        k = _wanted(samples, 30.0 if self.perplexity is None else self.perplexity)
        search = BlockNeighbors(k, n_jobs=self.n_jobs, verbose=self.verbose)
        return knn_graph(
            samples.X, k, neighbors=search if self.neighbors is None else self.neighbors
        )

    def _start(self, samples, dimension, spectral):
        init = (
            "spectral" if self.init is None and samples.graph is not None else self.init
        )
        if not isinstance(init, str) or init != "spectral":
            return self._starting_map(
                samples, dimension, size=START_DEVIATION, limit=LARGEST
            )
        try:
            Z = spectral(random_state=0)
            if np.isfinite(Z).all():
                return Z * fix_signs(Z)
            reason = "is not finite"
        except (ArpackError, TypeError, ValueError) as error:
            reason = f"was not found ({error})"
        warn(
            f"The spectral start of LargeTSNE {reason}; a random one is taken. Give"
            " `init` for another."
        )
        return START_DEVIATION * check_seed(self.random_state).normal(
            size=(samples.n, dimension)
        )


def _wanted(samples, perplexity):
    """How many neighbours of each sample."""
    return min(samples.n - 1, max(LEAST_NEIGHBORS, int(3 * perplexity)))


def _by_rank(W):
    """Neighbours and distances (n, k), nearest first, k as in the shortest row; distances have median about one."""
    check_lengths(W.data)
    if W.diagonal().any():
        raise ValueError(
            "`X` must have a zero diagonal: no sample has a distance from itself."
        )
    n = W.shape[0]
    values, (rows, columns) = off_diagonal(W)
    counts = np.bincount(rows, minlength=n)
    k = int(counts.min())
    if k < LEAST_NEIGHBORS:
        i = int(np.argmin(counts))
        raise ValueError(
            f"`X` must hold the distances to at least {LEAST_NEIGHBORS} neighbours of"
            f" each sample; sample {i} has {k}. Compute more neighbours, or leave such"
            " samples out."
        )
    first = np.cumsum(counts) - counts
    order = np.lexsort((columns, values, rows))[first[:, None] + np.arange(k)]
    return columns[order], in_medians(values[order])
