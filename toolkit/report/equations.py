"""The equation table: which function computes which formula, read from the tags in the source.

A tag is a comment such as ``# Eq. (2.20)`` (the thesis) or ``# Kudo2016 Eq. (3)`` (a
paper) on the line that computes the formula, or above it. Numbers that follow each
other count too: ``# Eq. (2.20), (2.21)``. ``equations.toml`` has the bibliography and
says what each number means.
"""

import ast
import io
import json
import re
import textwrap
import tokenize
import tomllib
from argparse import ArgumentParser
from pathlib import Path

from toolkit.claims.show import text_table

LIST = Path(__file__).with_name("equations.toml")
NUMBER = r"\(([A-Z]?\.?\d+(?:\.\d+)*[a-z]?)\)"
JOINT = r"\s*(?:, and\b|and\b|,)?\s*"
SCOPES = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
TAG = re.compile(
    rf"(?:\b([A-Z][A-Za-z]+\d{{4}})\s+)?Eqs?\.\s*({NUMBER}(?:{JOINT}{NUMBER})*)"
)


def sources():
    """The bibliography by key: ``authors``, ``title``, and ``equations``, the meaning of each number in the code.

    >>> sources()["Tai2019"]["equations"]["3"]
    'cost of SLE-ML'
    """
    return tomllib.loads(LIST.read_text(encoding="utf-8"))


def equations(package_dir=None):
    r"""All tagged formulas in the ``.py`` files below a folder (by default this package), by source and number.

    Each row has `source` ("thesis" where the tag names none), `number`, `meaning` (""
    where ``equations.toml`` has none), `file` (relative to `package_dir`), `function`
    (qualified name, "" at module level) and `line`. A ValueError says that there is no
    such folder.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "demo.py").write_text("def f(x):\n    return 2 * x  # Eq. (2.1)\n")
    ...     (row,) = equations(folder)
    >>> row["source"], row["number"], row["meaning"], row["file"], row["function"], row["line"]
    ('thesis', '2.1', 'cost of t-SNE', 'demo.py', 'f', 2)
    """
    package_dir = (
        Path(package_dir)
        if package_dir is not None
        else Path(__file__).resolve().parents[1]
    )
    if not package_dir.is_dir():
        raise ValueError(
            f"`package_dir` must be a folder; there is none at {package_dir}."
        )
    rows, listed = [], sources()
    for path in sorted(package_dir.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        # the enclosing one first
        scopes = [
            node for node in ast.walk(ast.parse(text)) if isinstance(node, SCOPES)
        ]
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            for tag in (
                TAG.finditer(token.string) if token.type == tokenize.COMMENT else ()
            ):
                source, line = tag[1] or "thesis", token.start[0]
                function = ".".join(
                    node.name
                    for node in scopes
                    if node.lineno <= line <= node.end_lineno
                )
                place = {
                    "file": path.relative_to(package_dir).as_posix(),
                    "function": function,
                    "line": line,
                }
                meanings = listed.get(source, {}).get("equations", {})
                for number in re.findall(NUMBER, tag[2]):
                    rows.append(
                        {
                            "source": source,
                            "number": number,
                            "meaning": meanings.get(number, ""),
                            **place,
                        }
                    )
    return sorted(
        rows,
        key=lambda row: (
            row["source"],
            _natural(row["number"]),
            row["file"],
            row["line"],
        ),
    )


def _natural(number):
    """Sort key that puts (2.9) before (2.10), and the appendices last."""
    return [
        (part.isalpha(), int(part) if part.isdigit() else 0, part)
        for part in re.findall(r"\d+|[A-Za-z]", number)
    ]


def main(argv=None):
    """``python -m toolkit equations``: print the table. Returns 0; wrong usage exits with 2."""
    parser = ArgumentParser(
        "python -m toolkit equations",
        description="Which function computes which formula.",
    )
    parser.add_argument(
        "--source",
        default="",
        metavar="NAME",
        help="only sources that begin so, e.g. Kudo or thesis",
    )
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    args = parser.parse_args(argv)
    rows = [
        row
        for row in equations()
        if row["source"].lower().startswith(args.source.lower())
    ]
    if not rows:
        known = ", ".join(dict.fromkeys(row["source"] for row in equations())) or "none"
        parser.error(
            f"argument --source: no tag is from {args.source!r}; sources: {known}"
        )
    if args.json:
        print(json.dumps(rows, indent=1))
        return 0
    cells = [
        [
            r["source"],
            f"({r['number']})",
            r["meaning"],
            f"{r['file']}:{r['line']}",
            r["function"],
        ]
        for r in rows
    ]
    print(
        text_table(
            ["source", "equation", "meaning", "where in toolkit/", "function"], cells
        )
    )
    for key, entry in sources().items():
        if any(row["source"] == key for row in rows):
            cited = f"{key}: {entry['authors']}, {entry['title']}."
            print("\n" + textwrap.fill(cited, 120, subsequent_indent="  "))
    return 0
