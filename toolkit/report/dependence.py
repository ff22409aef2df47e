"""Which cells of a notebook depend on which data sets, from what they load and use.

Where a set is not at hand, the cells that depend on it are not run, but shown as they
are stored in the notebook; all others are run.

Here a `tree` is the syntax tree of a cell, and a `part` a node of it.
"""

import ast
import re
import symtable
from collections import defaultdict
from copy import deepcopy
from dataclasses import dataclass
from importlib import metadata

from ..datasets.registry import registry
from ..datasets.substitutes import notice

LOADERS = "load", "load_or_substitute"
LOOPS = ast.For | ast.comprehension
SCOPES = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
# nbclient runs no cell with the first tag.
NOT_RUN, STORED = "skip-execution", "stored"
# Heading and text of a section, by whether its stored results are shown.
WORDS_OF_NOTICE = {
    True: (
        "Stored result",
        "It was computed with these data for release {version} and comes with the"
        " notebook; nothing of it was run here, and an explorer is a still.",
    ),
    False: (
        "Not run here",
        "The stored results are of the default scale and parameters.",
    ),
}


@dataclass(frozen=True, kw_only=True)
class StoredCell:
    """A code cell that is not run, and what is shown in place of its new outputs.

    Parameters
    ----------
    outputs : list
        Those that are stored.
    notice : dict or None
        A box above them, as data of an output; None where an earlier cell of the
        section has it.
    """

    outputs: list
    notice: dict | None


def stored_cells(nb, missing, is_usual):
    """Return the cells that are not run where sets are missing, by their index.

    Parameters
    ----------
    nb : notebook
        As it is stored.
    missing : list of str
        Names of data sets that are not at hand.
    is_usual : bool
        Whether the stored outputs are of the scale and the parameters of this run.
        Others are not shown.

    Returns
    -------
    cells : dict of int to StoredCell
    """
    data_sets = data_sets_by_cell(nb)
    stored = {}
    noticed = frozenset()  # in this section
    for index, cell in enumerate(nb.cells):
        if cell.cell_type == "markdown" and re.search("^#", cell.source, re.M):
            noticed = frozenset()
        missing_here = data_sets.get(index, frozenset()).intersection(missing)
        if not missing_here:
            continue
        is_shown = is_usual and bool(cell.execution_count)
        outputs = []
        if is_shown:
            outputs = cell.outputs
        box = None
        if not noticed.issuperset(missing_here):
            box = _notice(sorted(missing_here), is_shown)
        stored[index] = StoredCell(outputs=outputs, notice=box)
        noticed |= missing_here
    return stored


def _notice(names, is_shown):
    """The notice that the data sets of these names are missing.

    `is_shown` says whether stored outputs are shown in place of new ones.
    """
    head, text = WORDS_OF_NOTICE[is_shown]
    version = metadata.version("didi-toolkit")
    return notice(names, head, text.format(version=version))


def without_cells(nb, cells):
    """A copy of a notebook in which some cells, by their index, are not run."""
    nb = deepcopy(nb)
    for index in cells:
        metadata = nb.cells[index].metadata
        metadata["tags"] = [*metadata.get("tags", []), NOT_RUN]
    return nb


def put_stored_outputs(nb, cells):
    """Give the cells of an executed notebook that were not run what is shown there."""
    from nbformat.v4 import new_output

    stored_cells = iter(cells.values())
    for cell in nb.cells:
        tags = cell.metadata.get("tags", [])
        if NOT_RUN not in tags:
            continue
        stored = next(stored_cells)
        tags = [tag for tag in tags if tag != NOT_RUN]
        cell.metadata["tags"] = [*tags, STORED]
        cell.outputs = deepcopy(stored.outputs)
        if stored.notice:
            box = new_output("display_data", data=stored.notice)
            cell.outputs.insert(0, box)


def data_sets_by_cell(nb):
    """Return the data sets that each code cell depends on.

    A cell that changes an object by one of its names is not known to change it by
    another.

    Parameters
    ----------
    nb : notebook
        Nothing of it is run.

    Returns
    -------
    data_sets : dict of int to frozenset of str
        By the index of the cell among all cells.

    Examples
    --------
    >>> from nbformat.v4 import new_code_cell, new_notebook
    >>> sources = "iris = load('iris')", "n = 3", "print(iris.data[:n])"
    >>> found = data_sets_by_cell(new_notebook(cells=[*map(new_code_cell, sources)]))
    >>> [sorted(found[i]) for i in range(3)]
    [['iris'], [], ['iris']]
    """
    trees = {}
    strings = set()
    imported = set()
    for index, cell in enumerate(nb.cells):
        if cell.cell_type == "code":
            trees[index] = _tree(cell)
            strings |= _strings(trees[index])
            imported |= _imported(trees[index])
    data_sets_of_cell = {}
    data_sets_of_name = defaultdict(frozenset)
    for index, tree in trees.items():
        uses, assigns = _uses_and_assigns(tree.body)
        data_sets = _loaded(tree, strings)
        for name in uses:
            data_sets |= data_sets_of_name[name]
        data_sets_of_cell[index] = data_sets
        for name in assigns:
            data_sets_of_name[name] = data_sets
        for name in _changed(tree) - imported - assigns:
            data_sets_of_name[name] |= data_sets
    return data_sets_of_cell


def data_sets_of(nb):
    """Return the names of the data sets that a notebook loads, sorted."""
    return sorted(frozenset().union(*data_sets_by_cell(nb).values()))


