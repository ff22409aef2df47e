"""Tables of text for the terminal and for HTML pages. The first cell of a row names the row."""

import html


def text_table(header, rows):
    """Lines of aligned columns, two spaces apart."""
    lines = [list(map(str, row)) for row in (header, *rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    lines.insert(1, ["-" * width for width in widths])
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)


def table_markup(header, rows, caption):
    """An accessible HTML table: caption, headers with their scope, every cell escaped."""
    columns = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in header)
    lines = [
        "<table>",
        f"<caption>{html.escape(caption)}</caption>",
        f"<thead><tr>{columns}</tr></thead>",
        "<tbody>",
    ]
    for name, *cells in rows:
        body = "".join(f"<td>{html.escape(cell)}</td>" for cell in cells)
        lines.append(f'<tr><th scope="row">{html.escape(name)}</th>{body}</tr>')
    return "\n".join([*lines, "</tbody>", "</table>"])
