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
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, NuSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from toolkit.decisionmap import Answers, MixedColumns
from toolkit.discriminant import FDA
from toolkit.embed import GTM, MDS, SOM, TSNE
from toolkit.fisher import ParzenFisher
from toolkit.kernelmap import InverseMap, KernelMap
from toolkit.lvq import RSLVQ

from ..harness import Case, Made, codes_of
from ..inputs import INPUTS

__all__ = ["CASES"]

MAP, FUNCTION = "decisionmap.DecisionMap", "decisionmap.ModelFunction"
SHORT = {"toolkit.decisionmap.map.TSNE": partial(TSNE, max_iter=251)}


def scaled(given, key="X"):
    X = given["X"]
    return (given[key] - X.mean(axis=0)) / X.std(axis=0)


def as_frame(given):
    X = scaled(given)
    return pd.DataFrame(X, columns=[f"column {j}" for j in range(X.shape[1])])


def plane(given):
    return PCA(2, svd_solver="full").fit_transform(scaled(given))


def fitted(model, target="y", samples=scaled):
    return Made(lambda given: model.fit(samples(given), given[target]))


def known(shown, values):
    """Values, or the numbers of classes that may be words."""
    return values if shown.classes_ is None else np.searchsorted(shown.classes_, values)


def picture(shown, given):
    """The field at the grid, and all agreements."""
    found = {"grid": known(shown, shown.grid_values_), "wrong": shown.misrepresented_}
    names = ("grid_certainty_", "grid_signed_", "trust_", "extent_", "held_out_", "in_sample_", "placed_")
    return found | {name: getattr(shown, name) for name in (*names, "model_score_")}


def with_map(shown, given):
    """The field, the map and what it says of new samples."""
    new = scaled(given, "X_new")
    found = {"embedding": shown.embedding_, "sample": shown.sample_, "new": shown.project(new)}
    return picture(shown, given) | found | {"back": shown.inverse_transform(shown.embedding_[:3])}


def of_new(target="y"):
    """Agreement at new samples, and how far positions move on the way there and back."""

    def taken(shown, given):
        new = scaled(given, "X_new")
        found = {"score": shown.score(new), "with truth": shown.score(new, given[f"{target}_new"])}
        found["answers"] = [shown.predicted_, shown.certainty_, shown.signed_]
        found["display"] = shown.display(new=(new, given[f"{target}_new"])).image()
        found["moves"] = shown.round_trip(), shown.round_trip(shown.embedding_[:3] + 0.1)
        return found

    return taken


def of_another(model, **options):
    """Another model in the same plane."""

    def taken(shown, given):
        return picture(shown.with_model(model.fit(scaled(given), given["y"]), **options), given)

    return taken


def of_prototypes(shown, given):
    found = {"positions": shown.prototype_positions(), "field": shown.frame()["background"]}
    return found | {"grid": shown.grid_values_}


def shown_as(words, options, input="three classes", taken=picture, **more):
    """A map of samples that have positions."""
    usual = {"model": fitted(SVC()), "X": Made(scaled), "Z": Made(plane), "y": "@y", "grid": (4, 5), "cv": 3}
    return Case(f"decision map, {words}", MAP, usual | options, "", input, taken=taken, maker="from_map",
                lowered=more)  # fmt: skip


def made_by(words, options, input="three classes", taken=with_map, **more):
    """A map from an estimator."""
    usual = {"model": fitted(GaussianNB()), "X": Made(scaled), "y": "@y", "grid": (4, 5), "cv": 3}
    usual |= {"embedder": PCA(2, svd_solver="full")}
    return Case(f"decision map, {words}", MAP, usual | options, "", input, taken=taken,
    maker="from_estimator",
                lowered=more)  # fmt: skip


def metric_of(given):
    return ParzenFisher().fit(scaled(given), given["y"])


def by_distances(given):
    return MDS(metric="precomputed").fit_transform(metric_of(given).distances())


def first_axis(X):
    return np.abs(X[:, 0])


def signed_axis(X):
    return X[:, 0] - 0.2


