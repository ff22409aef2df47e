"""What a model says of samples: its prediction f(x), and for a classifier how far from its class boundary, r(x)."""

import contextlib
import warnings
from dataclasses import dataclass

import numpy as np
import scipy.sparse
from joblib import Parallel, delayed
from sklearn.base import is_classifier, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC, NuSVC
from sklearn.utils.validation import check_is_fitted

__all__ = ["Answers", "ModelFunction", "pairwise_distances_to_boundaries"]

ROWS_AT_ONCE = 4096


@dataclass(frozen=True)
class Answers:
    """Of m samples.

    Attributes
    ----------
    values : ndarray of shape (m,), classes or predicted numbers
    certainty : ndarray of shape (m,) or None
        r(x) >= 0, zero at a class boundary; None for a regressor, or a classifier shown without.
    signed : ndarray of shape (m,) or None
        With two classes, certainty with the sign of the second class of the sorted two.
    """

    values: np.ndarray
    certainty: np.ndarray | None = None
    signed: np.ndarray | None = None


class ModelFunction:
    """A fitted model as a function of samples.

    Parameters
    ----------
    model : fitted classifier or regressor of scikit-learn's kind
    certainty : "auto", "decision_function", "predict_proba", None or callable
        Where r(x) of a classifier comes from. "auto": for an SVC, alone or within pipelines and searches, the distances
        to the boundaries of its pairwise machines; else probabilities; else the decision function. Of several classes
        the value is the lead of the first over the second, which is zero at a boundary as long as the model decides
        for the first (moved thresholds do not; give a callable). A callable takes samples
        and returns one number each; with two classes negative ones are allowed and mean the first class. None: no
        certainty.
    frame : callable, optional
        Makes of an array what the model was fitted to, such as a data frame.
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
            self.classifies, good = is_classifier(model), is_classifier(model) or is_regressor(model)
        except (AttributeError, TypeError):  # no tags of scikit-learn's
            good = False
        if not good or isinstance(model, type) or not hasattr(model, "predict"):
            raise ValueError(f"`model` must be a classifier or a regressor of scikit-learn's kind; got {model!r}.")
        try:
            check_is_fitted(model)
        except NotFittedError:
            raise ValueError("`model` must be fitted; call its `fit` first.") from None
        if self.classifies and not hasattr(model, "classes_"):
            raise ValueError("`model` must have `classes_` once it is fitted, as scikit-learn's classifiers do.")
        self.model, self._frame, self._n_jobs = model, frame, n_jobs
        self.classes = np.asarray(model.classes_) if self.classifies else None
        self._source, self._machine = self._chosen(certainty) if self.classifies else (None, None)

    def _chosen(self, certainty):
        """Name or callable of the source, and the pairwise machine if it is one."""
        if certainty is None or callable(certainty):
            return certainty, None
        if not isinstance(certainty, str) or certainty not in ("auto", "decision_function", "predict_proba"):
            raise ValueError(
                '`certainty` must be "auto", "decision_function", "predict_proba", None or a callable; got '
                f"{certainty!r}."
            )
        self._steps, last = _steps_and_last(self.model)
        if certainty == "auto" and isinstance(last, SVC | NuSVC):
            return "pairwise", PairwiseMachine(last)
        offered = [name for name in ("predict_proba", "decision_function") if hasattr(self.model, name)]
        if certainty == "auto" and offered:
            certainty = offered[0]
        shape = getattr(last, "decision_function_shape", None)
        if shape == "ovo" and certainty == "decision_function" and len(self.classes) > 2:
            raise ValueError(
                '`certainty` "decision_function" needs one column a class, but `model` gives one a pair of classes. '
                'Set `decision_function_shape="ovr"`, or show the SVC itself with "auto".'
            )
        if certainty not in offered:
            raise ValueError(
                f"`model` has no {'`predict_proba` or `decision_function`' if certainty == 'auto' else certainty}, so "
                "that nothing says how certain it is. Give `certainty` a function of samples, or None to show the "
                "labels only."
            )
        return certainty, None

    def __call__(self, X):
        """Answers for samples X (m, n_features)."""
        blocks = [X[i : i + ROWS_AT_ONCE] for i in range(0, len(X), ROWS_AT_ONCE)]
        parts = Parallel(self._n_jobs, prefer="threads")(delayed(self._answers)(block) for block in blocks)
        joined = [None if part[0] is None else np.concatenate(part) for part in zip(*parts, strict=True)]
        for what, numbers in zip(("predictions", "certainties", "certainties"), joined, strict=True):
            if numbers is not None and numbers.dtype.kind == "f" and not np.isfinite(numbers).all():
                raise ValueError(
                    f"`model` gives {what} that are not finite for {np.sum(~np.isfinite(numbers))} of "
                    f"{len(numbers)} points, of which some may lie between the samples."
                )
        if callable(self._source):
            joined[1:] = self._of_callable(*joined[:2])
        return Answers(*joined)

    def _answers(self, X):
        with _quiet_about_names():
            given = X if self._frame is None else self._frame(X)
            if not self.classifies:
                values = np.asarray(self.model.predict(given), dtype=float)
                if values.shape != (len(X),):
                    raise ValueError(f"`model` must predict one number a sample; got shape {values.shape}.")
                return values, None, None
            if self._source == "pairwise":
                for step in self._steps:
                    given = step.transform(given)
                return self._machine(given)
            values = np.asarray(self.model.predict(given))
            if values.shape != (len(X),):
                raise ValueError(f"`model` must predict one class a sample; got shape {values.shape}.")
            if self._source is None:
                return values, None, None
            if callable(self._source):
                scores = np.asarray(self._source(given), dtype=float)
                if scores.shape != (len(X),):
                    raise ValueError(f"`certainty` must return one number a sample; got shape {scores.shape}.")
                return values, scores, None
            scores = np.asarray(getattr(self.model, self._source)(given), dtype=float)
        if len(self.classes) == 1:
            return values, np.ones(len(X)), None
        if scores.ndim == 1:
            return values, np.abs(scores), scores
        if scores.shape != (len(X), len(self.classes)):
            raise ValueError(
                f"`model`.{self._source} must return one column a class ({len(self.classes)}); got shape "
                f"{scores.shape}. Give `certainty` a function of samples instead."
            )
        first = np.partition(scores, -2, axis=1)[:, -2:]
        signed = scores[:, 1] - scores[:, 0] if len(self.classes) == 2 else None
        return values, first[:, 1] - first[:, 0], signed

    def _of_callable(self, values, scores):
        if len(self.classes) == 2:
            negative = scores < 0
            signed = scores if negative.any() else np.where(values == self.classes[1], scores, -scores)
            return np.abs(scores), signed
        if scores.min(initial=0.0) < 0:
            raise ValueError(f"`certainty` must not be negative with more than two classes; got {scores.min():.6g}.")
        return scores, None


def _steps_and_last(model):
    """The transformers before it, and the model at the end of pipelines and within searches."""
    steps = []
    while isinstance(model, Pipeline) or hasattr(model, "best_estimator_"):
        if isinstance(model, Pipeline):
            steps += [model[:-1]] if len(model) > 1 else []
            model = model[-1]
        else:
            model = model.best_estimator_
    return steps, model


class PairwiseMachine:
    """An SVC as its machines for pairs of classes: votes, and distances to boundaries.

    Values are products of kernels with coefficients, a class at a time: the library's loop over support vectors takes
    five times as long.
    """

    def __init__(self, machine):
        self.machine, classes = machine, machine.classes_
        self.first, self.second = np.triu_indices(len(classes), 1)
        coefficients = machine.dual_coef_
        self.coefficients = coefficients.toarray() if hasattr(coefficients, "toarray") else coefficients
        self.vectors = machine.support_vectors_
        if callable(machine.kernel):  # the library then keeps all samples instead
            self.vectors = machine._BaseLibSVM__Xfit[machine.support_]
        ends = np.concatenate([[0], np.cumsum(machine.n_support_)])
        self.of_class = [slice(a, b) for a, b in zip(ends[:-1], ends[1:], strict=True)]
        self.norms = self._norms()

    def __call__(self, X):
        classes, scores = self.machine.classes_, self.values(X)
        if len(classes) == 2:
            signed = -scores[:, 0] / self.norms[0]
            return classes[(signed > 0).astype(int)], np.abs(signed), signed
        wins, votes = scores > 0, np.zeros((len(X), len(classes)), dtype=int)
        for pair, (i, j) in enumerate(zip(self.first, self.second, strict=True)):
            votes[:, i] += wins[:, pair]
            votes[:, j] += ~wins[:, pair]
        chosen = votes.argmax(axis=1)
        if self.machine.break_ties:
            chosen = np.searchsorted(classes, self.machine.predict(X))
        return classes[chosen], pairwise_distances_to_boundaries(scores, chosen, self.norms), None

    def values(self, X):
        """Of each machine, positive for the first class of its pair, (m, c (c - 1) / 2)."""
        if self.machine.kernel == "precomputed":
            K = np.asarray(X)[:, self.machine.support_]
        else:
            K = self._kernel(X)
        c = len(self.of_class)
        if c == 2:
            return -(K @ self.coefficients.T + self.machine.intercept_)
        parts = [K[:, rows] @ self.coefficients[:, rows].T for rows in self.of_class]  # each (m, c - 1)
        pairs = zip(self.first, self.second, strict=True)
        return np.column_stack([parts[i][:, j - 1] + parts[j][:, i] for i, j in pairs]) + self.machine.intercept_

    def _kernel(self, X):
        m = self.machine
        if callable(m.kernel):
            return m.kernel(X if scipy.sparse.issparse(X) else np.asarray(X, dtype=float), self.vectors)
        options = {"gamma": m._gamma, "degree": m.degree, "coef0": m.coef0}
        return pairwise_kernels(X, self.vectors, metric=m.kernel, filter_params=True, **options)

    def _norms(self):
        """Lengths of the normal vectors w in the feature space, |w|^2 = a^T K a.

        Without vectors to compute kernels of they are 1: values then are not distances.
        """
        if self.machine.kernel == "precomputed":
            return np.ones(len(self.first))
        K = self._kernel(self.vectors)
        squares = []
        for i, j in zip(self.first, self.second, strict=True):
            I, J = self.of_class[i], self.of_class[j]
            a, b = self.coefficients[j - 1, I], self.coefficients[i, J]
            squares.append(a @ K[I, I] @ a + 2 * a @ K[I, J] @ b + b @ K[J, J] @ b)
        norms = np.sqrt(np.maximum(squares, 0))
        return np.where(norms > 0, norms, 1.0)


def pairwise_distances_to_boundaries(scores, chosen, norms):
    """Certainty of section 3.5: the least distance to the boundaries of those machines that know the class.

    Parameters
    ----------
    scores : ndarray of shape (m, c (c - 1) / 2)
        Values of the machines, pairs in the order (0, 1), (0, 2), ..., positive for the first of the pair.
    chosen : ndarray of int, shape (m,), the class voted for
    norms : ndarray of shape (c (c - 1) / 2,), lengths of the machines' normal vectors

    Returns
    -------
    ndarray of shape (m,), >= 0

    Examples
    --------
    >>> scores = np.array([[2.0, 1.0, -3.0]])
    >>> pairwise_distances_to_boundaries(scores, np.array([0]), np.array([1.0, 4.0, 1.0])).tolist()
    [0.25]
    """
    c = (1 + int(np.sqrt(1 + 8 * scores.shape[1]))) // 2
    first, second = np.triu_indices(c, 1)
    distances = np.full(len(scores), np.inf)
    for pair, (i, j) in enumerate(zip(first, second, strict=True)):
        involved = (chosen == i) | (chosen == j)
        distances[involved] = np.minimum(distances[involved], np.abs(scores[involved, pair]) / norms[pair])
    return distances


@contextlib.contextmanager
def _quiet_about_names():
    """Points between the samples come as arrays, whatever the model was fitted to."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        yield
