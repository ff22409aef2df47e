"""Claims of the thesis, chapter 3, whose pictures notebook 06 shows once: here over several draws of the samples."""

import numpy as np
from pytest import fixture
from scipy.special import logsumexp
from sklearn.decomposition import PCA
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from toolkit.core.graphs import squared_distances
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

from .draws import listed, parts, permuted, summary, sweep

FISHER_MAPS = {
    "MDS": MDS,
    "GTM": lambda **o: GTM(max_iter=2000, **o),
    "t-SNE": lambda **o: TSNE(random_state=0, **o),
}


def seeds_of(scale, default=10):
    return range({"quick": 2, "paper": 10}.get(scale, default))


# The thesis' SOM: a place is the node of the nearest prototype. Its size is not
# printed.
SHEET = SOM(grid=(20, 20), interpolate=False)

# ----------------------------------------------------------------------------------------------
# toy sets, section 3.5.1


def plate_views(seed):
    plate = make_plate_in_ring(random_state=seed)
    X, y = plate.data, plate.target
    svms = {
        "complex": SVC(gamma=20, C=1000).fit(X, y),
        "smooth": SVC(gamma=0.5, C=1).fit(X, y),
    }
    measures, right = [], []
    for embedder in (PCA(2), SHEET):
        first = DecisionMap.from_estimator(
            svms["complex"], X, y, embedder=embedder, random_state=seed
        )
        for kind, view in (
            ("complex", first),
            ("smooth", first.with_model(svms["smooth"])),
        ):
            measures.append(
                [
                    view.label_agreement_,
                    view.signed_correlation_,
                    view.certainty_correlation_,
                ]
            )
            wrong = np.flatnonzero(view.predicted_ != y).tolist()
            holds = wrong == ([] if kind == "complex" else [plate.outlier])
            right.append(holds and not view.misrepresented_[plate.outlier])
    return measures, right


@fixture(scope="module")
def plates(scale):
    seeds = seeds_of(scale)
    return seeds, *parts(plate_views, seeds)


def test_vi01_plate_in_a_ring(check_claim, plates):
    seeds, values, _ = plates  # seeds, views, measures
    check_claim(
        "VI-01",
        **summary(values[:, :, :2].min(1)),
        seed=seeds,
        note=f"""With the sign only. The worst of the four views, mean of {len(seeds)} draws. Without the sign, as
        section 3.4 asks for r >= 0, PCA complex and smooth, SOM complex and smooth have
        {listed(values[:, :, 2].mean(0))}: away from a border the complex SVM is a plateau. gamma 20, C 1000 and
        gamma .5, C 1; SOM of 20 x 20 nodes, nearest node.""",
    )


def test_vi14_one_point_wrong(check_claim, plates):
    seeds, _, right = plates
    right = right.mean(0)
    names = "PCA complex", "PCA smooth", "SOM complex", "SOM smooth"
    check_claim(
        "VI-14",
        right,
        (right > 0.5).all(),
        seeds,
        note=f"Share of {len(seeds)} draws where the SVM errs as said and the view shows what it says at the outlier: "
        + ", ".join(
            f"{name} {share:.2f}" for name, share in zip(names, right, strict=True)
        )
        + """. gamma 20, C 1000 and gamma .5, C 1. Where it fails the SVM is as said, and the outlier lies on a node
        of the SOM beside others, whose prototype is a mean of them.""",
    )


def disc_views(seed):
    discs = make_stacked_discs(random_state=seed)
    X, y = discs.data, discs.target
    svm = SVC(C=10).fit(X, y)
    kinds = (
        (PCA(2), None),
        (SHEET, None),
        (TSNE(random_state=seed), None),
        (SHEET, "fisher"),
    )
    held = [
        DecisionMap.from_estimator(
            svm, X, y, embedder=e, metric=m, random_state=seed
        ).held_out_
        for e, m in kinds
    ]
    return [[h.labels, h.signed, h.certainty] for h in held]


