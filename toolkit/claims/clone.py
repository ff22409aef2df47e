"""What only a clone can do: measure claims, and tell which entries are out of date.

The experiments are tests, and ``tests/ledger`` has what runs them.
"""

import sys
from importlib import import_module

from ..core import project_root


def has_experiments():
    """Whether this is a clone with its tests, not an installed wheel."""
    root = project_root()
    return root is not None and (root / "tests" / "ledger").is_dir()


def load_machinery(name):
    """The module of this name in ``tests/ledger``.

    Parameters
    ----------
    name : {"measure", "merging", "restamping", "stale"}

    Returns
    -------
    module : module

    Raises
    ------
    ValueError
        In an installed wheel.
    """
    if not has_experiments():
        raise ValueError(
            "It needs a clone: the experiments are not in the wheel. The stored"
            " results are listed by `python -m toolkit claims`."
        )
    tests = str(project_root() / "tests")
    if tests not in sys.path:
        sys.path.insert(0, tests)
    return import_module(f"ledger.{name}")


def run(options):
    """Run the command ``measure``; its exit code."""
    return load_machinery("measure").run(options)
