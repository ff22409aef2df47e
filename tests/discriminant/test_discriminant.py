"""FDA, LPP, LFDA and SELF against sums over pairs, in special cases and errors."""

import numpy as np
import scipy.linalg
import scipy.sparse
from literal import relative_error
from numpy.random import default_rng
from numpy.testing import assert_allclose
from pytest import fixture, mark, raises, warns
from scipy.linalg import subspace_angles
from scipy.stats import ortho_group
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from toolkit.core.graphs import local_scales, local_scaling
from toolkit.datasets import make_hidden_moons
from toolkit.discriminant import (
    FDA,
    LFDA,
    LPP,
    SELF,
    GraphLabelRegression,
    importance_weighted_cv,
)
from toolkit.discriminant.maps import leading_directions
from toolkit.discriminant.scatter import (
    class_scatters,
    local_class_scatters,
    local_scatters,
    pair_scatter,
)
from toolkit.discriminant.selection import importance_weights

ALL = [FDA(), LPP(), LFDA(), SELF(), SELF(beta=0.0)]
# classes with one sample each, which have no scatter within
SINGLES = np.select([np.arange(150) == i for i in (1, 61, 121)], [0, 1, 2], -1)


@fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@fixture(scope="module")
def data(iris):
    """Iris with jitter (no ties), a third of the labels hidden; read-only."""
    X, y = iris
    X = X + 0.01 * default_rng(0).normal(size=X.shape)
    is_unlabelled = np.arange(150) % 3 == 0
    y = np.where(is_unlabelled, -1, y)
    X.flags.writeable = y.flags.writeable = False
    return X, y


@fixture(scope="module")
def moons():
    bunch = make_hidden_moons(200, 4, random_state=0)
    return bunch.data, bunch.target


def pairwise(W, X):
    """1/2 sum_ij W_ij (x_i - x_j)(x_i - x_j)^T, all n x n x d of it."""
    differences = X[:, None] - X
    return (
        np.einsum("ij,ijk,ijl->kl", W, differences, differences, optimize=True)
        / 2
    )


def literal_scatters(X, y, A):
    """(9), (10), (18), (19) with every pair; n are the labelled in (18) and (19)."""
    labelled = y >= 0
    in_both = labelled[:, None] & labelled
    n = labelled.sum()
    is_same = (y[:, None] == y) & in_both
    counts = np.array([np.sum(y == c) if c >= 0 else 1 for c in y])[:, None]
    W_lw = np.where(is_same, A / counts, 0)
    of_same = A * (1 / n - 1 / counts)
    W_lb = np.where(is_same, of_same, np.where(in_both, 1 / n, 0))
    W = A / len(X)
    centred = X - X.mean(axis=0)
    normalisation = (centred.T * W.sum(axis=1)) @ centred
    return (
        pairwise(W_lb, X),
        pairwise(W_lw, X),
        -pairwise(W, X),
        normalisation,
    )


def literal_self(X, y, beta, ridge=1e-6):
    """The printed eigenproblem (22): matrix below, and its falling eigenpairs."""
    S_lb, S_lw, S_l, S_n = literal_scatters(X, y, local_scaling(X))
    upper = (1 - beta) * S_lb + beta * S_l
    lower = (1 - beta) * S_lw + beta * S_n
    lower += ridge * np.trace(lower) / X.shape[1] * np.eye(X.shape[1])
    values, T = scipy.linalg.eigh(upper, lower)
    return lower, values[::-1], T[:, ::-1]


@mark.parametrize("entries", [2**18, 1000, 1])
def test_scatters_as_written(data, entries, monkeypatch):
    """In one block, in many, and row by row."""
    X, y = data
    A = local_scaling(X)
    scales = local_scales(X)
    monkeypatch.setattr(
        "toolkit.core.scaling.row_blocks.__defaults__", (entries,)
    )
    scatters = *local_class_scatters(X, y, scales), *local_scatters(X, scales)
    for ours, theirs in zip(scatters, literal_scatters(X, y, A), strict=True):
        assert_allclose(ours, theirs, atol=1e-12 * np.abs(theirs).max())
    # S_l is negative semi-definite
    assert np.linalg.eigvalsh(scatters[2]).max() < 1e-12
    shifted = pair_scatter(X + 1e4, scales)[0]
    assert_allclose(shifted, pairwise(A, X), rtol=1e-6)


def test_the_class_scatters_are_sums_over_pairs(iris, check_claim):
    X, y = iris
    is_same = y[:, None] == y
    between = np.where(is_same, 1 / 150 - 1 / 50, 1 / 150)
    pairs = [pairwise(W, X) for W in (between, is_same / 50)]
    largest_error = max(map(relative_error, pairs, class_scatters(X, y)))
    assert largest_error < 1e-10
    check_claim("SE-01", largest_error)


