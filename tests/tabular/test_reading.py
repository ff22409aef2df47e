"""Tables and square matrices from files: every format, what is found out about a text, and what is refused how."""

import csv
import gzip
import io
import pickle
import re
import sys
import zipfile

import numpy as np
import pandas as pd
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from pytest import fixture, mark, raises

from toolkit.datasets import load
from toolkit.datasets.registry import shipped_folder
from toolkit.tabular import as_table, read_square, read_table

ROWS = "width,kind\n1.5,rosé\n2.5,tulip\n3,rosé\n"


@fixture
def write(tmp_path):
    """Function (name, content): a file with this text or these bytes."""

    def write(name, content):
        path = tmp_path / name
        path.write_bytes(
            content.encode() if isinstance(content, str) else content
        )
        return path

    return write


@fixture
def read(write):
    """Function (text): the table of a file with it."""
    return lambda text: read_table(write("t.csv", text))[0]


def zip_bytes(name, content, **further_files):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for member, text in {name: content, **further_files}.items():
            archive.writestr(member, text)
    return stream.getvalue()


TEXTS = {
    "commas": ROWS,
    "windows line ends": ROWS.replace("\n", "\r\n"),
    "no last line end": ROWS[:-1],
    "blanks after commas": ROWS.replace(",", ", "),
    "semicolons": ROWS.replace(",", ";"),
    "semicolons, decimal comma": ROWS.replace(",", ";").replace(".", ","),
    "tabs, decimal comma": ROWS.replace(",", "\t").replace(".", ","),
    "bars": ROWS.replace(",", "|"),
    "spaces": ROWS.replace(",", "  "),
    "quoted": 'width,kind\n"1.5","rosé"\n"2.5","tulip"\n"3","rosé"\n',
    "decimal comma in quotes": 'width,kind\n"1,5",rosé\n"2,5",tulip\n3,rosé\n',
    "blank lines": ROWS.replace("\n", "\n\n"),
    "Excel's first line": "sep=;\n" + ROWS.replace(",", ";"),
    "Windows": ROWS.encode("cp1252"),
    "BOM": b"\xef\xbb\xbf" + ROWS.encode(),
    "UTF-16": ROWS.encode("utf-16"),
    "UTF-16 without a mark": ROWS.encode("utf-16-le"),
}


@mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_one_table_in_many_notations(read, text):
    expected = {"width": [1.5, 2.5, 3.0], "kind": ["rosé", "tulip", "rosé"]}
    assert read(text).to_dict("list") == expected


@mark.parametrize(
    ("text", "note"),
    [
        (ROWS.replace(",", ";"), "The columns are separated by semicolons."),
        (ROWS.replace(",", "\t"), "The columns are separated by tabs."),
        (ROWS.encode("cp1252"), "The text is not UTF-8: read as Windows-1252"),
        (ROWS.encode("utf-16"), "The text is encoded in UTF-16."),
        ("1,2,a\n3,4,b\n", "There is no line of names: the columns are called X1, X2 and X3."),
        ("a,b\nNA,1\n?,2\n,3\nn/a,4\nx,null\nNA,-\n",
            "Read as missing: 2 'NA', 1 '?', 1 empty field, 1 'n/a', 1 'null'"),
        ("a;b\n1,5;x\n1.234,25;y\n", "`a`: numbers with a decimal comma and separated thousands."),
        ('a,b\n"1,234",x\n"5,678",y\n', "`a`: numbers with separated thousands; '1,234' is read as 1234, but as 1.234 with `--decimal ,`."),
        ("a b c\nr1 1 2 3\nr2 4 5 6\n",
            "The first column has no name in the first line: it holds the names of the rows."),
        (",a\n1,x\n2,y\n", "Columns without a name: called X1."),
    ],
)  # fmt: skip
def test_what_was_decided_is_said(write, text, note):
    assert any(
        sentence.startswith(note)
        for sentence in read_table(write("t.csv", text))[1]
    )


