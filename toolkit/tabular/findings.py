"""Computations on a table, a matrix or a model, all with one split."""

from dataclasses import replace
from functools import cached_property, partial

import numpy as np

from ..core import (
    and_list,
    feature_names,
    suppress_scale_warning,
    whole_progress,
)
from ..explorer.progress import transient_bars
from ..validation import as_map
from ..validation.opposed import opposed_sets
from .features import NOT_JUDGED, which_features
from .generated_code import generated_code
from .linear import linear_map
from .maps import FEWEST_SPLIT, MOST_MAPPED, compare_maps
from .models import (
    evaluate_models,
    from_file,
    user_model,
    user_model_map,
    usual_model_maps,
)
from .raw_model import RawModel
from .separation import dependence, find_leaks, separation
from .splits import check_sides, split
from .targets import task_of

# of the time for a page, on tables of several kinds: of each bar, and of attributes
# without one
PERCENT = {
    "models": 5,
    "permuted targets": 15,
    "map_": 35,
    "draws": 15,  # twice
    "permuted columns": 10,
    "models_": 5,
}


class Findings:
    """Base of `Look`: each number is computed when it is first used.

    Parameters
    ----------
    table : Table
        Features and target.
    data : NumericTable
        Columns of the table as numbers.
    arguments : dict
        Arguments of `look`, with names of files.
    frame : DataFrame or dict of columns or array of shape (n_rows, n_columns), optional
        All rows and columns as they were read; None for a matrix.
    is_test : ndarray of bool, shape (n,), optional
        Rows to be held out.
    shows_rows : bool, default=True
        Whether names and values of single rows are shown.
    **options
        ``seed``, ``n_jobs`` and ``verbose``.
    """

    def __init__(
        self,
        table,
        data,
        arguments,
        frame=None,
        is_test=None,
        *,
        shows_rows=True,
        **options,
    ):
        self.table_ = table
        self.arguments = arguments
        self.seed = options["seed"]
        self.is_matrix = frame is None
        self.shows_rows = shows_rows
        self._data = data
        self._has_test = is_test is not None
        self._options = options
        groups = table.groups
        task = task_of(table.task, table.y, table.label_names)
        # one split for maps, models and errors
        sides = split(
            task.strata(),
            table.split_groups,
            MOST_MAPPED,
            self.seed,
            is_test=is_test,
        )
        check_sides(table, *sides, is_test)
        if table.task == "labels":
            task, sides = _restrict_labels(table, task, *sides)
        self._task = task
        self._fitted, self._held_out = sides
        self._problem = data, task, groups
        self.user_model = self.user_map = self._raw_model = None
        if (map := arguments.get("map")) is not None:
            self.user_map = as_map(from_file(map, "map"))
        if (model := arguments.get("model")) is not None:
            self.user_model = user_model(model, frame, table, *sides)
            columns = None
            if not hasattr(self.user_model[1], "columns"):
                columns = feature_names(None, np.shape(frame)[1])
                columns = [name for name in columns if name != table.target]
            self._raw_model = RawModel(*self.user_model[:3], columns)

    def compute(self):
        """Compute what the page shows, under one bar with the time left."""
        bar = whole_progress(PERCENT, "findings", self._options["verbose"])
        with transient_bars(), bar as done:
            for name in ("separation_", "map_", "bounds_", "models_"):
                getattr(self, name)
                done(PERCENT.get(name, 0))

    @property
    def is_declared(self):
        """Whether rows of a group are said to depend on each other."""
        given = self.arguments.get("options", {})
        return bool(given.get("groups") or given.get("id"))

    @property
    def cross_validates_maps(self):
        """Whether errors of maps are of all rows: too few would be held out."""
        n = len(self._fitted) + len(self._held_out)
        return n < FEWEST_SPLIT and not self._has_test

    @property
    def permuted(self):
        """How columns are permuted, and by which kind of dependence, if any."""
        kind = next(reversed(self.dependence_.deciding), None)
        if kind == "order":
            return "order", kind
        return "groups" if kind or self.is_declared else "rows", kind

    @cached_property
    def leaks_(self):
        """Columns that predict the target alone, by name, and their error."""
        return {} if self.is_matrix else find_leaks(*self._problem, self.seed)

    @cached_property
    def dependence_(self):
        """Dependence among the rows, and the error on independent rows."""
        with transient_bars():
            return dependence(
                *self._problem,
                self.table_,
                seed=self.seed,
                n_jobs=self._options["n_jobs"],
            )

    @cached_property
    def separation_(self):
        """Error of the best of simple models, with interval, p-value and baseline."""
        with transient_bars():
            found = separation(
                *self._problem,
                self.leaks_,
                declared=self.is_declared,
                **self._options,
            )
        found = replace(found, unlike=self.dependence_.deciding)
        row_names = self.table_.row_names
        if not found.is_significant and row_names is not None:
            opposed = opposed_sets(
                self._task, self._data.X, row_names.sets, self.seed
            )
            found = replace(found, opposed=opposed)
        return found

    @cached_property
    def map_(self):
        """The supervised map, the unsupervised one and the one of permuted targets."""
        with suppress_scale_warning():  # by `prepare_rows`
            return compare_maps(
                self._data.X,
                self._task,
                self.table_.split_groups,
                self._fitted,
                self._held_out,
                self.seed,
                self.user_map,
                self.cross_validates_maps,
            )

    @cached_property
    def linear_map_(self):
        """Linear projection with loadings; None for a single column."""
        if self._data.X.shape[1] == 1:
            return None
        return linear_map(
            self._data,
            self._task,
            self._fitted,
            self._held_out,
            self.table_.split_groups,
            self.seed,
            self.cross_validates_maps,
        )

    @cached_property
    def bounds_(self):
        """Relevance of the columns; None for a matrix."""
        if self.is_matrix:
            return None
        found = self.separation_
        data, task, groups = self._problem
        permuted, kind = self.permuted
        groups = self.dependence_.groups.get(kind, groups)
        measure = partial(
            which_features,
            data,
            task,
            groups,
            permuted=permuted,
            **self._options,
        )
        with transient_bars():
            try:
                bounds = measure(self._raw_model or found.best)
            except ValueError as error:
                if self._raw_model is None:
                    raise
                self.table_.notes.append(
                    f"{error}. Which columns are strongly relevant is measured"
                    f" with the {found.best}."
                )
                bounds = measure(found.best)
        if not found.columns_are_judged:
            return replace(bounds, kinds=np.full(len(bounds.names), NOT_JUDGED))
        return bounds

    @cached_property
    def models_(self):
        """Models with decision maps; an empty list for several labels."""
        if self.table_.task == "labels":
            return []
        if self.user_model is None:
            rows = self._data.X
            task = self._task
            is_new = True
            with suppress_scale_warning():
                maps = usual_model_maps(self.map_, rows, task, self.seed)
        else:
            model, rows, y, was_fitted = self.user_model
            # rows that the user kept out are taken for new to a fitted model
            is_new = not was_fitted or self._has_test
            task = self._task.of(y)
            maps = user_model_map(model, rows, y, self._fitted, self.seed)
        return evaluate_models(
            maps, rows, task, self._held_out, self.table_, self.seed, is_new
        )

    @property
    def decision_map_(self):
        """Decision map of the first model, which is the user's own if there is one."""
        return self.models_[0].decision_map if self.models_ else None

    @property
    def code_(self):
        """Equivalent code in Python, for these numbers and pictures."""
        return generated_code(self)


def _restrict_labels(table, task, *sides):
    """The task of labels that training rows have, and rows of both sides with any."""
    names = np.array(task.names)
    # a label that no fitted row has cannot be predicted
    task, used = task.of_used(sides[0])
    if not used.all():
        table.notes.append(
            f"No row that the maps are fitted to has {and_list(names[~used])}: left out"
            " of what follows."
        )
    # of a row without a label any answer is wrong
    has_label = task.y.any(axis=1)
    if not has_label.all():
        table.notes.append(
            f"{np.sum(~has_label):,} rows without a label are in no map and in none of"
            " its errors."
        )
    return task, [rows[has_label[rows]] for rows in sides]
