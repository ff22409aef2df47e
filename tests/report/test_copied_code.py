"""What "Copy code" of each lesson's explorer gives: it runs where the explorer stands, and makes its picture."""

import ast
import contextlib
import io
import itertools
import re
import symtable
import warnings
from pathlib import Path

import matplotlib
import nbformat
import numpy as np
import pytest
from matplotlib import pyplot as plt

from toolkit.explore import Explorer
from toolkit.explore.frames import aligned

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("0[1-8]_*.ipynb"))
QUICK = [path for path in NOTEBOOKS if path.stem.startswith(("01", "04"))]
SAMPLED = ("08",)  # one setting for each value of each axis: each of 84 fits nine alignments


@pytest.mark.parametrize("path", QUICK, ids=lambda path: path.stem)
def test_copied_code_gives_the_picture_at_every_value(path, tmp_path, monkeypatch):
    """The settings are computed as they are chosen."""
    initial = Explorer.__init__

    def later(self, *args, **options):
        initial(self, *args, **options | {"precompute": False})

    monkeypatch.setattr(Explorer, "__init__", later)
    check(path, tmp_path, monkeypatch, every=False)


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_copied_code_gives_the_picture_at_every_setting(path, tmp_path, monkeypatch):
    check(path, tmp_path, monkeypatch, every=not path.stem.startswith(SAMPLED))


def check(path, tmp_path, monkeypatch, every):
    """To a thousandth of the width; a map that the explorer has turned is turned alike before it is compared."""
    monkeypatch.setenv("TOOLKIT_FIGURES", str(tmp_path))
    monkeypatch.setenv("TOOLKIT_CLAIMS_DIR", str(tmp_path))
    with matplotlib.rc_context({"backend": "agg"}), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the tables of a lesson show what they say
        explorer, names = until_the_explorer(path)
        first = explorer.embedding_
        settings = list(itertools.product(*(axis["values"] for axis in explorer.axes)))
        for values in settings if every else one_for_each_value(settings):
            explorer.set(**dict(zip(explorer.setting_, values, strict=True)))
            assert "..." not in explorer.code_
            picture, said = run(explorer.code_, dict(names))
            frame = explorer._shown()
            if explorer._align:
                picture = aligned(frame | {"Z": picture}, first)["Z"]
            assert np.shape(picture) == frame["Z"].shape, explorer.code_
            assert np.abs(picture - frame["Z"]).max() <= 1e-3 * np.ptp(frame["Z"], axis=0).max(), explorer.code_
            for number in re.findall(r"\d+\.\d+", said):
                assert number in frame["status"], explorer.code_
            plt.close("all")


def one_for_each_value(settings):
    shuffled = np.random.default_rng(0).permutation(len(settings)).tolist()
    return {(k, value): settings[i] for i in shuffled for k, value in enumerate(settings[i])}.values()


def until_the_explorer(path):
    """The first explorer of a notebook, and the names that it and the code of its settings rest on."""
    statements = []
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "code":
            statements += ast.parse(cell.source).body
            if is_explorer(statements[-1]):
                break
    names, code = {}, "\n".join(map(ast.unparse, what_bears_on(statements)))
    explorer, _ = run(code, names)
    assert isinstance(explorer, Explorer)
    return explorer, names


def is_explorer(statement):
    called = getattr(getattr(statement, "value", None), "func", None)
    return getattr(called, "id", getattr(called, "attr", "")) == "Explorer"


def what_bears_on(statements):
    """Of some statements the last, and those which define or change what it reads, or has in texts that are code."""
    *before, last = statements
    found, wanted = [last], read_by(last) | in_texts(last)
    modules = {symbol.get_name() for one in before for symbol in symbols(one)[0] if symbol.is_imported()}
    for statement in reversed(before):
        defined = {
            symbol.get_name() for symbol in symbols(statement)[0] if symbol.is_assigned() or symbol.is_imported()
        }
        nodes = list(ast.walk(statement))
        changed = {name_of(node) for node in nodes if isinstance(getattr(node, "ctx", None), ast.Store)}
        changed |= {name_of(statement.value.func)} - modules if is_alone(statement) else set()
        if not wanted & (defined | changed):
            continue
        found.append(statement)
        if isinstance(statement, ast.Assign) and all(
            isinstance(target, ast.Name | ast.Tuple) for target in statement.targets
        ):
            wanted -= defined  # what they were before does not matter
        wanted |= read_by(statement) | in_texts(statement)
    return found[::-1]


def symbols(statement):
    """The symbols of its own scope, and those of the scopes in it."""
    table = symtable.symtable(ast.unparse(statement), "<cell>", "exec")
    inner, waiting = [], table.get_children()
    while waiting:
        scope = waiting.pop()
        inner += scope.get_symbols()
        waiting += scope.get_children()
    return table.get_symbols(), inner


def read_by(statement):
    """Names that it reads and does not define within a scope of its own."""
    own, inner = symbols(statement)
    return {symbol.get_name() for symbol in own + [s for s in inner if s.is_global()] if symbol.is_referenced()}


def in_texts(statement):
    """Names that its texts read, where they are code: for fields in braces, values of a setting, stands a number."""
    names = set()
    for node in ast.walk(statement):
        parts = node.values if isinstance(node, ast.JoinedStr) else [node]
        text = "".join(str(part.value) if isinstance(part, ast.Constant) else "0" for part in parts)
        if "(" not in text:
            continue
        with contextlib.suppress(SyntaxError):
            nodes = ast.walk(ast.parse(re.sub(r"{\w+}", "0", text)))
            names |= {node.id for node in nodes if isinstance(node, ast.Name)}
    return names


def is_alone(statement):
    """Whether it is a call of a method whose value is not used: it may change the object."""
    value = getattr(statement, "value", None) if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute)


def name_of(node):
    """The name in `name`, `name.attribute`, `name[item]`."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return getattr(node, "id", None)


def run(code, names):
    """The value of the last line, None if that is no expression, and what is printed."""
    *before, last = ast.parse(code).body
    if not isinstance(last, ast.Expr):
        before, last = [*before, last], None
    with contextlib.redirect_stdout(io.StringIO()) as said:
        exec(compile(ast.Module(before, []), "<cell>", "exec"), names)
        value = last and eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
    return value, said.getvalue()
