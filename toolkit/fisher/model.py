"""Fisher metric of the class probabilities of a classifier."""

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import check_is_fitted

from ..core import (
    NotNegative,
    check_classes,
    fit_method,
    parameters,
    require,
    short_repr,
    suppress_scale_warning,
    training_samples,
    warn_of_scales,
)
from ..lvq import RSLVQ
from .base import ClassFisher
from .parzen import ParzenFisher
from .softmax_models import Components

LINEAR_MODELS = LogisticRegression | LinearDiscriminantAnalysis


@parameters
class ModelFisher(ClassFisher):
    """Fisher metric of the class probabilities of a classifier.

    Its distances grow where the prediction of the classifier changes. Robust soft LVQ,
    logistic regression and linear discriminant analysis have differentiable
    probabilities. Of any other classifier the predicted labels are used, and a Parzen
    window estimates their probabilities: Schulz (2017), 2.4.1 (b).

    For a pipeline on rows that are not numbers (text, categories, gaps) give its last
    step, and the samples as transformed by the steps before it:
    ``ModelFisher(model[-1]).fit(model[:-1].transform(X))``.

    Parameters
    ----------
    model : classifier, fitted or not
        Classifier of scikit-learn's kind. It is cloned and fitted if it is not fitted
        yet.
    lam : float >= 0, default=0.0
        Weight of the Euclidean metric added, J + lam I, (2.16).
    n_jobs : int or None, default=None
        Number of threads of joblib for distances; None means 1, -1 all cores.
    verbose : bool, default=False
        Whether to show a progress bar.

    Attributes
    ----------
    model_ : classifier
        The fitted one; `model` itself if it was fitted already.
    parzen_ : ParzenFisher or None
        The Parzen window, where probabilities are estimated from predicted labels.
    classes_ : ndarray of shape (n_classes,)
        Class names.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> ModelFisher(RSLVQ()).fit(X, y).distances().shape
    (150, 150)
    """

    _compares_samples = False  # `fit` warns where they are

    model: object
    lam: NotNegative = 0.0

    @fit_method
    def fit(self, X, y=None):
        """Fit the metric to the classifier's probabilities at the samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,), default=None
            Target: classes, one per sample. Needed if the classifier is not fitted yet.

        Returns
        -------
        self : object
            The fitted metric.

        Raises
        ------
        ValueError
            If `model` is not a classifier, cannot be fitted or predict `X`, or predicts
            one class for all samples.
        """
        model = self.model
        try:
            numbers = training_samples(self, X)
        except (TypeError, ValueError) as error:
            raise type(error)(
                f"{error} Where `model` takes such rows itself, give numbers: of a"
                " pipeline ModelFisher(model[-1]).fit(model[:-1].transform(X)), or for"
                " other numbers P ParzenFisher().fit(P, model.predict(X))."
            ) from None
        is_estimator = hasattr(model, "fit") and not isinstance(model, type)
        is_valid = is_estimator and is_classifier(model)
        require(is_valid, "model", "a classifier of scikit-learn's kind", model)
        if self.lam or not isinstance(model, LINEAR_MODELS):
            warn_of_scales(numbers, self)
        with suppress_scale_warning():
            self._fit_components(X, numbers, y)
        return self

    def _fit_model(self, X, y, n_samples):
        """The model itself if it is fitted, else a clone of it, fitted to X and y."""
        try:
            check_is_fitted(self.model)
            return self.model
        except NotFittedError:
            check_classes(y, n_samples)
        try:
            return clone(self.model).fit(X, y)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"`model` cannot be fitted to `X` and `y`: {error}"
            ) from error

    def _fit_components(self, X_raw, X, y):
        """Set the components of the model's probabilities.

        `X_raw` are the samples as they were handed in, X (n, d) the same as numbers.
        """
        self._keep(X)
        model = self._fit_model(X_raw, y, len(X))
        self.model_ = model
        try:
            # The model has rules of its own, names of features included.
            predicted_labels = model.predict(X_raw)
        except (TypeError, ValueError) as error:
            raise ValueError(f"`model` cannot predict `X`: {error}") from None
        if len(np.unique(predicted_labels)) < 2:
            raise ValueError(
                "`model` gives all of `X` one class,"
                f" {short_repr(predicted_labels[0])}: its Fisher matrices are 0."
            )
        self.classes_ = model.classes_
        self.parzen_ = None
        # the class of each component, and its logit, affine in X
        if isinstance(model, RSLVQ):
            prototypes = model.prototypes_ - self._mean
            _, codes = np.unique(model.prototype_labels_, return_inverse=True)
            self._components = Components(codes)
            self._coefficients = prototypes / model.sigma2_
            norms2 = np.sum(prototypes**2, axis=1)
            self._offsets = -norms2 / (2 * model.sigma2_)
        elif isinstance(model, LINEAR_MODELS):
            n_classes = len(self.classes_)
            # Two classes have one row, that of the second; the first gets zeros.
            n_zeros = int(n_classes == 2)
            self._components = Components(np.arange(n_classes))
            self._coefficients = np.pad(model.coef_, ((n_zeros, 0), (0, 0)))
            intercepts = np.pad(model.intercept_, (n_zeros, 0))
            self._offsets = intercepts + self._coefficients @ self._mean
        else:
            self.parzen_ = ParzenFisher(lam=self.lam).fit(X, predicted_labels)
            self.classes_ = self.parzen_.classes_
            self._components = self.parzen_._components

    def _logits(self, X):
        """Affine logits of the model, or those of the window."""
        if self.parzen_ is not None:
            return self.parzen_._logits(X)
        return (X - self._mean) @ self._coefficients.T + self._offsets

    def _logit_gradients(self):
        """Coefficients (m, d) of the model, or the gradients of the window."""
        if self.parzen_ is not None:
            return self.parzen_._logit_gradients()
        return self._coefficients
