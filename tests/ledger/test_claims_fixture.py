"""The fixture `check_claim`, tried on small test files of its own."""

from pathlib import Path

from pytest import fixture, mark

from ledger import stale
from toolkit import claims, datasets

pytest_plugins = ["pytester"]

MEASURING = Path(__file__).parents[1] / "measuring.py"


@fixture
def run(pytester, monkeypatch):
    """Function (body of a test, stored entry of SL-03) -> pytest's result."""
    monkeypatch.delenv("TOOLKIT_REFRESH", raising=False)
    monkeypatch.delenv("TOOLKIT_CLAIMS_DIR", raising=False)
    pytester.makeconftest(MEASURING.read_text())

    def run(body, stored):
        monkeypatch.setattr(claims, "stored_ledger", lambda: {"SL-03": stored})
        pytester.makepyfile(
            "from toolkit import claims, datasets\n\n"
            f"def test_it(check_claim, scale):\n    {body}\n"
        )
        words = "-q -rs -p no:cacheprovider -p no:randomly"
        return pytester.runpytest_inprocess(*words.split())

    return run


REPRODUCED = {"verdict": "reproduced", "measured": 0.0}
DIFFERS = {"verdict": "differs", "measured": 0.4}
BLANK = {"verdict": "not checked", "reason": "not measured yet"}


def test_the_stored_verdict_passes(run):
    run("check_claim('SL-03', 0)", REPRODUCED).assert_outcomes(passed=1)
    run("check_claim('SL-03', 0.3)", DIFFERS).assert_outcomes(passed=1)


@mark.parametrize(
    "value, stored, says",
    [
        (0.3, REPRODUCED, "*SL-03: this run differs, stored reproduced*"),
        # better than stored: store it
        (0, DIFFERS, "*SL-03: this run reproduced, stored differs*"),
        (
            0,
            BLANK,
            "*SL-03 has no stored verdict (not measured yet)*`make refresh`*",
        ),
    ],
)
def test_another_verdict_and_a_first_measurement_fail(run, value, stored, says):
    result = run(f"check_claim('SL-03', {value})", stored)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([says])


def test_refresh_only_records(run, monkeypatch, tmp_path):
    monkeypatch.setenv("TOOLKIT_REFRESH", "1")
    monkeypatch.setenv("TOOLKIT_CLAIMS_DIR", str(tmp_path))
    monkeypatch.setenv("TOOLKIT_SCALE", "quick")
    body = "assert check_claim('SL-03', 0.3, note=scale) == 'differs'"
    run(body, REPRODUCED).assert_outcomes(passed=1)
    entry = claims.read_fragments(tmp_path)["SL-03"]
    assert (entry["verdict"], entry["scale"], entry["note"]) == (
        "differs",
        "quick",
        "quick",
    )
    assert entry["source"].startswith("test_")
    # what quick runs measure never reaches the ledger
    assert "code" not in entry


def test_what_a_test_measures_has_the_digests_of_its_code(
    run, monkeypatch, tmp_path
):
    monkeypatch.setenv("TOOLKIT_CLAIMS_DIR", str(tmp_path))
    run("check_claim('SL-03', 0)", REPRODUCED).assert_outcomes(passed=1)
    entry = claims.read_fragments(tmp_path)["SL-03"]
    assert entry["measured"] == 0
    assert entry == entry | stale.digests("SL-03")


def test_missing_data_skip(run, monkeypatch):
    monkeypatch.setattr(
        datasets, "substituted_names", lambda: frozenset({"scene"})
    )
    for body, says in {
        "raise datasets.DatasetUnavailable('medical: get it')": "*medical: get it*",
        "check_claim('SL-07', 0.3)": "*SL-07*scene*not available*",
    }.items():
        result = run(body, REPRODUCED)
        result.assert_outcomes(skipped=1)
        result.stdout.fnmatch_lines([says])


def test_other_errors_are_errors(run):
    for body in ("raise OSError('disk')", "check_claim('SL-03', float('nan'))"):
        run(body, REPRODUCED).assert_outcomes(failed=1)
