"""Claims of the thesis, section 4.3.5: bounds on the relevance of features for learned
metrics.
"""

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
from .draws import by_name, decimals, over, samples, summary, sweep

# Bounds below this share of the largest upper bound count as none, as the rules say.
SMALL = 0.05


def split(X, y, train, other):
    """Both parts, standardised by the training part."""
    scaler = StandardScaler().fit(X[train])
    return (
        scaler.transform(X[train]),
        y[train],
        scaler.transform(X[other]),
        y[other],
    )


def errors_of(model, X, y, X_other, y_other):
    """Training and test error."""
    return [1 - model.score(X, y), 1 - model.score(X_other, y_other)]


def regularise(model, X, y, X_other, y_other, dimension):
    """Bounds at one effective dimension; the mean error of the 2 d regularised mappings
    on each other sample; both errors of the averaged map. Prototypes stay in place.
    """
    bounds = metric_bounds(model, X, X.shape[1] - dimension)
    wrong = [
        model.with_metric(Omega).predict(X_other) != y_other
        for Omega in bounds.mappings
    ]
    average = model.with_metric(bounds.average)
    return bounds, np.mean(wrong, 0), errors_of(average, X, y, X_other, y_other)


def choice(errors, m):
    """Index of the smallest dimension whose error is within one standard error of the
    least, on m samples.
    """
    least = errors.min()
    return np.argmax(errors <= least + np.sqrt(least * (1 - least) / m) + 1e-12)


