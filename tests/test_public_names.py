"""Every parameter, method and attribute that users have, and every option of a command, occurs in a test."""

import ast
from functools import cache

from folders import ROOT
from public_names import commands, signatures

# Names of which the documentation gives a pattern, and what stands in tests.
PATTERNS = {"value_NAME": "value_k"}
NOT_SEARCHED = "public_names.py", "test_public_names.py"


@cache
def contents_of_tests():
    """Names and texts of all tests: of keywords in calls, of attributes, and constants."""
    keywords = set()
    attributes = set()
    texts = []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        if path.name in NOT_SEARCHED:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.keyword):
                keywords.add(node.arg)
            elif isinstance(node, ast.Attribute):
                attributes.add(node.attr)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.append(node.value)
    return keywords, attributes, texts


def words():
    """All words of the texts: keys of options, and what is given to commands."""
    texts = contents_of_tests()[2]
    return {word for text in texts for word in text.replace("=", " ").split()}


def test_each_parameter_and_attribute_occurs_in_a_test():
    keywords, attributes, _ = contents_of_tests()
    names_of_kind = {
        "parameter": keywords | words(),
        "method": attributes | words(),
        "attribute": attributes | words(),
    }
    missing = []
    for full_name, (kind, name) in signatures().items():
        if PATTERNS.get(name, name) not in names_of_kind[kind]:
            missing.append(full_name)
    assert not missing, "no test has these"


def test_each_option_of_a_command_occurs_in_a_test():
    known_words = words()
    missing = []
    for command, options in commands().items():
        for option in options:
            if not known_words.issuperset(option.split()):
                missing.append(f"{command} {option}")
    assert not missing, "no test has these"
