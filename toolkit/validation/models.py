"""The models that are compared on a target: linear, nearest neighbours, forest.

Predictions are values, scores of labels, or probabilities of classes.
"""

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


def class_probabilities(model, X, classes):
    """Probabilities (n, n_classes) that a fitted model gives to classes.

    Classes that the model was not fitted to have the probability 0.
    """
    if is_regressor(model):
        return model.predict(X)
    P = np.zeros((len(X), len(classes)))
    columns = np.searchsorted(classes, model.classes_)
    P[:, columns] = model.predict_proba(X)
    k = getattr(model, "n_neighbors", 0)
    if not k:
        return P
    # Each class gets one more vote than it has neighbours.
    return (k * P + 1) / (k + P.shape[1])


def label_scores(model, X):
    """Scores (n, n_labels) of a fitted model, probabilities where it has these."""
    if not hasattr(model, "predict_proba"):
        return model.predict(X)
    scores = []
    labels = zip(model.predict_proba(X), model.classes_, strict=True)
    # P is (n, 2), or (n, 1) for a label of which only one of 0 and 1 was fitted.
    for P, values in labels:
        scores.append(P @ values)
    return np.column_stack(scores)


def class_votes(indicators):
    """Probabilities (n, n_classes) by the classes (n, k, n_classes) of k neighbours.

    Each class gets one more vote. Of classes of as many neighbours the nearer wins.
    """
    k = indicators.shape[1]
    weights = 1 + 1e-6 * np.arange(k, 0, -1)
    votes = np.tensordot(indicators, weights, (1, 0)) + 1
    return votes / votes.sum(axis=1, keepdims=True)
