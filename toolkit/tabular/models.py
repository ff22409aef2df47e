"""What models make of the table: each seen in the plane of the map, with what it gets wrong among held-out samples."""

import runpy
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from ..core.arrays import as_frame, ask, pick_rows
from ..core.checks import shown
from ..core.mixed import MixedColumns, is_mixed
from ..decisionmap import DecisionMap
from .wording import named

__all__ = ["SeenModel", "of_each_class", "own_model", "seen_model", "usual_models"]

MOST_ASKED = 1000  # held-out samples at which a picture is compared with its model
MOST_LISTED = 20
GRID = 80


@dataclass(frozen=True)
class SeenModel:
    """A model in the plane.

    Attributes
    ----------
    name : str
    decision_map : DecisionMap
    agreement : Agreement, picture against model at held-out samples
    error, standard_error : float, of the model, at held-out samples
    wrong : DataFrame, held-out samples that it gets wrong, or worst, with the names of their rows
    by_class : DataFrame or None, held-out samples of each class, as :func:`of_each_class` gives it; None of values
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
    is_held_out: bool = True

    @property
    def rows(self):
        """What the samples of `error` are, in words."""
        return "held-out rows" if self.is_held_out else "rows that it may have been fitted to"


def usual_models(seen, X, task, held_out, ids, seed=0):
    """Three usual models, fitted to the samples of the map, in its plane.

    Parameters
    ----------
    seen : TrueMap
    X : ndarray of shape (n, p)
    task : Task
    held_out : ndarray of int, rows
    ids : ndarray of str, shape (n,), names of the rows
    seed : int

    Returns
    -------
    list of SeenModel, the one with the smallest error first
    """
    y, fitted = task.y, seen.true.rows[: seen.true.n_fitted]
    options = {"distances": seen.distances, "metric": seen.metric} if hasattr(seen.metric, "factors") else {}
    first, found = None, []
    for name, model in task.usual_models(seed).items():
        model.fit(X[fitted], y[fitted])
        if first is None:
            Z = seen.true.Z[: len(fitted)]
            shown = first = DecisionMap.from_map(
                model, X[fitted], Z, y[fitted], grid=GRID, random_state=seed, **options
            )
        else:
            shown = first.with_model(model)
        found.append(_seen(name, shown, model, X, y, task, held_out, ids, seed))
    return sorted(found, key=lambda one: one.error)


def own_model(model, frame, target, table, fitted, held_out):
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
    model, the rows (n, q) that it takes, its targets (n,), and whether it was fitted already

    Raises
    ------
    ValueError, with the model's own message, and the first row of the table at which it fails
    """
    if isinstance(model, str):
        model = _from_file(model)
    if isinstance(model, type) or not hasattr(model, "predict") or not hasattr(model, "fit"):
        raise ValueError(f"`model` must be a classifier or regressor with `fit` and `predict`; got {shown(model)}.")
    if table.task == "labels":
        raise ValueError("`model` must be None with several labels. Look at one of them, with it as `target`.")
    if isinstance(frame, dict):
        frame = as_frame(frame)
    y = table.y
    if getattr(getattr(model, "classes_", y), "dtype", y.dtype).kind in "iufb":  # it knows classes by their numbers
        y = np.asarray(frame[target] if isinstance(target, str) else target)[table.rows]
    if not hasattr(frame, "columns"):
        return _fitted(model, np.asarray(frame)[table.rows], y, fitted, held_out)
    columns = list(getattr(model, "feature_names_in_", table.features))
    if missing := [str(name) for name in columns if name not in set(frame.columns)]:
        raise ValueError(f"`model` was fitted to columns that `data` has not: {named(missing)}. Add them.")
    return _fitted(model, frame.iloc[table.rows][columns].reset_index(drop=True), y, fitted, held_out)


def _from_file(name):
    """The model that a file of Python defines, "file.py:name"; its code is run."""
    path, _, what = name.rpartition(":")
    if not path.endswith(".py") or not what.isidentifier():
        raise ValueError(f"`model` must be a model, or 'file.py:name' of one; got {shown(name)}.")
    if not Path(path).is_file():
        raise ValueError(f"`model` must be in a file that exists; there is none at {path}.")
    try:
        found = runpy.run_path(path)
    except Exception as error:
        raise ValueError(f"`model` cannot be imported from {path}: {type(error).__name__}: {error}") from error
    if what not in found:
        raise ValueError(f"`model` must name something that {path} defines; there is no {what!r} in it.")
    return found[what]


