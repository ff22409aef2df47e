"""Claims of the thesis, chapter 3, whose pictures notebook 06 shows once: here over
several draws of the samples.
"""

import numpy as np
from pytest import fixture
from sklearn.decomposition import PCA
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from toolkit.datasets import (
    DatasetUnavailable,
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

from .draws import (
    data_of,
    decimals,
    parts,
    permute,
    readings_of,
    samples,
    summary,
    sweep,
)

# The thesis' SOM: a place is the node of the nearest prototype. Its size is not
# printed.
SHEET = SOM(grid=(20, 20), interpolate=False)

# ------------------------------------------------------------------------------
# toy sets, section 3.5.1


def plate_views(seed):
    """Agreements of PCA and SOM with a complex and a smooth SVM, and whether SVM and
    view are as printed.
    """
    plate = make_plate_in_ring(random_state=seed)
    X, y = data_of(plate)
    smooth, complex_svm = (
        SVC(gamma=gamma, C=C).fit(X, y) for gamma, C in ((0.5, 1), (20, 1000))
    )
    measures = []
    right = []
    for embedder in (PCA(2), SHEET):
        first = DecisionMap.from_estimator(
            complex_svm, X, y, embedder=embedder, random_state=seed
        )
        for view, wrong in (
            (first, []),
            (first.with_model(smooth), [plate.outlier]),
        ):
            measures.append(
                [
                    view.label_agreement_,
                    view.signed_correlation_,
                    view.certainty_correlation_,
                ]
            )
            holds = np.flatnonzero(view.predicted_ != y).tolist() == wrong
            right.append(holds and not view.misrepresented_[plate.outlier])
    return measures, right


@fixture(scope="module")
def plates(by_scale):
    """Seeds, measures (seeds, views, 3), right (seeds, views)."""
    seeds = range(by_scale(2, 10, 10))
    return seeds, *parts(plate_views, seeds)


def test_vi01_plate_in_a_ring(check_claim, plates):
    seeds, values, _ = plates
    check_claim(
        "VI-01",
        **summary(values[:, :, :2].min(1)),
        seed=seeds,
        note=f"""With the sign only. The worst of the four views, mean of {len(seeds)}
        draws. Without the sign, as section 3.4 asks for r >= 0, PCA complex and smooth,
        SOM complex and smooth have {decimals(values[:, :, 2].mean(0))}: away from a
        border the complex SVM is a plateau. gamma 20, C 1000 and gamma .5, C 1; SOM of
        20 x 20 nodes, nearest node.""",
    )


def test_vi14_one_point_wrong(check_claim, plates):
    seeds, _, right = plates
    right = right.mean(0)
    check_claim(
        "VI-14",
        right,
        (right > 0.5).all(),
        seeds,
        note=f"""Share of {len(seeds)} draws where the SVM errs as said and the view
        shows what it says at the outlier: PCA complex {right[0]:.2f}, PCA smooth
        {right[1]:.2f}, SOM complex {right[2]:.2f}, SOM smooth {right[3]:.2f}. gamma 20,
        C 1000 and gamma .5, C 1. Where it fails the SVM is as said, and the outlier
        lies on a node of the SOM beside others, whose prototype is a mean of them.""",
    )


def disc_views(seed):
    X, y = data_of(make_stacked_discs(random_state=seed))
    svm = SVC(C=10).fit(X, y)
    rows = []
    for embedder, metric in (
        (PCA(2), None),
        (SHEET, None),
        (TSNE(random_state=seed), None),
        (SHEET, "fisher"),
    ):
        held = DecisionMap.from_estimator(
            svm, X, y, embedder=embedder, metric=metric, random_state=seed
        ).held_out_
        rows.append([held.labels, held.signed, held.certainty])
    return rows


def test_vi02_stacked_discs(check_claim, by_scale):
    seeds = range(by_scale(2, 3, 10))
    values = sweep(disc_views, seeds)
    labels, signed, certainty = values.mean(0).T
    fails = labels[0] < 0.6 and signed[0] < 0.3
    check_claim(
        "VI-02",
        **summary(values[:, :, :2]),
        ok=fails and min(labels[1:]) >= 0.97 and min(signed[1:]) >= 0.95,
        seed=seeds,
        note=f"""With the sign only. PCA, SOM, t-SNE, Fisher SOM, mean of {len(seeds)}
        draws; without the sign, as section 3.4 asks for r >= 0, {decimals(certainty)}.
        SVM with C 10; SOM of 20 x 20 nodes, nearest node. PCA and SOM are fitted again
        in each fold.""",
    )


# ------------------------------------------------------------------------------
# the cube, section 3.5.2


# Training accuracies of the three SVMs.
TABLE_3_1 = 1.0, 0.965, 0.515


def svm_of_accuracy(X, y, published):
    """The SVM, C a power of ten, with training accuracy nearest to the printed one; of
    equals that nearest to C = 1.
    """
    svms = [SVC(C=10.0**k).fit(X, y) for k in (0, 1, -1, 2, -2, 3)]
    return min(svms, key=lambda svm: round(abs(svm.score(X, y) - published), 9))


def cube_views(seed):
    """Of each label set, with C 10 and with C by Table 3.1: six measures of SVM and
    view.
    """
    cube = make_labelled_cube(1000, random_state=seed)
    X, X_new = np.split(cube.data, 2)
    rows = []
    for labels, published in zip(cube.target.T, TABLE_3_1, strict=True):
        y, y_new = np.split(labels, 2)
        first = DecisionMap.from_estimator(
            SVC(C=10).fit(X, y), X, y, metric="fisher", random_state=seed
        )
        for view in (first, first.with_model(svm_of_accuracy(X, y, published))):
            held = view.held_out_
            svm = view.model_
            rows.append(
                [
                    svm.score(X, y),
                    svm.score(X_new, y_new),
                    held.labels,
                    held.signed,
                    held.majority,
                    held.kappa,
                ]
            )
    return np.reshape(rows, (3, 2, 6))


@fixture(scope="module")
def cubes(by_scale):
    seeds = range(by_scale(2, 10, 10))
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
        ok=near and (np.diff(mean) < 0).all(),
        seed=seeds,
        note="""Gaussian kernel, C 10, gamma 1 over features times variance; 500 samples
        and as many new ones. With one plane all samples keep .04 from it.""",
    )