def _tree(cell):
    """The syntax tree of a cell without lines of IPython.

    Empty where the rest is no Python, as in cells of another language: such a cell is
    run.
    """
    lines = []
    for line in cell.source.splitlines():
        if not line.lstrip().startswith(("%", "!")):
            lines.append(line)
    python = "\n".join(lines)
    try:
        symtable.symtable(python, "a cell", "exec")
        return ast.parse(python)
    except SyntaxError:
        return ast.parse("")


def _strings(tree):
    """The strings in a cell."""
    strings = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            strings.add(node.value)
    return strings


def _imported(tree):
    """The names that a cell imports."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names |= _bound(node)
    return names


# ---- what is loaded


def _loaded(tree, strings):
    """Data sets that the calls in a cell load.

    Where the argument is the variable of a loop over strings in the cell, these count.
    Of any other variable each registered name among the notebook's strings does; of an
    f-string, each that those strings make of it.
    """
    registered = registry().keys()
    names = set()
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and node.args):
            continue
        called = getattr(node.func, "id", getattr(node.func, "attr", ""))
        argument = node.args[0]
        if called not in LOADERS:
            continue
        if isinstance(argument, ast.JoinedStr):
            names |= _filled(argument, strings, registered)
        elif isinstance(argument, ast.Constant):
            names.add(argument.value)
        else:
            names |= _values_of(argument, tree) or strings
    return frozenset(names & registered)


def _values_of(argument, tree):
    """The strings that a variable takes in loops over constants; empty if others.

    `argument` is a node of the syntax tree `tree`.
    """
    name = getattr(argument, "id", None)
    n_loops = 0
    n_bindings = 0
    values = set()
    for node in ast.walk(tree):
        n_bindings += _binds(node, name)
        if isinstance(node, LOOPS):
            if getattr(node.target, "id", None) == name:
                n_loops += 1
                for element in getattr(node.iter, "elts", [None]):
                    values.add(getattr(element, "value", None))
    is_constant = all(isinstance(value, str) for value in values)
    if n_bindings > n_loops or not is_constant:
        return set()
    return values


def _binds(node, name):
    """Whether a node binds a name: as a variable, parameter, function or import."""
    if isinstance(node, ast.Name):
        return node.id == name and not isinstance(node.ctx, ast.Load)
    names = [getattr(node, field, None) for field in ("arg", "name", "asname")]
    return name in names


def _filled(template, strings, registered):
    """Registered names that an f-string gives with `strings` in its fields."""
    pattern = ""
    for part in template.values:
        if isinstance(part, ast.Constant):
            pattern += re.escape(part.value)
        else:
            pattern += "(.*)"
    names = set()
    for name in registered:
        match = re.fullmatch(pattern, name)
        if match and strings.issuperset(match.groups()):
            names.add(name)
    return names


# ---- what is used


def _uses_and_assigns(statements):
    """Names that statements use without having assigned them, and all they assign."""
    uses = set()
    assigns = set()
    for statement in statements:
        for part in _in_order(statement):
            uses |= _used(part) - assigns
            assigns |= _bound(part)
    return uses, assigns


def _in_order(statement):
    """The parts of a statement in the order of their execution.

    Of a compound one what stands at its head, then the statements in its body.
    """
    body = []
    is_compound = False
    for field in ("body", "orelse", "finalbody", "handlers"):
        block = getattr(statement, field, None)
        if isinstance(block, list):
            is_compound = True
            body += block
    if isinstance(statement, SCOPES) or not is_compound:
        yield statement
        return
    values = []
    targets = []
    ids_in_body = [id(part) for part in body]
    for part in ast.iter_child_nodes(statement):
        if id(part) in ids_in_body:
            continue
        if isinstance(part, ast.withitem):
            values.append(part.context_expr)
            if part.optional_vars:
                targets.append(part.optional_vars)
        elif _is_target(part):
            targets.append(part)
        else:
            values.append(part)
    yield from values
    yield from targets
    for part in body:
        yield from _in_order(part)


def _is_target(part):
    """Whether a node of a syntax tree is assigned to."""
    return isinstance(getattr(part, "ctx", None), ast.Store)


def _used(part):
    """Names of the notebook that a statement or an expression uses.

    Parameters of its functions and what they assign are none.
    """
    if _is_target(part):
        return set()
    source = ast.unparse(part)
    table = symtable.symtable(source, "a cell", "exec")
    names = set()
    for symbol in table.get_symbols():
        if symbol.is_referenced():
            names.add(symbol.get_name())
    if isinstance(part, ast.AugAssign) and isinstance(part.target, ast.Name):
        names.add(part.target.id)
    tables = table.get_children()
    while tables:
        inner = tables.pop()
        tables += inner.get_children()
        for symbol in inner.get_symbols():
            if symbol.is_global():
                names.add(symbol.get_name())
    return names


def _bound(part):
    """Names that a statement, or the target of a loop, assigns or imports."""
    if isinstance(part, ast.Import | ast.ImportFrom):
        modules = [alias.asname or alias.name for alias in part.names]
        return {module.partition(".")[0] for module in modules}
    if isinstance(part, SCOPES):
        return {part.name}
    ids_in_comprehensions = set()
    for comprehension in ast.walk(part):
        if isinstance(comprehension, ast.comprehension):
            for node in ast.walk(comprehension.target):
                ids_in_comprehensions.add(id(node))
    names = set()
    for node in ast.walk(part):
        is_assigned = isinstance(node, ast.Name) and _is_target(node)
        if is_assigned and id(node) not in ids_in_comprehensions:
            names.add(node.id)
    return names


def _changed(tree):
    """Names of objects that a cell may change: parts are assigned, methods called."""
    names = set()
    for node in ast.walk(tree):
        owner = None
        if isinstance(node, ast.Subscript | ast.Attribute) and _is_target(node):
            owner = node.value
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
        if isinstance(owner, ast.Name):
            names.add(owner.id)
    return names
