"""Tables: what columns are, and what is read from files of every format."""

import gzip
import io
import tempfile
from functools import cache, partial
from pathlib import Path

import numpy as np
import pandas as pd

from ..harness import case, codes_of, each
from ..inputs import Option, quantity


@cache
def folder():
    """A folder that lasts as long as the process."""
    return tempfile.TemporaryDirectory()


def written(name, content):
    """An option: the path of a file of some text, bytes, or arrays."""

    def path_of(given):
        value = given.call(content) if callable(content) else content
        path = Path(folder().name) / name
        if isinstance(value, dict):
            np.savez(path, **value)
        elif isinstance(value, np.ndarray):
            np.save(path, value)
        else:
            path.write_bytes(
                value if isinstance(value, bytes) else value.encode()
            )
        return path

    return Option(path_of, name)


def column(values):
    """Numbers of a column: its own, days of dates, or codes of words."""
    if values.dtype.kind in "biuf":
        return values.to_numpy(dtype=float)
    if values.dtype.kind == "M":
        return (
            values - pd.Timestamp("2000-01-01")
        ).dt.total_seconds().to_numpy() / 86400
    return codes_of(values.astype(object).where(values.notna(), None))


def columns(frame):
    return [column(frame[name]) for name in frame]


def table(result):
    results = {
        "features": columns(result.features),
        "kinds": codes_of(list(result.kinds.values())),
    }
    results["y"] = (
        codes_of(result.y) if result.y.dtype.kind == "U" else result.y
    )
    results |= {
        "groups": result.groups,
        "rows": result.rows,
        "ids": codes_of(result.ids),
    }
    n_rows = map(len, result.rows_left_out.values())
    results["left out"] = [len(result.left_out), *n_rows, len(result.notes)]
    return results | {
        "overview": result.overview()[["missing", "distinct"]].to_numpy()
    }


def read(result):
    frame, notes = result
    return {
        "columns": columns(frame),
        "notes": len(notes),
        "index": frame.index.to_numpy(),
    }


def square(result):
    classes = result.classes
    return {
        "S": result.matrix,
        "classes": None if classes is None else codes_of(classes),
        "names": codes_of(result.names),
    }


N = 20
STEPS = np.arange(N)


@quantity
def mixed():
    """Columns of every kind, some of them useless."""
    price = [f"{1000 + 37 * i:,}.5" for i in STEPS]
    comma = [f"{i},{i % 7}" for i in STEPS % 11]
    green = np.where(STEPS % 5 == 0, "n/a", "green")
    size = np.where(STEPS % 6 == 5, np.nan, np.sin(STEPS))
    columns = {"size": size, "price": price, "comma": comma}
    columns["colour"] = np.where(STEPS % 3 == 0, "red", green)
    columns["day"] = [f"{1 + i:02}.0{1 + i % 3}.2020" for i in STEPS]
    columns["when"] = pd.date_range("2021-03-04", periods=N, freq="37h")
    columns["waited"] = pd.to_timedelta(STEPS % 8, unit="h")
    columns["flag"] = STEPS % 4 == 1
    columns["yes"] = np.where(STEPS % 4 == 2, "True", "false")
    columns["number"] = STEPS
    columns["words"] = [f"a text of its own, no. {i} " * 4 for i in STEPS]
    columns["same"] = 1.0
    columns["copy"] = size.copy()
    columns["empty"] = np.nan
    columns["few"] = pd.Categorical(np.where(STEPS % 7 < 3, "x", "y"))
    parity = np.where(STEPS % 2 == 0, "even", "odd")
    columns["target"] = np.where(STEPS == 4, None, parity)
    return pd.DataFrame(columns)


@quantity
def repeated_rows():
    """Rows that repeat each other, with names and groups."""
    k = STEPS % 13
    team = [f"team {i}" for i in STEPS]
    columns = {"width": k * 1.5, "height": k**2 % 7 - 3.0}
    columns["who"] = [f"person {i % 15}" for i in STEPS]
    columns["team"] = np.where(STEPS < 4, "first", team)
    columns["value"] = np.cos(k) + (STEPS == 19)
    columns["one"] = np.where(STEPS % 3 == 0, "yes", "no")
    columns["two"] = (STEPS % 4 == 1).astype(int)
    parity = np.where(STEPS % 2 == 0, "p", "q")
    columns["rare"] = np.where(STEPS == 7, "alone", parity)
    return pd.DataFrame(columns)


@quantity
def threes():
    return {"a": np.sin(STEPS), "k": STEPS % 3}


@quantity
def sixes():
    return {"a": np.sin(STEPS), "k": STEPS % 6}


