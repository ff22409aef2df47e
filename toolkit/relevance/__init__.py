"""Feature relevance for a given map: by selection, by weights, by a metric; over neighbourhood sizes; local."""

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
