"""Sentences and commands of a page say what their numbers say, and can be copied."""

import shlex
from argparse import ArgumentParser
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
from numpy.random import default_rng
from pytest import approx, mark
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from small_tables import quiet, table_of

from toolkit.arguments import look as look_arguments
from toolkit.tabular import look, richtext
from toolkit.tabular.generated_code import command_of
from toolkit.tabular.sections.features import about_features
from toolkit.tabular.sections.maps import what_helps
from toolkit.tabular.sections.notes import remarks_on
from toolkit.tabular.sections.summary import lines_elsewhere, ranking_lines
from toolkit.tabular.targets import task_of
from toolkit.validation import as_target, simultaneous_level
from toolkit.validation.rankings import (
    Ranking,
    area_of_two_classes,
    area_under_roc,
)

pytestmark = mark.usefixtures("quick")


# ---- the area under the ROC curve of two classes


def test_the_area_of_two_classes_is_that_of_scikit_learn_with_an_interval():
    rng = default_rng(0)
    y = rng.integers(0, 2, 80)
    scores = y + rng.normal(size=80)
    P = np.column_stack([-scores, scores])
    target = as_target(y, 80)
    area, interval = area_of_two_classes(target, P[None], np.arange(80))
    assert area == approx(roc_auc_score(y, scores))
    assert interval[0] < area < interval[1]
    # the other class first: the same area
    other, _ = area_under_roc(y == 0, P[None, :, 0], np.arange(80))
    assert other == approx(area)


@mark.parametrize("y", [np.arange(9) % 3, np.linspace(0, 1, 9)])
def test_of_other_targets_there_is_no_area(y):
    target = as_target(y, 9)
    P = np.full((1, 9, 3), 1 / 3)
    assert area_of_two_classes(target, P, np.arange(9)) is None


def test_the_summary_has_the_area_with_its_interval_and_no_other():
    look_result = quiet(table_of(), "kind")
    frame = look_result.show_summary().frame
    area, (low, high) = look_result.separation_.area
    line = frame.loc["Area under the ROC curve"]
    assert float(line["value"]) == approx(area, abs=0.006)
    assert line["interval or level"].startswith("90 % interval ")
    assert low < area < high and line["baseline"] == "0.50"
    assert "ROC AUC" not in " ".join(frame["measured on"])


# ---- commands to copy


def options_of(look_result, **changes):
    """The options that the command of a look is read as."""
    command = shlex.split(command_of(look_result, **changes))
    assert command[:4] == ["python", "-m", "toolkit", "look"]
    parser = ArgumentParser()
    look_arguments(parser)
    return parser.parse_args(command[4:])


