"""Numbers, dates, times, files and targets as people write them; each is a public report's kind, made up anew."""

import re
from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from pytest import fixture, mark, raises
from small_tables import flowers, said

from toolkit.tabular import as_table, read_table
from toolkit.tabular.cells import Notation
from toolkit.tabular.columns import read_column
from toolkit.tabular.headers import find_header
from toolkit.tabular.look import look
from toolkit.tabular.splits import check_sides, split


def test_what_the_caller_says_decides():
    ambiguous = pd.Series(["1,234", "2,345"], name="a")
    assert read_column(ambiguous, Notation(",")).values[0] == 1.234
    assert read_column(ambiguous, Notation(thousands=",")).values[0] == 1234
    days = pd.Series(["03/04/2020"], name="a")
    assert read_column(days, Notation(dates="month")).values[0].month == 3
    with raises(ValueError, match="`decimal` and `thousands` must differ"):
        Notation(",", ",")


N = 40
SIZES = flowers()["width"].round(3)
KINDS = flowers()["kind"]


def table(target="kind", **columns):
    """A table of the columns, with `width` and classes."""
    return as_table(flowers(**columns), target)


def test_limits_and_pairs_become_two_columns():
    limits = ["<0.5", *map(str, np.arange(1, N))]
    pairs = [f"{100 + i % 23}/{60 + i % 7}" for i in range(N)]
    features_read = table(crp=limits, pressure=pairs)
    features = features_read.features
    assert features["crp"][0] == 0.5
    assert features["crp below limit"].tolist() == [1.0] + [0.0] * (N - 1)
    assert features["pressure 1"][3] == 103 and features["pressure 2"][3] == 63
    assert said(features_read, "Which values are limits: `crp below limit`")
    assert said(
        features_read,
        "pairs of numbers, now two columns: `pressure 1` and `pressure 2`",
    )


def test_a_way_of_writing_in_one_class_is_a_leak():
    mixed = [str(x) if k == "rose" else x for x, k in zip(SIZES, KINDS, strict=True)]  # fmt: skip
    table_read = table(mass=mixed)
    assert said(
        table_read, "are all of the class 'rose'; the notation may give"
    )
    assert not said(table(mass=list(map(str, SIZES))), "the notation")
    masses = SIZES[::-1]
    commas = [str(x).replace(".", "," if k == "rose" else ".") for x, k in zip(masses, KINDS, strict=True)]  # fmt: skip
    table_read = table(mass=commas)
    assert said(table_read, "some have a decimal comma, others a point")
    assert said(table_read, "are all of the class 'rose'")
    assert_allclose(table_read.features["mass"], masses)
    for form, other_form in (("{:,.1f}", "{:.1f}"), ("({:.1f})", "-{:.1f}")):
        texts = [(form if k == "rose" else other_form).format(9000 + x) for x, k in zip(masses, KINDS, strict=True)]  # fmt: skip
        assert said(table(mass=texts), "the notation may give")
    # small numbers have no thousands to separate
    by_size = [f"{x + 5000 * (k == 'rose'):,.1f}" for x, k in zip(masses, KINDS, strict=True)]  # fmt: skip
    assert not said(table(mass=by_size), "the notation")


def test_another_whole_number_in_each_row_is_kept_and_said():
    table_read = table(area=np.arange(N) ** 3)
    assert "area" in table_read.features and said(table_read, "`--drop area`")


def test_targets_that_are_refused_in_one_sentence():
    limits = ["<0.5", *map(str, range(1, N))]
    with raises(ValueError, match="'<0.5'.*--task value.*--task classes"):
        table("out", out=limits)
    frame = pd.DataFrame({"size": SIZES, "out": limits})
    assert as_table(frame, "out", task="value").y[0] == 0.5
    ranges = [f"{i}-{i + 5}" for i in range(N)]
    with raises(ValueError, match="'0-5'.*cannot be read as numbers"):
        table("out", out=ranges)


