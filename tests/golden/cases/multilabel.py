"""SL-A, SL-AK, SL-B and FL-A: maps of samples, features and labels."""

import numpy as np
import scipy.sparse
from sklearn.neighbors import KNeighborsClassifier

from ..harness import Case, Made
from ..inputs import INPUTS

__all__ = ["CASES"]

SLA, SLAK = "multilabel.SampleLabelMap", "multilabel.KernelSampleLabelMap"
SLB, FLA = "multilabel.SampleLabelEigenmap", "multilabel.FeatureLabelEigenmap"
REST = "mean_ kernel_mean_ X_fit_ label_mean_"  # attributes that are copies and means of what is given
LANCZOS = {"toolkit.core.linalg.LANCZOS_ABOVE": 20}
ONE_AXIS = {"n_components": 1}  # all that two classes have


def rows_of(X):
    """A sparse matrix without the entries about the median."""
    return scipy.sparse.csr_matrix(np.where(np.abs(X) > np.median(np.abs(X)), X, 0.0))


def of_sparse(model, given):
    model.fit(rows_of(given["X"]), given["Y"])
    found = {name: value for name, value in vars(model).items() if name.endswith("embedding_")}
    return found | ({"map": model.transform(rows_of(given["X_new"]))} if hasattr(model, "transform") else {})


def without_axes(model, given):
    """What does not depend on the axes: at full rank a kernel may give all labels the same singular value."""
    values = {
        "values": model.decision_function(given["X_new"]),
        "gram": model.embedding_[::4] @ model.embedding_[::4].T,
    }
    return values | {"singular_values": model.singular_values_, "rank": model.rank_}


def ripples(a, b):
    """An indefinite kernel of two vectors."""
    return np.cos(np.linalg.norm(a - b))


def product(a, b, power):
    """A kernel of two vectors."""
    return (1 + a @ b / len(a)) ** power


def label_sets(result, given):
    sets, index, names = result
    return {"sets": sets, "index": index, "lengths": [len(name) for name in names]}


DEFAULTS = [
    Case(f"{method} default, {labels}, {input}", name,
         ONE_AXIS if (key, input) == ("y", "more features") else {}, f"X {key}", input, skipped=REST)
    for method, name in (("sl-a", SLA), ("sl-b", SLB), ("fl-a", FLA))
    for labels, key in (("classes", "y"), ("label matrix", "Y"))
    for input in INPUTS
    if (name, key, input) != (FLA, "Y", "more features")  # there one label is that of all samples
]  # fmt: skip

SLA_CASES = [
    *[Case(f"sl-a components {k}", SLA, {"n_components": k}, skipped=REST) for k in (1, 3)],
    Case("sl-a full rank", SLA, {"n_components": None}, "X Y", skipped=REST),
    Case("sl-a centred, uneven", SLA, {"scaling": "center"}, input="uneven", skipped=REST),
    Case("sl-a centred, label matrix", SLA, {"scaling": "center"}, "X Y", skipped=REST),
    Case("sl-a by sums", SLA, {"scaling": "sum"}, "S y", skipped=f"{REST} components_",
         after={"transform": "S_new", "decision_function": "S_new"}),
    Case("sl-a by sums, label matrix", SLA, {"scaling": "sum"}, "S Y", skipped=f"{REST} components_",
         after={"transform": "S_new", "predict": "S_new"}),
    Case("sl-a part of the variance", SLA, {"variance": 0.9}, "X Y", skipped=REST),
    Case("sl-a part of the variance, more features", SLA, {"variance": 0.8} | ONE_AXIS, input="more features",
         skipped=REST),
    Case("sl-a names of classes", SLA, {}, "X names", skipped=f"{REST} embedding_"),
    Case("sl-a label sets", SLA, {}, "X Y", after={"transform_labels": "Y_new"},
         skipped=f"{REST} embedding_"),
    Case("sl-a classes of new samples", SLA, {}, after={"transform_labels": "y_new"},
         skipped=f"{REST} embedding_"),
    Case("sl-a sparse samples", SLA, {}, "X Y", taken=of_sparse),
]  # fmt: skip

