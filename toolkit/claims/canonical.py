"""The text of a definition that depends on what is computed only: where it is another one, numbers may have changed.

Left out are docstrings and layout, names of local variables, what `raise`, `warn` and `assert` say and texts made for
them alone, branches that only raise or warn, bare calls of checks, and whatever reports on the way: progress bars, and
the names in `REPORTING`. All other strings and constants stay, and so does a check whose value is used.
"""

import ast

__all__ = ["canonical"]

REPORTING = {"verbose", "what", "remedy", "done", "note"}  # arguments that say how far it is, or what a message says
RECORDS = "check_claim"  # the fixture by which an experiment hands over its numbers: no check
LAYOUT = {"lineno", "col_offset", "end_lineno", "end_col_offset", "ctx", "kind", "type_comment", "type_params"}
SCOPES = ast.FunctionDef | ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
FUNCTIONS = ast.FunctionDef | ast.Lambda


def canonical(node, global_name=None):
    """A syntax tree as text, the same under every version of Python.

    Parameters
    ----------
    node : ast.AST
    global_name : callable
        (name, attributes) -> text of a name that the definition does not bind itself, and of what is asked of it: of
        `np.linalg.norm` "np" and ["linalg", "norm"].

    Examples
    --------
    >>> one, other = "def f(x):\\n    a = x + 1\\n    return a", "def f(x):\\n    'Doc.'\\n    b = x + 1\\n    return b"
    >>> canonical(ast.parse(one)) == canonical(ast.parse(other))
    True
    """
    return _Writer(global_name or _as_written).text(_Cleaner().visit(_copy(node)))


def _as_written(name, attributes):
    return ".".join([name, *attributes])


def _copy(node):
    """A copy of a tree, which may be changed."""
    if isinstance(node, list):
        return [_copy(part) for part in node]
    if not isinstance(node, ast.AST):
        return node
    return type(node)(**{name: _copy(value) for name, value in ast.iter_fields(node)})


class _Cleaner(ast.NodeTransformer):
    """Takes out of a tree what computes nothing."""

    def generic_visit(self, node):
        super().generic_visit(node)
        for name in ("body", "orelse", "finalbody"):
            if isinstance(getattr(node, name, None), list):
                setattr(node, name, [part for part in getattr(node, name) if not _is_string(part)])
        return node

    def visit_FunctionDef(self, node):
        self._drop_parameters(node.args)
        return _pruned(self.generic_visit(node))

    def visit_Lambda(self, node):
        self._drop_parameters(node.args)
        return self.generic_visit(node)

    def _drop_parameters(self, arguments):
        positional = [*arguments.posonlyargs, *arguments.args]
        defaults = dict(zip([a.arg for a in positional][::-1], arguments.defaults[::-1], strict=False))
        named = dict(zip([a.arg for a in arguments.kwonlyargs], arguments.kw_defaults, strict=True))
        for kind in ("posonlyargs", "args", "kwonlyargs"):
            setattr(arguments, kind, [a for a in getattr(arguments, kind) if a.arg not in REPORTING])
        positional = [*arguments.posonlyargs, *arguments.args]
        arguments.defaults = [defaults[a.arg] for a in positional if a.arg in defaults]
        arguments.kw_defaults = [named[a.arg] for a in arguments.kwonlyargs]

    def visit_Raise(self, node):
        return ast.Raise(exc=None, cause=None)

    def visit_Assert(self, node):
        return self.generic_visit(ast.Assert(test=node.test, msg=None))

    def visit_Expr(self, node):
        called = _terminal(node.value.func) if isinstance(node.value, ast.Call) else ""
        only_checks = called.lstrip("_").startswith(("check_", "warn_")) and called != RECORDS
        return None if only_checks or called == "warn" or called in REPORTING else self.generic_visit(node)

    def visit_Import(self, node):
        return None

    visit_ImportFrom = visit_Import

    def visit_With(self, node):
        node = self.generic_visit(node)
        node.items = [item for item in node.items if not _is_progress(item.context_expr)]
        return node if node.items else node.body

    def visit_Assign(self, node):
        node = self.generic_visit(node)
        if len(node.targets) == 1 and isinstance(node.targets[0], ast.Tuple) and isinstance(node.value, ast.Tuple):
            target, value = node.targets[0].elts, node.value.elts
            if len(target) == len(value) and not any(isinstance(part, ast.Starred) for part in [*target, *value]):
                pairs = [(a, b) for a, b in zip(target, value, strict=True) if _terminal(a) not in REPORTING]
                node.targets[0].elts, node.value.elts = [a for a, _ in pairs], [b for _, b in pairs]
                if len(pairs) == 1:
                    [(node.targets[0], node.value)] = pairs
                return node if pairs else None
        return None if any(_terminal(target) in REPORTING for target in node.targets) else node

    def visit_Call(self, node):
        node.args = [part for part in node.args if _terminal(part) not in REPORTING]
        node.keywords = [part for part in node.keywords if part.arg not in REPORTING]
        return self.generic_visit(node)

    def visit_Dict(self, node):
        pairs = [(key, value) for key, value in zip(node.keys, node.values, strict=True) if not _is_reporting(key)]
        node.keys, node.values = [key for key, _ in pairs], [value for _, value in pairs]
        return self.generic_visit(node)


