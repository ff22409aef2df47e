"""The table of jobs: what is timed, of which sizes, and what it is compared with.

Where a plain form would take too long, it does a part of the work, and its time is that of
the whole. Jobs of a group run in their order.
"""

import time

import calls
import numpy as np
import plain
import problems
from sklearn.neighbors import KNeighborsTransformer
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from timing import Job

from toolkit.bounds import generic_bounds, relevance_bounds
from toolkit.decisionmap import ModelFunction
from toolkit.discriminant import SELF
from toolkit.discriminant.scatter import pair_scatter
from toolkit.eigenmaps import SLEML
from toolkit.embed import GTM, MDS, MVU, SOM, TSNE, Isomap, NeRV, ParametricTSNE
from toolkit.kernelmap import InverseMap
from toolkit.lmnn import LMNN, margin_cost
from toolkit.lvq import GMLVQ, RSLVQ
from toolkit.multilabel import (
    FeatureLabelEigenmap,
    SampleLabelEigenmap,
    SampleLabelMap,
)
from toolkit.quality import q_nx
from toolkit.relevance import (
    NeRVMetric,
    NeRVRelevance,
    backward_relevance,
    forward_relevance,
)
from toolkit.transfer import SharedLinearEmbedding
from toolkit.transfer.annealing import expect, ridge_step

BETAS = np.linspace(0, 1, 21)
LAMBDAS = np.linspace(0.05, 1, 20)
QUICK = {"max_iter": 2, "tol": 10.0}


def jobs_of_bounds(name, slack):
    set_up = lambda: problems.bounds_problem(name, slack)  # noqa: E731
    text = f"{name}, slack {slack}"
    one_process = Job(
        name=text,
        set_up=set_up,
        call=calls.bounds_of,
        repeat=1,
        plain=calls.literal_bounds,
        plain_fraction=calls.bounds_fraction,
        short_plain=lambda p: calls.literal_bounds(p, 1, 1.0),
        facts=calls.bounds_facts,
    )
    two_processes = Job(
        name=f"{text}, two processes",
        set_up=set_up,
        call=lambda p: calls.bounds_of(p, n_jobs=2),
        repeat=1,
        warm_up=True,
        memory=None,
        unit=text,
        facts=calls.two_processes_agree,
    )
    return [one_process, two_processes]


BOUNDS = [
    Job(
        name="linear, diabetes",
        set_up=problems.diabetes,
        call=lambda p: relevance_bounds(p.w, p.X, 2),
    ),
    Job(
        name="generic, diabetes",
        set_up=problems.diabetes,
        call=lambda p: generic_bounds(p.X, p.y),
    ),
    *jobs_of_bounds("diabetes", 1.1),
    *jobs_of_bounds("tecator", 1.01),
    *jobs_of_bounds("tecator", 1.1),
    *jobs_of_bounds("smooth spectra", 1.01),
    *jobs_of_bounds("smooth spectra", 1.1),
]


DISCRIMINANT = [
    Job(
        name="SELF",
        set_up=lambda: problems.moons(1000),
        call=lambda p: SELF().fit(p.X, p.y),
    ),
    Job(
        name="another beta",
        set_up=lambda: SELF().fit(
            problems.moons(1000).X, problems.moons(1000).y
        ),
        call=lambda model: model.path(BETAS),
        n_calls=len(BETAS),
    ),
    Job(
        name="one scatter matrix",
        set_up=lambda: problems.moons(1000),
        call=lambda p: pair_scatter(p.X, p.scales),
        plain=lambda p: plain.pair_scatter(p.W, p.X),
    ),
    Job(
        name="scatter matrices and eigenproblem",
        set_up=problems.default_moons,
        call=calls.self_directions,
        sizes=(500, 1000, 2000, 4000, 8000),
        memory=None,
    ),
    Job(
        name="SELF, 50 features",
        set_up=problems.partly_labelled,
        call=lambda p: SELF().fit(p.X, p.y),
        sizes=(50_000,),
        repeat=1,
        memory_units=calls.of_data_and_pairs,
    ),
]


