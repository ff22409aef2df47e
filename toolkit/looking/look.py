"""`toolkit.look`: a table, a similarity matrix or a model of one's own from all sides, with honest numbers."""

import html
from functools import cached_property
from pathlib import Path

import numpy as np

from ..core.arrays import check_table
from ..core.checks import check_distances, check_flag, check_integer, shown
from ..core.scales import scales_are_told
from ..fisher.spectra import check_similarities
from ..tables import as_table, read_square, read_table
from . import pictures, words
from .byhand import by_hand
from .coordinates import coordinates
from .explorers import map_explorer, models_explorer
from .features import which_features
from .linear import linear_map
from .maps import MOST_MAPPED, true_map
from .models import fitted_model, seen_model, usual_models
from .prepare import Prepared, prepared
from .said import Said, as_html
from .separation import find_leaks, separation
from .splits import split
from .tasks import task_of

__all__ = ["Look", "look"]


def look(
    data, target=None, *, labels=None, similarities=False, distances=False, classes=None, model=None, test=None,
    task=None, drop=(), id=None, groups=None, rows=None, random_state=0, n_jobs=-1, verbose=True,
):  # fmt: skip
    """Look at a table of one's own: what is in it, what can be seen, what matters, and what of it one may believe.

    Parameters
    ----------
    data : str, Path, DataFrame, dict of columns or array of shape (n, d)
        A table, or the name of a file with one (CSV, TSV, Excel, Parquet, ARFF, NumPy).
    target : str or array-like of shape (n,)
        Name of the column to be predicted, or its values: classes or numbers.
    labels : list of str, optional, instead of `target`: columns of 0 and 1, several of which may hold for a row
    similarities, distances : bool
        `data` is a square matrix of these, with names in its first row or column if it is a file.
    classes : str, Path or array-like of shape (n,), optional, for such a matrix: the classes, or a file with them
    model : classifier or regressor of scikit-learn's kind, optional, fitted or not
        It is asked about the columns of `data` as they are; a pipeline may prepare them.
    test : str, Path or DataFrame, optional, rows to be held out; otherwise a quarter of the rows is
    task : "classes" or "value", optional, what `target` is
    drop : list of str, columns to leave out
    id, groups : str, optional
        The column that names the rows; one whose equal values must stay on the same side of every split.
    rows : int, optional, read at most so many rows of a file, drawn at random
    random_state : int, default=0
    n_jobs : int, optional, processes for joblib, by default one for each core
    verbose : bool, default=True, show progress bars

    Returns
    -------
    Look

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> seen = look(load_iris(as_frame=True).frame, "target", verbose=False)
    >>> seen.table_.task, seen.table_.features.shape
    ('classes', (150, 4))
    """
    seed = check_integer(random_state, "random_state", 0, 2**32 - 1)
    if check_flag(similarities, "similarities") or check_flag(distances, "distances"):
        if similarities and distances:
            raise ValueError(
                "`similarities` and `distances` must not both be True; got both. Choose what `data` holds."
            )
        table, numbers = _of_matrix(data, classes if target is None else target, distances)
        return Look(table, numbers, seed=seed, n_jobs=n_jobs, verbose=verbose)
    frame, notes = _frame(data, rows, seed)
    n_train = len(frame)
    if test is not None:
        frame, more = _with_test(frame, test, seed)
        notes += more
    table = as_table(frame, target, labels=labels, task=task, drop=drop, id=id, groups=groups, notes=notes)
    is_test = None if test is None else table.rows >= n_train
    file = str(data) if isinstance(data, str | Path) else "table.csv"
    arguments = file, target, {"labels": labels, "task": task, "drop": list(drop), "id": id, "groups": groups}, seed
    given = {"model": model, "frame": frame, "is_test": is_test, "arguments": arguments}
    return Look(table, **given, seed=seed, n_jobs=n_jobs, verbose=verbose)


