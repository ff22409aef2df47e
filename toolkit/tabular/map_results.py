"""Results of maps: positions, errors, and how these were measured."""

from dataclasses import dataclass, replace

import numpy as np

N_FOLDS = 5  # Maps of few rows are cross-validated.


@dataclass(frozen=True, kw_only=True)
class MapResult:
    """The positions of training and held-out samples in a map.

    Attributes
    ----------
    rows : ndarray of int, shape (m,)
        The samples shown: first the training samples, then the others.
    Z : ndarray of shape (m, 2)
        Positions of the samples.
    y : ndarray of shape (m,) or (m, l)
        The targets that the map was fitted to; the true ones for an unsupervised map.
    n_fitted : int
        Number of training samples.
    losses : ndarray of shape (m - n_fitted,) or (m,)
        Losses of the held-out samples, each predicted by its five nearest training
        samples in the map; of all samples if it was cross-validated.
    error : float
        Error on the held-out samples.
    interval : (float, float)
        Interval of the error, of level 0.9.
    training_error : float
        Leave-one-out error of the training samples; optimistic.
    training : Target
        Target of the training samples.
    errors : str
        All three in words.
    is_cross_validated : bool
        Whether the error is that of maps fitted to four fifths of all samples, and the
        picture one map of a split.
    """

    rows: np.ndarray
    Z: np.ndarray
    y: np.ndarray
    n_fitted: int
    losses: np.ndarray
    error: float
    interval: tuple
    training_error: float
    training: object
    errors: str
    is_cross_validated: bool = False

    @property
    def protocol(self):
        """How the error was measured, in words."""
        if self.is_cross_validated:
            return f"{N_FOLDS} folds"
        return "one split"

    @property
    def measured_on(self):
        """The samples of the error, in words."""
        n = f"{len(self.losses):,}"
        if self.is_cross_validated:
            return f"{n} rows in {N_FOLDS} folds"
        return f"{n} held-out rows"

    @property
    def sides(self):
        """Which samples are training samples, and which are held out, as words (m,)."""
        is_fitted = np.arange(len(self.rows)) < self.n_fitted
        return np.where(is_fitted, "training", "held out")


@dataclass(frozen=True, kw_only=True)
class MapComparison:
    """The supervised map, the unsupervised one, and the control map.

    Attributes
    ----------
    supervised, unsupervised, permuted : MapResult
        Results of the maps. `supervised` has all held-out samples; `permuted` is the
        control map.
    method : str
        The supervised method in words.
    task : Target
        Target of the held-out samples.
    estimator : estimator
        The fitted supervised map.
    choice : dict of str to float
        Cross-validated errors on the training samples, by which the metric was chosen.
    gain : (float, (float, float))
        Error of the unsupervised map minus that of the supervised one on the same
        held-out samples, and its interval of level 0.9.
    """

    supervised: MapResult
    unsupervised: MapResult
    permuted: MapResult
    method: str
    task: object
    estimator: object
    choice: dict
    gain: tuple

    @property
    def common(self):
        """The supervised map at the rows of the two others, in their order."""
        supervised = self.supervised
        if supervised.is_cross_validated:
            return supervised
        is_common = np.isin(supervised.rows, self.unsupervised.rows)
        is_common_held_out = is_common[supervised.n_fitted :]
        return replace(
            supervised,
            rows=supervised.rows[is_common],
            Z=supervised.Z[is_common],
            y=supervised.y[is_common],
            losses=supervised.losses[is_common_held_out],
        )