def test_vi04_views_of_the_cube(check_claim, cubes):
    seeds, values = cubes
    same, by_table = values.transpose(2, 0, 3, 1)  # seeds, measures, label sets
    training, new, _, _, majority, _ = by_table.mean(0)
    check_claim(
        "VI-04",
        seed=seeds,
        readings={
            "C by Table 3.1": summary(by_table[:, 2:4]),
            "C 10 for all": summary(same[:, 2:4]),
        },
        note=f"""{len(seeds)} draws, held out; certainty signed. C nearest to the
        printed training accuracies: training {decimals(training, 3)}, new samples
        {decimals(new, 3)}. Random labels: it gives {majority[2]:.3f} of the samples one
        class, kappa {np.nanmean(by_table[:, 5, 2]):.2f}: where an SVM is nearly
        constant, agreement comes by itself. With C 10 {same[:, 4, 2].mean():.2f} and
        {same[:, 5, 2].mean():.2f}.""",
    )


# ------------------------------------------------------------------------------
# the ball and its LVQ, section 3.5.4


def lvq_views(seed):
    """Of RSLVQ with sigma^2 = .02 and with a learned one: accuracy, labels and kappa by
    truth and model.
    """
    X, y = data_of(make_ball_with_tube(1000, gap=0.25, random_state=seed))
    options = {"metric": "fisher", "random_state": seed}
    rows = []
    view = None
    for sigma2 in (0.02, None):
        model = RSLVQ(4, sigma2=sigma2, max_iter=5000, random_state=seed).fit(
            X, y
        )
        own = DecisionMap.from_estimator(
            model, X, y, auxiliary="model", **options
        )
        if view:
            view = view.with_model(model)
        else:
            view = DecisionMap.from_estimator(model, X, y, **options)
        truth = view.held_out_
        own = own.held_out_
        rows.append(
            [
                model.score(X, y),
                truth.labels,
                own.labels,
                truth.kappa,
                own.kappa,
            ]
        )
    return rows


