"""Shared linear embedding.

Known answers, invariances, confidence, sources of any kind, wrong input.
"""

import re
import warnings

import numpy as np
import pandas as pd
from examples import examples
from groups import mixture, noisy_image
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.random import default_rng
from numpy.testing import assert_allclose, assert_array_equal
from pytest import approx, fixture, mark, raises, warns
from scipy.special import expit
from scipy.stats import ortho_group
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.manifold import TSNE as SklearnTSNE

from toolkit.kernelmap import KernelMap
from toolkit.transfer import SharedKernelEmbedding, SharedLinearEmbedding, base
from toolkit.transfer.annealing import Candidate
from toolkit.transfer.base import SIDES
from toolkit.transfer.confidence import LINEAR_WEIGHTS, confidence_evidence
from toolkit.transfer.linear import RIDGES

pytestmark = mark.filterwarnings("ignore:This alignment may be wrong")

FAST = {"n_bandwidths": 6, "ridge": 0.01, "random_state": 0}


def error(model, places=None, order=slice(None)):
    """Root mean square of the target places less those of the source.

    In the unit of these.
    """
    Y = model.source_embedding_
    gap = model.target_embedding_ - (Y if places is None else places)[order]
    spread = np.sqrt(np.mean((Y - Y.mean(axis=0)) ** 2))
    return float(np.sqrt(np.mean(gap**2)) / spread)


def fast(*sets, **settings):
    return SharedLinearEmbedding(**FAST | settings).fit(*sets)


def assert_alike(model, other, atol=1e-6):
    assert_allclose(model.target_embedding_, other.target_embedding_, atol=atol)


rng = default_rng(0)
X = noisy_image(rng, 60, 4)
Z = noisy_image(rng, 70, 7) + 3
y = np.repeat([0, 1, 2], [30, 20, 10])
for A in (X, Z, y):
    A.flags.writeable = False


@fixture(scope="module")
def fitted():
    return SharedLinearEmbedding(n_bandwidths=4, random_state=0).fit(X, Z)


@fixture(scope="module")
def as_they_are():
    """Of features that are not standardised, with the fast settings."""
    with warnings.catch_warnings(action="ignore"):
        return fast(X, Z, standardize=False)


# Known answers


@mark.parametrize("seed", range(4))
def test_a_linear_image_of_the_set_comes_home(seed):
    """An invertible matrix is undone, whatever it is.

    The target then has the places of its source samples.
    """
    X = mixture(default_rng(seed), 90)
    rng = default_rng(seed)
    order = rng.permutation(90)
    turn = ortho_group(2, seed=seed).rvs()
    other = ortho_group(2, seed=(seed + 100)).rvs()
    A = turn * [1.0, 2.0] @ other
    moved = X[order] @ A + rng.normal(size=2)
    model = SharedLinearEmbedding(standardize=False, ridge=1e-4).fit(X, moved)
    assert error(model, order=order) < 0.05
    # and the map is the inverse: coefficients against those of the principal components
    axes = model.source_map_.components_.T
    assert_allclose(model.coefficients_, np.linalg.inv(A) @ axes, atol=0.1)


@mark.parametrize("k", [1, 3])
def test_a_turned_set_comes_home_in_other_dimensions(k):
    rng = default_rng(0)
    plane = mixture(rng, 80)
    X = np.column_stack([plane, 0.5 * rng.exponential(size=80)])
    order = rng.permutation(80)
    turned = X[order] @ ortho_group(3, seed=k).rvs()
    how = {"standardize": False, "ridge": 1e-3, "starts": "axes"}
    assert error(fast(X, turned, n_components=k, **how), order=order) < 0.1


def test_a_symmetric_set_comes_home_up_to_its_symmetry():
    rng = default_rng(0)
    half = rng.normal(size=(40, 2)) * [1, 0.2] + [3, 1]
    X = np.vstack([half, -half])
    model = SharedLinearEmbedding(standardize=False, ridge=1e-4)
    with warns(UserWarning, match="may be wrong: confidence .*; "):
        model.fit(X, X @ ortho_group(2, seed=3).rvs())
    turned = 2 * model.source_embedding_.mean(axis=0) - model.source_embedding_
    assert min(error(model), error(model, turned)) < 0.05
    assert model.confidence_ < 0.75


