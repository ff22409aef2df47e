"""What mutation testing changes in a source, and what it leaves alone."""

import ast
import runpy
from pathlib import Path

SOURCE = '''
"""A text + 1."""
__all__ = ["f"]
BLOCK_ROWS = 7

def f(x: int = 1, *, n_jobs=None):
    """A text."""
    if x < 3:
        raise ValueError(f"`x` must be at least {3 + 0}.")
    return -total(x[1:], axis=0, n_jobs=n_jobs)
'''


def test_mutants_are_small_changes_and_the_tree_holds_each():
    tools = runpy.run_path(Path(__file__).parents[1] / "benchmarks" / "mutants_edits.py")
    tree = ast.parse(SOURCE)
    before, found = ast.dump(tree), []
    for mutant in tools["mutants"](tree):
        assert mutant.after in ast.unparse(ast.fix_missing_locations(tree)) and ast.dump(tree) != before
        found.append((mutant.operator, mutant.after.removeprefix("return ").removesuffix(":")))
    assert ast.dump(tree) == before
    assert found == [
        ("constant", "def f(x: int=2, *, n_jobs=None)"),
        ("comparison", "if x <= 3"),
        ("comparison", "if x > 3"),
        ("constant", "if x < 4"),
        ("statement removed", "pass"),
        ("return value", "None"),
        ("sign or not removed", "total(x[1:], axis=0, n_jobs=n_jobs)"),
        ("keyword dropped", "-total(x[1:], n_jobs=n_jobs)"),
        ("slice", "-total(x[:], axis=0, n_jobs=n_jobs)"),
        ("constant", "-total(x[2:], axis=0, n_jobs=n_jobs)"),
        ("constant", "-total(x[1:], axis=1, n_jobs=n_jobs)"),
    ]
