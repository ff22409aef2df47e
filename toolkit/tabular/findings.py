"""Computations on a table, a matrix or a model, all with one split."""

from dataclasses import replace
from functools import cached_property

import numpy as np

from ..core import and_list, suppress_scale_warning, whole_progress
from ..explorer.progress import transient_bars
from ..validation import as_map
from ..validation.naming import opposed_sets
from .dependence import dependence, find_leaks
from .evidence import separation
from .features import NOT_JUDGED, which_features
from .generated_code import generated_code
from .linear import linear_map
from .maps import FEWEST_SPLIT, MOST_MAPPED, compare_maps
from .models import evaluate_models, usual_model_maps
from .splits import check_sides, split
from .targets import task_of
from .user_models import from_file, user_model, user_model_map

# Percentages of the time for a page, on tables of several kinds: of each bar, and of
# attributes without one.
PERCENT_OF_TIME = {
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
        self.data = data
        self.groups = table.groups
        self._has_test = is_test is not None
        self._options = options
        # One split for maps, models and errors.
        task = task_of(table.task, table.y, table.label_names)
        fitted, held_out = split(
            task.strata(),
            table.split_groups,
            MOST_MAPPED,
            self.seed,
            is_test=is_test,
        )
        check_sides(table, fitted, held_out, is_test)
        if table.task == "labels":
            task, notes = used_labels(task, fitted)
            table.notes.extend(notes)
            has_label = task.y.any(axis=1)
            fitted = fitted[has_label[fitted]]
            held_out = held_out[has_label[held_out]]
        self.task = task
        self.fitted = fitted
        self.held_out = held_out
        self.user_map = None
        if arguments.get("map") is not None:
            self.user_map = as_map(from_file(arguments["map"], "map"))
        self.user_model = None
        if arguments.get("model") is not None:
            self.user_model = user_model(
                arguments["model"], frame, table, fitted, held_out
            )
            table.notes.extend(self.user_model.notes)

    def compute(self):
        """Compute what the page shows, under one bar with the time left."""
        bar = whole_progress(
            PERCENT_OF_TIME, "findings", self._options["verbose"]
        )
        with transient_bars(), bar as done:
            for name in ("separation_", "map_", "bounds_", "models_"):
                getattr(self, name)
                done(PERCENT_OF_TIME.get(name, 0))

    @property
    def is_declared(self):
        """Whether rows of a group are said to depend on each other."""
        options = self.arguments.get("options", {})
        return bool(options.get("groups") or options.get("id"))

    @property
    def cross_validates_maps(self):
        """Whether errors of maps are of all rows: too few would be held out."""
        n = len(self.fitted) + len(self.held_out)
        return n < FEWEST_SPLIT and not self._has_test

    @property
    def kind_of_dependence(self):
        """The kind of dependence by which columns are permuted, or None."""
        return next(reversed(self.dependence_.deciding), None)

    @property
    def permuted(self):
        """How columns are permuted: "rows", "groups" or "order"."""
        if self.kind_of_dependence == "order":
            return "order"
        if self.kind_of_dependence or self.is_declared:
            return "groups"
        return "rows"

    @cached_property
    def leaks_(self):
        """Columns that predict the target alone, by name, and their error."""
        if self.is_matrix:
            return {}
        return find_leaks(self.data, self.task, self.groups, self.seed)

    @cached_property
    def dependence_(self):
        """Dependence among the rows, and the error on independent rows."""
        with transient_bars():
            return dependence(
                self.data,
                self.task,
                self.groups,
                self.table_,
                seed=self.seed,
                n_jobs=self._options["n_jobs"],
            )

    @cached_property
    def separation_(self):
        """Error of the best of simple models, with interval, p-value and baseline."""
        with transient_bars():
            result = separation(
                self.data,
                self.task,
                self.groups,
                self.leaks_,
                declared=self.is_declared,
                **self._options,
            )
        result = replace(result, unlike=self.dependence_.deciding)
        row_names = self.table_.row_names
        if result.is_significant or row_names is None:
            return result
        opposed = opposed_sets(
            self.task, self.data.X, row_names.sets, self.seed
        )
        return replace(result, opposed=opposed)

    @cached_property
    def map_(self):
        """The supervised map, the unsupervised one and the one of permuted targets."""
        # Columns were scaled by `prepare_rows`.
        with suppress_scale_warning():
            return compare_maps(
                self.data.X,
                self.task,
                self.table_.split_groups,
                self.fitted,
                self.held_out,
                seed=self.seed,
                user_map=self.user_map,
                cross_validate=self.cross_validates_maps,
            )

    @cached_property
    def linear_map_(self):
        """Linear projection with loadings; None for a single column."""
        if self.data.X.shape[1] == 1:
            return None
        return linear_map(
            self.data,
            self.task,
            self.fitted,
            self.held_out,
            groups=self.table_.split_groups,
            seed=self.seed,
            cross_validate=self.cross_validates_maps,
        )

    @cached_property
    def bounds_(self):
        """Relevance of the columns; None for a matrix."""
        if self.is_matrix:
            return None
        usual_model = self.separation_.best
        with transient_bars():
            if self.user_model is None:
                bounds = self._measure_columns(usual_model)
            else:
                bounds = self._measure_columns_by_user_model(usual_model)
        if not self.separation_.columns_are_judged:
            return replace(bounds, kinds=np.full(len(bounds.names), NOT_JUDGED))
        return bounds

    def _measure_columns_by_user_model(self, usual_model):
        """Relevance by the user's model, by a usual one where that cannot be fitted."""
        try:
            return self._measure_columns(self.user_model)
        except ValueError as error:
            self.table_.notes.append(
                f"{error}. Which columns are strongly relevant is measured"
                f" with the {usual_model}."
            )
        return self._measure_columns(usual_model)

    def _measure_columns(self, model):
        """Relevance of the columns, with the errors of one model."""
        groups = self.dependence_.groups.get(
            self.kind_of_dependence, self.groups
        )
        return which_features(
            self.data,
            self.task,
            groups,
            model,
            permuted=self.permuted,
            **self._options,
        )

    @cached_property
    def models_(self):
        """Models with decision maps; an empty list for several labels."""
        if self.table_.task == "labels":
            return []
        if self.user_model is None:
            rows = self.data.X
            task = self.task
            is_new = True
            with suppress_scale_warning():
                maps = usual_model_maps(self.map_, rows, task, self.seed)
        else:
            rows = self.user_model.rows
            task = self.task.of(self.user_model.y)
            # A fitted model may have seen all rows but those that its user kept out.
            is_new = self._has_test or not self.user_model.was_fitted
            maps = user_model_map(self.user_model, self.fitted, self.seed)
        return evaluate_models(
            maps,
            rows,
            task,
            self.held_out,
            table=self.table_,
            seed=self.seed,
            is_held_out=is_new,
        )

    @property
    def decision_map_(self):
        """Decision map of the first model, which is the user's own if there is one."""
        return self.models_[0].decision_map if self.models_ else None

    @property
    def code_(self):
        """Equivalent code in Python, for these numbers and pictures."""
        return generated_code(self)


def used_labels(task, fitted):
    """The task of the labels that training rows have, and notes on what it ignores.

    A label that no training row has cannot be predicted. For a row without a label any
    prediction is wrong.
    """
    notes = []
    names = np.array(task.names)
    task, is_used = task.of_used(fitted)
    if not is_used.all():
        notes.append(
            "No row that the maps are fitted to has"
            f" {and_list(names[~is_used])}: left out of what follows."
        )
    n_unlabelled = np.sum(~task.y.any(axis=1))
    if n_unlabelled:
        notes.append(
            f"{n_unlabelled:,} rows without a label are in no map and in none of its"
            " errors."
        )
    return task, notes
