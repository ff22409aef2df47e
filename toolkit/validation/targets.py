"""Targets: classes, real values or several labels, with losses, baseline and models.

Every loss has one form per kind of target. Errors are fractions of wrong classes; of
several labels the fraction of wrong labels (Hamming loss); of real values the root mean
squared error over the standard deviation. Scores, which decide between models and on
p-values, are Brier scores of probabilities, and squared errors.
"""

import warnings
from copy import copy

import numpy as np
from scipy.stats import norm, t
from sklearn.base import clone, is_regressor
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge, RidgeCV
from sklearn.neighbors import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    NearestNeighbors,
)

from ..core import (
    check_flags,
    check_fraction,
    check_labels,
    check_target,
    class_column,
    class_names,
    import_pandas,
    is_rare,
    kind_of_target,
    label_array,
    percent,
    require,
)
from .intervals import INTERVAL_LEVEL, WIDER, difference, row_weights

N_NEIGHBORS = 5
RIDGE_PENALTIES = tuple(10.0**k for k in range(-2, 5))  # of ridge regression
# of the linear model of many labels, which is fitted many times
LABELS_PENALTY = 100.0
FOREST_TREES, FOREST_LEAF = 50, 3  # of a forest that is fitted many times
# Up to so many rows, samples are drawn without regard to classes.
MOST_AS_THEY_ARE = 1000
# Rows that a sample of more has of each class, if there are so many.
FEWEST_OF_CLASS = 20


def as_target(y, n, label_names=None):
    """Return a target as a `Target`, with numbers for classes.

    Numbers that measure something are values, others classes.

    Parameters
    ----------
    y : array-like of shape (n_samples,) or (n_samples, n_labels)
        Classes, values, or labels as 0 and 1.
    n : int
        Number of samples.
    label_names : sequence of str, optional
        Names of the classes in sorted order, or of the labels.

    Returns
    -------
    target : Target
        Target of class `Classes`, `Labels` or `Values`.

    Examples
    --------
    >>> as_target(["b", "a"], 2).y, as_target([0.5, 1.0], 2).kind
    (array([1, 0]), 'values')
    """
    values = label_array(y)
    if (
        values.size
        and values.size == len(values)
        and kind_of_target(y) == "value"
    ):
        values = check_target(class_column(y), n)
        if label_names is not None:
            raise ValueError(
                "`label_names` must be None for values; `y` holds numbers that measure,"
                f" such as {values[0]:g}. Leave it out, or make classes by"
                " y.astype(str)."
            )
        return Values(values)
    labels = check_labels(y, n, name="y")
    names = class_names(label_names, labels)
    if labels.multilabel:
        return Labels(labels.Y.astype(int), names)
    return Classes(labels.Y.argmax(axis=1), names)


def compare_misses(misses, others, level=INTERVAL_LEVEL):
    """Compare the errors of two classifiers or maps on the same samples.

    Parameters
    ----------
    misses : array-like of bool, shape (n_samples,)
        Whether the first one misclassifies each sample.
    others : array-like of bool, shape (n_samples,)
        Whether the second one does.
    level : float, default=0.9
        Level of the interval of the difference.

    Returns
    -------
    text : str
        By how much the first error is larger or smaller, with the interval. If that
        contains 0, the difference is not decided.

    Examples
    --------
    >>> compare_misses([True, False, False, False] * 50, [False] * 200)
    'larger by 25 percentage points (90 % interval 19 to 31)'
    """
    first = check_flags(misses, "misses", np.size(misses))
    second = check_flags(others, "others", np.size(misses))
    require(len(first) > 0, "misses", "of a sample or more", misses)
    check_fraction(level, "level", ends=False)
    target = Classes(np.arange(len(first)) % 2)
    gain = difference(target, first, second, np.arange(len(first)), level)
    return target.difference_phrase(*gain, level)