def test_vi07_views_of_the_truth_and_of_the_model(check_claim, by_scale):
    seeds = range(by_scale(2, 5, 10))
    runs = sweep(lvq_views, seeds).swapaxes(0, 1)  # models, seeds, measures
    mean = runs.mean(1)

    def rule(run):
        accuracy, truth, own = values = run.mean(0)
        return np.abs(values - [0.9, 0.92, 0.95]).max() <= 0.04 and own >= truth

    names = "sigma^2 fixed", "sigma^2 learned"
    check_claim(
        "VI-07",
        seed=seeds,
        readings=readings_of(names, runs[..., :3], rule),
        note=f"""{len(seeds)} draws of 1,000 samples, gap of a quarter of the tube.
        Kappa of the views with sigma^2 = .02 {decimals(mean[0, 3:])}, with a learned
        one {decimals(mean[1, 3:])}.""",
    )


# ------------------------------------------------------------------------------
# USPS and a tree, section 3.5.5


def tree_views(seed):
    X, y = samples("usps", 3000, seed)
    y, y_new = np.split(y, 2)
    X, X_new = np.split(PCA(30, random_state=0).fit(X[:1500]).transform(X), 2)
    tree = DecisionTreeClassifier(min_samples_split=10, random_state=0).fit(
        X, y
    )
    agreements = [
        DecisionMap.from_estimator(
            tree,
            X,
            y,
            metric="fisher",
            auxiliary=auxiliary,
            embedder=SOM(interpolate=False),
        ).label_agreement_
        for auxiliary in ("model", "truth")
    ]
    return [tree.score(X, y), tree.score(X_new, y_new), *agreements]


def test_vi08_a_tree_seen_by_its_own_labels(check_claim, by_scale):
    seeds = range(by_scale(2, 3, 10))
    runs = sweep(tree_views, seeds)
    mean = runs.mean(0)
    off = np.abs(np.subtract(mean, [0.89, 0.66, 0.923, 0.878]))
    check_claim(
        "VI-08",
        **summary(runs),
        ok=off.max() <= 0.05 and mean[2] > mean[3],
        seed=seeds,
        note=f"""{len(seeds)} draws of 1,500 samples, 30 principal components, nodes of
        10 samples and more are split (the default of the thesis' software). Fisher SOM
        of some 190 nodes, nearest node.""",
    )


# ------------------------------------------------------------------------------
# regression, section 3.6


def fisher_views(model, X, y, **options):
    """By Fisher MDS, GTM and t-SNE."""
    gp = GPFisher(**options).fit(X, y)
    D = gp.distances()
    views = []
    for method in (MDS(), GTM(max_iter=2000), TSNE(random_state=0)):
        Z = method.set_params(metric="precomputed").fit_transform(D)
        views.append(
            DecisionMap.from_map(model, X, Z, y, metric=gp, distances=D)
        )
    return views


def correlations(views):
    """With the predictions of the model, held out."""
    return [view.prediction_correlation_ for view in views]


BASES = (10, 10), (4, 4)


