"""Claims of Tai2019 that would clutter the lesson; its identities are in tests/eigenmaps."""

import tracemalloc

import numpy as np
import scipy.linalg
from numpy.random import default_rng
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsTransformer

from toolkit.core.graphs import knn_graph
from toolkit.datasets import make_clusters, make_torus
from toolkit.eigenmaps import (
    CCDR,
    SLE,
    SLEML,
    ConstraintScoreMap,
    LaplacianEigenmap,
    SLapEig,
)
from toolkit.eigenmaps.labelgraph import center_graph, jaccard_graph
from toolkit.quality import knn_error, log_area, r_nx

from .draws import by_name, listed, over, permuted, summary, sweep

LAMBDAS = np.round(np.arange(0, 1.01, 0.1), 1)


def held_out_error(estimator, X, y, X_new, y_new):
    estimator.fit(X, y)
    return knn_error(
        estimator.embedding_, y, 5, Z_new=estimator.transform(X_new), y_new=y_new
    )


def test_le_08_size_of_the_terms(check_claim):
    rng = default_rng(0)
    X = rng.normal(size=(2000, 10))
    ratios = []  # of links, heat weights, both at k = 10, CCDR
    for n in (500, 2000):
        for c in (2, 10, 100):
            y = np.arange(n) % c
            Y, labelled = np.eye(c)[y], np.ones(n, bool)
            ours, centers = (
                jaccard_graph(Y, labelled).degrees.sum(),
                center_graph(Y, labelled).degrees[:n].sum(),
            )
            graph = SLEML().fit(X[:n], y).graph_
            few, scaled = (
                SLEML(n_neighbors=10, keep_balance=keep).fit(X[:n], y).graph_
                for keep in (False, True)
            )
            terms = np.array([graph.nnz, graph.sum(), few.nnz, scaled.sum()])
            ratios.append(
                [*(terms / ours), CCDR().fit(X[:n], y).graph_.sum() / centers]
            )
    links, heat, ten, kept, far = np.max(ratios, 0) / np.min(ratios, 0)
    weights = np.array(ratios)[:, 1]
    check_claim(
        "LE-08",
        readings={
            kind: {"value": [spread, far], "ok": spread <= 2 and far >= 10}
            for kind, spread in (("links", links), ("heat weights", heat))
        },
        note=f"""largest over smallest ratio of the two terms, of SLE-ML and CCDR; at fixed k = 10 links give
        {ten:.0f}, heat weights multiplied by 1.5 n / (c k) {kept:.2f}. With heat weights SLE-ML's ratio runs from
        {weights.min():.2f} to {weights.max():.2f}: they grow as k falls, and with 100 classes of 5 a sample has
        only four others in its class""",
    )


FIRST = {
    "CCDR": [CCDR(lam=lam) for lam in (0.5, 0.1, 0.01, 0.001)],
    "S-LapEig": [SLapEig(tau2=tau2) for tau2 in (None, 5000)],
    "SLE-ML .4": [SLEML(lam=0.4)],
    "SLE-ML .6": [SLEML(lam=0.6)],
}
SECOND = {
    "S-LE": [SLE(beta=beta) for beta in (0.1, 0.3, 0.5, 0.9)],
    "CS": [ConstraintScoreMap(beta=beta) for beta in (0.1, 1, 10)],
    "CS on the graph": [0.1, 1, 10],
    "S-LE, tiny beta": [SLE(beta=beta) for beta in (0.001, 0.01)],
}


def map_of(estimator, X, labels):
    """Its map; a number stands for the beta of CS with the weights of equation (1), of which pairs of two classes get

    the sign -1 and the factor beta.
    """
    if not isinstance(estimator, float | int):
        return estimator.fit_transform(X, labels)
    W = LaplacianEigenmap(n_neighbors=round(1.5 * len(X) / 10)).fit(X).graph_.toarray()
    signed, d = W * np.where(labels[:, None] == labels, 1, -estimator), W.sum(1)
    # the constant vector goes to the end
    A = np.diag(signed.sum(1)) - signed + 1e3 * np.outer(d, d) / d.sum()
    return scipy.linalg.eigh(A, np.diag(d), subset_by_index=[0, 1])[1]