def of_many(result):
    return result.y, result.features.to_numpy()[::8], result.groups


as_table = partial(case, "tabular.as_table", taken=table)
as_table("three classes", "uneven", target="@names", given="X")
as_table("more features", target="@t", given="X", taken=of_many)
as_table(target="target", given="mixed")
as_table(target="size", drop=["copy", "when"], given="mixed")
as_table(target="flag", drop="yes", given="mixed")
as_table(target="k", task="value", given="threes")
as_table(target="k", task="classes", given="sixes")
as_table(target=each("value", "rare"), given="repeated_rows")
as_table(target="value", id="who", given="repeated_rows")
as_table(target="value", groups="team", id="who", given="repeated_rows")
as_table(
    labels=["one", "two"], drop=["rare", "who", "team"], given="repeated_rows"
)

COMMAS = """\
no,width,kind
0,0.0,a
1,0.841,b
2,0.909,c
3,0.141,a
4,-0.757,b
5,-0.959,c
6,-0.279,a
7,0.657,b
8,0.989,c
9,0.412,a
10,-0.544,b
11,-1.0,c
"""


def as_book():
    stream = io.BytesIO()
    pd.read_csv(io.StringIO(COMMAS)).to_excel(stream, index=False)
    return stream.getvalue()


def as_parquet():
    stream = io.BytesIO()
    pd.read_csv(io.StringIO(COMMAS)).set_index("no").to_parquet(stream)
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

read_table = partial(case, "tabular.read_table", taken=read)
for name, content in {
    "commas.csv": COMMAS,
    "semicolons and decimal commas.csv": COMMAS.replace(",", ";").replace(
        ".", ","
    ),
    "tabs.tsv": COMMAS.replace(",", "\t"),
    "spaces.txt": "a  b c\n1  2 3\n4 5.5   6\n7 8 9\n",
    "no names.csv": COMMAS.partition("\n")[2],
    "names of rows.csv": "x,y\nfirst,1,2\nsecond,3,4\nthird,5,6\n",
    "row ends with a separator.csv": "x,y\n1,2,\n3,4,\n",
    "gaps.csv": GAPS,
    "thousands.csv": 'a;b\n"1,234.5";1 000\n"2,345.5";20 000\n',
    "separator said.csv": "sep=;\na;b\n1;2\n3;4\n",
    "another encoding.csv": "Größe,Ort\n1,Köln\n2,Ulm\n".encode("cp1252"),
    "two bytes.csv": COMMAS.encode("utf-16"),
    "compressed.csv.gz": gzip.compress(COMMAS.encode()),
    "things.arff": ARFF,
    "sparse.arff": SPARSE,
    "arrays.npz": lambda X, y: {
        "X": X,
        "y": y,
        "target_names": np.array(list("pqr")),
    },
    "labels.npz": lambda X, Y: {"X": X[:5], "Y": Y[:5], "unused": np.ones(2)},
    "array.npy": lambda Z: Z,
}.items():
    read_table(path=written(name, content))
read_table(path=written("book.xlsx", as_book), needs="openpyxl")
read_table(path=written("columns.parquet", as_parquet), needs="pyarrow")
some_rows = partial(read_table, rows=5, random_state=1)
some_rows(path=written("some.csv", COMMAS))
some_rows(path=written("some.npy", lambda Z: Z))
download = SPARSE.replace("{a, b}", "{0, 1}").replace("{1 b}", "1,1,2")
case(
    "datasets.download.read_arff",
    path=written("download.arff", download),
    taken=lambda result, given: result[1],
)

MATRIX = np.array([[0, 1.5, 2], [1.5, 0, 3], [2, 3, 0]])
NAMED = ",sea,lake,river\nsea,0,1.5,2\nlake,1.5,0,3\nriver,2,3,0\n"
read_square = partial(case, "tabular.read_square", taken=square)
for name, content in {
    "named.csv": NAMED,
    "above.csv": "sea,lake,river\n0,1.5,2\n1.5,0,3\n2,3,0\n",
    "bare.csv": "0,1.5,2\n1.5,0,3\n2,3,0\n",
    "decimal.csv": NAMED.replace(",", ";").replace(".", ","),
    "nearly.npy": MATRIX + 1e-7 * np.triu(np.ones((3, 3))),
    "square.npz": lambda S, y: {"S": S[:6, :6], "y": y[:6]},
}.items():
    read_square(path=written(name, content))
for name, content in {
    "classes.csv": "class\nsalt\nsweet\nsweet\n",
    "by name.csv": "name,class\nriver,sweet\nsea,salt\nlake,sweet\n",
}.items():
    read_square(
        path=written("named.csv", NAMED), classes=written(name, content)
    )
