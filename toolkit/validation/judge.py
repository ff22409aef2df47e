"""The judge: errors of maps at rows that they were not fitted to.

A map is fitted to the training rows of a split and projects the others. Each row is
predicted by its nearest training rows in the map, the training rows by each other.
`validate_map`, `look`, `show` and `overfitting_check` use these functions.
"""

from dataclasses import dataclass, field, replace

import numpy as np
from joblib import delayed
from sklearn.neighbors import NearestNeighbors

from ..core import results
from .maps import fit_positions, fresh_copy, is_pairwise, transform_positions
from .models import N_NEIGHBORS


@dataclass(frozen=True, kw_only=True)
class Projection:
    """Positions of the rows of one split.

    Attributes
    ----------
    train, test : ndarray of int, shape (n_train,) and (n_test,)
        Numbers of the training rows and of the held-out rows.
    Z : ndarray of shape (n_train, n_components)
        Positions of the training rows.
    Z_new : ndarray of shape (n_test, n_components)
        Positions of the held-out rows.
    is_joint : bool, default=False
        Whether the map is one of all rows: each is predicted by the others.
    metric : "euclidean" or "precomputed", default="euclidean"
        "precomputed": in place of positions, Z (n_train, n_train) and Z_new (n_test,
        n_train) are distances to the training rows.
    fitted : estimator, optional
        The fitted map.
    """

    train: np.ndarray
    test: np.ndarray
    Z: np.ndarray = field(repr=False)
    Z_new: np.ndarray = field(repr=False)
    is_joint: bool = False
    metric: str = "euclidean"
    fitted: object = None


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """Losses of the rows of a split, or their means over several splits.

    Attributes
    ----------
    losses, scores : ndarray of shape (n_test,) or (n,)
        Losses and scores of held-out rows; NaN for rows that no split held out.
    training_losses : ndarray of shape (n_train,) or (n,)
        Losses of training rows, each predicted by the other training rows.
    predictions : ndarray of shape (n_test,) or (n_test, n_columns), optional
        Predictions of the held-out rows of one split.
    """

    losses: np.ndarray
    scores: np.ndarray
    training_losses: np.ndarray
    predictions: np.ndarray = None


def project_split(estimator, X, labels, train, test):
    """Fit a map to the rows `train` and project the rows `test`.

    Parameters
    ----------
    estimator : estimator
        Map from `as_map`, which is copied.
    X : ndarray or DataFrame of shape (n, d)
        All samples; similarities or distances (n, n) for a map of these.
    labels : ndarray of shape (n,) or (n, n_labels), or None
        What the map is fitted to.
    train, test : ndarray of int, shape (n_train,) and (n_test,)
        Numbers of the rows.

    Returns
    -------
    projection : Projection
        Positions of both, and the fitted map.
    """
    fitted = fresh_copy(estimator)
    labels_train = None if labels is None else labels[train]
    rows = _rows_for(fitted, X, train, train)
    Z = fit_positions(fitted, rows, labels_train)
    rows = _rows_for(fitted, X, test, train)
    Z_new = transform_positions(fitted, rows, Z.shape[1])
    return Projection(train=train, test=test, Z=Z, Z_new=Z_new, fitted=fitted)


def project(estimator, X, labels, splits, *, n_jobs=None, verbose=False):
    """Project the held-out rows of each split, as `project_split` does.

    Parameters
    ----------
    estimator, X, labels : object
        As of `project_split`.
    splits : list of (ndarray of int, ndarray of int)
        Training rows and held-out rows.
    n_jobs : int or None, default=None
        Number of parallel processes of joblib over splits.
    verbose : bool, default=False
        Whether to show a progress bar.

    Returns
    -------
    projections : list of Projection
        One per split, without the fitted maps.
    """
    jobs = (
        delayed(_positions_of_split)(estimator, X, labels, train, test)
        for train, test in splits
    )
    bar = len(splits), "fits", verbose
    return list(results(jobs, n_jobs, bar=bar))


