"""The maps that `toolkit.show` offers: positions of all samples, from a fit to some of them, and the code of these."""

import itertools
import warnings
from dataclasses import dataclass
from functools import cache

import numpy as np
from sklearn.cross_decomposition import PLSRegression
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression

from ..eigenmaps import SLEML
from ..multilabel import SampleLabelMap
from .generated_code import fisher_code, imports_of
from .placing import METRICS, MODELS, FisherTSNE, PlainTSNE

__all__ = ["MAPS", "Samples"]

MOST_FOR_PROCESS = 300  # fitted samples of a Gaussian process, whose lengths take the fourth power of their number
SLIGHT = 1e-9  # of the standard deviation of the data: rounding


@dataclass(frozen=True, eq=False)
class Samples:
    """Samples of a map.

    Attributes
    ----------
    A : ndarray of shape (n, p), numbers on comparable scales, p >= 2
    y : ndarray of shape (n,) numbers of classes or values, or (n, l) 0/1 labels; zeros if there are none
    kind : "classes", "labels", "values" or None
    fitted : ndarray of bool, shape (n,)
    seed : int
    """

    A: np.ndarray
    y: np.ndarray
    kind: str | None
    fitted: np.ndarray
    seed: int

    @property
    def told(self):
        """Fitted samples, and their target."""
        return self.A[self.fitted], self.y[self.fitted]


class Map:
    """A map of `Samples`; subclasses give what is below, and may give `axis_names` of a setting.

    `positions` gives those of all samples, (n, 2), and `code` imports, an empty line, and lines that compute these from
    `A`, `y` and `fitted`.

    Attributes
    ----------
    is_told : bool, whether it knows the labels of the fitted samples
    name : str, in words
    sliders : dict of str to list, settings; `start` is that which it has in the list of maps
    """

    is_told = True
    start = {}

    def __init__(self, samples):
        self.samples = samples
        self.sliders = self._sliders()

    def axis_names(self, **setting):
        """Names of the two axes."""
        return "axis 1", "axis 2"


class Linear(Map):
    """SL-A: samples and label points; two classes differ along one axis, the second then shows the rest of the data."""

    name = "Linear map of samples and labels (SL-A)"

    def _sliders(self):
        self._fit = cache(self._fit)
        k = min(len(self._fit(1).components_), 3)
        return ({"axes": _pairs(k)} if k > 2 else {}) | {"variance": [1, 0.99, 0.95, 0.9, 0.8]}

    def _fit(self, variance):
        return SampleLabelMap(None, variance=variance).fit(*self.samples.told)

    def fitted(self, axes="1 and 2", variance=1):
        """The fitted map, and which of its axes are shown."""
        sla = self._fit(variance)
        return sla, [j for j in _picks(axes) if j < len(sla.components_)] or [0]

    def positions(self, **setting):
        sla, pick = self.fitted(**setting)
        z = sla.transform(self.samples.A)[:, pick]
        return z if len(pick) > 1 else self._with_rest(z)

    def _with_rest(self, z):
        A, fitted = self.samples.A, self.samples.fitted
        R = A - LinearRegression().fit(z[fitted], A[fitted]).predict(z)
        with np.errstate(invalid="ignore"):  # of a rest of zeros
            r = PCA(1, random_state=self.samples.seed).fit(R[fitted]).transform(R)
        return np.hstack([z, r * z[fitted].std() / max(r[fitted].std(), SLIGHT * A[fitted].std())])

    def anchors(self, **setting):
        """Points (l, 2) of the labels."""
        sla, pick = self.fitted(**setting)
        points = sla.label_embedding_[:, pick]
        return points if len(pick) > 1 else np.hstack([points, np.zeros_like(points)])

    def rate(self, **setting):
        """Fraction of the singular values that the axes shown carry."""
        sla, pick = self.fitted(**setting)
        return sla.singular_values_[pick].sum() / sla.singular_values_.sum()

    def axis_names(self, **setting):
        _, pick = self.fitted(**setting)
        names = [f"axis {j + 1}" for j in pick] + ["most of the rest, to the same scale"]
        return names[0], names[1]

    def code(self, **setting):
        sla, pick = self.fitted(**setting)
        head = "from toolkit.multilabel import SampleLabelMap\n\nsla = "
        head += f"SampleLabelMap(None, variance={setting.get('variance', 1)}).fit(A[fitted], y[fitted])\n"
        if len(pick) > 1:
            return f"{head}sla.transform(A)[:, {pick}]"
        return f"""from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression
{head}z = sla.transform(A)[:, {pick}]
R = A - LinearRegression().fit(z[fitted], A[fitted]).predict(z)  # what the axis does not tell
r = PCA(1, random_state={self.samples.seed}).fit(R[fitted]).transform(R)
np.hstack([z, r * z[fitted].std() / max(r[fitted].std(), {SLIGHT} * A[fitted].std())])"""


