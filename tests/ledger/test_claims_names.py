"""Names of measured values: one for each, and shown wherever there are several."""

import numpy as np
from pytest import fixture, mark

from toolkit import claims
from toolkit.claims import rows, show
from toolkit.claims.notebook_table import Comparison
from toolkit.claims.rows import load_names
from toolkit.report.export import claims_page

LEDGER = claims.stored_ledger()
SEVERAL = {
    id: entry["measured"]
    for id, entry in LEDGER.items()
    if np.size(entry.get("measured", 0)) > 1
}
LONGEST = 42


def test_the_claims_with_several_values_have_names_and_no_others():
    assert load_names().keys() == SEVERAL.keys() and len(SEVERAL) > 130
    # in the order of claims.toml
    assert list(load_names()) == [id for id in claims.load() if id in SEVERAL]


@mark.parametrize("id", SEVERAL)
def test_each_value_has_a_name_of_its_own(id):
    names = load_names()[id]
    assert len(names) == len(SEVERAL[id]) == len(set(names))
    for name in names:
        assert 0 < len(name) <= LONGEST and name == " ".join(name.split())


def test_each_stored_value_is_shown_after_its_name():
    for row in claims.table(LEDGER):
        told = row["named"] + row["more"]
        names = load_names().get(row["id"], [])
        assert len(told) == len(names)
        for text, name in zip(told, names, strict=True):
            assert text.startswith(f"{name}: ")


@fixture
def named(monkeypatch):
    """Function (values, fields of the entry) -> the row of SL-07 with that many
    names, of which the first and the last hold markup.
    """

    def row(values, **fields):
        names = [f"a{i}" for i in range(len(values))]
        names[0], names[-1] = "<b>", "k < 3 & 'x'"
        monkeypatch.setattr(rows, "load_names", lambda: {"SL-07": names})
        stored = claims.stored_ledger("no-such-file.json")
        stored["SL-07"] |= {"measured": values} | fields
        return claims.table(stored, only="SL-07")[0]

    return row


def test_values_have_their_spread_and_scale(named):
    row = named([1.0, 2.0], spread=[0.1, 0.2], scale="paper")
    assert row["named"] == [
        "<b>: 1 +- 0.1 (paper)",
        "k < 3 & 'x': 2 +- 0.2 (paper)",
    ]
    assert named([1.0, 2.0], spread=0.1)["named"][0] == "<b>: 1 +- 0.1"


def test_values_whose_number_differs_are_shown_without_names(monkeypatch):
    monkeypatch.setattr(rows, "load_names", lambda: {"SL-07": ["a", "b"]})
    stored = claims.stored_ledger("no-such-file.json")
    stored["SL-07"] |= {"measured": [1.0, 2.0, 3.0]}
    (row,) = claims.table(stored, only="SL-07")
    assert row["named"] == row["more"] == [] and row["stored"] == "1, 2, 3"


def cell(row):
    """Markup of what is measured, in the table of a notebook."""
    *_, ours, _, _, _ = Comparison([row])._repr_html_().split("<td>")
    return ours.removesuffix("</td>")


@mark.parametrize(
    "values, expected",
    [
        ([1.0, 2.0], "&lt;b&gt;: 1<br>k &lt; 3 &amp; &#x27;x&#x27;: 2"),
        (
            [1.0, 2.0, 3.0, 4.0],
            "&lt;b&gt;: 1<br>a1: 2<details><summary>2 more</summary>a2: 3<br>"
            "k &lt; 3 &amp; &#x27;x&#x27;: 4</details>",
        ),
    ],
)
def test_two_values_are_shown_and_the_others_folded(named, values, expected):
    row = named(values)
    assert cell(row) == expected
    # the page has another way to write an apostrophe
    page = claims_page([row]).replace("&#39;", "&#x27;")
    assert f'<td data-name="Measured">{expected}</td>' in page


def test_a_single_value_stays_as_it_is():
    stored = claims.stored_ledger("no-such-file.json")
    stored["SL-08"] |= {"measured": 0.0151}
    (row,) = claims.table(stored, only="SL-08")
    assert cell(row) == "0.0151"
    assert '<td data-name="Measured">0.0151</td>' in claims_page([row])
    assert len(claims.format_table([row]).splitlines()) == 5


def test_plain_text_names_two_values_below_their_row(named):
    row = named([1.0, 2.0, 3.0, 4.0])
    lines = claims.format_table([row]).splitlines()
    assert lines[2].startswith("SL-07") and "1, 2, 3, 4" in lines[2]
    assert lines[3] == "       <b>: 1; a1: 2; and 2 more"
    (_, _, _, below, *_) = claims.format_table([named([1, 2])]).splitlines()
    assert below == "       <b>: 1; k < 3 & 'x': 2"


def test_no_line_of_the_table_is_longer_than_160_characters():
    text = claims.format_table(claims.table(LEDGER))
    assert max(map(len, text.splitlines())) <= 160


def test_one_claim_in_full_lists_all_of_its_values(named):
    text = show._details(named([1.0, 2.0, 3.0]))
    assert "values: <b>: 1; a1: 2; k < 3 & 'x': 3\n" in text
