"""Claims of the thesis, chapter 3, whose pictures notebook 06 shows once: here over several draws of the samples."""

import os
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from toolkit import claims
from toolkit.datasets import (
    DatasetUnavailable,
    load,
    make_ball_with_tube,
    make_labelled_cube,
    make_plate_in_ring,
    make_stacked_clusters,
    make_stacked_discs,
    make_two_clusters_with_outlier,
)
from toolkit.decisionmap import DecisionMap
from toolkit.embed import GTM, MDS, MVU, SOM, TSNE, Isomap
from toolkit.fisher import GPFisher, ParzenFisher
from toolkit.kernelmap import KernelMap
from toolkit.lvq import RSLVQ
from toolkit.quality import knn_error

from .draws import listed, over

FISHER_MAPS = {"MDS": MDS, "GTM": lambda **o: GTM(max_iter=2000, **o), "t-SNE": lambda **o: TSNE(random_state=0, **o)}


def seeds_of(scale):
    return list(range(10 if scale == "paper" else 3))


SHEET = SOM(grid=(20, 20), interpolate=False)
"""The thesis' SOM: a place is the node of the nearest prototype. Its size is not printed."""

# ---------------------------------------------------------------------------------------------- toy sets, section 3.5.1


def plate_views(seed):
    plate = make_plate_in_ring(random_state=seed)
    X, y = plate.data, plate.target
    svms = {"complex": SVC(gamma=20, C=1000).fit(X, y), "smooth": SVC(gamma=0.5, C=1).fit(X, y)}
    measures, right = [], []
    for embedder in (PCA(2), SHEET):
        first = DecisionMap.from_estimator(svms["complex"], X, y, embedder=embedder, random_state=seed)
        for kind, view in (("complex", first), ("smooth", first.with_model(svms["smooth"]))):
            measures.append([view.label_agreement_, view.signed_correlation_, view.certainty_correlation_])
            wrong = np.flatnonzero(view.predicted_ != y).tolist()
            holds = wrong == ([] if kind == "complex" else [plate.outlier])
            right.append(holds and not view.misrepresented_[plate.outlier])
    return measures, right


@pytest.fixture(scope="module")
def plates():
    seeds = seeds_of(os.environ.get("TOOLKIT_SCALE"))
    return seeds, over(plate_views, seeds)


@pytest.mark.xdist_group("plates")
def test_vi01_plate_in_a_ring(check_claim, scale, plates):
    seeds, runs = plates
    claims.start(seeds, scale)
    values = np.array([measures for measures, _ in runs])  # seeds, views, measures
    worst = values[:, :, :2].min(axis=1)
    check_claim(
        "VI-01",
        worst.mean(axis=0),
        spread=worst.std(axis=0, ddof=1),
        note=f"The worst of the four views, mean of {len(seeds)} draws; certainty signed. Without the sign PCA complex "
        f"and smooth, SOM complex and smooth have {listed(values[:, :, 2].mean(axis=0))}: away from a border the "
        "complex SVM is a plateau. gamma 20, C 1000 and gamma .5, C 1; SOM of 20 x 20 nodes, nearest node.",
    )


@pytest.mark.xdist_group("plates")
def test_vi14_one_point_wrong(check_claim, scale, plates):
    seeds, runs = plates
    claims.start(seeds, scale)
    right = np.array([right for _, right in runs])
    names = ("PCA complex", "PCA smooth", "SOM complex", "SOM smooth")
    check_claim(
        "VI-14",
        right.mean(axis=0),
        ok=bool(right.all()),
        note=f"Share of {len(seeds)} draws where the SVM errs as said and the view shows what it says at the outlier: "
        + ", ".join(f"{name} {share:.2f}" for name, share in zip(names, right.mean(axis=0), strict=True))
        + ". gamma 20, C 1000 and gamma .5, C 1. Where it fails the SVM is as said, and the outlier lies on a node of "
        "the SOM beside others, whose prototype is a mean of them.",
    )


def disc_views(seed):
    discs = make_stacked_discs(random_state=seed)
    X, y = discs.data, discs.target
    svm = SVC(C=10).fit(X, y)
    kinds = ((PCA(2), None), (SHEET, None), (TSNE(random_state=seed), None), (SHEET, "fisher"))
    held = [DecisionMap.from_estimator(svm, X, y, embedder=e, metric=m, random_state=seed).held_out_ for e, m in kinds]
    return [[h.labels, h.signed, h.certainty] for h in held]


