"""What the tests in this folder share: each measures published claims that would clutter a lesson.

A test computes a value and hands it to `check_claim`. It passes when the verdict is the stored one, is skipped where
its data are not at hand, and only records where ``$TOOLKIT_REFRESH`` is set.
"""

import os

import pytest

from toolkit import claims, datasets


@pytest.fixture(scope="session")
def scale():
    """ "quick", "default" or "paper", from ``$TOOLKIT_SCALE``: how much a claim test computes."""
    return os.environ.get("TOOLKIT_SCALE") or "default"


@pytest.fixture(autouse=True)
def _fresh_run(request, scale, monkeypatch):
    """Each test starts from no seed (one that uses chance calls `claims.start`) and names itself as the source."""
    monkeypatch.setenv("TOOLKIT_CLAIMS_SOURCE", f"tests/claims/{request.path.name}::{request.node.originalname}")
    claims.start(scale=scale)
    yield
    claims.start()


@pytest.fixture
def check_claim():
    """Function (id, value, ok=None, **kwargs of `claims.record`): record a claim and hold it to its stored verdict."""

    def check(id, value, ok=None, **kwargs):
        __tracebackhide__ = True  # a failure is told at the line of the test
        verdict = claims.record(id, value, ok, **kwargs)
        if os.environ.get("TOOLKIT_REFRESH"):
            return verdict
        if verdict == "not checked" and claims.find(id).available:
            pytest.skip(f"{id}: a data set of {', '.join(claims.find(id).data)} is not at hand")
        stored = claims.committed()[id]
        if "measured" not in stored:
            pytest.fail(f"{id} has no stored verdict ({stored['reason']}); this run: {verdict}. Run `make refresh`.")
        if verdict != stored["verdict"]:
            pytest.fail(f"{id}: this run {verdict}, stored {stored['verdict']}. Find out why, or run `make refresh`.")
        return verdict

    return check


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item):
    return (yield from _skip_without_data())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    return (yield from _skip_without_data())


def _skip_without_data():
    try:
        return (yield)
    except datasets.DatasetDamaged:
        raise
    except datasets.DatasetUnavailable as error:
        pytest.skip(str(error).splitlines()[0])