@mark.parametrize(
    ("text", "names"),
    [
        # words that come again are values
        ("republican,n,y\ndemocrat,y,n\ndemocrat,n,y\n", ["X1", "X2", "X3"]),
        ("party,a,b\ndemocrat,y,n\nrepublican,n,y\n", ["party", "a", "b"]),
        ("5.1,3.5,setosa\n4.9,3.0,setosa\n", ["X1", "X2", "X3"]),
        ("name,2019,2020\nsea,1,2\nlake,3,4\n", ["name", "2019", "2020"]),
        # as pandas writes an array
        ("0,1,2,3,kind\n.1,.2,.3,.4,rose\n", ["0", "1", "2", "3", "kind"]),
        ("1,2,3,4\n1,2,3,4\n", ["X1", "X2", "X3", "X4"]),
        ("3,4,5,6\n2,1,7,9\n", ["X1", "X2", "X3", "X4"]),
        ("name\nJohn Smith\nMary Ann\n", ["name"]),  # no table of two columns
        ("a,b\n1,2,\n3,4,\n", ["a", "b", "X3"]),
        ("# a b\n1 2\n3 4\n", ["a", "b"]),
        ("BMI,age\n20,3\n30,4\n", ["BMI", "age"]),  # begins as a picture does
        ("GIF87,b\n1,2\n2,3\n", ["GIF87", "b"]),
        ("id,2019\n7,1\n8,2\n", ["id", "2019"]),  # a word above numbers
        ("?,1\n2,3\n", ["X1", "X2"]),
    ],
)
def test_the_header_is_found_out(read, text, names):
    assert list(read(text)) == names


def test_ambiguous_numbers_follow_the_rest_of_the_file(read):
    for text, expected in [
        ("a;b\n1,234;1,5\n2,345;2,25\n", [1.234, 2.345]),
        ("a;b\n1,234;1.5\n2,345;2.25\n", [1234, 2345]),
        ("a;b\n1.234;x\n2.345;y\n", [1234, 2345]),
        ("a\tb\n1.234\tx\n2.345\ty\n", [1.234, 2.345]),
        ("a;b\n1,234;x\n2,345;y\n", [1.234, 2.345]),
    ]:
        assert read(text)["a"].tolist() == expected


def test_whole_numbers_are_integers_and_gaps_are_nan(read):
    frame = read("a,b\n1,1\n2,\n")
    assert frame["a"].dtype == np.int64 and np.isnan(frame["b"][1])


def test_every_number_is_read_to_its_last_bit(read):
    values = np.random.RandomState(0).lognormal(sigma=30, size=500)
    frame = read("a\n" + "\n".join(map(repr, values.tolist())))
    assert_array_equal(frame["a"], values)


# ---- a part of the rows ----


def test_rows_are_drawn_evenly_and_named_by_their_number_in_the_file(write):
    path = write("t.csv", "a,b\n" + "".join(f"{i},x\n" for i in range(1, 101)))
    frame, notes = read_table(path, rows=30)
    assert len(frame) == 30 and (frame["a"] == frame.index).all()
    assert frame.index.is_monotonic_increasing
    assert "30 of 100 rows were drawn at random." in notes
    counts = np.zeros(100)
    for seed in range(100):
        counts[read_table(path, rows=30, random_state=seed)[0]["a"] - 1] += 1
    # binomial: sd 1.7 of the means
    for side in (counts[:7], counts[-7:]):
        assert abs(side.mean() - 30) < 4


def test_all_rows_are_read_where_fewer_are_there(write):
    frame, notes = read_table(write("t.csv", ROWS), rows=5)
    assert frame["width"].to_dict() == {0: 1.5, 1: 2.5, 2: 3.0}
    assert notes == []


