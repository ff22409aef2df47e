"""Methods that take Dask arrays block by block answer as they do in memory, and see everything else untouched."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import toolkit
from toolkit.core.blocks import by_blocks, refuse_blocks
from toolkit.core.lazy import lazy_file
from toolkit.decisionmap import DecisionMap
from toolkit.discriminant import FDA, LFDA, LPP, SELF
from toolkit.eigenmaps import SLEML
from toolkit.embed import GTM, SOM, ParametricTSNE
from toolkit.fisher import GPFisher, KernelFisher, ModelFisher, ParzenFisher
from toolkit.kernelmap import InverseMap, KernelMap
from toolkit.lmnn import LMNN
from toolkit.lvq import GLVQ, GMLVQ, RSLVQ
from toolkit.multilabel import KernelSampleLabelMap, SampleLabelMap

pytestmark = pytest.mark.slow

X, Y = load_iris(return_X_y=True)
X = X - X.mean(axis=0)
HALF, LABELS = X[::2], Y[::2]
SEEN = LABELS[:, None] == np.arange(3)


def fitted():
    """(fitted estimator, method, what the method is given) by name."""
    lvq, answers = GMLVQ().fit(HALF, LABELS), ("predict", "predict_proba", "decision_function", "transform")
    two = GMLVQ().fit(HALF[:50], LABELS[:50])
    kernels = KernelFisher().fit(HALF @ HALF.T, LABELS)
    cases = [(GLVQ().fit(HALF, LABELS), "predict", X), (two, "decision_function", X)]
    cases += [(lvq, method, X) for method in answers]
    cases += [(RSLVQ().fit(HALF, LABELS), method, X) for method in ("predict", "predict_proba")]
    cases += [(LMNN().fit(HALF, LABELS), method, X) for method in ("transform", "predict", "predict_proba")]
    cases += [(linear().fit(HALF, LABELS), "transform", X) for linear in (FDA, LFDA, LPP, SELF)]
    fisher = ParzenFisher(lam=0.1).fit(HALF, LABELS)
    cases += [(fisher, method, X) for method in ("transform", "predict", "predict_proba")]
    cases += [(kernels, "transform", X @ HALF.T), (GPFisher(beta=1.0, noise=0.5).fit(HALF, HALF[:, 0]), "transform", X)]
    cases += [(ModelFisher(lvq).fit(HALF), "transform", X)]
    cases += [(KernelMap().fit(HALF, HALF[:, 2:]), "transform", X)]
    lengths = fisher.transform(X)
    cases += [(KernelMap(metric="precomputed").fit(fisher.distances(), HALF[:, 2:]), "transform", lengths)]
    cases += [(InverseMap().fit(HALF, HALF[:, 2:]), "inverse_transform", X[:, 2:])]
    linear = SampleLabelMap().fit(HALF, SEEN)
    cases += [(linear, method, X) for method in ("transform", "predict", "decision_function")]
    cases += [(KernelSampleLabelMap(gamma=0.2, variance=0.99).fit(HALF, LABELS), "transform", X)]
    cases += [(SLEML().fit(HALF, LABELS), "transform", X)]
    som = SOM(random_state=0).fit(HALF)
    cases += [(som, "transform", X), (som, "inverse_transform", som.transform(X)), (GTM().fit(HALF), "transform", X)]
    cases += [(ParametricTSNE(hidden=(5,), max_iter=5, random_state=0).fit(HALF), "transform", X)]
    model = LogisticRegression().fit(HALF, LABELS)
    seen = {"y": LABELS, "grid": 8, "cv": None}
    cases += [(DecisionMap.from_map(model, HALF, HALF[:, 2:], **seen), "project", X)]
    cases += [(DecisionMap.from_estimator(model, HALF, embedder=PCA(2), **seen), "project", X)]
    return {f"{type(est).__name__}.{method} {i}": (est, method, given) for i, (est, method, given) in enumerate(cases)}


CASES = fitted()


@pytest.fixture(autouse=True)
def in_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.mark.parametrize("name", CASES)
def test_blocks_give_what_the_whole_gives(name):
    """To the last bit what the rows of each block give in memory; libraries sum one row in another order than many."""
    estimator, method, data = CASES[name]
    answer = getattr(estimator, method)
    expected = answer(data)
    lazy = answer(da.from_array(data, chunks=((1, 0, 49, 100), 2)))
    assert isinstance(lazy, da.Array)
    assert lazy.shape == expected.shape and lazy.dtype == expected.dtype
    assert lazy.chunks[0] == (1, 0, 49, 100)
    result = lazy.compute()
    np.testing.assert_array_equal(result, np.concatenate([answer(data[i:j]) for i, j in ((0, 1), (1, 50), (50, 150))]))
    if expected.dtype.kind == "f":
        np.testing.assert_allclose(result, expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())
    else:
        np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("name", CASES)
def test_a_method_has_the_decorator_and_hands_on_all_but_dask_as_it_is(name):
    estimator, method, data = CASES[name]
    assert getattr(type(estimator), method).__wrapped__
    got = []
    noted = by_blocks(lambda self, X, *args, **kwargs: got.append((self, X, args, kwargs)) or "answer")
    for some in (data, data.tolist(), pd.DataFrame(data), None):
        got.clear()
        assert noted(estimator, some, 1, k=2) == noted(estimator, X=some) == "answer"
        assert all(call[0] is estimator and call[1] is some for call in got)
        assert [call[2:] for call in got] == [((1,), {"k": 2}), ((), {})]


@settings(deadline=None, max_examples=25)
@given(st.lists(st.integers(0, 30), min_size=1, max_size=12), st.sampled_from([1, 2, 4]))
def test_any_cut_into_blocks(lengths, columns):
    model = CASES["GMLVQ.transform 5"][0]
    data = np.resize(X, (sum(lengths), 4))
    with dask.config.set(scheduler="synchronous"):
        lazy = model.transform(da.from_array(data, chunks=(tuple(lengths), columns)))
        result = lazy.compute()
    assert lazy.chunks == (tuple(lengths), (2,))
    if len(data):
        np.testing.assert_allclose(result, model.transform(data), rtol=0, atol=1e-12)


def test_parquet_files_have_blocks_of_unknown_length(tmp_path):
    frame = pd.DataFrame(X, columns=list("abcd"))
    dd.from_pandas(frame, npartitions=3).to_parquet(tmp_path)
    model = GMLVQ().fit(frame[::2], LABELS)
    for lazy in (model.predict(dd.read_parquet(tmp_path)), model.predict(X=dd.read_parquet(tmp_path))):
        assert np.isnan(lazy.shape[0]) and lazy.numblocks == (3,)
        np.testing.assert_array_equal(lazy.compute(), model.predict(frame))
    with pytest.raises(ValueError, match="`X` must have the columns that the model was fitted to.*; d is missing"):
        model.predict(dd.read_parquet(tmp_path, columns=["a", "b", "c"]))
    unnamed = GMLVQ().fit(X[::2], LABELS)
    lazy = unnamed.transform(dd.read_parquet(tmp_path).to_dask_array())
    assert np.isnan(lazy.shape[0])
    np.testing.assert_allclose(lazy.compute(), unnamed.transform(X), rtol=0, atol=1e-12)


def test_raw_rows_reach_a_decision_map_as_frames():
    """Rows with text and gaps are placed as they are; the model's pipeline prepares them."""
    frame = pd.DataFrame({"size": X[:, 2], "kind": np.where(X[:, 0] > 0, "large", "small")})
    frame.loc[3, "kind"] = None
    coded = frame.assign(kind=frame["kind"].astype("category"))
    model = HistGradientBoostingClassifier(max_iter=5, categorical_features="from_dtype").fit(coded, Y)
    shown = DecisionMap.from_estimator(model, coded, Y, embedder=PCA(2), grid=8, cv=None)
    lazy = shown.project(dd.from_pandas(coded, npartitions=4, sort=False))
    np.testing.assert_allclose(lazy.compute(), shown.project(coded), rtol=0, atol=1e-12)