EIGENMAPS = [
    Job(
        name="SLEML, digits",
        set_up=problems.digits,
        call=lambda p: SLEML().fit(p.X, p.y),
    ),
    Job(
        name="solution for a graph",
        set_up=problems.digits,
        call=calls.solve,
        plain=lambda p: plain.dense_eigenmap(p.sleml.graph_, p.y, 0.5),
    ),
    Job(
        name="dense solution for three pairs",
        set_up=problems.digits,
        call=lambda p: plain.dense_eigenmap(p.sleml.graph_, p.y, 0.5, 3),
        repeat=1,
        unit="solution for a graph",
    ),
    Job(
        name="another lambda",
        set_up=problems.digits,
        call=lambda p: p.sleml.path(LAMBDAS),
        n_calls=len(LAMBDAS),
    ),
    Job(
        name="search of 30 neighbours",
        set_up=problems.rolled_sheet,
        call=lambda p: KNeighborsTransformer(n_neighbors=30).fit_transform(p.X),
        sizes=(2_500, 5_000, 10_000, 20_000),
        repeat=1,
        memory=None,
    ),
    Job(
        name="SLEML beyond the search",
        set_up=problems.sheet_with_graph,
        call=lambda p: SLEML(neighbors=p.neighbors, keep_balance=True).fit(
            p.X, p.y
        ),
        sizes=(2_500, 5_000, 10_000, 20_000),
        repeat=2,
        memory_units=calls.of_pairs,
    ),
    Job(
        name="SLEML, 15 neighbours",
        set_up=problems.large_sheet,
        call=lambda p: SLEML(neighbors=p.neighbors, keep_balance=True).fit(
            p.X, p.y
        ),
        sizes=(100_000,),
        repeat=1,
        facts=lambda p, model, _: {"residual": model.residual_, "by": p.search},
    ),
]


def jobs_of_embedder(method):
    shared = {"set_up": problems.letters, "repeat": 1}
    shared |= {"memory": None, "unit": "MDS, vectors"}
    vectors = Job(
        name=f"{method.__name__}, vectors",
        call=lambda p: method().fit(p.X),
        facts=calls.vector_facts,
        **shared,
    )
    if method is ParametricTSNE:
        return [vectors]
    distances = Job(
        name=f"{method.__name__}, Fisher distances",
        call=lambda p: method(metric="precomputed").fit(p.D),
        facts=calls.distance_facts,
        **shared,
    )
    return [vectors, distances]


EMBED = [
    *jobs_of_embedder(MDS),
    *jobs_of_embedder(Isomap),
    *jobs_of_embedder(SOM),
    *jobs_of_embedder(GTM),
    *jobs_of_embedder(TSNE),
    *jobs_of_embedder(MVU),
    *jobs_of_embedder(NeRV),
    *jobs_of_embedder(ParametricTSNE),
    Job(
        name="Q_NX",
        set_up=lambda n: problems.plane(n, 30),
        call=lambda p: q_nx(p.X, p.Z),
        sizes=(11_000,),
        repeat=1,
        memory=None,
    ),
    Job(
        name="Q_NX, two threads",
        set_up=lambda n: problems.plane(n, 30),
        call=lambda p: q_nx(p.X, p.Z, n_jobs=problems.THREADS),
        sizes=(11_000,),
        repeat=1,
        memory_units=calls.of_pairs,
        unit="Q_NX",
    ),
    Job(
        name="new samples on a kernel map of 1,000",
        set_up=lambda n: problems.plane(11_000, 30).X[:n],
        call=lambda X: problems.kernel_map().transform(X),
        sizes=(2_000, 10_000),
        memory=None,
        warm_up=True,
    ),
]


