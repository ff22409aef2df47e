"""Multidimensional scaling, classical and metric: a map whose distances are near those of the data.

Classical: scalar products in least squares, an eigenvalue problem. Metric, by stress majorisation (SMACOF): distances
in least squares, sum_{i<j} (|z_i - z_j| - d_ij)^2.
"""

import numpy as np
from sklearn.manifold import smacof

from ..core.checks import check_integer, check_option, check_positive
from ..core.estimators import warn
from ..core.graphs import squared_distances
from .base import Embedder, check_dimension, classical_map, in_unit, starting_map
from .watching import watched

__all__ = ["MDS"]


class MDS(Embedder):
    """Multidimensional scaling; the classical form on Euclidean distances is principal component analysis.

    Parameters
    ----------
    n_components : int, default=2
    metric : {"euclidean", "precomputed"}, whether `fit` gets vectors (n, d) or distances (n, n)
    criterion : {"classical", "stress"}
    init : {"pca", "random"} or array-like of shape (n, n_components), default="pca"
        Where the stress descent starts; "pca" is the classical solution.
    max_iter : int, default=300, of the stress descent
    tol : float >= 0, default=1e-6
        It stops once the stress, relative to the sum of squared distances, falls by less.
    random_state : int, RandomState or None, for ``init="random"``
    callback : callable, optional, called with (iteration, stress), the stress in units of the largest value

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components)
    eigenvalues_ : ndarray of shape (n_components,), of the classical form
        Negative ones come from distances of no Euclidean space; their coordinates are 0.
    stress_ : float, sum_{i<j} (|z_i - z_j| - d_ij)^2
    n_iter_ : int, 0 for the classical form

    Notes
    -----
    The majorisation is scikit-learn's. `stress_` of the classical form is that of its map.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X = load_iris().data
    >>> round(MDS().fit(X).stress_, -1), round(MDS(criterion="stress").fit(X).stress_, -1)
    (180.0, 110.0)
    """

    def __init__(
        self, n_components=2, *, metric="euclidean", criterion="classical", init="pca", max_iter=300, tol=1e-6,
        random_state=None, callback=None,
    ):  # fmt: skip
        self.n_components, self.metric, self.criterion = n_components, metric, criterion
        self.max_iter, self.tol = max_iter, tol
        self.init, self.random_state, self.callback = init, random_state, callback

    def _embed(self, samples):
        k = check_dimension(self.n_components, samples)
        check_integer(self.max_iter, "max_iter")
        check_option(self.criterion, "criterion", ("classical", "stress"))
        tol = check_positive(self.tol, "tol", zero=True)
        samples, unit = samples.in_own_unit()
        D = samples.distances()
        median = np.median(D)
        if 0 < median < 1e-7 * D.max():
            sizes = f"The largest distance is {D.max() * unit:.3g} and half of them are below {median * unit:.3g}"
            warn(f"{sizes}: small ones are lost in rounding. Look for an outlier and leave it out.")
        values, iterations = None, 0
        if self.criterion == "classical":
            Z, values = classical_map(samples, k)
        else:
            start = in_unit(self.init, starting_map(self.init, samples, k, self.random_state), unit)
            rules = {"n_components": k, "n_init": 1, "init": start, "max_iter": self.max_iter, "eps": tol}
            rules |= {"normalized_stress": False, "return_n_iter": True, "verbose": 2 if self.callback else 0}
            with watched(self.callback, r"(?:it:|Iteration) (\d+), stress ([\d.e+-]+)"):
                Z, _, iterations = smacof(D, **rules)
            Z = Z - Z.mean(axis=0)
        self.embedding_, self.n_iter_ = Z * unit, iterations
        self.eigenvalues_ = None if values is None else values * unit * unit
        self.stress_ = float(np.sum((np.sqrt(squared_distances(Z, Z)) - D) ** 2) / 2) * unit * unit
