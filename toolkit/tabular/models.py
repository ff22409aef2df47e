"""Models of the table, each in the plane of the map, with held-out errors."""

import runpy
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.ensemble import VotingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from ..core import (
    and_list,
    as_frame,
    evaluate,
    feature_names,
    import_pandas,
    percent,
    pick_rows,
    require,
    short_repr,
)
from ..core.mixed import MixedColumns, has_mixed_columns
from ..decisionmap import DecisionMap
from ..decisionmap.certainty import estimator_kind, known_classes, one_output
from ..decisionmap.targets import unknown_classes
from ..validation import INTERVAL_LEVEL, difference, simultaneous_level
from .raw_model import CODED, model_name

# held-out samples at which a picture is compared with its model
MOST_ASKED = 1000
MOST_LISTED = 20
MOST_CLASSES = 10  # of a confusion matrix
N_BINS = 5  # of probabilities
GRID = 80
KINDS = {
    "classes": ("classifier", "a classifier, as the target holds classes"),
    "value": ("regressor", "a regressor, as the target holds numbers"),
}
OWN = "Your own class must derive from sklearn.base.BaseEstimator."


@dataclass(frozen=True)
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
    one = comparison.supervised
    n = one.n_fitted
    fitted = one.rows[:n]
    y = task.y[fitted]
    options = {"grid": GRID, "random_state": seed}
    tsne = comparison.estimator
    if hasattr(getattr(tsne, "metric_", None), "factors"):
        options |= {"metric": tsne.metric_, "distances": tsne.distances_}
    models = task.usual_models(seed)
    for model in models.values():
        model.fit(X[fitted], y)
    # one plane and one grid for all models
    first, *others = models
    shown = DecisionMap.from_map(
        models[first], X[fitted], one.Z[:n], y, **options
    )
    return {first: shown} | {
        name: shown.with_model(models[name]) for name in others
    }


def user_model(model, frame, table, fitted, held_out):
    """A user's model, fitted if it was not, once it has answered for held-out rows.

    Parameters
    ----------
    model : classifier or regressor of scikit-learn's kind, or "file.py:name" of one
    frame : DataFrame, dict of columns or array
        All rows and columns as they were read.
    table : Table
    fitted, held_out : ndarray of int, rows of the table

    Returns
    -------
    model, the rows (n, q) that it takes, its targets (n,), and whether it was fitted
    already

    Raises
    ------
    ValueError
        With the model's own message, and the first row of the table at which it fails.
    """
    model = from_file(model, "model")
    if table.task == "labels":
        raise ValueError(
            "`model` must be None with several labels. Look at one of them, with it as"
            " `target`."
        )
    kind, rule = KINDS[table.task]
    require(estimator_kind(model) == kind, "model", rule, model, remedy=OWN)
    if isinstance(frame, dict):
        frame = as_frame(frame)
    if hasattr(frame, "columns"):
        # some features are parts of a column
        own = [name for name in table.features if name in frame.columns]
        columns = list(getattr(model, "feature_names_in_", own))
        if missing := [
            str(name) for name in columns if name not in frame.columns
        ]:
            raise ValueError(
                "`model` was fitted to columns that `data` has not:"
                f" {and_list(missing)}. Add them."
            )
        rows = frame.iloc[table.rows][columns].reset_index(drop=True)
    else:
        rows = np.asarray(frame)[table.rows]
        names = feature_names(None, rows.shape[1])
        rows = rows[:, [name != table.target for name in names]]
    y = _numbers_of(table.y) if table.task == "classes" else table.y
    known = pick_rows(rows, fitted)
    model, was_fitted = _fit(model, known, y[fitted], table.notes)
    if is_classifier(model):
        known = known_classes(model)
        # it may know numbers by their words
        y = table.y if known.dtype.kind == "U" else y
        unknown_classes(known, y, "target")
    predicted = evaluate(
        model.predict,
        pick_rows(rows, held_out),
        "`model` cannot answer for the table",
        held_out + 1,
    )
    one_output(predicted, len(held_out))
    return model, rows, y, was_fitted


def _numbers_of(words):
    """Classes as the whole numbers or truth values that they are the words of."""
    if set(words) == {"False", "True"}:
        return words == "True"
    with suppress(ValueError, OverflowError):
        numbers = words.astype(int)
        # no codes such as 007
        if np.all(numbers.astype(str) == words):
            return numbers
    return words


def from_file(name, what):
    """What a file of Python defines by a name, "file.py:name"; its code is run.

    What is no str is there already.
    """
    if not isinstance(name, str):
        return name
    path, _, own = name.rpartition(":")
    if not path.endswith(".py") or not own.isidentifier():
        raise ValueError(
            f"`{what}` must be a {what}, or 'file.py:name' of one; got"
            f" {short_repr(name)}."
        )
    failure = f"`{what}` cannot be imported from {path}"
    names = evaluate(runpy.run_path, path, failure)
    if own not in names:
        raise ValueError(
            f"`{what}` must name something that {path} defines; there is no {own!r}"
            " in it."
        )
    return names[own]


