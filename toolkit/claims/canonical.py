"""The text of a definition that depends on what is computed only: where it is another one, numbers may have changed.

Left out are docstrings and layout, names of local variables, what `raise`, `warn` and
`assert` say and texts made for them alone, branches that only raise or warn, bare calls
of checks, and whatever reports on the way: progress bars, and the names in `REPORTING`.
All other strings and constants stay, and so does a check whose value is used.
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
        and of what is asked of it: of `np.linalg.norm` "np" and ["linalg", "norm"].

    Examples
    --------
    >>> one, other = "def f(x):\\n    a = x + 1\\n    return a", "def f(x):\\n    'Doc.'\\n    b = x + 1\\n    return b"
    >>> canonical(ast.parse(one)) == canonical(ast.parse(other))
    True
    """
    return _Writer(global_name or _as_written).text(
        _Cleaner().visit(copy.deepcopy(node))
    )


def _as_written(name, attributes):
    return ".".join([name, *attributes])


class _Cleaner(ast.NodeTransformer):
    """Takes out of a tree what computes nothing."""

    def visit_FunctionDef(self, node):
        node = self.generic_visit(node)
        used = {
            part.id
            for part in ast.walk(node)
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)
        }
        return _Pruner(used).visit(node)

    def visit_arguments(self, node):
        positional = [*node.posonlyargs, *node.args][-len(node.defaults) :]
        with_default = zip(positional, node.defaults, strict=False)
        node.defaults = [
            default
            for argument, default in with_default
            if argument.arg not in REPORTING
        ]
        named = zip(node.kwonlyargs, node.kw_defaults, strict=True)
        node.kw_defaults = [
            default for argument, default in named if argument.arg not in REPORTING
        ]
        return self.generic_visit(node)

    def visit_arg(self, node):
        return None if node.arg in REPORTING else self.generic_visit(node)

    visit_keyword = visit_arg

    def visit_Raise(self, node):
        return ast.Raise(exc=None, cause=None)

    def visit_Assert(self, node):
        node.msg = None
        return self.generic_visit(node)

    def visit_Expr(self, node):
        called = _called(node.value)
        only_checks = (
            called.lstrip("_").startswith(("check_", "warn_")) and called != RECORDS
        )
        is_text = isinstance(node.value, ast.Constant)
        return (
            None
            if is_text or only_checks or called in {"warn", *REPORTING}
            else self.generic_visit(node)
        )

    def visit_Import(self, node):
        return None

    visit_ImportFrom = visit_Import

    def visit_With(self, node):
        node = self.generic_visit(node)
        node.items = [
            item for item in node.items if _called(item.context_expr) != "progress"
        ]
        return node if node.items else node.body

    def visit_Assign(self, node):
        node = self.generic_visit(node)
        target, value = node.targets[0], node.value
        pairs = [(target, value)]
        if (
            isinstance(target, ast.Tuple)
            and isinstance(value, ast.Tuple)
            and len(target.elts) == len(value.elts)
        ):
            pairs = list(zip(target.elts, value.elts, strict=True))
        kept = [(one, given) for one, given in pairs if _terminal(one) not in REPORTING]
        if not kept:
            return None
        if len(kept) == 1:
            [(node.targets[0], node.value)] = kept
        else:
            target.elts, value.elts = map(list, zip(*kept, strict=True))
        return node

    def visit_Call(self, node):
        node.args = [part for part in node.args if _terminal(part) not in REPORTING]
        return self.generic_visit(node)


def _terminal(node):
    """The last name of `name` and `something.name`."""
    return (
        getattr(node, "id", getattr(node, "attr", ""))
        if isinstance(node, ast.Name | ast.Attribute)
        else ""
    )


def _called(node):
    return _terminal(getattr(node, "func", None))


def _is_text(node):
    """Whether an expression is a text, as far as its form tells."""
    if isinstance(node, ast.IfExp):
        return _is_text(node.body) and _is_text(node.orelse)
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Add | ast.Mod) and (
            _is_text(node.left) or _is_text(node.right)
        )
    return isinstance(node, ast.JoinedStr) or isinstance(
        getattr(node, "value", None), str
    )


class _Pruner(ast.NodeTransformer):
    """Drops what was there for a message only; `used` are the names that the function reads."""

    def __init__(self, used):
        self.used = used

    def visit_Assign(self, node):
        names = {
            getattr(target, "id", "")
            for target in getattr(node, "targets", None) or [node.target]
        }
        return (
            node
            if "" in names or names & self.used or not _is_text(node.value)
            else None
        )

    visit_AugAssign = visit_Assign

    def visit_If(self, node):
        node = self.generic_visit(node)
        only_raises = all(
            isinstance(part, ast.Raise | ast.Pass)
            for part in [*node.body, *node.orelse]
        )
        binds = any(isinstance(part, ast.NamedExpr) for part in ast.walk(node.test))
        return None if only_raises and not binds else node


class _Writer:
    """Writes a tree with the variables of its functions by number, in the order in which they come."""

    def __init__(self, global_name):
        self.global_name, self.local, self.numbers = (
            global_name,
            None,
            itertools.count(),
        )

    def text(self, node):
        if isinstance(node, list):
            return f"[{' '.join(map(self.text, node))}]"
        if not isinstance(node, ast.AST):
            return repr(node)
        if chain := _chain(node):
            name, *attributes = chain
            return (
                ".".join([self._local(name), *attributes])
                if self._local(name)
                else self.global_name(name, attributes)
            )
        outermost = isinstance(node, FUNCTIONS) and self.local is None
        if outermost:
            self.local = _bindings(node)
        fields = [
            (name, value)
            for name, value in ast.iter_fields(node)
            if name not in LEFT_OUT
        ]
        # names of caught errors and inner functions are texts in the tree, and local
        # all the same
        is_local = isinstance(node, NAMED) and not outermost and self._local(node.name)
        fields = [
            (name, is_local if name == "name" and is_local else value)
            for name, value in fields
        ]
        written = [
            f"{name}={self.text(value)}"
            for name, value in fields
            if value not in (None, [])
        ]
        if outermost:
            self.local = None
        return f"{type(node).__name__}({' '.join(written)})"

    def _local(self, name):
        """The number of a variable of the function, the name of an argument; None for other names."""
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
    """{name: None} of the variables of a function and of all in it; arguments, which are seen, keep their names."""
    found, outer = {}, set()
    for node in ast.walk(function):
        if isinstance(node, ast.arg):
            found[node.arg] = node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.setdefault(node.id)
        elif isinstance(node, NAMED) and node.name and node is not function:
            found.setdefault(node.name)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            outer.update(node.names)
    return {name: text for name, text in found.items() if name not in outer}