def best_of(grid):
    """Error, area under R_NX and error of permuted labels of the map of the digits with the least error."""
    X, y = load_digits(return_X_y=True)
    wrong = permuted(y)
    error, best = min(
        (knn_error(map_of(estimator, X, y), y, 5), i)
        for i, estimator in enumerate(grid)
    )
    return (
        error,
        np.mean(r_nx(X, map_of(grid[best], X, y))),
        knn_error(map_of(grid[best], X, wrong), wrong, 5),
    )


def test_le_04_two_groups(check_claim):
    """Notebook 02 shows these maps."""
    grids = FIRST | SECOND
    found = dict(zip(grids, over(best_of, grids.values()), strict=True))
    worst, least = (
        max(found[name][0] for name in FIRST),
        min(found[name][1] for name in FIRST),
    )
    rest, most = found["S-LE"][0], max(found[name][1] for name in ("S-LE", "CS"))
    errors = {
        "5-NN error": min(rest, found["CS"][0]),
        "CS with the weights of (1)": min(rest, found["CS on the graph"][0]),
    }
    readings = {
        name: {"value": [worst, error], "ok": worst < error}
        for name, error in errors.items()
    }
    readings["R_NX area"] = {"value": [least, most], "ok": least > most}
    table = by_name(found, found.values(), 3)
    check_claim(
        "LE-04",
        seed=0,
        readings=readings,
        note=f"""largest error of the first group, least of the second; by R_NX the least and the largest area.
        Error, R_NX area, error of permuted labels, each at its best: {table}. CS has no features and puts each class
        at one point: no error, with permuted labels neither, and S-LE joins it at a tiny beta. With the weights of
        (1) CS has features, and the labels still decide""",
    )


def test_le_13_neighbors_of_other_classes(check_claim):
    X, y = load_digits(return_X_y=True)

    def fewest(X, y):
        graph = knn_graph(X, round(1.5 * len(y) / 10)).tocoo()
        return np.bincount(
            graph.row[y[graph.row] != y[graph.col]], minlength=len(y)
        ).min()

    note = "no failure down to classes of 95 beside one of 178"
    for size in range(170, 90, -5):  # the other classes shrink, class 0 stays at 178
        rows = np.concatenate(
            [np.flatnonzero(y == c)[: size if c else None] for c in range(10)]
        )
        if fewest(X[rows], y[rows]) == 0:
            mean = len(rows) / 10
            note = f"""a class of 178 loses all others at a mean class size of {mean:.0f}, k = {round(1.5 * mean)}; it
            can happen as soon as k is below the class size"""
            break
    check_claim("LE-13", fewest(X, y), note=note)


def losses_of(seed):
    """For 2, 5, 10 digits: what SLE-ML, S-LE and CS lose at a fixed setting to the best one; and S-LE's best beta."""
    X, y = load_digits(return_X_y=True)
    grids = [
        {lam: SLEML(lam=lam) for lam in LAMBDAS},
        {
            beta: SLE(beta=beta)
            for beta in (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 0.5, 0.7, 0.9)
        },
        {
            beta: ConstraintScoreMap(beta=beta)
            for beta in (0.001, 0.01, 0.1, 1, 10, 100)
        },
    ]
    rows = []
    for c in (2, 5, 10):
        few = y < c
        A, B, a, b = train_test_split(
            X[few], y[few], test_size=1 / 3, random_state=seed, stratify=y[few]
        )
        errors = [
            {value: held_out_error(e, A, a, B, b) for value, e in grid.items()}
            for grid in grids
        ]
        lost = [
            found[fixed] - min(found.values())
            for fixed, found in zip((0.5, 0.5, 1), errors, strict=True)
        ]
        sle = errors[1]
        rows.append(
            [*lost, max(beta for beta in sle if sle[beta] <= min(sle.values()) + 0.005)]
        )
    return rows


