"""Claims of Biehl2012 about the toy, Iris and Landsat that one fit, or one start after
the other, decides.
"""

import numpy as np
import pytest
from scipy.linalg import subspace_angles
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import NearestNeighbors

from toolkit.datasets import make_enclosed_class
from toolkit.discriminant import FDA
from toolkit.lvq import GMLVQ, final_gradient_matrix, weak_penalty_matrix
from toolkit.quality import knn_error

from .draws import data_of, samples, standardize

STARTS = range(10)


@pytest.fixture
def iris():
    X, y = samples("iris")
    return standardize(X), y


def test_gm_01_one_class_between_the_halves_of_the_other(check_claim):
    X, y = data_of(make_enclosed_class(random_state=0))
    errors = []
    angles = []
    for model, axis in (
        (GMLVQ({0: 2, 1: 1}, n_components=1, random_state=0), 2),
        (FDA(1), 0),
        (PCA(1), 1),
    ):
        model.fit(X, y)
        errors.append(knn_error(model.transform(X), y))
        line = model.components_[:1].T
        angles.append(
            np.degrees(subspace_angles(line, np.eye(3)[:, [axis]])[0])
        )
    z, x, along_y = angles
    check_claim(
        "GM-01",
        [*errors, x, along_y],
        errors[0] <= 0.05
        and min(errors[1:]) >= 0.25
        and x < 15
        and along_y < 10,
        seed=0,
        note=f"""1-D errors of GMLVQ, LDA, PCA, angle of LDA to x and of PCA to y in
        degrees; that of GMLVQ to z is {z:.1f}""",
    )


def test_gm_02_03_26_planes_of_iris(check_claim, iris):
    X, y = iris
    Z = PCA(2).fit_transform(X)
    lda = LinearDiscriminantAnalysis(n_components=2).fit(X, y)
    check_claim("GM-02", knn_error(Z, y))
    nearest = NearestNeighbors(n_neighbors=1).fit(Z).kneighbors()[1][:, 0]
    wrong = y[nearest] != y
    mixed = np.sum(wrong & ((y == 0) | (y[nearest] == 0)))
    check_claim("GM-26", mixed, note=f"of {wrong.sum()} errors")
    check_claim("GM-03", [1 - lda.score(X, y), knn_error(lda.transform(X), y)])


def test_gm_06_eigenvalues_under_the_penalty(check_claim, iris):
    spectra = [
        [
            GMLVQ(mu=mu, omega_init="random", random_state=s)
            .fit(*iris)
            .eigenvalues_[:2]
            for s in STARTS
        ]
        for mu in (0, 0.01, 0.1)
    ]
    first, second = np.median(spectra, 1).T
    check_claim(
        "GM-06",
        [first[0], *second],
        first[0] > 0.9 and np.diff(second).min() > 0,
        STARTS,
        note="first eigenvalue at mu = 0; second at mu = 0, .01, .1",
    )


def test_gm_12_weak_penalty(check_claim, iris):
    grid = np.logspace(-4, -2, 5)
    second = []
    off = []
    for mu in grid:
        model = GMLVQ(mu=mu, tol=1e-9, max_iter=5000).fit(*iris)
        law = weak_penalty_matrix(final_gradient_matrix(model), mu)
        second.append(model.eigenvalues_[1])
        off.append(abs(np.linalg.eigvalsh(law)[-2] / second[-1] - 1))
    slope = np.polyfit(np.log(grid[:3]), np.log(second[:3]), 1)[0]
    check_claim(
        "GM-12",
        off[0],
        note=f"""mu = {grid[0]:g}; log-log slope of the second eigenvalue {slope:.2f};
        at mu = .01 the formula is off by {off[4]:.2f}""",
    )


def test_gm_24_one_eigenvalue_leads_in_stochastic_descent(check_claim, iris):
    options = {"solver": "sgd", "omega_init": "random", "max_iter": 100}
    models = [
        GMLVQ(**options, random_state=start).fit(*iris) for start in STARTS
    ]
    spectra = np.array([model.history_["eigenvalues"] for model in models])
    leading = np.median(spectra[:, -1, 0])
    start, end = np.median((spectra > 1e-4).sum(2), 0)[[0, -1]]
    check_claim(
        "GM-24",
        [leading, start, end],
        leading > 0.9 and end < start,
        STARTS,
        note="""median first eigenvalue after 100 epochs; median number above 1e-4 at
        the start and there""",
    )


def test_gm_07_pca_and_lda_on_landsat(check_claim):
    X, y = samples("landsat")
    X = standardize(X.astype(float))
    lda, even = (
        LinearDiscriminantAnalysis(n_components=2, priors=p).fit(X, y)
        for p in (None, np.full(6, 1 / 6))
    )
    errors = [
        knn_error(Z, y) for Z in (PCA(2).fit_transform(X), lda.transform(X))
    ]
    check_claim(
        "GM-07",
        [*errors, 1 - even.score(X, y)],
        note=f"""classifier with equal priors; with class frequencies as priors its
        error is {1 - lda.score(X, y):.3f}""",
    )
