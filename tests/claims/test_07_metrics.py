"""Claims of the thesis, section 4.3.5: bounds on the relevance of features for learned metrics."""

from functools import partial

import numpy as np
from pytest import fixture
from scipy.stats import binomtest
from sklearn.model_selection import GroupShuffleSplit, train_test_split
from sklearn.preprocessing import StandardScaler

from toolkit.bounds import equivalence, metric_bounds, principal_rows
from toolkit.datasets import load, make_xor_copies
from toolkit.lmnn import LMNN
from toolkit.lvq import GMLVQ

from .coefficient_paths import coefficient_paths
from .draws import by_name, listed, over, summary, sweep

# Bounds below this share of the largest upper bound count as none, as the rules say.
SMALL = 0.05


def split(X, y, train, other):
    """Both parts, standardised by the training part."""
    scaler = StandardScaler().fit(X[train])
    return scaler.transform(X[train]), y[train], scaler.transform(X[other]), y[other]


def error(model, X, y):
    return np.mean(model.predict(X) != y)


def regularised(model, X, y, X_other, y_other, dimension, keep_images=False):
    """Bounds at one effective dimension; the mean error of the 2 d regularised mappings on the training samples, and
    on each other sample; both errors of the averaged map. Prototypes stay in place,
    unless their images are to stay.
    """
    bounds = metric_bounds(model, X, X.shape[1] - dimension)
    like = principal_rows(model) if keep_images else None
    wrong = np.zeros(len(X) + len(X_other))
    both, classes = np.vstack([X, X_other]), np.append(y, y_other)
    for Omega in bounds.mappings:
        wrong += model.with_metric(Omega, like=like).predict(both) != classes
    wrong /= len(bounds.mappings)
    average = model.with_metric(bounds.average, like=like)
    return (
        bounds,
        wrong[: len(X)].mean(),
        wrong[len(X) :],
        [error(average, X, y), error(average, X_other, y_other)],
    )


def chosen(errors, m):
    """Index of the smallest dimension whose error is within one standard error of the least, on m samples."""
    least = errors.min()
    return np.argmax(errors <= least + np.sqrt(least * (1 - least) / m) + 1e-12)


def nested(wrong):
    """Mean error on a half of the other samples at the dimension that the other half chose, over twenty halvings.

    `wrong` is (dimensions, samples).
    """
    rng, half = np.random.default_rng(0), wrong.shape[1] // 2
    found = []
    for _ in range(20):
        a, b = np.split(rng.permutation(wrong.shape[1]), [half])
        found.append(wrong[chosen(wrong[:, a].mean(1), half), b].mean())
    return np.mean(found)


# ------------------------------------------------------------------------------------------------------
# exclusive or


def xor(seed, full=False, slack=1.01, starts=1, data=(), **settings):
    """What the claims ask of one draw: 200 training samples and as many others, two prototypes a class.

    Of several starts the model of least cost is taken; `full` adds curve and paths.
    """
    toy = make_xor_copies(400, random_state=seed, **dict(data))
    parts = split(toy.data, toy.target, np.arange(200), np.arange(200, 400))
    X, y, X_other, y_other = parts
    settings = {"prototypes_per_class": 2} | settings
    models = [
        GMLVQ(**settings, random_state=seed + 100 * s).fit(X, y) for s in range(starts)
    ]
    model = min(models, key=lambda m: m.history_["cost"][-1])
    rows = principal_rows(model)
    bounds = metric_bounds(model, X, 3, slack)
    copies = rows[np.argmax(np.abs(rows[:, :3]).sum(1))]
    variances = equivalence(X, 3).variances
    found = {
        "errors": [error(model, X, y), error(model, X_other, y_other)],
        "given up": np.sqrt(variances[3] / variances[0]),
        "first": model.eigenvalues_[0],
        "cost": model.history_["cost"][-1],
        "lower": bounds.lower / bounds.upper.max(),
        "upper": bounds.upper / bounds.upper.max(),
        "leading": np.abs(rows[0]) / np.abs(rows[0]).max(),
        "copies": np.abs(copies[:3]) / np.abs(copies).max(),
    }
    if full:
        found["curve"] = [regularised(model, *parts, k)[2].mean() for k in range(1, 6)]
        found["paths"] = []
        # lasso, elastic net, ridge
        for path in coefficient_paths(X, X @ copies).values():
            half = np.argmin(np.abs(path.norm - path.norm.max() / 2))
            found["paths"].append(np.abs(path.coefficients[half, :3]))
    return found