@mark.parametrize("beta", [0.0, 0.3, 1.0])
def test_self_is_the_printed_eigenproblem(data, beta):
    X, y = data
    lower, values, T = literal_self(X, y, beta)
    ours = SELF(beta=beta).fit(X, y)
    assert_allclose(ours.eigenvalues_, values[:2], rtol=1e-8)
    assert subspace_angles(ours.components_.T, T[:, :2]).max() < 1e-6
    form = ours.components_ @ lower @ ours.components_.T
    expected = form[0, 0] * np.eye(2)
    assert_allclose(form, expected, atol=1e-8 * form[0, 0])
    assert_allclose(np.mean(np.sum(ours.embedding_**2, axis=1)), 2)


def test_lfda_lpp_and_fda_are_special_cases(iris, check_claim):
    X, y = iris
    moons = make_hidden_moons(200, 6, random_state=0)
    partial_labels = np.where(np.arange(150) % 2, y, -1)
    errors = []
    for data, labels in ((X, partial_labels), (moons.data, moons.target)):
        for beta, end in ((0.0, LFDA()), (1.0, LPP()), (0.5, SELF())):
            T = literal_self(data, labels, beta)[2][:, :2]
            for estimator in (SELF(beta=beta), end):
                ours = estimator.fit(data, labels).components_.T
                errors.append(subspace_angles(ours, T).max())
    ones = local_class_scatters(X, y, np.full(150, np.inf))
    of_classes = class_scatters(X, y)
    largest_error = max(*errors, *map(relative_error, ones, of_classes))
    assert largest_error < 1e-6
    check_claim("SE-02", largest_error)


def test_local_scatter_has_no_rank_limit(iris, check_claim):
    local = local_class_scatters(*iris, local_scales(iris[0]))
    scatters = (class_scatters(*iris), local)
    ranks = [
        int(np.linalg.matrix_rank(S_b, tol=1e-10 * np.linalg.norm(S_b, 2)))
        for S_b, _ in scatters
    ]
    check_claim("SE-03", ranks, ok=ranks[0] == 2 < ranks[1])


def trace_ratio(T, upper, lower):
    denominator = T.T @ lower @ T
    return np.trace(np.linalg.solve(denominator, T.T @ upper @ T))


def test_no_other_map_has_a_larger_trace_ratio(iris, check_claim):
    X, y = iris
    scatters = local_class_scatters(X, y, local_scales(X))
    rng = default_rng(0)
    errors = []
    ratios = []
    for r in (1, 2, 3):
        fitted = LFDA(r, ridge=0.0).fit(X, y)
        T = fitted.components_.T
        value = trace_ratio(T, *scatters)
        difference = abs(value - fitted.eigenvalues_.sum())
        errors.append(difference / abs(value))
        other_maps = [rng.normal(size=T.shape) for _ in range(500)]
        other_maps += [
            T + s * np.abs(T).max() * rng.normal(size=T.shape)
            for s in np.logspace(-6, 0, 500)
        ]
        ratios += [
            trace_ratio(other, *scatters) / value - 1 for other in other_maps
        ]
    largest_error = max(errors)
    best = max(ratios)
    note = (
        "the best of 1,000 others for each of r = 1, 2, 3 stays below by a share of"
        f" {-best:.0e} at least"
    )
    holds = bool(largest_error <= 1e-8 and best <= 1e-12)
    check_claim("SE-09", largest_error, ok=holds, note=note)


def test_directions_beyond_the_classes_add_nothing(iris, check_claim):
    X, y = iris
    scatters = class_scatters(X, y)
    fitted = FDA(4, ridge=0.0).fit(X, y)
    T = fitted.components_.T
    lda = LinearDiscriminantAnalysis(solver="eigen").fit(X, y)
    assert subspace_angles(T[:, :2], lda.scalings_[:, :2]).max() < 1e-6
    largest = np.abs(fitted.eigenvalues_[2:]).max()
    tail = largest / fitted.eigenvalues_[0]
    turned = T.copy()
    rotation = ortho_group.rvs(2, random_state=0)
    turned[:, 2:] = T[:, 2:] @ rotation
    change = [
        abs(
            trace_ratio(turned[:, :r], *scatters)
            / trace_ratio(T[:, :r], *scatters)
            - 1
        )
        for r in (3, 4)
    ]
    assert tail < 1e-10
    check_claim("SE-13", max(tail, *change))


@mark.parametrize("estimator", ALL, ids=repr)
def test_rotations_and_shifts_turn_the_map_at_most(data, estimator):
    X, y = data
    base = estimator.fit(X, y).embedding_
    turned = X @ ortho_group.rvs(4, random_state=0) + 50
    moved = estimator.fit(turned, y).embedding_
    assert_allclose(moved @ moved.T, base @ base.T, atol=1e-6)
    assert_allclose(estimator.transform(turned), moved, atol=1e-8)


