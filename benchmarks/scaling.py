"""How processor time and memory of each estimator grow with the samples: writes scaling.md.

20 features, 5 Gaussian classes, defaults, one thread; 1,000, 4,000, 16,000 and 64,000
samples. Each fit runs in a process of its own, whose time is limited to 300 s and whose
memory to 16 GB; a size is left out where the growth so far foretells more. Under an
hour in all. `python benchmarks/scaling.py NeRV LMNN` measures these alone, and keeps
the other rows.
"""

import importlib
import os
import re
import resource
import signal
import sys
import time
import warnings
from pathlib import Path

import numpy as np

SIZES = [1_000, 4_000, 16_000, 64_000]
SECONDS, BYTES = 300, 16 * 2**30
STEEP = 1.3  # exponents above it are explained
PAGE = Path(__file__).with_name("scaling.md")


def blobs(n, d=20, classes=5):
    rng = np.random.default_rng(0)
    y = np.arange(n) % classes
    means = 2 * rng.normal(size=(classes, d))
    return rng.normal(size=(n, d)) + means[y], y


def fit(name, **settings):
    """A job: an estimator of the package, fitted to samples and classes."""

    def job(X, y):
        folder, cls = name.rsplit(".", 1)
        estimator = getattr(importlib.import_module(f"toolkit.{folder}"), cls)
        estimator(**settings).fit(X, y)

    return job


def fit_map(name, **settings):
    """The same for maps that are learned from a given map, here two features."""

    def job(X, y):
        folder, cls = name.rsplit(".", 1)
        estimator = getattr(importlib.import_module(f"toolkit.{folder}"), cls)
        estimator(**settings).fit(X, X[:, :2])

    return job


def transfer(name):
    def job(X, y):
        from toolkit import transfer

        half = len(X) // 2
        getattr(transfer, name)().fit(X[:half], X[half:, :10])

    return job


def fit_kernel(X, y):
    from toolkit.fisher import KernelFisher

    KernelFisher(**SEED).fit(X @ X.T, y)


def fit_model(X, y):
    from sklearn.linear_model import LogisticRegression

    from toolkit.fisher import ModelFisher

    model = LogisticRegression().fit(X, y)
    ModelFisher(model).fit(X, y).distances()


def fit_process(X, y):
    from toolkit.fisher import GPFisher

    GPFisher().fit(X, X[:, 0] + 0.1 * X[:, 1])


def distances(X, y):
    from toolkit.fisher import ParzenFisher

    ParzenFisher(random_state=0).fit(X, y).distances()


def neighbors(X, y):
    from toolkit.fisher import ParzenFisher

    metric = ParzenFisher(n_centers=500, random_state=0).fit(X, y)
    metric.knn_distances(None, 30)


def propagation(X, y):
    from toolkit.discriminant import GraphLabelRegression

    is_labelled = np.arange(len(X)) % 11 == 0
    y_partly = np.where(is_labelled, y, -1)
    GraphLabelRegression(n_affinity=50).fit(X[:, :2], y_partly)


def label_columns(name):
    def job(X, y):
        from toolkit import multilabel

        Y = np.eye(5)[y]
        getattr(multilabel, name)().fit(abs(X), Y)

    return job


def forest_map(X, y):
    from sklearn.ensemble import RandomForestClassifier

    from toolkit.decisionmap import DecisionMap

    model = RandomForestClassifier(50, random_state=0).fit(X, y)
    DecisionMap.from_estimator(model, X, y, random_state=0)


def graph(X, y):
    from toolkit.neighbors import BlockNeighbors

    BlockNeighbors(15).fit_transform(X)


def quality(X, y):
    from toolkit.quality import q_nx

    q_nx(X, X[:, :2])


