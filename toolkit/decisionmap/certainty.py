"""A model as a function of samples: predictions f(x), and a classifier's distance r(x) from its decision boundary."""

import contextlib
import copy
import warnings
from dataclasses import dataclass

import numpy as np
import scipy.sparse
from joblib import delayed
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC, NuSVC
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from ..core.arrays import pick_rows
from ..core.checks import check_jobs, check_magnitude, short_repr
from ..core.progress import Shared, results
from ..core.scaling import row_blocks

ROWS_AT_ONCE = 4096


@dataclass(frozen=True)
class Answers:
    """What a model, or a picture of it, says of m samples.

    Attributes
    ----------
    values : ndarray of shape (m,), classes or predicted numbers
    certainty : ndarray of shape (m,), r(x) >= 0, zero at a class boundary, or None, as for a regressor
    signed : ndarray of shape (m,) or None, with two classes: certainty, positive for the second of the sorted two

    Examples
    --------
    >>> Answers(np.array([1.5, 2.0])).certainty is None
    True
    """

    values: np.ndarray
    certainty: np.ndarray | None = None
    signed: np.ndarray | None = None

    def of(self, rows):
        """Those of some of the samples."""
        return Answers(
            *(None if part is None else part[rows] for part in vars(self).values())
        )


class ModelFunction:
    """A fitted model as a function of samples.

    Parameters
    ----------
    model : fitted classifier or regressor of scikit-learn's kind
    certainty : "auto", "decision_function", "predict_proba", None or callable
        Where r(x) of a classifier comes from. "auto": for an SVC, alone or within
        pipelines and searches, the distances to the boundaries of its pairwise
        machines; else probabilities; else the decision function. Of several classes the
        value is the lead of the first over the second, which is zero at a boundary as
        long as the model decides for the first (moved thresholds do not; give a
        callable). A callable takes samples and returns one number per sample; with two
        classes negative ones are allowed and mean the first class. None: no certainty.
    frame : callable, optional, makes of numbers what the model was fitted to, such as a data frame
    n_jobs : int or None, threads of joblib

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
        try:
            kind = get_tags(model).estimator_type
        except (AttributeError, TypeError):  # no tags of scikit-learn's
            kind = None
        if (
            kind not in ("classifier", "regressor")
            or isinstance(model, type)
            or not hasattr(model, "predict")
        ):
            raise ValueError(
                "`model` must be a classifier or a regressor of scikit-learn's kind;"
                f" got {short_repr(model)}."
            )
        try:
            check_is_fitted(model)
        except NotFittedError:
            raise ValueError("`model` must be fitted; call its `fit` first.") from None
        self.classifies = kind == "classifier"
        if self.classifies and not hasattr(model, "classes_"):
            raise ValueError(
                "`model` must have `classes_` once it is fitted, as scikit-learn's"
                " classifiers do."
            )
        self.model, self.frame, self.n_jobs = model, frame, check_jobs(n_jobs)
        self.classes = np.asarray(model.classes_) if self.classifies else None
        self._machine = None
        self._source = self._chosen_source(certainty) if self.classifies else None

    def _chosen_source(self, certainty):
        """Where the certainty comes from: a function of samples, or the name of a method of the model."""
        if certainty is None or callable(certainty):
            return certainty
        if not isinstance(certainty, str) or certainty not in (
            "auto",
            "decision_function",
            "predict_proba",
        ):
            options = '"auto", "decision_function", "predict_proba", None or a callable'
            raise ValueError(
                f"`certainty` must be {options}; got {short_repr(certainty)}."
            )
        self._steps, last = _steps_and_last(self.model)
        if certainty == "auto" and isinstance(last, SVC | NuSVC):
            self._machine = PairwiseMachine(last)
            return certainty
        offered = [
            name
            for name in ("predict_proba", "decision_function")
            if hasattr(self.model, name)
        ]
        if certainty == "auto" and offered:
            certainty = offered[0]
        shape = getattr(last, "decision_function_shape", None)
        if (
            certainty == "decision_function"
            and shape == "ovo"
            and len(self.classes) > 2
        ):
            rule = (
                '`certainty` "decision_function" needs one column per class; `model`'
                " gives one per pair of classes"
            )
            raise ValueError(
                f'{rule}. Set `decision_function_shape="ovr"`, or show the SVC itself'
                ' with "auto".'
            )
        if certainty not in offered:
            missing = certainty.replace("auto", "predict_proba or decision_function")
            remedy = (
                "Give `certainty` a function of samples, or None to show the labels"
                " only."
            )
            raise ValueError(
                f"`model` has no {missing}, so that nothing says how certain it is."
                f" {remedy}"
            )
        return certainty

    def __call__(self, X):
        """:class:`Answers` for samples X (m, n_features)."""
        shared = Shared(function=self)  # the model may be large
        calls = (
            delayed(_answers)(shared, pick_rows(X, rows))
            for rows in row_blocks(len(X), 1, ROWS_AT_ONCE)
        )
        parts = results(calls, self.n_jobs, prefer="threads")
        values, scores = (
            None if part[0] is None else np.concatenate(part)
            for part in zip(*parts, strict=True)
        )
        certainty, signed = (
            (None, None) if scores is None else self._certainty(values, scores)
        )
        for what, numbers in (("predictions", values), ("certainties", certainty)):
            if numbers is None or numbers.dtype.kind != "f":
                continue
            if not np.isfinite(numbers).all():
                count = f"{np.sum(~np.isfinite(numbers))} of {len(numbers)} points"
                raise ValueError(
                    f"`model` gives {what} that are not finite for {count}, maybe"
                    " between the samples."
                )
            check_magnitude(numbers, f"{what} of the model")
        return Answers(values, certainty, signed)

    def _answers(self, X):
        """Predictions (m,) of a block of samples, and what the certainty is made of: (m,), (m, c) or None."""
        with _quiet_about_names():
            samples = X if self.frame is None else self.frame(X)
            if self._machine is not None:
                for step in self._steps:
                    samples = step.transform(samples)
                return self._machine(samples)
            values = np.asarray(
                self.model.predict(samples), dtype=None if self.classifies else float
            )
            if values.shape != (len(X),):
                one = "one class" if self.classifies else "one number"
                raise ValueError(
                    f"`model` must predict {one} per sample; got shape {values.shape}."
                )
            if self._source is None:
                return values, None
            source = (
                self._source
                if callable(self._source)
                else getattr(self.model, self._source)
            )
            return values, np.asarray(source(samples), dtype=float)

    def _certainty(self, values, scores):
        """Certainty and, with two classes, signed certainty (m,), by one rule for all samples."""
        n_classes = len(self.classes)
        if callable(self._source):
            if scores.shape != values.shape:
                raise ValueError(
                    "`certainty` must return one number per sample; got shape"
                    f" {scores.shape}."
                )
            least = scores.min(initial=0.0)
            if not least < 0:
                return scores, (
                    np.where(values == self.classes[1], scores, -scores)
                    if n_classes == 2
                    else None
                )
            if n_classes != 2:
                raise ValueError(
                    "`certainty` must not be negative with more than two classes; got"
                    f" {least:.6g}."
                )
        if n_classes == 1:
            return np.ones(len(values)), None
        if scores.ndim == 1:
            return np.abs(scores), scores if n_classes == 2 else None
        if scores.shape != (len(values), n_classes):
            rule = (
                f"`model`.{self._source} must return one column per class ({n_classes})"
            )
            raise ValueError(
                f"{rule}; got shape {scores.shape}. Give `certainty` a function of"
                " samples instead."
            )
        signed = scores[:, 1] - scores[:, 0] if n_classes == 2 else None
        return np.diff(np.partition(scores, -2, axis=1)[:, -2:])[:, 0], signed


def _answers(shared, block):
    return shared.function._answers(block)


def _steps_and_last(model):
    """The transformers before it, and the model at the end of pipelines and within searches."""
    steps = []
    while isinstance(model, Pipeline) or hasattr(model, "best_estimator_"):
        if not isinstance(model, Pipeline):
            model = model.best_estimator_
            continue
        if len(model) > 1:
            steps.append(model[:-1])
        model = model[-1]
    return steps, model


class PairwiseMachine:
    """An SVC as its machines for pairs of classes (one-versus-one): votes, and distances to boundaries."""

    def __init__(self, machine):
        self.machine = machine
        self._pairwise = copy.copy(machine).set_params(decision_function_shape="ovo")
        self.first, self.second = np.triu_indices(len(machine.classes_), 1)
        self.norms = self._norms()

    def __call__(self, X):
        classes, scores = self.machine.classes_, self.values(X)
        if len(classes) == 2:
            signed = -scores[:, 0] / self.norms[0]
            return classes[(signed > 0).astype(int)], signed
        wins, one = scores > 0, np.eye(len(classes), dtype=int)
        chosen = (wins @ one[self.first] + ~wins @ one[self.second]).argmax(axis=1)
        if self.machine.break_ties:
            chosen = np.searchsorted(classes, self.machine.predict(X))
        return classes[chosen], pairwise_distances_to_boundaries(
            scores, chosen, self.norms
        )

    def values(self, X):
        """Of each machine, positive for the first class of its pair, (m, c (c - 1) / 2)."""
        scores = self._pairwise.decision_function(X)
        return scores if scores.ndim == 2 else -scores[:, None]

    def _norms(self):
        """Lengths of the normal vectors w in the feature space, |w|^2 = sum_i a_i (f(x_i) - b), (c (c - 1) / 2,).

        Without vectors to compute kernels of they are 1: values then are not distances.
        """
        machine = self.machine
        if machine.kernel == "precomputed":
            return np.ones(len(self.first))
        with _quiet_about_names():
            if callable(machine.kernel):
                scores = self._pairwise.decision_function(_samples_of_kernel(machine))[
                    machine.support_
                ]
            else:
                scores = self._pairwise.decision_function(machine.support_vectors_)
        # w^T phi(x_i) of each machine
        products = scores.reshape(len(scores), -1) - machine.intercept_
        coefficients = (
            machine.dual_coef_.toarray()
            if scipy.sparse.issparse(machine.dual_coef_)
            else machine.dual_coef_
        )
        # support vectors of each class
        own = np.split(np.arange(len(scores)), np.cumsum(machine.n_support_)[:-1])
        squares = []
        for pair, (i, j) in enumerate(zip(self.first, self.second, strict=True)):
            I, J = own[i], own[j]
            squares.append(
                coefficients[j - 1, I] @ products[I, pair]
                + coefficients[i, J] @ products[J, pair]
            )
        norms = np.sqrt(np.maximum(squares, 0))
        return np.where(norms > 0, norms, 1.0)


def _samples_of_kernel(machine):
    """Training samples of an SVC with a callable kernel, to which alone they are handed."""
    seen = []

    def recording(X, samples):
        seen.append(samples)
        return np.zeros((len(X), machine.shape_fit_[0]))

    copy.copy(machine).set_params(kernel=recording).decision_function(np.zeros((1, 1)))
    return seen[0]


def pairwise_distances_to_boundaries(scores, chosen, norms):
    """Certainty (thesis, section 3.5), (m,): least distance to the boundaries of the machines that know the class.

    Scores (m, pairs) and norms (pairs,) in the order (0, 1), (0, 2), ...; scores are
    positive for the first of a pair.
    """
    c = (1 + int(np.sqrt(1 + 8 * scores.shape[1]))) // 2
    first, second = np.triu_indices(c, 1)
    involved = (chosen[:, None] == first) | (chosen[:, None] == second)
    return np.where(involved, np.abs(scores) / norms, np.inf).min(axis=1)


@contextlib.contextmanager
def _quiet_about_names():
    """Points between the samples come as arrays, whatever the model was fitted to."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        yield
