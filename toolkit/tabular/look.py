"""`toolkit.look`: a table, a similarity matrix or a model of one's own from all sides, with honest numbers."""

import html
from functools import cached_property
from pathlib import Path

import numpy as np

from ..core.checks import check_flag, check_integer, shown
from ..core.scaling import scales_are_told
from ..explore.progress import vanishing
from . import pictures, words
from .features import which_features
from .generated_code import generated_code
from .maps import MOST_MAPPED, linear_map, true_map
from .models import MOST_LISTED, own_model, seen_model, usual_models
from .reading import read_table
from .rows import prepared
from .separation import find_leaks, most_related, separation
from .splits import check_groups, check_sides, split
from .squares import table_of_matrix
from .table import as_table
from .targets import task_of
from .wording import Said, as_html, named

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
    given = {"seed": seed, "n_jobs": n_jobs, "verbose": verbose}
    options = {"labels": labels, "task": task, "drop": [drop] if isinstance(drop, str) else list(drop)}
    options |= {"id": id, "groups": groups}
    if check_flag(similarities, "similarities") or check_flag(distances, "distances"):
        if similarities and distances:
            raise ValueError(
                "`similarities` and `distances` must not both be True; got both. Choose what `data` holds."
            )
        _check_matrix_only(options | {"model": model, "test": test, "rows": rows}, target, classes)
        classes = classes if target is None else target
        table, numbers = table_of_matrix(data, classes, distances)
        arguments = {"file": _file(data, "matrix.csv"), "distances": distances}
        arguments["classes"] = None if classes is None else _file(classes, "classes.csv")
        return Look(table, numbers, arguments=arguments, **given)
    if classes is not None:
        raise ValueError("`classes` must be None of a table. Name its `target`, or say what matrix `data` is.")
    arguments = {"file": _file(data, "table.csv"), "target": target, "model": model, "rows": rows, "options": options}
    arguments["test"] = None if test is None else _file(test, "test.csv")
    frame, notes = _frame(data, rows, seed)
    n_train = None
    if test is not None:
        frame, n_train, more = _with_test(frame, test, seed)
        notes += more
    table = as_table(frame, target, **options, notes=notes)
    is_test = None if test is None else table.rows >= n_train
    return Look(table, model=model, frame=frame, is_test=is_test, arguments=arguments, **given)


