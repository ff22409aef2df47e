"""When a stored measurement is out of date, what an experiment stands on, and when its digest may be renewed."""

import ast
import json
import shutil
import sys
from pathlib import Path
from tempfile import mkdtemp

from pytest import fail, fixture, mark, raises

from toolkit import claims
from toolkit.claims import definitions, stale
from toolkit.claims.canonical import canonical
from toolkit.claims.definitions import Definition, digest, find_definition
from toolkit.claims.ledger import restamp
from toolkit.claims.stale import code_of, experiments, package_definitions
from toolkit.core.files import project_root, write_json

ROOT = project_root()


@fixture
def clone(tmp_path, monkeypatch):
    """A copy of the code, in which edits may be made."""
    folder = tmp_path / "clone"
    for name in ("toolkit", "tests"):
        copied = shutil.ignore_patterns(
            "__pycache__", "*.js", "*.css", "*.npz", "golden", "browser", "report"
        )
        shutil.copytree(ROOT / name, folder / name, ignore=copied)
    monkeypatch.setattr(definitions, "PACKAGE", folder / "toolkit")
    return folder


@fixture(scope="module")
def measured():
    """(digests of each entry, entries that reach the relative distances of GLVQ) of the code as it is."""
    found, function = experiments(ROOT), find_definition("lvq.cost.relative_distances")
    reaching = {
        id
        for id, experiment in found.items()
        if function in package_definitions(experiment)
    }
    return {id: code_of(experiment) for id, experiment in found.items()}, reaching


def changed(before, folder):
    """Ids of the entries that an edit puts out of date."""
    after = {id: code_of(experiment) for id, experiment in experiments(folder).items()}
    return {id for id in before if before[id] != after[id]}


def edit(file, *replacements):
    text = file.read_text(encoding="utf-8")
    for old, new in replacements:
        assert old in text, f"{file.name} no longer holds {old!r}: choose another edit."
        text = text.replace(old, new)
    file.write_text(text, encoding="utf-8")


@mark.slow  # the digests of a whole clone
def test_harmless_edits_put_no_entry_out_of_date(measured, clone):
    package = clone / "toolkit"
    graphs, checks = package / "core" / "graphs.py", package / "core" / "checks.py"
    edit(
        package / "lvq" / "cost.py",
        ("total", "sum_of_both"),
        ("import numpy as np", "import numpy as np  # why"),
    )
    edit(
        checks,
        (" must be ", " has to be "),
        ("got ", "this is "),
        ("Rescale it.", "Choose other units."),
    )
    edit(
        graphs, ("nearest neighbours", "closest samples"), ("neighbour", "near sample")
    )
    graphs.write_text(
        graphs.read_text()
        + "\n\ndef another(X):\n    return squared_distances(X, X) + 1\n"
    )
    # to another folder and name
    shutil.move(package / "core" / "memory.py", package / "lvq" / "limits.py")
    for file in clone.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        for old in ("..core.memory", ".memory", "toolkit.core.memory"):
            text = text.replace(f"from {old} import", "from toolkit.lvq.limits import")
        if file.name == "limits.py":
            text = text.replace("from .", "from ..core.")
        file.write_text(text, encoding="utf-8")
    assert changed(measured[0], clone) == set()


def test_a_changed_sign_puts_exactly_the_entries_out_of_date_that_reach_it(
    measured, clone
):
    """And a changed experiment its own entry, with what it uses in its file only."""
    before, reaching = measured
    assert {"GM-04", "GM-08"} <= reaching and {id[:2] for id in reaching} == {
        "GM",
        "RE",
    }
    edit(
        clone / "toolkit" / "lvq" / "cost.py",
        ("return (d_J - d_K) / total, s", "return (d_K - d_J) / total, s"),
    )
    edit(
        clone / "tests" / "test_quality.py",
        ("errors.max() <= 3,\n", "errors.max() <= 4,\n"),
    )
    assert changed(before, clone) == reaching | {"FI-20"}


