"""Values have names, and statements are short: what a reader of `toolkit` holds at once.

Names are counted where a value gets one: variables, arguments, attributes. A pronoun or
an adjective alone does not say what the value is. Nodes are those of the syntax tree,
which no layout changes.
"""

import ast
import io
import tokenize
from collections import defaultdict
from functools import cache

from folders import ROOT
from pytest import mark

PRONOUNS = set(
    """again alone already another any_ both each else every far few found full given here kind_of known
    least less many more most near never none of once one others own said same seen shown so some such that
    these this those way ways what where which who whole why worst""".split()
)
BUILTINS = set(
    """all any bytes dict dir filter format hash id input iter list map max min next object range set slice
    sum type vars""".split()
)
# Names that users write, and why they stay; those of single modules are below.
PUBLIC_PARAMETERS = {
    "map": "`look` and `validate_map` take a map; the field calls it so",
    "id": "a claim has an id, as an entry of a table",
    "others": "`MapValidation.others` are errors of other maps, by name",
    "most": "`split` and `LinearMapDisplay` take the most rows or arrows",
}
PUBLIC_FIELDS = {
    "toolkit/claims/claim.py where": "a key of `claims.toml`: the place in the paper",
    "toolkit/claims/claim.py why": "a key of `claims.toml`: why a rule was mended",
}
BY_POSITION_ONLY = {"solver.addRows": "HiGHS has no names for these"}
PREPOSITIONS = set(
    """after as at before between by except for from in of on over than that to under where which whose with
    without""".split()
)
MOST_NODES = 14.0
MOST_NODES_OF_A_FOLDER = 15.5
STATEMENTS_OF_A_FOLDER = 100
MOST_POSITIONAL = 5
GROWING = {"append", "extend", "insert", "add", "update"}


@cache
def sources():
    """{path below the project: (text, syntax tree)} of all modules."""
    modules = {}
    for path in sorted((ROOT / "toolkit").rglob("*.py")):
        text = path.read_text("utf-8")
        modules[path.relative_to(ROOT).as_posix()] = text, ast.parse(text)
    return modules


def nodes_of(*kinds):
    """Yield (path, node) of some kinds of nodes, in all modules."""
    for path, (_, tree) in sources().items():
        for node in ast.walk(tree):
            if isinstance(node, kinds):
                yield path, node


def names_with_values():
    """Yield (place, name) of all variables, arguments and attributes that get a value."""
    for path, node in nodes_of(ast.Name, ast.arg, ast.Attribute):
        place = f"{path}:{node.lineno}"
        if isinstance(node, ast.arg):
            yield place, node.arg
        elif isinstance(node.ctx, ast.Store):
            name = node.id if isinstance(node, ast.Name) else node.attr
            if not name.endswith("__"):
                yield place, name.strip("_")


@mark.parametrize("words", [PRONOUNS, BUILTINS], ids=["pronouns", "builtins"])
def test_a_name_says_what_the_value_is(words):
    places = []
    for place, name in names_with_values():
        field = f"{place.partition(':')[0]} {name}"
        is_public = name in PUBLIC_PARAMETERS or field in PUBLIC_FIELDS
        if name in words and not is_public:
            places.append(f"{place} {name}")
    assert not places


def first_comments():
    """Yield (place, words) of the first line of each comment that has a line to itself."""
    for path, (text, _) in sources().items():
        lines = [line.lstrip() for line in text.splitlines()]
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        for token in tokens:
            if token.type != tokenize.COMMENT:
                continue
            number = token.start[0]
            above = lines[number - 2] if number > 1 else ""
            is_whole_line = lines[number - 1].startswith("#")
            if is_whole_line and not above.startswith("#"):
                yield f"{path}:{number}", token.string.lstrip("# ").split()


def test_a_comment_has_a_subject():
    places = []
    for place, words in first_comments():
        if words and words[0].lower() in PREPOSITIONS:
            places.append(f"{place} {' '.join(words)}")
    assert not places


def test_a_constant_has_one_value():
    """Of one name in several modules."""
    values = defaultdict(dict)
    for path, (_, tree) in sources().items():
        for node in tree.body:
            if not isinstance(node, ast.Assign):
                continue
            for target in node.targets:
                if isinstance(target, ast.Name) and target.id.isupper():
                    value = ast.unparse(node.value)
                    values[target.id].setdefault(value, path)
    several = {name: v for name, v in values.items() if len(v) > 1}
    assert not several


def test_a_call_names_its_arguments():
    """Five by position are the most; constants among them say what they are."""
    places = []
    for path, call in nodes_of(ast.Call):
        has_constants = any(isinstance(a, ast.Constant) for a in call.args[2:])
        function = ast.unparse(call.func)
        if function in BY_POSITION_ONLY or has_constants:
            continue
        if len(call.args) > MOST_POSITIONAL:
            places.append(f"{path}:{call.lineno} {function}")
    assert not places


def is_grown(name, function):
    """Whether a function adds to what it was handed by this name, not to a copy."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            targets = [ast.unparse(target) for target in node.targets]
            if name in targets:
                return False
        if isinstance(node, ast.AugAssign):
            if isinstance(node.target, ast.Name) and node.target.id == name:
                return True
        elif isinstance(node, ast.Call) and isinstance(
            node.func, ast.Attribute
        ):
            owner = node.func.value
            is_of_name = isinstance(owner, ast.Name) and owner.id == name
            if is_of_name and node.func.attr in GROWING:
                return True
    return False


def test_no_function_is_handed_notes_to_add_to():
    """It returns them: a reader of the call sees where they come from."""
    places = []
    for path, function in nodes_of(ast.FunctionDef):
        arguments = function.args.args + function.args.kwonlyargs
        for argument in arguments:
            is_notes = argument.arg in ("notes", "messages", "remarks")
            if is_notes and is_grown(argument.arg, function):
                places.append(f"{path}:{function.lineno} {function.name}")
    assert not places


SIMPLE = ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Expr


def sizes_of(tree):
    """Nodes of each simple statement in functions, docstrings left out."""
    sizes = []
    for parent in ast.walk(tree):
        if isinstance(parent, ast.Module | ast.ClassDef):
            continue
        for node in ast.iter_child_nodes(parent):
            if isinstance(node, SIMPLE) and not is_text(node):
                sizes.append(sum(1 for _ in ast.walk(node)))
    return sizes


def is_text(statement):
    """Whether a statement is a constant alone, as docstrings are."""
    if not isinstance(statement, ast.Expr):
        return False
    return isinstance(statement.value, ast.Constant)


def mean_size(sizes):
    return sum(sizes) / len(sizes)


def test_statements_are_short():
    sizes = defaultdict(list)
    for path, (_, tree) in sources().items():
        folder = path.split("/")[1]
        sizes[folder] += sizes_of(tree)
    of_all = [size for folder in sizes.values() for size in folder]
    dense = {}
    for folder, of_folder in sizes.items():
        if len(of_folder) >= STATEMENTS_OF_A_FOLDER:
            mean = mean_size(of_folder)
            if mean > MOST_NODES_OF_A_FOLDER:
                dense[folder] = round(mean, 1)
    assert not dense
    assert mean_size(of_all) <= MOST_NODES
