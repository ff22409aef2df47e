"""The text of a definition that depends on what is computed only.

Where the text is another one, numbers may have changed. Left out are docstrings and
layout, names of local variables, what `raise`, `warn` and `assert` say and texts made
for them alone, branches that only raise or warn, bare calls of checks, and whatever
reports on the way: progress bars, and the names in `REPORTING`. All other strings and
constants stay, and so does a check whose value is used.
"""

import ast
import copy
import itertools

# arguments that say how far it is, or what a message says
REPORTING = {"verbose", "what", "remedy", "done", "note"}
# the fixture by which an experiment hands over its numbers: no check
RECORDS = "check_claim"
# fields of a tree that do not count
LEFT_OUT = {"ctx", "kind", "type_comment", "type_params"}
FUNCTIONS = ast.FunctionDef | ast.Lambda
NAMED = ast.ExceptHandler | ast.FunctionDef | ast.ClassDef


def canonical(node, global_name=None):
    """A syntax tree as text, the same under every version of Python.

    Parameters
    ----------
    node : ast.AST
    global_name : callable
        (name, attributes) -> text of a name that the definition does not bind itself,
        and of its attributes: of `np.linalg.norm` "np" and ["linalg", "norm"].

    Examples
    --------
    >>> one = "def f(x):\\n    a = x + 1\\n    return a"
    >>> other = "def f(x):\\n    'Doc.'\\n    b = x + 1\\n    return b"
    >>> canonical(ast.parse(one)) == canonical(ast.parse(other))
    True
    """
    tree = _Cleaner().visit(copy.deepcopy(node))
    return _Writer(global_name or _dotted_name).text(tree)


def _dotted_name(name, attributes):
    return ".".join([name, *attributes])


class _Cleaner(ast.NodeTransformer):
    """Takes out of a tree what computes nothing."""

    def visit_FunctionDef(self, node):
        node = self.generic_visit(node)
        # what is read now, after messages and checks have gone
        names = (part for part in ast.walk(node) if isinstance(part, ast.Name))
        used = {part.id for part in names if isinstance(part.ctx, ast.Load)}
        return _Pruner(used).visit(node)

    def visit_arguments(self, node):
        positional = [*node.posonlyargs, *node.args][-len(node.defaults) :]
        # before the arguments go, to which the defaults belong by position
        node.defaults = _computing_defaults(positional, node.defaults)
        node.kw_defaults = _computing_defaults(
            node.kwonlyargs, node.kw_defaults
        )
        return self.generic_visit(node)

    def visit_arg(self, node):
        return None if node.arg in REPORTING else self.generic_visit(node)

    visit_keyword = visit_arg

    def visit_Raise(self, node):
        # that it stops counts, what it says does not
        return ast.Raise(exc=None, cause=None)

    def visit_Assert(self, node):
        node.msg = None
        return self.generic_visit(node)

    def visit_Expr(self, node):
        callee = _callee(node.value)
        is_check = callee.lstrip("_").startswith(("check_", "warn"))
        # a constant alone is a docstring, or words below a definition
        is_report = callee in REPORTING or isinstance(node.value, ast.Constant)
        if is_report or (is_check and callee != RECORDS):
            return None
        return self.generic_visit(node)

    def visit_Import(self, node):
        # names are written as the modules that define them have them
        return None

    visit_ImportFrom = visit_Import

    def visit_With(self, node):
        node = self.generic_visit(node)
        node.items = [
            item
            for item in node.items
            if _callee(item.context_expr) != "progress"
        ]
        # a bar alone leaves the statements below it
        return node if node.items else node.body

    def visit_Assign(self, node):
        is_report = _last_name(node.targets[0]) in REPORTING
        return None if is_report else self.generic_visit(node)

    def visit_Call(self, node):
        node.args = [
            part for part in node.args if _last_name(part) not in REPORTING
        ]
        return self.generic_visit(node)


