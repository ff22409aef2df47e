"""Judging a map by held-out rows; errors of the best of several models."""

from functools import partial

from sklearn.linear_model import Ridge

from toolkit.discriminant import FDA
from toolkit.embed import MDS
from toolkit.validation import as_target

from ..harness import case
from ..inputs import quantity

ERRORS = (
    "error interval training_error optimism p_value permuted_error"
    " permuted_training_error baseline"
)


@quantity
def ridges(t):
    return {"weak": Ridge(1e4), "strong": Ridge(1e-2)}


@quantity
def measured(t):
    return as_target(t, len(t))


validated = partial(
    case,
    "validation.validate_map",
    n_permutations=2,
    n_splits=3,
    verbose=False,
    taken=ERRORS,
)
validated(map=FDA(), X="@X", y="@names")
validated(map=MDS(max_iter=20), X="@X", y="@t")
validated(map=FDA(), X="@X", y="@names", groups="@rows", n_repeats=2)
case(
    "validation.ProjectedMap",
    embedder=MDS(criterion="classical"),
    given="X",
    after={"transform": "X_new"},
    taken="embedding_",
)
case(
    "validation.choice_of",
    given="measured X rows ridges",
    taken="losses scores errors own_scores",
)
case("validation.standard_error", given="t rows")
