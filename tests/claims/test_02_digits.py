"""Claims of Tai2019 about digits and Scene: what lambda does, the limit at 0,
combinations, and problems left open.
"""

import numpy as np
from scipy.spatial.distance import pdist
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsTransformer

from toolkit.datasets import load, make_torus
from toolkit.eigenmaps import SLEML
from toolkit.multilabel import label_sets
from toolkit.quality import knn_error

from .draws import digits, held_out_error, permute, summary, sweep

LAMBDAS = [0, 0.2, 0.4, 0.6, 0.8, 1]


def test_le_10_small_lambda_separates_any_labels(check_claim):
    X, y = digits()
    true, *tens = (
        [knn_error(Z, w, 5) for Z in SLEML().fit(X, w).path([0.2, 0.9])[0]]
        for w in (y, *(permute(y, 1 + i) for i in range(5)))
    )
    at_small, at_large = np.transpose(tens)
    check_claim(
        "LE-10",
        **summary(tens, ddof=0),
        ok=at_small.max() < 0.45 and np.abs(at_large - 0.9).max() <= 0.05,
        note=f"true labels at the same lambda: {true[0]:.3f} and {true[1]:.3f}",
    )


def both_errors(fitted, y, X_new, y_new):
    """In-sample and held-out error of a map."""
    return [
        knn_error(fitted.embedding_, y, 5),
        held_out_error(fitted, y, X_new, y_new, 5),
    ]


def errors_by_lambda(draw):
    """In-sample and held-out error by lambda on a subsample."""
    X, y = digits()
    a, b, _ = np.split(permute(len(X), draw), [900, 1350])
    fits = [SLEML(lam=lam).fit(X[a], y[a]) for lam in LAMBDAS]
    return np.transpose([both_errors(fit, y[a], X[b], y[b]) for fit in fits])


def test_le_03_errors_grow_with_lambda(check_claim):
    # (draws, in-sample or held-out, lambdas)
    errors = sweep(errors_by_lambda, range(10))
    check_claim(
        "LE-03",
        **summary(errors, ddof=0),
        ok=(np.diff(errors.mean(0)) >= -errors.std(0)[:, 1:]).all(),
        seed=0,
        note="""in-sample, then held-out at lambda 0 to 1, 10 subsamples of 900 and 450;
        held-out samples are placed with the labels that five neighbours of the features
        predict""",
    )


def points_of_sets(Z, group):
    """Largest spread within a label set, and smallest gap between the points of two, by
    the diameter.
    """
    members = [Z[group == s] for s in range(group.max() + 1)]
    points = np.array([part.mean(0) for part in members])
    within = max(np.ptp(part, 0).max() for part in members) / np.ptp(Z, 0).max()
    gaps = pdist(points)
    return within, gaps.min() / gaps.max()


def test_le_02_each_label_set_shrinks_to_a_point(check_claim):
    X, y = digits()
    scene = load("scene")
    sets, set_of, _ = label_sets(scene.target, list(scene.target_names))
    plane, space = (SLEML(m).fit(scene.data, scene.target) for m in (2, 3))
    falls = []
    gaps = []
    # at 0, the limit, the spread within sets is zero by construction
    for fit, group in (
        (SLEML().fit(X, y), y),
        (plane, set_of),
        (space, set_of),
    ):
        maps, _ = fit.path([1e-3, 1e-4, 0])
        (wide, _), (small, _), (_, gap) = (
            points_of_sets(Z, group) for Z in maps
        )
        falls.append(np.log10(wide / small))
        gaps.append(gap)
    check_claim(
        "LE-02",
        [*falls, *gaps],
        np.abs(np.array(falls) - 1).max() <= 0.05 and gaps[0] > 0.01,
        note=f"""digits, Scene in two and in three dimensions: slope of the spread
        within sets against lambda, then the least gap between sets over the diameter.
        In the plane two of the {len(sets)} sets of Scene come that close, with a third
        dimension they do not""",
    )