SEED = {"random_state": 0}
JOBS = {
    "FDA": fit("discriminant.FDA"),
    "LPP": fit("discriminant.LPP"),
    "LFDA": fit("discriminant.LFDA"),
    "SELF": fit("discriminant.SELF"),
    "GraphLabelRegression(n_affinity=50)": propagation,
    "SampleLabelMap": label_columns("SampleLabelMap"),
    "SampleLabelEigenmap": label_columns("SampleLabelEigenmap"),
    "FeatureLabelEigenmap": label_columns("FeatureLabelEigenmap"),
    "KernelSampleLabelMap": label_columns("KernelSampleLabelMap"),
    "LaplacianEigenmap": fit("eigenmaps.LaplacianEigenmap"),
    "CCDR": fit("eigenmaps.CCDR"),
    "ConstraintScoreMap": fit("eigenmaps.ConstraintScoreMap"),
    "SLapEig": fit("eigenmaps.SLapEig"),
    "SLE": fit("eigenmaps.SLE"),
    "SLEML": fit("eigenmaps.SLEML"),
    "GLVQ": fit("lvq.GLVQ", **SEED),
    "GMLVQ": fit("lvq.GMLVQ", **SEED),
    "RSLVQ": fit("lvq.RSLVQ", **SEED),
    "LMNN": fit("lmnn.LMNN"),
    "MDS": fit("embed.MDS"),
    "Isomap": fit("embed.Isomap"),
    "TSNE": fit("embed.TSNE", **SEED),
    "NeRV": fit("embed.NeRV"),
    "MVU": fit("embed.MVU"),
    "SOM": fit("embed.SOM"),
    "GTM": fit("embed.GTM"),
    "ParametricTSNE": fit("embed.ParametricTSNE", **SEED),
    "ParzenFisher": fit("fisher.ParzenFisher", **SEED),
    "ParzenFisher, distances": distances,
    "ParzenFisher(n_centers=500), knn_distances": neighbors,
    "KernelFisher": fit_kernel,
    "ModelFisher, distances": fit_model,
    "GPFisher": fit_process,
    "KernelMap": fit_map("kernelmap.KernelMap"),
    "InverseMap": fit_map("kernelmap.InverseMap", **SEED),
    "NeRVMetric": fit("relevance.NeRVMetric"),
    "NeRVRelevance": fit("relevance.NeRVRelevance"),
    "SharedLinearEmbedding": transfer("SharedLinearEmbedding"),
    "SharedKernelEmbedding": transfer("SharedKernelEmbedding"),
    "BlockNeighbors(15)": graph,
    "q_nx": quality,
    "DecisionMap of a forest": forest_map,
}


def peak():
    """Largest memory since it was last reset, bytes."""
    status = Path("/proc/self/status").read_text()
    return 1024 * int(re.search(r"VmHWM:\s+(\d+)", status)[1])


