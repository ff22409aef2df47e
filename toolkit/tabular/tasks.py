"""What follows from the kind of target: the models that are asked, the error they make, what chance gives.

Errors are fractions of wrong classes; of several labels the fraction of rows whose most probable label is none of
theirs (one-error); of a real value the root mean squared error over the standard deviation of the target.
"""

import warnings

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge, RidgeCV
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.svm import SVC, SVR

from .placing import PENALTIES
from .splits import folds

__all__ = ["Task", "task_of"]

PENALTY = 100.0  # of the linear model of many labels, which is fitted many times
N_NEIGHBORS = 5
TREES, LEAF = 50, 3  # of a forest that is fitted many times


def task_of(kind, y, names=()):
    """What follows from the kind of target: models, their error, what chance gives.

    Parameters
    ----------
    kind : "classes", "labels" or "value", as :class:`Table` has it in ``task``
    y : ndarray of shape (n,), classes or values, or (n, l), labels as 0 and 1
    names : sequence of l str, of the labels

    Returns
    -------
    Task, with ``models(seed)``, ``chance()``, ``error(y, predicted)`` and ``strata()`` for splits

    Examples
    --------
    >>> task = task_of("classes", np.array(["a", "a", "b"]))
    >>> round(task.chance(), 3), task.error(task.y, np.array(["a", "b", "b"]))[0].__round__(3)
    (0.333, 0.333)
    """
    return {"classes": Classes, "labels": Labels, "value": Value}[kind](y, names)


class Task:
    """A target y, (n,) or (n, l), and what follows from its kind; `names` are those of the labels."""

    error_name = "error"

    def __init__(self, y, names=()):
        self.y, self.names = y, list(names)

    def models(self, seed=0):
        """Models by name, not fitted: one linear, one of neighbours, one that takes interactions."""
        linear, neighbours, forest = self._models(seed)
        return {"linear model": linear, f"{N_NEIGHBORS} nearest neighbours": neighbours, "random forest": forest}

    def strata(self):
        """Classes whose shares splits keep, or None."""
        return None

    def n_splits(self, groups, most=5):
        return max(2, min(most, len(np.unique(groups))))

    def predictions(self, model, X, y, groups, seed):
        """Of each row, from a model that was fitted to the other folds."""
        splits = folds(None if self.strata() is None else y, groups, self.n_splits(groups), seed)
        found = None
        with warnings.catch_warnings(action="ignore"):  # of fits that did not converge: their error is measured
            for train, test in splits:
                part = self._answers(model, X[train], y[train], X[test])
                found = np.empty((len(y), *part.shape[1:]), part.dtype) if found is None else found
                found[test] = part
        return found

    def _answers(self, model, X, y, new):
        if y.ndim == 1 and np.all(y == y[0]):  # of a rare class all rows are in the fold that is kept out
            return np.repeat(y[:1], len(new))
        if getattr(model, "n_neighbors", 0) > len(X):
            model.set_params(n_neighbors=len(X))
        return self.predict(model.fit(X, y), new)

    def predict(self, fitted, X):
        return fitted.predict(X)

    def error(self, y, predicted):
        """The error, and its standard error."""
        return self.from_losses(self.losses(y, predicted), y)

    def from_losses(self, loss, y):
        """The same from what each row loses."""
        share = (loss.sum() + 1) / (len(loss) + 2)  # so that no wrong row of few does not look certain
        return float(loss.mean()), float(np.sqrt(share * (1 - share) / len(loss)))

    def percent(self, value):
        """An error in words."""
        return f"{100 * value:.1f} %" if 0 < value < 0.1 else f"{100 * value:.0f} %"


class Classes(Task):
    """Classes, (n,) of str."""

    error_name = "wrong classes"

    def _models(self, seed):
        yield LogisticRegression(max_iter=1000)
        yield KNeighborsClassifier(N_NEIGHBORS)
        yield RandomForestClassifier(TREES, min_samples_leaf=LEAF, random_state=seed)

    def usual_models(self, seed):
        """Three models to look at in the plane."""
        forest = RandomForestClassifier(100, random_state=seed)
        return {"logistic regression": LogisticRegression(max_iter=1000), "random forest": forest, "SVM": SVC()}

    def strata(self):
        return self.y

    def n_splits(self, groups, most=5):
        first = np.unique(groups, return_index=True)[1]
        return max(2, min(most, np.unique(self.y[first], return_counts=True)[1].min()))

    def chance(self):
        """Error of the answer that is most often right."""
        return 1 - float(np.unique(self.y, return_counts=True)[1].max()) / len(self.y)

    def losses(self, y, predicted):
        return (y != predicted).astype(float)


class Labels(Task):
    """Several labels per sample, (n, l) of 0 and 1."""

    error_name = "rows whose most probable label is none of theirs"

    def _models(self, seed):
        yield Ridge(PENALTY)
        yield KNeighborsClassifier(N_NEIGHBORS)
        yield RandomForestClassifier(TREES, min_samples_leaf=LEAF, random_state=seed)

    def predict(self, fitted, X):
        """Score of each label, (m, l): its probability where the model has such."""
        found = fitted.predict_proba(X) if hasattr(fitted, "predict_proba") else fitted.predict(X)
        if isinstance(found, list):  # one (m, 2) for each label, (m, 1) where only one of 0 and 1 was met
            each = zip(found, fitted.classes_, strict=True)
            found = np.column_stack([p[:, list(c).index(1)] if 1 in c else 0 * p[:, 0] for p, c in each])
        return found

    def chance(self):
        return 1 - float(self.y.mean(axis=0).max())

    def losses(self, y, predicted):
        return 1.0 - y[np.arange(len(y)), predicted.argmax(axis=1)]


class Value(Task):
    """A real value, (n,)."""

    error_name = "root mean squared error / standard deviation of the target"

    def _models(self, seed):
        yield RidgeCV(PENALTIES)
        yield KNeighborsRegressor(N_NEIGHBORS)
        yield RandomForestRegressor(TREES, max_features=1 / 3, min_samples_leaf=LEAF, random_state=seed)

    def usual_models(self, seed):
        """Three models to look at in the plane."""
        forest = RandomForestRegressor(100, max_features=1 / 3, random_state=seed)
        return {"ridge regression": RidgeCV(PENALTIES), "random forest": forest, "SVM": SVR(C=float(np.std(self.y)))}

    def chance(self):
        return 1.0

    def losses(self, y, predicted):
        return (y - predicted) ** 2

    def from_losses(self, loss, y):
        spread = float(np.std(y)) or 1.0
        error = float(np.sqrt(loss.mean()))
        return error / spread, float(loss.std() / np.sqrt(len(loss)) / (2 * max(error, 1e-300)) / spread)

    def percent(self, value):
        return f"{value:.2f}"
