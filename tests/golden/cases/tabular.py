"""Looking at a table: splits, numbers of raw columns, errors, leaks, relevance, maps, and answers to exercises."""

from functools import partial

import numpy as np
import pandas as pd
from sklearn.linear_model import RidgeClassifier

from toolkit.embed import TSNE
from toolkit.tabular.rows import prepare_rows
from toolkit.tabular.targets import task_of
from toolkit.validation import significance

from ..harness import case, codes_of, each
from ..inputs import INPUTS, quantity

SHORT = partial(TSNE, max_iter=251)
FEW = {
    "toolkit.validation.significance.__kwdefaults__": significance.__kwdefaults__
    | {"n_permutations": 2},
    "toolkit.validation.models.FOREST_TREES": 2,
    "toolkit.tabular.features.TREES": 3,
    "toolkit.tabular.features.COLUMNS_OF_NOISE": 10,
    "toolkit.tabular.embedders.TSNE": SHORT,
}
COLUMNS = ["first", "second", "third", "gaps", "colour", "side", "day"]
KINDS = dict(
    zip(COLUMNS, ["number"] * 4 + ["category"] * 2 + ["date"], strict=True)
)


@quantity
def table(X, rows, halves):
    """Columns of numbers with and without gaps, words and dates; one nearly is the target."""
    k = rows
    frame = pd.DataFrame(X[:, :3], columns=COLUMNS[:3])
    frame["gaps"] = np.where(k % 5 == 1, np.nan, X[:, 3])
    by_feature = np.where(X[:, 1] > 0, "green", "blue")
    frame["colour"] = np.where(halves, "red", by_feature)
    frame["side"] = np.where(k % 3 == 1, "left", "right")
    days = pd.to_timedelta(k**2 % 17, unit="D")
    return frame.assign(day=pd.Timestamp("2020-01-01") + days)


@quantity
def columns(table, *which: int):
    """All or some of the columns as numbers."""
    names = [COLUMNS[k] for k in which] or COLUMNS
    return prepare_rows(table, {name: KINDS[name] for name in names})


@quantity
def leaking(table, y):
    """The same, and one that follows from the classes."""
    return prepare_rows(
        table.assign(known=2.0 * y), KINDS | {"known": "number"}
    )


@quantity
def numbers(columns):
    return columns.X


@quantity
def classes(names):
    return task_of("classes", names, ())


@quantity
def value(t):
    return task_of("value", t, ())


@quantity
def labels(Y):
    return task_of("labels", Y, tuple("pqrs")[: Y.shape[1]])


@quantity
def in_pairs(rows):
    return rows // 2


@quantity
def even(rows):
    return rows[::2]


@quantity
def odd(rows):
    return rows[1::2]


@quantity
def distances_squared(D):
    return D**2


ERRORS = (
    "errors error interval p_value baseline n_rows without_leaks leaks alone"
)


def errors_of_two(result):
    """Without the forest, whose splits of values are as good as others up to rounding."""
    return list(result.errors.values())[:2], result.baseline, result.n_rows


def features(result):
    results = {
        "kinds": codes_of(result.kinds),
        "permuted_errors": result.permuted_errors,
        "lower": result.weights.lower,
    }
    return results | {
        "upper": result.weights.upper,
        "level": result.weights.level,
    }


def features_and_forest(result, given):
    return features(result), result.forest.upper, result.forest.level


def positions(one):
    names = "rows", "Z", "n_fitted", "error", "interval"
    results = {name: getattr(one, name) for name in names}
    return results | {"fitted_error": one.training_error}


def in_plane(result, numbers):
    return (
        positions(result.map),
        result.display(numbers).components,
        result.data.parents,
    )


def maps(result):
    return [
        positions(getattr(result, name))
        for name in ("supervised", "unsupervised", "permuted")
    ]


def coordinates(result):
    return result[0][:, :4], result[1]


def first_coordinates(result):
    return result[0][:, :4]


def rare(result):
    return result.X, result.permuted([], [0]).sum(), result.of("colour").sum()


def distances(model, X_new, X):
    return model.distances(X_new, X)[:, ::4]


as_numbers = partial(case, "tabular.prepare_rows", given="table")
as_numbers(*INPUTS, kinds=KINDS, taken="X parents")
as_numbers(
    kinds={"colour": "category"},
    lowered={"toolkit.tabular.rows.MOST_CATEGORIES": 2},
    taken=rare,
)
case("tabular.squares.coordinates", *INPUTS, given="S", taken=first_coordinates)
case(
    "tabular.squares.coordinates",
    distances=True,
    given="distances_squared",
    taken=coordinates,
)
split = partial(case, "tabular.split", strata=None, most=100, seed=0)
split(groups=np.arange(20))
split("uneven", strata="@names", groups="@in_pairs", seed=1, held_out=0.4)
split(strata="@names", groups="@rows", most=9, seed=2)
split(groups=np.arange(20) // 2, is_test=np.arange(20) % 5 > 2)
separated = partial(case, "tabular.separation", lowered=FEW, taken=ERRORS)
separated(given="columns classes rows")
separated(declared=True, given="columns classes in_pairs")
separated(given="columns value rows", taken=errors_of_two)
separated(given="columns labels rows")
separated(leaks={"known": 0.0}, given="leaking classes rows")
case("tabular.dependence.find_leaks", given="leaking classes rows")
matter = partial(
    case, "tabular.which_features", lowered=FEW, taken=features_and_forest
)
matter(given="columns:0:3:4 classes rows")
matter(given="columns:0:1:4 value rows", taken=features)
matter(given="columns:0:1:5 labels rows")
half = FEW | {"toolkit.tabular.features.MOST_PARTS": 4}
matter("uneven", given="columns value rows", lowered=half, taken=features)
plane = partial(case, "tabular.linear_map", taken=in_plane)
plane(
    given=each(
        "columns classes even odd",
        "columns value even odd",
        "columns labels even odd",
    )
)
compare_maps = partial(
    case, "tabular.maps.compare_maps", lowered=FEW, taken=maps
)
compare_maps(
    given=each("numbers classes rows even odd", "numbers labels rows even odd")
)
case("tabular.LinearFisher", given="X t", taken=distances)


@quantity
def with_classes(table, names):
    return table.assign(target=names)


@quantity
def with_value(table, t):
    return table.assign(target=t)


@quantity
def numbers_alone(names, X):
    return pd.DataFrame(X).add_prefix("x").assign(target=names)


def of_model(look):
    model = look.models_[0]
    return model.error, model.interval, model.agreement.labels


look = partial(
    case, "tabular.look", target="target", n_jobs=1, verbose=False, lowered=FEW
)
look(data="@with_classes", taken="leaks_ fitted held_out")
look(data="@with_value", random_state=1, taken="leaks_ fitted held_out")
drawn = {
    "toolkit.decisionmap.map.TSNE": SHORT,
    "toolkit.tabular.user_models.GRID": 8,
}
look(
    data="@numbers_alone",
    model=RidgeClassifier(),
    lowered=drawn,
    taken=of_model,
)
square = partial(
    case,
    "tabular.look",
    classes="@names",
    n_jobs=1,
    verbose=False,
    taken="fitted held_out",
)
square(similarities=True, given="S")
square(distances=True, given="D")
