"""Decision maps: models in the plane, how far their pictures agree with them, and rows as points."""

from functools import partial

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from toolkit.decisionmap import MixedColumns, Predictions
from toolkit.discriminant import FDA
from toolkit.embed import GTM, MDS, SOM, TSNE
from toolkit.fisher import ParzenFisher
from toolkit.kernelmap import InverseMap, KernelMap
from toolkit.lvq import RSLVQ

from ..harness import case, codes_of, each, estimator
from ..inputs import INPUTS, fitted, quantity

BLOCKS = {
    "toolkit.decisionmap.view.PAIRS_AT_ONCE": 50,
    "toolkit.decisionmap.certainty.ROWS_AT_ONCE": 7,
}
PCA_MAP = PCA(2, svd_solver="full")


@quantity
def plane(scaled):
    return PCA_MAP.fit_transform(scaled)


@quantity
def kernel_map(scaled, plane):
    return KernelMap(0.5).fit(scaled, plane)


@quantity
def metric(scaled, y):
    return ParzenFisher().fit(scaled, y)


@quantity
def fisher_matrices(scaled, metric):
    return metric.matrix(scaled)


@quantity
def fisher_distances(metric):
    return metric.distances()


@quantity
def fisher_map(fisher_distances):
    return MDS(metric="precomputed").fit_transform(fisher_distances)


# The field at the grid, and all agreements.
PICTURE = "grid_values_ misrepresented_ grid_certainty_ grid_signed_ trust_ extent_ held_out_ in_sample_ projected_ model_score_"
# The map, too, and what it says of new samples.
MAP = PICTURE + " embedding_ sample_"
ON_NEW = {"project": "scaled_new"}
# Predictions, agreement at new samples, and how far positions move on the way there and
# back.
NEW = {
    "taken": "predicted_ certainty_ signed_",
    "after": {"score": "scaled_new y_new", "round_trip": ""},
}


def drawn(shown, scaled_new, y_new):
    return shown.display(new=(scaled_new, y_new)).image()


def of_another(shown, scaled, y):
    """Another model in the same plane."""
    other = shown.with_model(
        RidgeClassifier().fit(scaled, y), certainty="decision_function"
    )
    return other.grid_values_, other.grid_certainty_, other.held_out_


def first_axis(X):
    return np.abs(X[:, 0])


def signed_axis(X):
    return X[:, 0] - 0.2


def of(model, given="scaled y"):
    return {"model": fitted(model, given)}


VALUES = {"y": "@t"} | of(Ridge(), "scaled t")
usual = partial(
    case, "decisionmap.DecisionMap", X="@scaled", y="@y", grid=(4, 5), cv=3
)
shown = partial(usual, Z="@plane", maker="from_map", taken=PICTURE, **of(SVC()))
shown(*INPUTS, cv=10)
shown(*INPUTS, cv=10, **VALUES)
shown(*INPUTS, **NEW)
shown(taken=drawn)
shown(taken=of_another)
shown("uneven", y="@names", **of(SVC(), "scaled names"))
shown("more features", certainty=signed_axis, grid=5)
shown("uneven", inverse=InverseMap(36, bandwidth=0.7))
shown(max_samples=20, random_state=1, taken=MAP, after=ON_NEW)
shown(projector="@kernel_map", **NEW)
shown(metric="@fisher_matrices", cv=None, inverse=InverseMap(6))
shown(metric="@metric", Z="@fisher_map", distances="@fisher_distances", **NEW)
shown(
    "uneven",
    taken="grid_values_",
    after={"prototype_positions": ""},
    **of(RSLVQ(max_iter=5)),
)
shown(
    y="@t", **of(DecisionTreeRegressor(max_depth=2, random_state=0), "scaled t")
)
shown(lowered={"toolkit.decisionmap.view.MAX_CENTERS": 12}, **NEW)
shown("uneven", lowered=BLOCKS, **NEW)
shown(X="@frame", **of(GaussianNB(), "frame y"))

from_estimator = partial(
    usual,
    embedder=PCA_MAP,
    maker="from_estimator",
    taken=MAP,
    after=ON_NEW,
    **of(GaussianNB()),
)
from_estimator(*INPUTS)
from_estimator(
    embedder=None,
    cv=None,
    lowered={"toolkit.decisionmap.map.TSNE": partial(TSNE, max_iter=251)},
)
from_estimator(embedder=each(SOM((4, 3), max_iter=6), FDA()))
from_estimator("uneven", embedder=each(GTM((4, 4), (2, 2), max_iter=4), MDS()))
fisher = partial(from_estimator, embedder=MDS(), metric="fisher")
fisher()
fisher(auxiliary="model")
fisher(metric=ParzenFisher(1.5), auxiliary="model", **of(RidgeClassifier()))
fisher(cv=None, inverse=InverseMap(6), **VALUES)
from_estimator(y="@t", **of(KNeighborsRegressor(3), "scaled t"))
from_estimator(inverse=InverseMap(8))
from_estimator("uneven", max_samples=18, random_state=2)


