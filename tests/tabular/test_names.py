"""Columns of a table that name persons or places: which are tested, found, and what is said."""

from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.random import default_rng
from pytest import fixture, mark, raises

from toolkit.tabular import as_table, look
from toolkit.tabular.names import YEAR
from toolkit.tabular.sections.features import about_features
from toolkit.tabular.sections.summary import verdict

N_PERSONS, N_ROWS = 100, 4
PERSON = np.repeat(np.arange(N_PERSONS), N_ROWS)


@fixture(scope="module")
def visits():
    """Visits of patients, who have one class each; no column tells of it."""
    rng = default_rng(0)
    X = rng.normal(size=(N_PERSONS, 3))[PERSON]
    X = X + 0.6 * rng.normal(size=X.shape)
    frame = pd.DataFrame(X.round(3), columns=["a", "b", "c"])
    return frame.assign(y=rng.choice(["ill", "well"], size=N_PERSONS)[PERSON])


IDS = {
    "words": [f"P{p + 11:03d}" for p in PERSON],
    "numbers": PERSON + 1011,
    "with a year": [
        f"P{p:03d}-{2015 + i % N_ROWS}" for i, p in enumerate(PERSON)
    ],
}


@mark.parametrize("ids", IDS)
def test_persons_are_found_and_their_column_is_no_feature(visits, ids):
    table = as_table(visits.assign(patient=IDS[ids]), "y")
    assert table.row_names.column == "patient"
    assert list(table.features) == ["a", "b", "c"]
    assert table.left_out["patient"].startswith("names groups of rows")
    groups = table.row_names.groups
    assert len(np.unique(groups)) == N_PERSONS
    assert (np.diff(groups)[np.diff(PERSON) == 0] == 0).all()


def test_groups_of_maps_are_those_of_persons_and_not_of_occupations(visits):
    table = as_table(visits.assign(patient=IDS["numbers"]), "y")
    assert table.split_groups.tolist() == table.named_groups.tolist()
    assert len(np.unique(table.named_groups)) == N_PERSONS
    jobs = IDS["words"][: 40 * N_ROWS]
    first_visits = visits.head(40 * N_ROWS).assign(job=jobs)
    table = as_table(first_visits, "y")
    assert table.row_names.column == "job" and table.row_names.is_category
    assert len(np.unique(table.named_groups)) == 40
    assert table.split_groups is table.groups
    assert as_table(visits, "y").named_groups is None


def test_a_dropped_column_is_tested_and_declared_groups_are_not(visits):
    frame = visits.assign(patient=IDS["words"])
    table = as_table(frame, "y", drop=["patient"])
    assert table.row_names.column == "patient"
    assert table.left_out["patient"] == "dropped on request"
    assert as_table(frame, "y", groups="patient").row_names.names == []
    assert as_table(frame, "y", id="patient").row_names.names == []


def test_columns_that_are_kept_are_features(visits):
    frame = visits.assign(patient=IDS["words"], number=IDS["numbers"])
    table = as_table(frame, "y", keep=["patient", "number"])
    assert table.kinds["patient"] == "category"
    assert table.kinds["number"] == "number"
    assert table.row_names.not_features == []
    assert not table.row_names.decides
    for wrong in ({"target": "patient"}, {"target": "y", "drop": ["patient"]}):
        with raises(ValueError, match="`keep` must name features.*'patient'"):
            as_table(frame, keep=["patient"], **wrong)
    with raises(ValueError, match="`keep` must be a column; got 'nobody'"):
        as_table(frame, "y", keep="nobody")


def test_where_all_columns_are_names_they_stay_features():
    rng = default_rng(0)
    judge, wine = np.divmod(np.arange(900), 30)
    y = rng.normal(size=30)[judge] + rng.normal(size=30)[wine]
    frame = pd.DataFrame({"judge": judge, "wine": wine, "y": y})
    table = as_table(frame, "y")
    assert set(table.row_names.names) == {"judge", "wine"}
    assert list(table.features) == ["judge", "wine"]
    with_another = as_table(frame.assign(a=rng.normal(size=900)), "y")
    assert list(with_another.features) == ["a"]
    assert with_another.row_names.sentence.count("; so are those of") == 1


def test_no_relation_is_claimed_between_rows_of_persons(visits):
    frame = visits.assign(patient=IDS["numbers"]).sample(frac=1, random_state=0)
    look_result = look(frame, "y", n_jobs=1, verbose=False)
    assert not look_result.separation_.is_signal
    assert list(look_result.dependence_.linked) == ["group column"]
    assert look_result.dependence_.linked["group column"].column == "patient"
    notes = look_result.show_notes().remarks
    [warning] = [
        text
        for kind, text in notes
        if kind == "warning" and "`patient`" in text
    ]
    for part in (
        "100 values",
        "for new values of `patient` it is",
        "keep=['patient']",
    ):
        assert part in warning
    figures = look_result.show_summary().frame.index
    assert any("new values of patient" in figure for figure in figures)
    assert not any("`" in figure for figure in figures)


def test_the_verdict_is_about_the_values_that_are_kept(visits):
    frame = visits.assign(patient=IDS["words"])
    look_result = look(frame, "y", keep=["patient"], n_jobs=1, verbose=False)
    assert "patient" in look_result.table_.features
    assert look_result.separation_.unlike == {}
    assert look_result.separation_.leading is look_result.separation_
    assert look_result.permuted == "rows"
    assert look_result.kind_of_dependence is None
    notes = look_result.show_notes().remarks
    [note] = [
        text
        for kind, text in notes
        if kind == "note" and "as `keep` says" in text
    ]
    error = look_result.dependence_.error["group column"]
    assert error > look_result.separation_.error
    for value in (error, look_result.separation_.error):
        assert look_result.task.percent(value) in note


