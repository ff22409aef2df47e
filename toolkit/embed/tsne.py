"""t-distributed stochastic neighbour embedding (t-SNE), thesis, Eq. (2.1)."""

from contextlib import suppress
from dataclasses import KW_ONLY, dataclass
from typing import Annotated

import numpy as np
from joblib import effective_n_jobs
from sklearn.neighbors import NearestNeighbors, sort_graph_by_row_values

from ..core import (
    Jobs,
    OptionalPositive,
    Seed,
    check_integer,
    check_number,
    check_part,
    check_seed,
    check_table,
    fix_signs,
    fixed_noise,
    knn_graph,
    magnitude,
    openmp_threads,
    parameters,
    rule,
    warn,
)
from .affinities import check_perplexity
from .base import Embedder

# Number of first steps, in which the probabilities are exaggerated.
EXAGGERATED = 250
# The bar moves once in so many steps.
STEPS_PER_COUNT = 50
# Standard deviation of the first coordinate of a computed start.
MAP_START_DEVIATION = 1e-4
# Limit of distances in units of their median: widths are found by halving.
LARGEST_IN_MEDIANS = 1e15
# Limit of a start: beyond it the tree over the map may find no end.
LARGEST_START = 1e6


@parameters
class TSNE(Embedder):
    """Map by t-SNE, which preserves the probabilities of being neighbours.

    Parameters
    ----------
    n_components : int from 1 to 3, default=2
        Dimensions of the map.
    perplexity : float > 1 or None, default=None
        Effective number of neighbours, below the number of other samples. None: 30, or
        a third of the others where these are fewer than 90 (in a sparse matrix: of the
        neighbours that each sample has).
    init : {"pca", "random"} or array-like of shape (n, n_components), default=None
        Start of the map. None: "pca", classical scaling; for a sparse matrix the
        eigenvectors of its graph (random starts preserved neighbours slightly less well
        on digits).
    early_exaggeration : float from 1 to 1e6, default=12
        Factor of the probabilities in the first 250 steps.
    metric : {"euclidean", "precomputed"}, default="euclidean"
        Whether `fit` gets vectors (n_samples, n_features) or distances. These are a
        matrix (n_samples, n_samples), or a sparse one with those to 3 `perplexity`
        neighbours or more of each sample (such as `knn_distances` of a Fisher metric).
    neighbors : transformer or None, default=None
        Searches the neighbours of vectors, such as
        :class:`toolkit.neighbors.BlockNeighbors` on a cluster, or an approximate search
        that gives distances. None: scikit-learn's exact search.
    max_iter : int from 251 to 1e6, default=1000
        Number of steps.
    random_state : int, RandomState instance or None, default=None
        Seed of the random number generator for ``init="random"``.
    n_jobs : int or None, default=1
        Number of threads; -1 for as many as there are cores. Maps from different
        numbers of threads differ after many steps; one always gives the same bytes.
    verbose : bool, default=False
        Whether to show a progress bar.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Positions of the samples.
    kl_divergence_ : float
        The cost.
    n_iter_ : int
        Number of steps.

    Notes
    -----
    The descent is openTSNE's: forces by Barnes and Hut below 10,000 samples and in
    three dimensions, otherwise by interpolation on a grid, in time and memory as n.
    The scale of distances does not matter.

    References
    ----------
    van der Maaten and Hinton (2008), Visualizing data using t-SNE. Linderman et al.
    (2019), Fast interpolation-based t-SNE. Policar et al. (2024), openTSNE. Schulz
    (2017), section 2.2.1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> TSNE(max_iter=300).fit_transform(load_iris().data).shape
    (150, 2)
    """

    n_components: Annotated[
        int,
        rule(
            check_integer, high=3, remedy="MDS makes maps of more dimensions."
        ),
    ] = 2
    _: KW_ONLY
    perplexity: OptionalPositive = None
    neighbors: object = None
    init: object = None
    early_exaggeration: Annotated[
        float, rule(check_number, low=1, high=1e6)
    ] = 12.0
    max_iter: Annotated[int, rule(check_integer, low=251, high=10**6)] = 1000
    random_state: Seed = None
    n_jobs: Jobs = 1

    _accepts_sparse = "precomputed"
    _n_dense_matrices = (0, 6)
    _memory_hint = (
        ", or give a sparse `X` with the distances to some neighbours (`knn_distances`"
        " of a Fisher metric)"
    )

    def _embed(self, samples):
        import openTSNE  # takes as long as a small fit

        n_jobs = int(effective_n_jobs(self.n_jobs))
        with self._bar("neighbours"), openmp_threads(n_jobs):
            neighbors = self._nearest(samples, n_jobs)
        P = openTSNE.affinity.joint_probabilities_nn(
            neighbors.indices,
            neighbors.distances,
            [neighbors.perplexity],
            n_jobs=n_jobs,
        )
        start = self._start(samples, P, openTSNE.initialization.spectral)
        affinities = openTSNE.affinity.PrecomputedAffinities(P, normalize=False)
        # Forces on a grid take two dimensions at most.
        force_method = "bh" if self.n_components == 3 else "auto"
        Z = openTSNE.TSNEEmbedding(
            start,
            affinities,
            negative_gradient_method=force_method,
            n_jobs=n_jobs,
            callbacks_every_iters=STEPS_PER_COUNT,
        )
        with self._bar("t-SNE", self.max_iter) as done:

            def count(*_):  # what is true would end the steps
                done(STEPS_PER_COUNT)

            options = {"inplace": True, "callbacks": count}
            Z.optimize(
                EXAGGERATED, exaggeration=self.early_exaggeration, **options
            )
            Z.optimize(self.max_iter - EXAGGERATED, exaggeration=1, **options)
        self.embedding_ = np.array(Z, dtype=float)
        self.kl_divergence_ = float(Z.kl_divergence)
        self.n_iter_ = self.max_iter

    def _start(self, samples, P, spectral):
        """Starting map (n, k); by default of a graph the eigenvectors of its `P`.

        `spectral` is the function that computes the eigenvectors.
        """
        n = samples.n
        k = self.n_components
        shape = n, k
        is_graph = samples.graph is not None
        init = self.init
        if init is None and is_graph and n > k + 1:
            with suppress(RuntimeError):
                Z = spectral(P, k, random_state=0)
                if np.isfinite(Z).all():
                    return Z * fix_signs(Z)
            warn(
                "The eigenvectors of the graph of `X` were not found; the map starts"
                " from a random one. Give `init` for another."
            )
        if init is None:
            init = "random" if is_graph else "pca"
        if not isinstance(init, str) or init not in ("pca", "random"):
            return _check_start(init, shape)
        if init == "random":
            Z = check_seed(self.random_state).normal(size=shape)
        elif is_graph:
            raise ValueError(
                '`init` "pca" needs all distances, and `X` holds some; use "random" or'
                " a map."
            )
        else:
            Z = self._principal_map(samples, k)
        deviation = Z[:, 0].std()
        if deviation > 0:
            Z = Z / deviation
        # Noise parts coincident points (all inliers, where one sample is a distant
        # outlier), which would stay together.
        return MAP_START_DEVIATION * (Z + 1e-2 * fixed_noise(shape))

    def _nearest(self, samples, n_jobs):
        """The `_Nearest` of each sample, in units of the median distance."""
        n = samples.n
        graph = samples.graph
        data = None
        if samples.X is not None:
            data = _in_medians(samples.vectors)
        neighbors = check_part(self.neighbors, "neighbors", "fit_transform")
        if neighbors is not None and data is not None:
            graph = knn_graph(data, None, neighbors=neighbors)
        n_stored = n - 1
        if graph is not None:
            n_stored = np.diff(graph.indptr).min()
        limit = n_stored
        if self.perplexity is not None:
            limit = max(n - 1, 1.5)
        perplexity = check_perplexity(self.perplexity, limit)
        k = min(n - 1, int(3 * perplexity))
        if n_stored < k:
            raise ValueError(
                f"`X` must hold the distances to at least 3 perplexity = {k} neighbours"
                f" of each sample; one has {n_stored}. Compute more neighbours or lower"
                " the perplexity."
            )
        metric = "precomputed"
        queries = None  # the samples themselves
        if graph is not None:
            # The search expects rows sorted by distance.
            data = graph.copy()
            data.data = _in_medians(graph.data)
            data = sort_graph_by_row_values(data, warn_when_not_sorted=False)
            queries = data
        elif data is None:
            data = _in_medians(samples.distances())
        else:
            metric = "euclidean"
        search = NearestNeighbors(n_neighbors=k, metric=metric, n_jobs=n_jobs)
        distances, indices = search.fit(data).kneighbors(queries)
        return _Nearest(
            distances=distances, indices=indices, perplexity=perplexity
        )


@dataclass(frozen=True, kw_only=True)
class _Nearest:
    """The k nearest others of each sample, as many as the perplexity needs."""

    distances: np.ndarray  # (n, k)
    indices: np.ndarray  # (n, k), their numbers
    perplexity: float


def _in_medians(values):
    """Lengths, or coordinates, in units of the median size of those that are not 0."""
    sizes = np.abs(values)
    unit = 1.0
    if sizes.any():
        unit = np.median(sizes[sizes > 0])
    return np.clip(values / unit, -LARGEST_IN_MEDIANS, LARGEST_IN_MEDIANS)


def _check_start(Z, shape):
    """A given start as an array of this shape."""
    rule = f'"pca", "random" or finite numbers of shape {shape}'
    Z = check_table(Z, "init", shape=shape, rule=rule)
    largest_coordinate = magnitude(Z)
    extent = np.ptp(Z, axis=0).max()
    if largest_coordinate > LARGEST_START or not extent:
        raise ValueError(
            "`init` must hold positions that differ, with numbers up to"
            f" {LARGEST_START:.3g}; its largest is {largest_coordinate:.3g}, its extent"
            f" {extent:.3g}. Rescale it, or leave it out."
        )
    return Z