def pattern(found):
    """Parts of the pattern by draw: no error; idle features; feature 4 needed; copies alike; none of them needed."""
    lower, upper = found["lower"], found["upper"]
    return np.column_stack(
        [
            (found["errors"] == 0).all(1),
            (upper[:, 4:] < SMALL).all(1),
            lower[:, 3] >= 0.8 * upper[:, 3],
            upper[:, :3].min(1) >= 0.8 * upper[:, :3].max(1),
            (lower[:, :3] < SMALL).all(1),
        ]
    )


def orders(values):
    """Number of different orders of the copies."""
    return len(np.unique(np.argsort(-values, 1), axis=0))


VARIANTS = {
    "k-means start": {"prototype_init": "kmeans"},
    "best of four starts": {"omega_init": "random", "starts": 4},
    "rank one": {"rank": 1, "prototype_init": "kmeans", "omega_init": "random"},
    "slack 1.02": {"slack": 1.02},
    "slack 1.1": {"slack": 1.1},
    "noise .05": {"data": {"noise": 0.05}},
    "noise .02, best of four": {
        "data": {"noise": 0.02},
        "omega_init": "random",
        "starts": 4,
    },
    "noise .05, best of four": {
        "data": {"noise": 0.05},
        "omega_init": "random",
        "starts": 4,
    },
    "noise .1, best of four": {
        "data": {"noise": 0.1},
        "omega_init": "random",
        "starts": 4,
    },
    "classes 8 to 2": {"data": {"share": 0.8}},
}


NEAR_NULL = "noise .05"
READINGS = {
    "copies near null": NEAR_NULL,
    "copies near null, best of four starts": "noise .05, best of four",
    "copy noise .2": "",
}
"""The thesis gives three directions up as null but prints no noise. One counts as near null where its standard
deviation is below .05 of the largest, the limit for bounds that count as none."""
OTHERS = [name for name in VARIANTS if name not in READINGS.values()]


@fixture(scope="module")
def draws():
    """By variant, "" for the defaults, and by measure: what ten draws have; the curve where the data differ."""
    found = {}
    for name, settings in ({"": {}} | VARIANTS).items():
        runs = over(
            partial(xor, full=not settings or "data" in settings, **settings), range(10)
        )
        found[name] = {key: np.array([run[key] for run in runs]) for key in runs[0]}
    return found


def test_re_14_pattern_of_xor(check_claim, draws):
    holds = {name: pattern(found) for name, found in draws.items()}  # each (10, 5)
    whole = {name: h.all(1).mean() for name, h in holds.items()}
    given_up = {name: found["given up"] for name, found in draws.items()}
    lower, upper = (draws[NEAR_NULL][side].mean(0) for side in ("lower", "upper"))
    # the noise is chosen by this, not by the claim
    assert given_up[NEAR_NULL].max() < SMALL < given_up[""].min()
    check_claim(
        "RE-14",
        seed=range(10),
        readings={
            name: {"value": [whole[key], *holds[key].mean(0)], "ok": whole[key] > 0.5}
            for name, key in READINGS.items()
        },
        note=f"""share of ten draws with the whole pattern (more than half counts); no error, idle 5 and 6, needed 4,
        copies with upper bounds within 20 % of each other, none of them needed. Copies near null have noise of .05:
        standard deviation of the strongest direction given up {given_up[NEAR_NULL].mean():.3f} of the largest, with
        noise .2 {given_up[""].mean():.3f} (limit {SMALL}). Mean lower bounds {listed(lower)}, upper {listed(upper)}
        of the largest. With noise of .2 one copy maps a little better, slack 1.01 leaves the others no room. Whole
        pattern, copies alike, dispensable, idle 5 and 6, otherwise: """
        + by_name(
            OTHERS, [[whole[n], *holds[n][:, [3, 4, 1]].mean(0)] for n in OTHERS], 1
        ),
    )