def nested_error(wrong):
    """Mean error on a half of the other samples at the dimension that the other half
    chose, over twenty halvings.

    `wrong` is (dimensions, samples).
    """
    rng = np.random.default_rng(0)
    n = wrong.shape[1]
    found = []
    for _ in range(20):
        a, b = np.split(rng.permutation(n), [n // 2])
        found.append(wrong[choice(wrong[:, a].mean(1), n // 2), b].mean())
    return np.mean(found)


# ------------------------------------------------------------------------------
# exclusive or


def xor(seed, full=False, slack=1.01, starts=1, data=(), **settings):
    """What the claims ask of one draw: 200 training samples and as many others, two
    prototypes a class.

    Of several starts the model of least cost is taken; `full` adds curve and paths.
    """
    toy = make_xor_copies(400, random_state=seed, **dict(data))
    parts = split(toy.data, toy.target, np.arange(200), np.arange(200, 400))
    X, y, *_ = parts
    models = [
        GMLVQ(2, **settings, random_state=seed + 100 * s).fit(X, y)
        for s in range(starts)
    ]
    model = min(models, key=lambda m: m.history_["cost"][-1])
    rows = principal_rows(model)
    bounds = metric_bounds(model, X, 3, slack)
    most = bounds.upper.max()
    copies = rows[np.argmax(np.abs(rows[:, :3]).sum(1))]
    variances = equivalence(X, 3).variances
    found = {
        "errors": errors_of(model, *parts),
        "given up": np.sqrt(variances[3] / variances[0]),
        "first": model.eigenvalues_[0],
        "lower": bounds.lower / most,
        "upper": bounds.upper / most,
        "copies": np.abs(copies[:3]) / np.abs(copies).max(),
    }
    if full:
        found["curve"] = [
            regularise(model, *parts, k)[1].mean() for k in range(1, 6)
        ]
        found["paths"] = []
        # lasso, elastic net, ridge
        for path in map(np.abs, coefficient_paths(X, X @ copies)):
            norm = path.sum(1)
            half = np.argmin(np.abs(norm - norm.max() / 2))
            found["paths"].append(path[half, :3])
    return found


def orders(values):
    """Number of different orders of the copies."""
    return len(np.unique(np.argsort(-values, 1), axis=0))


BEST_OF_FOUR = {"omega_init": "random", "starts": 4}
VARIANTS = {
    "": {},
    "best of four starts": BEST_OF_FOUR,
    "slack 1.1": {"slack": 1.1},
    "noise .05": {"data": {"noise": 0.05}},
    "noise .02, best of four": {"data": {"noise": 0.02}} | BEST_OF_FOUR,
    "noise .05, best of four": {"data": {"noise": 0.05}} | BEST_OF_FOUR,
    "noise .1, best of four": {"data": {"noise": 0.1}} | BEST_OF_FOUR,
    "classes 8 to 2": {"data": {"fraction": 0.8}},
}


# The thesis gives three directions up as null but prints no noise. One counts as near
# null where its standard deviation is below .05 of the largest, the limit for bounds
# that count as none.
NEAR_NULL = "noise .05"
READINGS = {
    "copies near null": NEAR_NULL,
    "copies near null, best of four starts": "noise .05, best of four",
    "copy noise .2": "",
}
OTHERS = [name for name in VARIANTS if name not in READINGS.values()]


@fixture(scope="module")
def draws():
    """By variant, "" for the defaults, and by measure: what ten draws have; the curve
    where the data differ.
    """
    found = {}
    for name, settings in VARIANTS.items():
        full = not settings or "data" in settings
        runs = over(partial(xor, full=full, **settings), range(10))
        found[name] = {
            key: np.array([run[key] for run in runs]) for key in runs[0]
        }
    return found


def readings_by(values, rule):
    """Readings of the variants that `READINGS` names."""
    return {
        name: {"value": values[key], "ok": rule(*values[key])}
        for name, key in READINGS.items()
    }


def pattern(found):
    """Share of draws with all parts of the pattern, and with each: no error; idle
    features; feature 4 needed; copies alike; none of them needed.
    """
    lower = found["lower"]
    upper = found["upper"]
    parts = [
        (found["errors"] == 0).all(1),
        (upper[:, 4:] < SMALL).all(1),
        lower[:, 3] >= 0.8 * upper[:, 3],
        upper[:, :3].min(1) >= 0.8 * upper[:, :3].max(1),
        (lower[:, :3] < SMALL).all(1),
    ]
    return np.mean([np.all(parts, 0), *parts], 1)


def test_re_14_pattern_of_xor(check_claim, draws):
    shares = {name: pattern(found) for name, found in draws.items()}
    near = draws[NEAR_NULL]
    given_up = near["given up"]
    wide = draws[""]["given up"]
    # the noise is chosen by this, not by the claim
    assert given_up.max() < SMALL < wide.min()
    check_claim(
        "RE-14",
        seed=range(10),
        readings=readings_by(shares, lambda whole, *_: whole > 0.5),
        note=f"""share of ten draws with the whole pattern (more than half counts); no
        error, idle 5 and 6, needed 4, copies with upper bounds within 20 % of each
        other, none of them needed. Copies near null have noise of .05: standard
        deviation of the strongest direction given up {given_up.mean():.3f} of the
        largest, with noise .2 {wide.mean():.3f} (limit {SMALL}). Mean lower bounds
        {decimals(near["lower"].mean(0))}, upper {decimals(near["upper"].mean(0))} of
        the largest. With noise of .2 one copy maps a little better, slack 1.01 leaves
        the others no room. Whole pattern, copies alike, dispensable, idle 5 and 6,
        otherwise:
        {by_name(OTHERS, [shares[name][[0, 4, 5, 2]] for name in OTHERS], 1)}""",
    )


def weights_of_copies(found):
    """Share of draws with one mapping; evenness of copies, number of orders, share near
    feature 4, share uneven.
    """
    copies = found["copies"]
    upper = found["upper"]
    near = (np.abs(upper[:, :3] / upper[:, 3:4] - 1) <= 0.2).all(1)
    even = copies.min(1) / copies.max(1)
    single = found["first"] > 0.9
    uneven = np.mean(even < 0.95)
    return [single.mean(), even.mean(), orders(copies), near.mean(), uneven]


def test_re_30_plain_weights_mislead(check_claim, draws):
    found = {name: weights_of_copies(values) for name, values in draws.items()}
    readings = {}
    for name, key in READINGS.items():
        *value, uneven = found[key]
        single, _, n_orders, near = value
        ok = min(single, uneven, near) > 0.5 and n_orders > 1
        readings[name] = {"value": value, "ok": ok}
    others = "; ".join(
        f"{name} {10 * found[name][0]:.0f}, {found[name][3]:.1f}"
        for name in OTHERS
    )
    check_claim(
        "RE-30",
        seed=range(10),
        readings=readings,
        note=f"""share of ten draws with a first eigenvalue above .9; least over largest
        plain weight of the copies and number of their orders; share of draws with upper
        bounds within 20 % of feature 4's. Copies near null as in RE-14. Otherwise draws
        with one mapping, and share near feature 4: {others}""",
    )


def test_re_31_effective_dimension_of_xor(check_claim, draws):
    values = {}
    for name, found in draws.items():
        if "curve" in found:
            curve = found["curve"]
            perfect = curve == 0
            smallest = np.where(perfect.any(1), perfect.argmax(1) + 1, 6)
            values[name] = [np.median(smallest), *np.median(curve, 0)]
    others = "; ".join(
        f"{name} {values[name][0]:g}: {decimals(values[name][1:4])}"
        for name in OTHERS
        if name in values
    )
    check_claim(
        "RE-31",
        seed=range(10),
        readings=readings_by(
            values,
            lambda dimension, one, two, *_: (
                dimension == 3 and two < min(0.1, one)
            ),
        ),
        note=f"""medians of ten draws: smallest effective dimension without test error;
        test error at dimensions 1 to 5, means over the 12 mappings. At 2 the error
        stays high in every variant: with classes of one size the irrelevant pair has
        more variance (2) than feature 4 (1), so that two dimensions hold the copies and
        the pair. Otherwise: {others}""",
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
        note=f"""lasso, elastic net and ridge, the mapping that carries the copies, at
        half the final L1 norm, ten draws: number of orders of the copies, mean of the
        least over the largest of their weights. The lasso leaves {gone:.1f} of three
        copies out on average, the others none, and none shows that each one could
        be""",
    )


# ------------------------------------------------------------------------------
# spectra: tecator, wine


def three_classes(target):
    return np.digitize(target, np.quantile(target, [1 / 3, 2 / 3]))


def spectra(name):
    """Training part (the source's test part) and the others, standardised, with three
    classes of one size.
    """
    bunch = load(name)
    X = bunch.data
    target = bunch.target
    test = np.asarray(bunch.is_test, bool)
    if name == "wine_spectra":
        outliers = [33, 34, 83]  # counted from 1 in the source
        X, target, test = (np.delete(A, outliers, 0) for A in (X, target, test))
    return split(X, three_classes(target), test, ~test)


# Of the descent, chosen on the errors printed for tecator; the thesis says neither
# solver nor steps.
STEPS = 80


def stages(parts, steps, rank=2, start="pca", seed=0):
    """Models of one descent after so many steps, of which 1000 are its end."""
    return GMLVQ(rank=rank, omega_init=start, random_state=seed).snapshots(
        *parts[:2], steps
    )


def stage_errors(parts, *args):
    return [errors_of(model, *parts) for model in stages(parts, *args)]


class Curve:
    """Of a model, by dimension, what `regularise` returns: bounds, (dimensions,
    samples) wrong, averages; and the chosen index.
    """

    def __init__(self, model, parts, dimensions):
        found = over(partial(regularise, model, *parts), dimensions)
        self.bounds, wrong, self.average = zip(*found, strict=True)
        self.wrong = np.array(wrong)
        self.errors = self.wrong.mean(1)
        self.choice = choice(self.errors, self.wrong.shape[1])
        self.chosen_bounds = self.bounds[self.choice]


def sparsity(bounds):
    """Share of features with an upper bound below 1 % of the largest."""
    return np.mean(bounds.upper < 0.01 * bounds.upper.max())


def errors_of_fifth(seed):
    """Errors on a random fifth and the rest, repeated spectra on one side: (rank two or
    full, start, stop, 2).
    """
    X, target = samples("tecator")
    groups = np.unique(X, axis=0, return_inverse=True)[1]
    shuffle = GroupShuffleSplit(1, train_size=0.2, random_state=seed)
    parts = split(
        X, three_classes(target), *next(shuffle.split(X, groups=groups))
    )
    return [
        [
            stage_errors(parts, [STEPS, 1000], rank, start, seed)
            for start in ("random", "pca")
        ]
        for rank in (2, None)
    ]


@fixture(scope="module")
def fifths(by_scale):
    """Errors (splits, rank two or full, random start or principal axes, 80 steps or the
    optimum, 2).
    """
    return sweep(errors_of_fifth, range(by_scale(4, 20, 100)))


def test_re_16_tecator(check_claim, by_scale, fifths):
    parts = spectra("tecator")
    dimensions = by_scale(
        [5, 9], [3, 5, 6, 7, 8, 9, 10, 12], list(range(1, 31))
    )
    models = stages(parts, [STEPS, 1000])
    early, late = (Curve(model, parts, dimensions) for model in models)
    seeds = range(by_scale(2, 10, 20))
    stops = [STEPS, 1000]
    way = sweep(lambda s: stage_errors(parts, stops, 2, "random", s), seeds)
    check_claim(
        "RE-16",
        seed=seeds,
        readings={
            f"{STEPS} steps": summary(way[:, 0]),
            "random fifths": summary(fifths[:, 0, 1, 1]),
            f"random fifths, {STEPS} steps": summary(fifths[:, 0, 0, 0]),
            f"{STEPS} steps, principal axes": {
                "value": errors_of(models[0], *parts)
            },
            "optimum": {"value": errors_of(models[1], *parts)},
        },
        note=f"""GMLVQ of rank two, terciles of fat, training and test part exchanged;
        of the descent from random matrices the mean of {len(seeds)} starts; its end
        {decimals(way[:, 1].mean(0))}. Test error of the regularised mappings at dimensions {decimals(dimensions, 0)}, from principal
        axes: after {STEPS} steps {decimals(early.errors)}, chosen
        {dimensions[early.choice]} (printed 9), at the optimum {decimals(late.errors)},
        chosen {dimensions[late.choice]}; chosen on one half of the test samples, the
        other half errs in {nested_error(late.wrong):.3f}. Upper bounds below 1 % of the
        largest: {sparsity(early.chosen_bounds):.2f} of the features after {STEPS}
        steps, {sparsity(late.chosen_bounds):.2f} at the optimum""",
    )


def test_re_32_rank_two(check_claim, fifths):
    readings = {}
    text = []
    for i, start in enumerate(("random starts", "principal axes")):
        for j, stop in enumerate((f"{STEPS} steps", "optimum")):
            found = fifths[:, :, i, j]  # (splits, ranks, 2)
            two, full = found.mean(0)
            near = abs(two[0] - full[0]) <= 0.02
            name = f"{stop}, {start}"
            readings[name] = summary(found, ok=near and two[1] <= full[1])
            gain = found[:, 1, 1] - found[:, 0, 1]
            lower = np.sum(gain > 0)
            higher = np.sum(gain < 0)
            # two-sided sign test
            n = lower + higher
            p = binomtest(lower, n).pvalue if n else 1.0
            text.append(f"{name} {lower} lower, {higher} higher, p = {p:.2f}")
    check_claim(
        "RE-32",
        seed=range(len(fifths)),
        readings=readings,
        note=f"""training and test error at rank two, then at full rank, means of
        {len(fifths)} random fifths for training. Test error at rank two, sign test:
        {"; ".join(text)}""",
    )


@fixture(scope="module")
def wine(by_scale):
    """Dimensions; by stop, the models, their training and test errors, and their
    curves.
    """
    parts = spectra("wine_spectra")
    dimensions = by_scale([7], [3, 5, 7, 9], list(range(1, 31)))
    found = {
        f"{STEPS} steps": [
            stages(parts, [STEPS], 2, "random", s)[0]
            for s in range(by_scale(2, 10, 10))
        ]
    }
    early, late = stages(parts, [STEPS, 1000])
    found |= {f"{STEPS} steps, principal axes": [early], "optimum": [late]}
    return dimensions, {
        name: (
            models,
            np.array([errors_of(model, *parts) for model in models]),
            [Curve(model, parts, dimensions) for model in models],
        )
        for name, models in found.items()
    }


def over_models(values, ok):
    """A reading of one model or more, of which the first has no spread."""
    if len(values) > 1:
        return summary(values, ok=ok)
    return {"value": values[0], "ok": ok}


def test_re_17_wine_spectra(check_claim, wine):
    dimensions, found = wine
    readings = {}
    text = []
    for name, (_, errors, curves) in found.items():
        values = [
            [test, curve.errors[curve.choice], dimensions[curve.choice]]
            for (_, test), curve in zip(errors, curves, strict=True)
        ]
        plain, regular, _ = np.mean(values, 0)
        readings[name] = over_models(values, regular <= 2 / 3 * plain)
        idle = np.mean([sparsity(curve.chosen_bounds) for curve in curves])
        nested = np.mean([nested_error(curve.wrong) for curve in curves])
        text.append(
            f"""{name} {decimals(np.mean([curve.errors for curve in curves], 0))},
            training error {errors[:, 0].mean():.2f}, chosen on one half of the test
            samples the other half errs in {nested:.3f}, upper bounds below 1 % of the
            largest {idle:.2f} of the features"""
        )
    check_claim(
        "RE-17",
        seed=range(len(found[f"{STEPS} steps"][0])),
        readings=readings,
        note=f"""test error as trained and regularised, dimension. {STEPS} steps alone
        are the mean of random starts, the optimum is from principal axes. Test errors
        at dimensions {decimals(dimensions, 0)}: {"; ".join(text)}""",
    )


def test_re_33_averaged_map_of_wine_spectra(check_claim, wine):
    dimensions, found = wine
    readings = {}
    text = []
    for name, (models, _, curves) in found.items():
        for label, index in (
            (name, None),
            (f"{name}, dimension 7", dimensions.index(7)),
        ):
            values = []
            for model, curve in zip(models, curves, strict=True):
                k = curve.choice if index is None else index
                bounds = curve.bounds[k]
                lower = (
                    max(row.lower.max() for row in bounds.rows)
                    / bounds.upper.max()
                )
                values.append([model.eigenvalues_[0], lower, *curve.average[k]])
            first, _, training, test = np.mean(values, 0)
            none = np.mean([row[1] <= 1e-6 for row in values])
            near = training <= 0.05 and abs(test - 0.14) <= 0.05
            readings[label] = over_models(
                values, first > 0.99 and none > 0.5 and near
            )
            text.append(f"{label} {none:.1f}")
    check_claim(
        "RE-33",
        seed=range(len(found[f"{STEPS} steps"][0])),
        readings=readings,
        note=f"""first eigenvalue, largest lower bound in shares of the largest upper
        one, errors of the averaged map at the dimension chosen as in RE-17, or at the
        printed one; share of models without lower bounds: {"; ".join(text)}""",
    )


# ------------------------------------------------------------------------------
# two metric learners, in place of adrenal


def test_re_18_two_metrics_on_breast_cancer(check_claim, by_scale):
    X, y = samples("breast_cancer")
    train, other = train_test_split(
        np.arange(len(X)), train_size=0.5, stratify=y, random_state=0
    )
    parts = split(X, y, train, other)
    dimensions = range(1, 31, by_scale(14, 4, 1))
    errors = []
    text = []
    for name, model in (("GMLVQ", GMLVQ(rank=2)), ("LMNN", LMNN(rank=2))):
        errors += errors_of(model.fit(*parts[:2]), *parts)
        curve = Curve(model, parts, dimensions)
        k = curve.choice
        text.append(
            f"""{name} at dimension {dimensions[k]} {curve.errors[k]:.3f} (nested
            {nested_error(curve.wrong):.3f}, curve {decimals(curve.errors)})"""
        )
    check_claim(
        "RE-18",
        errors,
        seed=0,
        note=f"""in place of adrenal breast cancer, half for training, rank two:
        training and test error of GMLVQ and LMNN. Test error of regularised mappings,
        dimensions {decimals(dimensions, 0)}: {"; ".join(text)}""",
    )