KERNELS = [
    ("rbf", {"gamma": 0.05}),
    ("linear", {}),
    ("poly", {"degree": 2, "gamma": 0.1, "coef0": 0.5}),
    ("laplacian", {"gamma": 0.1}),
    ("cosine", {}),
    ("sigmoid", {"gamma": 0.01, "coef0": 0.1, "variance": 0.9}),
]  # fmt: skip
SLAK_CASES = [
    *[
        Case(f"sl-ak default, {labels}, {input}", SLAK, {}, f"X {key}", input, taken=without_axes)
        for labels, key in (("classes", "y"), ("label matrix", "Y"))
        for input in ("three classes", "more features")  # with repeated samples rounding decides on the rank
    ],
    Case("sl-ak part of the trace, label matrix, uneven", SLAK, {"variance": 0.9}, "X Y", "uneven",
         skipped=REST),
    *[
        Case(f"sl-ak {kernel} kernel", SLAK, {"variance": 0.9, "kernel": kernel, **options}, skipped=REST)
        for kernel, options in KERNELS
    ],
    Case("sl-ak function as kernel", SLAK, {"kernel": product, "kernel_params": {"power": 2}}, "X Y",
         skipped=REST),
    Case("sl-ak given kernel", SLAK, {"variance": 0.9, "kernel": "precomputed"}, "S y", skipped=REST,
         after={"transform": "S_new", "decision_function": "S_new", "predict": "S_new"}),
    Case("sl-ak indefinite kernel", SLAK, {"kernel": ripples, "variance": 0.8}, "X Y", skipped=REST),
    *[
        Case(f"sl-ak part of the trace, {input}", SLAK,
             {"variance": 0.9, **(ONE_AXIS if input == "more features" else {})}, input=input, skipped=REST)
        for input in INPUTS
    ],
    *[Case(f"sl-ak components {k}", SLAK, {"n_components": k, "variance": 0.99}, skipped=REST)
      for k in (1, 3)],
    Case("sl-ak full rank", SLAK, {"n_components": None, "variance": 0.95}, "X Y",
         skipped=f"{REST} dual_coef_"),
    Case("sl-ak names of classes, label sets", SLAK, {"variance": 0.9}, "X names",
         skipped=f"{REST} embedding_", after={"transform_labels": "names_new"}),
    Case("sl-ak sparse samples", SLAK, {"variance": 0.9}, "X Y", taken=of_sparse),
]  # fmt: skip

SLB_CASES = [
    *[Case(f"sl-b components {k}", SLB, {"n_components": k}, "X Y", skipped=REST) for k in (1, 3)],
    *[Case(f"sl-b sample weight {alpha}", SLB, {"alpha": alpha}, "X Y", skipped=REST)
      for alpha in (0.001, 0.01)],
    *[Case(f"sl-b label weight {beta}", SLB, {"beta": beta}, "X Y", skipped=REST) for beta in (0.0, 3.0)],
    Case("sl-b links of samples by labels", SLB, {"gamma": 0.2}, "X Y", skipped=REST),
    Case("sl-b similarities as features", SLB, {"alpha": 1.0, "gamma": 1.0}, "S Y", skipped=REST,
         after={"transform": "S_new"}),
    Case("sl-b nearest neighbours predict, label matrix", SLB, {"label_predictor": KNeighborsClassifier(3)},
         "X Y", skipped=f"{REST} embedding_"),
    Case("sl-b nearest neighbours predict", SLB, {"label_predictor": KNeighborsClassifier(3)}, "X names",
         skipped=f"{REST} embedding_"),
    Case("sl-b known labels of new samples", SLB, {}, "X Y", after={"transform": "X_new Y_new"},
         skipped=f"{REST} embedding_"),
    Case("sl-b label sets", SLB, {"gamma": 0.1}, "X Y", after={"transform_labels": "Y_new"},
         skipped=f"{REST} embedding_"),
    Case("sl-b sparse samples", SLB, {}, "X Y", taken=of_sparse),
]  # fmt: skip

FLA_CASES = [
    *[Case(f"fl-a components {k}", FLA, {"n_components": k}, "X Y", skipped="embedding_") for k in (1, 3)],
    Case("fl-a sparse samples", FLA, {}, "X Y", taken=of_sparse),
    Case("fl-a names of classes, uneven", FLA, {}, "X names", "uneven", skipped="embedding_"),
    Case("fl-a lanczos, more features", FLA, ONE_AXIS, "X y", "more features", lowered=LANCZOS,
         skipped="embedding_"),
    *[Case(f"correlations, {input}", "multilabel.correlations", {}, "X Y", input)
      for input in ("three classes", "uneven")],
    Case("correlations of sparse samples", "multilabel.correlations",
         {"X": Made(lambda given: rows_of(given["X"])), "Y": "@Y"}, ""),
    *[Case(f"label sets, {input}", "multilabel.label_sets", {}, "Y", input, taken=label_sets)
      for input in INPUTS],
    Case("label sets with names", "multilabel.label_sets", {"names": ["a", "bb", "ccc"]}, "Y",
         taken=label_sets),
]  # fmt: skip

CASES = [*DEFAULTS, *SLA_CASES, *SLAK_CASES, *SLB_CASES, *FLA_CASES]
