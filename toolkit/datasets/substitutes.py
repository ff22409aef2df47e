"""Stand-in data where the real ones are unavailable: each lesson runs everywhere."""

from functools import partial

import numpy as np
import scipy.sparse
from scipy.integrate import odeint
from scipy.ndimage import rotate
from scipy.signal import lfilter
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.utils import Bunch

from .loading import freeze, load
from .registry import DatasetDamaged, DatasetUnavailable, entry
from .synthetic.common import bunch_of

_substituted = set()


def substituted_names():
    """Names for which this process went on with stand-in data; no claim uses them.

    Examples
    --------
    >>> "landsat" in substituted_names()
    False
    """
    return frozenset(_substituted)


def load_or_substitute(name):
    """Load a set, or stand-in data of the same form where it is unavailable.

    Parameters
    ----------
    name : str
        One of :func:`list_datasets`.

    Returns
    -------
    bunch : sklearn.utils.Bunch
        With the fields that `load` gives.
    is_real : bool
        False for stand-in data; one printed line then says so.

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
        # a wrong file is an error to be corrected, no reason to take other data
        raise
    except DatasetUnavailable as error:
        bunch, title = _substitute(what)
        if bunch is None:
            raise
        _substituted.add(name)
        bunch.name = name
        bunch.DESCR = f"Stand-in for {what.title}: {title}."
        bunch.reason = str(error)
        print(
            f"NOTE: {name} is not available; this runs on {title} instead, and no claim"
            " is checked on it."
        )
        return freeze(bunch), False


def _substitute(what):
    """Stand-in data, and what they are; (None, "") where there are none."""
    if what.split_numbers:
        return _two_classes(what.name)
    for key in (what.name, what.kind):
        if key in STAND_INS:
            title, make = STAND_INS[key]
            return make(what), title
    return None, ""


def _digits(what, scale=1.0, **more):
    X, y = load_digits(return_X_y=True)
    return bunch_of(X * scale, y, np.unique(y).astype(str), **more)


def _overlaid_digits(what, n_pairs=400, n_labels=6):
    """Images of the digits 0 to 5, and pairs of different ones laid over each other."""
    images, digit = load_digits(n_class=n_labels, return_X_y=True)
    rng = np.random.default_rng(0)
    pairs = rng.integers(len(images), size=(2 * n_pairs, 2))
    first, second = pairs[digit[pairs[:, 0]] != digit[pairs[:, 1]]][:n_pairs].T
    # the larger value of each pixel
    X = np.vstack([images, np.maximum(images[first], images[second])]) / 16
    # a pixel that is always dark has no information; Scene has no such feature
    X = X[:, np.mean(X > 0, axis=0) > 0.02]
    one_hot = np.eye(n_labels, dtype=np.int64)[digit]
    Y = np.vstack([one_hot, one_hot[first] | one_hot[second]])
    order = rng.permutation(len(X))
    X = X[order]
    if what.sparse:
        X = scipy.sparse.csr_matrix((X > 0.5).astype(float))
    label_names = [f"digit {j}" for j in range(n_labels)]
    is_test = np.arange(len(order)) % 2 == 1
    return bunch_of(X, Y[order], label_names, is_test=is_test)


def _rotated_digits(what, n_objects=20, n_views=36):
    views = np.arange(n_views) * 2  # as the numbers of 5-degree steps
    X = [
        rotate(image / 16, 5 * view, reshape=False, order=1).ravel()
        for image in load_digits().images[:n_objects]
        for view in views
    ]
    y = np.repeat(np.arange(n_objects), n_views)
    return bunch_of(
        np.array(X),
        y,
        np.unique(y).astype(str),
        view=np.tile(views, n_objects),
        image_shape=np.array([8, 8]),
    )


def _two_classes(name):
    """One of seven pairs of classes, by the name of the set."""
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
    n_train = int(0.6 * rows.sum())
    bunch = bunch_of(X[rows], y[rows] == pair[1], ["0", "1"], n_train=n_train)
    bunch.n_test = len(bunch.target) - n_train
    return bunch, title


def _breast_cancer(what):
    return bunch_of(*load_breast_cancer(return_X_y=True), ["0", "1"])


def _spectra(what):
    spectra = load("tecator")
    keys = ("data", "target", "target_names", "is_test")
    bunch = Bunch(**{key: spectra[key] for key in keys})
    bunch.feature_names = spectra.wavelength_nm.astype(str)
    return bunch


def _value_difference(what):
    """Similarity 1 - mean difference of the class frequencies given each vote."""
    votes = load("votes")
    # missing counts as a value
    codes = np.where(np.isnan(votes.data), 2, votes.data).astype(int)
    D = np.zeros((len(codes), len(codes)))
    for column in codes.T:
        chosen = [votes.target[column == value] for value in range(3)]
        rates = np.array([y.mean() if len(y) else 0.5 for y in chosen])[column]
        D += np.abs(rates[:, None] - rates)
    return Bunch(
        data=1 - D / codes.shape[1],
        target=votes.target,
        target_names=votes.target_names,
    )


def _laser(what, n_train=1000, n_transient=200):
    """Squared first coordinate of the Lorenz system, 0 to 255.

    Pulses that grow and collapse, 7.5 samples apart.
    """

    def velocity(state, _):
        x, y, z = state
        return 10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z

    t = 0.1 * np.arange(what.shape[0] + n_transient)
    states = odeint(velocity, (1.0, 1.0, 20.0), t, rtol=1e-5, atol=1e-5)
    # the first are not yet on the attractor
    intensity = states[n_transient:, 0] ** 2
    return Bunch(
        data=np.round(255 * intensity / intensity.max()), n_train=n_train
    )


def _daily_load(what, n_train=1000):
    """One value a day around 1, lower on two days of seven and higher in winter."""
    t = np.arange(what.shape[0])
    innovations = 0.01 * np.random.default_rng(0).normal(size=len(t))
    noise = lfilter([1.0], [1.0, -0.9], innovations)  # lasts for days
    week = np.array([0.02, 0.04, 0.04, 0.04, 0.03, -0.05, -0.12])[t % 7]
    year = 0.1 * np.cos(2 * np.pi * t / 365.25)
    return Bunch(data=1 + week + year + noise, n_train=n_train)


OVERLAID = "pairs of scikit-learn's digits laid over each other"
ROTATED = ("rotated digits of scikit-learn", _rotated_digits)
# title and maker of the stand-in by the name of a set, or else by its kind
STAND_INS = {
    "medical": (f"{OVERLAID}, binarised", _overlaid_digits),
    "usps": (
        "scikit-learn's digits",
        partial(_digits, scale=255 / 16, image_shape=np.array([8, 8])),
    ),
    "coil20": ROTATED,
    "coil20_128": ROTATED,
    "adrenal": ("breast cancer of scikit-learn", _breast_cancer),
    "wine_spectra": ("the tecator spectra", _spectra),
    "santa_fe": (
        "the intensity of a Lorenz system, a model of such a laser",
        _laser,
    ),
    "multilabel": (OVERLAID, _overlaid_digits),
    "similarity": (
        "value-difference similarities of the shipped votes",
        _value_difference,
    ),
    "classes": ("scikit-learn's digits", _digits),
    "series": (
        "a synthetic daily load with a week, a year and slow noise",
        _daily_load,
    ),
}
