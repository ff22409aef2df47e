"""Data: real sets by name, substitutes where they cannot be had, and made sets with a known truth."""

from .loading import checksums, describe, fetch, list_datasets, load, verify
from .registry import DatasetDamaged, DatasetUnavailable
from .substitutes import load_or_substitute, substituted
from .synthetic import make_multilabel_gaussians

__all__ = [
    "DatasetDamaged",
    "DatasetUnavailable",
    "checksums",
    "describe",
    "fetch",
    "list_datasets",
    "load",
    "load_or_substitute",
    "make_multilabel_gaussians",
    "substituted",
    "verify",
]