def test_a_cloud_without_a_shape_has_little_confidence():
    clouds = default_rng(0).normal(size=(2, 80, 2))
    says = r"confidence 0\.\d\d; the best other .*labelled target samples"
    with warns(UserWarning, match=says) as caught:
        model = SharedLinearEmbedding(random_state=0).fit(*clouds)
    assert [w.filename for w in caught] == [__file__]
    assert model.confidence_ < 0.6


# What must not matter


def test_order_of_the_target(fitted):
    order = default_rng(1).permutation(len(Z))
    other = clone(fitted).fit(X, Z[order])
    assert_allclose(
        other.target_embedding_, fitted.target_embedding_[order], atol=1e-6
    )
    assert other.confidence_ == approx(fitted.confidence_, abs=1e-6)
    assert (
        other.ridge_ == fitted.ridge_ and other.bandwidth_ == fitted.bandwidth_
    )
    assert 0.9 < fitted.confidence_ <= 1  # the shape is trusted


def test_order_where_a_part_takes_part_in_the_search(monkeypatch):
    """Above `MAX_SEARCHED` samples on a side the part is the same in any order."""
    monkeypatch.setattr(base, "MAX_SEARCHED", 100)
    rng = default_rng(0)
    X = mixture(rng, 150)
    Z = mixture(rng, 160) @ rng.normal(size=(2, 3))
    quick = {"n_bandwidths": 3, "starts": "structure"}
    p = rng.permutation(150)
    q = rng.permutation(160)
    model = fast(X, Z, **quick)
    other = fast(X[p], Z[q], **quick)
    assert_allclose(
        other.target_embedding_, model.target_embedding_[q], atol=1e-6
    )
    assert other.confidence_ == approx(model.confidence_, abs=1e-6)
    # another part
    third = fast(X, Z, **quick | {"random_state": 1})
    assert third.self_log_likelihood_ != approx(
        model.self_log_likelihood_, rel=1e-9
    )


@mark.parametrize("side", [0, 1])
def test_units_of_features(fitted, side):
    sets = [X, Z]
    units = np.geomspace(1e-3, 1e6, sets[side].shape[1])
    sets[side] = sets[side] * units + 5
    assert_alike(clone(fitted).fit(*sets), fitted)


@mark.parametrize("scale", [1e-140, 1e90])
def test_unit_of_a_whole_side_and_rotation(as_they_are, scale):
    one = as_they_are
    turn = ortho_group(7, seed=0).rvs()
    turned = (Z @ turn - 4) * scale
    target = clone(one).fit(X, turned)
    source = clone(one).fit(X * scale, Z)
    assert_allclose(
        turn @ target.coefficients_ * scale, one.coefficients_, atol=1e-6
    )
    for found in (target.target_embedding_, source.target_embedding_ / scale):
        assert_allclose(found, one.target_embedding_, atol=1e-6)
    assert source.confidence_ == approx(one.confidence_, abs=1e-6)


def test_source_coordinates_after_shift_rotation_and_scaling(fitted):
    """The target follows the places it is given.

    Wherever and however large they are.
    """
    turn = 1e3 * ortho_group(2, seed=1).rvs()
    places = fitted.source_embedding_
    model = fast(X, Z, source=places)
    turned_source = places @ turn + [5e4, -7]
    other = fast(X, Z, source=turned_source)
    assert_allclose(
        other.target_embedding_,
        model.target_embedding_ @ turn + [5e4, -7],
        atol=1e-3,
    )
    assert other.confidence_ == approx(model.confidence_, abs=1e-6)


def test_duplicates(fitted):
    sets = [np.repeat(A, 2, axis=0) for A in (X, Z)]
    twice = clone(fitted).fit(X, sets[1])
    places = np.repeat(fitted.target_embedding_, 2, axis=0)
    assert_allclose(twice.target_embedding_, places, atol=1e-6)
    of_pairs = clone(fitted).fit(*sets)
    assert (
        of_pairs.bandwidth_ == fitted.bandwidth_
        and of_pairs.ridge_ == fitted.ridge_
    )
    assert_alike(of_pairs, twice)


