"""The estimate of what is left, with a clock of the test's own."""

import io
from pathlib import Path

import pytest

from toolkit.report import progress
from toolkit.report.runner import Job, Outcome


@pytest.fixture
def clock(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def jobs(*expected):
    return [Job(f"j{i}", [], {}, Path(), max(len(e), 1), e) for i, e in enumerate(expected)]


def test_two_at_once_and_the_next_as_soon_as_one_has_ended(clock):
    """10 s and 30 s side by side, then 10 s in the place of the first: 30 s in all; one after the other 50 s."""
    three = jobs([10.0], [30.0], [10.0])
    assert progress.Progress(three, 2, io.StringIO()).left() == (30.0, True)
    assert progress.Progress(three, 1, io.StringIO()).left() == (50.0, True)


def test_what_has_passed_is_subtracted_and_this_runs_pace_counts(clock):
    (job,) = one = jobs([10.0, 20.0, 30.0])
    shown = progress.Progress(one, 1, io.StringIO())
    shown.start(job)
    clock[0] = 4.0
    assert shown.left() == (56.0, True)
    clock[0] = 20.0  # the first step took twice as long
    shown.step(job, 1)
    assert shown.left() == (100.0, True)
    clock[0] = 30.0
    assert shown.left() == (90.0, True)
    clock[0] = 500.0  # a step much longer than the last time: at least the others are left
    assert shown.left() == (60.0, True)
    shown.step(job, 2)
    shown.finish(job, Outcome(500.0))
    assert shown.left() == (0.0, True)


def test_unknown_times_make_a_lower_bound(clock):
    stream = io.StringIO()
    two = jobs([40.0], [])
    shown = progress.Progress(two, 1, stream)
    shown.start(two[0])
    shown.finish(two[0], Outcome(1.0))
    assert "j0: started (about 40 s; at least about 40 s left)" in stream.getvalue()
    assert "no times known yet" in stream.getvalue().splitlines()[1]


def test_without_a_terminal_a_line_now_and_then_says_how_far_it_is(clock):
    stream = io.StringIO()
    (job,) = one = jobs([50.0, 50.0])
    shown = progress.Progress(one, 1, stream)
    shown.start(job)
    clock[0] = 29.0
    shown.refresh()
    assert stream.getvalue().count("\n") == 1  # it has just started
    shown.step(job, 1)
    for clock[0] in (31.0, 40.0, 60.0, 62.0):
        shown.refresh()
    assert stream.getvalue().splitlines()[1:] == ["j0 cell 2/2; about 30 s left", "j0 cell 2/2; about 5 s left"]
    shown.finish(job, Outcome(70.0))
    clock[0] = 200.0
    shown.refresh()
    assert stream.getvalue().count("\n") == 4  # nothing is running


def test_a_failure_is_no_more_than_named(clock):
    """Its message comes with the traceback, at the end."""
    stream = io.StringIO()
    (job,) = one = jobs([1.0])
    shown = progress.Progress(one, 1, stream)
    shown.start(job)
    shown.finish(job, Outcome(3.0, {"cell": 0, "name": "ValueError", "says": "the message", "lines": []}))
    assert stream.getvalue().splitlines()[1] == "j0: FAILED (3.0 s), 1 of 1"
