"""Claims of Kudo2016 that would clutter the lesson; its identities are in tests/multilabel."""

import numpy as np
import pytest
from literal import shuffled_scene

from toolkit.multilabel import SampleLabelEigenmap, correlations


def shares(X, Y, sizes, weights):
    """Share of the label block in the sum of all weights of SL-B, for growing n."""
    result = []
    for n in sizes:
        alpha, beta, gamma = weights(n)
        x, y = X[:n], Y[:n]
        label = beta * np.sum(y.T @ y)
        total = alpha * np.sum(x.sum(axis=0) ** 2) + gamma * np.sum(y.sum(axis=0) ** 2) + 2 * y.sum() + label
        result.append(label / total)
    return np.array(result)


@pytest.fixture(scope="module")
def scene():
    return shuffled_scene()


SIZES = np.array([150, 300, 600, 1200, 2400])


def slope(values):
    return np.polyfit(np.log(SIZES), np.log(values), 1)[0]


def test_sl_15_sample_block_dominates(check_claim, scene):
    X, Y = scene
    printed = slope(shares(X, Y, SIZES, lambda n: (1, 1, 1)))
    scaled = slope(shares(X, Y, SIZES, lambda n: (SampleLabelEigenmap().fit(X[:n], Y[:n]).alpha_, 1, 0)))
    note = f"slope with the default alpha (about 1/n) and gamma = 0: {scaled:.3f}"
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
        x, y = X[:n], Y[:n]
        rows = y.sum() + np.sum(y.T @ y)
        slb.append(rows / (np.sum(x.sum(axis=0) ** 2) + np.sum(y.sum(axis=0) ** 2) + y.sum() + rows))
    uneven = np.abs(fla / fla.mean() - 1).max()
    note = f"label rows' share in FL-A stays within {uneven:.1%} of its mean {fla.mean():.4f}"
    check_claim("SL-23", slope(slb), ok=bool(uneven <= 0.1 and abs(slope(slb) + 1) <= 0.1), note=note)