def test_vi02_stacked_discs(check_claim, scale):
    seeds = seeds_of(scale, 3)
    values = sweep(disc_views, seeds)
    mean = values.mean(0)
    fails = mean[0, 0] < 0.6 and mean[0, 1] < 0.3
    check_claim(
        "VI-02",
        **summary(values[:, :, :2]),
        ok=fails and (mean[1:, 0] >= 0.97).all() and (mean[1:, 1] >= 0.95).all(),
        seed=seeds,
        note=f"""With the sign only. PCA, SOM, t-SNE, Fisher SOM, mean of {len(seeds)} draws; without the sign, as
        section 3.4 asks for r >= 0, {listed(mean[:, 2])}. SVM with C 10; SOM of 20 x 20 nodes, nearest node. PCA and
        SOM are fitted again in each fold.""",
    )


# ----------------------------------------------------------------------------------------------
# the cube, section 3.5.2


# Training accuracies of the three SVMs.
TABLE_3_1 = 1.0, 0.965, 0.515


def svm_of_accuracy(X, y, printed):
    """The SVM, C a power of ten, with training accuracy nearest to the printed one; of equals that nearest to C = 1."""
    svms = [SVC(C=10.0**k).fit(X, y) for k in (0, 1, -1, 2, -2, 3)]
    return min(svms, key=lambda svm: round(abs(svm.score(X, y) - printed), 9))


def cube_views(seed):
    """Of each label set, with C 10 and with C by Table 3.1: eight measures of SVM and view, and C."""
    cube = make_labelled_cube(1000, random_state=seed)
    X, X_new = cube.data[:500], cube.data[500:]
    rows = []
    for labels, printed in zip(cube.target.T, TABLE_3_1, strict=True):
        y, y_new = labels[:500], labels[500:]
        first = DecisionMap.from_estimator(
            SVC(C=10).fit(X, y), X, y, metric="fisher", random_state=seed
        )
        for view in (first, first.with_model(svm_of_accuracy(X, y, printed))):
            held, svm = view.held_out_, view.model_
            rows.append(
                [svm.score(X, y), svm.score(X_new, y_new), held.labels, held.signed]
                + [
                    held.certainty,
                    held.majority,
                    held.kappa,
                    view.score(X_new).labels,
                    svm.C,
                ]
            )
    return np.reshape(rows, (3, 2, 9))


@fixture(scope="module")
def cubes(scale):
    seeds = seeds_of(scale)
    return seeds, sweep(cube_views, seeds)  # seeds, label sets, SVMs, measures


def test_vi03_accuracies_on_the_cube(check_claim, cubes):
    seeds, values = cubes
    # seeds, training or new, label sets
    accuracy = values[:, :, 0, :2].transpose(0, 2, 1)
    mean = accuracy.mean(0)
    near = np.abs(mean[:, :2] - [[1.0, 0.965], [0.992, 0.952]]).max() <= 0.03
    check_claim(
        "VI-03",
        **summary(accuracy),
        ok=near and (np.diff(mean, axis=1) < 0).all(),
        seed=seeds,
        note="""Gaussian kernel, C 10, gamma 1 over features times variance; 500 samples and as many new ones. With
        one plane all samples keep .04 from it.""",
    )


def test_vi04_views_of_the_cube(check_claim, cubes):
    seeds, values = cubes
    mean = values.mean(0)  # label sets, SVMs, measures
    same, by_table = (summary(values[:, :, k, 2:4].swapaxes(1, 2)) for k in (0, 1))
    check_claim(
        "VI-04",
        seed=seeds,
        readings={"C by Table 3.1": by_table, "C 10 for all": same},
        note=f"""{len(seeds)} draws, held out; certainty signed. C nearest to the printed training accuracies, median
        {listed(np.median(values[:, :, 1, 8], 0), 1)}: training {listed(mean[:, 1, 0], 3)}, new samples
        {listed(mean[:, 1, 1], 3)}; without the sign {listed(mean[:, 1, 4])}; labels of new samples
        {listed(mean[:, 1, 7])}. Random labels: it gives {mean[2, 1, 5]:.3f} of the samples one class, kappa
        {np.nanmean(values[:, 2, 1, 6]):.2f}: where an SVM is nearly constant, agreement comes by itself. With C 10
        {mean[2, 0, 5]:.2f} and {mean[2, 0, 6]:.2f}, training {listed(mean[:, 0, 0], 3)}.""",
    )


