"""LE, CCDR and SLE-ML against dense problems, in special cases, limits and errors."""

import tracemalloc

import numpy as np
import scipy.linalg
import scipy.sparse
from examples import check_finite_or_refused, examples
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from label_sets import multilabel_gaussians
from literal import laplacian, squared
from numpy.random import default_rng
from numpy.testing import assert_allclose, assert_array_equal
from pytest import approx, mark, raises, warns
from scipy.linalg import subspace_angles
from scipy.sparse.linalg import ArpackNoConvergence
from scipy.spatial.distance import cdist
from scipy.stats import ortho_group
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.manifold import spectral_embedding
from sklearn.neighbors import KNeighborsTransformer

from toolkit.core.linalg import procrustes
from toolkit.datasets import load
from toolkit.discriminant import SELF
from toolkit.eigenmaps import (
    CCDR,
    SLE,
    SLEML,
    ConstraintScoreMap,
    LaplacianEigenmap,
    SLapEig,
    solver,
)
from toolkit.eigenmaps.labelgraph import LabelGraph, jaccard_graph

pytestmark = mark.filterwarnings("ignore:At `lam`=0")


# 600 samples with up to two of four labels: enough for the iterative solver
X, Y = multilabel_gaussians(600, 6, noise=0.6)
X.flags.writeable = Y.flags.writeable = False
# one of four classes each
CLASSES = Y.argmax(axis=1)

both = mark.parametrize(
    "estimator",
    [SLEML(n_neighbors=25), CCDR(lam=0.01, n_neighbors=25)],
    ids=repr,
)


def direct_jaccard(Y):
    """|A and B| / |A or B| of the label sets for each pair.

    0 where a sample has no label, and for the pair (i, i).
    """
    largest = np.maximum(Y[:, None], Y)
    either = largest.sum(axis=-1)
    shared = np.minimum(Y[:, None], Y).sum(axis=-1)
    W = shared / np.maximum(either, 1)
    np.fill_diagonal(W, 0)
    return W


def dense_map(W, k):
    """L z = mu D z, as written; the constant left out, unit D-weighted mean square."""
    D = np.diag(W.sum(axis=1))
    mu, Z = scipy.linalg.eigh(laplacian(W), D)
    scale = np.sqrt(np.trace(D))
    return mu[1 : k + 1], Z[:, 1 : k + 1] * scale


def same_map(A, B, atol):
    signs = np.sign(np.sum(A * B, axis=0))
    assert_allclose(A * signs, B, atol=atol)


def test_path_graph_on_paper():
    """Three samples in a row, 0 - 1 - 2, weights 1: D = (1, 2, 1).

    L z = D z has the solution z = (1, 0, -1). Its weighted mean square is (z_0^2 +
    z_2^2) / 4 = 1 for |z_0| = sqrt 2. The other one is (1, -1, 1).
    """
    le = LaplacianEigenmap(2, n_neighbors=1, sigma2=1e12).fit(
        [[0.0], [1.0], [2.5]]
    )
    assert_allclose(le.eigenvalues_, [1, 2], atol=1e-9)
    Z = [[np.sqrt(2), 0, -np.sqrt(2)], [1, -1, 1]]
    assert_allclose(le.embedding_.T, Z, atol=1e-9)


def test_label_graph_on_paper():
    """Weights g_s S_st g_t of samples of sets 0, 1, none and 1, of none with itself."""
    weights = np.array([[1.0, 0.5], [0.5, 1.0]])
    graph = LabelGraph(np.array([0, 1, -1, 1]), weights, [2, 3])
    W = np.array([[0, 3, 0, 3], [3, 0, 0, 9], [0, 0, 0, 0], [3, 9, 0, 0]])
    assert_allclose(graph @ np.eye(4), W)
    assert_allclose(graph.degrees, W.sum(axis=1))
    assert_allclose(graph.between_sets().toarray(), [[0, 6], [6, 18]])


