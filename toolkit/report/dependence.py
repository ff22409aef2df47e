"""Which cells of a notebook depend on which data sets, from what they load and use.

Where a set is not at hand, the cells that depend on it are not run, but shown as they
are stored in the notebook; all others are run.
"""

import ast
import re
import symtable
from copy import deepcopy
from dataclasses import dataclass
from importlib import metadata

from ..datasets.registry import registry
from ..datasets.substitutes import notice

LOADERS = "load", "load_or_substitute"
LOOPS = ast.For | ast.comprehension
# nbclient runs no cell with the first one
NOT_RUN, STORED = "skip-execution", "stored"
# what is said of a section, by whether its stored results are shown
SAID = {
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
    told = frozenset()
    for index, cell in enumerate(nb.cells):
        if cell.cell_type == "markdown" and re.search("^#", cell.source, re.M):
            told = frozenset()
        of_cell = sorted(
            data_sets.get(index, frozenset()).intersection(missing)
        )
        if not of_cell:
            continue
        is_shown = is_usual and bool(cell.execution_count)
        is_told = told.issuperset(of_cell)
        stored[index] = StoredCell(
            outputs=cell.outputs if is_shown else [],
            notice=None if is_told else _notice(of_cell, is_shown),
        )
        told |= frozenset(of_cell)
    return stored


def _notice(names, is_shown):
    head, text = SAID[is_shown]
    return notice(
        names, head, text.format(version=metadata.version("didi-toolkit"))
    )


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

    not_run = [
        cell for cell in nb.cells if NOT_RUN in cell.metadata.get("tags", [])
    ]
    for cell, stored in zip(not_run, cells.values(), strict=True):
        tags = [tag for tag in cell.metadata["tags"] if tag != NOT_RUN]
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
    trees = {
        index: _tree(cell)
        for index, cell in enumerate(nb.cells)
        if cell.cell_type == "code"
    }
    strings = {
        text for tree in trees.values() for text in _strings(ast.walk(tree))
    }
    imported = {
        name
        for tree in trees.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in _bound(node)
    }
    data_sets = {}
    of_name = {}
    for index, tree in trees.items():
        uses, assigns = _uses_and_assigns(tree.body)
        inherited = (of_name.get(name, frozenset()) for name in uses)
        of_cell = _loaded(tree, strings).union(*inherited)
        data_sets[index] = of_cell
        of_name |= dict.fromkeys(assigns, of_cell)
        if of_cell:
            for name in _changed(tree) - imported - assigns:
                of_name[name] = of_name.get(name, frozenset()) | of_cell
    return data_sets


def data_sets_of(nb):
    """Return the names of the data sets that a notebook loads, sorted."""
    return sorted(frozenset().union(*data_sets_by_cell(nb).values()))


def _tree(cell):
    """The syntax tree of a cell without lines of IPython.

    Empty where the rest is no Python, as in cells of another language: such a cell is
    run.
    """
    lines = cell.source.splitlines()
    python = "\n".join(
        line for line in lines if not line.lstrip().startswith(("%", "!"))
    )
    try:
        symtable.symtable(python, "a cell", "exec")
        return ast.parse(python)
    except SyntaxError:
        return ast.parse("")


def _strings(nodes):
    return (
        node.value
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


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
    """The strings that a variable takes in loops over constants; empty if others."""
    name = getattr(argument, "id", None)
    nodes = list(ast.walk(tree))
    loops = [
        node
        for node in nodes
        if isinstance(node, LOOPS) and getattr(node.target, "id", None) == name
    ]
    if sum(_binds(node, name) for node in nodes) > len(loops):
        return set()
    elements = [
        element
        for loop in loops
        for element in getattr(loop.iter, "elts", [None])
    ]
    values = {getattr(element, "value", None) for element in elements}
    return values if all(isinstance(one, str) for one in values) else set()


def _binds(node, name):
    """Whether a node binds a name: as a variable, parameter, function or import."""
    if isinstance(node, ast.Name):
        return node.id == name and not isinstance(node.ctx, ast.Load)
    return name in (
        getattr(node, field, None) for field in ("arg", "name", "asname")
    )


def _filled(template, strings, registered):
    """Registered names that an f-string gives with `strings` in its fields."""
    parts = (
        re.escape(part.value) if isinstance(part, ast.Constant) else "(.*)"
        for part in template.values
    )
    pattern = re.compile("".join(parts))
    return {
        name
        for name in registered
        if (match := pattern.fullmatch(name))
        and strings.issuperset(match.groups())
    }


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
    blocks = [
        block
        for field in ("body", "orelse", "finalbody", "handlers")
        if isinstance(block := getattr(statement, field, None), list)
    ]
    is_scope = isinstance(
        statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    )
    if is_scope or not blocks:
        yield statement
        return
    inside = {id(part) for block in blocks for part in block}
    head = [
        part
        for part in ast.iter_child_nodes(statement)
        if id(part) not in inside
    ]
    for part in head:
        if isinstance(part, ast.withitem):
            yield part.context_expr
        elif not _is_target(part):
            yield part
    for part in head:
        if isinstance(part, ast.withitem) and part.optional_vars:
            yield part.optional_vars
        elif _is_target(part):
            yield part
    for block in blocks:
        for part in block:
            yield from _in_order(part)


def _is_target(part):
    return isinstance(getattr(part, "ctx", None), ast.Store)


def _used(part):
    """Names of the notebook that a statement or an expression uses.

    Parameters of its functions and what they assign are none.
    """
    if _is_target(part):
        return set()
    source = ast.unparse(part)
    table = symtable.symtable(source, "a cell", "exec")
    used = {
        symbol.get_name()
        for symbol in table.get_symbols()
        if symbol.is_referenced()
    }
    if isinstance(part, ast.AugAssign) and isinstance(part.target, ast.Name):
        used.add(part.target.id)
    tables = table.get_children()
    while tables:
        inner = tables.pop()
        tables += inner.get_children()
        used |= {
            symbol.get_name()
            for symbol in inner.get_symbols()
            if symbol.is_global()
        }
    return used


def _bound(part):
    """Names that a statement, or the target of a loop, assigns or imports."""
    if isinstance(part, ast.Import | ast.ImportFrom):
        return {
            (alias.asname or alias.name).partition(".")[0]
            for alias in part.names
        }
    if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {part.name}
    of_comprehensions = {
        id(node)
        for comprehension in ast.walk(part)
        if isinstance(comprehension, ast.comprehension)
        for node in ast.walk(comprehension.target)
    }
    return {
        node.id
        for node in ast.walk(part)
        if isinstance(node, ast.Name)
        and isinstance(node.ctx, ast.Store)
        and id(node) not in of_comprehensions
    }


def _changed(tree):
    """Names of objects that a cell may change: parts are assigned, methods called."""
    owners = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript | ast.Attribute)
        and isinstance(node.ctx, ast.Store)
    ]
    owners += [
        node.func.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    ]
    return {owner.id for owner in owners if isinstance(owner, ast.Name)}
