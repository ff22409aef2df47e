"""Stand-in data where the original is unavailable: each notebook runs everywhere.

Here `data_set` is the `Entry` of the data that are unavailable.
"""

import re
import sys
from html import escape

import numpy as np
import sklearn.datasets
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.preprocessing import TargetEncoder
from sklearn.utils import Bunch

from .loading import freeze, load
from .registry import DatasetDamaged, DatasetUnavailable, entry
from .synthetic.common import bunch_of

_substituted = set()


def substituted_names():
    """Return the names of data sets that this process replaced by substitute data.

    No claim uses substitute data.

    Returns
    -------
    names : frozenset of str
        The names.

    Examples
    --------
    >>> "landsat" in substituted_names()
    False
    """
    return frozenset(_substituted)


def load_or_substitute(name):
    """Load a data set, or substitute data of the same form if it is unavailable.

    Parameters
    ----------
    name : str
        One of :func:`list_datasets`.

    Returns
    -------
    bunch : sklearn.utils.Bunch
        With the fields that `load` gives.
    is_real : bool
        False for substitute data, of which a box in the notebook tells.

    Examples
    --------
    >>> bunch, is_real = load_or_substitute("landsat")
    >>> is_real
    True
    """
    data_set = entry(name)
    try:
        return load(name), True
    except DatasetDamaged:
        # A wrong file is an error to be corrected, no reason to take other data.
        raise
    except DatasetUnavailable:
        make = STAND_INS.get(name, STAND_INS.get(data_set.kind))
        if data_set.split_numbers:
            make = _two_classes
        if make is None:
            raise
        bunch, title = make(data_set)
        _substituted.add(name)
        bunch.name = name
        bunch.DESCR = f"Stand-in for {data_set.title}: {title}."
        show_notice(
            [name],
            "Substitute data",
            f"This runs on {title}. The text and its numbers are about the original"
            " data, and no claim is checked.",
        )
        return freeze(bunch), False


def where_to_get(names):
    """The command that says where missing sets can be had, in a sentence."""
    words = " ".join(["python -m toolkit data fetch", *names])
    return f"`{words}` says where to get the data; then run this again."


def notice(names, head, text):
    """A box, as data of an output, that says what is shown where sets are missing.

    `head` is what it is, `text` what follows from it.
    """
    text = f"{text} {where_to_get(names)}"
    plain = f"NOTE: {', '.join(names)}: not available here. {head}. {text}"
    titles = []
    for name in names:
        titles.append(f"<b>{name}</b> ({escape(entry(name).title)})")
    body = re.sub("`(.+?)`", r"<code>\1</code>", escape(text))
    style = "border-left: 0.3em solid #d55e00; padding: 0.3em 0.8em"
    markup = (
        f'<p style="{style}"><b>{head}</b>: this machine does not have'
        f" {'; '.join(titles)}. {body}</p>"
    )
    return {"text/plain": plain, "text/html": markup}


def show_notice(names, head, text):
    """Show such a box in a notebook, print its text elsewhere."""
    box = notice(names, head, text)
    if is_notebook():
        from IPython.display import display

        display(box, raw=True)
    else:
        print(box["text/plain"])


def is_notebook():
    """Whether a shell of IPython runs here."""
    shell = sys.modules.get("IPython")
    return shell is not None and shell.get_ipython() is not None


# Each gives stand-in data for an entry, and says what they are.


def _digits(data_set):
    """Bunch of scikit-learn's digits, in the form of the data set, and its name."""
    X, y = load_digits(return_X_y=True)
    bunch = bunch_of(X, y, np.unique(y).astype(str))
    if data_set.name == "usps":
        bunch.data = X * (255 / 16)
        bunch.image_shape = np.array([8, 8])
    return bunch, "scikit-learn's digits"


def _overlaid_digits(data_set):
    """Images of the digits 0 to 5, and pairs of different ones laid over each other."""
    n_labels = 6
    images, digit = load_digits(n_class=n_labels, return_X_y=True)
    rng = np.random.default_rng(0)
    pairs = rng.integers(len(images), size=(800, 2))
    first, second = pairs.T
    differs = digit[first] != digit[second]
    first, second = pairs[differs][:400].T
    # Overlaid images have the larger value of each pixel.
    overlaid = np.maximum(images[first], images[second])
    X = np.vstack([images, overlaid]) / 16
    # A pixel that is always dark has no information; Scene has no such feature.
    light_fraction = np.mean(X > 0, axis=0)
    X = X[:, light_fraction > 0.02]
    one_hot = np.eye(n_labels, dtype=np.int64)[digit]
    Y = np.vstack([one_hot, one_hot[first] | one_hot[second]])
    order = rng.permutation(len(X))
    X = X[order]
    if data_set.sparse:
        X = sparse.csr_matrix((X > 0.5).astype(float))
    is_test = np.arange(len(order)) % 2 == 1
    label_names = [f"digit {j}" for j in range(n_labels)]
    bunch = bunch_of(X, Y[order], label_names, is_test=is_test)
    return bunch, "pairs of scikit-learn's digits laid over each other"


