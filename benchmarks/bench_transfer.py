"""Transfer: seconds and peak memory of a fit and of one step, against plain formulations in the same run.

With ``--confidence`` the logistic weights of `toolkit.transfer.confidence` are fitted
anew on alignments whose labels are known, and the stored ones are tried on these and on
draws of their own. Either takes some minutes.
"""

import argparse
import sys
import time
import tracemalloc
import warnings

import numpy as np
from joblib import Parallel, delayed
from scipy.spatial.distance import cdist
from scipy.special import logsumexp
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
)
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC
from timing import timed

from toolkit.datasets import load_or_substitute
from toolkit.transfer import SharedLinearEmbedding, confidence
from toolkit.transfer.annealing import expect, ridge_step

BINS = (0.0, 0.25, 0.5, 0.75, 0.9, 1.0)
ENOUGH = 0.75
"""An alignment with less confidence warns."""


def plain_expectation(source, target, bandwidth):
    """Weights and pulls of the target, (5.4), by three arrays of all pairs."""
    squared = cdist(source, target, "sqeuclidean")
    log_joint = -squared / (2 * bandwidth**2) - np.log(
        2 * np.pi * bandwidth**2 * len(target)
    )
    gamma = np.exp(log_joint - logsumexp(log_joint, axis=1, keepdims=True))
    return gamma.sum(axis=0), gamma.T @ source


def plain_maximisation(source, design, gamma, ridge):
    """(5.5) as a least-squares problem with a row for each pair."""
    n, p = len(source), design.shape[1]
    root = np.sqrt(gamma).ravel()[:, None]
    A = np.vstack([np.tile(design, (n, 1)) * root, np.sqrt(ridge) * np.eye(p)])
    b = np.vstack(
        [
            np.repeat(source, len(design), axis=0) * root,
            np.zeros((p, source.shape[1])),
        ]
    )
    return np.linalg.lstsq(A, b, rcond=None)[0]


def clouds(n, d, random_state=0):
    """Seven groups of which three coincide, so that the whole has no symmetry; n samples in d dimensions."""
    rng = np.random.default_rng(random_state)
    centres = 3 * rng.normal(size=(5, d))
    return (
        rng.normal(size=(n, d))
        + centres[np.minimum(rng.integers(7, size=n), 4)]
    )


def uniform(n):
    return np.full(n, -np.log(n))


def once(call):
    """Result, seconds of the processor (others may share the machine) and, of another run, peak memory."""
    start = time.process_time()
    result = call()
    seconds = time.process_time() - start
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return result, seconds, peak


def speed():
    X, A = clouds(10_000, 20), np.random.default_rng(1).normal(size=(20, 20))
    model, seconds, peak = once(
        lambda: SharedLinearEmbedding(random_state=0).fit(
            X[:5000], X[5000:] @ A
        )
    )
    print(
        f"fit, 5,000 and 5,000 x 20: {seconds:.1f} s of processor, peak {peak / 1e6:.0f} MB, {model.n_iter_} steps, "
        f"confidence {model.confidence_:.2f}",
        flush=True,
    )
    places = clouds(40_000, 2) / 3
    source, target = places[:20_000], places[20_000:]
    _, seconds, peak = once(
        lambda: expect(source, target, uniform(20_000), 0.1)
    )
    print(
        f"E-step, 20,000 x 20,000: {seconds:.1f} s of processor, peak {peak / 1e6:.0f} MB "
        f"(1/{3.2e9 / peak:.0f} of a dense array)",
        flush=True,
    )
    for bandwidth in (1.0, 0.3, 0.1, 0.03):
        s, t = source[:3000], target[:3000]
        ours, memory = timed(lambda: expect(s, t, uniform(3000), bandwidth))  # noqa: B023
        plain, plain_memory = timed(lambda: plain_expectation(s, t, bandwidth))  # noqa: B023
        e, (weight, pull) = (
            expect(s, t, uniform(3000), bandwidth),
            plain_expectation(s, t, bandwidth),
        )
        assert np.allclose(e.weight, weight, atol=1e-9) and np.allclose(
            e.pull, pull, atol=1e-9
        )
        print(
            f"E-step, 3,000 x 3,000, bandwidth {bandwidth}: {ours:.2f} s, {plain / ours:.1f} times as fast as dense, "
            f"memory 1/{plain_memory / memory:.0f}",
            flush=True,
        )
    s, design = source[:300], np.column_stack([clouds(300, 10), np.ones(300)])
    gamma = np.random.default_rng(0).dirichlet(np.ones(300), size=300)
    weight, pull, penalty = gamma.sum(axis=0), gamma.T @ s, np.full(11, 0.1)
    ours, memory = timed(lambda: ridge_step(design, weight, pull, penalty), 20)
    plain, plain_memory = timed(
        lambda: plain_maximisation(s, design, gamma, 0.1)
    )
    assert np.allclose(
        ridge_step(design, weight, pull, penalty),
        plain_maximisation(s, design, gamma, 0.1),
    )
    print(
        f"M-step, 300 x 300, 11 coefficients: {1e3 * ours:.2f} ms, {plain / ours:.0f} times as fast as least squares "
        f"over all pairs, memory 1/{plain_memory / memory:.0f}"
    )


