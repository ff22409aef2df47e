"""What is computed of a table, a matrix or a model: each number when it is first asked for, all from one split."""

from dataclasses import replace
from functools import cached_property

import numpy as np

from ..core.scaling import suppress_scale_warning
from ..explorer.progress import transient_bars
from . import text
from .features import which_features
from .generated_code import generated_code
from .maps import MOST_MAPPED, compare_maps, linear_map
from .models import evaluate_models, user_model, user_model_map, usual_model_maps
from .targets import task_of
from .text import and_list
from .validation import check_groups, check_sides, find_leaks, separation, split


class Findings:
    """What `Look` shows; its attributes are explained there.

    Parameters
    ----------
    table : Table
    data : NumericTable, its columns as numbers
    arguments : dict, what `look` was given, with names of files
    frame : DataFrame, dict of columns or array, optional: all rows and columns as they were read; None of a matrix
    is_test : ndarray of bool, shape (n,), optional, rows to be held out
    options : `seed`, `n_jobs` and `verbose`
    """

    def __init__(self, table, data, arguments, frame=None, is_test=None, **options):
        self.table_ = table
        self.arguments = arguments
        self.seed = options["seed"]
        self.is_matrix = frame is None
        self._data = data
        self._has_test = is_test is not None
        self._options = options
        check_groups(table.groups)
        task = task_of(table.task, table.y, table.label_names)
        fitted, held_out = split(
            task.strata(), table.groups, MOST_MAPPED, self.seed, is_test=is_test
        )
        check_sides(table, fitted, held_out, is_test)
        # those that no fitted row has, and rows without any other, have no part in it
        if table.task == "labels":
            used = task.y[fitted].any(axis=0)
            names = np.array(task.names)
            if not used.all():
                left_out = (
                    f"No row that the maps are fitted to has {and_list(names[~used])}:"
                    " left out of what follows."
                )
                table.notes.append(left_out)
            task = task_of("labels", task.y[:, used], names[used].tolist())
            labelled = task.y.any(axis=1)
            if not labelled.all():
                table.notes.append(
                    f"{np.sum(~labelled):,} rows without a label are in no map and no"
                    " error."
                )
            fitted = fitted[labelled[fitted]]
            held_out = held_out[labelled[held_out]]
        self._task, self._fitted, self._held_out = task, fitted, held_out
        self._asked = data, task, table.groups
        self.user_model = None
        if (model := arguments.get("model")) is not None:
            self.user_model = user_model(
                model, frame, arguments["target"], table, fitted, held_out
            )

    @cached_property
    def leaks_(self):
        return {} if self.is_matrix else find_leaks(*self._asked, self.seed)

    @cached_property
    def separation_(self):
        with transient_bars():
            found = separation(*self._asked, self.leaks_, **self._options)
        # coordinates are no columns
        return replace(found, leaks={}, without_leaks={}) if self.is_matrix else found

    @cached_property
    def map_(self):
        with suppress_scale_warning():  # by `prepare_rows`
            return compare_maps(
                self._data.X, *self._asked[1:], self._fitted, self._held_out, self.seed
            )

    @cached_property
    def linear_map_(self):
        if self._data.X.shape[1] == 1:
            return None
        return linear_map(self._data, self._task, self._fitted, self._held_out)

    @cached_property
    def bounds_(self):
        if self.is_matrix:
            return None
        best = self.separation_.best
        with transient_bars():
            return which_features(*self._asked, best, **self._options)

    @cached_property
    def models_(self):
        if self.table_.task == "labels":
            return []
        if self.user_model is None:
            rows = self._data.X
            y = self._task.y
            is_new = True
            with suppress_scale_warning():
                maps = usual_model_maps(self.map_, rows, self._task, self.seed)
        else:
            model, rows, y, given = self.user_model
            # rows that the user kept out are taken for new to a fitted model
            is_new = not given or self._has_test
            maps = user_model_map(model, rows, y, self._fitted, self.seed)
        return evaluate_models(
            maps,
            rows,
            y,
            self._task,
            self._held_out,
            self.table_.ids,
            self.seed,
            is_new,
        )

    @property
    def decision_map_(self):
        return self.models_[0].decision_map if self.models_ else None

    @property
    def code_(self):
        return generated_code(self)

    @cached_property
    def beliefs_(self):
        return [
            *text.about_separation(self.separation_),
            *text.about_map(self.map_),
            *text.about_linear(self.linear_map_, self.separation_),
            *text.about_features(self.bounds_),
            *text.about_models(self.models_),
        ]