def stack_views(seed):
    """Correlations of PCA and GTM kept and refitted in the folds and of three Fisher
    maps, a row for each basis of the GTM.
    """
    X, y = data_of(make_stacked_clusters(random_state=seed))
    svr = SVR(C=100).fit(X, y)
    fisher = fisher_views(svr, X, y)
    rows = []
    for basis in BASES:
        gtm = GTM(max_iter=2000, basis=basis)
        views = [
            DecisionMap.from_map(svr, X, embedder.fit_transform(X), y)
            for embedder in (PCA(2), gtm)
        ]
        views += [
            DecisionMap.from_estimator(svr, X, y, embedder=embedder)
            for embedder in (PCA(2), gtm)
        ]
        rows.append(correlations(views + fisher))
    return rows


def test_vi10_views_of_a_regression(check_claim, by_scale):
    seeds = range(by_scale(2, 10, 10))
    runs = sweep(stack_views, seeds)
    readings = {}
    for k, (rows, columns) in enumerate(BASES):
        for way, first in (("places kept", [0, 1]), ("map refitted", [2, 3])):
            held = runs[:, k, [*first, 4, 5, 6]]
            pca, gtm, *fisher = held.mean(0)
            ok = pca < 0.5 and 0.9 <= gtm < min(fisher) and min(fisher) >= 0.97
            readings[f"basis {rows} x {columns}, {way}"] = summary(held, ok=ok)
    check_claim(
        "VI-10",
        seed=seeds,
        readings=readings,
        note=f"""{len(seeds)} draws of 450 samples, held out. A sheet of 4 x 4 basis
        functions cannot bend around three clusters. SVR with C 100, 15 x 15 nodes; the thesis gives neither grid nor the
        numbers of its set.""",
    )


def pair_views(noise, seed):
    """Correlations of SVR and tree by three Fisher maps of a process with a noise."""
    X, y = data_of(make_two_clusters_with_outlier(random_state=seed))
    tree = DecisionTreeRegressor(random_state=0).fit(X, y)
    views = fisher_views(SVR(C=10).fit(X, y), X, y, noise=noise)
    return correlations(views + [view.with_model(tree) for view in views])


def test_vi21_views_of_two_regressors(check_claim, by_scale):
    seeds = range(by_scale(2, 10, 10))
    runs = sweep(pair_views, (None, 0.1), seeds)  # noises, seeds, views
    names = "noise by likelihood", "noise .1"
    check_claim(
        "VI-21",
        seed=seeds,
        readings=readings_of(names, runs),
        note=f"""{len(seeds)} draws of 301 samples, SVR C 10 then the tree, each by
        Fisher MDS, GTM, t-SNE. The likelihood takes the least noise
        allowed, so that the metric follows the outlier and stretches the gap; a tree's
        predictions jump between neighbours.""",
    )


# ------------------------------------------------------------------------------
# ten maps, section 3.5.3


TEN_MAPS = [
    kind + name
    for name in ("t-SNE", "Isomap", "MVU", "SOM", "GTM")
    for kind in ("", "Fisher ")
]
BEST = [
    TEN_MAPS.index(name)
    for name in ("Fisher t-SNE", "Fisher SOM", "Fisher GTM")
]


def five_methods(seed, max_iter):
    return (
        TSNE(random_state=seed),
        Isomap(),
        MVU(random_state=seed, tol=0.05),
        SOM(),
        GTM(max_iter=max_iter),
    )


def ten_agreements(pair):
    """Agreement in labels with one SVM, and its spread over the folds, of
    `TEN_MAPS`.
    """
    X, y = pair
    svm = SVC(C=10).fit(X, y)
    fisher = ParzenFisher().fit(X, y)
    D = fisher.distances()
    rows = []
    for method in five_methods(0, 1000):
        for metric, kind, given in (
            (None, "euclidean", X),
            (fisher, "precomputed", D),
        ):
            Z = method.set_params(metric=kind).fit_transform(given)
            held = DecisionMap.from_map(svm, X, Z, y, metric=metric).held_out_
            rows.append([held.labels, held.folds["labels"].std(ddof=1)])
    return rows