def project_jointly(estimator, X, rows):
    """Fit a map without target to rows, each of which the others are to predict."""
    samples = _rows_for(estimator, X, rows, rows)
    Z = fit_positions(fresh_copy(estimator), samples)
    return Projection(train=rows, test=rows, Z=Z, Z_new=Z, is_joint=True)


def judge_split(projection, target, n_neighbors=N_NEIGHBORS):
    """Predict the rows of a split by their nearest training rows in the map.

    Parameters
    ----------
    projection : Projection
        Positions of the rows.
    target : Target
        Target of all rows.
    n_neighbors : int, default=5
        Number of neighbours.

    Returns
    -------
    judgement : Judgement
        Losses of the held-out rows and of the training rows, and predictions.
    """
    train_target = target[projection.train]
    test_target = target[projection.test]
    n_train = len(projection.train)
    search = NearestNeighbors(metric=projection.metric).fit(projection.Z)
    k = min(n_neighbors, n_train - 1)
    nearest = search.kneighbors(None, k, return_distance=False)
    training_predictions = target.neighbor_predictions(train_target.y, nearest)
    predictions = training_predictions
    if not projection.is_joint:
        # scikit-learn refuses to search neighbours of no rows.
        nearest = nearest[:0]
        if len(projection.Z_new):
            k = min(n_neighbors, n_train)
            nearest = search.kneighbors(
                projection.Z_new, k, return_distance=False
            )
        predictions = target.neighbor_predictions(train_target.y, nearest)
    return Judgement(
        losses=test_target.prediction_losses(predictions),
        scores=test_target.scores(predictions),
        training_losses=train_target.prediction_losses(training_predictions),
        predictions=predictions,
    )


def measure_split(projection, y, measure):
    """Compute the error of a split by a measure of nearest neighbours.

    Parameters
    ----------
    projection : Projection
        Positions of the rows, or distances.
    y : ndarray of shape (n,)
        Target of all rows.
    measure : callable
        Measure such as :func:`~toolkit.quality.knn_error`, whose rule for ties or
        weights differs from that of `judge_split`.

    Returns
    -------
    error : float
        Error on the held-out rows; of a joint map, on all rows.
    """
    training_y = y[projection.train]
    held_out = {}
    if not projection.is_joint:
        held_out = {"Z_new": projection.Z_new, "y_new": y[projection.test]}
    return measure(
        projection.Z, training_y, metric=projection.metric, **held_out
    )


def judge(projections, target, n_neighbors=N_NEIGHBORS):
    """Compute the mean losses and scores of each row over the splits.

    Parameters
    ----------
    projections : list of Projection
        Positions of the rows, one per split.
    target : Target
        Target of all n rows.
    n_neighbors : int, default=5
        Number of neighbours.

    Returns
    -------
    judgement : Judgement
        Means (n,); NaN for rows that no split held out, or fitted.
    """
    n_rows = len(target.y)
    train = [projection.train for projection in projections]
    test = [projection.test for projection in projections]
    losses = []
    scores = []
    training_losses = []
    for projection in projections:
        judgement = judge_split(projection, target, n_neighbors)
        losses.append(judgement.losses)
        scores.append(judgement.scores)
        training_losses.append(judgement.training_losses)
    return Judgement(
        losses=_row_means(test, losses, n_rows),
        scores=_row_means(test, scores, n_rows),
        training_losses=_row_means(train, training_losses, n_rows),
    )


def _positions_of_split(estimator, X, labels, train, test):
    """The `Projection` of a split, without the fitted map."""
    projection = project_split(estimator, X, labels, train, test)
    return replace(projection, fitted=None)


def _rows_for(estimator, X, rows, train):
    """Samples as the map takes them; of a matrix those to training samples."""
    if is_pairwise(estimator):
        return np.asarray(X)[np.ix_(rows, train)]
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def _row_means(rows, values, n_rows):
    """Mean of each row (n_rows,) of values in parts, NaN where it has none.

    `rows` are the numbers of the rows of each part.
    """
    rows = np.concatenate(rows)
    sums = np.bincount(rows, np.concatenate(values), n_rows)
    counts = np.bincount(rows, minlength=n_rows)
    with np.errstate(invalid="ignore"):
        return sums / counts
