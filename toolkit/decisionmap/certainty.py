"""A model as a function of samples: predictions f(x), and a classifier's certainty.

The certainty r(x) is the distance from the decision boundary.
"""

import copy
from contextlib import suppress
from typing import NamedTuple

import numpy as np
from joblib import delayed
from scipy import sparse
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC, NuSVC
from sklearn.utils import get_tags

from ..core import (
    Shared,
    check_is_fitted,
    check_jobs,
    check_magnitude,
    check_option,
    from_column,
    pick_rows,
    require,
    results,
    row_blocks,
    safe_root,
    suppress_name_warning,
    warn,
)

ROWS_AT_ONCE = 4096
SCORES = ("predict_proba", "decision_function")
SINGLE_TARGET = "Fit it to a single target."


class Predictions(NamedTuple):
    """Predictions of a model, or of its decision map, for m samples.

    Parameters
    ----------
    values : ndarray of shape (m,)
        Classes or predicted numbers.
    certainty : ndarray of shape (m,) or None, default=None
        Certainty r(x) >= 0, zero at a class boundary; None for a regressor.
    signed : ndarray of shape (m,) or None, default=None
        With two classes: certainty, positive for the second of the sorted two.

    Examples
    --------
    >>> Predictions(np.array([1.5, 2.0])).certainty is None
    True
    """

    values: np.ndarray
    certainty: np.ndarray | None = None
    signed: np.ndarray | None = None

    def of(self, rows):
        """Return the predictions for some of the samples.

        Parameters
        ----------
        rows : slice, or ndarray of any shape
            Indices of the samples.

        Returns
        -------
        selected : Predictions
            Predictions, in the shape of `rows`.
        """
        parts = []
        for part in self:
            parts.append(None if part is None else part[rows])
        return Predictions(*parts)


