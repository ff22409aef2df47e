"""Which public names the cases cover, with which options; what is left out has a reason in ``excused.toml``."""

import ast
import tomllib

from .harness import HERE, ROOT, all_cases


def public_names():
    """{name below `toolkit`: package or module that lists it} of every `__all__` of a package, and of root modules."""
    found = {}
    package = ROOT / "toolkit"
    for path in sorted([*package.rglob("__init__.py"), *package.glob("[a-z]*.py")]):
        parts = path.relative_to(package).with_suffix("").parts
        module = ".".join(part for part in parts if part != "__init__")
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.Assign) and [
                getattr(target, "id", "") for target in node.targets
            ] == ["__all__"]:
                found |= {
                    f"{module}.{name}".strip("."): module
                    for name in ast.literal_eval(node.value)
                }
    return found


def covered():
    """{name: sorted options} of the cases."""
    found = {}
    for case in all_cases().values():
        found.setdefault(case.name, set()).update(
            case.options, case.lowered, case.after
        )
    return {name: sorted(options) for name, options in found.items()}


def excused(what="excused"):
    """{name: reason} of names that no case covers; of "by_library": of cases compared with the lock's versions only."""
    return tomllib.loads((HERE / "excused.toml").read_text("utf-8"))[what]


def format_coverage():
    """One line per public name: its options that are covered, or why it is left out."""
    options, reasons = covered(), excused()
    lines = []
    for name in public_names():
        if name in options:
            count = sum(case.name == name for case in all_cases().values())
            lines.append(
                f"{name}: {count} cases; {', '.join(options[name]) or 'defaults'}"
            )
        else:
            lines.append(
                f"{name}: {'left out: ' + reasons[name] if name in reasons else 'NOT COVERED'}"
            )
    return "\n".join(lines)
