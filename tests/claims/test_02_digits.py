"""Claims of Tai2019 about digits and Scene: what lambda does, the limit at 0, combinations, and problems left open."""

import numpy as np
import pytest
from numpy.linalg import norm
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsTransformer

from toolkit.datasets import load, make_torus
from toolkit.eigenmaps import SLEML
from toolkit.multilabel import label_sets
from toolkit.quality import knn_error

from .draws import permuted, summary, sweep

LAMBDAS = [0, 0.2, 0.4, 0.6, 0.8, 1]


@pytest.fixture
def digits():
    return load_digits(return_X_y=True)


def test_le_10_small_lambda_separates_any_labels(check_claim, digits):
    X, y = digits
    labellings = [y, *(permuted(y, 1 + i) for i in range(5))]
    paths = [SLEML().fit(X, labels).path([0.2, 0.9])[0] for labels in labellings]
    errors = [
        [knn_error(Z, w, 5) for Z in Zs]
        for Zs, w in zip(paths, labellings, strict=True)
    ]
    true, tens = errors[0], np.array(errors[1:])
    check_claim(
        "LE-10",
        **summary(tens, ddof=0),
        ok=tens[:, 0].max() < 0.45 and np.abs(tens[:, 1] - 0.9).max() <= 0.05,
        note=f"true labels at the same lambda: {true[0]:.3f} and {true[1]:.3f}",
    )


def both_errors(fitted, y, X_new, y_new):
    """In-sample and held-out error of a map."""
    Z = fitted.embedding_
    return [
        knn_error(Z, y, 5),
        knn_error(Z, y, 5, Z_new=fitted.transform(X_new), y_new=y_new),
    ]


