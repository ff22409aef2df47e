"""Mutants of a Python source: the same code but for one small change that a test should notice.

Not changed are strings (docstrings, messages, names of options), what `raise` and
`warn` say, annotations, decorators, imports, `__all__`, keywords that change speed at
most (`SPEED`), and the module constants that say how much is computed at once
(`BLOCKS`).
"""

import ast
import re
from typing import NamedTuple

__all__ = ["Mutant", "mutants"]

COMPARISONS = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
}
COMPARISONS |= {
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
}
COMPARISONS |= {
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
SWAPS = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
}
SWAPS |= {
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
PAIRS = [
    "min max",
    "minimum maximum",
    "argmin argmax",
    "sum mean",
    "any all",
    "floor ceil",
    "zeros ones",
]
NAMES = {a: b for pair in PAIRS for a, b in (pair.split(), pair.split()[::-1])}
SPEED = {
    "n_jobs",
    "prefer",
    "overwrite_a",
    "overwrite_b",
    "check_finite",
    "strict",
    "stacklevel",
}
BLOCKS = re.compile("BLOCK|AT_ONCE|CACHE|TILE")
ANY_LINE = (0, 10**9)
# fields of the syntax tree
FIXED = {"annotation", "returns", "decorator_list", "ctx"}


class Mutant(NamedTuple):
    """One change of a statement; `lines` are the first and the last that a test must run to notice it."""

    function: str
    operator: str
    before: str
    after: str
    lines: tuple[int, int]


def mutants(tree):
    """Yield each `Mutant` of a module while the tree holds its change; the change is undone before the next."""
    for function, statement, lines, holder, key in _places(tree):
        node, before = holder[key], _text(statement)
        for operator, other in _changes(node):
            holder[key] = ast.copy_location(other, node)
            yield Mutant(
                function,
                operator,
                before,
                _text(other if node is statement else statement),
                lines,
            )
            holder[key] = node


def _places(node, function="", statement=None, lines=ANY_LINE):
    """(function, statement, lines, list or dict, key) of each node that may be changed; at first any line will do."""
    for field, value in ast.iter_fields(node):
        if field in FIXED:
            continue
        holder, children = vars(node), [(field, value)]
        if isinstance(value, list):
            holder, children = value, enumerate(value)
        for key, child in children:
            if not isinstance(child, ast.AST) or _unchanged(child):
                continue
            name = function
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                name = f"{function}.{child.name}".strip(".")
            inner, inner_lines = statement, lines
            if isinstance(child, ast.stmt):
                inner, inner_lines = child, _lines_of(child, lines)
            yield name, inner, inner_lines, holder, key
            if not _is_message(child):
                yield from _places(child, name, inner, inner_lines)


def _lines_of(statement, lines):
    """First and last line of which a test must run one, within a statement with `lines`."""
    body = getattr(statement, "body", None)
    # The defaults of a function count where it is called.
    if isinstance(statement, ast.FunctionDef):
        return body[0].lineno, statement.end_lineno
    if lines == ANY_LINE:
        return lines
    if not body:
        return statement.lineno, statement.end_lineno
    end_of_head = body[0].lineno - 1
    return statement.lineno, max(statement.lineno, end_of_head)


def _is_message(node):
    """Whether a node says something: `raise`, or a call of `warn`."""
    if isinstance(node, ast.Raise):
        return True
    return isinstance(node, ast.Call) and _name(node.func) == "warn"


def _unchanged(node):
    match node:
        case ast.Assign(targets=[ast.Name(id=name)]):
            return (
                name == "__all__"
                or name.isupper()
                and bool(BLOCKS.search(name))
            )
        case ast.keyword(arg=name):
            return name in SPEED
    return (
        isinstance(node, ast.JoinedStr)
        or isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
    )


def _name(function):
    return getattr(function, "id", getattr(function, "attr", ""))


def _text(statement):
    """A statement on one line; of a compound one its head."""
    return next(
        line
        for line in ast.unparse(statement).splitlines()
        if not line.startswith("@")
    )


def _with(node, **fields):
    return type(node)(**dict(ast.iter_fields(node)) | fields)


def _is_text(node):
    return (
        isinstance(node, ast.JoinedStr)
        or isinstance(node, ast.Constant)
        and isinstance(node.value, str)
    )


def _changes(node):
    """(operator, changed node) for one node."""
    match node:
        case ast.Compare(ops=ops):
            for i, op in enumerate(ops):
                for other in COMPARISONS[type(op)]:
                    yield (
                        "comparison",
                        _with(node, ops=[*ops[:i], other(), *ops[i + 1 :]]),
                    )
        case ast.BinOp(op=op) if (
            type(op) in SWAPS
            and not _is_text(node.left)
            and not _is_text(node.right)
        ):
            yield "arithmetic", _with(node, op=SWAPS[type(op)]())
        case ast.BoolOp(op=op):
            yield (
                "and, or",
                _with(
                    node, op=ast.Or() if isinstance(op, ast.And) else ast.And()
                ),
            )
        case ast.UnaryOp(operand=operand):
            yield "sign or not removed", operand
        case ast.Constant(value=bool(value)):
            yield "truth value", ast.Constant(not value)
        case ast.Constant(value=int(value) | float(value)) if (
            value + 1 != value
        ):
            yield "constant", ast.Constant(value + 1)
        case ast.Slice():
            for end in ("lower", "upper", "step"):
                if getattr(node, end) is not None:
                    yield "slice", _with(node, **{end: None})
        case ast.Call(func=function, keywords=keywords):
            if other := NAMES.get(_name(function)):
                field = "id" if isinstance(function, ast.Name) else "attr"
                yield (
                    "other function",
                    _with(node, func=_with(function, **{field: other})),
                )
            for i, keyword in enumerate(keywords):
                if keyword.arg and keyword.arg not in SPEED:
                    yield (
                        "keyword dropped",
                        _with(node, keywords=keywords[:i] + keywords[i + 1 :]),
                    )
        case ast.IfExp(test=test) | ast.If(test=test) | ast.While(test=test):
            if not isinstance(test, ast.Compare | ast.BoolOp | ast.UnaryOp):
                yield (
                    "condition",
                    _with(node, test=ast.UnaryOp(ast.Not(), test)),
                )
        case ast.Return(value=ast.expr() as value) if not isinstance(
            value, ast.Constant
        ):
            yield "return value", ast.Return(ast.Constant(None))
        case ast.AugAssign(op=op):
            if type(op) in SWAPS and not _is_text(node.value):
                yield "arithmetic", _with(node, op=SWAPS[type(op)]())
            yield "statement removed", ast.Pass()
        case (
            ast.Raise()
            | ast.Expr(value=ast.Call())
            | ast.Assign(targets=[ast.Attribute() | ast.Subscript()])
        ):
            yield "statement removed", ast.Pass()
