"""Random tables of which the truth is known: what tells of the target, which rows depend on each other.

Each function takes a generator of NumPy and returns a :class:`Process`.
"""

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
from scipy.stats import norm

from . import named_groups
from .tables import Process, independent, table

# ---- rows that do not depend on each other


def classes(rng, n=100, d=10, shares=(0.5, 0.5), apart=0.0, missing=0.0):
    """Classes on a line, so far apart in one column; of 0 none tells."""

    def make(m):
        y = rng.choice(len(shares), size=m, p=shares)
        X = rng.normal(size=(m, d))
        X[:, 0] += apart * y
        X[rng.random(X.shape) < missing] = np.nan
        return table(X, y)

    return independent(make, n, relevant=["x0"] if apart else [])


def apart(bayes):
    """How far two normal classes of one size are apart at a Bayes error."""
    return 2 * norm.ppf(1 - bayes)


def noise_values(rng, n=100, d=10):
    def make(m):
        return table(rng.normal(size=(m, d)), rng.normal(size=m))

    return independent(make, n)


def noise_words(rng, n=150, d=4, levels=15):
    """Columns of words, none of which tells of the class."""

    def make(m):
        frame = table(rng.normal(size=(m, 1)), rng.random(m) < 0.5)
        for j in range(1, d + 1):
            levels_of_rows = rng.integers(levels, size=m)
            frame[f"x{j}"] = [f"word {k}" for k in levels_of_rows]
        return frame

    return independent(make, n)


def noise_labels(rng, n=200, d=10, l=4):
    """Several labels, of which no column tells."""
    names = [f"label {j}" for j in range(l)]

    def make(m):
        frame = pd.DataFrame(rng.normal(size=(m, d))).add_prefix("x")
        label_matrix = rng.integers(2, size=(m, l))
        return frame.join(pd.DataFrame(label_matrix, columns=names))

    return independent(make, n, labels=names)


def pair_of_classes(rng, n=200, d=8, flips=0.1):
    """Two columns tell together, neither alone."""

    def make(m):
        X = rng.normal(size=(m, d))
        is_positive = X[:, 0] * X[:, 1] > 0
        return table(X, is_positive ^ (rng.random(m) < flips))

    return independent(make, n, relevant=["x0", "x1"])


def pair_of_values(rng, n=200, d=8):
    def make(m):
        X = rng.normal(size=(m, d))
        product = X[:, 0] * X[:, 1]
        return table(X, product + rng.normal(scale=0.5, size=m))

    return independent(make, n, relevant=["x0", "x1"])


def returns(rng, n=2000):
    """The probability runs from .12 to .57, so that hardly any answer but "no" pays; two columns tell of it."""

    def make(m):
        pay = rng.integers(4, size=m)
        product = rng.integers(25, size=m)
        is_cheap = 0.25 * (pay == 1)
        p = 0.12 + is_cheap + 0.2 * np.isin(product, (3, 7, 11))
        frame = pd.DataFrame(rng.normal(size=(m, 4))).add_prefix("x")
        ways_to_pay = np.array(["card", "invoice", "cash", "other"])
        frame["pay"] = ways_to_pay[pay]
        frame["product"] = [f"P{j:02d}" for j in product]
        frame["region"] = [f"R{j:02d}" for j in rng.integers(17, size=m)]
        frame["y"] = np.where(rng.random(m) < p, "yes", "no")
        return frame

    return independent(make, n, relevant=["pay", "product"])


def sorted_by(rng, columns=("y",)):
    """A file in the order of some columns: nothing to warn of."""
    process = classes(rng, 200, apart=apart(0.2))
    frame = process.frame.sort_values(list(columns), ignore_index=True)
    return replace(process, frame=frame)


# ---- rows that depend on each other; nothing tells of the target


def _autocorrelated(rng, n, d, rho):
    Z = rng.normal(size=(n, d))
    for i in range(1, n):
        innovation = np.sqrt(1 - rho**2) * Z[i]
        Z[i] = rho * Z[i - 1] + innovation
    return Z