def test_rows_of_other_formats_are_drawn_too(tmp_path):
    path = tmp_path / "t.parquet"
    pd.DataFrame({"a": range(1, 51)}).to_parquet(path)
    frame, notes = read_table(path, rows=7, random_state=3)
    assert (frame["a"] == frame.index).all()
    assert notes == ["7 of 50 rows were drawn at random."]


# ---- other formats ----


def mixed_table():
    """A small table with numbers, gaps, words, flags, dates and names of rows."""
    i = np.arange(24)
    columns = {"patient": [f"p{k:02}" for k in i]}
    columns["width"] = np.where(i == 3, np.nan, i * i % 7 / 4)
    columns["colour"] = np.where(i % 5 < 2, "red", "blue, dark")
    columns["day"] = pd.date_range("2021-03-01", periods=24)[::-1]
    columns["smokes"] = i % 3 == 0
    columns["kind"] = np.repeat(["rose", "tulip"], 12)
    return pd.DataFrame(columns)


def to_csv(**options):
    return lambda frame, path: frame.to_csv(path, index=False, **options)


WRITERS = {
    "csv": to_csv(),
    "csv.gz": to_csv(),
    "tsv": to_csv(sep="\t", na_rep="NA"),
    "txt": to_csv(sep=";", decimal=",", encoding="utf-16"),
    "xlsx": lambda frame, path: frame.to_excel(path, index=False),
    "parquet": lambda frame, path: frame.astype(
        {"colour": "category"}
    ).to_parquet(path),
}


@mark.parametrize("suffix", WRITERS)
def test_the_same_table_from_every_format(tmp_path, suffix):
    frame = mixed_table()
    path = tmp_path / f"mixed.{suffix}"
    WRITERS[suffix](frame, path)
    table = as_table(read_table(path)[0], "kind")
    other = as_table(frame, "kind")
    pd.testing.assert_frame_equal(table.features, other.features)
    pd.testing.assert_frame_equal(table.overview(), other.overview())
    assert table.y.tolist() == other.y.tolist()
    assert list(table.kinds.values()) == [
        "number",
        "category",
        "date",
        "number",
    ]
    assert table.ids[0] == "p00" and list(table.left_out) == ["patient"]


def test_arrays_of_numpy(tmp_path):
    X = np.random.RandomState(0).randn(20, 3)
    y = np.repeat([0, 1], 10)
    features = ["u", "v", "w"]
    classes = ["rose", "tulip"]
    path = tmp_path / "a.npz"
    np.savez(
        path, X=X, y=y, feature_names=features, target_names=classes, is_test=y
    )
    frame, notes = read_table(path)
    assert list(frame) == [*features, "y"]
    assert frame["y"].tolist() == np.repeat(classes, 10).tolist()
    assert "Not read from the file: is_test." in notes
    assert_array_equal(frame[features], X)
    np.save(tmp_path / "a.npy", X)
    assert list(read_table(tmp_path / "a.npy")[0]) == ["X1", "X2", "X3"]


def test_labels_of_numpy(tmp_path):
    Y = [[0, 1, 1], [1, 0, 1]]
    np.savez(tmp_path / "a.npz", X=np.eye(2), Y=Y)
    frame, _ = read_table(tmp_path / "a.npz")
    assert list(frame) == ["X1", "X2", "label 1", "label 2", "label 3"]
    assert frame["label 1"].tolist() == [0, 1]


def test_sparse_arff(write):
    head = "@relation r\n@attribute 'a b' numeric\n@attribute k {no,yes}\n@attribute c real\n@data\n"
    frame, _ = read_table(
        write("a.arff", head + "{0 1.5, 1 yes}\n% none\n{}\n{2 ?}\n")
    )
    assert frame["a b"].tolist() == [1.5, 0, 0]
    assert frame["k"].tolist() == ["yes", "no", "no"]
    assert_array_equal(frame["c"], [0, 0, np.nan])
    for row in ("{3 1}", "{0 x}", "{0 1", "{0}", "1,2,3"):
        with raises(
            ValueError, match="'b.arff' is broken.*Correct that (line|row)"
        ):
            read_table(write("b.arff", f"{head}{{0 1.5}}\n{row}\n"))


