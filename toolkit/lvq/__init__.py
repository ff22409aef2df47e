"""Learning vector quantisation: GLVQ, GMLVQ with its map, class-wise matrices within one, RSLVQ, theory of the end."""

from .classwise import ClasswiseGMLVQ
from .gmlvq import GLVQ, GMLVQ
from .rslvq import RSLVQ
from .stationarity import final_gradient_matrix, rank_one_limit, stationary_matrix, weak_penalty_matrix

__all__ = [
    "GLVQ",
    "GMLVQ",
    "RSLVQ",
    "ClasswiseGMLVQ",
    "final_gradient_matrix",
    "rank_one_limit",
    "stationary_matrix",
    "weak_penalty_matrix",
]
