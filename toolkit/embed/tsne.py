"""t-distributed stochastic neighbour embedding (t-SNE), thesis, Eq. (2.1)."""

from dataclasses import KW_ONLY

import numpy as np
import scipy.sparse
from joblib import effective_n_jobs
from sklearn.manifold import TSNE as SklearnTSNE
from sklearn.neighbors import sort_graph_by_row_values

from ..core.checks import check_integer, check_number, check_positive
from ..core.graphs import off_diagonal
from ..core.parameters import JOBS, parameters, rule
from ..core.progress import openmp_threads
from .affinities import check_perplexity
from .base import IterativeEmbedder

# standard deviation of the first coordinate of a computed start, as in scikit-learn
START_DEVIATION = 1e-4
LINE = r"Iteration (\d+): error = ([\d.e+-]+)"  # of scikit-learn every 50 steps
# limit of distances in units of their median, and of a start: squares fit single
# precision
LARGEST = 1e15


@parameters
class TSNE(IterativeEmbedder):
    """t-SNE: a map with the probabilities of being neighbours that the data have.

    Parameters
    ----------
    n_components : int, default=2
    perplexity : float > 1 or None, default=None
        Effective number of neighbours, below the number of other samples; 30 by
        default, or a third of the others where these are fewer than 90.
    metric : {"euclidean", "precomputed"}, default="euclidean"
        Whether `fit` gets vectors (n, d) or distances: a matrix (n, n), or a sparse one
        with those of at least 3 `perplexity` + 1 neighbours per sample (such as
        `knn_distances` of a Fisher metric).
    init : {"pca", "random"} or array-like of shape (n, n_components), default=None
        "pca", classical scaling, by default; "random" for a sparse matrix.
    early_exaggeration : float from 1 to 1e6, default=12
    max_iter : int from 251 to 1e6, default=1000
    random_state : as in :class:`MDS`
    n_jobs : int or None, default=1
        Threads; -1 for as many as there are cores. Maps from different numbers of
        threads differ after many steps; one always gives the same bytes.
    callback : callable or None, default=None
        Called with (iteration, cost) every 50 steps; for the first 250 the cost is that
        with exaggerated probabilities.
    verbose : as in :class:`MDS`

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components)
    kl_divergence_ : float
        The cost.
    n_iter_ : int

    Notes
    -----
    The descent is scikit-learn's (Barnes-Hut up to three dimensions), which squares the
    distances it gets: give lengths. Their scale does not matter.

    References
    ----------
    van der Maaten and Hinton (2008), Visualizing data using t-SNE. Schulz (2017),
    section 2.2.1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> TSNE(max_iter=300).fit_transform(load_iris().data).shape
    (150, 2)
    """

    n_components: int = 2
    _: KW_ONLY
    perplexity: rule(check_positive, none=True) = None
    init: object = None
    early_exaggeration: rule(check_number, low=1, high=1e6) = 12.0
    max_iter: rule(check_integer, least=251, most=10**6) = 1000
    n_jobs: JOBS = 1

    _accepts_sparse = True
    _memory_hint = (
        ", or give a sparse `X` with the distances to some neighbours (`knn_distances`"
        " of a Fisher metric)"
    )

    @property
    def _n_dense_matrices(self):
        exact = isinstance(self.n_components, int) and self.n_components > 3
        return (6 if exact else 0), 6

    def _embed(self, samples):
        k = self.n_components
        if samples.graph is not None and k > 3:
            raise ValueError(
                f"`n_components` must be at most 3 for a sparse `X`; got {k}. Give all"
                " distances."
            )
        perplexity = min(30.0, max(1.01, (samples.n - 1) / 3))
        if self.perplexity is not None:
            perplexity = check_perplexity(
                self.perplexity, max(samples.n - 1, 1.5)
            )
        # the library's input: vectors, or distances with a median of about one
        data = _in_medians_of_all(samples, perplexity)
        n_jobs = effective_n_jobs(self.n_jobs)
        # descent from the start; Barnes and Hut's forces need a tree of at most 3
        # dimensions
        descent = SklearnTSNE(
            k,
            perplexity=perplexity,
            metric="euclidean" if samples.X is not None else "precomputed",
            init=self._starting_map(
                samples, k, size=START_DEVIATION, limit=LARGEST
            ),
            n_jobs=n_jobs,
            method="barnes_hut" if k <= 3 else "exact",
            early_exaggeration=self.early_exaggeration,
            max_iter=self.max_iter,
            random_state=self.random_state,
        )
        with (
            openmp_threads(n_jobs),
            self._monitor_stdout(self.max_iter, "t-SNE", LINE) as level,
        ):
            Z = descent.set_params(verbose=level).fit_transform(data)
        self.embedding_ = Z.astype(float)
        self.kl_divergence_ = descent.kl_divergence_
        self.n_iter_ = descent.n_iter_


def in_medians(values):
    """Lengths, or coordinates, in units of the median size of those that are not 0."""
    size = np.abs(values)
    size = np.median(size[size > 0]) if size.any() else 1.0
    return np.clip(values / size, -LARGEST, LARGEST)


def _in_medians_of_all(samples, perplexity):
    """Vectors (n, d) or distances (n, n) with median about one."""
    if samples.X is not None:
        return in_medians(samples.vectors)
    if samples.graph is None:
        return in_medians(samples.distances())
    least = min(samples.n - 1, int(3 * perplexity + 1))
    known = np.diff(samples.graph.indptr).min()
    if known < least:
        raise ValueError(
            f"`X` must hold the distances to at least 3 perplexity + 1 = {least}"
            f" neighbours of each sample; one has {known}. Compute more neighbours or"
            " lower the perplexity."
        )
    # the library expects each sample among its neighbours, at a stored distance of 0,
    # and rows sorted by distance
    values, ends = off_diagonal(samples.graph)
    values = np.pad(in_medians(values), (0, samples.n))
    ends = np.hstack([ends, np.tile(np.arange(samples.n), (2, 1))])
    D = scipy.sparse.csr_matrix((values, ends), shape=samples.graph.shape)
    return sort_graph_by_row_values(D, warn_when_not_sorted=False)