def _fit(model, X, y, notes):
    """The model, fitted if it was not, and whether it was.

    Where it refuses the classes it is fitted to their codes.
    """
    with suppress(NotFittedError):
        check_is_fitted(model)
        return model, True
    try:
        new = clone(model)
    except (RuntimeError, TypeError):
        raise ValueError(
            "`model` must be fitted, as it cannot be cloned: its constructor changes"
            f" what it is given; got {type(model).__name__}. Fit it first, and give the"
            " fitted model."
        ) from None
    failure = (
        "`model` cannot be fitted to the columns as they were read; put an encoder"
        " before it, or leave columns out"
    )
    try:
        return evaluate(lambda rows: new.fit(rows, y), X, failure), False
    except ValueError:
        # of one member, which gets the numbers 0, 1, ...
        voting = "soft" if hasattr(model, "predict_proba") else "hard"
        coded = VotingClassifier([(CODED, model)], voting=voting)
        with suppress(Exception):  # the same that has been caught already
            coded.fit(X, y)
            notes.append(
                "`model` takes whole numbers as classes: it was fitted to those of the"
                " sorted classes, from 0."
            )
            return coded, False
        raise


def user_model_map(model, rows, y, fitted, seed):
    """The decision map of a user's model, by name, in a plane of its columns.

    Parameters
    ----------
    model, rows, y : as :func:`user_model` gives them
    fitted : ndarray of int, rows
    seed : int
    """
    shown = DecisionMap.from_estimator(
        model,
        pick_rows(rows, fitted),
        y[fitted],
        metric="fisher" if is_classifier(model) else None,
        # numbers are in units of their own
        prepare=None if has_mixed_columns(rows) else MixedColumns(),
        grid=GRID,
        random_state=seed,
    )
    return {model_name(model): shown}


def evaluate_models(maps, rows, task, held_out, table, seed, is_held_out):
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
    # the same rows for all models
    few = held_out[task[held_out].sample(MOST_ASKED, seed)]
    X = pick_rows(rows, few)
    part = task.with_sample(few)[few]
    groups = table.split_groups[few]
    level = simultaneous_level(len(maps))
    found = []
    losses = {}
    for name, decision_map in maps.items():
        model = decision_map.model_
        predicted = one_output(model.predict(X), len(X))
        answers = as_frame(
            {"row": table.ids[few], "truth": part.y, "model": predicted}
        )
        loss = losses[name] = part.losses(predicted)
        certain = np.zeros(len(few))
        calibration = None
        with suppress(AttributeError):  # of models without probabilities
            P = np.asarray(model.predict_proba(X)).reshape(len(few), -1)
            certain = P.max(axis=1)
            answers["probability"] = certain.round(2)
            calibration = calibration_table(
                part, P, known_classes(model), groups
            )
        # the largest losses first, of equal ones the most confident
        worst = np.lexsort([-certain, -loss])[
            : min(MOST_LISTED, np.sum(loss > 0))
        ]
        found.append(
            ModelResult(
                name,
                decision_map,
                decision_map.score(X),
                float(part.error(loss)),
                part.interval(loss, groups, level),
                len(maps),
                answers.iloc[worst].reset_index(drop=True),
                None if task.is_value else class_table(part.y, predicted),
                calibration,
                task,
                len(few),
                int(np.sum(loss > 0)),
                is_held_out,
            )
        )
    first = min(found, key=lambda one: one.error)
    found = [
        replace(
            one,
            excess=difference(
                part, losses[one.name], losses[first.name], groups
            ),
        )
        for one in found
    ]
    return sorted(found, key=lambda one: one.error)


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
    rows = counts.sum(axis=1)
    rates = counts.div(rows, axis=0)
    accuracy = [rates.at[name, name] for name in rates.index]
    found = pd.DataFrame(
        {"rows": rows, "accuracy": list(map(percent, accuracy))}
    )
    if len(classes) <= MOST_CLASSES:
        cells = counts.astype(str) + rates.map(lambda r: f" ({percent(r)})")
        return found.join(cells.add_prefix("predicted "))
    wrong = counts.mask(np.equal.outer(counts.index, classes), 0)
    found["most often confused with"] = wrong.idxmax(axis=1).where(
        wrong.any(axis=1)
    )
    return found.iloc[np.argsort(accuracy, kind="stable")]


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
    hits = (part.y == rarest).astype(float)
    bins = [
        (
            len(rows),
            part[rows].error(p[rows]),
            part[rows].error(hits[rows]),
            *part[rows].interval(hits[rows], groups[rows]),
        )
        for rows in np.array_split(np.argsort(p, kind="stable"), N_BINS)
    ]
    names = ["rows", "predicted", "observed", "from", "to"]
    return pd.DataFrame(bins, range(1, N_BINS + 1), names).rename_axis(
        str(rarest)
    )