class ModelFunction:
    """A fitted model as a function of samples.

    Parameters
    ----------
    model : fitted classifier or regressor
        Model with the interface of scikit-learn.
    certainty : str, callable or None, default="auto"
        Source of the certainty r(x) of a classifier: "auto", "decision_function",
        "predict_proba", a callable or None. "auto": for an SVC, alone or within
        pipelines and searches, the distances to the boundaries of its pairwise machines
        (values of them where the kernel is a function). Otherwise probabilities, else
        the decision function, else, with a warning, None. For several classes the value
        is the difference between the first and the second class. It is zero at a
        boundary as long as the model decides for the first; with moved thresholds it
        does not: give a callable. A callable takes samples and returns one number per
        sample. For two classes negative numbers are allowed and mean the first class.
        None: no certainty.
    frame : callable, optional
        Function that turns numbers into the input of the model, such as a data frame.
    n_jobs : int or None, default=None
        Number of parallel jobs of joblib; None means 1, -1 all cores.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> answers = ModelFunction(LogisticRegression(max_iter=500).fit(X, y))(X[:2])
    >>> answers.values.tolist(), answers.certainty.round(2).tolist()
    ([0, 0], [0.96, 0.94])
    """

    def __init__(self, model, certainty="auto", *, frame=None, n_jobs=None):
        kind = estimator_kind(model)
        require(
            kind in ("classifier", "regressor"),
            "model",
            "a classifier or a regressor of scikit-learn's kind",
            model,
        )
        check_is_fitted(model)
        self.classifies = kind == "classifier"
        self.model = model
        self.frame = frame
        self.n_jobs = check_jobs(n_jobs)
        self.classes = known_classes(model) if self.classifies else None
        self._machine = None
        self._source = self._find_source(certainty) if self.classifies else None

    def _find_source(self, certainty):
        """Where the certainty comes from: a function of samples, or a method's name."""
        if certainty is None or callable(certainty):
            return certainty
        check_option(certainty, "certainty", ("auto", *SCORES, None))
        self._steps, last = _steps_and_last(self.model)
        if certainty == "auto" and isinstance(last, SVC | NuSVC):
            self._machine = PairwiseMachine(last)
            return certainty
        offered = [name for name in SCORES if hasattr(self.model, name)]
        if certainty == "auto":
            if not offered:
                warn(
                    "`model` has no predict_proba or decision_function: its labels are"
                    " shown without a certainty."
                )
                return None
            certainty = offered[0]
        # Columns of pairs of classes are no certainty of a class.
        is_pairwise = getattr(last, "decision_function_shape", None) == "ovo"
        if certainty == SCORES[1] and is_pairwise and len(self.classes) > 2:
            raise ValueError(
                '`certainty` "decision_function" needs one column per class; `model`'
                " gives one per pair of classes. Set"
                ' `decision_function_shape="ovr"`, or show the SVC itself with "auto".'
            )
        if certainty not in offered:
            raise ValueError(
                f"`model` has no {certainty}. Give `certainty` a function of samples,"
                " or None to show the labels only."
            )
        return certainty

    def __call__(self, X):
        """Return :class:`Predictions` for samples X (m, n_features)."""
        shared = Shared(function=self)  # the model may be large
        blocks = row_blocks(len(X), 1, ROWS_AT_ONCE)
        calls = (
            delayed(_answers)(shared, pick_rows(X, rows)) for rows in blocks
        )
        parts = results(calls, self.n_jobs, prefer="threads")
        value_blocks, score_blocks = zip(*parts, strict=True)
        values = np.concatenate(value_blocks)
        _check_finite(values, "predictions")
        if score_blocks[0] is None:
            return Predictions(values)
        scores = np.concatenate(score_blocks)
        certainty, signed = self._certainty(values, scores)
        _check_finite(certainty, "certainties")
        return Predictions(values, certainty, signed)

    def _certainty(self, values, scores):
        """Certainty and, with two classes, signed certainty (m,).

        `values` (m,) are the predictions, `scores` (m,) or (m, c) those of `_answers`.
        """
        n_classes = len(self.classes)
        if callable(self._source):
            rule = f"a function that returns shape {values.shape}"
            require(
                scores.shape == values.shape, "certainty", rule, scores.shape
            )
            smallest = scores.min(initial=0.0)
            if not smallest < 0:
                if n_classes != 2:
                    return scores, None
                signs = np.where(values == self.classes[-1], 1, -1)
                return scores, signs * scores
            if n_classes != 2:
                raise ValueError(
                    "`certainty` must not be negative with more than two classes; got"
                    f" {smallest:.6g}."
                )
        if n_classes == 1:
            # A single class has no boundary.
            return np.ones(len(values)), None
        if scores.ndim == 1 and self._source != SCORES[0]:
            # The scores are a decision function of two classes.
            return np.abs(scores), scores if n_classes == 2 else None
        if scores.shape != (len(values), n_classes):
            raise ValueError(
                f"`model`.{self._source} must return one column per class"
                f" ({n_classes}); got shape {scores.shape}. Give `certainty` a"
                " function of samples instead."
            )
        signed = None
        if n_classes == 2:
            signed = scores[:, 1] - scores[:, 0]
        second, first = np.partition(scores, -2, axis=1)[:, -2:].T
        return first - second, signed


def _answers(shared, X):
    """Predictions (m,) of a block of samples, and the scores behind a certainty.

    Scores are of shape (m,) or (m, c), or None.

    `shared` holds the `function` that predicts, with its model and steps.
    """
    function = shared.function
    with suppress_name_warning():
        samples = X
        if function.frame is not None:
            samples = function.frame(X)
        if function._machine is not None:
            for step in function._steps:
                samples = step.transform(samples)
            return function._machine(samples)
        values = one_output(function.model.predict(samples), len(X))
        if not function.classifies:
            values = values.astype(float)
        source = function._source
        if source is None:
            return values, None
        if not callable(source):
            source = getattr(function.model, source)
        # Scores of a single output may be in a list.
        scores = np.asarray(source(samples), dtype=float).reshape(len(X), -1)
        return values, from_column(scores)


def estimator_kind(model):
    """What an estimator is by its tags, such as "classifier"; None of other objects."""
    with suppress(AttributeError, TypeError):
        return get_tags(model).estimator_type


def one_output(predicted, m):
    """What a model predicts for m samples, (m,); a column (m, 1) is taken as that."""
    values = from_column(np.asarray(predicted))
    rule = f"a model of one output, with predictions of shape ({m},)"
    require(
        values.shape == (m,), "model", rule, values.shape, remedy=SINGLE_TARGET
    )
    return values