def test_memory_mapped_arrays(tmp_path):
    np.save(tmp_path / "X.npy", X)
    model = SELF().fit(X[::2], LABELS)
    mapped = da.from_array(np.load(tmp_path / "X.npy", mmap_mode="r"), chunks=(40, 4))
    for on_disk in (mapped, lazy_file(tmp_path / "X.npy", 40)):
        assert on_disk.chunks == ((40, 40, 40, 30), (4,)) and on_disk.dtype == float
        np.testing.assert_array_equal(on_disk.compute(), X)
        np.testing.assert_allclose(model.transform(on_disk).compute(), model.transform(X), rtol=0, atol=1e-12)
    with pytest.raises(ValueError, match="`block` must be an integer >= 1; got 0"):
        lazy_file(tmp_path / "X.npy", 0)


def test_neighbours_in_a_fisher_metric():
    """A pipeline whose steps take single rows is mapped by its own blocks: distances are of shape (block, n)."""
    voters = make_pipeline(ParzenFisher(), KNeighborsClassifier(3, metric="precomputed")).fit(HALF, LABELS)
    lengths = voters[0].transform(da.from_array(X, chunks=(40, 4)))
    assert lengths.chunks == ((40, 40, 40, 30), (75,))
    predicted = lengths.map_blocks(voters[-1].predict, drop_axis=1, dtype=Y.dtype)
    np.testing.assert_array_equal(predicted.compute(), voters.predict(X))


