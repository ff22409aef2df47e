"""What the jobs call: computations of a problem, parts of plain forms, facts of results.

Each takes a problem (see `problems.py`). Facts get the problem, the result and that of the
plain form; they return numbers or texts by name, and check that both agree.
"""

import numpy as np
import plain
import problems
from matplotlib import pyplot as plt

from toolkit.bounds import relevance_bounds
from toolkit.decisionmap import DecisionMap
from toolkit.discriminant.maps import leading_directions
from toolkit.discriminant.scatter import local_class_scatters, local_scatters
from toolkit.eigenmaps.solver import eigenmap
from toolkit.embed import MVU, TSNE
from toolkit.fisher import GPFisher, ParzenFisher
from toolkit.lmnn import margin_cost
from toolkit.lvq.cost import glvq_cost
from toolkit.quality import knn_error, log_area, r_nx


def of_data(p):
    return {"the data": p.X.nbytes}


def of_pairs(p):
    return {"n x n": 8 * len(p.X) ** 2}


def of_data_and_pairs(p):
    return of_data(p) | of_pairs(p)


def n_iterations(p, model, _):
    return {"iterations": str(model.n_iter_)}


def bounds_of(p, n_jobs=1):
    bounds = relevance_bounds(p.w, p.X, p.null_space, p.slack, n_jobs=n_jobs)
    p.mu = p.slack * bounds.mu
    return bounds


def literal_bounds(p, n_features=None, seconds=plain.LITERAL_SECONDS):
    literal = plain.LiteralBounds(p.w, p.V, p.mu, seconds)
    return literal.of(p.features[:n_features])


def bounds_fraction(p, literal):
    return max(1, literal.shape[1]) / len(p.w)


def bounds_facts(p, bounds, literal):
    n_features = literal.shape[1]
    facts = {"gap": bounds.gap, "features of the plain form": str(n_features)}
    if n_features == 0:
        facts["times are lower limits"] = "(no feature was finished)"
        return facts
    computed = np.array([bounds.lower, bounds.upper])
    difference = computed[:, p.features[:n_features]] - literal
    facts["largest difference over the largest bound"] = (
        np.abs(difference).max() / bounds.upper.max()
    )
    return facts


def two_processes_agree(p, bounds, _):
    assert np.array_equal(bounds.upper, bounds_of(p).upper)
    return {}


def self_directions(p):
    """Scatter matrices and eigenproblem of SELF, the local scales given."""
    class_scatters = local_class_scatters(p.X, p.y, p.scales)
    scatters = local_scatters(p.X, p.scales)
    means = [(a + b) / 2 for a, b in zip(class_scatters, scatters, strict=True)]
    return leading_directions(*means, 2, 1e-6)


def solve(p):
    return eigenmap(p.sleml.graph_, p.sleml._labels, 0.5, 2)


def vector_facts(p, model, _):
    facts = {"area": log_area(r_nx(p.X, model.embedding_))}
    if isinstance(model, MVU):
        facts["relative gap to the bound"] = model.gap_
    return facts


def distance_facts(p, model, _):
    curve = r_nx(p.D, model.embedding_, metric="precomputed")
    facts = {"area": log_area(curve)}
    if isinstance(model, MVU):
        facts["relative gap to the bound"] = model.gap_
    return facts


def draw(decision_map):
    display = decision_map.plot()
    display.figure_.canvas.draw()
    plt.close(display.figure_)
    return decision_map


def decision_map(p):
    return DecisionMap.from_estimator(
        p.machine, p.X, p.y, metric="fisher", grid=150, n_jobs=problems.THREADS
    )


def draw_decision_map(p):
    p.decision_map = draw(decision_map(p))


def grid_points(p):
    """As many points as the grid has, in the space of the samples."""
    rng = np.random.default_rng(0)
    scale = p.decision_map.embedding_.std(axis=0)
    return p.decision_map.inverse_transform(
        rng.normal(size=(22_500, 2)) * scale
    )


def at_grid_points():
    p = problems.letters()
    p.grid = grid_points(p)
    return p


def of_fisher_matrices(p):
    n, d = p.X.shape
    return {"the Fisher matrices": 8 * n * d**2}


def loop_fraction(p, lengths):
    n = len(p.X)
    return len(lengths) / (n * (n - 1) / 2)


def loop_facts(p, D, lengths):
    measured = D[p.pairs[:, 0], p.pairs[:, 1]]
    return {"largest difference": np.abs(measured - lengths).max()}


def process_metric():
    X, _ = problems.gaussians(500, 10, 26, 2)
    y = np.sin(X[:, 0]) + X[:, 1]
    metric = GPFisher(beta=0.05, noise=0.1, n_jobs=problems.THREADS).fit(X, y)
    return problems.Problem(X=X, fisher=metric)


def near_neighbours(p):
    metric = ParzenFisher(
        n_centers=300, n_jobs=problems.THREADS, random_state=0
    )
    p.graph = metric.fit(p.X, p.y).knn_distances(n_neighbors=91)
    return metric


def map_of_neighbours(p):
    start = 1e-4 * p.X[:, :2]
    model = TSNE(metric="precomputed", n_jobs=problems.THREADS, init=start)
    return model.fit_transform(p.graph)


def map_error(p, Z, _):
    rows = np.random.default_rng(0).permutation(len(Z))[:5000]
    return {"1-NN error of the map": knn_error(Z[rows], p.y[rows])}


def at_the_start(p):
    return margin_cost(p.X, np.eye(30) / 4, p.y, p.targets, 0.5)


def at_the_end(p):
    return margin_cost(p.X, p.components, p.y, p.targets, 0.5)


def margin_facts(p, result, looped):
    cost, *_, n_active, gradient = result
    looped_cost, looped_gradient = looped
    tolerance = 1e-8 * np.abs(looped_gradient).max()
    assert abs(cost / looped_cost - 1) < 1e-10
    assert np.allclose(gradient, looped_gradient, atol=tolerance)
    return {"active triples": str(n_active)}


def glvq(p):
    return glvq_cost(p.samples, p.W, p.w_codes, p.Omega[None])


def glvq_facts(p, result, looped):
    assert abs(looped[0] - result.value) < 1e-10
    return {}


def planted_facts(p, model, _):
    r = model.relevances_
    facts = n_iterations(p, model, _)
    facts["noise features at most, of the two planted"] = (
        r[2:].max() / r[:2].min()
    )
    return facts


def selection(function, p):
    return function(
        p.X, p.Z, max_samples=500, random_state=0, n_jobs=problems.THREADS
    )


def step_facts(p, result, least_squares):
    assert np.allclose(result, least_squares)
    return {}


def fit_facts(p, model, _):
    n_steps = len(next(iter(model.history_.values())))
    return {"steps": str(n_steps), "confidence": model.confidence_}
