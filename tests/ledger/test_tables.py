"""Text and HTML tables."""

import pytest

from toolkit.claims.show import table_markup, text_table


def test_columns_are_aligned_and_rows_fit_the_header():
    lines = text_table(["a", "b"], [["1", "22"], ["333", "4"]]).splitlines()
    assert lines == ["a    b", "---  --", "1    22", "333  4"]
    with pytest.raises(ValueError):
        text_table(["a", "b"], [["1", "2"], ["3"]])


def test_markup_names_rows_and_columns_and_escapes_cells():
    assert table_markup(
        ["set", "<rows>"], [["a & b", '<td onclick="x">']], "a < b"
    ).splitlines() == [
        "<table>",
        "<caption>a &lt; b</caption>",
        '<thead><tr><th scope="col">set</th><th scope="col">&lt;rows&gt;</th></tr></thead>',
        "<tbody>",
        '<tr><th scope="row">a &amp; b</th><td>&lt;td onclick=&quot;x&quot;&gt;</td></tr>',
        "</tbody>",
        "</table>",
    ]
