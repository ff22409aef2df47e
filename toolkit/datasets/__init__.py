"""Data sets: real ones by name, substitutes for them, and synthetic ones.

The structure of a synthetic set is known. In addition to the fields that each
``make_...`` lists, the Bunch that it returns holds ``feature_names`` and, for classes,
``target_names``.
"""

from .loading import (
    checksums,
    fetch,
    fetch_missing,
    list_datasets,
    load,
    verify,
)
from .registry import DatasetDamaged, DatasetUnavailable
from .substitutes import load_or_substitute, substituted_names
from .synthetic.labels_and_graphs import (
    make_clusters,
    make_enclosed_class,
    make_hidden_moons,
    make_torus,
)
from .synthetic.models import (
    make_ball_with_tube,
    make_labelled_cube,
    make_plate_in_ring,
    make_stacked_clusters,
    make_stacked_discs,
    make_two_clusters_with_outlier,
    make_two_modes,
)
from .synthetic.relevance import (
    make_stacked_gaussians,
    make_three_clusters,
    make_xor_copies,
)

__all__ = [
    "DatasetDamaged",
    "DatasetUnavailable",
    "checksums",
    "fetch",
    "fetch_missing",
    "list_datasets",
    "load",
    "load_or_substitute",
    "make_ball_with_tube",
    "make_clusters",
    "make_enclosed_class",
    "make_hidden_moons",
    "make_labelled_cube",
    "make_plate_in_ring",
    "make_stacked_clusters",
    "make_stacked_discs",
    "make_stacked_gaussians",
    "make_three_clusters",
    "make_torus",
    "make_two_clusters_with_outlier",
    "make_two_modes",
    "make_xor_copies",
    "substituted_names",
    "verify",
]
