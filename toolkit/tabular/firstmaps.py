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
from .generated_code import imports_of
from .placing import METRICS, FisherTSNE, PlainTSNE

__all__ = ["MAPS", "Samples"]

MOST_FOR_PROCESS = 300  # fitted samples of a Gaussian process, whose lengths take the fourth power of their number
SLIGHT = 1e-9  # of the standard deviation of the data: rounding


@dataclass(frozen=True, eq=False)
class Samples:
    """Samples of a map.

    Attributes
    ----------
    A : ndarray of shape (n, p), numbers on comparable scales, p >= 2
    y : ndarray of shape (n,) numbers of classes or values, (n, l) 0/1 labels, or None
    kind : "classes", "labels", "values" or None
    fitted : ndarray of bool, shape (n,)
    seed : int
    """

    A: np.ndarray
    y: np.ndarray | None
    kind: str | None
    fitted: np.ndarray
    seed: int


class Map:
    """A map of `Samples`; subclasses give what is below, and may give `axis_names` of a setting.

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
        self.sliders = self._sliders(samples)

    def positions(self, **setting):
        """Positions (n, 2) of all samples."""
        raise NotImplementedError

    def code(self, **setting):
        """Imports, an empty line, and lines that compute these from `A`, `y` and `fitted`."""
        raise NotImplementedError

    def axis_names(self, **setting):
        """Names of the two axes."""
        return "axis 1", "axis 2"


class Linear(Map):
    """SL-A: samples and label points; two classes differ along one axis, the second then shows the rest of the data."""

    name = "Linear map of samples and labels (SL-A)"

    def _sliders(self, samples):
        self._fit = cache(self._fit)
        k = min(len(self._fit(1).components_), 3)
        variance = [1, 0.99, 0.95, 0.9, 0.8]
        return ({"axes": _pairs(k)} if k > 2 else {}) | {"variance": variance}

    def _fit(self, variance):
        A, y, fitted = self.samples.A, self.samples.y, self.samples.fitted
        return SampleLabelMap(None, variance=variance).fit(A[fitted], y[fitted])

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
        first, *second = [f"axis {j + 1}" for j in pick]
        return first, (second or ["most of the rest, to the same scale"])[0]

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


class LeastSquares(Map):
    """Partial least squares of values."""

    name = "Partial least squares (PLS)"

    def _sliders(self, samples):
        self._most = min(3, samples.A.shape[1], int(samples.fitted.sum()))
        return {"axes": _pairs(self._most)}

    def positions(self, axes="1 and 2"):
        A, y, fitted = self.samples.A, self.samples.y, self.samples.fitted
        with warnings.catch_warnings(action="ignore", category=UserWarning):  # of values that one axis tells
            return PLSRegression(self._most, scale=False).fit(A[fitted], y[fitted]).transform(A)[:, _picks(axes)]

    def code(self, axes="1 and 2"):
        return f"""from sklearn.cross_decomposition import PLSRegression

pls = PLSRegression({self._most}, scale=False).fit(A[fitted], y[fitted])
pls.transform(A)[:, {_picks(axes)}]"""

    def axis_names(self, axes="1 and 2"):
        return tuple(f"component {j + 1}" for j in _picks(axes))


class Principal(LeastSquares):
    """Principal components, which know no labels."""

    is_told, name = False, "Principal components"

    def positions(self, axes="1 and 2"):
        A, fitted = self.samples.A, self.samples.fitted
        return PCA(self._most, random_state=self.samples.seed).fit(A[fitted]).transform(A)[:, _picks(axes)]

    def code(self, axes="1 and 2"):
        return f"""from sklearn.decomposition import PCA

pca = PCA({self._most}, random_state={self.samples.seed}).fit(A[fitted])
pca.transform(A)[:, {_picks(axes)}]"""


class Eigenmap(Map):
    """SLE-ML; new samples by their neighbours."""

    name, start = "Supervised Laplacian eigenmap (SLE-ML)", {"lam": 0.5}

    def _sliders(self, samples):
        return {"lam": [0.1, 0.3, 0.5, 0.7, 0.9]}

    def positions(self, lam):
        A, y, fitted = self.samples.A, self.samples.y, self.samples.fitted
        return SLEML(lam=lam).fit(A[fitted], y[fitted]).transform(A)

    def code(self, lam):
        return f"""from toolkit.eigenmaps import SLEML

SLEML(lam={lam}).fit(A[fitted], y[fitted]).transform(A)"""


class Fisher(Map):
    """t-SNE of distances that grow where the label changes; new samples by a kernel map."""

    name = "t-SNE of Fisher distances"

    def _sliders(self, samples):
        if samples.kind == "classes":
            return {"model": ["logistic regression", "Parzen windows"]}
        few = samples.fitted.sum() <= MOST_FOR_PROCESS
        return {"model": ["linear regression", "Gaussian process"] if few else ["linear regression"]}

    @property
    def start(self):
        return {"model": self.sliders["model"][0]}

    def positions(self, model):
        A, y, fitted, seed = self.samples.A, self.samples.y, self.samples.fitted, self.samples.seed
        return _joined(FisherTSNE(METRICS[model], A[fitted], y[fitted], seed), A, fitted)

    def code(self, model):
        metric = " ".join(repr(METRICS[model]).split())
        made = f"FisherTSNE({metric}, A[fitted], y[fitted], seed={self.samples.seed})"
        return f"{imports_of(made)}\n\ntsne = {made}\n{JOIN}"


class Plain(Map):
    """t-SNE, which knows no labels; new samples by a kernel map."""

    is_told, name = False, "t-SNE"

    def _sliders(self, samples):
        most = (samples.fitted.sum() - 1) / 3
        return {"perplexity": [k for k in (5, 10, 30, 50, 100) if k <= most] or [max(float(most), 1.01)]}

    @property
    def start(self):
        return {"perplexity": max(k for k in self.sliders["perplexity"] if k <= 30)}

    def positions(self, perplexity):
        A, fitted = self.samples.A, self.samples.fitted
        return _joined(PlainTSNE(A[fitted], self.samples.seed, perplexity), A, fitted)

    def code(self, perplexity):
        made = f"PlainTSNE(A[fitted], seed={self.samples.seed}, perplexity={perplexity})"
        return f"from toolkit.tabular import PlainTSNE\n\ntsne = {made}\n{JOIN}"


JOIN = """Z = np.empty((len(A), 2))
Z[fitted], Z[~fitted] = tsne.Z, tsne.place(A[~fitted])
Z"""


def _joined(tsne, A, fitted):
    Z = np.empty((len(A), 2))
    Z[fitted], Z[~fitted] = tsne.Z, tsne.place(A[~fitted])
    return Z


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
