"""Public names; those that no case covers have a reason in ``excused.toml``."""

import importlib
import tomllib

from .harness import HERE, ROOT


def public_names():
    """Names below `toolkit` that the `__all__` of a package or of a root module lists."""
    package = ROOT / "toolkit"
    names = []
    for path in sorted(
        [*package.rglob("__init__.py"), *package.glob("[a-z]*.py")]
    ):
        parts = path.relative_to(ROOT).with_suffix("").parts
        module = ".".join(parts).removesuffix(".__init__")
        public = getattr(importlib.import_module(module), "__all__", [])
        names += [
            f"{module}.{name}".removeprefix("toolkit.") for name in public
        ]
    return names


def excuses(what="excused"):
    """{name: reason} of names that no case covers; of "by_library": of cases compared with the lock's versions only."""
    return tomllib.loads((HERE / "excused.toml").read_text("utf-8"))[what]
