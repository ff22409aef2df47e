"""Claims of the thesis, chapter 3, about views of regressors, the way back from the plane, and what judges a view."""

import warnings

import numpy as np
from joblib import Parallel, delayed
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score
from sklearn.preprocessing import PolynomialFeatures
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeRegressor

from toolkit import claims
from toolkit.datasets import (
    load,
    make_clusters,
    make_labelled_cube,
    make_stacked_clusters,
    make_stacked_discs,
    make_two_clusters_with_outlier,
)
from toolkit.decisionmap import DecisionMap
from toolkit.decisionmap.view import grid_cells
from toolkit.embed import GTM, MDS, TSNE
from toolkit.fisher import GPFisher, ModelFisher, ParzenFisher
from toolkit.graphs import components_of, knn_graph, squared_distances
from toolkit.kernelmap import InverseMap, KernelMap
from toolkit.linalg import procrustes


def over(function, items):
    """Two processes."""
    return Parallel(2)(delayed(function)(item) for item in items)


def seeds_of(scale):
    return list(range({"quick": 2, "default": 5, "paper": 10}[scale]))


def deviation(values, axis=0):
    return np.std(values, axis=axis, ddof=1).tolist()


# ------------------------------------------------------------------------------------------- regressors, section 3.6

KINDS = ("GTM", "Fisher MDS", "Fisher GTM", "Fisher t-SNE")


def library_svr(X, y, C=1.0):
    """A support vector regression with the defaults of libsvm: C = 1, epsilon .1, beta one over the features."""
    return SVR(C=C, gamma=1 / X.shape[1]).fit(X, y)


