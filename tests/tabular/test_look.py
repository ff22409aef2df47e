"""The numbers of a look at eight tables of one's own, against the same computed with scikit-learn and NumPy alone.

What chance gives, splits of groups and fractions of classes are counted by hand in
test_look_parts.py.
"""

import numpy as np
from numpy.random import default_rng
from numpy.testing import assert_allclose
from own_tables import NEED_DATA, TABLES
from pytest import approx, fixture, mark, skip
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge, RidgeCV
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.svm import SVC, SVR
from small_tables import quiet, with_separation

from toolkit import look
from toolkit.bounds import group_bounds
from toolkit.datasets import DatasetUnavailable
from toolkit.relevance import relevance_evidence
from toolkit.tabular.validation import split

PENALTIES = [0.01, 0.1, 1, 10, 100, 1000, 10000]
FEWER = {"boston": {"step": 2}}  # a Gaussian process takes all pairs of rows many times


@fixture(scope="module", params=TABLES)
def one(request, tmp_path_factory):
    """A look at each of the eight tables."""
    name, folder = request.param, tmp_path_factory.mktemp("own")
    try:
        given = TABLES[name](folder, **FEWER.get(name, {}))
    except DatasetUnavailable:
        if name in NEED_DATA:
            skip(f"{name} is not available")
        raise
    one = quiet(**given)
    return with_separation(one, 5) if name == "medical" else one


def own_error(task, y, answers):
    """Fraction of wrong classes, one-error of scores, or root mean squared error in standard deviations."""
    if task == "value":
        return np.sqrt(np.mean((y - answers) ** 2)) / np.std(y)
    if task == "labels":
        return np.mean(
            [row[scores.argmax()] == 0 for row, scores in zip(y, answers, strict=True)]
        )
    return np.mean(y != answers)


def measured(one):
    """Numbers of the rows on which models are compared, 1,000 at most, drawn with the seed 0; and their targets."""
    y = one.table_.y
    if one.table_.task == "labels":  # those that a row has to which the maps are fitted
        y = y[:, y[split(None, one.table_.groups, 1000, 0)[0]].any(axis=0)]
    rows = np.sort(default_rng(0).permutation(len(y))[:1000])
    if y.ndim == 2:
        rows = rows[y[rows].any(axis=1)]
    return rows, y[rows]


@mark.slow  # eight tables, each with 60 models in cross-validation
def test_errors_are_those_of_folds_written_out(one):
    task, (rows, y) = one.table_.task, measured(one)
    X, groups = one._data.X[rows], one.table_.groups[rows]
    members = [np.flatnonzero(groups == group) for group in np.unique(groups)]
    firsts = np.array([rows[0] for rows in members])
    splits = KFold(5, shuffle=True, random_state=0).split(firsts)
    leaf = {"min_samples_leaf": 3, "random_state": 0}
    models = {"linear model": Ridge(100.0)}
    if task == "classes":
        smallest = np.unique(y[firsts], return_counts=True)[1].min()
        splits = StratifiedKFold(
            max(2, min(5, smallest)), shuffle=True, random_state=0
        ).split(firsts, y[firsts])
        models = [
            LogisticRegression(max_iter=1000),
            KNeighborsClassifier(5),
            RandomForestClassifier(50, **leaf),
        ]
    elif task == "value":
        models = [
            RidgeCV(PENALTIES),
            KNeighborsRegressor(5),
            RandomForestRegressor(50, max_features=1 / 3, **leaf),
        ]
    if task != "labels":
        models = dict(
            zip(
                ("linear model", "5 nearest neighbours", "random forest"),
                models,
                strict=True,
            )
        )
    sides = [
        [np.concatenate([members[group] for group in side]) for side in fold]
        for fold in splits
    ]
    for name, model in models.items():
        answers = np.empty_like(y, dtype=y.dtype if task == "classes" else float)
        for train, test in sides:
            train.sort()
            answers[test] = model.fit(X[train], y[train]).predict(X[test])
        assert one.separation_.errors[name] == approx(
            own_error(task, y, answers), abs=1e-9
        )
    assert one.separation_.n_rows == len(rows)
    assert one.separation_.is_signal, "each of the eight tables has something to see"


@mark.slow
def test_models_their_errors_and_the_rows_that_they_get_wrong(one):
    table, fitted, rest = one.table_, one._fitted, one._held_out
    if table.task == "labels":
        assert one.models_ == []
        return
    X, y = one._data.X, table.y
    if table.task == "classes":
        models = {
            "logistic regression": LogisticRegression(max_iter=1000),
            "SVM": SVC(),
        }
        models["random forest"] = RandomForestClassifier(100, random_state=0)
    else:
        models = {"ridge regression": RidgeCV(PENALTIES), "SVM": SVR(C=np.std(y))}
        models["random forest"] = RandomForestRegressor(
            100, max_features=1 / 3, random_state=0
        )
    rest = np.sort(default_rng(0).permutation(rest)[:1000])
    assert {found.name for found in one.models_} == set(models)
    assert [found.error for found in one.models_] == sorted(
        found.error for found in one.models_
    )
    for found in one.models_:
        answers = models[found.name].fit(X[fitted], y[fitted]).predict(X[rest])
        assert found.error == approx(own_error(table.task, y[rest], answers), abs=1e-9)
        if table.task == "classes":
            assert (
                found.wrong["row"].tolist()
                == table.ids[rest[answers != y[rest]]][:20].tolist()
            )
        else:
            worst = np.argsort(-((answers - y[rest]) ** 2), kind="stable")[:20]
            assert set(found.wrong["row"]) == set(table.ids[rest[worst]])


@mark.slow
def test_bounds_of_a_table_of_numbers_are_those_of_relevance_evidence(tmp_path):
    """diabetes: ten numbers, so that each column is its only part and the measure can be written out."""
    given = TABLES["diabetes"](tmp_path)
    one = look(**given, n_jobs=1, verbose=False)
    X, y = one._data.X, one.table_.y

    def weights(X, y):
        w, d = RidgeCV(PENALTIES).fit(X, y).coef_, X.shape[1]
        return group_bounds(w, X, np.arange(d), d // 6)

    direct = relevance_evidence(weights, X, y, alpha=0.025, n_draws=20, random_state=0)
    assert one.bounds_.names == list(one.table_.features)
    assert_allclose(one.bounds_.weights.lower, direct.lower, atol=1e-6)
    assert_allclose(one.bounds_.weights.upper, direct.upper, atol=1e-6)
    assert_allclose(one.bounds_.weights.level, direct.level, atol=1e-6)
    needed = direct.kinds() == "needed"
    assert [kind == "needed" for kind in one.bounds_.kinds] == needed.tolist()
    assert {"bmi", "s5"} <= set(one.bounds_.of("needed"))