# ---------------------------------------------------------------------- the ball and
# its LVQ, section 3.5.4


def lvq_views(seed):
    """Of RSLVQ with sigma^2 = .02 and with a learned one: accuracy, labels and kappa by truth and model, and more."""
    ball = make_ball_with_tube(1000, gap=0.25, random_state=seed)
    X, y = ball.data, ball.target
    rows, truth = [], None
    for sigma2 in (0.02, None):
        model = RSLVQ(4, sigma2=sigma2, max_iter=5000, random_state=seed).fit(X, y)
        view = {"metric": "fisher", "random_state": seed}
        truth = (
            truth.with_model(model)
            if truth
            else DecisionMap.from_estimator(model, X, y, **view)
        )
        held = [
            v.held_out_
            for v in (
                truth,
                DecisionMap.from_estimator(model, X, y, auxiliary="model", **view),
            )
        ]
        outside = np.mean(np.linalg.norm(model.prototypes_, axis=1) > 1)
        rows.append(
            [
                model.score(X, y),
                *(h.labels for h in held),
                *(h.kappa for h in held),
                held[0].majority,
                outside,
            ]
        )
    return rows


def test_vi07_views_of_the_truth_and_of_the_model(check_claim, scale):
    seeds = seeds_of(scale, 5)
    runs = sweep(lvq_views, seeds)  # seeds, models, measures
    mean = runs.mean(0)

    def reading(k):
        near = np.abs(mean[k, :3] - [0.9, 0.92, 0.95]).max() <= 0.04
        return summary(runs[:, k, :3]) | {"ok": near and mean[k, 2] >= mean[k, 1]}

    check_claim(
        "VI-07",
        seed=seeds,
        readings={"sigma^2 fixed": reading(0), "sigma^2 learned": reading(1)},
        note=f"""{len(runs)} draws of 1,000 samples, gap of a quarter of the tube. sigma^2 = .02, then learned: the
        model gives {listed(mean[:, 5])} of the samples one class; kappa of the views {listed(mean[0, 3:5])} and
        {listed(mean[1, 3:5])}; share of prototypes outside the ball {listed(mean[:, 6])}.""",
    )


# ---------------------------------------------------------------------- USPS and a
# tree, section 3.5.5


def tree_views(seed):
    usps = load("usps")
    kept, new = np.split(permuted(len(usps.data), seed)[:3000], [1500])
    principal = PCA(30, random_state=0).fit(usps.data[kept])
    (X, y), (X_new, y_new) = (
        (principal.transform(usps.data[rows]), usps.target[rows])
        for rows in (kept, new)
    )
    tree = DecisionTreeClassifier(min_samples_split=10, random_state=0).fit(X, y)
    result = [tree.score(X, y), tree.score(X_new, y_new)]
    for som in (SOM(interpolate=False), SOM()):
        for auxiliary in ("model", "truth"):
            view = DecisionMap.from_estimator(
                tree, X, y, metric="fisher", auxiliary=auxiliary, embedder=som
            )
            result.append(view.label_agreement_)
    return result


