"""When a stored measurement is out of date, and when its digest may be renewed."""

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
        left_out = "__pycache__ *.js *.css *.npz golden browser report".split()
        ignore = shutil.ignore_patterns(*left_out)
        shutil.copytree(ROOT / name, folder / name, ignore=ignore)
    monkeypatch.setattr(definitions, "PACKAGE", folder / "toolkit")
    return folder


@fixture(scope="module")
def before():
    """Digests of each entry of the code as it is."""
    return {id: code_of(experiment) for id, experiment in experiments(ROOT).items()}


def stale_ids(before, folder):
    """Ids of the entries that an edit puts out of date."""
    after = experiments(folder)
    return {id for id in before if before[id] != code_of(after[id])}


def edit(file, *replacements):
    text = file.read_text("utf-8")
    for old, new in replacements:
        assert old in text, f"{file.name} no longer holds {old!r}: choose another edit."
        text = text.replace(old, new)
    file.write_text(text, encoding="utf-8")


@mark.slow  # the digests of a whole clone
def test_harmless_edits_put_no_entry_out_of_date(before, clone):
    package = clone / "toolkit"
    graphs = package / "core" / "graphs.py"
    checks = package / "core" / "checks.py"
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
    another = "\n\ndef another(X):\n    return squared_distances(X, X) + 1\n"
    graphs.write_text(graphs.read_text() + another)
    # to another folder and name
    shutil.move(package / "core" / "memory.py", package / "lvq" / "limits.py")
    for file in clone.rglob("*.py"):
        text = file.read_text("utf-8")
        for old in ("..core.memory", ".memory", "toolkit.core.memory"):
            text = text.replace(f"from {old} import", "from toolkit.lvq.limits import")
        if file.name == "limits.py":
            text = text.replace("from .", "from ..core.")
        file.write_text(text, encoding="utf-8")
    assert stale_ids(before, clone) == set()


@fixture(scope="module")
def reaching():
    """Ids of the entries that reach the relative distances of GLVQ."""
    function = find_definition("lvq.cost.relative_distances")
    return {
        id
        for id, experiment in experiments(ROOT).items()
        if function in package_definitions(experiment)
    }


def test_another_sign_puts_exactly_the_entries_out_of_date_that_reach_it(
    before, reaching, clone
):
    """And a changed experiment its own entry, with what it uses in its file only."""
    assert {"GM-04", "GM-08"} <= reaching
    assert {id[:2] for id in reaching} == {"GM", "RE"}
    edit(
        clone / "toolkit" / "lvq" / "cost.py",
        ("return (d_J - d_K) / total, s", "return (d_K - d_J) / total, s"),
    )
    edit(
        clone / "tests" / "test_quality.py",
        ("errors.max() <= 3,\n", "errors.max() <= 4,\n"),
    )
    assert stale_ids(before, clone) == reaching | {"FI-20"}


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
    Z += [TSNE(metric="precomputed", max_iter=251).fit_transform(D)]
    Z += [MDS(criterion="stress").fit_transform(X)]
    SharedLinearEmbedding(n_directions=4).fit(X[::2], X[1::2])
    check_claim("SL-07", quality.log_area(quality.r_nx(X, Z[-1])))
