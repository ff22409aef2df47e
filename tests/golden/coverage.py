"""Which public names the cases cover, with which options; what is left out has a reason in ``excused.toml``."""

import importlib
import tomllib

from .harness import HERE, ROOT, all_cases


def public_names():
    """Names below `toolkit` that the `__all__` of a package or of a root module lists."""
    package = ROOT / "toolkit"
    names = []
    for path in sorted([*package.rglob("__init__.py"), *package.glob("[a-z]*.py")]):
        parts = path.relative_to(ROOT).with_suffix("").parts
        module = ".".join(parts).removesuffix(".__init__")
        public = getattr(importlib.import_module(module), "__all__", [])
        names += [f"{module}.{name}".removeprefix("toolkit.") for name in public]
    return names


def options_by_name():
    """{name: options} of the cases."""
    found = {}
    for case in all_cases().values():
        options = found.setdefault(case.name, set())
        options.update(case.options, case.lowered, case.after)
    return found


def excuses(what="excused"):
    """{name: reason} of names that no case covers; of "by_library": of cases compared with the lock's versions only."""
    return tomllib.loads((HERE / "excused.toml").read_text("utf-8"))[what]


def format_coverage():
    """One line per public name: its options that are covered, or why it is left out."""
    options = options_by_name()
    reasons = excuses()
    cases = [case.name for case in all_cases().values()]
    lines = []
    for name in public_names():
        if name in options:
            words = ", ".join(sorted(options[name])) or "defaults"
            lines.append(f"{name}: {cases.count(name)} cases; {words}")
        elif name in reasons:
            lines.append(f"{name}: left out: {reasons[name]}")
        else:
            lines.append(f"{name}: NOT COVERED")
    return "\n".join(lines)
