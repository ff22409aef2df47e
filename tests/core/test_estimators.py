"""toolkit.core.warning: the line of a warning; contract.py has the rest."""

import warnings
from types import ModuleType

from toolkit.core import warn


def test_warnings_name_the_line_outside_the_package():
    inside = ModuleType("toolkit.inside")
    inside.warn = warn
    exec(
        "def outer(): inner()\ndef inner(): warn('The sky is low.')",
        vars(inside),
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        inside.outer()
    assert (
        caught[0].filename == __file__
        and str(caught[0].message) == "The sky is low."
    )
