"""What the benchmarks are run on: synthetic samples of any number, and some data sets."""

import functools
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace as Problem

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_digits,
    make_classification,
    make_swiss_roll,
)
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsTransformer
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from toolkit.core.graphs import local_scales, local_scaling
from toolkit.datasets import load, load_or_substitute, make_hidden_moons
from toolkit.datasets.registry import shipped_folder
from toolkit.eigenmaps import SLEML
from toolkit.fisher import ParzenFisher
from toolkit.kernelmap import KernelMap
from toolkit.lmnn import LMNN, target_neighbors
from toolkit.lvq.training import TrainingSet

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "tabular"))
import own_tables

THREADS = 2


def gaussians(n, d, n_classes, distance, seed=0):
    """Samples of as many samples in each class, and of means at some distance."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    X = rng.normal(size=(n, d))
    means = distance * rng.normal(size=(n_classes, d))
    return X + means[y], y


def standard(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


# Relevance bounds


@functools.cache
def diabetes():
    X, y = load_diabetes(return_X_y=True)
    X = standard(X)
    return Problem(X=X, y=y, w=LinearRegression().fit(X, y).coef_)


def smooth_spectra(n=120, d=256, random_state=0):
    """Sums of broad bands of random strength and a little noise."""
    rng = np.random.default_rng(random_state)
    wavelengths = np.linspace(0, 1, d)
    centres = np.linspace(0, 1, 12)
    scaled = (wavelengths - centres[:, None]) / 0.08
    bands = np.exp(-0.5 * scaled**2)
    strengths = rng.normal(size=(n, 12))
    return strengths @ bands + 1e-3 * rng.normal(size=(n, d))


def spectra(name):
    if name == "tecator":
        return load_or_substitute("tecator")[0].data
    return smooth_spectra()


@functools.cache
def bounds_problem(name, slack):
    """A model, and features for which the bounds are compared with their literal form."""
    if name == "diabetes":
        X, w = diabetes().X, diabetes().w
        n_directions, n_literal = 8, 10
    else:
        X = standard(spectra(name))
        w = np.random.default_rng(0).normal(size=X.shape[1])
        n_directions, n_literal = 9, min(X.shape[1], 20)
    d = X.shape[1]
    axes = np.linalg.svd(X - X.mean(axis=0))[2]
    features = np.linspace(0, d - 1, n_literal)
    return Problem(
        X=X,
        w=w,
        V=axes[n_directions:].T,
        null_space=d - n_directions,
        slack=slack,
        features=features.astype(int),
    )


# Graphs and eigenmaps


@functools.cache
def moons(n):
    sample = make_hidden_moons(n, 20, random_state=0)
    X = sample.data
    W = local_scaling(X)
    return Problem(X=X, y=sample.target, W=W, scales=local_scales(X))


def default_moons(n):
    sample = make_hidden_moons(n, random_state=0)
    scales = local_scales(sample.data)
    return Problem(X=sample.data, y=sample.target, scales=scales)


@functools.cache
def partly_labelled(n):
    """Two of a hundred samples have a label, and three of 50 features have structure."""
    rng = np.random.default_rng(0)
    scales = np.where(np.arange(50) < 3, 3, 1)
    X = rng.normal(size=(n, 50)) * scales
    quadrant = (X[:, 0] > 0).astype(int) + 2 * (X[:, 1] > 0)
    y = np.where(rng.uniform(size=n) < 0.02, quadrant, -1)
    return Problem(X=X, y=y)


class FixedGraph(BaseEstimator):
    """A search of neighbours whose result is there already: its cost is left out."""

    def __init__(self, graph=None):
        self.graph = graph

    def __sklearn_clone__(self):
        return self

    def fit_transform(self, X):
        return self.graph


@functools.cache
def digits():
    X, y = load_digits(return_X_y=True)
    return Problem(X=X, y=y, sleml=SLEML().fit(X, y))


def rolled_sheet(n):
    """A sheet in 3-D with ten classes along it, and seven features of noise."""
    X, t = make_swiss_roll(n, noise=0.1, random_state=0)
    noise = np.random.default_rng(0).normal(size=(n, 7))
    fraction = (t - t.min()) / np.ptp(t)
    y = np.clip((fraction * 10).astype(int), 0, 9)
    return Problem(X=np.column_stack([X, noise]), y=y)


def sheet_with_graph(n, k=30):
    problem = rolled_sheet(n)
    search = KNeighborsTransformer(n_neighbors=k)
    problem.neighbors = FixedGraph(search.fit_transform(problem.X))
    return problem


@functools.cache
def large_sheet(n, k=15):
    """With `pynndescent`, which is not required, its approximate search; or a tree."""
    problem = rolled_sheet(n)
    try:
        from pynndescent import PyNNDescentTransformer
    except ImportError:
        problem.search = "exact tree"
        problem.neighbors = KNeighborsTransformer(
            n_neighbors=k, algorithm="kd_tree"
        )
    else:
        problem.search = "pynndescent"
        problem.neighbors = PyNNDescentTransformer(
            n_neighbors=k, random_state=0
        )
    # pynndescent compiles itself on first use, half a minute once a process
    problem.neighbors.fit_transform(problem.X[:3000])
    return problem


# Embeddings, their quality, decision maps


@functools.cache
def letters():
    """1,500 samples of 26 classes, and their Fisher distances."""
    rng = np.random.default_rng(0)
    y = np.arange(1500) % 26
    X = rng.normal(size=(1500, 16)) + 1.5 * rng.normal(size=(26, 16))[y]
    D = ParzenFisher(n_jobs=THREADS).fit(X, y).distances()
    return Problem(X=X, y=y, D=D, machine=SVC(C=10).fit(X, y))


@functools.cache
def plane(n, d):
    """Samples, and two of their features with noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    return Problem(X=X, Z=X[:, :2] + 0.1 * rng.normal(size=(n, 2)))