DECISIONS = [
    Job(
        name="26 classes, ten-fold, 150 x 150, drawn",
        set_up=problems.letters,
        call=calls.draw_decision_map,
        repeat=1,
        short=calls.decision_map,
        memory_units=calls.of_pairs,
    ),
    Job(
        name="another SVC in the same plane",
        set_up=problems.letters,
        call=lambda p: calls.draw(
            p.decision_map.with_model(SVC(C=1).fit(p.X, p.y))
        ),
        repeat=1,
        memory=None,
        unit="26 classes, ten-fold, 150 x 150, drawn",
    ),
    Job(
        name="a tree in the same plane",
        set_up=problems.letters,
        call=lambda p: calls.draw(
            p.decision_map.with_model(DecisionTreeClassifier().fit(p.X, p.y))
        ),
        repeat=1,
        memory=None,
        unit="26 classes, ten-fold, 150 x 150, drawn",
    ),
    Job(
        name="325 pairwise machines at 22,500 points",
        set_up=calls.at_grid_points,
        call=lambda p: ModelFunction(p.machine)(p.grid),
        repeat=1,
        plain=lambda p: p.machine.decision_function(p.grid),
    ),
    Job(
        name="inverse map, 256 features, Euclidean",
        set_up=lambda n: problems.random_plane(n, 256),
        call=lambda p: InverseMap().fit(p.X, p.Z),
        sizes=(5000,),
        repeat=1,
        memory=None,
    ),
    Job(
        name="inverse map, 256 features, Fisher",
        set_up=lambda n: problems.random_plane(n, 256),
        call=lambda p: InverseMap().fit(p.X, p.Z, p.fisher),
        sizes=(5000,),
        repeat=1,
        memory_units=calls.of_fisher_matrices,
        unit="inverse map, 256 features, Euclidean",
    ),
]


FISHER = [
    Job(
        name="all lengths, one thread",
        set_up=lambda n: problems.windows(n, n_jobs=1),
        call=lambda p: p.fisher.distances(),
        sizes=(1500,),
        repeat=2,
        memory_units=calls.of_pairs,
    ),
    Job(
        name="all lengths, two threads",
        set_up=problems.windows,
        call=lambda p: p.fisher.distances(),
        sizes=(1500,),
        repeat=2,
        memory_units=calls.of_pairs,
        unit="all lengths, one thread",
        plain=lambda p: plain.fisher_lines(p.X, p.y, 1.5, p.pairs),
        plain_fraction=calls.loop_fraction,
        facts=calls.loop_facts,
    ),
    Job(
        name="all samples as centres",
        set_up=problems.windows,
        call=lambda p: p.fisher.distances(),
        sizes=(750, 1500, 3000),
        repeat=1,
        memory=None,
    ),
    Job(
        name="500 centres",
        set_up=lambda n: problems.windows(n, n_centers=500),
        call=lambda p: p.fisher.distances(),
        sizes=(750, 1500, 3000),
        repeat=1,
        memory=None,
    ),
    Job(
        name="all lengths",
        set_up=problems.windows,
        call=lambda p: p.fisher.distances(),
        sizes=(5000,),
        repeat=1,
        memory_units=calls.of_pairs,
    ),
    Job(
        name="Gaussian process, n = 500",
        set_up=calls.process_metric,
        call=lambda p: p.fisher.distances(),
        repeat=1,
        memory_units=calls.of_pairs,
    ),
    Job(
        name="shortest paths, with the lines",
        set_up=problems.windows,
        call=lambda p: p.fisher.fit(p.X, p.y).distances(path="graph"),
        sizes=(1500,),
        repeat=1,
        memory=None,
    ),
]


LARGE = [
    Job(
        name="91 Fisher neighbours",
        set_up=problems.many_digits,
        call=calls.near_neighbours,
        sizes=(60_000,),
        repeat=1,
        memory="process",
        facts=lambda p, metric, _: {
            "fraction of the pairs": metric.knn_fraction_
        },
    ),
    Job(
        name="t-SNE of these",
        set_up=problems.many_digits,
        call=calls.map_of_neighbours,
        sizes=(60_000,),
        repeat=1,
        memory="process",
        facts=calls.map_error,
    ),
]


LMNN_JOBS = [
    Job(
        name="cost and gradient at the start, 569 x 30",
        set_up=problems.cancer,
        call=calls.at_the_start,
        repeat=5,
        plain=lambda p: plain.margin_cost(
            p.X, np.eye(30) / 4, p.y, p.targets, 0.5
        ),
        facts=calls.margin_facts,
    ),
    Job(
        name="cost and gradient at the end, 569 x 30",
        set_up=problems.cancer,
        call=calls.at_the_end,
        repeat=5,
        plain=lambda p: plain.margin_cost(
            p.X, p.components, p.y, p.targets, 0.5
        ),
        facts=calls.margin_facts,
    ),
    Job(
        name="breast cancer, full rank",
        set_up=problems.cancer,
        call=lambda p: LMNN().fit(p.X, p.y),
        repeat=2,
        memory_units=calls.of_data,
        facts=calls.n_iterations,
    ),
    Job(
        name="breast cancer, rank 2",
        set_up=problems.cancer,
        call=lambda p: LMNN(rank=2).fit(p.X, p.y),
        repeat=2,
        memory_units=calls.of_data,
        facts=calls.n_iterations,
    ),
    Job(
        name="50 features, five classes",
        set_up=problems.five_classes,
        call=lambda p: LMNN().fit(p.X, p.y),
        sizes=(2000,),
        repeat=1,
    ),
    Job(
        name="an evaluation with few active triples",
        set_up=problems.with_targets,
        call=lambda p: margin_cost(p.X, 2 * np.eye(50), p.y, p.targets, 0.5),
        sizes=(1000, 2000, 4000, 8000),
    ),
]


