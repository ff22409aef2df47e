"""Tests that measure published claims: the fixture `check_claim`, for any test of this folder.

A test computes a value and hands it to `check_claim`. It passes when the verdict is the
stored one, is skipped where its data are unavailable, and only records where
``$TOOLKIT_REFRESH`` is set.
"""

import os

from ledger.merging import stamp_fragment
from pytest import fail, fixture, hookimpl, skip

from toolkit import claims, datasets


@fixture(scope="session")
def scale():
    """ "quick", "default" or "paper", from ``$TOOLKIT_SCALE``: how much a claim test computes."""
    return os.environ.get("TOOLKIT_SCALE") or "default"


@fixture
def check_claim(request, scale, monkeypatch):
    """Function with the arguments of `claims.record`: record a claim and hold it to its stored verdict.

    Each test starts from no seed and names itself as the source. One that uses chance
    gives its `seed` with the first of its claims, an integer or a sequence of them.
    """

    def check(id, value=None, ok=None, seed=None, **kwargs):
        __tracebackhide__ = True  # a failure is told at the line of the test
        if seed is not None:
            claims.start(seed, scale)
        verdict = claims.record(id, value, ok, **kwargs)
        stamp_fragment(id)
        if os.environ.get("TOOLKIT_REFRESH"):
            return verdict
        if verdict == "not checked" and claims.find(id).available:
            skip(
                f"{id}: a data set of {', '.join(claims.find(id).data)} is not available"
            )
        stored = claims.stored_ledger()[id]
        if "measured" not in stored:
            fail(
                f"{id} has no stored verdict ({stored['reason']}); this run: {verdict}. Run `make refresh`."
            )
        if verdict != stored["verdict"]:
            fail(
                f"{id}: this run {verdict}, stored {stored['verdict']}. Find out why, or run `make refresh`."
            )
        return verdict

    monkeypatch.setenv(
        "TOOLKIT_CLAIMS_SOURCE", request.node.nodeid.partition("[")[0]
    )
    claims.start(scale=scale)
    yield check
    claims.start()


@hookimpl(wrapper=True)
def pytest_runtest_setup(item):
    return (yield from _skip_without_data(item))


@hookimpl(wrapper=True)
def pytest_runtest_call(item):
    return (yield from _skip_without_data(item))


def _skip_without_data(item):
    try:
        return (yield)
    except datasets.DatasetDamaged:
        raise
    except datasets.DatasetUnavailable as error:
        if "check_claim" not in item.fixturenames:
            raise
        skip(str(error).splitlines()[0])
