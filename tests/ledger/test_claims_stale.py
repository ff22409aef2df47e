"""When a stored measurement is out of date, and when its digest may be renewed."""

import sys

from pytest import fail, fixture, mark, raises, skip

from ledger import stale
from ledger.merging import merge
from ledger.restamping import golden_when_stored, restamp
from toolkit import claims
from toolkit.core.files import project_root, write_json

ROOT = project_root()
FILES = {
    "toolkit/__init__.py": "",
    "toolkit/claims/__init__.py": "A = 1",
    "toolkit/lvq/__init__.py": "from .gmlvq import GMLVQ\nfrom .other import RSLVQ",
    "toolkit/lvq/gmlvq.py": "from ..core import step\n\n\ndef GMLVQ(x):\n    return step(x)",
    "toolkit/lvq/other.py": "RSLVQ = 1",
    "toolkit/core.py": "'Doc.'\n\n\ndef step(x):\n    'Doc.'\n    return x + 1  # why",
    "tests/helper.py": "def double(x):\n    return 2 * x",
    "tests/test_it.py": """
from helper import double
from pytest import fixture
from toolkit import claims
from toolkit.lvq import GMLVQ

TABLE = {}
TABLE["step"] = 3


@fixture
def number():
    return TABLE["step"]


def value(x):
    return double(GMLVQ(x))


def unused(x):
    return x - 5


def test_it(check_claim, number):
    check_claim("SL-07", value(number), note=claims)
""",
}


@mark.parametrize(
    "old, new, changed",
    [
        ("'Doc.'", "'''More.'''", []),
        ("  # why", "", []),
        ("x + 1", "(x + 1)", []),
        ("x - 5", "x - 6", []),
        ("RSLVQ = 1", "RSLVQ = 2", []),
        ("A = 1", "A = 2", []),
        ("(GMLVQ(x))", "(GMLVQ(x + 7))", ["experiment"]),
        ("= 3", "= 4", ["experiment"]),
        ('return TABLE["step"]', "return 3", ["experiment"]),
        ("2 * x", "3 * x", ["experiment"]),
        ("note=claims", "note=1", ["experiment"]),
        ("return step(x)", "return step(-x)", ["code"]),
        ("x + 1", "x + 1.0", ["code"]),
    ],
)
def test_what_counts_as_a_change(tmp_path, old, new, changed):
    digests = []
    for name, words in (("before", old), ("after", new)):
        root = tmp_path / name
        for file, text in FILES.items():
            path = root / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.replace(old, words))
        digests.append(stale.code_of(root, "tests/test_it.py::test_it"))
    before, after = digests
    assert [kind for kind in before if before[kind] != after[kind]] == changed


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
    Z += [MDS().fit_transform(X)]
    SharedLinearEmbedding(n_directions=4).fit(X[::2], X[1::2])
    check_claim("SL-07", quality.log_area(quality.r_nx(X, Z[-1])))
