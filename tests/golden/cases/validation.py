"""Judging a map by held-out rows, and maps placed by a kernel map."""

from functools import partial

from toolkit.discriminant import FDA
from toolkit.embed import MDS

from ..harness import case

ERRORS = (
    "error interval training_error optimism p_value permuted_error"
    " permuted_training_error baseline"
)

validated = partial(
    case,
    "validation.validate_map",
    n_permutations=2,
    n_splits=3,
    verbose=False,
    taken=ERRORS,
)
validated(map=FDA(), X="@X", y="@names")
validated(map=MDS(), X="@X", y="@t")
validated(map=FDA(), X="@X", y="@names", groups="@rows", n_repeats=2)
case(
    "validation.ProjectedMap",
    embedder=MDS(),
    given="X",
    after={"transform": "X_new"},
    taken="embedding_",
)