def position(mean, a, b):
    """Where `mean` is along the line from a to b, 0 to 1, and how far from it, by its
    length; of places in the plane of complex numbers.
    """
    way = (mean - a) / (b - a)
    return way.real, abs(way.imag)


def between(t, off):
    return (t > 0.3) & (t < 0.7) & (off < 0.5)


def test_le_07_combinations_lie_between_their_parts(check_claim):
    scene = load("scene")
    sets, set_of, names = label_sets(scene.target, list(scene.target_names))
    n, d = scene.target.shape
    models = SLEML(lam=0.5), SLEML(n_neighbors=round(1.5 * n / d))
    means, others = (
        np.array([Z[set_of == s].mean() for s in range(len(sets))])
        for Z in (
            model.fit_transform(scene.data, scene.target) @ [1, 1j]
            for model in models
        )
    )
    single, two = (np.flatnonzero(sets.sum(1) == k) for k in (1, 2))
    alone = means[single[sets[single].argmax(1).argsort()]]  # by label
    i, j = sets[two].nonzero()[1].reshape(-1, 2).T
    found = position(means[two], alone[i], alone[j])
    draws = np.random.default_rng(0)
    a, b, c = np.transpose(
        [draws.choice(single, 3, replace=False) for _ in range(100)]
    )
    chance = position(means[c], means[a], means[b])
    members = [
        names.index(name)
        for name in ("FallFoliage + Field", "FallFoliage", "Field")
    ]
    readings = {}
    for name, points in {
        "labels per class": means,
        "samples over classes": others,
    }.items():
        value = position(*points[members])
        readings[name] = {"value": value, "ok": between(*value)}
    check_claim(
        "LE-07",
        seed=0,
        readings=readings,
        note=f"""{between(*found).sum()} of {len(two)} two-label sets lie between their
        parts, of 100 random triples of single labels {between(*chance).sum()}""",
    )


def rare_recall(lam, weight, draw):
    """Share of the new eights that a map with twelve of them finds."""
    X, y = digits()
    order = permute(len(X), draw)
    eights = order[y[order] == 8]
    others = order[y[order] != 8]
    a = np.concatenate([eights[:12], others[: len(others) // 2]])
    fitted = SLEML(lam=lam, class_weight=weight).fit(X[a], y[a])
    b = eights[12:]
    return 1 - held_out_error(fitted, y[a], X[b], y[b], 5)


def test_le_09_new_samples_rare_classes_many_samples(check_claim):
    X, y = digits()
    A, B, a, b, lucky_a, lucky_b = train_test_split(
        X, y, permute(y), test_size=1 / 3, random_state=0, stratify=y
    )
    inside, new = both_errors(SLEML(lam=0.5).fit(A, a), a, B, b)
    lucky = both_errors(SLEML(lam=0.5).fit(A, lucky_a), lucky_a, B, lucky_b)
    weights = None, "balanced"
    recalls = sweep(rare_recall, (0.5, 0.9), weights, range(5)).mean(-1)
    n = 100_000
    large = make_torus(
        n, n_noise=2, noise_scale=0.1, jitter=0.05, random_state=0
    )
    search = KNeighborsTransformer(n_neighbors=15, algorithm="kd_tree")
    big = SLEML(lam=0.5, neighbors=search, keep_balance=True)
    big.fit(large.data, large.target)
    check_claim(
        "LE-09",
        [inside, new, *recalls[0]],
        abs(new - inside) <= 0.03
        and np.diff(recalls).min() > 0
        and big.residual_ < 1e-8,
        seed=0,
        note=f"""lambda = .5: in-sample and held-out error (pixels
        {knn_error(A, a, 5, Z_new=B, y_new=b):.3f}, permuted labels {lucky[0]:.3f} and
        {lucky[1]:.3f}); recall of a rare class plain and balanced (at .9
        {recalls[1, 0]:.3f} and {recalls[1, 1]:.3f}); n = {n:,}: residual
        {big.residual_:.0e}""",
    )