def known_classes(model):
    """The classes (c,) of a fitted classifier of one output."""
    classes = [np.ravel(part) for part in getattr(model, "classes_", ())]
    lengths = [len(part) for part in classes]
    is_one = len(classes) == 1 or max(lengths, default=0) == 1
    rule = "a model of one output, with its `classes_`"
    require(is_one, "model", rule, model, remedy=SINGLE_TARGET)
    return np.concatenate(classes)


def _check_finite(numbers, quantity):
    """Refuse predictions or certainties that no picture could show.

    `quantity` names them in the message.
    """
    if numbers.dtype.kind != "f":
        return
    wrong = np.sum(~np.isfinite(numbers))
    if wrong:
        raise ValueError(
            f"`model` gives {quantity} that are not finite for {wrong} of"
            f" {len(numbers)}"
            " points, maybe between the samples."
        )
    check_magnitude(numbers, f"{quantity} of the model")


def as_pipeline(model):
    """The steps by which a model predicts; samplers of imbalanced-learn only fit.

    A search predicts by its best estimator.
    """
    while hasattr(model, "best_estimator_"):
        model = model.best_estimator_
    steps = [("model", model)]
    if isinstance(model, Pipeline):
        steps = model.steps
    predicting = [
        (name, step)
        for name, step in steps
        if not hasattr(step, "fit_resample")
    ]
    return Pipeline(predicting)


def _steps_and_last(model):
    """The transformers of pipelines and searches, and the model at their end."""
    steps = []
    # Pipelines and searches may be nested.
    while isinstance(model, Pipeline) or hasattr(model, "best_estimator_"):
        model = as_pipeline(model)
        if len(model) > 1:
            steps.append(model[:-1])
        model = model[-1]
    return steps, model


class PairwiseMachine:
    """An SVC as its machines for pairs of classes: predictions and distances."""

    def __init__(self, machine):
        self.machine = machine
        self._pairwise = copy.copy(machine).set_params(
            decision_function_shape="ovo"
        )
        self.first, self.second = np.triu_indices(len(machine.classes_), 1)
        self.norms = self._norms()

    def __call__(self, X):
        """Predicted classes (m,) of samples X (m, d), and their distances (m,)."""
        predicted = self.machine.predict(X)
        scores = self.values(X)
        if len(self.norms) == 1:
            return predicted, scores[:, 0] / self.norms[0]
        chosen = np.searchsorted(self.machine.classes_, predicted)
        return predicted, self.distances(scores, chosen)

    def distances(self, scores, chosen):
        """Least distance (m,) to the boundaries of the machines that involve the class.

        That is the certainty of the thesis, section 3.5. Scores (m, pairs) are in the
        order (0, 1), (0, 2), ..., classes `chosen` by the votes (m,) numbers.
        """
        chosen = chosen[:, None]
        involved = (chosen == self.first) | (chosen == self.second)
        lengths = np.abs(scores) / self.norms
        return np.where(involved, lengths, np.inf).min(axis=1)

    def values(self, X):
        """Return those of each machine, (m, c (c - 1) / 2).

        They are positive for the first class of its pair; for the second where there
        are two classes only, as scikit-learn's.
        """
        scores = self._pairwise.decision_function(X)
        return scores.reshape(len(scores), -1)

    def _norms(self):
        """Lengths of the normal vectors w in the feature space, (c (c - 1) / 2,).

        |w|^2 = sum_i a_i (f(x_i) - b). Of a kernel that is a function or precomputed a
        machine keeps no vectors; there they are 1: values then are not distances.
        """
        machine = self.machine
        if machine.kernel == "precomputed" or callable(machine.kernel):
            return np.ones(len(self.first))
        with suppress_name_warning():
            scores = self.values(machine.support_vectors_)
        # Products are w^T phi(x_i) of each machine.
        products = scores - machine.intercept_
        a = machine.dual_coef_
        if sparse.issparse(a):
            a = a.toarray()
        # A support vector has a coefficient for each other class.
        classes = np.arange(len(machine.n_support_))
        class_of_vector = np.repeat(classes, machine.n_support_)[:, None]
        is_first = class_of_vector == self.first
        is_second = class_of_vector == self.second
        of_first = np.where(is_first, a[self.second - 1].T, 0)
        of_second = np.where(is_second, a[self.first].T, 0)
        norms = safe_root(np.sum((of_first + of_second) * products, axis=0))
        return np.where(norms > 0, norms, 1.0)