def _computing_defaults(arguments, defaults):
    """The defaults of arguments that do not report; the last have one."""
    pairs = zip(arguments, defaults, strict=False)
    return [
        default for argument, default in pairs if argument.arg not in REPORTING
    ]


def _last_name(node):
    """The last name of `name` and `something.name`."""
    return getattr(node, "id", getattr(node, "attr", ""))


def _callee(node):
    return _last_name(getattr(node, "func", None))


def _is_text(node):
    """Whether an expression is a text, as far as its form shows."""
    if isinstance(node, ast.IfExp):
        return _is_text(node.body) and _is_text(node.orelse)
    if isinstance(node, ast.BinOp):
        return _is_text(node.left) or _is_text(node.right)
    is_literal = isinstance(getattr(node, "value", None), str)
    return is_literal or isinstance(node, ast.JoinedStr)


class _Pruner(ast.NodeTransformer):
    """Drops what was there for a message only; the function reads the names `used`."""

    def __init__(self, used):
        self.used = used

    def visit_Assign(self, node):
        targets = getattr(node, "targets", None) or [node.target]
        # "" is a part of something else, such as `self.text`
        names = {getattr(target, "id", "") for target in targets}
        is_message = _is_text(node.value) and not names & {"", *self.used}
        return None if is_message else node

    visit_AugAssign = visit_Assign

    def visit_If(self, node):
        node = self.generic_visit(node)
        branches = [*node.body, *node.orelse]
        # a branch that only refuses computes nothing, unless its condition binds a name
        raises = all(
            isinstance(part, ast.Raise | ast.Pass) for part in branches
        )
        binds = any(
            isinstance(part, ast.NamedExpr) for part in ast.walk(node.test)
        )
        return None if raises and not binds else node


class _Writer:
    """Writes a tree, the variables of its functions numbered in their order."""

    def __init__(self, global_name):
        self.global_name = global_name
        self.local = None  # {variable: its text} within a function
        self.numbers = itertools.count()

    def text(self, node):
        if isinstance(node, list):
            return f"[{' '.join(map(self.text, node))}]"
        if not isinstance(node, ast.AST):
            # a constant, or a name that is a text in the tree
            return repr(node)
        if chain := _chain(node):
            name, *attributes = chain
            local = self._local_text(name)
            return (_dotted_name if local else self.global_name)(
                local or name, attributes
            )
        if self.local is not None or not isinstance(node, FUNCTIONS):
            return self._fields(node)
        # the outermost function: names of inner ones are among its own
        self.local = _bindings(node)
        text = self._fields(node)
        self.local = None
        return text

    def _fields(self, node):
        fields = dict(ast.iter_fields(node))
        if isinstance(node, NAMED):
            # of caught errors and inner functions too, which are local
            fields["name"] = self._local_text(node.name) or node.name
        parts = [
            f"{name}={self.text(value)}"
            for name, value in fields.items()
            if name not in LEFT_OUT and value not in (None, [])
        ]
        return f"{type(node).__name__}({' '.join(parts)})"

    def _local_text(self, name):
        """The number of a variable of the function, the name of an argument, None."""
        if self.local is None or name not in self.local:
            return None
        self.local[name] = self.local[name] or f"#{next(self.numbers)}"
        return self.local[name]


def _chain(node):
    """Names of `a.b.c`, None where it does not begin with a name."""
    if isinstance(node, ast.Attribute):
        before = _chain(node.value)
        return before and [*before, node.attr]
    return [node.id] if isinstance(node, ast.Name) else None


def _bindings(function):
    """{name: None} of the variables of a function and of all in it.

    Arguments, which callers name, have their name in place of None.
    """
    bindings, outer = {}, set()
    for node in ast.walk(function):
        if isinstance(node, ast.arg):
            bindings[node.arg] = node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bindings.setdefault(node.id)  # an argument keeps its name
        elif isinstance(node, NAMED) and node.name and node is not function:
            bindings.setdefault(node.name)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            outer.update(node.names)
    return {name: text for name, text in bindings.items() if name not in outer}