"""
# Functions that only refuse and report, with all that they call; what decides on a
# warning alone, and a bar's counter.
REPORTS = ("check_", "warn", "progress")
ALONE = {"_like_distances", "median_centred", "progress"}


def test_what_runs_in_an_experiment_is_found_by_name(tmp_path):
    """Every definition of the package, but for what only reports."""
    path = tmp_path / "tests" / "test_it.py"
    path.parent.mkdir()
    path.write_text(EXPERIMENT)
    names, ran = {}, set()
    ours = f"{ROOT / 'toolkit'}/"
    exec(compile(EXPERIMENT, str(path), "exec"), names)

    def profile(frame, event, arg):
        code = frame.f_code
        is_ours = event == "call" and code.co_filename.startswith(ours)
        if not is_ours or code in ran:
            return
        outer = frame
        while outer and not outer.f_code.co_name.lstrip("_").startswith(REPORTS):
            outer = outer.f_back
        if outer is None:
            ran.add(code)

    sys.setprofile(profile)
    try:
        names["test_it"](lambda *_: None)
    finally:
        sys.setprofile(None)
    seen = {(code.co_filename, code.co_qualname.partition(".")[0]) for code in ran}
    # modules and what stands in none
    seen = {(file, name) for file, name in seen if not name.startswith("<")}
    definitions = package_definitions(Definition(path, "test_it"))
    found = {(str(each.path), each.name) for each in definitions}
    assert len(seen) > 80
    assert {name for file, name in seen - found if "/claims/" not in file} <= ALONE
    # the ledger writes numbers down, and computes none
    assert not any("/claims/" in file for file, _ in found)


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
    """Functions of one name differ by what they compute; an unused one is nothing."""

    def digest_of(helpers, test="    check_claim('SL-07', value(3))"):
        # a file is read once only
        path = Path(mkdtemp(dir=tmp_path)) / "tests" / "test_it.py"
        path.parent.mkdir()
        for name, text in helpers.items():
            (path.parent / f"{name}.py").write_text(text)
        path.write_text(
            f"from one import value\n\n\ndef test_it(check_claim):\n{test}\n"
        )
        return code_of(Definition(path, "test_it"))["experiment"]

    def with_step(step):
        return {"one": f"STEP = {step}\n\n\ndef value(x):\n    return x + STEP"}

    def with_table(change):
        table = "TABLE = {}\n\n\ndef value(x):\n    return TABLE['a'] + x\n\n\n"
        return {"one": table + change}

    text = "def value(x):\n    return x + "
    one = {"one": f"{text}1", "two": f"{text}2"}
    before = digest_of(one)
    moved = one | {"one": "from two import value", "two": one["one"]}
    unused = one | {"one": one["one"] + "\n\ndef other(x):\n    return x + 5"}
    assert before == digest_of(moved) == digest_of(unused)
    test = "    'Words.'\n    check_claim('SL-07', value(3), note='more')"
    assert before == digest_of(one, test)
    # another function of the same name
    other = one | {"one": "from two import value"}
    assert before not in (digest_of(other), digest_of(with_step(1)))
    assert digest_of(with_step(1)) != digest_of(with_step(2))
    for change in ("TABLE['a'] = {}", "TABLE.update(a={})"):
        first, second = (digest_of(with_table(change.format(i))) for i in (1, 2))
        assert first != second


def test_a_digest_tells_where_a_text_ends():
    assert digest("a", "b") != digest("ab")


SAME = [
    ("def f(x):\n    'Doc.'\n    return x", "def f(x):\n\n    # why\n    return (x)"),
    ("A = 1\n'Words below it.'", "A = 1"),
    (
        "def f(x):\n    a = x\n    return [b for b in a if (c := b)] + [c]",
        "def f(x):\n    q = x\n    return [z for z in q if (w := z)] + [w]",
    ),
    (
        "def f(x):\n    def g(y):\n        return y + a\n    a = x\n    return g",
        "def f(x):\n    def h(y):\n        return y + b\n    b = x\n    return h",
    ),
    (
        "def f(x):\n    try:\n        x()\n    except E as a:\n        g(a)",
        "def f(x):\n    try:\n        x()\n    except E as b:\n        g(b)",
    ),
    (
        "def f(x):\n    if x < 0:\n        raise E(f'{x} is bad')\n    return x",
        "def f(x):\n    return x",
    ),
    (
        "def f(x):\n    says = 'bad'\n    if x < 0:\n        warn(says)\n    return x",
        "def f(x):\n    return x",
    ),
    ("def f(x):\n    check_size(x, 'x')\n    return x", "def f(x):\n    return x"),
    (
        "def f(x, verbose=False):\n    with progress(verbose) as done:\n        y = g(x, done)\n        done()"
        "\n    return y",
        "def f(x):\n    y = g(x)\n    return y",
    ),
    (
        "def f(self, verbose):\n    self.a = 1\n    self.verbose = verbose",
        "def f(self):\n    self.a = 1",
    ),
    (
        "def t(c):\n    assert c, 'words'\n    c('SL-07', 1, note='words')",
        "def t(c):\n    assert c\n    c('SL-07', 1)",
    ),
    (
        "def f(x):\n    try:\n        g(x)\n    except E:\n        raise A('b')",
        "def f(x):\n    try:\n        g(x)\n    except E:\n        raise C",
    ),
    ("f(a, what='b', remedy='c', done=d)", "f(a)"),
]
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
    message = "SL-07 is measured twice, by .*test_a.py::test_it and .*test_b.py::"
    with raises(ValueError, match=message):
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
    [
        ({}, ""),
        ({"rule": "000000"}, "rule"),
        ({"scale": "quick"}, "measured at quick scale"),
        ({"scale": "paper"}, ""),
        ({"code": "0"}, "code"),
        ({"experiment": "0", "code": "0"}, "experiment; code"),
        ({"golden": "0"}, ""),
    ],
)
def test_reasons(entry, change, why):
    assert stale.why_stale("SL-03", entry | change) == why


def test_other_data_and_new_data(monkeypatch):
    stored = {"measured": 0.4589, "scale": "default", "data": {"scene": "0" * 12}}
    stored |= stale.digests("SL-07")
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


def test_a_run_of_other_code_stays_out_of_the_ledger(entry, tmp_path):
    left = {"id": "SL-03", "published": "closed form", "source": "x"} | entry
    write_json(tmp_path / "new" / "SL-03.json", left)
    old = left | {"code": "000000", "measured": 0.5}
    write_json(tmp_path / "old" / "SL-03.json", old)
    ledger = tmp_path / "claims.json"
    assert claims.merge(tmp_path / "old", ledger) == {}
    changes = claims.merge([tmp_path / "old", tmp_path / "new"], ledger)
    assert changes == {"SL-03": ("not checked", "reproduced")}
    assert claims.stored_ledger(ledger)["SL-03"]["measured"] == 1e-16


@mark.parametrize(
    "change, reason",
    [
        ({"code": "0"}, ""),
        ({"code": "0", "rule": "0"}, "changed: rule, code"),
        ({"experiment": "0"}, "changed: experiment"),
        (
            {"code": "0", "golden": "0"},
            "a golden result was added, dropped or renewed since it was measured",
        ),
        ({"code": "0", "golden": None}, "no golden result stands on its code"),
    ],
)
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
    if reason:
        assert (renewed, refused) == ([], {"GM-04": reason})
        assert found == stored | change
    else:
        assert (renewed, refused) == (["GM-04"], {})
        assert found == stored | {"restamped": ["2026-01-02: names of locals"]}
    assert restamp(ledger, "again", "2026-01-03")[0] == []
