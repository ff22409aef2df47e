"""SL-A of Dask's blocks of rows is SL-A of all rows: what it needs are sums."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from toolkit.multilabel import SampleLabelMap

X, CLASSES = load_iris(return_X_y=True)
SETS = np.column_stack([CLASSES == 0, CLASSES > 0, X[:, 0] > 5.8]).astype(int)
RESULTS = "components_ label_components_ label_embedding_ singular_values_ contribution_rate_ mean_ label_mean_ rank_"


@pytest.fixture(autouse=True)
def in_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def assert_same(one, other):
    for name in RESULTS.split():
        a, b = getattr(one, name), getattr(other, name)
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12 * np.abs(b).max(), err_msg=name)
    np.testing.assert_array_equal(one.classes_, other.classes_)
    assert one.multilabel_ == other.multilabel_


@pytest.mark.parametrize("scaling", ["sphere", "center", "sum"])
@pytest.mark.parametrize("Y", [CLASSES, CLASSES[:, None], SETS, np.array(list("abc"))[CLASSES]], ids="nust")
def test_blocks_have_the_sums_of_all_rows(scaling, Y):
    options = {"scaling": scaling, "n_components": None, "variance": 0.97}
    expected = SampleLabelMap(**options).fit(X, Y)
    cut = (1, 0, 3, 96, 50)
    columns = (-1,) * (Y.ndim - 1)
    for labels in (Y, da.from_array(Y, chunks=(cut, *columns))):
        found = SampleLabelMap(**options).fit(da.from_array(X, chunks=(cut, 2)), labels)
        assert_same(found, expected)
        np.testing.assert_array_equal(found.predict(X), expected.predict(X))
        assert not hasattr(found, "embedding_")
        lazy = found.fit_transform(da.from_array(X, chunks=(cut, 2)), labels)
        np.testing.assert_allclose(lazy.compute(), expected.embedding_, rtol=0, atol=1e-12)


@settings(deadline=None, max_examples=20)
@given(st.lists(st.integers(0, 149), max_size=20))
def test_any_cut_into_blocks(cuts):
    lengths = tuple(np.diff([0, *sorted(cuts), 150]).tolist())
    with dask.config.set(scheduler="synchronous"):
        assert_same(SampleLabelMap().fit(da.from_array(X, chunks=(lengths, 4)), SETS), SampleLabelMap().fit(X, SETS))


def test_features_that_repeat_or_stay_the_same_and_a_mean_far_away():
    """Centring after the sums loses no more digits than before them: a thousand standard deviations cost three."""
    wide = np.column_stack([X, X[:, 0], np.full(150, 7e3), X[:, 1] - X[:, 2]])
    blocks = da.from_array(wide, chunks=(20, -1))
    expected, found = SampleLabelMap().fit(wide, CLASSES), SampleLabelMap().fit(blocks, CLASSES)
    assert found.rank_ == expected.rank_ == 4
    np.testing.assert_allclose(found.transform(wide), expected.transform(wide), rtol=0, atol=1e-9)
    far, at = SampleLabelMap().fit(da.from_array(X + 1e3, chunks=(20, -1)), CLASSES), SampleLabelMap().fit(X, CLASSES)
    np.testing.assert_allclose(far.transform(X + 1e3), at.transform(X), rtol=0, atol=1e-9)


def test_files_of_parquet(tmp_path):
    frame = pd.DataFrame(X, columns=list("abcd")).assign(kind=np.array(["x", "y", "z"])[CLASSES])
    dd.from_pandas(frame, npartitions=3).to_parquet(tmp_path)
    rows = dd.read_parquet(tmp_path)
    found = SampleLabelMap().fit(rows[list("abcd")], rows["kind"])
    expected = SampleLabelMap().fit(frame[list("abcd")], frame["kind"])
    assert_same(found, expected)
    assert found.feature_names_in_.tolist() == list("abcd")
    with pytest.raises(ValueError, match="`Y` must be of Dask where `X` has blocks of unknown length"):
        SampleLabelMap().fit(rows[list("abcd")], frame["kind"])


def test_a_second_fit_leaves_nothing_of_the_first_and_a_failed_one_all():
    model = SampleLabelMap().fit(X, CLASSES)
    with pytest.raises(ValueError, match="`Y` must hold at least two classes"):
        model.fit(da.from_array(X, chunks=50), np.zeros(150, dtype=int))
    assert len(model.embedding_) == 150
    assert not hasattr(model.fit(da.from_array(X, chunks=50), CLASSES), "embedding_")


@pytest.mark.parametrize(
    ("rows", "labels", "message"),
    [
        (X, CLASSES[1:], "`X` and `Y` must have the same number of samples; got 150 and 149"),
        (X, SETS * 2, "`Y` must hold indicators 0 and 1"),
        (X, np.column_stack([SETS, np.zeros(150)]), "`Y` must have a sample of each label; 3 has none"),
        (X, np.ones((150, 2)), "`Y` gives every sample the same labels"),
        (np.where(X > 7, np.nan, X), CLASSES, "`X` must be .*NaN"),
        (np.ones((150, 4)), CLASSES, "`X` must hold a feature that varies; all n_features=4"),
        (X[:, 0], CLASSES, "`X` must be .*Reshape your data"),
    ],
)
def test_refusals(rows, labels, message):
    with pytest.raises(ValueError, match=message):
        SampleLabelMap().fit(da.from_array(rows, chunks=50), labels)


def test_blocks_that_do_not_match():
    with pytest.raises(ValueError, match="`Y` must have the blocks of `X`; got 2 and 3"):
        SampleLabelMap().fit(da.from_array(X, chunks=50), da.from_array(CLASSES, chunks=100))
    with pytest.raises(ValueError, match="`scaling`='sum' needs non-negative features"):
        SampleLabelMap(scaling="sum").fit(da.from_array(X - 3, chunks=50), CLASSES)


@pytest.mark.cluster
def test_on_workers(cluster):
    assert_same(SampleLabelMap().fit(da.from_array(X, chunks=20), SETS), SampleLabelMap().fit(X, SETS))