def test_constant_and_repeated_features_do_not_matter():
    model = fast(X, Z)
    constant_feature = np.full(len(Z), 7.0)
    constant = fast(X, np.column_stack([Z, constant_feature]))
    assert_alike(constant, model)
    assert_allclose(constant.coefficients_[-1], 0, atol=1e-6)
    twice = fast(X, np.column_stack([Z, Z]))
    assert_alike(twice, model)
    assert_allclose(twice.coefficients_[:7], twice.coefficients_[7:], atol=1e-9)


# Confidence


PLACES = np.array([[1.0, 1.0], [-1.0, -1.0]])


def judge(*candidates, pairs=None, reference=0.0):
    """Evidence for the first of some candidates.

    Each given by its places and the log likelihoods of the rows.
    """
    results = [
        Candidate(
            start="",
            B=None,
            log_theta=None,
            positions=places,
            rows=np.asarray(rows, float),
            penalty=0.0,
            history=[],
        )
        for places, rows in candidates
    ]
    return confidence_evidence(
        results,
        pairs=pairs,
        source=PLACES,
        reference=reference,
        ranked_by="log_likelihood",
        weights=LINEAR_WEIGHTS,
    )


def test_evidence_word_for_word():
    """Gap 0.5 with standard deviation 0.5, of two target samples.

    Root 2 standard errors; the coupling lies 1 off.
    """
    best = (PLACES, [0] * 4)
    near_candidate = (PLACES + 0.1, [-0.1] * 4)
    other = (-PLACES, [0, -1, 0, -1])
    pairs = np.full((2, 2), 0.25)
    judged = judge(best, near_candidate, other, pairs=pairs, reference=0.3)
    assert judged["gap"] == 0.5 and judged["gap_in_errors"] == approx(
        np.sqrt(2)
    )
    assert judged["structure"] == approx(1)
    assert judged["deficit"] == approx(0.3) and judged[
        "starts_alike"
    ] == approx(2 / 3)
    assert judged["confidence"] == approx(expit(0.3 + np.sqrt(2) - 1.15))
    without = judge(best, near_candidate, other)
    assert np.isnan(without["structure"])
    assert without["confidence"] == judged["confidence"]
    agreed = judge(best, near_candidate, pairs=pairs)
    assert (
        agreed["gap"] == np.inf and agreed["confidence"] > judged["confidence"]
    )


def test_evidence_of_nothing():
    best = (PLACES, [0, 0])
    pairs = np.eye(2) / 2
    mirrored_candidate = (-PLACES, [-1e-16, -1e-16])
    mirrored = judge(best, mirrored_candidate, pairs=pairs)
    assert mirrored["gap_in_errors"] < 1e-9 and mirrored["confidence"] < 0.75
    single_evidence = judge(best, pairs=pairs)
    assert np.isnan(single_evidence["gap"])
    assert single_evidence["confidence"] == approx(mirrored["confidence"])
    assert judge(*[(1e9 * PLACES, [0, 0])] * 2, pairs=pairs)["confidence"] == 0
    collapsed = judge(*[(0.01 * PLACES, [0, 0])] * 2, pairs=pairs)
    assert np.isnan(collapsed["gap"]) and collapsed["confidence"] < 0.75


def test_a_single_start_and_a_collapse_have_no_confidence():
    with warns(UserWarning, match="no other alignment to compare it with"):
        of_one_start = fast(X, Z, starts="structure")
    assert (
        of_one_start.start_ == "structure"
        and len(of_one_start.candidates_) == 1
    )
    with warns(UserWarning, match="no other alignment to compare it with"):
        flat = SharedLinearEmbedding(ridge=1e3, n_bandwidths=3).fit(X, Z)
    assert np.ptp(flat.target_embedding_, axis=0).max() < 0.2


# Sources, new samples, the course


