"""Claims of Kudo2016 that would clutter the lesson; its identities are in
tests/multilabel.
"""

import numpy as np
import pytest
from literal import dense_slb, printed_weights, shuffled_scene
from scipy.spatial import Delaunay

from toolkit.datasets import load
from toolkit.multilabel import (
    SampleLabelEigenmap,
    SampleLabelMap,
    correlations,
    label_sets,
)

SIZES = np.array([150, 300, 600, 1200, 2400])
PRINTED = {"alpha": 1, "beta": 1, "gamma": 1}


@pytest.fixture
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
    check_claim("SL-23", fall, uneven <= 0.1 and abs(fall + 1) <= 0.1, note=note)


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
        return np.mean((shifts * mean.conj()).real / np.abs(shifts) / np.abs(mean), -1)

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
    found = {kind: shift_agreement(where, sets) for kind, where in points.items()}
    outside, cosines, _ = np.transpose([found["means"], found["images"]])
    text = "; ".join(
        f"{kind} {o:.2f}, {c:.2f} ({p:.3f})" for kind, (o, c, p) in found.items()
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
