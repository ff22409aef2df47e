"""Classical multidimensional scaling: scalar products approximate those of the data.

In least squares, an eigenvalue problem. A map whose distances are so (of least stress)
is that of `sklearn.manifold.MDS`.
"""

import numpy as np

from ..core import parameters, row_blocks, squared_distances, warn
from .base import Embedder, classical_map


@parameters
class MDS(Embedder):
    """Classical multidimensional scaling.

    Of Euclidean distances it is principal component analysis.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the map.
    metric : {"euclidean", "precomputed"}, default="euclidean"
        Whether `fit` gets vectors (n_samples, n_features) or distances (n_samples,
        n_samples).
    verbose : bool, default=False
        Whether to show a progress bar.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Positions of the samples.
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues of the scalar products. Negative ones come from distances of no
        Euclidean space; their coordinates are 0.
    stress_ : float
        Sum over all pairs of (distance in the map - distance)^2, which the `stress_` of
        scikit-learn's MDS is by default.

    Notes
    -----
    For vectors no array of shape (n, n) is formed. The time of the map grows with n
    d^2, that of `stress_` with n^2 d, by blocks of rows (2 s for 16,000 samples in 20
    dimensions).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> mds = MDS().fit(load_iris().data)
    >>> mds.embedding_.shape, mds.eigenvalues_.round().tolist()
    ((150, 2), [630.0, 36.0])
    """

    n_components: int = 2

    _n_dense_matrices = (0, 4)

    def _embed(self, samples):
        samples, unit = samples.rescale()
        # The distances of vectors from their median stand for those of all pairs.
        if samples.X is not None:
            lengths = np.linalg.norm(samples.vectors, axis=1)
        else:
            lengths = samples.distances()
        median = np.median(lengths)
        largest = lengths.max()
        if 0 < median < 1e-7 * largest:
            warn(
                f"The largest distance is {largest * unit:.3g} and half of them are"
                f" below {median * unit:.3g}: small ones are lost in rounding. Look for"
                " an outlier and leave it out."
            )
        with self._bar("eigenvectors"):
            Z, values = classical_map(samples, self.n_components)
        self.embedding_ = Z * unit
        self.eigenvalues_ = values * unit * unit
        stress = 0.0
        for rows in row_blocks(samples.n, samples.n):
            map_distances = np.sqrt(squared_distances(Z[rows], Z))
            residuals = map_distances - samples.distances(rows)
            stress += np.sum(residuals**2) / 2
        self.stress_ = stress * unit * unit
