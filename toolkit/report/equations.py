"""The equation table: the function that computes each formula, from tags in the code.

A tag is a comment such as ``# Eq. (2.20)`` (the thesis) or ``# Kudo2016 Eq. (3)`` (a
paper) on the line that computes the formula, or above it. Numbers that follow each
other count too: ``# Eq. (2.20), (2.21)``. ``equations.toml`` has the bibliography and
says what each number means.
"""

import ast
import io
import re
import tokenize
import tomllib
from pathlib import Path

from ..claims.show import text_table
from ..core import PACKAGE

LIST = Path(__file__).with_name("equations.toml")
NUMBER_PATTERN = r"\(([A-Z]?\.?\d+(?:\.\d+)*[a-z]?)\)"
JOINT = r"\s*(?:, and\b|and\b|,)?\s*"
SCOPES = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
TAG = re.compile(
    rf"(?:\b([A-Z][A-Za-z]+\d{{4}})\s+)?Eqs?\.\s*({NUMBER_PATTERN}(?:{JOINT}{NUMBER_PATTERN})*)"
)


def sources():
    """The bibliography by key: authors, title, and the meaning of each equation.

    >>> sources()["Tai2019"]["equations"]["3"]
    'cost of SLE-ML'
    """
    return tomllib.loads(LIST.read_text("utf-8"))


def equations(package_dir=PACKAGE):
    r"""All tagged formulas in the ``.py`` files below a folder, by source and number.

    The folder is by default this package. Each row has `source` ("thesis" where the
    tag names none), `number`, `meaning` ("" where ``equations.toml`` has none), `file`
    (relative to `package_dir`), `function` (qualified name, "" at module level) and
    `line`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     folder = Path(folder)
    ...     code = "def f(x):\n    return 2 * x  # Eq. (2.1)\n"
    ...     _ = (folder / "demo.py").write_text(code)
    ...     (row,) = equations(folder)
    >>> tuple(row.values())
    ('thesis', '2.1', 'cost of t-SNE', 'demo.py', 'f', 2)
    """
    bibliography = sources()
    rows = []
    for path in sorted(package_dir.rglob("*.py")):
        file = path.relative_to(package_dir).as_posix()
        for tag, function, line in _tags(path.read_text("utf-8")):
            source = tag[1] or "thesis"
            meanings = bibliography.get(source, {}).get("equations", {})
            for number in re.findall(NUMBER_PATTERN, tag[2]):
                row = {
                    "source": source,
                    "number": number,
                    "meaning": meanings.get(number, ""),
                    "file": file,
                    "function": function,
                    "line": line,
                }
                rows.append(row)
    # The sort is stable: file and line stay in order.
    return sorted(rows, key=_source_and_number)


def _source_and_number(row):
    """Sort key of a row."""
    return row["source"], _natural(row["number"])


def _tags(text):
    """(match, qualified name of the function, line) of the tags of a module."""
    tree = ast.parse(text)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            line = token.start[0]
            for tag in TAG.finditer(token.string):
                yield tag, _function_at(tree, line), line


def _function_at(tree, line):
    """Qualified name of the function or class at a line, "" at module level.

    `tree` is the syntax tree of the module.
    """
    names = []
    # The walk meets an enclosing scope before those in it.
    for node in ast.walk(tree):
        if isinstance(node, SCOPES) and node.lineno <= line <= node.end_lineno:
            names.append(node.name)
    return ".".join(names)


def _natural(number):
    """Sort key that puts (2.9) before (2.10), and the appendices last."""
    return [part.zfill(3) for part in re.findall(r"\d+|[A-Za-z]", number)]


def run(options):
    """Print the table; the exit code."""
    heads = ["source", "equation", "meaning", "where in toolkit/", "function"]
    lines = []
    for row in equations():
        number = f"({row['number']})"
        place = f"{row['file']}:{row['line']}"
        line = [row["source"], number, row["meaning"], place, row["function"]]
        lines.append(line)
    print(text_table(heads, lines))
    return 0
