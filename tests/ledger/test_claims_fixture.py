"""The fixture `check_claim`, tried on small test files of its own."""

from pathlib import Path

from pytest import fixture, mark

from toolkit import claims, datasets

pytest_plugins = ["pytester"]

MEASURING = Path(__file__).parents[1] / "measuring.py"


@fixture
def run(pytester, monkeypatch):
    """Function (body of a test, stored entry of SL-07) -> pytest's result."""
    monkeypatch.setattr(datasets, "substituted_names", lambda: frozenset())
    monkeypatch.setattr(datasets, "checksums", lambda name: 64 * "0")
    monkeypatch.delenv("TOOLKIT_REFRESH", raising=False)
    monkeypatch.delenv("TOOLKIT_CLAIMS_DIR", raising=False)
    pytester.makeconftest(MEASURING.read_text())

    def run(body, stored=None):
        blank = {"verdict": "not checked", "reason": "not measured yet"}
        ledger = {"SL-07": stored or blank}
        monkeypatch.setattr(claims, "stored_ledger", lambda: ledger)
        pytester.makepyfile(
            "from toolkit import claims, datasets\n\n"
            f"def test_it(check_claim, scale):\n    {body}\n"
        )
        words = "-q -rs -p no:cacheprovider -p no:randomly"
        return pytester.runpytest_inprocess(*words.split())

    return run


REPRODUCED = {"verdict": "reproduced", "measured": 0.4589}
DIFFERS = {"verdict": "differs", "measured": 0.4}


def test_the_stored_verdict_passes(run):
    run("check_claim('SL-07', 0.459)", REPRODUCED).assert_outcomes(passed=1)
    run("check_claim('SL-07', 0.3)", DIFFERS).assert_outcomes(passed=1)


@mark.parametrize(
    "value, stored, says",
    [
        (0.3, REPRODUCED, "*SL-07: this run differs, stored reproduced*"),
        # better than stored: store it
        (0.459, DIFFERS, "*SL-07: this run reproduced, stored differs*"),
        (
            0.459,
            None,
            "*SL-07 has no stored verdict (not measured yet)*Run `make refresh`*",
        ),
    ],
)
def test_another_verdict_and_a_first_measurement_fail(run, value, stored, says):
    result = run(f"check_claim('SL-07', {value})", stored)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([says])


def test_refresh_only_records(run, monkeypatch, tmp_path):
    monkeypatch.setenv("TOOLKIT_REFRESH", "1")
    monkeypatch.setenv("TOOLKIT_CLAIMS_DIR", str(tmp_path))
    monkeypatch.setenv("TOOLKIT_SCALE", "quick")
    body = "assert check_claim('SL-07', 0.3, note=scale) == 'differs'"
    run(body, REPRODUCED).assert_outcomes(passed=1)
    entry = claims.read_fragments(tmp_path)["SL-07"]
    assert entry["verdict"] == "differs"
    assert entry["scale"] == entry["note"] == "quick"
    assert entry["source"].startswith("test_")


def test_missing_data_skip(run, monkeypatch):
    error = "datasets.DatasetUnavailable('medical: put it there')"
    result = run(f"raise {error}", REPRODUCED)
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*medical: put it there*"])
    monkeypatch.setattr(datasets, "substituted_names", lambda: frozenset({"scene"}))
    result = run("check_claim('SL-07', 0.3)", REPRODUCED)
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*SL-07*scene*not available*"])


def test_other_errors_are_errors(run):
    run("raise OSError('disk')", REPRODUCED).assert_outcomes(failed=1)
    run("check_claim('SL-07', float('nan'))", REPRODUCED).assert_outcomes(failed=1)
