"""Tables of text for the terminal and for HTML pages. The first cell of a row names the row."""

import html
import shutil
import textwrap

__all__ = ["table_markup", "text_table"]


def text_table(header, rows, width=None, flexible=None):
    """Lines of aligned columns, two spaces apart.

    Column number `flexible` is cut, though never below 16 characters, to make the lines fit into `width` characters
    (by default those of the terminal); None cuts nothing.
    """
    lines = [list(map(str, row)) for row in (header, *rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    if flexible is not None:
        width = width or shutil.get_terminal_size((120, 24)).columns
        rest = sum(widths) - widths[flexible] + 2 * (len(widths) - 1)
        widths[flexible] = min(widths[flexible], max(16, width - rest))
        for line in lines:
            line[flexible] = textwrap.shorten(line[flexible], widths[flexible], placeholder="...")
    lines.insert(1, ["-" * width for width in widths])
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)


def table_markup(header, rows, caption):
    """An accessible HTML table: caption, headers with their scope, every cell escaped."""
    columns = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in header)
    lines = ["<table>", f"<caption>{html.escape(caption)}</caption>", f"<thead><tr>{columns}</tr></thead>", "<tbody>"]
    for name, *cells in rows:
        body = "".join(f"<td>{html.escape(cell)}</td>" for cell in cells)
        lines.append(f'<tr><th scope="row">{html.escape(name)}</th>{body}</tr>')
    return "\n".join([*lines, "</tbody>", "</table>"])