def test_re_30_plain_weights_mislead(check_claim, draws):
    def parts(found):
        copies, upper = found["copies"], found["upper"]
        near = (np.abs(upper[:, :3] / upper[:, 3:4] - 1) <= 0.2).all(1)
        return (
            found["first"] > 0.9,
            copies.min(1) / copies.max(1),
            orders(copies),
            near.mean(),
        )

    found = {name: parts(values) for name, values in draws.items()}
    readings = {}
    for name, key in READINGS.items():
        single, even, n_orders, near = found[key]
        holds = (
            single.mean() > 0.5
            and np.mean(even < 0.95) > 0.5
            and n_orders > 1
            and near > 0.5
        )
        readings[name] = {
            "value": [single.mean(), even.mean(), n_orders, near],
            "ok": holds,
        }
    single, cost = found[""][0], draws[""]["cost"]
    leading = draws[NEAR_NULL]["leading"][found[NEAR_NULL][0]]
    leading = leading if len(leading) else draws["rank one"]["leading"]
    check_claim(
        "RE-30",
        seed=range(10),
        readings=readings,
        note=f"""share of ten draws with a first eigenvalue above .9; least over largest plain weight of the copies
        and number of their orders; share of draws with upper bounds within 20 % of feature 4's. Copies near null as
        in RE-14; where they have one mapping the mean plain weights are
        {listed(leading.mean(0))} of the largest. With noise of .2 one mapping in {single.sum()}
        of ten (cost {listed(cost[single].mean() if single.any() else [], 3)}; two, feature 4 and the copies,
        {listed(cost[~single].mean() if (~single).any() else [], 3)}; restricted to rank one
        {draws["rank one"]["cost"].mean():.3f}). Otherwise draws with one mapping, and share near
        feature 4: """
        + "; ".join(
            f"{name} {found[name][0].sum()}, {found[name][3]:.1f}" for name in OTHERS
        ),
    )


def test_re_31_effective_dimension_of_xor(check_claim, draws):
    found = {
        name: values["curve"] for name, values in draws.items() if "curve" in values
    }
    smallest = {
        name: np.where((c == 0).any(1), (c == 0).argmax(1) + 1, 6)
        for name, c in found.items()
    }
    values = {
        name: [np.median(smallest[name]), *np.median(curve, 0)]
        for name, curve in found.items()
    }
    readings = {}
    for name, key in READINGS.items():
        dimension, at_one, at_two, *_ = values[key]
        readings[name] = {
            "value": values[key],
            "ok": dimension == 3 and at_two < 0.1 and at_one > at_two,
        }
    check_claim(
        "RE-31",
        seed=range(10),
        readings=readings,
        note="""medians of ten draws: smallest effective dimension without test error; test error at dimensions 1 to
        5, means over the 12 mappings. At 2 the error stays high in every variant: with classes of one size the
        irrelevant pair has more variance (2) than feature 4 (1), so that two dimensions hold the copies and the
        pair. Otherwise: """
        + "; ".join(
            f"{name} {values[name][0]:g}: {listed(values[name][1:4])}"
            for name in OTHERS
            if name in found
        ),
    )


def test_re_15_paths_of_three_penalties(check_claim, draws):
    paths = draws[""]["paths"]  # (draws, penalties, copies)
    even = np.mean(paths.min(2) / paths.max(2), 0)
    gone = np.sum(paths[:, 0] == 0, 1).mean()
    n_orders = [orders(values) for values in paths.swapaxes(0, 1)]
    check_claim(
        "RE-15",
        [*n_orders, *even],
        n_orders[0] > 1,
        range(10),
        note=f"""lasso, elastic net and ridge, the mapping that carries the copies, at half the final
        L1 norm, ten draws: number of orders of the copies, mean of the least over the largest of their weights. The
        lasso leaves {gone:.1f} of three copies out on average, the others none, and none shows that each one could
        be""",
    )


# -------------------------------------------------------------------------------------------
# spectra: tecator, wine


def three_classes(target):
    return np.digitize(target, np.quantile(target, [1 / 3, 2 / 3]))