class Look:
    """A table looked at; `look` makes one. Everything is computed when it is first asked for.

    Attributes
    ----------
    table_ : Table, what is in the table, and what was left out and why
    leaks_ : dict of str to float, columns that predict the target alone
    separation_ : Separation, errors of simple models beside chance and permuted targets
    map_ : TrueMap, the map that knows the target, the plain one and that of a shuffled target
    linear_map_ : LinearMap, a plane with arrows of columns
    bounds_ : Features or None, which of the d columns matter; None of a matrix of shape (n, n)
    models_ : list of SeenModel, in the plane; empty for several labels
    decision_map_ : DecisionMap or None, of the first of these, which is the user's own model if there is one
    beliefs_ : list of str, what one may believe
    """

    def __init__(
        self, table, numbers=None, *, model=None, frame=None, is_test=None, arguments=None, seed=0, n_jobs=-1,
        verbose=True,
    ):  # fmt: skip
        self.table_, self.arguments, self.most_mapped, self._seed = table, arguments, MOST_MAPPED, seed
        self._options = {"seed": seed, "n_jobs": n_jobs, "verbose": verbose}
        self._task, self._is_matrix = task_of(table.task, table.y, table.label_names), numbers is not None
        self._data = prepared(table.features, table.kinds) if numbers is None else numbers
        strata = self._task.strata()
        self._fitted, self._held_out = split(strata, table.groups, MOST_MAPPED, seed, is_test=is_test)
        if table.task == "labels":
            self._leave_out_empty()
        self._own, self._is_tested = None, is_test is not None
        if model is not None:
            self._own = _own_model(model, frame, arguments[1], table, self._fitted, self._held_out)

    def _leave_out_empty(self):
        """Labels that no fitted row has, and rows without any other, have no part in what follows."""
        task, notes = self._task, self.table_.notes
        used = task.y[self._fitted].any(axis=0)
        if not used.all():
            names = [name for name, known in zip(task.names, used, strict=True) if not known]
            notes.append(f"No row that the maps are fitted to has {words.listed(names)}: left out of what follows.")
            task = task_of("labels", task.y[:, used], [n for n, known in zip(task.names, used, strict=True) if known])
        labelled = task.y.any(axis=1)
        if not labelled.all():
            notes.append(f"{int((~labelled).sum()):,} rows without a label are in no map and no error.")
        self._task = task
        self._fitted, self._held_out = (rows[labelled[rows]] for rows in (self._fitted, self._held_out))

    @cached_property
    def leaks_(self):
        return {} if self._is_matrix else find_leaks(self._data, self._task, self.table_.groups, self._seed)

    @cached_property
    def separation_(self):
        return separation(self._data, self._task, self.table_.groups, self.leaks_, **self._options)

    @cached_property
    def map_(self):
        groups = self.table_.groups
        with scales_are_told():  # by `prepared`
            return true_map(self._data.X, self._task, groups, self._fitted, self._held_out, self._seed)

    @cached_property
    def linear_map_(self):
        return linear_map(self._data, self._task, self._fitted, self._held_out)

    @cached_property
    def bounds_(self):
        return None if self._is_matrix else which_features(self._data, self._task, **self._options)

    @cached_property
    def models_(self):
        table = self.table_
        if table.task == "labels":
            return []
        if self._own is not None:
            *own, given = self._own  # rows that the user kept out are taken for new to a model that was fitted
            options = self._task, self._fitted, self._held_out, table.ids, self._seed
            return [seen_model(*own, not given or self._is_tested, *options)]
        given = self._held_out, table.ids, self._seed
        with scales_are_told():
            return usual_models(self.map_, self._data.X, table.y, self._task, *given)

    @property
    def decision_map_(self):
        return self.models_[0].decision_map if self.models_ else None

    @cached_property
    def beliefs_(self):
        found = [*words.about_separation(self.separation_), *words.about_map(self.map_)]
        found += words.about_linear(self.linear_map_, self.separation_)
        found += [] if self.bounds_ is None else words.about_features(self.bounds_)
        return found + list(words.about_models(self.models_))

    # -------------------------------------------------------- what a page shows of it
    def show_table(self):
        """What is in the table, and what was left out and why."""
        return Said(self.table_.notes, self.table_.overview())

    def show_separation(self):
        """Whether there is anything to see: errors beside chance and permuted targets."""
        return Said(words.about_separation(self.separation_), self.separation_.to_frame().round(3))

    def show_map(self):
        """The map that knows the target, with the held-out rows placed on it."""
        one, task = self.map_.true, self._task
        finding = f"{self._what()}: held-out rows have an error of {task.percent(one.error)} in the map"
        return pictures.map_picture(self.map_, self.table_.target, finding[0].upper() + finding[1:])

    def show_maps(self):
        """That map between the plain one and that of a shuffled target."""
        why = next(s for s in words.about_map(self.map_) if ", so " in s).partition(", so ")[2].rstrip(".")
        return pictures.maps_picture(self.map_, self.table_.target, why[0].upper() + why[1:])

    def explore_map(self):
        """The same three maps one after the other; hover tells of the row."""
        return map_explorer(self.map_, self.table_)

    def show_linear_map(self):
        """The linear map with arrows of columns."""
        return pictures.linear_picture(self.linear_map_, self._data.X, self.table_.target)

    def show_bounds(self):
        """Bounds on the weights of the columns, beside noise."""
        if self.bounds_ is None:
            return Said(["A matrix of similarities or distances has no columns to ask about."])
        needed = self.bounds_.of("needed")
        finding = f"Needed: {words.listed(needed, 5)}" if needed else "No column is needed: others can take its place"
        return pictures.features_picture(self.bounds_, finding)

    def list_columns(self):
        """The columns, grouped into needed, replaceable and without evidence."""
        if self.bounds_ is None:
            return Said()
        return Said(words.about_features(self.bounds_), self.bounds_.to_frame().round(3))

    def show_models(self):
        """The models in the plane."""
        if not self.models_:
            return Said(["Models are shown for one target: look at one of the labels, with it as the target."])
        best = self.models_[0]
        error = best.task.percent(best.error)
        held = "held-out rows" if best.is_held_out else "rows that it may know"
        finding = f"{best.name}: error {error} at {held}"
        return pictures.models_picture(self.models_, finding[0].upper() + finding[1:])

    def explore_models(self):
        """The models one after the other; hover tells of the row."""
        return models_explorer(self.models_, self.map_, self.table_) if self.models_ else Said()

    def list_wrong(self):
        """Held-out rows that the first model gets wrong, by their names."""
        if not self.models_:
            return Said()
        first = self.models_[0]
        said = (
            f"{first.name}, held-out rows that it gets wrong"
            if self.table_.task == "classes"
            else f"{first.name}, its worst held-out rows"
        )
        return Said([f"{said}: the first {len(first.wrong)}."], first.wrong)

    def show_beliefs(self):
        """What one may believe, in plain words."""
        return Said(self.beliefs_)

    def show_code(self):
        """The same by hand: Python that reads the file and makes these numbers and pictures."""
        return Said(code=by_hand(self))

    def report(self, path, title="A table of one's own"):
        """Write all of this as one page that needs no network; returns the path."""
        from .page import write_report

        return write_report(self, path, title)

    def _what(self):
        table = self.table_
        if table.task == "classes":
            return f"{len(table.label_names)} classes of {table.target}"
        return f"{len(table.label_names)} labels" if table.task == "labels" else str(table.target)

    def _repr_html_(self):
        """The map, and what one may believe."""
        picture = self.show_map()
        believed = "".join(f"<li>{as_html(sentence)}</li>" for sentence in self.beliefs_)
        alt = html.escape(picture.alt, quote=True)
        return f'<img src="data:image/png;base64,{picture.png()}" alt="{alt}" width="640"><ul>{believed}</ul>'

    def __repr__(self):
        table = self.table_
        n, d = table.features.shape
        return f"<Look: {n:,} rows, {d} columns, {self._what()}; {len(self._held_out):,} rows held out>"


