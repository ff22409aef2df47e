"""Claims of Kudo2016 about its two data sets, Scene and Medical, as the paper judges
them, and others that would clutter the lesson; its identities are in tests/multilabel.
"""

import numpy as np
from literal import dense_slb, printed_weights, shuffled_scene
from numpy.linalg import norm
from pytest import fixture
from scipy.spatial import Delaunay
from scipy.stats import spearmanr
from sklearn.neighbors import NearestNeighbors

from toolkit.core.linalg import sphering
from toolkit.datasets import load
from toolkit.multilabel import (
    FeatureLabelEigenmap,
    SampleLabelEigenmap,
    SampleLabelMap,
    correlations,
    label_sets,
)
from toolkit.quality import nearest_label, nearest_label_accuracy

from .draws import permute


@fixture
def scene():
    """Features and labels of the photographs, and which rows train and which carry one
    label.
    """
    bunch = load("scene")
    return bunch.data, bunch.target, ~bunch.is_test, bunch.target.sum(1) == 1


@fixture
def medical():
    """Words of the texts and the codes that occur in the training part: training rows,
    then the others.
    """
    bunch = load("medical")
    test = bunch.is_test
    Y = bunch.target[:, bunch.target[~test].any(0)]
    return bunch.data[~test], Y[~test], bunch.data[test], Y[test]


def test_sl_07_contribution_rate_of_scene(check_claim, scene):
    X, Y, _, single = scene
    sla = SampleLabelMap().fit(X, Y)
    only_single = SampleLabelMap().fit(X[single], Y[single]).contribution_rate_
    squared = sla.singular_values_**2
    note = f"""single-label samples only {only_single:.4f}; squared singular values
        {np.sum(squared[:2]) / np.sum(squared):.4f}"""
    check_claim("SL-07", sla.contribution_rate_, note=note)


def test_sl_08_contribution_rate_of_fla(check_claim, scene):
    X, Y, *_ = scene
    fla = FeatureLabelEigenmap().fit(X, Y)
    rate = fla.contribution_rate_
    total = fla.eigenvalues_.sum()
    W = np.abs(correlations(sphering(X)[2], Y.astype(float)))
    spectrum = np.linalg.svd(W, compute_uv=False)
    check_claim(
        "SL-08",
        readings={
            "eigenvalues of D^-1 W": {"value": rate},
            "sphered, singular values of W": {
                "value": spectrum[:2].sum() / spectrum.sum()
            },
        },
        note=f"""with the trivial eigenvalue in the sum
        {total / (1 + total / rate):.4f}; the second reading sphers the features,
        against IV-B, counts the trivial value and was found by search: it explains
        nothing""",
    )


def share_in_own_cell(fitted, X, Y):
    """Of new samples, in the plane of a fitted map."""
    return nearest_label_accuracy(
        fitted.transform(X), fitted.label_embedding_, Y
    )


def test_sl_09_six_classes_are_told_apart(check_claim, scene):
    X, Y, train, single = scene
    # the paper fits all rows, and judges them
    every = SampleLabelMap(n_components=None).fit(X, Y)
    cell = nearest_label(every.transform(X[single]), every.label_embedding_)
    truth = Y[single].argmax(1)
    right = cell == truth
    share = right.mean()
    size = np.bincount(truth)
    chance = np.bincount(cell, minlength=len(size)) / len(cell)
    bound = chance + 3 * np.sqrt(chance * (1 - chance) / size)
    above = np.all(np.bincount(truth, right) / size > bound)
    A = X[train]
    lucky = Y[permute(np.flatnonzero(train))]
    by_luck = SampleLabelMap(5).fit(A, lucky)
    models = [SampleLabelMap(m).fit(A, Y[train]) for m in (5, 2)]
    new = ~train & single
    full, plane, luck = (
        share_in_own_cell(model, X[new], Y[new]) for model in (*models, by_luck)
    )
    seen = train & single
    check_claim(
        "SL-09",
        share,
        above and share > 0.75,
        note=f"""every class above chance: {above}; fitted on the training part
        {share_in_own_cell(models[0], X[seen], Y[seen]):.3f} of it and {full:.3f} of the
        held-out rows (permuted labels
        {nearest_label_accuracy(by_luck.embedding_, by_luck.label_embedding_, lucky):.3f}
        and {luck:.3f}), in the plane {plane:.3f}: {X.shape[1]} features on {len(A):,}
        samples over-fit""",
    )