def test_refusals():
    model = GMLVQ().fit(HALF, LABELS)
    with pytest.raises(ValueError, match="`X` must be .*3 features, but GMLVQ is expecting 4"):
        model.predict(da.zeros((10, 3)))
    with pytest.raises(ValueError, match="`X` must be .*Reshape your data"):
        model.transform(da.zeros(10))
    with pytest.raises(ValueError, match="`X` must be the only argument where it is a Dask Array; two got 2"):
        Two().two(da.zeros((4, 2)), np.zeros(4))
    with pytest.raises(ValueError, match="known number of columns"):
        Two().two(da.zeros((4, 2))[:, da.zeros(2) > 0])
    with pytest.raises(ValueError, match="`set_output` must say \"default\".* got 'pandas'"):
        GMLVQ().fit(HALF, LABELS).set_output(transform="pandas").transform(da.zeros((10, 4)))
    with pytest.raises(TypeError, match="for methods that answer each row; mean does not"):
        Two().mean(da.zeros((5, 2)))


def test_answers_are_those_of_the_model_at_the_call():
    model = SELF().fit(HALF, LABELS)
    expected, lazy = model.transform(X), model.transform(da.from_array(X, chunks=40))
    model.fit(HALF[:30], LABELS[:30])
    np.testing.assert_allclose(lazy.compute(), expected, rtol=0, atol=1e-12)


class Two(TransformerMixin, BaseEstimator):
    """Methods whose answers go wrong, or say where they were made."""

    @by_blocks
    def two(self, X, y=None):
        return X

    @by_blocks
    def mean(self, X):
        return np.zeros(3)

    @by_blocks
    def cube(self, X):
        return X[:, :, None] * np.ones(3)


def test_answers_of_three_dimensions():
    lazy = Two().cube(da.ones((5, 2), chunks=(2, 1)))
    assert lazy.chunks == ((2, 2, 1), (2,), (3,))
    np.testing.assert_array_equal(lazy.compute(), np.ones((5, 2, 3)))


def test_what_would_gather_all_rows_is_refused():
    rows, frame = da.from_array(X, chunks=(40, 4)), dd.from_pandas(pd.DataFrame(X).rename(columns=str), npartitions=2)
    with pytest.raises(ValueError, match=r"`X` must be in memory; got an array of Dask. .* X\[::10\].compute\(\)"):
        toolkit.show(rows, Y)
    with pytest.raises(ValueError, match=r"`data` must be in memory; got a data frame of Dask. .* data.sample"):
        toolkit.look(frame, target="0")
    refuse_blocks(X)


def test_a_pipeline_answers_by_blocks():
    """As docs/scale.md says of steps of scikit-learn."""
    rows, pipeline = da.from_array(X, chunks=(40, 4)), make_pipeline(StandardScaler(), LFDA()).fit(X, Y)
    Z = rows.map_blocks(pipeline.transform, chunks=(rows.chunks[0], (2,)), meta=np.empty((0, 2)))
    np.testing.assert_allclose(Z.compute(), pipeline.transform(X))
