"""What models make of the table: each seen in the plane of the map, with what it gets wrong among held-out samples."""

import runpy
from dataclasses import dataclass

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.metrics import confusion_matrix
from sklearn.utils.validation import check_is_fitted

from ..core.arrays import as_frame, evaluate, pick_rows
from ..core.checks import short_repr
from ..core.mixed import MixedColumns, has_mixed_columns
from ..decisionmap import DecisionMap
from .text import and_list

MOST_ASKED = 1000  # held-out samples at which a picture is compared with its model
MOST_LISTED = 20
GRID = 80


@dataclass(frozen=True)
class ModelResult:
    """A model in the plane.

    Attributes
    ----------
    name : str
    decision_map : DecisionMap
    agreement : Agreement, picture against model at held-out samples
    error, standard_error : float, of the model, at held-out samples
    wrong : DataFrame, held-out samples that it gets wrong, or worst, with the names of their rows
    by_class : DataFrame or None, held-out samples of each class, as :func:`class_table` gives it; None of values
    task : Task
    is_held_out : bool, whether the samples of `error` are known not to have fitted the model
    """

    name: str
    decision_map: DecisionMap
    agreement: object
    error: float
    standard_error: float
    wrong: object
    by_class: object
    task: object
    is_held_out: bool

    @property
    def rows(self):
        """What the samples of `error` are, in words."""
        return (
            "held-out rows"
            if self.is_held_out
            else "rows that it may have been fitted to"
        )


def usual_model_maps(seen, X, task, seed=0):
    """Decision maps, by name, of three usual models, fitted to the samples of a map, in its plane.

    Parameters
    ----------
    seen : MapComparison
    X : ndarray of shape (n, p)
    task : Task
    seed : int
    """
    options = (
        {"distances": seen.distances, "metric": seen.metric}
        if hasattr(seen.metric, "factors")
        else {}
    )
    n = seen.true.n_fitted
    fitted = seen.true.rows[:n]
    y = task.y[fitted]
    models = {
        name: model.fit(X[fitted], y) for name, model in task.usual_models(seed).items()
    }
    first, *others = models
    options |= {"grid": GRID, "random_state": seed}
    shown = DecisionMap.from_map(
        models[first], X[fitted], seen.true.Z[:n], y, **options
    )
    return {first: shown} | {name: shown.with_model(models[name]) for name in others}


def user_model(model, frame, target, table, fitted, held_out):
    """A user's model, fitted to the samples of the map if it was not, once it has answered for all held-out rows.

    Parameters
    ----------
    model : classifier or regressor of scikit-learn's kind, or "file.py:name" of one
    frame : DataFrame, dict of columns or array, all rows and columns as they were read
    target : str or array-like, as `look` got it
    table : Table
    fitted, held_out : ndarray of int, rows of the table

    Returns
    -------
    model, the rows (n, q) that it takes, its targets (n,), and whether it was fitted
    already

    Raises
    ------
    ValueError, with the model's own message, and the first row of the table at which it
    fails
    """
    if isinstance(model, str):
        model = _from_file(model)
    if (
        isinstance(model, type)
        or not hasattr(model, "predict")
        or not hasattr(model, "fit")
    ):
        raise ValueError(
            "`model` must be a classifier or regressor with `fit` and `predict`; got"
            f" {short_repr(model)}."
        )
    if table.task == "labels":
        raise ValueError(
            "`model` must be None with several labels. Look at one of them, with it as"
            " `target`."
        )
    if isinstance(frame, dict):
        frame = as_frame(frame)
    y = table.y
    # it knows classes by their numbers
    if getattr(getattr(model, "classes_", y), "dtype", y.dtype).kind in "iufb":
        y = np.asarray(frame[target] if isinstance(target, str) else target)[table.rows]
    if hasattr(frame, "columns"):
        columns = list(getattr(model, "feature_names_in_", table.features))
        if missing := [str(name) for name in columns if name not in frame.columns]:
            raise ValueError(
                f"`model` was fitted to columns that `data` has not: {and_list(missing)}."
                " Add them."
            )
        rows = frame.iloc[table.rows][columns].reset_index(drop=True)
    else:
        rows = np.asarray(frame)[table.rows]
    model, given = _fitted(model, rows, y, fitted, held_out)
    return model, rows, y, given


def _from_file(name):
    """The model that a file of Python defines, "file.py:name"; its code is run."""
    path, _, what = name.rpartition(":")
    if not path.endswith(".py") or not what.isidentifier():
        raise ValueError(
            f"`model` must be a model, or 'file.py:name' of one; got {short_repr(name)}."
        )
    try:
        found = runpy.run_path(path)
    except Exception as error:
        raise ValueError(
            f"`model` cannot be imported from {path}: {_why(error)}"
        ) from error
    if what not in found:
        raise ValueError(
            f"`model` must name something that {path} defines; there is no {what!r}"
            " in it."
        )
    return found[what]


