"""An explorer as a page of its own: whole, without loads from outside."""

import re

import numpy as np
from pytest import importorskip, mark, raises

importorskip("anywidget")
from page_loads import external_loads

from toolkit.explorer import Explorer, SampleInfo

Z = np.random.default_rng(0).normal(size=(30, 2))


def explorer(**options):
    calls = []

    def view(size):
        calls.append(size)
        return {"Z": size * Z, "status": f"size {size}"}

    options = {"labels": np.arange(30) % 3, "align": False} | options
    made = Explorer(view, {"size": [1, 2, 3]}, **options)
    return made, calls


def test_a_page_is_whole_and_loads_nothing(tmp_path):
    made, _ = explorer(title="sizes", caption="What to see.")
    assert made.save(tmp_path / "map.html") == tmp_path / "map.html"
    page = (tmp_path / "map.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>") and page.rstrip().endswith(
        "</html>"
    )
    assert external_loads(page) == [] and "default-src 'none'" in page
    assert "<title>sizes</title>" in page and "<p>What to see.</p>" in page
    assert page.count('class="toolkit-explorer"') == 1
    assert page.count('id="toolkit-explore-module"') == 1
    alt = re.search(
        r'<noscript><img src="data:image/png;base64,[\w+/=]+" alt="([^"]*)"></',
        page,
    )[1]
    assert alt.startswith(
        "Explorer &#x27;sizes&#x27;: 30 samples of 3 classes at size = 1"
    )
    assert "3 of 3 settings are computed in this page" in page
    assert [path.name for path in tmp_path.iterdir()] == ["map.html"]


def test_what_is_missing_is_computed_or_said(tmp_path):
    made, calls = explorer(precompute=False)
    made.set(size=2)
    made.save(str(tmp_path / "part.html"), complete=False)
    assert calls == [1, 2]
    assert (
        "2 of 3 settings are computed" in (tmp_path / "part.html").read_text()
    )
    made.save(tmp_path / "part.html")
    assert calls == [1, 2, 3] and made.setting_ == {"size": 2}
    assert (
        "3 of 3 settings are computed" in (tmp_path / "part.html").read_text()
    )
    np.testing.assert_allclose(made.embedding_, 2 * Z, atol=1e-6)


def test_markup_in_words_and_names_is_text(tmp_path):
    evil = '</script><img src="x:y" onerror=alert(1)><!--<script '
    samples = SampleInfo(hover=[evil] * 30)
    options = {"label_names": [evil, "b", "c"], "samples": samples}
    made, _ = explorer(title=f"{evil}\ud800", caption=evil, **options)
    page = made.save(tmp_path / "evil.html").read_text(encoding="utf-8")
    clean = (
        explorer()[0].save(tmp_path / "clean.html").read_text(encoding="utf-8")
    )
    assert external_loads(page) == []
    assert '<img src="x:y"' not in page and "<!--" not in page
    for tag in ("<script", "</script"):
        assert page.count(tag) == clean.count(tag)
    assert page.count("&lt;img src=&quot;x:y&quot;") >= 3
    assert "\ufffd</title>" in page  # half of a surrogate pair


@mark.parametrize(
    ("path", "options", "says"),
    [
        (
            "map.png",
            {},
            "`path` must be the name of a page, such as 'map.html'",
        ),
        (
            "no/such/map.html",
            {},
            "an existing folder; there is none at no/such",
        ),
        ("map.html", {"complete": "all"}, "`complete` must be True or False"),
    ],
)
def test_wrong_paths_are_named_before_the_work(path, options, says):
    made, calls = explorer(precompute=False)
    with raises(ValueError, match=says):
        made.save(path, **options)
    assert calls == [1]


def test_an_error_of_a_setting_keeps_the_old_page_and_all_frames(tmp_path):
    def view(size):
        return 1 / (size - 3) * Z

    made = Explorer(view, {"size": [1, 2, 3, 4]}, precompute=False)
    path = tmp_path / "map.html"
    made.save(path, complete=False)
    before = path.read_bytes()
    with raises(ZeroDivisionError):
        made.save(path)
    assert path.read_bytes() == before
    assert made.grid == [[0], [1]]
    assert "one of 2 settings computed" in made.text_()
    assert "2 of 4 settings are computed" in made.save(
        path, complete=False
    ).read_text(encoding="utf-8")