EXPERIMENT = """
from sklearn.datasets import load_iris

from toolkit import quality
from toolkit.embed import MDS, TSNE
from toolkit.eigenmaps import SLEML
from toolkit.fisher import ParzenFisher
from toolkit.lvq import GMLVQ
from toolkit.multilabel import KernelSampleLabelMap
from toolkit.transfer import SharedLinearEmbedding


def test_it(check_claim):
    X, y = (part[::5] for part in load_iris(return_X_y=True))
    maps = [SLEML(), GMLVQ(max_iter=3), KernelSampleLabelMap()]
    D = ParzenFisher().fit(X, y).distances(X, path="graph")
    Z = [model.fit(X, y).transform(X) for model in maps]
    Z += [TSNE(metric="precomputed", max_iter=251).fit_transform(D), MDS(criterion="stress").fit_transform(X)]
    SharedLinearEmbedding(n_directions=4).fit(X[::2], X[1::2])
    check_claim("SL-07", quality.log_area(quality.r_nx(X, Z[-1])))
"""
# Functions that only refuse and report, with all that they call; what decides on a
# warning alone, and a bar's counter.
REPORTS, ALONE = (
    ("check_", "warn", "progress"),
    {"_like_distances", "median_centred", "progress"},
)


def test_what_runs_is_among_what_is_reached(tmp_path):
    """Every definition of the package that runs in an experiment is found by name, but for what only reports."""
    path = tmp_path / "tests" / "test_it.py"
    path.parent.mkdir()
    path.write_text(EXPERIMENT)
    names, ran, ours = {}, set(), f"{ROOT / 'toolkit'}/"
    exec(compile(EXPERIMENT, str(path), "exec"), names)

    def profile(frame, event, arg):
        if (
            event != "call"
            or frame.f_code in ran
            or not frame.f_code.co_filename.startswith(ours)
        ):
            return
        outer = frame
        while outer and not outer.f_code.co_name.lstrip("_").startswith(REPORTS):
            outer = outer.f_back
        if outer is None:
            ran.add(frame.f_code)

    sys.setprofile(profile)
    try:
        names["test_it"](lambda *_: None)
    finally:
        sys.setprofile(None)
    seen = {(code.co_filename, code.co_qualname.partition(".")[0]) for code in ran}
    # modules and what stands in none
    seen = {(file, name) for file, name in seen if not name.startswith("<")}
    reached = {
        (str(found.path), found.name)
        for found in package_definitions(Definition(path, "test_it"))
    }
    assert len(seen) > 80
    assert {name for file, name in seen - reached if "/claims/" not in file} <= ALONE
    # the ledger writes numbers down, and computes none
    assert not any("/claims/" in file for file, _ in reached)


def test_a_look_at_the_ledger_downloads_nothing(monkeypatch, tmp_path):
    monkeypatch.setenv("TOOLKIT_DATA", "")
    monkeypatch.setenv("TOOLKIT_CACHE", str(tmp_path))
    monkeypatch.setattr(
        "pooch.retrieve", lambda *args, **options: fail("tried to download")
    )
    stale._local_checksum.cache_clear()
    scene = claims.stored_ledger()["SL-07"]
    try:
        assert stale.why_stale("SL-07", scene) == ""
    finally:
        stale._local_checksum.cache_clear()


def test_the_set_counts_and_not_where_a_definition_stands(tmp_path):
    """Two functions of one name are told apart by what they compute, and an unused one counts for nothing."""

    def written(helpers, test="    check_claim('SL-07', value(3))"):
        # a file is read once only
        path = Path(mkdtemp(dir=tmp_path)) / "tests" / "test_it.py"
        path.parent.mkdir()
        for name, text in helpers.items():
            (path.parent / f"{name}.py").write_text(text)
        path.write_text(
            f"from one import value\n\n\ndef test_it(check_claim):\n{test}\n"
        )
        return code_of(Definition(path, "test_it"))["experiment"]

    one = {
        "one": "def value(x):\n    return x + 1",
        "two": "def value(x):\n    return x + 2",
    }
    before = written(one)
    # moved
    assert before == written(one | {"one": "from two import value", "two": one["one"]})
    # unused
    assert before == written(
        one | {"one": one["one"] + "\n\ndef other(x):\n    return x + 5"}
    )
    assert before == written(
        one, "    'Words.'\n    check_claim('SL-07', value(3), note='more')"
    )
    # another function of the same name
    assert before != written(one | {"one": "from two import value"})
    assert before != written(
        one | {"one": "STEP = 1\n\n\ndef value(x):\n    return x + STEP"}
    )
    constant = written({"one": "STEP = 1\n\n\ndef value(x):\n    return x + STEP"})
    assert constant != written(
        {"one": "STEP = 2\n\n\ndef value(x):\n    return x + STEP"}
    )
    table = "TABLE = {}\n\n\ndef value(x):\n    return TABLE['a'] + x\n\n\n"
    assert written({"one": f"{table}TABLE['a'] = 1"}) != written(
        {"one": f"{table}TABLE['a'] = 2"}
    )
    assert written({"one": f"{table}TABLE.update(a=1)"}) != written(
        {"one": f"{table}TABLE.update(a=2)"}
    )