def test_the_first_sheet_and_which_others_there_are(tmp_path):
    sheet = pd.DataFrame({"a": [1, 2], "b": ["x", "?"]})
    with pd.ExcelWriter(tmp_path / "a.xlsx") as book:
        sheet.to_excel(book, sheet_name="one", index=False, startrow=2)
        sheet.to_excel(book, sheet_name="two")
    frame, notes = read_table(tmp_path / "a.xlsx")
    assert frame["a"].tolist() == [1, 2]
    assert notes == [
        "Read from the sheet 'one'; other sheets: two. `--sheet` chooses one."
    ]
    for sheet in ("two", 2, "2"):
        frame, _ = read_table(tmp_path / "a.xlsx", sheet=sheet)
        assert list(frame) == ["X1", "a", "b"]
    with raises(ValueError, match="`sheet` must be the name.*'one' and 'two'"):
        read_table(tmp_path / "a.xlsx", sheet="other")
    pd.DataFrame().to_excel(tmp_path / "b.xlsx")
    with raises(ValueError, match="must be a table with rows; 'b.xlsx'"):
        read_table(tmp_path / "b.xlsx")


def test_a_named_index_of_parquet_is_a_column(tmp_path):
    path = tmp_path / "t.parquet"
    pd.DataFrame({"who": ["x", "y"], "a": [1, 2]}).set_index("who").to_parquet(
        path
    )
    assert list(read_table(path)[0]) == ["who", "a"]


# ---- what is refused ----

PNG = b"\x89PNG\r\n\x1a\n" + bytes(50)
REFUSED = {
    "blank": ("t.csv", b" \n\n", "'t.csv' is empty"),
    "empty inside": ("t.csv.gz", gzip.compress(b""), "is empty"),
    "header only": ("t.csv", "a,b\n", "has shape (0, 2). Add rows"),
    "too many fields": ("t.csv", "a,b\n1,2\n3,4,5\n", "line 3 of 't.csv' has 3 fields, 2 expected"),
    "late": ("t.csv", "a,b\n" + "1,2\n" * 999 + "7\n", "line 1001 of 't.csv' has 1 field, 2 expected"),
    "repeated names": ("t.csv", "a,b,a\n1,2,3\n", "repeats 'a'. Rename"),
    "encoding": ("t.csv", b"a,b\n\x81\x8d,1\n", "unreadable encoding"),
    "utf-32": ("t.csv", ROWS.encode("utf-32"), "UTF-32"),
    "cut utf-16": ("t.csv", ROWS.encode("utf-16")[:-1], "unreadable encoding"),
    "binary": ("t.csv", b"a,b\n\x00\x01\x02\x00\xff", "binary data"),
    "picture": ("t.csv", PNG, "a picture (PNG)"),
    "web page": ("t.csv", "\n<!DOCTYPE html><html></html>", "a page of the web"),
    "PDF": ("t.txt", b"%PDF-1.7 ...", "a PDF document"),
    "pickle": ("t.pkl", pickle.dumps([1]), "could run any code"),
    "hidden pickle": ("t.csv", pickle.dumps({"a": [1] * 99}), "a pickle"),
    "encrypted Excel": ("t.xlsx", b"\xd0\xcf\x11\xe0" + bytes(99), "encrypted"),
    "broken Excel": ("t.xlsx", zip_bytes("a.txt", "x"), "of another format"),
    "Excel that is text": ("t.xlsx", ROWS, "no .xlsx file"),
    "text that is Excel": ("t.csv", zip_bytes("a.txt", "x"), "an Excel file"),
    "broken Parquet": ("t.parquet", b"PAR1" + bytes(30) + b"PAR1", "of another format"),
    "broken gzip": ("t.csv.gz", gzip.compress(ROWS.encode() * 99)[:-20], "is broken"),
    "no gzip": ("t.csv.gz", ROWS, "is broken"),
    "xz": ("t.csv.xz", ROWS, "'t.csv.xz' is compressed, but not as .gz. Save"),
    "packed Excel": ("t.xlsx.gz", gzip.compress(b"x"), "Unpack it first"),
    "broken arrays": ("t.npz", zip_bytes("X.npy", b"x"), "got shape ()"),
    "ARFF without rows": ("t.arff", "@relation r\n@attribute a real\n@data\n", "no row, or no line @data"),
    "ARFF of other words": ("t.arff", "@relation r\n@attribute a {x,y}\n@data\nz\n", "line 4: 'z' is no a"),
    "endless field": ("t.csv", 'a,b\n"' + "x" * 140_000 + "\n", "field larger than field limit"),
    "open quotation mark": ("t.csv", 'a,b\n1,"x\n1,2\n3,4\n', "quotation mark that is not closed"),
}  # fmt: skip