@functools.cache
def kernel_map():
    problem = plane(11_000, 30)
    return KernelMap().fit(problem.X[:1000], problem.Z[:1000])


@functools.cache
def random_plane(n, d):
    """Samples of ten classes, two random projections, and a Fisher metric."""
    X, y = gaussians(n, d, 10, 0.5)
    Z = X @ np.random.default_rng(1).normal(size=(d, 2))
    fisher = ParzenFisher(n_centers=1000, random_state=0).fit(X, y)
    return Problem(X=X, Z=Z, fisher=fisher)


# Fisher metrics


def windows(n, n_centers=None, n_jobs=THREADS):
    X, y = gaussians(n, 16, 26, 2)
    fisher = ParzenFisher(1.5, n_centers=n_centers, n_jobs=n_jobs).fit(X, y)
    pairs = np.random.default_rng(0).integers(0, n, size=(60, 2))
    return Problem(X=X, y=y, fisher=fisher, pairs=pairs)


def digits_like(n, d=30, n_classes=10, modes=3, seed=0):
    """Classes of several modes that overlap a little, as principal components of digits."""
    rng = np.random.default_rng(seed)
    scales = 3.0 / np.sqrt(1 + np.arange(d))
    centers = 2.2 * scales * rng.normal(size=(n_classes * modes, d))
    mode = rng.integers(n_classes * modes, size=n)
    X = centers[mode] + scales * rng.normal(size=(n, d))
    return X, mode % n_classes


@functools.cache
def many_digits(n):
    X, y = digits_like(n)
    return Problem(X=X, y=y)


# Prototypes and margins


@functools.cache
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    targets = target_neighbors(X, y, 3)
    components = LMNN().fit(X, y).components_
    return Problem(X=X, y=y, targets=targets, components=components)