@mark.parametrize("lam", [0.05, 0.5, 0.9])
@mark.parametrize("n", [600, 90])  # iterative and dense solver
@mark.parametrize("kind", ["multilabel", "classes", "partly labelled"])
def test_label_operator_equals_the_dense_problem(lam, n, kind):
    y = labels = Y[:n]
    if kind == "classes":
        y = CLASSES[:n]
        labels = np.eye(4)[y]
    if kind == "partly labelled":
        missing = np.arange(n)[:, None] % 3 == 0
        y = np.where(missing, -1, y)
        labels = np.maximum(y, 0)
    sleml = SLEML(lam=lam, n_neighbors=20).fit(X[:n], y)
    label_weights = (1 - lam) * direct_jaccard(labels)
    W = lam * sleml.graph_.toarray() + label_weights
    mu, Z = dense_map(W, 2)
    assert_allclose(sleml.eigenvalues_, mu, atol=1e-10)
    same_map(sleml.embedding_, Z, 1e-7)


@mark.parametrize("lam", [0.001, 0.5])
def test_ccdr_equals_its_cost_with_class_nodes(lam):
    """Tai2019 (2): ordered pairs of samples with lam w, to centres with 1 - lam."""
    ccdr = CCDR(lam=lam, n_neighbors=20).fit(X[:450], Y[:450])
    w = ccdr.graph_.toarray() / 2
    links = (1 - lam) * Y[:450]
    of_classes = np.zeros((4, 4))
    W = np.block([[2 * lam * w, links], [links.T, of_classes]])
    mu, Z = dense_map(W, 2)
    assert_allclose(ccdr.eigenvalues_, mu, atol=1e-10)
    same_map(np.vstack([ccdr.embedding_, ccdr.center_embedding_]), Z, 1e-7)
    pairs = lam * np.sum(w * squared(ccdr.embedding_))
    to_centers = cdist(ccdr.embedding_, ccdr.center_embedding_, "sqeuclidean")
    centers = np.sum(links * to_centers)
    # the cost is tr Z^T L Z, and L Z = D Z mu with Z^T D Z = vol I
    assert_allclose(pairs + centers, mu.sum() * W.sum(), rtol=1e-8)


def test_lambda_one_is_the_plain_eigenmap_and_scikit_learns(check_claim):
    X, y = load_digits(return_X_y=True)
    ours = SLEML(lam=1.0).fit(X, y)
    theirs = spectral_embedding(
        ours.graph_,
        n_components=2,
        drop_first=True,
        random_state=0,
        eigen_tol=1e-12,
    )
    plain = LaplacianEigenmap().fit(X, y)
    gap = np.abs(plain.embedding_ - ours.embedding_).max()
    angle = subspace_angles(ours.embedding_, theirs).max()
    assert gap < 1e-9 and angle < 1e-6
    check_claim("LE-01", angle, note=f"LaplacianEigenmap itself to {gap:.0e}")


def test_the_cost_is_twice_the_trace_with_a_positive_laplacian(check_claim):
    rng = default_rng(0)
    deviations = []
    for n in (5, 40, 200):
        W = scipy.sparse.random(n, n, 0.3, random_state=n).toarray()
        W = np.maximum(W, W.T)
        L = laplacian(W)
        Z = rng.normal(size=(n, 2))
        cost = np.sum(W * squared(Z))
        scale = np.abs(L).max()
        difference = abs(cost - 2 * np.trace(Z.T @ L @ Z))
        row_sums = np.abs(L @ np.ones(n)).max()
        deviations += [
            difference / cost,
            -np.linalg.eigvalsh(L)[0] / scale,
            row_sums / scale,
        ]
    check_claim("LE-12", max(deviations))


def test_a_class_is_one_label_of_several(check_claim):
    X, y = load_digits(return_X_y=True)
    gaps = []
    for estimator in (SLEML(), SLEML(lam=0.1), CCDR(lam=0.01)):
        Z = estimator.fit_transform(X, y)
        Z_of_indicators = estimator.fit_transform(X, np.eye(10)[y])
        gaps.append(np.abs(Z - Z_of_indicators).max())
    everyone = np.ones(len(y), dtype=bool)
    weights = jaccard_graph(np.eye(10)[y], everyone) @ np.eye(len(y))
    is_other = ~np.eye(len(y), dtype=bool)
    equal = (y[:, None] == y) & is_other
    gaps.append(np.abs(weights - equal).max())
    scene = load("scene")
    refused = 0
    for estimator in (ConstraintScoreMap(), SLapEig(), SLE()):
        with raises(ValueError, match="several labels per sample"):
            estimator.fit(scene.data, scene.target)
        refused += 1
    note = (
        "the maps agree by construction, both forms being one label matrix; label"
        f" weights to {gaps[-1]:.0e}"
    )
    ok = bool(max(gaps) <= 1e-10 and refused == 3)
    check_claim("LE-15", max(gaps), ok=ok, note=note)