def landsat_job(name, model):
    return Job(
        name=f"Landsat, {name}",
        set_up=problems.landsat,
        call=lambda p: model.fit(p.X, p.y),
        repeat=2,
        memory_units=calls.of_data,
        facts=calls.n_iterations,
    )


LVQ = [
    landsat_job("one prototype per class", GMLVQ()),
    landsat_job("three prototypes", GMLVQ(3, random_state=0)),
    landsat_job("three, mu = 0.1", GMLVQ(3, mu=0.1, random_state=0)),
    landsat_job("one, rank 2", GMLVQ(rank=2)),
    landsat_job("RSLVQ, one", RSLVQ()),
    Job(
        name="cost and gradient, prototypes",
        set_up=problems.landsat_prototypes,
        call=calls.glvq,
        sizes=(6, 18),
        repeat=5,
        plain=lambda p: plain.glvq_cost(
            p.rows, p.codes, p.W, p.w_codes, p.Omega
        ),
        facts=calls.glvq_facts,
    ),
    Job(
        name="an iteration, 12 prototypes, samples",
        set_up=lambda n: problems.prototypes(n, 12),
        call=calls.glvq,
        sizes=(10_000, 20_000, 40_000, 80_000),
        repeat=5,
        memory=None,
    ),
    Job(
        name="an iteration, 20,000 samples, prototypes",
        set_up=lambda p: problems.prototypes(20_000, p),
        call=calls.glvq,
        sizes=(6, 24, 96, 384),
        memory=None,
    ),
    Job(
        name="36 features, 200 iterations at most",
        set_up=problems.six_classes,
        call=lambda p: GMLVQ(max_iter=200).fit(p.X, p.y),
        sizes=(200_000,),
        repeat=1,
        memory_units=calls.of_data,
        facts=calls.n_iterations,
    ),
]


MULTILABEL = [
    Job(
        name="SL-A",
        set_up=lambda: problems.scene_like(2407),
        call=lambda p: SampleLabelMap().fit(p.X, p.Y),
        memory_units=calls.of_data,
        plain=lambda p: plain.sample_label_map(p.X, p.Y),
        plain_repeat=3,
    ),
    Job(
        name="FL-A",
        set_up=lambda: problems.scene_like(2407),
        call=lambda p: FeatureLabelEigenmap().fit(p.X, p.Y),
        memory_units=calls.of_data,
        unit="SL-A",
    ),
    Job(
        name="SL-B",
        set_up=lambda: problems.scene_like(2407),
        call=lambda p: SampleLabelEigenmap().fit(p.X, p.Y),
        memory_units=calls.of_data,
        unit="SL-A",
        plain=lambda p: plain.sample_label_eigenmap(p.X, p.Y),
    ),
    Job(
        name="SL-B, n = 20,000",
        set_up=lambda: problems.scene_like(20_000),
        call=lambda p: SampleLabelEigenmap().fit(p.X, p.Y),
        repeat=1,
        memory_units=calls.of_data,
        unit="SL-A",
    ),
]


