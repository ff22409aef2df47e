"""What users read has the terms of the field: no expression of `words.toml` occurs."""

import ast
import json
import re
import tomllib

from folders import ROOT
from pytest import mark

WORDS = tomllib.loads((ROOT / "tests" / "words.toml").read_text("utf-8"))
AVOID = re.compile("|".join(WORDS["avoid"]), re.IGNORECASE | re.MULTILINE)
PLAIN = re.compile("|".join(WORDS["plain"]), re.MULTILINE)
PLACES = """
README.md CONTRIBUTING.md CHANGELOG.md data/README.md docs/*.md notebooks/*.ipynb
toolkit/**/*.py toolkit/**/*.toml toolkit/**/*.js toolkit/**/*.html
""".split()


def texts(path):
    """Markdown cells of a notebook, strings with a space of a module, or all of it."""
    text = path.read_text("utf-8")
    if path.suffix == ".ipynb":
        for cell in json.loads(text)["cells"]:
            if cell["cell_type"] == "markdown":
                yield "".join(cell["source"])
    elif path.suffix == ".py":
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Constant) and " " in str(node.value):
                yield str(node.value)
    else:
        yield text


@mark.parametrize("place", PLACES)
def test_standard_terms(place):
    results = [
        f"{path.relative_to(ROOT)}: {hit[0]}"
        for path in sorted(ROOT.glob(place))
        for text in texts(path)
        for hit in AVOID.finditer(PLAIN.sub("", text))
    ]
    assert not results