def measure(name, n):
    """Processor seconds and bytes of one fit in a child; words where it ends early."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(4 * SECONDS)
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS + 20, SECONDS + 20))
        resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
        warnings.simplefilter("ignore")
        X, y = blobs(n)
        # imports and the first calls of libraries do not count
        try:
            JOBS[name](*blobs(600))
        except (ValueError, MemoryError):
            pass
        Path("/proc/self/clear_refs").write_text("5")
        before, start = peak(), time.process_time()
        try:
            JOBS[name](X, y)
            seconds = time.process_time() - start
            answer = f"{seconds:.4g} {max(peak() - before, 0)}"
        except (ValueError, MemoryError, RuntimeError) as error:
            words = str(error).split("\n")[0] or "out of memory"
            answer = f"{type(error).__name__}: {words}"
        os.write(write, answer.encode())
        os._exit(0)
    os.close(write)
    with open(read) as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    if re.fullmatch(r"[\d.e+-]+ \d+", answer):
        seconds, memory = answer.split()
        return float(seconds), int(memory)
    return answer or f"more than {SECONDS} s"


def row(name):
    """One line of the table: time and memory at each size, and their exponents."""
    measured, cells = [], []
    for n in SIZES:
        if len(measured) > 1:
            (m, before, _), (last, seconds, _) = measured[-2:]
            grows = np.log(seconds / before) / np.log(last / m)
            expected = seconds * (n / last) ** max(grows, 0)
            if expected > SECONDS:
                cells.append(f"about {expected:,.0f} s expected")
                break
        answer = measure(name, n)
        if isinstance(answer, str):
            cells.append(answer)
            break
        measured.append((n, *answer))
        seconds, memory = answer
        cells.append(f"{seconds:.3g} s, {memory / 1e6:,.0f} MB")
        print(name, n, cells[-1], flush=True)
    cells += ["-" for _ in SIZES[len(cells) :]]
    return f"| {name} | {' | '.join(cells)} | {exponents(measured)} |"


def exponents(measured):
    """Of time and memory between the two largest sizes that ran."""
    if len(measured) < 2:
        return "- | -"
    (m, *before), (n, *after) = measured[-2:]
    cells = []
    for a, b, smallest in zip(before, after, (0.01, 5e6), strict=True):
        growth = max(b, smallest) / max(a, smallest)
        cells.append(f"{np.log(growth) / np.log(n / m):.1f}")
    return " | ".join(cells)


HEAD = f"""# How the estimators grow

