"""Text and HTML tables."""

import pytest

from toolkit.claims.tables import shorten, table_markup, text_table


@pytest.mark.parametrize(
    ("width", "expected"), [(11, "hello world"), (10, "hello w..."), (4, "h..."), (3, "..."), (2, ".."), (0, "")]
)
def test_shorten_keeps_to_the_width(width, expected):
    assert shorten("hello\n  world", width) == expected


def test_columns_are_aligned():
    assert text_table(["a", "b"], [["1", "22"], ["333", "4"]]).splitlines() == [
        "a    b",
        "---  --",
        "1    22",
        "333  4",
    ]


def test_the_flexible_column_gives_way():
    text = text_table(["id", "says", "n"], [["x", "word " * 30, "12345"]], width=40, flexible=1)
    assert max(map(len, text.splitlines())) == 40
    assert text.endswith("...  12345")
    narrow = text_table(["id", "says", "n"], [["x", "word " * 30, "12345"]], width=5, flexible=1)
    assert max(map(len, narrow.splitlines())) == 2 + 2 + 16 + 2 + 5  # never below 16 characters


def test_markup():
    assert table_markup(["set", "rows"], [["a & b", "3"]], "Sizes").splitlines() == [
        "<table>",
        "<caption>Sizes</caption>",
        '<thead><tr><th scope="col">set</th><th scope="col">rows</th></tr></thead>',
        "<tbody>",
        '<tr><th scope="row">a &amp; b</th><td>3</td></tr>',
        "</tbody>",
        "</table>",
    ]


def test_cells_are_escaped():
    text = table_markup(["<h>"], [['<td onclick="x">']], "a < b")
    assert "<td onclick" not in text and "<h>" not in text
    assert "a &lt; b" in text


@pytest.mark.parametrize("make", [text_table, lambda header, rows: table_markup(header, rows, "c")])
def test_rows_must_fit_the_header(make):
    with pytest.raises(ValueError, match="Each row needs 2 cells"):
        make(["a", "b"], [["1", "2"], ["3"]])