def test_vi08_a_tree_seen_by_its_own_labels(check_claim, scale):
    seeds = seeds_of(scale, 3)
    runs = sweep(tree_views, seeds)
    mean = runs.mean(0)
    check_claim(
        "VI-08",
        **summary(runs[:, :4]),
        ok=np.abs(mean[:4] - [0.89, 0.66, 0.923, 0.878]).max() <= 0.05
        and mean[2] > mean[3],
        seed=seeds,
        note=f"""{len(runs)} draws of 1,500 samples, 30 principal components, nodes of 10 samples and more are split
        (the default of the thesis' software). Fisher SOM of some 190 nodes, nearest node; with places between the
        nodes {mean[4]:.3f} and {mean[5]:.3f}.""",
    )


# ---------------------------------------------------------------------- regression,
# section 3.6


def fisher_views(model, X, y, **options):
    gp = GPFisher(**options).fit(X, y)
    D = gp.distances()
    return [
        DecisionMap.from_map(
            model,
            X,
            kind(metric="precomputed").fit_transform(D),
            y,
            metric=gp,
            distances=D,
        )
        for kind in FISHER_MAPS.values()
    ]


def correlations(views):
    """With the predictions of the model, held out and in sample."""
    return [
        [v.prediction_correlation_ for v in views],
        [v.in_sample_.predictions for v in views],
    ]


def likelihood(gtm, X):
    """Mean log likelihood of samples under a fitted GTM."""
    logs = -gtm.beta_ / 2 * squared_distances(
        X, gtm.prototypes_
    ) + gtm.dimension_ / 2 * np.log(gtm.beta_ / 2 / np.pi)
    return np.mean(logsumexp(logs, axis=1)) - np.log(logs.shape[1])


BASES = (10, 10), (4, 4)


def stack_views(seed):
    """Correlations, held out and in sample, of PCA and GTM kept and refitted in the folds and of three Fisher maps.

    A row for each basis of the GTM; and the likelihoods of new samples under the GTMs
    of vectors.
    """
    stack, new = (make_stacked_clusters(random_state=s) for s in (seed, 1000 + seed))
    X, y = stack.data, stack.target
    svr = SVR(C=100).fit(X, y)
    fisher, rows, likely = fisher_views(svr, X, y), [], []
    for basis in BASES:
        embedders = PCA(2), GTM(max_iter=2000, basis=basis)
        kept = [
            DecisionMap.from_map(svr, X, embedder.fit_transform(X), y)
            for embedder in embedders
        ]
        refitted = [
            DecisionMap.from_estimator(svr, X, y, embedder=embedder)
            for embedder in embedders
        ]
        views = [*kept, *refitted, *fisher]
        rows.append(correlations(views))
        likely.append(likelihood(embedders[1], new.data))
    return np.array(rows), likely


def test_vi10_views_of_a_regression(check_claim, scale):
    seeds = seeds_of(scale)
    runs, likely = parts(stack_views, seeds)
    ways = {"places kept": [0, 1, 4, 5, 6], "map refitted": [2, 3, 4, 5, 6]}

    def reading(k, way):
        held = runs[:, k, 0, ways[way]]
        mean = held.mean(0)
        ok = (
            mean[0] < 0.5 and 0.9 <= mean[1] < mean[2:].min() and mean[2:].min() >= 0.97
        )
        return summary(held) | {"ok": ok}

    inside = runs.mean(0)[:, 1]
    better = np.mean(likely[:, 0] > likely[:, 1])
    check_claim(
        "VI-10",
        seed=seeds,
        readings={
            f"basis {b[0]} x {b[1]}, {way}": reading(k, way)
            for k, b in enumerate(BASES)
            for way in ways
        },
        note=f"""{len(runs)} draws of 450 samples, held out; in sample, PCA and GTM with the inverse map of (3.2),
        then with their own ways back, basis 10 x 10 {listed(inside[0, :4], 3)}, basis 4 x 4
        {listed(inside[1, :4], 3)}. A sheet of 4 x 4 basis functions cannot bend around three clusters. Mean log
        likelihood of new samples {listed(likely.mean(0))}, that of 10 x 10 the higher in {better:.0%} of the
        draws. SVR with C 100, 15 x 15 nodes; the thesis gives neither grid nor the numbers of its set.""",
    )


