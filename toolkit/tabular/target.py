"""What samples are coloured by, and what a map tells of it: classes, several labels per sample, or values."""

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse

from ..core.arrays import check_target
from ..core.labels import check_labels, class_column, class_names, label_array, label_sets
from ..plots.inputs import is_measured
from ..quality import nearest_label
from .placing import N_NEIGHBORS, by_neighbours

__all__ = ["Target", "read_target"]


@dataclass(frozen=True, eq=False)
class Target:
    """The target of n samples; `read_target` makes one.

    Attributes
    ----------
    kind : "classes", "labels" or "values"; None: there is none
    y : ndarray of shape (n,), numbers of classes or values, or (n, l), 0 and 1; zeros if there is none
    names : list of str, of classes or labels
    code : list of str, lines that make an array of `y`
    colours : dict, `labels` and `label_names` of an explorer
    """

    kind: str | None
    y: np.ndarray
    names: list
    code: list
    colours: dict

    def told(self, Z, fitted, counted):
        """What the nearest fitted samples in the map Z (n, 2) tell of those `counted` and of each other, in words."""
        if self.kind is None:
            return ""
        y = self.y.astype(str) if self.kind == "classes" else self.y
        near = by_neighbours(Z[fitted], y[fitted], Z[counted]) if counted.any() else y[counted]
        own = by_neighbours(Z[fitted], y[fitted], None, own=True)
        losses = self._losses(y[counted], near), self._losses(y[fitted], own)
        return self._in_words(f"by the {N_NEIGHBORS} nearest", *losses, fitted, counted)

    def told_by_cells(self, Z, anchors, fitted, counted):
        """The same of the cells of label points (l, 2) that the samples lie in."""
        loss = 1.0 - self._indicators()[np.arange(len(Z)), nearest_label(Z, anchors)]
        return self._in_words("by the cell", loss[counted], loss[fitted], fitted, counted)

    def of_fitted(self, fitted):
        """The same with those labels alone that a fitted sample has, and lines of code that leave out the others."""
        known = self.y[fitted].any(axis=0) if self.kind == "labels" else np.ones(len(self.names), dtype=bool)
        if known.all():
            return self, []
        names = [name for name, is_known in zip(self.names, known, strict=True) if is_known]
        return replace(self, y=self.y[:, known], names=names), ["y = y[:, y[fitted].any(axis=0)]"]

    def _indicators(self):
        return np.eye(len(self.names), dtype=int)[self.y] if self.kind == "classes" else self.y

    def _losses(self, y, told):
        if self.kind == "classes":
            return (y != told).astype(float)
        if self.kind == "labels":
            return 1.0 - y[np.arange(len(y)), told.argmax(axis=1)]
        return (y - told) ** 2

    def _in_words(self, how, new, own, fitted, counted):
        asked = counted if counted.any() else fitted
        if self.kind == "values":
            unit = self.y[fitted].std() or 1.0
            chance = (self.y[asked] - self.y[fitted].mean()) ** 2
            new, own, chance = (
                f"{np.sqrt(loss.mean()) / unit:.2f}" if len(loss) else "" for loss in (new, own, chance)
            )
            what = f"Error {how}, in standard deviations of y"
        else:
            Y, share = self._indicators(), (new.sum() + 1) / (len(new) + 2)  # as with one more wrong, one more right
            deviation = np.sqrt(share * (1 - share) / max(len(new), 1))
            frequent = Y[fitted].sum(axis=0).argmax()
            new = f"{1 - new.mean():.1%} (± {deviation:.1%})" if len(new) else ""
            own, chance = f"{1 - own.mean():.1%}", f"{Y[asked, frequent].mean():.1%}"
            what = f"Right {how}"
        none = "none kept out that differ from the fitted, so nothing is known of new samples"
        of = "in" if self.kind == "values" else "of"
        kept = f"kept out {new} {of} {counted.sum():,}" if new else none
        return f"{what}: {kept}; fitted {own} {of} {fitted.sum():,}; chance {chance}."


def read_target(y, n, label_names=None):
    """The target y of n samples as a `Target`; numbers that measure something are values, others classes.

    Examples
    --------
    >>> read_target(["b", "a"], 2).y, read_target([0.5, 1.0], 2).kind
    (array([1, 0]), 'values')
    """
    if y is None:
        if label_names is not None:
            raise ValueError("`label_names` must be None without `y`; got names. Give `y`, too.")
        return Target(None, np.zeros(n), [], ["y = np.zeros(len(A))"], {})
    values = label_array(y)
    column = values.ndim == 1 or values.ndim == 2 and values.shape[1] == 1
    code = ["y = y.toarray()" if scipy.sparse.issparse(y) else "y = np.asarray(y)"]
    if column and len(values) and is_measured(class_column(y)):
        values = check_target(class_column(y), n)
        if label_names is not None:
            rule = "`label_names` must be None for values; `y` holds numbers that measure"
            raise ValueError(f"{rule}, such as {values[0]:g}. Leave it out, or make classes by y.astype(str).")
        code[0] += ".astype(float).ravel()"
        return Target("values", values, [], code, {})
    labels = check_labels(y, n, name="y")
    names = class_names(label_names, labels)
    if labels.multilabel:
        Y = labels.Y.astype(int)
        code[0] += ".astype(int)"
        _, sets, set_names = label_sets(Y, names)
        return Target("labels", Y, names, code, {"labels": sets, "label_names": set_names})
    codes = labels.Y.argmax(axis=1)
    code[0] += ".ravel()" if values.ndim == 2 else ""
    code.append("y = np.unique(y, return_inverse=True)[1]  # numbers of the classes")
    return Target("classes", codes, names, code, {"labels": codes, "label_names": names})