@mark.parametrize(("name", "content", "message"), REFUSED.values(), ids=REFUSED)
def test_one_line_says_what_is_wrong_with_a_file(write, name, content, message):
    # of the whole process: other packages may have raised it
    csv.field_size_limit(131_072)
    with raises(ValueError, match=re.escape(message)) as caught:
        read_table(write(name, content))
    text = str(caught.value)
    assert "\n" not in text and "`" in text and text.endswith(".")


X = np.eye(2)


@mark.parametrize(
    ("arrays", "message"),
    [
        ({"Z": X}, "must hold an array `X`"),
        ({"X": np.arange(3)}, "an array `X` of numbers, shape (n, d)"),
        ({"X": np.array([["a"]])}, "an array `X` of numbers"),
        ({"X": np.array([{}])}, "Object arrays cannot be loaded"),
        ({"X": X, "y": np.arange(3)}, "an array `y` of values, shape (2,); 'a.npz' holds X and y, and got shape (3,)"),
        ({"X": X, "feature_names": ["a"]}, "an array `feature_names` of values, shape (2,)"),
        ({"X": X, "Y": X, "feature_names": ["a", "b"], "target_names": ["b", "c"]}, "repeats 'b'. Rename"),
    ],
)  # fmt: skip
def test_arrays_of_other_shapes_are_refused(tmp_path, arrays, message):
    np.savez(tmp_path / "a.npz", **arrays)
    with raises(ValueError, match=re.escape(message)):
        read_table(tmp_path / "a.npz")


def test_a_file_that_is_not_there(write, tmp_path):
    write("flowers.csv", ROWS)
    for path, says in [
        (
            tmp_path / "flower.csv",
            "'flower.csv' is none. Its folder has flowers.csv. Did you mean",
        ),
        (tmp_path / "nowhere" / "a.csv", "there is no folder"),
        (tmp_path, "is none"),
        (None, "be the path of a file; got None"),
    ]:
        with raises(ValueError, match=f"`path` must.*{re.escape(says)}"):
            read_table(path)


@mark.parametrize("rows", [0, 2.5, True])
def test_the_number_of_rows_is_checked(write, rows):
    with raises(ValueError, match="`rows` must be None or an integer >= 1"):
        read_table(write("t.csv", ROWS), rows=rows)


@mark.parametrize(
    ("name", "package"),
    [
        ("t.xlsx", "openpyxl"),
        ("t.parquet", "pyarrow.parquet"),
        ("t.csv", "pandas"),
    ],
)
def test_a_reader_that_is_not_installed(write, monkeypatch, name, package):
    monkeypatch.setitem(sys.modules, package, None)
    says = f'{package}; install it with `pip install -e ".[table]"`'
    with raises(ImportError, match=re.escape(says)):
        read_table(write(name, ROWS))