TARGET = {"model": fitted(Ridge(), "t"), "y": "@t"}
GIVEN = [
    *[shown_as(f"default, {input}", {"cv": 10}, input) for input in INPUTS],
    *[shown_as(f"default, target, {input}", TARGET | {"cv": 10}, input) for input in INPUTS],
    *[shown_as(f"new samples, {input}", {}, input, of_new()) for input in INPUTS],
    shown_as("new samples, target, uneven", TARGET, "uneven", of_new("t")),
    shown_as("names of classes, uneven", {"model": fitted(SVC(), "names"), "y": "@names"}, "uneven"),
    shown_as("no truth, no folds", {"y": None, "cv": None}),
    shown_as("two classes, lines of equal certainty", {"certainty": signed_axis, "grid": 5}, "more features"),
    shown_as("some samples, placed", {"max_samples": 20, "random_state": 1}, taken=with_map),
    shown_as("inverse map, uneven", {"inverse": InverseMap(6, centers="samples", bandwidth=0.7)}, "uneven"),
    shown_as("projector", {"projector": Made(lambda given: KernelMap(0.5).fit(scaled(given), plane(given)))},
             taken=of_new()),
    shown_as("matrices", {"metric": Made(lambda given: metric_of(given).matrix(scaled(given))), "cv": None,
             "inverse": InverseMap(6)}),
    shown_as("metric, distances and its map",
             {"metric": Made(metric_of), "Z": Made(by_distances),
             "distances": Made(lambda given: metric_of(given).distances())}, taken=of_new()),
    shown_as("another model", {}, taken=of_another(RidgeClassifier(), certainty="decision_function")),
    shown_as("prototypes, uneven", {"model": fitted(RSLVQ(max_iter=5))}, "uneven", of_prototypes),
    shown_as("tree of values", {"model": fitted(DecisionTreeRegressor(max_depth=2, random_state=0), "t"),
    "y": "@t"}),
    shown_as("few centres of the projection", {}, taken=of_new(),
             **{"toolkit.decisionmap.view.MAX_CENTERS": 12}),
    shown_as("blocks of rows", {}, "uneven", of_new(),
             **{"toolkit.decisionmap.view.PAIRS_AT_ONCE": 50,
             "toolkit.decisionmap.certainty.ROWS_AT_ONCE": 7}),
    shown_as("pipeline", {"model": fitted(make_pipeline(StandardScaler(), SVC()))}, "uneven"),
    shown_as("data frame", {"X": Made(as_frame), "model": fitted(GaussianNB(), "y", as_frame)}),
]  # fmt: skip

MADE = [
    *[made_by(f"principal components, {input}", {}, input) for input in INPUTS],
    made_by("t-SNE", {"embedder": None, "cv": None}, **SHORT),
    made_by("SOM", {"embedder": SOM((4, 3), max_iter=6)}),
    made_by("GTM, uneven", {"embedder": GTM((4, 4), (2, 2), max_iter=4)}, "uneven"),
    made_by("MDS, uneven", {"embedder": MDS()}, "uneven"),
    made_by("FDA of the truth", {"embedder": FDA()}),
    made_by("FDA of the model, uneven", {"embedder": FDA(), "auxiliary": "model"}, "uneven"),
    made_by("Fisher metric of the truth", {"embedder": MDS(), "metric": "fisher"}),
    made_by("Fisher metric of the model", {"embedder": MDS(), "metric": "fisher", "auxiliary": "model"}),
    made_by("Parzen metric of the model",
            {"embedder": MDS(), "metric": ParzenFisher(1.5), "auxiliary": "model",
            "model": fitted(RidgeClassifier())}),
    made_by("values, principal components", {"model": fitted(KNeighborsRegressor(3), "t"), "y": "@t"}),
    made_by("values, Fisher metric", TARGET | {"embedder": MDS(), "metric": "fisher", "cv": None,
    "inverse": InverseMap(6)}),
    made_by("own inverse map in place of that of the map", {"inverse": InverseMap(8)}),
    made_by("some samples by principal components, uneven", {"max_samples": 18, "random_state": 2}, "uneven"),
]  # fmt: skip


