"""Tables: what columns are, and what is read from files of every format."""

import gzip
import io
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from ..harness import Case, Made, codes_of
from ..inputs import INPUTS

__all__ = ["CASES", "written"]


@cache
def folder():
    """A folder that lasts as long as the process."""
    return tempfile.TemporaryDirectory()


def written(name, content):
    """An option: the path of a file of some text, bytes, or arrays."""

    def made(given):
        value = content(given) if callable(content) else content
        path = Path(folder().name) / name
        if isinstance(value, dict):
            np.savez(path, **value)
        elif isinstance(value, np.ndarray):
            np.save(path, value)
        else:
            path.write_bytes(value if isinstance(value, bytes) else value.encode())
        return path

    return Made(made)


def column(values):
    """Numbers of a column: its own, days of dates, or codes of words."""
    if values.dtype.kind in "biuf":
        return values.to_numpy(dtype=float)
    if values.dtype.kind == "M":
        return (values - pd.Timestamp("2000-01-01")).dt.total_seconds().to_numpy() / 86400
    return codes_of(values.astype(object).where(values.notna(), None))


def columns(frame):
    return [column(frame[name]) for name in frame]


def table(result, given):
    found = {"features": columns(result.features), "kinds": codes_of(list(result.kinds.values()))}
    found["y"] = codes_of(result.y) if result.y.dtype.kind == "U" else result.y
    found |= {"groups": result.groups, "rows": result.rows, "ids": codes_of(result.ids)}
    found["left out"] = [len(result.left_out), *map(len, result.rows_left_out.values()), len(result.notes)]
    return found | {"overview": result.overview()[["missing", "distinct"]].to_numpy()}


def read(result, given):
    frame, notes = result
    return {"columns": columns(frame), "notes": len(notes), "index": frame.index.to_numpy()}


def square(result, given):
    S, names, classes, notes = result
    return {"S": S, "classes": None if classes is None else codes_of(classes), "names": codes_of(names)}


N = 20
STEPS = np.arange(N)


def mixed(given):
    """Columns of every kind, some of them useless."""
    return pd.DataFrame({
        "size": np.where(STEPS % 6 == 5, np.nan, np.sin(STEPS)),
        "price": [f"{1000 + 37 * i:,}.5" for i in STEPS],
        "comma": [f"{i},{i % 7}" for i in STEPS % 11],
        "colour": np.where(STEPS % 3 == 0, "red", np.where(STEPS % 5 == 0, "n/a", "green")),
        "day": [f"{1 + i:02}.0{1 + i % 3}.2020" for i in STEPS],
        "when": pd.date_range("2021-03-04", periods=N, freq="37h"),
        "waited": pd.to_timedelta(STEPS % 8, unit="h"),
        "flag": STEPS % 4 == 1,
        "yes": np.where(STEPS % 4 == 2, "True", "false"),
        "number": STEPS,
        "words": [f"a text of its own, no. {i} " * 4 for i in STEPS],
        "same": 1.0,
        "copy": np.where(STEPS % 6 == 5, np.nan, np.sin(STEPS)),
        "empty": np.nan,
        "few": pd.Categorical(np.where(STEPS % 7 < 3, "x", "y")),
        "target": np.where(STEPS == 4, None, np.where(STEPS % 2 == 0, "even", "odd")),
    })  # fmt: skip


def repeated(given):
    """Rows that repeat each other, with names and groups."""
    k = STEPS % 13
    return pd.DataFrame({
        "width": k * 1.5, "height": k**2 % 7 - 3.0, "who": [f"person {i % 15}" for i in STEPS],
        "team": np.where(STEPS < 4, "first", [f"team {i}" for i in STEPS]),
        "value": np.cos(k) + (STEPS == 19),
        "one": np.where(STEPS % 3 == 0, "yes", "no"), "two": (STEPS % 4 == 1).astype(int),
        "rare": np.where(STEPS == 7, "alone", np.where(STEPS % 2 == 0, "p", "q")),
    })  # fmt: skip