def test_vi02_stacked_discs(check_claim, scale):
    seeds = seeds_of(scale)
    claims.start(seeds, scale)
    values = np.array(over(disc_views, seeds))
    mean = values.mean(axis=0)
    fails = mean[0, 0] < 0.6 and mean[0, 1] < 0.3
    check_claim(
        "VI-02",
        mean[:, :2].ravel(),
        ok=bool(fails and (mean[1:, 0] >= 0.97).all() and (mean[1:, 1] >= 0.95).all()),
        spread=values.std(axis=0, ddof=1)[:, :2].ravel(),
        note=f"PCA, SOM, t-SNE, Fisher SOM, mean of {len(seeds)} draws; certainty signed, without the sign "
        f"{listed(mean[:, 2])}. SVM with C 10; SOM of 20 x 20 nodes, nearest node. PCA and SOM "
        "are fitted again in each fold.",
    )


# ---------------------------------------------------------------------------------------------- the cube, section 3.5.2


def cube_views(seed):
    cube = make_labelled_cube(1000, random_state=seed)
    X, X_new = cube.data[:500], cube.data[500:]
    rows = []
    for labels in cube.target.T:
        svm = SVC(C=10).fit(X, labels[:500])
        view = DecisionMap.from_estimator(svm, X, labels[:500], metric="fisher", random_state=seed)
        held = view.held_out_
        rows.append(
            [svm.score(X, labels[:500]), svm.score(X_new, labels[500:]), held.labels, held.signed]
            + [held.certainty, held.majority, held.kappa, view.score(X_new).labels]
        )
    return rows


@pytest.fixture(scope="module")
def cubes():
    seeds = seeds_of(os.environ.get("TOOLKIT_SCALE"))
    return seeds, np.array(over(cube_views, seeds))  # seeds, label sets, measures


@pytest.mark.xdist_group("cubes")
def test_vi03_accuracies_on_the_cube(check_claim, scale, cubes):
    seeds, values = cubes
    claims.start(seeds, scale)
    accuracy = values[:, :, :2].transpose(0, 2, 1)  # seeds, training or new, label sets
    mean = accuracy.mean(axis=0)
    near = np.abs(mean[:, :2] - [[1.0, 0.965], [0.992, 0.952]]).max() <= 0.03
    check_claim(
        "VI-03",
        mean.ravel(),
        ok=bool(near and (np.diff(mean, axis=1) < 0).all()),
        spread=accuracy.std(axis=0, ddof=1).ravel(),
        note="Gaussian kernel, C 10, gamma 1 over features times variance; 500 samples and as many new ones. With one "
        "plane all samples keep .04 from it.",
    )


@pytest.mark.xdist_group("cubes")
def test_vi04_views_of_the_cube(check_claim, scale, cubes):
    seeds, values = cubes
    claims.start(seeds, scale)
    mean, spread = values.mean(axis=0), values.std(axis=0, ddof=1)
    check_claim(
        "VI-04",
        mean[:, 2:4].T.ravel(),
        spread=spread[:, 2:4].T.ravel(),
        note=f"{len(seeds)} draws, held out; certainty signed, without the sign {listed(mean[:, 4])}; labels of new "
        f"samples {listed(mean[:, 7])}. Random labels: the SVM gives {mean[2, 5]:.2f} of the samples one class, "
        f"kappa {mean[2, 6]:.2f}; 100 % would come out by itself if it gave all of them one.",
    )


# ---------------------------------------------------------------------- the ball and its LVQ, section 3.5.4


def lvq_views(seed):
    ball = make_ball_with_tube(1000, gap=0.25, random_state=seed)
    model = RSLVQ(4, max_iter=5000, random_state=seed).fit(ball.data, ball.target)
    views = [
        DecisionMap.from_estimator(
            model, ball.data, ball.target, metric="fisher", auxiliary=auxiliary, random_state=seed
        )
        for auxiliary in ("truth", "model")
    ]
    held = [view.held_out_ for view in views]
    return (model.score(ball.data, ball.target), *(h.labels for h in held), *(h.kappa for h in held), held[0].majority)