NOISES = {"noise by likelihood": None, "noise .1": 0.1}


def pair_views(seed):
    """Correlations, held out and in sample, of SVR and tree by three Fisher maps of each process, and its noise."""
    pair = make_two_clusters_with_outlier(random_state=seed)
    X, y = pair.data, pair.target
    svr, tree = SVR(C=10).fit(X, y), DecisionTreeRegressor(random_state=0).fit(X, y)
    rows = []
    for noise in NOISES.values():
        views = fisher_views(svr, X, y, noise=noise)
        views += [view.with_model(tree) for view in views]
        rows.append(correlations(views))
    return rows


def test_vi21_views_of_two_regressors(check_claim, scale):
    seeds = seeds_of(scale)
    runs = sweep(pair_views, seeds)  # seeds, noises, held out or inside, views
    inside = runs.mean(0)[:, 1]
    check_claim(
        "VI-21",
        seed=seeds,
        readings={name: summary(runs[:, k, 0]) for k, name in enumerate(NOISES)},
        note=f"""{len(runs)} draws of 301 samples, SVR C 10 then the tree, each by Fisher MDS, GTM, t-SNE. In sample
        {listed(inside[0], 3)}; with the noise of the process fixed at .1 {listed(inside[1], 3)}. The likelihood
        takes the least noise allowed, so that the metric follows the outlier and stretches the gap; a tree's
        predictions jump between neighbours.""",
    )


# ------------------------------------------------------------------------------------------
# ten maps, section 3.5.3


TEN_MAPS = [
    kind + name
    for name in ("t-SNE", "Isomap", "MVU", "SOM", "GTM")
    for kind in ("", "Fisher ")
]
BEST = [TEN_MAPS.index(name) for name in ("Fisher t-SNE", "Fisher SOM", "Fisher GTM")]


def ten_agreements(samples, seed=0):
    """Agreement in labels and in certainty with one SVM, and spread of the former over the folds, of `TEN_MAPS`."""
    X, y = samples
    svm, fisher = SVC(C=10).fit(X, y), ParzenFisher().fit(X, y)
    D, rows = fisher.distances(), []
    for method in (
        TSNE(random_state=seed),
        Isomap(),
        MVU(random_state=seed, tol=0.05),
        SOM(),
        GTM(max_iter=1000),
    ):
        for metric, kind, given in ((None, "euclidean", X), (fisher, "precomputed", D)):
            Z = method.set_params(metric=kind).fit_transform(given)
            held = DecisionMap.from_map(svm, X, Z, y, metric=metric).held_out_
            rows.append([held.labels, held.certainty, held.folds["labels"].std(ddof=1)])
    return rows


def sets_of_ten_maps(n, seed=0):
    """Samples, drawn at random, and classes by name; letter and phoneme where they are at hand."""
    sets = {}
    for name in ("phoneme", "letter", "usps"):
        try:
            bunch = load(name)
        except DatasetUnavailable:
            continue
        some = permuted(len(bunch.data), seed)[:n]
        X, reduced = (
            bunch.data[some],
            PCA(30, random_state=0) if name == "usps" else StandardScaler(),
        )
        sets[name] = reduced.fit_transform(X), bunch.target[some]
    return sets