def raw(given, key="X"):
    """Rows with gaps, words and whole numbers."""
    X, n = scaled(given, key), len(given[key])
    size = np.where(np.arange(n) % 7 == 3, np.nan, X[:, 0])
    kinds = np.where(X[:, 1] > 0.3, "high", np.where(X[:, 1] < -0.5, "low", "middle")).astype(object)
    kinds[np.arange(n) % 9 == 4] = None
    count = np.rint(3 * X[:, 2]).astype(int)
    return pd.DataFrame({"size": size, "kind": kinds, "count": count, "width": X[:, 3]})


def as_category(given, key="X"):
    return raw(given, key).astype({"kind": pd.CategoricalDtype(["high", "low", "middle"])})


def as_numbers(given):
    return raw(given).drop(columns="kind").to_numpy()


def encoded():
    filled = SimpleImputer(strategy="constant", fill_value="none")
    words = make_pipeline(filled, OneHotEncoder(sparse_output=False))
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    return make_column_transformer((words, ["kind"]), (numbers, ["size", "count", "width"]))


def of_rows(samples):
    """Agreement at new rows, too."""

    def taken(shown, given):
        rows = samples(given)
        return picture(shown, given) | {"new": shown.project(rows[:5]), "score": shown.score(rows)}

    return taken


BOOSTING = HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=3, categorical_features="from_dtype")
ROWS = [
    made_by("rows of a pipeline", {"X": Made(raw), "model": fitted(make_pipeline(encoded(), GaussianNB()),
    "y", raw)},
            taken=of_rows(raw)),
    made_by("rows of a pipeline, prepared otherwise",
            {"X": Made(raw), "prepare": MixedColumns(), "y": None,
            "model": fitted(make_pipeline(encoded(), RidgeClassifier()), "y", raw)}, taken=of_rows(raw)),
    made_by("rows with categories", {"X": Made(as_category), "model": fitted(BOOSTING, "y", as_category)},
            taken=of_rows(as_category)),
    made_by("numbers prepared, uneven",
            {"X": "@X", "prepare": StandardScaler(),
            "model": fitted(DecisionTreeClassifier(max_depth=3, random_state=0), "y",
            lambda given: given["X"])}, "uneven", picture),
    made_by("numbers with gaps", {"X": Made(as_numbers), "model": fitted(BOOSTING, "y", as_numbers)},
            taken=of_rows(as_numbers)),
]  # fmt: skip


def of_frame(samples):
    """Points of rows, and rows of points as codes and numbers."""

    def taken(rows, given):
        rows.fit(samples(given))
        points = rows.transform(samples(given))
        back = rows.inverse_transform(0.7 * points[::3] + 0.1)
        columns = back.items() if hasattr(back, "items") else enumerate(back.T)
        found = {str(name): np.asarray(column) for name, column in columns}
        found = {name: A if A.dtype.kind in "if" else codes_of(A) for name, A in found.items()}
        return {"points": points, "rows": found}

    return taken


RAW_ROWS = [
    *[Case(f"raw rows of numbers, {input}", "decisionmap.MixedColumns", {}, "X", input,
           taken=lambda rows, given: [rows.transform(given["X"])[::4],
           rows.inverse_transform(given["X"][:3])]) for input in INPUTS],
    Case("raw rows of words and gaps", "decisionmap.MixedColumns", {}, "X", taken=of_frame(raw)),
    Case("raw rows of categories, uneven", "decisionmap.MixedColumns", {}, "X", "uneven",
         taken=of_frame(as_category)),
    Case("raw rows of an array of objects", "decisionmap.MixedColumns", {}, "X",
         taken=of_frame(lambda given: raw(given).to_numpy(dtype=object))),
]  # fmt: skip


def asked(words, model, options=None, input="three classes", target="y", **lowered):
    """What a model says of new samples."""
    options = {"model": fitted(model, target)} | (options or {})
    return Case(f"model asked, {words}", FUNCTION, options, "", input, lowered=lowered,
                taken=lambda function, given: function(scaled(given, "X_new")))  # fmt: skip


def cosine(A, B):
    return A @ B.T / np.linalg.norm(A, axis=1)[:, None] / np.linalg.norm(B, axis=1) + 0.1 * A @ B.T


