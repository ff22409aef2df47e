"""The numbers of a look at tables of one's own, computed again with scikit-learn alone.

What chance gives, splits of groups and fractions of classes are counted by hand in
test_look_parts.py.
"""

import numpy as np
from numpy.testing import assert_allclose
from own_tables import TABLES
from pytest import approx, fixture, mark
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge, RidgeCV
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from small_tables import quiet, with_separation

from toolkit.bounds import group_bounds
from toolkit.relevance import relevance_evidence

PENALTIES = [0.01, 0.1, 1, 10, 100, 1000, 10000]


@fixture(scope="module", params=TABLES)
def one(request, tmp_path_factory):
    options = TABLES[request.param](tmp_path_factory.mktemp("own"))
    return with_separation(quiet(**options), 19)


def error_of(task, y, answers):
    """Fraction of wrong classes or labels, or error in standard deviations."""
    if task == "value":
        return np.sqrt(np.mean((y - answers) ** 2)) / np.std(y)
    if task == "labels":
        return np.mean(y != (answers > 0.5))
    return np.mean(y != answers)


def models_of(task):
    """The linear model, the neighbours and the forest of a kind of target."""
    leaf = {"n_estimators": 50, "min_samples_leaf": 3, "random_state": 0}
    if task == "value":
        forest = RandomForestRegressor(max_features=1 / 3, **leaf)
        return [RidgeCV(PENALTIES), KNeighborsRegressor(5), forest]
    linear = LogisticRegression(max_iter=1000)
    if task == "labels":
        linear = Ridge(100.0)
    return [linear, KNeighborsClassifier(5), RandomForestClassifier(**leaf)]


@mark.slow  # each with models in three repeats of cross-validation
def test_errors_are_those_of_folds_written_out(one):
    task = one.table_.task
    X = one.data.X
    y = one.table_.y
    groups = one.table_.groups
    members = [np.flatnonzero(groups == group) for group in np.unique(groups)]
    firsts = [member[0] for member in members]
    kind = StratifiedKFold if task == "classes" else KFold
    separation = one.separation_
    assert separation.n_rows == len(y) and separation.is_significant
    assert separation.p_value == 1 / 20
    errors = separation.errors.values()
    for model, error in zip(models_of(task), errors, strict=True):
        losses = []
        for seed in range(3):
            answers = np.empty_like(
                y, dtype=y.dtype if task == "classes" else float
            )
            splits = kind(5, shuffle=True, random_state=seed)
            for sides in splits.split(firsts, y[firsts]):
                train, test = (
                    np.concatenate([members[k] for k in side]) for side in sides
                )
                train.sort()
                model_of_fold = model.fit(X[train], y[train])
                answers[test] = model_of_fold.predict(X[test])
            losses.append(error_of(task, y, answers))
        power = 2 if task == "value" else 1
        mean = np.mean(np.power(losses, power)) ** (1 / power)
        assert error == approx(mean, abs=1e-9)


@mark.slow
def test_models_their_errors_and_the_rows_that_they_get_wrong(one):
    table = one.table_
    if table.task == "labels":
        assert one.models_ == []
        return
    X = one.data.X
    y = table.y
    fitted = one.fitted
    rest = one.held_out
    models = {
        "random forest": RandomForestClassifier(random_state=0),
        "5 nearest neighbours": KNeighborsClassifier(5),
        "linear model": LogisticRegression(max_iter=1000),
    }
    if table.task == "value":
        forest = RandomForestRegressor(max_features=1 / 3, random_state=0)
        models = {
            "random forest": forest,
            "5 nearest neighbours": KNeighborsRegressor(5),
            "linear model": RidgeCV(PENALTIES),
        }
    errors = [model_view.error for model_view in one.models_]
    assert errors == sorted(errors)
    assert {model_view.name for model_view in one.models_} == set(models)
    for model_view in one.models_:
        model = models[model_view.name].fit(X[fitted], y[fitted])
        answers = model.predict(X[rest])
        assert model_view.error == approx(
            error_of(table.task, y[rest], answers), abs=1e-9
        )
        loss = answers != y[rest]
        if table.task == "value":
            loss = (answers - y[rest]) ** 2
        # of equal losses the most confident first
        certain = np.zeros(len(rest))
        if "probability" in model_view.wrong:
            certain = model.predict_proba(X[rest]).max(axis=1)
        most_certain_errors = np.lexsort([-certain, -loss.astype(float)])[:20]
        most_certain_errors = most_certain_errors[loss[most_certain_errors] > 0]
        assert (
            model_view.wrong["row"].tolist()
            == table.ids[rest[most_certain_errors]].tolist()
        )


@mark.slow
def test_bounds_of_a_table_of_numbers_are_those_of_relevance_evidence():
    """Ten numbers: each column is its only part, and the measure can be written out."""
    look_result = quiet(load_diabetes(as_frame=True).frame, "target")

    def weights(X, y):
        d = X.shape[1]
        w = RidgeCV(PENALTIES).fit(X, y).coef_
        return group_bounds(w, X, np.arange(d), d // 6)

    options = {"alpha": 0.0125, "n_repeats": 20, "random_state": 0}
    rng = np.random.default_rng(0)
    options["permute"] = lambda: rng.permutation(len(look_result.table_.y))
    direct = relevance_evidence(
        weights, look_result.data.X, look_result.table_.y, **options
    )
    bounds = look_result.bounds_
    assert bounds.names == list(look_result.table_.features)
    for name in ("lower", "upper", "level"):
        expected = getattr(direct, name)
        assert_allclose(getattr(bounds.weights, name), expected, atol=1e-6)
    frame = bounds.to_frame().loc[bounds.names]
    in_every = frame["in every equivalent linear model"]
    assert in_every.tolist() == (direct.kinds() == "strongly relevant").tolist()
    assert "bmi" in bounds.of("strongly relevant")
