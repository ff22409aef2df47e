"""Words about very many samples stay in the kernel, which answers for one."""

import numpy as np
import pytest

pytest.importorskip("anywidget")
from toolkit.explorer import Explorer, SampleInfo, samples

N = 3000


@pytest.fixture
def few(monkeypatch):
    """As if 100 samples were very many."""
    monkeypatch.setattr(samples, "MOST_SENT", 100)
    monkeypatch.setattr("toolkit.explorer.frames.MOST_SENT", 100)


def explorer():
    Z = np.random.default_rng(0).normal(size=(N, 2))
    columns = {
        "id": [f"id {i // 2}" for i in range(N)],
        "day": np.datetime64("2020-02-28") + np.arange(N),
        "size": Z[:, 0],
        "kind": ["x", "y"] * 1500,
    }
    info = SampleInfo(names=[f"Row {i}" for i in range(N)], columns=columns)

    def view(s):
        return {"Z": s * Z, "hover": [f"{s} at {i}" for i in range(N)]}

    return Explorer(view, {"s": [1, 2]}, samples=info, align=False)


def answers(widget, monkeypatch, asked):
    """What the browser receives when it asks."""
    sent = []
    monkeypatch.setattr(widget, "send", lambda *parts: sent.extend(parts))
    widget._handle_custom_msg(asked, [])
    return sent


def test_of_few_samples_the_browser_has_all_words():
    whole = explorer()
    assert (
        not whole.asks
        and len(whole.names) == len(whole.overlays[0]["hover"]) == N
    )
    assert (
        len(whole.columns[0]["names"]) == N / 2 and "texts" in whole.columns[1]
    )


def test_of_many_samples_the_browser_has_no_list_of_words(few):
    widget = explorer()
    assert (
        widget.asks and widget.names == [] and "hover" not in widget.overlays[0]
    )
    ids, days, size, kind = widget.columns
    # ten categories of two samples have names of their own
    assert len(ids["names"]) == len(ids["styles"]) == 11
    assert ids["codes"].count(10) == N - 20
    # days since 1970
    assert days["date"] and np.frombuffer(days["values"])[1] == 18321
    assert set(days) == {*size, "date"} == {"name", "kind", "values", "date"}
    assert kind["names"] == ["x", "y"]


def test_the_kernel_says_what_a_sample_is_at_a_setting(few, monkeypatch):
    widget = explorer()
    widget.set(s=2)
    content, _ = answers(widget, monkeypatch, {"sample": 7})
    words = {"name": "Row 7", "text": "2 at 7", "columns": {"id": "id 3"}}
    assert content == {"sample": 7, "words": words}


FOUND = {
    "row 299": [299, *range(2990, 3000)],
    "id 1499": [2998, 2999],
    "1 at 5": [i for i in range(N) if str(i).startswith("5")],
    "nothing": [],
}


@pytest.mark.parametrize("asked", FOUND)
def test_the_kernel_finds_samples_by_what_it_keeps(few, monkeypatch, asked):
    widget = explorer()
    content, (buffer,) = answers(widget, monkeypatch, {"find": asked})
    assert content == {"find": asked}
    assert np.frombuffer(buffer, dtype="<i4").tolist() == FOUND[asked]


def test_a_page_on_disk_says_what_it_lacks(few, tmp_path):
    page = explorer().save(tmp_path / "many.html").read_text(encoding="utf-8")
    assert "Names and texts of so many samples are left out." in page
    assert "Row 77" not in page