def sets_of_ten_maps(n):
    """Samples, drawn at random, and classes by name; letter and phoneme where they are
    at hand.
    """
    sets = {}
    for name in ("phoneme", "letter", "usps"):
        try:
            X, y = samples(name, n)
        except DatasetUnavailable:
            continue
        reduce = PCA(30, random_state=0) if name == "usps" else StandardScaler()
        sets[name] = reduce.fit_transform(X), y
    return sets


def test_vi05_vi06_which_map(check_claim, by_scale):
    n = by_scale(150, 1000, 1500)
    sets = sets_of_ten_maps(n)
    # (sets, maps) each
    labels, spreads = np.moveaxis(sweep(ten_agreements, sets.values()), 2, 0)
    gain = labels[:, 1::2] - labels[:, ::2]
    ahead = np.sum(gain > 0)
    clear = np.sum(gain > spreads[:, ::2])
    pairs = gain.size
    used = f"""{len(sets)} of the three sets ({", ".join(sets)}), {n:,} samples (the
        thesis: 1,500)"""
    check_claim(
        "VI-05",
        [ahead, pairs],
        ahead == pairs,
        seed=0,
        note=f"""Ahead in {ahead} of {pairs} pairs, in {clear} of them by more than a
        standard deviation of the folds; {used}. Samples are kept out of the inverse map
        only.""",
    )
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
        note=f"""Places of Fisher t-SNE, SOM and GTM of ten; {used}; all three among the
        first four on {met.sum()} of them. {"; ".join(charts)}""",
    )


# ------------------------------------------------------------------------------
# phoneme, section 3.5.3


def phoneme_errors(seed, n):
    """5-NN errors of five maps, (maps, 3, 2): Euclidean, Fisher, Fisher of permuted
    labels; new samples, in sample.

    The metric never met the new samples; the kernel map places them.
    """
    X, y = samples("phoneme", n, seed)
    A, B, a, b, lucky, lucky_new = train_test_split(
        X, y, permute(y, seed), random_state=seed, stratify=y
    )
    fisher, chance = (ParzenFisher().fit(A, c).distances() for c in (a, lucky))
    errors = []
    for method in five_methods(seed, 2000):
        for metric, given, labels, new in (
            ("euclidean", A, a, b),
            ("precomputed", fisher, a, b),
            ("precomputed", chance, lucky, lucky_new),
        ):
            Z = method.set_params(metric=metric).fit_transform(given)
            Z_new = KernelMap().fit(A, Z).transform(B)
            errors += [
                knn_error(Z, labels, 5, Z_new=Z_new, y_new=new),
                knn_error(Z, labels, 5),
            ]
    return np.reshape(errors, (5, 3, 2))


def test_vi24_clusters_of_phoneme(check_claim, by_scale):
    n = by_scale(150, 600, 1500)
    seeds = range(by_scale(2, 5, 10))
    try:
        # seeds, maps, kinds, new or inside
        errors = sweep(phoneme_errors, seeds, n=n)
    except DatasetUnavailable:
        # the ledger then says that the data are missing
        return check_claim("VI-24")
    new, inside = errors.mean(0).transpose(2, 1, 0)  # kinds, maps
    lower = (errors[:, :, 1, 0] < errors[:, :, 0, 0]).mean(0)
    check_claim(
        "VI-24",
        **summary(errors[:, :, :2, 0]),
        ok=(new[1] < new[0]).all(),
        seed=seeds,
        note=f"""t-SNE, Isomap, MVU, SOM, GTM, each Euclidean, then Fisher; means of
        {len(seeds)} draws of {n:,} random samples (the thesis: 1,500), of which a
        quarter are new. Share of draws in which the Fisher map has the lower error
        {decimals(lower, 1)}. In sample {decimals(inside[:2].T, 3)}. Fisher maps of
        permuted labels, new samples {decimals(new[2], 3)}, in sample
        {decimals(inside[2], 3)}""",
    )