def spectra(name):
    """Training part (the source's test part) and the others, standardised, with three classes of one size."""
    bunch = load(name)
    test, keep = np.asarray(bunch.is_test).astype(bool), np.ones(len(bunch.data), bool)
    if name == "wine_spectra":
        keep[[33, 34, 83]] = False  # outliers, counted from 1 in the source
    y = np.empty(len(keep), int)
    y[keep] = three_classes(bunch.target[keep])
    return split(
        bunch.data, y, np.flatnonzero(test & keep), np.flatnonzero(~test & keep)
    )


# Of the descent, chosen on the errors printed for tecator; the thesis says neither
# solver nor steps.
STEPS = 80


def stages(parts, steps, rank=2, start="pca", seed=0):
    """Models of one descent after so many steps, of which 1000 are its end."""
    return GMLVQ(rank=rank, omega_init=start, random_state=seed).snapshots(
        *parts[:2], steps
    )


def errors_of(models, parts):
    return [[error(model, *parts[:2]), error(model, *parts[2:])] for model in models]


def curves(models, parts, dimensions):
    """For each model and dimension what `regularised` returns."""
    return [over(partial(regularised, model, *parts), dimensions) for model in models]


def sparsity(bounds):
    """Shares of features with an upper bound below 1 % of the largest, and with a lower one above 5 %."""
    most = bounds.upper.max()
    return np.mean(bounds.upper < 0.01 * most), np.mean(bounds.lower > SMALL * most)


def resplit(seed):
    """Errors on a random fifth and the rest, repeated spectra on one side: (rank two or full, start, stop, 2)."""
    bunch = load("tecator")
    groups = np.unique(bunch.data, axis=0, return_inverse=True)[1]
    train, other = next(
        GroupShuffleSplit(1, train_size=0.2, random_state=seed).split(
            bunch.data, groups=groups
        )
    )
    parts = split(bunch.data, three_classes(bunch.target), train, other)
    return [
        [
            errors_of(stages(parts, [STEPS, 1000], rank, start, seed), parts)
            for start in ("random", "pca")
        ]
        for rank in (2, None)
    ]


@fixture(scope="module")
def fifths(by_scale):
    """Errors (splits, rank two or full, random start or principal axes, 80 steps or the optimum, 2)."""
    return sweep(resplit, range(by_scale(4, 20, 100)))


def test_re_16_tecator(check_claim, by_scale, fifths):
    parts = spectra("tecator")
    X, _, X_other, y_other = parts
    dimensions = by_scale([5, 9], [3, 5, 6, 7, 8, 9, 10, 12], list(range(1, 31)))
    models = stages(parts, [STEPS, 1000])
    early, late = curves(models, parts, dimensions)
    wrong, wrong_early = (np.array([c[2] for c in curve]) for curve in (late, early))
    kept = [
        c[2].mean()
        for c in over(
            partial(regularised, models[1], *parts, keep_images=True), dimensions
        )
    ]
    k, k_early = (chosen(w.mean(1), len(y_other)) for w in (wrong, wrong_early))
    bounds, _, _, average = late[k]
    steps, seeds = [30, 60, STEPS, 100, 200, 1000], range(by_scale(2, 10, 20))
    way = sweep(
        lambda s: errors_of(stages(parts, steps, start="random", seed=s), parts), seeds
    )
    mean, stopped = way.mean(0), way[:, steps.index(STEPS)]
    fresh = ~(X_other[:, None] == X[None]).all(2).any(1)
    middle, ends = np.median([stopped, way[:, -1]], 1)
    readings = {
        f"{STEPS} steps": summary(stopped),
        "random fifths": summary(fifths[:, 0, 1, 1]),
        f"random fifths, {STEPS} steps": summary(fifths[:, 0, 0, 0]),
    }
    for name, errors in zip(
        (f"{STEPS} steps, principal axes", "optimum"),
        errors_of(models, parts),
        strict=True,
    ):
        readings[name] = {"value": errors}
    check_claim(
        "RE-16",
        seed=seeds,
        readings=readings,
        note=f"""GMLVQ of rank two, terciles of fat, training and test part exchanged; of the descent from random
        matrices the mean of {len(seeds)} starts:
        {", ".join(f"{s} steps {listed(w)}" for s, w in zip(steps, mean, strict=True))}, with medians of
        {listed(middle)} after {STEPS} and {listed(ends)} at the end: some starts go wrong. The optimum from
        principal axes errs in {error(models[1], X_other[fresh], y_other[fresh]):.3f} without the {np.sum(~fresh)}
        test spectra that are in the training part too. Test error of the regularised mappings at dimensions
        {listed(dimensions, 0)}, from principal axes: after {STEPS} steps
        {listed(wrong_early.mean(1))}, chosen {dimensions[k_early]} (printed 9), at the optimum
        {listed(wrong.mean(1))}, chosen {dimensions[k]}, errors of the averaged map {listed(average)}; with the
        images of the prototypes kept in place of their places {listed(kept)}; chosen on one half of the test
        samples, the other half errs in {nested(wrong):.3f}. Upper bounds below 1 % of the largest, lower ones
        above 5 %: {listed(sparsity(early[k_early][0]))} of the features after {STEPS} steps,
        {listed(sparsity(bounds))} at the optimum, where the median upper bound is
        {np.median(bounds.upper) / bounds.upper.max():.2f} of the largest and slack 1.01 alone gives
        {0.01 * sum(row.mu for row in bounds.rows) / bounds.upper.max():.2f}""",
    )


