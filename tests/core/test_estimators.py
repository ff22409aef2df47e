"""toolkit.core.estimators: the state after a refused fit, the line of a warning."""

import warnings
from types import ModuleType

import pytest

from toolkit.core.estimators import restore_on_failure, warn


class Model:
    @restore_on_failure
    def fit(self, X):
        self.size_, self.seen_ = len(X), True
        if not X:
            raise ValueError("`X` is empty.")
        return self


def test_a_refused_fit_leaves_the_fitted_model():
    model = Model()
    model.fit([1, 2])
    del model.seen_
    with pytest.raises(ValueError, match="empty"):
        model.fit([])
    assert vars(model) == {"size_": 2}


def test_warnings_name_the_line_outside_the_package():
    inside = ModuleType("toolkit.inside")
    inside.warn = warn
    exec("def outer(): inner()\ndef inner(): warn('The sky is low.')", vars(inside))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        inside.outer()
    assert caught[0].filename == __file__ and str(caught[0].message) == "The sky is low."