def of_table(data, target, **options):
    return {"data": Made(data), "target": target} | options


AS_TABLE = [
    *[Case(f"table of an array, {input}", "tabular.as_table", {"target": "@names"}, "X", input, taken=table)
           for input in INPUTS if input != "more features"],
    Case("table of an array, more features", "tabular.as_table", {"target": "@t"}, "X", "more features",
         taken=lambda result, given: [result.y, result.features.to_numpy()[::8], result.groups]),
    Case("table of all kinds", "tabular.as_table", of_table(mixed, "target"), "", taken=table),
    Case("table of a value", "tabular.as_table", of_table(mixed, "size", drop=["copy", "when"]), "",
         taken=table),
    Case("table of numbers as classes", "tabular.as_table",
         of_table(lambda given: {"a": np.sin(STEPS), "k": STEPS % 3}, "k"), "", taken=table),
    Case("table of numbers as values", "tabular.as_table",
         of_table(lambda given: {"a": np.sin(STEPS), "k": STEPS % 3}, "k", task="value"), "", taken=table),
    Case("table of many numbers as classes", "tabular.as_table",
         of_table(lambda given: {"a": np.sin(STEPS), "k": STEPS % 6}, "k", task="classes"), "", taken=table),
    Case("table of flags", "tabular.as_table", of_table(mixed, "flag", drop="yes"), "", taken=table),
    Case("table with repeated rows", "tabular.as_table", of_table(repeated, "value"), "", taken=table),
    Case("table with names of rows", "tabular.as_table", of_table(repeated, "value", id="who"), "",
         taken=table),
    Case("table with groups", "tabular.as_table", of_table(repeated, "value", groups="team", id="who"), "",
         taken=table),
    Case("table of several labels", "tabular.as_table",
         {"data": Made(repeated), "labels": ["one", "two"], "drop": ["rare", "who", "team"]}, "",
         taken=table),
    Case("table with a lone class", "tabular.as_table", of_table(repeated, "rare"), "", taken=table),
]  # fmt: skip

LINES = [(i, round(float(np.sin(i)), 3), "abc"[i % 3]) for i in range(12)]


def text(separator=",", header="no,width,kind", point=".", end="\n"):
    lines = [] if header is None else [header.replace(",", separator)]
    lines += [separator.join([str(i), str(x).replace(".", point), word]) for i, x, word in LINES]
    return end.join(lines) + end


def as_book(given):
    stream = io.BytesIO()
    pd.DataFrame(LINES, columns=["no", "width", "kind"]).to_excel(stream, index=False)
    return stream.getvalue()


def as_parquet(given):
    stream = io.BytesIO()
    frame = pd.DataFrame(LINES, columns=["no", "width", "kind"]).rename_axis("key")
    frame.set_index("no", append=False).to_parquet(stream)
    return stream.getvalue()