def test_sl_29_one_constant_shift(check_claim, scene):
    X, Y, train, single = scene
    model = SampleLabelMap(n_components=None).fit(X[train], Y[train])
    values = model.decision_function(X)
    pairs = Y.sum(1) == 2
    shift = (Y - values)[train & pairs].mean(0)
    right = [
        np.all((values + move > 0.5) == Y, 1) & ~train for move in (0, shift)
    ]
    of_all = np.sum(right, 1)
    two, one = ((right & part).sum(1) for part in (pairs, single))
    check_claim(
        "SL-29",
        of_all,
        of_all[1] > of_all[0],
        note=f"""exactly right of {np.sum(~train & pairs)} two-label rows {two[0]} and
        {two[1]}, of {np.sum(~train & single)} one-label rows {one[0]} and {one[1]}""",
    )


def test_sl_11_12_25_features_of_scene(check_claim, scene):
    X, Y, *_ = scene
    F = FeatureLabelEigenmap().fit(X, Y).feature_embedding_
    R = np.abs(correlations(X, Y.astype(float)))
    d = len(F)
    check_claim("SL-11", R[:d, d:].max())
    i, j = np.triu_indices(d, 1)
    rho = R[i, j]
    first = R[84, 91]
    strongest = rho.argmax()
    check_claim(
        "SL-12",
        np.mean(rho >= first),
        note=f"""|rho| = {first:.3f} ({R[85, 92]:.3f} counted from 0); the strongest
        pair is #{i[strongest] + 1}, #{j[strongest] + 1} at {rho.max():.3f}""",
    )
    order = spearmanr(j - i, rho)[0]
    median = np.median(norm(F[i] - F[j], axis=1))
    close = np.mean(norm(np.diff(F, axis=0), axis=1) < median)
    note = (
        f"{close:.3f} of the neighbours in number closer than the median pair"
    )
    check_claim("SL-25", order, order < -0.3 and close >= 0.9, note=note)


def test_sl_13_contribution_rate_of_medical(check_claim, medical):
    rate, cut = (
        SampleLabelMap(variance=v).fit(*medical[:2]).contribution_rate_
        for v in (1, 0.9999)
    )
    check_claim(
        "SL-13", rate, note=f"with 99.99 % of the variance kept {cut:.4f}"
    )


def test_sl_14_27_words(check_claim, medical):
    X, Y, *_ = medical
    varies = np.flatnonzero(np.asarray((X != 0).mean(0)).ravel() % 1)
    words = list(load("medical").feature_names[varies])
    X = X[:, varies]
    P = FeatureLabelEigenmap().fit(X, Y).feature_embedding_
    far = norm(P - P.mean(0), axis=1)
    values = [
        np.mean(far >= far[words.index(w)]) for w in ("medical", "measuring")
    ]
    note = "share of the words at least as far from the middle"
    check_claim("SL-14", values, note=note)
    d = len(words)
    true, by_chance = (
        np.abs(correlations(X, D.astype(float))[:d, d:]).max(1)
        for D in (Y, permute(Y))
    )
    above = np.mean(true > np.quantile(by_chance, 0.95))
    middle = np.median(true)
    check_claim(
        "SL-27",
        middle,
        above > 0.5 and middle < 0.5,
        note=f"""{above:.3f} of the words above the permuted 95 % quantile; the largest
        of {Y.shape[1]} correlations with a rare word is large by chance too""",
    )


