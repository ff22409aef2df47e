"""Feature relevance for a given map: by selection, weights, a metric; over sizes; local; any of it beside noise."""

from .metric import NeRVMetric, NeRVRelevance
from .noise import RelevanceEvidence, noise_level, relevance_evidence
from .profile import local_relevance, relevance_profile
from .selection import backward_relevance, forward_relevance

__all__ = [
    "NeRVMetric",
    "NeRVRelevance",
    "RelevanceEvidence",
    "backward_relevance",
    "forward_relevance",
    "local_relevance",
    "noise_level",
    "relevance_evidence",
    "relevance_profile",
]