def _terminal(node):
    """The last name of `name` and `something.name`."""
    return getattr(node, "id", getattr(node, "attr", "")) if isinstance(node, ast.Name | ast.Attribute) else ""


def _is_string(node):
    """Whether a statement is a docstring, or another constant that nobody uses."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_reporting(key):
    return isinstance(key, ast.Constant) and key.value in REPORTING


def _is_progress(node):
    return isinstance(node, ast.Call) and _terminal(node.func) == "progress"


def _is_text(node):
    """Whether an expression is a text, as far as its form tells."""
    if isinstance(node, ast.IfExp):
        return _is_text(node.body) and _is_text(node.orelse)
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Add | ast.Mod) and (_is_text(node.left) or _is_text(node.right))
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _pruned(function):
    """A function without texts that nothing uses, and without branches that only raise; one may free the other."""
    size = 0
    while size != (size := sum(1 for _ in ast.walk(function))):
        used = {part.id for part in ast.walk(function) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}
        function = _Pruner(used).visit(function)
    return function


class _Pruner(ast.NodeTransformer):
    """Drops what was there for a message only; `used` are the names that the function reads."""

    def __init__(self, used):
        self.used = used

    def visit_Assign(self, node):
        names = {getattr(target, "id", "") for target in getattr(node, "targets", None) or [node.target]}
        return node if "" in names or names & self.used or not _is_text(node.value) else None

    visit_AugAssign = visit_Assign

    def visit_If(self, node):
        node = self.generic_visit(node)
        only_raises = all(isinstance(part, ast.Raise | ast.Pass) for part in [*node.body, *node.orelse])
        binds = any(isinstance(part, ast.NamedExpr) for part in ast.walk(node.test))
        return None if only_raises and not binds else node


class _Writer:
    """Writes a tree with local variables by number, in the order in which they come."""

    def __init__(self, global_name):
        self.global_name, self.scopes, self.count = global_name, [], 0

    def text(self, node):
        if isinstance(node, list):
            return f"[{' '.join(map(self.text, node))}]"
        if not isinstance(node, ast.AST):
            return repr(node)
        if isinstance(node, ast.Name | ast.Attribute) and (chain := _chain(node)):
            return self._reference(*chain)
        if isinstance(node, SCOPES):
            self.scopes.append(_bindings(node))
        fields = ((name, value) for name, value in ast.iter_fields(node) if name not in LAYOUT)
        written = " ".join(
            f"{name}={self._field(node, name, value)}" for name, value in fields if value not in (None, [])
        )
        if isinstance(node, SCOPES):
            self.scopes.pop()
        return f"{type(node).__name__}({written})"

    def _field(self, node, name, value):
        """Names of caught errors and inner functions are texts in the tree, and local all the same."""
        if name == "name" and isinstance(node, ast.ExceptHandler | ast.FunctionDef | ast.ClassDef) and self.scopes:
            scopes = self.scopes[:-1] if isinstance(node, ast.FunctionDef) else self.scopes
            return next((self._number(scope, value) for scope in scopes[::-1] if value in scope), value)
        return self.text(value)

    def _reference(self, name, *attributes):
        for scope in self.scopes[::-1]:
            if name in scope:
                return ".".join([self._number(scope, name), *attributes])
        return self.global_name(name, attributes)

    def _number(self, scope, name):
        if scope[name] is None:
            scope[name] = f"#{self.count}"
            self.count += 1
        return scope[name]


def _chain(node):
    """Names of `a.b.c`, None where it does not begin with a name."""
    attributes = []
    while isinstance(node, ast.Attribute):
        attributes.append(node.attr)
        node = node.value
    return [node.id, *attributes[::-1]] if isinstance(node, ast.Name) else None


def _bindings(scope):
    """{name: None} of the variables of a function or comprehension; arguments, which are seen, keep their names."""
    found, outer, waiting = {}, set(), list(ast.iter_child_nodes(scope))
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Global | ast.Nonlocal):
            outer.update(node.names)
        elif isinstance(node, ast.NamedExpr) and not isinstance(scope, FUNCTIONS):
            outer.add(node.target.id)  # it is a variable of the function around the comprehension
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found[node.id] = None
        elif isinstance(node, ast.ExceptHandler | ast.FunctionDef | ast.ClassDef) and node.name:
            found[node.name] = None
        if not isinstance(node, SCOPES | ast.ClassDef):
            waiting += ast.iter_child_nodes(node)
        else:  # what is inside has a scope of its own, but for `:=` in a comprehension
            waiting += [part for part in ast.walk(node) if isinstance(part, ast.NamedExpr)] * (node is not scope)
    if isinstance(scope, FUNCTIONS):
        found |= {argument.arg: argument.arg for argument in ast.walk(scope.args) if isinstance(argument, ast.arg)}
    return {name: text for name, text in found.items() if name not in outer}
