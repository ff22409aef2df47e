"""How many examples a property test draws."""

import os

__all__ = ["examples"]


def examples(most):
    """`most` where slow tests are run, too (``make test SLOW=1``); a quarter of that by default, at least ten."""
    return most if os.environ.get("SLOW") else max(10, most // 4)