def test_sl_26_labels_of_medical_overlap(check_claim, medical):
    X, Y, *new = medical
    sla = SampleLabelMap().fit(X, Y)
    points = sla.label_embedding_
    nearest = NearestNeighbors(n_neighbors=1).fit(points).kneighbors()[0][:, 0]
    extent = norm(np.ptp(np.vstack([points, sla.embedding_]), 0))
    crowded = np.mean(nearest < 0.05 * extent)
    check_claim(
        "SL-26",
        crowded,
        crowded >= 0.5,
        note=f"""share in a right cell of the plane: held-out
        {share_in_own_cell(sla, *new):.3f}, training
        {share_in_own_cell(sla, X, Y):.3f}""",
    )


def test_sl_24_sizes(check_claim, scene, medical):
    X, Y, *_ = scene
    words, codes, *_ = medical
    bunch = load("medical")
    target = bunch.target
    all_sets, train_sets = (
        len(np.unique(rows, axis=0))
        for rows in (target, target[~bunch.is_test])
    )
    n_sets = len(np.unique(Y, axis=0))
    check_claim(
        "SL-24",
        [
            *X.shape,
            Y.shape[1],
            n_sets,
            *words.shape,
            target.shape[1],
            train_sets,
        ],
        note=f"""Medical has {all_sets} label sets in all {len(target)} texts; the
        {len(codes)} of the training part have {train_sets} and use {codes.shape[1]}
        labels: the caption mixes the two""",
    )


def test_sl_30_new_samples_on_slb(check_claim, scene):
    X, Y, train, _ = scene
    shares = []
    for rows in (train, permute(np.flatnonzero(train))):
        slb = SampleLabelEigenmap().fit(X[train], Y[rows])
        shares += [
            nearest_label_accuracy(
                slb.embedding_, slb.label_embedding_, Y[rows]
            ),
            share_in_own_cell(slb, X[~train], Y[~train]),
        ]
    seen, new, lucky, lucky_new = shares
    check_claim(
        "SL-30",
        [seen, new],
        abs(seen - new) <= 0.05,
        note=f"""training, held-out; permuted labels {lucky:.3f} and {lucky_new:.3f}:
        training samples are placed with their labels, so the map is good for any
        labels""",
    )


# ------------------------------------------------------------------------------
# the joint graphs of samples and labels

SIZES = np.array([150, 300, 600, 1200, 2400])
PRINTED = {"alpha": 1, "beta": 1, "gamma": 1}


@fixture
def parts():
    """Features and labels of the first so many photographs in a random order."""
    X, Y = shuffled_scene()
    return [(X[:n], Y[:n]) for n in SIZES]


def weights_of(X, Y, **scales):
    """Row sums of the weights on which a fitted SL-B stands, samples before labels."""
    F, S = SampleLabelEigenmap(**scales).fit(X, Y)._factors(X, Y)
    return F @ (S @ F.sum(0))


def slope(values):
    return np.polyfit(np.log(SIZES), np.log(values), 1)[0]


def test_sl_15_sample_block_dominates(check_claim, parts):
    slopes = []
    for scales in (PRINTED, {}):
        shares = []
        for X, Y in parts:
            degrees = weights_of(X, Y, **scales)
            shares.append((degrees[len(X) :].sum() - Y.sum()) / degrees.sum())
        slopes.append(slope(shares))
    gaps = np.abs(np.add(slopes, [1, 0]))
    note = f"""weights as the estimator has them; slope with its default alpha (about
        1/n) and gamma = 0: {slopes[1]:.3f}"""
    check_claim("SL-15", slopes[0], gaps.max() <= 0.1, note=note)


def test_sl_23_samples_act_evenly_in_fla(check_claim, parts):
    fla = []
    slb = []
    for X, Y in parts:
        W = np.abs(correlations(X, Y))
        fla.append(W[X.shape[1] :].sum() / W.sum())
        degrees = weights_of(X, Y, **PRINTED)
        slb.append(degrees[len(X) :].sum() / degrees.sum())
    mean = np.mean(fla)
    uneven = np.abs(fla / mean - 1).max()
    fall = slope(slb)
    note = f"""weights as the estimators have them; label rows' share in FL-A stays
        within {uneven:.1%} of its mean {mean:.4f}"""
    check_claim(
        "SL-23", fall, uneven <= 0.1 and abs(fall + 1) <= 0.1, note=note
    )