def test_lambda_to_zero_is_the_limit():
    for labels in (CLASSES, np.where(np.arange(600) % 5 == 0, -1, CLASSES)):
        at_zero = SLEML(lam=0.0, n_neighbors=30).fit(X, labels)
        of_small_lambda = SLEML(lam=1e-6, n_neighbors=30).fit(X, labels)
        same_map(of_small_lambda.embedding_, at_zero.embedding_, 1e-4)
        assert_allclose(
            of_small_lambda.eigenvalues_ / 1e-6, at_zero.eigenvalues_, rtol=1e-4
        )
        for c in range(4):
            assert np.ptp(at_zero.embedding_[labels == c], axis=0).max() < 1e-9


def test_lambda_to_zero_of_linked_label_sets_is_the_limit():
    """Of label sets that share labels the coordinates are those of the label graph."""
    at_zero = SLEML(lam=0.0, n_neighbors=30).fit(X, Y)
    of_small_lambda = SLEML(lam=1e-7, n_neighbors=30).fit(X, Y)
    assert (
        subspace_angles(at_zero.embedding_, of_small_lambda.embedding_).max()
        < 1e-3
    )
    assert_allclose(
        of_small_lambda.eigenvalues_, at_zero.eigenvalues_, atol=1e-5
    )


def test_number_of_coordinates_at_lambda_zero():
    X, y = load_iris(return_X_y=True)
    with warns(
        match="2 label sets give 1 coordinates; the other 1 of .* are zero"
    ):
        Z = SLEML(lam=0.0).fit_transform(X, y > 0)
    assert np.all(Z[:, 1] == 0) and len(np.unique(Z[:, 0].round(9))) == 2
    Z = CCDR(5, lam=0.0).fit_transform(X, y)
    assert np.isfinite(Z).all() and np.ptp(Z, axis=0).min() > 0.1


@both
def test_orders_and_movements_do_not_matter_to_the_iterative_solver_either(
    estimator,
):
    base = estimator.fit(X, Y).embedding_
    order = default_rng(0).permutation(len(X))
    turned = X[order] @ ortho_group.rvs(6, random_state=0) + 100
    Z = estimator.fit(turned, Y[order, ::-1]).embedding_
    assert_allclose(Z, base[order], atol=1e-7)


@both
def test_path_is_the_fit_of_each_lambda_turned_towards_the_one_before(
    estimator,
):
    lams = [0, 0.2, 0.5, 0.9, 1]
    estimator = clone(estimator).set_params(lam=0.5).fit(X, Y)
    embeddings, eigenvalues = estimator.path(lams)
    previous = estimator.embedding_
    for lam, Z, mu in zip(lams, embeddings, eigenvalues, strict=True):
        model_of_lambda = estimator.set_params(lam=lam).fit(X, Y)
        assert_allclose(model_of_lambda.eigenvalues_, mu, atol=1e-10)
        assert_allclose(
            procrustes(model_of_lambda.embedding_, previous), Z, atol=1e-7
        )
        previous = Z
    with raises(
        ValueError, match="`lams` must be a number between 0 and 1; got 2"
    ):
        estimator.path([0.5, 2])


def test_balance_keeps_both_terms_of_a_size():
    sums = [
        SLEML(n_neighbors=k, keep_balance=True).fit(X, CLASSES).graph_.sum()
        for k in (None, 30, 300)
    ]
    assert max(sums) / min(sums) < 2.5
    plain = SLEML(n_neighbors=30).fit(X, CLASSES)  # as the paper has it
    assert (
        sums[1] == approx(225 / 30 * plain.graph_.sum())
        and plain.graph_.max() <= 1
    )
    assert SLEML().fit(X, CLASSES).n_neighbors_ == 225  # 1.5 * 600 / 4
    assert LaplacianEigenmap().fit(X[:90]).n_neighbors_ == 10