def test_path_is_the_fit_of_each_beta(data):
    X, y = data
    fitted = SELF().fit(X, y)
    embeddings, components = fitted.path([0, 0.4, 1])
    for beta, Z, T in zip([0, 0.4, 1], embeddings, components, strict=True):
        model_of_beta = SELF(beta=beta).fit(X, y)
        assert_allclose(model_of_beta.components_, T, atol=1e-9)
        expected = model_of_beta.embedding_ @ model_of_beta.embedding_.T
        assert_allclose(Z @ Z.T, expected, atol=1e-8)


@mark.parametrize("estimator", ALL, ids=repr)
def test_more_features_than_samples(estimator):
    rng = default_rng(0)
    X = rng.normal(size=(40, 300))
    y = np.arange(40) % 2
    X[:, 0] += 6 * y
    fitted = estimator.fit(X, y)
    assert_allclose(fitted.transform(X), fitted.embedding_, atol=1e-8)
    # the same in coordinates of the samples' own space
    Xc = X - X.mean(axis=0)
    U, s, _ = np.linalg.svd(Xc, full_matrices=False)
    scores = U[:, :39] * s[:39]
    small = estimator.fit(scores, y).embedding_
    expected = fitted.embedding_ @ fitted.embedding_.T
    assert_allclose(small @ small.T, expected, atol=1e-5)


def test_odd_input_that_has_an_answer(data):
    X, y = data
    repeated = np.repeat(X[:15], 10, axis=0)  # local scales of zero
    constant = np.column_stack([X, np.ones(150)])
    for estimator in ALL:
        for samples, labels in ((X, SINGLES), (repeated, y), (constant, y)):
            assert np.isfinite(estimator.fit_transform(samples, labels)).all()
    # local scatter prefers directions without variance: they are left out
    for beta in (0.0, 0.5, 1.0):
        fitted = SELF(beta=beta).fit(constant, y).components_.T
        expected = SELF(beta=beta).fit(X, y).components_.T
        assert abs(fitted[4]).max() < 1e-10
        assert subspace_angles(fitted[:4], expected).max() < 1e-5


def test_singular_without_ridge_says_so(data):
    with raises(
        ValueError, match="`ridge`=0.0 leaves .* singular.*Raise `ridge`"
    ):
        FDA(ridge=0.0).fit(data[0], SINGLES)  # no scatter within classes


# ------------------------------------------------------------ regression on the graph
@mark.parametrize("n_affinity", [None, 6])
def test_graph_regression_minimises_23(data, n_affinity):
    """The gradient of (23), (f_i - y_i) [labelled] + 2 gamma (L f)_i, vanishes."""
    X, y = (A[50:] for A in data)
    y = np.where(y < 0, -1, y - 1)
    rule = GraphLabelRegression(gamma=0.7, n_affinity=n_affinity).fit(X, y)
    f = rule.scores_[:, 1] - rule.scores_[:, 0]
    A = local_scaling(X, n_affinity=n_affinity)
    A = A if n_affinity is None else A.toarray()
    L = np.diag(A.sum(axis=1)) - A
    target = np.where(y == 1, 1.0, -1.0)
    residual = np.where(y >= 0, f - target, 0)
    assert_allclose(residual + 2 * 0.7 * L @ f, 0, atol=1e-9)
    assert np.array_equal(rule.transduction_, (f > 0).astype(int))
    model = GraphLabelRegression(gamma=0.7, affinity="precomputed").fit(A, y)
    assert_allclose(model.scores_, rule.scores_, atol=1e-9)


def test_a_piece_without_labels_gets_the_most_frequent_class():
    positions = np.linspace(0, 1, 10)
    X = np.add.outer([0, 1e6], positions).reshape(-1, 1)
    y = np.full(20, -1)
    y[[0, 4, 9]] = [0, 1, 1]
    with warns(
        match="10 samples are in connected components without a labelled"
    ):
        predicted = GraphLabelRegression(n_affinity=3).fit_predict(X, y)
    assert predicted[0] == 0 and set(predicted[10:]) == {1}


# ------------------------------------------------------------ selection
@mark.filterwarnings("error")
@mark.parametrize("kind", [np.asarray, scipy.sparse.csr_matrix])
@mark.parametrize("own", [0.0, 1.0])
def test_a_sample_with_one_link_has_the_scores_at_its_other_end(kind, own):
    """0 - 2 and 1 - 3 - 4, samples 0 and 1 labelled.

    No link costs anything if both ends agree, however weak it is. What a sample has in
    common with itself changes nothing.
    """
    A = own * np.eye(5)
    for i, j, weight in ((0, 2, 1e-20), (1, 3, 1e-6), (3, 4, 1.0)):
        A[i, j] = A[j, i] = weight
    labels = [5, 7, -1, -1, -1]
    rule = GraphLabelRegression(affinity="precomputed").fit(kind(A), labels)
    assert_allclose(rule.scores_, np.eye(2)[[0, 1, 0, 1, 1]], atol=1e-9)
    assert rule.transduction_.tolist() == [5, 7, 5, 7, 7]