def test_the_command_of_a_file_is_read_as_it_was_meant(tmp_path):
    path = tmp_path / "a table.csv"
    frame = table_of().assign(animal=np.arange(120) // 3, note="x y")
    frame.to_csv(path, index=False)
    look_result = look(
        str(path),
        "kind",
        drop=["note"],
        keep=["u"],
        random_state=3,
        no_rows=True,
        verbose=False,
    )
    options = options_of(look_result, groups="animal")
    assert options.file == str(path) and options.target == "kind"
    assert options.groups == "animal" and options.drop == ["note"]
    assert (
        options.keep == ["u"] and options.random_state == 3 and options.no_rows
    )
    # names are added to lists
    assert options_of(look_result, keep=["v"]).keep == ["u", "v"]
    assert options_of(look_result, drop=["v"]).drop == ["note", "v"]


def test_names_that_a_shell_would_misread(tmp_path):
    path = tmp_path / "t.csv"
    frame = table_of().rename(columns={"u": "-u", "v": "v, w/o"})
    frame.to_csv(path, index=False)
    look_result = look(str(path), "kind", verbose=False)
    assert options_of(look_result, groups="-u").groups == "-u"
    assert options_of(look_result, keep=["-u"]).keep == ["-u"]
    assert command_of(look_result, drop=["v, w/o"]) == (
        "toolkit.look(table, target='kind', drop=['v, w/o'])"
    )


def test_of_a_table_from_python_it_is_a_call():
    look_result = quiet(table_of(), "kind")
    assert command_of(look_result, groups="u") == (
        "toolkit.look(table, target='kind', groups='u')"
    )


def test_with_a_model_from_python_it_is_a_call(tmp_path):
    path = tmp_path / "t.csv"
    table_of().drop(columns="hue").to_csv(path, index=False)
    model = LogisticRegression()
    look_result = look(str(path), "kind", model=model, verbose=False)
    assert command_of(look_result, drop=["u"]) == (
        "toolkit.look(table, target='kind', drop=['u'], model=model)"
    )


# ---- one warning for one cause


def linked(decides=True, column="animal"):
    return SimpleNamespace(
        decides=decides,
        column=column,
        is_order=False,
        sentence="`animal` repeats",
    )


def found_with(error, interval, p_value, elsewhere):
    """A separation on classes, and evidence elsewhere: error, interval, p-value."""

    def one(error, interval, p_value):
        judged = {"whole groups": p_value} if p_value else {}
        is_significant = bool(p_value) and p_value <= 0.05
        return SimpleNamespace(
            error=error,
            interval=interval,
            p_values=judged,
            p_value=p_value,
            is_significant=is_significant,
            is_useful=True,
            known_rows="values in the table",
            new_rows="new values of `animal`",
        )

    separation = one(error, interval, p_value)
    separation.task = task_of("classes", np.arange(40) % 2)
    separation.baseline = 0.5
    separation.leaks = {}
    separation.without_leaks = np.nan
    separation.is_worse = False
    separation.opposed = ""
    separation.verdict = "better than chance in decisions"
    separation.is_judged = lambda other: (
        other.p_values != {} and np.subtract(*other.interval[::-1]) < 0.5
    )
    there = one(*elsewhere)
    link = linked()
    dependence = SimpleNamespace(
        linked={"group column": link},
        evidence={"group column": there},
        deciding={"group column": there},
    )
    return separation, dependence


MAP = SimpleNamespace(error=0.45, training_error=0.01, interval=(0.3, 0.6))


@mark.parametrize(
    "elsewhere, kind",
    [
        ((0.45, (0.35, 0.55), 0.8), "warning"),  # no relation there
        ((0.30, (0.22, 0.38), 0.05), "warning"),  # larger beyond the interval
        ((0.11, (0.08, 0.16), 0.05), "note"),  # the same
        ((0.20, (0.01, 0.57), 0.05), "note"),  # cannot be judged
        ((0.20, (0.10, 0.30), None), "note"),
    ],
)
def test_dependence_is_a_warning_only_where_the_error_is_another(
    elsewhere, kind
):
    separation, dependence = found_with(0.1, (0.07, 0.14), 0.05, elsewhere)
    notes = list(
        remarks_on(
            separation,
            dependence=dependence,
            supervised=MAP,
            row_names=None,
            is_declared=False,
        )
    )
    assert [kind_of_note for kind_of_note, _ in notes] == [kind]
    [(_, sentence)] = notes
    assert ("cannot be judged" in sentence) == (
        not separation.is_judged(dependence.evidence["group column"])
    )
    assert "groups='animal'" in sentence and "keep=['animal']" in sentence


def test_the_map_is_warned_of_where_no_dependence_explains_it():
    separation, _ = found_with(0.1, (0.07, 0.14), 0.05, (0.1, (0.0, 0.2), 0.05))
    no_dependence = SimpleNamespace(linked={}, evidence={}, deciding={})
    [(kind, sentence)] = remarks_on(
        separation,
        dependence=no_dependence,
        supervised=MAP,
        row_names=None,
        is_declared=False,
    )
    assert (
        kind == "warning"
        and "training rows better than held-out rows" in sentence
    )


# ---- maps, columns and models


def maps_with(supervised, unsupervised, gain):
    """Maps of classes whose baseline is 0.5, with these intervals of their errors."""
    of_supervised = SimpleNamespace(interval=supervised)
    return SimpleNamespace(
        task=task_of("classes", np.arange(40) % 2),
        supervised=of_supervised,
        unsupervised=SimpleNamespace(interval=unsupervised),
        gain=(0.0, gain),
    )


@mark.parametrize(
    "supervised, unsupervised, gain, said",
    [
        ((0.4, 0.6), (0.4, 0.6), (-0.1, 0.1), "Neither map is shown"),
        ((0.1, 0.2), (0.3, 0.4), (0.1, 0.2), "The supervised map predicts"),
        ((0.3, 0.4), (0.1, 0.2), (-0.2, -0.1), "The unsupervised map predicts"),
        ((0.1, 0.2), (0.3, 0.6), (-0.1, 0.3), "Whether the map gains"),
        (
            (0.3, 0.6),
            (0.2, 0.4),
            (-0.2, 0.1),
            "of the supervised one this is not",
        ),
        ((0.1, 0.2), (0.1, 0.2), (-0.1, 0.1), "Both maps predict"),
    ],
)
def test_what_maps_predict_is_said_of_each(
    supervised, unsupervised, gain, said
):
    assert said in what_helps(maps_with(supervised, unsupervised, gain))


def test_columns_that_cannot_be_judged_are_not_said_to_have_no_relation():
    separation, dependence = found_with(
        0.1, (0.07, 0.14), 0.05, (0.2, (0.0, 0.6), None)
    )
    separation.leading = dependence.evidence["group column"]
    separation.columns_are_judged = False
    [sentence] = about_features(None, separation)
    assert "too few independent parts or groups" in sentence
    assert "no relation" not in sentence


def test_columns_come_with_the_error_without_permutation():
    look_result = quiet(table_of(), "kind")
    features = look_result.bounds_
    said = " ".join(look_result.list_columns().sentences)
    error = look_result.separation_.task.percent(features.error)
    assert f"the {features.model}, chosen on" in said
    assert f"has an error of {error}." in said
    # that of the same folds, computed without regard to columns
    assert features.error == approx(
        look_result.separation_.errors[features.model]
    )


def test_intervals_of_several_models_say_what_holds_together():
    look_result = quiet(table_of(), "kind")
    first, *_ = look_result.models_
    assert first.level == simultaneous_level(3) == approx(1 - 0.1 / 3)
    assert first.phrase.endswith(
        "97 % interval; 90 % for all 3 models together"
    )
    assert replace(first, n_models=1).phrase.endswith(", 90 % interval")


def test_cells_are_shown_as_they_were_read():
    sizes = default_rng(0).normal(size=40)
    frame = pd.DataFrame(
        {"year": [2007.0, 2008.0] * 20, "size": sizes, "kind": ["a", "b"] * 20}
    )
    cells = quiet(frame, "kind").show_rows().frame["year"]
    assert cells.tolist() == ["2007", "2008", "2007", "2008", "2007"]
    assert [
        richtext.as_read(cell) for cell in (np.nan, pd.NaT, 0.5, 1e7, "no")
    ] == ["", "", "0.5", "10000000", "no"]
    assert [
        richtext.rounded(cell) for cell in (28515.76, 0.0001, -3.14159)
    ] == ["28516", "<0.001", "-3.142"]


# ---- rows that are equal by chance


def test_rows_of_other_persons_with_equal_columns_are_no_copies():
    """Ten days of 18 persons: with their number left out, rows of a day are equal."""
    rng = default_rng(0)
    person = np.repeat(np.arange(18), 10)
    day = np.tile(np.arange(10.0), 18)
    of_persons = 3 * rng.normal(size=18)[person]
    y = of_persons + 0.5 * day + rng.normal(size=180)
    frame = pd.DataFrame({"day": day, "person": person + 308, "y": y})
    look_result = quiet(frame, "y")
    assert list(look_result.table_.features) == ["day"]
    assert len(np.unique(look_result.table_.named_groups)) == 18
    held_out = look_result.dependence_.evidence["group column"]
    assert held_out.new_rows == "new values of `person`"
    assert np.isfinite(held_out.error)


@mark.parametrize("n_values, n_groups", [(10, 100), (60, 60)])
def test_a_single_column_of_few_values_has_no_copies(n_values, n_groups):
    """Of 100 rows; with 60 values, rows of the same value are taken for copies."""
    values = np.arange(100.0) % n_values
    y = default_rng(0).normal(size=100)
    table = quiet(pd.DataFrame({"a": values, "y": y}), "y").table_
    assert len(np.unique(table.groups)) == n_groups


# ---- rare classes of dependent rows


def ranking(area, n_rows, n_others):
    return Ranking(
        name="rare",
        n_rows=n_rows,
        n_others=n_others,
        baseline=0.01,
        area=area,
        interval=(0.1, 0.9),
        average_precision=0.5,
    )


@mark.parametrize("is_judged", [True, False])
def test_areas_of_rare_classes_come_with_their_own_rows(is_judged):
    """Those of the verdict: of other parts of the file if these can be judged."""
    interval = (0.15, 0.25) if is_judged else (0.0, 0.9)
    separation, dependence = found_with(
        0.1, (0.07, 0.14), 0.05, (0.2, interval, 0.05)
    )
    leading = dependence.evidence["group column"]
    separation.unlike = dependence.evidence
    separation.leading = leading
    for separation_drawn, area, n_others in (
        (separation, 0.8, 495),
        (leading, 0.7, 95),
    ):
        separation_drawn.rankings = [ranking(area, 5, n_others)]
        separation_drawn.choice = SimpleNamespace(best="forest")
        separation_drawn.area = None
    lines = lines_elsewhere(separation)
    name = "Cross-validated error, wrong classes, new values of animal"
    if is_judged:
        assert list(lines)[-1] == name and lines[name][0] == "20 %"
        area = lines["Area under ROC of rare, new values of animal"]
        assert area[0] == "0.70" and area[3].startswith("100 rows, 5 of rare")
    else:
        assert list(lines) == [name] and lines[name][0] == "cannot be judged"
    line = ranking_lines(separation, "")["Area under ROC of rare"]
    assert line[0] == "0.80" and line[3].startswith("500 rows, 5 of rare")