def test_le_14_beta_and_the_number_of_classes(check_claim):
    found = sweep(losses_of, range(10))  # (draws, numbers of classes, methods and beta)
    lost, best = found[..., :3], found[..., 3]
    worst = lost.max(1)  # (draws, methods), over the numbers of classes
    nearer = np.sum(worst[:, :1] < worst[:, 1:], 0)
    means = lost.mean(0)
    check_claim(
        "LE-14",
        **summary(worst, ddof=0),
        ok=np.all(nearer > len(worst) / 2),
        seed=range(10),
        note=f"""largest loss over 2, 5, 10 classes of SLE-ML at lambda .5, S-LE at beta .5, CS at beta 1; SLE-ML's
        is smaller in {nearer[0]} and {nearer[1]} of ten splits. By classes SLE-ML loses {listed(means[:, 0], 3)},
        S-LE {listed(means[:, 1], 3)}, with a median best beta of {listed(np.median(best, 0), 3)} (the largest
        within .005); CS puts classes at points for every beta and loses {listed(means[:, 2], 3)}: nothing to retune""",
    )


def chosen_lambda(seed):
    """The lambda that an inner split chooses, and what its error on the outer one loses to the best of the grid."""
    X, y = load_digits(return_X_y=True)
    A, B, a, b = train_test_split(X, y, test_size=0.3, random_state=seed, stratify=y)
    C, D, c, d = train_test_split(A, a, test_size=0.3, random_state=seed, stratify=a)
    inner, outer = (
        [held_out_error(SLEML(lam=lam), *parts) for lam in LAMBDAS[1:]]
        for parts in ((C, c, D, d), (A, a, B, b))
    )
    return LAMBDAS[1:][np.argmin(inner)], outer[np.argmin(inner)] - min(outer)


