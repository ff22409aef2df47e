"""Mixed columns: points on paper, rows that come back with their dtypes, permutations,
tables that are refused.
"""

import numpy as np
import pandas as pd
import scipy.sparse
from numpy.testing import assert_allclose
from pytest import mark, raises
from sklearn.utils.estimator_checks import check_estimator

from toolkit.core.mixed import MixedColumns, has_mixed_columns

DAYS = pd.DataFrame({"day": pd.date_range("2020-01-01", periods=3)})


# a table as people have it, missing values and a shuffled index included
PEOPLE = pd.DataFrame(
    {
        "age": [31.5, np.nan, 40.2, 28.0, 55.1],
        "children": [0, 2, 1, 5, 0],
        "city": ["Bern", None, "Rome", "Oslo", "Rome"],
        "member": [True, False, True, True, False],
        "size": pd.Categorical(
            ["small", "large", "small", "small", "large"],
            ["none", "large", "small"],
        ),
        "visits": pd.array([3, None, 50, 1, 2], dtype="Int16"),
    },
    index=[3.0, 1.5, 0.0, 6.0, 4.5],
)


def test_rows_become_points_on_paper():
    X = pd.DataFrame(
        {
            "age": [20.0, np.nan, 40.0, 60.0],
            "city": ["Rome", None, "Bern", "Rome"],
        }
    )
    columns = MixedColumns().fit(X)
    names = ["age", "city_Bern", "city_Rome", "city_missing"]
    assert list(columns.get_feature_names_out()) == names
    assert columns.parents_.tolist() == [0, 1, 1, 1]
    root = np.sqrt(200)  # 20, 40 (the median), 40, 60
    expected = [
        [-20 / root, 0, 1, 0],
        [0, 0, 0, 1],
        [0, 1, 0, 0],
        [20 / root, 0, 1, 0],
    ]
    assert_allclose(columns.transform(X), expected, atol=1e-12)
    back = columns.inverse_transform(
        [[1.0, 0.1, 0.3, 0.2], [0.0, -3.0, -2.0, -1.0]]
    )
    assert_allclose(back["age"], [40 + root, 40])
    assert back["city"][0] == "Rome" and pd.isna(back["city"][1])


def test_rows_come_back_with_their_dtypes_and_categories():
    columns = MixedColumns().fit(PEOPLE)
    back = columns.inverse_transform(columns.transform(PEOPLE)).set_index(
        PEOPLE.index
    )
    medians = {
        "age": PEOPLE["age"].median(),
        "visits": round(PEOPLE["visits"].median()),
    }
    pd.testing.assert_frame_equal(back, PEOPLE.fillna(medians))


def test_the_order_of_rows_does_not_matter():
    order = np.random.default_rng(1).permutation(len(PEOPLE))
    first = MixedColumns().fit(PEOPLE)
    second = MixedColumns().fit(PEOPLE.iloc[order])
    assert_allclose(
        second.transform(PEOPLE), first.transform(PEOPLE), atol=1e-12
    )
    assert second._names == first._names


@mark.parametrize("dtype", [float, object])
def test_arrays_become_points_too(dtype):
    X = np.array([[1.0, np.nan], [2.0, 5.0], [4.0, 6.0]], dtype=dtype)
    columns = MixedColumns().fit(X)
    back = columns.inverse_transform(columns.transform(X))
    assert back.dtype == dtype
    assert_allclose(back.astype(float), [[1, 5.5], [2, 5], [4, 6]])


def test_text_among_numbers_makes_categories():
    X = np.array([["a"], [1], [True], [2.5], [None], ["b"]], dtype=object)
    columns = MixedColumns().fit(X)
    assert columns.transform(X).shape == (6, 5)  # 1 and True are equal
    points = columns.transform([[1.0], ["b"], [2.5], [np.nan]])
    rows = columns.inverse_transform(points)
    assert rows.ravel().tolist() == [1, "b", 2.5, None]


def test_whole_numbers_stay_whole_and_in_range():
    X = pd.DataFrame({"count": [0, 250, 100], "rank": [1, 2, None]})
    X = X.astype({"count": "uint8", "rank": "Int8"})
    columns = MixedColumns().fit(X)
    far_samples = columns.inverse_transform([[1e6, -1e6], [-1e6, 1e6], [0, 0]])
    assert list(far_samples["count"]) == [255, 0, 117] and list(
        far_samples["rank"][:2]
    ) == [-128, 127]
    assert far_samples.dtypes.equals(X.dtypes)


def test_columns_without_a_value_or_of_one_value_do_no_harm():
    X = PEOPLE.assign(nothing=np.nan, same=7.1, no=None)
    columns = MixedColumns().fit(X)
    assert np.isfinite(columns.transform(X)).all()
    back = columns.inverse_transform(columns.transform(X))
    assert back[["nothing", "no"]].isna().all(axis=None)
    assert_allclose(back["same"], 7.1)


# the samples of these checks are often too few or too odd
@mark.filterwarnings("ignore")
def test_scikit_learns_checks():
    check_estimator(MixedColumns())


@mark.parametrize(
    ("change", "message"),
    [
        (
            {"city": "Paris"},
            "column 'city' has 'Paris' at row 0, which no sample of `fit` has; they have",
        ),
        ({"member": None}, "column 'member' has no value at row 0"),
        ({"age": "old"}, "column 'age' must hold numbers"),
        ({"age": 1e101}, "`X\\['age'\\]` must not hold values beyond 1e.100"),
    ],
)
def test_rows_unlike_those_of_fit(change, message):
    with raises(ValueError, match=message):
        MixedColumns().fit(PEOPLE).transform(PEOPLE.assign(**change))


@mark.parametrize(
    ("X", "message"),
    [
        (
            pd.DataFrame({"name": [f"name {i}" for i in range(300)]}),
            "column 'name' has 300 different values",
        ),
        (DAYS, "column 'day' must hold numbers or categories; got datetime64"),
        (
            pd.DataFrame({"tags": [["a"]] * 3}),
            "column 'tags' must hold numbers or categories; got unhashable",
        ),
        (pd.DataFrame(np.ones((3, 2)), columns=["a", "a"]), "different names"),
    ],
)
def test_tables_that_make_no_points(X, message):
    with raises(ValueError, match=message):
        MixedColumns().fit(X)


def test_an_array_where_fit_had_a_frame():
    columns = MixedColumns().fit(
        pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]})
    )
    with raises(
        ValueError, match="must be a DataFrame with the columns of `fit`; got"
    ):
        columns.transform(np.ones((2, 2)))


@mark.parametrize(
    ("X", "mixed"),
    [
        (DAYS, True),
        (pd.DataFrame({"kind": pd.Categorical([1, 2, 1])}), True),
        (pd.DataFrame({"count": pd.array([1, None], dtype="Int8")}), True),
        (pd.DataFrame({"member": [True, False], "age": [1, 2]}), False),
        ([[1.0], [1.0, 2.0]], False),
        (scipy.sparse.eye(2, format="csr"), False),
        (pd.DataFrame([["a", "b"]], columns=["x", "x"]), False),
    ],
    ids=str,
)
def test_tables_with_mixed_columns(X, mixed):
    assert has_mixed_columns(X) is mixed