def ranks_in_classes(strata):
    """How many rows before each one are of its class, (n,).

    Examples
    --------
    >>> ranks_in_classes(np.array(["a", "b", "a"])).tolist()
    [0, 0, 1]
    """
    pd = import_pandas()
    return pd.Series(strata).groupby(strata).cumcount().to_numpy()


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
        other = copy(self)
        other.y = y
        other.weights = None
        return other

    def __getitem__(self, rows):
        """Return the target of some rows, by their numbers or truth values (n,)."""
        part = self.of(self.y[rows])
        if self.weights is not None:
            part.weights = self.weights[rows]
        return part

    def with_sample(self, rows):
        """Return the target with weights, so that a sample has its proportions.

        Parameters
        ----------
        rows : ndarray of int, shape (n_rows,)
            Numbers of the rows of the sample, from :meth:`sample` or of one side of a
            split.

        Returns
        -------
        target : Target
            The same target. Where a sample in proportion would have fewer than 20 rows
            of a class, errors and baselines of these rows weight each class by its
            proportion in all rows over that in the sample.
        """
        strata = self.strata()
        if strata is None or len(self.y) <= MOST_AS_THEY_ARE:
            return self
        _, codes, counts = np.unique(
            strata, return_inverse=True, return_counts=True
        )
        expected = counts * len(rows) / len(codes)
        sampled = np.bincount(codes[rows], minlength=len(counts))
        other = copy(self)
        if expected.min() < FEWEST_OF_CLASS:
            other.weights = (expected / np.maximum(sampled, 1))[codes]
        return other

    def sample(self, most, seed):
        """Draw rows at random, and with them rows of each class.

        Parameters
        ----------
        most : int
            Largest number of rows.
        seed : int or numpy Generator
            Seed of the random number generator, or the generator.

        Returns
        -------
        rows : ndarray of int, shape (n_rows,)
            Numbers of the rows, sorted. Of a target of more than 1,000 rows they
            contain at least 20 rows of each class, or all that it has; fewer if not all
            classes can have so many.
        """
        order = np.random.default_rng(seed).permutation(len(self.y))
        strata = self.strata()
        if strata is not None and len(order) > MOST_AS_THEY_ARE:
            strata = strata[order]
            fewest = min(FEWEST_OF_CLASS, most // len(np.unique(strata)))
            is_needed = ranks_in_classes(strata) < fewest
            # The sample stays as it is drawn where it has these rows.
            if is_needed[most:].any():
                order = np.concatenate([order[is_needed], order[~is_needed]])
        return np.sort(order[:most])

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
        return {
            "linear model": clone(self.linear),
            f"{N_NEIGHBORS} nearest neighbours": self.neighbours(N_NEIGHBORS),
            # trees of indicators are those of classes, in less time
            "random forest": RandomForestRegressor(
                FOREST_TREES,
                max_features=self.forest.max_features,
                min_samples_leaf=FOREST_LEAF,
                random_state=seed,
            ),
        }

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

    def strata(self):
        """Return classes whose proportions splits keep.

        Returns
        -------
        strata : ndarray of shape (n_samples,) or None
            Classes; None of labels and values.
        """
        return None

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
        known = self.y[train]
        # of a rare class all rows are held out
        if known.ndim == 1 and np.all(known == known[0]):
            return self.neighbor_predictions(
                known, np.zeros((len(test), 1), dtype=int)
            )
        if getattr(model, "n_neighbors", 0) > len(train):
            model = clone(model).set_params(n_neighbors=len(train))
        if is_regressor(model):
            known = self.columns(known)
        # of fits that did not converge: their error is measured
        with warnings.catch_warnings(action="ignore"):
            return self.predict(model.fit(X[train], known), X[test])

    def baseline(self):
        """Return the error of the best constant prediction.

        Returns
        -------
        error : float
            NaN without a kind.
        """
        return np.nan

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

    def neighbor_predictions(self, known, near):
        """Predict rows by the mean target, or the classes, of their neighbours.

        Parameters
        ----------
        known : ndarray of shape (n_known,) or (n_known, n_labels)
            Targets of the rows among which neighbours are searched.
        near : ndarray of int, shape (n_rows, k)
            Numbers of the neighbours of each row, the nearest first.

        Returns
        -------
        predictions : ndarray of shape (n_rows,) or (n_rows, n_columns)
            Predictions; of classes probabilities, with one more vote for each class.
        """
        return known[near].mean(axis=1)

    def decide(self, predictions):
        """Return the target that predictions amount to.

        Parameters
        ----------
        predictions : ndarray of shape (n_rows,) or (n_rows, n_columns)
            Predictions as `predict` returns them.

        Returns
        -------
        predicted : ndarray of shape (n_rows,) or (n_rows, n_labels)
            The most probable class of each row; labels with a score above 1/2 as 1,
            others as 0; or the predicted values themselves.
        """
        return predictions

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
            1 for a wrong class, else 0; the fraction of wrong labels; or the squared
            error of a value.
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
        return np.sum(np.nan_to_num(losses) * weights, axis=-1) / weights.sum(
            axis=-1
        )

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
            One error per bootstrap sample.
        """
        return self.error(losses, row_weights(groups))

    def interval(self, losses, groups, level=INTERVAL_LEVEL):
        """Compute an interval of the error, with groups as units.

        Of classes it is Wilson's interval, else that of a bootstrap. Of values it is
        wider where a model overfits: its half width is the hypotenuse of that of the
        bootstrap and of the excess of the error over the baseline.

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
        error = self.error(losses)
        drawn = self.resampled(losses, groups)
        widest = np.quantile(abs(drawn - error), level)
        half = max(widest, norm.ppf((1 + level) / 2) * WIDER * drawn.std())
        return float(max(0.0, error - half)), float(error + half)

    def percent(self, value):
        """Write an error in words.

        Parameters
        ----------
        value : float
            Error.

        Returns
        -------
        text : str
            Error in percent, such as "31 %"; of values in standard deviations, such as
            "0.31".
        """
        digits = 1 if 0 < abs(value) < 0.0995 else 0
        return percent(value, digits)

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
        low, high = map(self.percent, interval)
        return f"{low.removesuffix(' %')} to {high}"

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
        values = [difference, *interval]
        if difference < 0:
            values = [-difference, *sorted(-end for end in interval)]
        number, low, high = (
            self.percent(value).removesuffix(" %") for value in values
        )
        unit = "standard deviations" if self.is_value else "percentage points"
        return (
            f"{'smaller' if difference < 0 else 'larger'} by {number} {unit}"
            f" ({percent(level)} interval {low} to {high})"
        )

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

    def chance_phrase(self):
        """Write the baseline in words.

        Returns
        -------
        text : str
            Error of the best constant prediction in words.
        """
        return f"baseline {self.percent(self.baseline())}"

    def near(self, Z, known, Z_new, n_neighbors=N_NEIGHBORS):
        """Predict rows by their nearest neighbours among training rows in a map.

        Parameters
        ----------
        Z : ndarray of shape (n_fitted, n_components)
            Positions of the rows that the map was fitted to.
        known : ndarray of shape (n_fitted,) or (n_fitted, n_labels)
            Target of these rows.
        Z_new : ndarray of shape (n_others, n_components)
            Positions of other rows.
        n_neighbors : int, default=5
            Number of neighbours.

        Returns
        -------
        own : ndarray of shape (n_fitted,) or (n_fitted, n_columns)
            Predictions of the training rows, each by the other training rows.
        new : ndarray of shape (n_others,) or (n_others, n_columns)
            Predictions of the other rows.
        """
        n = len(known)
        search = NearestNeighbors().fit(Z)
        own = search.kneighbors(None, min(n_neighbors, n - 1), False)
        new = own[:0]
        if len(Z_new):
            new = search.kneighbors(Z_new, min(n_neighbors, n), False)
        return self.neighbor_predictions(known, own), self.neighbor_predictions(
            known, new
        )


class Classes(Target):
    """A target of classes, one per sample.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Classes.
    names : sequence of str, default=()
        Names of the classes.

    Examples
    --------
    >>> Classes(np.array([0, 0, 1, 0]), ["a", "b"]).baseline()
    0.25
    """

    kind = "classes"
    error_name = "wrong classes"

    linear = LogisticRegression(max_iter=1000)
    neighbours = KNeighborsClassifier
    forest = RandomForestClassifier()

    def __init__(self, y, names=()):
        super().__init__(y, names)
        counts = np.unique(y, return_counts=True)[1]
        by_count = np.argsort(counts, kind="stable")
        self.rare_classes = self.classes[by_count[: is_rare(counts).sum()]]

    def strata(self):
        return self.y

    def baseline(self):
        """Compute the error of always predicting the most frequent class.

        Returns
        -------
        error : float
            Fraction of samples of other classes.
        """
        codes = np.unique(self.y, return_inverse=True)[1]
        counts = np.bincount(codes, self.weights)
        return float((counts.sum() - counts.max()) / counts.sum())

    def predict(self, model, X):
        if is_regressor(model):
            return model.predict(X)
        P = np.zeros((len(X), len(self.classes)))
        at = np.searchsorted(self.classes, model.classes_)
        P[:, at] = model.predict_proba(X)
        # of votes: one more for each class
        k = getattr(model, "n_neighbors", 0)
        return (k * P + 1) / (k + P.shape[1]) if k else P

    def columns(self, y):
        return (y[:, None] == self.classes).astype(float)

    def neighbor_predictions(self, known, near):
        Y = self.columns(known)[near]
        # among classes of as many neighbours the nearer wins
        weights = 1 + 1e-6 * np.arange(near.shape[1], 0, -1)
        votes = np.tensordot(Y, weights, (1, 0)) + 1
        return votes / votes.sum(axis=1, keepdims=True)

    def decide(self, predictions):
        return self.classes[predictions.argmax(axis=1)]

    def losses(self, predicted):
        return (self.y != predicted).astype(float)

    def scores(self, predictions):
        return ((predictions - self.columns(self.y)) ** 2).sum(axis=1)

    def name_of(self, kind):
        """Return the name of a class.

        Parameters
        ----------
        kind : object
            One of the `classes`.

        Returns
        -------
        name : str
            Its name; the class itself where there are no names.
        """
        names = self.names or self.classes
        return str(names[np.searchsorted(self.classes, kind)])

    def interval(self, losses, groups, level=INTERVAL_LEVEL):
        # Wilson's, of as many samples as there are groups
        known = np.isfinite(losses)
        n = len(np.unique(groups[known]))
        tail = (1 + level) / 2
        z = norm.ppf(tail)
        if n < known.sum():
            z = t.ppf(tail, max(n - 1, 1))
        losses = losses[known]
        weights = self.weights
        if weights is not None:
            weights = weights[known]
            # So many rows of equal weight have the same variance; without losses the
            # weights of all rows decide.
            weighted = weights * (losses + 1e-9)
            n *= weighted.sum() / (weighted @ weights)
        q = (WIDER * z) ** 2 / n
        error = np.average(losses, weights=weights)
        half = np.sqrt(q * (error * (1 - error) + q / 4))
        return tuple(
            float(end / (1 + q)) for end in error + q / 2 + [-half, half]
        )


class Labels(Target):
    """A target of several labels per sample, 0 or 1.

    Parameters
    ----------
    y : ndarray of shape (n_samples, n_labels)
        Labels as 0 and 1.
    names : sequence of str, default=()
        Names of the labels.

    Examples
    --------
    >>> Labels(np.array([[1, 0], [1, 1], [1, 0]]), ["a", "b"]).baseline()
    0.16666666666666666
    """

    kind = "labels"
    error_name = "wrong labels"

    linear = Ridge(LABELS_PENALTY)
    neighbours = KNeighborsClassifier
    forest = RandomForestClassifier()

    def of_used(self, fitted):
        """Keep the labels that a fitted row has.

        Parameters
        ----------
        fitted : ndarray of int, shape (n_fitted,)
            Numbers of the training rows.

        Returns
        -------
        target : Labels
            Target of these labels.
        used : ndarray of bool, shape (n_labels,)
            Which labels these are.
        """
        used = self.y[fitted].any(axis=0)
        names = np.array(self.names)[used].tolist()
        return Labels(self.y[:, used], names), used

    def predict(self, model, X):
        if not hasattr(model, "predict_proba"):
            return model.predict(X)
        # Of each label (m, 2), or (m, 1) where only one of 0 and 1 was met.
        each = zip(model.predict_proba(X), model.classes_, strict=True)
        return np.column_stack([p @ c for p, c in each])

    def decide(self, predictions):
        return (predictions > 0.5).astype(int)

    def baseline(self):
        """Compute the error of predicting the more frequent value of each label.

        Returns
        -------
        error : float
            Mean over the labels.
        """
        share = self.y.mean(axis=0)
        return float(np.minimum(share, 1 - share).mean())


class Values(Target):
    """A target of real values, one per sample.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Values.
    names : sequence of str, default=()
        Not used.

    Examples
    --------
    >>> Values(np.array([1.0, 3.0])).losses(2.0)
    array([1., 1.])
    """

    kind = "values"
    error_name = "standard deviations"
    is_value = True

    linear = RidgeCV(RIDGE_PENALTIES)
    neighbours = KNeighborsRegressor
    forest = RandomForestRegressor(max_features=1 / 3)

    def baseline(self):
        """Return the error of predicting the mean, in standard deviations.

        Returns
        -------
        error : float
            Always 1.
        """
        return 1.0

    def losses(self, predicted):
        return (self.y - predicted) ** 2

    def interval(self, losses, groups, level=INTERVAL_LEVEL):
        _, high = super().interval(losses, groups, level)
        error = self.error(losses)
        half = np.hypot(high - error, max(error - self.baseline(), 0))
        return max(0.0, float(error - half)), float(error + half)

    def error(self, losses, weights=1.0):
        weights = weights * np.isfinite(losses)
        mean = np.average(np.broadcast_to(self.y, weights.shape), -1, weights)
        squares = (self.y - mean[..., None]) ** 2 * weights
        sums = np.sum(np.nan_to_num(losses) * weights, axis=-1)
        return np.sqrt(sums / squares.sum(axis=-1))

    def percent(self, value):
        return f"{value:.2f}"