class Look:
    """A table looked at; `look` makes one. Everything is computed when it is first asked for.

    Attributes
    ----------
    table_ : Table, what is in the table, and what was left out and why
    leaks_ : dict of str to float, columns that predict the target alone
    separation_ : Separation, errors of simple models beside chance and permuted targets
    map_ : TrueMap, the map that knows the target, the plain one and that of a shuffled target
    linear_map_ : LinearMap or None, a plane with arrows of columns; None of a single column
    bounds_ : Features or None, which of the d columns matter; None of a matrix of shape (n, n)
    models_ : list of SeenModel, in the plane; empty for several labels
    decision_map_ : DecisionMap or None, of the first of these, which is the user's own model if there is one
    beliefs_ : list of str, what one may believe
    code_ : str, Python that makes these numbers and pictures from the file
    """

    def __init__(self, table, numbers=None, *, model=None, frame=None, is_test=None, arguments=None, **options):
        self.table_, self.arguments, self.most_mapped, self.seed = table, arguments, MOST_MAPPED, options["seed"]
        self._options, self._is_tested, self.is_matrix = options, is_test is not None, numbers is not None
        self._task = task_of(table.task, table.y, table.label_names)
        self._data = prepared(table.features, table.kinds) if numbers is None else numbers
        check_groups(table.groups)
        self._fitted, self._held_out = split(self._task.strata(), table.groups, MOST_MAPPED, self.seed, is_test=is_test)
        check_sides(table, self._fitted, self._held_out, is_test)
        if table.task == "labels":
            self._leave_out_empty()
        self.own_model = None
        if model is not None:
            self.own_model = own_model(model, frame, arguments["target"], table, self._fitted, self._held_out)

    def _leave_out_empty(self):
        """Labels that no fitted row has, and rows without any other, have no part in what follows."""
        y, names, notes = self._task.y, np.array(self._task.names), self.table_.notes
        used = y[self._fitted].any(axis=0)
        if not used.all():
            notes.append(f"No row that the maps are fitted to has {named(names[~used])}: left out of what follows.")
        self._task = task_of("labels", y[:, used], names[used].tolist())
        labelled = self._task.y.any(axis=1)
        if not labelled.all():
            notes.append(f"{int((~labelled).sum()):,} rows without a label are in no map and no error.")
        self._fitted, self._held_out = (rows[labelled[rows]] for rows in (self._fitted, self._held_out))

    @cached_property
    def leaks_(self):
        return {} if self.is_matrix else find_leaks(self._data, self._task, self.table_.groups, self.seed)

    @cached_property
    def separation_(self):
        with vanishing():
            return separation(self._data, self._task, self.table_.groups, self.leaks_, **self._options)

    @cached_property
    def map_(self):
        groups = self.table_.groups
        with scales_are_told():  # by `prepared`
            return true_map(self._data.X, self._task, groups, self._fitted, self._held_out, self.seed)

    @cached_property
    def linear_map_(self):
        if self._data.X.shape[1] == 1:
            return None
        return linear_map(self._data, self._task, self._fitted, self._held_out)

    @cached_property
    def bounds_(self):
        if self.is_matrix:
            return None
        groups, best = self.table_.groups, self.separation_.best
        with vanishing():
            return which_features(self._data, self._task, groups, best, **self._options)

    @cached_property
    def models_(self):
        table = self.table_
        if table.task == "labels":
            return []
        if self.own_model is not None:
            *own, given = self.own_model  # rows that the user kept out are taken for new to a model that was fitted
            is_new = not given or self._is_tested
            return [seen_model(*own, is_new, self._task, self._fitted, self._held_out, table.ids, self.seed)]
        with scales_are_told():
            return usual_models(self.map_, self._data.X, self._task, self._held_out, table.ids, self.seed)

    @property
    def decision_map_(self):
        return self.models_[0].decision_map if self.models_ else None

    @property
    def code_(self):
        return generated_code(self)

    @cached_property
    def beliefs_(self):
        found = [*words.about_separation(self.separation_), *words.about_map(self.map_)]
        found += [] if self.linear_map_ is None else words.about_linear(self.linear_map_, self.separation_)
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
        error = self._task.percent(self.map_.true.error)
        finding = f"{self._what()}: held-out rows have an error of {error} in the map"
        return pictures.map_picture(self.map_, self.table_.target, finding)

    def show_maps(self):
        """That map between the plain one and that of a shuffled target."""
        return pictures.maps_picture(self.map_, self.table_.target, words.what_helps(self.map_))

    def explore_map(self):
        """The same three maps one after the other; tips tell of the row."""
        return pictures.map_explorer(self.map_, self.table_, self._columns(), self._call())

    def show_linear_map(self):
        """The linear map with arrows of columns."""
        if self.linear_map_ is None:
            return Said(["A single column spans no plane."])
        if self.is_matrix:
            return Said(["A matrix of similarities or distances has no columns whose arrows could be drawn."])
        return pictures.linear_picture(self.linear_map_, self._data.X, self.table_.target)

    def show_bounds(self):
        """Bounds on the weights of the columns, beside noise."""
        if self.bounds_ is None:
            return Said(["A matrix of similarities or distances has no columns to ask about."])
        needed = self.bounds_.of("needed")
        finding = f"Needed: {named(needed, 5)}" if needed else "No column is needed: others can take its place"
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
        return pictures.models_picture(self.models_)

    def explore_models(self):
        """The models one after the other; tips tell of the row."""
        if not self.models_:
            return Said()
        return pictures.models_explorer(self.models_, self.map_, self.table_, self._columns(), self._call())

    def list_classes(self):
        """Of each class how many of the held-out rows the first model gets right."""
        if not self.models_ or self.models_[0].by_class is None:
            return Said()
        first, found = self.models_[0], self.models_[0].by_class
        cut = f"the {MOST_LISTED} of {len(found)} classes that come off worst"
        classes = cut if len(found) > MOST_LISTED else "each class"
        sentences = [
            f"{first.name}, {first.rows} of {classes}: how many are right, and what most others are taken for."
        ]
        if len(never := found["class"][found["right"] == 0]):
            sentences.append(f"Never right: {named(never)}.")
        return Said(sentences, found[:MOST_LISTED])

    def list_wrong(self):
        """Held-out rows that the first model gets wrong, by their names."""
        if not self.models_:
            return Said()
        first = self.models_[0]
        if not len(first.wrong):
            return Said([f"{first.name} gets none of the rows asked wrong."])
        what = f"its worst {first.rows}" if self._task.is_value else f"{first.rows} that it gets wrong"
        return Said([f"{first.name}, {what}, {len(first.wrong)} at most."], first.wrong)

    def show_beliefs(self):
        """What one may believe, in plain words."""
        return Said(self.beliefs_)

    def show_code(self):
        """The same without `look`: Python that reads the file and makes these numbers and pictures."""
        return Said(code=self.code_)

    def report(self, path, title="A table of one's own"):
        """Write all of this as one page that needs no network; returns the path."""
        from .page import write_report

        return write_report(self, path, title)

    def _columns(self):
        """Names of the columns, those that go best with the target first."""
        if self.is_matrix:
            return []
        order = np.argsort(-most_related(self._data, self._data.X, self._task.y), kind="stable")
        return [self._data.columns[j] for j in order]

    def _call(self):
        """Code that makes this, as `seen`; of a matrix it has to be there."""
        if self.is_matrix:
            return ""
        told = self.arguments
        options = {"target": self.table_.target, **told["options"], "rows": told["rows"], "test": told["test"]}
        given = [repr(told["file"]), *(f"{name}={value!r}" for name, value in options.items() if value)]
        given += ["model=model"] if self.own_model is not None else []
        given += [f"random_state={self.seed}"] if self.seed else []
        return f"\nseen = toolkit.look({', '.join(given)})"

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