def four_maps(X, y, seed):
    """Places by each of the maps of Fig. 3.21, and the metric."""
    metric = GPFisher().fit(X, y)
    D = metric.distances()
    given = {"metric": "precomputed"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # of a sheet that still gains .0001 a sample
        sheet = GTM(max_iter=1000).fit(X)
        maps = (
            sheet.embedding_,
            MDS(**given).fit_transform(D),
            GTM(**given, max_iter=1000).fit_transform(D),
            TSNE(**given, init="random", random_state=seed).fit_transform(D),
        )
    return metric, sheet, dict(zip(KINDS, maps, strict=True))


def pieces(Z, cluster, k, alone):
    """Connected pieces of each cluster over k neighbours: among its own samples alone, or those of the whole map."""
    whole = knn_graph(Z, k).tocsr()
    found = []
    for c in range(3):
        rows = np.flatnonzero(cluster == c)
        found.append(components_of(knn_graph(Z[rows], k) if alone else whole[rows][:, rows])[0])
    return np.mean(found)


def quadratic_fit(places, values):
    """R^2 of the quadratic surface that fits values at places best."""
    basis = PolynomialFeatures(2).fit_transform(places / np.abs(places).max(axis=0))
    return float(LinearRegression().fit(basis, values).score(basis, values))


def map_correlation(Z, Z_reference):
    """Correlation of two maps after the best shift, turn and scale."""
    moved = procrustes(Z, Z_reference, scale=True)
    centred = Z_reference - Z_reference.mean(axis=0)
    return float(np.sqrt(max(0.0, 1 - np.sum((moved - Z_reference) ** 2) / np.sum(centred**2))))


def stacked(seed):
    bunch = make_stacked_clusters(random_state=seed)
    X, y, cluster = bunch.data, bunch.target, bunch.cluster
    metric, sheet, maps = four_maps(X, y, seed)
    torn = [[pieces(Z, cluster, k, alone) for Z in maps.values()] for k in (5, 10) for alone in (True, False)]
    fits = []
    for C in (1.0, 100.0):
        model = library_svr(X, y, C)
        row = []
        for name, Z in maps.items():
            options = {"way_there": sheet, "inverse": None} if name == "GTM" else {"metric": metric}
            shown = DecisionMap.from_map(model, X, Z, **options)
            values = shown.grid_values_.ravel()
            near = shown.trust_.ravel() > 0.5
            places = shown._view.grid_places
            row.append(
                [
                    quadratic_fit(places, values),
                    quadratic_fit(places[near], values[near]),
                    shown.prediction_correlation_,
                    shown.in_sample_.predictions,
                ]
            )
        fits.append(row)
    flat = maps["Fisher GTM"]
    alike = [map_correlation(maps["Fisher MDS"], flat), *(Z[:, 1].std() / Z[:, 0].std() for Z in (flat, maps["Fisher MDS"]))]
    return torn, alike, fits


def listed(values, digits=2):
    return ", ".join(f"{v:.{digits}f}" for v in np.ravel(values))


def test_vi_20_four_maps_of_data_set_1(check_claim, scale):
    seeds = seeds_of(scale)
    torn, alike, fits = (np.array(part) for part in zip(*over(stacked, seeds), strict=True))
    claims.start(seed=seeds, scale=scale)
    # torn (seeds, 4 graphs, 4 maps), alike (seeds, 3), fits (seeds, 2 models, 4 maps, 4)
    surface = fits[:, 0, :, 0]
    values = np.column_stack([torn[:, 0, 0], torn[:, 0, 3], alike[:, 0], surface])
    mean = values.mean(axis=0)
    ok = mean[0] > 1 and mean[1] > 1 and mean[2] > 0.9 and mean[3:].argmax() == KINDS.index("Fisher GTM")
    print(torn.mean(0), alike.mean(0), fits.mean(0))
    check_claim("VI-20", mean.tolist(), bool(ok), spread=deviation(values), note="")


def outlying(seed):
    bunch = make_two_clusters_with_outlier(random_state=seed)
    X, y, cluster = bunch.data, bunch.target, bunch.cluster
    tree = DecisionTreeRegressor(min_samples_split=10, random_state=seed).fit(X, y)  # Matlab's least parent
    metric = GPFisher().fit(X, y)
    Z = GTM(metric="precomputed", max_iter=1000).fit_transform(metric.distances())
    ends = np.array([Z[cluster == c].mean(axis=0) for c in (0, 1)])
    share = np.linspace(0, 1, 101)[:, None]
    on_map = ends[0] + share * (ends[1] - ends[0])
    in_data = np.array([-1.0, 0, 0]) + share * np.array([2.0, 0, 0])
    rows, first = [], None
    for model in (library_svr(X, y), tree, library_svr(X, y, 100.0)):
        shown = first.with_model(model) if first else DecisionMap.from_map(model, X, Z, metric=metric)
        first = first or shown
        steps = [np.abs(np.diff(model.predict(A))).max() for A in (shown.inverse_transform(on_map), in_data)]
        scores = [r2_score(y[cluster == c], model.predict(X[cluster == c])) for c in (0, 1)]
        distinct = len(np.unique(np.round(shown.grid_values_, 9)))
        rows.append([*scores, distinct, *steps, shown.prediction_correlation_, shown.in_sample_.predictions])
    return rows


def test_vi_22_two_regressors_of_data_set_2(check_claim, scale):
    seeds = seeds_of(scale)
    found = np.array(over(outlying, seeds))  # (seeds, 3 models, 7)
    claims.start(seed=seeds, scale=scale)
    svr, tree, hard = found.transpose(1, 0, 2)
    values = np.column_stack([svr[:, 0], svr[:, 1], svr[:, 2], tree[:, 2], tree[:, 3] / svr[:, 3]])
    mean = values.mean(axis=0)
    ok = mean[1] < mean[0] and mean[3] < mean[2] and mean[4] >= 5
    print(found.mean(0)); print(values)
    check_claim("VI-22", mean.tolist(), bool(ok), spread=deviation(values), note="")


# ------------------------------------------------------------------------------------------ the way back, section 3.3

SETS = ("digits", "usps", "cube", "discs")
WAYS = [(30, 0.01), (30, 0.1), (30, 1.0), (30, 10.0), (100, 1.0)]
"""Numbers of centres and values of `lam`; the last, the default `lam` with a third of the centres' cost, decides."""


def labelled(name, n, seed):
    """Samples and classes; of USPS the first 30 principal components."""
    if name == "cube":
        bunch = make_labelled_cube(n, random_state=seed)
        return bunch.data, bunch.target[:, 0]
    if name == "discs":
        bunch = make_stacked_discs(n, random_state=seed)
        return bunch.data, bunch.target
    bunch = load_digits() if name == "digits" else load("usps")
    order = np.random.default_rng(seed).permutation(len(bunch.data))[:n]
    X, y = bunch.data[order].astype(float), bunch.target[order]
    return (X / 16 if name == "digits" else PCA(30, random_state=0).fit_transform(X)), y


def ways_back(item):
    """Held-out label agreement and certainty correlation, their gains by the metric and the folds' spread of these."""
    name, auxiliary, n, ways, seed = item
    X, y = labelled(name, n, seed)
    model = SVC().fit(X, y)
    metric = (ParzenFisher().fit(X, y) if auxiliary == "truth" else ModelFisher(model).fit(X))
    Z = TSNE(metric="precomputed", init="random", random_state=seed).fit_transform(metric.distances())
    plain, rows = {}, []
    for m, lam in ways:
        if m not in plain:
            plain[m] = DecisionMap.from_map(model, X, Z, inverse=InverseMap(m), grid=50)
        with_metric = DecisionMap.from_map(model, X, Z, metric=metric, inverse=InverseMap(m, lam=lam), grid=50)
        row = []
        for measure in ("labels", "certainty"):
            a, b = (getattr(shown.held_out_, measure) for shown in (plain[m], with_metric))
            gain = with_metric.held_out_.folds[measure] - plain[m].held_out_.folds[measure]
            inside = [getattr(shown.in_sample_, measure) for shown in (plain[m], with_metric)]
            row += [a, b, np.nanmean(gain), np.nanstd(gain, ddof=1), *inside]
        rows.append(row)
    return rows


def test_vi_23_the_way_back_with_and_without_the_metric(check_claim, scale):
    seeds = list(range({"quick": 1, "default": 3, "paper": 10}[scale]))
    n = {"quick": 200, "default": 300, "paper": 1000}[scale]
    ways = WAYS if scale != "paper" else WAYS + [(200, 0.01), (200, 1.0)]
    jobs = [(name, aux, n, ways, s) for name in SETS for aux in ("truth", "model") for s in seeds]
    found = np.array(over(ways_back, jobs)).reshape(4, 2, len(seeds), len(ways), 12)
    claims.start(seed=seeds, scale=scale)
    np.set_printoptions(precision=3, suppress=True, linewidth=150)
    print(found.mean(axis=2))


# ------------------------------------------------------------------------- sampling the data space, section 3.4.1

DIMENSIONS = (2, 5, 10, 20)


def in_dimension(D, n, seed, garbage):
    """Six clusters of three classes on a ring: in a plane within D features, with noise .05; or with D - 2 more."""
    if garbage:
        bunch = make_clusters(n, D - 2, garbage=0.5, random_state=seed)
        return bunch.data, bunch.target
    bunch = make_clusters(n, 0, random_state=seed)
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.normal(size=(D, 2)))[0]
    return bunch.clean @ turn.T + 0.05 * rng.normal(size=(n, D)), bunch.target


