"""Stand-in data where the real ones are unavailable, so that every lesson runs on every machine."""

import numpy as np
import scipy.sparse
from scipy.integrate import odeint
from scipy.signal import lfilter
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.utils import Bunch

from .loading import freeze, load
from .registry import DatasetDamaged, DatasetUnavailable, entry
from .synthetic.common import names

_substituted = set()


def substituted():
    """Names for which this process went on with stand-in data; no claim is recorded on them.

    Examples
    --------
    >>> "landsat" in substituted()
    False
    """
    return frozenset(_substituted)


def load_or_substitute(name):
    """Load a set, or stand-in data of the same form where it is unavailable.

    Parameters
    ----------
    name : str, one of :func:`list_datasets`

    Returns
    -------
    bunch : sklearn.utils.Bunch, with the fields that `load` gives
    is_real : bool, False for stand-in data; one printed line then says so

    Examples
    --------
    >>> bunch, is_real = load_or_substitute("landsat")
    >>> is_real
    True
    """
    what = entry(name)
    try:
        return load(name), True
    except DatasetDamaged:
        # a wrong file is an error to mend, not a reason to look at something else
        raise
    except DatasetUnavailable as error:
        bunch, title = _substitute(what)
        if bunch is None:
            raise
        _substituted.add(name)
        bunch.name, bunch.DESCR = name, f"Stand-in for {what.title}: {title}."
        print(
            f"NOTE: {name} is not available; this runs on {title} instead, and no claim"
            " is checked on it."
        )
        bunch.reason = str(error)
        return freeze(bunch), False


def _substitute(what):
    """Stand-in data, and what they are; (None, "") where nothing can stand in."""
    if what.kind == "multilabel":
        title = "pairs of scikit-learn's digits laid over each other" + (
            ", binarised" if what.sparse else ""
        )
        return _overlaid_digits(binary=what.sparse), title
    if what.name == "usps":
        digits = load_digits()
        return (
            _classes(
                digits.data * 255 / 16, digits.target, image_shape=np.array([8, 8])
            ),
            "scikit-learn's digits",
        )
    if what.name.startswith("coil20"):
        return _turned_digits(), "rotated digits of scikit-learn"
    if what.split_numbers:
        return _two_classes(what.name)
    if what.name == "adrenal":
        return (
            _classes(*load_breast_cancer(return_X_y=True)),
            "breast cancer of scikit-learn",
        )
    if what.kind == "similarity":
        return _value_difference(), "value-difference similarities of the shipped votes"
    if what.kind == "classes":
        return _classes(*load_digits(return_X_y=True)), "scikit-learn's digits"
    if what.name == "wine_spectra":
        spectra = load("tecator")
        bunch = Bunch(
            **{
                key: spectra[key]
                for key in ("data", "target", "target_names", "is_test")
            }
        )
        bunch.feature_names = spectra.wavelength_nm.astype(str)
        return bunch, "the tecator spectra"
    if what.name == "santa_fe":
        return (
            _laser(what.shape[0]),
            "the intensity of a Lorenz system, a model of such a laser",
        )
    if what.kind == "series":
        return (
            _load(what.shape[0]),
            "a synthetic daily load with a week, a year and slow noise",
        )
    return None, ""


def _classes(data, target, **more):
    return Bunch(
        data=data,
        target=target,
        feature_names=names(data.shape[1]),
        target_names=np.unique(target).astype(str),
        **more,
    )