def test_vi07_views_of_the_truth_and_of_the_model(check_claim, scale):
    seeds = seeds_of(scale)
    claims.start(seeds, scale)
    runs = np.array(over(lvq_views, seeds))
    mean, spread = runs.mean(axis=0), runs.std(axis=0, ddof=1)
    near = np.abs(mean[:3] - [0.9, 0.92, 0.95]).max() <= 0.04
    check_claim(
        "VI-07",
        mean[:3],
        ok=bool(near and mean[2] >= mean[1]),
        spread=spread[:3],
        note=f"{len(runs)} draws of 1,000 samples, gap of a quarter of the tube, variance of RSLVQ learned. The model "
        f"gives {mean[5]:.2f} of the samples one class; kappa of the views {mean[3]:.2f} and {mean[4]:.2f}.",
    )


# ---------------------------------------------------------------------- USPS and a tree, section 3.5.5


def tree_views(seed):
    usps = load("usps")
    order = np.random.default_rng(seed).permutation(len(usps.data))
    kept, new = order[:1500], order[1500:3000]
    principal = PCA(30, random_state=0).fit(usps.data[kept])
    X, y, X_new, y_new = (
        principal.transform(usps.data[kept]),
        usps.target[kept],
        principal.transform(usps.data[new]),
        usps.target[new],
    )
    tree = DecisionTreeClassifier(min_samples_split=10, random_state=0).fit(X, y)
    result = [tree.score(X, y), tree.score(X_new, y_new)]
    for som in (SOM(interpolate=False), SOM()):
        for auxiliary in ("model", "truth"):
            view = DecisionMap.from_estimator(tree, X, y, metric="fisher", auxiliary=auxiliary, embedder=som)
            result.append(view.label_agreement_)
    return result


def test_vi08_a_tree_seen_by_its_own_labels(check_claim, scale):
    seeds = seeds_of(scale)
    claims.start(seeds, scale)
    runs = np.array(over(tree_views, seeds))
    mean, spread = runs.mean(axis=0), runs.std(axis=0, ddof=1)
    near = np.abs(mean[:4] - [0.89, 0.66, 0.923, 0.878]).max() <= 0.05
    check_claim(
        "VI-08",
        mean[:4],
        ok=bool(near and mean[2] > mean[3]),
        spread=spread[:4],
        note=f"{len(runs)} draws of 1,500 samples, 30 principal components, nodes of 10 samples and more are split ("
        "the default of the thesis' software). Fisher SOM of some 190 nodes, nearest node; with places "
        f"between the nodes {mean[4]:.3f} and {mean[5]:.3f}.",
    )


# ---------------------------------------------------------------------- regression, section 3.6


def fisher_views(model, X, y):
    gp = GPFisher().fit(X, y)
    D = gp.distances()
    return [
        DecisionMap.from_map(model, X, kind(metric="precomputed").fit_transform(D), y, metric=gp, distances=D)
        for kind in FISHER_MAPS.values()
    ]


def stack_views(seed):
    stack = make_stacked_clusters(random_state=seed)
    X, y = stack.data, stack.target
    svr = SVR(C=100).fit(X, y)
    plain = [DecisionMap.from_estimator(svr, X, y, embedder=embedder) for embedder in (PCA(2), GTM(max_iter=2000))]
    views = plain + fisher_views(svr, X, y)
    return [[v.prediction_correlation_ for v in views], [v.in_sample_.predictions for v in views]]


def test_vi10_views_of_a_regression(check_claim, scale):
    seeds = seeds_of(scale)
    claims.start(seeds, scale)
    runs = np.array(over(stack_views, seeds))
    held, inside = runs.mean(axis=0)
    check_claim(
        "VI-10",
        held,
        ok=bool(held[0] < 0.5 and 0.9 <= held[1] < held[2:].min() and held[2:].min() >= 0.97),
        spread=runs[:, 0].std(axis=0, ddof=1),
        note=f"{len(runs)} draws of 450 samples, held out; in sample {listed(inside, 3)}. SVR with C 100. GTM with the "
        "defaults of this package; the thesis gives neither its grid nor the numbers of its set. PCA "
        "and GTM are fitted again in each fold, the Fisher maps keep their places.",
    )