def two_samplings(item):
    """Held-out label agreement of the plane's grid and of samples of the box, in-sample agreement of the plane."""
    D, n, cells, garbage, seed = item
    X, y = in_dimension(D, 2 * n, seed, garbage)
    train, new = X[:n], X[n:]
    model = SVC().fit(train, y[:n])
    Z = TSNE(init="random", random_state=seed).fit_transform(train)
    there = KernelMap().fit(train, Z)
    shown = DecisionMap.from_map(model, train, Z, way_there=there, inverse=InverseMap(100), grid=cells, cv=None)
    box = np.random.default_rng(seed).uniform(train.min(axis=0), train.max(axis=0), size=(cells**2, D))
    nearest = squared_distances(shown._view.grid_places, there.transform(box)).argmin(axis=1)
    naive = model.predict(box)[nearest].reshape(cells, cells)
    answers, places = model.predict(new), there.transform(new)
    seen = naive[grid_cells(places, shown.extent_, naive.shape)]
    return [
        shown.score(new).labels,
        np.mean(seen == answers),
        shown.in_sample_.labels,
        np.mean(naive[grid_cells(Z, shown.extent_, naive.shape)] == shown.predicted_),
        np.unique(answers, return_counts=True)[1].max() / len(answers),
        np.mean(np.sqrt(squared_distances(box, train).min(axis=1))) / np.mean(np.sqrt(squared_distances(new, train).min(axis=1))),
    ]


def test_vi_26_sampling_the_plane_or_the_data_space(check_claim, scale):
    seeds = list(range(5))
    n, cells = {"quick": (150, 30), "default": (300, 40), "paper": (1000, 100)}[scale]
    jobs = [(D, n, cells, garbage, s) for garbage in (False, True) for D in DIMENSIONS for s in seeds]
    found = np.array(over(two_samplings, jobs)).reshape(2, 4, 5, 6)
    claims.start(seed=seeds, scale=scale)
    print(found.mean(axis=2))
    lead = found[0, :, :, 0] - found[0, :, :, 1]  # (dimensions, seeds)
    mean, error = lead.mean(axis=1), lead[-1].std(ddof=1) / np.sqrt(len(seeds))
    ok = mean[-1] > mean[0] and mean[-1] > 2 * error
    check_claim("VI-26", mean.tolist(), bool(ok), spread=deviation(lead, axis=1), note="")