def test_balanced_weights_give_every_label_set_the_same_weight_within():
    is_merged = (CLASSES == 0) & (np.arange(600) % 10 > 0)
    y = np.where(is_merged, 1, CLASSES)
    graph = SLEML(class_weight="balanced").fit(X, y)._labels
    within = np.asarray(graph.membership.sum(axis=0)).ravel() ** 2
    assert (
        np.ptp(graph.membership.getnnz(axis=0)) > 100 and np.ptp(within) < 1e-9
    )
    by_dict = SLEML(class_weight={0: 3.0}).fit(X, y)._labels
    assert by_dict.factor.tolist() == [3.0, 1.0, 1.0, 1.0]


def test_other_searches_of_neighbors_give_the_same_map():
    usual = SLEML(n_neighbors=25).fit(X, Y)
    other = SLEML(neighbors=KNeighborsTransformer(n_neighbors=25)).fit(X, Y)
    assert other.n_neighbors_ == 25
    assert_allclose(other.embedding_, usual.embedding_, atol=1e-8)


# ------------------------------------------------------------ new samples
def test_new_sample_solves_the_row_equation():
    """All samples are neighbours, and each class is a label set.

    A copy of a sample, moved by next to nothing, obeys (1 - mu) z_new = (lam sum_j w_j
    z_j + (1 - lam) sum_same z_j) / (their weights), now with the original among the j.
    """
    X, y = load_iris(return_X_y=True)
    X = np.unique(X, axis=0)
    y = np.repeat([0, 1, 2], [50, 50, 49])[: len(X)]
    sleml = SLEML(lam=0.6, n_neighbors=len(X) - 1).fit(X, y)
    sleml._predictor.set_params(kneighborsclassifier__n_neighbors=1)
    w = np.exp(-squared(X) / sleml.sigma2_)
    farthest = np.argsort(w, axis=1)[:, 0]
    # n - 1 neighbours of a new sample: the furthest is left out
    w[np.arange(len(X)), farthest] = 0
    of_labels = 0.4 * (y[:, None] == y)
    w = 0.6 * w * sleml._scale + of_labels
    averages = w @ sleml.embedding_ / w.sum(axis=1)[:, None]
    expected = averages / (1 - sleml.eigenvalues_)
    assert_allclose(sleml.transform(X + 1e-7), expected, atol=1e-5)


@both
@mark.parametrize("lam", [0.0, 0.5, 1.0])
def test_training_samples_get_their_own_coordinates(lam, estimator):
    estimator = clone(estimator).set_params(lam=lam).fit(X, Y)
    assert_array_equal(
        estimator.transform(X[40:60]), estimator.embedding_[40:60]
    )
    new = X[:5] + 0.01
    Z = estimator.transform(new)
    one_by_one = np.vstack([estimator.transform(x[None]) for x in new])
    assert_allclose(Z, one_by_one, atol=1e-12)
    # waits for the next fit
    assert_array_equal(estimator.set_params(lam=0.3).transform(new), Z)


def test_new_samples_do_not_depend_on_the_order_of_the_old_ones():
    """With ties at the last neighbour too: Iris has many equal distances."""
    X, y = load_iris(return_X_y=True)
    order = default_rng(0).permutation(150)
    for estimator in (LaplacianEigenmap(n_neighbors=40), SLEML()):
        Z = estimator.fit(X, y).transform(X + 0.05)
        model = estimator.fit(X[order], y[order])
        reordered = model.transform(X + 0.05)
        assert_allclose(Z, reordered, atol=1e-8)


# ------------------------------------------------------------ what can go wrong
PIECE = np.repeat([0, 1, 2], 60)
CORNERS = 100 * np.array([[0, 0], [1, 0], [0, 1]])
PIECES = default_rng(0).normal(size=(180, 2)) + CORNERS[PIECE]


