"""When a stored measurement is out of date, and what an experiment stands on."""

import ast
import shutil
import subprocess
import sys

import pytest

from toolkit import claims
from toolkit.claims import sources, stale
from toolkit.claims.files import project_root, write_json
from toolkit.claims.sources import canonical, code_of, digest, experiments, measures

ROOT = project_root()


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """Function (file, old, new): digests by claim in a copy of the project in which a text was replaced."""
    folder = tmp_path / "clone"
    for name in ("toolkit", "tests", "notebooks"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.js", "*.css"))
    monkeypatch.setattr(sources, "PACKAGE", folder / "toolkit")

    def codes(file=None, old="", new=""):
        if file is not None:
            text = (folder / file).read_text(encoding="utf-8")
            assert text.count(old) == 1
            (folder / file).write_text(text.replace(old, new), encoding="utf-8")
        forget()
        return {id: code_of(experiment) for id, experiment in experiments(folder).items()}

    codes.root = folder
    yield codes
    forget()


def forget():
    for cached in (sources._tree, sources._module, sources.code_of):
        cached.cache_clear()


def changed(before, after):
    return {id for id in before if before[id] != after[id]}


def test_a_formula_makes_exactly_the_claims_stale_that_stand_on_it(clone):
    before, file = clone(), "toolkit/lvq/cost.py"
    assert changed(before, clone(file, "import numpy as np", "import numpy as np  # words")) == set()
    after = clone(file, "return (d_J - d_K) / total, s", "return (d_K - d_J) / total, s")
    stand_on_it = {id for id, code in before.items() if "lvq.cost" in code}
    assert changed(before, after) == stand_on_it
    assert {"GM-04", "GM-08", "VI-17"} <= stand_on_it
    assert not stand_on_it & {"SL-07", "FI-20", "SE-01", "TR-01"}


def test_a_look_at_the_ledger_downloads_nothing(monkeypatch, tmp_path):
    monkeypatch.setenv("TOOLKIT_DATA", "")
    monkeypatch.setenv("TOOLKIT_CACHE", str(tmp_path))
    monkeypatch.setattr("pooch.retrieve", lambda *args, **options: pytest.fail("tried to download"))
    for cached in (stale._here, stale._checksum_here):
        cached.cache_clear()
    scene = claims.committed()["SL-07"]
    try:
        assert stale.why_stale("SL-07", scene) == ""
    finally:
        for cached in (stale._here, stale._checksum_here):
            cached.cache_clear()


def test_the_decorator_by_blocks_does_not_count_and_others_do(clone):
    before, file = clone(), "toolkit/lvq/cost.py"
    first = (clone.root / file).read_text(encoding="utf-8")
    head = "import numpy as np\n"
    by_blocks = first.replace(head, f"{head}\nfrom ..core.blocks import by_blocks\n").replace(
        "\ndef ", "\n@by_blocks\ndef "
    )
    (clone.root / file).write_text(by_blocks, encoding="utf-8")
    assert by_blocks.count("@by_blocks") > 2 and changed(before, clone()) == set()
    for other in (by_blocks.replace("by_blocks", "by_rows"), by_blocks.replace("core.blocks", "core.other")):
        (clone.root / file).write_text(other, encoding="utf-8")
        assert changed(before, clone()) == {id for id, code in before.items() if "lvq.cost" in code}


def test_an_experiment_counts_with_what_it_uses_in_its_file_only(clone):
    before, file = clone(), "tests/lvq/test_lvq_identities.py"
    assert changed(before, clone(file, "for mu in (1, 10, 100)", "for mu in (1, 10, 1000)")) == {"GM-13"}


def test_a_notebook_counts_by_its_code_and_not_by_its_text(clone):
    before, file = clone(), "notebooks/01_simultaneous_visualization.ipynb"
    assert changed(before, clone(file, '    "# 1. ', '    "# 1. At once: ')) == set()


def test_modules_are_those_that_python_imports():
    """Whatever is traced is really loaded, and the modules that define the imported names are among it."""
    names = code_of(experiments(ROOT)["GM-08"]).keys() - {"experiment"}
    imports = "from toolkit.lvq import GMLVQ; from toolkit.datasets import load; from toolkit.quality import knn_error"
    code = f"import sys; {imports}; print(*(name for name in sys.modules if name.startswith('toolkit.')))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert {"lvq.gmlvq", "lvq.cost", "core.descent", "core.linalg", "core.checks"} <= names
    assert names <= {name.removeprefix("toolkit.") for name in loaded} | {"draws"}


@pytest.mark.parametrize(
    "name, counts",
    [("core.linalg", True), ("lmnn", True), ("datasets.made.models", True), ("draws", True), ("datasets.files", False)]
    + [(name, False) for name in ("plots.maps", "explore.frames", "claims.measure", "report.pages", "datasets.cli")],
)
def test_what_draws_loads_or_writes_down_does_not_count(name, counts):
    assert measures(name) is counts
    assert name in {part for code in map(code_of, experiments(ROOT).values()) for part in code} or not counts


def test_a_digest_tells_where_a_text_ends():
    assert digest("a", "b") != digest("ab")


def test_a_claim_without_an_experiment_has_no_digests():
    assert stale.experiment_of("FI-11") is None and stale.digests("FI-11") == {}  # its data were never published


@pytest.mark.parametrize(
    "one, other, same",
    [
        ("def f(x):\n    'Doc.'\n    return x", "def f(x):\n\n    # why\n    return (x)", True),
        ("A = 1\n'Words below it.'", "A = 1", True),
        ("__all__ = ['f']\nx = 1", "__all__ = []\nx = 1", True),
        ("x = f(a, b)", "x = f(b, a)", False),
        ("x = 1", "x = 1.0", False),
        ("x = 'a'", "x = 'b'", False),
        ("if a:\n    b()\nc()", "if a:\n    b()\n    c()", False),
    ],
)
def test_words_and_layout_do_not_count(one, other, same):
    assert (canonical(ast.parse(one)) == canonical(ast.parse(other))) is same


def test_each_claim_is_measured_in_one_place(tmp_path):
    found = experiments(ROOT)
    without = {id for id in claims.load() if id not in found}
    assert without == {"FI-11"}  # its data were never published
    folder = tmp_path / "tests" / "claims"
    folder.mkdir(parents=True)
    for name in "ab":
        (folder / f"test_{name}.py").write_text("def test_it(check_claim):\n    check_claim('SL-07', 0.4)\n")
    with pytest.raises(ValueError, match="SL-07 is measured twice, by .*test_a.py::test_it and .*test_b.py::test_it"):
        experiments(tmp_path)


@pytest.fixture
def entry():
    """SL-03, measured with generated data, as a run would leave it now."""
    return {"measured": 1e-16, "scale": "default", "verdict": "reproduced"} | stale.digests("SL-03")


@pytest.mark.parametrize(
    "change, why",
    [({}, ""), ({"rule": "000000"}, "rule"), ({"scale": "quick"}, "measured at quick scale"), ({"scale": "paper"}, "")],
)
def test_reasons(entry, change, why):
    assert stale.why_stale("SL-03", entry | change) == why


def test_reasons_name_the_modules(entry):
    linalg = next(part for part in entry["code"].split() if part.startswith("core.linalg:"))
    altered = entry["code"].replace(linalg, "core.linalg:000000")
    assert stale.why_stale("SL-03", entry | {"code": altered}) == "code: core.linalg"
    assert stale.why_stale("SL-03", entry | {"code": f"{entry['code']} gone:123456"}) == "code: gone"


def test_data_that_changed_or_appeared(monkeypatch):
    stored = {"measured": 0.4589, "scale": "default", "data": {"scene": "0" * 12}} | stale.digests("SL-07")
    monkeypatch.setattr(stale, "_checksum_here", lambda name: "1" * 64)
    assert stale.why_stale("SL-07", stored) == "data: scene"
    assert stale.why_stale("SL-07", stored | {"data": {"scene": "1" * 12}}) == ""
    absent = {"reason": "no data (scene)", "verdict": "not checked"}
    assert stale.why_stale("SL-07", absent) == "its data are at hand now"

    def missing(name):
        raise OSError(name)

    monkeypatch.setattr(stale, "_checksum_here", missing)  # nothing can be measured: nothing is asked for
    assert stale.why_stale("SL-07", stored) == stale.why_stale("SL-07", absent) == ""


def test_a_run_of_other_code_is_not_merged(entry, tmp_path):
    left = {"id": "SL-03", "published": "closed form", "source": "x"} | entry
    write_json(tmp_path / "new" / "SL-03.json", left)
    write_json(tmp_path / "old" / "SL-03.json", left | {"code": "core.linalg:000000", "measured": 0.5})
    ledger = tmp_path / "claims.json"
    assert claims.merge(tmp_path / "old", ledger) == {}
    assert claims.merge([tmp_path / "old", tmp_path / "new"], ledger) == {"SL-03": ("not checked", "reproduced")}
    assert claims.committed(ledger)["SL-03"]["measured"] == 1e-16
