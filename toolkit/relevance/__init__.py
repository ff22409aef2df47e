"""Which features a given map shows: one at a time, weighted, as a metric; over neighbourhood sizes, place by place."""

from .metric import NeRVMetric, NeRVRelevance
from .profile import local_relevance, relevance_profile
from .selection import backward_relevance, forward_relevance

__all__ = [
    "NeRVMetric",
    "NeRVRelevance",
    "backward_relevance",
    "forward_relevance",
    "local_relevance",
    "relevance_profile",
]