def test_le_16_choice_of_lambda_and_many_labels(check_claim):
    chosen, losses = sweep(chosen_lambda, range(10)).T
    rng = default_rng(0)
    n = 20_000
    sets = np.zeros((5000, 1000))
    for row in sets:
        row[rng.choice(1000, size=rng.integers(1, 5), replace=False)] = 1
    sets = np.unique(sets, axis=0)
    which = np.concatenate(
        [np.arange(len(sets)), rng.integers(len(sets), size=n - len(sets))]
    )
    Y = sets[which].astype(np.int8)
    Y[rng.integers(n, size=1000), np.arange(1000)] = 1  # no label without a sample
    Xs = Y @ rng.normal(size=(1000, 5)) + 0.1 * rng.normal(size=(n, 5))
    search = KNeighborsTransformer(n_neighbors=15, algorithm="kd_tree")
    tracemalloc.start()
    fitted = SLEML(neighbors=search, keep_balance=True).fit(Xs, Y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    check_claim(
        "LE-16",
        np.mean(losses),
        np.mean(losses) <= 0.01 and peak < n * n * 8 / 4 and fitted.residual_ < 1e-8,
        range(10),
        note=f"""lambda chosen in ten nested splits {listed(chosen, 1)}, worst loss
        {max(losses):.3f}: the held-out error asks for the end of the grid, the least lambda, at which the map is a
        picture of the classifier that predicts labels of new samples: the rule measures that classifier, and the
        choice is none; 1,000 labels in {fitted._labels.set_weights.shape[0]:,} sets, n = 20,000 run without an n x n
        array""",
        spread=np.std(losses),
    )


# the two readings of "R_NX area"
AREAS = {"R_NX area": np.mean, "area over log k": log_area}


def judged(estimator, data, labels, clean, state):
    """Area under R_NX against the clean data, plain and over log k, 5-NN error, and that of permuted labels."""
    wrong = permuted(labels, state)
    Z, Z_wrong = (
        estimator.fit_transform(data, labels),
        estimator.fit_transform(data, wrong),
    )
    R = r_nx(clean, Z)
    return (
        *(measure(R) for measure in AREAS.values()),
        knn_error(Z, labels, 5),
        knn_error(Z_wrong, wrong, 5),
    )


SURFACE, CLASSES = slice(2), slice(2, 4)  # of these methods, in their order
METHODS = {
    "CCDR": CCDR(),
    "SLE-ML .9": SLEML(lam=0.9),
    "SLE-ML .5": SLEML(lam=0.5),
    "S-LapEig": SLapEig(),
}


def draw_of(garbage, state, make):
    bunch = make(400, garbage=garbage, random_state=state)
    return [
        judged(estimator, bunch.data, bunch.target, bunch.clean, state)
        for estimator in METHODS.values()
    ]


def check_surface_before_classes(check_claim, id, make):
    """By each reading of the area what is measured and whether it holds in most draws."""
    sizes, n = (1.0, 0.75, 0.5), 10
    # (sizes, draws, methods; areas by reading, error, permuted)
    runs = sweep(draw_of, sizes, range(n), make=make)
    ahead = runs[:, :, SURFACE].min(2) > runs[:, :, CLASSES].max(2)
    readings, counts = {}, []
    for i, name in enumerate(AREAS):
        both = np.sum(ahead[:, :, i] & ahead[:, :, 2], 1)
        readings[name] = {
            "value": runs[0][..., [i, 2]].mean(0).T.ravel(),
            "ok": both[0] > n / 2,
        }
        counts.append(f"by {name} {both[0]} ({listed(both[1:], 0)})")
    check_claim(
        id,
        seed=0,
        readings=readings,
        note=f"""mean areas, then errors, of {", ".join(METHODS)}; draws of {n} in which both are ordered so, with all
        the garbage (with three quarters and half of it): {", ".join(counts)}; permuted labels
        {listed(runs[0, :, :, 3].mean(0))}. The size of the garbage is our guess. Over log k the few nearest
        neighbours weigh most; the surface shows at all sizes of neighbourhood""",
    )


def test_le_05_torus(check_claim):
    check_surface_before_classes(check_claim, "LE-05", make_torus)


def test_le_06_clusdat(check_claim):
    check_surface_before_classes(check_claim, "LE-06", make_clusters)


def pair_of_maps(state):
    """What `judged` says of lambda .5 and .9 on a subsample of the digits and on a torus."""
    X, y = load_digits(return_X_y=True)
    rows = permuted(len(X), state)[:600]
    torus = make_torus(400, random_state=state)
    parts = (X[rows], y[rows], X[rows]), (torus.data, torus.target, torus.clean)
    return [
        judged(SLEML(lam=lam), *part, state) for part in parts for lam in (0.5, 0.9)
    ]


def test_le_11_two_maps(check_claim):
    # (draws; digits .5, .9, torus .5, .9; areas, error, permuted)
    runs = sweep(pair_of_maps, range(10))
    half, nine, means = runs[:, [0, 2]], runs[:, [1, 3]], runs.mean(0)
    classes = half[:, :, 2] < nine[:, :, 2]
    readings, counts = {}, []
    for i, name in enumerate(AREAS):
        both = np.sum((nine[:, :, i] > half[:, :, i]) & classes, 0)
        readings[name] = {
            "value": [*means[:, i], *means[:, 2]],
            "ok": np.all(both > len(runs) / 2),
        }
        counts.append(f"by {name} {both[0]} and {both[1]}")
    check_claim(
        "LE-11",
        seed=0,
        readings=readings,
        note=f"""mean areas, then errors, of digits .5, digits .9, Torus .5, Torus .9; draws of ten, digits and
        Torus, with more area at .9 and less error at .5: {", ".join(counts)}; permuted labels {listed(means[:, 3])}.
        On digits .5 keeps more of the few nearest neighbours, which log k weighs most, and .9 more of all larger
        neighbourhoods""",
    )