def _file(data, otherwise):
    """The name of a file that was given; of what came from Python one to be written."""
    return str(data) if isinstance(data, str | Path) else otherwise


def _with_test(frame, test, seed):
    """Both tables in one, the rows to be held out last, and how many come before these."""
    import pandas as pd

    other, notes = _frame(test, None, seed)
    if not hasattr(frame, "columns") or not hasattr(other, "columns"):
        raise ValueError(
            "`test` must be a table with the columns of `data`, both with names. Give DataFrames or files."
        )
    if missing := [str(name) for name in frame.columns if name not in set(other.columns)]:
        raise ValueError(f"`test` must have the columns of `data`; {named(missing)} is missing. Add them.")
    notes = [*notes, f"{len(other):,} rows are held out, as given."]
    return pd.concat([frame, other[list(frame.columns)]], ignore_index=True), len(frame), notes


def _check_matrix_only(others, target, classes):
    """Refuse what has no meaning for a matrix, instead of leaving it aside without a word."""
    given = [name for name, value in others.items() if value is not None and not (name == "drop" and not value)]
    if given:
        raise ValueError(f"`{given[0]}` must not be given with a matrix, which has no columns. Leave it out.")
    if isinstance(target, str):
        raise ValueError(f"`target` must not name a column of a matrix; got {shown(target)}. Give `classes`.")
    if target is not None and classes is not None:
        raise ValueError("`target` and `classes` must not both be given with a matrix. Leave one of them out.")
