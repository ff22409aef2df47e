"""Tables of text for the terminal and for HTML pages. The first cell of a row names the row."""

import html
import shutil

__all__ = ["shorten", "table_markup", "text_table"]


def shorten(text, width):
    """`text` on one line and within `width` characters, an ellipsis where it was cut."""
    text = " ".join(str(text).split())
    return text if len(text) <= width else text[: max(width - 3, 0)].rstrip() + "..."[: max(width, 0)]


def text_table(header, rows, width=None, flexible=None):
    """Lines of aligned columns, two spaces apart.

    Column number `flexible` is cut, though never below 16 characters, to make the lines fit into `width` characters
    (by default those of the terminal); None cuts nothing.
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


def table_markup(header, rows, caption):
    """An accessible HTML table: caption, headers with their scope, every cell escaped."""
    rows = _checked(header, rows)
    lines = ["<table>", f"<caption>{html.escape(caption)}</caption>"]
    lines.append("<thead><tr>" + "".join(f'<th scope="col">{html.escape(c)}</th>' for c in header) + "</tr></thead>")
    lines.append("<tbody>")
    for name, *cells in rows:
        body = "".join(f"<td>{html.escape(cell)}</td>" for cell in cells)
        lines.append(f'<tr><th scope="row">{html.escape(name)}</th>{body}</tr>')
    return "\n".join([*lines, "</tbody>", "</table>"])


def _checked(header, rows):
    rows = [[str(cell) for cell in row] for row in rows]
    for row in rows:
        if len(row) != len(header):
            raise ValueError(f"Each row needs {len(header)} cells, one for each of {list(header)}; got {row}.")
    return rows