def pair_views(seed):
    pair = make_two_clusters_with_outlier(random_state=seed)
    X, y = pair.data, pair.target
    svr, tree = SVR(C=10).fit(X, y), DecisionTreeRegressor(random_state=0).fit(X, y)
    views = fisher_views(svr, X, y)
    views += [view.with_model(tree) for view in views]
    # the same without the outlier in the sums, and on maps of the models' own predictions
    others = np.arange(len(X)) != pair.outlier
    bare = [
        DecisionMap.from_map(view.model_, X[others], view.embedding_[others], y[others]).prediction_correlation_
        for view in views
    ]
    own = [view.prediction_correlation_ for model in (svr, tree) for view in fisher_views(model, X, model.predict(X))]
    return [[v.prediction_correlation_ for v in views], [v.in_sample_.predictions for v in views], bare, own]


def test_vi21_views_of_two_regressors(check_claim, scale):
    seeds = seeds_of(scale)
    claims.start(seeds, scale)
    runs = np.array(over(pair_views, seeds))
    held, inside, bare, own = runs.mean(axis=0)
    check_claim(
        "VI-21",
        held,
        spread=runs[:, 0].std(axis=0, ddof=1),
        note=f"{len(runs)} draws of 301 samples, SVR C 10 then the tree, each by Fisher MDS, GTM, t-SNE. In sample "
        f"{listed(inside, 3)}; without the outlier in the inverse map and the sums, Euclidean inverse, "
        f"{listed(bare, 3)}; metric of the model's predictions {listed(own, 3)}. The likelihood takes the least noise "
        "allowed, so that the metric follows the outlier and stretches the gap; a tree's predictions jump between "
        "neighbours.",
    )


# ------------------------------------------------------------------------------------------ ten maps, section 3.5.3


def ten_agreements(X, y, seed=0):
    """Agreement, fold by fold, of five maps, Euclidean and Fisher, with one SVM."""
    svm, fisher = SVC(C=10).fit(X, y), ParzenFisher().fit(X, y)
    D, held = fisher.distances(), {}
    for method in (TSNE(random_state=seed), Isomap(), MVU(random_state=seed, tol=0.05), SOM(), GTM(max_iter=1000)):
        for metric in (None, fisher):
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message=".*pieces")  # joined where they are nearest
                warnings.filterwarnings("ignore", category=ConvergenceWarning)  # MVU far enough for a picture
                if metric is None:
                    Z = method.set_params(metric="euclidean").fit_transform(X)
                else:
                    Z = method.set_params(metric="precomputed").fit_transform(D)
            name = "Fisher " * (metric is not None) + type(method).__name__.replace("TSNE", "t-SNE")
            held[name] = DecisionMap.from_map(svm, X, Z, y, metric=metric).held_out_
    return held


def sets_of_ten_maps(n, n_usps, seed=0):
    """Samples and classes by name; letter and phoneme where they are at hand."""
    usps = load("usps")
    kept = np.random.default_rng(seed).permutation(len(usps.data))[:n_usps]
    U = PCA(30, random_state=0).fit(usps.data[kept]).transform(usps.data[kept])
    sets = {"usps": (U[:n], usps.target[kept][:n])}
    for name in ("letter", "phoneme", "digits"):
        try:
            bunch = load(name)
        except DatasetUnavailable:
            continue
        some = np.random.default_rng(seed).permutation(len(bunch.data))[:n]
        X = bunch.data[some]
        sets[name] = X if name == "digits" else StandardScaler().fit_transform(X), bunch.target[some]
    return {name: sets[name] for name in ("phoneme", "letter", "usps", "digits") if name in sets}