MODELS = [
    *[asked(f"support vectors, {input}", SVC(), input=input) for input in INPUTS],
    *[asked(f"probabilities, {input}", LinearDiscriminantAnalysis(), input=input) for input in INPUTS],
    *[asked(f"decision function, {input}", RidgeClassifier(), input=input) for input in INPUTS],
    *[asked(f"values, {input}", Ridge(), input=input, target="t") for input in INPUTS],
    *[asked(f"support vectors, kernel {name}", SVC(kernel=kernel, gamma=0.1)) for name,
            kernel in (("linear", "linear"), ("polynomial", "poly"), ("of one's own", cosine))],
    asked("support vectors, ties broken, uneven", SVC(break_ties=True), input="uneven"),
    asked("support vectors, nu", NuSVC(nu=0.2)),
    asked("support vectors in a pipeline, uneven", make_pipeline(StandardScaler(), SVC()), input="uneven"),
    asked("support vectors in a search", GridSearchCV(make_pipeline(StandardScaler(), SVC()),
    {"svc__C": [0.1, 1]},
          cv=3)),
    asked("support vectors, decision function", SVC(), {"certainty": "decision_function"}),
    asked("probabilities rather than the decision function", LinearDiscriminantAnalysis(),
          {"certainty": "predict_proba"}, "more features"),
    asked("decision function rather than probabilities", LinearDiscriminantAnalysis(),
          {"certainty": "decision_function"}),
    asked("no certainty", KNeighborsClassifier(3), {"certainty": None}),
    asked("certainty of one's own", KNeighborsClassifier(3), {"certainty": first_axis}),
    asked("certainty of one's own with a sign", KNeighborsClassifier(3), {"certainty": signed_axis},
    "more features"),
    asked("certainty of one's own without a sign", KNeighborsClassifier(3), {"certainty": first_axis},
          "more features"),
    asked("blocks of rows", GaussianNB(), {"n_jobs": 2}, **{"toolkit.decisionmap.certainty.ROWS_AT_ONCE": 5}),
]  # fmt: skip


def answers(*columns):
    """Answers for samples: functions of the input give values, certainties, and signed ones."""
    return Made(lambda given: Answers(*(column(given) for column in columns)))


def of_classes(given):
    return given["y"]


def mostly(given):
    return np.where(np.arange(len(given["y"])) % 5 == 2, (given["y"] + 1) % 2, given["y"])


def certain(given):
    return np.abs(given["X"][:, 0])


def uncertain(given):
    return np.abs(given["X"][:, 0] + 0.3 * given["X"][:, 1])


def values(given):
    return given["t"]


def near_values(given):
    return given["t"] + 0.2 * given["X"][:, 1] / np.abs(given["X"][:, 1]).max()


CLASSES = {"true": answers(of_classes, certain, certain), "picture": answers(mostly, uncertain, uncertain)}
NUMBERS = {"true": answers(values), "picture": answers(near_values), "classifies": False}
FOLDS = {"folds": [np.arange(0, 9), np.arange(9, 15), np.arange(15, 24)]}
FLAT = dict.fromkeys(("true", "picture"), answers(lambda given: np.ones(len(given["t"]))))
AGREEMENTS = [
    *[Case(f"agreement of classes, {input}", "decisionmap.agreement", CLASSES, "", input)
           for input in INPUTS],
    *[Case(f"agreement of numbers, {input}", "decisionmap.agreement", NUMBERS, "", input)
           for input in INPUTS],
    Case("agreement of classes, folds, uneven", "decisionmap.agreement", CLASSES | FOLDS, "", "uneven"),
    Case("agreement of numbers, folds", "decisionmap.agreement", NUMBERS | FOLDS, ""),
    Case("agreement of one class", "decisionmap.agreement", FLAT, ""),
    Case("agreement of numbers without spread", "decisionmap.agreement", FLAT | {"classifies": False}, ""),
    Case("agreement as a table", "decisionmap.agreement", CLASSES | FOLDS, "",
         taken=lambda result, given: result.to_frame().to_numpy()),
]  # fmt: skip


CASES = [*GIVEN, *MADE, *ROWS, *RAW_ROWS, *MODELS, *AGREEMENTS]