def shift_agreement(points, sets):
    """Of the sets of two labels: share outside the hull of the single ones, mean cosine
    of the shifts with their mean, and the share of random directions of these lengths
    whose mean cosine is as large.
    """
    size = sets.sum(1)
    alone = points[size == 1][sets[size == 1].argmax(1).argsort()]  # by label
    two = (size == 2) & np.isfinite(points[:, 0])
    shifts = (points[two] - sets[two] @ alone / 2) @ [1, 1j]

    def cosine(shifts):
        mean = shifts.mean(-1, keepdims=True)
        return np.mean(
            (shifts * mean.conj()).real / np.abs(shifts) / np.abs(mean), -1
        )

    angles = 2j * np.pi * np.random.default_rng(0).random((20_000, len(shifts)))
    turned = cosine(np.abs(shifts) * np.exp(angles))
    outside = np.mean(Delaunay(alone).find_simplex(points[two]) < 0)
    return outside, cosine(shifts), np.mean(turned >= cosine(shifts))


def test_sl_10_direction_of_the_combinations(check_claim):
    bunch = load("scene")
    X = bunch.data
    Y = bunch.target
    train = ~bunch.is_test
    sets, group, _ = label_sets(Y, list(bunch.target_names))

    def means(Z, group):
        return np.array([Z[group == s].mean(0) for s in range(len(sets))])

    sla = SampleLabelMap().fit(X, Y)
    new = SampleLabelMap().fit(X[train], Y[train]).transform(X[~train])
    centers = means(sla.embedding_, group)
    images = sla.transform_labels(sets)
    often = np.where(np.bincount(group) >= 10, 1, np.nan)[:, None]
    points = {
        "means": centers,
        "images": images,
        "means of ten and more samples": centers * often,
        "images of those": images * often,
        "held-out means": means(new, group[~train]),
    }
    found = {
        kind: shift_agreement(where, sets) for kind, where in points.items()
    }
    outside, cosines, _ = np.transpose([found["means"], found["images"]])
    text = "; ".join(
        f"{kind} {o:.2f}, {c:.2f} ({p:.3f})"
        for kind, (o, c, p) in found.items()
    )
    check_claim(
        "SL-10",
        [*outside, *cosines],
        np.all(outside >= 0.8) and np.all(cosines > 0.5),
        note=f"""means, images: share outside the hull, mean cosine of the shifts with
        their mean, and in brackets the share of random directions that do as well:
        {text}. A part in common, hardly beyond chance, and not one direction; the
        held-out means have more of it""",
    )


def test_the_largest_eigenvalue_is_one_and_trivial(check_claim):
    """Of the matrix as printed; the estimator, which takes the constant vector out, has
    the eigenvalues that follow.
    """
    X, Y = shuffled_scene()
    _, values, U = dense_slb(X, Y, 1, 1, 1)
    fitted = SampleLabelEigenmap(**PRINTED).fit(X, Y)
    gap = np.abs(fitted.eigenvalues_ - values[1:3]).max()
    constant = np.ptp(U[:, 0]) / np.abs(U[:, 0]).max()
    W = printed_weights(X - X.mean(0), Y, 1, 1, 1)
    root = np.sqrt(np.abs(W.sum(1)))
    largest = np.linalg.eigvalsh(W / root[:, None] / root)[-1]
    note = f"""its vector is constant, the estimator's eigenvalues are the next ones, to
        {gap:.0e}; centred X has negative weights and a largest eigenvalue of
        {largest:.3g}: 1 is then not the largest"""
    check_claim("SL-22", max(abs(values[0] - 1), constant, gap), note=note)
