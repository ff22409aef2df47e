"""Models of the table, each in the plane of the map, with held-out errors.

What they predict is also shown as tables: confusion matrix, calibration, errors of
labels.
"""

from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from ..core import as_frame, import_pandas, number_phrase, percent, pick_rows
from ..decisionmap import DecisionMap
from ..decisionmap.certainty import known_classes, one_output
from ..validation import INTERVAL_LEVEL, difference, simultaneous_level
from ..validation.rankings import area_span, area_under_roc
from .targets import task_of

# Held-out samples at which a decision map is compared with its model.
MOST_COMPARED_ROWS = 1000
MOST_ERRORS_LISTED = 20
GRID = 80  # points along each side of a decision map
MOST_CLASSES_SHOWN = 10  # of a confusion matrix
N_PROBABILITY_BINS = 5


@dataclass(frozen=True, kw_only=True)
class ModelResult:
    """A model with its decision map.

    Attributes
    ----------
    name : str
        Name of the model.
    decision_map : DecisionMap
        Its predictions in the plane.
    agreement : Agreement
        Agreement of decision map and model on held-out samples.
    error : float
        Error of the model on held-out samples.
    interval : (float, float)
        Interval of the error.
    n_models : int
        Number of models of the picture. The interval is so wide that those of all of
        them hold together with a probability of 0.9.
    wrong : DataFrame
        Held-out samples that it misclassifies, the most confident first, or those with
        the largest errors.
    by_class : DataFrame or None
        The confusion matrix, from :func:`class_table`; None for values.
    calibration : DataFrame or None
        Observed fractions for samples with similar probabilities of the rarest class,
        from :func:`calibration_table`; None for models without probabilities.
    task : Target
        The target.
    n_rows : int
        Number of samples of `error`.
    n_wrong : int
        Number of these whose loss is not 0.
    is_held_out : bool
        Whether it is certain that the model was not fitted to the samples of `error`.
    excess : (float, (float, float))
        Its error minus that of the model with the smallest, on the same samples, and
        the interval of level 0.9.
    """

    name: str
    decision_map: DecisionMap
    agreement: object
    error: float
    interval: tuple
    n_models: int
    wrong: object
    by_class: object
    calibration: object
    task: object
    n_rows: int
    n_wrong: int
    is_held_out: bool
    excess: tuple = (0.0, (0.0, 0.0))

    @property
    def phrase(self):
        """The error and its interval, in words."""
        error = self.task.phrase(self.error, self.interval)
        level = f"{percent(self.level)} interval"
        if self.n_models > 1:
            of_all = percent(INTERVAL_LEVEL)
            level += f"; {of_all} for all {self.n_models} models together"
        return f"{error}, {level}"

    @property
    def level(self):
        """Level of the interval."""
        return simultaneous_level(self.n_models)

    @property
    def rows(self):
        """Description of the samples of `error`, in words."""
        if self.is_held_out:
            return "held-out rows"
        return "rows that may be its training rows"


def usual_model_maps(comparison, X, task, seed):
    """Decision maps of three usual models, by name, in the plane of a map.

    The models are fitted to the samples of the map.

    Parameters
    ----------
    comparison : MapComparison
    X : ndarray of shape (n, p)
    task : Target
    seed : int
    """
    supervised = comparison.supervised
    n = supervised.n_fitted
    fitted = supervised.rows[:n]
    y = task.y[fitted]
    options = {"grid": GRID, "random_state": seed}
    tsne = comparison.estimator
    if hasattr(getattr(tsne, "metric_", None), "factors"):
        options |= {"metric": tsne.metric_, "distances": tsne.distances_}
    models = task.usual_models(seed)
    maps = {}
    for name, model in models.items():
        model.fit(X[fitted], y)
        if not maps:
            first_map = DecisionMap.from_map(
                model, X[fitted], supervised.Z[:n], y, **options
            )
            maps[name] = first_map
        else:
            # One plane and one grid for all models.
            maps[name] = first_map.with_model(model)
    return maps


def evaluate_models(maps, rows, task, held_out, *, table, seed, is_held_out):
    """Errors of models at held-out samples, as list of `ModelResult`, the best first.

    Parameters
    ----------
    maps : dict of str to DecisionMap
    rows : array or DataFrame of shape (n, q), which the models take
    task : Target, in the models' words
    held_out : ndarray of int, rows
    table : Table, for the names of rows and their groups
    seed : int
    is_held_out : bool
        Whether the held-out samples are new to the models.
    """
    # The same rows for all models.
    rows_compared = held_out[task[held_out].sample(MOST_COMPARED_ROWS, seed)]
    X = pick_rows(rows, rows_compared)
    target = task.with_sample(rows_compared)[rows_compared]
    groups = table.split_groups[rows_compared]
    names = table.ids[rows_compared]
    level = simultaneous_level(len(maps))
    results = []
    losses_of = {}
    for name, decision_map in maps.items():
        model = decision_map.model_
        predicted = one_output(model.predict(X), len(X))
        losses = target.losses(predicted)
        losses_of[name] = losses
        answers = as_frame(
            {"row": names, "truth": target.y, "model": predicted}
        )
        confidence = np.zeros(len(X))
        calibration = None
        P = _probabilities(model, X)
        if P is not None:
            confidence = P.max(axis=1)
            answers["probability"] = confidence.round(2)
            calibration = calibration_table(
                target, P, known_classes(model), groups
            )
        by_class = None
        if not task.is_value:
            by_class = class_table(target.y, predicted)
        agreement = decision_map.score(X)
        error = float(target.error(losses))
        interval = target.interval(losses, groups, level)
        wrong = _largest_errors(answers, losses, confidence)
        n_wrong = int(np.sum(losses > 0))
        result = ModelResult(
            name=name,
            decision_map=decision_map,
            agreement=agreement,
            error=error,
            interval=interval,
            n_models=len(maps),
            wrong=wrong,
            by_class=by_class,
            calibration=calibration,
            task=task,
            n_rows=len(X),
            n_wrong=n_wrong,
            is_held_out=is_held_out,
        )
        results.append(result)
    results.sort(key=lambda result: result.error)
    least_losses = losses_of[results[0].name]
    return [
        replace(
            result,
            excess=difference(
                target, losses_of[result.name], least_losses, groups
            ),
        )
        for result in results
    ]