def test_targets_by_levels_rows_and_other_orders():
    levels = pd.MultiIndex.from_tuples([("in", "size"), ("out", "state")])
    frame = pd.DataFrame({"a": SIZES, "b": KINDS}).set_axis(levels, axis=1)
    assert as_table(frame, ("out", "state")).target == "out state"
    plain = pd.DataFrame({"size": SIZES, "x": SIZES**2})
    shuffled = plain.sample(frac=1, random_state=0)
    with raises(ValueError, match="`target`.*in another order"):
        as_table(shuffled, pd.Series(KINDS))
    genes = pd.DataFrame({"gene": ["g1", "state"], "s1": [1, 2]})
    with raises(ValueError, match="is a row.*Transpose"):
        as_table(genes, "state")


def test_held_out_rows_of_unknown_classes_are_listed_apart():
    table_read = table()
    y = table_read.y.copy()
    y[-3:] = "new"
    is_test = np.arange(N) >= N - 10
    sides = split(y, table_read.groups, 1000, 0, is_test=is_test)
    assert sides[1].tolist() == list(range(N - 10, N - 3))
    table_read.y[:] = y
    check_sides(table_read, *sides, is_test)
    assert said(
        table_read, "3 rows of a class that the training rows lack (new)"
    )


@fixture
def read(tmp_path):
    """Function (text or bytes, options): frame and notes of a file."""

    def read(content, name="t.csv", **options):
        path = tmp_path / name
        content = content.encode() if isinstance(content, str) else content
        path.write_bytes(content)
        return read_table(path, **options)

    return read


ROWS = "id,crp,kind\n1,1.5,rose\n2,2.5,tulip\n3,3.5,rose\n"


@mark.parametrize(
    ("text", "note"),
    [
        ("Laboratory 4\n\n" + ROWS, "Not read, above the table: 'Laboratory 4'."),
        ("# unit: mg\n" + ROWS + "# end\n", "Comments, or the names again, are left out: line 6 ('# end')."),
        (ROWS.replace("kind\n", "kind\n,mg/l,\n"), "Not read, units or more names: ', mg/l, '."),
        (",Lab,Outcome\n" + ROWS, "Not read, units or more names: ', Lab, Outcome'."),
        (ROWS.replace("kind\n", "kind,\n"), "The line of names ends with a separator"),
        ("Results, study 7\n" + ROWS, "Not read, above the table: 'Results study 7'."),
        (ROWS.replace("kind\n", "kind\nint,float,str\n"), "Not read, units or more names: 'int, float, str'."),
        (ROWS + "id,crp,kind\n", "Comments, or the names again, are left out: line 5 ('id , crp , kind')."),
    ],
)  # fmt: skip
def test_lines_that_are_no_rows(read, text, note):
    frame, notes = read(text)
    assert frame.to_dict("list") == {
        "id": [1, 2, 3],
        "crp": [1.5, 2.5, 3.5],
        "kind": ["rose", "tulip", "rose"],
    }
    assert any(note in sentence for sentence in notes)


def test_two_rows_of_names_are_joined(read):
    frame, notes = read(",Mon,,Tue,\nid,a,b,a,b\n1,1,2,3,4\n2,5,6,7,8\n")
    assert list(frame) == ["id", "Mon a", "Mon b", "Tue a", "Tue b"]


def test_an_unclosed_quote_is_in_the_line_where_it_begins(read):
    with raises(ValueError, match="line 3: unexpected end"):
        read(ROWS.replace("2,2.5,", '2,2.5,"'))


def test_blanks_and_tabs_separate_alike(read):
    rows = [
        f"{i}.5   {i}   {i}.\t'car {i}'".replace("'", '"') for i in range(9)
    ]
    assert read("\n".join(rows))[0].shape == (9, 4)