TEXT = st.lists(
    st.sampled_from(
        [*",;\t|\n\n\n\n\r\"' #-ab12.", "1,5", "NA", "x y", "\u00e9", "inf"]
    ),
    max_size=40,
).map("".join)


SUFFIXES = st.sampled_from(["csv", "tsv", "arff", "xlsx", "npz", "gz", "zip"])


@settings(max_examples=examples(100), deadline=None)
@given(
    st.one_of(
        TEXT.map(str.encode),
        TEXT.map(lambda text: text.encode("utf-16")),
        st.binary(max_size=60),
    ),
    st.data(),
)
def test_any_bytes_are_a_table_or_refused_in_one_line(
    tmp_path_factory, content, data
):
    path = tmp_path_factory.getbasetemp() / f"any.{data.draw(SUFFIXES)}"
    path.write_bytes(content)
    for read in (read_table, read_square):
        try:
            result = read(path)
            table = result.matrix if read is read_square else result[0]
            assert min(table.shape) > 0
        except ValueError as error:
            assert "\n" not in str(error) and "`" in str(error)


# ---- the shipped table ----


def test_the_shipped_votes_agree_with_the_arrays():
    frame, _ = read_table(shipped_folder() / "votes.csv")
    votes = load("votes")
    assert list(frame) == ["party", *votes.feature_names]
    assert_array_equal(frame.pop("party"), votes.target_names[votes.target])
    assert_array_equal(
        frame.replace({"yes": 1, "no": 0}).astype(float), votes.data
    )


# ---- square matrices ----

NAMES = ["sea", "lake", "river"]
D = np.array([[0, 2, 3.5], [2, 0, 1], [3.5, 1, 0]])


SQUARES = {
    "no names": "0,2,3.5\n2,0,1\n3.5,1,0\n",
    "names above": "sea,lake,river\n0,2,3.5\n2,0,1\n3.5,1,0\n",
    "names beside": "sea,0,2,3.5\nlake,2,0,1\nriver,3.5,1,0\n",
    "both": ",sea,lake,river\nsea,0,2,3.5\nlake,2,0,1\nriver,3.5,1,0\n",
    "a word in the corner": "name,sea,lake,river\nsea,0,2,3.5\nlake,2,0,1\nriver,3.5,1,0\n",
    "as R writes it": "sea,lake,river\nsea,0,2,3.5\nlake,2,0,1\nriver,3.5,1,0\n",
    "tabs": "\tsea\tlake\triver\nsea\t0\t2\t3.5\nlake\t2\t0\t1\nriver\t3.5\t1\t0\n",
    "decimal comma": ";sea;lake;river\nsea;0;2;3,5\nlake;2;0;1\nriver;3,5;1;0\n",
}


@mark.parametrize("case", SQUARES)
def test_names_of_a_matrix_are_found_wherever_they_are(write, case):
    square = read_square(write("d.csv", SQUARES[case]))
    names, classes = square.names, square.classes
    assert_array_equal(square.matrix, D)
    numbers = ["row 1", "row 2", "row 3"]
    assert (
        names == (numbers if case == "no names" else NAMES) and classes is None
    )


def test_names_that_are_numbers(write):
    text = ",7,8,9\n7,0,2,3.5\n8,2,0,1\n9,3.5,1,0\n"
    S, names, *_ = read_square(write("d.csv", text))
    assert_array_equal(S, D)
    assert names == ["7", "8", "9"]


def test_matrices_of_numpy(tmp_path):
    arrays = {"S": D, "y": [1, 0, 1], "target_names": ["salt", "fresh"]}
    np.savez(tmp_path / "d.npz", **arrays)
    square = read_square(tmp_path / "d.npz")
    assert_array_equal(square.matrix, D)
    assert square.classes.to_dict() == {
        "row 1": "fresh",
        "row 2": "salt",
        "row 3": "fresh",
    }
    np.save(tmp_path / "d.npy", D)
    assert_array_equal(read_square(tmp_path / "d.npy").matrix, D)