def _overlaid_digits(binary, n_pairs=400, n_labels=6):
    """Images of the digits 0 to 5, and pairs of different ones laid over each other (pixelwise maximum)."""
    images, digit = load_digits(return_X_y=True)
    images, digit = images[digit < n_labels], digit[digit < n_labels]
    rng = np.random.default_rng(0)
    pairs = rng.integers(len(images), size=(2 * n_pairs, 2))
    pairs = pairs[digit[pairs[:, 0]] != digit[pairs[:, 1]]][:n_pairs]
    X = np.vstack([images, np.maximum(images[pairs[:, 0]], images[pairs[:, 1]])]) / 16
    # a pixel that is always dark says nothing; Scene has no such feature
    X = X[:, np.mean(X > 0, axis=0) > 0.02]
    Y = np.eye(n_labels, dtype=np.int64)
    Y = np.vstack([Y[digit], Y[digit[pairs[:, 0]]] | Y[digit[pairs[:, 1]]]])
    order = rng.permutation(len(X))
    X, Y = X[order], Y[order]
    if binary:
        X = scipy.sparse.csr_matrix((X > 0.5).astype(float))
    bunch = _classes(X, Y)
    bunch.target_names = np.array([f"digit {j}" for j in range(n_labels)])
    bunch.is_test = np.arange(X.shape[0]) % 2 == 1
    return bunch


def _turned_digits(n_objects=20, n_views=36):
    from scipy.ndimage import rotate

    images = load_digits().images[:n_objects] / 16
    views = np.arange(n_views) * 2  # as the numbers of 5-degree steps
    turned = [
        rotate(image, 5 * v, reshape=False, order=1) for image in images for v in views
    ]
    X = np.array(turned).reshape(len(turned), -1)
    more = {"view": np.tile(views, n_objects), "image_shape": np.array([8, 8])}
    return _classes(X, np.repeat(np.arange(n_objects), n_views), **more)


def _two_classes(name):
    choices = [
        ("breast cancer of scikit-learn", load_breast_cancer, (0, 1)),
        ("wine cultivars 0 and 1", load_wine, (0, 1)),
        ("wine cultivars 0 and 2", load_wine, (0, 2)),
        ("wine cultivars 1 and 2", load_wine, (1, 2)),
        ("digits 3 and 8", load_digits, (3, 8)),
        ("digits 4 and 9", load_digits, (4, 9)),
        ("digits 1 and 7", load_digits, (1, 7)),
    ]
    title, loader, pair = choices[sum(map(ord, name)) % len(choices)]
    X, y = loader(return_X_y=True)
    rows = np.isin(y, pair)
    X, y = X[rows], (y[rows] == pair[1]).astype(int)
    n_train = int(0.6 * len(y))
    return _classes(X, y, n_train=n_train, n_test=len(y) - n_train), title


def _value_difference():
    """Similarity 1 - mean difference of the class frequencies given each vote (missing counts as a value)."""
    votes = load("votes")
    codes = np.where(np.isnan(votes.data), 2, votes.data).astype(int)
    D = np.zeros((len(codes), len(codes)))
    for column in codes.T:
        rates = np.array(
            [
                votes.target[column == v].mean() if (column == v).any() else 0.5
                for v in range(3)
            ]
        )[column]
        D += np.abs(rates[:, None] - rates)
    return Bunch(
        data=1 - D / codes.shape[1],
        target=votes.target,
        target_names=votes.target_names,
    )


def _laser(n, n_train=1000, unseen=200):
    """Squared first coordinate of the Lorenz system, 0 to 255: pulses that grow and collapse, 7.5 samples apart."""

    def velocity(state, _):
        x, y, z = state
        return 10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z

    states = odeint(
        velocity, (1.0, 1.0, 20.0), 0.1 * np.arange(n + unseen), rtol=1e-5, atol=1e-5
    )
    intensity = states[unseen:, 0] ** 2  # the first are not yet on the attractor
    return Bunch(data=np.round(255 * intensity / intensity.max()), n_train=n_train)


def _load(n, n_train=1000):
    """One value a day around 1: lower on two days of seven, higher in winter, noise that lasts for days."""
    t = np.arange(n)
    noise = lfilter([1.0], [1.0, -0.9], 0.01 * np.random.default_rng(0).normal(size=n))
    week = np.array([0.02, 0.04, 0.04, 0.04, 0.03, -0.05, -0.12])[t % 7]
    return Bunch(
        data=1 + week + 0.1 * np.cos(2 * np.pi * t / 365.25) + noise, n_train=n_train
    )
