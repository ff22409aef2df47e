"""Methods that take Dask arrays block by block answer as they do in memory.

Everything else refuses what is lazy.
"""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
from contract import ESTIMATORS, SQUARE, two_sets
from numpy.testing import assert_allclose, assert_array_equal
from pytest import fixture, mark, raises
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.ensemble import HistGradientBoostingClassifier

import toolkit
from toolkit.decisionmap import DecisionMap
from toolkit.discriminant import LFDA, SELF
from toolkit.fisher import ParzenFisher
from toolkit.lvq import GMLVQ

pytestmark = [
    mark.filterwarnings(
        "ignore:.*the limit ended the descent|The likelihood still rose"
    ),
    mark.filterwarnings("ignore:The inplace keyword:DeprecationWarning"),
]

X, Y = load_iris(return_X_y=True)
X = X - X.mean(axis=0)
HALF = X[::2]
LABELS = Y[::2]
METHODS = ["transform", "predict", "predict_proba", "decision_function"]
CASES = {
    case.name: case
    for case in reversed(ESTIMATORS)
    if case.data not in (*SQUARE, two_sets)
}
ANSWERS = [
    (name, method)
    for name, case in CASES.items()
    for method in METHODS
    if hasattr(case.estimator, method)
]
ANSWERS = [*ANSWERS, ("InverseMap", "inverse_transform")]
for name in ("SampleLabelEigenmap", "BlockNeighbors"):  # take all rows at once
    ANSWERS.remove((name, "transform"))


@fixture(autouse=True)
def in_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


@mark.parametrize(("name", "method"), ANSWERS)
def test_blocks_give_what_the_whole_gives(name, method):
    """Up to the last bits: libraries sum one row in another order than many."""
    case = CASES[name]
    arrays = case.data()
    answer = getattr(case.model, method)
    rows = arrays[method == "inverse_transform"]
    expected = answer(rows)
    lazy = answer(da.from_array(rows, chunks=((1, 0, 14, 30), 2)))
    assert isinstance(lazy, da.Array) and lazy.chunks[0] == (1, 0, 14, 30)
    assert lazy.shape == expected.shape and lazy.dtype == expected.dtype
    if expected.dtype.kind == "f":
        rounding = 1e-12 * np.abs(expected).max()
        assert_allclose(lazy.compute(), expected, rtol=1e-12, atol=rounding)
    else:
        assert_array_equal(lazy.compute(), expected)


def test_parquet_files_have_blocks_of_unknown_length(tmp_path):
    frame = pd.DataFrame(X, columns=list("abcd"))
    dd.from_pandas(frame, npartitions=3).to_parquet(tmp_path)
    model = GMLVQ(max_iter=5).fit(frame[::2], LABELS)
    lazy = model.predict(X=dd.read_parquet(tmp_path))
    assert np.isnan(lazy.shape[0]) and lazy.numblocks == (3,)
    assert_array_equal(lazy.compute(), model.predict(frame))
    with raises(ValueError, match="must have the columns.*; not there: d"):
        model.predict(dd.read_parquet(tmp_path, columns=["a", "b", "c"]))


def test_raw_rows_reach_a_decision_map_as_frames():
    """Rows with text and gaps are placed as they are.

    The model's pipeline prepares them.
    """
    kind = pd.Categorical(np.where(X[:, 0] > 0, "large", "small"))
    coded = pd.DataFrame({"size": X[:, 2], "kind": kind})
    coded.loc[3, "kind"] = None
    model = HistGradientBoostingClassifier(max_iter=5).fit(coded, Y)
    options = {"embedder": PCA(2), "grid": 8, "cv": None}
    view = DecisionMap.from_estimator(model, coded, Y, **options)
    lazy = view.project(dd.from_pandas(coded, npartitions=4, sort=False))
    assert_allclose(lazy.compute(), view.project(coded), rtol=0, atol=1e-12)


def test_an_error_names_its_rows():
    holes = X.copy()
    holes[77, 1] = np.nan
    model = SELF().fit(HALF, LABELS)
    with raises(ValueError, match="^In rows 60 to 79: `X` must be .*NaN"):
        model.transform(da.from_array(holes, chunks=(20, 4))).compute()
    half = pd.DataFrame(HALF, columns=list("abcd"))
    frame = pd.DataFrame(holes, columns=list("abcd"))
    lazy = dd.from_pandas(frame, npartitions=3)
    with raises(ValueError, match="^In partition 1: `X` must be .*NaN"):
        SELF().fit(half, LABELS).transform(lazy).compute()
    with raises(
        ValueError, match="`X` must be .*3 features, but SELFMap is expecting 4"
    ):
        model.transform(da.zeros((10, 3)))


def test_answers_are_those_of_the_model_at_the_call():
    model = SELF().fit(HALF, LABELS)
    expected = model.transform(X)
    lazy = model.transform(da.from_array(X, chunks=40))
    model.fit(HALF[:30], LABELS[:30])
    assert_allclose(lazy.compute(), expected, rtol=0, atol=1e-12)


@mark.parametrize(
    "call", [LFDA().fit, ParzenFisher().fit(X, Y).knn_distances, toolkit.show]
)
def test_refusal_of_what_would_gather_all_rows(call):
    with raises(
        ValueError, match="must be in memory; got a Dask Array. Take a sample"
    ):
        call(da.from_array(X, chunks=(40, 4)), Y)
