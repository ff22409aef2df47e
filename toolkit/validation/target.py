"""A target, and what follows from its kind: losses, errors, models, samples, words."""

from copy import copy

import numpy as np
from sklearn.base import clone

from . import intervals
from .intervals import INTERVAL_LEVEL
from .models import fit_predict, models_by_name
from .splits import MOST_AS_THEY_ARE, class_weights, draw_sample


class Target:
    """A target, and what follows from its kind; without a kind it is no target.

    Parameters
    ----------
    y : ndarray of shape (n_samples,) or (n_samples, n_labels)
        Target; zeros if there is none.
    names : sequence of str, default=()
        Names of the classes or labels.

    Attributes
    ----------
    kind : "classes", "labels", "values" or None
        Kind of the target.
    is_value : bool
        Whether the target holds real values.
    classes : ndarray of shape (n_classes,)
        Different values of the target.
    rare_classes : sequence
        Classes with less than 5 % of the samples and less than half of an equal part of
        them, the rarest first.
    weights : ndarray of shape (n_samples,) or None
        Weights of the samples in errors and in the baseline; None weights them equally.

    Examples
    --------
    >>> Target(np.zeros(3)).strata() is None
    True
    """

    kind = None
    is_value = False
    rare_classes = ()
    weights = None

    def __init__(self, y, names=()):
        self.y = y
        self.names = list(names)
        self.classes = np.unique(y)

    def of(self, y):
        """Return the same of another target; the classes stay.

        Parameters
        ----------
        y : ndarray of shape (n_rows,) or (n_rows, n_labels)
            Another target, such as a part or a permutation.

        Returns
        -------
        target : Target
            Copy with this target.
        """
        target = copy(self)
        target.y = y
        target.weights = None
        return target

    def __getitem__(self, rows):
        """Return the target of some rows, by their numbers or truth values (n,)."""
        part = self.of(self.y[rows])
        if self.weights is not None:
            part.weights = self.weights[rows]
        return part

    def strata(self):
        """Return classes whose proportions splits keep.

        Returns
        -------
        strata : ndarray of shape (n_samples,) or None
            Classes; None of labels and values.
        """
        return None

    def with_sample(self, rows):
        """Return the target with weights, so that a sample has its proportions.

        Parameters
        ----------
        rows : ndarray of int, shape (n_rows,)
            Numbers of its rows, from :meth:`sample` or of one side of a split.

        Returns
        -------
        target : Target
            The same target. Where a proportional sample has fewer than 20 rows of a
            class, errors weight classes by proportions in all rows over its own.
        """
        strata = self.strata()
        if strata is None or len(self.y) <= MOST_AS_THEY_ARE:
            return self
        weights = class_weights(strata, rows)
        if weights is None:
            return self
        target = copy(self)
        target.weights = weights
        return target

    def sample(self, most_rows, seed):
        """Draw rows at random, and with them rows of each class.

        Parameters
        ----------
        most_rows : int
            Largest number of rows.
        seed : int or numpy Generator
            Seed of the random number generator, or the generator.

        Returns
        -------
        rows : ndarray of int, shape (n_rows,)
            Numbers of the rows, sorted. Of more than 1,000 rows they contain at least
            20 of each class, or all that it has; fewer if not all can have so many.
        """
        return draw_sample(self.strata(), len(self.y), most_rows, seed)

    def models(self, seed=0):
        """Return models by name, not fitted: linear, neighbours, random forest.

        Parameters
        ----------
        seed : int, default=0
            Seed of the random number generator.

        Returns
        -------
        models : dict of str to estimator
            Models by name.
        """
        return models_by_name(self, seed)

    def usual_models(self, seed):
        """Return models for decision maps by name, of the kinds of `models`.

        Parameters
        ----------
        seed : int
            Seed of the random number generator.

        Returns
        -------
        models : dict of str to estimator
            Those of `models`, with a random forest that has `classes_`.
        """
        forest = clone(self.forest).set_params(random_state=seed)
        return self.models(seed) | {"random forest": forest}

    def fit_predict(self, model, X, train, test):
        """Fit a model to some rows and predict others.

        Parameters
        ----------
        model : estimator
            Model to be fitted.
        X : ndarray of shape (n_samples, n_features)
            Samples.
        train : ndarray of int, shape (n_train,)
            Numbers of the rows to fit.
        test : ndarray of int, shape (n_test,)
            Numbers of the rows to predict.

        Returns
        -------
        predictions : ndarray of shape (n_test,) or (n_test, n_columns)
            Predictions as `predict` returns them.
        """
        return fit_predict(self, model, X, train, test)

    def predict(self, model, X):
        """Predict samples: values, scores of labels, or probabilities of classes.

        Parameters
        ----------
        model : estimator
            Fitted model.
        X : ndarray of shape (n_rows, n_features)
            Samples.

        Returns
        -------
        predictions : ndarray of shape (n_rows,) or (n_rows, n_columns)
            Predictions. The score of a label is its probability where the model has
            one; for neighbours each class gets one more vote.
        """
        return model.predict(X)

    def neighbor_predictions(self, y, nearest):
        """Predict rows by the mean target, or the classes, of their neighbours.

        Parameters
        ----------
        y : ndarray of shape (n_fitted,) or (n_fitted, n_labels)
            Targets of the rows among which neighbours are searched.
        nearest : ndarray of int, shape (n_rows, k)
            Numbers of the neighbours of each row, the nearest first.

        Returns
        -------
        predictions : ndarray of shape (n_rows,) or (n_rows, n_columns)
            Predictions; of classes probabilities, with one more vote for each class.
        """
        return y[nearest].mean(axis=1)

    def columns(self, y):
        """Return a target as numbers to be predicted.

        Parameters
        ----------
        y : ndarray of shape (n_rows,) or (n_rows, n_labels)
            True target of the rows.

        Returns
        -------
        columns : ndarray of shape (n_rows,) or (n_rows, n_columns)
            Of classes indicators 0 and 1; else the target itself.
        """
        return y

    def decide(self, predictions):
        """Return the target that predictions amount to.

        Parameters
        ----------
        predictions : ndarray of shape (n_rows,) or (n_rows, n_columns)
            Predictions as `predict` returns them.

        Returns
        -------
        predicted : ndarray of shape (n_rows,) or (n_rows, n_labels)
            The most probable classes, labels with a score above 1/2, or the values.
        """
        return predictions

    def baseline(self):
        """Return the error of the best constant prediction.

        Returns
        -------
        error : float
            NaN without a kind.
        """
        return np.nan

    def prediction_losses(self, predictions):
        """Compute the loss of each row for predictions.

        Parameters
        ----------
        predictions : ndarray of shape (n_rows,) or (n_rows, n_columns)
            Predictions as `predict` returns them.

        Returns
        -------
        losses : ndarray of shape (n_rows,)
            Loss of each row.
        """
        return self.losses(self.decide(predictions))

    def losses(self, predicted):
        """Compute the loss of each row.

        Parameters
        ----------
        predicted : ndarray of shape (n_rows,) or (n_rows, n_labels)
            Predicted target of the rows.

        Returns
        -------
        losses : ndarray of shape (n_rows,)
            1 for a wrong class, else 0; fraction of wrong labels; or squared error.
        """
        gaps = np.abs(self.y - predicted)
        return gaps.reshape(len(gaps), -1).mean(axis=1)

    def scores(self, predictions):
        """Compute the Brier score or squared error of each row.

        Parameters
        ----------
        predictions : ndarray of shape (n_rows,) or (n_rows, n_columns)
            Predictions as `predict` returns them.

        Returns
        -------
        scores : ndarray of shape (n_rows,)
            Score of each row; the smaller, the better.
        """
        squares = (self.y - predictions) ** 2
        return squares.reshape(len(squares), -1).mean(axis=1)

    def error(self, losses, weights=1.0):
        """Compute the error of rows, the weighted mean of their losses.

        That of values is the root of this mean, in standard deviations of the values.

        Parameters
        ----------
        losses : ndarray of shape (n_rows,)
            Losses of the rows; rows with NaN are left out.
        weights : float or ndarray of shape (b, n_rows), default=1.0
            Weights of the rows; one set per error.

        Returns
        -------
        error : float or ndarray of shape (b,)
            One error per set of weights.
        """
        weights = weights * np.isfinite(losses)
        if self.weights is not None:
            weights = weights * self.weights
        sums = np.sum(np.nan_to_num(losses) * weights, axis=-1)
        return sums / weights.sum(axis=-1)

    def resampled(self, losses, groups):
        """Compute errors of bootstrap samples of the groups, the same at each call.

        Parameters
        ----------
        losses : ndarray of shape (n_rows,)
            Losses of the rows; rows with NaN are left out.
        groups : ndarray of shape (n_rows,)
            Rows of equal values depend on each other.

        Returns
        -------
        errors : ndarray of shape (b,)
            One error per bootstrap sample, NaN where none of its rows has a loss.
        """
        weights = intervals.row_weights(groups)
        has_losses = weights @ np.isfinite(losses) > 0
        if has_losses.all():
            return self.error(losses, weights)
        errors = np.full(len(weights), np.nan)
        errors[has_losses] = self.error(losses, weights[has_losses])
        return errors

    def interval(self, losses, groups, level=INTERVAL_LEVEL):
        """Compute an interval of the error, with groups as units.

        Of classes it is Wilson's interval, else that of a bootstrap. Of values its half
        width is the hypotenuse of that and of the error's excess over the baseline.

        Parameters
        ----------
        losses : ndarray of shape (n_rows,)
            Losses of the rows; rows with NaN are left out.
        groups : ndarray of shape (n_rows,)
            Rows of equal values depend on each other.
        level : float, default=0.9
            Level of the interval.

        Returns
        -------
        interval : (float, float)
            Lower and upper end.
        """
        errors = self.resampled(losses, groups)
        return intervals.bootstrap_interval(self.error(losses), errors, level)

    def percent(self, value):
        """Write an error in words.

        Parameters
        ----------
        value : float
            Error.

        Returns
        -------
        text : str
            Such as "31 %"; of values, in standard deviations, such as "0.31".
        """
        return intervals.error_text(value, self.is_value)

    def span(self, interval):
        """Write an interval in words.

        Parameters
        ----------
        interval : (float, float)
            Lower and upper end.

        Returns
        -------
        text : str
            Interval such as "8 to 18 %".
        """
        return intervals.interval_text(interval, self.is_value)

    def phrase(self, error, interval):
        """Write an error with its interval in brackets.

        Parameters
        ----------
        error : float
            Error.
        interval : (float, float)
            Lower and upper end.

        Returns
        -------
        text : str
            Error and interval in words.
        """
        return f"{self.percent(error)} ({self.span(interval)})"

    def difference_phrase(self, difference, interval, level=INTERVAL_LEVEL):
        """Write in words by how much an error is larger, or smaller, than another.

        Parameters
        ----------
        difference : float
            Difference of two errors.
        interval : (float, float)
            Lower and upper end.
        level : float, default=0.9
            Level of the interval.

        Returns
        -------
        text : str
            Such as "larger by 4.2 percentage points (90 % interval 2.6 to 5.7)".
        """
        return intervals.difference_text(
            difference, interval, level, self.is_value
        )

    def chance_phrase(self):
        """Write the baseline in words.

        Returns
        -------
        text : str
            Error of the best constant prediction in words.
        """
        return f"baseline {self.percent(self.baseline())}"