def test_an_error_of_few_independent_groups_is_not_stated():
    rng = default_rng(0)
    island = np.repeat(np.arange(7), 30)
    centres = rng.normal(size=(7, 4))[island]
    X = centres + 0.5 * rng.normal(size=(210, 4))
    frame = pd.DataFrame(X.round(2)).add_prefix("x")
    frame["y"] = np.array(list("abababb"))[island]
    frame["island"] = [f"I{i}" for i in island]
    frame = frame.sample(frac=1, random_state=0)
    look_result = look(frame, "y", n_jobs=1, verbose=False)
    elsewhere = look_result.dependence_.evidence["group column"]
    assert not look_result.separation_.is_judged(elsewhere)
    texts = [verdict(look_result.separation_, "columns", "`y`")]
    texts += [
        note for _, note in look_result.show_notes().remarks if "values" in note
    ]
    span = look_result.task.span(elsewhere.interval)
    for text in texts:
        assert "cannot be judged: too few" in text and span not in text


def test_sizes_of_a_few_rows_are_no_names_where_the_others_have_none():
    rng = default_rng(0)
    X = rng.normal(size=(300, 4))
    pool = np.zeros(300, dtype=int)
    # the few houses with a pool differ more
    pool[:14] = 100 + 7 * rng.permutation(14)
    X[:14] *= 5
    frame = pd.DataFrame(X).add_prefix("x").assign(pool=pool)
    target = X[:, 0] + rng.normal(size=300)
    table = as_table(frame.assign(y=target), "y")
    assert table.row_names.names == [] and "pool" in table.features


def test_the_verdict_is_about_rows_for_which_no_relation_is_shown(visits):
    separation = look(visits, "y", n_jobs=1, verbose=False).separation_
    with_relation = replace(separation, error=0.4, p_values={"rows": 0.01})
    hidden = replace(
        separation,
        error=0.3,
        p_values={"rows": 0.2},
        new_rows="rows of another part of the file",
    )
    of_known_values = replace(
        separation,
        error=0.1,
        p_values={"rows": 0.01},
        unlike={"groups": with_relation, "order": hidden},
    )
    assert of_known_values.leading is hidden and not of_known_values.is_signal
    sentence = verdict(of_known_values, "columns", "`y`")
    assert (
        "For rows of another part of the file no relation is shown: error 30 %"
        in sentence
    )
    [columns] = about_features(None, of_known_values)
    assert "not judged: no relation is shown for rows of another" in columns


def test_where_a_relation_holds_an_error_that_is_not_judged_is_not_printed(
    visits,
):
    separation = look(visits, "y", n_jobs=1, verbose=False).separation_
    certain = {"rows": 0.01}
    wide = replace(
        separation, error=0.3, p_values=certain, interval=(0.05, 0.9)
    )
    holds = replace(
        separation, error=0.1, p_values=certain, unlike={"order": wide}
    )
    sentence = verdict(holds, "columns", "`y`")
    assert holds.is_signal and "they predict it, too (p = 0.01" in sentence
    assert sentence.endswith("too few independent parts or groups.")
    assert "30 %" not in sentence
    assert holds.columns_are_judged


def test_errors_above_the_baseline_are_worse_than_chance_if_sets_explain_them():
    rng = default_rng(0)
    couple = np.repeat(np.arange(80), 2)
    of_couples = 3 * rng.normal(size=(80, 3))[couple]
    X = of_couples + rng.normal(size=(160, 3))
    frame = pd.DataFrame(X).add_prefix("x")
    frame = frame.assign(y=["bride", "groom"] * 80, couple=couple + 101)
    look_result = look(
        frame.sample(frac=1, random_state=0), "y", n_jobs=1, verbose=False
    )
    separation = look_result.separation_
    assert separation.opposed == "couple" and separation.is_worse
    notes = [note for _, note in look_result.show_notes().remarks]
    assert any("groups='couple'" in note for note in notes)
    # without sets the interval and all permuted targets have to say so
    other = replace(separation, opposed="", interval=(0.53, 0.67), baseline=0.5)
    for p, low, is_worse in (
        (1.0, 0.53, True),
        (0.95, 0.53, False),
        (1, 0.49, False),
    ):
        ps = {"rows within groups": 0.4, "groups of like size": p}
        of_p = replace(other, p_values=ps, interval=(low, 0.67))
        assert of_p.is_worse == is_worse


def test_blocks_of_words_are_an_order_of_the_file():
    rng = default_rng(0)
    region = np.repeat(["south", "north", "east", "west"], 50)
    X = rng.normal(size=(200, 3))
    X[:, 1] += 2 * (region == "east")
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(region=region)
    of_region = 2 * (region == "north")
    y = X[:, 0] + of_region + rng.normal(size=200) > 0
    look_result = look(frame.assign(y=y), "y", n_jobs=1, verbose=False)
    assert look_result.dependence_.linked == {}


def test_columns_that_were_tested_are_named_where_nothing_is_found():
    rng = default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(80, 2)), columns=["a", "b"])
    frame["y"] = rng.integers(2, size=80)

    def last_note(frame):
        look_result = look(frame, "y", n_jobs=1, verbose=False)
        return look_result.show_notes().remarks[-1][1]

    assert "No column has values that repeat" in last_note(frame)
    frame["age"] = rng.integers(20, 60, size=80)
    assert "Tested as names of groups: `age`." in last_note(frame)


def test_a_year_is_no_part_of_a_name():
    words = ["P011-2019", "2019/P011", "P011", "P2019x", "12019"]
    assert [YEAR.sub("", word) for word in words] == [
        "P011",
        "P011",
        "P011",
        "Px",
        "12019",
    ]
