"""Claims of Tai2019 that would clutter the lesson; its identities are in
tests/eigenmaps.
"""

import tracemalloc

import numpy as np
import pandas as pd
import scipy.linalg
from numpy.random import default_rng
from pytest import mark
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

from .draws import (
    by_name,
    decimals,
    digits,
    held_out_error,
    over,
    permute,
    summary,
    sweep,
)

LAMBDAS = np.round(np.arange(0, 1.01, 0.1), 1)


def test_le_08_size_of_the_terms(check_claim):
    samples = default_rng(0).normal(size=(2000, 10))
    ratios = []  # of links, heat weights, both at k = 10, CCDR
    for n in (500, 2000):
        for c in (2, 10, 100):
            X = samples[:n]
            y = np.arange(n) % c
            Y = np.eye(c)[y]
            labelled = np.ones(n, bool)
            graph, few, scaled = (
                SLEML(n_neighbors=k, keep_balance=keep).fit(X, y).graph_
                for k, keep in ((None, False), (10, False), (10, True))
            )
            terms = np.array([graph.nnz, graph.sum(), few.nnz, scaled.sum()])
            ours = jaccard_graph(Y, labelled).degrees.sum()
            centers = center_graph(Y, labelled).degrees[:n].sum()
            ratios.append(
                [*(terms / ours), CCDR().fit(X, y).graph_.sum() / centers]
            )
    links, heat, ten, kept, far = np.max(ratios, 0) / np.min(ratios, 0)
    weights = [row[1] for row in ratios]
    check_claim(
        "LE-08",
        readings={
            kind: {"value": [ratio, far], "ok": ratio <= 2 and far >= 10}
            for kind, ratio in (("links", links), ("heat weights", heat))
        },
        note=f"""largest over smallest ratio of the two terms, of SLE-ML and CCDR; at
        fixed k = 10 links give {ten:.0f}, heat weights multiplied by 1.5 n / (c k)
        {kept:.2f}. With heat weights SLE-ML's ratio runs from {min(weights):.2f} to
        {max(weights):.2f}: they grow as k falls, and with 100 classes of 5 a sample has
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
    """Its map; a number stands for the beta of CS with the weights of equation (1), of
    which pairs of two classes get the sign -1 and the factor beta.
    """
    if hasattr(estimator, "fit"):
        return estimator.fit_transform(X, labels)
    W = (
        LaplacianEigenmap(n_neighbors=round(0.15 * len(X)))
        .fit(X)
        .graph_.toarray()
    )
    signed = W * np.where(labels[:, None] == labels, 1, -estimator)
    d = W.sum(1)
    # the constant vector goes to the end
    A = np.diag(signed.sum(1)) - signed + 1e3 * np.outer(d, d) / d.sum()
    return scipy.linalg.eigh(A, np.diag(d), subset_by_index=[0, 1])[1]


def best_of(grid):
    """Error, area under R_NX and error of permuted labels of the map of the digits with
    the least error.
    """
    X, y = digits()
    wrong = permute(y)
    maps = [map_of(estimator, X, y) for estimator in grid]
    errors = [knn_error(Z, y, 5) for Z in maps]
    best = np.argmin(errors)
    by_luck = knn_error(map_of(grid[best], X, wrong), wrong, 5)
    return errors[best], np.mean(r_nx(X, maps[best])), by_luck


def test_le_04_two_groups(check_claim):
    """Notebook 02 shows these maps."""
    grids = FIRST | SECOND
    found = dict(zip(grids, over(best_of, grids.values()), strict=True))
    worst = max(found[name][0] for name in FIRST)
    readings = {}
    for reading, name in {
        "5-NN error": "CS",
        "CS with the weights of (1)": "CS on the graph",
    }.items():
        error = min(found["S-LE"][0], found[name][0])
        readings[reading] = {"value": [worst, error], "ok": worst < error}
    least = min(found[name][1] for name in FIRST)
    most = max(found[name][1] for name in ("S-LE", "CS"))
    readings["R_NX area"] = {"value": [least, most], "ok": least > most}
    check_claim(
        "LE-04",
        seed=0,
        readings=readings,
        note=f"""largest error of the first group, least of the second; by R_NX the
        least and the largest area. Error, R_NX area, error of permuted labels, each at
        its best: {by_name(found, found.values(), 3)}. CS has no features and puts each
        class at one point: no error, with permuted labels neither, and S-LE joins it at
        a tiny beta. With the weights of (1) CS has features, and the labels still
        decide""",
    )


def fewest_others(X, y):
    """Least number of neighbours of another class."""
    graph = knn_graph(X, round(0.15 * len(y))).tocoo()
    others = y[graph.row] != y[graph.col]
    return np.bincount(graph.row[others], minlength=len(y)).min()


def test_le_13_neighbors_of_other_classes(check_claim):
    X, y = digits()
    note = "no failure down to classes of 95 beside one of 178"
    rank = pd.Series(y).groupby(y).cumcount()
    # the other classes shrink, class 0 stays at 178
    for size in range(170, 90, -5):
        rows = (y == 0) | (rank < size)
        n = np.sum(rows)
        if fewest_others(X[rows], y[rows]) == 0:
            note = f"""a class of 178 loses all others at a mean class size of
            {n / 10:.0f}, k = {round(0.15 * n)}; it can happen as soon as k is below the
            class size"""
            break
    check_claim("LE-13", fewest_others(X, y), note=note)


def stratify(X, y, test_size, seed):
    """Training and held-out part: X, X_new, y, y_new."""
    return train_test_split(
        X, y, test_size=test_size, random_state=seed, stratify=y
    )


def losses_of(seed):
    """For 2, 5, 10 digits: what SLE-ML, S-LE and CS lose at a fixed setting to the best
    one; and S-LE's best beta.
    """
    X, y = digits()
    small = 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 0.5, 0.7, 0.9
    large = 0.001, 0.01, 0.1, 1, 10, 100
    grids = [
        {lam: SLEML(lam=lam) for lam in LAMBDAS},
        {beta: SLE(beta=beta) for beta in small},
        {beta: ConstraintScoreMap(beta=beta) for beta in large},
    ]
    rows = []
    for c in (2, 5, 10):
        few = y < c
        A, B, a, b = stratify(X[few], y[few], 1 / 3, seed)
        row = []
        for grid, fixed in zip(grids, (0.5, 0.5, 1), strict=True):
            errors = {
                value: held_out_error(model.fit(A, a), a, B, b, 5)
                for value, model in grid.items()
            }
            least = min(errors.values())
            row.append(errors[fixed] - least)
            if grid is grids[1]:
                best = max(
                    v for v, error in errors.items() if error <= least + 0.005
                )
        rows.append([*row, best])
    return rows


def test_le_14_beta_and_the_number_of_classes(check_claim):
    # (draws, numbers of classes, methods and beta)
    found = sweep(losses_of, range(10))
    # (draws, methods), over the numbers of classes
    worst = found[..., :3].max(1)
    nearer = np.sum(worst[:, :1] < worst[:, 1:], 0)
    sleml, sle, cs, _ = (decimals(row, 3) for row in found.mean(0).T)
    check_claim(
        "LE-14",
        **summary(worst, ddof=0),
        ok=nearer.min() > len(worst) / 2,
        seed=range(10),
        note=f"""largest loss over 2, 5, 10 classes of SLE-ML at lambda .5, S-LE at beta
        .5, CS at beta 1; SLE-ML's is smaller in {nearer[0]} and {nearer[1]} of ten
        splits. By classes SLE-ML loses {sleml}, S-LE {sle}, with a median best beta of
        {decimals(np.median(found[..., 3], 0), 3)} (the largest within .005); CS puts
        classes at points for every beta and loses {cs}: nothing to retune""",
    )


def nested_choice(seed):
    """The lambda that an inner split chooses, and what its error on the outer one loses
    to the best of the grid.
    """
    A, B, a, b = stratify(*digits(), 0.3, seed)
    C, D, c, d = stratify(A, a, 0.3, seed)
    models = [SLEML(lam=lam) for lam in LAMBDAS[1:]]
    inner = [held_out_error(model.fit(C, c), c, D, d, 5) for model in models]
    outer = [held_out_error(model.fit(A, a), a, B, b, 5) for model in models]
    best = np.argmin(inner)
    return models[best].lam, outer[best] - min(outer)


def test_le_16_choice_of_lambda_and_many_labels(check_claim):
    chosen, losses = sweep(nested_choice, range(10)).T
    rng = default_rng(0)
    n = 20_000
    sets = np.zeros((5000, 1000))
    for row in sets:
        row[rng.choice(1000, size=rng.integers(1, 5), replace=False)] = 1
    sets = np.unique(sets, axis=0)
    more = rng.integers(len(sets), size=n - len(sets))
    Y = np.vstack([sets, sets[more]]).astype(np.int8)
    # no label without a sample
    Y[rng.integers(n, size=1000), np.arange(1000)] = 1
    X = Y @ rng.normal(size=(1000, 5)) + 0.1 * rng.normal(size=(n, 5))
    search = KNeighborsTransformer(n_neighbors=15, algorithm="kd_tree")
    tracemalloc.start()
    fitted = SLEML(neighbors=search, keep_balance=True).fit(X, Y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    loss = losses.mean()
    check_claim(
        "LE-16",
        loss,
        loss <= 0.01 and peak < n * n * 8 / 4 and fitted.residual_ < 1e-8,
        range(10),
        note=f"""lambda chosen in ten nested splits {decimals(chosen, 1)}, worst loss
        {max(losses):.3f}: the held-out error asks for the end of the grid, the least
        lambda, at which the map is a picture of the classifier that predicts labels of
        new samples: the rule measures that classifier, and the choice is none; 1,000
        labels in {fitted._labels.set_weights.shape[0]:,} sets, n = 20,000 run without
        an n x n array""",
        spread=losses.std(),
    )


# the two readings of "R_NX area"
AREAS = {"R_NX area": np.mean, "area over log k": log_area}


def map_scores(estimator, data, labels, clean, state):
    """Area under R_NX against the clean data, plain and over log k, 5-NN error, and
    that of permuted labels.
    """
    wrong = permute(labels, state)
    Z = estimator.fit_transform(data, labels)
    R = r_nx(clean, Z)
    by_luck = knn_error(estimator.fit_transform(data, wrong), wrong, 5)
    return (
        *(area(R) for area in AREAS.values()),
        knn_error(Z, labels, 5),
        by_luck,
    )


METHODS = {  # two that show the surface, two that show classes
    "CCDR": CCDR(),
    "SLE-ML .9": SLEML(lam=0.9),
    "SLE-ML .5": SLEML(lam=0.5),
    "S-LapEig": SLapEig(),
}


def scores_of_surface(noise_scale, state, make):
    bunch = make(400, noise_scale=noise_scale, random_state=state)
    return [
        map_scores(estimator, bunch.data, bunch.target, bunch.clean, state)
        for estimator in METHODS.values()
    ]


@mark.parametrize(
    ("id", "make"), [("LE-05", make_torus), ("LE-06", make_clusters)]
)
def test_le_05_06_surface_before_classes(check_claim, id, make):
    """By each reading of the area what is measured and whether it holds in
    most draws.
    """
    # (sizes, draws, methods; areas by reading, error, permuted)
    runs = sweep(scores_of_surface, (1.0, 0.75, 0.5), range(10), make=make)
    means = runs[0].mean(0).T
    ahead = runs[:, :, :2].min(2) > runs[:, :, 2:].max(2)
    readings = {}
    counts = []
    for i, name in enumerate(AREAS):
        all_of_it, *less = np.sum(ahead[:, :, i] & ahead[:, :, 2], 1)
        readings[name] = {"value": means[[i, 2]].ravel(), "ok": all_of_it > 5}
        counts.append(f"by {name} {all_of_it} ({decimals(less, 0)})")
    check_claim(
        id,
        seed=0,
        readings=readings,
        note=f"""mean areas, then errors, of {", ".join(METHODS)}; draws of 10 in which
        both are ordered so, with all the garbage (with three quarters and half of it):
        {", ".join(counts)}; permuted labels {decimals(means[3])}. The size of the
        garbage is our guess. Over log k the few nearest neighbours weigh most; the
        surface shows at all sizes of neighbourhood""",
    )


def scores_of_pair(state):
    """Scores of lambda .5 and .9 on a subsample of the digits and on a torus."""
    X, y = digits()
    rows = permute(len(X), state)[:600]
    torus = make_torus(400, random_state=state)
    parts = (X[rows], y[rows], X[rows]), (torus.data, torus.target, torus.clean)
    return [
        map_scores(SLEML(lam=lam), *part, state)
        for part in parts
        for lam in (0.5, 0.9)
    ]


def test_le_11_two_maps(check_claim):
    # (draws; digits .5, .9, torus .5, .9; areas, error, permuted)
    runs = sweep(scores_of_pair, range(10))
    more = runs[:, 1::2] > runs[:, ::2]  # at .9
    means = runs.mean(0).T
    readings = {}
    counts = []
    for i, name in enumerate(AREAS):
        both = np.sum(more[..., i] & more[..., 2], 0)
        readings[name] = {"value": means[[i, 2]].ravel(), "ok": both.min() > 5}
        counts.append(f"by {name} {both[0]} and {both[1]}")
    check_claim(
        "LE-11",
        seed=0,
        readings=readings,
        note=f"""mean areas, then errors, of digits .5, digits .9, Torus .5, Torus .9;
        draws of ten, digits and Torus, with more area at .9 and less error at .5:
        {", ".join(counts)}; permuted labels {decimals(means[3])}. On digits .5 keeps
        more of the few nearest neighbours, which log k weighs most, and .9 more of all
        larger neighbourhoods""",
    )
