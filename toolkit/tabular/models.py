"""What models make of the table: each seen in the plane of the map, with what it gets wrong among held-out samples."""

from dataclasses import dataclass

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from ..core.arrays import as_frame
from ..core.mixed import is_mixed
from ..decisionmap import DecisionMap, MixedColumns

__all__ = ["SeenModel", "fitted_model", "of_each_class", "seen_model", "usual_models"]

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


def usual_models(seen, X, y, task, held_out, ids, seed=0):
    """Three usual models, fitted to the samples of the map, in its plane.

    Parameters
    ----------
    seen : TrueMap
    X : ndarray of shape (n, p)
    y : ndarray of shape (n,)
    task : Task
    held_out : ndarray of int, rows
    ids : ndarray of str, shape (n,), names of the rows
    seed : int

    Returns
    -------
    list of SeenModel, the one with the smallest error first
    """
    fitted = seen.true.rows[: seen.true.n_fitted]
    asked = _some(held_out, seed)
    options = {"distances": seen.distances, "metric": seen.metric} if hasattr(seen.metric, "factors") else {}
    first, found = None, []
    for name, model in task.usual_models(seed).items():
        model = model.fit(X[fitted], y[fitted])
        if first is None:
            Z = seen.true.Z[: len(fitted)]
            first = DecisionMap.from_map(model, X[fitted], Z, y[fitted], grid=GRID, random_state=seed, **options)
        shown = first if model is first.model_ else first.with_model(model)
        found.append(_seen(name, shown, X[asked], y[asked], model, task, ids[asked]))
    return sorted(found, key=lambda one: one.error)


def fitted_model(model, rows, y, fitted, held_out):
    """A user's model, once it is fitted and has answered for all held-out rows.

    Parameters
    ----------
    model : classifier or regressor of scikit-learn's kind, fitted or not
        One that is not fitted is fitted to the samples of the map.
    rows : DataFrame or ndarray of shape (n, q), the columns that it takes, as they were read
    y : ndarray of shape (n,)
    fitted, held_out : ndarray of int, rows

    Returns
    -------
    model, rows, y, and whether it was fitted already

    Raises
    ------
    ValueError, with the model's own message, and the first row of the table at which it fails
    """
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
            model = clone(model).fit(_at(rows, fitted), y[fitted])
        except Exception as error:
            remedy = "A model gets the columns as they were read: put an encoder before it, or leave columns out"
            raise ValueError(f"`model` cannot be fitted to the table: {_why(error)}. {remedy}.") from error
    try:
        model.predict(_at(rows, held_out))
    except Exception as error:
        first = next((row for row in held_out.tolist() if _fails(model, _at(rows, [row]))), held_out[0])
        raise ValueError(f"`model` cannot answer for the table, first at row {first + 1}: {_why(error)}") from error
    return model, rows, y, given


def _why(error):
    """An error's own message in one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())


def _at(rows, index):
    return rows.iloc[index] if hasattr(rows, "iloc") else rows[index]


def _fails(model, row):
    try:
        model.predict(row)
    except Exception:
        return True
    return False


def seen_model(model, rows, y, is_held_out, task, fitted, held_out, ids, seed=0):
    """A user's model, in a plane made of the columns that it takes.

    Parameters
    ----------
    model, rows, y : as :func:`fitted_model` gives them
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
    shown, asked = DecisionMap.from_estimator(model, _at(rows, fitted), y[fitted], **options), _some(held_out, seed)
    name = type(model[-1] if hasattr(model, "steps") else model).__name__
    return _seen(name, shown, _at(rows, asked), y[asked], model, task, ids[asked], is_held_out=is_held_out)


def _some(held_out, seed):
    return np.sort(np.random.default_rng(seed).permutation(held_out)[:MOST_ASKED])


def _seen(name, decision_map, X, y, model, task, ids, is_held_out=True):
    predicted = model.predict(X)
    loss, columns = task.losses(y, predicted), {"row": ids, "truth": y, "model": predicted}
    if hasattr(model, "predict_proba"):
        columns["probability"] = model.predict_proba(X).max(axis=1).round(3)
    worst = np.argsort(-loss, kind="stable")[: min(MOST_LISTED, int((loss > 0).sum()))]
    wrong = as_frame({key: np.asarray(value)[worst] for key, value in columns.items()})
    by_class = None if task.y.dtype.kind == "f" else of_each_class(y, predicted)
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
    order = np.argsort(right / rows, kind="stable")
    columns = {"class": classes, "rows": rows, "right": right, "fraction right": (right / rows).round(3)}
    columns["taken for"] = np.array(taken)
    return as_frame({name: values[order] for name, values in columns.items()})