def test_sources_of_all_kinds():
    pca = fast(X, Z)
    named = fast(X, Z, source=PCA(2))
    of_coordinates = fast(X, Z, source=pca.source_embedding_)
    for model in (named, of_coordinates):
        assert_alike(model, pca, 1e-9)
    assert_allclose(
        of_coordinates.transform_source(X),
        of_coordinates.source_embedding_,
        atol=1e-3,
    )
    estimator = LinearDiscriminantAnalysis(n_components=2)
    lda = fast(X, Z, y, source=estimator)
    assert not hasattr(estimator, "classes_")  # a clone was fitted
    standard = (X - X.mean(axis=0)) / X.std(axis=0)
    direct = clone(estimator).fit(standard, y)
    places = direct.transform(standard)
    assert_allclose(lda.source_embedding_, places, atol=1e-8)
    assert_allclose(lda.transform_source(X[:3]), places[:3], atol=1e-8)
    tsne = fast(
        X, Z, source=SklearnTSNE(perplexity=10, random_state=0, max_iter=300)
    )
    assert isinstance(tsne.source_map_, KernelMap)
    places = tsne.source_embedding_
    assert_allclose(
        tsne.transform_source(X), places, rtol=0, atol=0.1 * places.std()
    )


def test_new_samples_one_by_one_and_the_map_in_the_units_of_the_target(
    fitted, as_they_are
):
    assert_allclose(
        fitted.transform_target(Z), fitted.target_embedding_, atol=1e-9
    )
    assert_allclose(
        fitted.transform_source(X), fitted.source_embedding_, atol=1e-9
    )
    new = Z[:5] * 1.1 - 0.3
    for model in (fitted, as_they_are):
        one_by_one = np.vstack([model.transform_target(z[None]) for z in new])
        assert_allclose(
            new @ model.coefficients_ + model.intercept_, one_by_one, atol=1e-9
        )


def test_history_has_the_course_of_all_candidates(fitted):
    history = fitted.history_
    [n] = {len(v) for v in history.values()}
    assert_allclose(
        fitted.target_embedding_at(-1), fitted.target_embedding_, atol=0.02
    )
    assert_array_equal(*map(fitted.target_embedding_at, (0, -n)))
    changes = np.diff(history["bandwidth"])
    assert history["bandwidth"][-1] == fitted.bandwidth_ and changes.max() <= 0
    for step in (n, -n - 1, None):
        with raises(ValueError, match="`step` must be an integer between"):
            fitted.target_embedding_at(step)
    assert np.diff(history["objective"])[changes == 0].min() > -1e-9


def test_the_ridge_is_the_largest_that_lets_the_target_explain_the_source(
    fitted,
):
    position = RIDGES.tolist().index(fitted.ridge_)
    next_ridge = RIDGES[position - 1]
    stronger = clone(fitted).set_params(ridge=next_ridge).fit(X, Z)
    enough = fitted.self_log_likelihood_
    assert (
        position > 0
        and stronger.log_likelihood_ < enough <= fitted.log_likelihood_
    )


def test_weights_of_the_mixture_add_up():
    model = fast(X, Z, fit_weights=True)
    assert model.theta_.sum() == approx(1) and model.theta_.std() > 1e-4


# Wrong input


def refuse(match, X, Z, y=None, **settings):
    with (
        warnings.catch_warnings(action="error"),
        raises(ValueError, match=match),
    ):
        SharedLinearEmbedding(**settings).fit(X, Z, y)


@mark.parametrize(
    ("change", "match", "settings"),
    [
        (
            lambda X: X[:5],
            ".* 5 sample.*minimum of 7 is required",
            {"n_components": 6, "source": PCA(6)},
        ),
        (
            lambda X: X * 1e-170,
            "must hold samples that differ by more than 1e-151.*Rescale",
            {},
        ),
    ],
)
def test_samples_without_an_alignment(change, match, settings):
    refuse(f"`X_source` {match}", change(X), Z, **settings)
    refuse(f"`X_target` {match}", X, change(Z), **settings)


def test_too_few_directions():
    line = np.outer(np.sin(np.arange(60.0)), [1, 2, 3])
    refuse(
        "`X_target` must vary in at least `n_components` = 2 directions; its rank is "
        "1.*Lower",
        X,
        line,
    )
    wide = fast(X[:, :1], Z, source=X[:, :2])  # places need no features
    assert wide.source_embedding_.shape == (60, 2)


