"""Multidimensional scaling, classical and metric: distances near those of the data.

Classical: scalar products in least squares, an eigenvalue problem. Metric, by stress
majorisation (SMACOF): distances in least squares, sum_{i<j} (|z_i - z_j| - d_ij)^2.
"""

from dataclasses import KW_ONLY

import numpy as np
from sklearn.metrics import euclidean_distances

from ..core import (
    NOT_NEGATIVE,
    about_mean,
    one_of,
    one_step,
    parameters,
    squared_distances,
    warn,
)
from .base import ITERATIONS, IterativeEmbedder, classical_map


@parameters
class MDS(IterativeEmbedder):
    """Multidimensional scaling.

    The classical form on Euclidean distances is principal component analysis.

    Parameters
    ----------
    n_components : int, default=2
    metric : {"euclidean", "precomputed"}, default="euclidean"
        Whether `fit` gets vectors (n, d) or distances (n, n).
    criterion : {"classical", "stress"}, default="classical"
    init : {"pca", "random"} or array-like of shape (n, n_components), default="pca"
        Where the stress descent starts; "pca" is the classical solution.
    max_iter : int <= 1e6, default=300
        Steps of the stress descent.
    tol : float >= 0, default=1e-6
        It stops once the stress, relative to the sum of squared distances, falls by
        less.
    random_state : int, RandomState or None, default=None
        For ``init="random"``.
    callback : callable or None, default=None
        Called with (iteration, stress), the stress in units of the largest value.
    verbose : bool, default=False
        Show the progress.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components)
    eigenvalues_ : ndarray of shape (n_components,)
        Of the classical form. Negative ones come from distances of no Euclidean space;
        their coordinates are 0.
    stress_ : float
        The sum_{i<j} (|z_i - z_j| - d_ij)^2.
    n_iter_ : int
        0 for the classical form.

    Notes
    -----
    `stress_` of the classical form is that of its map. The steps of the majorisation
    are those of `sklearn.manifold.smacof`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X = load_iris().data
    >>> round(MDS().fit(X).stress_, -1)
    180.0
    >>> round(MDS(criterion="stress").fit(X).stress_, -1)
    110.0
    """

    n_components: int = 2
    _: KW_ONLY
    criterion: one_of("classical", "stress") = "classical"
    init: object = "pca"
    max_iter: ITERATIONS = 300
    tol: NOT_NEGATIVE = 1e-6

    @property
    def _n_dense_matrices(self):
        return (7, 7) if self.criterion == "stress" else (4, 4)

    def _embed(self, samples):
        k = self.n_components
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
        self.eigenvalues_ = None
        self.n_iter_ = 0
        # coordinates by eigenvectors of the scalar products, or by majorisation
        if self.criterion == "classical":
            with one_step(self, "eigenvectors"):
                Z, values = classical_map(samples, k)
            self.eigenvalues_ = values * unit * unit
        else:
            with self._monitor(self.max_iter, "stress") as tell:
                Z = self._majorise(samples, D, unit, tell)
        self.embedding_ = Z * unit
        stress = np.sum((np.sqrt(squared_distances(Z, Z)) - D) ** 2) / 2
        self.stress_ = float(stress) * unit * unit

    def _majorise(self, samples, D, unit, tell):
        """The map (n, k) after steps of SMACOF, each a Guttman transform."""
        # written out: `sklearn.manifold.smacof` calls nobody between its steps
        Z = self._starting_map(samples, self.n_components, unit=unit)
        lengths = euclidean_distances(Z)
        before = np.inf
        for step in range(1, self.max_iter + 1):
            lengths[lengths == 0] = 1e-5
            B = -D / lengths
            B[np.diag_indices_from(B)] -= B.sum(axis=1)
            Z = B @ Z / len(D)
            lengths = euclidean_distances(Z)
            stress = np.sum((lengths - D) ** 2) / 2
            tell(step, stress)
            if before - stress <= self.tol * np.sum(lengths**2) / 2:
                break
            before = stress
        self.n_iter_ = step
        return about_mean(Z)
