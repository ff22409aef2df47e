"""Whatever is given as a table or numbers.

An array of finite floats, or an error that names the argument.
"""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import scipy.sparse
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import mark, raises

from toolkit.core.arrays import check_numbers, check_table, check_target
from toolkit.core.rows import evaluate

FRAME = pd.DataFrame({"ash": [1.0, 2.0], "hue": [3.0, 4.0]})

WRONG = [
    (
        FRAME.assign(origin=["Asti", "Alba"]),
        "`A` must be a table .*columns hold.*'origin'.*OneHotEncoder",
    ),
    (FRAME.assign(day=pd.Timestamp(0)), "columns hold.*'day'"),
    (FRAME.iloc[:0], "0 sample"),
    (
        FRAME.set_axis(["a", "a"], axis=1),
        "it has columns of the same name. Rename",
    ),
    (FRAME.mask(FRAME > 3), "contains NaN.*SimpleImputer"),
    (FRAME.convert_dtypes().mask(FRAME > 3), "`A` .*NaN|`A` .*NA"),
    (np.ma.masked_array([[1.0, 2.0]], mask=[[True, False]]), "masked"),
    ([[1.0, 2.0], [3.0]], "rows of numbers of equal length"),
    ([1.0, 2.0], r"Reshape your data: A.reshape\(-1, 1\)"),
    ([[1j, 2.0]], "[Cc]omplex"),
    ([["a", "b"]], "could not convert string to float"),
    ([[1e200, 1.0]], "beyond 1e\\+100"),
    ("words", "`A` must be a table"),
    ((row for row in [[1.0]]), "`A` must be a table"),
    (scipy.sparse.csr_array([[1.0]]), "`A` must be a table.*[Ss]parse"),
    (np.zeros((2, 2, 2)), "dim 3"),
    ([[10**400, 1]], "`A` must be a table"),
]


@mark.parametrize(("table", "says"), WRONG)
def test_what_is_no_table(table, says):
    with raises((ValueError, TypeError), match=says) as caught:
        check_table(table, "A")
    assert "\n" not in str(caught.value)


def test_tables_of_all_kinds_are_the_same_numbers():
    X = FRAME.to_numpy()
    kinds = [
        FRAME,
        FRAME.convert_dtypes(),
        FRAME.astype(object),
        X.astype(np.float32),
        X.tolist(),
        np.asfortranarray(X),
    ]
    for kind in kinds:
        A = check_table(kind)
        assert A.dtype == np.float64 and A.tolist() == X.tolist()
    A = check_table(scipy.sparse.coo_array(X), sparse=True)
    assert A.toarray().tolist() == X.tolist()


def test_shapes():
    with raises(
        ValueError, match=r"`A` must have shape \(5,\); got shape \(2,\)"
    ):
        check_numbers([1, 2], "A", shape=(5,))
    with raises(ValueError, match="`y` must hold one number per sample"):
        check_target(FRAME)
    with raises(
        ValueError,
        match="`X` and `y` must have the same number of samples; got 3 and 2",
    ):
        check_target([1, 2], 3)
    assert check_target([[1], [2]], 2).tolist() == [1.0, 2.0]


ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=3)
    | st.complex_numbers()
    | st.binary(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=2), inner, max_size=2)
    ),
    max_leaves=8,
)


@settings(max_examples=examples(100))
@given(ANYTHING)
def test_anything_is_read_or_refused_by_name(value):
    for check in (check_table, check_numbers, check_target):
        try:
            A = check(value, name="A")
        except (TypeError, ValueError) as error:
            assert "`A`" in str(error)
        else:
            assert A.dtype == np.float64 and np.isfinite(A).all()


def test_a_failure_of_no_single_row_names_none():
    def answer(rows):
        if len(rows) > 2:
            raise KeyError("too many")

    with raises(ValueError, match="^`f` fails: KeyError: 'too many'$"):
        evaluate(answer, np.arange(5), "`f` fails", range(5))


def test_arrays_of_another_library_become_those_of_numpy():
    """Also where scikit-learn would compute with them."""
    code = """
import numpy, sklearn
from toolkit.core import check_table
class Array:
    __array_namespace__ = None
    def __array__(self, *_, **__):
        return numpy.eye(2)
with sklearn.config_context(array_api_dispatch=True):
    assert check_table(Array()).sum() == 2
"""
    subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"SCIPY_ARRAY_API": "1"},
        check=True,
    )
