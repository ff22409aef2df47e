"""The maps that `toolkit.show` offers, and the code of each.

A map gives positions of all samples, from a fit to some of them.
"""

import itertools
import warnings
from functools import cache

import numpy as np
from sklearn.cross_decomposition import PLSRegression
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression

from ..eigenmaps import SLEML
from ..multilabel import SampleLabelMap
from .embedders import METRICS, MODELS, fisher_tsne, plain_tsne
from .generated_code import as_code

# fitted samples of a Gaussian process, whose lengths take the fourth power of their
# number
MOST_FOR_PROCESS = 300
SLIGHT = 1e-9  # of the standard deviation of the data: rounding


class Map:
    """A map by an estimator of scikit-learn's kind, of whose axes two are shown.

    `frame` gives what an explorer shows of a setting: positions `Z` of all samples, (n,
    2), and names of the axes; `code` gives lines that compute the positions from `A`,
    `y` and `fitted`.

    Parameters
    ----------
    A : ndarray of shape (n, p)
        Numbers on comparable scales, p >= 2.
    y : ndarray of shape (n,) or (n, l)
        Numbers of classes or values, or 0/1 labels; zeros if there are none.
    kind : "classes", "labels", "values" or None
    fitted : ndarray of bool, shape (n,)
    seed : int

    Attributes
    ----------
    is_supervised : bool
        Whether it is fitted with the labels of the fitted samples.
    name : str, in words
    axis : str, what its axes are
    sliders : dict of str to list
        Settings; `start` is that which it has in the list of maps.
    """

    is_supervised = True
    axis = "axis"
    start = {}

    def __init__(self, A, y, kind, fitted, seed):
        self.A = A
        self.kind = kind
        self.fitted = fitted
        self.seed = seed
        self.training = A[fitted], y[fitted]
        self.most = min(3, *self.training[0].shape)
        self.sliders = self._sliders()

    def _sliders(self):
        return {"axes": _pairs(self.most)}

    def frame(self, axes="1 and 2", **setting):
        pick = _picks(axes)
        # of values that one axis tells
        with warnings.catch_warnings(action="ignore", category=UserWarning):
            estimator = self.estimator(**setting).fit(*self.training)
        Z = estimator.transform(self.A)[:, pick]
        return {"Z": Z, "axis_names": [f"{self.axis} {j + 1}" for j in pick]}

    def code(self, axes="1 and 2", **setting):
        training = "A[fitted], y[fitted]" if self.is_supervised else "A[fitted]"
        return (
            f"estimator = {self.estimator(**setting)!r}.fit({training})\n"
            f"estimator.transform(A)[:, {_picks(axes)}]"
        )


class LeastSquares(Map):
    """Partial least squares of values."""

    name = "Partial least squares (PLS)"
    axis = "component"

    def estimator(self):
        return PLSRegression(self.most, scale=False)


class Principal(Map):
    """Principal components, which are unsupervised."""

    is_supervised = False
    name = "Principal components"
    axis = "component"

    def estimator(self):
        return PCA(self.most, random_state=self.seed)


class Eigenmap(Map):
    """SLE-ML; new samples by their neighbours."""

    name = "Supervised Laplacian eigenmap (SLE-ML)"
    start = {"lam": 0.5}
    estimator = SLEML

    def _sliders(self):
        return {"lam": [0.1, 0.3, 0.5, 0.7, 0.9]}


