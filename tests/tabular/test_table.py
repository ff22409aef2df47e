"""What the columns of a table are, which are left out and why, and what is refused."""

import re

import numpy as np
import pandas as pd
from examples import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest import mark, raises
from small_tables import flowers, said

from toolkit.tabular import as_table
from toolkit.tabular.columns import read_column

N = 40
CLASSES = ["rose", "tulip"] * (N // 2)
IDS = [f"p{i}" for i in range(N)]
FLAGS = [0, 1] * (N // 2)


# ---- columns ----


def read(values, kind, expected, note):
    """The column of these values; of the kind if anything is expected, with a note."""
    column = read_column(pd.Series(values, name="a"))
    assert (column.kind == kind) == (expected is not None)
    assert note in " ".join(column.notes)
    return column


@mark.parametrize(
    ("values", "numbers", "note"),
    [
        ([1, 2.5, None], [1, 2.5, np.nan], ""),
        (["1", "2.5", "NA"], [1, 2.5, np.nan], "read as missing: 1 'NA'."),
        (["1,5", "2,25", "?"], [1.5, 2.25, np.nan], "numbers with a decimal comma."),
        (["1,234", "5,678,901"], [1234, 5678901], "numbers with separated thousands."),
        (["1.234,5", "12,5", "1.234"], [1234.5, 12.5, 1234], "numbers with a decimal comma and separated thousands."),
        (["1 234,5", "2\u00a0000"], [1234.5, 2000], "separated thousands."),
        (["1'234.5", "2'000"], [1234.5, 2000], "numbers with separated thousands."),
        (["5 %", "6.5%", "$5"], None, "'5 %', '6.5%' and '$5' cannot be read as numbers"),
        (["\u22125", "3"], [-5, 3], ""),
        (["1e3", "-.5", "+2."], [1000, -0.5, 2], ""),
        ([True, None, False], [1, np.nan, 0], ""),
        (["true", "FALSE"], [1, 0], ""),
        (["1"] * 19 + ["x"], [1] * 19 + [np.nan], "1 value became missing, no number: 'x'."),
        (["1"] * 18 + ["x", "y"], None, "'x' and 'y' cannot be read as numbers, dates or times (18 of 20 values are numbers)"),
        (["1", "None", "."], [1, np.nan, np.nan], "2 values became missing, no number"),
        (["007", "123"], None, ""),
        (["1_000", "2"], None, ""),
        (["٣", "٤"], None, ""),
        ([1e20, "1e300"], [1e20, 1e300], ""),
        ([10**20, 10**400], None, ""),  # digits would be lost
        (pd.array([1, None, 3], dtype="Int64"), [1, np.nan, 3], ""),
        (["12.5 %", "7%", "0"], [12.5, 7, 0], "left out: '%'"),
        (["3 ‰", "4.5 ‰"], [3, 4.5], "left out: '‰'"),
        (["CHF 1'250.50", "CHF 3.00"], [1250.5, 3], "separated thousands; left out: 'CHF'"),
        (["1.250,50 €", "-3,00 €"], [1250.5, -3], "a decimal comma and separated thousands; left out: '€'"),
        (["€4.5M", "€250K", "€0"], [4.5e6, 2.5e5, 0], "k, M and B are thousands, millions and billions"),
        (["1 day", "3 days"], [1, 3], "left out: 'day'"),
        (["36,6 °C", "37 °C"], [36.6, 37], "left out: '°C'"),
        (["(2.5)", "4", "5-"], [-2.5, 4, -5], "brackets or a minus behind mean negative ones"),
        (["12,34,567", "98,000"], [1234567, 98000], "separated thousands"),
        (["1.5D+02", "2.0D-01"], [150, 0.2], ""),
        (["ca. 12", "~7", "5"], [12, 7, 5], "left out in front: 'ca.' and '~'"),
        (["950", "12.400", "3.100"], [950, 12.4, 3.1], "'12.400' is read as 12.4, but as 12400 with `--decimal ,`"),
        (["1.250", "2.375"], [1.25, 2.375], ""),  # all with three decimals
        ([61.125, "12,375", "3,250"], [61.125, 12.375, 3.25], "a decimal comma"),
        (["1.5", pd.NaT, "2.5"], [1.5, np.nan, 2.5], ""),
        ([40, "1,250"], [40, 1250], "'1,250' is read as 1250"),
        (["08:15", "23:59"], [29700, 86340], "taken as seconds"),
        (["1:30 PM", "12:05 am"], [48600, 300], "taken as seconds"),
        (["13h30", "8h05"], [48600, 29100], "taken as seconds"),
        (["12.-", "7.50"], [12, 7.5], ""),
        (["3 µg/l", "4 μg/l"], [3, 4], "left out: 'μg/l'"),
        ([0.25, "44 %"], None, "'44 %' cannot be read"),  # true numbers have no unit
        (["<=50K", ">50K"], None, ""),  # limits alone are words
        (["1", "2", "unknown"], [1, 2, np.nan], "1 value became missing"),
        ([pd.Timestamp(2020, 1, 1, 8).time(), None], [28800, np.nan], "taken as seconds"),
        (["3 kg", "200 g"], None, "'3 kg' and '200 g' cannot be read as numbers"),
        (["300 K", "7"], None, "'300 K' cannot be read"),
        (["5-10", "10-20"], None, "'5-10' and '10-20' cannot be read"),
        (["1.5 ± 0.2", "2 ± 1"], None, "'1.5 ± 0.2'"),
        (["3/4", "1/2"], None, "'3/4' and '1/2'"),  # or the third of April
        (["00417", "00023"], None, "zeros in front of '00417'"),
    ],
)  # fmt: skip
def test_numbers_in_every_notation(values, numbers, note):
    column = read(values, "number", numbers, note)
    if numbers is not None:
        np.testing.assert_array_equal(column.values, numbers)


@mark.parametrize(
    ("values", "dates", "note"),
    [
        (["2020-01-02", "2020-12-31"], ["2020-01-02", "2020-12-31"], ""),
        (["2020-01-02T10:00", "2020-12-31 23:59:59"], ["2020-01-02 10:00", "2020-12-31 23:59:59"], ""),
        (["2020-01-02T10:00:00+02:00"] * 2, ["2020-01-02 08:00"] * 2, ""),
        (["24.12.2020", "1.1.2021 18:30"], ["2020-12-24", "2021-01-01 18:30"], "dates, day-month-year."),
        (["13/04/2020", "05/06/2021"], ["2020-04-13", "2021-06-05"], "dates, day-month-year."),
        (["04/13/2020", "05/06/2021"], ["2020-04-13", "2021-05-06"], "dates, month-day-year."),
        (["03/04/2020", "05/06/2021"], ["2020-04-03", "2021-06-05"], "month-day-year is possible, too: `--dates month`."),
        (["Jan 3, 2020", "February 4, 2021"], ["2020-01-03", "2021-02-04"], "dates, month-day-year."),
        ([pd.Timestamp("2020-01-02").date(), None], ["2020-01-02", None], ""),
        (pd.to_datetime(["2020-01-02 10:00"]).tz_localize("Europe/Berlin"), ["2020-01-02 09:00"], "taken in UTC"),
        (pd.period_range("2020-01", periods=2, freq="M"), ["2020-01-01", "2020-02-01"], ""),
        (["2020-02-30", "2020-02-28"], None, ""),
        (["2020-01-02"] * 19 + ["soon"], ["2020-01-02"] * 19 + [None], "1 value became missing, no date: 'soon'"),
        (["24.12.99", "05.01.04"], ["1999-12-24", "2004-01-05"], "day-month-year"),
        (["05/2019", "11/2020"], ["2019-05-01", "2020-11-01"], "month-year"),
        (["Mar-07", "Dec-15"], ["2007-03-01", "2015-12-01"], "month-year"),
        (["3-Feb-2020", "14-Mar-2021"], ["2020-02-03", "2021-03-14"], "day-month-year"),
        (["05JUN2010:10:30:00"], ["2010-06-05 10:30"], "day-month-year"),
        (["12. März 2020", "5. Oktober 2021"], ["2020-03-12", "2021-10-05"], "day-month-year"),
        (["Mon, 3 Feb 2020", "Tue, 4 Feb 2020"], ["2020-02-03", "2020-02-04"], "day-month-year"),
        (["05/31/2020 01:02:05 PM", "06/01/2020 1:02:05 AM"], ["2020-05-31 13:02:05", "2020-06-01 01:02:05"], "month-day-year"),
        (["2020/02/03 10:30", "2021/12/13 8:05"], ["2020-02-03 10:30", "2021-12-13 08:05"], "year-month-day"),
        (["3.4.68", "5.6.69"], ["2068-04-03", "1969-06-05"], "`--dates month`"),
        ([pd.Timestamp(2020, 2, 3), "14.03.2021"], ["2020-02-03", "2021-03-14"], "day-month-year"),
    ],
)  # fmt: skip
def test_dates_in_every_notation(values, dates, note):
    column = read(values, "date", dates, note)
    if dates is not None:
        expected = pd.to_datetime(pd.Series(dates), format="ISO8601")
        assert column.values.tolist() == expected.tolist()


def test_words_of_few_kinds_are_categories_and_numbers_among_them_words():
    values = ["a", 1, 2.0, "b ", None, "?"]
    column = read(values * 3, "category", values, "values are numbers")
    assert column.values.tolist()[:4] == ["a", "1", "2", "b"]
    assert column.values.isna().sum() == 6
    for values, kind in [
        (pd.Categorical([1, 2, 1, 2]), "category"),
        ([[1], [2]], "other"),
        ([1j, 2j], "other"),
    ]:
        read(values, kind, values, "")


@mark.parametrize(
    ("name", "values", "why"),
    [
        ("a", [None] * N, "all values are missing"),
        ("a", [3] * N, "constant: '3'"),
        ("a", [3, None] * (N // 2), "constant: '3'"),
        ("patient", IDS, "identifier: 40 different values"),
        ("a", range(100, 100 + N), "identifier: 40 different values"),
        ("PatientID", np.arange(N) ** 3, "identifier: 40 different values"),
        ("code", np.arange(N) / 7, None),
        ("humid", np.arange(N) ** 3, None),
        ("a", [f"word {i % 25}" for i in range(N)], "free text: 25 different values"),
        ("a", [f"{i} " + 50 * "long " for i in range(N)], "free text: 40 different values"),
        ("a", [f"word {i % 20}" for i in range(N)], None),
        ("a", [f"{i}-{2 * i} mg" for i in range(N)], "free text: 40 different values"),
        ("a", FLAGS, None),
        ("a", [[i] for i in range(N)], "it holds values of type list"),
        ("a", np.random.RandomState(0).randn(N), "a copy of `width`"),
        # as good as the target: found elsewhere
        ("a", ["rose!", "tulip!"] * (N // 2), None),
    ],
)  # fmt: skip
def test_which_columns_are_features(name, values, why):
    table = as_table(flowers(**{name: list(values)}), "kind")
    assert table.left_out == ({name: why} if why else {})
    assert (name in table.features) == (why is None)
    used = table.overview()["used"]
    assert used["kind"] == "target"
    assert used[name] == (f"no: {why}" if why else "feature")


def test_nearly_all_missing():
    table = as_table(flowers(300, a=[1.5, 2.5] + [None] * 298), "kind")
    assert table.left_out == {"a": "99.3 % of the values are missing"}


def test_columns_left_out_take_one_sentence():
    (note,) = said(as_table(flowers(a=0, b=0), "kind"), "left out")
    whys = "`a` (constant: '0') and `b` (constant: '0')"
    assert note == f"2 columns left out: {whys}."


def test_flags_are_numbers_and_the_frame_of_the_caller_stays_as_it_is():
    frame = flowers(a=[True, False, False, True] * (N // 4))
    before = frame.copy(deep=True)
    table = as_table(frame, "kind")
    assert table.kinds["a"] == "number"
    assert table.features["a"].tolist()[:3] == [1, 0, 0]
    pd.testing.assert_frame_equal(frame, before)


def test_the_overview_has_each_column_in_a_row():
    day = pd.Timestamp("2020-01-02")
    columns = {
        "a": [1, 2, 3, None] * 10,
        "c": ["x", "x", "y", "?"] * 10,
        "d": day,
    }
    table = as_table(flowers(**columns), "kind")
    view = table.overview()
    assert list(view.index) == ["width", "kind", "a", "c", "d"]
    assert view.loc["a"].tolist() == [
        "number",
        10,
        3,
        "1 to 3, median 2",
        "█   █    █",
        "feature",
    ]
    assert view.loc["c"].tolist() == [
        "category",
        10,
        2,
        "x (20), y (10)",
        "█▄",
        "feature",
    ]
    assert view.loc["kind", "values"] == "rose (20), tulip (20)"
    assert view.loc["d", "used"].startswith("no: constant")
    view.loc["a", "kind"] = "changed"
    assert table.overview().loc["a", "kind"] == "number"


# ---- the target ----


@mark.parametrize(
    ("values", "names"),
    [
        ([1, 2] * 20, ["1", "2"]),
        (["1", "2.0"] * 20, ["1", "2"]),
        ([True, False] * 20, ["False", "True"]),
        (["true", "false"] * 20, ["False", "True"]),
        (["no", "yes", None, "?"] * 10, ["no", "yes"]),
        (
            pd.Categorical(["b", "a"] * 20, categories=["b", "a", "never"]),
            ["a", "b"],
        ),
        # eight numbers in forty rows have five rows each
        (list(range(8)) * 5, [str(i) for i in range(8)]),
        (list(range(9)) * 4 + [0] * 4, []),
        ([0.5, 1.5] * 20, []),
        (["1,5", "2,5"] * 20, []),
        ([f"$ {1000 + 7 * i:,}" for i in range(N)], []),
        ([f"{i / 7:.1f} %" for i in range(N)], []),
        (["+", "-"] * 20, ["+", "-"]),
        (pd.Categorical(["NA", "DE"] * 20), ["DE", "NA"]),
    ],
)
def test_what_the_target_is(values, names):
    table = as_table(flowers(kind=values), "kind")
    task, dtype = ("classes", "U") if names else ("value", "f")
    assert (table.task, table.label_names, table.target) == (
        task,
        names,
        "kind",
    )
    assert len(said(table, "taken as")) == 1 and table.y.dtype.kind == dtype


def test_the_task_can_be_said():
    table = as_table(flowers(kind=[1, 2] * 20), "kind", task="value")
    assert table.y.tolist()[:2] == [1.0, 2.0]
    table = as_table(flowers(kind=[0.5, 1.5] * 20), "kind", task="classes")
    assert table.label_names == ["0.5", "1.5"]
    assert said(table, "taken as classes, as asked for.")


def test_the_sentence_about_the_target_says_how_to_override_it():
    table = as_table(flowers(kind=np.arange(N) / 7), "kind")
    taken = "`kind` has 40 different numbers: taken as a real value"
    assert said(table, f"{taken}; --task classes overrides.")


def test_rows_without_a_target_and_lone_classes_are_left_out_by_name():
    frame = flowers(who=IDS)
    frame.loc[[3, 5, 7], "kind"] = [None, "?", "lily"]
    table = as_table(frame, "kind")
    assert table.rows_left_out == {
        "no value in `kind`": ["p3", "p5"],
        "the only row of its class": ["p7"],
    }
    for part in (table.y, table.ids, table.features, table.groups):
        assert len(part) == N - 3
    assert table.ids[:4].tolist() == ["p0", "p1", "p2", "p4"]
    assert table.label_names == ["rose", "tulip"]
    assert said(table, "2 rows left out, no value in `kind`: p3 and p5.")
    assert said(table, "one row only, which is left out: lily")
    assert table.features.index.tolist() == list(range(N - 3))


def test_the_target_as_an_array():
    frame = flowers()
    for data, target, name, features in [
        (
            np.random.RandomState(0).randn(N, 3),
            CLASSES,
            "target",
            ["X1", "X2", "X3"],
        ),
        # a column of the table itself
        (frame, frame["kind"], "kind", ["width"]),
        # another one of that name
        (
            frame,
            pd.Series(CLASSES[::-1], name="kind"),
            "target",
            ["width", "kind"],
        ),
        (
            {"a": range(0, 4 * N, 4)},
            np.array(CLASSES)[:, None],
            "target",
            ["a"],
        ),
    ]:
        table = as_table(data, target)
        assert (table.target, list(table.features)) == (name, features)
        assert table.y.tolist() == np.ravel(target).tolist()


def test_labels():
    w = [True] * 38 + [False] * 2
    frame = flowers(u=["yes", "no"] * 20, v=[0, 1, 1, None] * 10, w=w)
    names = ["u", "v", "w"]
    table = as_table(frame, labels=names)
    assert (table.task, table.target, table.label_names) == (
        "labels",
        "",
        names,
    )
    assert table.y[:3].tolist() == [[1, 0, 1], [0, 1, 1], [1, 1, 1]]
    assert len(table.rows_left_out["no value in a label"]) == 10
    assert list(table.features) == ["width", "kind"]
    assert table.overview().loc["u", "used"] == "label"


# ---- rows ----


def test_names_of_rows():
    numbers = pd.Index(range(3, 3 + N), name="row")
    days = pd.date_range("2020-01-01", periods=N)
    gap = flowers(who=[None, *IDS[1:]])
    for data, id, names in [
        (flowers(), None, ["row 1", "row 2"]),
        (flowers(who=IDS), None, IDS),
        (flowers().set_axis(IDS), None, IDS),
        (flowers(a=range(N), who=IDS), None, IDS),  # text before numbers
        (flowers(a=range(N)), None, ["0", "1"]),
        (flowers(day=days), "day", ["2020-01-01"]),
        (flowers().set_axis(numbers), None, ["row 3"]),
        (gap, "who", ["row 1", "p1"]),
    ]:
        table = as_table(data, "kind", id=id)
        assert table.ids[: len(names)].tolist() == names
        assert id is None or table.left_out == {id: "it names the rows"}
        assert id is None or said(table, f"The rows are named by `{id}`.")


def test_repeated_ids_are_told_apart_and_stay_together():
    ids = [*IDS[:4], IDS[0], *IDS[5:]]
    for data, name_of_ids in (
        (flowers(who=ids), "`who`"),
        (flowers().set_axis(ids), "the index"),
    ):
        table = as_table(data, "kind")
        assert table.ids[[0, 4]].tolist() == ["p0", "p0 (2)"]
        assert table.groups[0] == table.groups[4]
        assert len(set(table.groups)) == N - 1 and len(set(table.ids)) == N
        assert said(table, f"named by {name_of_ids}.")
        assert said(
            table,
            f"{name_of_ids} repeats p0. These rows stay together in every split",
        )


def test_groups_of_a_column_of_ids_and_of_identical_rows():
    frame = flowers(clinic=["a", "b", "c", "d"] * 10)
    table = as_table(frame, "kind", groups="clinic")
    assert (
        table.groups.tolist() == [0, 1, 2, 3] * 10
        and "clinic" not in table.features
    )
    # the same features in two clinics: these clinics stay together
    frame.loc[1, "width"] = frame.loc[0, "width"]
    table = as_table(frame, "kind", groups="clinic")
    assert table.groups.tolist() == [0, 0, 1, 2] * 10
    assert said(table, "features of another row, but another target: 1.")


def test_identical_rows_are_kept_and_said():
    doubled = pd.concat([flowers()] * 2)
    doubled.loc[0, "width"] = np.nan
    table = as_table(doubled, "kind")
    assert table.groups.tolist() == list(range(N)) * 2 and len(table.y) == 2 * N
    assert said(table, "40 rows repeat features and target of another row")


def test_rows_are_equal_by_chance_where_columns_have_few_values():
    rng = np.random.default_rng(0)
    three_columns = pd.DataFrame(
        rng.integers(2, size=(60, 3)), columns=list("abc")
    )
    three_columns["kind"] = ["x", "y"] * 30
    table = as_table(three_columns, "kind")
    assert len(np.unique(table.groups)) == 60
    n_equal = three_columns[list("abc")].duplicated().sum()
    assert said(table, f"equal by chance ({n_equal} of 60 repeat another one)")
    # of 14 such columns hardly any two rows are equal by chance
    fourteen_columns = pd.DataFrame(rng.integers(2, size=(60, 14))).add_prefix(
        "x"
    )
    fourteen_columns.loc[1] = fourteen_columns.loc[0]
    table = as_table(
        fourteen_columns.assign(kind=["x", "x"] * 15 + ["y", "y"] * 15), "kind"
    )
    assert table.groups[0] == table.groups[1]
    assert len(np.unique(table.groups)) == len(
        fourteen_columns.drop_duplicates()
    )


def test_columns_can_be_dropped():
    for column in ([1, 2] * 20, 1j):
        table = as_table(flowers(a=column), "kind", drop="a")
        assert table.left_out == {"a": "dropped on request"}


def test_names_of_columns_become_text():
    values = np.arange(N) / 7
    for names, target, feature in [
        ((1, 2), 2, "1"),
        ((1, 2), "2", "1"),
        ((("a", "b"), ("kind", "")), "kind", "a b"),
    ]:
        frame = pd.DataFrame(dict(zip(names, (values, CLASSES), strict=True)))
        table = as_table(frame, target)
        assert list(table.features) == [feature] and said(
            table, "Names of columns"
        )


# ---- what is refused ----

GOOD = flowers()
REFUSED = {
    "no target": (GOOD, {"target": None}, "`target` or `labels` must be given"),
    "both": (GOOD, {"target": "kind", "labels": ["kind"]}, "and not both"),
    "unknown target": (GOOD, {"target": "kinds"},
        "got 'kinds'. Choose one of 'width' and 'kind'. Did you mean `kind`?"),
    "mistyped target": (GOOD, {"target": "Knid"}, "Did you mean `kind`?"),
    "strange target": (GOOD, {"target": "age"}, "Choose one of 'width' and 'kind'."),
    "unknown labels": (GOOD, {"labels": ["a", "b"]}, "`labels` must be a column; got 'a'"),
    "unknown drop": (GOOD, {"drop": ["widht"]}, "`drop` must be a column; got 'widht'"),
    "target dropped": (GOOD, {"drop": ["kind"]}, "must not be dropped, ids or groups; 'kind' is"),
    "task": (GOOD, {"task": "class"}, "`task` must be"),
    "task of labels": (GOOD, {"labels": ["kind", "width"], "task": "value"}, "must be None with `labels`"),
    "missing target": (flowers(kind=None), {}, "all of `kind` are missing"),
    "huge target": (flowers(kind=[1e200, 1.5] * 20), {}, "`kind` is 1e+200 in row 1"),
    "constant target": (flowers(kind="rose"), {}, "`kind` is 'rose' in every row"),
    "all different": (flowers(kind=[f"k{i}" for i in range(N)]), {},
        "one row only of 'k0', 'k1', "),
    "lone classes": (flowers(kind=["a"] * (N - 2) + ["b", "c"]), {},
        "one row only of 'b' and 'c'. Merge"),
    "words as values": (GOOD, {"task": "value"}, "`kind` is 'rose' in row 1"),
    "dates": (flowers(kind=pd.date_range("2020", periods=N)), {}, "`kind` holds dates"),
    "short target": (GOOD, {"target": CLASSES[1:]}, "`target` must hold one value per row, 40; got shape (39,)"),
    "wide target": (GOOD, {"target": np.eye(N)}, "got shape (40, 40)"),
    "another index": (GOOD.set_axis(range(1, N + 1)), {"target": pd.Series(CLASSES, range(2, N + 2))},
        "has another"),
    "one label": (GOOD, {"labels": "kind"}, "at least two columns"),
    "labels of numbers": (flowers(a=FLAGS, b=[0, 2] * 20), {"labels": ["a", "b"]}, "`b` is '2' in row 2"),
    "label in no row": (flowers(a=FLAGS, b=[0] * N), {"labels": ["a", "b"]}, "`b` is set in no row"),
    "label in every row": (flowers(a=FLAGS, b=[1] * N), {"labels": ["a", "b"]}, "`b` is set in every row"),
    "repeated labels": (flowers(a=FLAGS), {"labels": ["a", "a"]}, "`labels` must name columns once"),
    "infinite": (flowers(a=[1, np.inf] * 20), {}, "column `a` is inf in row 2"),
    "nothing left": (GOOD, {"drop": ["width"]}, "left out: `width` (dropped on request)"),
    "nothing beside": (GOOD[["kind"]], {}, "left out: none"),
    "few with a target": (flowers(kind=[*CLASSES[:8], *[None] * 32]), {},
        "10 rows with a target; got 8"),
    "many columns": (pd.DataFrame(np.zeros((10, 10_001))), {"target": "0"},
        "at most 10,000 columns; got 10,001. Select"),
    "repeated columns": (GOOD.set_axis(["kind", "kind"], axis=1), {}, "repeats 'kind'"),
    "repeated as text": (pd.DataFrame([[1, 2]] * 20, columns=[1, "1"]), {"target": "1"}, "repeats '1'"),
    "gaps in groups": (flowers(g=["a", None] * 20), {"groups": "g"},
        "`groups` must have a value in each row; `g` has none in row 2, row 4"),
    "no table": ([1, 2, 3], {}, "`data` must be a table"),
    "uneven": ({"a": [1], "b": [1, 2]}, {"target": "a"}, "`data` must be a table"),
}  # fmt: skip


@mark.parametrize(
    ("data", "arguments", "message"), REFUSED.values(), ids=REFUSED
)
def test_one_line_says_what_is_wrong_with_a_table(data, arguments, message):
    target = {} if "labels" in arguments else {"target": "kind"}
    with raises(ValueError, match=re.escape(message)) as caught:
        as_table(data, **(target | arguments))
    check_message(str(caught.value))


def check_message(text):
    assert "\n" not in text and "`" in text, text
    assert text.endswith((".", "?")), text


# ---- any table ----

VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(width=32),
    st.text(max_size=6),
    st.sampled_from(["a", "b", "1,5", "2", "?", "NA", "2020-01-02", "3.4.2021", "5 %", "€ 3", "inf", "True", "",
        "<b>"]),
    st.dates(),
    st.datetimes(),
    st.binary(max_size=3),
)  # fmt: skip
COLUMNS = st.one_of(
    st.lists(VALUES, min_size=14, max_size=14),
    *(st.lists(st.one_of(st.none(), kind), min_size=14, max_size=14) for kind in (
        st.integers(0, 3), st.floats(-10, 10), st.sampled_from("ab"), st.booleans(), st.dates(), st.just("x"),
        st.sampled_from(["1,5", "2,5", "x"]), st.sampled_from(["2020-01-02", "2.3.2021"]))),
    st.permutations(range(14)),
)  # fmt: skip


ROLES = "id", "groups"


@settings(
    max_examples=examples(150),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(
    st.dictionaries(st.text(max_size=4), COLUMNS, min_size=2, max_size=5),
    st.data(),
)
def test_any_table_is_accounted_for_or_refused_in_one_line(columns, data):
    names = list(columns)
    series = {
        name: pd.Series(values, dtype=object)
        for name, values in columns.items()
    }
    options = {
        name: data.draw(st.sampled_from([None, *names])) for name in ROLES
    }
    options["task"] = data.draw(st.sampled_from([None, "classes", "value"]))
    try:
        table = as_table(
            pd.DataFrame(series), data.draw(st.sampled_from(names)), **options
        )
    except ValueError as error:
        check_message(str(error))
        return
    n = len(table.y)
    assert n + sum(map(len, table.rows_left_out.values())) == 14
    # each column has a use
    listed_columns = list(table.overview().index)
    assert sorted([table.target, *table.features, *table.left_out]) == sorted(
        listed_columns
    )
    assert (
        len(table.features)
        == len(set(table.ids))
        == len(table.groups)
        == n
        >= 10
    )
    assert list(table.kinds) == list(table.features)
    assert all("\n" not in note for note in table.notes)
    for name, kind in table.kinds.items():
        column = table.features[name].dropna()
        assert column.nunique() > 1
        if kind == "category":
            assert all(type(value) is str for value in column)
        else:
            assert column.dtype.kind == {"number": "f", "date": "M"}[kind]
    classes, counts = np.unique(table.y, return_counts=True)
    if table.task == "classes":
        assert table.label_names == classes.tolist() and counts.min() > 1
    else:
        assert np.isfinite(table.y).all() and len(classes) > 1
