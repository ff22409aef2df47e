"""Rare classes and more than 1,000 rows: on both sides of a split, in errors on all rows, and in words."""

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
from matplotlib.colors import to_hex
from numpy.random import default_rng
from pytest import approx, fixture, mark
from small_tables import few_permutations

from toolkit.plots import MapDisplay
from toolkit.plots.style import class_styles
from toolkit.tabular import split
from toolkit.tabular.evidence import separation
from toolkit.tabular.models import class_table
from toolkit.tabular.rows import NumericTable
from toolkit.tabular.sections.notes import remarks_on
from toolkit.tabular.sections.summary import verdict
from toolkit.tabular.targets import task_of

pytestmark = mark.usefixtures("quick")

N = 1200
KINDS = np.repeat(["fraud", "fine"], [6, N - 6])


@fixture(scope="module")
def found(quick):
    """The separation of 6 frauds, three standard deviations away, among 1,200 rows."""
    X = default_rng(0).normal(size=(N, 2))
    X[:6, 0] += 3
    names = ["a", "b"]
    data = NumericTable(X=X, names=names, columns=names, parents=np.arange(2))
    with few_permutations(19):
        return separation(data, task_of("classes", KINDS), np.arange(N))


@mark.parametrize("count", [2, 10, 40])
def test_a_rare_class_has_rows_on_both_sides_of_a_limited_split(count):
    strata = np.arange(5000) < count
    fitted, held_out = split(strata, np.arange(5000), 1000, 0)
    assert len(fitted) == 1000 and len(held_out) == 4000
    assert strata[fitted].sum() == min(20, int(0.75 * count))
    train_again, _ = split(strata, np.arange(5000), 1000, 0)
    assert train_again.tolist() == fitted.tolist()


def test_a_rare_class_in_groups_of_several_classes_is_on_both_sides():
    groups = np.arange(800) // 4
    strata = np.isin(np.arange(800), [7, 300])
    for seed in range(5):
        for limit in 100, 1000:
            sides = split(strata, groups, limit, seed)
            assert [strata[side].sum() for side in sides] == [1, 1]


def test_the_error_is_that_of_all_rows_and_the_test_that_of_a_sample(found):
    assert (found.n_rows, found.n_tested) == (N, 1000)
    assert len(found.choice.losses) == N
    assert found.choice.predictions.shape == (1, N, 2)
    assert found.baseline == 6 / N
    (ranking,) = found.rankings
    assert ranking.area == approx(found.choice.auc) and ranking.area > 0.9
    # of 6 and 1,194 rows the deviation of a random area is 0.118
    assert ranking.chance_area == approx(0.6944, abs=1e-4)


def test_areas_lead_and_no_fraction_is_rounded_to_0_or_100_percent(found):
    assert found.is_signal
    sentence = verdict(found, "columns", "`kind`")
    ranked = sentence.index(f"under ROC of fraud {found.rankings[0].area:.2f}")
    assert (
        ranked < sentence.index("error 0.") < sentence.index("baseline 0.5 %")
    )
    fits = SimpleNamespace(error=0.005, training_error=0.005, interval=(0, 1))
    parts = {
        "dependence": SimpleNamespace(linked={}),
        "supervised": fits,
        "row_names": None,
        "is_declared": True,
    }
    notes = " ".join(note for _, note in remarks_on(found, **parts))
    assert "One class has 99.5 % of the rows" in notes
    assert "accuracy of fraud (6 rows): of a class it takes 20 rows" in notes
    assert not re.search(r"\b(0|100) %", sentence + notes)


def test_what_chance_gives_is_an_area(found):
    hidden = replace(found, p_values={"rows": 0.5})
    fits = SimpleNamespace(error=0.005, training_error=0.005, interval=(0, 1))
    parts = {
        "dependence": SimpleNamespace(linked={}),
        "supervised": fits,
        "row_names": None,
        "is_declared": True,
    }
    notes = [note for _, note in remarks_on(hidden, **parts)]
    assert "up to 0.69 for fraud are to be" in notes[0]
    plain = replace(hidden, rankings=[], interval=(0, 0.02))
    notes = [note for _, note in remarks_on(plain, **parts)]
    assert notes[0].startswith("With 1,000 rows no error can be")


def test_accuracies_near_100_percent_are_not_said_to_be_it():
    y = np.repeat(["a", "b"], [999, 1])
    table = class_table(y, np.repeat(["a", "b"], [998, 2]))
    assert table.loc["a", "accuracy"] == "99.9 %"
    assert table.loc["a", "predicted b"] == "1 (0.1 %)"


def test_rare_marks_are_drawn_last():
    y = np.repeat(["a", "b", "c"], [2, 100, 98])
    drawn = MapDisplay(default_rng(0).normal(size=(200, 2)), y).plot()
    *_, last = [
        collection
        for collection in drawn.ax_.collections
        if len(collection.get_offsets())
    ]
    assert len(last.get_offsets()) == 2
    assert to_hex(last.get_facecolor()[0]) == class_styles(3)[0][0]