def five_classes(n, d=50, n_classes=5, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    X = rng.normal(size=(n, d)) + 0.6 * rng.normal(size=(n_classes, d))[y]
    return Problem(X=X, y=y)


def with_targets(n):
    problem = five_classes(n)
    problem.targets = target_neighbors(problem.X, problem.y, 3)
    return problem


@functools.cache
def landsat():
    bunch = load("landsat")
    X = StandardScaler().fit_transform(bunch.data.astype(float))
    y = bunch.target
    codes = np.unique(y, return_inverse=True)[1]
    samples = TrainingSet.of(X, codes)
    return Problem(X=X, y=y, codes=codes, samples=samples)


def landsat_prototypes(n_prototypes):
    problem = landsat()
    W = np.random.default_rng(0).normal(size=(n_prototypes, 36))
    w_codes = np.repeat(np.arange(6), n_prototypes // 6)
    return Problem(
        samples=problem.samples,
        rows=problem.samples.inside(problem.X),
        codes=problem.codes,
        W=W,
        w_codes=w_codes,
        Omega=np.eye(36) / 6,
    )


def prototypes(n, n_prototypes, d=36):
    X, y = gaussians(n, d, 6, 2)
    W = np.random.default_rng(1).normal(size=(n_prototypes, d))
    w_codes = np.repeat(np.arange(6), n_prototypes // 6)
    return Problem(
        samples=TrainingSet.of(X, y),
        W=W,
        w_codes=w_codes,
        Omega=np.eye(d) / np.sqrt(d),
    )


@functools.cache
def six_classes(n):
    X, y = gaussians(n, 36, 6, 2)
    return Problem(X=X, y=y)


# Label matrices


@functools.cache
def scene_like(n, d=294, n_labels=6):
    """The size of the Scene data."""
    rng = np.random.default_rng(0)
    Y = np.eye(n_labels)[np.arange(n) % n_labels]
    X = rng.random((n, d)) + Y @ rng.random((n_labels, d))
    return Problem(X=X, Y=Y.astype(int))


# Transfer


def clouds(n, d, random_state=0):
    """Seven groups of which three coincide, so that the whole has no symmetry."""
    rng = np.random.default_rng(random_state)
    centres = 3 * rng.normal(size=(5, d))
    noise = rng.normal(size=(n, d))
    group = np.minimum(rng.integers(7, size=n), 4)
    return noise + centres[group]


def uniform(n):
    return np.full(n, -np.log(n))


@functools.cache
def mixed_features(n):
    """Source, and a target through a random matrix."""
    X = clouds(2 * n, 20)
    A = np.random.default_rng(1).normal(size=(20, 20))
    return Problem(source=X[:n], target=X[n:] @ A)


@functools.cache
def two_clouds(n):
    X = clouds(40_000, 2) / 3
    source, target = X[:20_000], X[20_000:]
    return Problem(source=source[:n], target=target[:n], log_theta=uniform(n))


def responsibilities():
    design = np.column_stack([clouds(300, 10), np.ones(300)])
    gamma = np.random.default_rng(0).dirichlet(np.ones(300), size=300)
    source = two_clouds(20_000).source[:300]
    return Problem(
        source=source,
        design=design,
        gamma=gamma,
        weight=gamma.sum(axis=0),
        pull=gamma.T @ source,
        penalty=np.full(11, 0.1),
    )


# Tables and their pages

TABLES = tempfile.TemporaryDirectory()


def big_table(n):
    """Five classes, ten of 50 columns informative."""
    X, y = make_classification(
        n, 50, n_informative=10, n_classes=5, random_state=0
    )
    numbers = pd.DataFrame(X).add_prefix("x").round(4)
    file = Path(TABLES.name) / f"rows{n}.csv"
    classes = np.array(list("abcde"))[y]
    numbers.assign(kind=classes).to_csv(file, index=False)
    return {"data": file, "target": "kind"}


def votes():
    return {"data": shipped_folder() / "votes.csv", "target": "party"}


def own_table(name):
    return own_tables.TABLES[name](Path(TABLES.name))


def page(options):
    """The command `look` on a table; options as the command has them."""
    file = Path(TABLES.name) / "page.html"
    command = [sys.executable, "-m", "toolkit", "look", str(options["data"])]
    command += ["--out", str(file)]
    for name, value in options.items():
        if name == "data":
            continue
        command.append(f"--{name}")
        if isinstance(value, list):
            command.append(",".join(value))
        elif value is not True:
            command.append(str(value))
    subprocess.run(command, check=True, capture_output=True)
