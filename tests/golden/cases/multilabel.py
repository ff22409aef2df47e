"""SL-A, SL-AK, SL-B and FL-A: maps of samples, features and labels."""

from functools import partial

import numpy as np
import scipy.sparse

from ..harness import alone, case, each, estimator
from ..inputs import INPUTS, quantity

ALL_LABELS = {"transform_labels": "Y_new"}
SIMILARITIES = {
    "transform": "S_new",
    "decision_function": "S_new",
    "predict": "S_new",
}

sla = partial(estimator, "multilabel.SampleLabelMap")
slak = partial(estimator, "multilabel.KernelSampleLabelMap")
slb = partial(estimator, "multilabel.SampleLabelEigenmap", given="X Y")
fla = partial(estimator, "multilabel.FeatureLabelEigenmap", given="X Y")
most_of_trace = partial(slak, variance=0.9)


def cut(X):
    """A sparse matrix without the entries about the median."""
    is_large = np.abs(X) > np.median(np.abs(X))
    return scipy.sparse.csr_matrix(np.where(is_large, X, 0.0))


@quantity
def sparse(X):
    return cut(X)


@quantity
def sparse_new(X_new):
    return cut(X_new)


def without_axes(model, X_new):
    """What does not depend on the axes: at full rank a kernel may give all labels the same singular value."""
    some = model.embedding_[::4]
    return (
        model.decision_function(X_new),
        some @ some.T,
        model.singular_values_,
        model.rank_,
    )


def ripples(a, b):
    """An indefinite kernel of two vectors."""
    return np.cos(np.linalg.norm(a - b))


def product(a, b):
    """A kernel of two vectors."""
    return (1 + a @ b / len(a)) ** 2


PLACES = "embedding_ label_embedding_ feature_embedding_"
for method in (sla, slb, fla):
    method("three classes", "uneven", given=each("X y", "X Y"))
    # all that two classes have
    method("more features", n_components=1, given="X y")
for method in (sla, slb):
    method(n_components=each(1, 3))
for method in (sla, most_of_trace, slb, fla):
    transform = {} if method is fla else {"transform": "sparse_new"}
    method(given="sparse Y", taken=PLACES, after=transform)

sla("uneven", scaling="center")
alone(
    partial(sla, given="X Y"),
    n_components=None,
    scaling="center",
    variance=0.9,
    after=ALL_LABELS,
)
sla(
    scaling="sum",
    given="S y",
    skipped="components_",
    after={"transform": "S_new", "decision_function": "S_new"},
)
sla(
    scaling="sum",
    given="S Y",
    skipped="components_",
    after={"transform": "S_new", "predict": "S_new"},
)
sla("more features", variance=0.8, n_components=1)
sla(given="X names")

# With repeated samples rounding decides on the rank.
slak(
    "three classes",
    "more features",
    given=each("X y", "X Y"),
    taken=without_axes,
)
most_of_trace("more features", n_components=1)
most_of_trace(kernel=each("linear", "cosine"))
most_of_trace(kernel="rbf", gamma=0.05)
most_of_trace(kernel="poly", degree=2, gamma=0.1, coef0=0.5)
most_of_trace(kernel="laplacian", gamma=0.1)
most_of_trace(kernel="sigmoid", gamma=0.01, coef0=0.1)
most_of_trace(kernel="precomputed", given="S y", after=SIMILARITIES)
slak(kernel=product, given="X Y")
slak(kernel=ripples, variance=0.8, given="X Y")
slak(n_components=each(1, 3), variance=0.99)
slak(n_components=None, variance=0.95, given="X Y", skipped="dual_coef_")
most_of_trace(given="X names", after={"transform_labels": "names_new"})

alone(
    slb,
    alpha=each(0.001, 0.01),
    beta=each(0.0, 3.0),
    gamma=0.2,
    after={"transform": "X_new Y_new"},
)
slb(alpha=1.0, gamma=1.0, given="S Y", after={"transform": "S_new"})
slb(given="X names")
slb(gamma=0.1, after=ALL_LABELS, skipped="embedding_")

fla(n_components=each(1, 3), skipped="embedding_")
fla(
    "more features",
    n_components=1,
    given="X y",
    lowered={"toolkit.core.linalg.LANCZOS_ABOVE": 20},
)
case("multilabel.correlations", "three classes", "uneven", given="X Y")
case("multilabel.correlations", given="sparse Y")
case("multilabel.label_sets", *INPUTS, given="Y")
case("multilabel.label_sets", names=["a", "bb", "ccc"], given="Y")