def test_affinities_are_symmetric_in_any_unit_and_may_be_none():
    skew = np.array([[0, 1, 1], [1, 0, 1], [0.9, 1, 0]])
    for unit in (1e-20, 1e20):
        with raises(ValueError, match="`X` must be a symmetric affinity"):
            GraphLabelRegression(affinity="precomputed").fit(
                unit * skew, [0, 1, -1]
            )
    without_edges = GraphLabelRegression(affinity="precomputed")
    with warns(
        match="1 samples are in connected components without a labelled"
    ):
        without_edges.fit(np.zeros((4, 4)), [0, 1, 1, -1])
    assert_allclose(without_edges.scores_[3], [1 / 3, 2 / 3])


def test_the_ridge_alone_where_the_lower_matrix_is_zero():
    """0.5 on a diagonal without a mean: eigenvalues 3 / 0.5 and 1 / 0.5."""
    upper = np.diag([1.0, 3.0])
    values, T = leading_directions(upper, np.zeros((2, 2)), 2, 0.5)
    assert_allclose(values, [6, 2])
    expected = np.array([[0, 1], [1, 0]]) / np.sqrt(0.5)
    assert_allclose(T, expected)


def test_regression_refuses_samples_whose_squares_vanish():
    tiny = 1e-120 * np.ones((3, 3))
    with raises(ValueError, match="`X` must not only hold values below 1e-100"):
        GraphLabelRegression().fit(tiny, [0, 1, -1])


def test_importance_weights_follow_a_known_ratio():
    """Labelled N(0, 1), all N(1, 1): the log ratio is x - 1/2, linear."""
    rng = default_rng(0)
    labelled_samples = rng.normal(size=(3000, 1))
    everyone = 1 + rng.normal(size=(6000, 1))
    w = importance_weights(labelled_samples, everyone, C=100.0)
    slope = np.polyfit(labelled_samples.ravel(), np.log(w), 1)[0]
    assert abs(slope - 1) < 0.1


def test_importance_weighted_cv_takes_the_least_error(moons):
    """Without weights the estimate is the error of the 20 labelled samples."""
    betas = [0.2, 0.9]
    chosen = importance_weighted_cv(*moons, betas=betas, random_state=0)
    assert np.all(np.round(chosen.unweighted * 20, 9) % 1 == 0)
    for errors, beta, k in (
        (chosen.weighted, chosen.beta, chosen.n_components),
        (
            chosen.unweighted,
            chosen.unweighted_beta,
            chosen.unweighted_n_components,
        ),
    ):
        assert errors[betas.index(beta), k - 1] == errors.min()


def test_importance_weighted_cv_counts_its_fits(iris, bars):
    grid = {"betas": [0.2, 0.5, 0.9], "dimensions": [1, 2]}
    importance_weighted_cv(
        *iris, **grid, n_splits=2, random_state=0, verbose=True
    )
    assert bars == [(12, 12)]


def test_importance_weighted_cv_finds_no_error_between_clusters_far_apart():
    """Ten samples in each of two corners, half of them labelled."""
    corner = np.arange(20) // 10
    noise = default_rng(0).normal(size=(20, 2))
    X = noise + 50 * corner[:, None]
    y = np.where(np.arange(20) % 2, corner, -1)
    chosen = importance_weighted_cv(X, y, dimensions=[1], random_state=0)
    assert not chosen.unweighted.any() and not chosen.weighted.any()
    assert (chosen.beta, chosen.n_components) == (1.0, 1)
    assert (chosen.unweighted_beta, chosen.unweighted_n_components) == (1.0, 1)


def test_importance_weighted_cv_bad_input(moons):
    X, y = moons
    is_later = (y == 0) & (np.cumsum(y == 0) > 1)
    one_of_class = np.where(is_later, -1, y)
    for settings_, message in (
        (
            {"y": one_of_class},
            "at least two samples of each class.*class '0' has 1",
        ),
        ({"n_splits": 1}, "`n_splits` must be an integer >= 2"),
        ({"betas": []}, "`betas` and `dimensions` must hold a value each"),
        ({"estimator": LFDA()}, "`estimator` must be a SELF"),
    ):
        with raises(ValueError, match=message):
            importance_weighted_cv(**{"X": X, "y": y} | settings_)


def test_classes_named_minus_one_are_told(iris):
    X, y = iris
    with warns(UserWarning, match="unlabelled, for 50 of 150 samples"):
        LFDA().fit(X, y - 1)
