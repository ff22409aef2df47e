"""Claims of Kudo2016 that would clutter the lesson; its identities are in tests/multilabel."""

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


def weights_of(X, Y, **scales):
    """Row sums of the weights on which a fitted SL-B stands, samples before labels."""
    return SampleLabelEigenmap(**scales).fit(X, Y)._degrees(X, Y)


def label_share(X, Y, **scales):
    """Share of the label block in the sum of all weights of SL-B."""
    degrees = weights_of(X, Y, **scales)
    return (degrees[len(X) :].sum() - Y.sum()) / degrees.sum()


@pytest.fixture
def scene():
    return shuffled_scene()


SIZES = np.array([150, 300, 600, 1200, 2400])


def slope(values):
    return np.polyfit(np.log(SIZES), np.log(values), 1)[0]


def test_sl_15_sample_block_dominates(check_claim, scene):
    X, Y = scene
    printed = slope(
        [label_share(X[:n], Y[:n], alpha=1, beta=1, gamma=1) for n in SIZES]
    )
    scaled = slope([label_share(X[:n], Y[:n]) for n in SIZES])
    note = f"weights as the estimator has them; slope with its default alpha (about 1/n) and gamma = 0: {scaled:.3f}"
    check_claim(
        "SL-15", printed, abs(printed + 1) <= 0.1 and abs(scaled) <= 0.1, note=note
    )


def test_sl_23_samples_act_evenly_in_fla(check_claim, scene):
    X, Y = scene
    weights = [np.abs(correlations(X[:n], Y[:n])) for n in SIZES]
    fla = np.array([W[X.shape[1] :].sum() / W.sum() for W in weights])
    degrees = [weights_of(X[:n], Y[:n], alpha=1, beta=1, gamma=1) for n in SIZES]
    slb = [d[n:].sum() / d.sum() for d, n in zip(degrees, SIZES, strict=True)]
    uneven = np.abs(fla / fla.mean() - 1).max()
    note = f"""weights as the estimators have them; label rows' share in FL-A stays within {uneven:.1%} of its mean
        {fla.mean():.4f}"""
    check_claim(
        "SL-23", slope(slb), uneven <= 0.1 and abs(slope(slb) + 1) <= 0.1, note=note
    )


def judged_shifts(points, sets):
    """Of the sets of two labels: share outside the hull of the single ones, mean cosine of the shifts with their mean,

    and the share of random directions of these lengths whose mean cosine is as large.
    """
    alone = np.array(
        [points[(sets.sum(1) == 1) & (column == 1)][0] for column in sets.T]
    )
    two = (sets.sum(1) == 2) & np.isfinite(points[:, 0])
    shifts = (points[two] - sets[two] @ alone / 2) @ [1, 1j]

    def cosine(shifts):
        mean = shifts.mean(-1, keepdims=True)
        return np.mean((shifts * mean.conj()).real / np.abs(shifts) / np.abs(mean), -1)

    turned = np.abs(shifts) * np.exp(
        2j * np.pi * np.random.default_rng(0).random((20_000, len(shifts)))
    )
    outside = np.mean(Delaunay(alone).find_simplex(points[two]) < 0)
    return outside, cosine(shifts), np.mean(cosine(turned) >= cosine(shifts))


def test_sl_10_direction_of_the_combinations(check_claim):
    bunch = load("scene")
    X, Y, train = bunch.data, bunch.target, ~bunch.is_test
    sets, group, _ = label_sets(Y, list(bunch.target_names))

    def means(Z, group, least=1):
        counts = np.bincount(group, minlength=len(sets))
        return np.array(
            [
                Z[group == s].mean(0) if c >= least else [np.nan] * 2
                for s, c in enumerate(counts)
            ]
        )

    sla = SampleLabelMap().fit(X, Y)
    images, often = sla.transform_labels(sets), np.bincount(group) >= 10
    new = SampleLabelMap().fit(X[train], Y[train]).transform(X[~train])
    points = {
        "means": means(sla.embedding_, group),
        "images": images,
        "means of ten and more samples": means(sla.embedding_, group, 10),
        "images of those": np.where(often[:, None], images, np.nan),
        "held-out means": means(new, group[~train]),
    }
    found = {kind: judged_shifts(where, sets) for kind, where in points.items()}
    outside, cosines, _ = np.transpose([found["means"], found["images"]])
    told = "; ".join(
        f"{kind} {o:.2f}, {c:.2f} ({p:.3f})" for kind, (o, c, p) in found.items()
    )
    check_claim(
        "SL-10",
        [*outside, *cosines],
        np.all(outside >= 0.8) and np.all(cosines > 0.5),
        note=f"""means, images: share outside the hull, mean cosine of the shifts with their mean, and in brackets
        the share of random directions that do as well: {told}. A part in common, hardly beyond chance, and not one
        direction; the held-out means have more of it""",
    )


def test_the_largest_eigenvalue_is_one_and_trivial(check_claim):
    """Of the matrix as printed; the estimator, which takes the constant vector out, has the eigenvalues that follow."""
    X, Y = shuffled_scene()
    W, values, U = dense_slb(X, Y, 1, 1, 1)
    gap = np.abs(
        SampleLabelEigenmap(alpha=1, beta=1, gamma=1).fit(X, Y).eigenvalues_
        - values[1:3]
    ).max()
    constant = np.ptp(U[:, 0]) / np.abs(U[:, 0]).max()
    W = printed_weights(X - X.mean(0), Y, 1, 1, 1)
    root = np.sqrt(np.abs(W.sum(1)))
    largest = np.linalg.eigvalsh(W / root[:, None] / root)[-1]
    note = f"""its vector is constant, the estimator's eigenvalues are the next ones, to {gap:.0e}; centred X has
        negative weights and a largest eigenvalue of {largest:.3g}: 1 is then not the largest"""
    check_claim("SL-22", max(abs(values[0] - 1), constant, gap), note=note)
