"""Mutants of a Python source: the same code but for one small change that a test should notice.

`mutants(source)` walks the syntax tree. Not changed are: strings (docstrings, messages, names of options), what `raise`
and `warn` say, annotations, decorators, imports, `__all__`, keywords that change speed at most (`SPEED`), and the
module constants that say how much is computed at once (`BLOCKS`); statements with several of these are still removed.
"""

import ast
import re
from dataclasses import dataclass

__all__ = ["Mutant", "mutants"]

COMPARISONS = {
    ast.Lt: (ast.LtE, ast.Gt), ast.LtE: (ast.Lt, ast.GtE), ast.Gt: (ast.GtE, ast.Lt), ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,), ast.NotIn: (ast.In,),
}  # fmt: skip
ARITHMETIC = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
PAIRS = ["min max", "minimum maximum", "argmin argmax", "sum mean", "any all", "floor ceil", "zeros ones"]
NAMES = {a: b for pair in PAIRS for a, b in (pair.split(), pair.split()[::-1])}
SPEED = {"n_jobs", "prefer", "overwrite_a", "overwrite_b", "check_finite", "strict", "stacklevel"}
BLOCKS = re.compile("BLOCK|AT_ONCE|CACHE|TILE")
UNCHANGED_FIELDS = {"annotation", "returns", "decorator_list", "ctx"}
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True)
class Mutant:
    """One change of a statement; `lines` are those that a test must run to notice it, None any of the file."""

    function: str
    operator: str
    before: str
    after: str
    lines: tuple[int, int] | None


def mutants(tree):
    """Yield each `Mutant` of a module while the tree holds its change; the change is undone before the next."""
    for function, statement, parent, field, index in _places(tree):
        values = getattr(parent, field)
        node = values if index is None else values[index]
        before = _text(statement)
        for operator, other in _changes(node):
            _put(parent, field, index, ast.copy_location(other, node))
            after = "pass" if isinstance(other, ast.Pass) else _text(other if node is statement else statement)
            yield Mutant(function, operator, before, after, _lines(statement, function))
            _put(parent, field, index, node)


def _put(parent, field, index, node):
    if index is None:
        setattr(parent, field, node)
    else:
        getattr(parent, field)[index] = node


def _places(node, function="", statement=None):
    """(function, statement, parent, field, index) of each node that may be changed."""
    for field, value in ast.iter_fields(node):
        if field in UNCHANGED_FIELDS:
            continue
        for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if not isinstance(child, ast.AST) or _unchanged(child):
                continue
            name = ".".join(filter(None, [function, child.name])) if isinstance(child, DEFINITIONS) else function
            inner = child if isinstance(child, ast.stmt) else statement
            yield name, inner, node, field, index
            if not isinstance(child, ast.Raise) and not (isinstance(child, ast.Call) and _name(child.func) == "warn"):
                yield from _places(child, name, inner)


def _unchanged(node):
    match node:
        case ast.JoinedStr() | ast.Expr(value=ast.Constant()):
            return True
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name == "__all__" or name.isupper() and bool(BLOCKS.search(name))
        case ast.keyword(arg=name):
            return name in SPEED
    return False


def _name(function):
    return getattr(function, "id", getattr(function, "attr", ""))


def _text(statement):
    """A statement on one line; of a compound one its head."""
    if hasattr(statement, "body"):
        empty = {"body": [ast.Pass()], "orelse": [], "finalbody": [], "handlers": [], "decorator_list": []}
        fields = dict(ast.iter_fields(statement))
        statement = type(statement)(**fields | {name: value for name, value in empty.items() if name in fields})
        return ast.unparse(ast.fix_missing_locations(statement)).removesuffix("pass").strip()
    return ast.unparse(statement)


def _lines(statement, function):
    if isinstance(statement, ast.FunctionDef):  # its defaults count where it is called
        return statement.body[0].lineno, statement.end_lineno
    if isinstance(statement, ast.ClassDef) or not function or function.rpartition(".")[2].strip("_")[0].isupper():
        return None
    body = getattr(statement, "body", None)
    return statement.lineno, max(statement.lineno, body[0].lineno - 1) if body else statement.end_lineno


def _changes(node):
    """(operator, changed node) for one node."""
    match node:
        case ast.Compare(left=left, ops=ops, comparators=others):
            for i, op in enumerate(ops):
                for other in COMPARISONS[type(op)]:
                    yield "comparison", ast.Compare(left, [*ops[:i], other(), *ops[i + 1 :]], others)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in ARITHMETIC:
            if not any(isinstance(side, ast.JoinedStr | ast.Constant) and _is_text(side) for side in (left, right)):
                yield "arithmetic", ast.BinOp(left, ARITHMETIC[type(op)](), right)
        case ast.BoolOp(op=op, values=values):
            yield "and, or", ast.BoolOp(ARITHMETIC[type(op)](), values)
        case ast.UnaryOp(operand=operand):
            yield "sign or not removed", operand
        case ast.Constant(value=bool(value)):
            yield "truth value", ast.Constant(not value)
        case ast.Constant(value=int(value) | float(value)) if value + 1 != value:
            yield "constant", ast.Constant(value + 1)
        case ast.Slice():
            for end in ("lower", "upper", "step"):
                if getattr(node, end) is not None:
                    yield "slice", ast.Slice(**dict(ast.iter_fields(node)) | {end: None})
        case ast.Call(func=function, args=args, keywords=keywords):
            if other := NAMES.get(_name(function)):
                field = "id" if isinstance(function, ast.Name) else "attr"
                swapped = type(function)(**dict(ast.iter_fields(function)) | {field: other})
                yield "other function", ast.Call(swapped, args, keywords)
            for i, given in enumerate(keywords):
                if given.arg and given.arg not in SPEED:
                    yield "keyword dropped", ast.Call(function, args, keywords[:i] + keywords[i + 1 :])
        case ast.IfExp(test=test) | ast.If(test=test) | ast.While(test=test):
            if not isinstance(test, ast.Compare | ast.BoolOp | ast.UnaryOp):
                fields = dict(ast.iter_fields(node)) | {"test": ast.UnaryOp(ast.Not(), test)}
                yield "condition", type(node)(**fields)
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield "return value", ast.Return(ast.Constant(None))
        case ast.AugAssign(target=target, op=op, value=value):
            if type(op) in ARITHMETIC and not _is_text(value):
                yield "arithmetic", ast.AugAssign(target, ARITHMETIC[type(op)](), value)
            yield "statement removed", ast.Pass()
        case ast.Raise() | ast.Expr(value=ast.Call()) | ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield "statement removed", ast.Pass()


def _is_text(node):
    return isinstance(node, ast.JoinedStr) or isinstance(node, ast.Constant) and isinstance(node.value, str)
