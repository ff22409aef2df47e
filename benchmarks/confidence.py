"""Fit the logistic weights of `toolkit.transfer.confidence` anew, and try the stored ones.

The weights are fitted on alignments whose labels are known. The stored ones, and those,
are tried on these and on other draws. It takes some minutes, and writes nothing.
"""

import warnings
from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
)
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from toolkit.datasets import load_or_substitute
from toolkit.transfer import SharedLinearEmbedding, confidence

BINS = (0.0, 0.25, 0.5, 0.75, 0.9, 1.0)
ENOUGH = 0.75
"""An alignment with less confidence warns."""


@dataclass(frozen=True, kw_only=True)
class Alignments:
    """Alignments of several families: what their confidence is computed from, and truth."""

    names: list
    family: np.ndarray  # (n,), place of a name
    witnesses: np.ndarray  # (n, 2)
    right: np.ndarray  # (n,), booleans


def halves(X, y, seed, width, missing=None):
    """Source, its labels, target through a random matrix of that many columns, its labels."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(X))
    middle = len(X) // 2
    s, t = order[:middle], order[middle:]
    A = rng.normal(size=(X.shape[1], width))
    if missing is not None:
        t = t[y[t] != missing]
    return X[s], y[s], X[t] @ A, y[t]


def parts_of_images(images, y, axis, cut):
    """Images without their last, and without their first, rows or columns."""
    n = len(images)
    size = images.shape[1 + axis]
    source = np.take(images, np.arange(size - cut), axis=1 + axis)
    target = np.take(images, np.arange(cut, size), axis=1 + axis)
    return source.reshape(n, -1), y, target.reshape(n, -1), y


def standard(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def quadruples(random_state, count, coil):
    """Four of objects 5 to 20 at a time, upper and lower three quarters of their images.

    Objects 1 to 4 are for the claims.
    """
    rng = np.random.default_rng(random_state)
    problems = []
    for _ in range(count):
        # object 5 has target 4
        objects = np.sort(rng.choice(np.arange(4, 20), 4, replace=False))
        rows = np.isin(coil.target, objects)
        images = coil.data[rows].reshape(-1, *coil.image_shape)
        y = np.searchsorted(objects, coil.target[rows])
        cut = images.shape[1] // 4
        problems.append(parts_of_images(images, y, 0, cut))
    return problems


def iris_problems(first):
    """Problems of iris with all classes, and with one missing in the target."""
    iris = load_iris()
    X, y = iris.data, iris.target
    seeds = 100 + np.arange(40) + first
    complete = [halves(X, y, seed, 10) for seed in seeds]
    missing = [halves(X, y, seed, 10, seed % 3) for seed in seeds[:20]]
    return {"iris": complete, "iris, a class missing": missing}


def table_problems(bunch, first, count):
    X = standard(bunch.data)
    width = 2 * X.shape[1]
    seeds = first + np.arange(count)
    return [halves(X, bunch.target, seed, width) for seed in seeds]


def digit_problems(first, axis):
    digits = load_digits()
    problems = []
    for seed in first + np.arange(4):
        order = np.random.default_rng(seed).permutation(len(digits.target))
        rows = order[:400]
        images, y = digits.images[rows], digits.target[rows]
        problems.append(parts_of_images(images, y, axis, 2))
    return problems


def families(first):
    """Problems of each family by its name, numbered from `first` on.

    Those from 0 on are those of the stored weights.
    """
    coil = load_or_substitute("coil20")[0]
    upper_and_lower = digit_problems(first, 0)
    left_and_right = digit_problems(first, 1)
    return iris_problems(first) | {
        "wine": table_problems(load_wine(), first, 20),
        "breast cancer": table_problems(load_breast_cancer(), first, 12),
        "COIL": quadruples(5 + first, 16, coil),
        "digits, upper and lower": upper_and_lower,
        "digits, left and right": left_and_right,
    }


def align(X, y, X_target, y_target):
    """Witnesses of the confidence, and whether the alignment is right."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = SharedLinearEmbedding(random_state=0).fit(X, X_target)
    classifier = SVC(kernel="linear").fit(model.source_embedding_, y)
    source_score = classifier.score(model.source_embedding_, y)
    score = classifier.score(model.target_embedding_, y_target)
    majority = np.bincount(y_target).max() / len(y_target)
    evidence = model.evidence_
    errors = min(evidence["gap_in_errors"], confidence.MAX_ERRORS)
    is_right = score >= (majority + source_score) / 2
    return errors, evidence["structure"], is_right


def measure(first):
    problems_of = families(first)
    jobs = []
    family = []
    for place, problems in enumerate(problems_of.values()):
        jobs += [delayed(align)(*problem) for problem in problems]
        family += [place for _ in problems]
    results = np.array(Parallel(2)(jobs), dtype=float)
    return Alignments(
        names=list(problems_of),
        family=np.array(family),
        witnesses=results[:, :2],
        right=results[:, 2] > 0,
    )


def together(first, second):
    witnesses = np.concatenate([first.witnesses, second.witnesses])
    right = np.concatenate([first.right, second.right])
    return Alignments(
        names=first.names,
        family=np.concatenate([first.family, second.family]),
        witnesses=witnesses,
        right=right,
    )


def confidence_of(witnesses, weights):
    """Confidence by (offset, per error, per distance)."""
    logit = weights[0] + witnesses @ weights[1:]
    return 1 / (1 + np.exp(-logit))


def fit(alignments):
    """Logistic weights, each family weighted the same."""
    family = alignments.family
    counts = np.bincount(family)
    n = len(alignments.right)
    balance = n / (len(counts) * counts[family])
    model = LogisticRegression(C=1.0)
    model.fit(alignments.witnesses, alignments.right, sample_weight=balance)
    return np.append(model.intercept_, model.coef_)


def report(alignments, weights):
    right = alignments.right
    p = confidence_of(alignments.witnesses, weights)
    for place, name in enumerate(alignments.names):
        rows = alignments.family == place
        print(
            f"  {name:24s} {rows.sum():3d} alignments, {right[rows].mean():4.0%} right, "
            f"mean confidence {p[rows].mean():.2f}"
        )
    for low, high in zip(BINS[:-1], BINS[1:], strict=True):
        rows = (p >= low) & ((p < high) | (high == BINS[-1]))
        text = f"  confidence {low:.2f} to {high:.2f}: {rows.sum():3d} "
        if rows.any():
            text += f"{right[rows].mean():4.0%} right"
        print(text)
    sure = p >= ENOUGH
    wrong_and_sure = np.sum(sure & ~right)
    right_and_unsure = np.sum(~sure & right)
    brier = np.mean((p - right) ** 2)
    print(
        f"  wrong and sure: {wrong_and_sure} of {np.sum(~right)} wrong ones; right and not sure: "
        f"{right_and_unsure} of {right.sum()} right ones; Brier score {brier:.3f}",
        flush=True,
    )


def main():
    stored = np.array(confidence.LINEAR_WEIGHTS)
    first, second = measure(0), measure(100)
    renewed = fit(first)
    print(
        f"stored weights {stored.tolist()}, fitted anew {renewed.round(2).tolist()}"
    )
    for title, alignments in (
        ("the draws of the fit", first),
        ("other draws", second),
    ):
        print(f"{title}, stored weights")
        report(alignments, stored)
        print(f"{title}, weights fitted anew")
        report(alignments, renewed)
    of_both = fit(together(first, second))
    print(f"fitted to both {of_both.round(2).tolist()}")


if __name__ == "__main__":
    main()