def _fitted(model, rows, y, fitted, held_out):
    """The model, fitted if it was not, and whether it was."""
    if not hasattr(model, "__sklearn_tags__"):
        kind = (
            "a classifier or regressor of scikit-learn's kind, which derives from its"
            " BaseEstimator"
        )
        raise ValueError(
            f"`model` must be {kind}; got {type(model).__name__}. Wrap it in such a"
            " class."
        )
    classes = y.dtype.kind != "f" or is_classifier(model) and hasattr(model, "classes_")
    if is_classifier(model) != classes:
        kind = (
            "classifier, as the target holds classes"
            if classes
            else "regressor, as the target holds numbers"
        )
        raise ValueError(f"`model` must be a {kind}; got {type(model).__name__}.")
    try:
        check_is_fitted(model)
        given = True
    except NotFittedError:
        given = False
        try:
            model = clone(model).fit(pick_rows(rows, fitted), y[fitted])
        except Exception as error:
            remedy = (
                "A model gets the columns as they were read: put an encoder before it,"
                " or leave columns out"
            )
            raise ValueError(
                f"`model` cannot be fitted to the table: {_why(error)}. {remedy}."
            ) from error
    evaluate(
        model.predict,
        pick_rows(rows, held_out),
        "`model` cannot answer for the table",
        held_out + 1,
    )
    return model, given


def _why(error):
    """An error's own message in one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())


def user_model_map(model, rows, y, fitted, seed=0):
    """The decision map, by name, of a user's model, in a plane made of the columns that it takes.

    Parameters
    ----------
    model, rows, y : as :func:`user_model` gives them
    fitted : ndarray of int, rows
    seed : int
    """
    options = {
        "metric": "fisher" if is_classifier(model) else None,
        # numbers are in units of their own
        "prepare": None if has_mixed_columns(rows) else MixedColumns(),
        "grid": GRID,
        "random_state": seed,
    }
    name = type(model[-1] if hasattr(model, "steps") else model).__name__
    return {
        name: DecisionMap.from_estimator(
            model, pick_rows(rows, fitted), y[fitted], **options
        )
    }


def evaluate_models(maps, rows, y, task, held_out, ids, seed=0, is_held_out=True):
    """What models make of held-out samples, as list of `ModelResult`, the one with the smallest error first.

    Parameters
    ----------
    maps : dict of str to DecisionMap
    rows : array or DataFrame of shape (n, q), which the models take
    y : ndarray of shape (n,), in the models' words
    task : Task
    held_out : ndarray of int, rows
    ids : ndarray of str, shape (n,), names of the rows
    seed : int
    is_held_out : bool, whether the held-out samples are new to the models
    """
    asked = np.sort(np.random.default_rng(seed).permutation(held_out)[:MOST_ASKED])
    X = pick_rows(rows, asked)
    y = y[asked]
    found = []
    for name, decision_map in maps.items():
        model = decision_map.model_
        predicted = model.predict(X)
        answers = as_frame({"row": ids[asked], "truth": y, "model": predicted})
        if hasattr(model, "predict_proba"):
            answers["probability"] = model.predict_proba(X).max(axis=1).round(3)
        loss = task.losses(y, predicted)
        worst = np.argsort(-loss, kind="stable")[: min(MOST_LISTED, np.sum(loss > 0))]
        wrong = answers.iloc[worst].reset_index(drop=True)
        by_class = None if task.is_value else class_table(y, predicted)
        error = task.error(y, predicted)
        score = decision_map.score(X)
        found.append(
            ModelResult(
                name, decision_map, score, *error, wrong, by_class, task, is_held_out
            )
        )
    return sorted(found, key=lambda one: one.error)


def class_table(y, predicted):
    """How many samples there are of each class, how many of them are right, and what most of the others are taken for.

    Parameters
    ----------
    y, predicted : ndarray of shape (n,)

    Returns
    -------
    DataFrame of shape (classes, 5), the class with the smallest fraction right first

    Examples
    --------
    >>> class_table(np.array(["a", "a", "b"]), np.array(["a", "b", "b"])).to_dict("list")["taken for"]
    ['b', '']
    """
    classes = np.union1d(y, predicted)
    counts = confusion_matrix(y, predicted, labels=classes)
    rows = counts.sum(axis=1)
    right = np.diag(counts).copy()
    np.fill_diagonal(counts, 0)
    taken = np.where(counts.any(axis=1), classes[counts.argmax(axis=1)], "")
    found = as_frame(
        {"class": classes, "rows": rows, "right": right, "taken for": taken}
    )[rows > 0]
    share = found["right"] / found["rows"]
    found.insert(3, "fraction right", share.round(3))
    return found.iloc[np.argsort(share, kind="stable")].reset_index(drop=True)