def _fitted(model, rows, y, fitted, held_out):
    if not hasattr(model, "__sklearn_tags__"):
        kind = "a classifier or regressor of scikit-learn's kind, which derives from its BaseEstimator"
        raise ValueError(f"`model` must be {kind}; got {type(model).__name__}. Wrap it in such a class.")
    classes = y.dtype.kind != "f" or is_classifier(model) and hasattr(model, "classes_")
    if is_classifier(model) != classes:
        kinds = ("classifier", "classes") if classes else ("regressor", "numbers")
        raise ValueError(f"`model` must be a {kinds[0]}, as the target holds {kinds[1]}; got {type(model).__name__}.")
    try:
        check_is_fitted(model)
        given = True
    except NotFittedError:
        given = False
        try:
            model = clone(model).fit(pick_rows(rows, fitted), y[fitted])
        except Exception as error:
            why = " ".join(f"{type(error).__name__}: {error}".split())
            remedy = "A model gets the columns as they were read: put an encoder before it, or leave columns out"
            raise ValueError(f"`model` cannot be fitted to the table: {why}. {remedy}.") from error
    ask(model.predict, pick_rows(rows, held_out), "`model` cannot answer for the table", held_out + 1)
    return model, rows, y, given


def seen_model(model, rows, y, is_held_out, task, fitted, held_out, ids, seed=0):
    """A user's model, in a plane made of the columns that it takes.

    Parameters
    ----------
    model, rows, y : as :func:`own_model` gives them
    is_held_out : bool, whether the held-out rows are new to the model
    task : Task
    fitted, held_out : ndarray of int, rows
    ids : ndarray of str, shape (n,)
    seed : int

    Returns
    -------
    SeenModel
    """
    options = {"metric": "fisher" if is_classifier(model) else None, "grid": GRID, "random_state": seed}
    if not is_mixed(rows):  # numbers, in units of their own
        options["prepare"] = MixedColumns()
    shown = DecisionMap.from_estimator(model, pick_rows(rows, fitted), y[fitted], **options)
    name = type(model[-1] if hasattr(model, "steps") else model).__name__
    return _seen(name, shown, model, rows, y, task, held_out, ids, seed, is_held_out)


def _seen(name, decision_map, model, rows, y, task, held_out, ids, seed, is_held_out=True):
    asked = np.sort(np.random.default_rng(seed).permutation(held_out)[:MOST_ASKED])
    X, y = pick_rows(rows, asked), y[asked]
    predicted = model.predict(X)
    loss, columns = task.losses(y, predicted), {"row": ids[asked], "truth": y, "model": predicted}
    if hasattr(model, "predict_proba"):
        columns["probability"] = model.predict_proba(X).max(axis=1).round(3)
    worst = np.argsort(-loss, kind="stable")[: min(MOST_LISTED, int((loss > 0).sum()))]
    wrong = as_frame({key: np.asarray(value)[worst] for key, value in columns.items()})
    by_class = None if task.is_value else of_each_class(y, predicted)
    error = task.error(y, predicted)
    return SeenModel(name, decision_map, decision_map.score(X), *error, wrong, by_class, task, is_held_out)


def of_each_class(y, predicted):
    """How many samples there are of each class, how many of them are right, and what most of the others are taken for.

    Parameters
    ----------
    y, predicted : ndarray of shape (n,)

    Returns
    -------
    DataFrame of shape (classes, 5), the class with the smallest fraction right first

    Examples
    --------
    >>> of_each_class(np.array(["a", "a", "b"]), np.array(["a", "b", "b"])).to_dict("list")["taken for"]
    ['b', '']
    """
    classes, codes = np.unique(y, return_inverse=True)
    rows, right = np.bincount(codes), np.bincount(codes, y == predicted).astype(int)
    taken = []
    for code in range(len(classes)):
        others, counts = np.unique(predicted[(codes == code) & (y != predicted)], return_counts=True)
        taken.append(str(others[counts.argmax()]) if len(others) else "")
    columns = {"class": classes, "rows": rows, "right": right, "fraction right": (right / rows).round(3)}
    return as_frame(columns | {"taken for": taken}).iloc[np.argsort(right / rows, kind="stable")].reset_index(drop=True)