def errors_by_lambda(draw):
    """In-sample and held-out error by lambda on a subsample."""
    X, y = load_digits(return_X_y=True)
    a, b, _ = np.split(
        permuted(len(X), draw), [len(X) // 2 + 2, len(X) // 2 + len(X) // 4 + 3]
    )
    fits = [SLEML(lam=lam).fit(X[a], y[a]) for lam in LAMBDAS]
    return [both_errors(f, y[a], X[b], y[b]) for f in fits]


def test_le_03_errors_grow_with_lambda(check_claim, digits):
    # (draws, in-sample or held-out, lambdas)
    errors = sweep(errors_by_lambda, range(10)).swapaxes(1, 2)
    n = len(digits[1])
    check_claim(
        "LE-03",
        **summary(errors, ddof=0),
        ok=(np.diff(errors.mean(0)) >= -errors.std(0)[:, 1:]).all(),
        seed=0,
        note=f"""in-sample, then held-out at lambda 0 to 1, 10 subsamples of {n // 2 + 2} and {n // 4 + 1}; held-out
        samples are placed with the labels that five neighbours of the features predict""",
    )


def points_of_sets(Z, group):
    """Largest spread within a label set, and smallest gap between the points of two, by the diameter."""
    members = [Z[group == s] for s in range(group.max() + 1)]
    points = np.array([part.mean(0) for part in members])
    gaps = norm(points[:, None] - points, axis=-1)
    within = max(np.ptp(part, 0).max() for part in members) / np.ptp(Z, 0).max()
    return within, gaps[np.triu_indices(len(points), 1)].min() / gaps.max()


def test_le_02_each_label_set_shrinks_to_a_point(check_claim, digits):
    scene, (X, y) = load("scene"), digits
    sets, set_of, _ = label_sets(scene.target, list(scene.target_names))
    fits = [
        (SLEML().fit(X, y), y),
        *((SLEML(m).fit(scene.data, scene.target), set_of) for m in (2, 3)),
    ]
    falls, gaps = [], []
    # at 0, the limit, the spread within sets is zero by construction
    for fit, group in fits:
        within, between = np.array(
            [points_of_sets(Z, group) for Z in fit.path([1e-3, 1e-4, 0])[0]]
        ).T
        falls.append(np.log10(within[0] / within[1]))
        gaps.append(between[2])
    check_claim(
        "LE-02",
        [*falls, *gaps],
        np.abs(np.array(falls) - 1).max() <= 0.05 and gaps[0] > 0.01,
        note=f"""digits, Scene in two and in three dimensions: slope of the spread within sets against lambda, then
        the least gap between sets over the diameter. In the plane two of the {len(sets)} sets of Scene come that
        close, with a third dimension they do not""",
    )


def position(mean, a, b):
    """Where `mean` is along the line from a to b, 0 to 1, and how far from it, by its length."""
    line = b - a
    length = norm(line, axis=-1)
    t = np.sum((mean - a) * line, -1) / length**2
    return t, norm(mean - a - t[..., None] * line, axis=-1) / length


def between(t, off):
    return (t > 0.3) & (t < 0.7) & (off < 0.5)


def test_le_07_combinations_lie_between_their_parts(check_claim):
    scene = load("scene")
    sets, set_of, set_names = label_sets(scene.target, list(scene.target_names))
    Z = SLEML(lam=0.5).fit_transform(scene.data, scene.target)
    other = SLEML(n_neighbors=round(1.5 * len(Z) / sets.shape[1])).fit_transform(
        scene.data, scene.target
    )
    means = np.array([Z[set_of == s].mean(0) for s in range(len(sets))])
    single, two = (np.flatnonzero(sets.sum(1) == k) for k in (1, 2))
    alone = single[sets[single].argmax(1).argsort()]  # by label
    i, j = sets[two].nonzero()[1].reshape(-1, 2).T
    found = position(means[two], means[alone[i]], means[alone[j]])
    draws = np.random.default_rng(0)
    a, b, c = np.transpose([draws.choice(single, 3, replace=False) for _ in range(100)])
    chance = position(means[c], means[a], means[b])
    members = [
        set_names.index(name)
        for name in ("FallFoliage + Field", "FallFoliage", "Field")
    ]
    readings = {
        "labels per class": position(*means[members]),
        "samples over classes": position(
            *(other[set_of == s].mean(0) for s in members)
        ),
    }
    check_claim(
        "LE-07",
        seed=0,
        readings={
            name: {"value": v, "ok": between(*v)} for name, v in readings.items()
        },
        note=f"""{between(*found).sum()} of {len(two)} two-label sets lie between their parts, of 100 random
        triples of single labels {between(*chance).sum()}""",
    )


def rare_recall(lam, weight, draw, X, y):
    """Share of the new eights that a map with twelve of them finds."""
    order = permuted(len(X), draw)
    eights, others = order[y[order] == 8], order[y[order] != 8]
    a = np.concatenate([eights[:12], others[: len(others) // 2]])
    fitted, b = SLEML(lam=lam, class_weight=weight).fit(X[a], y[a]), eights[12:]
    return 1 - both_errors(fitted, y[a], X[b], y[b])[1]


def test_le_09_new_samples_rare_classes_many_samples(check_claim, digits):
    X, y = digits
    train, test = train_test_split(
        np.arange(len(X)), test_size=1 / 3, random_state=0, stratify=y
    )
    errors = []
    for labels in (y, permuted(y)):
        fitted = SLEML(lam=0.5).fit(X[train], labels[train])
        errors += both_errors(fitted, labels[train], X[test], labels[test])
    inside, new, lucky, lucky_new = errors
    recalls = sweep(
        rare_recall, (0.5, 0.9), (None, "balanced"), range(5), X=X, y=y
    ).mean(-1)
    raw = knn_error(X[train], y[train], 5, Z_new=X[test], y_new=y[test])
    n = 100_000
    large = make_torus(n, n_garbage=2, garbage=0.1, jitter=0.05, random_state=0)
    search = KNeighborsTransformer(n_neighbors=15, algorithm="kd_tree")
    big = SLEML(lam=0.5, neighbors=search, keep_balance=True).fit(
        large.data, large.target
    )
    check_claim(
        "LE-09",
        [inside, new, *recalls[0]],
        abs(new - inside) <= 0.03
        and np.diff(recalls).min() > 0
        and big.residual_ < 1e-8,
        seed=0,
        note=f"""lambda = .5: in-sample and held-out error (pixels {raw:.3f}, permuted labels {lucky:.3f} and
        {lucky_new:.3f}); recall of a rare class plain and balanced (at .9 {recalls[1, 0]:.3f} and
        {recalls[1, 1]:.3f}); n = {n:,}: residual {big.residual_:.0e}""",
    )