"""


def test_the_modules_that_run_in_an_experiment_are_reached(tmp_path):
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_it.py").write_text(EXPERIMENT)
    (tmp_path / "toolkit").symlink_to(ROOT / "toolkit")
    names = {}
    ran = set()
    exec(EXPERIMENT, names)

    def profile(frame, event, arg):
        ran.add(frame.f_code.co_filename)

    sys.setprofile(profile)
    try:
        names["test_it"](lambda *_: None)
    finally:
        sys.setprofile(None)
    ours = {file for file in ran if file.startswith(f"{ROOT / 'toolkit'}/")}
    _, reached = stale._reached(tmp_path, "tests/test_it.py::test_it")
    assert len(ours) > 20
    assert ours <= {str(file.resolve()) for file in reached}


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


def test_each_claim_is_measured_in_one_place(tmp_path):
    # the data of one were never published
    assert claims.load().keys() - stale.experiments(ROOT).keys() == {"FI-11"}
    (tmp_path / "tests").mkdir()
    for name in "ab":
        (tmp_path / "tests" / f"test_{name}.py").write_text(
            "def test_it(check_claim):\n    check_claim('SL-07', 0.4)\n"
        )
    message = (
        "SL-07 is measured twice, by .*test_a.py::test_it and .*test_b.py::"
    )
    with raises(ValueError, match=message):
        stale.experiments(tmp_path)


@fixture
def entry():
    """SL-03, measured with generated data, as a run would leave it now."""
    measured = {"measured": 1e-16, "scale": "default", "verdict": "reproduced"}
    return measured | stale.digests("SL-03")


@mark.parametrize(
    "change, why",
    [
        ({}, ""),
        ({"rule": "000000"}, "rule"),
        ({"scale": "quick"}, "measured at quick scale"),
        ({"scale": "paper"}, ""),
        ({"experiment": "0", "code": "0"}, "experiment; code"),
        ({"golden": "0"}, ""),
    ],
)
def test_reasons(entry, change, why):
    assert stale.why_stale("SL-03", entry | change) == why


def test_other_data_and_new_data(monkeypatch):
    stored = {"measured": 0.4589, "scale": "default"} | stale.digests("SL-07")
    absent = {
        "reason": "no data (scene)",
        "missing": ["scene"],
        "verdict": "not checked",
    }

    def reasons(checksum):
        monkeypatch.setattr(stale, "_local_checksum", checksum)
        data = {"data": {"scene": "1" * 12}}
        entries = stored, stored | data, absent
        return [stale.why_stale("SL-07", entry) for entry in entries]

    expected = ["data: scene", "", "its data are available now"]
    assert reasons(lambda name: "1" * 64) == expected

    def missing(name):
        raise OSError(name)

    # nothing can be measured: nothing is asked for
    assert reasons(missing) == ["", "", ""]


def test_a_run_of_other_code_stays_out_of_the_ledger(entry, tmp_path):
    left = {"id": "SL-03", "published": "closed form", "source": "x"} | entry
    ledger = tmp_path / "claims.json"
    for code, measured in (("000000", None), (left["code"], 1e-16)):
        write_json(tmp_path / "runs" / f"{code}.json", left | {"code": code})
        merge(tmp_path / "runs", ledger)
        assert claims.stored_ledger(ledger)["SL-03"].get("measured") == measured


def test_golden_results_of_the_measured_code_are_renewed(tmp_path, entry):
    entry["published"] = "closed form"
    path = tmp_path / "claims.json"
    write_json(path, {"SL-03": entry | {"golden": "0"}})
    assert restamp(path, "cases dropped", "2026-01-02") == (["SL-03"], {})
    assert claims.stored_ledger(path)["SL-03"] == entry


@mark.parametrize(
    "change, reason",
    [
        ({"code": "0"}, ""),
        ({"code": "0", "rule": "0"}, "changed: rule; code"),
        ({"experiment": "0"}, "changed: experiment"),
        (
            {"code": "0", "golden": "0"},
            "a golden result was added, dropped or renewed",
        ),
    ],
)
def test_digests_are_renewed_only_where_golden_results_stand_for_the_code(
    tmp_path, entry, change, reason
):
    entry["published"] = "closed form"
    path = tmp_path / "claims.json"
    write_json(path, {"SL-03": entry | change})
    renewed, refused = restamp(path, "shorter", "2026-01-02")
    assert refused.get("SL-03", "").startswith(reason)
    assert renewed == ([] if reason else ["SL-03"])
    note = {"restamped": ["2026-01-02: shorter"]}
    expected = entry | (change if reason else note)
    assert claims.stored_ledger(path)["SL-03"] == expected


@mark.parametrize("change", ["moved", "renewed", "dropped", "no history"])
def test_functions_may_move_between_files_where_their_numbers_are_equal(
    tmp_path, entry, change
):
    entry["published"] = "closed form"
    path = tmp_path / "claims.json"
    write_json(path, {"SL-03": entry | {"code": "0", "golden": "stored"}})
    numbers = dict(stale.golden_of(stale.experiment_of("SL-03")))
    first_id = next(iter(numbers))
    numbers_before = {
        "moved": numbers,
        "renewed": numbers | {first_id: "0"},
        "dropped": numbers | {"a case that is gone": "0"},
        "no history": {},
    }
    asked_for = []

    def golden_before(digest):
        asked_for.append(digest)
        return numbers_before[change]

    renewed, _ = restamp(path, "moved", "2026-01-02", golden_before)
    assert asked_for == ["stored"]
    assert renewed == (["SL-03"] if change == "moved" else [])
    stored = claims.stored_ledger(path)["SL-03"]
    assert (stored["golden"] == entry["golden"]) is (change == "moved")


def test_golden_results_of_an_entry_are_those_of_the_commit_that_stored_it():
    ledger = claims.stored_ledger()
    digest = ledger["SL-03"]["golden"]
    numbers = golden_when_stored(digest)
    if not numbers:
        skip("this clone has no history, or the entry is not committed yet")
    for id, number in stale.golden_of(stale.experiment_of("SL-03")):
        assert numbers[id] == number
    assert golden_when_stored("no digest of any entry") == {}