def _rotated_digits(data_set):
    """Bunch of digits in 36 views as a substitute of a data set, and its name."""
    from scipy.ndimage import rotate  # here: it would be a tenth of each start

    n_objects = 20
    views = np.arange(36) * 2  # as the numbers of 5-degree steps
    X = []
    for image in load_digits().images[:n_objects]:
        for view in views:
            rotated = rotate(image / 16, 5 * view, reshape=False, order=1)
            X.append(rotated.ravel())
    y = np.repeat(np.arange(n_objects), len(views))
    bunch = bunch_of(
        np.array(X),
        y,
        np.unique(y).astype(str),
        view=np.tile(views, n_objects),
        image_shape=np.array([8, 8]),
    )
    return bunch, "rotated digits of scikit-learn"


def _two_classes(data_set):
    """One of seven pairs of classes, by the name of the set."""
    choices = [
        ("breast_cancer", 0, 1),
        ("wine", 0, 1),
        ("wine", 0, 2),
        ("wine", 1, 2),
        ("digits", 3, 8),
        ("digits", 4, 9),
        ("digits", 1, 7),
    ]
    number = sum([ord(letter) for letter in data_set.name])
    source, first, second = choices[number % len(choices)]
    pair = [first, second]
    X, y = getattr(sklearn.datasets, f"load_{source}")(return_X_y=True)
    rows = np.isin(y, pair)
    n_train = int(0.6 * rows.sum())
    is_second = y[rows] == second
    bunch = bunch_of(X[rows], is_second, ["0", "1"], n_train=n_train)
    bunch.n_test = len(bunch.target) - n_train
    return bunch, f"classes {pair} of {source} of scikit-learn"


def _breast_cancer(data_set):
    """Bunch of breast cancer as a substitute of a data set, and its name."""
    X, y = load_breast_cancer(return_X_y=True)
    return bunch_of(X, y, ["0", "1"]), "breast cancer of scikit-learn"


def _spectra(data_set):
    """Bunch of spectra as a substitute of a data set, and its name."""
    spectra = load("tecator")
    spectra.feature_names = spectra.wavelength_nm.astype(str)
    return spectra, "the tecator spectra"


def _value_difference(data_set):
    """Similarity 1 - mean difference of the class frequencies given each vote."""
    votes = load("votes")
    # A missing vote counts as a value.
    encoder = TargetEncoder(smooth=0.0).fit(votes.data, votes.target)
    rates = encoder.transform(votes.data)  # (n, d)
    D = cdist(rates, rates, "cityblock")
    similarities = 1 - D / rates.shape[1]
    bunch = Bunch(
        data=similarities, target=votes.target, target_names=votes.target_names
    )
    return bunch, "value-difference similarities of the shipped votes"


def _daily_load(data_set):
    """One value a day around 1, lower on two days of seven and higher in winter."""
    from scipy.signal import lfilter  # here, for the same reason

    day = np.arange(data_set.shape[0])
    rng = np.random.default_rng(0)
    innovations = 0.01 * rng.normal(size=len(day))
    noise = lfilter([1.0], [1.0, -0.9], innovations)  # lasts for days
    weekdays = np.array([0.02, 0.04, 0.04, 0.04, 0.03, -0.05, -0.12])
    week = weekdays[day % 7]
    year = 0.1 * np.cos(2 * np.pi * day / 365.25)
    bunch = Bunch(data=1 + week + year + noise, n_train=1000)
    return bunch, "a synthetic daily load with a week, a year and slow noise"


# Makers of stand-in data by the name of a set, or else by its kind.
STAND_INS = {
    "coil20": _rotated_digits,
    "coil20_128": _rotated_digits,
    "adrenal": _breast_cancer,
    "wine_spectra": _spectra,
    "multilabel": _overlaid_digits,
    "similarity": _value_difference,
    "classes": _digits,
    "series": _daily_load,
}