def time_series(rng, n=200, d=6, rho=0.95):
    """AR(1): each row is like the one before."""

    def make(m):
        # others are series of the same length
        series = [
            _autocorrelated(rng, n, d + 1, rho) for _ in range(-(-m // n))
        ]
        Z = np.vstack(series)[:m]
        return table(Z[:, :d], Z[:, d] > 0)

    return Process(make(n), make, dependent="order")


def random_walks(rng, n=200, d=5, ahead=50):
    Z = rng.normal(size=(n, d + 1)).cumsum(axis=0)

    def make(m):
        """The next rows, in many futures."""
        steps = rng.normal(size=(-(-m // ahead), ahead, d + 1)).cumsum(axis=1)
        paths = Z[-1] + steps
        F = paths.reshape(-1, d + 1)[:m]
        return table(F[:, :d], F[:, d])

    frame = table(Z[:, :d], Z[:, d])
    return Process(frame, make, dependent="order")


def near_duplicates(rng, n=200, d=10, share=1.0, jitter=0.02):
    """Some of the rows come twice, nearly."""

    def make(m):
        pairs = int(share * m) // 2
        X = rng.normal(size=(m - pairs, d))
        y = rng.random(m - pairs) < 0.5
        source_row = np.append(np.arange(m - pairs), np.arange(pairs))
        order = rng.permutation(source_row)
        noise = jitter * rng.normal(size=(m, d))
        return table(X[order] + noise, y[order])

    return Process(make(n), make, dependent="near duplicates")


def patients(
    rng, n=200, d=6, rows=5, within=0.5, order="shuffled", named=False
):
    """Several rows of each patient, who has one class."""

    def make(m):
        k = -(-m // rows)
        patient_of_row = np.repeat(np.arange(k), rows)
        centres = rng.normal(size=(k, d))[patient_of_row]
        X = centres + within * rng.normal(size=(k * rows, d))
        frame = table(X, (rng.random(k) < 0.5)[patient_of_row])
        if named:
            names = rng.choice(100_000, k, replace=False)
            frame["who"] = [f"P{name:05d}" for name in names[patient_of_row]]
        if order == "shuffled":
            frame = frame.sample(frac=1, random_state=int(rng.integers(2**31)))
        return frame.head(m).reset_index(drop=True)

    kind = "order" if order == "file" else "group column"
    declared = "who" if named == "declared" else None
    if not named and order == "shuffled":
        kind = "nothing that can be found"
    return Process(make(n), make, dependent=kind, groups=declared)


def sites(rng, n=200, rows=10, between=0.0, within=0.0, d=6):
    """Rows of declared sites; the target varies within them and between them, as a column may."""

    def make(m):
        k = -(-m // rows)
        site = np.repeat(np.arange(k), rows)[:m]
        tall = rng.normal(size=k)
        centres = rng.normal(size=(k, d))[site]
        X = centres + rng.normal(size=(m, d))
        X[:, 0] += between * tall[site]
        of_row = rng.normal(size=m)
        X[:, 1] += within * of_row
        y = tall[site] + of_row + 0.5 * rng.normal(size=m) > 0
        return table(X, y).assign(site=[f"S{s:03d}" for s in site])

    relevant = ["x0"] * bool(between) + ["x1"] * bool(within)
    return Process(
        make(n), make, relevant, dependent="group column", groups="site"
    )


# ---- a needed column beside others that tell nothing more


def one_good(rng, n=600, noise=1, proxies=(), values=False):
    """A column with a U-shaped effect, others related to it by such correlations (of 1: a copy in other units), and noise."""

    def make(m):
        X = rng.normal(size=(m, 1 + len(proxies) + noise))
        y = X[:, 0] ** 2 + 0.5 * rng.normal(size=m)
        for j, r in enumerate(proxies, start=1):
            related = r * X[:, 0] + np.sqrt(1 - r**2) * X[:, j]
            X[:, j] = 2 * related + 1
        return table(X, y if values else y > 0.5)

    related = [f"x{j}" for j in range(1 + len(proxies))]
    needed = [] if 1 in proxies else ["x0"]
    return independent(make, n, relevant=related, needed=needed)


PROCESSES = {
    "noise, n = 100": (classes, {}),
    "noise, n = 300": (classes, {"n": 300}),
    "noise, 95 to 5": (classes, {"n": 200, "shares": (0.95, 0.05)}),
    "noise, ten classes": (classes, {"n": 300, "shares": (0.1,) * 10}),
    "noise, 5 % missing": (classes, {"missing": 0.05}),
    "noise, values": (noise_values, {}),
    "noise, words": (noise_words, {}),
    "noise, labels": (noise_labels, {}),
    "signal .35": (classes, {"apart": apart(0.35)}),
    "signal .2": (classes, {"n": 200, "apart": apart(0.2)}),
    "signal .05": (classes, {"apart": apart(0.05)}),
    "signal .01": (classes, {"apart": apart(0.01)}),
    "signal .2, 5 % missing": (
        classes,
        {"n": 200, "apart": apart(0.2), "missing": 0.05},
    ),
    "three classes": (
        classes,
        {"n": 300, "shares": (1 / 3,) * 3, "apart": 2.0},
    ),
    "pair of classes": (pair_of_classes, {}),
    "pair of values": (pair_of_values, {}),
    "returns": (returns, {}),
    "sorted by class": (sorted_by, {}),
    "sorted by column": (sorted_by, {"columns": ("x0",)}),
    "sorted by class, column": (sorted_by, {"columns": ("y", "x0")}),
    "sorted by two columns": (sorted_by, {"columns": ("x1", "x0")}),
    "AR(1)": (time_series, {}),
    "random walks": (random_walks, {}),
    "near duplicates": (near_duplicates, {}),
    "near duplicates, 20 %": (near_duplicates, {"share": 0.2}),
    "patients, shuffled": (patients, {}),
    "patients in order": (patients, {"order": "file"}),
    "patients named": (patients, {"named": True}),
    "patients declared": (patients, {"named": "declared"}),
    "sites, nothing": (sites, {}),
    "sites, between": (sites, {"between": 1.5}),
    "sites, within": (sites, {"within": 1.0}),
    # columns that name persons, occupations or sets, and columns that do not
    **named_groups.PROCESSES,
    "one good, 1 noise": (one_good, {}),
    "one good, 2 noise": (one_good, {"noise": 2}),
    "one good, 5 noise": (one_good, {"noise": 5}),
    "one good, 5 noise, values": (one_good, {"noise": 5, "values": True}),
    "one good, 1 noise, n = 200": (one_good, {"n": 200}),
    "one good, 5 noise, n = 200": (one_good, {"n": 200, "noise": 5}),
    "one good of three classes": (
        classes,
        {"n": 600, "d": 2, "shares": (1 / 3,) * 3, "apart": 2.0},
    ),
    "proxy .5": (one_good, {"proxies": (0.5,)}),
    "proxy .8": (one_good, {"proxies": (0.8,)}),
    "proxy .95": (one_good, {"proxies": (0.95,)}),
    "duplicate": (one_good, {"proxies": (1,)}),
    "duplicate, values": (one_good, {"proxies": (1,), "values": True}),
}


# ---- columns of so few values that rows are equal by chance


def few_kinds(rng, n=400, d=4, effect=0.0):
    """Binary columns, the first of which changes the probability of a class."""

    def make(m):
        X = rng.integers(2, size=(m, d))
        p = 0.5 + effect * (X[:, 0] - 0.5)
        return table(X, rng.random(m) < p)

    return independent(make, n, relevant=["x0"] if effect else [])


# ---- a rare class


def rare_class(rng, n=1000, proportion=0.02, d=3, apart=0.0):
    """So many rows of class b, three standard deviations away in one column or nowhere."""

    def make(m, proportion=proportion):
        y = rng.permutation(np.arange(m) < round(m * proportion))
        X = rng.normal(size=(m, d))
        X[:, 0] += apart * y
        return table(X, y)

    relevant = ["x0"] if apart else []
    balanced = partial(make, proportion=0.5)
    return independent(make, n, relevant=relevant, balanced=balanced)


RARE = {
    "2 % of 1,000": {"n": 1000, "d": 20},
    "0.5 % of 1,000": {"n": 1000, "proportion": 0.005},
    "0.5 % of 3,000": {"n": 3000, "proportion": 0.005, "d": 20},
    "0.1 % of 10,000": {"n": 10_000, "proportion": 0.001},
    "0.1 % of 20,000": {"n": 20_000, "proportion": 0.001},
}
for name, options in RARE.items():
    PROCESSES[f"rare noise, {name}"] = rare_class, options
    PROCESSES[f"rare, {name}"] = rare_class, {**options, "apart": 3.0}


PROCESSES["few kinds of rows, noise"] = few_kinds, {}
PROCESSES["few kinds of rows"] = few_kinds, {"effect": 0.3}
binary = {"binary": True, "d": 4}
PROCESSES["persons, few kinds of rows"] = named_groups.persons, binary


def draw(name, seed):
    """One table of a process; of dependent rows again where chance makes a class rare."""
    make, options = PROCESSES[name]
    rng = np.random.default_rng([2026, list(PROCESSES).index(name), seed])
    while True:
        process = make(rng, **options)
        if not process.dependent or process.frame["y"].dtype.kind == "f":
            return process
        shares = process.frame["y"].value_counts(normalize=True)
        if len(shares) > 1 and shares.min() > 0.2:
            return process