def _frame(data, rows, seed):
    if isinstance(data, str | Path):
        return read_table(data, rows, seed)
    return data, []


def _with_test(frame, test, seed):
    """Both tables in one, the rows to be held out last."""
    import pandas as pd

    other, notes = _frame(test, None, seed)
    if not hasattr(frame, "columns") or not hasattr(other, "columns"):
        raise ValueError(
            "`test` must be a table with the columns of `data`, both with names. Give DataFrames or files."
        )
    if missing := [str(name) for name in frame.columns if name not in set(other.columns)]:
        raise ValueError(f"`test` must have the columns of `data`; {words.listed(missing)} is missing. Add them.")
    notes = [*notes, f"{len(other):,} rows are held out, as given."]
    return pd.concat([frame, other[list(frame.columns)]], ignore_index=True), notes


def _of_matrix(data, classes, distances):
    """The table of a square matrix, without features, and its coordinates as numbers."""
    import pandas as pd

    names, notes = None, []
    if isinstance(data, str | Path):
        S, names, found, notes = read_square(data, classes if isinstance(classes, str | Path) else None)
        classes = found if classes is None or isinstance(classes, str | Path) else classes
    else:
        S = check_similarities(data) if not distances else check_distances(check_table(data, "data"), name="data")
    if classes is None:
        raise ValueError("`classes` is missing: give the classes of the rows, or a file with them (`--classes FILE`).")
    X, lost = coordinates(S, distances)
    names = [f"row {i + 1}" for i in range(len(S))] if names is None else names
    table = as_table(
        pd.DataFrame({"name": names, "class": np.asarray(classes, dtype=object), "first coordinate": X[:, 0]}),
        "class",
        id="name",
        notes=notes,
    )
    said = f"A {len(S)} x {len(S)} matrix; {X.shape[1]} coordinates hold all of it that vectors can have"
    said += f" ({100 * lost:.1f} % of its spectrum is negative and left out)." if lost > 0.0005 else "."
    table.notes.append(said)
    columns = [f"coordinate {j + 1}" for j in range(X.shape[1])]
    X = X[table.rows] / X[:, 0].std()
    return table, Prepared(X, columns, columns, np.arange(len(columns)), None)