class Linear(Map):
    """SL-A: samples and label points.

    Two classes differ along one axis; the second then shows the rest of the data.
    """

    name = "Linear map of samples and labels (SL-A)"

    def _sliders(self):
        self._fit = cache(
            lambda variance: SampleLabelMap(None, variance=variance).fit(
                *self.training
            )
        )
        n_axes = min(len(self._fit(1).components_), 3)
        axes = {"axes": _pairs(n_axes)} if n_axes > 2 else {}
        return axes | {"variance": [1, 0.99, 0.95, 0.9, 0.8]}

    def plane(self, axes="1 and 2", variance=1):
        """The fitted map, and which of its axes are shown."""
        sla = self._fit(variance)
        return sla, [j for j in _picks(axes) if j < len(sla.components_)] or [0]

    def frame(self, **setting):
        """Also the label points and what the axes explain.

        `anchors` (l, 2), and the `rate` of the singular values that the axes carry.
        """
        sla, pick = self.plane(**setting)
        A = self.A
        fitted = self.fitted
        Z = sla.transform(A)[:, pick]
        anchors = sla.label_embedding_[:, pick]
        names = [f"axis {j + 1}" for j in pick]
        if len(pick) == 1:
            # the first component of what the axis leaves out, as long as the axis
            R = A - LinearRegression().fit(Z[fitted], A[fitted]).predict(Z)
            with np.errstate(invalid="ignore"):  # of a rest of zeros
                r = PCA(1, random_state=self.seed).fit(R[fitted]).transform(R)
            least = SLIGHT * A[fitted].std()
            r = r * Z[fitted].std() / max(r[fitted].std(), least)
            Z = np.hstack([Z, r])
            anchors = np.hstack([anchors, np.zeros_like(anchors)])
            names.append("most of the rest, to the same scale")
        rate = sla.singular_values_[pick].sum() / sla.singular_values_.sum()
        return {"Z": Z, "axis_names": names, "anchors": anchors, "rate": rate}

    def code(self, variance=1, **setting):
        _, pick = self.plane(variance=variance, **setting)
        head = (
            f"sla = SampleLabelMap(None, variance={variance}).fit(A[fitted],"
            " y[fitted])\n"
        )
        if len(pick) > 1:
            return f"{head}sla.transform(A)[:, {pick}]"
        # the same as in `frame`
        return f"""{head}z = sla.transform(A)[:, {pick}]
# what the axis does not tell
R = A - LinearRegression().fit(z[fitted], A[fitted]).predict(z)
r = PCA(1, random_state={self.seed}).fit(R[fitted]).transform(R)
scale = z[fitted].std() / max(r[fitted].std(), {SLIGHT} * A[fitted].std())
np.hstack([z, r * scale])"""


class Fisher(Map):
    """t-SNE of distances that grow where the label changes.

    New samples by a kernel map.
    """

    name = "t-SNE of Fisher distances"

    def _sliders(self):
        models = MODELS[self.kind == "values"]
        if len(self.training[0]) > MOST_FOR_PROCESS:
            models = [model for model in models if model != "Gaussian process"]
        self.start = {"model": models[0]}
        return {"model": models}

    def estimator(self, model):
        return fisher_tsne(METRICS[model], self.seed)

    def frame(self, **setting):
        tsne = self.estimator(**setting)
        Z = np.empty((len(self.A), 2))
        Z[self.fitted] = tsne.fit_transform(*self.training)
        Z[~self.fitted] = tsne.transform(self.A[~self.fitted])
        return {"Z": Z, "axis_names": ["axis 1", "axis 2"]}

    def code(self, **setting):
        return f"""tsne = {as_code(self.estimator(**setting))}
Z = np.empty((len(A), 2))
Z[fitted] = tsne.fit_transform(A[fitted], y[fitted])
Z[~fitted] = tsne.transform(A[~fitted])
Z"""


class Plain(Fisher):
    """t-SNE, which is unsupervised."""

    is_supervised = False
    name = "t-SNE"

    def _sliders(self):
        most = (len(self.training[0]) - 1) / 3
        perplexities = [k for k in (5, 10, 30, 50, 100) if k <= most]
        perplexities = perplexities or [max(most, 1.01)]
        self.start = {"perplexity": max(k for k in perplexities if k <= 30)}
        return {"perplexity": perplexities}

    def estimator(self, perplexity):
        return plain_tsne(self.seed, perplexity)


def _pairs(most):
    """Pairs of axes as the slider names them.

    Examples
    --------
    >>> _pairs(3)
    ['1 and 2', '1 and 3', '2 and 3']
    """
    return [
        f"{a} and {b}" for a, b in itertools.combinations(range(1, most + 1), 2)
    ]


def _picks(axes):
    return [int(axis) - 1 for axis in axes.split(" and ")]


UNSUPERVISED_MAPS = {"PCA": Principal, "t-SNE": Plain}
MAPS = {
    "classes": {"linear": Linear, "SLE-ML": Eigenmap, "Fisher t-SNE": Fisher},
    "labels": {"linear": Linear, "SLE-ML": Eigenmap},
    "values": {"linear": LeastSquares, "Fisher t-SNE": Fisher},
    None: {},
}
MAPS = {kind: maps | UNSUPERVISED_MAPS for kind, maps in MAPS.items()}
