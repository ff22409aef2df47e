"""The models that are compared on a target: linear, nearest neighbours, forest."""

import warnings

import numpy as np
from sklearn.base import clone, is_regressor
from sklearn.ensemble import RandomForestRegressor

N_NEIGHBORS = 5
RIDGE_PENALTIES = tuple(10.0**k for k in range(-2, 5))
# The linear model of many labels is fitted many times: its penalty is fixed.
LABELS_PENALTY = 100.0
# The forest is fitted many times, too.
FOREST_TREES, FOREST_LEAF = 50, 3


def models_by_name(target, seed):
    """The models of a target by name, not fitted, with a forest that is fitted fast."""
    return {
        "linear model": clone(target.linear),
        f"{N_NEIGHBORS} nearest neighbours": target.neighbours(N_NEIGHBORS),
        # Trees of indicators are those of classes, in less time.
        "random forest": RandomForestRegressor(
            FOREST_TREES,
            max_features=target.forest.max_features,
            min_samples_leaf=FOREST_LEAF,
            random_state=seed,
        ),
    }


def fit_predict(target, model, X, train, test):
    """Fit a model to the rows `train` of X and predict the rows `test`.

    Parameters are those of `Target.fit_predict`.
    """
    training_y = target.y[train]
    if training_y.ndim == 1 and np.all(training_y == training_y[0]):
        # All rows of a rare class are held out: the others are predicted by any row.
        nearest = np.zeros((len(test), 1), dtype=int)
        return target.neighbor_predictions(training_y, nearest)
    if getattr(model, "n_neighbors", 0) > len(train):
        model = clone(model).set_params(n_neighbors=len(train))
    if is_regressor(model):
        training_y = target.columns(training_y)
    # Fits that did not converge warn; their error is measured.
    with warnings.catch_warnings(action="ignore"):
        model.fit(X[train], training_y)
        return target.predict(model, X[test])
