"""t-distributed stochastic neighbour embedding (t-SNE) of vectors, distances or neighbours, thesis, Eq. (2.1)."""

from dataclasses import KW_ONLY
from numbers import Integral

import numpy as np
import scipy.sparse
from joblib import effective_n_jobs
from sklearn.manifold import TSNE as SklearnTSNE

from ..core.checks import check_jobs, check_number
from ..core.parameters import parameters
from ..core.progress import openmp_threads
from .affinities import check_perplexity
from .base import IterativeEmbedder, off_diagonal

# standard deviation of the first coordinate of a computed start, as in scikit-learn
START_DEVIATION = 1e-4
LINE = r"Iteration (\d+): error = ([\d.e+-]+)"  # of scikit-learn every 50 steps
# limit of distances in units of their median, and of a start: squares fit single
# precision
LARGEST = 1e15


@parameters
class TSNE(IterativeEmbedder):
    """t-SNE: a map in which the probabilities of being neighbours agree with those in the data.

    Parameters
    ----------
    n_components : int, default=2
    perplexity : float > 1, optional
        Effective number of neighbours, below the number of other samples; 30 by
        default, or a third of the others where these are fewer than 90.
    metric : {"euclidean", "precomputed"}
        Whether `fit` gets vectors (n, d) or distances: a matrix (n, n), or a sparse one
        with those of at least 3 `perplexity` + 1 neighbours per sample (such as
        `knn_distances` of a Fisher metric).
    init : {"pca", "random"} or array-like of shape (n, n_components), optional
        "pca", classical scaling, by default; "random" for a sparse matrix.
    early_exaggeration : float from 1 to 1e6, default=12
    max_iter : int > 250, default=1000
    random_state : as in :class:`MDS`
    n_jobs : int or None, default=1
        Threads; -1 for as many as there are cores. Maps from different numbers of
        threads differ after many steps; one always gives the same bytes.
    callback : callable, optional
        Called with (iteration, cost) every 50 steps; for the first 250 the cost is that
        with exaggerated probabilities.
    verbose : bool, default=False, whether to show the progress of the descent

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components)
    kl_divergence_, n_iter_ : float, the cost, and int

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
    perplexity: float = None
    init: object = None
    early_exaggeration: float = 12.0
    max_iter: int = 1000
    n_jobs: int = 1

    _takes_graphs = True
    _least_iterations = 251
    _spared = (
        ", or give a sparse `X` with the distances to some neighbours (`knn_distances`"
        " of a Fisher metric)"
    )

    def _all_pairs(self, distances):
        exact = isinstance(self.n_components, Integral) and self.n_components > 3
        return 6 if exact or distances else 0

    def _threads(self):
        """How many threads the descent takes, and a check of its exaggeration."""
        check_number(self.early_exaggeration, "early_exaggeration", 1, 1e6)
        return effective_n_jobs(check_jobs(self.n_jobs))

    def _embed(self, samples):
        k = self.n_components
        n_jobs = self._threads()
        if samples.graph is not None and k > 3:
            raise ValueError(
                f"`n_components` must be at most 3 for a sparse `X`; got {k}. Give all"
                " distances."
            )
        perplexity = min(30.0, max(1.01, (samples.n - 1) / 3))
        if self.perplexity is not None:
            perplexity = check_perplexity(self.perplexity, max(samples.n - 1, 1.5))
        given, metric = _as_the_library_reads(samples, perplexity)
        descent = SklearnTSNE(
            k,
            perplexity=perplexity,
            metric=metric,
            init=self._starting_map(samples, k, size=START_DEVIATION, limit=LARGEST),
            n_jobs=n_jobs,
            method="barnes_hut" if k <= 3 else "exact",
            early_exaggeration=self.early_exaggeration,
            max_iter=self.max_iter,
            random_state=self.random_state,
        )
        with (
            openmp_threads(n_jobs),
            self._watched_by_lines(self.max_iter, "t-SNE", LINE) as shown,
        ):
            self.embedding_ = (
                descent.set_params(verbose=shown).fit_transform(given).astype(float)
            )
        self.kl_divergence_ = descent.kl_divergence_
        self.n_iter_ = descent.n_iter_


def in_medians(values):
    """Lengths, or coordinates, in units of the median size of those that are not 0."""
    size = np.abs(values)
    size = np.median(size[size > 0]) if size.any() else 1.0
    return np.clip(values / size, -LARGEST, LARGEST)


def _as_the_library_reads(samples, perplexity):
    """Vectors (n, d) or distances (n, n) with median about one, and their metric."""
    if samples.X is not None:
        return in_medians(samples.vectors), "euclidean"
    if samples.graph is None:
        return in_medians(samples.distances()), "precomputed"
    wanted = min(samples.n - 1, int(3 * perplexity + 1))
    known = np.diff(samples.graph.indptr).min()
    if known < wanted:
        raise ValueError(
            f"`X` must hold the distances to at least 3 perplexity + 1 = {wanted}"
            f" neighbours of each sample; one has {known}. Compute more neighbours or"
            " lower the perplexity."
        )
    D = _with_diagonal(samples.graph)
    D.data = in_medians(D.data)
    return D, "precomputed"


def _with_diagonal(graph):
    """The library expects each sample to be its own neighbour, as a stored zero, and rows sorted by distance."""
    n = graph.shape[0]
    values, ends = off_diagonal(graph)
    rows, columns = np.hstack([ends, np.tile(np.arange(n), (2, 1))])
    values = np.pad(values, (0, n))
    order = np.lexsort((values, rows))
    starts = np.append(0, np.cumsum(np.bincount(rows)))
    return scipy.sparse.csr_matrix(
        (values[order], columns[order], starts), shape=graph.shape
    )