ARFF = """% a comment
@relation things
@attribute 'the width' numeric
@attribute kind {a, 'b c'}
@data
1.5,a
?,'b c'
-2e1,?
"""
SPARSE = """@attribute x numeric
@attribute kind {a, b}
@attribute y real
@data
{0 1.5, 2 -1}
{1 b}
{}
"""
GAPS = "a,b,c\n1,x,n/a\n?,y,2.5\n3,,-\n4,x,7\n"
FILES = [
    ("commas.csv", text()),
    ("semicolons and decimal commas.csv", text(";", point=",")),
    ("tabs.tsv", text("\t")),
    ("bars.txt", text("|")),
    ("spaces.txt", "a  b c\n1  2 3\n4 5.5   6\n7 8 9\n"),
    ("no names.csv", text(header=None)),
    ("names of rows.csv", "x,y\nfirst,1,2\nsecond,3,4\nthird,5,6\n"),
    ("row ends with a separator.csv", "x,y\n1,2,\n3,4,\n"),
    ("gaps.csv", GAPS),
    ("thousands.csv", 'a;b\n"1,234.5";1 000\n"2,345.5";20 000\n'),
    ("separator said.csv", "sep=;\na;b\n1;2\n3;4\n"),
    ("another encoding.csv", "Größe,Ort\n1,Köln\n2,Ulm\n".encode("cp1252")),
    ("two bytes.csv", text().encode("utf-16")),
    ("compressed.csv.gz", gzip.compress(text().encode())),
    ("things.arff", ARFF),
    ("sparse.arff", SPARSE),
    ("arrays.npz", lambda given: {"X": given["X"], "y": given["y"], "target_names": np.array(list("pqr"))}),
    ("labels.npz", lambda given: {"X": given["X"][:5], "Y": given["Y"][:5], "unused": np.ones(2)}),
    ("array.npy", lambda given: given["Z"]),
]
READ = [
    *[Case(f"table read, {name}", "tabular.read_table", {"path": written(name, content)}, "", taken=read)
           for name, content in FILES],
    Case("table read, book.xlsx", "tabular.read_table", {"path": written("book.xlsx", as_book)}, "",
         taken=read, needs="openpyxl"),
    Case("table read, columns.parquet", "tabular.read_table", {"path": written("columns.parquet", as_parquet)},
         "", taken=read, needs="pyarrow"),
    *[Case(f"table read, some rows, {name}", "tabular.read_table",
           {"path": written(name, content), "rows": 5, "random_state": 1}, "",
           taken=read) for name, content in (("some.csv", text()), ("some.npy", lambda given: given["Z"]))],
    Case("table read, some rows, part by part", "tabular.read_table",
         {"path": written("parts.csv", text()), "rows": 5, "random_state": 1}, "", taken=read,
         lowered={"toolkit.tabular.delimited.FIELDS": 9}),
    Case("table read, part by part", "tabular.read_table", {"path": written("all parts.csv", text())}, "",
         taken=read, lowered={"toolkit.tabular.delimited.FIELDS": 9}),
    Case("arff read for downloads", "datasets.download.read_arff",
         {"path": written("download.arff", SPARSE.replace("{a, b}", "{0, 1}").replace("{1 b}", "1,1,2"))}, "",
         taken=lambda result, given: result[1]),
]  # fmt: skip

MATRIX = np.array([[0, 1.5, 2], [1.5, 0, 3], [2, 3, 0]])
NAMED = ",sea,lake,river\nsea,0,1.5,2\nlake,1.5,0,3\nriver,2,3,0\n"
SQUARES = [
    Case("square read, names on both sides", "tabular.read_square", {"path": written("named.csv", NAMED)}, "",
         taken=square),
    Case("square read, names above", "tabular.read_square",
         {"path": written("above.csv", "sea,lake,river\n0,1.5,2\n1.5,0,3\n2,3,0\n")}, "", taken=square),
    Case("square read, no names", "tabular.read_square",
         {"path": written("bare.csv", "0,1.5,2\n1.5,0,3\n2,3,0\n")}, "", taken=square),
    Case("square read, decimal commas", "tabular.read_square",
         {"path": written("commas.csv", NAMED.replace(",", ";").replace(".", ","))}, "", taken=square),
    Case("square read, nearly symmetric array", "tabular.read_square",
         {"path": written("nearly.npy", MATRIX + 1e-7 * np.triu(np.ones((3, 3))))}, "", taken=square),
    Case("square read, arrays with classes", "tabular.read_square",
         {"path": written("square.npz", lambda given: {"S": given["S"][:6, :6], "y": given["y"][:6]})}, "",
         taken=square),
    Case("square read, classes in order", "tabular.read_square",
         {"path": written("a.csv", NAMED), "classes": written("classes.csv", "class\nsalt\nsweet\nsweet\n")},
         "", taken=square),
    Case("square read, classes by name", "tabular.read_square",
         {"path": written("b.csv", NAMED),
         "classes": written("by name.csv",
         "name,class\nriver,sweet\nsea,salt\nlake,sweet\n")}, "", taken=square),
]  # fmt: skip

CASES = [*AS_TABLE, *READ, *SQUARES]
