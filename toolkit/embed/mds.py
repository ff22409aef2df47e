"""Classical multidimensional scaling: scalar products near those of the data.

In least squares, an eigenvalue problem. Distances in least squares (stress) are those
of `sklearn.manifold.MDS`.
"""

from dataclasses import KW_ONLY

import numpy as np

from ..core import one_step, parameters, warn
from .base import Embedder, classical_map


@parameters
class MDS(Embedder):
    """Classical multidimensional scaling.

    Of Euclidean distances it is principal component analysis.

    Parameters
    ----------
    n_components : int, default=2
    metric : {"euclidean", "precomputed"}, default="euclidean"
        Whether `fit` gets vectors (n, d) or distances (n, n).
    verbose : bool, default=False
        Show the progress.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components)
    eigenvalues_ : ndarray of shape (n_components,)
        Negative ones come from distances of no Euclidean space; their coordinates are
        0.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> mds = MDS().fit(load_iris().data)
    >>> mds.embedding_.shape, mds.eigenvalues_.round().tolist()
    ((150, 2), [630.0, 36.0])
    """

    n_components: int = 2
    _: KW_ONLY

    _n_dense_matrices = (4, 4)

    def _embed(self, samples):
        samples, unit = samples.rescale()
        with one_step(self, "distances"):
            D = samples.distances()
        median = np.median(D)
        if 0 < median < 1e-7 * D.max():
            warn(
                f"The largest distance is {D.max() * unit:.3g} and half of them are"
                f" below {median * unit:.3g}: small ones are lost in rounding. Look for"
                " an outlier and leave it out."
            )
        with one_step(self, "eigenvectors"):
            Z, values = classical_map(samples, self.n_components)
        self.embedding_ = Z * unit
        self.eigenvalues_ = values * unit * unit