RELEVANCE = [
    Job(
        name="NeRVRelevance",
        set_up=lambda n: problems.plane(n, 32),
        call=lambda p: NeRVRelevance(random_state=0).fit(p.X, p.Z),
        short=lambda p: NeRVRelevance(random_state=0, **QUICK).fit(p.X, p.Z),
        sizes=(500, 5000),
        repeat=1,
        memory_units=calls.of_pairs,
        facts=calls.planted_facts,
    ),
    Job(
        name="NeRVMetric",
        set_up=lambda n: problems.plane(n, 32),
        call=lambda p: NeRVMetric(random_state=0).fit(p.X, p.Z),
        short=lambda p: NeRVMetric(random_state=0, **QUICK).fit(p.X, p.Z),
        sizes=(500, 5000),
        repeat=1,
        memory_units=calls.of_pairs,
        facts=calls.planted_facts,
    ),
    Job(
        name="forward_relevance, 500 rows, all k",
        set_up=lambda n: problems.plane(n, 32),
        call=lambda p: calls.selection(forward_relevance, p),
        sizes=(500, 5000),
        repeat=1,
        plain=lambda p: q_nx(p.X, p.Z, n_jobs=problems.THREADS),
        plain_fraction=lambda p, _: len(p.X) / (32 * 500),
    ),
    Job(
        name="backward_relevance, 500 rows, all k",
        set_up=lambda n: problems.plane(n, 32),
        call=lambda p: calls.selection(backward_relevance, p),
        sizes=(500, 5000),
        repeat=1,
        plain=lambda p: q_nx(p.X, p.Z, n_jobs=problems.THREADS),
        plain_fraction=lambda p, _: len(p.X) / (32 * 500),
    ),
]


def expectation_job(bandwidth):
    def agree(p, result, dense):
        weight, pull = dense
        assert np.allclose(result.weight, weight, atol=1e-9)
        assert np.allclose(result.pull, pull, atol=1e-9)
        return {}

    def call(p):
        return expect(p.source, p.target, p.log_theta, bandwidth)

    return Job(
        name=f"E-step, 3,000 x 3,000, bandwidth {bandwidth}",
        set_up=lambda: problems.two_clouds(3000),
        call=call,
        plain=lambda p: plain.expectation(p.source, p.target, bandwidth),
        plain_repeat=3,
        facts=agree,
    )


TRANSFER = [
    Job(
        name="SharedLinearEmbedding, n and n x 20, processor seconds",
        set_up=problems.mixed_features,
        call=lambda p: SharedLinearEmbedding(random_state=0).fit(
            p.source, p.target
        ),
        sizes=(5_000,),
        repeat=1,
        clock=time.process_time,
        facts=calls.fit_facts,
    ),
    Job(
        name="E-step, n x n, processor seconds",
        set_up=problems.two_clouds,
        call=lambda p: expect(p.source, p.target, p.log_theta, 0.1),
        sizes=(20_000,),
        repeat=1,
        clock=time.process_time,
        memory_units=lambda p: {"n x n": 8 * len(p.source) ** 2},
    ),
    expectation_job(1.0),
    expectation_job(0.3),
    expectation_job(0.1),
    expectation_job(0.03),
    Job(
        name="M-step, 300 x 300, 11 coefficients",
        set_up=problems.responsibilities,
        call=lambda p: ridge_step(p.design, p.weight, p.pull, p.penalty),
        repeat=20,
        plain=lambda p: plain.maximisation(p.source, p.design, p.gamma, 0.1),
        plain_repeat=3,
        facts=calls.step_facts,
    ),
]


def page_job(name, set_up, sizes=()):
    return Job(
        name=name,
        set_up=set_up,
        call=problems.page,
        sizes=sizes,
        repeat=1,
        memory="children",
        unit="votes",
    )


LOOK = [
    page_job("votes", problems.votes),
    page_job("cancer", lambda: problems.own_table("cancer")),
    page_job("boston", lambda: problems.own_table("boston")),
    page_job("labels", lambda: problems.own_table("labels")),
    page_job("synthetic", lambda: problems.own_table("synthetic")),
    page_job("50 columns, rows", problems.big_table, (5_000, 100_000)),
]


# A list of jobs for each group, by its name.
GROUPS = {
    "bounds": BOUNDS,
    "decisions": DECISIONS,
    "discriminant": DISCRIMINANT,
    "eigenmaps": EIGENMAPS,
    "embed": EMBED,
    "fisher": FISHER,
    "large": LARGE,
    "lmnn": LMNN_JOBS,
    "look": LOOK,
    "lvq": LVQ,
    "multilabel": MULTILABEL,
    "relevance": RELEVANCE,
    "transfer": TRANSFER,
}