def signs(a, b):
    """How often a is below b, above it, and the p-value of the two-sided sign test."""
    below, above = np.sum(a < b), np.sum(a > b)
    return (
        below,
        above,
        binomtest(below, below + above).pvalue if below + above else 1.0,
    )


def test_re_32_rank_two(check_claim, fifths):
    readings, told = {}, []
    for i, start in enumerate(("random starts", "principal axes")):
        for j, stop in enumerate((f"{STEPS} steps", "optimum")):
            found = fifths[:, :, i, j]  # (splits, ranks, 2)
            (two, full), name = found.mean(0), f"{stop}, {start}"
            readings[name] = summary(found) | {
                "ok": abs(two[0] - full[0]) <= 0.02 and two[1] <= full[1]
            }
            told.append(
                "{} {} lower, {} higher, p = {:.2f}".format(
                    name, *signs(found[:, 0, 1], found[:, 1, 1])
                )
            )
    check_claim(
        "RE-32",
        seed=range(len(fifths)),
        readings=readings,
        note=f"""training and test error at rank two, then at full rank, means of {len(fifths)} random fifths for
        training. Test error at rank two, sign test: {"; ".join(told)}""",
    )


WINE = {"quick": [7], "default": [3, 5, 7, 9], "paper": list(range(1, 31))}


@fixture(scope="module")
def wine(scale, by_scale):
    """By stop: models, their errors, and for each model and dimension what `regularised` returns."""
    parts, starts = spectra("wine_spectra"), by_scale(2, 10, 10)
    found = {
        f"{STEPS} steps": [
            stages(parts, [STEPS], start="random", seed=s)[0] for s in range(starts)
        ]
    }
    names = f"{STEPS} steps, principal axes", "optimum"
    found |= {
        name: [model]
        for name, model in zip(names, stages(parts, [STEPS, 1000]), strict=True)
    }
    return {
        name: (
            models,
            np.array(errors_of(models, parts)),
            curves(models, parts, WINE[scale]),
        )
        for name, models in found.items()
    }


def over_models(values):
    """A reading of one model or more, of which the first has no spread."""
    return summary(values) if len(values) > 1 else {"value": values[0]}