def halves(X, y, seed, width, missing=None):
    """Source, its labels, target through a random matrix of that many columns, its labels."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(X))
    s, t = order[: len(X) // 2], order[len(X) // 2 :]
    A = rng.normal(size=(X.shape[1], width))
    t = t if missing is None else t[y[t] != missing]
    return X[s], y[s], X[t] @ A, y[t]


def parts_of_images(images, y, axis, cut):
    """Images without their last, and without their first, rows or columns."""
    n, size = len(images), images.shape[1 + axis]
    one, other = (
        np.take(images, k, axis=1 + axis)
        for k in (np.arange(size - cut), np.arange(cut, size))
    )
    return one.reshape(n, -1), y, other.reshape(n, -1), y


def standard(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def quadruples(random_state, count, coil):
    """Four of objects 5 to 20 at a time, upper and lower three quarters of their images; 1 to 4 are for the claims."""
    rng = np.random.default_rng(random_state)
    for _ in range(count):
        # object 5 has target 4
        objects = np.sort(rng.choice(np.arange(4, 20), 4, replace=False))
        rows = np.isin(coil.target, objects)
        images = coil.data[rows].reshape(-1, *coil.image_shape)
        yield parts_of_images(
            images,
            np.searchsorted(objects, coil.target[rows]),
            0,
            images.shape[1] // 4,
        )


def families(first):
    """Name and problems of each family, the draws numbered from `first` on (0: those of the stored weights)."""
    iris, wine, cancer, digits = (
        load_iris(),
        load_wine(),
        load_breast_cancer(),
        load_digits(),
    )
    seeds = 100 + np.arange(40) + first
    yield "iris", [halves(iris.data, iris.target, s, 10) for s in seeds]
    yield (
        "iris, a class missing",
        [halves(iris.data, iris.target, s, 10, s % 3) for s in seeds[:20]],
    )
    for name, bunch, count in (
        ("wine", wine, 20),
        ("breast cancer", cancer, 12),
    ):
        X = standard(bunch.data)
        yield (
            name,
            [
                halves(X, bunch.target, s, 2 * X.shape[1])
                for s in first + np.arange(count)
            ],
        )
    coil = load_or_substitute("coil20")[0]
    yield "COIL", list(quadruples(5 + first, 16, coil))
    order = [
        np.random.default_rng(s).permutation(len(digits.target))[:400]
        for s in first + np.arange(4)
    ]
    for axis, name in (
        (0, "digits, upper and lower"),
        (1, "digits, left and right"),
    ):
        yield (
            name,
            [
                parts_of_images(digits.images[o], digits.target[o], axis, 2)
                for o in order
            ],
        )


def tried(X, y, X_target, y_target):
    """Witnesses, confidence and whether the alignment is right."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = SharedLinearEmbedding(random_state=0).fit(X, X_target)
    classifier = SVC(kernel="linear").fit(model.source_embedding_, y)
    own = classifier.score(model.source_embedding_, y)
    score = classifier.score(model.target_embedding_, y_target)
    majority = np.bincount(y_target).max() / len(y_target)
    e = model.evidence_
    return (
        min(e["gap_in_errors"], confidence.MAX_ERRORS),
        e["structure"],
        score >= (majority + own) / 2,
    )


def chance(witnesses, weights):
    """Confidence by (offset, per error, per distance)."""
    return 1 / (1 + np.exp(-(weights[0] + witnesses @ weights[1:])))


def fitted(witnesses, right, family):
    """Logistic weights, each family counted the same."""
    counts = np.bincount(family)
    balance = len(right) / (len(counts) * counts[family])
    model = LogisticRegression(C=1.0).fit(
        witnesses, right, sample_weight=balance
    )
    return np.append(model.intercept_, model.coef_)


def report(names, witnesses, right, family, weights):
    p = chance(witnesses, weights)
    for k, name in enumerate(names):
        own = family == k
        print(
            f"  {name:24s} {own.sum():3d} alignments, {right[own].mean():4.0%} right, "
            f"mean confidence {p[own].mean():.2f}"
        )
    for low, high in zip(BINS[:-1], BINS[1:], strict=True):
        own = (p >= low) & ((p < high) | (high == BINS[-1]))
        share = f"{right[own].mean():4.0%} right" if own.any() else ""
        print(f"  confidence {low:.2f} to {high:.2f}: {own.sum():3d} {share}")
    sure = p >= ENOUGH
    print(
        f"  wrong and sure: {np.sum(sure & ~right)} of {np.sum(~right)} wrong ones; right and not sure: "
        f"{np.sum(~sure & right)} of {right.sum()} right ones; Brier score {np.mean((p - right) ** 2):.3f}",
        flush=True,
    )


def measured(first):
    drawn = list(families(first))
    names, family = (
        [name for name, _ in drawn],
        np.repeat(np.arange(len(drawn)), [len(p) for _, p in drawn]),
    )
    found = Parallel(2)(
        delayed(tried)(*problem)
        for _, problems in drawn
        for problem in problems
    )
    found = np.array(found, dtype=float)
    return names, found[:, :2], found[:, 2] > 0, family


def reliability():
    stored = np.array(confidence.LINEAR_WEIGHTS)
    known, fresh = measured(0), measured(100)
    new = fitted(*known[1:])
    print(
        f"stored weights {stored.tolist()}, fitted anew {new.round(2).tolist()}"
    )
    for title, draws in (
        ("the draws of the fit", known),
        ("other draws", fresh),
    ):
        for what, weights in (
            ("stored weights", stored),
            ("weights fitted anew", new),
        ):
            print(f"{title}, {what}")
            report(*draws, weights)
    both = [
        np.concatenate(pair) for pair in zip(known[1:], fresh[1:], strict=True)
    ]
    print(f"fitted to both {fitted(*both).round(2).tolist()}")


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--confidence",
        action="store_true",
        help="fit the weights of the confidence anew",
    )
    if parser.parse_args(arguments).confidence:
        reliability()
    else:
        speed()


if __name__ == "__main__":
    main(sys.argv[1:])
