"""What models make of the table: each seen in the plane of the map, with what it gets wrong among held-out samples."""

from dataclasses import dataclass

import numpy as np
from sklearn.base import clone

from ..core.frames import as_frame
from ..decisionmap import DecisionMap

__all__ = ["SeenModel", "own_model", "usual_models"]

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
    task : Task
    is_held_out : bool, whether the samples of `error` are known not to have fitted the model
    """

    name: str
    decision_map: DecisionMap
    agreement: object
    error: float
    standard_error: float
    wrong: object
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


def own_model(model, name, rows, y, task, fitted, held_out, ids, seed=0):
    """A user's model, seen in a plane made of the columns that it takes.

    Parameters
    ----------
    model : classifier or regressor of scikit-learn's kind, fitted or not
        One that is not fitted is fitted to the samples of the map.
    name : str
    rows : DataFrame of shape (n, q), the columns that it takes, as they were read
    y : ndarray of shape (n,)
    task : Task
    fitted, held_out : ndarray of int, rows
    ids : ndarray of str, shape (n,)
    seed : int

    Returns
    -------
    SeenModel
    """
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    try:
        check_is_fitted(model)
        given = True
    except NotFittedError:
        model, given = clone(model).fit(rows.iloc[fitted], y[fitted]), False
    asked = _some(held_out, seed)
    shown = DecisionMap.from_estimator(
        model, rows.iloc[fitted], y[fitted], grid=GRID, metric="fisher" if y.dtype.kind != "f" else None,
        random_state=seed,
    )  # fmt: skip
    return _seen(name, shown, rows.iloc[asked], y[asked], model, task, ids[asked], is_held_out=not given)


def _some(held_out, seed):
    return np.sort(np.random.default_rng(seed).permutation(held_out)[:MOST_ASKED])


def _seen(name, decision_map, X, y, model, task, ids, is_held_out=True):
    predicted = model.predict(X)
    loss, columns = task.losses(y, predicted), {"row": ids, "truth": y, "model": predicted}
    if hasattr(model, "predict_proba"):
        columns["probability"] = model.predict_proba(X).max(axis=1).round(3)
    worst = np.argsort(-loss, kind="stable")[: min(MOST_LISTED, int((loss > 0).sum()))]
    wrong = as_frame({key: np.asarray(value)[worst] for key, value in columns.items()})
    return SeenModel(name, decision_map, decision_map.score(X), *task.error(y, predicted), wrong, task, is_held_out)