def _probabilities(model, X):
    """Probabilities (n, c) that a model predicts; None if it has none."""
    with suppress(AttributeError):
        return np.asarray(model.predict_proba(X)).reshape(len(X), -1)
    return None


def _largest_errors(answers, losses, confidence):
    """Answers with the largest losses, of equal ones the most confident first."""
    n_listed = min(MOST_ERRORS_LISTED, np.sum(losses > 0))
    order = np.lexsort([-confidence, -losses])
    return answers.iloc[order[:n_listed]].reset_index(drop=True)


def class_table(y, predicted):
    """The confusion matrix: counts and rates of each true class.

    Parameters
    ----------
    y, predicted : ndarray of shape (n,)

    Returns
    -------
    DataFrame of shape (classes, ...)
        True classes and predictions in the same order. Of more than ten classes a
        column names the most frequent confusion in place of all predictions, and the
        class with the smallest accuracy comes first.

    Examples
    --------
    >>> y, predicted = np.array(["a", "a", "b"]), np.array(["a", "b", "b"])
    >>> class_table(y, predicted)["predicted b"].to_dict()
    {'a': '1 (50 %)', 'b': '1 (100 %)'}
    """
    pd = import_pandas()
    counts = pd.crosstab(pd.Series(y, name="true class"), predicted)
    classes = counts.columns.union(counts.index)
    counts = counts.reindex(columns=classes, fill_value=0)
    n_rows = counts.sum(axis=1)
    rates = counts.div(n_rows, axis=0)
    accuracy = [rates.at[name, name] for name in rates.index]
    table = pd.DataFrame(
        {"rows": n_rows, "accuracy": [percent(rate) for rate in accuracy]}
    )
    if len(classes) <= MOST_CLASSES_SHOWN:
        rates_in_words = rates.map(lambda rate: f" ({percent(rate)})")
        cells = counts.astype(str) + rates_in_words
        return table.join(cells.add_prefix("predicted "))
    is_correct = np.equal.outer(counts.index, classes)
    confusions = counts.mask(is_correct, 0)
    confused_with = confusions.idxmax(axis=1)
    table["most often confused with"] = confused_with.where(
        confusions.any(axis=1)
    )
    return table.iloc[np.argsort(accuracy, kind="stable")]


def calibration_table(part, P, classes, groups):
    """Predicted probability and observed fraction of the rarest class.

    Parameters
    ----------
    part : Target
        Target of the n rows.
    P : ndarray of shape (n, c)
        Probabilities of the `classes` (c,).
    groups : ndarray of shape (n,), for the interval

    Returns
    -------
    DataFrame of shape (5, 4)
        Of a fifth of the samples each, ordered by probability; its index is named after
        the class.
    """
    pd = import_pandas()
    names, counts = np.unique(part.y, return_counts=True)
    rarest = names[counts.argmin()]
    p = P[:, classes == rarest].sum(axis=1)
    is_rarest = (part.y == rarest).astype(float)
    by_probability = np.argsort(p, kind="stable")
    lines = []
    for rows in np.array_split(by_probability, N_PROBABILITY_BINS):
        task = part[rows]
        low, high = task.interval(is_rarest[rows], groups[rows])
        predicted = task.error(p[rows])
        observed = task.error(is_rarest[rows])
        lines.append((len(rows), predicted, observed, low, high))
    columns = ["rows", "predicted", "observed", "from", "to"]
    bins = range(1, N_PROBABILITY_BINS + 1)
    table = pd.DataFrame(lines, bins, columns)
    return table.rename_axis(str(rarest))


def label_table(task, predictions, groups):
    """Compute how well each label of a target is predicted.

    Parameters
    ----------
    task : Labels
        Target of n rows.
    predictions : ndarray of shape (n_repeats, n, n_labels)
        Out-of-fold probabilities of the labels.
    groups : ndarray of int, shape (n,)
        Rows of equal values depend on each other.

    Returns
    -------
    table : DataFrame of shape (n_labels, 4)
        Number of rows with the label, error of the best constant prediction, error and
        area under the ROC curve, both with an interval of level 0.9 for one label.
    """
    lines = {}
    for j, name in enumerate(task.names):
        has_label = task.y[:, j] == 1
        n_with_label = int(has_label.sum())
        probabilities = predictions[:, :, j]
        area_phrase = ""
        if 0 < n_with_label < len(has_label):
            area, area_interval = area_under_roc(
                has_label, probabilities, groups
            )
            area_phrase = (
                f"{number_phrase(area, 2)} ({area_span(area_interval)})"
            )
        is_wrong = (probabilities > 0.5) != has_label
        losses = is_wrong.mean(axis=0)
        classes = task_of("classes", has_label.astype(int), ["without", name])
        interval = classes.interval(losses, groups)
        frequency = np.mean(has_label)
        lines[name] = {
            "rows with it": n_with_label,
            "baseline": percent(min(frequency, 1 - frequency)),
            "error": classes.phrase(losses.mean(), interval),
            "area under ROC": area_phrase,
        }
    return as_frame(lines).T.rename_axis("label")