def test_a_digest_tells_where_a_text_ends():
    assert digest("a", "b") != digest("ab")


SAME = [
    ("def f(x):\n    'Doc.'\n    return x", "def f(x):\n\n    # why\n    return (x)"),
    ("A = 1\n'Words below it.'", "A = 1"),
    ("def f(x):\n    a = x\n    return [b for b in a if (c := b)] + [c]",
     "def f(x):\n    q = x\n    return [z for z in q if (w := z)] + [w]"),
    ("def f(x):\n    def g(y):\n        return y + a\n    a = x\n    return g",
     "def f(x):\n    def h(y):\n        return y + b\n    b = x\n    return h"),
    ("def f(x):\n    try:\n        x()\n    except E as a:\n        g(a)",
     "def f(x):\n    try:\n        x()\n    except E as b:\n        g(b)"),
    ("def f(x):\n    if x < 0:\n        raise ValueError(f'{x} is bad')\n    return x", "def f(x):\n    return x"),
    ("def f(x):\n    says = 'bad'\n    if x < 0:\n        warn(says)\n    return x", "def f(x):\n    return x"),
    ("def f(x):\n    check_size(x, 'x')\n    return x", "def f(x):\n    return x"),
    ("def f(x, verbose=False):\n    with progress(3, 'rows', verbose) as done:\n        y = g(x, done)\n        done()"
     "\n    return y", "def f(x):\n    y = g(x)\n    return y"),
    ("def f(self, verbose):\n    self.a = 1\n    self.verbose = verbose", "def f(self):\n    self.a = 1"),
    ("def t(c):\n    assert c, 'words'\n    c('SL-07', 1, note='words')", "def t(c):\n    assert c\n    c('SL-07', 1)"),
    ("def f(x):\n    try:\n        g(x)\n    except E:\n        raise A('b') from None",
     "def f(x):\n    try:\n        g(x)\n    except E:\n        raise C"),
    ("f(a, what='b', remedy='c', done=d)", "f(a)"),
]  # fmt: skip
OTHER = [
    ("x = f(a, b)", "x = f(b, a)"),
    ("x = 1", "x = 1.0"),
    ("x = 'a'", "x = 'b'"),
    ("class A:\n    kind = 'a'", "class A:\n    kind = 'b'"),
    ("if a:\n    b()\nc()", "if a:\n    b()\n    c()"),
    # the name of an argument is part of the call
    ("def f(x):\n    return x", "def f(y):\n    return y"),
    (
        "def f(x):\n    n = check_size(x)\n    return n",
        "def f(x):\n    n = x\n    return n",
    ),
    ("def f(x):\n    s = 'a'\n    return s", "def f(x):\n    s = 'b'\n    return s"),
    ("def f(x):\n    a, b = x\n    return a", "def f(x):\n    a, b = x\n    return b"),
    (
        "def f(x):\n    if x:\n        y = 1\n        raise E\n    return g(y)",
        "def f(x):\n    return g(y)",
    ),
    (
        "def f(x):\n    if (n := g(x)):\n        raise E\n    return n",
        "def f(x):\n    return n",
    ),
    ("def f(x, k=1):\n    return x", "def f(x, k=2):\n    return x"),
    (
        "def f(x):\n    if x:\n        raise E\n    else:\n        g()",
        "def f(x):\n    g()",
    ),
    ("f(a, lam=1)", "f(a)"),
]


@mark.parametrize("one, other", SAME)
def test_what_computes_nothing_does_not_count(one, other):
    assert canonical(ast.parse(one)) == canonical(ast.parse(other))


@mark.parametrize("one, other", OTHER)
def test_all_else_counts(one, other):
    assert canonical(ast.parse(one)) != canonical(ast.parse(other))