def test_vi05_vi06_which_map(check_claim, scale):
    n, n_usps = {"quick": (150, 400), "default": (500, 800), "paper": (1500, 1500)}[scale]
    sets = sets_of_ten_maps(n, n_usps)
    charts = dict(zip(sets, over(lambda samples: ten_agreements(*samples), sets.values()), strict=True))
    claimed = {name: rows for name, rows in charts.items() if name != "digits"}
    pairs = [(rows[k], rows["Fisher " + k]) for rows in claimed.values() for k in list(rows)[::2]]
    ahead = [fisher.labels > plain.labels for plain, fisher in pairs]
    clear = [fisher.labels - plain.labels > plain.folds["labels"].std(ddof=1) for plain, fisher in pairs]
    claims.start(0, scale)
    best = ["Fisher t-SNE", "Fisher SOM", "Fisher GTM"]
    orders = {name: sorted(rows, key=lambda k, rows=rows: -rows[k].labels) for name, rows in claimed.items()}
    verdicts = {
        "VI-05": (
            [float(np.sum(ahead)), float(len(ahead))],
            bool(all(ahead)),
            f"{', '.join(claimed)}, {n} samples (1,500 at paper scale). By more than a standard deviation of the "
            f"folds: {sum(clear)}. Samples are kept out of the inverse map only; certainty is ahead in "
            f"{sum(f.certainty > p.certainty for p, f in pairs)}. On digits (not in the claim): "
            + ", ".join(f"{k} {p.labels:.3f}" for k, p in charts["digits"].items())
            + ".",
        ),
        "VI-06": (
            [float(order.index(k) + 1) for order in orders.values() for k in best],
            all(k in order[:4] for order in orders.values() for k in best),
            "Places of Fisher t-SNE, SOM and GTM of ten. "
            + "; ".join(
                f"{name}: " + ", ".join(f"{k} {claimed[name][k].labels:.3f}" for k in order)
                for name, order in orders.items()
            ),
        ),
    }
    for id, (value, ok, note) in verdicts.items():
        check_claim(id, value, ok=ok, note=note)


# --------------------------------------------------------------------------------------------- phoneme, section 3.5.3


def errors_of_new_samples(X, y, seed=0):
    """5-NN errors of five maps, (maps, 3, 2): Euclidean, Fisher, Fisher of permuted labels; new samples, in sample.

    The metric never met the new samples; the kernel map places them.
    """
    permuted = np.random.default_rng(seed).permutation(y)
    train, new = train_test_split(np.arange(len(X)), random_state=seed, stratify=y)
    fisher, chance = (ParzenFisher().fit(X[train], labels[train]).distances() for labels in (y, permuted))
    methods = (TSNE(random_state=seed), Isomap(), MVU(random_state=seed), SOM(), GTM(max_iter=2000))
    kinds = (("euclidean", X[train], y), ("precomputed", fisher, y), ("precomputed", chance, permuted))

    def errors(item):
        method, (metric, given, labels) = item
        Z = method.set_params(metric=metric).fit_transform(given)
        W = KernelMap().fit(X[train], Z).transform(X[new])
        return knn_error(Z, labels[train], k=5, Z_new=W, y_new=labels[new]), knn_error(Z, labels[train], k=5)

    found = over(errors, [(clone(method), kind) for method in methods for kind in kinds])
    return np.array(found).reshape(len(methods), len(kinds), 2)


def test_vi24_clusters_of_phoneme(check_claim):
    try:
        phoneme = load("phoneme")
    except DatasetUnavailable:
        check_claim("VI-24", [0.0] * 10, ok=False)  # the ledger then says that the data are missing
        return
    errors = errors_of_new_samples(phoneme.data[:1500], phoneme.target[:1500])
    pairs = errors[:, :2, 0]  # maps, Euclidean and Fisher
    claims.start(seed=0)
    check_claim(
        "VI-24",
        pairs.ravel(),
        ok=bool((pairs[:, 1] < pairs[:, 0]).all()),
        note="t-SNE, Isomap, MVU, SOM, GTM, each Euclidean, then Fisher; 1,500 samples, of which a quarter are new. In "
        f"sample {listed(errors[:, :2, 1].ravel(), 3)}. Fisher maps of permuted labels, new samples "
        f"{listed(errors[:, 2, 0], 3)}, in sample {listed(errors[:, 2, 1], 3)}",
    )


@pytest.mark.filterwarnings("ignore")
def test_errors_of_new_samples_are_errors():
    digits = load_digits()
    errors = errors_of_new_samples(digits.data[:200], digits.target[:200])
    assert errors.shape == (5, 3, 2) and (errors[:, :2, 0] > 0).all() and (errors[:, :2, 0] < 0.9).all()
    assert (errors[:, 2, 0] > 0.7).all()  # nothing is to be known of permuted labels
