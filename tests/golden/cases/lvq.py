"""Matrix LVQ and large margin metrics."""

from ..harness import Case

__all__ = ["CASES"]

CASES = [
    Case("gmlvq default", "lvq.GMLVQ"),
    Case("gmlvq with a penalty, few iterations", "lvq.GMLVQ", {"mu": 0.1, "max_iter": 10}),
    Case("lmnn default", "lmnn.LMNN", {"max_iter": 10}),
]