def test_quoted_words_are_values(read):
    frame, _ = read('x,land\n1,"NA"\n2,"DE"\n3,NA\n4,"DE"\n')
    assert frame["land"].isna().tolist() == [False, False, True, False]
    # where all is quoted, a quote says nothing
    assert read('"x","land"\n"1","NA"\n"2","DE"\n')[0]["land"].isna()[0]


def test_encodings(read, tmp_path):
    text = "вес;класс\n1;да\n2;нет\n".encode("cp1251")
    assert list(read(text, encoding="cp1251")[0]) == ["вес", "класс"]
    with raises(ValueError, match="read as Windows-1252.*--encoding"):
        look(tmp_path / "t.csv", target="класс")
    with raises(ValueError, match="`encoding` must name one"):
        read(text, encoding="nonsense")


ARFF = """% a set
@RELATION r
@attribute 'a b' Integer {0.5}
@attribute dose {'10%','?', -} % declared
@attribute day date "dd.MM.yyyy"
@ATTRIBUTE who STRING
@data
1,'10%',"03.04.2020",'x, y' % seen

2\t'?'\t?\tz
?, -, '05.04.2020', ?, {5}
"""


def test_arff_as_its_format_says(read):
    frame, _ = read(ARFF, "a.arff")
    assert list(frame) == ["a b", "dose", "day", "who"]
    assert frame["who"].tolist() == ["x, y", "z", None]
    assert frame["dose"].tolist() == ["10%", "?", "-"]
    assert frame["a b"].isna().tolist() == [False, False, True]
    assert frame["day"][0] == pd.Timestamp("2020-04-03")
    with raises(ValueError, match=re.escape("'bag' in line 2 is relational")):
        read("@relation r\n@attribute bag relational\n@data\n1\n", "a.arff")


def test_class_names_counted_from_one(tmp_path):
    path = tmp_path / "t.npz"
    np.savez(path, X=np.eye(3), y=[1, 2, 1], target_names=["no", "yes"])
    frame, notes = read_table(path)
    assert (
        frame["y"].tolist() == ["no", "yes", "no"]
        and "counted from 1" in notes[0]
    )
    np.savez(path, X=np.eye(3), y=[1, 7, 1], target_names=["no", "yes"])
    assert "were not used" in read_table(path)[1][0]


def test_one_decimal_mark_for_a_table_and_its_test(tmp_path):
    rows = [f"{i % 9},5;{'ab'[i % 2]};1.{7 * i:03}" for i in range(N)]
    (tmp_path / "a.csv").write_text("x;kind;n\n" + "\n".join(rows))
    (tmp_path / "b.csv").write_text("x;kind;n\n3;a;1.999\n4;b;1.777\n")
    look_result = look(tmp_path / "a.csv", "kind", test=tmp_path / "b.csv")
    assert look_result.table_.features["n"].iloc[-2:].tolist() == [1999, 1777]
    assert look_result.arguments["options"]["decimal"] == ","


ATOMS = ["1", "12", "1.5", "2,5", "1,234", "%", " ", "€", "kg", "-", "/", ":", "<", "(", ")", "pm", "Jan", "2020", "M", "nan", "e5", "h", "±", "#", "\ud800", "+"]  # fmt: skip
WORD = st.lists(st.sampled_from(ATOMS), max_size=5).map("".join)
ENTRY = st.one_of(
    WORD,
    st.sampled_from([1, 2.5, True, None, Decimal("NaN"), date(2020, 1, 2)]),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(ENTRY, min_size=1, max_size=8))
def test_any_entries_become_columns_of_as_many_values(entries):
    column = read_column(pd.Series(entries, name="a", dtype=object))
    for part in column.parts().values():
        assert len(part.values) == len(part.value_words) == len(entries)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(WORD, min_size=1, max_size=4), min_size=1, max_size=6))
def test_any_first_rows_have_names_or_none(rows):
    header = find_header(rows)
    assert 0 <= header.n_lines <= len(rows)
    assert all(isinstance(name, str) for name in header.names)