def test_re_17_wine_spectra(check_claim, scale, wine):
    readings, told = {}, []
    for name, (_, errors, found) in wine.items():
        # (models, dimensions, samples)
        wrong = np.array([[c[2] for c in curve] for curve in found])
        k = [chosen(w.mean(1), w.shape[1]) for w in wrong]
        values = [
            [e[1], w[i].mean(), WINE[scale][i]]
            for e, w, i in zip(errors, wrong, k, strict=True)
        ]
        plain, regular, _ = np.mean(values, 0)
        readings[name] = over_models(values) | {"ok": regular <= 2 / 3 * plain}
        idle = np.mean(
            [sparsity(curve[i][0])[0] for curve, i in zip(found, k, strict=True)]
        )
        told.append(
            f"""{name} {listed(wrong.mean((0, 2)))}, training error {errors[:, 0].mean():.2f}, chosen on one
            half of the test samples the other half errs in {np.mean([nested(w) for w in wrong]):.3f}, upper
            bounds below 1 % of the largest {idle:.2f} of the features"""
        )
    check_claim(
        "RE-17",
        seed=range(len(wine[f"{STEPS} steps"][0])),
        readings=readings,
        note=f"""test error as trained and regularised, dimension. {STEPS} steps alone are the mean of random starts,
        the optimum is from principal axes. Test errors at dimensions {listed(WINE[scale], 0)}: """
        + "; ".join(told),
    )


def test_re_33_averaged_map_of_wine_spectra(check_claim, scale, wine):
    printed, readings, told = WINE[scale].index(7), {}, []
    for name, (models, _, found) in wine.items():
        own = [
            chosen(np.array([c[2].mean() for c in curve]), len(curve[0][2]))
            for curve in found
        ]
        for label, at in (
            (name, own),
            (f"{name}, dimension 7", [printed] * len(models)),
        ):
            values, both = [], []
            for model, curve, k in zip(models, found, at, strict=True):
                bounds, train, other, average = curve[k]
                lower = max(row.lower.max() for row in bounds.rows) / bounds.upper.max()
                values.append([model.eigenvalues_[0], lower, *average])
                both.append([train, other.mean()])
            first, _, *average = np.mean(values, 0)
            none = np.mean(np.array(values)[:, 1] <= 1e-6)
            near = np.abs(np.subtract(average, [0, 0.14])).max() <= 0.05
            readings[label] = over_models(values) | {
                "ok": first > 0.99 and none > 0.5 and near
            }
            told.append(
                f"{label} {listed(np.mean(both, 0))}, without lower bounds {none:.1f} of the models"
            )
    check_claim(
        "RE-33",
        seed=range(len(wine[f"{STEPS} steps"][0])),
        readings=readings,
        note="""first eigenvalue, largest lower bound in shares of the largest upper one, errors of the averaged map
        at the dimension chosen as in RE-17, or at the printed one; errors of the regularised mappings: """
        + "; ".join(told),
    )


# -------------------------------------------------------------------------- two metric
# learners, in place of adrenal


def test_re_18_two_metrics_on_breast_cancer(check_claim, by_scale):
    X, y = load("breast_cancer").data, load("breast_cancer").target
    train, other = train_test_split(
        np.arange(len(X)), train_size=0.5, stratify=y, random_state=0
    )
    parts = split(X, y, train, other)
    dimensions = range(1, 31, by_scale(14, 4, 1))
    errors, texts, profiles = [], [], []
    for name, model in (("GMLVQ", GMLVQ(rank=2)), ("LMNN", LMNN(rank=2))):
        model = model.fit(*parts[:2])
        errors += errors_of([model], parts)[0]
        curve = over(partial(regularised, model, *parts), dimensions)
        wrong = np.array([c[2] for c in curve])
        k = chosen(wrong.mean(1), len(other))
        bounds = curve[k][0]
        texts.append(
            f"""{name} at dimension {dimensions[k]} {wrong[k].mean():.3f} (nested {nested(wrong):.3f}, curve
            {listed(wrong.mean(1))}, lower bounds above 5 % of the largest upper one
            {np.sum(bounds.lower > SMALL * bounds.upper.max())} of 30)"""
        )
        profiles.append(bounds)
    top = np.intersect1d(*(np.argsort(-b.upper)[:5] for b in profiles))
    alike = [
        np.corrcoef(*(getattr(b, side) for b in profiles))[0, 1]
        for side in ("lower", "upper")
    ]
    check_claim(
        "RE-18",
        errors,
        seed=0,
        note=f"""in place of adrenal breast cancer, half for training, rank two: training and test error of
        GMLVQ and LMNN. Test error of regularised mappings, dimensions {listed(dimensions, 0)}:
        {"; ".join(texts)}. Of the five largest upper bounds {len(top)} are common; correlation of lower
        and upper bounds {listed(alike)}""",
    )