def test_each_claim_is_measured_in_one_place(tmp_path):
    found = experiments(ROOT)
    without = {id for id in claims.load() if id not in found}
    assert without == {"FI-11"}  # its data were never published
    folder = tmp_path / "tests" / "claims"
    folder.mkdir(parents=True)
    for name in "ab":
        (folder / f"test_{name}.py").write_text(
            "def test_it(check_claim):\n    check_claim('SL-07', 0.4)\n"
        )
    with raises(
        ValueError,
        match="SL-07 is measured twice, by .*test_a.py::test_it and .*test_b.py::test_it",
    ):
        experiments(tmp_path)


@fixture
def entry():
    """SL-03, measured with generated data, as a run would leave it now."""
    return {
        "measured": 1e-16,
        "scale": "default",
        "verdict": "reproduced",
    } | stale.digests("SL-03")


@mark.parametrize(
    "change, why",
    [({}, ""), ({"rule": "000000"}, "rule"), ({"scale": "quick"}, "measured at quick scale"), ({"scale": "paper"}, ""),
     ({"code": "0"}, "code"), ({"experiment": "0", "code": "0"}, "experiment; code"), ({"golden": "0"}, "")],
)  # fmt: skip
def test_reasons(entry, change, why):
    assert stale.why_stale("SL-03", entry | change) == why


def test_data_that_changed_or_appeared(monkeypatch):
    stored = {
        "measured": 0.4589,
        "scale": "default",
        "data": {"scene": "0" * 12},
    } | stale.digests("SL-07")
    monkeypatch.setattr(stale, "_local_checksum", lambda name: "1" * 64)
    assert stale.why_stale("SL-07", stored) == "data: scene"
    assert stale.why_stale("SL-07", stored | {"data": {"scene": "1" * 12}}) == ""
    absent = {"reason": "no data (scene)", "verdict": "not checked"}
    assert stale.why_stale("SL-07", absent) == "its data are at hand now"

    def missing(name):
        raise OSError(name)

    # nothing can be measured: nothing is asked for
    monkeypatch.setattr(stale, "_local_checksum", missing)
    assert stale.why_stale("SL-07", stored) == stale.why_stale("SL-07", absent) == ""


def test_a_run_of_other_code_is_not_merged(entry, tmp_path):
    left = {"id": "SL-03", "published": "closed form", "source": "x"} | entry
    write_json(tmp_path / "new" / "SL-03.json", left)
    write_json(
        tmp_path / "old" / "SL-03.json", left | {"code": "000000", "measured": 0.5}
    )
    ledger = tmp_path / "claims.json"
    assert claims.merge(tmp_path / "old", ledger) == {}
    assert claims.merge([tmp_path / "old", tmp_path / "new"], ledger) == {
        "SL-03": ("not checked", "reproduced")
    }
    assert claims.stored_ledger(ledger)["SL-03"]["measured"] == 1e-16


@mark.parametrize(
    "change, reason",
    [({"code": "0"}, ""), ({"code": "0", "rule": "0"}, "changed: rule, code"),
     ({"experiment": "0"}, "changed: experiment"),
     ({"code": "0", "golden": "0"}, "a golden result was added, dropped or renewed since it was measured"),
     ({"code": "0", "golden": None}, "no golden result stands on its code")],
)  # fmt: skip
def test_digests_are_renewed_only_where_golden_results_stand_for_the_code(
    tmp_path, monkeypatch, change, reason
):
    if change.get("golden", "") is None:
        monkeypatch.setattr(stale, "_golden", dict)
    stored = {
        "measured": [0.04, 0.02],
        "scale": "default",
        "verdict": "differs",
        "published": [0.02, 0.02],
    }
    stored |= stale.digests("GM-04")
    ledger = tmp_path / "claims.json"
    write_json(ledger, {"GM-04": stored | change})
    renewed, refused = restamp(ledger, "names of locals", "2026-01-02")
    found = json.loads(ledger.read_text())["GM-04"]
    assert (renewed, refused) == (
        ([], {"GM-04": reason}) if reason else (["GM-04"], {})
    )
    assert found == (
        stored | change
        if reason
        else stored | {"restamped": ["2026-01-02: names of locals"]}
    )
    assert restamp(ledger, "again", "2026-01-03")[0] == []