Written by `python benchmarks/scaling.py`: {blobs.__defaults__[0]} features,
{blobs.__defaults__[1]} Gaussian classes, defaults, one thread; processor seconds and
peak memory above that before the fit, imports excluded; at most {SECONDS} s and
{BYTES // 2**30} GB a fit. Exponents are those between the two largest sizes that ran;
times under 0.01 s and memory under 5 MB count as these.

| estimator | {" | ".join(f"{n:,}" for n in SIZES)} | time ~ n^ | memory ~ n^ |
|---|---|---|---|---|---|---|
"""


def main(*names):
    rows = {}
    if PAGE.exists():
        text = PAGE.read_text()
        names_of_rows = re.findall(r"^\| (.+?) \| .*$", text, re.M)
        lines = re.findall(r"^\| .*$", text, re.M)
        rows = dict(zip(names_of_rows, lines, strict=True))
    for name in JOBS:
        if name not in rows or not names or name in names:
            rows[name] = row(name)
            write(rows)


def write(rows):
    text = HEAD + "\n".join(rows[name] for name in JOBS if name in rows)
    steep = [
        name
        for name in JOBS
        if name in rows and exponent_of(rows[name]) > STEEP
    ]
    text += f"\n\n## Above n^{STEEP}\n\n"
    text += "\n".join(
        f"- `{name}`: {WHY.get(name, 'TO EXPLAIN')}" for name in steep
    )
    PAGE.write_text(text + "\n")


def exponent_of(line):
    cell = line.split(" | ")[5]
    return float(cell) if cell != "-" else 0.0


# Why time grows faster than n^1.3, and what to do instead.
PAIRS = "all pairs of samples are compared, in blocks; memory does not grow with them."
WHY = {
    "FDA": "one sum over the samples; times of some milliseconds depend on the cache.",
    "LPP": f"{PAIRS} Past 100,000 samples fit to a sample of rows, `transform` takes all.",
    "LFDA": f"{PAIRS} Past 100,000 samples fit to a sample of rows, `transform` takes all.",
    "SELF": f"{PAIRS} Past 100,000 samples fit to a sample of rows, `transform` takes all.",
    "GraphLabelRegression(n_affinity=50)": (
        "a sparse system with as many unmeasureds as samples is solved; its factors fill in."
        " Predict from a sample of rows instead."
    ),
    "KernelSampleLabelMap": (
        "the kernel is n x n and its eigenvectors cost n^3; fit to a sample of rows,"
        " or take `SampleLabelMap`."
    ),
    "LaplacianEigenmap": (
        "the search for neighbours compares all pairs; `neighbors=` takes an approximate"
        " search."
    ),
    "CCDR": (
        "the search for neighbours compares all pairs; `neighbors=` takes an approximate"
        " search."
    ),
    "SLapEig": (
        "the search for neighbours compares all pairs; `neighbors=` takes an approximate"
        " search."
    ),
    "SLE": "samples of one class are all joined, n^2 / c edges; `SLEML` has fewer.",
    "SLEML": (
        "the default number of neighbours, one and a half times the mean size of a class,"
        " grows with n up to 10 million edges; give `n_neighbors`."
    ),
    "LMNN": (
        "triplets of neighbours and impostors are searched among all pairs; fit to a"
        " sample of rows, `transform` takes all."
    ),
    "RSLVQ": "more steps until the likelihood settles; the cost of a step grows as n.",
    "GMLVQ": "more steps until the cost settles; the cost of a step grows as n.",
    "GLVQ": "more steps until the cost settles; the cost of a step grows as n.",
    "MDS": "`stress_` compares all pairs, in blocks; PCA gives the same map.",
    "Isomap": (
        "all shortest paths, n^2 log n, and an n x n array; past 10,000 samples fit to a"
        " sample of rows and project the others with `KernelMap`."
    ),
    "TSNE": (
        "the search for neighbours compares all pairs, and below 10,000 samples forces"
        " are summed by a tree, above by interpolation."
    ),
    "NeRV": (
        "its cost is a sum over all pairs; past 5,000 samples fit to a sample of rows and"
        " project the others with `KernelMap`."
    ),
    "MVU": (
        "a semidefinite program with a constraint for each pair of neighbours; fit to"
        " some hundred samples and project the others with `KernelMap`."
    ),
    "SOM": "the number of units grows with n by default; give the grid.",
    "GTM": "the number of units grows with n by default; give the grid.",
    "ParametricTSNE": (
        "affinities of all pairs; fit to a sample of rows, `transform` takes all."
    ),
    "ParzenFisher": (
        "widths by perplexity compare all pairs up to 5,000 samples; `n_centers` limits"
        " the windows."
    ),
    "ParzenFisher, distances": (
        "each of n^2 lengths takes a sum over n windows; `n_centers`, and `knn_distances`"
        " for maps of neighbours."
    ),
    "ParzenFisher(n_centers=500), knn_distances": (
        "candidates for neighbours are searched among all pairs; docs/scale.md has the"
        " same on several machines."
    ),
    "KernelFisher": (
        "its input is an n x n matrix of similarities, whose eigenvalues cost n^3;"
        " `ParzenFisher` takes vectors."
    ),
    "ModelFisher, distances": "all pairs are asked for; `knn_distances` has the nearest.",
    "GPFisher": (
        "a Gaussian process inverts an n x n matrix, n^3; fit to a sample of rows."
    ),
    "KernelMap": (
        "a system of n equations is solved, n^3; a sample of some thousand rows projects"
        " all others."
    ),
    "InverseMap": "more centres for more samples; fit to a sample of rows.",
    "NeRVMetric": (
        "its cost is a sum over all pairs; fit to a sample of rows, `transform` takes all."
    ),
    "NeRVRelevance": (
        "its cost is a sum over all pairs; fit to a sample of rows, `transform` takes all."
    ),
    "SharedLinearEmbedding": (
        "every sample of one set is compared with all of the other in each step; fit to a"
        " sample of rows of each."
    ),
    "SharedKernelEmbedding": (
        "kernels of all pairs in each step; fit to a sample of rows of each."
    ),
    "BlockNeighbors(15)": "all pairs are compared, in blocks, exactly; workers share them.",
    "q_nx": "ranks of all pairs, in blocks; rate a sample of rows.",
    "DecisionMap of a forest": "its map of the samples is `TSNE`, see there.",
}

if __name__ == "__main__":
    main(*sys.argv[1:])