@mark.parametrize(
    "text",
    ["salt\nfresh\nfresh\n", "class\nsalt\nfresh\nfresh\n", "name,water\nlake,fresh\nsea,salt\nriver,fresh\n",
        "sea,salt\nlake,fresh\nriver,fresh\n",
     "water,who\nfresh,lake\nsalt,sea\nfresh,river\nsalt,bay\n",
         ],
)  # fmt: skip
def test_classes_of_a_second_file(write, text):
    # With and without a line of names, in any order, and with more names than needed.
    square = read_square(write("d.csv", SQUARES["both"]), write("c.csv", text))
    assert square.classes.to_dict() == {
        "sea": "salt",
        "lake": "fresh",
        "river": "fresh",
    }


def test_a_second_file_names_the_rows_of_a_matrix_without_names(write):
    path = write("c.csv", "who,water\nsea,salt\nlake,fresh\nriver,fresh\n")
    square = read_square(write("d.csv", SQUARES["no names"]), path)
    assert square.names == NAMES
    assert square.classes.tolist() == ["salt", "fresh", "fresh"]


MISSING = "that of 'a' and 'b' in 'd.csv' is missing, infinite or no number"


@mark.parametrize(
    ("text", "message"),
    [
        ("0,1\n1,0\n2,3\n4,5\n", "has shape (4, 2)"),
        ("0,1,2\n1,0\n2,3,0\n", "line 2 of 'd.csv' has 2 fields, 3 expected"),
        ("a,b\n0,1\n2,0\n", "must give a symmetric matrix"),
        ("a,b\n0,x\n2,0\n", MISSING),
        ("a,b\n0,\n2,0\n", MISSING),
        ("a,b\n0,inf\ninf,0\n", MISSING),
        (",a,b\na,0,1\nc,1,0\n",
            "must have the same names in the first row and column, in the same order; 'd.csv' has 'b' and 'c'"),
        ("a,a\n0,1\n1,0\n", "repeats 'a'"),
        ("a,b\n", "has shape (0, 1)"),
    ],
)  # fmt: skip
def test_matrices_that_are_none_are_refused(write, text, message):
    with raises(ValueError, match=re.escape(message)) as caught:
        read_square(write("d.csv", text))
    assert "\n" not in str(caught.value)


@mark.parametrize(
    ("text", "message"),
    [
        ("salt\nfresh\n", "one class per row, 3; 'c.csv' has 1 below its first line"),
        ("who,water\nsea,salt\nlakes,fresh\nriver,fresh\n", "'c.csv' has 3 names, and not once: lake. Use the same names. Did you mean `lake`?"),
        ("who,water\nsea,salt\nsea,fresh\nlake,fresh\nriver,fresh\n", "'c.csv' has 4 names, and not once: sea."),
        ("who,water\nsea,salt\nlake,\nriver,fresh\n", "must have a class for each row; 'lake' has none"),
        ("who,a,b\nsea,1,x\nlake,2,y\nriver,3,z\n", "has 2 and the names"),
    ],
)  # fmt: skip
def test_classes_that_do_not_fit_are_refused(write, text, message):
    with raises(ValueError, match=re.escape(message)):
        read_square(write("d.csv", SQUARES["both"]), write("c.csv", text))


def test_a_file_that_memory_does_not_hold_is_read_in_part(write, monkeypatch):
    path = write("large.csv", "a,b\n" + "1,2\n" * 100)
    monkeypatch.setattr("toolkit.core.memory.available_memory", lambda: 1000.0)
    says = r"Reading all of 'large.csv' needs .* Give `rows` \(`--rows N`\)"
    with raises(ValueError, match=says):
        read_table(path)
    assert len(read_table(path, rows=5)[0]) == 5
