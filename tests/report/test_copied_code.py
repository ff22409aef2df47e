"""What "Copy code" of each lesson's explorer gives: code that makes its picture."""

import ast
import contextlib
import io
import itertools
import re
import warnings

import matplotlib
import nbformat
import numpy as np
from folders import ROOT
from matplotlib import pyplot as plt
from pytest import mark, param

from toolkit.explorer import Explorer
from toolkit.explorer.frames import align_frame

NOTEBOOKS = sorted((ROOT / "notebooks").glob("0[1-8]_*.ipynb"))
QUICK = [path for path in NOTEBOOKS if path.stem.startswith("01")]
# one setting for each value of each axis: each of 84 fits nine alignments
SAMPLED = ("08",)


@mark.parametrize(
    "path, every",
    [(p, False) for p in QUICK]
    + [param(p, True, marks=mark.slow) for p in NOTEBOOKS],
)
def test_copied_code_gives_the_picture(path, every, tmp_path, monkeypatch):
    """At every value of each axis, or at every setting, to a thousandth of the width.

    Settings are computed as they are chosen; a map that the explorer has turned is
    turned alike before it is compared.
    """
    initial = Explorer.__init__

    def later(self, *args, **options):
        initial(self, *args, **options | {"precompute": False})

    monkeypatch.setattr(Explorer, "__init__", later)
    monkeypatch.setenv("TOOLKIT_FIGURES", str(tmp_path))
    monkeypatch.setenv("TOOLKIT_CLAIMS_DIR", str(tmp_path))
    with matplotlib.rc_context({"backend": "agg"}), warnings.catch_warnings():
        # the tables of a lesson show what they say
        warnings.simplefilter("ignore")
        explorer, names = until_the_explorer(path)
        first = explorer.embedding_
        settings = list(
            itertools.product(*(axis["values"] for axis in explorer.axes))
        )
        if not every or path.stem.startswith(SAMPLED):
            settings = one_for_each_value(settings)
        for values in settings:
            explorer.set(**dict(zip(explorer.setting_, values, strict=True)))
            assert "..." not in explorer.code_
            picture, said = run(explorer.code_, dict(names))
            frame = explorer._frame
            if explorer._cache.align:
                picture = align_frame(frame | {"Z": picture}, first)["Z"]
            assert np.shape(picture) == frame["Z"].shape, explorer.code_
            width = np.ptp(frame["Z"], axis=0).max()
            assert np.abs(picture - frame["Z"]).max() <= 1e-3 * width, (
                explorer.code_
            )
            for number in re.findall(r"\d+\.\d+", said):
                assert number in frame["status"], explorer.code_
            plt.close("all")


def one_for_each_value(settings):
    shuffled = np.random.default_rng(0).permutation(len(settings)).tolist()
    return {
        (k, value): settings[i]
        for i in shuffled
        for k, value in enumerate(settings[i])
    }.values()


def until_the_explorer(path):
    """The first explorer of a notebook, and the names that its code rests on."""
    names = {}
    for cell in nbformat.read(path, 4).cells:
        if cell.cell_type == "code":
            value, _ = run(cell.source, names)
            if isinstance(value, Explorer):
                return value, names
    raise AssertionError("there is no explorer")


def run(code, names):
    """The value of the last line, None if it is no expression, and the output."""
    *before, last = ast.parse(code).body
    if not isinstance(last, ast.Expr):
        before.append(last)
        last = None
    with contextlib.redirect_stdout(io.StringIO()) as said:
        exec(compile(ast.Module(before, []), "<cell>", "exec"), names)
        value = last and eval(
            compile(ast.Expression(last.value), "<cell>", "eval"), names
        )
    return value, said.getvalue()