def test_vi05_vi06_which_map(check_claim, by_scale):
    n = by_scale(150, 1000, 1500)
    sets = sets_of_ten_maps(n)
    found = sweep(ten_agreements, sets.values())  # (sets, maps, measures)
    plain, fisher = found[:, ::2], found[:, 1::2]
    ahead, certain = (fisher > plain)[..., :2].sum((0, 1))
    clear = np.sum((fisher - plain)[..., 0] > plain[..., 2])
    pairs = plain[..., 0].size
    used = f"{len(sets)} of the three sets ({', '.join(sets)}), {n:,} samples (the thesis: 1,500)"
    check_claim(
        "VI-05",
        [ahead, pairs],
        ahead == pairs,
        seed=0,
        note=f"""Ahead in {ahead} of {pairs} pairs, in {clear} of them by more than a standard deviation
        of the folds; {used}. Samples are kept out of the inverse map only; certainty is ahead in {certain}.""",
    )
    labels = found[..., 0]
    orders = np.argsort(-labels, 1, kind="stable")
    places = np.argsort(orders, 1)[:, BEST] + 1
    met = places.max(1) <= 4
    charts = [
        f"{name}: " + ", ".join(f"{TEN_MAPS[k]} {row[k]:.3f}" for k in order)
        for name, row, order in zip(sets, labels, orders, strict=True)
    ]
    check_claim(
        "VI-06",
        places.ravel(),
        met.all(),
        note=f"""Places of Fisher t-SNE, SOM and GTM of ten; {used}; all three among the first four on
        {met.sum()} of them. {"; ".join(charts)}""",
    )


# ---------------------------------------------------------------------------------------------
# phoneme, section 3.5.3


def errors_of_new_samples(X, y, seed=0):
    """5-NN errors of five maps, (maps, 3, 2): Euclidean, Fisher, Fisher of permuted labels; new samples, in sample.

    The metric never met the new samples; the kernel map places them.
    """
    wrong = permuted(y, seed)
    train, new = train_test_split(np.arange(len(X)), random_state=seed, stratify=y)
    fisher, chance = (
        ParzenFisher().fit(X[train], labels[train]).distances() for labels in (y, wrong)
    )
    kinds = (
        ("euclidean", X[train], y),
        ("precomputed", fisher, y),
        ("precomputed", chance, wrong),
    )
    errors = []
    for method in (
        TSNE(random_state=seed),
        Isomap(),
        MVU(random_state=seed, tol=0.05),
        SOM(),
        GTM(max_iter=2000),
    ):
        for metric, given, labels in kinds:
            Z = method.set_params(metric=metric).fit(given).embedding_
            there = {
                "Z_new": KernelMap().fit(X[train], Z).transform(X[new]),
                "y_new": labels[new],
            }
            errors.append(
                [
                    knn_error(Z, labels[train], k=5, **there),
                    knn_error(Z, labels[train], k=5),
                ]
            )
    return np.reshape(errors, (5, 3, 2))


def phoneme_errors(seed, n):
    phoneme = load("phoneme")
    some = permuted(len(phoneme.data), seed)[:n]
    return errors_of_new_samples(phoneme.data[some], phoneme.target[some], seed)


def test_vi24_clusters_of_phoneme(check_claim, scale, by_scale):
    n = by_scale(150, 600, 1500)
    seeds = seeds_of(scale, 5)
    try:
        errors = sweep(phoneme_errors, seeds, n=n)  # seeds, maps, kinds, new or inside
    except DatasetUnavailable:
        return check_claim("VI-24")  # the ledger then says that the data are missing
    mean, lower = errors.mean(0), (errors[:, :, 1, 0] < errors[:, :, 0, 0]).mean(0)
    check_claim(
        "VI-24",
        **summary(errors[:, :, :2, 0]),
        ok=(mean[:, 1, 0] < mean[:, 0, 0]).all(),
        seed=seeds,
        note=f"""t-SNE, Isomap, MVU, SOM, GTM, each Euclidean, then Fisher; means of {len(errors)} draws of {n:,}
        random samples (the thesis: 1,500), of which a quarter are new. Share of draws in which the Fisher map has
        the lower error {listed(lower, 1)}. In sample {listed(mean[:, :2, 1].ravel(), 3)}. Fisher maps of permuted
        labels, new samples {listed(mean[:, 2, 0], 3)}, in sample {listed(mean[:, 2, 1], 3)}""",
    )