@quantity
def raw(scaled, rows):
    """Rows with gaps, words and whole numbers."""
    X = scaled
    k = rows
    low_or_middle = np.where(X[:, 1] < -0.5, "low", "middle")
    kinds = np.where(X[:, 1] > 0.3, "high", low_or_middle).astype(object)
    kinds[k % 9 == 4] = None
    size = np.where(k % 7 == 3, np.nan, X[:, 0])
    count = np.rint(3 * X[:, 2]).astype(int)
    return pd.DataFrame(
        {"size": size, "kind": kinds, "count": count, "width": X[:, 3]}
    )


@quantity
def categories(raw):
    return raw.astype({"kind": pd.CategoricalDtype(["high", "low", "middle"])})


WORDS = make_pipeline(
    SimpleImputer(strategy="constant", fill_value="none"),
    OneHotEncoder(sparse_output=False),
)
NUMBERS = make_pipeline(SimpleImputer(), StandardScaler())
ENCODED = make_column_transformer(
    (WORDS, ["kind"]), (NUMBERS, ["size", "count", "width"])
)
BOOSTING = HistGradientBoostingClassifier(
    max_iter=3, min_samples_leaf=3, categorical_features="from_dtype"
)
TREE = DecisionTreeClassifier(max_depth=3, random_state=0)
raw_rows = partial(
    from_estimator, X="@raw", taken=PICTURE, after={"score": "raw"}
)
raw_rows(**of(make_pipeline(ENCODED, GaussianNB()), "raw y"))
ridge = of(make_pipeline(ENCODED, RidgeClassifier()), "raw y")
raw_rows(prepare=MixedColumns(), y=None, **ridge)
boosting = of(BOOSTING, "categories y")
raw_rows(X="@categories", after={"score": "categories"}, **boosting)
raw_rows(
    "uneven", X="@X", prepare=StandardScaler(), after={}, **of(TREE, "X y")
)


def there_and_back(rows, X):
    return rows.transform(X)[::4], rows.inverse_transform(X[:3])


def of_mixed(rows, raw):
    """Points of rows, and rows of points as codes and numbers."""
    points = rows.fit(raw).transform(raw)
    back = pd.DataFrame(rows.inverse_transform(0.7 * points[::3] + 0.1))
    columns = [back[name].to_numpy() for name in back]
    return points, {
        f"column {k}": A if A.dtype.kind in "if" else codes_of(A)
        for k, A in enumerate(columns)
    }


mixed = partial(estimator, "decisionmap.MixedColumns", given="X")
mixed(*INPUTS, taken=there_and_back)
mixed(taken=of_mixed)


def at_new(function, scaled_new):
    return function(scaled_new)


asked = partial(case, "decisionmap.ModelFunction", taken=at_new)
LDA, NEAREST = of(LinearDiscriminantAnalysis()), of(KNeighborsClassifier(3))
for model in (of(SVC()), LDA, of(RidgeClassifier()), of(Ridge(), "scaled t")):
    asked(*INPUTS, **model)
for kernel in ("linear", "poly"):
    asked(**of(SVC(kernel=kernel, gamma=0.1)))
for model in (SVC(break_ties=True), make_pipeline(StandardScaler(), SVC())):
    asked("uneven", **of(model))
for model in (of(SVC()), LDA):
    asked(certainty="decision_function", **model)
asked("more features", certainty="predict_proba", **LDA)
asked(certainty=None, **NEAREST)
asked("more features", certainty=each(first_axis, signed_axis), **NEAREST)
BY_FIVE = {"toolkit.decisionmap.certainty.ROWS_AT_ONCE": 5}
asked(n_jobs=2, lowered=BY_FIVE, **of(GaussianNB()))


@quantity
def true(y, X):
    certain = np.abs(X[:, 0])
    return Predictions(y, certain, certain)


@quantity
def mostly_true(y, X, rows):
    uncertain = np.abs(X[:, 0] + 0.3 * X[:, 1])
    flipped = np.where(rows % 5 == 2, (y + 1) % 2, y)
    return Predictions(flipped, uncertain, uncertain)


@quantity
def true_values(t):
    return Predictions(t)


@quantity
def near_values(t, X):
    noise = 0.2 * X[:, 1] / np.abs(X[:, 1]).max()
    return Predictions(t + noise)


FOLDS = {"folds": [np.arange(0, 9), np.arange(9, 15), np.arange(15, 24)]}
agreement = partial(case, "decisionmap.agreement")
of_classes = partial(agreement, true="@true", picture="@mostly_true")
of_values = partial(
    agreement, true="@true_values", picture="@near_values", classifies=False
)
of_classes(*INPUTS)
of_values(*INPUTS)
of_classes("uneven", **FOLDS)
of_classes(after={"to_frame": ""}, **FOLDS)
