"""`toolkit.show`: labelled data at a first glance, as a map with sliders."""

import itertools

import numpy as np
import scipy.sparse

from ..core.arrays import check_table
from ..core.checks import check_integer
from ..core.labels import check_labels, class_column, class_names, label_sets
from ..multilabel import SampleLabelMap
from ..plots import voronoi_segments
from ..plots.inputs import check_naming
from ..quality import nearest_label_share
from .explorer import Explorer

__all__ = ["show"]


def show(X, y, *, label_names=None, hover=None, images=None, random_state=0):
    """Show samples and labels in one plane (SL-A), with sliders for the axes and the variance kept.

    A third of the samples is kept out of every fit; the line below the picture says how many of them lie in the cell
    of one of their labels, beside the share for those that the map was fitted on.

    Parameters
    ----------
    X : array-like of shape (n, d)
    y : array-like of shape (n,) class labels, or (n, l) 0/1 indicators
    label_names : sequence of str, optional
    hover : sequence of n str, optional
    images : array-like of shape (n, h, w), optional
    random_state : int, which third is kept out

    Returns
    -------
    Explorer
    """
    X = check_table(X, sparse=True)
    X = X.toarray() if scipy.sparse.issparse(X) else X
    labels = check_labels(y, len(X), name="y")
    if not labels.multilabel:
        check_naming(class_column(y))
    Y, names = labels.Y.astype(int), class_names(label_names, labels)
    check_integer(random_state, "random_state", 0, 2**32 - 1)
    kept_out = np.random.default_rng(random_state).permutation(len(X)) % 3 == 0
    train = ~kept_out if (Y[~kept_out].sum(axis=0) > 0).all() else np.ones(len(X), dtype=bool)
    first = SampleLabelMap(None).fit(X[train], Y[train])
    pairs = list(itertools.combinations(range(1, min(len(first.components_), 3) + 1), 2)) or [(1, 1)]
    _, set_of, set_names = label_sets(Y, names)

    def view(axes, variance):
        fitted = SampleLabelMap(None, variance=variance).fit(X[train], Y[train])
        pick = [min(int(a), len(fitted.components_)) - 1 for a in axes.split(" and ")]
        Z, anchors = fitted.transform(X)[:, pick], fitted.label_embedding_[:, pick]
        if pick[0] == pick[1]:  # one axis only: the second stays empty
            Z[:, 1], anchors[:, 1] = 0, 0
        rows = {"fitted": train, "kept-out": ~train}
        found = {what: nearest_label_share(Z[r], anchors, Y[r]) for what, r in rows.items() if r.any()}
        shares = ", ".join(f"{share:.1%} of the {what} samples" for what, share in found.items())
        rate = fitted.singular_values_[np.unique(pick)].sum() / fitted.singular_values_.sum()
        height = Z[:, 1 if pick[0] != pick[1] else 0]
        box = (*np.quantile(Z[:, 0], [0, 1]), *np.quantile(height, [0, 1]))
        status = f"axes carry {rate:.1%} of the singular values; in a right cell: {shares}"
        return {"Z": Z, "anchors": anchors, "segments": voronoi_segments(anchors, box), "status": status}

    return Explorer(
        view,
        {"axes": [f"{a} and {b}" for a, b in pairs], "variance": [1, 0.99, 0.95, 0.9, 0.8]},
        labels=set_of,
        label_names=set_names,
        anchor_names=names,
        hover=hover,
        images=images,
        align=False,
        title="Samples and labels (SL-A)",
        caption="Large marks are the points of the labels, grey lines their cells.",
        code="SampleLabelMap(None, variance={variance}).fit(X, y)  # axes {axes}",
    )
