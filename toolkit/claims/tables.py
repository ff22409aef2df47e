"""Small tables of text for the terminal and for HTML pages.

Cells are plain strings. The first cell of a row names the row, which the HTML form marks for screen readers.
"""

import html
import shutil

__all__ = ["html_table", "shorten", "text_table"]


def shorten(text, width):
    """`text` on one line and within `width` characters, an ellipsis showing where it was cut.

    Examples
    --------
    >>> shorten("label images and samples", 12)
    'label ima...'
    """
    text = " ".join(str(text).split())
    return text if len(text) <= width else text[: max(width - 3, 0)].rstrip() + "..."[: max(width, 0)]


def text_table(header, rows, width=None, flexible=None):
    """Lines of aligned columns, two spaces apart.

    Parameters
    ----------
    header : sequence of str, length m
    rows : sequence of sequences of str, each of length m
    width : int, default None
        Characters a line; None takes the terminal's.
    flexible : int, default None
        Column that is cut to make the lines fit, though never below 16 characters. None cuts nothing.

    Returns
    -------
    str, without a newline at the end

    Raises
    ------
    ValueError
        If a row has another number of cells than the header.

    Examples
    --------
    >>> print(text_table(["set", "rows"], [["scene", "2407"], ["iris", "150"]]))
    set    rows
    -----  ----
    scene  2407
    iris   150
    """
    rows = _checked(header, rows)
    widths = [max(len(row[j]) for row in [list(header), *rows]) for j in range(len(header))]
    if flexible is not None:
        width = width or shutil.get_terminal_size((120, 24)).columns
        rest = sum(widths) - widths[flexible] + 2 * (len(widths) - 1)
        widths[flexible] = min(widths[flexible], max(16, width - rest))
    lines = [list(header), ["-" * w for w in widths], *rows]
    cut = ((shorten(cell, w).ljust(w) for cell, w in zip(line, widths, strict=True)) for line in lines)
    return "\n".join("  ".join(cells).rstrip() for cells in cut)


def html_table(header, rows, caption, classes=None):
    """An accessible HTML table: caption, column and row headers with their scope, every cell escaped.

    Parameters
    ----------
    header : sequence of str, length m
    rows : sequence of sequences of str, each of length m
    caption : str
    classes : sequence of str, default None
        A class for each row, for the page's style; the text alone must say the same.

    Raises
    ------
    ValueError
        If a row has another number of cells than the header.

    Examples
    --------
    >>> print(html_table(["set", "rows"], [["a & b", "3"]], "Sizes"))
    <table>
    <caption>Sizes</caption>
    <thead><tr><th scope="col">set</th><th scope="col">rows</th></tr></thead>
    <tbody>
    <tr><th scope="row">a &amp; b</th><td>3</td></tr>
    </tbody>
    </table>
    """
    rows = _checked(header, rows)
    lines = ["<table>", f"<caption>{html.escape(caption)}</caption>"]
    lines.append("<thead><tr>" + "".join(f'<th scope="col">{html.escape(c)}</th>' for c in header) + "</tr></thead>")
    lines.append("<tbody>")
    for i, (name, *cells) in enumerate(rows):
        mark = f' class="{html.escape(classes[i])}"' if classes is not None else ""
        body = "".join(f"<td>{html.escape(cell)}</td>" for cell in cells)
        lines.append(f'<tr{mark}><th scope="row">{html.escape(name)}</th>{body}</tr>')
    return "\n".join([*lines, "</tbody>", "</table>"])


def _checked(header, rows):
    rows = [[str(cell) for cell in row] for row in rows]
    for row in rows:
        if len(row) != len(header):
            raise ValueError(f"Each row needs {len(header)} cells, one for each of {list(header)}; got {row}.")
    return rows