def test_a_graph_in_pieces_says_how_many_and_separates_them():
    sizes = r"has 3 connected components.* \[60, 60, 60\] nodes.*Raise `n_neighbors`"
    with warns(match=sizes):
        Z = LaplacianEigenmap(n_neighbors=5).fit_transform(PIECES)
    assert len(np.unique(Z.round(8), axis=0)) == 3
    with warns(match="let labels join them"):
        Z = SLEML(5, lam=1.0, n_neighbors=5).fit_transform(PIECES, PIECE)
    within = np.max([np.ptp(Z[PIECE == p], axis=0) for p in range(3)], axis=0)
    # further coordinates look into the pieces
    assert within[:2].max() < 1e-9 and within[2:].min() > 0.1


@mark.filterwarnings("error")
def test_labels_may_join_the_pieces():
    sleml = SLEML(lam=0.5, n_neighbors=5).fit(PIECES, np.arange(180) % 2)
    assert sleml.eigenvalues_[0] > 1e-6
    with raises(ValueError, match="`lam`=0 needs a connected graph; .* give 3"):
        SLEML(lam=0.0, n_neighbors=5).fit(PIECES, PIECE)


def test_eigenvectors_that_do_not_converge_are_an_error(monkeypatch):
    def never(*args, **kwargs):
        raise ArpackNoConvergence(
            "no convergence", np.empty(0), np.empty((600, 0))
        )

    monkeypatch.setattr(solver, "eigsh", never)
    with raises(RuntimeError, match="did not converge.*raise `n_neighbors`"):
        SLEML(n_neighbors=25).fit(X, Y)


def test_imprecise_eigenvectors_are_never_silent(monkeypatch):
    real = solver.eigsh

    def imprecise(*args, **kwargs):
        values, vectors = real(*args, **kwargs)
        return values, vectors + 1e-5 * default_rng(0).normal(
            size=vectors.shape
        )

    monkeypatch.setattr(solver, "eigsh", imprecise)
    with warns(ConvergenceWarning, match="imprecise: residual"):
        SLEML(n_neighbors=25).fit(X, Y)


@mark.filterwarnings("ignore")
def test_odd_input_that_has_an_answer():
    merged_classes = np.where(CLASSES == 3, 2, CLASSES)
    merged_classes[0] = 3  # a class with one sample
    few_labels = np.where(np.arange(600) < 8, CLASSES, -1)
    for estimator, samples, labels in (
        (SLEML(), X, merged_classes),
        (SLEML(lam=0.0), X, merged_classes),
        (SLEML(), X, few_labels),
        # every sample twenty times
        (SLEML(n_neighbors=10), np.repeat(X[:30], 20, axis=0), merged_classes),
        (SLEML(n_neighbors=3), np.ones((600, 2)), merged_classes),
    ):
        assert np.isfinite(estimator.fit_transform(samples, labels)).all()


@settings(max_examples=examples(40), deadline=None)
@given(
    X=hnp.arrays(
        float,
        st.tuples(st.integers(1, 12), st.integers(1, 3)),
        elements=st.one_of(
            st.floats(-1e6, 1e6),
            st.sampled_from([0.0, np.nan, np.inf, 1e150, 1e-300]),
        ),
    ),
    seed=st.integers(0, 10),
    lam=st.sampled_from([0.0, 0.3, 1.0]),
)
@mark.filterwarnings("ignore")
def test_hostile_input_gives_a_finite_map_or_a_value_error(X, seed, lam):
    """Of SELF as well, which takes the same labels."""
    y = default_rng(seed).integers(-1, 3, size=len(X))
    for estimator in (SLEML(lam=lam), CCDR(lam=lam), SELF(1, beta=lam)):
        check_finite_or_refused(estimator, X, y)


def test_no_array_of_n_times_n():
    n = 4000
    rng = default_rng(0)
    X = rng.normal(size=(n, 3))
    y = rng.integers(5, size=n)
    search = KNeighborsTransformer(n_neighbors=10, algorithm="kd_tree")
    tracemalloc.start()
    SLEML(neighbors=search).fit(X, y)
    SELF().fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < n * n * 8 / 5