def test_labels_of_the_source():
    lda = LinearDiscriminantAnalysis(n_components=2)
    refuse(
        "`y_source` must hold labels of the source samples, which "
        "LinearDiscriminantAnalysis needs",
        X,
        Z,
        source=lda,
    )
    message = "`y_source` must have the same number of samples; got 60"
    for wrong in (np.zeros(len(Z)), 3, []):
        refuse(message, X, Z, wrong)
    refuse(message, X, Z, y[:-1], source=lda)


def test_features_of_new_samples(fitted):
    for transform, A in (
        (fitted.transform_source, X),
        (fitted.transform_target, Z),
    ):
        shape = rf"shape \(m, {A.shape[1]}\); got .*{SIDES}"
        with raises(ValueError, match=shape):
            transform(A[:, 1:])
        with raises(ValueError, match="`X` must not hold values beyond"):
            transform(A * 1e150)
        assert np.isfinite(transform(A * 1e50)).all()


def test_one_feature_that_decides_alone_warns():
    scaled = Z * np.r_[1e3, np.ones(6)]
    says = "`X_target`: .X1. has about .* `standardize=True`"
    with warns(UserWarning, match=says) as caught:
        fast(X, scaled, standardize=False)
    assert caught[0].filename == __file__
    with warnings.catch_warnings(action="error"):
        fast(X, scaled)


def test_an_axis_that_the_part_does_not_see(monkeypatch):
    """The second direction of the target is a single sample, which a part may lack."""
    monkeypatch.setattr(base, "MAX_SEARCHED", 100)
    rng = default_rng(0)
    Z = np.column_stack([rng.normal(size=150), np.zeros(150)])
    Z[17, 1] = 1.0
    for seed in range(3):
        model = SharedLinearEmbedding(
            n_bandwidths=2, ridge=0.01, starts="axes", random_state=seed
        )
        assert np.isfinite(model.fit(mixture(rng), Z).target_embedding_).all()


EXTREME = st.sampled_from(
    [
        0.0,
        1.0,
        -1.0,
        0.1,
        3.0,
        1e-3,
        1e8,
        -1e99,
        1e99,
        1e-99,
        1e-150,
        1e-300,
        5e-324,
        np.nan,
    ]
)


TABLES = arrays(
    float, st.tuples(st.integers(1, 8), st.integers(1, 3)), elements=EXTREME
)
QUICK = {"n_bandwidths": 2, "random_state": 0, "source": "pca"}
MODELS = [
    SharedLinearEmbedding(1, **QUICK),
    SharedLinearEmbedding(1, standardize=False, ridge=0.0, **QUICK),
    SharedLinearEmbedding(1, ridge=1.0, **QUICK),
    SharedKernelEmbedding(1, lam=0.1, starts="structure", **QUICK),
]


@settings(
    max_examples=examples(80),
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
@given(TABLES, TABLES, st.sampled_from(MODELS))
def test_no_places_that_are_not_numbers(X, Z, model):
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        try:
            model = clone(model).fit(X, Z)
        except ValueError as error:
            assert re.match(
                "`(X_source|X_target|n_components|source)`", str(error)
            ), error
            return
    assert 0 <= model.confidence_ <= 1
    for places in (
        model.target_embedding_,
        model.source_embedding_,
        model.transform_target(Z),
    ):
        assert np.isfinite(places).all()


def test_refusal_of_columns_in_another_order():
    """A map of columns 0, 1, 2 read as 2, 1.

    0 would place samples wrongly without a word.
    """
    frames = [pd.DataFrame(A[:, :4], columns=list("abcd")) for A in (X, Z)]
    model = fast(*frames)
    assert_array_equal(*map(model.transform_target, (frames[1], Z[:, :4])))
    for transform in (model.transform_source, model.transform_target):
        wrong_order = f"was fitted to, in their order; got d in place .*{SIDES}"
        with raises(ValueError, match=wrong_order):
            transform(frames[1][list("dcba")])