def _own_model(model, frame, target, table, fitted, held_out):
    """A user's model, fitted if it was not, the rows that it takes, its targets, and whether it had been fitted."""
    if isinstance(model, str):
        model = _imported(model)
    if isinstance(model, type) or not hasattr(model, "predict") or not hasattr(model, "fit"):
        raise ValueError(f"`model` must be a classifier or regressor with `fit` and `predict`; got {shown(model)}.")
    if table.task == "labels":
        raise ValueError("`model` must be None with several labels. Look at one of them, with it as `target`.")
    y = table.y
    if getattr(getattr(model, "classes_", y), "dtype", y.dtype).kind in "iufb":  # it knows classes by their numbers
        y = np.asarray(frame[target] if isinstance(target, str) else target)[table.rows]
    if not hasattr(frame, "columns"):
        return fitted_model(model, np.asarray(frame)[table.rows], y, fitted, held_out)
    columns = list(getattr(model, "feature_names_in_", table.features))
    if missing := [str(name) for name in columns if name not in set(frame.columns)]:
        raise ValueError(f"`model` was fitted to columns that `data` has not: {words.listed(missing)}. Add them.")
    rows = frame.iloc[table.rows][columns].reset_index(drop=True)
    return fitted_model(model, rows, y, fitted, held_out)


def _imported(name):
    """The model that a file of Python defines, "file.py:name"; its code is run."""
    import runpy

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
