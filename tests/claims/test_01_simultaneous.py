"""Claims of Kudo2016 that would clutter the lesson; its identities are in tests/multilabel."""

import numpy as np
import pytest
from literal import shuffled_scene

from toolkit.multilabel import SampleLabelEigenmap, correlations


def weights_of(X, Y, **scales):
    """Row sums of the weights on which a fitted SL-B stands, samples before labels."""
    return SampleLabelEigenmap(**scales).fit(X, Y)._degrees(X, Y)


def label_share(X, Y, **scales):
    """Share of the label block in the sum of all weights of SL-B."""
    degrees = weights_of(X, Y, **scales)
    return (degrees[len(X) :].sum() - Y.sum()) / degrees.sum()


@pytest.fixture(scope="module")
def scene():
    return shuffled_scene()


SIZES = np.array([150, 300, 600, 1200, 2400])


def slope(values):
    return np.polyfit(np.log(SIZES), np.log(values), 1)[0]


def test_sl_15_sample_block_dominates(check_claim, scene):
    X, Y = scene
    printed = slope([label_share(X[:n], Y[:n], alpha=1, beta=1, gamma=1) for n in SIZES])
    scaled = slope([label_share(X[:n], Y[:n]) for n in SIZES])
    note = f"weights as the estimator has them; slope with its default alpha (about 1/n) and gamma = 0: {scaled:.3f}"
    check_claim("SL-15", printed, ok=bool(abs(printed + 1) <= 0.1 and abs(scaled) <= 0.1), note=note)


def test_sl_23_samples_act_evenly_in_fla(check_claim, scene):
    X, Y = scene
    fla = []
    for n in SIZES:
        W = np.abs(correlations(X[:n], Y[:n]))
        fla.append(W[X.shape[1] :].sum() / W.sum())
    fla = np.array(fla)
    slb = []
    for n in SIZES:
        degrees = weights_of(X[:n], Y[:n], alpha=1, beta=1, gamma=1)
        slb.append(degrees[n:].sum() / degrees.sum())
    uneven = np.abs(fla / fla.mean() - 1).max()
    note = (
        "weights as the estimators have them; "
        f"label rows' share in FL-A stays within {uneven:.1%} of its mean {fla.mean():.4f}"
    )
    check_claim("SL-23", slope(slb), ok=bool(uneven <= 0.1 and abs(slope(slb) + 1) <= 0.1), note=note)