class Fitted(Map):
    """A map of an estimator of scikit-learn's kind, `estimator`; of more than two axes some are shown."""

    home = ""

    def _sliders(self):
        self._most = min(3, self.samples.A.shape[1], int(self.samples.fitted.sum()))
        return {"axes": _pairs(self._most)}

    def positions(self, axes="1 and 2", **setting):
        with warnings.catch_warnings(action="ignore", category=UserWarning):  # of values that one axis tells
            fitted = self.estimator(**setting).fit(*self.samples.told)
        return fitted.transform(self.samples.A)[:, _picks(axes)]

    def code(self, axes="1 and 2", **setting):
        estimator = self.estimator(**setting)
        told = "A[fitted], y[fitted]" if self.is_told else "A[fitted]"
        head = f"from {self.home} import {type(estimator).__name__}\n\nestimator = {estimator!r}.fit({told})\n"
        return f"{head}estimator.transform(A)[:, {_picks(axes)}]"

    def axis_names(self, axes="1 and 2"):
        return tuple(f"component {j + 1}" for j in _picks(axes))


class LeastSquares(Fitted):
    """Partial least squares of values."""

    name, home = "Partial least squares (PLS)", "sklearn.cross_decomposition"

    def estimator(self):
        return PLSRegression(self._most, scale=False)


class Principal(Fitted):
    """Principal components, which know no labels."""

    is_told, name, home = False, "Principal components", "sklearn.decomposition"

    def estimator(self):
        return PCA(self._most, random_state=self.samples.seed)


class Eigenmap(Fitted):
    """SLE-ML; new samples by their neighbours."""

    name, home, start = "Supervised Laplacian eigenmap (SLE-ML)", "toolkit.eigenmaps", {"lam": 0.5}
    axis_names = Map.axis_names

    def _sliders(self):
        return {"lam": [0.1, 0.3, 0.5, 0.7, 0.9]}

    def estimator(self, lam):
        return SLEML(lam=lam)


class Placing(Map):
    """A kind of t-SNE; new samples by a kernel map."""

    def positions(self, **setting):
        A, fitted, tsne = self.samples.A, self.samples.fitted, self._tsne(**setting)
        Z = np.empty((len(A), 2))
        Z[fitted], Z[~fitted] = tsne.Z, tsne.place(A[~fitted])
        return Z

    def code(self, **setting):
        made = self._made(**setting)
        return f"""{imports_of(made)}

tsne = {made}
Z = np.empty((len(A), 2))
Z[fitted], Z[~fitted] = tsne.Z, tsne.place(A[~fitted])
Z"""


class Fisher(Placing):
    """t-SNE of distances that grow where the label changes."""

    name = "t-SNE of Fisher distances"

    def _sliders(self):
        models = MODELS[self.samples.kind == "values"]
        if self.samples.fitted.sum() > MOST_FOR_PROCESS:
            models = [model for model in models if model != "Gaussian process"]
        self.start = {"model": models[0]}
        return {"model": models}

    def _tsne(self, model):
        return FisherTSNE(METRICS[model], *self.samples.told, self.samples.seed)

    def _made(self, model):
        return fisher_code(METRICS[model], "A", self.samples.seed)


class Plain(Placing):
    """t-SNE, which knows no labels."""

    is_told, name = False, "t-SNE"

    def _sliders(self):
        most = (self.samples.fitted.sum() - 1) / 3
        perplexities = [k for k in (5, 10, 30, 50, 100) if k <= most] or [max(float(most), 1.01)]
        self.start = {"perplexity": max(k for k in perplexities if k <= 30)}
        return {"perplexity": perplexities}

    def _tsne(self, perplexity):
        return PlainTSNE(self.samples.A[self.samples.fitted], self.samples.seed, perplexity)

    def _made(self, perplexity):
        return f"PlainTSNE(A[fitted], seed={self.samples.seed}, perplexity={perplexity})"


def _pairs(most):
    """Pairs of axes as the slider names them.

    Examples
    --------
    >>> _pairs(3)
    ['1 and 2', '1 and 3', '2 and 3']
    """
    return [f"{a} and {b}" for a, b in itertools.combinations(range(1, most + 1), 2)]


def _picks(axes):
    return [int(axis) - 1 for axis in axes.split(" and ")]


MAPS = {
    "classes": {"linear": Linear, "SLE-ML": Eigenmap, "Fisher t-SNE": Fisher, "PCA": Principal, "t-SNE": Plain},
    "labels": {"linear": Linear, "SLE-ML": Eigenmap, "PCA": Principal, "t-SNE": Plain},
    "values": {"linear": LeastSquares, "Fisher t-SNE": Fisher, "PCA": Principal, "t-SNE": Plain},
    None: {"PCA": Principal, "t-SNE": Plain},
}
